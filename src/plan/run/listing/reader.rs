//! Reads the markers of a source, line by line.

use super::{Gap, ListingError, Mistake, Piece};

/// A text and the next line.
pub(super) struct Reader<'t> {
    lines: Vec<&'t str>,
    at: usize,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            lines: text.lines().collect(),
            at: 0,
        }
    }

    pub(super) fn next(&mut self) -> Option<&'t str> {
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

    pub(super) fn gap(&mut self, rest: &str) -> Result<Gap, ListingError> {
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

    pub(super) fn repair(&mut self) -> Result<Piece, ListingError> {
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
