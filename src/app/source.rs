//! A kernel's source with the ideas that its author marked.
//!
//! `// idea NAME: one sentence`, which may go on in the comment lines below it,
//! stands above the lines that it explains; `// end NAME` stands behind them.

/// A source file, markers taken out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// Its path under `kernels/`.
    pub file: String,
    /// Lines that are shown.
    pub lines: Vec<Line>,
    /// Ideas in the order of their first lines.
    pub ideas: Vec<Idea>,
    /// Markers that do not pair: a sentence each, with its line.
    pub faults: Vec<String>,
}

/// A line as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its number in the file, from 1.
    pub number: usize,
    /// Without its line end.
    pub text: String,
    /// The innermost idea that it belongs to.
    pub idea: Option<usize>,
}

/// What an author wants seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idea {
    /// Its name.
    pub name: String,
    /// What it is.
    pub sentence: String,
    /// The first line that it explains, an index of [`Source::lines`].
    pub first: usize,
}

impl Source {
    /// Reads a file. Markers that do not pair are faults, and mark nothing.
    pub fn parse(file: &str, text: &str) -> Self {
        let mut source = Self {
            file: file.to_owned(),
            ..Self::default()
        };
        // Ideas that are open: index, and the line of the marker.
        let mut open: Vec<(usize, usize)> = Vec::new();
        // The marker above goes on in comments.
        let mut goes_on = false;
        for (number, text) in (1..).zip(text.lines()) {
            let comment = text.trim_start().strip_prefix("//").map(str::trim);
            if let Some(rest) = comment.and_then(|c| c.strip_prefix("idea ")) {
                let (name, sentence) = rest.split_once(':').unwrap_or((rest, ""));
                open.push((source.ideas.len(), number));
                source.ideas.push(Idea {
                    name: name.trim().to_owned(),
                    sentence: sentence.trim().to_owned(),
                    first: source.lines.len(),
                });
                goes_on = true;
            } else if let Some(name) = comment.and_then(|c| c.strip_prefix("end ")) {
                goes_on = false;
                let of = |(idea, _): &(usize, usize)| {
                    source.ideas.get(*idea).is_some_and(|i| i.name == name)
                };
                match open.iter().rposition(of) {
                    Some(at) => {
                        open.remove(at);
                    }
                    None => {
                        let fault = format!("{file}:{number}: “end {name}” ends no idea");
                        source.faults.push(fault);
                    }
                }
            } else if let (true, Some(more)) = (goes_on, comment) {
                if let Some(idea) = source.ideas.last_mut() {
                    idea.sentence.push(' ');
                    idea.sentence.push_str(more);
                }
            } else {
                goes_on = false;
                source.lines.push(Line {
                    number,
                    text: text.trim_end().to_owned(),
                    idea: open.last().map(|(idea, _)| *idea),
                });
            }
        }
        for (idea, number) in open {
            if let Some(idea) = source.ideas.get(idea) {
                let fault = format!("{file}:{number}: the idea “{}” has no end", idea.name);
                source.faults.push(fault);
            }
        }
        source
    }

    /// The idea that explains a line.
    pub fn idea_at(&self, line: usize) -> Option<(usize, &Idea)> {
        let at = self.lines.get(line)?.idea?;
        Some((at, self.ideas.get(at)?))
    }

    /// The first line of the next idea, or of the one before; round at the ends.
    pub fn next_idea(&self, line: usize, forward: bool) -> Option<usize> {
        let firsts = || self.ideas.iter().map(|i| i.first);
        let next = if forward {
            firsts().find(|first| *first > line).or(firsts().next())
        } else {
            let here = self.idea_at(line).map_or(line, |(_, idea)| idea.first);
            let before = firsts().rfind(|first| *first < here);
            before.or(firsts().next_back())
        };
        next.map(|first| first.min(self.lines.len().saturating_sub(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
// a kernel
void f() {
    // idea two-passes: the row stays in registers
    // while its sum is made.
    float v = x[i];
    // idea inner: a square.
    v *= v;
    // end inner
    y[i] = v;
    // end two-passes
}
";

    #[test]
    fn ideas_hold_their_lines_and_their_sentence() {
        let source = Source::parse("f.cu", TEXT);
        assert_eq!(source.faults, Vec::<String>::new());
        let shown: Vec<(usize, Option<usize>)> =
            source.lines.iter().map(|l| (l.number, l.idea)).collect();
        // Numbers are the file's: markers are left out, not renumbered.
        assert_eq!(
            shown,
            [
                (1, None),
                (2, None),
                (5, Some(0)),
                (7, Some(1)),
                (9, Some(0)),
                (11, None)
            ]
        );
        assert_eq!(
            source.ideas[0].sentence,
            "the row stays in registers while its sum is made."
        );
        assert_eq!(source.next_idea(0, true), Some(2));
        assert_eq!(source.next_idea(2, true), Some(3));
        assert_eq!(source.next_idea(5, true), Some(2), "round");
        assert_eq!(source.next_idea(3, false), Some(2));
        assert_eq!(source.next_idea(0, false), Some(3), "round");
    }

    #[test]
    fn markers_that_do_not_pair_are_named_with_their_line() {
        let source = Source::parse("f.cu", "// idea a: x.\nf();\n// end b\n");
        assert_eq!(
            source.faults,
            [
                "f.cu:3: “end b” ends no idea",
                "f.cu:1: the idea “a” has no end"
            ]
        );
        let none = Source::parse("f.cu", "");
        assert_eq!((none.next_idea(0, true), none.lines.len()), (None, 0));
    }
}
