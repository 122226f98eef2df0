//! Checking an answer, hints, the solution, and how a question stands.

use crate::intent::Out;
use crate::message::Effect;
use crate::note::Tone;
use crate::question::{Asked, Help};
use crate::shared::Shared;
use course::answer::{self, Env, Judgement, Records, Verdict};
use course::attempt::tried_by;
use course::measured::{Kept, Measured};
use course::{Event, Key, KeyMark, Kind, Mark, Setup};

/// Evaluates with a question and the environment in which it is judged.
fn with_judge<R>(
    shared: &Shared,
    asked: &Asked,
    then: impl FnOnce(&Key, &Env<'_>) -> Result<R, String>,
) -> Result<R, String> {
    let key = shared.study.key_of(asked).ok_or_else(|| {
        format!(
            "The course has no question {} {} any more.",
            asked.exercise, asked.key
        )
    })?;
    // The key holds the whole configuration.
    let kept = Kept {
        progress: &shared.study.progress,
        records: &shared.runs,
    };
    let records: &dyn Records = match key.kind {
        Kind::Measured => &kept,
        _ => &shared.runs,
    };
    let env = shared.study.env(&Setup::default(), records)?;
    then(key, &env)
}

/// How what is being typed reads: the echo under a field, or what is wrong
/// with it and the column.
pub fn echo(shared: &Shared, asked: &Asked, typed: &str) -> Result<String, String> {
    with_judge(shared, asked, |key, env| {
        answer::echo(typed, key, env).map_err(|(column, say)| {
            if column <= typed.chars().count() {
                format!("{say} Column {column}.")
            } else {
                say
            }
        })
    })
}

/// The same for one cell of a table.
pub fn echo_cell(
    shared: &Shared,
    asked: &Asked,
    (row, column): (usize, usize),
    typed: &str,
) -> Result<String, String> {
    with_judge(shared, asked, |key, env| {
        let cell = key.cell(row, column).ok_or("There is no such cell.")?;
        answer::echo(typed, &cell, env).map_err(|(_, say)| say)
    })
}

/// The tolerance of a question in words.
pub fn tolerance(shared: &Shared, asked: &Asked) -> String {
    with_judge(shared, asked, |key, env| Ok(answer::tolerance(key, env))).unwrap_or_default()
}

/// How the expected value comes about, once the question is solved or given up.
pub fn derived(shared: &Shared, asked: &Asked) -> Vec<String> {
    let progress = &shared.study.progress;
    let kept = progress.key(&asked.exercise, &asked.key);
    if !kept.given_up && !right(shared, asked) {
        return Vec::new();
    }
    let known = |name: &str| {
        let kept = progress.key(&asked.exercise, name);
        kept.solved || kept.given_up
    };
    let found = with_judge(shared, asked, |key, env| {
        let exercise = shared.study.exercise(&asked.exercise);
        Ok(exercise.map(|exercise| exercise.derived(key, env, known)))
    });
    found.ok().flatten().unwrap_or_default()
}

/// The answer as it stands: what is being made of a right one, else what the sheet holds.
pub fn now(shared: &Shared, asked: &Asked) -> String {
    let draft = shared.questions.draft_of(asked);
    let kept = || shared.study.typed(&asked.exercise, &asked.key);
    draft.unwrap_or_else(kept).to_owned()
}

/// Whether a graded answer stands that was found right, and is not being changed.
pub fn right(shared: &Shared, asked: &Asked) -> bool {
    let Some(key) = shared.study.key_of(asked) else {
        return false;
    };
    let graded = key.is_graded();
    let typed = shared.study.typed(&asked.exercise, &asked.key);
    let kept = shared.study.progress.key(&asked.exercise, &asked.key);
    // What took a right answer's place and was refused is not right, also after a new start.
    let stands = !matches!(kept.verdict, Some(Mark::Wrong | Mark::Slip | Mark::Close));
    graded
        && stands
        && shared.questions.draft_of(asked).is_none()
        && shared.questions.field_of(asked).is_none()
        // What was answered right after its solution was read stays as it is, too.
        && (kept.solved || kept.verdict == Some(Mark::Right))
        && (key.kernel.is_some() || !typed.is_empty())
        && !refused(shared, asked)
}

/// Keeps an answer: in the sheet or, where a right one is being changed, beside it.
pub fn write(shared: &mut Shared, asked: &Asked, typed: &str, out: &mut Out) {
    match &mut shared.questions.draft {
        Some((drafted, draft)) if drafted == asked => {
            let other = draft != typed;
            typed.clone_into(draft);
            shared.questions.change = Some((asked.clone(), typed.to_owned()));
            if other {
                // What was found of another answer says nothing of this one.
                shared.questions.question_mut(asked).judgement = None;
            }
        }
        _ => save(shared, asked, typed, out),
    }
}

/// Said where an answer's place is left empty.
const EMPTIED: &str = "Left empty: the sheet holds no answer to this question now.";

/// Keeps an answer in the sheet.
pub fn save(shared: &mut Shared, asked: &Asked, typed: &str, out: &mut Out) {
    let ahead = shared.questions.ahead.take_if(|(of, _)| of == asked);
    let before = shared.study.typed(&asked.exercise, &asked.key);
    let held = ahead.map_or_else(|| before.to_owned(), |(_, held)| held);
    if before != typed {
        if typed.is_empty() {
            shared.notes.say(Tone::Plain, EMPTIED);
        }
        shared.study.type_in(&asked.exercise, &asked.key, typed);
        shared.questions.question_mut(asked).judgement = None;
        // What was found of another answer counts for this one no longer.
        shared.contents.refresh(&shared.study);
    }
    if held != typed {
        out.push(Effect::SaveAnswer {
            exercise: asked.exercise.clone(),
            key: asked.key.clone(),
            typed: typed.to_owned(),
        });
    }
}

/// What was said of an answer before the workshop was left is found again, where it stands as
/// it was then. Nothing is counted anew.
pub(super) fn said_again(shared: &mut Shared, asked: &Asked) {
    let typed = shared.study.typed(&asked.exercise, &asked.key);
    let kept = shared.study.progress.key(&asked.exercise, &asked.key);
    let stands = kept.verdict.is_some() && kept.is_on(typed);
    // What rests on a compiler waits until it is judged.
    let written = super::kernel::written(shared, asked).is_some();
    let known = shared.questions.question(asked).judgement.is_some();
    if typed.is_empty() || !stands || written || known {
        return;
    }
    // Other questions may have been solved since: what was said then did not know of them.
    let found = [true, false]
        .into_iter()
        .filter_map(|beside| graded(shared, asked, typed, beside).ok())
        .find(|judged| Mark::of(&judged.verdict) == kept.verdict);
    if let Some(judgement) = found {
        let question = shared.questions.question_mut(asked);
        question.refused = super::grid::refused(&judgement);
        question.judgement = Some(judgement);
    }
}

/// The verdict on what is typed; `beside`: with an eye on the other questions of its exercise.
fn graded(shared: &Shared, asked: &Asked, typed: &str, beside: bool) -> Result<Judgement, String> {
    with_judge(shared, asked, |key, env| {
        let judgement = answer::grade(typed, key, env).map_err(|e| e.to_string())?;
        let progress = &shared.study.progress;
        let solved = |other: &str| progress.key(&asked.exercise, other).solved;
        let exercise = shared.study.exercise(&asked.exercise);
        Ok(match exercise.filter(|_| beside) {
            Some(exercise) => exercise.elsewhere(judgement, key, env, solved),
            None => judgement,
        })
    })
}

/// A prediction that can be read stays as it is from now on: what comes out is
/// only then shown.
pub fn lock(shared: &mut Shared, asked: &Asked, out: &mut Out) {
    let typed = shared.study.typed(&asked.exercise, &asked.key);
    let locked = with_judge(shared, asked, |key, env| {
        Ok(Event::locked(&asked.exercise, key, typed, env))
    });
    if let Ok(Some(event)) = locked {
        shared.record(event, out);
    }
}

/// Keeps the times of this session's runs that a question asks for, so that its
/// answer is graded against the same ones tomorrow; `right`: those only of which
/// none is kept. Whether any is new.
fn measured(shared: &mut Shared, asked: &Asked, right: bool, out: &mut Out) -> bool {
    let key = shared.study.key_of(asked);
    let Some(key) = key.filter(|key| key.kind == Kind::Measured) else {
        return false;
    };
    let kept = &shared.study.progress.measured;
    let events: Vec<Event> = super::asked_runs(key)
        .unwrap_or_default()
        .iter()
        .filter_map(|config| Measured::event(config, shared.runs.of_config(config)?))
        .filter(|event| match event {
            Event::Measured { of, time } => {
                kept.get(of).is_none_or(|known| !right && known != time)
            }
            _ => false,
        })
        .collect();
    let new = !events.is_empty();
    for event in events {
        shared.record(event, out);
    }
    new
}

/// Checks the answer as it stands.
pub fn check(shared: &mut Shared, asked: &Asked, out: &mut Out) {
    if super::kernel::written(shared, asked).is_some() {
        super::kernel::judge(shared, asked, out);
        return;
    }
    let locked = shared
        .study
        .progress
        .key(&asked.exercise, &asked.key)
        .locked;
    let typed = locked.unwrap_or_else(|| now(shared, asked));
    let mut found = graded(shared, asked, &typed, true);
    // What is right stays right; else a newer run takes the place of the kept one.
    let right = matches!(&found, Ok(judgement) if judgement.verdict.is_right());
    if measured(shared, asked, right, out) {
        found = graded(shared, asked, &typed, true);
    }
    let judgement = match found {
        Ok(judgement) => judgement,
        Err(why) => {
            let text = format!("{why} This is a fault of the course; lint names the line.");
            shared.notes.say(Tone::Bad, text);
            return;
        }
    };
    if judgement.verdict == Verdict::Open && judgement.cells.is_empty() {
        let text = match super::forget_draft(shared) {
            Some(_) => "Nothing is typed: the answer stays as it was.",
            None => "Nothing is answered here yet.",
        };
        shared.notes.say(Tone::Plain, text);
        return;
    }
    let (tried, verdict) = (&judgement.typed, &judgement.verdict);
    let mut event = Event::checked(&asked.exercise, &asked.key, tried, verdict);
    if let Some(draft) = shared.questions.draft_of(asked).map(str::to_owned) {
        if Mark::of(verdict).is_some_and(|mark| mark != Mark::Unread) {
            shared.questions.drop_draft();
            save(shared, asked, &draft, out);
        } else {
            // The right answer stays until this can be read, and so does what was said of it.
            event = None;
        }
    }
    let question = shared.questions.question_mut(asked);
    question.refused = super::grid::refused(&judgement);
    question.judgement = Some(judgement);
    shared.questions.show_verdict();
    if let Some(event) = event {
        shared.record(event, out);
    }
}

/// Whether what was found of a question is about what stands there now.
fn is_on(shared: &Shared, asked: &Asked, kept: &KeyMark, typed: &str) -> bool {
    match super::kernel::written(shared, asked) {
        Some(kernel) => kept.is_on(&tried_by(kernel, typed)),
        None => kept.is_on(typed),
    }
}

/// Shows the next hint.
pub fn hint(shared: &mut Shared, asked: &Asked, key: &Key, out: &mut Out) {
    let seen = shared.study.progress.key(&asked.exercise, &asked.key).hints;
    let all = key.hints.len() as u64;
    let question = shared.questions.question_mut(asked);
    let folded = !std::mem::replace(&mut question.hints, true);
    shared.questions.reveal = true;
    shared.questions.helped = (all > 0).then_some(Help::Hint);
    if all == 0 {
        shared.notes.say(Tone::Plain, "This question has no hints.");
    } else if folded && seen > 0 {
        // What was seen before this start is seen again; the next one is another key.
    } else if seen >= all {
        shared
            .notes
            .say(Tone::Plain, "All hints are shown; s is the solution.");
    } else {
        let event = Event::Hinted {
            exercise: asked.exercise.clone(),
            key: asked.key.clone(),
            shown: seen + 1,
        };
        shared.record(event, out);
    }
}

/// Shows the worked solution: free once solved, else at the second press.
pub fn solution(shared: &mut Shared, asked: &Asked, key: &Key, out: &mut Out) {
    let kept = shared.study.progress.key(&asked.exercise, &asked.key);
    let worked = shared
        .study
        .course
        .solution(&asked.exercise)
        .is_some_and(|s| s.of(key).is_some());
    if !worked {
        shared
            .notes
            .say(Tone::Plain, "No solution was written for this question.");
        return;
    }
    let question = shared.questions.question_mut(asked);
    if question.solution {
        question.solution = false;
        return;
    }
    if kept.solved || kept.given_up || question.armed {
        question.solution = true;
        question.armed = false;
        shared.questions.reveal = true;
        shared.questions.helped = Some(Help::Solution);
        if !kept.solved && !kept.given_up {
            let event = Event::GaveUp {
                exercise: asked.exercise.clone(),
                key: asked.key.clone(),
            };
            shared.record(event, out);
        }
        return;
    }
    question.armed = true;
    let counts = shared.study.progress.as_read(&asked.exercise, &asked.key);
    let text = format!("s again shows the solution; the question then {counts}.");
    shared.notes.say(Tone::Warn, text);
}

/// How a question stands, in the word that the screen shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Its field is being typed into.
    Typing,
    /// Not answered.
    Open,
    /// Answered and not checked.
    Unchecked,
    /// The solution was read before it was solved.
    Read,
    /// The verdict of the last check.
    Judged(Mark),
}

impl Standing {
    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Standing::Typing => "typing",
            Standing::Open => "open",
            Standing::Unchecked => "typed",
            Standing::Read => "read",
            Standing::Judged(mark) => mark.word(),
        }
    }
}

/// Whether the answer that stands here was checked, and is not right.
pub fn refused(shared: &Shared, asked: &Asked) -> bool {
    let question = shared.questions.known.get(asked);
    question
        .and_then(|q| q.judgement.as_ref())
        .is_some_and(|j| !j.verdict.is_done())
}

/// How a question stands.
pub fn standing(shared: &Shared, asked: &Asked) -> Standing {
    if shared.questions.field_of(asked).is_some() {
        return Standing::Typing;
    }
    let kept = shared.study.progress.key(&asked.exercise, &asked.key);
    if let Some(draft) = shared.questions.draft_of(asked)
        && draft != shared.study.typed(&asked.exercise, &asked.key)
        && shared.questions.question(asked).judgement.is_none()
    {
        // What is made of a right answer has no verdict yet.
        return match draft.trim() {
            "" => Standing::Open,
            _ => Standing::Unchecked,
        };
    }
    // A kernel is judged where its file stands: nothing is typed.
    let written = super::written(shared, asked).is_some();
    if kept.solved {
        // It stays solved, whatever is typed later; the word says how that is.
        let now = shared.questions.known.get(asked);
        let mark = now.and_then(|q| Mark::of(&q.judgement.as_ref()?.verdict));
        // What is not graded is kept, and never right.
        let graded = shared.study.key_of(asked).is_none_or(Key::is_graded);
        let solved = if graded { Mark::Right } else { Mark::Kept };
        let refused = kept
            .verdict
            .filter(|mark| matches!(mark, Mark::Wrong | Mark::Slip | Mark::Close));
        // Own words that were taken away again are asked for anew.
        if !graded && shared.study.typed(&asked.exercise, &asked.key).is_empty() {
            return Standing::Open;
        }
        // What was typed since in place of what was refused has no verdict yet; what was
        // cleared since asks anew.
        let typed = shared.study.typed(&asked.exercise, &asked.key).trim();
        if mark.is_none() && refused.is_some() && typed.is_empty() && !written {
            return Standing::Open;
        }
        if mark.is_none() && !is_on(shared, asked, &kept, typed) && !typed.is_empty() {
            return Standing::Unchecked;
        }
        return Standing::Judged(mark.or(refused).unwrap_or(solved));
    }
    if kept.given_up {
        return Standing::Read;
    }
    let now = shared.study.typed(&asked.exercise, &asked.key).trim();
    let judged: Option<&Judgement> = shared
        .questions
        .known
        .get(asked)
        .and_then(|q| q.judgement.as_ref());
    match (judged.map(|judged| Mark::of(&judged.verdict)), kept.verdict) {
        (None, None) | (Some(None), _) if now.is_empty() => Standing::Open,
        _ if now.is_empty() && !written => Standing::Open,
        // A table with an empty cell has no verdict.
        (Some(None), _) | (None, None | Some(Mark::Unread)) => Standing::Unchecked,
        // What was typed since has none yet.
        (None, Some(_)) if !now.is_empty() && !is_on(shared, asked, &kept, now) => {
            Standing::Unchecked
        }
        (Some(Some(mark)), _) | (None, Some(mark)) => Standing::Judged(mark),
    }
}
