//! A learner's kernel: its file, the gap form for machines without a compiler,
//! and how a submission's outcome is told.

use std::fs;
use std::io;
use std::path::PathBuf;

use super::exercise::Exercise;
use super::fault::Fault;
use super::paths::Places;
use crate::answer::{Env, Fits, Judgement, Kernel, Key, Verdict};
use files::{create, plain, read_bounded};
use plan::run::listing::{Gap, wrapped};
use plan::run::{Candidate, Criterion, Submission, SubmissionOutcome};

/// Largest file that is taken for a kernel.
const LARGEST: usize = 1 << 20;

/// Columns of what a gap asks for.
const ASKS: usize = 74;

/// The choices of a gap, in the order in which they are shown.
const LETTERS: [char; 3] = ['a', 'b', 'c'];

/// How far a learner has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attempt {
    /// There is no file yet.
    Missing,
    /// The file is the skeleton still.
    Untouched,
    /// There is a kernel to be judged.
    Written(Candidate),
    /// The gaps are answered.
    Gaps(Candidate),
    /// What was typed is no answer to the gaps: how to write one.
    Unread(String),
}

/// Where the kernel of an exercise is written (`answers/ex19.cu`).
pub fn kernel_file(places: &Places, exercise: &str) -> PathBuf {
    places.answers().join(format!("{exercise}.cu"))
}

/// What there is to be judged: the file where a kernel is in it, else what is
/// typed into the sheet, which answers the gaps.
///
/// # Errors
/// A file that cannot be read.
pub fn attempt(
    places: &Places,
    exercise: &str,
    kernel: &Kernel,
    typed: &str,
) -> Result<Attempt, Fault> {
    let path = kernel_file(places, exercise);
    let file = places.shown(&path);
    let nothing = |otherwise: Attempt| match typed.trim() {
        "" => otherwise,
        letters => gaps(kernel, letters),
    };
    let bytes = match read_bounded(&path, LARGEST) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(nothing(Attempt::Missing));
        }
        Err(error) => {
            let say = format!("cannot be read: {}.", plain(&error));
            return Err(Fault::whole(file, say));
        }
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    // Comments are no kernel: those of an earlier skeleton may say more.
    let code = |line: &&str| !line.trim_start().starts_with("//");
    let bare = |text: &str| -> String {
        let lines = text.lines().filter(code);
        lines.flat_map(str::split_whitespace).collect()
    };
    if bare(&text) == bare(&kernel.listing.skeleton()) {
        return Ok(nothing(Attempt::Untouched));
    }
    Ok(Attempt::Written(Candidate::Written { text, file }))
}

/// Writes the skeleton where there is no file yet, and gives its path as a person
/// writes it.
///
/// # Errors
/// A folder that cannot be written.
pub fn begin(places: &Places, exercise: &str, kernel: &Kernel) -> Result<String, Fault> {
    let path = kernel_file(places, exercise);
    let shown = places.shown(&path);
    let made = fs::create_dir_all(places.answers())
        .and_then(|()| create(&path, kernel.listing.skeleton().as_bytes()));
    made.map_err(|error| {
        let say = format!(
            "cannot be made: {}; --state DIR chooses another folder.",
            plain(&error)
        );
        Fault::whole(&shown, say)
    })?;
    Ok(shown)
}

/// The submission of a kernel, with the bounds of its key.
///
/// # Errors
/// A bound that has no value: a fault of the course.
pub fn submission(
    key: &Key,
    candidate: Candidate,
    env: &Env<'_>,
) -> Result<Option<Submission>, String> {
    let Some(kernel) = key.kernel.as_ref().filter(|kernel| kernel.is_written()) else {
        return Ok(None);
    };
    let bounds = kernel
        .bounds(&key.slips, env)
        .map_err(|(written, say)| format!("{}: {say}", written.text))?;
    Ok(Some(Submission {
        source: kernel.listing.path.clone(),
        candidate,
        bounds,
        on: None,
    }))
}

/// The choices of a gap: letter, lines, and the mistake that they are.
pub fn choices(gap: &Gap) -> Vec<(char, &[String], Option<u32>)> {
    let mut all: Vec<(&[String], Option<u32>)> = gap
        .wrong
        .iter()
        .map(|wrong| (wrong.lines.as_slice(), Some(wrong.number)))
        .collect();
    // The worked lines stand anywhere among them, in every gap elsewhere.
    let sum = |sum: usize, (at, byte): (usize, u8)| sum + (at + 1) * usize::from(byte);
    let place = gap.name.bytes().enumerate().fold(0, sum) % (all.len() + 1);
    all.insert(place, (gap.worked.as_slice(), None));
    LETTERS
        .into_iter()
        .zip(all)
        .map(|(letter, (lines, number))| (letter, lines, number))
        .collect()
}

/// The gap form as lines of text.
pub fn gap_form(kernel: &Kernel) -> Vec<String> {
    gap_form_in(kernel, ASKS)
}

/// The same with what a gap asks for in so many columns.
pub fn gap_form_in(kernel: &Kernel, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, gap) in kernel.listing.gaps().enumerate() {
        let asks = format!("{} {}: {}", index + 1, gap.name, gap.asks);
        lines.extend(wrapped(&asks, columns.min(ASKS)));
        for (letter, code, _) in choices(gap) {
            let margin = code
                .iter()
                .filter(|line| !line.trim().is_empty())
                .map(|line| line.len() - line.trim_start().len())
                .min()
                .unwrap_or(0);
            for (row, line) in code.iter().enumerate() {
                let head = if row == 0 {
                    format!("{letter})")
                } else {
                    "  ".to_owned()
                };
                lines.push(format!(
                    "   {head} {}",
                    line.get(margin..).unwrap_or_default()
                ));
            }
        }
    }
    lines
}

/// The letters of `b a c a`, and of `1b 2a 3: c`, where each gap is named by its number.
/// A number that is not that of its letter's gap is kept, and is no letter.
pub fn letters(typed: &str) -> Vec<char> {
    let mut letters = Vec::new();
    for c in typed.chars().flat_map(char::to_lowercase) {
        let place = char::from_digit(letters.len() as u32 + 1, 10);
        let between = c.is_whitespace() || ",;:.)=".contains(c);
        if !between && Some(c) != place {
            letters.push(c);
        }
    }
    letters
}

/// Reads the letters of the gap form.
pub fn gaps(kernel: &Kernel, typed: &str) -> Attempt {
    let letters = letters(typed);
    let all: Vec<&Gap> = kernel.listing.gaps().collect();
    let mut chosen = Vec::new();
    for (gap, letter) in all.iter().zip(&letters) {
        let found = choices(gap).into_iter().find(|(known, ..)| known == letter);
        match found {
            Some((_, _, number)) => chosen.extend(number),
            None => return Attempt::Unread(gaps_wanted(all.len())),
        }
    }
    if letters.len() != all.len() {
        return Attempt::Unread(gaps_wanted(all.len()));
    }
    Attempt::Gaps(Candidate::Chosen(chosen))
}

/// Whether letters of the gap form are the kernel's own lines.
pub fn gaps_met(kernel: &Kernel, typed: &str) -> bool {
    matches!(gaps(kernel, typed), Attempt::Gaps(Candidate::Chosen(wrong)) if wrong.is_empty())
}

/// How the letters are typed.
pub fn gaps_wanted(gaps: usize) -> String {
    // An example of an answer may be the answer.
    format!(
        "The gap form takes one of the letters a, b, c for each of its {gaps} gaps: {gaps} letters, with or without blanks between them."
    )
}

/// A verdict with the lines that are shown below it as they are.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// The verdict.
    pub judgement: Judgement,
    /// More lines.
    pub lines: Vec<String>,
    /// What tells this try from another: of a file, by its text.
    pub tried: String,
}

impl Told {
    /// Nothing was judged: what to do.
    pub fn open(say: &str) -> Self {
        Self {
            judgement: Judgement::of("", Verdict::Open),
            lines: vec![say.to_owned()],
            tried: String::new(),
        }
    }

    /// Nothing could be judged, and why.
    pub fn unread(typed: &str, message: &str, lines: Vec<String>) -> Self {
        let verdict = Verdict::Unread {
            column: usize::MAX,
            message: message.to_owned(),
        };
        Self {
            judgement: Judgement::of(typed, verdict),
            lines,
            tried: typed.to_owned(),
        }
    }
}

/// What tells a try from another: a digest of what was written, or what was chosen.
fn tried(attempt: &Attempt) -> String {
    // FNV-1a (Fowler, Noll, Vo), the same with every build.
    let digest = |text: &str| {
        text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        })
    };
    match attempt {
        Attempt::Written(Candidate::Written { text, .. }) => format!("text {:016x}", digest(text)),
        Attempt::Gaps(Candidate::Chosen(numbers)) => format!("gaps {numbers:?}"),
        _ => String::new(),
    }
}

/// What a try is known by where letters of the gap form were chosen.
pub fn tried_by(kernel: &Kernel, letters: &str) -> String {
    tried(&gaps(kernel, letters))
}

/// How the outcome of a submission is told.
pub fn told(
    exercise: &Exercise,
    key: &Key,
    attempt: &Attempt,
    outcome: &SubmissionOutcome,
) -> Told {
    let Some(kernel) = &key.kernel else {
        return Told::open("There is no kernel to write here.");
    };
    let (file, chosen) = match attempt {
        Attempt::Written(Candidate::Written { file, .. }) => (file.as_str(), None),
        Attempt::Gaps(Candidate::Chosen(numbers)) => ("gap form", Some(numbers)),
        _ => ("", None),
    };
    match outcome {
        SubmissionOutcome::Accepted { cases, praise, .. } => {
            let met = format!("C1 to C8 met, {cases} cases");
            let met = match chosen {
                Some(_) => format!("{met}, gap form"),
                None => met,
            };
            Told {
                judgement: Judgement::of(&met, Verdict::Right { accepted: None }),
                lines: praise.clone(),
                tried: tried(attempt),
            }
        }
        SubmissionOutcome::Refused(refusal) => {
            let gap = chosen.and_then(|numbers| {
                let first = numbers.first()?;
                let has = |gap: &&Gap| gap.wrong.iter().any(|wrong| wrong.number == *first);
                kernel.listing.gaps().find(has)
            });
            let place = gap.map_or(String::new(), |gap| {
                format!("Gap {}, the others right: ", gap.name)
            });
            let mut seen = refusal.seen.lines().map(|line| match chosen {
                Some(_) => kernel.listing.quoted(line),
                None => line.to_owned(),
            });
            let head = format!(
                "{place}{} ({}) is not met: {}",
                refusal.criterion.code(),
                refusal.criterion.words(),
                seen.next().unwrap_or_default()
            );
            let mut lines: Vec<String> = seen.collect();
            for (index, known) in refusal.known.iter().enumerate() {
                lines.push(match index {
                    0 => known.clone(),
                    _ => format!("Or: {known}"),
                });
            }
            if refusal.criterion == Criterion::Compiles {
                let stop = if head.ends_with('.') { "" } else { "." };
                return Told::unread(file, &format!("{head}{stop}"), lines);
            }
            // A letter of the gap form that is not right is a mistake that people make.
            let verdict = match chosen.is_some() || !refusal.known.is_empty() {
                true => Verdict::Slip(vec![Fits {
                    say: head,
                    claim: None,
                }]),
                false => Verdict::Unmet(head),
            };
            Told {
                judgement: Judgement::of(file, verdict),
                lines,
                tried: tried(attempt),
            }
        }
        SubmissionOutcome::NoCompiler(say) => {
            let mut lines = vec![format!(
                "Or take the gap form, which needs no compiler: a letter for each gap. In a shell: \
                 tinyllama-tutor check {} --answer {}=\"b a c a\"",
                exercise.id, key.name.text
            )];
            lines.extend(gap_form(kernel));
            let message = format!("{file} cannot be compiled here: {say}.");
            Told::unread(file, &message, lines)
        }
        SubmissionOutcome::Failed(say) => Told::unread(file, say, Vec::new()),
    }
}

/// The lines by which a learner's kernel differs from the worked one; comments are not
/// compared.
pub fn difference(kernel: &Kernel, text: &str) -> Vec<String> {
    let worked = kernel.listing.worked();
    let (typed, worked) = (uncommented(text), uncommented(&worked));
    let compared = similar::TextDiff::from_slices(&typed, &worked);
    let groups = compared.grouped_ops(1);
    let changes = groups.iter().flatten();
    changes
        .flat_map(|op| compared.iter_changes(op))
        .map(|change| format!("{} {}", change.tag(), change.value()))
        .collect()
}

/// The lines of a source without what is noted behind them; lines of notes alone and
/// empty ones are left out.
fn uncommented(text: &str) -> Vec<&str> {
    let code = |line| {
        str::split_once(line, "//")
            .map_or(line, |(code, _)| code)
            .trim_end()
    };
    text.lines()
        .map(code)
        .filter(|line| !line.is_empty())
        .collect()
}

#[cfg(test)]
mod tests;
