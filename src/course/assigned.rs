//! The exercises of the workshop's documents by their own names, as paths of the questions
//! here: `exercises/documents.toml`.

use super::exercise::Exercise;
use super::fault::Fault;
use super::fields::{Fields, Phrase, Toml};
use super::library::Course;
use super::route::asked;
use super::text::Text;
use std::sync::OnceLock;

static FILE: &str = include_str!("../../exercises/documents.toml");
/// The file as faults name it.
const NAME: &str = "exercises/documents.toml";

/// An exercise of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assigned {
    /// What it is found by; the first is what is listed. Two documents may share the others.
    pub names: Vec<String>,
    /// Id of the document, as the ledger of claims has it.
    pub document: String,
    /// Its title there.
    pub title: String,
    /// Minutes that the document gives; none: it gives none.
    pub minutes: Option<u64>,
    /// Its parts, in their order.
    pub parts: Vec<Portion>,
    /// The lines of its results template.
    pub lines: Vec<Line>,
}

/// A part of an exercise of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Portion {
    /// What it is found by alone, where it is.
    pub name: Option<String>,
    /// Its title there.
    pub title: String,
    /// Questions, `ex16 time1`, or all of an exercise, `ex13`.
    pub questions: Vec<Phrase>,
}

/// A line of a results template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// What the document asks for.
    pub says: String,
    /// The question that fills it.
    pub question: Phrase,
}

/// All of them, in the order of the documents.
pub fn assigned() -> &'static [Assigned] {
    static ALL: OnceLock<Vec<Assigned>> = OnceLock::new();
    ALL.get_or_init(|| read(NAME, FILE).0)
}

fn read(file: &str, raw: &str) -> (Vec<Assigned>, Vec<Fault>) {
    let (text, mut faults) = Text::new(file, raw);
    let toml = Toml {
        text: &text,
        range: 0..text.body().len(),
    };
    let list = toml.read(&mut faults, |fields| {
        fields.called("the file");
        let list = fields.tables("exercise", exercise);
        fields.close();
        list.into_iter().flatten().collect()
    });
    (list, faults)
}

fn exercise(fields: &mut Fields<'_, '_>) -> Option<Assigned> {
    let mut fields = fields.renamed("an exercise of a document");
    let names = fields.texts("names").into_iter().map(|name| name.text);
    let names: Vec<String> = names.collect();
    let document = fields.need_text("document", "document = \"S2\"");
    let title = fields.need_text("title", "title = \"Exercise 1\"");
    let minutes = fields.count("minutes");
    let parts = fields.tables("part", part).into_iter().flatten().collect();
    let lines = fields.tables("line", line).into_iter().flatten().collect();
    if names.is_empty() {
        fields.report("this exercise has no names; add names = [\"v2-ex1\"].");
    }
    fields.close();
    Some(Assigned {
        names,
        document: document?.text,
        title: title?.text,
        minutes,
        parts,
        lines,
    })
}

fn part(fields: &mut Fields<'_, '_>) -> Option<Portion> {
    let mut fields = fields.renamed("a part of an exercise");
    let name = fields.text("name").map(|name| name.text);
    let title = fields.need_text("title", "title = \"Part A\"");
    let questions = fields.texts("questions");
    fields.close();
    Some(Portion {
        name,
        title: title?.text,
        questions,
    })
}

fn line(fields: &mut Fields<'_, '_>) -> Option<Line> {
    let mut fields = fields.renamed("a line of a template");
    let says = fields.need_text("says", "says = \"Arithmetic intensity\"");
    let question = fields.need_text("question", "question = \"ex34 intensity\"");
    fields.close();
    Some(Line {
        says: says?.text,
        question: question?,
    })
}

impl Assigned {
    /// What is listed.
    pub fn name(&self) -> &str {
        self.names.first().map_or("", String::as_str)
    }

    /// The questions of all parts: exercise and key.
    pub fn asked(&self, course: &Course) -> Vec<(String, String)> {
        self.parts
            .iter()
            .flat_map(|part| part.asked(course))
            .collect()
    }
}

impl Portion {
    /// Its questions: exercise and key. What a course does not have is left out.
    pub fn asked(&self, course: &Course) -> Vec<(String, String)> {
        let questions = self.questions.iter();
        questions.flat_map(|q| asked(course, &q.text)).collect()
    }
}

/// The names under which exercises of documents, and parts of them, are found.
pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    assigned().iter().flat_map(|exercise| {
        let own = exercise.names.iter();
        let own = own.map(|name| (name.as_str(), exercise.title.as_str()));
        let parts = exercise.parts.iter();
        own.chain(parts.filter_map(|part| Some((part.name.as_deref()?, part.title.as_str()))))
    })
}

/// The exercises of the course that a name of the documents leads to, in their order; none
/// where nothing is called so.
pub(crate) fn led_to<'c>(course: &'c Course, typed: &str) -> Vec<&'c Exercise> {
    let same = |name: &str| name.eq_ignore_ascii_case(typed);
    let mut ids: Vec<String> = Vec::new();
    for exercise in assigned() {
        let whole = exercise.names.iter().any(|name| same(name));
        let parts = exercise.parts.iter();
        let meant = parts.filter(|part| whole || part.name.as_deref().is_some_and(same));
        for (id, _) in meant.flat_map(|part| part.asked(course)) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
    }
    let own = |id: &String| course.exercise_of_id(id);
    ids.iter().filter_map(own).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(typed: &str) -> Vec<String> {
        let course = Course::built_in();
        let found = led_to(&course, typed).into_iter();
        found.map(|exercise| exercise.id.clone()).collect()
    }

    #[test]
    fn the_file_has_no_fault_and_every_question_is_there() {
        let (list, faults) = read(NAME, FILE);
        assert_eq!(faults, []);
        let course = Course::built_in();
        let parts = list.iter().flat_map(|exercise| &exercise.parts);
        let lines = list.iter().flat_map(|exercise| &exercise.lines);
        let questions = parts.flat_map(|part| &part.questions);
        for question in questions.chain(lines.map(|line| &line.question)) {
            assert!(
                !asked(&course, &question.text).is_empty(),
                "{}",
                question.text
            );
        }
        // Three of V2, one of V4 with its parts A to C, the template and 90 minutes.
        let named: Vec<&str> = list.iter().map(Assigned::name).collect();
        assert_eq!(named, ["v2-ex1", "v2-ex2", "v2-ex3", "v4-ex1"]);
        assert_eq!((list[3].minutes, list[0].minutes), (Some(90), None));
        assert_eq!((list[3].parts.len(), list[3].lines.len()), (4, 11));
        // No question of the exercises that they lead to is lost on the way.
        for exercise in &list {
            let asked = exercise.asked(&course);
            let led = exercise.names.first().map(|name| led_to(&course, name));
            let all: usize = led.iter().flatten().map(|e| e.keys.len()).sum();
            assert_eq!(asked.len(), all, "{}", exercise.name());
        }
    }

    #[test]
    fn a_name_of_the_documents_leads_to_exercises() {
        assert_eq!(ids("v2-ex1"), ["ex16"]);
        assert_eq!(ids("V2-EX3"), ["ex39", "ex40"]);
        assert_eq!(ids("v4-ex1"), ["ex31", "ex32", "ex33", "ex34"]);
        assert_eq!(ids("v4-ex1-b"), ["ex32"]);
        assert_eq!(ids("exercise1_ultra_fusion"), ids("v4-ex1"));
        // Two documents have an Exercise 1.
        assert_eq!(ids("exercise1"), [ids("v2-ex1"), ids("v4-ex1")].concat());
        assert!(ids("v3-ex1").is_empty());
    }

    #[test]
    fn a_name_that_is_none_gets_the_nearest() {
        let course = Course::built_in();
        let why = course.exercises_named("v2-ex9").unwrap_err();
        assert!(why.contains("did you mean v2-ex"), "{why}");
        // One question wants one exercise.
        let why = course.exercise("v4-ex1").unwrap_err();
        assert!(why.contains("is ex31, ex32, ex33, ex34 here"), "{why}");
        assert_eq!(course.exercise("v4-ex1-b").unwrap().id, "ex32");
        assert_eq!(course.exercises_named("ex1").unwrap().len(), 1);
    }
}
