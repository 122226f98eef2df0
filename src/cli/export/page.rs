//! A lesson, and the list of them, as HTML files that need no other file and no
//! network.

use super::html::{Ids, Writer, escape, href};
use super::live as on_page;
use crate::cli::desk::{Desk, Runs, complaints};
use crate::cli::failure::Failure;
use crate::cli::out::complain;
use crate::cli::{live, show};
use crate::picture;
use course::answer::{Env, Kind};
use course::present::{Piece, Question};
use course::{Exercise, Lesson, Live, Part};
use text::{Section, Value, parse};

/// Stands in every file that this program wrote, near its beginning.
pub(in crate::cli) const MARK: &str = "<meta name=\"generator\" content=\"tinyllama-tutor";

const STYLE: &str = include_str!("page.css");

/// The lessons of an export, in the order of the course.
pub(super) struct Book<'a> {
    pub(super) desk: &'a Desk,
    pub(super) lessons: Vec<&'a Lesson>,
}

/// What a lesson is drawn with, and what came of it.
struct Drawing<'d> {
    writer: &'d Writer<'d>,
    ids: &'d mut Ids,
    /// The exit code.
    code: &'d mut u8,
}

/// A whole file around `main`.
fn file(title: &str, main: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{MARK} {version}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{colours}{STYLE}</style>\n</head>\n<body>\n{main}</body>\n</html>\n",
        version = env!("CARGO_PKG_VERSION"),
        colours = picture::colours(),
        title = escape(title),
    )
}

impl Book<'_> {
    /// Where a lesson or an exercise stands in this export.
    fn place(&self, id: &str) -> Option<String> {
        let course = &self.desk.course;
        let held = |id: &str| self.lessons.iter().any(|lesson| lesson.id == id);
        if let Ok(lesson) = course.lesson(id) {
            return held(&lesson.id).then(|| href(&lesson.id));
        }
        let exercise = course.exercise(id).ok()?;
        let lesson = exercise.lesson.as_ref()?;
        held(lesson.as_str()).then(|| format!("{}#{}", href(lesson.as_str()), exercise.id))
    }

    /// The list of the lessons.
    pub(super) fn index(&self) -> String {
        let mut main = "<main>\n<h1>Lessons on GPU kernel fusion</h1>\n".to_owned();
        let (pages, lessons): (Vec<&Lesson>, Vec<&Lesson>) = self
            .lessons
            .iter()
            .partition(|lesson| lesson.is_reference());
        for (title, lessons) in [("Lessons", lessons), ("Reference", pages)] {
            if lessons.is_empty() {
                continue;
            }
            main += &format!("<h2>{title}</h2>\n<ul class=\"lessons\">\n");
            for lesson in lessons {
                main += &format!(
                    "<li><span class=\"dim\">{}</span> <a href=\"{}\">{}</a> <span class=\"dim\">{}</span></li>\n",
                    escape(lesson.id.split('-').next().unwrap_or_default()),
                    href(&lesson.id),
                    escape(&lesson.title),
                    escape(&about(lesson)),
                );
            }
            main += "</ul>\n";
        }
        main += "</main>\n";
        file("Lessons on GPU kernel fusion", &main)
    }

    /// A lesson with the questions of its exercises, and the exit code: 4 where
    /// its text, or a live block, is not as it should be.
    ///
    /// # Errors
    /// The lesson's configuration cannot be.
    pub(super) fn lesson(&self, lesson: &Lesson) -> Result<(String, u8), Failure> {
        let runs = Runs::default();
        let env = self.desk.env(&lesson.setup, &runs)?;
        let place = |id: &str| self.place(id);
        let resolve = |value: &Value| show::resolved(value, &env);
        let writer = Writer {
            resolve: &resolve,
            place: &place,
        };
        let mut code = complaints(&lesson.faults);
        let mut ids = Ids::default();
        let anchors: Vec<String> = lesson.sections.iter().map(|s| ids.of(&s.id)).collect();
        let exercises: Vec<&Exercise> = self.desk.course.exercises_of(&lesson.id).collect();
        for exercise in &exercises {
            ids.of(&exercise.id);
        }

        let mut main = format!(
            "<header>\n<nav><a href=\"./index.html\">Lessons</a></nav>\n<h1>{}</h1>\n<p class=\"dim\">{}</p>\n</header>\n",
            escape(&lesson.title),
            escape(&about(lesson)),
        );
        main += "<nav class=\"contents\" aria-label=\"Sections\">\n<ol>\n";
        for (section, anchor) in lesson.sections.iter().zip(&anchors) {
            main += &format!(
                "<li><a href=\"#{}\">{}</a></li>\n",
                escape(anchor),
                heading(&section.title, &writer)
            );
        }
        let practice = (!exercises.is_empty()).then(|| ids.of("exercises"));
        if let Some(anchor) = &practice {
            main += &format!("<li><a href=\"#{anchor}\">Exercises</a></li>\n");
        }
        main += "</ol>\n</nav>\n<main>\n";
        for (section, anchor) in lesson.sections.iter().zip(&anchors) {
            main += &format!(
                "<h2 id=\"{}\">{}</h2>\n",
                escape(anchor),
                heading(&section.title, &writer)
            );
            let told: Vec<_> = section.told().collect();
            for (part, _) in told.iter().filter(|(_, claim)| claim.is_none()) {
                let mut page = Drawing {
                    writer: &writer,
                    ids: &mut ids,
                    code: &mut code,
                };
                let of = |other: &Option<&Live>| match (part, other) {
                    (Part::Live(live), Some(claim)) => live.number == claim.number,
                    _ => false,
                };
                let behind = told.iter().filter(|(_, claim)| of(claim));
                let behind: String = behind
                    .map(|(part, _)| self.part(lesson, part, "", &mut page))
                    .collect();
                main += &self.part(lesson, part, &behind, &mut page);
            }
        }
        if let Some(anchor) = practice {
            main += &format!("<h2 id=\"{anchor}\">Exercises</h2>\n");
        }
        for exercise in exercises {
            main += &self.exercise(exercise, &mut ids)?;
        }
        main += "</main>\n";
        main += &self.neighbours(lesson);
        Ok((file(&lesson.title, &main), code))
    }

    /// A part of a section; `behind` is what stands behind a claim.
    fn part(&self, lesson: &Lesson, part: &Part, behind: &str, on: &mut Drawing<'_>) -> String {
        let block = match part {
            Part::Prose { body, .. } => return on.writer.blocks(&body.blocks, on.ids),
            Part::Live(block) => block,
        };
        match live::pieces(self.desk, lesson, block, true) {
            Ok(pieces) => {
                let (place, ids) = (on.writer.place, &mut *on.ids);
                let mut page = on_page::Page { place, ids };
                on_page::block(block, &pieces, behind, &mut page)
            }
            Err(failure) => {
                let sentence = failure.sentence();
                let (id, number) = (&lesson.id, block.number);
                complain(&format!("{id}, block {number}: {sentence}"));
                *on.code = 4;
                on_page::refused(&block.kind, sentence)
            }
        }
    }

    /// Links to the lessons before and after.
    fn neighbours(&self, lesson: &Lesson) -> String {
        let Some(at) = self.lessons.iter().position(|l| l.id == lesson.id) else {
            return String::new();
        };
        let link = |word: &str, at: Option<usize>| {
            let lesson = at.and_then(|at| self.lessons.get(at))?;
            Some(format!(
                "<a href=\"{}\">{word}: {}</a>\n",
                href(&lesson.id),
                escape(&lesson.title)
            ))
        };
        let links = [
            link("Before", at.checked_sub(1)),
            link("Next", Some(at + 1)),
        ];
        let links: String = links.into_iter().flatten().collect();
        format!(
            "<footer>\n<nav aria-label=\"Lessons before and after\">\n{links}</nav>\n</footer>\n"
        )
    }

    /// The questions of an exercise as printed: no answers, slips or hints.
    fn exercise(&self, exercise: &Exercise, ids: &mut Ids) -> Result<String, Failure> {
        let runs = Runs::default();
        let env = self.desk.env(&exercise.setup, &runs)?;
        let mut out = format!(
            "<section class=\"exercise\" id=\"{}\">\n<h3>{} {}</h3>\n",
            escape(&exercise.id),
            escape(&exercise.id),
            escape(&exercise.title)
        );
        let body = exercise.shown_body(self.desk.gpus()?);
        out += &self.text(&body, exercise.body_line, &env, ids);
        out += "<ol>\n";
        for key in &exercise.keys {
            let question = Question::of(exercise, key, &env).map_err(Failure::content)?;
            let place = |id: &str| self.place(id);
            let mut page = on_page::Page { place: &place, ids };
            let ask = page.prose(&question.ask);
            out += &format!("<li>{ask}{}</li>\n", form(&question));
        }
        out += &format!(
            "</ol>\n<p class=\"dim\">Command: <code>tinyllama-tutor check {}</code></p>\n</section>\n",
            escape(&exercise.id)
        );
        Ok(out)
    }

    /// Markdown, its inline numbers evaluated in `env`.
    fn text(&self, text: &str, line: usize, env: &Env<'_>, ids: &mut Ids) -> String {
        let place = |id: &str| self.place(id);
        let resolve = |value: &Value| show::resolved(value, env);
        let writer = Writer {
            resolve: &resolve,
            place: &place,
        };
        markdown(text, line, &writer, ids)
    }
}

/// Pieces in chapters as a file of their own.
pub(in crate::cli) fn page_of_pieces(
    title: &str,
    about: &str,
    chapters: &[(&str, &[Piece])],
) -> String {
    let mut ids = Ids::default();
    let anchors: Vec<String> = chapters.iter().map(|(name, _)| ids.of(name)).collect();
    let mut main = format!(
        "<header>\n<h1>{}</h1>\n<p class=\"dim\">{}</p>\n</header>\n\
         <nav class=\"contents\" aria-label=\"Chapters\">\n<ol>\n",
        escape(title),
        escape(about)
    );
    for ((name, _), anchor) in chapters.iter().zip(&anchors) {
        main += &format!("<li><a href=\"#{anchor}\">{}</a></li>\n", escape(name));
    }
    main += "</ol>\n</nav>\n<main>\n";
    for ((name, pieces), anchor) in chapters.iter().zip(&anchors) {
        main += &format!("<h2 id=\"{anchor}\">{}</h2>\n", escape(name));
        let mut page = on_page::Page {
            place: &|_| None,
            ids: &mut ids,
        };
        main += &pieces.iter().map(|p| page.piece(p)).collect::<String>();
    }
    main += "</main>\n";
    file(title, &main)
}

/// `V1, 12 min`.
fn about(lesson: &Lesson) -> String {
    let version = match lesson.version.as_str() {
        "all" => None,
        version => Some(version.to_uppercase()),
    };
    let time = (lesson.minutes > 0).then(|| format!("{} min", lesson.minutes));
    let parts: Vec<String> = version.into_iter().chain(time).collect();
    parts.join(", ")
}

/// A section's title, which is markdown.
fn heading(title: &str, writer: &Writer<'_>) -> String {
    let document = parse(&format!("## {title}"), 1, &[]);
    match document.sections.first() {
        Some(section) if !section.heading.is_empty() => writer.inlines(&section.heading),
        _ => escape(title),
    }
}

fn markdown(text: &str, line: usize, writer: &Writer<'_>, ids: &mut Ids) -> String {
    let section = |section: &Section| {
        let mut out = String::new();
        if !section.heading.is_empty() {
            let id = ids.of(&section.title());
            out = format!(
                "<h3 id=\"{}\">{}</h3>\n",
                escape(&id),
                writer.inlines(&section.heading)
            );
        }
        out + &writer.blocks(&section.blocks, ids)
    };
    let document = parse(text, line, &[]);
    document.sections.iter().map(section).collect()
}

/// How a question is answered: its options, its empty table, its lines.
pub(super) fn form(question: &Question) -> String {
    let mut out = String::new();
    if let Some((path, lines)) = &question.listing {
        out += &format!(
            "<p class=\"dim\">kernels/{}</p>\n{}",
            escape(path),
            on_page::source(path, lines)
        );
    } else if !question.options.is_empty() {
        let options = question.options.iter();
        let options: Vec<String> = options
            .map(|option| format!("<code>{}</code>", escape(option)))
            .collect();
        let of = match question.kind {
            Kind::Choices => "Any of",
            Kind::Ranking => "In order",
            _ => "One of",
        };
        out += &format!("<p class=\"dim\">{of}: {}</p>\n", options.join(", "));
    }
    if let Some((columns, rows)) = &question.table {
        let cell = |tag: &str, text: &String| format!("<th scope=\"{tag}\">{}</th>", escape(text));
        let head: String = columns.iter().map(|text| cell("col", text)).collect();
        let empty = "<td></td>".repeat(columns.len());
        let rows: String = rows
            .iter()
            .map(|row| format!("<tr>{}{empty}</tr>\n", cell("row", row)))
            .collect();
        out += &format!(
            "<div class=\"wide\" tabindex=\"0\"><table>\n<thead>\n<tr><td></td>{head}</tr>\n</thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
        );
    }
    out += &match question.unit.as_deref() {
        None => String::new(),
        Some("") => "<p class=\"dim\">A number without a unit.</p>\n".to_owned(),
        Some(unit) => format!("<p class=\"dim\">In {}.</p>\n", escape(unit)),
    };
    if question.table.is_none() {
        out += "<p class=\"answer\"></p>\n";
    }
    out
}

/// A live block on a page of its own.
#[cfg(test)]
pub(in crate::cli) fn live_block(live: &Live, pieces: &[Piece]) -> String {
    let mut page = on_page::Page {
        place: &|_| None,
        ids: &mut Ids::default(),
    };
    on_page::block(live, pieces, "", &mut page)
}

#[cfg(test)]
mod tests;
