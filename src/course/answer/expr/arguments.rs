//! What stands in the parentheses of a call, and the subjects that are priced.

use super::ast::{Arg, Extent, Function, Subject};
use super::parse::{Parser, Result};
use super::vocabulary::{self, Signature, Slot, suggest};
use crate::answer::setup::Setting;
use plan::fusion::{Cut, Version};
use plan::model::{BLOCK_OPS, Dtype, OpKind};

impl Parser<'_> {
    pub(super) fn subject(&mut self, name: &str, at: usize) -> Result<Subject> {
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
    pub(super) fn arguments(
        &mut self,
        signature: &Signature,
        at: usize,
    ) -> Result<(Vec<Arg>, Vec<Setting>)> {
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
                    // Named numbers go on for as long as there are some.
                    if *slot != Slot::Named {
                        slots = rest;
                    }
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
        let several = slots == [Slot::Named] && args.len() >= 2;
        if slots.is_empty() || several {
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
                    self.error(at, format!("“{word}” is not a figure of a kernel{hint}"))
                })
            }
            Slot::Word => {
                let word = self.raw();
                match word.is_empty() {
                    true => Err(self.error(at, "a word is expected here".to_owned())),
                    false => Ok(Arg::Word(word)),
                }
            }
            Slot::Named => {
                if self.peek() != Some('\'') {
                    let message = "a name in quotes is expected here, and its number after it";
                    return Err(self.error(at, message.to_owned()));
                }
                let name = self.quoted()?;
                if !self.eat(',') {
                    let message = format!("after '{name}' a comma and its number are expected");
                    return Err(self.error(self.at, message));
                }
                Ok(Arg::Named(name, self.sum()?))
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
