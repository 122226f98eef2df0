//! `profile`: what a vendor's profiler wrote, read and set beside the plan; and
//! samples of what each would write.

mod commands;
mod json;
mod open;
mod roof;
mod show;

pub(super) use commands::commands;

use std::path::{Path, PathBuf};

use clap::Args;

use self::roof::Roof;
use super::Outcome;
use super::args::{OutputArgs, PlanArgs, SetupArgs, places, whole};
use super::desk::Desk;
use super::failure::Failure;
use super::out::Out;
use super::words::wrapped;
use super::written;
use plan::cost::{Config, Gpu, GpuDatabase};
use plan::fusion::Cut;
use study::profile::{Found, Like, Profile, Reading, Tool, against, like, pair, sample, say};

/// Rows of kernels that are printed.
const ROWS: usize = 40;

/// What is taken from a roof for a profile.
const FLOORS: &str = "floors and limits";

/// Rows of kernels below a table of ops.
const HOTSPOTS: usize = 12;

/// What a profiler wrote, beside the plan: launches, shares, wall and idle
/// time, bytes from memory against the modelled ones, and the limit; two files
/// side by side.
///
/// Kernels of PyTorch, its libraries and compilers are explained as ops of the block,
/// by name, order and repetition. The roofline is that of --gpu, else of the GPU that the
/// file names, else of the device of the course; where the tool never looks at that one, of
/// an H200, or a die of an MI250X for the tools of AMD; of an MI300A where only its generation
/// has the file's counters. The answer says which, and why.
///
/// Reads rocprofv3 (kernel_stats, kernel_trace, counter_collection, JSON, pftrace), the
/// older rocprof, rocprof-compute (pmc_perf, roofline.csv, what analyze prints),
/// rocprof-sys (Perfetto trace, wall_clock.txt), nsys cuda_gpu_kern_sum, ncu (page raw or
/// details) and traces of the PyTorch profiler, by what stands in them, of any length.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("made").args(["sample", "exercise"]))]
pub(super) struct ProfileArgs {
    /// The file
    #[arg(required_unless_present = "made", conflicts_with = "made")]
    file: Option<PathBuf>,
    /// Another, to be set beside it: after a fusion
    #[arg(value_name = "AFTER", conflicts_with = "made")]
    after: Option<PathBuf>,
    /// Write what this tool would have written of the plan, generated from the
    /// model: rocprofv3, rocprofv3-trace, rocprofv3-counters, rocprof,
    /// rocprof-stats, rocprof-compute, nsys, ncu, ncu-details or pytorch
    #[arg(long, value_name = "TOOL")]
    sample: Option<String>,
    /// Write the generated profiles that this exercise shows, in your variant
    #[arg(long, value_name = "EXERCISE")]
    exercise: Option<String>,
    /// Ask of your own file what this exercise asks: ex39 or ex40
    #[arg(long, value_name = "EXERCISE", conflicts_with_all = ["made", "after"])]
    like: Option<String>,
    /// The file's answers behind those questions
    #[arg(long, requires = "like")]
    answers: bool,
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
}

pub(super) fn profile(output: &OutputArgs, args: &ProfileArgs, out: &mut Out) -> Outcome {
    let database = GpuDatabase::embedded()?;
    let cut = args.plan.cut()?;
    let mut config = args.setup.config(cut)?;
    config.model.layers = args.layers.unwrap_or(config.model.layers);
    if let Some(name) = &args.sample {
        let tool = Tool::parse(name).map_err(|e| Failure::usage(e.to_string()))?;
        let gpu = roof::gpu(&database, output, tool)?;
        if tool.vendor().is_some_and(|vendor| vendor != gpu.vendor) {
            return Err(Failure::usage(format!(
                "{name} looks at the other maker's GPUs, and never at the {}; leave --gpu out, or take another tool",
                gpu.short
            )));
        }
        return write(output, args, tool, &config, gpu, out);
    }
    if let Some(id) = &args.exercise {
        return files(output, id, args.output.as_deref(), out);
    }
    let Some(path) = &args.file else {
        return Err(Failure::usage("a file is missing"));
    };
    let plan = &args.plan;
    let named = plan.version.is_some()
        || plan.fuse.is_some()
        || plan.unfuse.is_some()
        || plan.groups.is_some();
    let asked = Asked {
        config: &config,
        only: named.then_some(cut),
        database: &database,
        output,
    };
    if let Some(after) = &args.after {
        return beside(output, &asked, path, after, out);
    }
    let profile = match open::open(path)? {
        Found::Profile(profile) => *profile,
        Found::Roofs(devices) => {
            let roof = Roof::of(&database, output, Tool::RocprofCompute, None, None)?;
            match output.json {
                true => out.json(&json::roofs(path, &devices)),
                false => {
                    show::roofs(out, &devices, roof.gpu, output.plain);
                    show::sentences(out, &[roof.said("data sheet")], output.plain);
                }
            }
            return Ok(0);
        }
    };
    let (reading, roof) = asked.read(&profile)?;
    let gpu = roof.gpu;
    if let Some(name) = &args.like {
        let which = Like::parse(name).map_err(Failure::usage)?;
        let questions = like(which, &profile, &reading, gpu);
        match output.json {
            true => out.json(&json::questions(path, name, &questions, args.answers)),
            false => {
                show::questions(out, name, &questions, args.answers);
                let said = args.answers.then(|| roof.said(FLOORS));
                show::sentences(out, said.as_slice(), output.plain);
            }
        }
        return Ok(0);
    }
    if output.json {
        out.json(&json::document(path, &profile, &reading, &roof));
        return Ok(0);
    }
    out.lines(wrapped(&say::heading(&profile), "", "  "));
    out.gap();
    if let Some(found) = &reading.framework {
        show::rows(out, &say::parts(found, &reading, gpu), true, output.plain);
        out.gap();
        show::sentences(
            out,
            &say::of_framework(found, &reading, &profile, gpu),
            output.plain,
        );
        show::sentences(out, &say::sentences(&reading, gpu), output.plain);
        if places(output).court_off.is_none() {
            show::sentences(out, show::documents(found).as_slice(), output.plain);
        }
        out.gap();
    }
    let rows = if reading.framework.is_some() {
        HOTSPOTS
    } else {
        ROWS
    };
    show::rows(out, &say::rows(&reading, rows), false, output.plain);
    if reading.rows.len() > rows && !output.plain {
        out.line(format!(" and {} more", reading.rows.len() - rows));
    }
    if reading.framework.is_none() {
        if !output.plain {
            out.gap();
        }
        show::sentences(out, &say::sentences(&reading, gpu), output.plain);
    }
    show::sentences(out, &say::metrics(&profile), output.plain);
    show::sentences(out, &[roof.said(FLOORS)], output.plain);
    if !output.plain {
        let priced = reading.cost.as_ref().map_or(&config, |cost| &cost.config);
        out.lines(wrapped(
            &format!(
                "{}; --model, --batch, --seq and --dtype say what ran",
                priced.title()
            ),
            "modelled   ",
            "           ",
        ));
    }
    Ok(0)
}

/// What a profile is read against.
struct Asked<'a> {
    config: &'a Config,
    /// The plan that is named.
    only: Option<Cut>,
    database: &'a GpuDatabase,
    output: &'a OutputArgs,
}

impl<'a> Asked<'a> {
    fn read(&self, profile: &Profile) -> Result<(Reading, Roof<'a>), Failure> {
        let roof = Roof::of_profile(self.database, self.output, profile)?;
        let reading = against(profile, self.config, roof.gpu, self.only)?;
        Ok((reading, roof))
    }
}

/// Two files side by side.
fn beside(
    output: &OutputArgs,
    asked: &Asked<'_>,
    before: &Path,
    after: &Path,
    out: &mut Out,
) -> Outcome {
    let (first, second) = (open::profile(before)?, open::profile(after)?);
    let (a, roof_a) = asked.read(&first)?;
    let (b, roof_b) = asked.read(&second)?;
    let pair = pair(&a, &b);
    if output.json {
        out.json(&serde_json::json!({
            "schema": 1,
            "before": json::document(before, &first, &a, &roof_a),
            "after": json::document(after, &second, &b, &roof_b),
            "pair": json::pair(&pair),
        }));
        return Ok(0);
    }
    for (what, path, profile, reading, gpu) in [
        ("before", before, &first, &a, roof_a.gpu),
        ("after", after, &second, &b, roof_b.gpu),
    ] {
        out.lines(wrapped(
            &format!("{}: {}", path.display(), say::heading(profile)),
            &format!("{what:<10} "),
            "           ",
        ));
        let said = match &reading.framework {
            Some(found) => say::of_framework(found, reading, profile, gpu),
            None => say::sentences(reading, gpu),
        };
        show::sentences(out, said.get(..1).unwrap_or_default(), output.plain);
    }
    out.gap();
    show::rows(out, &say::pair_rows(&pair, ROWS), false, output.plain);
    if !output.plain {
        out.gap();
    }
    show::sentences(out, &say::of_pair(&pair), output.plain);
    Ok(0)
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
        written.push((folder.join(name), text));
    }
    // Before anything is written: what is in the way.
    let mut missing = Vec::new();
    for (path, text) in &written {
        if !written::same(path, text)? {
            missing.push((path, text));
        }
    }
    std::fs::create_dir_all(folder).map_err(|e| written::unwritten(folder, &e))?;
    for (path, text) in missing {
        written::make(path, text)?;
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
    let text = sample::write(&made, tool, gpu);
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
            if !written::same(path, &text)? {
                written::make(path, &text)?;
            }
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
