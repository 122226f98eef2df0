//! The configuration in which an expression is evaluated, and the settings that
//! change it: `batch=8`, `dtype=bf16`, `causal=exact`, `no_gqa=on`.

use super::expr::suggest;
use plan::cost::{Config, Conventions, CostError, GpuDatabase, KeepKv};
use plan::fusion::{Cut, Version};
use plan::model::{Dtype, Preset, Shape, preset};
use std::sync::OnceLock;

/// The data sheets that are part of the program; none where they cannot be read,
/// which their own tests rule out.
pub fn data_sheets() -> Option<&'static GpuDatabase> {
    static SHEETS: OnceLock<Option<GpuDatabase>> = OnceLock::new();
    SHEETS.get_or_init(|| GpuDatabase::embedded().ok()).as_ref()
}

/// The device of the course where nothing says otherwise: the one that its recorded
/// figures were measured on.
pub const USUAL_GPU: &str = "h200";

/// The id of a GPU as the data sheets have it.
///
/// # Errors
/// A sentence with the nearest name.
pub fn gpu_id(named: &str) -> Result<&'static str, String> {
    let sheets = data_sheets().ok_or("the GPU database cannot be read")?;
    let found = sheets.get(named).map_err(|e| e.to_string())?;
    Ok(&found.id)
}

/// Conventions under which people count who are wrong here, each by name.
/// They exist for slips: an answer is never computed under one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slips {
    /// A multiply-accumulate counts as one FLOP.
    pub macs: bool,
    /// Weights move no bytes.
    pub no_weights: bool,
    /// Heads do not split D: attention products times H.
    pub no_heads: bool,
    /// A forward without its LM head.
    pub no_head: bool,
    /// The head has weights of its own.
    pub untied: bool,
    /// Bytes are divided by 2²⁰ and called MB.
    pub mib: bool,
}

/// What is priced, under which conventions.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// Model, shape, dtype, plan, counting options.
    pub config: Config,
    /// Wrong conventions that are switched on.
    pub slips: Slips,
    /// The GPU that `gpu` names, by its id in the data sheets: the device of the course.
    pub gpu: &'static str,
}

impl Setup {
    /// The workshop preset at its default shape, fp32, V1.
    ///
    /// # Errors
    /// Only where the preset is missing from the model's table.
    pub fn workshop() -> Result<Self, CostError> {
        Ok(Self::of(Config::preset("workshop", Version::V1.cut())?))
    }

    /// A configuration under the course's own conventions.
    pub fn of(config: Config) -> Self {
        Self {
            config,
            slips: Slips::default(),
            gpu: USUAL_GPU,
        }
    }

    /// This setup with settings applied. Their order does not matter: a preset
    /// comes first, `seq` sets the context too unless that is given as well,
    /// and `no_gqa` looks at the heads that result.
    #[must_use]
    pub fn with(&self, settings: &[Setting]) -> Self {
        let mut changed = self.clone();
        let mut ordered: Vec<&Setting> = settings.iter().collect();
        ordered.sort_by_key(|s| s.rank());
        for setting in ordered {
            changed.apply(setting);
        }
        changed
    }

    fn apply(&mut self, setting: &Setting) {
        let (config, slips) = (&mut self.config, &mut self.slips);
        match *setting {
            Setting::Preset(p) => {
                config.model = p.model();
                config.shape = p.shape();
            }
            Setting::Hidden(n) => config.model.hidden = n,
            Setting::Layers(n) => config.model.layers = n,
            Setting::Heads(n) => config.model.heads = n,
            Setting::KvHeads(n) => config.model.kv_heads = n,
            Setting::Ffn(n) => config.model.ffn = n,
            Setting::Vocab(n) => config.model.vocab = n,
            Setting::Batch(n) => config.shape.batch = n,
            Setting::Seq(n) => {
                config.shape.seq = n;
                config.shape.context = n;
            }
            Setting::Tokens(n) => config.shape = Shape::prefill(1, n),
            Setting::Context(n) => config.shape.context = n,
            Setting::Dtype(d) => config.dtype = d,
            Setting::Plan(cut) => config.cut = cut,
            Setting::Causal(exact) => config.conventions.exact_causal = exact,
            Setting::KeepKv(keep) => config.conventions.keep_kv = keep,
            Setting::RopeSplit(on) => config.conventions.rope_split = on,
            Setting::RopeTable(on) => config.conventions.rope_table = on,
            Setting::NoGqa(on) => {
                if on {
                    config.model.kv_heads = config.model.heads;
                }
            }
            Setting::Macs(on) => slips.macs = on,
            Setting::NoWeights(on) => slips.no_weights = on,
            Setting::NoHeads(on) => slips.no_heads = on,
            Setting::NoHead(on) => slips.no_head = on,
            Setting::Untied(on) => {
                slips.untied = on;
                config.model.tied = config.model.tied && !on;
            }
            Setting::Mib(on) => slips.mib = on,
            Setting::Gpu(id) => self.gpu = id,
        }
    }

    /// The GPU of an id, where `gpu` is the device of the course.
    pub fn named<'s>(&'s self, id: &'s str) -> &'s str {
        match id {
            "gpu" => self.gpu,
            id => id,
        }
    }

    /// Counting options as they are now.
    pub fn conventions(&self) -> Conventions {
        self.config.conventions
    }
}

/// One setting, already understood.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(
    missing_docs,
    reason = "the names are those of SETTINGS, explained there"
)]
pub enum Setting {
    Preset(&'static Preset),
    Hidden(u64),
    Layers(u64),
    Heads(u64),
    KvHeads(u64),
    Ffn(u64),
    Vocab(u64),
    Batch(u64),
    Seq(u64),
    Tokens(u64),
    Context(u64),
    Dtype(Dtype),
    Plan(Cut),
    Causal(bool),
    KeepKv(KeepKv),
    RopeSplit(bool),
    RopeTable(bool),
    NoGqa(bool),
    Macs(bool),
    NoWeights(bool),
    NoHeads(bool),
    NoHead(bool),
    Untied(bool),
    Mib(bool),
    Gpu(&'static str),
}

/// Every setting by its name, with what its value looks like.
///
/// `tokens` is one sequence of that many: B = 1, S = T = tokens.
pub const SETTINGS: [(&str, &str); 25] = [
    ("preset", "workshop"),
    ("hidden", "256"),
    ("layers", "4"),
    ("heads", "8"),
    ("kv_heads", "4"),
    ("ffn", "512"),
    ("vocab", "1000"),
    ("batch", "8"),
    ("seq", "512"),
    ("tokens", "1024"),
    ("context", "512"),
    ("dtype", "fp32 or bf16"),
    ("version", "v2 or v1+qkv"),
    ("causal", "dense or exact"),
    ("keep_kv", "auto, on or off"),
    ("rope_kernels", "1 or 2"),
    ("rope_table", "on or off"),
    ("no_gqa", "on or off"),
    ("macs", "on or off"),
    ("no_weights", "on or off"),
    ("no_heads", "on or off"),
    ("no_head", "on or off"),
    ("untied", "on or off"),
    ("mib", "on or off"),
    ("gpu", "h200"),
];

/// Why a setting is refused: the name or the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingError {
    /// Whether the value is at fault, not the name.
    pub of_value: bool,
    /// One sentence.
    pub message: String,
}

impl std::fmt::Display for SettingError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SettingError {}

impl Setting {
    /// A setting from its name and value, as a course file's `config` and
    /// `convention` tables and named arguments write it. `plan` is another name
    /// of `version`; `true` and `false` may stand for `on` and `off`.
    ///
    /// # Errors
    /// [`SettingError`] with the nearest name, or what the value should look like.
    pub fn parse(name: &str, value: &str) -> Result<Self, SettingError> {
        let name = if name == "plan" { "version" } else { name };
        let Some((_, looks)) = SETTINGS.iter().find(|(n, _)| *n == name) else {
            let hint = suggest(name, SETTINGS.iter().map(|(n, _)| *n));
            return Err(SettingError {
                of_value: false,
                message: format!("“{name}” is not a setting{hint}"),
            });
        };
        let value = value.trim();
        let bad = |why: Option<String>| SettingError {
            of_value: true,
            message: why
                .unwrap_or_else(|| format!("“{value}” is not a value of {name}; write {looks}")),
        };
        let number = || value.replace('_', "").parse::<u64>().map_err(|_| bad(None));
        let switch = || match value {
            "on" | "true" => Ok(true),
            "off" | "false" => Ok(false),
            _ => Err(bad(None)),
        };
        let either = |off: &str, on: &str| match value {
            v if v == on => Ok(true),
            v if v == off => Ok(false),
            _ => Err(bad(None)),
        };
        Ok(match name {
            "preset" => Self::Preset(preset(value).map_err(|e| bad(Some(e.to_string())))?),
            "hidden" => Self::Hidden(number()?),
            "layers" => Self::Layers(number()?),
            "heads" => Self::Heads(number()?),
            "kv_heads" => Self::KvHeads(number()?),
            "ffn" => Self::Ffn(number()?),
            "vocab" => Self::Vocab(number()?),
            "batch" => Self::Batch(number()?),
            "seq" => Self::Seq(number()?),
            "tokens" => Self::Tokens(number()?),
            "context" => Self::Context(number()?),
            "dtype" => Self::Dtype(Dtype::parse(value).map_err(|e| bad(Some(e.to_string())))?),
            "version" => Self::Plan(Cut::parse(value).map_err(|e| bad(Some(e.to_string())))?),
            "causal" => Self::Causal(either("dense", "exact")?),
            "keep_kv" => Self::KeepKv(match value {
                "auto" => KeepKv::Auto,
                _ if switch()? => KeepKv::On,
                _ => KeepKv::Off,
            }),
            "rope_kernels" => Self::RopeSplit(either("1", "2")?),
            "rope_table" => Self::RopeTable(switch()?),
            "no_gqa" => Self::NoGqa(switch()?),
            "macs" => Self::Macs(switch()?),
            "no_weights" => Self::NoWeights(switch()?),
            "no_heads" => Self::NoHeads(switch()?),
            "no_head" => Self::NoHead(switch()?),
            "untied" => Self::Untied(switch()?),
            "gpu" => Self::Gpu(gpu_id(value).map_err(|e| bad(Some(e)))?),
            _ => Self::Mib(switch()?),
        })
    }

    /// Presets before sizes before `seq` before `context` before conventions.
    fn rank(&self) -> u8 {
        match self {
            Self::Preset(_) => 0,
            Self::Seq(_) | Self::Tokens(_) => 1,
            Self::NoGqa(_) => 3,
            _ => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(name: &str, value: &str) -> Setting {
        Setting::parse(name, value).unwrap()
    }

    #[test]
    fn order_does_not_matter() {
        let start = Setup::workshop().unwrap();
        let settings = [
            setting("no_gqa", "on"),
            setting("context", "512"),
            setting("seq", "1"),
            setting("preset", "tinyllama-1.1b"),
        ];
        let changed = start.with(&settings).config;
        assert_eq!((changed.shape.seq, changed.shape.context), (1, 512));
        assert_eq!(changed.model.kv_heads, 32);
        assert_eq!(start.with(&[setting("seq", "64")]).config.shape.context, 64);
    }

    #[test]
    fn typos_name_the_nearest() {
        let e = Setting::parse("bacth", "8").unwrap_err();
        assert_eq!(e.message, "“bacth” is not a setting; did you mean batch?");
        let e = Setting::parse("batch", "many").unwrap_err();
        assert!(e.of_value && e.message == "“many” is not a value of batch; write 8");
    }
}
