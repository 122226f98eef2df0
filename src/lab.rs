//! Experiments over reports: statistics, comparisons, results kept per plan.
