//! The list of exercises with their progress.

use crate::tui::pen::{Pen, clip, width};
use crate::tui::theme::Role;
use app::State;
use app::contents::{number, tally};
use app::mouse::Target;
use course::{Exercise, Tally};

/// Draws the list with the cursor in view.
pub fn draw(state: &State, pen: &mut Pen<'_>) {
    let exercises: Vec<_> = state.shared.study.course.exercises().collect();
    let of = |exercise: &&Exercise| tally(&state.shared.study, exercise);
    let counts: Vec<Tally> = exercises.iter().map(of).collect();
    let all: Tally = counts.iter().copied().sum();
    let edge = pen.width().saturating_sub(1);
    let end = pen.put(1, 1, "Exercises", Role::Strong);
    let free = usize::from(edge.saturating_sub(end + 1));
    let heads = [
        all.line(),
        all.brief(),
        format!("{} of {}", all.done(), all.all),
    ];
    let head = heads.iter().find(|head| width(head) <= free);
    pen.right(edge, 1, head.map_or("", String::as_str), Role::Dim);
    if exercises.is_empty() {
        let text = if state.shared.study.loaded {
            "There is no exercise in this course."
        } else {
            "…"
        };
        pen.put(2, 3, text, Role::Dim);
        return;
    }
    let room = usize::from(pen.height().saturating_sub(3));
    let cursor = state.exercises.cursor.min(exercises.len() - 1);
    let from = cursor
        .saturating_sub(room / 2)
        .min(exercises.len().saturating_sub(room));
    if from > 0 {
        pen.put(0, 3, "▲", Role::Dim);
    }
    if from + room < exercises.len() {
        pen.put(0, pen.height().saturating_sub(1), "▼", Role::Dim);
    }
    let lines = exercises.iter().zip(&counts).enumerate().skip(from);
    for (y, (i, (exercise, tally))) in (3..pen.height()).zip(lines) {
        let (done, of) = (tally.done(), tally.all);
        let sign = match (done, of) {
            (0, _) if !touched(state, &exercise.id) => "·",
            (done, of) if done == of => "●",
            _ => "•",
        };
        let here = i == cursor;
        pen.spot(0, y, pen.width(), Target::Row(i));
        let role = if here { Role::Accent } else { Role::Text };
        if here {
            let keys = state.exercises.form.is_none();
            pen.put(1, y, if keys { "►" } else { "›" }, Role::Accent);
        }
        pen.put(2, y, sign, Role::Dim);
        let end = pen.put(4, y, &format!("{:6}", exercise.id), role);
        let score = format!("{done}/{of}");
        let lesson = exercise.lesson.as_ref().map_or("", |l| number(&l.text));
        let wide = edge > 70 && !lesson.is_empty();
        let aside = if wide { 20 } else { 7 };
        let room = usize::from(edge.saturating_sub(end + aside));
        pen.put(end, y, &clip(&exercise.title, room), role);
        pen.right(edge, y, &score, Role::Text);
        if wide {
            pen.right(edge - 8, y, &format!("lesson {lesson}"), Role::Dim);
        }
    }
}

fn touched(state: &State, id: &str) -> bool {
    state
        .shared
        .study
        .progress
        .exercises
        .get(id)
        .is_some_and(|keys| !keys.is_empty())
}
