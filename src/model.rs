//! What is computed: presets, shapes, the forward as a graph of ops and tensors.
