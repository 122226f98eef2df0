//! What bytes of the host cost a device: copied from pageable or pinned memory, many at a
//! time, beside a kernel, read where they lie; and what memory of the device costs to take.
//! Measured where a GPU is, priced by its link elsewhere.

mod measured;
mod priced;

use crate::catalogue::{Definition, Study};
use crate::evidence::{Asks, Evidence};
use crate::findings::Findings;
use plan::cost::{Gpu, HostLink};
use plan::run::{BackendKind, HostCase, HostRequest};

/// What it is.
pub const DEFINITION: Definition = Definition {
    name: "host-memory",
    asks: "What do copies between host and device cost, and when is no copy cheaper?",
    varies: "size, direction, pageable or pinned; copies of the same bytes; a kernel beside; reads; pools",
    held: "the device, the bytes, the kernel that reads them (sums of 16 bytes a load)",
    finds: "times by the host's clock, 15 rounds in turns, where a GPU is (@); bytes over its link elsewhere (=)",
    reduced: "medians, intervals of ratios; time = a + bytes/b and a for every copy more, fitted round by round",
    ends: "what pinning, batching, overlap and pools save, and from how many reads on copying first wins",
    lessons: &["23"],
    models: true,
};

/// `study host-memory`.
#[derive(Debug, Clone)]
pub struct HostMemory {
    /// Whose link and memory.
    pub gpu: Gpu,
    /// Bytes of the largest copy.
    pub largest: u64,
    /// What is looked at.
    pub cases: Vec<HostCase>,
    /// Who measures them; without one they are priced.
    pub backend: Option<BackendKind>,
    /// Seconds that a wait and a copy of 4 bytes added to a launch, recorded on an H200.
    pub waited: Option<f64>,
}

impl Study for HostMemory {
    fn definition(&self) -> &'static Definition {
        &DEFINITION
    }

    fn asks(&self) -> Asks {
        Asks {
            host: self.requests(),
            ..Asks::default()
        }
    }

    fn models(&self) -> Option<&Gpu> {
        Some(&self.gpu)
    }

    fn smaller(&self) -> &'static str {
        "a smaller --to"
    }

    fn reduce(&self, evidence: &Evidence) -> Result<Findings, String> {
        let mut found = match self.backend {
            None => self.priced(),
            Some(_) => self.measured(evidence),
        };
        if found.has_modelled() && self.gpu.is_unconfirmed("host") {
            found.notes.push(format!(
                "No vendor-grade source was found for the host link of {}.",
                self.gpu.name
            ));
        }
        found.sheets.retain(|sheet| !sheet.rows.is_empty());
        Ok(found)
    }
}

impl HostMemory {
    /// What is asked of a GPU: a case each, of which one may fail.
    fn requests(&self) -> Vec<HostRequest> {
        let request = |case: &HostCase| HostRequest::new(self.backend?, *case, self.largest).ok();
        self.cases.iter().filter_map(request).collect()
    }

    /// The link in words: `PCIe 5.0 x16, 63.0 GB/s in one direction`.
    fn link(&self) -> Option<String> {
        match self.gpu.host.as_ref()? {
            HostLink::Shared => Some("one memory with the host".to_owned()),
            link => Some(match (link, self.gpu.host_bandwidth()?) {
                (HostLink::Other { name, .. }, rate) => {
                    format!("{name}, {:.1} GB/s in one direction", 1e-9 * rate)
                }
                (link, rate) => format!("{link}, {:.1} GB/s in one direction", 1e-9 * rate),
            }),
        }
    }

    /// Microseconds at least of a copy.
    fn copy_us(&self, bytes: u64) -> Option<f64> {
        Some(1e6 * self.gpu.copy_seconds(bytes as f64)?)
    }
}

#[cfg(test)]
mod tests;
