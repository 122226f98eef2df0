//! Lowering without a GPU: every promised plan at several shapes.
