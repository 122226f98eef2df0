//! The judge: expressions over the cost model and run reports, known slips, verdicts, hints.
