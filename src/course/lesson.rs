//! A lesson: front matter, sections, live blocks.

use super::block::{self, Block, KINDS, Live};
use super::bounds::bounded;
use super::document::{Stretch, stretches};
use super::exercise::{asks_of_bf16, asks_of_gpu, caveat};
use super::fault::Fault;
use super::fields::{Phrase, Toml};
use super::number::Inline;
use super::setup::{GPU, Setup, reasons};
use super::text::Text;
use crate::answer::data_sheets;
use ::text::Element;
use std::ops::Range;

/// Words of the `version` field: the column on the home screen.
pub const VERSIONS: [&str; 5] = ["v1", "v2", "v3", "v4", "all"];

/// Lessons from this number on are reference pages.
pub(crate) const REFERENCE: u32 = 90;

/// A lesson, readable even where parts of it are broken.
#[derive(Debug, Clone, PartialEq)]
pub struct Lesson {
    /// File stem, such as `07-v1-census`: progress is kept under it.
    pub id: String,
    /// Title; the id when the front matter has none.
    pub title: String,
    /// `v1` … `v4`, or `all`.
    pub version: String,
    /// Time to read and run it; 0 for reference pages.
    pub minutes: u64,
    /// Lessons that help to have read; advice only.
    pub needs: Vec<Phrase>,
    /// Default configuration of the lesson's expressions.
    pub setup: Setup,
    /// GPUs that its expressions name, each with the reason why it is this one.
    pub named: Vec<(Phrase, Phrase)>,
    /// It is about the claims court: a course that has switched that off leaves it out.
    pub court: bool,
    /// It speaks of the device of the course: its settings name no GPU.
    device: bool,
    /// Sections in order.
    pub sections: Vec<Section>,
    /// Everything that is wrong with the file.
    pub faults: Vec<Fault>,
    /// The text itself, cleaned.
    pub text: Text,
}

/// What the reader pages by.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Made of the title, unique in the lesson: progress is kept under it.
    pub id: String,
    /// Heading; the lesson's title for what stands before the first one.
    pub title: String,
    /// Lines from the heading to the last one, counted from 1, end exclusive.
    pub lines: Range<usize>,
    /// Prose and live blocks in order.
    pub parts: Vec<Part>,
}

/// A stretch of a section.
#[derive(Debug, Clone, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "a lesson has some dozens, and they are not moved about"
)]
pub enum Part {
    /// Markdown to be rendered, code fences included.
    Prose {
        /// As it is written.
        text: String,
        /// Line of its first character.
        line: usize,
        /// As it was read: its blocks, without a heading.
        body: ::text::Section,
        /// Its inline numbers.
        numbers: Vec<Inline>,
    },
    /// A live block.
    Live(Live),
}

impl Lesson {
    /// The number that the id begins with.
    pub fn number(&self) -> Option<u32> {
        self.id.split('-').next()?.parse().ok()
    }

    /// Is it a reference page? Their numbers come after those of the lessons.
    pub fn is_reference(&self) -> bool {
        self.number().is_some_and(|number| number >= REFERENCE)
    }

    /// Reads a lesson. Never fails: what is wrong is in [`Lesson::faults`].
    pub fn read(id: &str, file: &str, raw: &str) -> Self {
        let (text, mut faults) = Text::new(file, raw);
        let (front, body) = text.front(&mut faults);
        let mut lesson = Self {
            id: id.to_owned(),
            title: id.to_owned(),
            version: "all".to_owned(),
            minutes: 0,
            needs: Vec::new(),
            setup: Setup::default(),
            named: Vec::new(),
            court: false,
            device: true,
            sections: Vec::new(),
            faults: Vec::new(),
            text: text.clone(),
        };
        if !front.is_empty() {
            Toml {
                text: &text,
                range: front,
            }
            .read(&mut faults, |fields| {
                fields.called("the front matter");
                if let Some(title) = fields.need_text("title", "title = \"…\"") {
                    lesson.title = title.text;
                }
                if let Some(version) = fields.one_of("version", &VERSIONS) {
                    lesson.version = version.text;
                }
                lesson.minutes = fields.count("minutes").unwrap_or(0);
                lesson.needs = fields.texts("needs");
                lesson.setup = fields.table("config", Setup::read).unwrap_or_default();
                lesson.device = lesson.setup.text(GPU).is_none();
                lesson.court = fields.flag("court").unwrap_or(false);
                lesson.named = fields.table("named", reasons).unwrap_or_default();
                fields.close();
            });
        }
        let body = bounded(&text, body, &mut faults);
        let mut number = 0;
        for stretch in stretches(&text, body, &KINDS) {
            code(&text, &stretch, &mut faults);
            let section = section(&text, stretch, &mut number, &lesson);
            for part in &section.parts {
                if let Part::Live(Live {
                    content: Err(found),
                    ..
                }) = part
                {
                    faults.extend(found.iter().cloned());
                }
            }
            lesson.sections.push(section);
        }
        if lesson.sections.is_empty() {
            faults.push(text.fault(
                text.body().len(),
                "the lesson has no text; begin a section with a line ## Title.",
            ));
        }
        faults.sort();
        lesson.faults = faults;
        lesson
    }

    /// The same text about another GPU, where its author names none.
    #[must_use]
    pub fn on(&self, gpu: &'static str) -> Self {
        let mut on = self.clone();
        if on.device {
            on.setup = on.setup.with(&Setup::of_gpu(gpu));
            on.say_device(gpu);
        }
        on
    }

    /// Says at its head what is to be known of its device.
    fn say_device(&mut self, gpu: &str) {
        let found = data_sheets().and_then(|all| all.get(gpu).ok());
        let found = found.filter(|_| asks_of_gpu(self.text.body()));
        let needs_bf16 = asks_of_bf16(self.text.body());
        let caveat = found.and_then(|gpu| Some((gpu, caveat(gpu, needs_bf16)?)));
        let (Some((gpu, caveat)), Some(first)) = (caveat, self.sections.first_mut()) else {
            return;
        };
        let text = format!("**On the {}:** {caveat}", gpu.short);
        let line = first.lines.start;
        let mut read = ::text::parse(&text, line, &[]).sections;
        let Some(mut said) = read.pop() else {
            return;
        };
        match first.parts.first_mut() {
            Some(Part::Prose { body, .. }) => {
                body.blocks.splice(0..0, said.blocks.drain(..));
            }
            _ => first.parts.insert(
                0,
                Part::Prose {
                    text,
                    line,
                    numbers: Vec::new(),
                    body: said,
                },
            ),
        }
    }

    /// The same text without the blocks that put a claim on trial, what stands behind
    /// them, and what asks about, or links to, texts that are `gone`. A section of which
    /// nothing is left goes as well.
    pub(crate) fn without_court(&mut self, gone: &dyn Fn(&str) -> bool) {
        self.sections.retain_mut(|section| {
            let held = section.parts.len();
            let told: Vec<bool> = section.told().map(|(_, on)| on.is_some()).collect();
            let mut told = told.into_iter();
            section.parts.retain_mut(|part| {
                let behind = told.next().unwrap_or(false);
                !behind && neutral(part, gone)
            });
            held == 0 || !section.parts.is_empty()
        });
    }

    /// Live blocks in order.
    pub fn live(&self) -> impl Iterator<Item = &Live> {
        self.sections.iter().flat_map(Section::live)
    }
}

impl Section {
    /// Live blocks of the section in order.
    pub fn live(&self) -> impl Iterator<Item = &Live> {
        self.parts.iter().filter_map(|part| match part {
            Part::Live(live) => Some(live),
            Part::Prose { .. } => None,
        })
    }

    /// Its parts in order, each with the claim behind which it stands: what is said
    /// there is the claim's answer, and shown once that was judged.
    pub fn told(&self) -> impl Iterator<Item = (&Part, Option<&Live>)> {
        let mut claim = None;
        self.parts.iter().map(move |part| match part {
            Part::Live(live) if live.is_claim() => {
                claim = Some(live);
                (part, None)
            }
            _ => (part, claim),
        })
    }
}

/// Whether a part stays where the claims court is switched off; of prose, as much as
/// leads to no text that is `gone`.
fn neutral(part: &mut Part, gone: &dyn Fn(&str) -> bool) -> bool {
    match part {
        Part::Live(live) => match &live.content {
            Ok(Block::Claim { .. }) => false,
            Ok(Block::Question { exercise, .. }) => !gone(&exercise.text),
            _ => true,
        },
        Part::Prose { body, numbers, .. } => {
            unlinked(&mut body.blocks, gone);
            *numbers = body.values().into_iter().map(Inline::of).collect();
            !body.blocks.is_empty()
        }
    }
}

/// Takes paragraphs, items and rows away that link to a text that is `gone`.
fn unlinked(blocks: &mut Vec<::text::Block>, gone: &dyn Fn(&str) -> bool) {
    let leads = |text: &[::text::Inline]| {
        text.iter().any(|inline| match inline {
            ::text::Inline::Link { target, .. } => {
                let path = target.split('#').next().unwrap_or_default();
                let id = path.rsplit('/').next().unwrap_or(path);
                gone(id.trim_end_matches(".md"))
            }
            _ => false,
        })
    };
    blocks.retain_mut(|block| match &mut block.element {
        Element::Paragraph(text) => !leads(text),
        Element::List { items, .. } => {
            items.retain_mut(|item| {
                unlinked(&mut item.blocks, gone);
                !item.blocks.is_empty()
            });
            !items.is_empty()
        }
        Element::Aside(blocks) => {
            unlinked(blocks, gone);
            !blocks.is_empty()
        }
        Element::Table(table) => {
            let rows = table.rows.len();
            table.rows.retain(|row| !row.iter().any(|cell| leads(cell)));
            rows == 0 || !table.rows.is_empty()
        }
        _ => true,
    });
}

/// Fences that look like live blocks with a typing mistake, and those where no
/// live block can be.
fn code(text: &Text, stretch: &Stretch, faults: &mut Vec<Fault>) {
    stretch.drawn.each_block(|block| {
        let Element::Code { language, .. } = &block.element else {
            return;
        };
        let say = match block::mistyped(language) {
            Some(kind) => format!("there is no block “{language}”; did you mean {kind}?"),
            None if KINDS.contains(&language.as_str()) => format!(
                "a {language} block stands on lines of its own, outside lists and asides; move it there."
            ),
            None => return,
        };
        faults.push(Fault::at(text.file(), block.place, say));
    });
}

fn section(text: &Text, stretch: Stretch, number: &mut usize, lesson: &Lesson) -> Section {
    let end = stretch.content.end;
    let mut parts = Vec::new();
    let mut from = stretch.content.start;
    let mut blocks = Vec::new();
    for block in stretch.drawn.blocks {
        let Element::Live(live) = &block.element else {
            blocks.push(block);
            continue;
        };
        let span = stretch.base + live.span.start..stretch.base + live.span.end;
        prose(
            text,
            from..span.start,
            std::mem::take(&mut blocks),
            &mut parts,
        );
        *number += 1;
        parts.push(Part::Live(block::read(text, live, stretch.base, *number)));
        from = span.end;
    }
    prose(text, from..end, blocks, &mut parts);
    let last = text.place(end).line + usize::from(end == text.body().len());
    let title = match stretch.title.as_str() {
        "" => lesson.title.clone(),
        _ => stretch.title,
    };
    Section {
        id: unique(&slug(&title), &lesson.sections),
        title,
        lines: stretch.line..last.max(stretch.line + 1),
        parts,
    }
}

/// Adds a stretch of prose without the blank lines around it.
fn prose(text: &Text, range: Range<usize>, blocks: Vec<::text::Block>, parts: &mut Vec<Part>) {
    let Some(first) = blocks.first() else {
        return;
    };
    let line = first.place.line;
    let body = ::text::Section {
        line,
        blocks,
        ..::text::Section::default()
    };
    parts.push(Part::Prose {
        text: text.slice(range).trim_matches('\n').trim_end().to_owned(),
        line,
        numbers: body.values().into_iter().map(Inline::of).collect(),
        body,
    });
}

/// Lower-case letters and digits with hyphens between words.
pub fn slug(title: &str) -> String {
    let mut out = String::new();
    for c in title.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    let kept = out.trim_end_matches('-').len();
    out.truncate(kept);
    if out.is_empty() {
        "section".to_owned()
    } else {
        out
    }
}

fn unique(slug: &str, taken: &[Section]) -> String {
    let free = |id: &str| taken.iter().all(|section| section.id != id);
    if free(slug) {
        return slug.to_owned();
    }
    (2..)
        .map(|n| format!("{slug}-{n}"))
        .find(|id| free(id))
        .unwrap_or_else(|| slug.to_owned())
}
