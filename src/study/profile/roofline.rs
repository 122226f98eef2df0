//! rocprof-compute's `roofline.csv`: roofs that were measured on a device, in GB/s and
//! GFLOP/s, each with the ends of its interval. Head as its own test workloads have it
//! (MI200); newer releases put more columns in between.

use super::ProfileError;
use super::table::{Among, Head};

/// Columns that only this file has.
pub(super) const HEAD: [&str; 3] = ["device", "HBMBw", "L2Bw"];

/// Most devices of a file.
const MOST: usize = 1 << 12;

/// What is measured, and how it is called.
const ROOFS: [(&str, &str, bool); 12] = [
    ("HBM", "HBMBw", false),
    ("MALL", "MALLBw", false),
    ("L2", "L2Bw", false),
    ("L1", "L1Bw", false),
    ("LDS", "LDSBw", false),
    ("fp32", "FP32Flops", true),
    ("fp64", "FP64Flops", true),
    ("matrix bf16", "MFMABF16Flops", true),
    ("matrix fp16", "MFMAF16Flops", true),
    ("matrix fp32", "MFMAF32Flops", true),
    ("matrix fp64", "MFMAF64Flops", true),
    ("matrix fp8", "MFMAF8Flops", true),
];

/// One measured roof.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredRoof {
    /// What it bounds: `HBM`, `fp32`, `matrix bf16`.
    pub name: &'static str,
    /// Whether it is a rate of operations, and not of bytes.
    pub operations: bool,
    /// B/s or FLOP/s.
    pub rate: f64,
}

/// The roofs of one device.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredRoofs {
    /// The device, as the file numbers it.
    pub device: String,
    /// In the order of `ROOFS`; only those that the file has.
    pub roofs: Vec<MeasuredRoof>,
}

impl MeasuredRoofs {
    /// The rate of a roof of this name.
    pub fn rate(&self, name: &str) -> Option<f64> {
        self.roofs
            .iter()
            .find(|roof| roof.name == name)
            .map(|roof| roof.rate)
    }
}

/// Reads the rows behind the head.
pub(super) struct Roofline {
    head: Head,
    devices: Vec<MeasuredRoofs>,
}

impl Roofline {
    pub(super) const fn new(head: Head) -> Self {
        Self {
            head,
            devices: Vec::new(),
        }
    }

    pub(super) fn line(&mut self, line: &str, number: usize) -> Result<(), ProfileError> {
        let bare = line.trim();
        if bare.is_empty() || self.devices.len() >= MOST {
            return Ok(());
        }
        let row = self.head.row(bare, number, Among::Nothing)?;
        let mut roofs = Vec::new();
        for (name, column, operations) in ROOFS {
            // Giga in both cases; a type that the device has not is 0.
            if let Some(at) = self.head.find(&[column])
                && let Some(rate) = row.number(Some(at))?
                && rate > 0.0
            {
                roofs.push(MeasuredRoof {
                    name,
                    operations,
                    rate: rate * 1e9,
                });
            }
        }
        self.devices.push(MeasuredRoofs {
            device: row.text(self.head.find(&["device"])).to_owned(),
            roofs,
        });
        Ok(())
    }

    pub(super) fn finish(self) -> Result<Vec<MeasuredRoofs>, ProfileError> {
        if self.devices.is_empty() {
            return Err(ProfileError::whole(
                "rocprof-compute, roofline.csv without a device; was it profiled with --roof-only on a GPU?",
            ));
        }
        Ok(self.devices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Found, Reader, read};

    /// rocprof-compute's own test workload, MI200; what lies between is cut in our notes
    /// and filled with zeros.
    const FILE: &str = "device,HBMBw,HBMBwLow,hbmBwHigh,L2Bw,L2BwLow,L2BwHigh,FP32Flops,FP64Flops,MFMABF16Flops,MFMAFI8OpsLow
0,1389.1462,1388.6844,1389.608,5017.5005,0,0,20946.693,20272.535,0,0
";

    fn roofs(text: &str) -> Result<Vec<MeasuredRoofs>, ProfileError> {
        let mut reader = Reader::new();
        reader.feed(text.as_bytes())?;
        match reader.finish()? {
            Found::Roofs(roofs) => Ok(roofs),
            Found::Profile(_) => panic!("a profile"),
        }
    }

    #[test]
    fn roofs_as_published() {
        let found = roofs(FILE).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].rate("HBM"), Some(1389.1462e9));
        assert_eq!(found[0].rate("fp64"), Some(20272.535e9));
        assert_eq!(found[0].rate("matrix bf16"), None);
        // Newer builds put columns in between.
        let newer = roofs(
            &FILE
                .replace(",L2Bw,", ",MALLBw,L2Bw,")
                .replace(",5017", ",3000,5017"),
        )
        .unwrap();
        assert_eq!(
            (newer[0].rate("MALL"), newer[0].rate("L2")),
            (Some(3e12), Some(5017.5005e9))
        );
    }

    #[test]
    fn what_is_wrong_has_its_place() {
        let e = roofs(&FILE.replace("5017.5005", "fast")).unwrap_err();
        assert!(e.line == 2 && e.message.contains("fast"), "{e}");
        let e = roofs(FILE.lines().next().unwrap()).unwrap_err();
        assert!(e.message.contains("without a device"), "{e}");
        assert!(
            read(FILE.as_bytes())
                .unwrap_err()
                .message
                .contains("no kernels")
        );
    }
}
