//! TeX source to a tree.

use super::symbols::{Class, DELIMITERS, Delimiter, FUNCTIONS, SIGNS, SPACES, WORDS};
use super::{Node, Row};
use crate::element::{Fault, Place, Value};

/// Fractions within fractions deeper than this are refused.
const DEEPEST: usize = 24;

pub(super) fn read(source: &str, place: Place, offset: usize) -> Result<Row, Fault> {
    let mut reader = Reader {
        source,
        offset,
        at: 0,
        place,
        depth: 0,
    };
    let row = reader.row(Until::End)?;
    Ok(row)
}

/// What ends a row.
#[derive(Clone, Copy, PartialEq)]
enum Until {
    End,
    Brace,
    Right,
}

struct Reader<'a> {
    source: &'a str,
    /// Where the source begins in the parsed text.
    offset: usize,
    /// Byte offset, always at a character.
    at: usize,
    place: Place,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.source.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.next();
        }
    }

    fn fault<T>(&self, at: usize, message: impl Into<String>) -> Result<T, Fault> {
        let place = self.place.after(self.source.get(..at).unwrap_or(""));
        Err(Fault {
            place,
            message: message.into(),
        })
    }

    fn row(&mut self, until: Until) -> Result<Row, Fault> {
        let begin = self.at;
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.fault(begin, "mathematics is nested too deeply");
        }
        let mut row = Row::new();
        loop {
            self.skip_space();
            let here = self.at;
            if until == Until::Right && self.rest().starts_with("\\right") {
                break;
            }
            match self.peek() {
                None if until == Until::End => break,
                None if until == Until::Right => {
                    return self.fault(begin, "\\left has no \\right");
                }
                None => return self.fault(begin.saturating_sub(1), "{ has no }"),
                Some('}') if until == Until::Brace => break,
                Some('}') => return self.fault(here, "} has no {"),
                Some('^' | '_') => self.script(&mut row)?,
                Some('&') if until == Until::End => {
                    self.next();
                    row.push(Node::Align);
                }
                Some('&') => return self.fault(here, "& within braces"),
                Some(_) => {
                    let node = self.node()?;
                    if node == Node::Break && until != Until::End {
                        return self.fault(here, "\\\\ within braces");
                    }
                    row.push(node);
                }
            }
        }
        self.depth -= 1;
        Ok(row)
    }

    /// `^…` or `_…` after what was read last.
    fn script(&mut self, row: &mut Row) -> Result<(), Fault> {
        let here = self.at;
        let raised = self.next() == Some('^');
        let script = self.argument(if raised { "^" } else { "_" })?;
        // Without a base it stands on nothing, as in `{}^2`.
        let last = match row.pop() {
            Some(Node::Space(n)) => {
                row.push(Node::Space(n));
                Node::Group(Row::new())
            }
            Some(Node::Align) => {
                row.push(Node::Align);
                Node::Group(Row::new())
            }
            Some(node) => node,
            None => Node::Group(Row::new()),
        };
        let (base, mut below, mut above) = match last {
            Node::Script { base, below, above } => (base, below, above),
            node => (Box::new(node), None, None),
        };
        let slot = if raised { &mut above } else { &mut below };
        if slot.is_some() {
            return self.fault(here, "two scripts in one place; set braces");
        }
        *slot = Some(script);
        row.push(Node::Script { base, below, above });
        Ok(())
    }

    /// `{row}` or a single node.
    fn argument(&mut self, of: &str) -> Result<Row, Fault> {
        self.skip_space();
        let here = self.at;
        match self.peek() {
            Some('{') => {
                self.next();
                let row = self.row(Until::Brace)?;
                self.next();
                Ok(row)
            }
            None | Some('}' | '^' | '_' | '&') => {
                self.fault(here, format!("{of} has nothing after it"))
            }
            Some(c) if c.is_ascii_digit() => {
                // As in TeX, `x^23` raises the 2 alone.
                self.next();
                Ok(vec![ordinary(c.to_string())])
            }
            Some(_) => {
                self.depth += 1;
                if self.depth > DEEPEST {
                    return self.fault(here, "mathematics is nested too deeply");
                }
                let node = self.node()?;
                self.depth -= 1;
                Ok(vec![node])
            }
        }
    }

    fn node(&mut self) -> Result<Node, Fault> {
        let here = self.at;
        let Some(c) = self.next() else {
            return self.fault(here, "the formula ends too early");
        };
        Ok(match c {
            '\\' => return self.command(here),
            '{' => {
                let row = self.row(Until::Brace)?;
                self.next();
                Node::Group(row)
            }
            '`' => return self.value(here),
            '0'..='9' => {
                self.at = here;
                ordinary(self.number())
            }
            '~' => Node::Space(1),
            '+' => sign("+", "+", Class::Binary),
            '-' | '−' => sign(if c == '-' { "-" } else { "−" }, "-", Class::Binary),
            '*' => sign("*", "*", Class::Binary),
            '·' => sign("·", "*", Class::Tight),
            '×' => sign("×", "x", Class::Binary),
            '/' => sign("/", "/", Class::Tight),
            '=' | '<' | '>' | ':' => sign(&c.to_string(), &c.to_string(), Class::Relation),
            '≤' => sign("≤", "<=", Class::Relation),
            '≥' => sign("≥", ">=", Class::Relation),
            '≈' => sign("≈", "~=", Class::Relation),
            '(' | '[' => sign(&c.to_string(), &c.to_string(), Class::Open),
            ')' | ']' => sign(&c.to_string(), &c.to_string(), Class::Close),
            ',' | ';' => sign(&c.to_string(), &c.to_string(), Class::Comma),
            c => {
                let text = c.to_string();
                let ascii = crate::clean::ascii(&text).into_owned();
                Node::Sign {
                    text,
                    ascii,
                    class: Class::Ordinary,
                }
            }
        })
    }

    /// Digits with a decimal point, and commas before groups of three.
    fn number(&mut self) -> String {
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
        let mut end = 0;
        loop {
            let group = (1..=3).all(|i| digit(end + i)) && !digit(end + 4);
            match bytes.get(end) {
                Some(b) if b.is_ascii_digit() => end += 1,
                Some(b'.') if digit(end + 1) => end += 1,
                Some(b',') if group => end += 1,
                _ => break,
            }
        }
        self.at += end;
        rest.get(..end).unwrap_or("").to_owned()
    }

    /// `` `= EXPR | UNIT` ``
    fn value(&mut self, here: usize) -> Result<Node, Fault> {
        let rest = self.rest();
        let Some((inside, _)) = rest.split_once('`') else {
            return self.fault(here, "` has no second `");
        };
        let Some(expression) = inside.trim_start().strip_prefix("= ") else {
            return self.fault(
                here,
                "backticks in mathematics hold a number, `= EXPRESSION`",
            );
        };
        let expression = expression.trim_start();
        let start = self.at + (inside.len() - expression.len());
        let place = self.place.after(self.source.get(..start).unwrap_or(""));
        self.at += inside.len() + 1;
        Ok(Node::Value(Value {
            expression: expression.trim_end().to_owned(),
            place,
            span: self.offset + here..self.offset + self.at,
        }))
    }

    /// A macro; its backslash has been read.
    fn command(&mut self, here: usize) -> Result<Node, Fault> {
        let name = self.name();
        if let Some((_, text, ascii, class)) = SIGNS.iter().find(|s| s.0 == name) {
            return Ok(sign(text, ascii, *class));
        }
        if let Some((word, limits)) = FUNCTIONS.iter().find(|f| f.0 == name) {
            return Ok(sign(
                word,
                word,
                if *limits { Class::Big } else { Class::Function },
            ));
        }
        if let Some((_, columns)) = SPACES.iter().find(|s| s.0 == name) {
            return Ok(Node::Space(*columns));
        }
        if WORDS.contains(&name) {
            return self.words(here, name);
        }
        match name {
            "frac" | "dfrac" | "tfrac" => {
                let above = self.argument("\\frac")?;
                let below = self.argument("\\frac")?;
                Ok(Node::Fraction(above, below))
            }
            "sqrt" => Ok(Node::Root(self.argument("\\sqrt")?)),
            "left" => {
                let open = self.delimiter(here)?;
                let row = self.row(Until::Right)?;
                let right = self.at;
                self.at += "\\right".len();
                let close = self.delimiter(right)?;
                Ok(Node::Fence(open, row, close))
            }
            "right" => self.fault(here, "\\right has no \\left"),
            "\\" => Ok(Node::Break),
            "" => self.fault(here, "\\ has nothing after it"),
            _ => self.fault(here, format!("unknown macro \\{name}")),
        }
    }

    /// Letters after a backslash, or one other character.
    fn name(&mut self) -> &'a str {
        let rest = self.rest();
        let letters = rest
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(rest.len());
        let end = match letters {
            0 => rest.chars().next().map_or(0, char::len_utf8),
            n => n,
        };
        self.at += end;
        rest.get(..end).unwrap_or("")
    }

    fn delimiter(&mut self, here: usize) -> Result<Delimiter, Fault> {
        self.skip_space();
        let rest = self.rest();
        let found = DELIMITERS.iter().find(|(name, _)| {
            rest.strip_prefix(name).is_some_and(|after| {
                !(name.ends_with(|c: char| c.is_ascii_alphabetic())
                    && after.starts_with(|c: char| c.is_ascii_alphabetic()))
            })
        });
        match found {
            Some((name, delimiter)) => {
                self.at += name.len();
                Ok(*delimiter)
            }
            None => self.fault(
                here,
                "\\left and \\right need a bracket: ( [ \\{ | \\lceil \\lfloor or .",
            ),
        }
    }

    /// The argument of `\text` and its kin: words when it holds no macro.
    fn words(&mut self, here: usize, name: &str) -> Result<Node, Fault> {
        self.skip_space();
        let rest = self.rest();
        let body = rest
            .strip_prefix('{')
            .and_then(|r| r.split_once('}'))
            .map(|(body, _)| body);
        match body {
            Some(body) if !body.contains(['\\', '{']) => {
                self.at += body.len() + 2;
                Ok(ordinary(body.to_owned()))
            }
            _ if rest.starts_with('{') => {
                let begin = self.at;
                let row = self.argument(name)?;
                let source = self.source.get(begin + 1..self.at - 1).unwrap_or("");
                // `\text{a\_b}`: escapes are letters there, and its spaces count.
                Ok(match plain_escapes(source) {
                    Some(text) => ordinary(text),
                    None => Node::Group(row),
                })
            }
            _ => self.fault(here, format!("\\{name} needs words in braces")),
        }
    }
}

/// `source` with `\_`, `\%` and the like unescaped; `None` if it holds more
/// than these.
fn plain_escapes(source: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(e @ ('_' | '%' | '#' | '$' | '&' | '{' | '}' | ' ')) => out.push(e),
                _ => return None,
            },
            '{' | '}' => return None,
            c => out.push(c),
        }
    }
    Some(out)
}

fn sign(text: &str, ascii: &str, class: Class) -> Node {
    Node::Sign {
        text: text.to_owned(),
        ascii: ascii.to_owned(),
        class,
    }
}

fn ordinary(text: String) -> Node {
    let text = text.replace(['\n', '\t'], " ");
    let ascii = crate::clean::ascii(&text).into_owned();
    Node::Sign {
        text,
        ascii,
        class: Class::Ordinary,
    }
}
