//! What live blocks and questions ask of the outside: an experiment of the gym, a
//! kernel's source. Each is asked for once and kept.

use super::source::Source;
use plan::run::{MicroReport, MicroRequest};

pub use course::present::{Excerpt, Of, Wanted};

/// Answers that are kept.
const KEPT: usize = 48;

/// Lines of source that a block shows.
const LINES: usize = 14;

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// To run an experiment.
    Micro(MicroRequest),
    /// For a kernel's source.
    Source(Box<Wanted>),
}

/// What comes back.
#[derive(Clone, Debug, PartialEq)]
pub enum Shown {
    /// The figures of an experiment.
    Micro(MicroReport),
    /// Some lines of a source.
    Source(Excerpt),
}

/// The lines of an idea, or of the kernel itself.
///
/// # Errors
/// An idea that is not marked in the source.
pub fn excerpt(source: &Source, part: Option<&str>) -> Result<Excerpt, String> {
    let (range, idea) = match part {
        Some(name) => named(source, name)?,
        None => (kernel(source), String::new()),
    };
    let lines = source.lines.get(range.clone()).unwrap_or_default();
    // The margin that all lines share is not shown.
    let margin = lines
        .iter()
        .filter(|l| !l.text.trim().is_empty())
        .map(|l| l.text.len() - l.text.trim_start().len())
        .min()
        .unwrap_or(0);
    Ok(Excerpt {
        file: source.file.clone(),
        lines: lines
            .iter()
            .take(LINES)
            .map(|l| {
                (
                    l.number,
                    l.text.get(margin..).unwrap_or_default().to_owned(),
                )
            })
            .collect(),
        more: lines.len().saturating_sub(LINES),
        idea,
        facts: Vec::new(),
    })
}

/// The lines of an idea, and its sentence.
fn named(source: &Source, name: &str) -> Result<(std::ops::Range<usize>, String), String> {
    let Some(at) = source.ideas.iter().position(|i| i.name == name) else {
        let known: Vec<&str> = source.ideas.iter().map(|i| i.name.as_str()).collect();
        return Err(match known.is_empty() {
            true => format!("{} has no marked ideas; leave part out.", source.file),
            false => format!(
                "{} has no idea “{name}”; it has {}.",
                source.file,
                known.join(", ")
            ),
        });
    };
    let last = source.lines.iter().rposition(|l| l.idea == Some(at));
    let idea = source.ideas.get(at);
    let idea = idea.map(|i| (i.first, format!("{name}: {}", i.sentence)));
    let (first, sentence) = idea.unwrap_or_default();
    Ok((first..last.map_or(first, |l| l + 1), sentence))
}

/// From the kernel's first line to the end of the file; all of a file without one.
fn kernel(source: &Source) -> std::ops::Range<usize> {
    let entry = source
        .lines
        .iter()
        .position(|l| l.text.starts_with("KERNEL"));
    entry.unwrap_or(0)..source.lines.len()
}

/// What was asked and what came back.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    waiting: Vec<Ask>,
    known: Vec<(Ask, Result<Shown, String>)>,
}

impl Asked {
    /// The answer to a question, once it is there.
    pub fn answer(&self, ask: &Ask) -> Option<&Result<Shown, String>> {
        self.known.iter().find(|(a, _)| a == ask).map(|(_, r)| r)
    }

    /// Whether the answer is still to come.
    pub fn waits(&self, ask: &Ask) -> bool {
        self.waiting.contains(ask)
    }

    /// Takes an answer in.
    pub fn arrived(&mut self, ask: Ask, answer: Result<Shown, String>) {
        self.waiting.retain(|a| *a != ask);
        self.known.retain(|(a, _)| *a != ask);
        if self.known.len() == KEPT {
            self.known.drain(..1);
        }
        self.known.push((ask, answer));
    }

    /// An answer is waited for from now on. `false`: it was on its way already.
    pub(super) fn wait_for(&mut self, ask: &Ask) -> bool {
        let new = !self.waits(ask);
        if new {
            self.waiting.push(ask.clone());
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::run::BackendKind;

    const SOURCE: &str = "\
// a header
KERNEL void f() {
    // idea one: the only line that counts.
    y[i] = x[i];
    // end one
}
";

    #[test]
    fn an_excerpt_is_an_idea_or_the_kernel() {
        let source = Source::parse("f.cu", SOURCE);
        let idea = excerpt(&source, Some("one")).unwrap();
        assert_eq!(idea.lines, [(4, "y[i] = x[i];".to_owned())]);
        assert_eq!(idea.idea, "one: the only line that counts.");
        let whole = excerpt(&source, None).unwrap();
        let numbers: Vec<usize> = whole.lines.iter().map(|l| l.0).collect();
        assert_eq!(numbers, [2, 4, 6]);
        let missing = excerpt(&source, Some("two")).unwrap_err();
        assert_eq!(missing, "f.cu has no idea “two”; it has one.");
    }

    #[test]
    fn long_kernels_are_cut_and_say_so() {
        let text = format!("KERNEL void f() {{\n{}}}\n", "    g();\n".repeat(30));
        let excerpt = excerpt(&Source::parse("f.cu", &text), None).unwrap();
        assert_eq!((excerpt.lines.len(), excerpt.more), (LINES, 32 - LINES));
    }

    #[test]
    fn a_question_is_asked_once_until_it_is_answered() {
        let ask = || Ask::Micro(MicroRequest::new("stride", &[], BackendKind::Simt).unwrap());
        let mut asked = Asked::default();
        assert!(asked.wait_for(&ask()));
        assert!(!asked.wait_for(&ask()));
        asked.arrived(ask(), Err("no".to_owned()));
        assert!(!asked.waits(&ask()) && asked.answer(&ask()).is_some());
        assert!(asked.wait_for(&ask()), "it can be run again");
    }
}
