//! Which GPU of the database a driver means, by the name that it gives a device.

use super::{Gpu, GpuDatabase};

impl GpuDatabase {
    /// The GPU that a device's line names, such as `NVIDIA H100 80GB HBM3 (sm_90a), CUDA
    /// 13.0 driver`; none where the database has none of that name.
    ///
    /// Every piece of an id stands in the name as a word, or as words that follow one
    /// another (`rtx4090`); of several, the id of most pieces. A die of an MI250X calls
    /// itself MI250X, and the H100 of the SXM board names its memory.
    pub fn named_in(&self, line: &str) -> Option<&Gpu> {
        // Behind the name stand an architecture and versions.
        let name = line.split([',', '(']).next().unwrap_or(line).to_lowercase();
        let words: Vec<&str> = name
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        let joined = |many: usize, piece: &str| words.windows(many).any(|w| w.concat() == piece);
        let has = |piece: &str| {
            (1..=3).any(|many| joined(many, piece))
                || piece == "gcd" && words.contains(&"mi250x")
                || piece == "sxm" && words.contains(&"hbm3")
        };
        let named = self.gpus.iter().filter(|g| g.id.split('_').all(has));
        named.max_by_key(|gpu| gpu.id.split('_').count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drivers_names_find_their_gpu() {
        let database = GpuDatabase::embedded().unwrap();
        for (name, id) in [
            ("NVIDIA H200", Some("h200")),
            ("NVIDIA H100 80GB HBM3", Some("h100_sxm")),
            ("NVIDIA H100 PCIe", Some("h100_pcie")),
            // Its memory has neither board's bandwidth.
            ("NVIDIA H100 NVL", None),
            ("NVIDIA GH200 480GB", Some("gh200")),
            ("NVIDIA A100-SXM4-40GB", Some("a100_40gb")),
            ("NVIDIA A100-SXM4-80GB", Some("a100_80gb")),
            ("NVIDIA GeForce RTX 4090", Some("rtx4090")),
            ("NVIDIA A10", Some("a10")),
            ("NVIDIA A10G", None),
            ("NVIDIA L4", Some("l4")),
            ("NVIDIA L40S", Some("l40s")),
            ("NVIDIA Quadro K600", None),
            ("AMD Instinct MI300A", Some("mi300a")),
            ("AMD Instinct MI250X", Some("mi250x_gcd")),
            ("AMD Radeon RX 7900 XTX", Some("rx7900xtx")),
            ("Apple M3", None),
            // Lines of this program go on behind the name.
            (
                "NVIDIA H100 80GB HBM3, CUDA 13.0 driver, NVRTC 13.0",
                Some("h100_sxm"),
            ),
            (
                "NVIDIA H100 80GB HBM3 (sm_90a), CUDA 13.0 driver, NVRTC 13.0",
                Some("h100_sxm"),
            ),
            (
                "NVIDIA GeForce RTX 3090 (sm_86), CUDA 12.4 driver, NVRTC 12.9",
                Some("rtx3090"),
            ),
        ] {
            let found = database.named_in(name).map(|gpu| gpu.id.as_str());
            assert_eq!(found, id, "{name}");
        }
    }
}
