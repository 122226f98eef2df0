//! Options of a question: which is marked, which place each has in an order, and which
//! begins with a letter.

use super::check::{self, now, refused};
use crate::intent::Out;
use crate::question::Asked;
use crate::shared::Shared;
use course::{Key, Kind, Phrase};

/// The next option that begins with a letter, behind the one under the cursor and round.
pub(crate) fn spelled(shared: &mut Shared, asked: &Asked, letter: char) -> bool {
    let Some(key) = shared.study.key_of(asked) else {
        return false;
    };
    let written = key.kernel.is_some() || key.table.is_some();
    let here = shared.questions.question(asked).option;
    let count = key.options.len();
    let begins = |at: &usize| {
        let option = key.options.get(*at);
        option.is_some_and(|option| option.text.to_lowercase().starts_with(letter))
    };
    let mut places = (1..=count).map(|step| (here + step) % count.max(1));
    let Some(at) = places.find(begins).filter(|_| !written) else {
        return false;
    };
    shared.questions.question_mut(asked).option = at;
    true
}

/// The letter of the option under the cursor behind so many.
pub(crate) fn letter(shared: &Shared, asked: &Asked, behind: usize) -> Option<char> {
    let key = shared.study.key_of(asked)?;
    let option = key.options.get(shared.questions.question(asked).option)?;
    option.text.chars().nth(behind)
}

/// Whether the option under the cursor is the one that is marked.
pub(super) fn marks(shared: &Shared, asked: &Asked, key: &Key) -> bool {
    let here = key.options.get(shared.questions.question(asked).option);
    here.is_some_and(|option| option.text == now(shared, asked).trim())
}

/// Whether Enter marks the option under the cursor before anything is checked.
pub(super) fn takes(shared: &Shared, asked: &Asked, key: &Key) -> bool {
    let typed = now(shared, asked);
    let here = key.options.get(shared.questions.question(asked).option);
    let other = here.is_some_and(|option| option.text != typed.trim());
    // Where one is chosen, what the cursor stands on is what one means.
    typed.is_empty() || other && (key.kind == Kind::Choice || refused(shared, asked))
}

/// Marks the option under the cursor, or takes its mark away.
pub(super) fn mark(shared: &mut Shared, asked: &Asked, key: &Key, out: &mut Out) {
    let at = shared.questions.question(asked).option;
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
    let here = key.options.get(shared.questions.question(asked).option);
    here.is_some_and(|option| chosen.contains(&option.text))
}

/// Gives the option under the cursor a place in the order, from 1; those behind it move on.
/// With 0 it has none.
pub(crate) fn rank(shared: &mut Shared, asked: &Asked, place: usize, out: &mut Out) {
    let Some(key) = shared.study.key_of(asked) else {
        return;
    };
    let at = shared.questions.question(asked).option;
    let Some(option) = key.options.get(at).map(|o| o.text.clone()) else {
        return;
    };
    let mut chosen = marked(&now(shared, asked), &key.options);
    chosen.retain(|other| *other != option);
    if let Some(at) = place.checked_sub(1) {
        chosen.insert(at.min(chosen.len()), option);
    }
    choose(shared, asked, &chosen, out);
}

fn choose(shared: &mut Shared, asked: &Asked, chosen: &[String], out: &mut Out) {
    check::write(shared, asked, &chosen.join(", "), out);
    shared.questions.question_mut(asked).judgement = None;
}

/// The options that an answer names, in its order. An option may hold a comma.
pub fn marked(typed: &str, options: &[Phrase]) -> Vec<String> {
    let mut rest = typed.trim();
    let mut found = Vec::new();
    while !rest.is_empty() {
        let whole = options.iter().map(|o| o.text.as_str()).find(|option| {
            rest.strip_prefix(option)
                .is_some_and(|behind| behind.is_empty() || behind.trim_start().starts_with(','))
        });
        let part = whole.unwrap_or_else(|| rest.split(',').next().unwrap_or(rest));
        if !part.trim().is_empty() {
            found.push(part.trim().to_owned());
        }
        rest = rest
            .get(part.len()..)
            .unwrap_or_default()
            .trim_start_matches([',', ' ']);
    }
    found
}
