//! Every limit and knob of the product, with Convex's own names where it has them.
