//! The SIMT machine on kernels of its own: what they compute, what they cost,
//! what is wrong with them. The `.cu` files lie beside their PTX, which
//! NVRTC 12.9 made for compute_80 with `-lineinfo`.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

mod bench;
mod costs;
mod findings;
mod forward;
mod grids;
mod lanes;
mod ops;
mod order;
mod paths;
mod reader;
