//! Hopper variants of the matrix products: when they apply, tiles, tensor maps.
