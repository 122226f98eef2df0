//! Stage 1: lesson text to typed elements.

mod inline;
mod source;

use super::clean::clean;
use super::element::{
    Alignment, Block, Document, Element, Inline, Item, Live, Place, Section, Table, Text,
};
use super::math::Formula;
use inline::{Open, OpenKind};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use source::{Places, prepare, shown};
use std::ops::Range;

/// Lists, asides and emphasis nested deeper than this are shown flat, so that
/// no text can make the walkers recurse without bound.
const DEEPEST: usize = 12;

/// Parses `text`, whose first line is line `first_line` of its file (front
/// matter comes before). A fenced block whose info string begins with one of
/// the words in `live` becomes a [`Live`]. Any text parses; what is wrong in
/// its mathematics is in [`Document::faults`].
///
/// ```
/// let lesson = text::parse("text\n\n```lab\npreset = 1\n```", 8, &["lab"]);
/// assert_eq!(lesson.lives()[0].place.line, 10);
/// ```
pub fn parse(text: &str, first_line: usize, live: &[&str]) -> Document {
    let line = first_line.max(1);
    parse_from(text, Place { line, column: 1 }, live)
}

/// The same for a text that begins within a line of its file.
pub fn parse_from(text: &str, start: Place, live: &[&str]) -> Document {
    let source = prepare(text);
    let mut builder = Builder {
        places: Places::new(&source, start),
        live,
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

/// A block of code while its lines go by.
struct Code {
    place: Place,
    word: String,
    text: String,
    fenced: bool,
}

struct Builder<'a> {
    places: Places<'a>,
    live: &'a [&'a str],
    sections: Vec<Section>,
    section: Section,
    frames: Vec<Frame>,
    inlines: Vec<Open>,
    /// Where the open paragraph or heading begins.
    begin: Place,
    code: Option<Code>,
    table: Table,
    table_at: Place,
    lives: usize,
}

impl Builder<'_> {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.text.push_str(&shown(&text)),
                None => self.words(&shown(&text), range),
            },
            Event::Code(text) => {
                let inline = self.inline_code(shown(&text), &range);
                self.inline(inline, range);
            }
            Event::InlineMath(text) => {
                let formula = self.formula(&text, range.start + 1);
                self.inline(Inline::Math(formula), range);
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
                let target = shown(&dest_url);
                let image = false;
                return self.open(OpenKind::Link { target, image }, range);
            }
            Tag::Image { dest_url, .. } => {
                let place = self.place(range.start);
                let target = shown(&dest_url);
                let image = true;
                self.open(OpenKind::Link { target, image }, range);
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
                let (info, fenced) = match kind {
                    CodeBlockKind::Fenced(info) => (shown(&info), true),
                    CodeBlockKind::Indented => (String::new(), false),
                };
                let word = info.split_whitespace().next().unwrap_or("").to_owned();
                self.code = Some(Code {
                    place,
                    word,
                    text: String::new(),
                    fenced,
                });
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

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Link
            | TagEnd::Image
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript => self.close_inline(&range),
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.close_paragraph(),
            TagEnd::Heading(level) => {
                let text = self.take_text();
                self.heading(level, text, range);
            }
            TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item => {
                self.close_paragraph();
                self.close_container();
            }
            TagEnd::CodeBlock => self.close_code(range),
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

    fn heading(&mut self, level: HeadingLevel, text: Text, span: Range<usize>) {
        if level == HeadingLevel::H2 && self.frames.is_empty() {
            let next = Section {
                heading: text,
                blocks: Vec::new(),
                line: self.begin.line,
                span,
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

    fn close_code(&mut self, span: Range<usize>) {
        let Some(code) = self.code.take() else {
            return;
        };
        let Code {
            place, word, text, ..
        } = code;
        if self.live.contains(&word.as_str()) {
            let (within, closed) = inside(self.places.source(&span), span.start);
            let live = Live {
                kind: word,
                body: text,
                within,
                span,
                closed,
                index: self.lives,
                place,
            };
            self.lives += 1;
            self.block(place, Element::Live(live));
        } else {
            self.block(
                place,
                Element::Code {
                    language: clean(&word).into_owned(),
                    text,
                    first: place.line + usize::from(code.fenced),
                },
            );
        }
    }

    /// Mathematics whose source begins at a byte.
    fn formula(&mut self, text: &str, at: usize) -> Formula {
        let place = self.place(at);
        Formula::parse_at(shown(text), place, at)
    }

    fn place(&mut self, offset: usize) -> Place {
        self.places.at(offset)
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

/// What stands between the fences of a block whose source begins at `start`, and
/// whether the second one is there.
fn inside(source: &str, start: usize) -> (Range<usize>, bool) {
    let source = source.trim_end_matches('\n');
    let mark = |line: &str| {
        let line = line.trim();
        let mark = line.chars().next().unwrap_or_default();
        let rest = line.trim_start_matches(mark);
        (mark, line.len() - rest.len(), rest.is_empty())
    };
    let end = start + source.len();
    let Some((open, rest)) = source.split_once('\n') else {
        return (end..end, false);
    };
    let first = start + open.len() + 1;
    let (last, before) = match rest.rsplit_once('\n') {
        Some((before, last)) => (last, before.len() + 1),
        None => (rest, 0),
    };
    let ((with, width, _), (mark, closing, bare)) = (mark(open), mark(last));
    if mark == with && closing >= width && bare {
        (first..first + before, true)
    } else {
        (first..end, false)
    }
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
