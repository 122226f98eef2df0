//! The kernels of exercises as text: one file holds what a learner gets, the
//! worked kernel, and the mistakes that are known.
//!
//! A kernel to be written has **gaps**:
//!
//! ```text
//! // gap mask: threads whose element does not exist leave
//! #if WRONG == 1 // C4 last_one: There is no element n.
//!     if (i > n) return;
//! #else
//!     if (i >= n) return;
//! #endif
//! ```
//!
//! The line of a mistake names the criterion that refuses it, its name, and the
//! sentence that explains it; `//~` continues a sentence. What a learner gets has
//! one comment in the place of a gap, so that solving only adds lines.
//!
//! A kernel with a defect has an **excerpt** (`// excerpt` to `// end excerpt`),
//! in it lines that end with `// defect NAME`, and the repair under `#if FIXED`.

mod reader;

use std::fmt;

use include_dir::{Dir, include_dir};

use reader::Reader;

static LISTINGS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../kernels/exercises");

/// The folder under `kernels/`.
const FOLDER: &str = "exercises/";

/// A source, cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// Path under `kernels/`, such as `exercises/silu_mul.cu`.
    pub path: String,
    /// Name of the kernel.
    pub entry: String,
    pieces: Vec<Piece>,
    excerpt: Option<(usize, usize)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Line(String),
    Gap(Gap),
    Repair {
        fixed: Vec<String>,
        shown: Vec<String>,
    },
}

/// A place that the learner fills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// Its name.
    pub name: String,
    /// What belongs there.
    pub asks: String,
    /// Known mistakes.
    pub wrong: Vec<Mistake>,
    /// The worked lines.
    pub worked: Vec<String>,
}

/// A known mistake in a gap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The value of `WRONG` that puts it into the kernel, from 1.
    pub number: u32,
    /// The criterion that refuses it, from 1: 4 is C4.
    pub criterion: u8,
    /// Its name.
    pub name: String,
    /// The sentence that explains it.
    pub say: String,
    /// Its lines.
    pub lines: Vec<String>,
}

/// A line of an excerpt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Number in the excerpt, from 1.
    pub number: usize,
    /// The line without its marker.
    pub text: String,
    /// The defect that it carries.
    pub defect: Option<String>,
}

/// What is wrong with a source, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListingError {
    /// Line in the file, from 1; 0 for the whole.
    pub line: usize,
    /// One sentence.
    pub say: String,
}

impl fmt::Display for ListingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.say),
            line => write!(f, "line {line}: {}", self.say),
        }
    }
}

/// Paths of all sources, in order.
pub fn listings() -> Vec<&'static str> {
    let mut paths: Vec<&str> = LISTINGS
        .files()
        .filter_map(|file| file.path().to_str())
        .filter(|path| path.ends_with(".cu"))
        .collect();
    paths.sort_unstable();
    paths
}

impl Listing {
    /// The source with this path (`exercises/silu_mul.cu`).
    ///
    /// # Errors
    /// There is none, or its markers are wrong.
    pub fn named(path: &str) -> Result<Self, ListingError> {
        let whole = |say: String| ListingError { line: 0, say };
        let name = path
            .strip_prefix(FOLDER)
            .ok_or_else(|| whole(format!("“{path}” is no source; write {FOLDER}NAME.cu")))?;
        let text = LISTINGS
            .get_file(name)
            .and_then(|file| file.contents_utf8());
        let text = text.ok_or_else(|| {
            whole(format!(
                "kernels/{path} is not there; there are {}",
                listings().join(", ")
            ))
        })?;
        Self::parse(path, text)
    }

    /// A text about a run of this source, in which its lines stand in the place of their
    /// numbers: nobody who fills gaps has the file.
    pub fn quoted(&self, text: &str) -> String {
        let place = format!("{}:", self.path);
        let Some((before, behind)) = text.split_once(&place) else {
            return text.to_owned();
        };
        let digits = behind.find(|c: char| !c.is_ascii_digit());
        let (number, rest) = behind.split_at(digits.unwrap_or(behind.len()));
        let file = self.path.strip_prefix(FOLDER);
        let file = file.and_then(|name| LISTINGS.get_file(name)?.contents_utf8());
        let line = number.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
        match file.zip(line).and_then(|(file, n)| file.lines().nth(n)) {
            Some(line) => format!("{before}`{}`{rest}", line.trim()),
            None => text.to_owned(),
        }
    }

    /// Cuts a text.
    ///
    /// # Errors
    /// A marker that is wrong, with its line.
    pub fn parse(path: &str, text: &str) -> Result<Self, ListingError> {
        let mut reader = Reader::new(text);
        let mut pieces = Vec::new();
        let (mut begin, mut end, mut entry) = (None, None, None);
        while let Some(line) = reader.next() {
            if let Some(rest) = line.strip_prefix("// gap ") {
                pieces.push(Piece::Gap(reader.gap(rest)?));
            } else if line.starts_with("#if FIXED") {
                pieces.push(reader.repair()?);
            } else if line == "// excerpt" {
                begin = Some(pieces.len());
            } else if line == "// end excerpt" {
                end = Some(pieces.len());
            } else {
                let named = line
                    .strip_prefix("KERNEL void ")
                    .and_then(|rest| rest.split_once('('));
                entry = named.map(|(name, _)| name.to_owned()).or(entry);
                pieces.push(Piece::Line(line.to_owned()));
            }
        }
        let fault = |say: &str| ListingError {
            line: 0,
            say: say.to_owned(),
        };
        let numbers = pieces.iter().filter_map(|piece| match piece {
            Piece::Gap(gap) => Some(&gap.wrong),
            _ => None,
        });
        if !numbers.flatten().map(|w| w.number).eq(1..=count(&pieces)) {
            return Err(fault("the values of WRONG do not count up from 1"));
        }
        Ok(Self {
            path: path.to_owned(),
            entry: entry.ok_or_else(|| fault("there is no line “KERNEL void NAME(”"))?,
            excerpt: match (begin, end) {
                (Some(begin), Some(end)) if begin < end => Some((begin, end)),
                (None, None) => None,
                _ => return Err(fault("// excerpt and // end excerpt belong together")),
            },
            pieces,
        })
    }

    /// The gaps in order; none in a kernel with a defect.
    pub fn gaps(&self) -> impl Iterator<Item = &Gap> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Gap(gap) => Some(gap),
            _ => None,
        })
    }

    /// Every known mistake.
    pub fn mistakes(&self) -> impl Iterator<Item = &Mistake> {
        self.gaps().flat_map(|gap| &gap.wrong)
    }

    /// What a learner gets: a comment for each gap, and not what the model counts, which
    /// exercises ask for.
    pub fn skeleton(&self) -> String {
        without_model(&self.with(|gap, out| {
            let indent = gap.worked.first().map_or(0, |line| margin(line));
            for line in wrapped(&format!("{}: {}", gap.name, gap.asks), 92 - indent) {
                out.push(format!("{:indent$}// {line}", ""));
            }
            out.push(String::new());
        }))
    }

    /// The kernel with every gap filled rightly, and its comment kept.
    pub fn worked(&self) -> String {
        self.with(|gap, out| {
            let indent = gap.worked.first().map_or(0, |line| margin(line));
            for line in wrapped(&format!("{}: {}", gap.name, gap.asks), 92 - indent) {
                out.push(format!("{:indent$}// {line}", ""));
            }
            out.extend(gap.worked.iter().cloned());
        })
    }

    /// The worked kernel with one mistake in it.
    pub fn mistaken(&self, number: u32) -> String {
        self.with(|gap, out| {
            let wrong = gap.wrong.iter().find(|wrong| wrong.number == number);
            out.extend(
                wrong
                    .map_or(&gap.worked, |wrong| &wrong.lines)
                    .iter()
                    .cloned(),
            );
        })
    }

    fn with(&self, mut fill: impl FnMut(&Gap, &mut Vec<String>)) -> String {
        let mut out = Vec::new();
        for piece in &self.pieces {
            match piece {
                Piece::Line(line) => out.push(line.clone()),
                Piece::Gap(gap) => fill(gap, &mut out),
                Piece::Repair { fixed, .. } => out.extend(fixed.iter().cloned()),
            }
        }
        out.join("\n") + "\n"
    }

    /// The lines among which the defect is to be found; empty without an excerpt.
    pub fn excerpt(&self) -> Vec<Shown> {
        let (begin, end) = self.excerpt.unwrap_or_default();
        let mut lines: Vec<&str> = Vec::new();
        for piece in self.pieces.get(begin..end).unwrap_or_default() {
            match piece {
                Piece::Line(line) => lines.push(line),
                Piece::Repair { shown, .. } => lines.extend(shown.iter().map(String::as_str)),
                Piece::Gap(_) => {}
            }
        }
        let margin = lines
            .iter()
            .filter(|line| !line.trim().is_empty())
            .map(|line| margin(line))
            .min()
            .unwrap_or(0);
        lines
            .iter()
            .enumerate()
            .map(|(index, line)| {
                let (code, defect) = match line.split_once("// defect") {
                    Some((code, name)) => (code, Some(name.trim().to_owned())),
                    None => (*line, None),
                };
                Shown {
                    number: index + 1,
                    text: code.get(margin..).unwrap_or_default().trim_end().to_owned(),
                    defect,
                }
            })
            .collect()
    }
}

/// A kernel without the lines of its head that begin with `// model`, and what goes on
/// below them.
fn without_model(text: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    let mut within = false;
    for line in text.lines() {
        within = line.starts_with("// model") || within && line.starts_with("//  ");
        if !within {
            out.push(line);
        } else if out.last() == Some(&"//") {
            out.pop();
        }
    }
    out.join("\n") + "\n"
}

fn count(pieces: &[Piece]) -> u32 {
    let wrong = pieces.iter().map(|piece| match piece {
        Piece::Gap(gap) => gap.wrong.len() as u32,
        _ => 0,
    });
    wrong.sum()
}

fn margin(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Lines of at most `width` characters, broken at spaces.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests;
