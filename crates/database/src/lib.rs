//! Serializable transactions over an ordered, multi-version document log.
