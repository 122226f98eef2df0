//! Words, numbers, strings and marks, each with its line.

use super::PtxError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// An opcode, directive, register, label or symbol: `ld.global.f32`, `%r1`, `.reg`.
    Word(&'t str),
    /// Digits as written: `42`, `0x1F`, `0f3F800000`.
    Number(&'t str),
    /// The inside of a string.
    Text(&'t str),
    /// One of `{ } ( ) [ ] , ; : @ ! | + - = < >`.
    Mark(u8),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Lexeme<'t> {
    pub token: Token<'t>,
    pub line: u32,
}

fn starts_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.' | b'$' | b'%')
}

fn continues_word(byte: u8) -> bool {
    starts_word(byte) || byte.is_ascii_digit()
}

/// Splits `text` into its tokens; comments are left out.
pub(super) fn lex(text: &str) -> Result<Vec<Lexeme<'_>>, PtxError> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len() / 4);
    let (mut at, mut line) = (0, 1);
    while let Some(&byte) = bytes.get(at) {
        let rest = bytes.get(at..).unwrap_or_default();
        let length = |run: fn(u8) -> bool| rest.iter().take_while(|&&b| run(b)).count();
        let taken = match byte {
            b'\n' => {
                line += 1;
                1
            }
            byte if byte.is_ascii_whitespace() => 1,
            b'/' if rest.starts_with(b"//") => length(|b| b != b'\n'),
            b'/' if rest.starts_with(b"/*") => {
                let end = rest.windows(2).position(|pair| pair == b"*/");
                let Some(end) = end else {
                    return Err(PtxError::new(line, "a comment that does not end"));
                };
                line += rest.iter().take(end).filter(|&&b| b == b'\n').count() as u32;
                end + 2
            }
            b'"' => {
                let inside = rest
                    .iter()
                    .skip(1)
                    .take_while(|&&b| b != b'"' && b != b'\n')
                    .count();
                if rest.get(inside + 1) != Some(&b'"') {
                    return Err(PtxError::new(line, "a string that does not end"));
                }
                let text = text.get(at + 1..at + 1 + inside).unwrap_or_default();
                out.push(Lexeme {
                    token: Token::Text(text),
                    line,
                });
                inside + 2
            }
            byte if starts_word(byte) => {
                let mut taken = length(continues_word);
                // `shared::cta` is one word; a label has one colon.
                while rest
                    .get(taken..)
                    .is_some_and(|rest| rest.starts_with(b"::"))
                {
                    let more = rest.iter().skip(taken + 2);
                    taken += 2 + more.take_while(|&&b| continues_word(b)).count();
                }
                let word = text.get(at..at + taken).unwrap_or_default();
                out.push(Lexeme {
                    token: Token::Word(word),
                    line,
                });
                taken
            }
            byte if byte.is_ascii_digit() => {
                let taken = length(|b| b.is_ascii_alphanumeric() || b == b'.');
                let number = text.get(at..at + taken).unwrap_or_default();
                out.push(Lexeme {
                    token: Token::Number(number),
                    line,
                });
                taken
            }
            byte if b"{}()[],;:@!|+-=<>*".contains(&byte) => {
                out.push(Lexeme {
                    token: Token::Mark(byte),
                    line,
                });
                1
            }
            _ => {
                let found = text.get(at..).and_then(|rest| rest.chars().next());
                let found = found.unwrap_or(char::REPLACEMENT_CHARACTER);
                return Err(PtxError::new(line, format!("{found:?} is no part of PTX")));
            }
        };
        at += taken;
    }
    Ok(out)
}
