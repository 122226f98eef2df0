//! What this machine has, as it was found outside, and the roofs that floors
//! are priced under.

mod terms;

use course::Figures;
use plan::cost::{Bound, Gpu, KernelCost, Priced, Roof};
use plan::fusion::Fusion;
use plan::model::Dtype;
use plan::run::BackendKind;
use serde::{Deserialize, Serialize};

/// How a backend stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Condition {
    /// Still being looked for.
    #[default]
    Searching,
    /// It can run.
    Ready,
    /// It cannot, and why.
    None,
}

impl Condition {
    /// The word that the screen shows.
    pub const fn word(&self) -> &'static str {
        match self {
            Condition::Searching => "…",
            Condition::Ready => "ready",
            Condition::None => "none",
        }
    }
}

/// A backend as it was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BackendFacts {
    /// The name that `--backend` takes.
    pub name: String,
    /// The device in a word, for the header: `H200`; may be empty.
    pub device: String,
    /// The device in a line: `NVIDIA H200, driver 580, NVRTC 13.0`.
    pub line: String,
    /// Whether it can run.
    pub condition: Condition,
    /// What its numbers are: `times of the CPU`.
    pub gives: String,
    /// Fusions that it has no kernel for. They are priced, not run.
    pub lacks: Vec<Fusion>,
    /// What was found where, and what to install, in sentences.
    pub notes: Vec<String>,
    /// Ceilings of its device: measured ones before those of a data sheet.
    pub ceilings: Option<Ceilings>,
}

/// Where a figure about the machine comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Measured here.
    Measured,
    /// A vendor's data sheet, from the GPU database.
    DataSheet,
    /// Measured once on another machine, which is named.
    Recorded,
}

/// What one launch costs, and where the figure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaunchCost {
    /// Seconds from one launch to the next, back to back.
    pub seconds: f64,
    /// Where it comes from.
    pub source: Source,
}

/// The ceilings that floors are computed under.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ceilings {
    /// Whose they are: `H200`.
    pub of: String,
    /// Measured here, or from a data sheet.
    pub source: Source,
    /// Bytes per second, read and written.
    pub bandwidth: f64,
    /// FLOP/s of the fp32 vector unit.
    pub fp32: f64,
    /// FLOP/s of the 16-bit matrix unit, where there is one.
    pub matrix16: Option<f64>,
    /// What a launch costs, where that is known.
    pub launch: Option<LaunchCost>,
    /// How far the measurements lie apart that agree on them, as a share.
    pub spread: Option<f64>,
}

/// The figure of `assets/recorded.toml` that holds the launch cost of an H200.
const H200_LAUNCH: &str = "h200_launch";

impl Ceilings {
    /// The ceilings of a GPU's data sheet. For the H200, and only for it, a
    /// launch cost was recorded.
    pub fn of_gpu(gpu: &Gpu) -> Self {
        Ceilings {
            of: gpu.short.clone(),
            source: Source::DataSheet,
            bandwidth: gpu.bandwidth(),
            spread: None,
            fp32: gpu.fp32_tflops * 1e12,
            matrix16: gpu.bf16_tflops.map(|t| t * 1e12),
            launch: Figures::built_in()
                .get(H200_LAUNCH)
                .filter(|_| gpu.id == "h200")
                .map(|figure| LaunchCost {
                    seconds: figure.value.value(),
                    source: Source::Recorded,
                }),
        }
    }

    /// The ceilings of a CPU that were measured here. It computes 16-bit data
    /// in fp32, so both have one peak; what a launch costs is not known.
    pub fn measured(of: &str, bandwidth: f64, flops: f64) -> Self {
        Ceilings {
            of: of.to_owned(),
            source: Source::Measured,
            bandwidth,
            fp32: flops,
            matrix16: Some(flops),
            launch: None,
            spread: None,
        }
    }

    /// Both ceilings in words: `copy 4286 GB/s, fp32 51 TFLOP/s`.
    pub fn spoken(&self) -> String {
        let (value, unit) = flop_rate(self.fp32);
        // A data sheet states tenths; a measurement is not that exact.
        let value = match self.source {
            Source::DataSheet => format!("{value:.1}"),
            _ => format!("{value:.0}"),
        };
        let spread = self.spread.map_or(String::new(), |spread| {
            format!(", ±{:.0} %", (50.0 * spread).ceil())
        });
        format!(
            "copy {:.0} GB/s, fp32 {value} {unit}{spread}",
            self.bandwidth / 1e9
        )
    }

    /// The roof over a kernel with or without a matrix product: fp32 data on
    /// the fp32 vector peak; 16-bit data on the matrix peak where the kernel
    /// holds a product. `None` where there is no such unit.
    pub fn roof(&self, dtype: Dtype, product: bool) -> Option<Roof> {
        let flops_per_second = match (dtype, product) {
            (Dtype::Fp32, _) | (Dtype::Bf16, false) => self.fp32,
            (Dtype::Bf16, true) => self.matrix16?,
        };
        Some(Roof {
            flops_per_second,
            bytes_per_second: self.bandwidth,
        })
    }

    /// Seconds that kernels take at least, one after another.
    pub fn floor(&self, priced: &Priced, dtype: Dtype) -> Option<f64> {
        priced.kernels.iter().try_fold(0.0, |sum, k| {
            let roof = self.roof(dtype, k.has_product())?;
            Some(sum + roof.floor_seconds(k.flops, k.bytes()))
        })
    }

    /// Which side of the roof a kernel meets first.
    pub fn bound(&self, kernel: &KernelCost, dtype: Dtype) -> Option<Bound> {
        let roof = self.roof(dtype, kernel.has_product())?;
        Some(roof.bound(kernel.flops, kernel.bytes()))
    }
}

/// FLOP/s in the unit that a person would pick: a GPU's in TFLOP/s, a CPU's
/// in GFLOP/s.
pub fn flop_rate(flops: f64) -> (f64, &'static str) {
    if flops < 1e12 {
        (flops / 1e9, "GFLOP/s")
    } else {
        (flops / 1e12, "TFLOP/s")
    }
}

/// A figure that a run of the workshop may supply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Supply {
    /// Times of forwards.
    Times,
    /// Bytes that loads and stores ask for.
    Issued,
    /// Distinct sectors, and what of them reaches DRAM.
    Sectors,
    /// A device's own counters: only a run in a shell reads them.
    Counters,
}

/// What this machine has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Machine {
    /// Backends, the preferred first.
    pub backends: Vec<BackendFacts>,
    /// Index of the one that runs use.
    pub chosen: usize,
    /// Whether the learner chose it.
    pub picked: bool,
    /// Ceilings for floors: those of the chosen backend's device, else the
    /// sheet's.
    pub ceilings: Option<Ceilings>,
    /// A data sheet for backends whose device has no ceilings that are known.
    pub sheet: Option<Ceilings>,
    /// It was looked for, and not only guessed at.
    pub looked: bool,
    /// Further facts for the doctor: a word and a line each.
    pub facts: Vec<(String, String)>,
}

impl Machine {
    /// The backend that runs use.
    pub fn backend(&self) -> Option<&BackendFacts> {
        self.backends.get(self.chosen)
    }

    /// Which backend a run asks for.
    pub fn kind(&self) -> BackendKind {
        self.backend()
            .and_then(|b| BackendKind::parse(&b.name).ok())
            .unwrap_or_default()
    }

    /// Whether a run of the chosen backend supplies a figure; nothing is ruled out before
    /// there is one.
    pub fn supplies(&self, figure: Supply) -> bool {
        let kind = self.kind();
        match figure {
            Supply::Counters => false,
            _ if kind == BackendKind::Auto => true,
            Supply::Times => kind != BackendKind::Simt,
            Supply::Issued => kind.runs_kernels(),
            Supply::Sectors => kind == BackendKind::Simt,
        }
    }

    /// Chooses the first backend of a list that can run, until the learner
    /// picks another.
    pub fn prefer(&mut self, names: &[&str]) {
        let ready = |name: &&str| {
            self.backends
                .iter()
                .position(|b| b.name == *name && b.condition == Condition::Ready)
        };
        if let Some(at) = names.iter().find_map(ready) {
            self.chosen = at;
        }
        self.take_ceilings();
    }

    /// Ceilings of a backend's device were measured.
    pub fn measured(&mut self, name: &str, ceilings: Ceilings) {
        if let Some(b) = self.backends.iter_mut().find(|b| b.name == name) {
            b.ceilings = Some(ceilings);
        }
        self.take_ceilings();
    }

    /// What was found when the machine was looked at again. The learner's
    /// choice and what was measured are kept.
    pub fn found(&mut self, now: Self) {
        let before = std::mem::replace(self, now);
        self.looked = true;
        for b in &mut self.backends {
            let old = before.backends.iter().find(|old| old.name == b.name);
            let measured = |c: &&Ceilings| c.source == Source::Measured;
            if let Some(c) = old.and_then(|b| b.ceilings.as_ref()).filter(measured) {
                b.ceilings = Some(c.clone());
            }
        }
        if let Some(old) = before.backend().filter(|_| before.picked) {
            // Where it is gone, the preferred one is chosen.
            let _ = self.choose(&old.name);
        }
        self.take_ceilings();
    }

    /// Whether the ceilings are those of the device that runs: measured there,
    /// or its own data sheet.
    pub fn roof_is_own(&self) -> bool {
        let measured = |c: &Ceilings| c.source == Source::Measured;
        self.ceilings.as_ref().is_some_and(measured)
            || self.backend().is_some_and(|b| b.ceilings.is_some())
    }

    /// Another data sheet stands in where the device's own ceilings are not known.
    pub fn take_sheet(&mut self, sheet: Ceilings) {
        self.sheet = Some(sheet);
        self.take_ceilings();
    }

    fn take_ceilings(&mut self) {
        let own = self.backend().and_then(|b| b.ceilings.clone());
        self.ceilings = own.or_else(|| self.sheet.clone());
    }

    /// Chooses a backend by name.
    ///
    /// # Errors
    /// A sentence that says why it cannot be chosen.
    pub fn choose(&mut self, name: &str) -> Result<(), String> {
        let names = || {
            let all: Vec<&str> = self.backends.iter().map(|b| b.name.as_str()).collect();
            all.join(", ")
        };
        let Some(at) = self.backends.iter().position(|b| b.name == name) else {
            return Err(format!(
                "There is no backend “{name}”. There are: {}.",
                names()
            ));
        };
        match self.backends.get(at) {
            Some(b) if b.condition == Condition::None => Err(format!(
                "{name} cannot be used here: {}. Doctor says more.",
                b.line
            )),
            _ => {
                self.chosen = at;
                self.picked = true;
                self.take_ceilings();
                Ok(())
            }
        }
    }

    /// Backend, device and state, as the header shows them: `cuda H200 ready`.
    pub fn header(&self, long: bool) -> String {
        let Some(b) = self.backend() else {
            return "no backend".to_owned();
        };
        // What the SIMT machine does is no device's name.
        let named = b.name != BackendKind::Simt.name();
        let device = match (long && named, b.line.split(',').next()) {
            (true, Some(name)) => name,
            _ => b.device.as_str(),
        };
        let mut text = b.name.clone();
        for part in [device, b.condition.word()] {
            if !part.is_empty() {
                text.push(' ');
                text.push_str(part);
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::cost::{Config, GpuDatabase, price};
    use plan::fusion::Version;

    #[test]
    fn floors_of_the_measured_h200() {
        // Copy 4286 GB/s and fp32 51 TFLOP/s give 18.39, 16.95,
        // 15.97 and 14.69 µs per forward for V1 to V4 of workshop B1.
        let ceilings = Ceilings {
            spread: None,
            of: "H200".into(),
            source: Source::Measured,
            bandwidth: 4286e9,
            fp32: 51e12,
            matrix16: Some(735e12),
            launch: None,
        };
        for (version, micros) in [
            (Version::V1, 18.39),
            (Version::V2, 16.95),
            (Version::V3, 15.97),
            (Version::V4, 14.69),
        ] {
            let cost = price(&Config::preset("workshop", version.cut()).unwrap()).unwrap();
            let floor = ceilings.floor(&cost.forward, Dtype::Fp32).unwrap() * 1e6;
            assert!((floor - micros).abs() < 0.005, "{version:?} {floor}");
        }
    }

    fn machine(cuda: Condition) -> Machine {
        let gpus = GpuDatabase::embedded().unwrap();
        let backend = |name: &str, condition, ceilings| BackendFacts {
            name: name.into(),
            condition,
            ceilings,
            ..BackendFacts::default()
        };
        let a100 = Ceilings::of_gpu(gpus.get("a100_80gb").unwrap());
        let mut machine = Machine {
            backends: vec![
                backend("cuda", cuda, Some(a100)),
                backend("cpu", Condition::Ready, None),
            ],
            sheet: Some(Ceilings::of_gpu(gpus.get("h200").unwrap())),
            ..Machine::default()
        };
        machine.prefer(&["cuda", "cpu"]);
        machine
    }

    fn roof(machine: &Machine) -> (&str, Source) {
        let c = machine.ceilings.as_ref().unwrap();
        (&c.of, c.source)
    }

    #[test]
    fn the_best_backend_is_chosen_until_the_learner_picks() {
        let mut m = machine(Condition::Searching);
        assert_eq!(m.kind(), BackendKind::Cpu);
        assert_eq!(roof(&m), ("H200", Source::DataSheet));
        m.measured("cpu", Ceilings::measured("this CPU", 1e11, 1e12));
        assert_eq!(roof(&m), ("this CPU", Source::Measured));
        m.found(machine(Condition::Ready));
        assert_eq!(m.kind(), BackendKind::Cuda, "it is usable now");
        assert_eq!(roof(&m), ("A100 80 GB", Source::DataSheet));
        m.choose("cpu").unwrap();
        assert_eq!(roof(&m), ("this CPU", Source::Measured));
        m.found(machine(Condition::Ready));
        assert_eq!(m.kind(), BackendKind::Cpu, "the learner picked it");
        assert_eq!(roof(&m), ("this CPU", Source::Measured));
        m.choose("cuda").unwrap();
        m.found(machine(Condition::None));
        assert_eq!(m.kind(), BackendKind::Cpu, "cuda is gone");
    }

    #[test]
    fn a_data_sheet_says_that_it_is_one() {
        let gpus = GpuDatabase::embedded().unwrap();
        let c = Ceilings::of_gpu(gpus.get("h200").unwrap());
        assert_eq!(c.source, Source::DataSheet);
        assert_eq!(c.launch.map(|l| l.source), Some(Source::Recorded));
        let c = Ceilings::of_gpu(gpus.get("mi300x").unwrap());
        assert_eq!(c.launch, None);
    }
}
