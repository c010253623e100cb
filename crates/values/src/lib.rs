//! Convex values, ids, and their JSON and index-key encodings.
