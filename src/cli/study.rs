//! `study`: experiments over many plans, sizes or runs; listed, made, kept, shown.

mod auto;
mod listed;
mod machine;
mod made;
mod make;
mod measured;
mod offer;
mod shown;

pub(super) use auto::{auto, auto_of};
pub(super) use made::{bench, regress};
pub(super) use make::{BenchArgs, RegressArgs};
pub(super) use offer::offered;
pub(super) use shown::table;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Outcome;
use super::args::{OutputArgs, number, places, whole};
use super::failure::Failure;
use super::out::Out;
use host::learned::Learned;
use host::studies::Studies;
use listed::{catalogue, list};
use made::made;
use shown::tell;
use study::catalogue::Study;

/// A study; without one they are listed.
#[derive(Debug, Args)]
pub(super) struct StudyArgs {
    #[command(subcommand)]
    what: Option<What>,
}

/// Which study, or which kept one.
#[derive(Debug, Subcommand)]
enum What {
    /// What does each fusion save, alone and together with the others?
    Ablate(make::AblateArgs),
    /// Which plan takes least time by the model, and why does each boundary stand?
    Plan(auto::AutoArgs),
    /// How do time and memory grow with a size, and where does the curve bend?
    Scale(make::ScaleArgs),
    /// How many sequences fit, and which number makes most tokens per second?
    BatchSize(make::BatchArgs),
    /// How far is each plan from fp64, in which tensor, and how does it grow?
    Validate(make::ValidateArgs),
    /// How fast is this build on this device, and what does it hold?
    Bench(BenchArgs),
    /// Is this build slower, larger or less exact than a baseline?
    Regress(RegressArgs),
    /// What does an element type save, and what does it cost?
    Precision(machine::PrecisionArgs),
    /// How long will a forward take here, before it is run?
    Predict(machine::PredictArgs),
    /// Which settings of a kernel are quickest here, and which search finds them?
    Tune(machine::TuneArgs),
    /// How long does a load wait, and at which working set does that change?
    Hierarchy(measured::HierarchyArgs),
    /// What do copies between host and device cost, and when is no copy cheaper?
    HostMemory(measured::HostMemoryArgs),
    /// How many blocks fit, what stops one more, and does it matter?
    Occupancy(measured::OccupancyArgs),
    /// Which kernels take the time, and how near is each to its roof?
    Roofline(measured::RooflineArgs),
    /// When does each kernel begin and end, and what overlaps?
    Timeline(measured::TimelineArgs),
    /// How does each of eight troubles show itself, and in which number?
    Sick(measured::SickArgs),
    /// The studies that were made and kept
    List,
    /// A kept study again
    Show(ShowArgs),
}

/// A kept study.
#[derive(Debug, Args)]
struct ShowArgs {
    /// Its id or its number: ablate-3, 3
    id: String,
    #[command(flatten)]
    form: Form,
}

/// How a study is printed and kept.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct Form {
    /// Print one table as CSV
    #[arg(long, help_heading = "Study")]
    csv: bool,
    /// Which table --csv prints
    #[arg(
        long,
        value_name = "N",
        value_parser = whole::<usize>,
        default_value_t = 1,
        requires = "csv",
        help_heading = "Study"
    )]
    sheet: usize,
    /// Print markdown, for a pull request
    #[arg(long, conflicts_with = "csv", help_heading = "Study")]
    markdown: bool,
    /// Print the first chart as SVG, where the study has one
    #[arg(long, conflicts_with_all = ["csv", "markdown"], help_heading = "Study")]
    svg: bool,
    /// Rows of a table that are shown; all of a drawn axis, else 12
    #[arg(long, value_name = "N", value_parser = whole::<usize>, help_heading = "Study")]
    rows: Option<usize>,
    /// Write the timeline as JSON that chrome://tracing and Perfetto read
    #[arg(long, value_name = "FILE", help_heading = "Study")]
    trace: Option<PathBuf>,
}

/// What every study takes.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct Common {
    #[command(flatten)]
    form: Form,
    /// Minutes that the runs may take
    #[arg(
        long,
        value_name = "MINUTES",
        value_parser = number,
        default_value_t = 10.0,
        help_heading = "Study"
    )]
    budget: f64,
    /// Say on standard error how far it is, a line each step
    #[arg(long, help_heading = "Study")]
    progress: bool,
    /// Do not keep it in the state folder
    #[arg(long, help_heading = "Study")]
    no_keep: bool,
}

pub(super) fn study(output: &OutputArgs, args: &StudyArgs, out: &mut Out) -> Outcome {
    let places = places(output);
    let learned = Learned::of(&places);
    let device = places.device();
    let (common, study): (&Common, Box<dyn Study>) = match &args.what {
        None => return catalogue(output, out),
        Some(What::Bench(args)) => return bench(output, args, out),
        Some(What::Regress(args)) => return regress(output, args, out),
        Some(What::List) => return list(output, &Studies::of(&places), out),
        Some(What::Show(args)) => {
            let kept = Studies::of(&places).get(&args.id);
            tell(output, &args.form, &kept.map_err(Failure::usage)?, out)?;
            return Ok(0);
        }
        Some(What::Ablate(a)) => (&a.common, Box::new(a.study(&learned)?)),
        Some(What::Plan(a)) => (&a.common, Box::new(a.study(device, &learned)?)),
        Some(What::Scale(a)) => (&a.common, Box::new(a.study(&learned)?)),
        Some(What::BatchSize(a)) => (&a.common, Box::new(a.study(device, &learned)?)),
        Some(What::Validate(a)) => (&a.common, Box::new(a.study(&learned)?)),
        Some(What::Precision(a)) => (&a.common, Box::new(a.study(device, &learned)?)),
        Some(What::Predict(a)) => (&a.common, Box::new(a.study(&learned)?)),
        Some(What::Tune(a)) => (&a.common, Box::new(a.study(device, &learned)?)),
        Some(What::Hierarchy(a)) => (&a.common, Box::new(a.study()?)),
        Some(What::HostMemory(a)) => (&a.common, Box::new(a.study(device)?)),
        Some(What::Occupancy(a)) => (&a.common, Box::new(a.study(device)?)),
        Some(What::Roofline(a)) => (&a.common, Box::new(a.study(&learned)?)),
        Some(What::Sick(a)) => (&a.common, Box::new(a.study(device)?)),
        Some(What::Timeline(a)) => (&a.common, Box::new(a.study(&learned)?)),
    };
    made(output, common, &*study, &places, out)
}
