//! Stage 3: elements to lines of spans at a width.

use super::clean;
use super::code;
use super::element::{Block, Element, Inline, Item, Place, Section, Value};
use super::fold::fold;
use super::math::{Formula, Style};
use super::page::{Page, Resolved};
use super::span::{Line, LineKind, Role, Span, blanks, clip, push, width};
use super::table;
use super::wrap::Flow;

/// Columns of running text at most: longer lines lose the eye.
pub const MEASURE: usize = 72;

/// Indents are dropped when they would leave less than this for the text.
const NARROW: usize = 16;

/// How a page is laid out. Built once per size; laying out is pure and fast
/// enough to be done again at every key.
#[derive(Clone, Copy)]
pub struct Layout<'a> {
    width: usize,
    shift: usize,
    whole: bool,
    ascii: bool,
    resolve: &'a dyn Fn(&Value) -> Resolved,
}

impl<'a> Layout<'a> {
    /// For `width` columns, with `resolve` giving values their text. Running
    /// text and tables use at most [`MEASURE`] of them.
    pub fn new(width: usize, resolve: &'a dyn Fn(&Value) -> Resolved) -> Self {
        Self {
            width: width.max(1),
            shift: 0,
            whole: false,
            ascii: false,
            resolve,
        }
    }

    /// Only ASCII characters.
    pub fn ascii(self, ascii: bool) -> Self {
        Self { ascii, ..self }
    }

    /// Steps sideways: tables by a column, as far as they go.
    pub fn shift(self, shift: usize) -> Self {
        Self { shift, ..self }
    }

    /// Nothing steps sideways: what is left of a table that is too wide stands below it.
    pub fn whole(self) -> Self {
        Self {
            whole: true,
            ..self
        }
    }

    /// A section: its heading, an empty line, its blocks.
    pub fn section(&self, section: &Section) -> Page {
        let mut page = Page::default();
        if !section.heading.is_empty() {
            let place = Place {
                line: section.line,
                column: 1,
            };
            page.append(self.flow(&section.heading, Role::Heading, place));
            if !section.blocks.is_empty() {
                page.add(Line::new(Vec::new(), place));
            }
        }
        page.append(self.blocks(&section.blocks));
        page
    }

    /// Blocks with an empty line between them.
    pub fn blocks(&self, blocks: &[Block]) -> Page {
        let mut page = Page::default();
        for block in blocks {
            if !page.lines.is_empty() {
                page.add(Line::new(Vec::new(), block.place));
            }
            page.append(self.block(block));
        }
        page
    }

    /// Words wrapped to the text measure.
    pub fn words(&self, text: &[Inline]) -> Page {
        self.flow(text, Role::Text, Place::default())
    }

    fn style(&self) -> Style<'a> {
        Style {
            ascii: self.ascii,
            spoken: false,
            resolve: self.resolve,
        }
    }

    fn measure(&self) -> usize {
        self.width.min(MEASURE)
    }

    /// The same layout for what stands `columns` further in, if there is room.
    fn inside(&self, columns: usize) -> (Self, usize) {
        let columns = if self.width >= columns + NARROW {
            columns
        } else {
            0
        };
        let width = self.measure() - columns.min(self.measure() - 1);
        (Self { width, ..*self }, columns)
    }

    fn block(&self, block: &Block) -> Page {
        let place = block.place;
        match &block.element {
            Element::Heading { level, text } => {
                let role = if *level <= 2 {
                    Role::Heading
                } else {
                    Role::Strong
                };
                self.flow(text, role, place)
            }
            Element::Paragraph(text) => self.flow(text, Role::Text, place),
            Element::List { first, items } => self.list(*first, items, place),
            Element::Aside(blocks) => {
                let bar = Span::new(if self.ascii { "| " } else { "│ " }, Role::Dim);
                let (inside, columns) = self.inside(2);
                let page = inside.blocks(blocks);
                if columns == 0 {
                    page
                } else {
                    page.behind(&bar, &bar)
                }
            }
            Element::Table(table) => {
                let (inside, columns) = self.inside(2);
                let laid = match self.whole {
                    true => table::parts(table, &self.style(), inside.width),
                    false => table::lay(table, &self.style(), inside.width, self.shift),
                };
                let kind = LineKind::Table {
                    hidden: laid.hidden,
                };
                let lines = laid
                    .rows
                    .into_iter()
                    .map(|spans| Line { kind, spans, place })
                    .collect();
                let indent = Span::new(blanks(columns), Role::Text);
                Page {
                    lines,
                    max_shift: laid.max_shift,
                }
                .behind_if(columns > 0, &indent)
            }
            Element::Code { language, text, .. } => self.code(language, text, place),
            Element::Math(formula) => self.math(formula, place),
            Element::Live(live) => {
                let kind = LineKind::Live(live.index);
                Page {
                    lines: vec![Line {
                        kind,
                        spans: Vec::new(),
                        place,
                    }],
                    max_shift: 0,
                }
            }
            Element::Rule => {
                let rule = if self.ascii { "-" } else { "─" };
                let spans = vec![Span::new(rule.repeat(self.measure()), Role::Dim)];
                Page {
                    lines: vec![Line::new(spans, place)],
                    max_shift: 0,
                }
            }
        }
    }

    fn flow(&self, text: &[Inline], role: Role, place: Place) -> Page {
        let lines = Flow::of(text, role, &self.style())
            .wrap(self.measure())
            .into_iter()
            .map(|spans| Line::new(spans, place))
            .collect();
        Page {
            lines,
            max_shift: 0,
        }
    }

    fn list(&self, first: Option<u64>, items: &[Item], place: Place) -> Page {
        let marker = |i: usize| match first {
            None => (if self.ascii { "- " } else { "• " }).to_owned(),
            Some(first) => format!("{}. ", first.saturating_add(i as u64)),
        };
        let columns = (0..items.len())
            .map(|i| width(&marker(i)))
            .max()
            .unwrap_or(0);
        // Items of several paragraphs are parted, others stand close.
        let airy = items.iter().any(|item| {
            item.blocks
                .iter()
                .filter(|b| !matches!(b.element, Element::List { .. }))
                .count()
                > 1
        });
        let (inside, columns) = self.inside(columns);
        let mut page = Page::default();
        for (i, item) in items.iter().enumerate() {
            if airy && i > 0 {
                page.add(Line::new(Vec::new(), place));
            }
            let marker = marker(i);
            let lead = blanks(columns.saturating_sub(width(&marker))) + &marker;
            let mut own = Page::default();
            for block in &item.blocks {
                let close = matches!(block.element, Element::List { .. }) && !airy;
                if !own.lines.is_empty() && !close {
                    own.add(Line::new(Vec::new(), block.place));
                }
                own.append(inside.block(block));
            }
            if own
                .lines
                .first()
                .is_none_or(|line| line.kind != LineKind::Text)
            {
                own.lines.insert(0, Line::new(Vec::new(), place));
            }
            if columns > 0 {
                own = own.behind(
                    &Span::new(lead, Role::Dim),
                    &Span::new(blanks(columns), Role::Text),
                );
            }
            page.append(own);
        }
        page
    }

    /// Code keeps its lines; one that does not fit goes on below, further in.
    fn code(&self, language: &str, text: &str, place: Place) -> Page {
        let indent = if self.width >= NARROW { 2 } else { 0 };
        let columns = self.width - indent;
        let mut lines = code::highlight(language, text);
        if self.ascii {
            for span in lines.iter_mut().flatten() {
                span.text = clean::ascii(&span.text).into_owned();
            }
        }
        let mut page = Page::default();
        for (i, spans) in lines.iter().enumerate() {
            let kind = LineKind::Code {
                width: line_width(spans),
            };
            let place = Place {
                line: place.line + 1 + i,
                column: 1,
            };
            let marked: Vec<(char, Role)> = spans
                .iter()
                .flat_map(|span| span.text.chars().map(|c| (c, span.role)))
                .collect();
            for (lead, part) in fold(&marked, 0, columns) {
                let mut shown = Vec::new();
                if !part.is_empty() {
                    push(&mut shown, blanks(indent + lead), Role::Text);
                }
                for (c, role) in part {
                    push(&mut shown, c.encode_utf8(&mut [0; 4]), role);
                }
                // A wide character has no room in a single column.
                let shown = clip(&shown, 0, self.width, self.ascii);
                page.add(Line {
                    kind,
                    spans: shown,
                    place,
                });
            }
        }
        page
    }

    /// In two dimensions where it fits, else on wrapped lines.
    fn math(&self, formula: &Formula, place: Place) -> Page {
        let (inside, columns) = self.inside(4);
        let indent = Span::new(blanks(columns), Role::Text);
        let grid = formula
            .grid(&self.style())
            .filter(|grid| grid.width <= inside.width);
        let lines = match grid {
            Some(grid) => grid
                .rows
                .into_iter()
                .map(|spans| Line::new(trimmed(spans), place))
                .collect(),
            None => {
                let mut flow = Flow::default();
                for span in formula.line(&self.style()) {
                    flow.words(&span.text, span.role, &self.style());
                }
                flow.wrap(inside.width)
                    .into_iter()
                    .map(|s| Line::new(s, place))
                    .collect()
            }
        };
        Page {
            lines,
            max_shift: 0,
        }
        .behind_if(columns > 0, &indent)
    }
}

fn line_width(spans: &[Span]) -> usize {
    spans.iter().map(|s| width(&s.text)).sum()
}

/// `spans` without blanks at the end.
fn trimmed(spans: Vec<Span>) -> Vec<Span> {
    let mut out: Vec<Span> = Vec::new();
    let kept = spans
        .iter()
        .rposition(|s| !s.text.trim_end().is_empty())
        .map_or(0, |i| i + 1);
    for (i, span) in spans.iter().take(kept).enumerate() {
        let text = if i + 1 == kept {
            span.text.trim_end()
        } else {
            &span.text
        };
        push(&mut out, text, span.role);
    }
    out
}

#[cfg(test)]
mod tests;
