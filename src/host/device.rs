//! The device of the course: what was asked for, else chosen before, else named by the
//! workshop, else the GPU of this machine.

use std::fs;
use std::path::Path;

use course::answer::{data_sheets, gpu_id};
use course::{DEVICE, Places, Store};

/// Where NVIDIA's driver tells of its GPUs, a folder each.
const NVIDIA: &str = "/proc/driver/nvidia/gpus";
/// Where AMD's driver tells of its GPUs, a folder each.
const AMD: &str = "/sys/class/kfd/kfd/topology/nodes";

/// The places with the device of the course.
pub fn device(mut places: Places, asked: Option<&'static str>) -> Places {
    let kept = || {
        let (progress, _) = Store::new(&places).look();
        gpu_id(progress.settings.get(DEVICE)?).ok()
    };
    let here = || nvidia(Path::new(NVIDIA)).or_else(|| amd(Path::new(AMD)));
    places.gpu = asked.or_else(kept).or(places.gpu).or_else(here);
    places
}

/// The data sheet of the first GPU that NVIDIA's driver names.
fn nvidia(folder: &Path) -> Option<&'static str> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    let mut names = entries.filter_map(|entry| {
        let told = fs::read_to_string(entry.path().join("information")).ok()?;
        let model = told.lines().find_map(|line| line.strip_prefix("Model:"))?;
        Some(model.trim().to_owned())
    });
    let named = data_sheets()?.named_in(&names.next()?);
    named.map(|gpu| gpu.id.as_str())
}

/// The data sheet of the first GPU that AMD's driver names: its architecture and number
/// of compute units (Linux, `amdkfd`: `gfx_target_version` is 90402 for gfx942).
fn amd(folder: &Path) -> Option<&'static str> {
    let mut nodes: Vec<_> = fs::read_dir(folder)
        .ok()?
        .flatten()
        .map(|e| e.path())
        .collect();
    nodes.sort();
    nodes.iter().find_map(|node| {
        let told = fs::read_to_string(node.join("properties")).ok()?;
        let figure = |name: &str| -> Option<u64> {
            let words = told
                .lines()
                .map(|line| line.split_whitespace().collect::<Vec<_>>());
            words
                .filter(|w| w.first() == Some(&name))
                .find_map(|w| w.get(1)?.parse().ok())
        };
        // Processors have no target.
        let target = figure("gfx_target_version").filter(|t| *t > 0)?;
        let arch = format!(
            "gfx{}{:x}{:x}",
            target / 10_000,
            target / 100 % 100,
            target % 100
        );
        let units = figure("simd_count")? / figure("simd_per_cu").filter(|n| *n > 0)?;
        let of_arch = || {
            data_sheets()
                .into_iter()
                .flat_map(|all| all.all())
                .filter(|g| g.arch == arch)
        };
        let exact = of_arch().find(|gpu| gpu.compute_units == units);
        exact
            .or_else(|| of_arch().next())
            .map(|gpu| gpu.id.as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gpu_that_is_here_is_found_by_what_its_driver_says() {
        let root = tempfile::tempdir().unwrap();
        let card = root.path().join("0000:01:00.0");
        fs::create_dir_all(&card).unwrap();
        // What names find: `GpuDatabase::named_in`.
        for (model, id) in [
            ("NVIDIA H100 80GB HBM3", Some("h100_sxm")),
            ("NVIDIA Quadro K600", None),
        ] {
            let told = format!("Model: \t\t {model}\nIRQ:   \t\t 24\n");
            fs::write(card.join("information"), told).unwrap();
            assert_eq!(nvidia(root.path()), id, "{model}");
        }
        assert_eq!(nvidia(&root.path().join("none")), None);
    }

    #[test]
    fn a_gpu_of_amd_is_found_by_architecture_and_compute_units() {
        let root = tempfile::tempdir().unwrap();
        for (name, told) in [
            (
                "0",
                "cpu_cores_count 24\nsimd_count 0\ngfx_target_version 0\n",
            ),
            (
                "1",
                "simd_count 912\nsimd_per_cu 4\ngfx_target_version 90402\n",
            ),
        ] {
            fs::create_dir_all(root.path().join(name)).unwrap();
            fs::write(root.path().join(name).join("properties"), told).unwrap();
        }
        // 228 compute units of gfx942 are an MI300A's; an MI300X has 304.
        assert_eq!(amd(root.path()), Some("mi300a"));
        let node = root.path().join("1").join("properties");
        fs::write(
            &node,
            "simd_count 440\nsimd_per_cu 4\ngfx_target_version 90010\n",
        )
        .unwrap();
        assert_eq!(amd(root.path()), Some("mi250x_gcd"));
    }
}
