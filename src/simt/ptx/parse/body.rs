//! The statements of a function: scopes, registers, labels, places.

use std::collections::HashMap;

use super::operand::operand;
use super::{Reader, Statements};
use crate::ptx::lex::Token;
use crate::ptx::module::{Function, Place, PlaceId, RegId, RegKind};
use crate::ptx::{Guard, Instruction, LabelId, Operand, PtxError, Statement};

enum Named {
    Reg(RegId),
    Variable(String),
}

/// A `{ … }` with the names declared in it.
#[derive(Default)]
struct Scope {
    names: HashMap<String, Named>,
    labels: HashMap<String, LabelId>,
}

/// A function whose body is being read.
pub(super) struct Body {
    function: Function,
    statements: Statements,
    scopes: Vec<Scope>,
    /// `%r<61>`: prefix, count, first register.
    ranges: Vec<(String, u32, u32)>,
    /// Labels that were used before they were defined, with the line.
    label_lines: Vec<(String, u32, bool)>,
    place: PlaceId,
    scope_count: u32,
}

impl Body {
    pub fn new(function: Function) -> Self {
        Body {
            function,
            statements: Vec::new(),
            scopes: vec![Scope::default()],
            ranges: Vec::new(),
            label_lines: Vec::new(),
            place: 0,
            scope_count: 0,
        }
    }

    /// What a word means: register, special register, variable, symbol.
    pub fn resolve(&self, word: &str) -> Operand {
        for scope in self.scopes.iter().rev() {
            match scope.names.get(word) {
                Some(Named::Reg(reg)) => return Operand::Reg(*reg),
                Some(Named::Variable(name)) => return Operand::Symbol(name.clone()),
                None => {}
            }
        }
        let digits = word.trim_start_matches(|c: char| !c.is_ascii_digit());
        let prefix = word.strip_suffix(digits).unwrap_or(word);
        if let Ok(number) = digits.parse::<u32>()
            && let Some((_, _, first)) = self
                .ranges
                .iter()
                .rev()
                .find(|(name, count, _)| name == prefix && number < *count)
        {
            return Operand::Reg(RegId(first + number));
        }
        if word.starts_with('%') || word == "WARP_SZ" {
            return Operand::Special(word.to_owned());
        }
        Operand::Symbol(word.to_owned())
    }

    /// The label of this name: defined in an open scope, else one to be defined.
    fn label(&mut self, name: &str, line: u32, define: bool) -> LabelId {
        let known = self
            .scopes
            .iter()
            .rev()
            .find_map(|scope| scope.labels.get(name).copied());
        if let Some(label) = known
            && let Some(entry) = self.label_lines.get_mut(label.0 as usize)
            && !(define && entry.2)
        {
            entry.2 |= define;
            return label;
        }
        let label = LabelId(self.label_lines.len() as u32);
        self.label_lines.push((name.to_owned(), line, define));
        // NVRTC's own labels belong to the function; those of inline assembly to its scope.
        let at = if name.starts_with('$') {
            0
        } else {
            self.scopes.len().saturating_sub(1)
        };
        if let Some(scope) = self.scopes.get_mut(at) {
            scope.labels.insert(name.to_owned(), label);
        }
        label
    }

    /// Reads from `{` to the matching `}`.
    pub fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), PtxError> {
        reader.cursor.expect(b'{')?;
        loop {
            let Some(lexeme) = reader.cursor.peek() else {
                return Err(reader.cursor.unexpected("`}`"));
            };
            match lexeme.token {
                Token::Mark(b'{') => {
                    reader.cursor.next();
                    self.scope_count += 1;
                    self.scopes.push(Scope::default());
                }
                Token::Mark(b'}') => {
                    reader.cursor.next();
                    self.scopes.pop();
                    if self.scopes.is_empty() {
                        return Ok(());
                    }
                }
                Token::Mark(b';') => {
                    reader.cursor.next();
                }
                Token::Word(word) if word.starts_with('.') => self.directive(reader, word)?,
                Token::Word(word) if reader.cursor.peek_second() == Some(Token::Mark(b':')) => {
                    reader.cursor.next();
                    reader.cursor.next();
                    let label = self.label(word, lexeme.line, true);
                    self.statements.push(Statement::Label(label));
                }
                _ => self.instruction(reader)?,
            }
        }
    }

    fn directive(&mut self, reader: &mut Reader<'_>, word: &str) -> Result<(), PtxError> {
        match word {
            ".loc" => self.loc(reader),
            ".reg" => self.registers(reader),
            ".pragma" => {
                while !reader.cursor.take(b';') {
                    if reader.cursor.next().is_none() {
                        return Err(reader.cursor.unexpected("`;`"));
                    }
                }
                Ok(())
            }
            ".shared" | ".local" | ".param" | ".global" | ".const" => {
                let mut variable = reader.variable()?;
                let plain = variable.name.clone();
                if self.scopes.len() > 1 {
                    variable.name = format!("{plain}@{}", self.scope_count);
                }
                if let Some(scope) = self.scopes.last_mut() {
                    scope
                        .names
                        .insert(plain, Named::Variable(variable.name.clone()));
                }
                self.function.variables.push(variable);
                Ok(())
            }
            _ => Err(PtxError::unsupported(reader.cursor.line(), word)),
        }
    }

    /// `.loc 2 47 14, function_name $L__info_string0, inlined_at 1 9 5`
    fn loc(&mut self, reader: &mut Reader<'_>) -> Result<(), PtxError> {
        let here = reader.cursor.line();
        reader.cursor.next();
        let position = |reader: &mut Reader<'_>| -> Result<(u32, u32, u32), PtxError> {
            let file = reader.cursor.unsigned("the file of a .loc")? as u32;
            let line = reader.cursor.unsigned("the line of a .loc")? as u32;
            Ok((
                file,
                line,
                reader.cursor.unsigned("the column of a .loc")? as u32,
            ))
        };
        let (file, line, column) = position(reader)?;
        let mut inlined_at = None;
        while let Some(lexeme) = reader.cursor.peek().filter(|l| l.line == here) {
            reader.cursor.next();
            if lexeme.token == Token::Word("inlined_at") {
                let caller = position(reader)?;
                inlined_at = reader.by_position.get(&caller).copied();
            }
        }
        let place = Place {
            file,
            line,
            inlined_at,
        };
        let places = &mut reader.module.places;
        self.place = *reader.place_ids.entry(place).or_insert_with(|| {
            places.push(place);
            (places.len() - 1) as PlaceId
        });
        reader.by_position.insert((file, line, column), self.place);
        Ok(())
    }

    /// `.reg .f32 %f<4>;` or `.reg .b32 a, b;`
    fn registers(&mut self, reader: &mut Reader<'_>) -> Result<(), PtxError> {
        let line = reader.cursor.line();
        reader.cursor.next();
        let kind = match reader.cursor.next().map(|l| l.token) {
            Some(Token::Word(".pred")) => RegKind::Pred,
            Some(Token::Word(word)) => match super::type_size(word, line)? {
                1 | 2 => RegKind::B16,
                4 => RegKind::B32,
                _ => RegKind::B64,
            },
            _ => return Err(reader.cursor.unexpected("the type of a register")),
        };
        loop {
            let Some(Token::Word(name)) = reader.cursor.next().map(|l| l.token) else {
                return Err(reader.cursor.unexpected("the name of a register"));
            };
            let first = self.function.registers.len() as u32;
            let mut count = 1;
            if reader.cursor.take(b'<') {
                count = reader.cursor.unsigned("how many registers")?.min(1 << 20) as u32;
                reader.cursor.expect(b'>')?;
                self.ranges.push((name.to_owned(), count, first));
            } else if let Some(scope) = self.scopes.last_mut() {
                scope
                    .names
                    .insert(name.to_owned(), Named::Reg(RegId(first)));
            }
            self.function.registers.extend((0..count).map(|_| kind));
            if !reader.cursor.take(b',') {
                return reader.cursor.expect(b';');
            }
        }
    }

    fn instruction(&mut self, reader: &mut Reader<'_>) -> Result<(), PtxError> {
        let line = reader.cursor.line();
        let mut guard = None;
        if reader.cursor.take(b'@') {
            let negated = reader.cursor.take(b'!');
            let word = reader.cursor.next().map(|l| l.token);
            let Some(Token::Word(word)) = word else {
                return Err(reader.cursor.unexpected("a predicate"));
            };
            let Operand::Reg(pred) = self.resolve(word) else {
                return Err(PtxError::new(line, format!("`{word}` is not a predicate")));
            };
            guard = Some(Guard { pred, negated });
        }
        let Some(Token::Word(name)) = reader.cursor.next().map(|l| l.token) else {
            return Err(reader.cursor.unexpected("an instruction"));
        };
        let mut operands = Vec::new();
        while !reader.cursor.take(b';') {
            if name.starts_with("bra")
                && let Some(Token::Word(target)) = reader.cursor.peek().map(|l| l.token)
            {
                reader.cursor.next();
                operands.push(Operand::Label(self.label(target, line, false)));
            } else {
                operands.push(operand(&mut reader.cursor, self)?);
            }
            if !reader.cursor.take(b',') {
                reader.cursor.expect(b';')?;
                break;
            }
        }
        let name = name.to_owned();
        let place = self.place;
        self.statements.push(Statement::Instruction(Instruction {
            name,
            guard,
            operands,
            line,
            place,
        }));
        Ok(())
    }

    /// The function, if every label that is used is defined.
    pub fn finish(mut self) -> Result<Function, PtxError> {
        if let Some((name, line, _)) = self.label_lines.iter().find(|(_, _, defined)| !defined) {
            return Err(PtxError::new(
                *line,
                format!("the label `{name}` is not defined"),
            ));
        }
        self.function.labels = self.label_lines.len() as u32;
        self.function.body = self.statements;
        Ok(self.function)
    }
}
