use crate::ptx::PtxError;
use crate::ptx::lex::{Lexeme, Token};

/// A place in the tokens.
pub(in crate::ptx) struct Cursor<'t> {
    lexemes: Vec<Lexeme<'t>>,
    at: usize,
}

impl<'t> Cursor<'t> {
    pub fn new(lexemes: Vec<Lexeme<'t>>) -> Self {
        Cursor { lexemes, at: 0 }
    }

    pub fn peek(&self) -> Option<Lexeme<'t>> {
        self.lexemes.get(self.at).copied()
    }

    pub fn peek_second(&self) -> Option<Token<'t>> {
        self.lexemes.get(self.at + 1).map(|l| l.token)
    }

    pub fn next(&mut self) -> Option<Lexeme<'t>> {
        let lexeme = self.peek();
        self.at += 1;
        lexeme
    }

    /// Line of the next token, or of the last one.
    pub fn line(&self) -> u32 {
        self.peek()
            .or(self.lexemes.last().copied())
            .map_or(1, |l| l.line)
    }

    pub fn at_word(&self, word: &str) -> bool {
        self.peek().is_some_and(|l| l.token == Token::Word(word))
    }

    /// Takes the mark if it is next.
    pub fn take(&mut self, mark: u8) -> bool {
        let found = self.peek().is_some_and(|l| l.token == Token::Mark(mark));
        self.at += usize::from(found);
        found
    }

    pub fn expect(&mut self, mark: u8) -> Result<(), PtxError> {
        if self.take(mark) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{}`", char::from(mark))))
    }

    pub fn unexpected(&self, wanted: &str) -> PtxError {
        let found = match self.peek().map(|l| l.token) {
            Some(Token::Word(word) | Token::Number(word)) => format!("`{word}`"),
            Some(Token::Text(text)) => format!("{text:?}"),
            Some(Token::Mark(mark)) => format!("`{}`", char::from(mark)),
            None => "the end of the text".to_owned(),
        };
        PtxError::new(self.line(), format!("expected {wanted}, found {found}"))
    }

    pub fn unsigned(&mut self, what: &str) -> Result<u64, PtxError> {
        if let Some(Token::Number(digits)) = self.peek().map(|l| l.token)
            && let Some(value) = integer(digits)
        {
            self.at += 1;
            return Ok(value);
        }
        Err(self.unexpected(what))
    }
}

/// `42`, `0x1F`, `017`, `0b11`, with or without a final `U`.
pub(super) fn integer(digits: &str) -> Option<u64> {
    let digits = digits.trim_end_matches('U');
    let lower = digits.get(..2).unwrap_or_default();
    let rest = digits.get(2..).unwrap_or_default();
    match lower {
        "0x" | "0X" => u64::from_str_radix(rest, 16).ok(),
        "0b" | "0B" => u64::from_str_radix(rest, 2).ok(),
        _ if digits.len() > 1 && digits.starts_with('0') => u64::from_str_radix(digits, 8).ok(),
        _ => digits.parse().ok(),
    }
}
