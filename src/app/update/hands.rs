//! What hands do: keys, where they go while something is typed or asked, the mouse, and
//! what is pasted.

use super::{act, command_chosen};
use crate::clock::Millis;
use crate::intent::Out;
use crate::key::{Code, Key, ch, ctrl, key};
use crate::keymap::Action;
use crate::mouse::Target;
use crate::note::Tone;
use crate::page::{Page, SMALLEST};
use crate::question::{Asks, BEHIND, ELSEWHERE, SEVERAL};
use crate::state::{State, footer};
use crate::{answering, find, live, palette};
use course::Kind;

/// How long after a character the next one still belongs to the same word.
const SAME_WORD: u64 = 400;

pub(super) fn paste(state: &mut State, text: &str, out: &mut Out) {
    if let Some(p) = &mut state.palette {
        p.field.paste(text);
    } else if let Some(f) = state.find.as_mut().filter(|f| f.typing) {
        f.field.paste(text);
    } else if state.typing() || begun_by_paste(state, out) {
        let (screen, shared) = state.parts();
        screen.paste(shared, text);
        touched(state);
    }
}

/// Pasted text goes where what is typed would go: into the field of what is asked. `false`:
/// nothing takes it, which is said; it is never a key.
fn begun_by_paste(state: &mut State, out: &mut Out) -> bool {
    if state.too_small() {
        return false;
    }
    match asks(state) {
        Asks::Value => {
            act(state, Action::Change, out);
            return state.typing();
        }
        Asks::Begun => half_typed(state),
        Asks::Right => stands(state),
        _ => {
            let text = "Nothing is typed here: what was pasted is left out.";
            state.shared.notes.say(Tone::Plain, text);
        }
    }
    false
}

/// Something begins a value where nothing is taken any more.
fn stands(state: &mut State) {
    if let Some(asked) = state.screen().asked(&state.shared) {
        let text = answering::stands(&state.shared, &asked);
        state.shared.notes.say(Tone::Plain, text);
    }
}

/// Something begins a value where one was left half typed: nothing is added to it.
fn half_typed(state: &mut State) {
    let asked = state.screen().asked(&state.shared);
    let key = asked
        .as_ref()
        .and_then(|asked| state.shared.study.key_of(asked));
    match (key.is_some_and(|key| key.table.is_some()), asked) {
        (true, Some(asked)) => answering::into_cell(&mut state.shared, &asked),
        _ => elsewhere(state, "Enter goes on with what is typed here. "),
    }
}

pub(super) fn press(state: &mut State, key: Key, out: &mut Out) {
    state.reader.goes_from();
    disarm(state, key);
    // “Again” is the next key.
    let waits = state.leaving.map(|(action, _)| action);
    if waits.is_some() && state.shared.keys.resolve(state.page, key) != waits {
        state.leaving = None;
    }
    // From here on digits are screens in this section.
    state.reader.aside |= key.code == Code::Esc && state.page == Page::Lesson;
    // What opens the palette or the help is no part of a word.
    if let Some(begun) = state.word.take()
        && let Code::Char(c) = key.code
        && !":?".contains(c)
        && !key.ctrl
        && state.shared.now < begun + SAME_WORD
    {
        // A blank is in a word's way but begins none: the next Space is a key again.
        state.word = Some(if c == ' ' { begun } else { state.shared.now });
        return;
    }
    state.shared.questions.turned = false;
    // A message is read when the next key is pressed.
    if state.leaving.is_none() {
        state.shared.notes.clear();
    }
    if goes_on(state, key, out) {
        return;
    }
    // The palette has room where its page may have none.
    let palette = state.palette.is_some() && !state.shared.lacks(SMALLEST);
    let too_small = state.too_small() && !palette;
    if state.typing() && !too_small {
        typed(state, key, out);
        return;
    }
    if let Code::Char(c) = key.code
        && !key.ctrl
        && !too_small
        && (begun(state, c, out) || worded(state, c, out))
    {
        return;
    }
    // It empties a field, also one that is not typed in just now.
    let has_keys = state.screen().asked(&state.shared).is_some();
    if key == ctrl('u') && !too_small && has_keys && asks(state).is_typed() {
        act(state, Action::Change, out);
        if state.typing() {
            typed(state, key, out);
        }
        return;
    }
    let Some(action) = state.shared.keys.resolve(state.page, key) else {
        return;
    };
    let anywhere = match action {
        Action::Quit | Action::Interrupt | Action::Suspend | Action::Redraw => true,
        // Other pages may have the room that this one lacks.
        Action::Go(_) | Action::Back | Action::Palette => !state.shared.lacks(SMALLEST),
        _ => false,
    };
    if too_small && !anywhere {
        return;
    }
    act(state, action, out);
}

/// What asks for its key again waits for the next key only: what was said of it is gone then.
fn disarm(state: &mut State, key: Key) {
    let action = state.shared.keys.resolve(state.page, key);
    if action != Some(Action::Solution) {
        state.shared.questions.disarm();
        state.claims.disarm();
    }
    if action != Some(Action::Variant) {
        state.shared.questions.varying = None;
    }
}

/// A click does what the key there does, or what Enter does at a row that is clicked
/// again.
pub(super) fn click(state: &mut State, target: Target, out: &mut Out) {
    state.reader.goes_from();
    if let Some(palette) = &mut state.palette {
        // What lies behind the palette is not clicked.
        if let Target::Entry(at) = target
            && std::mem::replace(&mut palette.cursor, at) == at
        {
            typed(state, key(Code::Enter), out);
        }
        return;
    }
    if state.too_small() {
        return;
    }
    state.shared.notes.clear();
    match target {
        Target::Page(page) => act(state, Action::Go(page), out),
        Target::Key(action) if state.typing() => {
            // The keys of a field are no actions: Enter keeps, Esc leaves.
            if let Some(key) = state.shared.keys.key_of(state.page, action) {
                typed(state, key, out);
            }
        }
        Target::Key(action) => act(state, action, out),
        target => {
            let (screen, shared) = state.parts();
            screen.click(shared, target, out);
        }
    }
}

/// The wheel moves over what the page shows.
pub(super) fn wheel(state: &mut State, up: bool, out: &mut Out) {
    state.reader.goes_from();
    if !state.too_small() && state.palette.is_none() {
        state.shared.notes.clear();
        let (screen, shared) = state.parts();
        screen.wheel(shared, up, out);
    }
}

/// A character that begins a value belongs to what is asked and has the keys: digits
/// lead to screens only where nothing is. `false`: it is a key like others.
fn begun(state: &mut State, c: char, out: &mut Out) -> bool {
    if !Asks::begins(c) {
        return false;
    }
    match asks(state) {
        Asks::Nothing => return false,
        Asks::Several if c.is_ascii_digit() => {
            state.word = Some(state.shared.now);
            state.shared.notes.say(Tone::Plain, SEVERAL);
        }
        Asks::Several => return false,
        Asks::Value => {
            let asked = state.screen().asked(&state.shared);
            let unread = asked.is_some_and(|asked| answering::unread(&state.shared, &asked));
            act(state, Action::Change, out);
            if state.typing() {
                // Enter mends what could not be read; what is typed takes its place.
                if unread {
                    typed(state, ctrl('u'), out);
                }
                typed(state, ch(c), out);
            }
        }
        Asks::Option(count) => {
            let asked = state.screen().asked(&state.shared);
            let at = c.to_digit(10).map(|digit| digit as usize);
            match (asked, at.filter(|at| (1..=count).contains(at))) {
                (Some(asked), Some(at)) => {
                    state.shared.questions.question_mut(&asked).option = Some(at - 1);
                    state.shared.questions.reveal = true;
                }
                _ => elsewhere(state, &format!("The options are 1 to {count}. ")),
            }
        }
        Asks::Rank(_) if state.page == Page::Lesson && state.reader.unseen(&mut state.shared) => {}
        Asks::Rank(count) => {
            let asked = state.screen().asked(&state.shared);
            let place = c.to_digit(10).map(|digit| digit as usize);
            match (asked, place.filter(|place| *place <= count)) {
                (Some(asked), Some(place)) => {
                    answering::rank(&mut state.shared, &asked, place, out);
                }
                _ => elsewhere(state, &format!("The places are 1 to {count}. ")),
            }
        }
        Asks::Line(count) => line(state, c, count),
        Asks::Right => {
            state.word = Some(state.shared.now);
            stands(state);
        }
        Asks::Begun => {
            state.word = Some(state.shared.now);
            half_typed(state);
        }
        Asks::Untyped if c.is_ascii_digit() => {
            state.word = Some(state.shared.now);
            elsewhere(state, "");
        }
        Asks::Untyped => return false,
    }
    true
}

/// A letter begins an answer in one's own words where none stands yet. One that the footer
/// names waits: where the next letter follows at once it began a word, else it is a key.
/// `false`: it is a key like others.
fn worded(state: &mut State, c: char, out: &mut Out) -> bool {
    let asked = state.screen().asked(&state.shared);
    let key = asked
        .as_ref()
        .and_then(|asked| state.shared.study.key_of(asked));
    let words = key.is_some_and(|key| key.kind == Kind::Text);
    if !c.is_alphabetic() || !words || asks(state) != Asks::Value {
        return false;
    }
    match named(state, c) {
        true => state.letter = Some((c, state.shared.now)),
        false => words_begin(state, &[c], out),
    }
    true
}

/// What follows a letter that waits: `true` where it is the next of its word, or the same key
/// again.
fn goes_on(state: &mut State, key: Key, out: &mut Out) -> bool {
    let Some((first, at)) = state.letter.take() else {
        return false;
    };
    match key.code {
        Code::Char(c)
            if !key.ctrl
                && c != first
                && (c.is_alphabetic() || c == '\'')
                && state.shared.now < at + SAME_WORD =>
        {
            words_begin(state, &[first, c], out);
            true
        }
        _ => {
            alone(state, first, out);
            let again = key == ch(first);
            if again {
                alone(state, first, out);
            }
            again
        }
    }
}

/// A letter that waited long enough is a key.
pub(super) fn waited(state: &mut State, out: &mut Out) {
    if let Some((first, at)) = state.letter
        && state.shared.now >= at + SAME_WORD
    {
        state.letter = None;
        alone(state, first, out);
    }
}

/// When a letter that waits is a key.
pub(super) fn waits_until((_, came): (char, Millis)) -> Millis {
    came + SAME_WORD
}

fn alone(state: &mut State, letter: char, out: &mut Out) {
    if let Some(action) = state.shared.keys.resolve(state.page, ch(letter)) {
        act(state, action, out);
    }
}

fn words_begin(state: &mut State, letters: &[char], out: &mut Out) {
    act(state, Action::Change, out);
    if state.typing() {
        for letter in letters {
            typed(state, ch(*letter), out);
        }
    }
}

/// Whether the footer names a letter.
fn named(state: &State, c: char) -> bool {
    let items = footer(state);
    let mut actions = items.iter().flat_map(|(actions, _)| actions.iter());
    actions.any(|action| state.shared.keys.key_of(state.page, *action) == Some(ch(c)))
}

/// Says why a digit does nothing here, and where digits lead to screens.
fn elsewhere(state: &mut State, why: &str) {
    let lesson = state.page == Page::Lesson;
    let where_ = match lesson && live::would_take(&state.reader, &state.shared) {
        true => BEHIND,
        false => ELSEWHERE,
    };
    let text = format!("{why}{where_}");
    state.shared.notes.say(Tone::Plain, text);
}

/// Digits that follow each other soon are the number of a line of a kernel: the cursor
/// goes there.
fn line(state: &mut State, c: char, count: usize) {
    let now = state.shared.now;
    let asked = state.screen().asked(&state.shared);
    let (Some(asked), Some(digit)) = (asked, c.to_digit(10).map(|digit| digit as usize)) else {
        return;
    };
    let before = state.number.filter(|(_, at)| now < at + SAME_WORD);
    let both = before.map(|(before, _)| 10 * before + digit);
    let number = both.filter(|number| *number <= count).unwrap_or(digit);
    state.number = Some((number, now));
    if (1..=count).contains(&number) {
        state.shared.questions.question_mut(&asked).option = Some(number - 1);
        state.shared.questions.reveal = true;
    } else {
        elsewhere(state, &format!("The lines are 1 to {count}. "));
    }
}

/// What is asked and has the keys.
fn asks(state: &State) -> Asks {
    state.screen().asks(&state.shared)
}

/// A key while a line of text is typed.
fn typed(state: &mut State, key: Key, out: &mut Out) {
    if key == ctrl('c') {
        act(state, Action::Interrupt, out);
    } else if key == ctrl('z') {
        act(state, Action::Suspend, out);
    } else if key == ctrl('l') {
        act(state, Action::Redraw, out);
    } else if state.palette.is_some() {
        let form = state.exercises.form.as_ref();
        let form = form.map(|f| f.exercise.as_str());
        let chosen = palette::press(&mut state.palette, &mut state.shared, form, key);
        if let Some(command) = chosen {
            command_chosen(state, command, out);
        }
    } else if state.find.as_ref().is_some_and(|f| f.typing) {
        let (line, screen, shared) = state.searched();
        find::press(line, screen, shared, key, out);
    } else {
        let (screen, shared) = state.parts();
        screen.press(shared, key, out);
        touched(state);
    }
}

/// A field was typed into: what stands there is kept soon.
fn touched(state: &mut State) {
    let open = state.screen().typing(&state.shared);
    let questions = &mut state.shared.questions;
    questions.touched = open.then(|| questions.touched.unwrap_or(state.shared.now));
}
