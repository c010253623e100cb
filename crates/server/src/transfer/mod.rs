//! Data that leaves and enters as files: `npx convex export` and `npx convex import`.
//!
//! - `export`: all tables of a snapshot as a ZIP file
//! - `formats`: what a file holds: ZIP (`archive`), JSON lines, a JSON array or CSV (`csv`)
//! - `import`: how that gets into tables
//! - `uploads`: files that arrive in parts, and imports until they are done

mod archive;
mod csv;
mod export;
mod formats;
mod import;
mod uploads;

pub use export::zip_of;
pub use formats::{Format, Imported, parse};
pub use import::{Mode, plan, run};
pub use uploads::{ImportState, Transfers};
