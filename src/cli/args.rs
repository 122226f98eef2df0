//! The command line: what can be typed, and how it becomes a configuration.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand};

use super::failure::Failure;
use app::look::Surroundings;
use course::{Places, plain, read_bounded};
use plan::cost::{Config, Conventions, KeepKv};
use plan::fusion::{Cut, Fusion, Version};
use plan::model::{Dtype, Model, Shape, parse_hf_config, parse_toml, preset};

/// Largest model file that is read.
const LARGEST_MODEL_FILE: usize = 1 << 20;

/// A workshop on GPU kernel fusion: one transformer block, 17 kernels, merged
/// until one is left. Without a subcommand it opens in the terminal.
#[derive(Debug, Parser)]
#[command(
    name = "tinyllama-tutor",
    bin_name = "tinyllama-tutor",
    max_term_width = 80,
    disable_version_flag = true,
    args_conflicts_with_subcommands = false,
    subcommand_precedence_over_arg = true,
    after_help = "Numbers are labelled: = modelled, # issued, @ measured on this machine."
)]
pub(super) struct Cli {
    /// Print the program's version
    #[arg(long, short = 'V')]
    pub version: bool,
    #[command(flatten)]
    pub output: OutputArgs,
    /// What the workshop opens with; a subcommand has its own.
    #[command(flatten)]
    pub setup: SetupArgs,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What is printed, where the course and the learner's files are.
#[derive(Debug, Clone, Args)]
pub(super) struct OutputArgs {
    /// Print JSON
    #[arg(long, global = true, help_heading = "Output")]
    pub json: bool,
    /// Print lines in reading order, without boxes or colour
    #[arg(long, global = true, help_heading = "Output")]
    pub plain: bool,
    /// Use ASCII only
    #[arg(long, global = true, help_heading = "Output")]
    pub ascii: bool,
    /// Let the mouse click and scroll (takes the terminal's own selection)
    #[arg(long, global = true, help_heading = "Output")]
    pub mouse: bool,
    /// Let no wall be seen falling
    #[arg(long, global = true, help_heading = "Output")]
    pub no_motion: bool,
    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN", value_parser = ["auto", "always", "never"], default_value = "auto", hide_possible_values = false, help_heading = "Output")]
    pub color: String,
    /// Lessons and exercises of this folder replace those of the same name
    #[arg(long, global = true, value_name = "DIR", help_heading = "Files")]
    pub course: Option<PathBuf>,
    /// Keep progress and answers here
    #[arg(long, global = true, value_name = "DIR", help_heading = "Files")]
    pub state: Option<PathBuf>,
    /// The GPU that lessons and exercises speak of, and whose roof is on paper (see `gpus`); the
    /// one of this machine where nothing is chosen, else an H200
    #[arg(long, global = true, value_name = "GPU", value_parser = typed_device, help_heading = "Device")]
    pub gpu: Option<&'static str>,
}

/// The device that is typed.
pub(in crate::cli) fn typed_device(named: &str) -> Result<&'static str, String> {
    course::answer::gpu_id(named)
}

impl OutputArgs {
    /// ASCII where it is asked for, and on a terminal that has nothing else. A
    /// pipe or a file gets UTF-8.
    pub(super) fn spells_ascii(&self) -> bool {
        self.ascii || std::io::stdout().is_terminal() && surroundings(self).look().ascii
    }
}

/// What the environment says about the terminal.
pub(super) fn surroundings(output: &OutputArgs) -> Surroundings {
    let var = |name: &str| std::env::var(name).unwrap_or_default();
    Surroundings {
        color: Some(output.color.clone()),
        no_color: !var("NO_COLOR").is_empty(),
        colorterm: var("COLORTERM"),
        term: var("TERM"),
        locale: locale(),
        colorfgbg: var("COLORFGBG"),
        ascii: output.ascii,
        still: output.no_motion,
    }
}

/// Where the course and the learner's files are.
pub(super) fn places(output: &OutputArgs) -> Places {
    host::device(folders(output), output.gpu)
}

/// The folders alone: nothing is read.
pub(super) fn folders(output: &OutputArgs) -> Places {
    let (state, course) = (output.state.as_deref(), output.course.as_deref());
    Places::find(&course::Surroundings::here(), state, course)
}

/// The device of the course.
pub(super) fn device(output: &OutputArgs) -> &'static str {
    places(output).device()
}

/// The locale in force.
fn locale() -> String {
    ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|value| !value.is_empty())
        .unwrap_or_default()
}

/// What can be asked for.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Grade the answers to exercises
    Check(super::check::CheckArgs),
    /// The next hint to a question
    Hint(super::help::HintArgs),
    /// The worked solution of a question
    Solution(super::help::SolutionArgs),
    /// Start a question or an exercise again
    Reset(super::help::ResetArgs),
    /// The lessons, and how far they are read
    Lessons,
    /// The exercises, and what is right
    Exercises(super::lists::ExercisesArgs),
    /// Ways through the course: three hours, a day, all of it
    Path(super::path::PathArgs),
    /// Fresh questions on a topic, those that went wrong more often
    Practise(super::practise::PractiseArgs),
    /// How far you are; take it to another machine
    Progress(super::progress::ProgressArgs),
    /// Progress and answers as JSON or CSV; lessons as HTML
    Export(super::export::ExportArgs),
    /// The session as one file: machine, runs, answers, the results template
    Report(super::report::ReportArgs),
    /// A lesson as plain text
    Show(super::show::ShowArgs),
    /// The cost model of a plan: launches, FLOPs, bytes, intensity
    Cost(super::cost::CostArgs),
    /// Run a plan: checked, counted, timed
    Run(super::run::RunArgs),
    /// A small experiment: one kernel, one thing changed, everything counted
    Micro(super::micro::MicroArgs),
    /// Are the GPU kernels right on this machine?
    Selftest(super::selftest::SelfTestArgs),
    /// Plans side by side
    Compare(super::compare::CompareArgs),
    /// Experiments over many plans or sizes: listed, made, kept
    Study(super::study::StudyArgs),
    /// How fast this build is on this device: a suite, kept as a baseline
    Bench(super::study::BenchArgs),
    /// Is this build slower, larger or less exact than a baseline?
    Regress(super::study::RegressArgs),
    /// What a vendor's profiler wrote, beside the plan
    Profile(super::profile::ProfileArgs),
    /// What the documents state, and what is true of it
    Claims(super::claims::ClaimsArgs),
    /// The GPU kernels: the source of one, or the same in PyTorch
    Kernel(super::kernel::KernelArgs),
    /// The GPU database
    Gpus(super::gpus::GpusArgs),
    /// What this machine, this terminal and these folders allow
    Doctor,
    /// Make a workshop folder with a sheet per exercise
    Init(super::author::InitArgs),
    /// Start a lesson or an exercise from a template
    New(super::author::NewArgs),
    /// Find what is wrong with course texts
    Lint(super::author::LintArgs),
    /// Computes for a parent process that speaks frames on the standard streams
    #[command(hide = true)]
    Engine,
    /// Compile what lies in a folder: what the hip backend itself starts
    #[cfg(feature = "hip")]
    #[command(hide = true, name = backend::gpu::hip::COMMAND)]
    Hiprtc {
        /// HIPRTC's file
        library: PathBuf,
        /// Where the source is and the code goes
        folder: PathBuf,
    },
    /// Judges one kernel for a parent process: JSON in, JSON out
    #[command(hide = true)]
    Submission,
    /// For makers of the workshop
    #[command(hide = true)]
    Dev(super::dev::DevArgs),
    /// A script that completes this command in your shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// Model, shape, element type, and how things are counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(super) struct SetupArgs {
    /// A preset (workshop, small, medium, part-c, tinyllama-1.1b), or a model
    /// file: TOML, or Hugging Face's config.json
    #[arg(long, value_name = "PRESET|FILE", help_heading = "Model and shape")]
    pub model: Option<String>,
    /// Sequences
    #[arg(long, value_name = "N", value_parser = whole::<u64>, allow_negative_numbers = true, help_heading = "Model and shape")]
    pub batch: Option<u64>,
    /// New tokens per sequence
    #[arg(long, value_name = "N", value_parser = whole::<u64>, allow_negative_numbers = true, help_heading = "Model and shape")]
    pub seq: Option<u64>,
    /// Visible keys, the new tokens included (decode: --seq 1 --context N)
    #[arg(long, value_name = "N", value_parser = whole::<u64>, allow_negative_numbers = true, help_heading = "Model and shape")]
    pub context: Option<u64>,
    /// Element type
    #[arg(long, value_name = "fp32|bf16", help_heading = "Model and shape")]
    pub dtype: Option<String>,
    /// Count all pairs (dense) or the causal triangle (exact)
    #[arg(long, value_name = "dense|exact", value_parser = ["dense", "exact"], hide_possible_values = true, help_heading = "Counting")]
    pub causal: Option<String>,
    /// Write keys and values for a cache: auto is on when context > seq, or for
    /// tinyllama-1.1b
    #[arg(long, value_name = "auto|on|off", value_parser = ["auto", "on", "off"], hide_possible_values = true, help_heading = "Counting")]
    pub keep_kv: Option<String>,
    /// RoPE of q and of k in one kernel or in two
    #[arg(long, value_name = "1|2", value_parser = ["1", "2"], hide_possible_values = true, help_heading = "Counting")]
    pub rope_kernels: Option<String>,
    /// RoPE reads its angles from a table
    #[arg(long, help_heading = "Counting")]
    pub rope_table: bool,
}

/// Which plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(super) struct PlanArgs {
    /// v1, v2, v3, v4, v2eager, v3code, v3doc, five or forward
    #[arg(long, value_name = "VERSION", help_heading = "Plan")]
    pub version: Option<String>,
    /// Fusions to switch on, comma-separated; auto: the plan that takes least
    /// time by the model (`study plan` says why)
    #[arg(long, value_name = "LIST", help_heading = "Plan")]
    pub fuse: Option<String>,
    /// Fusions to switch off
    #[arg(long, value_name = "LIST", help_heading = "Plan")]
    pub unfuse: Option<String>,
    /// Any cut of the block, such as 'norm1|q k v|rope|qk softmax pv|…'
    #[arg(long, value_name = "CUT", conflicts_with_all = ["version", "fuse", "unfuse"], help_heading = "Plan")]
    pub groups: Option<String>,
}

impl PlanArgs {
    /// Whether a plan was named.
    pub(super) fn is_given(&self) -> bool {
        *self != Self::default()
    }

    /// Whether the planner is to choose.
    pub(super) fn is_auto(&self) -> bool {
        self.fuse.as_deref() == Some("auto")
    }

    /// The cut, V1 where the planner is to choose: for who then asks it.
    pub(super) fn cut_or_auto(&self) -> Result<Cut, Failure> {
        match (self.is_auto(), &self.version, &self.unfuse) {
            (false, _, _) => self.cut(),
            (true, None, None) => Ok(Cut::v1()),
            (true, _, _) => Err(Failure::usage(
                "--fuse auto chooses the whole plan; leave --version and --unfuse out",
            )),
        }
    }

    /// The cut; V1 where nothing is said.
    pub(super) fn cut(&self) -> Result<Cut, Failure> {
        if let Some(groups) = &self.groups {
            return Ok(Cut::parse_groups(groups)?);
        }
        let mut cut = match &self.version {
            Some(name) => Version::parse(name)?.cut(),
            None => Cut::v1(),
        };
        if self.is_auto() {
            return Err(Failure::usage(
                "--fuse auto is taken by run and cost; study plan names the plan that it chooses",
            ));
        }
        for fusion in Fusion::parse_list(self.fuse.as_deref().unwrap_or_default())? {
            cut = cut.fuse(fusion);
        }
        for fusion in Fusion::parse_list(self.unfuse.as_deref().unwrap_or_default())? {
            cut = cut.unfuse(fusion);
        }
        Ok(cut)
    }
}

impl SetupArgs {
    /// Whether anything was said about the setup.
    pub(super) fn is_given(&self) -> bool {
        *self != Self::default()
    }

    /// The configuration of a cut at this setup, checked.
    pub(super) fn config(&self, cut: Cut) -> Result<Config, Failure> {
        let (model, default_shape) = self.model()?;
        let seq = self.seq.unwrap_or(default_shape.seq);
        let shape = Shape {
            batch: self.batch.unwrap_or(default_shape.batch),
            seq,
            context: self.context.unwrap_or(seq),
        };
        shape.check(&model)?;
        let dtype = self.dtype.as_deref();
        let dtype = dtype.map_or(Ok(Dtype::Fp32), Dtype::parse)?;
        Ok(Config {
            conventions: Conventions {
                exact_causal: self.causal.as_deref() == Some("exact"),
                keep_kv: match self.keep_kv.as_deref() {
                    Some("on") => KeepKv::On,
                    Some("off") => KeepKv::Off,
                    _ => KeepKv::Auto,
                },
                rope_split: self.rope_kernels.as_deref() == Some("2"),
                rope_table: self.rope_table,
            },
            ..Config::forward(model, shape, dtype, cut)
        })
    }

    /// The model and the shape that it has where nothing else is said.
    pub(super) fn model(&self) -> Result<(Model, Shape), Failure> {
        let name = self.model.as_deref().unwrap_or("workshop");
        let path = Path::new(name);
        let is_file = path
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("toml") || e.eq_ignore_ascii_case("json"));
        if !is_file {
            let found = preset(name)?;
            return Ok((found.model(), found.shape()));
        }
        let model = read_model(path)?;
        Ok((model, Shape::prefill(1, 128)))
    }
}

/// A model from a file: TOML by its ending, else Hugging Face's JSON.
pub(super) fn read_model(path: &Path) -> Result<Model, Failure> {
    let shown = path.display().to_string();
    let unread = |why: &dyn std::fmt::Display| {
        Failure::usage(format!("model file {shown} cannot be read: {why}"))
    };
    let bytes = read_bounded(path, LARGEST_MODEL_FILE).map_err(|e| unread(&plain(&e)))?;
    let text = String::from_utf8(bytes).map_err(|_| unread(&"it is not UTF-8"))?;
    let toml = path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("toml"));
    Ok(if toml {
        parse_toml(&shown, &text)?
    } else {
        parse_hf_config(&shown, &text)?
    })
}

/// A whole number as people type it: `1024`, `1_024`, `1,024`.
pub(super) fn whole<N: TryFrom<u64>>(text: &str) -> Result<N, String> {
    let digits: String = text.chars().filter(|c| !matches!(c, '_' | ',')).collect();
    let number = digits.parse::<u64>().ok().and_then(|n| n.try_into().ok());
    number.ok_or_else(|| {
        let bits = 8 * size_of::<N>();
        format!("“{text}” is not a whole number below 2^{bits}; write it like 1024 or 1_024")
    })
}
