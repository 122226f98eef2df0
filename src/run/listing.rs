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

use std::fmt;

use include_dir::{Dir, include_dir};

static LISTINGS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/kernels/exercises");

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

    /// Cuts a text.
    ///
    /// # Errors
    /// A marker that is wrong, with its line.
    pub fn parse(path: &str, text: &str) -> Result<Self, ListingError> {
        let mut reader = Reader {
            lines: text.lines().collect(),
            at: 0,
        };
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

    /// What a learner gets: a comment for each gap.
    pub fn skeleton(&self) -> String {
        self.with(|gap, out| {
            let indent = gap.worked.first().map_or(0, |line| margin(line));
            for line in wrapped(&format!("{}: {}", gap.name, gap.asks), 92 - indent) {
                out.push(format!("{:indent$}// {line}", ""));
            }
            out.push(String::new());
        })
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
        self.shown(|_, shown| shown)
    }

    /// The same lines with the repair.
    pub fn repaired(&self) -> Vec<Shown> {
        self.shown(|fixed, _| fixed)
    }

    fn shown<'l>(
        &'l self,
        pick: impl Fn(&'l [String], &'l [String]) -> &'l [String],
    ) -> Vec<Shown> {
        let (begin, end) = self.excerpt.unwrap_or_default();
        let mut lines: Vec<&str> = Vec::new();
        for piece in self.pieces.get(begin..end).unwrap_or_default() {
            match piece {
                Piece::Line(line) => lines.push(line),
                Piece::Repair { fixed, shown } => {
                    lines.extend(pick(fixed, shown).iter().map(String::as_str));
                }
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
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
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

struct Reader<'t> {
    lines: Vec<&'t str>,
    at: usize,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Option<&'t str> {
        let line = self.lines.get(self.at).copied();
        self.at += 1;
        line
    }

    fn fault(&self, say: &str) -> ListingError {
        ListingError {
            line: self.at,
            say: say.to_owned(),
        }
    }

    /// A sentence that may go on in lines of `//~`.
    fn sentence(&mut self, first: &str) -> String {
        let mut text = first.trim().to_owned();
        while let Some(more) = self.lines.get(self.at).and_then(|l| l.strip_prefix("//~")) {
            text.push(' ');
            text.push_str(more.trim());
            self.at += 1;
        }
        text
    }

    fn gap(&mut self, rest: &str) -> Result<Gap, ListingError> {
        let text = self.sentence(rest);
        let (name, asks) = text
            .split_once(": ")
            .ok_or_else(|| self.fault("a gap is written // gap NAME: what belongs there"))?;
        let mut gap = Gap {
            name: name.to_owned(),
            asks: asks.to_owned(),
            wrong: Vec::new(),
            worked: Vec::new(),
        };
        let mut into_worked = false;
        loop {
            let line = self
                .next()
                .ok_or_else(|| self.fault("a gap has no #endif"))?;
            let head = line
                .strip_prefix("#if WRONG == ")
                .or_else(|| line.strip_prefix("#elif WRONG == "));
            if let Some(head) = head {
                let mistake = self.mistake(head)?;
                gap.wrong.push(mistake);
            } else if line == "#else" {
                into_worked = true;
            } else if line == "#endif" {
                break;
            } else if into_worked {
                gap.worked.push(line.to_owned());
            } else if let Some(wrong) = gap.wrong.last_mut() {
                wrong.lines.push(line.to_owned());
            } else {
                return Err(self.fault("a gap begins with #if WRONG == "));
            }
        }
        if gap.worked.is_empty() {
            return Err(self.fault("a gap has no worked lines under #else"));
        }
        Ok(gap)
    }

    /// `1 // C4 last_one: There is no element n.`
    fn mistake(&mut self, head: &str) -> Result<Mistake, ListingError> {
        let text = self.sentence(head);
        let parsed = (|| {
            let (number, rest) = text.split_once(" // C")?;
            let (criterion, rest) = rest.split_once(' ')?;
            let (name, say) = rest.split_once(": ")?;
            Some(Mistake {
                number: number.trim().parse().ok()?,
                criterion: criterion.parse().ok()?,
                name: name.to_owned(),
                say: say.to_owned(),
                lines: Vec::new(),
            })
        })();
        parsed.ok_or_else(|| self.fault("a mistake is written #if WRONG == 1 // C4 NAME: sentence"))
    }

    fn repair(&mut self) -> Result<Piece, ListingError> {
        let (mut fixed, mut shown) = (Vec::new(), Vec::new());
        let mut into = &mut fixed;
        loop {
            match self.next() {
                None => return Err(self.fault("#if FIXED has no #endif")),
                Some("#else") => into = &mut shown,
                Some("#endif") => return Ok(Piece::Repair { fixed, shown }),
                Some(line) => into.push(line.to_owned()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAPS: &str = "KERNEL void k(float *m, long n) {\n\
        // gap mask: leave where\n//~ nothing is\n\
        #if WRONG == 1 // C4 last_one: There is no\n//~ element n.\n    if (i > n) return;\n\
        #elif WRONG == 2 // C3 none: A mask is needed.\n    // nothing\n\
        #else\n    if (i >= n) return;\n#endif\n}\n";

    #[test]
    fn a_gap_is_cut_into_skeleton_worked_and_mistakes() {
        let listing = Listing::parse("exercises/k.cu", GAPS).unwrap();
        assert_eq!(listing.entry, "k");
        assert_eq!(
            listing.skeleton(),
            "KERNEL void k(float *m, long n) {\n    // mask: leave where nothing is\n\n}\n"
        );
        assert!(listing.worked().contains("is\n    if (i >= n) return;\n}"));
        assert!(listing.mistaken(2).contains("{\n    // nothing\n}"));
        let first = listing.mistakes().next().unwrap();
        assert_eq!((first.number, first.criterion), (1, 4));
        assert_eq!(first.say, "There is no element n.");
    }

    #[test]
    fn an_excerpt_hides_its_markers_and_its_repair() {
        let text = "// excerpt\n    a;\n#if FIXED\n    c;\n    d;\n#else\n    b;  // defect line\n\
                    #endif\n// end excerpt\nKERNEL void k() {}\n";
        let listing = Listing::parse("exercises/k.cu", text).unwrap();
        let shown = listing.excerpt();
        assert_eq!(shown.len(), 2);
        assert_eq!((shown[1].number, shown[1].text.as_str()), (2, "b;"));
        assert_eq!(shown[1].defect.as_deref(), Some("line"));
        let texts: Vec<String> = listing.repaired().into_iter().map(|l| l.text).collect();
        assert_eq!(texts, ["a;", "c;", "d;"]);
    }

    #[test]
    fn every_source_can_be_cut_and_fits_the_screen() {
        for path in listings() {
            let listing = Listing::named(&format!("{FOLDER}{path}")).unwrap();
            let gaps = listing.gaps().count();
            let shown = listing.excerpt();
            assert!((gaps == 4) != (gaps == 0 && !shown.is_empty()), "{path}");
            assert!(listing.gaps().all(|gap| gap.wrong.len() == 2), "{path}");
            assert!(gaps > 0 || shown.iter().any(|line| line.defect.is_some()));
            let long: Vec<&Shown> = shown.iter().filter(|l| l.text.len() > 74).collect();
            assert!(long.is_empty(), "{path}: {long:?}");
        }
    }

    #[test]
    fn wrong_markers_are_named_with_their_line() {
        for (text, says) in [
            ("KERNEL void k()\n// gap a\n", "line 2: a gap is written"),
            (
                "// gap a: b\n#if WRONG == 1 // C4\n",
                "line 2: a mistake is",
            ),
            ("// gap a: b\n#if WRONG == 1 // C4 x: y\n", "no #endif"),
            ("#if FIXED\n", "#if FIXED has no #endif"),
            ("int a;\n", "KERNEL void NAME("),
        ] {
            let error = Listing::parse("exercises/k.cu", text)
                .unwrap_err()
                .to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
