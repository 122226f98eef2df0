//! The `claim` block: what the document says, what the model says, what was measured
//! here, and what became of it.

use super::grid::times;
use super::{Facts, Figure, Grid, Piece, Prose, Ran, Weight};
use crate::answer::claim::Ruling;
use crate::answer::{Env, Ground};
use crate::claims::{Claim, Ledger, Line};
use plan::units::figure::Origin;

/// Figures of the model that a lesson shows; the court shows all.
const FEW: usize = 3;

/// The claim in a lesson, whose text judges it: all of it at once, and close together.
pub(super) fn claim(id: &str, env: &Env<'_>, facts: &dyn Facts) -> Result<Vec<Piece>, String> {
    let ledger = Ledger::built_in();
    let claim = ledger.find(id)?;
    let mut out = Vec::new();
    if let Some(place) = claim.places.first() {
        out.push(Piece::Words(Weight::Place, ledger.named(place)));
    }
    out.push(Piece::Words(Weight::Text, claim.says.text.clone()));
    if let Some(why) = facts.withholds(id) {
        out.push(Piece::Words(Weight::Aside, why.to_owned()));
        return Ok(out);
    }
    let around = env.setup.config.title();
    let env = claim
        .env(env.gpus, env.records)
        .map_err(|e| e.to_string())?;
    if let Some(shape) = claim.shape(&env).filter(|shape| *shape != around) {
        out.push(Piece::Words(Weight::Aside, format!("here: {shape}")));
    }
    let figure = |line: Line| {
        let (label, origin) = match line.ground {
            None => (format!("document: {}", line.label), None),
            Some(Ground::Model) => (format!("= model: {}", line.label), Some(Origin::Modelled)),
            Some(Ground::Arithmetic) => (format!("worked out: {}", line.label), None),
            // That it was recorded its label says.
            Some(Ground::Record) => (line.label, None),
        };
        Figure {
            label,
            value: line.value,
            origin,
        }
    };
    let figures = |lines: Vec<Line>| Piece::Figures(lines.into_iter().map(figure).collect());
    let mut model = claim.model_lines(&env);
    model.truncate(FEW);
    out.push(figures(claim.document_lines(&env)));
    out.push(figures(model));
    out.extend(measured(claim, &env, facts));
    out.push(Piece::Said("verdict".to_owned(), claim.verdict()));
    out.push(Piece::Text(Prose::of(&claim.truth.text, &env)));
    if let Some(how) = claim.how_found() {
        out.push(Piece::Words(Weight::Aside, how.to_owned()));
    }
    if let Some(command) = claim.demonstration() {
        let command = command.trim_start_matches("tinyllama-tutor ");
        out.push(Piece::Run(command.to_owned()));
    }
    Ok(out)
}

/// What this machine measured of the claim's plans, where one of them was run.
fn measured(claim: &Claim, env: &Env<'_>, facts: &dyn Facts) -> Option<Piece> {
    let cuts = claim.cuts();
    let config = &env.setup.config;
    let runs: Vec<Option<Ran>> = cuts
        .iter()
        .map(|cut| facts.ran(&config.with_cut(*cut)))
        .collect();
    let device = runs.iter().flatten().next()?.device.clone();
    let row = |label: &str, cell: &dyn Fn(&Ran) -> Option<String>| {
        let cell = |ran: &Option<Ran>| match ran {
            Some(ran) => cell(ran).unwrap_or_else(|| "–".to_owned()),
            None => "·".to_owned(),
        };
        std::iter::once(label.to_owned())
            .chain(runs.iter().map(cell))
            .collect()
    };
    let titles = cuts.iter().map(|cut| cut.title());
    Some(Piece::Table(Grid {
        head: std::iter::once("this machine, forward".to_owned())
            .chain(titles)
            .collect(),
        rows: vec![
            row("launches #", &|r| Some(r.launches.to_string())),
            row("issued MB #", &|r| {
                r.issued.map(|b| format!("{:.3}", b as f64 / 1e6))
            }),
            times(["time ", " @"], &runs),
        ],
        foot: format!("{}, on {device}", config.title()),
        by_row: true,
        unshown: false,
    }))
}

impl Claim {
    /// How the conclusion was come by, where a program was read for it: not run, or read
    /// first and run since, where a recorded count stands in what is said of it.
    pub fn how_found(&self) -> Option<&'static str> {
        let recorded = |text: &str| text.contains("recorded.");
        let counted = recorded(&self.truth.text)
            || self
                .figures
                .iter()
                .any(|figure| recorded(&figure.expr.text));
        self.by_reading.then_some(match counted {
            true => "Found by reading the program; counted since, in a run of it.",
            false => "Found by reading the program, not by running it.",
        })
    }

    /// The verdict in words: `wrong; it would hold if: …`, `contradicted by K-V2-7`.
    pub fn verdict(&self) -> String {
        let by: Vec<&str> = self.by.iter().map(|b| b.as_str()).collect();
        let by = by.join(", ");
        let mut text = match (&self.assumption, self.ruling) {
            (Some(assumption), Ruling::RightIf) => format!("right if {}", assumption.text),
            (Some(assumption), ruling) => {
                format!("{ruling}; it would hold if: {}", assumption.text)
            }
            (None, ruling) => ruling.to_string(),
        };
        if !by.is_empty() {
            text += &match self.ruling {
                Ruling::Contradicted => format!(" by {by}"),
                _ => format!("; see {by}"),
            };
        }
        text
    }
}
