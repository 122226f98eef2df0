//! A report of which little is known: what tests and stand-ins of a machine begin with.

use super::{BytesReport, LaunchReport, OutputReport, PlanReport, Report};

impl Report {
    /// A forward of so many launches, all of them counted; nothing else was found out.
    pub fn bare(backend: &str, device: &str, launches: u64) -> Self {
        Self {
            schema: 1,
            backend: backend.to_owned(),
            device: device.to_owned(),
            plan: PlanReport {
                fusions: Vec::new(),
                groups: String::new(),
                launches,
            },
            launches: LaunchReport {
                counted: launches,
                library: 0,
            },
            time_us: None,
            bytes: BytesReport::default(),
            check: None,
            output: OutputReport {
                shape: Vec::new(),
                sha256: String::new(),
                sample: Vec::new(),
            },
            held_bytes: None,
            kernels: Vec::new(),
            trace: None,
            notes: Vec::new(),
        }
    }
}
