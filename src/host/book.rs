//! The kernels of a plan for the workshop's kernel page: what the lowering would
//! launch on a GPU of the database, with sources and what is recorded of them.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use app::book::{Book, Compiled, Kernel, Torch, Wanted};
use app::source::Source;
use backend::gpu::compile::PREBUILT;
use backend::gpu::resources::Recorded;
use backend::gpu::{CompileUnit, Grid, Launch, Setup, Step, Target, eager, kernel_source, lower};
use plan::cost::{Gpu, GpuDatabase};
use plan::fusion::Plan;
use plan::model::OpKind;
use plan::run::Gemm;

/// Blocks of the model that are lowered: a kernel that crosses from one block
/// to the next is among them.
const LAYERS: u64 = 2;

/// The kernels of a plan.
///
/// # Errors
/// A plan with a kernel that is not in the catalogue; a GPU that is not in the
/// database.
pub fn book(wanted: &Wanted) -> Result<Book, String> {
    let database = GpuDatabase::embedded().map_err(|e| e.to_string())?;
    let gpu = database.get(&wanted.gpu).map_err(|e| e.to_string())?;
    let target = target(gpu);
    let mut config = wanted.config.clone();
    let kept = config.keeps_kv();
    config.model.layers = config.model.layers.min(LAYERS);
    let graph = config.graph().map_err(|e| e.to_string())?;
    let plan = Plan::new(&graph, config.effective_cut(), kept);
    let program = lower(&Setup {
        config: &config,
        graph: &graph,
        plan: &plan,
        target: &target,
        gemm: Gemm::Own,
        cap: config.shape.context,
        tuned: &[],
    })
    .map_err(|e| e.to_string())?;
    let mut files = Files::default();
    let kernels = program
        .steps
        .iter()
        .filter_map(|step| match step {
            Step::Own(launch) => Some(launch),
            Step::Library(_) => None,
        })
        .map(|launch| {
            let of_plan = plan.kernels.get(launch.kernel);
            let ops = of_plan.map_or_else(Vec::new, |k| k.op_kinds(&graph).collect());
            Kernel {
                entry: launch.unit.entry.to_owned(),
                defines: defines(&launch.unit),
                files: files.of(&launch.unit),
                blocks: blocks(launch, gpu.vendor.words().unit_short),
                threads: u64::from(launch.threads),
                shared: u64::from(launch.shared),
                cooperative: launch.cooperative,
                compiled: compiled(&launch.unit, &target.arch),
                ptx: PREBUILT
                    .find(&launch.unit, &[&target.arch, "sm_80"])
                    .map(|prebuilt| Arc::from(prebuilt.ptx)),
                torch: torch(&ops),
                ops,
            }
        })
        .collect();
    Ok(Book {
        gpu: gpu.clone(),
        arch: target.arch,
        sources: files.sources,
        kernels,
    })
}

/// The same in PyTorch.
fn torch(ops: &[OpKind]) -> Option<Torch> {
    let function = eager::of_ops(ops)?;
    let files = eager::with_called(&function.file);
    let sources = files.iter().filter_map(|file| {
        let text = kernel_source(file)?;
        Some(Source::parse(file, text))
    });
    Some(Torch {
        function: function.name.to_owned(),
        line: function.head.first().map_or(0, |(number, _)| number - 1),
        ops: function.ops() as u64,
        sources: sources.collect(),
    })
}

/// What plans are lowered for on a GPU of the database.
fn target(gpu: &Gpu) -> Target {
    let small = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    Target {
        vendor: gpu.vendor,
        arch: match gpu.arch.as_str() {
            // Features of exactly this architecture are asked for.
            "sm_90" => "sm_90a".to_owned(),
            other => other.to_owned(),
        },
        warp: small(gpu.warp_size),
        sms: small(gpu.compute_units),
        shared_per_block: small(gpu.shared_kb_per_block * 1024),
    }
}

/// What the compiler made of a unit, where it is recorded.
fn compiled(unit: &CompileUnit, arch: &str) -> Option<Compiled> {
    static RECORDED: LazyLock<Recorded> = LazyLock::new(Recorded::embedded);
    let found = RECORDED.of(&unit.title(), arch)?;
    Some(Compiled {
        compiler: RECORDED.compilers.get(arch).cloned().unwrap_or_default(),
        registers: u64::from(found.registers),
        shared: u64::from(found.shared),
        spilled: u64::from(found.spill_stores),
    })
}

fn defines(unit: &CompileUnit) -> String {
    let defines = unit
        .defines
        .iter()
        .map(|(name, value)| format!("{name}={value}"));
    defines.collect::<Vec<_>>().join(" ")
}

fn blocks(launch: &Launch, unit: &str) -> String {
    match launch.grid {
        Grid::Blocks([x, 1, 1]) => x.to_string(),
        Grid::Blocks([x, y, 1]) => format!("{x} × {y}"),
        Grid::Blocks([x, y, z]) => format!("{x} × {y} × {z}"),
        Grid::Resident { per_sm: 1 } => format!("1 per {unit}"),
        Grid::Resident { per_sm } => format!("up to {per_sm} per {unit}"),
    }
}

/// The files of a plan's kernels, each read once.
#[derive(Default)]
struct Files {
    sources: Vec<Source>,
    at: HashMap<&'static str, usize>,
}

impl Files {
    /// The files of a unit: its own, then what it shares, the prefix last.
    fn of(&mut self, unit: &CompileUnit) -> Vec<usize> {
        let mut found = Vec::new();
        for file in unit.files.iter().rev() {
            let Some(text) = kernel_source(file) else {
                continue;
            };
            let at = *self.at.entry(file).or_insert_with(|| {
                self.sources.push(Source::parse(file, text));
                self.sources.len() - 1
            });
            found.push(at);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backend::gpu::kernel_sources;
    use plan::cost::Config;
    use plan::fusion::Version;

    #[test]
    fn every_kernel_of_the_versions_has_a_source_to_show() {
        for version in Version::WORKSHOP {
            for gpu in GpuDatabase::embedded().unwrap().all() {
                let wanted = Wanted {
                    config: Config::preset("workshop", version.cut()).unwrap(),
                    gpu: gpu.id.clone(),
                };
                let book = match book(&wanted) {
                    Ok(book) => book,
                    // V4 is shown as soon as it is lowered.
                    Err(why) => {
                        assert!(why.contains("no GPU kernel"), "{why}");
                        assert_eq!(version, Version::V4, "{why}");
                        continue;
                    }
                };
                let ops: usize = book.kernels.iter().map(|k| k.ops.len()).sum();
                // embed, 18 ops in each of two blocks, final norm, head.
                assert_eq!(ops, 1 + 2 * 18 + 2, "{version:?}");
                for kernel in &book.kernels {
                    let own = &book.sources[kernel.files[0]];
                    let named = own.lines.iter().any(|l| l.text.contains(&kernel.entry));
                    assert!(named, "{} is not in {}", kernel.entry, own.file);
                    let torch = kernel.torch.as_ref().unwrap();
                    let first = &torch.sources[0].lines[torch.line].text;
                    assert!(first.starts_with(&format!("def {}(", torch.function)));
                }
            }
        }
    }

    #[test]
    fn ideas_of_the_kernels_pair() {
        // Exercises have markers of their own (course::attempt).
        let shown = kernel_sources()
            .into_iter()
            .filter(|(file, _)| !file.starts_with("exercises/"));
        for (file, text) in shown {
            let source = Source::parse(file, text);
            assert_eq!(source.faults, Vec::<String>::new());
            for idea in &source.ideas {
                assert!(!idea.sentence.is_empty(), "{file}: {}", idea.name);
            }
        }
    }
}
