//! The typed elements of a lesson, each with its place in the source.

use super::math::{Formula, Style};
use super::page::Resolved;
use std::fmt;
use std::ops::Range;

/// A place in a text, both counted from 1; columns count characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Line of the file, front matter included. 0 means the file as a whole.
    pub line: usize,
    /// Character in that line.
    pub column: usize,
}

impl Place {
    /// The place so many characters further along the line.
    #[must_use]
    pub fn right(self, characters: usize) -> Self {
        Self {
            column: self.column + characters,
            ..self
        }
    }

    /// The place that is reached after reading `text` from here.
    #[must_use]
    pub fn after(self, text: &str) -> Self {
        match text.rfind('\n') {
            None => Self {
                column: self.column + text.chars().count(),
                ..self
            },
            Some(last) => Self {
                line: self.line + text.matches('\n').count(),
                column: 1 + text.get(last + 1..).unwrap_or("").chars().count(),
            },
        }
    }
}

/// `48:7`, as it follows the path in a message.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A lesson, a solution or the text of an exercise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// In order. What stands before the first `##` is a section without a
    /// heading, present only if it holds something.
    pub sections: Vec<Section>,
}

/// What stands between two `##` headings: one idea, one page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// The heading; empty for what stands before the first one.
    pub heading: Vec<Inline>,
    /// What follows it.
    pub blocks: Vec<Block>,
    /// Line of the heading, or of the first block.
    pub line: usize,
    /// Bytes of the heading in the parsed text; none before the first one.
    pub span: Range<usize>,
}

/// An element that stands on lines of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Where it begins.
    pub place: Place,
    /// What it is.
    pub element: Element,
}

/// The kinds of block.
#[derive(Clone, Debug, PartialEq)]
pub enum Element {
    /// A heading that starts no section: `#`, `###` and smaller.
    Heading {
        /// 1 to 6.
        level: u8,
        /// The words.
        text: Vec<Inline>,
    },
    /// Running text.
    Paragraph(Vec<Inline>),
    /// A list, nested through the blocks of its items.
    List {
        /// Number of the first item; `None` for bullets.
        first: Option<u64>,
        /// The items.
        items: Vec<Item>,
    },
    /// A quotation or an aside (`>`).
    Aside(Vec<Block>),
    /// A table.
    Table(Table),
    /// A block of code.
    Code {
        /// First word of the info string, or empty.
        language: String,
        /// The code, lines ended by `\n`.
        text: String,
        /// Line of its first line.
        first: usize,
    },
    /// Mathematics on lines of its own.
    Math(Formula),
    /// A block that the screen brings to life.
    Live(Live),
    /// A thematic break.
    Rule,
}

/// One item of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Item {
    /// Its paragraphs, nested lists and the like.
    pub blocks: Vec<Block>,
}

/// A table of inline cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// One per column.
    pub alignments: Vec<Alignment>,
    /// The head's cells.
    pub head: Vec<Text>,
    /// The rows' cells, each row as long as the head.
    pub rows: Vec<Vec<Text>>,
}

/// Inline elements in a row.
pub type Text = Vec<Inline>;

/// What the delimiter row of a table asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alignment {
    /// `---`: layout decides (numbers on their decimal point, text left).
    #[default]
    Auto,
    /// `:--`
    Left,
    /// `:-:`
    Centre,
    /// `--:`, which for numbers is on the decimal point.
    Right,
}

/// A fenced block whose info string begins with a live kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Live {
    /// The kind, such as `lab`.
    pub kind: String,
    /// What stands between the fences; its first line is one below `place`.
    pub body: String,
    /// The same as bytes of the parsed text.
    pub within: Range<usize>,
    /// Bytes of the whole block, fences included.
    pub span: Range<usize>,
    /// Is there a fence at its end?
    pub closed: bool,
    /// Counts the live blocks of the document from 0.
    pub index: usize,
    /// Place of the fence.
    pub place: Place,
}

/// An element within a line.
#[derive(Clone, Debug, PartialEq)]
pub enum Inline {
    /// Words. A line break of the source is kept as `\n`, so that
    /// [`Place::after`] finds any word's place.
    Words {
        /// The words.
        text: String,
        /// Where they begin.
        place: Place,
    },
    /// Inline code.
    Code {
        /// What stands between the backticks.
        text: String,
        /// Where it begins.
        place: Place,
    },
    /// A number to be computed.
    Value(Value),
    /// Mathematics within a line.
    Math(Formula),
    /// `**strong**`
    Strong(Text),
    /// `*emphasis*`
    Emphasis(Text),
    /// `[text](target)`; an image is shown as one.
    Link {
        /// What is shown.
        text: Text,
        /// Where it leads.
        target: String,
        /// Where that is written.
        place: Place,
        /// `![text](target)`?
        image: bool,
    },
    /// A line break that was asked for.
    Break,
}

/// An expression that stands for a number: `` `= block.bytes | MB` ``.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// What follows `= `, with its unit if one is named: `block.bytes | MB`.
    pub expression: String,
    /// Place of the expression's first character.
    pub place: Place,
    /// Bytes of the parsed text that it takes, backticks included.
    pub span: Range<usize>,
}

/// Something wrong in a lesson's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub place: Place,
    /// What, in a clause without a full stop.
    pub message: String,
}

/// `48:7: unknown macro \frak`
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl Section {
    /// The heading as plain words; empty before the first heading.
    pub fn title(&self) -> String {
        words(&self.heading)
    }
}

/// Plain words of inline elements: code without backticks, mathematics on the
/// line, a value as its expression.
pub fn words(text: &[Inline]) -> String {
    let resolve = |value: &Value| Resolved::value(&value.expression);
    let style = Style {
        ascii: false,
        spoken: false,
        resolve: &resolve,
    };
    let mut out = String::new();
    for inline in text {
        match inline {
            Inline::Words { text, .. } => out.push_str(&text.replace('\n', " ")),
            Inline::Code { text, .. } => out.push_str(text),
            Inline::Value(value) => out.push_str(&value.expression),
            Inline::Math(formula) => out.extend(formula.line(&style).into_iter().map(|s| s.text)),
            Inline::Strong(t) | Inline::Emphasis(t) | Inline::Link { text: t, .. } => {
                out.push_str(&words(t));
            }
            Inline::Break => out.push(' '),
        }
    }
    out
}

impl Document {
    /// All values, in reading order, those within mathematics too.
    pub fn values(&self) -> Vec<&Value> {
        self.sections.iter().flat_map(Section::values).collect()
    }

    /// All live blocks, in reading order.
    pub fn lives(&self) -> Vec<&Live> {
        let mut found = Vec::new();
        for section in &self.sections {
            section.each_block(|block| {
                if let Element::Live(live) = &block.element {
                    found.push(live);
                }
            });
        }
        found
    }

    /// All running words with the place of their beginning. Code, mathematics and
    /// values are not words.
    pub fn words(&self) -> Vec<(&str, Place)> {
        let mut found = Vec::new();
        for section in &self.sections {
            section.each_inline(|inline| {
                if let Inline::Words { text, place } = inline {
                    found.push((text.as_str(), *place));
                }
            });
        }
        found
    }

    /// What is wrong in the mathematics. The page shows such a formula as its
    /// source.
    pub fn faults(&self) -> Vec<Fault> {
        self.sections.iter().flat_map(Section::faults).collect()
    }
}

impl Section {
    /// Calls `see` with every inline element, in reading order, those within
    /// others too, and those of headings, items and cells.
    pub fn each_inline<'a>(&'a self, mut see: impl FnMut(&'a Inline)) {
        self.each_text(|text| inlines(text, &mut see));
    }

    /// Calls `see` with every heading, paragraph and cell, in reading order.
    pub fn each_text<'a>(&'a self, mut see: impl FnMut(&'a [Inline])) {
        if !self.heading.is_empty() {
            see(&self.heading);
        }
        self.each_block(|block| own_texts(block, &mut see));
    }

    /// Calls `see` with every block, in reading order, those within others too.
    pub fn each_block<'a>(&'a self, mut see: impl FnMut(&'a Block)) {
        each_block(&self.blocks, &mut see);
    }

    /// All values, in reading order, those within mathematics too.
    pub fn values(&self) -> Vec<&Value> {
        let mut found = Vec::new();
        self.each_formula_or_value(|formula, value| {
            found.extend(value);
            if let Some(formula) = formula {
                found.extend(formula.values());
            }
        });
        found
    }

    /// What is wrong in the mathematics.
    pub fn faults(&self) -> Vec<Fault> {
        let mut found = Vec::new();
        self.each_formula_or_value(|formula, _| {
            found.extend(formula.and_then(|f| f.tree.as_ref().err().cloned()));
        });
        found
    }

    fn each_formula_or_value<'a>(
        &'a self,
        mut see: impl FnMut(Option<&'a Formula>, Option<&'a Value>),
    ) {
        fn leaf<'a>(
            inline: &'a Inline,
            see: &mut impl FnMut(Option<&'a Formula>, Option<&'a Value>),
        ) {
            match inline {
                Inline::Math(formula) => see(Some(formula), None),
                Inline::Value(value) => see(None, Some(value)),
                _ => {}
            }
        }
        inlines(&self.heading, &mut |i| leaf(i, &mut see));
        each_block(&self.blocks, &mut |block| match &block.element {
            Element::Math(formula) => see(Some(formula), None),
            _ => own_texts(block, &mut |text| {
                inlines(text, &mut |i| leaf(i, &mut see));
            }),
        });
    }
}

fn each_block<'a>(blocks: &'a [Block], see: &mut impl FnMut(&'a Block)) {
    for block in blocks {
        see(block);
        match &block.element {
            Element::Aside(inner) => each_block(inner, see),
            Element::List { items, .. } => {
                for item in items {
                    each_block(&item.blocks, see);
                }
            }
            _ => {}
        }
    }
}

/// The texts that a block holds itself, not through inner blocks.
fn own_texts<'a>(block: &'a Block, see: &mut impl FnMut(&'a [Inline])) {
    match &block.element {
        Element::Heading { text, .. } | Element::Paragraph(text) => see(text),
        Element::Table(table) => {
            for cell in table.head.iter().chain(table.rows.iter().flatten()) {
                see(cell);
            }
        }
        _ => {}
    }
}

fn inlines<'a>(text: &'a [Inline], see: &mut impl FnMut(&'a Inline)) {
    for inline in text {
        see(inline);
        match inline {
            Inline::Strong(t) | Inline::Emphasis(t) | Inline::Link { text: t, .. } => {
                inlines(t, see);
            }
            _ => {}
        }
    }
}
