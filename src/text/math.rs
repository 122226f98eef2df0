//! Mathematics: a small TeX subset, laid out in two dimensions or in a line.
//!
//! Understood: letters, numbers, `+ - * / = < > , ( ) [ ] |`, `^` and `_`,
//! `\frac`, `\sqrt`, `\left` … `\right`, `\text` and its kin, sums with
//! limits, the signs of [`symbols`], spaces, `\\` and `&` between rows, and a
//! computed number in backticks, `` `= block.bytes | MB` ``.

mod boxes;
mod grid;
mod linear;
mod read;
pub mod symbols;

pub use boxes::Grid;

use super::element::{Fault, Place, Value};
use super::page::Resolved;
use symbols::{Class, Delimiter};

/// Mathematics of a lesson, read once.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    /// What stands between the dollar signs.
    pub source: String,
    /// Where that begins.
    pub place: Place,
    /// What it says, or why it cannot be read.
    pub tree: Result<Row, Fault>,
}

/// Nodes side by side.
pub type Row = Vec<Node>;

/// A part of a formula.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A letter, number, sign or word.
    Sign {
        /// As drawn.
        text: String,
        /// As drawn in ASCII and spoken.
        ascii: String,
        /// How it keeps its distance.
        class: Class,
    },
    /// `\frac{above}{below}`
    Fraction(Row, Row),
    /// `\sqrt{row}`
    Root(Row),
    /// `base_below^above`
    Script {
        /// What carries the scripts.
        base: Box<Node>,
        /// After `_`.
        below: Option<Row>,
        /// After `^`.
        above: Option<Row>,
    },
    /// `\left( row \right)`
    Fence(Delimiter, Row, Delimiter),
    /// `{row}`
    Group(Row),
    /// Columns of space.
    Space(usize),
    /// A computed number.
    Value(Value),
    /// `&`: where the rows of a formula are aligned.
    Align,
    /// `\\`: the next row of a formula.
    Break,
}

/// How a formula is drawn.
#[derive(Clone, Copy)]
pub struct Style<'a> {
    /// Only ASCII characters.
    pub ascii: bool,
    /// Words in place of signs where a listener needs them.
    pub spoken: bool,
    /// Gives values their text.
    pub resolve: &'a dyn Fn(&Value) -> Resolved,
}

impl Formula {
    /// Reads `source`, which begins at `place` of the lesson.
    pub fn parse(source: impl Into<String>, place: Place) -> Self {
        Self::parse_at(source, place, 0)
    }

    /// The same, where it begins at byte `offset` of the parsed text.
    pub(super) fn parse_at(source: impl Into<String>, place: Place, offset: usize) -> Self {
        let source = source.into();
        let tree = read::read(&source, place, offset);
        Self {
            source,
            place,
            tree,
        }
    }

    /// The computed numbers in it.
    pub fn values(&self) -> Vec<&Value> {
        let mut found = Vec::new();
        if let Ok(row) = &self.tree {
            values(row, &mut found);
        }
        found
    }
}

fn values<'a>(row: &'a [Node], found: &mut Vec<&'a Value>) {
    for node in row {
        match node {
            Node::Value(value) => found.push(value),
            Node::Fraction(a, b) => {
                values(a, found);
                values(b, found);
            }
            Node::Root(r) | Node::Fence(_, r, _) | Node::Group(r) => values(r, found),
            Node::Script { base, below, above } => {
                values(std::slice::from_ref(base), found);
                for r in [below, above].into_iter().flatten() {
                    values(r, found);
                }
            }
            Node::Sign { .. } | Node::Space(_) | Node::Align | Node::Break => {}
        }
    }
}

impl Node {
    /// How the node keeps its distance from its neighbours.
    fn class(&self) -> Class {
        match self {
            Node::Sign { class, .. } => *class,
            Node::Script { base, .. } => base.class(),
            _ => Class::Ordinary,
        }
    }

    /// The class that a neighbour on the left sees: `max` and the bracket
    /// after it stand close.
    fn opening(&self, class: Class) -> Class {
        match self {
            Node::Fence(open, ..) if *open != Delimiter::None => Class::Open,
            _ => class,
        }
    }
}

/// The class of each node as its place makes it: a sign between two operands
/// is binary, one without a left operand belongs to what follows (`-1`).
fn classes(row: &[Node]) -> Vec<Class> {
    let mut out: Vec<Class> = Vec::with_capacity(row.len());
    let mut before = Class::Open;
    for node in row {
        if matches!(node, Node::Space(_) | Node::Align) {
            out.push(Class::Ordinary);
            continue;
        }
        let class = match node.class() {
            Class::Binary
                if matches!(
                    before,
                    Class::Binary | Class::Relation | Class::Open | Class::Comma | Class::Function
                ) =>
            {
                Class::Ordinary
            }
            class => class,
        };
        before = class;
        out.push(class);
    }
    out
}

/// Columns between neighbours of these classes. `wide` gives relations two.
fn gap(left: Class, right: Class, wide: bool) -> usize {
    use Class::{Big, Binary, Close, Comma, Function, Open, Ordinary, Relation};
    match (left, right) {
        // `:=` is one sign.
        (Relation, Relation) => 0,
        (Relation, _) | (_, Relation) => 1 + usize::from(wide),
        (Binary, _) | (_, Binary) | (Comma, _) => 1,
        (Function | Big, Open) => 0,
        (Function | Big, Ordinary | Function | Big) => 1,
        (Ordinary | Close, Function | Big) => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
