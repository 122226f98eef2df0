//! What may reach a terminal: text without control characters, and its ASCII form.

use std::borrow::Cow;

/// `text` with everything that could steer a terminal made visible.
///
/// C0 controls become their picture (`ESC` is `␛`), so that a reader sees what
/// was there; C1 controls and the marks that reorder text (bidirectional
/// overrides hide what code says) become `�`. Newline and tab stay.
///
/// ```
/// use text::clean::clean;
/// assert_eq!(clean("a\x1b[31mb"), "a␛[31mb");
/// ```
pub fn clean(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| visible(c) == c) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(visible).collect())
}

fn visible(c: char) -> char {
    match c {
        '\n' | '\t' => c,
        '\0'..='\x1f' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
        '\x7f' => '\u{2421}',
        '\u{80}'..='\u{9f}' => '\u{fffd}',
        // Line and paragraph separators, bidirectional marks and overrides.
        '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        '\u{61c}' => '\u{fffd}',
        _ => c,
    }
}

/// `text` in ASCII: signs by their usual spelling, letters without accents
/// where that is one letter, anything else as `?`.
///
/// ```
/// use text::clean::ascii;
/// assert_eq!(ascii("2·B·S ≤ 4 µs — “40 %”"), "2*B*S <= 4 us - \"40 %\"");
/// assert_eq!(ascii("V1 · 17"), "V1 - 17");
/// assert_eq!(ascii("–"), "x");
/// ```
pub fn ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    if text == "–" {
        // The sign for what cannot be had, and no dash.
        return Cow::Borrowed("x");
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let joins = |c: Option<&char>| c.is_some_and(|c| !c.is_whitespace());
        match c {
            c if c.is_ascii() => out.push(c),
            // Between two factors it multiplies; alone it is a sign of its own, the
            // same as on the screens.
            '·' if !(joins(out.chars().last().as_ref()) && joins(rest.peek())) => out.push('-'),
            c => out.push_str(spelled(c)),
        }
    }
    Cow::Owned(out)
}

/// The ASCII spelling of one character.
fn spelled(c: char) -> &'static str {
    match c {
        '·' | '⋅' | '∙' | '•' | '∗' => "*",
        '●' | '■' => "*",
        '○' | '□' => "o",
        '×' => "x",
        '÷' => "/",
        '−' | '–' | '—' | '‑' | '─' | '═' => "-",
        '│' | '║' => "|",
        '“' | '”' | '„' => "\"",
        '‘' | '’' => "'",
        '…' => "...",
        '≤' => "<=",
        '≥' => ">=",
        '≠' => "!=",
        '≈' => "~=",
        '≡' => "==",
        '∝' => "~",
        '±' => "+-",
        '∞' => "inf",
        '√' => "sqrt",
        'Σ' | '∑' => "sum",
        'Π' | '∏' => "prod",
        '→' | '⇒' => "->",
        '←' | '⇐' => "<-",
        '↔' => "<->",
        '↑' => "^",
        '↓' | '▼' => "v",
        '▲' => "^",
        '►' | '▶' => ">",
        '◄' | '◀' => "<",
        '∈' => "in",
        '°' => " deg",
        'µ' | 'μ' => "u",
        '⁰' => "^0",
        '¹' => "^1",
        '²' => "^2",
        '³' => "^3",
        '⁴' => "^4",
        '⁵' => "^5",
        '⁶' => "^6",
        '⁷' => "^7",
        '⁸' => "^8",
        '⁹' => "^9",
        '½' => "1/2",
        '¼' => "1/4",
        '⌈' => "ceil(",
        '⌊' => "floor(",
        '⌉' | '⌋' => ")",
        '┌' | '┐' | '└' | '┘' | '├' | '┤' | '┬' | '┴' | '┼' | '╔' | '╗' | '╚' | '╝' => {
            "+"
        }
        'α' => "alpha",
        'β' => "beta",
        'γ' => "gamma",
        'δ' => "delta",
        'Δ' => "Delta",
        'ε' => "eps",
        'θ' => "theta",
        'λ' => "lambda",
        'π' => "pi",
        'ρ' => "rho",
        'σ' => "sigma",
        'τ' => "tau",
        'φ' => "phi",
        'ω' => "omega",
        'Ω' => "Omega",
        'ä' | 'á' | 'à' | 'â' | 'å' | 'ã' => "a",
        'é' | 'è' | 'ê' | 'ë' => "e",
        'í' | 'ì' | 'î' | 'ï' => "i",
        'ö' | 'ó' | 'ò' | 'ô' | 'õ' | 'ø' => "o",
        'ü' | 'ú' | 'ù' | 'û' => "u",
        'ñ' => "n",
        'ç' => "c",
        'ß' => "ss",
        'Ä' | 'Å' => "A",
        'Ö' | 'Ø' => "O",
        'Ü' => "U",
        '§' => "section ",
        '\u{a0}' | '\u{2009}' | '\u{202f}' => " ",
        _ => "?",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_control_character_becomes_visible() {
        for c in (0u32..0xa0).filter_map(char::from_u32) {
            let text = c.to_string();
            let shown = clean(&text);
            let kept = matches!(c, '\n' | '\t' | ' '..='~');
            assert_eq!(shown == text, kept, "U+{:04X}", c as u32);
        }
    }

    #[test]
    fn overrides_that_reorder_code_are_shown() {
        // The "Trojan source" trick: what is read is not what is compiled.
        assert_eq!(clean("if \u{202e}x"), "if �x");
    }

    #[test]
    fn clean_text_is_not_copied() {
        assert!(matches!(clean("µs — ok"), Cow::Borrowed(_)));
    }

    #[test]
    fn ascii_is_ascii() {
        for c in (0x80u32..0x3000).filter_map(char::from_u32) {
            assert!(ascii(&c.to_string()).is_ascii());
        }
    }
}
