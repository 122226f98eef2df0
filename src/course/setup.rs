//! Which model, shape and counting a text speaks about: `config` and `convention` tables.

use super::fault::{Place, way_out};
use super::fields::{Fields, Phrase, Scalar};
use crate::answer;
use plan::cost::CostError;

/// The five keys that every live block with a shape takes.
const BLOCK: [&str; 5] = ["preset", "batch", "seq", "context", "dtype"];

/// The setting that names a GPU.
pub(crate) const GPU: &str = "gpu";

/// Reads a `named` table: GPUs that expressions name, each with the reason.
pub(crate) fn reasons(fields: &mut Fields<'_, '_>) -> Vec<(Phrase, Phrase)> {
    let mut out = Vec::new();
    for (name, value) in fields.scalars() {
        // `several` is all that are set beside each other.
        let known = match name.text.as_str() {
            "several" => Ok(""),
            id => answer::gpu_id(id),
        };
        match (known, value) {
            (Ok(_), Scalar::Text(text)) if !text.trim().is_empty() => {
                let at = name.at;
                out.push((name, Phrase { text, at }));
            }
            (Ok(_), _) => fields.report_at(name.at, "this takes a sentence in quotes.".to_owned()),
            (Err(say), _) => fields.report_at(name.at, format!("{say}.")),
        }
    }
    out
}

/// One `name = value`, understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// One of [`answer::SETTINGS`].
    pub name: String,
    /// The value as written.
    pub value: String,
    /// Where the name stands.
    pub at: Place,
    /// What it means.
    pub meaning: answer::Setting,
}

/// Settings in the order written; later ones win.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Setup {
    /// The settings.
    pub settings: Vec<Setting>,
}

impl Setup {
    /// Value of the last setting of that name, as written.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.settings
            .iter()
            .rev()
            .find(|setting| setting.name == name)
            .map(|setting| setting.value.as_str())
    }

    /// Nothing set?
    pub fn is_empty(&self) -> bool {
        self.settings.is_empty()
    }

    /// These settings with `other`'s on top.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        // The last of a name wins; `answer` sorts them by what depends on what.
        let kept = |setting: &&Setting| other.text(&setting.name).is_none();
        let settings = self.settings.iter().filter(kept).chain(&other.settings);
        Self {
            settings: settings.cloned().collect(),
        }
    }

    /// What the settings mean, for [`answer::Env::with`].
    pub fn meaning(&self) -> Vec<answer::Setting> {
        self.settings
            .iter()
            .map(|setting| setting.meaning)
            .collect()
    }

    /// The workshop's setup changed by these settings.
    ///
    /// # Errors
    /// Those of [`answer::Setup::workshop`].
    pub fn answer(&self) -> Result<answer::Setup, CostError> {
        Ok(answer::Setup::workshop()?.with(&self.meaning()))
    }

    /// A setup that names a GPU and nothing else.
    pub(crate) fn of_gpu(id: &'static str) -> Self {
        let setting = Setting {
            name: GPU.to_owned(),
            value: id.to_owned(),
            at: Place { line: 1, column: 1 },
            meaning: answer::Setting::Gpu(id),
        };
        Self {
            settings: vec![setting],
        }
    }

    /// Reads a `config` or `convention` table.
    pub(crate) fn read(fields: &mut Fields<'_, '_>) -> Self {
        let mut setup = Self::default();
        for (name, value) in fields.scalars() {
            let value = match value {
                Scalar::Text(text) => text,
                Scalar::Count(count) => count.to_string(),
                Scalar::Flag(flag) => flag.to_string(),
            };
            setup.add(fields, name, value);
        }
        setup
    }

    /// Reads the shape keys that stand among a block's own keys.
    pub(crate) fn of_block(fields: &mut Fields<'_, '_>) -> Self {
        Self::of_keys(fields, &BLOCK)
    }

    /// The same with the number of layers, which calls are counted by.
    pub(crate) fn of_sample(fields: &mut Fields<'_, '_>) -> Self {
        let mut setup = Self::of_keys(fields, &BLOCK);
        let layers = Self::of_keys(fields, &["layers"]);
        setup.settings.extend(layers.settings);
        setup
    }

    fn of_keys(fields: &mut Fields<'_, '_>, keys: &[&'static str]) -> Self {
        let mut setup = Self::default();
        for &name in keys {
            let at = fields.key_place(name);
            let value = match name {
                "preset" | "dtype" => fields.text(name).map(|phrase| phrase.text),
                _ => fields.count(name).map(|count| count.to_string()),
            };
            if let Some(value) = value {
                setup.add(
                    fields,
                    Phrase {
                        text: name.to_owned(),
                        at,
                    },
                    value,
                );
            }
        }
        setup
    }

    fn add(&mut self, fields: &mut Fields<'_, '_>, name: Phrase, value: String) {
        let known = || {
            answer::SETTINGS
                .iter()
                .map(|(name, _)| *name)
                .chain(["plan"])
        };
        if !known().any(|other| other == name.text) {
            let known: Vec<&str> = known().collect();
            let way_out = way_out(&name.text, &known);
            fields.report_at(
                name.at,
                format!("there is no setting “{}”; {way_out}", name.text),
            );
            return;
        }
        match answer::Setting::parse(&name.text, &value) {
            // Sizes of nothing are no shape; the model would say so later, without the line.
            Ok(_) if value == "0" => {
                fields.report_at(
                    name.at,
                    format!("`{}` takes a whole number of 1 or more.", name.text),
                );
            }
            Ok(meaning) => self.settings.push(Setting {
                name: name.text,
                value,
                at: name.at,
                meaning,
            }),
            Err(error) => fields.report_at(name.at, sentence(&error.message)),
        }
    }
}

/// What another room says, with a full stop, as every fault here ends.
pub(crate) fn sentence(say: &str) -> String {
    match say.ends_with(['.', '?']) {
        true => say.to_owned(),
        false => format!("{say}."),
    }
}
