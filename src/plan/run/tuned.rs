//! Settings of a kernel that a run may vary: which there are, and those that a study found.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::{BackendKind, RunError};
use crate::cost::Config;
use crate::model::Dtype;
use crate::near::nearest;

/// One setting and the values that are tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Knob {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub what: &'static str,
    /// Its values, ascending.
    pub values: Vec<u32>,
}

/// A value of each setting, by name; what is not named is as the program chooses it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Settings(pub BTreeMap<String, u32>);

impl Settings {
    /// The value of a setting, where there is one.
    pub fn get(&self, name: &str) -> Option<u32> {
        self.0.get(name).copied()
    }
}

impl fmt::Display for Settings {
    /// `keys 64, rows 48`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each = self.0.iter().map(|(name, value)| format!("{name} {value}"));
        f.write_str(&each.collect::<Vec<_>>().join(", "))
    }
}

/// Settings for one kernel, and where they hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tuned {
    /// The kernel: a name of [`TUNABLE`].
    pub kernel: String,
    /// Its settings.
    pub settings: Settings,
    /// Model, shape and element type that they were found at; on a CPU the plan as well.
    pub config: Config,
    /// The device as a report names it; empty: any.
    pub device: String,
    /// The study that found them; empty while they are tried.
    #[serde(default)]
    pub study: String,
}

impl Tuned {
    /// Whether these settings are for a run of `config` on a device. Where one program
    /// runs every plan, they hold for the plan that they were found with.
    pub fn serves(&self, config: &Config, device: &str, one_program: bool) -> bool {
        let of = &self.config;
        (self.device.is_empty() || self.device == device)
            && of.model == config.model
            && of.shape == config.shape
            && of.dtype == config.dtype
            && (!one_program || of.cut == config.cut)
    }

    /// What is said in the notes of a run; nothing while they are tried.
    pub fn note(&self) -> Option<String> {
        (!self.study.is_empty()).then(|| {
            format!(
                "{} as study {} found it: {}; --untuned leaves it out",
                self.kernel, self.study, self.settings
            )
        })
    }
}

/// A kernel whose settings can vary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tunable {
    /// The name that `study tune` takes.
    pub name: &'static str,
    /// Whether the CPU has settings for it.
    pub on_cpu: bool,
}

/// Every kernel whose settings can vary. The CPU has one program for all plans: `tiles`.
pub const TUNABLE: [Tunable; 5] = [
    tunable("tiles", true),
    tunable("gemm", false),
    tunable("gemm_residual", false),
    tunable("qkv", false),
    tunable("gate_up", false),
];

const fn tunable(name: &'static str, on_cpu: bool) -> Tunable {
    Tunable { name, on_cpu }
}

/// The settings of a kernel on a backend.
///
/// # Errors
/// A kernel that has none there.
pub fn knobs(kernel: &str, backend: BackendKind, config: &Config) -> Result<Vec<Knob>, RunError> {
    let names = |on_cpu: bool| {
        let of = TUNABLE.iter().filter(move |t| t.on_cpu == on_cpu);
        of.map(|t| t.name)
    };
    let Some(found) = TUNABLE.iter().find(|t| t.name == kernel) else {
        let near = nearest(kernel, TUNABLE.iter().map(|t| t.name));
        let near = near.map_or(String::new(), |name| format!(" Did you mean {name}?"));
        return Err(RunError::bad_request(format!(
            "there is no kernel “{kernel}” with settings; there are {} on a GPU, {} on a CPU.{near}",
            names(false).collect::<Vec<_>>().join(", "),
            names(true).collect::<Vec<_>>().join(", "),
        )));
    };
    if found.on_cpu == backend.is_gpu() || backend == BackendKind::Simt {
        return Err(RunError::bad_request(format!(
            "{kernel} has settings on {} only; {} has {}",
            if found.on_cpu { "a CPU" } else { "a GPU" },
            backend.name(),
            match backend {
                BackendKind::Simt => "no clock".to_owned(),
                gpu => names(!gpu.is_gpu()).collect::<Vec<_>>().join(", "),
            }
        )));
    }
    let knob = |name, what, values: &[u32]| Knob {
        name,
        what,
        values: values.to_vec(),
    };
    let rows = config.shape.batch * config.shape.seq;
    Ok(if found.on_cpu {
        let most = u32::try_from(config.shape.seq).unwrap_or(u32::MAX);
        let mut rows: Vec<u32> = [4, 8, 14, 16, 24, 28, 32, 42, 48, 56, 64]
            .into_iter()
            .filter(|rows| *rows <= most)
            .collect();
        if rows.is_empty() {
            rows.push(most);
        }
        vec![
            knob("rows", "rows of a tile", &rows),
            knob(
                "columns",
                "columns of the FFN at a time",
                &[64, 128, 256, 512],
            ),
            knob("keys", "keys of attention at a time", &[32, 64, 128, 256]),
        ]
    } else if config.dtype == Dtype::Bf16 && rows > 32 && backend != BackendKind::Hip {
        vec![
            knob("m", "rows of a tile", &[64, 128]),
            knob(
                "n",
                "columns of a tile",
                &[32, 64, 80, 96, 112, 128, 176, 192, 256],
            ),
            knob("turns", "warpgroups take turns", &[0, 1]),
            knob("stages", "steps in flight", &[2, 3, 4, 6, 8]),
        ]
    } else {
        let mut all = vec![
            knob("m", "rows of a tile", &[16, 32, 64, 128]),
            knob("n", "columns of a tile", &[16, 32, 64, 128]),
            knob("stages", "steps in flight", &[2, 3, 4, 6]),
            knob(
                "blocks",
                "blocks per multiprocessor that registers are limited for",
                &[1, 2, 3, 4],
            ),
        ];
        // AMD's GPUs have no copies that go on beside a kernel's work: two steps always.
        all.retain(|knob| backend != BackendKind::Hip || knob.name != "stages");
        all
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fusion::Version;

    fn config() -> Config {
        Config::preset("workshop", Version::V2.cut()).unwrap()
    }

    #[test]
    fn each_kernel_has_its_settings_where_it_runs_and_says_where() {
        let of = |kernel, backend| knobs(kernel, backend, &config());
        let names: Vec<&str> = of("tiles", BackendKind::Cpu)
            .unwrap()
            .iter()
            .map(|k| k.name)
            .collect();
        assert_eq!(names, ["rows", "columns", "keys"]);
        // In bf16 as in fp32, a long sequence or a short one.
        for dtype in [Dtype::Fp32, Dtype::Bf16] {
            let config = Config { dtype, ..config() };
            let knobs = knobs("gemm", BackendKind::Hip, &config).unwrap();
            let names: Vec<&str> = knobs.iter().map(|k| k.name).collect();
            assert_eq!(names, ["m", "n", "blocks"]);
        }
        assert!(of("gemm", BackendKind::Cuda).unwrap().len() == 4);
        for (kernel, backend, says) in [
            ("gem", BackendKind::Cuda, "Did you mean gemm?"),
            ("gemm", BackendKind::Cpu, "tiles"),
            ("tiles", BackendKind::Cuda, "a CPU only"),
            ("gemm", BackendKind::Simt, "no clock"),
        ] {
            let said = of(kernel, backend).unwrap_err().to_string();
            assert!(said.contains(says), "{said}");
        }
        // No tile has more rows than the prompt.
        let mut short = config();
        (short.shape.seq, short.shape.context) = (3, 3);
        assert_eq!(
            knobs("tiles", BackendKind::Cpu, &short).unwrap()[0].values,
            [3]
        );
    }

    #[test]
    fn settings_hold_where_they_were_found() {
        let found = Tuned {
            kernel: "gemm".into(),
            settings: Settings(BTreeMap::from([("m".into(), 64), ("n".into(), 128)])),
            config: config(),
            device: "a GPU".into(),
            study: "tune-3".into(),
        };
        assert!(found.serves(&config(), "a GPU", true));
        assert!(!found.serves(&config(), "another", false));
        let v4 = config().with_cut(Version::V4.cut());
        assert!(found.serves(&v4, "a GPU", false) && !found.serves(&v4, "a GPU", true));
        let mut longer = config();
        longer.shape.batch = 2;
        assert!(!found.serves(&longer, "a GPU", false));
        assert_eq!(
            found.note().unwrap(),
            "gemm as study tune-3 found it: m 64, n 128; --untuned leaves it out"
        );
    }
}
