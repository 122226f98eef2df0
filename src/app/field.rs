//! A line of text being typed.

use super::key::{Code, Key};
use course::obeyed;

/// A line of text with a cursor, edited as terminals and shells have taught:
/// arrows, Home, End, Backspace, Delete, Ctrl-W, Ctrl-U.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Field {
    chars: Vec<char>,
    cursor: usize,
    /// The first character typed takes the place of what stands here.
    fresh: bool,
}

/// Longest text that a field takes; a pasted file stops here.
const LONGEST: usize = 16_384;

/// Whether a line of text can hold a character: what a terminal obeys is kept nowhere.
fn held(c: char) -> bool {
    !obeyed(c) && !matches!(c, '\n' | '\t')
}

impl Field {
    /// A field that holds `text`, with the cursor behind it.
    pub fn with(text: &str) -> Self {
        let chars: Vec<char> = text.chars().filter(|c| held(*c)).take(LONGEST).collect();
        let cursor = chars.len();
        Field {
            chars,
            cursor,
            fresh: false,
        }
    }

    /// The same; what is typed first takes its place, arrows and Backspace edit it.
    pub fn replacing(text: &str) -> Self {
        Field {
            fresh: true,
            ..Field::with(text)
        }
    }

    /// What has been typed.
    pub fn text(&self) -> String {
        self.chars.iter().collect()
    }

    /// Nothing has been typed.
    pub fn is_empty(&self) -> bool {
        self.chars.is_empty()
    }

    /// The text before and behind the cursor.
    pub fn halves(&self) -> (String, String) {
        let (a, b) = self.chars.split_at(self.cursor.min(self.chars.len()));
        (a.iter().collect(), b.iter().collect())
    }

    /// Takes pasted text; what of it is not taken as it was is said.
    pub fn paste(&mut self, text: &str) -> Option<&'static str> {
        // A field is one line: a blank stands where lines were parted.
        let text = text.trim_end_matches(['\r', '\n']).replace("\r\n", "\n");
        let parts = |c: char| matches!(c, '\n' | '\r' | '\t');
        for c in text.chars() {
            self.insert(if parts(c) { ' ' } else { c });
        }
        match text {
            _ if self.chars.len() >= LONGEST => {
                Some("The field is full: the end of what was pasted is left out.")
            }
            text if text.chars().any(|c| !parts(c) && !held(c)) => {
                Some("Control characters of what was pasted are left out.")
            }
            text if text.contains(parts) => Some(
                "A field is one line: blanks stand for the line breaks and tabs of what was pasted.",
            ),
            _ => None,
        }
    }

    fn insert(&mut self, c: char) {
        // A blank in front of everything says nothing, and places are counted without it; it
        // takes the place of nothing either.
        if !held(c) || c == ' ' && (self.chars.is_empty() || self.fresh) {
            return;
        }
        if std::mem::take(&mut self.fresh) {
            self.chars.clear();
            self.cursor = 0;
        }
        if self.chars.len() < LONGEST {
            self.chars.insert(self.cursor, c);
            self.cursor += 1;
        }
    }

    /// Edits the text. Returns whether the key was one of the field's own;
    /// Enter, Tab and Esc are not.
    pub fn press(&mut self, key: Key) -> bool {
        self.fresh &= matches!(key.code, Code::Char(_)) && !key.ctrl;
        match (key.code, key.ctrl) {
            (Code::Char('w'), true) => {
                let blank = |c: &char| c.is_whitespace();
                let head = &self.chars[..self.cursor];
                let word = head.iter().rposition(|c| !blank(c)).map_or(0, |at| {
                    head[..at].iter().rposition(blank).map_or(0, |b| b + 1)
                });
                self.chars.drain(word..self.cursor);
                self.cursor = word;
            }
            (Code::Char('u'), true) => {
                self.chars.drain(..self.cursor);
                self.cursor = 0;
            }
            (Code::Char(c), false) => self.insert(c),
            (Code::Backspace, _) if self.cursor > 0 => {
                self.cursor -= 1;
                self.chars.remove(self.cursor);
            }
            (Code::Delete, _) if self.cursor < self.chars.len() => {
                self.chars.remove(self.cursor);
            }
            (Code::Left, _) => self.cursor = self.cursor.saturating_sub(1),
            (Code::Right, _) => self.cursor = (self.cursor + 1).min(self.chars.len()),
            (Code::Home, _) => self.cursor = 0,
            (Code::End, _) => self.cursor = self.chars.len(),
            (Code::Backspace | Code::Delete, _) => {}
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::key::{ch, ctrl, key};
    use super::*;

    #[test]
    fn a_value_to_be_replaced_is_replaced_by_the_first_character_or_edited() {
        // Space is a key nearly everywhere: a blank deletes nothing.
        let mut field = Field::replacing("512");
        field.press(ch(' '));
        assert_eq!(field.text(), "512");
        let mut field = Field::replacing("512");
        field.press(ch('6'));
        field.press(ch('4'));
        assert_eq!(field.text(), "64");
        let mut field = Field::replacing("512");
        field.press(key(Code::Backspace));
        field.press(ch('6'));
        assert_eq!(field.text(), "516");
    }

    #[test]
    fn everything_types_digits_and_q_too() {
        let mut f = Field::default();
        for c in "12.6 q?".chars() {
            assert!(f.press(ch(c)));
        }
        assert_eq!(f.text(), "12.6 q?");
        assert!(!f.press(key(Code::Enter)));
        assert!(!f.press(ctrl('c')));
    }

    #[test]
    fn words_and_lines_are_cut_as_in_a_shell() {
        let mut f = Field::with("219.27 GFLOP ");
        f.press(ctrl('w'));
        assert_eq!(f.text(), "219.27 ");
        f.press(ctrl('w'));
        assert_eq!(f.text(), "");
        let mut f = Field::with("abc");
        f.press(key(Code::Left));
        f.press(ctrl('u'));
        assert_eq!(f.halves(), (String::new(), "c".to_owned()));
    }

    #[test]
    fn lines_that_are_pasted_are_parted_by_a_blank() {
        let mut f = Field::default();
        assert!(f.paste("1\r\n2\u{1b}3\t4\n").unwrap().contains("left out"));
        assert_eq!(f.text(), "1 23 4");
        // What is pasted as it was needs no word; everything else has one.
        let mut f = Field::default();
        assert_eq!(f.paste("a|b; #\u{a0}\u{301}宽\n"), None);
        assert!(f.paste("1\n2").unwrap().contains("one line"));
        assert!(f.paste("\u{202e}").unwrap().contains("left out"));
        assert_eq!(f.text(), "a|b; #\u{a0}\u{301}宽1 2");
        assert!(f.paste(&"z".repeat(LONGEST)).unwrap().contains("full"));
    }
}
