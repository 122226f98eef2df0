//! Text to tree. Each function says what its arguments are, so that a plan
//! (`v1+qkv`), ops (`q k v`) and sums can stand in one pair of parentheses.

use super::ast::{Arg, Call, Extent, Function, Kind, Node, Operator, Subject};
use super::error::ExprError;
use super::vocabulary::{self, Signature, Slot, suggest};
use crate::answer::setup::Setting;
use crate::fusion::{Cut, Version};
use crate::model::{BLOCK_OPS, Dtype, OpKind};
use crate::units::{self, Dimension, Quantity, Unit};

const DEEPEST: usize = 48;
const LONGEST: usize = 600;

type Result<T> = std::result::Result<T, ExprError>;

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

struct Parser<'a> {
    chars: &'a [char],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn skip(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    fn eat(&mut self, c: char) -> bool {
        self.skip();
        let found = self.peek() == Some(c);
        self.at += usize::from(found);
        found
    }

    fn error(&self, at: usize, message: String) -> ExprError {
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

    fn sum(&mut self) -> Result<Node> {
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

    fn quoted(&mut self) -> Result<String> {
        let open = self.at;
        self.at += 1;
        let rest = self.chars.get(self.at..).unwrap_or_default();
        let Some(len) = rest.iter().position(|c| *c == '\'') else {
            return Err(self.error(open, "this text is not closed by '".to_owned()));
        };
        self.at += len + 1;
        Ok(rest.iter().take(len).collect())
    }

    fn word(&mut self) -> String {
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
            return Err(self.error(at, format!("“{name}” is nothing that a kernel has{hint}")));
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
                return Err(self.error(self.at, "a name is expected behind the point".to_owned()));
            }
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(&word);
        }
        Ok((!path.is_empty()).then_some(path))
    }

    fn subject(&mut self, name: &str, at: usize) -> Result<Subject> {
        const PLAN: &[Slot] = &[Slot::Plan];
        const OP: &[Slot] = &[Slot::Plan, Slot::Op];
        const OPS: &[Slot] = &[Slot::Plan, Slot::Ops];
        const SUM: &[Slot] = &[Slot::Ops];
        let (slots, usage) = match name {
            "kernel" => (OP, "kernel(v1, q)"),
            "group" => (OPS, "group(v1, q k v)"),
            "sum" => (SUM, "sum(q k v)"),
            "forward" => (PLAN, "forward(v1)"),
            _ => (PLAN, "block(v1)"),
        };
        let signature = Signature {
            name: "",
            function: Function::Measure,
            slots,
            usage,
        };
        let (args, settings) = self.arguments(&signature, at)?;
        let mut plan = None;
        let mut extent = if name == "forward" {
            Extent::Forward
        } else {
            Extent::Block
        };
        for arg in args {
            match arg {
                Arg::Plan(cut) => plan = cut,
                Arg::Op(op) => extent = Extent::Kernel(op),
                Arg::Ops(ops) => extent = Extent::Group(ops),
                _ => {}
            }
        }
        if name == "sum" {
            plan = Some(Version::V1.cut());
        }
        Ok(Subject {
            column: at + 1,
            extent,
            plan,
            settings,
        })
    }

    /// The arguments in parentheses: positional ones by the signature, then
    /// settings (`batch=8`). A plan at the front may be left out.
    fn arguments(&mut self, signature: &Signature, at: usize) -> Result<(Vec<Arg>, Vec<Setting>)> {
        let (mut args, mut settings) = (Vec::new(), Vec::new());
        let wrong = |p: &Self| p.error(at, format!("write it as {}", signature.usage));
        let mut slots = signature.slots;
        if self.peek() == Some('(') {
            let open = self.at;
            self.at += 1;
            let given = self.positional(open)?;
            if slots.first() == Some(&Slot::Plan) && given < slots.len() && given + 1 >= slots.len()
            {
                args.push(Arg::Plan(None));
                slots = slots.get(1..).unwrap_or_default();
            }
            loop {
                if self.eat(')') {
                    break;
                }
                if let Some(setting) = self.setting()? {
                    settings.push(setting);
                } else {
                    let Some((slot, rest)) = slots.split_first() else {
                        return Err(wrong(self));
                    };
                    args.push(self.argument(*slot)?);
                    slots = rest;
                }
                self.skip();
                if !self.eat(',') && self.peek() != Some(')') {
                    return Err(match self.peek() {
                        None => self.error(open, "this parenthesis is not closed".to_owned()),
                        Some(c) => {
                            self.error(self.at, format!("“{c}” stands where , or ) is expected"))
                        }
                    });
                }
            }
        } else if slots.first() == Some(&Slot::Plan) && slots.len() == 1 {
            args.push(Arg::Plan(None));
            slots = &[];
        }
        if slots.is_empty() {
            Ok((args, settings))
        } else {
            Err(wrong(self))
        }
    }

    /// How many positional arguments the open parenthesis holds.
    fn positional(&self, open: usize) -> Result<usize> {
        let (mut depth, mut quoted, mut count, mut empty, mut named) =
            (0_usize, false, 0, true, false);
        for c in self.chars.get(open..).unwrap_or_default() {
            match c {
                '\'' => quoted = !quoted,
                _ if quoted => {}
                '(' => depth += 1,
                ')' | ',' if depth == 1 => {
                    count += usize::from(!empty && !named);
                    (empty, named) = (true, false);
                    if *c == ')' {
                        return Ok(count);
                    }
                    continue;
                }
                ')' => depth = depth.saturating_sub(1),
                '=' if depth == 1 => named = true,
                _ => {}
            }
            empty &= c.is_whitespace() || (*c == '(' && depth == 1);
        }
        Err(self.error(open, "this parenthesis is not closed".to_owned()))
    }

    /// `batch=8`, `causal=exact`, `version=v2`.
    fn setting(&mut self) -> Result<Option<Setting>> {
        self.skip();
        let at = self.at;
        let name = self.word();
        self.skip();
        if name.is_empty() || self.peek() != Some('=') {
            self.at = at;
            return Ok(None);
        }
        self.at += 1;
        let value_at = self.at;
        let value = self.raw();
        Setting::parse(&name, &value)
            .map(Some)
            .map_err(|e| self.error(if e.of_value { value_at } else { at }, e.message))
    }

    /// The text up to the next comma or closing parenthesis, without quotes.
    fn raw(&mut self) -> String {
        self.skip();
        if self.peek() == Some('\'') {
            return self.quoted().unwrap_or_default();
        }
        let rest = self.chars.get(self.at..).unwrap_or_default();
        let text: String = rest
            .iter()
            .take_while(|c| !matches!(c, ',' | '(' | ')' | '\''))
            .collect();
        self.at += text.chars().count();
        text.trim().to_owned()
    }

    fn argument(&mut self, slot: Slot) -> Result<Arg> {
        self.skip();
        let at = self.at;
        match slot {
            Slot::Value => self.sum().map(Arg::Value),
            Slot::Subject => self.subject_argument().map(Arg::Subject),
            Slot::Plan => self.plan().map(|cut| Arg::Plan(Some(cut))),
            Slot::Op => {
                let word = self.raw();
                self.op(&word, at).map(Arg::Op)
            }
            Slot::Ops => {
                let text = self.raw();
                let mut ops = Vec::new();
                for word in text.split_whitespace() {
                    ops.push(self.op(word, at)?);
                    if word == "rope" {
                        ops.push(OpKind::RopeK);
                    }
                }
                if ops.is_empty() {
                    return Err(self.error(at, "ops are expected, such as q k v".to_owned()));
                }
                Ok(Arg::Ops(ops))
            }
            Slot::Gpu => Ok(Arg::Gpu(self.raw())),
            Slot::Dtype => {
                let word = self.raw();
                Dtype::parse(&word)
                    .map(Arg::Dtype)
                    .map_err(|e| self.error(at, e.to_string()))
            }
            Slot::Field => {
                let word = self.raw();
                vocabulary::field(&word).map(Arg::Field).ok_or_else(|| {
                    let hint = suggest(&word, vocabulary::field_names());
                    self.error(at, format!("“{word}” is nothing that a kernel has{hint}"))
                })
            }
            Slot::Flag => {
                let word = self.raw();
                match word.as_str() {
                    "on" | "true" => Ok(Arg::Flag(true)),
                    "off" | "false" => Ok(Arg::Flag(false)),
                    _ => {
                        Err(self.error(at, format!("“{word}” stands where on or off is expected")))
                    }
                }
            }
        }
    }

    /// `block(v1)` … or a bare plan.
    fn subject_argument(&mut self) -> Result<Subject> {
        let at = self.at;
        let name = self.word();
        let here = self.at;
        self.skip();
        let called = self.peek() == Some('(') || matches!(self.peek(), Some(',' | ')'));
        if vocabulary::SUBJECTS.contains(&name.as_str())
            && called
            && (name != "forward" || self.peek() == Some('('))
        {
            self.at = here;
            return self.subject(&name, at);
        }
        self.at = at;
        let plan = self.plan()?;
        Ok(Subject {
            column: at + 1,
            extent: Extent::Plan,
            plan: Some(plan),
            settings: Vec::new(),
        })
    }

    fn plan(&mut self) -> Result<Cut> {
        let at = self.at;
        let text = self.raw();
        Cut::parse(&text).map_err(|e| self.error(at, e.to_string()))
    }

    fn op(&self, word: &str, at: usize) -> Result<OpKind> {
        OpKind::parse(word).ok_or_else(|| {
            let known = BLOCK_OPS.iter().map(|op| op.name()).chain([
                "rope",
                "embed",
                "final_norm",
                "lm_head",
            ]);
            self.error(at, format!("“{word}” is not an op{}", suggest(word, known)))
        })
    }
}
