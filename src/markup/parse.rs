//! Stage 1: lesson text to typed elements.

use super::clean::clean;
use super::element::{
    Alignment, Block, Document, Element, Inline, Item, Live, Place, Section, Table, Text, Value,
};
use super::math::Formula;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::borrow::Cow;
use std::ops::Range;

/// Lists, asides and emphasis nested deeper than this are shown flat, so that
/// no text can make the walkers recurse without bound.
const DEEPEST: usize = 12;

/// Stands for `|` within a value while the text is split into table cells.
const BAR: char = '\u{1f}';

/// Parses `text`, whose first line is line `first_line` of its file (front
/// matter comes before). A fenced block whose info string begins with one of
/// the words in `live` becomes a [`Live`]. Any text parses; what is wrong in
/// its mathematics is in [`Document::faults`].
///
/// ```
/// let lesson = tinyllama_tutor::markup::parse("text\n\n```lab\npreset = 1\n```", 8, &["lab"]);
/// assert_eq!(lesson.lives()[0].place.line, 10);
/// ```
pub fn parse(text: &str, first_line: usize, live: &[&str]) -> Document {
    let source = prepare(text);
    let mut builder = Builder {
        source: &source,
        live,
        cursor: (
            0,
            Place {
                line: first_line.max(1),
                column: 1,
            },
        ),
        first: Place {
            line: first_line.max(1),
            column: 1,
        },
        sections: Vec::new(),
        section: Section::default(),
        frames: Vec::new(),
        inlines: Vec::new(),
        begin: Place::default(),
        code: None,
        table: Table::default(),
        table_at: Place::default(),
        lives: 0,
    };
    let options = Options::ENABLE_TABLES | Options::ENABLE_MATH;
    for (event, range) in Parser::new_ext(&source, options).into_offset_iter() {
        builder.event(event, range);
    }
    builder.finish()
}

/// The text as the markdown parser gets it, with characters only exchanged one
/// for one, so that places stay true. A value's `|` must not end a table cell.
fn prepare(text: &str) -> Cow<'_, str> {
    let text: Cow<'_, str> = if text.contains(['\r', BAR, '\0']) {
        let unix = text.replace("\r\n", "\n");
        Cow::Owned(unix.replace(['\r', BAR, '\0'], "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    };
    if !text.contains("`= ") {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let mut rest = line;
        while let Some((before, value)) = rest.split_once("`= ") {
            let end = value.find('`').unwrap_or(0);
            let (inside, after) = value.split_at(end);
            out.push_str(before);
            out.push_str("`= ");
            let mut last = ' ';
            for c in inside.chars() {
                // `\|` is how markdown itself asks for a bar in a cell.
                out.push(if c == '|' && last != '\\' { BAR } else { c });
                last = c;
            }
            rest = after;
            if end == 0 {
                break;
            }
            out.push('`');
            rest = rest.get(1..).unwrap_or("");
        }
        out.push_str(rest);
    }
    Cow::Owned(out)
}

/// An open container of blocks.
enum Frame {
    Aside {
        place: Place,
        blocks: Vec<Block>,
    },
    List {
        place: Place,
        first: Option<u64>,
        items: Vec<Item>,
    },
    Item(Vec<Block>),
    /// Too deep: its blocks go to the container around it.
    Through,
}

/// An open inline element, with what it holds so far.
struct Open {
    kind: OpenKind,
    text: Text,
}

enum OpenKind {
    /// A paragraph, heading or cell.
    Base,
    Strong,
    Emphasis,
    Link(String),
    /// Too deep, or a kind that has no look of its own.
    Through,
}

struct Builder<'a> {
    source: &'a str,
    live: &'a [&'a str],
    /// An offset and its place: places are asked for almost in order.
    cursor: (usize, Place),
    first: Place,
    sections: Vec<Section>,
    section: Section,
    frames: Vec<Frame>,
    inlines: Vec<Open>,
    /// Where the open paragraph or heading begins.
    begin: Place,
    code: Option<(Place, String, String)>,
    table: Table,
    table_at: Place,
    lives: usize,
}

impl Builder<'_> {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, _, code)) => code.push_str(&shown(&text)),
                None => self.words(&shown(&text), range),
            },
            Event::Code(text) => {
                let inline = self.inline_code(shown(&text), &range);
                self.inline(inline, range);
            }
            Event::InlineMath(text) => {
                let place = self.place(range.start + 1);
                self.inline(Inline::Math(Formula::parse(shown(&text), place)), range);
            }
            Event::DisplayMath(text) => self.display_math(shown(&text), range),
            // Lesson text has no other language in it: what looks like HTML is
            // shown as it stands.
            Event::Html(text) | Event::InlineHtml(text) => self.words(&shown(&text), range),
            Event::SoftBreak => self.words("\n", range),
            Event::HardBreak => self.inline(Inline::Break, range),
            Event::Rule => {
                self.close_paragraph();
                let place = self.place(range.start);
                self.block(place, Element::Rule);
            }
            // Not enabled; shown as text if that should change.
            Event::FootnoteReference(text) => self.words(&shown(&text), range),
            Event::TaskListMarker(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Emphasis => return self.open(OpenKind::Emphasis, range),
            Tag::Strong => return self.open(OpenKind::Strong, range),
            Tag::Link { dest_url, .. } => {
                return self.open(OpenKind::Link(shown(&dest_url)), range);
            }
            Tag::Image { dest_url, .. } => {
                let place = self.place(range.start);
                self.open(OpenKind::Link(shown(&dest_url)), range);
                if let Some(open) = self.inlines.last_mut() {
                    open.text.push(Inline::Words {
                        text: "image: ".into(),
                        place,
                    });
                }
                return;
            }
            Tag::Strikethrough | Tag::Superscript | Tag::Subscript => {
                return self.open(OpenKind::Through, range);
            }
            _ => {}
        }
        // Everything else is a block, and ends the words of a tight item.
        if !matches!(tag, Tag::TableHead | Tag::TableRow | Tag::TableCell) {
            self.close_paragraph();
        }
        let place = self.place(range.start);
        match tag {
            Tag::Paragraph | Tag::Heading { .. } | Tag::HtmlBlock => self.base(place),
            Tag::TableCell => self.base(place),
            Tag::BlockQuote(_) => self.container(Frame::Aside {
                place,
                blocks: Vec::new(),
            }),
            Tag::List(first) => {
                self.container(Frame::List {
                    place,
                    first,
                    items: Vec::new(),
                });
            }
            Tag::Item => {
                let through = matches!(self.frames.last(), Some(Frame::Through) | None);
                self.frames.push(if through {
                    Frame::Through
                } else {
                    Frame::Item(Vec::new())
                });
            }
            Tag::CodeBlock(kind) => {
                let info = match kind {
                    CodeBlockKind::Fenced(info) => shown(&info),
                    CodeBlockKind::Indented => String::new(),
                };
                let word = info.split_whitespace().next().unwrap_or("").to_owned();
                self.code = Some((place, word, String::new()));
            }
            Tag::Table(alignments) => {
                self.table_at = place;
                self.table = Table::default();
                self.table.alignments = alignments.into_iter().map(alignment).collect();
            }
            Tag::TableRow => self.table.rows.push(Vec::new()),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Link
            | TagEnd::Image
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript => self.close_inline(),
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.close_paragraph(),
            TagEnd::Heading(level) => {
                let text = self.take_text();
                self.heading(level, text);
            }
            TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item => {
                self.close_paragraph();
                self.close_container();
            }
            TagEnd::CodeBlock => self.close_code(),
            TagEnd::TableCell => {
                let text = self.take_text();
                match self.table.rows.last_mut() {
                    Some(row) => row.push(text),
                    None => self.table.head.push(text),
                }
            }
            TagEnd::Table => {
                let table = std::mem::take(&mut self.table);
                self.block(self.table_at, Element::Table(table));
            }
            _ => {}
        }
    }

    // Blocks.

    fn heading(&mut self, level: HeadingLevel, text: Text) {
        if level == HeadingLevel::H2 && self.frames.is_empty() {
            let next = Section {
                heading: text,
                blocks: Vec::new(),
                line: self.begin.line,
            };
            let done = std::mem::replace(&mut self.section, next);
            self.keep(done);
        } else {
            self.block(
                self.begin,
                Element::Heading {
                    level: level as u8,
                    text,
                },
            );
        }
    }

    /// Keeps a finished section; the one before the first heading only if it
    /// holds something.
    fn keep(&mut self, mut section: Section) {
        if section.line == 0 {
            let Some(block) = section.blocks.first() else {
                return;
            };
            section.line = block.place.line;
        }
        self.sections.push(section);
    }

    fn block(&mut self, place: Place, element: Element) {
        let block = Block { place, element };
        for frame in self.frames.iter_mut().rev() {
            if let Frame::Aside { blocks, .. } | Frame::Item(blocks) = frame {
                blocks.push(block);
                return;
            }
        }
        self.section.blocks.push(block);
    }

    fn container(&mut self, frame: Frame) {
        let deep = self.frames.len() >= DEEPEST;
        self.frames.push(if deep { Frame::Through } else { frame });
    }

    fn close_container(&mut self) {
        match self.frames.pop() {
            Some(Frame::Aside { place, blocks }) => self.block(place, Element::Aside(blocks)),
            Some(Frame::List {
                place,
                first,
                items,
            }) => {
                self.block(place, Element::List { first, items });
            }
            Some(Frame::Item(blocks)) => {
                if let Some(Frame::List { items, .. }) = self.frames.last_mut() {
                    items.push(Item { blocks });
                }
            }
            Some(Frame::Through) | None => {}
        }
    }

    fn close_code(&mut self) {
        let Some((place, word, text)) = self.code.take() else {
            return;
        };
        if self.live.contains(&word.as_str()) {
            let live = Live {
                kind: word,
                body: text,
                index: self.lives,
                place,
            };
            self.lives += 1;
            self.block(place, Element::Live(live));
        } else {
            self.block(
                place,
                Element::Code {
                    language: word,
                    text,
                },
            );
        }
    }

    // Words.

    fn base(&mut self, place: Place) {
        self.begin = place;
        self.inlines = vec![Open {
            kind: OpenKind::Base,
            text: Vec::new(),
        }];
    }

    fn open(&mut self, kind: OpenKind, range: Range<usize>) {
        self.ensure_base(&range);
        let deep = self.inlines.len() > DEEPEST;
        let kind = if deep { OpenKind::Through } else { kind };
        self.inlines.push(Open {
            kind,
            text: Vec::new(),
        });
    }

    fn close_inline(&mut self) {
        let Some(Open { kind, text }) = self.inlines.pop() else {
            return;
        };
        let Some(parent) = self.inlines.last_mut() else {
            return;
        };
        match kind {
            OpenKind::Strong => parent.text.push(Inline::Strong(text)),
            OpenKind::Emphasis => parent.text.push(Inline::Emphasis(text)),
            OpenKind::Link(target) => parent.text.push(Inline::Link { text, target }),
            OpenKind::Base | OpenKind::Through => parent.text.extend(text),
        }
    }

    /// The words of a tight item come without a paragraph around them.
    fn ensure_base(&mut self, range: &Range<usize>) {
        if self.inlines.is_empty() {
            let place = self.place(range.start);
            self.base(place);
        }
    }

    fn inline(&mut self, inline: Inline, range: Range<usize>) {
        self.ensure_base(&range);
        if let Some(open) = self.inlines.last_mut() {
            open.text.push(inline);
        }
    }

    fn words(&mut self, words: &str, range: Range<usize>) {
        self.ensure_base(&range);
        let place = self.place(range.start);
        let Some(open) = self.inlines.last_mut() else {
            return;
        };
        match open.text.last_mut() {
            Some(Inline::Words { text, .. }) => text.push_str(words),
            _ => open.text.push(Inline::Words {
                text: words.to_owned(),
                place,
            }),
        }
    }

    fn inline_code(&mut self, text: String, range: &Range<usize>) -> Inline {
        let raw = self.source.get(range.clone()).unwrap_or("");
        let inside = raw.trim_start_matches('`');
        match text.strip_prefix("= ").map(str::trim) {
            Some(expression) if !expression.is_empty() => {
                let rest = inside.trim_start().trim_start_matches('=').trim_start();
                let place = self.place(range.start + (raw.len() - rest.len()));
                Inline::Value(Value {
                    expression: expression.to_owned(),
                    place,
                })
            }
            _ => {
                let place = self.place(range.start + (raw.len() - inside.len()));
                Inline::Code { text, place }
            }
        }
    }

    /// Mathematics between `$$` stands on lines of its own where it can: it
    /// parts a paragraph, but neither a heading nor a cell.
    fn display_math(&mut self, text: String, range: Range<usize>) {
        let place = self.place(range.start + 2);
        let formula = Formula::parse(text, place);
        let in_line = self.inlines.len() > 1 || !self.table.alignments.is_empty();
        if in_line {
            return self.inline(Inline::Math(formula), range);
        }
        self.close_paragraph();
        let begin = self.place(range.start);
        self.block(begin, Element::Math(formula));
        let rest = self.place(range.end);
        self.base(rest);
    }

    /// Ends what inline elements are open and yields the words.
    fn take_text(&mut self) -> Text {
        while self.inlines.len() > 1 {
            self.close_inline();
        }
        self.inlines.pop().map(|open| open.text).unwrap_or_default()
    }

    fn close_paragraph(&mut self) {
        if self.inlines.is_empty() {
            return;
        }
        let text = self.take_text();
        let blank = text.iter().all(|inline| match inline {
            Inline::Words { text, .. } => text.trim().is_empty(),
            Inline::Break => true,
            _ => false,
        });
        if !blank {
            self.block(self.begin, Element::Paragraph(text));
        }
    }

    fn place(&mut self, offset: usize) -> Place {
        if offset < self.cursor.0 {
            self.cursor = (0, self.first);
        }
        let (from, place) = self.cursor;
        let place = place.after(self.source.get(from..offset).unwrap_or(""));
        self.cursor = (offset, place);
        place
    }

    fn finish(mut self) -> Document {
        self.close_paragraph();
        let last = std::mem::take(&mut self.section);
        self.keep(last);
        Document {
            sections: self.sections,
        }
    }
}

/// Text as the reader may see it: bars restored, control characters visible.
/// Entities are decoded by now, so `&#27;` is caught as well.
fn shown(text: &str) -> String {
    clean(&text.replace(BAR, "|")).into_owned()
}

fn alignment(alignment: pulldown_cmark::Alignment) -> Alignment {
    match alignment {
        pulldown_cmark::Alignment::None => Alignment::Auto,
        pulldown_cmark::Alignment::Left => Alignment::Left,
        pulldown_cmark::Alignment::Center => Alignment::Centre,
        pulldown_cmark::Alignment::Right => Alignment::Right,
    }
}

#[cfg(test)]
mod tests;
