//! What lies between the host's memory and the device's, and what bytes cost that cross it.
//!
//! Prices are lower bounds: bytes over the bandwidth of the link, and nothing for a copy to
//! begin, of which no data sheet tells.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Gpu;

/// The way from the host's memory to the device's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum HostLink {
    /// PCI Express: generation and lanes.
    Pcie {
        /// 3, 4 or 5.
        generation: u32,
        /// Lanes.
        lanes: u32,
    },
    /// Another link.
    Other {
        /// Its name.
        name: String,
        /// 10⁹ bytes per second in one direction.
        gbs: f64,
    },
    /// None: host and device have one memory.
    Shared,
}

/// Transfers per second of a lane, each a bit: PCI Express Base Specification, 3.0 to 5.0.
const LANE: [(u32, f64); 3] = [(3, 8e9), (4, 16e9), (5, 32e9)];
/// Of 130 bits 128 are data, in these generations.
const CODED: f64 = 128.0 / 130.0;
const SHARED: &str = "shared memory";

impl HostLink {
    /// Bytes per second in one direction, before the heads of packets; none where nothing
    /// has to be crossed.
    pub fn bandwidth(&self) -> Option<f64> {
        match self {
            Self::Pcie { generation, lanes } => {
                let lane = LANE.into_iter().find(|(known, _)| known == generation)?.1;
                Some(lane * CODED / 8.0 * f64::from(*lanes))
            }
            Self::Other { gbs, .. } => Some(gbs * 1e9),
            Self::Shared => None,
        }
    }
}

impl fmt::Display for HostLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pcie { generation, lanes } => write!(f, "PCIe {generation}.0 x{lanes}"),
            Self::Other { name, gbs } => write!(f, "{name} {gbs} GB/s"),
            Self::Shared => f.write_str(SHARED),
        }
    }
}

impl From<HostLink> for String {
    fn from(link: HostLink) -> Self {
        link.to_string()
    }
}

impl TryFrom<String> for HostLink {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let refused = || {
            format!(
                "a host link is PCIe 5.0 x16 (3.0 to 5.0), NAME 36 GB/s or {SHARED}, not “{text}”"
            )
        };
        if text == SHARED {
            return Ok(Self::Shared);
        }
        if let Some(of) = text.strip_prefix("PCIe ") {
            let (generation, lanes) = of.split_once(".0 x").ok_or_else(refused)?;
            let generation = generation.parse().map_err(|_| refused())?;
            let lanes = lanes.parse().ok().filter(|n| (1..=32).contains(n));
            let known = LANE.into_iter().any(|(known, _)| known == generation);
            let lanes = lanes.filter(|_| known).ok_or_else(refused)?;
            return Ok(Self::Pcie { generation, lanes });
        }
        let rated = text.strip_suffix(" GB/s").and_then(|t| t.rsplit_once(' '));
        let (name, gbs) = rated.ok_or_else(refused)?;
        let gbs: f64 = gbs.parse().map_err(|_| refused())?;
        match gbs.is_finite() && gbs > 0.0 && !name.is_empty() {
            true => Ok(Self::Other {
                name: name.to_owned(),
                gbs,
            }),
            false => Err(refused()),
        }
    }
}

impl Gpu {
    /// Bytes per second at which the device reaches the host's memory: the link's, or its
    /// memory's own where both are one. None where the database does not say.
    pub fn host_bandwidth(&self) -> Option<f64> {
        match self.host.as_ref()? {
            HostLink::Shared => Some(self.bandwidth()),
            link => link.bandwidth(),
        }
    }

    /// Whether host and device have one memory.
    pub fn shares_memory(&self) -> bool {
        self.host == Some(HostLink::Shared)
    }

    /// Seconds at least of a copy between host and device: over the link once; within one
    /// memory read and written.
    pub fn copy_seconds(&self, bytes: f64) -> Option<f64> {
        let ways = if self.shares_memory() { 2.0 } else { 1.0 };
        Some(ways * bytes / self.host_bandwidth()?)
    }

    /// Seconds at least of a kernel that reads all of `bytes` of the host's memory where
    /// they lie, so many times, and holds none of them in a cache.
    pub fn mapped_seconds(&self, bytes: f64, reads: f64) -> Option<f64> {
        Some(reads * bytes / self.host_bandwidth()?)
    }

    /// The same where they are copied to the device first.
    pub fn copied_first_seconds(&self, bytes: f64, reads: f64) -> Option<f64> {
        Some(self.copy_seconds(bytes)? + reads * bytes / self.bandwidth())
    }

    /// From how many reads on copying first takes less time; none where it never does.
    /// n·B/L > B/L + n·B/H is n > H / (H − L).
    pub fn reads_that_pay(&self) -> Option<u64> {
        let (link, memory) = (self.host_bandwidth()?, self.bandwidth());
        (link < memory).then(|| (memory / (memory - link)).floor() as u64 + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::GpuDatabase;

    #[test]
    fn links_are_read_and_said_and_have_the_rates_of_their_documents() {
        // GB/s in one direction as tables of PCI-SIG round them: 15.75, 31.5, 63.
        for (text, gbs) in [
            ("PCIe 3.0 x16", 15.754),
            ("PCIe 4.0 x16", 31.508),
            ("PCIe 5.0 x16", 63.015),
            ("PCIe 5.0 x8", 31.508),
            ("NVLink-C2C 450 GB/s", 450.0),
            ("Infinity Fabric 36 GB/s", 36.0),
        ] {
            let link = HostLink::try_from(text.to_owned()).unwrap();
            assert_eq!(link.to_string(), text);
            assert!(
                (link.bandwidth().unwrap() * 1e-9 - gbs).abs() < 1e-3,
                "{text}"
            );
        }
        let shared = HostLink::try_from("shared memory".to_owned()).unwrap();
        assert_eq!(
            (shared.bandwidth(), shared.to_string()),
            (None, SHARED.into())
        );
        for text in [
            "",
            "PCIe 6.0 x16",
            "PCIe 5.0 x0",
            "PCIe 5.0",
            "fast",
            " 3 GB/s",
            "x -3 GB/s",
        ] {
            let said = HostLink::try_from(text.to_owned()).unwrap_err();
            assert!(said.contains("a host link is"), "{said}");
        }
    }

    #[test]
    fn every_device_of_the_database_has_a_link_with_its_source() {
        for gpu in GpuDatabase::embedded().unwrap().all() {
            assert!(gpu.host.is_some(), "{}", gpu.id);
            assert!(gpu.sources.contains_key("host"), "{}", gpu.id);
            // A link is slower than the memory behind it.
            let link = gpu.host_bandwidth().unwrap();
            assert_eq!(link < gpu.bandwidth(), !gpu.shares_memory(), "{}", gpu.id);
        }
    }

    #[test]
    fn copying_first_pays_from_the_second_read_on_and_never_within_one_memory() {
        let database = GpuDatabase::embedded().unwrap();
        let h200 = database.get("h200").unwrap();
        let bytes = 64e6;
        // 64 MB over 63.015 GB/s; once through the link is less than that and a read.
        assert!((h200.copy_seconds(bytes).unwrap() * 1e3 - 1.0156).abs() < 1e-3);
        assert_eq!(h200.reads_that_pay(), Some(2));
        for n in 1..5 {
            let reads = f64::from(n);
            let pays = h200.copied_first_seconds(bytes, reads) < h200.mapped_seconds(bytes, reads);
            assert_eq!(pays, n >= 2, "{n}");
        }
        let apu = database.get("mi300a").unwrap();
        assert_eq!(apu.reads_that_pay(), None);
        assert_eq!(
            apu.copy_seconds(bytes).unwrap(),
            2.0 * bytes / apu.bandwidth()
        );
        for reads in [1.0, 100.0] {
            assert!(apu.copied_first_seconds(bytes, reads) > apu.mapped_seconds(bytes, reads));
        }
        let unknown = Gpu {
            host: None,
            ..h200.clone()
        };
        assert_eq!(unknown.copy_seconds(bytes), None);
        assert_eq!(
            (unknown.reads_that_pay(), unknown.host_bandwidth()),
            (None, None)
        );
    }
}
