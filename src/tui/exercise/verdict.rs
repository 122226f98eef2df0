//! The verdict below an answer: its word, its sentence, and what comes next.

use super::grid;
use crate::tui::live::note;
use crate::tui::rows::Row;
use crate::tui::theme::Role;
use app::State;
use app::answering::{self, Standing, standing, written};
use app::question::Asked;
use course::{Kind, Mark};

/// What was said of the last answer, and what comes next.
pub fn verdict(state: &State, asked: &Asked, width: usize) -> Vec<Row> {
    let question = state.shared.questions.question(asked);
    let Some(judgement) = question.judgement else {
        // What rests on a compiler, and was found before this start.
        return match standing(&state.shared, asked) {
            stands @ Standing::Judged(Mark::Slip) if written(&state.shared, asked).is_some() => {
                let text = "Found the last time; Enter judges what stands now.";
                let mut rows = vec![Row::default()];
                rows.extend(note(stands.word(), standing_role(stands), text, width));
                rows
            }
            _ => Vec::new(),
        };
    };
    let word = judgement.verdict.word();
    let role = word_role(word);
    let mut text = grid::tally(state, asked).unwrap_or_else(|| judgement.read_as());
    if word == "open" && judgement.cells.is_empty() {
        return Vec::new();
    }
    if word == "wrong" {
        let kept = state.shared.study.progress.key(&asked.exercise, &asked.key);
        let all = state
            .shared
            .study
            .key_of(asked)
            .map_or(0, |k| k.hints.len());
        if (kept.hints as usize) < all && state.page == app::Page::Exercises {
            let folded = kept.hints > 0 && !question.hints;
            text.push_str(&match folded {
                true => " h shows the hints again.".to_owned(),
                false => format!(" h shows hint {} of {all}.", kept.hints + 1),
            });
        }
        let kind = state.shared.study.key_of(asked).map(|key| key.kind);
        text.push_str(match kind {
            // What is judged is a file.
            _ if written(&state.shared, asked).is_some() => "",
            Some(Kind::Choice | Kind::Choices | Kind::Ranking) => {
                " Your answer stays in the sheet until you mark another."
            }
            _ => " Your answer stays in the sheet until you type another.",
        });
    }
    if matches!(word, "right" | "kept") && state.page == app::Page::Exercises {
        text.push_str(&next_open(state, asked));
    }
    let mut rows = vec![Row::default()];
    rows.extend(note(word, role, &text, width));
    rows
}

/// The next question that is not solved yet, round at the end.
fn next_open(state: &State, asked: &Asked) -> String {
    let Some(exercise) = state.shared.study.exercise(&asked.exercise) else {
        return String::new();
    };
    if state.exercises.follows() {
        let followed = state.shared.contents.route.as_ref();
        return match followed.is_some_and(|followed| followed.walk.next.is_none()) {
            true => " The path is through: Space shows the contents.".to_owned(),
            false => " Space goes on with the path.".to_owned(),
        };
    }
    match answering::next_open(&state.shared, asked).map(|i| i + 1) {
        Some(number) => format!(" Next: question {number}."),
        None => match (exercise.draw, exercise.next_variant()) {
            (_, None) => " None is open any more.".to_owned(),
            (Some(_), _) => " None is open any more; v asks others.".to_owned(),
            (None, _) => " None is open any more; v asks the same at another shape.".to_owned(),
        },
    }
}

/// The colour of how a question stands.
pub fn standing_role(stands: Standing) -> Role {
    match stands {
        Standing::Typing => Role::Accent,
        Standing::Judged(Mark::Right | Mark::Kept) => Role::Good,
        Standing::Judged(Mark::Wrong) => Role::Bad,
        Standing::Judged(_) => Role::Warn,
        _ => Role::Dim,
    }
}

/// The colour of a verdict's word.
pub fn word_role(word: &str) -> Role {
    match word {
        "right" | "kept" => Role::Good,
        "open" | "" => Role::Dim,
        "wrong" => Role::Bad,
        _ => Role::Warn,
    }
}
