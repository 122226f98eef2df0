//! Which GPU of the database a file was made on, by the name that the driver gives it.

use plan::cost::{Gpu, GpuDatabase};

/// The GPU that a driver calls so; none where the database has none of that name.
///
/// Every piece of an id stands in the name as a word, or as two words that follow one
/// another (`rtx4090`). A die of an MI250X calls itself MI250X, and the H100 of the SXM
/// board names its memory.
pub fn gpu_called<'d>(database: &'d GpuDatabase, name: &str) -> Option<&'d Gpu> {
    let lower = name.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let has = |piece: &str| {
        words.contains(&piece)
            || words.windows(2).any(|pair| pair.concat() == piece)
            || (piece == "gcd" && words.contains(&"mi250x"))
            || (piece == "sxm" && words.contains(&"hbm3"))
            || words.windows(3).any(|three| three.concat() == piece)
    };
    let fits = |gpu: &&Gpu| gpu.id.split('_').all(has);
    database
        .all()
        .iter()
        .filter(fits)
        .max_by_key(|gpu| gpu.id.split('_').count())
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
            ("NVIDIA GH200 480GB", Some("gh200")),
            ("NVIDIA A100-SXM4-80GB", Some("a100_80gb")),
            ("NVIDIA GeForce RTX 4090", Some("rtx4090")),
            ("AMD Instinct MI300A", Some("mi300a")),
            ("AMD Instinct MI250X", Some("mi250x_gcd")),
            ("AMD Radeon RX 7900 XTX", Some("rx7900xtx")),
            ("NVIDIA A10G", None),
            ("Apple M3", None),
        ] {
            let found = gpu_called(&database, name).map(|gpu| gpu.id.as_str());
            assert_eq!(found, id, "{name}");
        }
    }
}
