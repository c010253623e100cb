//! The HTTP interface of a Convex deployment.
