//! Durable storage of the document log behind one trait.
