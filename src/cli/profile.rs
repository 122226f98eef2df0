//! `profile`: what a vendor's profiler wrote, read and set beside the plan; and
//! samples of what each would write.

mod commands;

pub(super) use commands::commands;

use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::Args;

use super::Outcome;
use super::args::{OutputArgs, PlanArgs, SetupArgs, typed_device, whole};
use super::desk::Desk;
use super::failure::Failure;
use super::out::Out;
use super::table::{Align, Table};
use super::words::wrapped;
use files::{plain, read_bounded, replace};
use plan::cost::{Config, Gpu, GpuDatabase, Vendor};
use study::profile::{By, Limit, Profile, Reading, Tool, against, read, sample, say};

/// Largest file that is read, and largest that a compressed one unpacks to.
const LARGEST: usize = 256 << 20;

/// Rows of kernels that are printed.
const ROWS: usize = 40;

/// What a profiler wrote, beside the plan: launches, shares, wall and idle
/// time, bytes from memory against the modelled ones, and the limit.
///
/// Reads rocprofv3 (kernel_stats, kernel_trace, counter_collection), the older
/// rocprof, rocprof-compute's pmc_perf, nsys cuda_gpu_kern_sum, ncu (page raw or
/// details) and traces of the PyTorch profiler, by what stands in them.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("made").args(["sample", "exercise"]))]
pub(super) struct ProfileArgs {
    /// The file
    #[arg(required_unless_present = "made", conflicts_with = "made")]
    file: Option<PathBuf>,
    /// Write what this tool would have written of the plan, generated from the
    /// model: rocprofv3, rocprofv3-trace, rocprofv3-counters, rocprof,
    /// rocprof-stats, rocprof-compute, nsys, ncu, ncu-details or pytorch
    #[arg(long, value_name = "TOOL")]
    sample: Option<String>,
    /// Write the generated profiles that this exercise shows, in your variant
    #[arg(long, value_name = "EXERCISE")]
    exercise: Option<String>,
    /// Where a sample goes, standard output where nothing is named; the folder of
    /// an exercise's files
    #[arg(long, short, value_name = "FILE", requires = "made")]
    output: Option<PathBuf>,
    /// Forwards of a sample; 25 of sums, one of launches, where nothing is named
    #[arg(long, value_name = "N", value_parser = whole::<u64>, requires = "sample")]
    forwards: Option<u64>,
    /// Seed of a sample's times
    #[arg(long, value_name = "N", value_parser = whole::<u64>, default_value = "0", requires = "sample")]
    seed: u64,
    /// Layers of a sample's model, where not the model's own
    #[arg(long, value_name = "N", value_parser = whole::<u64>, requires = "sample")]
    layers: Option<u64>,
    #[command(flatten)]
    plan: PlanArgs,
    #[command(flatten)]
    setup: SetupArgs,
    /// Whose roofline (see `gpus`); h200, or mi250x_gcd for AMD's tools, where
    /// nothing is named
    #[arg(long, value_name = "GPU", value_parser = typed_device)]
    gpu: Option<&'static str>,
}

pub(super) fn profile(output: &OutputArgs, args: &ProfileArgs, out: &mut Out) -> Outcome {
    let database = GpuDatabase::embedded()?;
    let cut = args.plan.cut()?;
    let mut config = args.setup.config(cut)?;
    config.model.layers = args.layers.unwrap_or(config.model.layers);
    if let Some(name) = &args.sample {
        let tool = Tool::parse(name).map_err(|e| Failure::usage(e.to_string()))?;
        return write(
            output,
            args,
            tool,
            &config,
            gpu(&database, args, tool)?,
            out,
        );
    }
    if let Some(id) = &args.exercise {
        return files(output, id, args.output.as_deref(), out);
    }
    let Some(path) = &args.file else {
        return Err(Failure::usage("a file is missing"));
    };
    let profile = open(path)?;
    let gpu = gpu(&database, args, profile.tool)?;
    let plan = &args.plan;
    let named = plan.version.is_some()
        || plan.fuse.is_some()
        || plan.unfuse.is_some()
        || plan.groups.is_some();
    let reading = against(&profile, &config, gpu, named.then_some(cut))?;
    if output.json {
        out.json(&document(path, &profile, &reading, gpu));
        return Ok(0);
    }
    out.lines(wrapped(&say::heading(&profile), "", "  "));
    out.gap();
    let rows = say::rows(&reading, ROWS);
    if output.plain {
        for row in &rows.rows {
            let cells: Vec<String> = rows
                .head
                .iter()
                .zip(row)
                .map(|(head, cell)| format!("{head} {cell}"))
                .collect();
            out.line(format!("{}.", cells.join("; ")));
        }
        for said in say::sentences(&reading, gpu) {
            out.line(format!("{}: {}.", said.about, said.text));
        }
        return Ok(0);
    }
    let heads: Vec<(&str, Align)> = rows
        .head
        .iter()
        .enumerate()
        .map(|(i, head)| {
            let align = if i == 0 { Align::Left } else { Align::Right };
            (head.as_str(), align)
        })
        .collect();
    let mut table = Table::new(&heads);
    for row in rows.rows {
        table.row(row);
    }
    out.lines(table.lines());
    if reading.rows.len() > ROWS {
        out.line(format!(" and {} more", reading.rows.len() - ROWS));
    }
    out.gap();
    for said in say::sentences(&reading, gpu) {
        out.lines(wrapped(
            &said.text,
            &format!("{:<10} ", said.about),
            "           ",
        ));
    }
    let priced = reading.cost.as_ref().map_or(&config, |cost| &cost.config);
    out.lines(wrapped(
        &format!(
            "{}; --model, --batch, --seq and --dtype say what ran",
            super::cost::setting(priced)
        ),
        "modelled   ",
        "           ",
    ));
    Ok(0)
}

/// The GPU whose roof is meant.
fn gpu<'d>(database: &'d GpuDatabase, args: &ProfileArgs, tool: Tool) -> Result<&'d Gpu, Failure> {
    let usual = match tool.vendor() {
        Some(Vendor::Amd) => "mi250x_gcd",
        _ => "h200",
    };
    Ok(database.get(args.gpu.unwrap_or(usual))?)
}

/// A file, unpacked where it is compressed, and read.
fn open(path: &Path) -> Result<Profile, Failure> {
    let shown = path.display();
    let unread =
        |e: &std::io::Error| Failure::usage(format!("{shown} cannot be read: {}", plain(e)));
    let mut bytes = read_bounded(path, LARGEST).map_err(|e| unread(&e))?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut unpacked = Vec::new();
        flate2::read::MultiGzDecoder::new(bytes.as_slice())
            .take(LARGEST as u64 + 1)
            .read_to_end(&mut unpacked)
            .map_err(|e| Failure::usage(format!("{shown} cannot be unpacked: {e}")))?;
        if unpacked.len() > LARGEST {
            return Err(Failure::usage(format!(
                "{shown} unpacks to more than {} MiB; profile fewer steps",
                LARGEST >> 20
            )));
        }
        bytes = unpacked;
    }
    read(&bytes).map_err(|e| {
        let place = if e.line == 0 { ": " } else { ":" };
        Failure::usage(format!("{shown}{place}{e}"))
    })
}

/// Writes the samples that an exercise shows into a folder, each once.
fn files(output: &OutputArgs, id: &str, folder: Option<&Path>, out: &mut Out) -> Outcome {
    let desk = Desk::open(output).whole()?;
    let exercise = desk.varied(desk.exercise(id)?, None)?;
    if exercise.samples.is_empty() {
        return Err(Failure::usage(format!("{id} shows no profiles")));
    }
    let config = exercise.setup.answer()?.config;
    let folder = folder.unwrap_or(Path::new("."));
    let unwritten = |path: &Path, e: &std::io::Error| {
        Failure::usage(format!(
            "{} cannot be written: {}",
            path.display(),
            plain(e)
        ))
    };
    std::fs::create_dir_all(folder).map_err(|e| unwritten(folder, &e))?;
    let mut written: Vec<(PathBuf, String)> = Vec::new();
    for (_, sample) in &exercise.samples {
        let text = sample
            .file(&config, desk.gpus()?)
            .map_err(Failure::content)?;
        // One file may be shown in several pieces.
        if written.iter().any(|(_, known)| *known == text) {
            continue;
        }
        let name = format!(
            "{}-{}-{}",
            exercise.id,
            written.len() + 1,
            sample.tool.file()
        );
        let path = folder.join(name);
        replace(&path, text.as_bytes()).map_err(|e| unwritten(&path, &e))?;
        written.push((path, text));
    }
    let paths: Vec<&Path> = written.iter().map(|(path, _)| path.as_path()).collect();
    if output.json {
        out.json(&serde_json::json!({ "schema": 1, "exercise": exercise.id, "generated": true, "files": paths }));
        return Ok(0);
    }
    for path in paths {
        out.line(path.display().to_string());
    }
    out.line("Generated from the cost model: no device was measured.");
    Ok(0)
}

/// Writes a sample.
fn write(
    output: &OutputArgs,
    args: &ProfileArgs,
    tool: Tool,
    config: &Config,
    gpu: &Gpu,
    out: &mut Out,
) -> Outcome {
    let forwards = args.forwards.unwrap_or_else(|| sample::forwards(tool));
    let made = sample::generate(config, gpu, forwards, args.seed)?;
    let text = sample::write(&made, tool);
    let what = format!(
        "{}, generated from the cost model for {}: no device was measured",
        tool.title(),
        gpu.name
    );
    match &args.output {
        None if output.json => {
            out.json(&serde_json::json!({
                "schema": 1, "tool": tool.name(), "generated": true, "gpu": gpu.id,
                "forwards": forwards, "seed": args.seed, "file": text,
            }));
        }
        None => {
            super::out::complain(&what);
            out.text(&text);
        }
        Some(path) => {
            replace(path, text.as_bytes()).map_err(|e| {
                Failure::usage(format!(
                    "{} cannot be written: {}",
                    path.display(),
                    plain(&e)
                ))
            })?;
            match output.json {
                true => out.json(&serde_json::json!({
                    "schema": 1, "tool": tool.name(), "generated": true, "gpu": gpu.id,
                    "forwards": forwards, "seed": args.seed, "written": path,
                })),
                false => out.line(format!("{}: {what}", path.display())),
            }
        }
    }
    Ok(0)
}

fn document(path: &Path, profile: &Profile, reading: &Reading, gpu: &Gpu) -> serde_json::Value {
    let plan = reading.explained.as_ref().map(|found| {
        serde_json::json!({
            "title": found.cut.title(),
            "options": found.cut.as_options(),
            "layers": found.layers,
            "forwards": found.forwards,
            "by": match found.by {
                By::Names => "names",
                By::Entries => "entries",
                By::Calls => "calls",
            },
            "beside": found.beside,
            "others": found.others.iter().map(|cut| cut.as_options()).collect::<Vec<_>>(),
        })
    });
    let limit = reading.limit.as_ref().map(|limit| {
        let (first, second) = match limit {
            Limit::Launches(idle, gap) => (("idle", *idle), ("mean_gap_ns", *gap)),
            Limit::Host(idle, gap) => (("idle", *idle), ("longest_gap_ns", *gap)),
            Limit::Latency(mean, floor) => (("mean_ns", *mean), ("floor_ns", *floor)),
            Limit::Memory(i, ridge) | Limit::Compute(i, ridge) => {
                (("intensity", *i), ("ridge", *ridge))
            }
        };
        serde_json::json!({ "name": limit.name(), (first.0): first.1, (second.0): second.1 })
    });
    serde_json::json!({
        "schema": 1,
        "file": path,
        "tool": profile.tool.name(),
        "generated": profile.generated,
        "gpu": gpu.id,
        "calls": reading.calls,
        "kernel_ns": reading.kernel_ns,
        "plan": plan.as_ref().ok(),
        "layers_of_the_model_named": reading.other_layers,
        "unexplained": reading.explained.as_ref().err().map(ToString::to_string),
        "launches": reading.launches.map(|(counted, planned)| {
            serde_json::json!({ "counted": counted, "planned": planned })
        }),
        "kernels": reading.rows.iter().map(|row| serde_json::json!({
            "name": row.name, "calls": row.calls, "share": row.share,
            "mean_ns": row.mean_ns, "floor_seconds": row.floor_seconds,
            "modelled_bytes": row.modelled_bytes, "dram_bytes": row.dram_bytes,
            "registers": row.resources.registers,
            "accumulation_registers": row.resources.accumulation,
            "shared_bytes": row.resources.shared, "threads": row.resources.threads,
        })).collect::<Vec<_>>(),
        "serialised": reading.serialised,
        "walls": reading.walls.iter().map(|wall| serde_json::json!({
            "device": wall.device, "wall_ns": wall.wall_ns, "busy_ns": wall.busy_ns,
            "kernel_ns": wall.kernel_ns, "gaps": wall.gaps,
            "longest_gap_ns": wall.longest_gap_ns, "idle": wall.idle(),
        })).collect::<Vec<_>>(),
        "dram": reading.dram.map(|dram| serde_json::json!({
            "measured_bytes": dram.measured, "modelled_bytes": dram.modelled,
            "ratio": dram.ratio(),
        })),
        "limit": limit,
    })
}
