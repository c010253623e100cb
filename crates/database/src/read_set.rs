//! What a transaction read, as intervals of index keys.

/// Intervals of index keys.
#[derive(Clone, Debug, Default)]
pub struct ReadSet {}
