//! How the forward is cut into kernels: named fusions, versions, the plan.
