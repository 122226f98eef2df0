//! What a plan should cost: FLOPs, bytes, liveness, roofline, occupancy.
