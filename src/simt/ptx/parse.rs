//! Modules and function headers; bodies are in [`body`], operands in [`operand`].

mod body;
mod cursor;
mod operand;

use std::collections::HashMap;

use super::lex::{Token, lex};
use super::module::{Function, Module, Param, Place, PlaceId, Space, Variable};
use super::{PtxError, Statement};
use body::Body;
use cursor::Cursor;

/// Where the reader is, and what it has seen of the module.
pub(super) struct Reader<'t> {
    cursor: Cursor<'t>,
    module: Module,
    place_ids: HashMap<Place, PlaceId>,
    /// The last place read for a file, line and column: what `inlined_at` names.
    by_position: HashMap<(u32, u32, u32), PlaceId>,
}

/// Reads a whole PTX text.
///
/// # Errors
/// The first line that is not PTX as NVRTC writes it.
pub(crate) fn parse(text: &str) -> Result<Module, PtxError> {
    let nowhere = Place {
        file: 0,
        line: 0,
        inlined_at: None,
    };
    let mut reader = Reader {
        cursor: Cursor::new(lex(text)?),
        module: Module {
            places: vec![nowhere],
            ..Module::default()
        },
        place_ids: HashMap::from([(nowhere, 0)]),
        by_position: HashMap::new(),
    };
    while let Some(lexeme) = reader.cursor.peek() {
        match lexeme.token {
            Token::Word(word) => reader.directive(word)?,
            _ => return Err(reader.cursor.unexpected("a directive such as .entry")),
        }
    }
    Ok(reader.module)
}

impl<'t> Reader<'t> {
    /// One top-level directive.
    fn directive(&mut self, word: &'t str) -> Result<(), PtxError> {
        match word {
            ".version" => {
                self.cursor.next();
                let line = self.cursor.line();
                let Some(Token::Number(version)) = self.cursor.next().map(|l| l.token) else {
                    return Err(PtxError::new(line, "a .version without a number"));
                };
                let major = version
                    .split('.')
                    .next()
                    .and_then(|v| v.parse::<u32>().ok());
                if major.is_none_or(|major| major > 9) {
                    let message = format!("PTX version {version} is newer than the machine");
                    return Err(PtxError::new(line, message)
                        .help("compile with NVRTC 12 or 13, or update this program"));
                }
            }
            ".target" | ".address_size" => {
                let line = self.cursor.line();
                while self.cursor.peek().is_some_and(|l| l.line == line) {
                    self.cursor.next();
                }
            }
            ".file" => self.file()?,
            ".section" => self.skip_section()?,
            ".visible" | ".weak" => {
                self.cursor.next();
            }
            ".extern" => {
                self.cursor.next();
                if self.cursor.at_word(".func") {
                    self.function(false)?;
                }
            }
            ".entry" => self.function(true)?,
            ".func" => self.function(false)?,
            ".global" | ".const" | ".shared" => {
                let variable = self.variable()?;
                self.module.variables.push(variable);
            }
            _ => {
                let message = format!("the directive `{word}` is not known here");
                return Err(PtxError::new(self.cursor.line(), message));
            }
        }
        Ok(())
    }

    /// `.file 1 "name"`, perhaps with a time stamp and a size.
    fn file(&mut self) -> Result<(), PtxError> {
        let line = self.cursor.line();
        self.cursor.next();
        let number = self.cursor.unsigned("the number of a file")? as u32;
        if let Some(Token::Text(name)) = self.cursor.next().map(|l| l.token) {
            self.module.files.push((number, name.to_owned()));
        }
        while self.cursor.peek().is_some_and(|l| l.line == line) {
            self.cursor.next();
        }
        Ok(())
    }

    /// Debug sections hold nothing that execution needs.
    fn skip_section(&mut self) -> Result<(), PtxError> {
        let mut depth = 0_usize;
        while let Some(lexeme) = self.cursor.next() {
            match lexeme.token {
                Token::Mark(b'{') => depth += 1,
                Token::Mark(b'}') if depth <= 1 => return Ok(()),
                Token::Mark(b'}') => depth -= 1,
                _ => {}
            }
        }
        Err(PtxError::new(
            self.cursor.line(),
            "a .section that does not end",
        ))
    }

    /// `.shared .align 4 .b8 name[128] = {…};`
    fn variable(&mut self) -> Result<Variable, PtxError> {
        let line = self.cursor.line();
        let mut variable = Variable {
            name: String::new(),
            space: Space::Global,
            align: 0,
            size: 0,
            unsized_: false,
            init: Vec::new(),
            line,
        };
        let mut element = 0;
        loop {
            match self.cursor.next().map(|l| l.token) {
                Some(Token::Word(".align")) => {
                    variable.align = self.cursor.unsigned("an alignment")?;
                }
                Some(Token::Word(".shared")) => variable.space = Space::Shared,
                Some(Token::Word(".local")) => variable.space = Space::Local,
                Some(Token::Word(".param")) => variable.space = Space::Param,
                Some(Token::Word(".const")) => variable.space = Space::Const,
                Some(Token::Word(".global" | ".attribute" | ".managed")) => {}
                Some(Token::Word(word)) if word.starts_with('.') => {
                    element = type_size(word, line)?
                }
                Some(Token::Word(name)) => {
                    variable.name = name.to_owned();
                    break;
                }
                _ => return Err(PtxError::new(line, "a variable without a name")),
            }
        }
        variable.size = element;
        while self.cursor.take(b'[') {
            if self.cursor.take(b']') {
                variable.unsized_ = true;
                variable.size = 0;
                continue;
            }
            let length = self.cursor.unsigned("the length of an array")?;
            variable.size = variable.size.saturating_mul(length);
            self.cursor.expect(b']')?;
        }
        if variable.align == 0 {
            variable.align = element.max(1);
        }
        if variable.size > 1 << 32 || !variable.align.is_power_of_two() {
            let message = format!("`{}` has no possible size or alignment", variable.name);
            return Err(PtxError::new(line, message));
        }
        if self.cursor.take(b'=') {
            variable.init = self.initial_values(element)?;
        }
        self.cursor.expect(b';')?;
        Ok(variable)
    }

    /// `{104, 101}`, each of `element` bytes.
    fn initial_values(&mut self, element: u64) -> Result<Vec<u8>, PtxError> {
        let mut bytes = Vec::new();
        let mut depth = 0_usize;
        loop {
            if self.cursor.take(b'{') {
                depth += 1;
            } else if self.cursor.take(b'}') {
                depth = depth.saturating_sub(1);
            } else if depth == 0 || !self.cursor.take(b',') {
                let value = match operand::literal(&mut self.cursor)? {
                    super::Operand::Int(value) => value as u64,
                    super::Operand::Single(bits) => u64::from(bits),
                    super::Operand::Double(bits) => bits,
                    _ => return Err(self.cursor.unexpected("a number")),
                };
                bytes.extend(value.to_le_bytes().iter().take(element as usize));
            }
            if depth == 0 {
                return Ok(bytes);
            }
        }
    }

    /// `(.param .u64 a, .param .align 8 .b8 b[48])`; the opening is still ahead.
    fn params(&mut self) -> Result<Vec<Param>, PtxError> {
        let mut params = Vec::new();
        if !self.cursor.take(b'(') {
            return Ok(params);
        }
        while !self.cursor.take(b')') {
            let line = self.cursor.line();
            let (mut align, mut size) = (0, 0);
            let name = loop {
                match self.cursor.next().map(|l| l.token) {
                    Some(Token::Word(".align")) => align = self.cursor.unsigned("an alignment")?,
                    Some(Token::Word(".param" | ".ptr" | ".reg" | ".global" | ".const")) => {}
                    Some(Token::Word(word)) if word.starts_with('.') => {
                        size = type_size(word, line)?;
                    }
                    Some(Token::Word(name)) => break name.to_owned(),
                    _ => return Err(PtxError::new(line, "a parameter without a name")),
                }
            };
            if align == 0 {
                align = size.max(1);
            }
            if self.cursor.take(b'[') {
                size = size.saturating_mul(self.cursor.unsigned("the length of an array")?);
                self.cursor.expect(b']')?;
            }
            if size > 4096 * 8 || !align.is_power_of_two() || align > 4096 {
                return Err(PtxError::new(
                    line,
                    format!("parameter `{name}` has no possible size"),
                ));
            }
            params.push(Param {
                name,
                align: align as u32,
                size: size as u32,
            });
            self.cursor.take(b',');
        }
        Ok(params)
    }

    /// An entry or a function, with its body if this is not a declaration.
    fn function(&mut self, entry: bool) -> Result<(), PtxError> {
        let line = self.cursor.line();
        self.cursor.next();
        let returns = self.params()?;
        let Some(Token::Word(name)) = self.cursor.next().map(|l| l.token) else {
            return Err(PtxError::new(line, "a function without a name"));
        };
        let params = self.params()?;
        let mut function = Function {
            name: name.to_owned(),
            entry,
            params,
            returns,
            registers: Vec::new(),
            variables: Vec::new(),
            body: Vec::new(),
            labels: 0,
            max_threads: None,
            line,
        };
        loop {
            match self.cursor.peek().map(|l| l.token) {
                Some(Token::Mark(b'{')) => break,
                Some(Token::Mark(b';')) => {
                    self.cursor.next();
                    return Ok(());
                }
                Some(Token::Word(word @ (".maxntid" | ".reqntid"))) => {
                    self.cursor.next();
                    let mut threads = self.cursor.unsigned(word)?;
                    while self.cursor.take(b',') {
                        threads = threads.saturating_mul(self.cursor.unsigned(word)?);
                    }
                    function.max_threads = Some(threads.min(u64::from(u32::MAX)) as u32);
                }
                Some(Token::Word(".minnctapersm" | ".maxnreg" | ".noreturn")) => {
                    self.cursor.next();
                    if let Some(Token::Number(_)) = self.cursor.peek().map(|l| l.token) {
                        self.cursor.next();
                    }
                }
                Some(_) => return Err(self.cursor.unexpected("`{` or `;`")),
                None => return Err(PtxError::new(line, "a function that does not end")),
            }
        }
        let mut body = Body::new(function);
        body.read(self)?;
        let function = body.finish()?;
        self.module.functions.push(function);
        Ok(())
    }
}

/// Bytes of a type such as `.f32`.
pub(super) fn type_size(word: &str, line: u32) -> Result<u64, PtxError> {
    let digits = word.trim_start_matches(|c: char| !c.is_ascii_digit());
    match (word, digits) {
        (".pred", _) => Ok(1),
        (".bf16x2" | ".f16x2", _) => Ok(4),
        (_, "8") => Ok(1),
        (_, "16") => Ok(2),
        (_, "32") => Ok(4),
        (_, "64") => Ok(8),
        _ => Err(PtxError::unsupported(line, word)),
    }
}

/// Statements of a body as they are read, before labels are resolved.
pub(super) type Statements = Vec<Statement>;
