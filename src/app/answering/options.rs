//! Options of a question: which is under the cursor, which is marked, and which place each
//! has in an order.

use super::check::{self, now, refused};
use crate::intent::Out;
use crate::note::Tone;
use crate::question::Asked;
use crate::shared::Shared;
use course::answer::marked;
use course::{Key, Kind, Phrase};

/// The option under the cursor, which begins at the first that is marked.
pub fn here(shared: &Shared, asked: &Asked) -> usize {
    if let Some(at) = shared.questions.question(asked).option {
        return at;
    }
    let Some(key) = shared.study.key_of(asked) else {
        return 0;
    };
    let chosen = marked(&now(shared, asked), &key.options);
    let first = |option: &Phrase| chosen.first() == Some(&option.text);
    key.options.iter().position(first).unwrap_or(0)
}

/// Whether the option under the cursor is the one that is marked.
pub(super) fn marks(shared: &Shared, asked: &Asked, key: &Key) -> bool {
    let option = key.options.get(here(shared, asked));
    option.is_some_and(|option| option.text == now(shared, asked).trim())
}

/// Whether nothing is marked that could be checked, which is said.
pub(super) fn unmarked(shared: &mut Shared, asked: &Asked, key: &Key) -> bool {
    let empty = now(shared, asked).is_empty();
    if empty {
        let text = match (key.kind, &key.kernel) {
            (Kind::Ranking, _) => "Nothing is ranked yet: Space ranks the option under the cursor.",
            (_, Some(_)) => "No line is marked yet: Space marks the one under the cursor.",
            _ => "Nothing is marked yet: Space marks the option under the cursor.",
        };
        shared.notes.say(Tone::Plain, text);
    }
    empty
}

/// Whether another option is marked than the one under the cursor, which is said once.
pub(super) fn warned(shared: &mut Shared, asked: &Asked, key: &Key) -> bool {
    let at = here(shared, asked);
    let marked = now(shared, asked).trim().to_owned();
    let place = key.options.iter().position(|option| option.text == marked);
    let question = shared.questions.question_mut(asked);
    let Some(place) = place.filter(|place| *place != at && question.warned != Some(at)) else {
        question.warned = None;
        return false;
    };
    question.warned = Some(at);
    let what = match &key.kernel {
        Some(_) => format!("Line {} is marked", place + 1),
        None => format!("“{marked}” is marked"),
    };
    let space = match key.kind {
        Kind::Ranking => "ranks",
        _ => "marks",
    };
    let text = format!("{what}: Enter checks that, Space {space} the one under the cursor.");
    shared.notes.say(Tone::Plain, text);
    true
}

/// Marks the option under the cursor, or takes its mark away.
pub(super) fn mark(shared: &mut Shared, asked: &Asked, key: &Key, out: &mut Out) {
    let at = here(shared, asked);
    let Some(option) = key.options.get(at).map(|o| o.text.clone()) else {
        return;
    };
    let mut chosen = marked(&now(shared, asked), &key.options);
    let had = chosen.iter().position(|c| *c == option);
    match (key.kind, had) {
        (Kind::Choice, _) => chosen = vec![option],
        (_, Some(i)) => {
            chosen.remove(i);
        }
        (_, None) => chosen.push(option),
    }
    if key.kind == Kind::Choices {
        // The order in which they were marked says nothing: that of the page.
        let place = |c: &String| key.options.iter().position(|o| o.text == *c);
        chosen.sort_by_key(place);
    }
    choose(shared, asked, &chosen, out);
}

/// Whether the option under the cursor has a place in the order.
pub(super) fn ranked(shared: &Shared, asked: &Asked, key: &Key) -> bool {
    let chosen = marked(&now(shared, asked), &key.options);
    let option = key.options.get(here(shared, asked));
    option.is_some_and(|option| chosen.contains(&option.text))
}

/// Whether Space has nothing to rank: the option at the cursor has its place.
pub fn placed(shared: &Shared, asked: &Asked) -> bool {
    let key = shared.study.key_of(asked);
    key.is_some_and(|key| key.kind == Kind::Ranking && ranked(shared, asked, key))
}

/// Whether Space marks or ranks the option at the cursor, or takes its mark away.
pub fn marks_here(shared: &Shared, asked: &Asked) -> bool {
    let key = shared.study.key_of(asked);
    let options = key.is_some_and(|key| !key.options.is_empty());
    options && !check::right(shared, asked) && !placed(shared, asked) && !leads_on(shared, asked)
}

/// Whether Space leads on: what stands at the cursor was checked and stays.
pub fn leads_on(shared: &Shared, asked: &Asked) -> bool {
    let Some(key) = shared.study.key_of(asked) else {
        return false;
    };
    let stays = match key.kind {
        Kind::Choice => marks(shared, asked, key),
        Kind::Ranking => ranked(shared, asked, key),
        _ => false,
    };
    // One that is right behind its solution is not counted as solved, and stays all the same.
    let judgement = shared.questions.question(asked).judgement;
    let right = judgement.is_some_and(|judgement| judgement.verdict.is_right());
    stays && (right || refused(shared, asked))
}

/// Gives the option under the cursor a place in the order, from 1; those behind it move on.
/// With 0 it has none. A place behind one that nothing has is not given, which is said.
pub(crate) fn rank(shared: &mut Shared, asked: &Asked, place: usize, out: &mut Out) {
    let Some(key) = shared.study.key_of(asked) else {
        return;
    };
    let at = here(shared, asked);
    let Some(option) = key.options.get(at).map(|o| o.text.clone()) else {
        return;
    };
    let mut chosen = marked(&now(shared, asked), &key.options);
    chosen.retain(|other| *other != option);
    if place > chosen.len() + 1 {
        let text = format!(
            "Places are given in order: the last that can be given here is {}.",
            chosen.len() + 1
        );
        return shared.notes.say(Tone::Plain, text);
    }
    if let Some(at) = place.checked_sub(1) {
        chosen.insert(at, option);
    }
    choose(shared, asked, &chosen, out);
}

fn choose(shared: &mut Shared, asked: &Asked, chosen: &[String], out: &mut Out) {
    // The cursor stays with its option, whichever is the first now.
    let at = here(shared, asked);
    let chosen = chosen.join(", ");
    if chosen == now(shared, asked) {
        // What was said of it stays.
        shared.questions.question_mut(asked).option = Some(at);
        shared.questions.reveal = true;
        return;
    }
    check::write(shared, asked, &chosen, out);
    let question = shared.questions.question_mut(asked);
    (question.option, question.judgement) = (Some(at), None);
}
