//! Which model, shape and counting a text speaks about: `config` and `convention` tables.

use super::fault::{Place, way_out};
use super::fields::{Fields, Scalar};

/// Names that say which model and shape.
pub const SHAPE: [&str; 12] = [
    "preset", "batch", "seq", "context", "dtype", "version", "hidden", "layers", "heads",
    "kv_heads", "ffn", "vocab",
];

/// Names that say how to count: the options of the cost model and the mistakes
/// that known slips are made of.
pub const COUNTING: [&str; 13] = [
    "causal",
    "keep_kv",
    "rope_kernels",
    "rope_table",
    "macs",
    "no_weights",
    "no_gqa",
    "no_heads",
    "no_head",
    "untied",
    "mib",
    "plan",
    "gpu",
];

/// The five keys that every live block with a shape takes.
const BLOCK: [&str; 5] = ["preset", "batch", "seq", "context", "dtype"];

/// One `name = value`.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// One of [`SHAPE`] or [`COUNTING`].
    pub name: String,
    /// What it is set to.
    pub value: Scalar,
    /// Where the name stands.
    pub at: Place,
}

/// Settings in the order written; later ones win.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Setup {
    /// The settings.
    pub settings: Vec<Setting>,
}

impl Setup {
    /// Value of the last setting of that name.
    pub fn get(&self, name: &str) -> Option<&Scalar> {
        self.settings
            .iter()
            .rev()
            .find(|setting| setting.name == name)
            .map(|setting| &setting.value)
    }

    /// The text of a setting, such as the preset's name.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            Scalar::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number of a setting, such as the batch.
    pub fn count(&self, name: &str) -> Option<u64> {
        match self.get(name)? {
            Scalar::Count(count) => Some(*count),
            _ => None,
        }
    }

    /// Nothing set?
    pub fn is_empty(&self) -> bool {
        self.settings.is_empty()
    }

    /// These settings with `other`'s on top.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        let settings = self
            .settings
            .iter()
            .chain(&other.settings)
            .cloned()
            .collect();
        Self { settings }
    }

    /// Reads a `config` table: shape and counting names.
    pub(crate) fn read(fields: &mut Fields<'_, '_>) -> Self {
        let mut known = SHAPE.to_vec();
        known.extend(COUNTING);
        Self::of(fields, &known)
    }

    fn of(fields: &mut Fields<'_, '_>, known: &[&str]) -> Self {
        let mut settings = Vec::new();
        for (name, value) in fields.scalars() {
            if !known.contains(&name.text.as_str()) {
                let way_out = way_out(&name.text, known);
                fields.report_at(
                    name.at,
                    format!("there is no setting “{}”; {way_out}", name.text),
                );
            } else if let Some(want) = misfit(&name.text, &value) {
                fields.report_at(name.at, format!("`{}` takes {want}.", name.text));
            } else {
                settings.push(Setting {
                    name: name.text,
                    value,
                    at: name.at,
                });
            }
        }
        Self { settings }
    }

    /// Reads the shape keys that stand among a block's own keys.
    pub(crate) fn of_block(fields: &mut Fields<'_, '_>) -> Self {
        let mut settings = Vec::new();
        for name in BLOCK {
            let at = fields.key_place(name);
            let value = match name {
                "preset" => fields.text(name).map(|phrase| Scalar::Text(phrase.text)),
                "dtype" => fields
                    .one_of(name, &["fp32", "bf16"])
                    .map(|phrase| Scalar::Text(phrase.text)),
                _ => fields.count(name).map(Scalar::Count),
            };
            match value {
                Some(Scalar::Count(0)) => {
                    fields.report_at(at, format!("`{name}` takes a whole number of 1 or more."))
                }
                Some(value) => settings.push(Setting {
                    name: name.into(),
                    value,
                    at,
                }),
                None => {}
            }
        }
        Self { settings }
    }
}

/// What the setting takes, when the value is not that.
fn misfit(name: &str, value: &Scalar) -> Option<&'static str> {
    let word =
        |known: &[&str]| matches!(value, Scalar::Text(text) if known.contains(&text.as_str()));
    let switch = matches!(value, Scalar::Flag(_)) || word(&["on", "off"]);
    let (fits, want) = match name {
        "preset" | "version" | "plan" | "gpu" => {
            (matches!(value, Scalar::Text(_)), "a text in quotes")
        }
        "dtype" => (word(&["fp32", "bf16"]), "\"fp32\" or \"bf16\""),
        "causal" => (word(&["dense", "exact"]), "\"dense\" or \"exact\""),
        "keep_kv" => (switch || word(&["auto"]), "\"auto\", \"on\" or \"off\""),
        "rope_kernels" => (matches!(value, Scalar::Count(1 | 2)), "1 or 2"),
        name if COUNTING.contains(&name) => (switch, "true or false"),
        _ => (
            matches!(value, Scalar::Count(1..)),
            "a whole number of 1 or more",
        ),
    };
    (!fits).then_some(want)
}
