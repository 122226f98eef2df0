//! The contents as the home page lists them: lessons with their progress.

use crate::home::{LessonLine, Read, Stopped};
use crate::lesson::number;
use crate::study::Study;
use course::Lesson;

/// One line per lesson.
pub fn lines(study: &Study) -> Vec<LessonLine> {
    study
        .course
        .lessons()
        .map(|lesson| line(study, lesson))
        .collect()
}

fn line(study: &Study, lesson: &Lesson) -> LessonLine {
    let of = lesson.sections.len();
    let mark = study.progress.lessons.get(&lesson.id);
    let done = mark.map_or(0, |mark| {
        let read = |s: &&course::Section| mark.read.contains(&s.id);
        lesson.sections.iter().filter(read).count()
    });
    let (mut right, mut questions) = (0, 0);
    for exercise in study.course.exercises_of(&lesson.id) {
        // The variant that is answered may ask other questions.
        let exercise = study.exercise(&exercise.id).unwrap_or(exercise);
        questions += exercise.keys.len();
        right += study.progress.right(exercise);
    }
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
        right,
        questions,
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
pub fn stopped_line(study: &Study) -> Option<Stopped> {
    let (index, at) = stopped(study)?;
    let lesson = study.lesson(index)?;
    Some(Stopped {
        lesson: index,
        section: at + 1,
        of: lesson.sections.len(),
        heading: lesson.sections.get(at)?.title.clone(),
    })
}
