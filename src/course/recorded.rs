//! Figures measured once, elsewhere: `assets/recorded.toml`, cited as `recorded.ID`.

use super::claims::Ledger;
use super::fault::Fault;
use super::fields::{Fields, Toml};
use super::text::Text;
use crate::answer::Records;
use plan::cost::Config;
use plan::run::Report;
use plan::units::{self, Quantity};
use std::sync::OnceLock;

static FILE: &str = include_str!("../../assets/recorded.toml");

/// One figure and where it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// Id by which texts cite it.
    pub id: String,
    /// The value with its unit.
    pub value: Quantity,
    /// The device it was measured on.
    pub device: String,
    /// When; empty where the source does not say.
    pub date: String,
    /// How.
    pub how: String,
}

/// All recorded figures. As [`Records`] they know no run of this machine.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Figures {
    list: Vec<Recorded>,
}

impl Figures {
    /// The built-in figures.
    pub fn built_in() -> &'static Self {
        static FIGURES: OnceLock<Figures> = OnceLock::new();
        FIGURES.get_or_init(|| Self::read("assets/recorded.toml", FILE).0)
    }

    /// Reads the file's text.
    pub fn read(file: &str, raw: &str) -> (Self, Vec<Fault>) {
        let (text, mut faults) = Text::new(file, raw);
        let toml = Toml {
            text: &text,
            range: 0..text.body().len(),
        };
        let list = toml.read(&mut faults, |fields| {
            fields.called("the file");
            let list = fields
                .tables("recorded", figure)
                .into_iter()
                .flatten()
                .collect();
            fields.close();
            list
        });
        (Self { list }, faults)
    }

    /// The figure with that id.
    pub fn get(&self, id: &str) -> Option<&Recorded> {
        self.list.iter().find(|figure| figure.id == id)
    }

    /// All of them, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &Recorded> {
        self.list.iter()
    }
}

fn figure(fields: &mut Fields<'_, '_>) -> Option<Recorded> {
    let mut fields = fields.renamed("a recorded figure");
    let id = fields.need_text("id", "id = \"h200_launch\"");
    let at = fields.key_place("value");
    let value = fields.number("value");
    let unit = fields
        .text("unit")
        .map(|unit| unit.text)
        .unwrap_or_default();
    let device = fields.need_text("device", "device = \"NVIDIA H200\"");
    let date = fields
        .text("date")
        .map(|date| date.text)
        .unwrap_or_default();
    let how = fields.need_text("how", "how = \"what was timed, and how often\"");
    fields.close();
    let value = match units::read(&format!("{} {unit}", value?), None) {
        Ok(typed) => typed.quantity,
        Err(error) => {
            fields.report_at(at, format!("this is not a value: {error}"));
            return None;
        }
    };
    Some(Recorded {
        id: id?.text,
        value,
        device: device?.text,
        date,
        how: how?.text,
    })
}

/// The built-in figures, which are read when the first is asked for.
#[derive(Debug, Clone, Copy)]
pub struct BuiltIn;

impl Records for BuiltIn {
    fn report(&self, _: &Config) -> Option<&Report> {
        None
    }

    fn recorded(&self, id: &str) -> Option<Quantity> {
        Figures::built_in().recorded(id)
    }

    fn verdict(&self, id: &str) -> Result<String, String> {
        Figures::built_in().verdict(id)
    }

    fn claims(&self, verdict: &str) -> Result<u64, String> {
        Figures::built_in().claims(verdict)
    }
}

impl Records for Figures {
    fn report(&self, _: &Config) -> Option<&Report> {
        None
    }

    fn recorded(&self, id: &str) -> Option<Quantity> {
        self.get(id).map(|figure| figure.value)
    }

    fn verdict(&self, id: &str) -> Result<String, String> {
        Ledger::built_in().verdict(id)
    }

    fn claims(&self, verdict: &str) -> Result<u64, String> {
        Ledger::built_in().count(verdict)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::units::Dimension;

    #[test]
    fn the_built_in_figures_are_read_without_fault() {
        let (figures, faults) = Figures::read("assets/recorded.toml", FILE);
        assert_eq!(faults, []);
        // 2.85 µs, as the file says.
        let launch = figures.get("h200_launch").expect("there").value;
        assert_eq!(launch.dimension(), Dimension::Time);
        assert!((launch.value() - 2.85e-6).abs() < 1e-12);
        assert_eq!(
            figures
                .recorded("workshop_v1_launches")
                .and_then(|q| q.exact()),
            Some(222)
        );
    }

    #[test]
    fn a_broken_figure_is_placed() {
        let text = "[[recorded]]\nid = \"a\"\nvalue = 3\nunit = \"bananas\"\ndevice = \"x\"\nhow = \"y\"\n";
        let (figures, faults) = Figures::read("r.toml", text);
        assert_eq!(figures.iter().count(), 0);
        assert_eq!(faults.len(), 1);
        assert!(
            faults[0]
                .to_string()
                .starts_with("r.toml:3:1: this is not a value: "),
            "{}",
            faults[0]
        );
    }
}
