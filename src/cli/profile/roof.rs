//! Under whose roof a file is read, and why.

use super::super::args::{OutputArgs, places};
use super::super::failure::Failure;
use course::answer::USUAL_GPU;
use plan::cost::{Gpu, GpuDatabase, Vendor};
use study::profile::{Generation, Profile, Tool, say::Said};

/// A GPU whose floors and limits stand beside a file, and what it was taken for.
pub(super) struct Roof<'d> {
    pub(super) gpu: &'d Gpu,
    because: Because,
    /// What ran is known to be another device.
    pub(super) astray: bool,
    why: String,
}

/// What decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Because {
    /// `--gpu`.
    Named,
    /// The file names it.
    File,
    /// Only its generation has the counters of the file.
    Counters,
    /// It is the device of the course.
    Course,
    /// The tool never looks at the device of the course.
    Maker,
}

impl Because {
    const fn word(self) -> &'static str {
        match self {
            Self::Named => "named",
            Self::File => "file",
            Self::Counters => "counters",
            Self::Course => "course",
            Self::Maker => "maker",
        }
    }
}

/// The GPU whose roof is meant: the one that is named, else that of the course, where the
/// tool looks at its maker's GPUs.
pub(super) fn gpu<'d>(
    database: &'d GpuDatabase,
    output: &OutputArgs,
    tool: Tool,
) -> Result<&'d Gpu, Failure> {
    let course = database.get(places(output).device())?;
    let fits = tool.vendor().is_none_or(|vendor| vendor == course.vendor);
    Ok(match tool.vendor() {
        Some(Vendor::Amd) if !fits && output.gpu.is_none() => database.get("mi250x_gcd")?,
        Some(_) if !fits && output.gpu.is_none() => database.get(USUAL_GPU)?,
        _ => course,
    })
}

/// GPUs that stand for their generation, where a file names none.
const USUAL: [&str; 2] = ["mi250x_gcd", "mi300a"];

/// The GPU that stands for a generation; none where its counters do not speak against `usual`.
fn of_generation<'d>(
    database: &'d GpuDatabase,
    generation: Generation,
    usual: &Gpu,
) -> Option<&'d Gpu> {
    let mut all = USUAL.iter().filter_map(|id| database.get(id).ok());
    let found = all.find(|gpu| generation.holds(&gpu.arch));
    found.filter(|_| !generation.holds(&usual.arch))
}

/// How a maker is called.
const fn maker(vendor: Vendor) -> &'static str {
    match vendor {
        Vendor::Nvidia => "NVIDIA",
        Vendor::Amd => "AMD",
    }
}

impl<'d> Roof<'d> {
    /// That of a file of `tool` which calls its device so, and has counters of a generation.
    pub(super) fn of(
        database: &'d GpuDatabase,
        output: &OutputArgs,
        tool: Tool,
        device: Option<&str>,
        generation: Option<Generation>,
    ) -> Result<Self, Failure> {
        let own = device.and_then(|name| database.named_in(name));
        let usual = gpu(database, output, tool)?;
        let course = database.get(places(output).device())?;
        let counted = generation.and_then(|of| of_generation(database, of, usual));
        let (gpu, because) = match own {
            _ if output.gpu.is_some() => (usual, Because::Named),
            Some(own) => (own, Because::File),
            None if device.is_none() && counted.is_some() => {
                (counted.unwrap_or(usual), Because::Counters)
            }
            None if usual.id == course.id => (usual, Because::Course),
            None => (usual, Because::Maker),
        };
        let only = tool.vendor().map(maker);
        let sees = match only {
            Some(only) => format!("{} looks at GPUs of {only} only", tool.name()),
            None => String::new(),
        };
        let other = own.is_some_and(|own| own.id != gpu.id);
        let astray = other || tool.vendor().is_some_and(|vendor| vendor != gpu.vendor);
        let beside = "so what ran there stands beside floors of another device";
        let why = match (because, device) {
            (Because::Named, Some(name)) if other => {
                format!("named by --gpu; the file is of “{name}”, {beside}")
            }
            (Because::Named, None) if astray => format!("named by --gpu; {sees}, {beside}"),
            (Because::Named, Some(name)) if own.is_none() => {
                format!("named by --gpu; the file calls its device “{name}”")
            }
            (Because::Named, Some(_)) => "named by --gpu and by the file".to_owned(),
            (Because::Named, None) => "named by --gpu".to_owned(),
            (Because::File, _) => "which the file names".to_owned(),
            (_, Some(name)) => format!(
                "as the file is of “{name}”, which the database does not have; --gpu names another (gpus lists them)"
            ),
            (Because::Counters, None) => format!(
                "as the file names no GPU and counts {}, which only {} have; --gpu names the one that ran",
                generation.map_or("", |of| of.counter),
                generation.map_or(String::new(), Generation::architectures)
            ),
            (Because::Course, None) => {
                "the device of the course: the file names none, --gpu names another".to_owned()
            }
            (Because::Maker, None) => format!(
                "as the file names no GPU and {sees}, not at the {} of the course; --gpu names the one that ran",
                course.short
            ),
        };
        Ok(Self {
            gpu,
            because,
            astray,
            why,
        })
    }

    /// That of a profile.
    pub(super) fn of_profile(
        database: &'d GpuDatabase,
        output: &OutputArgs,
        profile: &Profile,
    ) -> Result<Self, Failure> {
        let device = profile.device.as_deref();
        Self::of(database, output, profile.tool, device, profile.generation())
    }

    /// Whose `what` (floors, say) is taken and why, in a sentence.
    pub(super) fn said(&self, what: &str) -> Said {
        Said {
            about: "roof",
            text: format!("{what} of the {}, {}", self.gpu.short, self.why),
        }
    }

    pub(super) fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "gpu": self.gpu.id, "because": self.because.word(), "another_device": self.astray,
        })
    }
}
