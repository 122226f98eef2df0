//! A tree on one line: within a sentence, where a page is too narrow for two
//! dimensions, and spoken.

use super::symbols::Class;
use super::{Formula, Node, Row, Style, classes, gap};
use crate::span::{Role, Span, blanks, push};

impl Formula {
    /// The formula on one line; its source, as a fault, if it could not be
    /// read.
    pub fn line(&self, style: &Style<'_>) -> Vec<Span> {
        match &self.tree {
            Ok(row) => line(row, style, false),
            Err(_) => {
                let source = self.source.split_whitespace().collect::<Vec<_>>().join(" ");
                let source = match style.ascii {
                    true => crate::clean::ascii(&source).into_owned(),
                    false => source,
                };
                vec![Span::new(source, Role::Error)]
            }
        }
    }
}

/// `row` on one line; `tight` leaves out spaces, as in scripts.
pub(super) fn line(row: &[Node], style: &Style<'_>, tight: bool) -> Vec<Span> {
    let classes = classes(row);
    let mut out = Vec::new();
    let mut before: Option<(&Node, Class)> = None;
    for (i, (node, class)) in row.iter().zip(&classes).enumerate() {
        match node {
            Node::Space(n) => {
                push(&mut out, blanks(*n), Role::Text);
                continue;
            }
            Node::Align => continue,
            Node::Break => {
                push(&mut out, "; ", Role::Text);
                before = None;
                continue;
            }
            _ => {}
        }
        if let Some((left, left_class)) = before {
            let mut columns = if tight {
                0
            } else {
                gap(left_class, node.opening(*class), false)
            };
            if columns == 0 && words_touch(left, node, style) {
                columns = 1;
            }
            push(&mut out, blanks(columns), Role::Text);
        }
        let bound = binds(row, &classes, i);
        for span in node_line(node, style, tight, bound) {
            push(&mut out, span.text, span.role);
        }
        before = Some((node, *class));
    }
    out
}

/// Whether the node at `i` stands beside a factor, so that a quotient there
/// needs brackets.
fn binds(row: &[Node], classes: &[Class], i: usize) -> bool {
    let factor = |j: usize| match (row.get(j), classes.get(j)) {
        (Some(Node::Sign { text, .. }), Some(Class::Binary)) => {
            !matches!(text.as_str(), "+" | "-" | "−" | "±")
        }
        (Some(Node::Space(_) | Node::Align | Node::Break), _) => false,
        (_, Some(Class::Ordinary | Class::Tight | Class::Function | Class::Big)) => true,
        _ => false,
    };
    i.checked_sub(1).is_some_and(factor) || factor(i + 1)
}

fn node_line(node: &Node, style: &Style<'_>, tight: bool, bound: bool) -> Vec<Span> {
    let mut out = Vec::new();
    let mut text = |t: &str| push(&mut out, t, Role::Text);
    match node {
        Node::Sign {
            text: drawn, ascii, ..
        } => {
            text(if style.ascii || style.spoken {
                ascii
            } else {
                drawn
            });
        }
        Node::Value(value) => {
            let shown = (style.resolve)(value);
            out.push(Span::new(shown.clean(style.ascii), shown.role));
        }
        Node::Group(row) => return line(row, style, tight),
        Node::Fraction(above, below) => {
            let plain = is_atom(above) && is_atom(below);
            let bar = if plain || tight { "/" } else { " / " };
            if bound {
                text("(");
            }
            extend(&mut out, bracketed(above, style, tight));
            push(&mut out, bar, Role::Text);
            extend(&mut out, bracketed(below, style, tight));
            if bound {
                push(&mut out, ")", Role::Text);
            }
        }
        Node::Root(row) => {
            let worded = style.ascii || style.spoken;
            let bare = !worded && is_atom(row);
            text(if worded { "sqrt" } else { "√" });
            text(if bare { "" } else { "(" });
            extend(&mut out, line(row, style, tight));
            push(&mut out, if bare { "" } else { ")" }, Role::Text);
        }
        Node::Fence(open, row, close) => {
            let ascii = style.ascii || style.spoken;
            text(open.pair(ascii).0);
            extend(&mut out, line(row, style, tight));
            push(&mut out, close.pair(ascii).1, Role::Text);
        }
        Node::Script { base, below, above } => {
            if style.spoken && base.class() == Class::Big {
                return spoken_limits(base, below.as_ref(), above.as_ref(), style);
            }
            extend(
                &mut out,
                bracketed(std::slice::from_ref(base), style, tight),
            );
            if let Some(row) = below {
                push(&mut out, "_", Role::Text);
                extend(&mut out, script(row, style, row.iter().all(is_letter)));
            }
            if let Some(row) = above {
                match raised(row, style) {
                    Some(sign) => push(&mut out, sign, Role::Text),
                    None => {
                        push(&mut out, "^", Role::Text);
                        extend(&mut out, script(row, style, row.len() == 1 && is_atom(row)));
                    }
                }
            }
        }
        Node::Space(_) | Node::Align | Node::Break => {}
    }
    out
}

fn script(row: &Row, style: &Style<'_>, bare: bool) -> Vec<Span> {
    let mut out = Vec::new();
    push(&mut out, if bare { "" } else { "(" }, Role::Text);
    extend(&mut out, line(row, style, true));
    push(&mut out, if bare { "" } else { ")" }, Role::Text);
    out
}

/// “sum over i=1 to n of”
fn spoken_limits(
    base: &Node,
    below: Option<&Row>,
    above: Option<&Row>,
    style: &Style<'_>,
) -> Vec<Span> {
    let mut out = node_line(base, style, false, false);
    if let Some(row) = below {
        push(&mut out, " over ", Role::Text);
        extend(&mut out, line(row, style, true));
    }
    if let Some(row) = above {
        push(&mut out, " to ", Role::Text);
        extend(&mut out, line(row, style, true));
    }
    push(&mut out, " of", Role::Text);
    out
}

fn bracketed(row: &[Node], style: &Style<'_>, tight: bool) -> Vec<Span> {
    let bare = is_atom(row);
    let mut out = Vec::new();
    push(&mut out, if bare { "" } else { "(" }, Role::Text);
    extend(&mut out, line(row, style, tight));
    push(&mut out, if bare { "" } else { ")" }, Role::Text);
    out
}

fn extend(out: &mut Vec<Span>, spans: Vec<Span>) {
    for span in spans {
        push(out, span.text, span.role);
    }
}

/// Whether `row` is one thing, so that no bracket is needed around it.
pub(super) fn is_atom(row: &[Node]) -> bool {
    match row {
        [Node::Group(inner)] => is_atom(inner),
        [Node::Fraction(..)] => false,
        [_] => true,
        _ => row.is_empty(),
    }
}

fn is_letter(node: &Node) -> bool {
    match node {
        Node::Sign { text, class, .. } => {
            *class == Class::Ordinary && text.chars().all(char::is_alphanumeric)
        }
        Node::Group(row) => row.iter().all(is_letter),
        _ => false,
    }
}

/// The sign that stands for a raised `row` on the line itself, where Latin-1
/// has one; in ASCII as it is typed in an answer, `^2`.
pub(super) fn raised(row: &Row, style: &Style<'_>) -> Option<&'static str> {
    if style.spoken {
        return None;
    }
    match row.as_slice() {
        [Node::Sign { text, .. }] => match text.as_str() {
            "1" => Some(if style.ascii { "^1" } else { "¹" }),
            "2" => Some(if style.ascii { "^2" } else { "²" }),
            "3" => Some(if style.ascii { "^3" } else { "³" }),
            "ᵀ" => Some(if style.ascii { "^T" } else { "ᵀ" }),
            _ => None,
        },
        [Node::Group(inner)] => raised(inner, style),
        _ => None,
    }
}

/// Whether two words would run into each other (`2 alpha x`, not `2ax`).
pub(super) fn words_touch(left: &Node, right: &Node, style: &Style<'_>) -> bool {
    let word = |node: &Node| match node {
        Node::Sign { text, ascii, .. } => {
            let shown = if style.ascii || style.spoken {
                ascii
            } else {
                text
            };
            Some((
                shown.clone(),
                shown.len() > 1 && shown.chars().all(char::is_alphabetic) && shown.is_ascii(),
            ))
        }
        _ => None,
    };
    match (word(left), word(right)) {
        (Some((a, a_word)), Some((b, b_word))) => {
            (a_word || b_word)
                && a.ends_with(char::is_alphanumeric)
                && b.starts_with(char::is_alphanumeric)
        }
        _ => false,
    }
}
