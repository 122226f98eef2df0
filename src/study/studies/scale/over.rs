//! The size that varies in `study scale`, and the values that it takes.

use crate::findings::Cell;
use plan::cost::{Config, Cost};
use plan::model::{PRESETS, Preset, preset};

/// The size that varies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// New tokens per sequence, the context with them.
    Seq,
    /// Sequences.
    Batch,
    /// Visible keys of one new token.
    Context,
    /// Blocks.
    Layers,
    /// Columns of a token; heads stay, and FFN and cache widen with it.
    Width,
    /// The named models, in their order; the shape stays.
    Preset,
}

impl Over {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Seq,
        Self::Batch,
        Self::Context,
        Self::Layers,
        Self::Width,
        Self::Preset,
    ];

    /// The name that `--over` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Seq => "seq",
            Self::Batch => "batch",
            Self::Context => "context",
            Self::Layers => "layers",
            Self::Width => "width",
            Self::Preset => "preset",
        }
    }

    /// Its letter in formulas; of the preset that of its parameters.
    pub(super) const fn letter(self) -> &'static str {
        match self {
            Self::Seq => "S",
            Self::Batch => "B",
            Self::Context => "T",
            Self::Layers => "L",
            Self::Width => "D",
            Self::Preset => "P",
        }
    }

    /// The size of this name.
    ///
    /// # Errors
    /// Says which there are.
    pub fn parse(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|over| over.name() == name);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("--over takes {names}, not “{name}”")
        })
    }

    /// Values that show a curve, from small to large.
    pub const fn usual(self) -> &'static [u64] {
        match self {
            Self::Seq => &[16, 32, 64, 128, 256],
            Self::Batch => &[1, 2, 4, 8, 16],
            Self::Context => &[64, 128, 256, 512, 1024],
            Self::Layers => &[1, 2, 4, 8],
            Self::Width => &[64, 128, 256, 512],
            Self::Preset => &[0, 1, 2],
        }
    }

    /// A value as it is typed: a whole number, or the name of a preset, which becomes its
    /// place among them.
    ///
    /// # Errors
    /// Another word.
    pub fn value(self, text: &str) -> Result<u64, String> {
        if self == Self::Preset {
            preset(text).map_err(|e| e.to_string())?;
            let place = PRESETS.iter().position(|p| p.name == text);
            return place.map(|at| at as u64).ok_or_else(|| text.to_owned());
        }
        let digits: String = text.chars().filter(|c| *c != '_').collect();
        digits.parse().map_err(|_| {
            format!(
                "--at takes whole numbers such as 16,32,64 for {}, not “{text}”",
                self.name()
            )
        })
    }

    /// A value as it is shown.
    pub(super) fn shown(self, value: u64) -> Cell {
        match self {
            Self::Preset => named(value).map_or(Cell::NONE, |p| p.name.into()),
            _ => value.into(),
        }
    }

    /// A value in words: `seq 64`, `workshop`.
    pub(super) fn titled(self, value: u64) -> String {
        match (self, named(value)) {
            (Self::Preset, Some(preset)) => preset.name.to_owned(),
            _ => format!("{} {value}", self.name()),
        }
    }

    /// What stands on the axis.
    pub(super) const fn axis(self) -> &'static str {
        match self {
            Self::Preset => "parameters",
            _ => self.name(),
        }
    }

    /// Where a value stands on the axis: the number itself, of a preset its parameters.
    pub(super) fn place(self, value: u64, cost: &Cost) -> f64 {
        match self {
            Self::Preset if cost.config.model.tied => cost.parameters.0 as f64,
            Self::Preset => cost.parameters.1 as f64,
            _ => value as f64,
        }
    }

    /// The configuration at a value.
    ///
    /// # Errors
    /// A value that a model cannot have.
    pub(super) fn at(self, config: &Config, value: u64) -> Result<Config, String> {
        let mut config = config.clone();
        match self {
            Self::Seq => (config.shape.seq, config.shape.context) = (value, value),
            Self::Batch => config.shape.batch = value,
            Self::Context => (config.shape.seq, config.shape.context) = (1, value),
            Self::Layers => config.model.layers = value,
            Self::Preset => config.model = named(value).ok_or("there is no such preset")?.model(),
            Self::Width => {
                let model = &mut config.model;
                let step = 2 * model.heads;
                if value == 0 || !value.is_multiple_of(step) {
                    return Err(format!(
                        "width {value} gives no even heads: with {} heads it is a multiple of {step}",
                        model.heads
                    ));
                }
                model.ffn = (model.ffn * value / model.hidden.max(1)).max(1);
                model.hidden = value;
            }
        }
        if matches!(self, Self::Layers | Self::Width) {
            config.model.name = format!("{} {}={value}", config.model.name, self.letter());
        }
        let model = config.model.check();
        model.map_err(|e| format!("{} {value}: {e}", self.name()))?;
        let checked = config.shape.check(&config.model);
        checked.map_err(|e| format!("{} {value}: {e}", self.name()))?;
        Ok(config)
    }
}

/// The preset at a place.
fn named(place: u64) -> Option<&'static Preset> {
    PRESETS.get(usize::try_from(place).ok()?)
}
