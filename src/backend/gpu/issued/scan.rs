//! PTX text as statements: enough of the grammar to find every instruction of
//! a kernel, in nested scopes and on lines that hold several.

use super::IssuedError;

/// One instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Statement<'t> {
    /// Where it begins in the text.
    pub start: usize,
    /// `@%p1`, `@!%p1`, or nothing.
    pub guard: &'t str,
    /// `ld.global.nc.v4.u32`.
    pub opcode: &'t str,
    /// What follows, apart at the commas that are in no bracket.
    pub operands: Vec<&'t str>,
}

/// A kernel in the text.
#[derive(Debug)]
pub(super) struct Entry<'t> {
    /// The end of its parameter list, in front of the closing parenthesis.
    pub parameters: usize,
    /// Whether it has parameters.
    pub has_parameters: bool,
    /// Behind the brace that opens its body.
    pub body: usize,
    /// Its instructions, in order.
    pub statements: Vec<Statement<'t>>,
}

/// The kernel of this name.
///
/// # Errors
/// None of this name, or a body without end.
pub(super) fn entry<'t>(text: &'t str, name: &str) -> Result<Entry<'t>, IssuedError> {
    let missing = || IssuedError::new(format!("the text has no kernel {name}"));
    let head = heads(text, ".entry")
        .find(|(found, _)| *found == name)
        .map(|(_, at)| at)
        .ok_or_else(missing)?;
    let rest = text.get(head..).unwrap_or_default();
    let open = rest.find('(').ok_or_else(missing)?;
    let close = rest.find(')').ok_or_else(missing)?;
    let brace = rest.find('{').ok_or_else(missing)?;
    let list = rest.get(open + 1..close).unwrap_or_default();
    let body = head + brace + 1;
    Ok(Entry {
        parameters: head + close,
        has_parameters: !list.trim().is_empty(),
        body,
        statements: statements(text, body)
            .ok_or_else(|| IssuedError::new(format!("the body of kernel {name} does not end")))?,
    })
}

/// A function that is no kernel.
#[derive(Debug)]
pub(super) struct Function<'t> {
    /// Behind the brace that opens its body.
    pub body: usize,
    /// Its instructions, in order.
    pub statements: Vec<Statement<'t>>,
}

/// Every function that is no kernel and has a body.
pub(super) fn functions(text: &str) -> Vec<Function<'_>> {
    let mut found = Vec::new();
    for (_, at) in heads(text, ".func") {
        let rest = text.get(at..).unwrap_or_default();
        // A declaration ends before any body.
        let (Some(brace), end) = (rest.find('{'), rest.find(';')) else {
            continue;
        };
        let body = at + brace + 1;
        if end.is_none_or(|end| brace < end)
            && let Some(statements) = statements(text, body)
        {
            found.push(Function { body, statements });
        }
    }
    found
}

/// Where the head of a module ends, in front of its first variable or function.
pub(super) fn head(text: &str) -> Option<usize> {
    let last = [".version", ".target", ".address_size"]
        .into_iter()
        .filter_map(|directive| text.find(directive))
        .max()?;
    Some(last + text.get(last..)?.find('\n')? + 1)
}

/// Names that follow a directive such as `.entry`, and where they end. A
/// function's result stands in parentheses between the two.
fn heads<'t>(text: &'t str, directive: &'static str) -> impl Iterator<Item = (&'t str, usize)> {
    text.match_indices(directive)
        .filter_map(move |(at, found)| {
            let from = at + found.len();
            let rest = text.get(from..)?;
            let mut skipped = rest.len() - rest.trim_start().len();
            if skipped == 0 {
                return None;
            }
            if rest.trim_start().starts_with('(') {
                skipped = rest.find(')')? + 1;
                let more = rest.get(skipped..)?;
                skipped += more.len() - more.trim_start().len();
            }
            let name = rest.get(skipped..)?;
            let end = name.find(|c: char| !is_word(c)).unwrap_or(name.len());
            (end > 0).then(|| (name.get(..end).unwrap_or_default(), from + skipped + end))
        })
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%')
}

/// The instructions of a body that begins at `from`; `None` without an end.
fn statements(text: &str, from: usize) -> Option<Vec<Statement<'_>>> {
    let mut found = Vec::new();
    let mut depth = 1;
    let mut at = from;
    while depth > 0 {
        at += blank(text.get(at..)?);
        let rest = text.get(at..)?;
        match rest.chars().next()? {
            '{' => {
                depth += 1;
                at += 1;
            }
            '}' => {
                depth -= 1;
                at += 1;
            }
            ';' => at += 1,
            // Directives of the debugger end with their line.
            '.' if rest.starts_with(".loc") || rest.starts_with(".file") => {
                at += rest.find('\n')?;
            }
            _ => {
                let word = rest.find(|c: char| !is_word(c))?;
                let behind = rest.get(word..)?.trim_start();
                if word > 0 && behind.starts_with(':') && !behind.starts_with("::") {
                    at += rest.find(':')? + 1;
                    continue;
                }
                let end = rest.find(';')?;
                found.extend(statement(rest.get(..end)?, at));
                at += end + 1;
            }
        }
    }
    Some(found)
}

/// How much of the text's beginning is blank or a comment.
fn blank(text: &str) -> usize {
    let mut rest = text.trim_start();
    loop {
        let behind = if rest.starts_with("//") {
            rest.find('\n').and_then(|end| rest.get(end..))
        } else if rest.starts_with("/*") {
            rest.find("*/").and_then(|end| rest.get(end + 2..))
        } else {
            return text.len() - rest.len();
        };
        rest = behind.unwrap_or_default().trim_start();
    }
}

/// One instruction from its text; `None` for a directive.
fn statement(text: &str, start: usize) -> Option<Statement<'_>> {
    let (guard, rest) = if text.starts_with('@') {
        let end = text.find(char::is_whitespace)?;
        text.split_at_checked(end)?
    } else {
        ("", text)
    };
    let rest = rest.trim_start();
    if rest.starts_with('.') {
        return None;
    }
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let (opcode, operands) = rest.split_at_checked(end)?;
    Some(Statement {
        start,
        guard,
        opcode,
        operands: operands_of(operands),
    })
}

/// The operands, apart at commas outside brackets and braces.
fn operands_of(text: &str) -> Vec<&str> {
    let mut depth = 0usize;
    let mut parts = text.split(|c: char| {
        match c {
            '[' | '{' | '(' => depth += 1,
            ']' | '}' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    let mut operands: Vec<&str> = parts.by_ref().map(str::trim).collect();
    operands.retain(|o| !o.is_empty());
    operands
}
