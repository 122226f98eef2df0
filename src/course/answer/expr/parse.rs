//! Text to tree. Each function says what its arguments are, so that a plan
//! (`v1+qkv`), ops (`q k v`) and sums can stand in one pair of parentheses.

use super::ast::{Arg, Call, Function, Kind, Node, Operator};
use super::error::ExprError;
use super::vocabulary::{self, suggest};
use plan::fusion::Version;
use plan::units::{self, Dimension, Quantity, Unit};

const DEEPEST: usize = 48;
const LONGEST: usize = 600;

pub(super) type Result<T> = std::result::Result<T, ExprError>;

pub(super) fn parse(text: &str) -> Result<Node> {
    let chars: Vec<char> = text.chars().collect();
    let mut parser = Parser {
        chars: &chars,
        at: 0,
        depth: 0,
    };
    if chars.len() > LONGEST {
        return Err(parser.error(
            LONGEST,
            format!("an expression has at most {LONGEST} characters"),
        ));
    }
    parser.skip();
    if parser.peek().is_none() {
        return Err(parser.error(
            parser.at,
            "an expression is expected, such as block(v1).bytes".to_owned(),
        ));
    }
    let node = parser.sum()?;
    parser.skip();
    match parser.peek() {
        None => Ok(node),
        Some(c) => Err(parser.error(parser.at, format!("“{c}” does not continue the expression"))),
    }
}

pub(super) struct Parser<'a> {
    pub(super) chars: &'a [char],
    pub(super) at: usize,
    depth: usize,
}

impl Parser<'_> {
    pub(super) fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    pub(super) fn skip(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    pub(super) fn eat(&mut self, c: char) -> bool {
        self.skip();
        let found = self.peek() == Some(c);
        self.at += usize::from(found);
        found
    }

    pub(super) fn error(&self, at: usize, message: String) -> ExprError {
        ExprError {
            column: at + 1,
            message,
        }
    }

    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error(self.at, "this is nested too deeply".to_owned()));
        }
        let result = inner(self);
        self.depth -= 1;
        result
    }

    pub(super) fn sum(&mut self) -> Result<Node> {
        self.deeper(|p| {
            p.chain(
                &[
                    ('+', Operator::Plus),
                    ('-', Operator::Minus),
                    ('−', Operator::Minus),
                ],
                Self::product,
            )
        })
    }

    fn product(&mut self) -> Result<Node> {
        let operators = [
            ('*', Operator::Times),
            ('·', Operator::Times),
            ('×', Operator::Times),
            ('/', Operator::Over),
        ];
        self.chain(&operators, Self::signed)
    }

    /// Left-associative operators of one rank.
    fn chain(
        &mut self,
        operators: &[(char, Operator)],
        operand: fn(&mut Self) -> Result<Node>,
    ) -> Result<Node> {
        let mut left = operand(self)?;
        loop {
            self.skip();
            let at = self.at;
            let Some((_, operator)) = operators.iter().find(|(c, _)| self.peek() == Some(*c))
            else {
                return Ok(left);
            };
            self.at += 1;
            let right = operand(self)?;
            left = Node {
                column: at + 1,
                kind: Kind::Binary(*operator, Box::new(left), Box::new(right)),
            };
        }
    }

    fn signed(&mut self) -> Result<Node> {
        self.skip();
        let at = self.at;
        if matches!(self.peek(), Some('-' | '−')) {
            self.at += 1;
            let inner = self.deeper(Self::signed)?;
            return Ok(Node {
                column: at + 1,
                kind: Kind::Negated(Box::new(inner)),
            });
        }
        self.power()
    }

    fn power(&mut self) -> Result<Node> {
        let base = self.atom()?;
        self.skip();
        let at = self.at;
        let exponent = match self.peek() {
            Some('^') => {
                self.at += 1;
                self.deeper(Self::signed)?
            }
            Some(c @ ('²' | '³')) => {
                self.at += 1;
                let n = Quantity::count(if c == '²' { 2 } else { 3 });
                Node {
                    column: at + 1,
                    kind: Kind::Number(n),
                }
            }
            _ => return Ok(base),
        };
        Ok(Node {
            column: at + 1,
            kind: Kind::Binary(Operator::Power, Box::new(base), Box::new(exponent)),
        })
    }

    fn atom(&mut self) -> Result<Node> {
        self.skip();
        let at = self.at;
        let node = |kind| Node {
            column: at + 1,
            kind,
        };
        match self.peek() {
            None => Err(self.error(at, "an operand is missing at the end".to_owned())),
            Some('(') => {
                self.at += 1;
                let inner = self.sum()?;
                if !self.eat(')') {
                    return Err(self.error(at, "this parenthesis is not closed".to_owned()));
                }
                Ok(inner)
            }
            Some('\'') => self.texts().map(node),
            Some(c) if c.is_ascii_digit() || c == '.' => self.number().map(node),
            Some(c) if c.is_alphabetic() || c == '_' => self.named(),
            Some(c) => Err(self.error(at, format!("an operand is expected where “{c}” stands"))),
        }
    }

    fn number(&mut self) -> Result<Kind> {
        let lexed =
            units::lex_number(self.chars, self.at).map_err(|e| self.error(e.at, e.message))?;
        let Some((number, next)) = lexed else {
            return Err(self.error(self.at, "a number is expected".to_owned()));
        };
        self.at = next;
        let before = self.at;
        self.skip();
        match units::lex_symbol(self.chars, self.at).map_err(|e| self.error(e.at, e.message))? {
            Some((unit, next)) if self.ends_word(next) => {
                self.at = next;
                let q = number.in_unit(unit);
                // “40 %” and “1.04x” are plain numbers once they are read.
                let plain = unit == Unit::FACTOR || unit == Unit::PERCENT;
                Ok(Kind::Number(if plain {
                    q.with_dimension(Dimension::Ratio)
                } else {
                    q
                }))
            }
            _ => {
                self.at = before;
                Ok(Kind::Number(number.plain()))
            }
        }
    }

    /// Whether a unit that ends at `at` is not the beginning of a longer name.
    fn ends_word(&self, at: usize) -> bool {
        !self
            .chars
            .get(at)
            .is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '(' | '.'))
    }

    fn texts(&mut self) -> Result<Kind> {
        let mut found = Vec::new();
        while self.peek() == Some('\'') {
            found.push(self.quoted()?);
            self.skip();
        }
        Ok(match <[String; 1]>::try_from(found) {
            Ok([one]) => Kind::Text(one),
            Err(several) => Kind::Texts(several),
        })
    }

    pub(super) fn quoted(&mut self) -> Result<String> {
        let open = self.at;
        self.at += 1;
        let rest = self.chars.get(self.at..).unwrap_or_default();
        let Some(len) = rest.iter().position(|c| *c == '\'') else {
            return Err(self.error(open, "this text is not closed by '".to_owned()));
        };
        self.at += len + 1;
        Ok(rest.iter().take(len).collect())
    }

    pub(super) fn word(&mut self) -> String {
        let rest = self.chars.get(self.at..).unwrap_or_default();
        let word: String = rest
            .iter()
            .take_while(|c| c.is_alphanumeric() || **c == '_')
            .collect();
        self.at += word.chars().count();
        word
    }

    /// A symbol, a function, or a subject with its field.
    fn named(&mut self) -> Result<Node> {
        let at = self.at;
        let name = self.word();
        let node = |kind| {
            Ok(Node {
                column: at + 1,
                kind,
            })
        };
        if let Some(symbol) = vocabulary::symbol(&name) {
            return node(Kind::Symbol(symbol));
        }
        if vocabulary::SUBJECTS.contains(&name.as_str()) {
            let subject = self.subject(&name, at)?;
            let field = self.field()?.ok_or_else(|| {
                self.error(
                    self.at,
                    format!(
                        "{name} needs a point and what is asked: {name}….bytes, .flops, .launches"
                    ),
                )
            })?;
            let (settings, args) = (Vec::new(), vec![Arg::Subject(subject)]);
            let call = Call {
                function: Function::Measure,
                args,
                settings,
                field: Some(field),
            };
            return node(Kind::Call(Box::new(call)));
        }
        let Some(signature) = vocabulary::function(&name) else {
            let hint = if Version::parse(&name).is_ok() {
                format!("; {name} is a plan: write block({name}).bytes")
            } else {
                suggest(&name, vocabulary::names())
            };
            return Err(self.error(at, format!("“{name}” is not known{hint}")));
        };
        let (args, settings) = self.arguments(signature, at)?;
        let field = self.path()?;
        let call = Call {
            function: signature.function,
            args,
            settings,
            field,
        };
        super::check::call(&call).map_err(|message| self.error(at, message))?;
        node(Kind::Call(Box::new(call)))
    }

    /// `.bytes` behind a subject.
    fn field(&mut self) -> Result<Option<String>> {
        if self.peek() != Some('.') {
            return Ok(None);
        }
        self.at += 1;
        let at = self.at;
        let name = self.word();
        if vocabulary::field(&name).is_none() {
            let hint = suggest(&name, vocabulary::field_names());
            return Err(self.error(at, format!("“{name}” is not a figure of a kernel{hint}")));
        }
        Ok(Some(name))
    }

    /// `.launches.counted` behind `run`, `.tied` behind `params`.
    fn path(&mut self) -> Result<Option<String>> {
        let mut path = String::new();
        while self.peek() == Some('.') {
            self.at += 1;
            let word = self.word();
            if word.is_empty() {
                return Err(self.error(self.at, "a name is expected after the point".to_owned()));
            }
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(&word);
        }
        Ok((!path.is_empty()).then_some(path))
    }
}
