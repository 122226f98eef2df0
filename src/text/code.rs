//! Code colours: one small lexer, driven by a table per language.
//!
//! It knows comments, strings, numbers and lists of words; it parses nothing,
//! so half a kernel or a wrong one is coloured as well as a right one. Lines
//! that belong together (block comments, long strings) are followed across
//! line ends.

mod languages;

use super::clean::clean;
use super::span::{Role, Span, blanks, push, width};
use languages::{LANGUAGES, Language};

/// Columns between tab stops.
const TAB: usize = 4;

/// By what a file's name ends: a language to [`highlight`].
pub fn extension(file: &str) -> &str {
    file.rsplit('.').next().unwrap_or_default()
}

/// `text` in lines of coloured spans; an unknown language is [`Role::Code`]
/// throughout. Tabs become spaces, control characters visible marks.
///
/// ```
/// use text::{Role, code::highlight};
/// let lines = highlight("cuda", "int i = 42; // row\n");
/// let roles: Vec<Role> = lines[0].iter().map(|s| s.role).collect();
/// assert_eq!(roles, [Role::Type, Role::Code, Role::Number, Role::Code, Role::Comment]);
/// ```
pub fn highlight(language: &str, text: &str) -> Vec<Vec<Span>> {
    let text = clean(text);
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let mut page = Lines {
        done: Vec::new(),
        open: Vec::new(),
        column: 0,
    };
    match LANGUAGES.iter().find(|l| l.names.contains(&language)) {
        Some(language) => scan(language, text, &mut page),
        None => page.add(text, Role::Code),
    }
    page.done.push(page.open);
    page.done
}

struct Lines {
    done: Vec<Vec<Span>>,
    open: Vec<Span>,
    column: usize,
}

impl Lines {
    fn add(&mut self, text: &str, role: Role) {
        for (i, line) in text.split('\n').enumerate() {
            if i > 0 {
                self.done.push(std::mem::take(&mut self.open));
                self.column = 0;
            }
            for (j, part) in line.split('\t').enumerate() {
                if j > 0 {
                    let stop = TAB - self.column % TAB;
                    push(&mut self.open, blanks(stop), role);
                    self.column += stop;
                }
                push(&mut self.open, part, role);
                self.column += width(part);
            }
        }
    }
}

fn scan(language: &Language, text: &str, page: &mut Lines) {
    let mut rest = text;
    let mut line_start = true;
    while !rest.is_empty() {
        let (len, role) = token(language, rest, line_start);
        // A token is never empty and ends at a character; should a table say
        // otherwise, one character is taken.
        let len = if len > 0 && rest.is_char_boundary(len) {
            len
        } else {
            first_char(rest)
        };
        let (token, after) = rest.split_at(len);
        page.add(token, role);
        line_start = token.ends_with('\n') || (line_start && token.trim().is_empty());
        rest = after;
    }
}

/// Length in bytes and role of the token that `rest` begins with.
fn token(language: &Language, rest: &str, line_start: bool) -> (usize, Role) {
    let line = || rest.find('\n').unwrap_or(rest.len());
    if let Some((open, close)) = language.block_comment
        && let Some(inside) = rest.strip_prefix(open)
    {
        let end = inside.find(close).map_or(inside.len(), |i| i + close.len());
        return (open.len() + end, Role::Comment);
    }
    if language.line_comments.iter().any(|c| rest.starts_with(c)) {
        return (line(), Role::Comment);
    }
    if line_start && language.headers && rest.starts_with('[') {
        return (rest.find(['\n', '#']).unwrap_or(rest.len()), Role::Type);
    }
    for string in language.strings {
        if let Some(inside) = rest.strip_prefix(string.open) {
            let end = string_end(inside, string.close, string.escapes, string.lines);
            return (string.open.len() + end, Role::String);
        }
    }
    let mut chars = rest.chars();
    let (Some(c), next) = (chars.next(), chars.next()) else {
        return (0, Role::Code);
    };
    if c == '\'' && language.char_literals {
        return match char_literal(rest) {
            Some(len) => (len, Role::String),
            // A Rust lifetime, or a quote that stands alone.
            None => (1, Role::Code),
        };
    }
    if c == '.' && next == Some('.') {
        // A range, not the fraction of what follows it.
        return (2, Role::Code);
    }
    if c.is_ascii_digit() || (c == '.' && next.is_some_and(|n| n.is_ascii_digit())) {
        return (number(rest), Role::Number);
    }
    if let Some(directive) = language.directive
        && c == directive
        && line_start
    {
        let word = rest.get(1..).map_or(0, |r| {
            r.find(|c: char| !c.is_alphanumeric()).unwrap_or(r.len())
        });
        return (1 + word, Role::Keyword);
    }
    let begins = |c: char| c.is_alphabetic() || c == '_' || language.word_starts.contains(c);
    let goes_on = |c: char| c.is_alphanumeric() || c == '_' || language.word_parts.contains(c);
    if begins(c) {
        let len = rest
            .char_indices()
            .skip(1)
            .find(|(_, c)| !goes_on(*c))
            .map_or(rest.len(), |(i, _)| i);
        return (len, word(language, rest.get(..len).unwrap_or("")));
    }
    (c.len_utf8(), Role::Code)
}

fn word(language: &Language, word: &str) -> Role {
    // In PTX the parts of an instruction hang together: `ld.global.f32`.
    let key = match language.word_parts.contains('.') {
        true => word.trim_start_matches('.').split('.').next().unwrap_or(""),
        false => word,
    };
    if language.types.contains(&key) {
        Role::Type
    } else if language.keywords.contains(&key) {
        Role::Keyword
    } else if language.builtins.contains(&key) {
        Role::Builtin
    } else {
        Role::Code
    }
}

/// Bytes up to and with the closing mark; to the end of the line, or of the
/// text for strings over several lines, when there is none.
fn string_end(inside: &str, close: &str, escapes: bool, lines: bool) -> usize {
    let mut skip = false;
    for (i, c) in inside.char_indices() {
        if skip {
            skip = false;
        } else if escapes && c == '\\' {
            skip = true;
        } else if c == '\n' && !lines {
            return i;
        } else if inside.get(i..).is_some_and(|r| r.starts_with(close)) {
            return i + close.len();
        }
    }
    inside.len()
}

/// Length of `'x'` or `'\n'`; `None` if `rest` begins with another use of `'`.
fn char_literal(rest: &str) -> Option<usize> {
    let inside = rest.get(1..)?;
    let mut chars = inside.char_indices();
    let (_, first) = chars.next()?;
    if first == '\\' {
        chars.next()?;
        let (end, _) = chars
            .take(10)
            .take_while(|(_, c)| *c != '\n')
            .find(|(_, c)| *c == '\'')?;
        return Some(1 + end + 1);
    }
    let (end, second) = chars.next()?;
    (first != '\'' && first != '\n' && second == '\'').then_some(1 + end + 1)
}

/// Length of a number with its prefix, separators, exponent and suffix.
fn number(rest: &str) -> usize {
    let hex = rest.starts_with("0x") || rest.starts_with("0X");
    let mut before = ' ';
    let mut chars = rest.char_indices().peekable();
    while let Some((i, c)) = chars.next() {
        let next = chars.peek().map(|(_, c)| *c);
        let exponent = !hex && matches!(before, 'e' | 'E') || matches!(before, 'p' | 'P');
        let goes_on = c.is_ascii_alphanumeric()
            || c == '_'
            || (c == '.'
                && next != Some('.')
                && !next.is_some_and(|n| n.is_alphabetic() && n != 'f'))
            || (c == '\'' && next.is_some_and(|n| n.is_ascii_digit()))
            || (matches!(c, '+' | '-') && exponent && next.is_some_and(|n| n.is_ascii_digit()));
        if !goes_on {
            return i;
        }
        before = c;
    }
    rest.len()
}

fn first_char(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests;
