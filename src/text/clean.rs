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

/// Whether a terminal would obey this character, or reorder text by it, in place of
/// showing it. A newline and a tab stay where they are.
pub fn obeyed(c: char) -> bool {
    visible(c) != c
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
    Cow::Owned(spelled_where(text, |_| true))
}

/// `text` with those characters in ASCII that are picked: an exponent behind one sign,
/// what stands under a root in brackets.
///
/// ```
/// use text::clean::spelled_where;
/// assert_eq!(spelled_where("2⁻²³·10³⁸ ≤ S²/√M", |c| c != '≤'), "2^-23*10^38 ≤ S^2/sqrt(M)");
/// ```
pub fn spelled_where(text: &str, picked: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut raised = false;
    while let Some(c) = rest.next() {
        let joins = |c: Option<&char>| c.is_some_and(|c| !c.is_whitespace());
        let exponent = exponent(c).filter(|_| picked(c));
        match c {
            c if c.is_ascii() || !picked(c) => out.push(c),
            _ if exponent.is_some() => {
                out.extend((!raised).then_some('^'));
                out.extend(exponent);
            }
            '√' => {
                out.push_str("sqrt");
                if rest.peek().is_some_and(|c| c.is_alphanumeric()) {
                    out.push('(');
                    while let Some(c) = rest.next_if(|c| c.is_alphanumeric()) {
                        out.push(c);
                    }
                    out.push(')');
                }
            }
            // Between two factors it multiplies; alone it is a sign of its own, the
            // same as on the screens.
            '·' if !(joins(out.chars().last().as_ref()) && joins(rest.peek())) => out.push('-'),
            c => out.push_str(spelled(c)),
        }
        raised = exponent.is_some();
    }
    out
}

/// A raised character as it stands on the line.
fn exponent(c: char) -> Option<char> {
    let (raised, plain) = ("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿᵖᵀ", "0123456789-+npT");
    let at = raised.chars().position(|known| known == c)?;
    plain.chars().nth(at)
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
        '‘' | '’' | '′' => "'",
        '…' => "...",
        '≤' => "<=",
        '≥' => ">=",
        '≠' => "!=",
        '≈' => "~=",
        '≡' => "==",
        '∝' => "~",
        '±' => "+-",
        '∞' => "inf",
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
        '₀' => "0",
        '₁' => "1",
        '₂' => "2",
        '₃' => "3",
        '₄' => "4",
        '₅' => "5",
        '₆' => "6",
        '₇' => "7",
        '₈' => "8",
        '₉' => "9",
        '⇔' => "<=>",
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
