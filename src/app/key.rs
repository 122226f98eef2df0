//! Keys as the workshop knows them, apart from any terminal library.

use std::fmt;

/// Which key was pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// A character, with Shift already applied: `v` and `V` differ.
    Char(char),
    /// Enter or Return.
    Enter,
    /// Escape.
    Esc,
    /// Tab.
    Tab,
    /// Shift-Tab.
    BackTab,
    /// Cursor up.
    Up,
    /// Cursor down.
    Down,
    /// Cursor left.
    Left,
    /// Cursor right.
    Right,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Home.
    Home,
    /// End.
    End,
    /// Backspace.
    Backspace,
    /// Delete.
    Delete,
}

/// A key press: the key and whether Ctrl was held.
///
/// There is no Alt and there are no function keys: Escape would have to wait
/// for them, and laptops hide them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// Which key.
    pub code: Code,
    /// Ctrl was held.
    pub ctrl: bool,
}

/// A key without Ctrl.
pub const fn key(code: Code) -> Key {
    Key { code, ctrl: false }
}

/// A character key.
pub const fn ch(c: char) -> Key {
    key(Code::Char(c))
}

/// A character key with Ctrl held.
pub const fn ctrl(c: char) -> Key {
    Key {
        code: Code::Char(c),
        ctrl: true,
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ctrl {
            return match self.code {
                Code::Char(c) => write!(f, "Ctrl-{}", c.to_ascii_uppercase()),
                _ => write!(f, "Ctrl-{}", key(self.code)),
            };
        }
        let name = match self.code {
            Code::Char(' ') => "Space",
            Code::Char(c) => return write!(f, "{c}"),
            Code::Enter => "Enter",
            Code::Esc => "Esc",
            Code::Tab => "Tab",
            Code::BackTab => "Shift-Tab",
            Code::Up => "↑",
            Code::Down => "↓",
            Code::Left => "←",
            Code::Right => "→",
            Code::PageUp => "PgUp",
            Code::PageDown => "PgDn",
            Code::Home => "Home",
            Code::End => "End",
            Code::Backspace => "Backspace",
            Code::Delete => "Delete",
        };
        f.write_str(name)
    }
}

impl Key {
    /// A key as a learner writes it: `x`, `X`, `space`, `ctrl-o`.
    pub fn read(text: &str) -> Option<Self> {
        let mut chars = text.chars();
        if let (Some(c), None) = (chars.next(), chars.next()) {
            return (!c.is_control()).then_some(ch(c));
        }
        let lower = text.to_ascii_lowercase();
        match lower.strip_prefix("ctrl-") {
            Some(letter) => {
                let mut letters = letter.chars();
                let one = letters.next().filter(|c| c.is_ascii_lowercase())?;
                letters.next().is_none().then_some(ctrl(one))
            }
            None if lower == "space" => Some(ch(' ')),
            None => None,
        }
    }
}

/// Names of several keys as help and footer print them: arrows run together,
/// the others are set apart by a space (`↑↓ j k`).
pub fn names<'a>(keys: impl IntoIterator<Item = &'a Key>) -> String {
    let arrow =
        |k: &Key| !k.ctrl && matches!(k.code, Code::Up | Code::Down | Code::Left | Code::Right);
    let mut out = String::new();
    let mut after_arrow = false;
    for k in keys {
        if !(out.is_empty() || after_arrow && arrow(k)) {
            out.push(' ');
        }
        after_arrow = arrow(k);
        out.push_str(&k.to_string());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_are_written() {
        let cases = [
            ("x", Some(ch('x'))),
            ("X", Some(ch('X'))),
            ("space", Some(ch(' '))),
            ("Ctrl-O", Some(ctrl('o'))),
            ("ctrl-", None),
            ("ctrl-ab", None),
            ("f5", None),
            ("", None),
        ];
        for (text, wanted) in cases {
            assert_eq!(Key::read(text), wanted, "{text}");
        }
    }

    #[test]
    fn arrows_run_together_and_letters_stand_apart() {
        let keys = [key(Code::Up), key(Code::Down), ch('j'), ch('k')];
        assert_eq!(names(&keys), "↑↓ j k");
        assert_eq!(names(&[ctrl('c')]), "Ctrl-C");
        assert_eq!(names(&[ch(' ')]), "Space");
    }
}
