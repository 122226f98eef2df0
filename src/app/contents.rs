//! The contents with the learner's progress: derived from the course and what
//! was made of it, and listed by the home page and the palette.

use super::followed::{self, Followed};
use super::study::Study;
use course::{Exercise, Lesson, Mark, Tally};

/// How far a lesson was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Read {
    /// Not begun.
    #[default]
    Not,
    /// So many of so many sections.
    Part(usize, usize),
    /// To the end.
    Done,
}

/// So many of so many in per cent, rounded.
pub const fn percent(some: usize, all: usize) -> usize {
    let all = if all == 0 { 1 } else { all };
    (200 * some + all) / (2 * all)
}

/// A line of the contents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LessonLine {
    /// The lesson's id.
    pub id: String,
    /// The number that the list shows: `04`.
    pub number: String,
    /// Title.
    pub title: String,
    /// The version that it is about: `V2`, `all`.
    pub version: String,
    /// Minutes it takes.
    pub minutes: u64,
    /// How far it was read.
    pub read: Read,
    /// How its questions stand.
    pub tally: Tally,
    /// The path that is followed takes it.
    pub on_path: bool,
}

/// Where the learner stopped reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stopped {
    /// Index of the lesson.
    pub lesson: usize,
    /// Section, from 1.
    pub section: usize,
    /// Sections of the lesson.
    pub of: usize,
    /// The section's heading.
    pub heading: String,
}

/// The contents with progress.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// Lessons, in order.
    pub lessons: Vec<LessonLine>,
    /// The lesson and section where the learner stopped, with its heading.
    pub stopped: Option<Stopped>,
    /// How the questions of the course stand.
    pub tally: Tally,
    /// Exercises with a question that was last answered with a slip.
    pub slips: Vec<String>,
    /// What the course is: `course 1.0, embedded`.
    pub course: String,
    /// The path that is followed.
    pub route: Option<Followed>,
}

impl Contents {
    /// Brings lessons and marks up to date with the learner's progress.
    pub(super) fn refresh(&mut self, study: &Study) {
        self.lessons = study.course.lessons().map(|l| line(study, l)).collect();
        for place in followed::lessons(study) {
            if let Some(line) = self.lessons.get_mut(place) {
                line.on_path = true;
            }
        }
        self.route = followed::followed(study);
        self.stopped = stopped_line(study);
        let exercises = study.course.exercises();
        let tallies: Vec<(&str, Tally)> = exercises
            .map(|e| (e.id.as_str(), tally(study, e)))
            .collect();
        self.tally = tallies.iter().map(|(_, tally)| *tally).sum();
        let slipped = tallies.iter().filter(|(_, tally)| tally.slip > 0);
        self.slips = slipped.map(|(id, _)| (*id).to_owned()).collect();
    }

    /// Lessons that were read to the end, of all; reference pages are none.
    pub fn read(&self) -> (usize, usize) {
        let lessons = self.lessons.iter().filter(|l| l.minutes > 0);
        let read = lessons.clone().filter(|l| l.read == Read::Done);
        (read.count(), lessons.count())
    }
}

/// How the questions of an exercise stand: of the variant that is answered, which may ask
/// other questions. What was typed since in place of what was refused has no verdict yet.
pub fn tally(study: &Study, exercise: &Exercise) -> Tally {
    let answered = study.exercise(&exercise.id).unwrap_or(exercise);
    let mut tally = study.progress.tally(answered);
    let Some(held) = study.held(&exercise.id) else {
        return tally;
    };
    for key in answered.keys.iter().filter(|key| key.kernel.is_none()) {
        let name = &key.name.text;
        let kept = study.progress.key(&exercise.id, name);
        let refused = match kept.verdict {
            Some(Mark::Slip) => &mut tally.slip,
            Some(Mark::Wrong) => &mut tally.wrong,
            _ => continue,
        };
        let done = kept.solved || kept.given_up || study.progress.done_before(&exercise.id, name);
        let typed = held.get(name).map_or("", |typed| typed.trim());
        if !done && kept.tried.as_deref() != Some(typed) {
            *refused = refused.saturating_sub(1);
        }
    }
    tally
}

fn line(study: &Study, lesson: &Lesson) -> LessonLine {
    let of = lesson.sections.len();
    let mark = study.progress.lessons.get(&lesson.id);
    let done = mark.map_or(0, |mark| {
        let read = |s: &&course::Section| mark.read.contains(&s.id);
        lesson.sections.iter().filter(read).count()
    });
    let exercises = study.course.exercises_of(&lesson.id);
    LessonLine {
        id: lesson.id.clone(),
        number: number(&lesson.id).to_owned(),
        title: lesson.title.clone(),
        version: match lesson.version.as_str() {
            "all" => "all".to_owned(),
            version => version.to_uppercase(),
        },
        minutes: lesson.minutes,
        read: match done {
            0 => Read::Not,
            n if n == of => Read::Done,
            n => Read::Part(n, of),
        },
        tally: exercises.map(|e| tally(study, e)).sum(),
        on_path: false,
    }
}

/// Where the learner stopped reading: lesson and section, from 0.
pub fn stopped(study: &Study) -> Option<(usize, usize)> {
    let (lesson, section) = study.progress.stopped.as_ref()?;
    let index = study.place_of(lesson)?;
    let sections = &study.lesson(index)?.sections;
    let at = sections.iter().position(|s| s.id == *section).unwrap_or(0);
    Some((index, at))
}

/// The same as the home page says it.
fn stopped_line(study: &Study) -> Option<Stopped> {
    let (index, at) = stopped(study)?;
    let lesson = study.lesson(index)?;
    Some(Stopped {
        lesson: index,
        section: at + 1,
        of: lesson.sections.len(),
        heading: lesson.sections.get(at)?.title.clone(),
    })
}

/// The number that lists show for a lesson: the digits its id begins with.
pub fn number(id: &str) -> &str {
    let end = id.find(|c: char| !c.is_ascii_digit()).unwrap_or(id.len());
    id.get(..end).unwrap_or_default()
}

/// A title as the end of a sentence: it may have an end of its own.
pub fn ended(title: &str) -> String {
    match title.ends_with(['.', '?', '!', '…']) {
        true => title.to_owned(),
        false => format!("{title}."),
    }
}
