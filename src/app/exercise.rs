//! The exercise page: the list and the form.

mod footer;
mod form;
mod variant;

use super::answering::{self, open_sheet};
use super::change::NAME;
use super::intent::Out;
use super::key::{Code, Key as Pressed};
use super::keymap::{Action, Footer};
use super::mouse::{LINES, Target};
use super::note::Tone;
use super::onward;
use super::page::Mark;
use super::question::{Asked, Asks, Help};
use super::screen::Screen;
use super::shared::Shared;
use course::{Exercise, Key, Kind, Next};

pub(super) use variant::reset;

/// A form: one exercise.
#[derive(Clone, Debug, Default)]
pub struct Form {
    /// Id of the exercise.
    pub exercise: String,
    /// The question under the cursor.
    pub row: usize,
    /// First line shown.
    pub scroll: usize,
    /// What led to it.
    by: OpenedBy,
}

/// What led to a form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum OpenedBy {
    /// The list, to which Esc goes back.
    #[default]
    List,
    /// A page, to which Esc goes back.
    Page,
    /// The path, with which Space goes on; Esc goes back to the page before.
    Path,
}

/// Where the question under the cursor came out: first line and number of lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// All of it.
    pub question: (usize, usize),
    /// The option or the line of code under its cursor.
    pub cursor: Option<(usize, usize)>,
    /// What was said of its answer.
    pub verdict: Option<(usize, usize)>,
    /// The newest of its hints.
    pub hint: Option<(usize, usize)>,
    /// The worked solution.
    pub solution: Option<(usize, usize)>,
}

/// What the page remembers.
#[derive(Clone, Debug, Default)]
pub struct Exercises {
    /// The exercise under the cursor of the list.
    pub cursor: usize,
    /// The open form.
    pub form: Option<Form>,
    /// Lines of the form and lines that the page shows, as it was laid out.
    pub extent: (usize, usize),
    /// First line and number of lines of what is under the cursor.
    place: (usize, usize),
}

impl Exercises {
    /// What leads to a form that is opened from this page: the list, where it is there or
    /// Esc leads to it.
    pub(super) fn leads(&self) -> OpenedBy {
        match &self.form {
            Some(form) if form.by != OpenedBy::List => OpenedBy::Page,
            _ => OpenedBy::List,
        }
    }

    /// Whether the path led to the form, and Space goes on with it.
    pub fn follows(&self) -> bool {
        self.form.as_ref().is_some_and(|f| f.by == OpenedBy::Path)
    }

    /// Takes in how the form came out: the lines of the question under the cursor are
    /// kept in view, and within them, where they are too many, its verdict, the help that was
    /// asked for, or its cursor.
    pub fn fit(&mut self, shared: &mut Shared, lines: usize, room: usize, shown: &Shown) {
        let asked = &mut shared.questions;
        let judged = std::mem::take(&mut asked.judged);
        let typed = asked.field.is_some() && !asked.turned;
        let reveal = std::mem::take(&mut asked.reveal) || judged || typed;
        self.extent = (lines, room);
        self.place = shown.cursor.unwrap_or(shown.question);
        let Some(form) = &mut self.form else { return };
        let within = match asked.helped.take() {
            Some(Help::Hint) => shown.hint,
            Some(Help::Solution) => shown.solution,
            None if judged => shown.verdict,
            None => shown.cursor,
        };
        if reveal {
            for (first, count) in std::iter::once(shown.question).chain(within) {
                let below = (first + count).saturating_sub(room);
                form.scroll = form.scroll.max(below).min(first);
            }
        }
        form.scroll = form.scroll.min(lines.saturating_sub(room));
    }
}

impl Exercises {
    /// Whether nothing of what is under the cursor of the form is on the page.
    fn out_of_view(&self) -> bool {
        let from = self.form.as_ref().map_or(0, |form| form.scroll);
        let ((first, lines), room) = (self.place, self.extent.1);
        room > 0 && (first >= from + room || first + lines <= from)
    }
}

/// The exercise of the form, else the one under the cursor of the list.
pub fn shown<'s>(page: &Exercises, shared: &'s Shared) -> Option<&'s Exercise> {
    match &page.form {
        Some(form) => shared.study.exercise(&form.exercise),
        None => {
            let listed = shared.study.course.exercises().nth(page.cursor)?;
            shared.study.exercise(&listed.id)
        }
    }
}

/// An exercise as the list names it.
fn titled(exercise: &Exercise) -> String {
    format!("{} {}", exercise.id, exercise.title)
}

/// The question under the cursor of the form.
pub fn current(page: &Exercises, shared: &Shared) -> Option<Asked> {
    let form = page.form.as_ref()?;
    let exercise = shared.study.exercise(&form.exercise)?;
    let key = exercise.keys.get(form.row)?;
    Some(Asked {
        exercise: exercise.id.clone(),
        key: key.name.text.clone(),
    })
}

/// Opens the form of an exercise at a question.
pub(super) fn open(
    page: &mut Exercises,
    shared: &mut Shared,
    asked: &Asked,
    by: OpenedBy,
    out: &mut Out,
) {
    let Some(exercise) = shared.study.exercise(&asked.exercise) else {
        return;
    };
    let row = exercise
        .keys
        .iter()
        .position(|k| k.name.text == asked.key)
        .unwrap_or(0);
    let cursor = shared
        .study
        .course
        .exercises()
        .position(|e| e.id == asked.exercise);
    page.cursor = cursor.unwrap_or(0);
    page.form = Some(Form {
        exercise: asked.exercise.clone(),
        row,
        scroll: 0,
        by,
    });
    // The first question is met after the introduction, here as from the list.
    shared.questions.reveal = row > 0;
    open_sheet(shared, &asked.exercise, out);
    if by == OpenedBy::Path {
        let (exercise, key) = (asked.exercise.clone(), asked.key.clone());
        onward::reached(shared, Next::Question(exercise, key));
    }
}

/// The course was read again: a form whose exercise is gone is closed, and
/// nothing that was said of an answer is believed any more.
pub(super) fn reloaded(page: &mut Exercises, shared: &mut Shared) {
    shared.study.vary();
    let gone = |form: &Form| shared.study.exercise(&form.exercise).is_none();
    if page.form.as_ref().is_some_and(gone) {
        page.form = None;
        shared.questions.field = None;
    }
    for question in shared.questions.known.values_mut() {
        question.judgement = None;
    }
}

/// The sheet of the exercise on the page is wanted.
fn opened_shown(page: &Exercises, shared: &mut Shared, out: &mut Out) {
    if let Some(id) = shown(page, shared).map(|e| e.id.clone()) {
        open_sheet(shared, &id, out);
    }
}

/// Acts on the list.
fn list(page: &mut Exercises, shared: &mut Shared, action: Action, out: &mut Out) {
    let last = shared.study.course.exercises().len().saturating_sub(1);
    let at = page.cursor.min(last);
    page.cursor = match action {
        Action::Up => at.saturating_sub(1),
        Action::Down => (at + 1).min(last),
        Action::PageUp | Action::PathBack => at.saturating_sub(10),
        Action::PageDown => (at + 10).min(last),
        Action::Top => 0,
        Action::End => last,
        Action::Open => {
            let Some(exercise) = shown(page, shared) else {
                return;
            };
            let solved = |k: &Key| shared.study.progress.key(&exercise.id, &k.name.text).solved;
            let row = exercise.keys.iter().position(|k| !solved(k)).unwrap_or(0);
            let id = exercise.id.clone();
            page.form = Some(Form {
                exercise: id,
                row,
                ..Form::default()
            });
            // The first question is met after the introduction.
            shared.questions.reveal = row > 0;
            at
        }
        _ => at,
    };
    if shared.two_panes() || action == Action::Open {
        opened_shown(page, shared, out);
    }
}

impl Screen for Exercises {
    fn footer(&self, shared: &Shared) -> Footer {
        footer::footer(self, shared)
    }

    fn act(&mut self, shared: &mut Shared, action: Action, out: &mut Out) {
        match self.form {
            Some(_) => form::act(self, shared, action, out),
            None => list(self, shared, action, out),
        }
    }

    fn command(&self, _: &Shared) -> String {
        match &self.form {
            Some(form) => format!("{NAME} check {}", form.exercise),
            None => format!("{NAME} exercises"),
        }
    }

    fn mark(&self, _: &Shared) -> Mark {
        Mark {
            item: self.cursor,
            scroll: self.form.as_ref().map_or(0, |f| f.row + 1),
        }
    }

    fn restore(&mut self, _: &mut Shared, mark: Mark) {
        self.cursor = mark.item;
        match (&mut self.form, mark.scroll) {
            (Some(form), row) if row > 0 => form.row = row - 1,
            (form, _) => *form = None,
        }
    }

    /// From a lesson the cursor goes to the lesson's first exercise.
    fn entered(&mut self, shared: &mut Shared, from: Option<String>, out: &mut Out) {
        if let Some(id) = from {
            let of_lesson = |e: &Exercise| e.lesson.as_ref().is_some_and(|l| l.text == id);
            if let Some(cursor) = shared.study.course.exercises().position(of_lesson) {
                self.cursor = cursor;
                self.form = None;
            }
        }
        opened_shown(self, shared, out);
    }

    /// Out of the form, unless it was opened from elsewhere.
    fn leave(&mut self, shared: &mut Shared) -> bool {
        if answering::drop_draft(shared) {
            return true;
        }
        self.form.take().is_some_and(|f| f.by == OpenedBy::List)
    }

    fn put_away(&mut self, shared: &mut Shared, out: &mut Out) {
        answering::leave_field(shared, out);
    }

    fn in_hand(&mut self, shared: &mut Shared, out: &mut Out) {
        answering::in_hand(shared, out);
    }

    fn typing(&self, shared: &Shared) -> bool {
        shared.questions.field.is_some()
    }

    fn press(&mut self, shared: &mut Shared, key: Pressed, out: &mut Out) {
        if matches!(key.code, Code::PageUp | Code::PageDown) {
            let turn = match key.code {
                Code::PageDown => Action::PageDown,
                _ => Action::PageUp,
            };
            self.act(shared, turn, out);
            shared.questions.turned = true;
            return;
        }
        if answering::press(shared, key, out) {
            return;
        }
        let on = key.code == Code::Tab;
        let to = if on {
            Action::NextPart
        } else {
            Action::PreviousPart
        };
        self.act(shared, to, out);
        let next = current(self, shared);
        // Words of one's own that stand are changed by their key.
        let opens = next.as_ref().is_some_and(|next| {
            let empty = answering::now(shared, next).is_empty();
            shared.study.key_of(next).is_some_and(|key| match key.kind {
                Kind::Number | Kind::Measured => true,
                Kind::Text => empty,
                _ => false,
            })
        });
        if let Some(next) = next.filter(|_| opens) {
            answering::question(shared, &next, Action::Open, out);
        }
    }

    fn paste(&mut self, shared: &mut Shared, text: &str) {
        answering::paste(shared, text);
    }

    fn asks(&self, shared: &Shared) -> Asks {
        let asked = current(self, shared);
        asked.map_or(Asks::Nothing, |asked| answering::asks(shared, &asked))
    }

    fn asked(&self, shared: &Shared) -> Option<Asked> {
        current(self, shared)
    }

    fn click(&mut self, shared: &mut Shared, target: Target, out: &mut Out) {
        match target {
            Target::Row(at) => {
                let again = self.form.is_none() && self.cursor == at;
                answering::leave_field(shared, out);
                (self.form, self.cursor) = (None, at);
                if again {
                    self.act(shared, Action::Open, out);
                } else {
                    opened_shown(self, shared, out);
                }
            }
            Target::Question(at) => {
                answering::leave_field(shared, out);
                match &mut self.form {
                    Some(form) => form.row = at,
                    None => self.act(shared, Action::Open, out),
                }
                shared.questions.reveal = true;
            }
            target => {
                if let Some(asked) = current(self, shared) {
                    answering::click(shared, &asked, target, out);
                }
            }
        }
    }

    fn wheel(&mut self, shared: &mut Shared, up: bool, out: &mut Out) {
        let (lines, room) = self.extent;
        match &mut self.form {
            Some(form) if up => form.scroll = form.scroll.saturating_sub(LINES),
            Some(form) => form.scroll = (form.scroll + LINES).min(lines.saturating_sub(room)),
            None => self.act(shared, if up { Action::Up } else { Action::Down }, out),
        }
    }

    /// The questions of the form, else the exercises of the list.
    fn items(&self, shared: &Shared) -> Vec<String> {
        match &self.form {
            Some(form) => shared.study.exercise(&form.exercise).map(form::asks),
            None => Some(shared.study.course.exercises().map(titled).collect()),
        }
        .unwrap_or_default()
    }

    fn words(&self, shared: &Shared) -> (String, String) {
        let Some(exercise) = shown(self, shared) else {
            return Default::default();
        };
        let asked = current(self, shared);
        let key = asked.and_then(|asked| shared.study.key_of(&asked));
        let under = key.map_or(String::new(), |key| key.ask.text.clone());
        (under, exercise.body.clone())
    }

    fn place(&self, _: &Shared) -> usize {
        self.form.as_ref().map_or(self.cursor, |form| form.row)
    }

    fn jump(&mut self, shared: &mut Shared, at: usize) {
        match self.form {
            Some(_) => form::to(self, shared, at),
            None => self.cursor = at,
        }
    }

    /// From a form to that of the next exercise of which it names the title or a question.
    fn find_beyond(
        &mut self,
        shared: &mut Shared,
        typed: &str,
        forward: bool,
        out: &mut Out,
    ) -> bool {
        let needle = typed.to_lowercase();
        let Some(form) = &self.form else { return false };
        let listed: Vec<&Exercise> = shared.study.course.exercises().collect();
        let here = listed.iter().position(|e| e.id == form.exercise);
        let (before, after) = listed.split_at(here.unwrap_or(0));
        let mut others: Vec<&Exercise> = after.iter().skip(1).chain(before).copied().collect();
        if !forward {
            others.reverse();
        }
        let has = |text: &str| text.to_lowercase().contains(&needle);
        let found = others.into_iter().find_map(|e| {
            let row = form::asks(e).iter().position(|ask| has(ask))?;
            Some(Asked {
                exercise: e.id.clone(),
                key: e.keys.get(row)?.name.text.clone(),
            })
        });
        let by = self.leads();
        if let Some(asked) = &found {
            self.put_away(shared, out);
            open(self, shared, asked, by, out);
            let row = self.form.as_ref().map_or(0, |form| form.row);
            let text = format!("“{typed}”: {}, question {}.", asked.exercise, row + 1);
            shared.notes.say(Tone::Plain, text);
        }
        found.is_some()
    }

    fn searched(&self) -> &'static str {
        match self.form {
            Some(_) => "in what this exercise asks, nor the others",
            None => "among the titles of exercises",
        }
    }

    fn lesson(&self, shared: &Shared) -> Option<String> {
        self.form.as_ref()?;
        let lesson = shown(self, shared)?.lesson.as_ref()?;
        Some(lesson.text.clone())
    }
}
