//! The command palette: every command, lesson and exercise by a few letters.

use super::field::Field;
use super::key::{Code, Key};
use super::keymap::Action;
use super::look::Theme;
use super::note::Tone;
use super::page::Page;
use super::shared::Shared;
use course::Ledger;
use plan::fusion::{Fusion, Version};

/// What an entry does.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// What a key does.
    Do(Action),
    /// Flip a fusion of the plan.
    Flip(Fusion),
    /// Put a version on the bench.
    Put(Version),
    /// Open a lesson, by its place in the contents.
    Lesson(usize),
    /// Open an exercise, by its id.
    Exercise(String),
    /// Open a claim, by its id.
    Claim(&'static str),
    /// The last messages.
    Messages,
    /// What is done in a shell: the command is shown and copied.
    Shell(&'static str),
    /// Choose a backend, by its name.
    Backend(String),
    /// Clear the answers of the exercise that is shown.
    Reset,
    /// A theme.
    Theme(Theme),
    /// ASCII or Unicode.
    Ascii,
    /// Leave.
    Quit,
}

impl Command {
    /// The page on which it is done.
    fn page(&self) -> Option<Page> {
        match self {
            Self::Flip(_) | Self::Put(_) => Some(Page::Lab),
            Self::Do(Action::Run | Action::RunAll | Action::Undo | Action::Bytes) => {
                Some(Page::Lab)
            }
            Self::Do(Action::Go(page)) => Some(*page),
            _ => None,
        }
    }
}

/// A line of the palette.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its kind: `fusion`, `lesson`, `run`.
    pub kind: &'static str,
    /// What it does, as it is searched for.
    pub text: String,
    /// What else it is found by: a lesson's id.
    pub id: String,
    /// Where or with which key it is done without the palette.
    pub hint: String,
    /// What it does.
    pub command: Command,
}

/// The open palette.
#[derive(Clone, Debug, Default)]
pub struct Palette {
    /// What is typed.
    pub field: Field,
    /// The entry under the cursor, among those that match.
    pub cursor: usize,
}

/// What is done in a shell: what for, and the command.
const SHELL: &[(&str, &str)] = &[
    (
        "practise: fresh questions without end",
        "tinyllama-tutor practise flops",
    ),
    (
        "progress: time, streaks, export and import",
        "tinyllama-tutor progress",
    ),
    (
        "export: lessons as pages, answers as a table",
        "tinyllama-tutor export",
    ),
    (
        "report: the session as one file, to hand in",
        "tinyllama-tutor report",
    ),
    (
        "undo the last reset of an exercise",
        "tinyllama-tutor reset --undo",
    ),
];

/// Every entry there is; `form`: the exercise whose form is open.
fn entries(shared: &Shared, form: Option<&str>) -> Vec<Entry> {
    let mut all = Vec::new();
    let lessons = shared.contents.lessons.iter();
    let ids: Vec<String> = lessons.map(|l| l.id.clone()).collect();
    let mut add = |kind, text: String, hint: String, command| {
        all.push(Entry {
            kind,
            text,
            id: match &command {
                Command::Lesson(at) => ids.get(*at).cloned().unwrap_or_default(),
                _ => String::new(),
            },
            hint,
            command,
        });
    };
    for f in Fusion::ALL {
        add(
            "fusion",
            format!("flip {}", f.name()),
            "Lab, Space".into(),
            Command::Flip(f),
        );
    }
    for v in Version::ALL {
        add(
            "plan",
            format!("version {}", v.full_title()),
            "Lab, v".into(),
            Command::Put(v),
        );
    }
    for (i, l) in shared.contents.lessons.iter().enumerate() {
        add(
            "lesson",
            format!("{} {}", l.number, l.title),
            "2".into(),
            Command::Lesson(i),
        );
    }
    for e in shared.study.course.exercises() {
        add(
            "exercise",
            format!("{} {}", e.id, e.title),
            "7".into(),
            Command::Exercise(e.id.clone()),
        );
    }
    let court = shared.study.course.court_off().is_none();
    for c in Ledger::built_in().claims().iter().filter(|_| court) {
        add(
            "claim",
            format!("{} {}", c.id.text, c.title),
            "C".into(),
            Command::Claim(&c.id.text),
        );
    }
    let listed = Page::LISTED.into_iter();
    for p in listed.filter(|p| court || *p != Page::Claims) {
        let key = p.digit().map(String::from).unwrap_or_default();
        add(
            "go",
            p.title().to_lowercase(),
            key,
            Command::Do(Action::Go(p)),
        );
    }
    add(
        "go",
        "studies: experiments over many plans or sizes".into(),
        "S".into(),
        Command::Do(Action::Go(Page::Studies)),
    );
    let actions = [
        ("run", "run this plan, beside V1", Action::Run),
        ("run", "run all again", Action::RunAll),
        (
            "do",
            "setup: model, shape, dtype, backend, seed",
            Action::Setup,
        ),
        ("do", "undo the last flip", Action::Undo),
        (
            "do",
            "number on the ribbon: MB, FLOP/B, floor",
            Action::Bytes,
        ),
        ("do", "help: keys that work here", Action::Help),
        (
            "do",
            "copy this screen as a command line",
            Action::CommandLine,
        ),
        (
            "do",
            "export this screen: SVG, its numbers as CSV",
            Action::Export,
        ),
        ("do", "draw again", Action::Redraw),
    ];
    for (kind, text, action) in actions {
        let key = shared
            .keys
            .key_of(Page::Lab, action)
            .map_or(String::new(), |k| k.to_string());
        add(kind, text.to_owned(), key, Command::Do(action));
    }
    for (text, command) in SHELL {
        add(
            "shell",
            (*text).into(),
            String::new(),
            Command::Shell(command),
        );
    }
    if let Some(form) = form {
        add(
            "do",
            format!("reset {form}: start this exercise again"),
            String::new(),
            Command::Reset,
        );
    }
    for b in &shared.machine.backends {
        add(
            "go",
            format!("backend {}", b.name),
            "p".into(),
            Command::Backend(b.name.clone()),
        );
    }
    add(
        "do",
        "messages: the last fifty".into(),
        String::new(),
        Command::Messages,
    );
    for t in Theme::ALL {
        add(
            "look",
            format!("theme {}", t.name()),
            String::new(),
            Command::Theme(t),
        );
    }
    add(
        "look",
        "ascii on or off".into(),
        String::new(),
        Command::Ascii,
    );
    add("do", "quit".into(), "q".into(), Command::Quit);
    // What is done on a page that has no room would not be seen; the page itself says so.
    all.retain_mut(|entry| {
        let page = entry.command.page().map(|page| page.least());
        let Some((columns, rows)) = page.filter(|least| shared.lacks(*least)) else {
            return true;
        };
        entry.text += &format!(", which needs {columns} × {rows}");
        matches!(entry.command, Command::Do(Action::Go(_)))
    });
    all
}

/// The entries that match what is typed, the best first, and the number of
/// all entries.
pub fn matches(shared: &Shared, form: Option<&str>, typed: &str) -> (Vec<Entry>, usize) {
    let all = entries(shared, form);
    let count = all.len();
    let mut scored: Vec<(i32, Entry)> = all
        .into_iter()
        .filter_map(|e| {
            // The kind may be typed first: `lesson 17`.
            let (first, rest) = typed.trim().split_once(' ').unwrap_or((typed.trim(), ""));
            // What takes answers away is found by its own word.
            let takes = matches!(e.command, Command::Reset);
            if takes && !"reset".starts_with(&first.to_lowercase()) {
                return None;
            }
            let by_kind = first.len() > 1 && e.kind.starts_with(&first.to_lowercase());
            let of_kind = score(rest, &e.text).filter(|_| by_kind).map(|s| s + KIND);
            let by_id = score(typed, &e.id).filter(|_| !e.id.is_empty());
            let found = score(typed, &e.text).max(of_kind).max(by_id)?;
            // There are many claims; what does something comes first.
            let weight = match (&e.command, e.kind) {
                // `7` is the number of lesson 07, and so is `lesson 7`.
                (Command::Lesson(_), _) if numbered(typed, &e.text) => KIND,
                (Command::Lesson(_), _) if by_kind && numbered(rest, &e.text) => KIND,
                (_, "claim") => CLAIM,
                _ => 0,
            };
            Some((found + weight, e))
        })
        .collect();
    // Equal scores keep the order of the list.
    scored.sort_by_key(|(score, _)| -score);
    (scored.into_iter().map(|(_, e)| e).collect(), count)
}

/// What an entry counts more whose kind is typed first.
const KIND: i32 = 24;

/// What a claim counts less than a command, a lesson or an exercise.
const CLAIM: i32 = -4;

/// Whether what is typed is the number that a text begins with.
fn numbered(typed: &str, text: &str) -> bool {
    let number = text.split(' ').next().and_then(|n| n.parse::<u32>().ok());
    number.is_some() && number == typed.trim().parse().ok()
}

/// What is said where a number opens the lesson of that number: the digit alone is the key
/// of a page.
fn instead_of_page(typed: &str, entry: &Entry) -> Option<String> {
    let lesson = matches!(entry.command, Command::Lesson(_)) && numbered(typed, &entry.text);
    let digit = typed.trim().parse::<u8>().ok().filter(|_| lesson)?;
    let page = Page::LISTED
        .into_iter()
        .find(|page| page.digit().and_then(|key| key.to_digit(10)) == Some(digit.into()))?;
    Some(format!(
        ":{digit} is lesson {digit:02}; the key {digit} alone leads to {}.",
        page.title()
    ))
}

/// How well `text` matches what is typed: all letters in order, better at the
/// beginning of words and in one piece. `None`: it does not match. Every word
/// that is typed must match by itself.
fn score(typed: &str, text: &str) -> Option<i32> {
    typed
        .split_whitespace()
        .try_fold(0, |sum, word| Some(sum + word_score(word, text)?))
}

fn word_score(word: &str, text: &str) -> Option<i32> {
    let text: Vec<char> = text.to_lowercase().chars().collect();
    let word: Vec<char> = word.to_lowercase().chars().collect();
    let starts = |at: usize| {
        at == 0
            || text
                .get(at - 1)
                .is_some_and(|before| !before.is_alphanumeric())
    };
    // The best of all places where the first letter stands.
    (0..text.len())
        .filter(|at| text.get(*at) == word.first())
        .filter_map(|first| {
            let mut sum = 0;
            let mut last: Option<usize> = None;
            let mut pieces = 0;
            for c in &word {
                let at = last.map_or(first, |l| l + 1);
                let is = |i: &usize| text.get(*i) == Some(c);
                let next = (at..text.len()).find(is)?;
                // The next letter, or the same letter where a word begins.
                let begins = (at..text.len()).filter(is).find(|i| starts(*i));
                let in_one_piece = last.is_some_and(|l| l + 1 == next);
                let found = begins.filter(|_| !in_one_piece).unwrap_or(next);
                pieces += usize::from(!in_one_piece);
                sum += match last {
                    Some(_) if in_one_piece => 8,
                    Some(l) => -((found - l) as i32).min(6),
                    None => 0,
                };
                if starts(found) {
                    sum += 6;
                }
                last = Some(found);
            }
            // A longer word that lies scattered over a title names nothing there.
            if word.len() > 3 && pieces > 2 {
                return None;
            }
            // A whole word counts more than the beginning of one, and most where
            // the text begins: a number, an id.
            let whole = last.is_some_and(|l| {
                l + 1 == first + word.len()
                    && text.get(l + 1).is_none_or(|c| !c.is_alphanumeric())
                    && starts(first)
            });
            // A name that begins with what is typed goes before one that holds it.
            let begins = first == 0 && pieces == 1;
            sum += match (whole, begins) {
                (true, true) => 12,
                (true, false) => 4,
                (false, true) => 2,
                (false, false) => 0,
            };
            Some(sum - (text.len() as i32) / 16)
        })
        .max()
        .or(word.is_empty().then_some(0))
}

/// A key while the palette is open; the command that was chosen, if one was.
pub(super) fn press(
    open: &mut Option<Palette>,
    shared: &mut Shared,
    form: Option<&str>,
    key: Key,
) -> Option<Command> {
    let palette = open.as_mut()?;
    let matching = |palette: &Palette, shared: &Shared| {
        let typed = palette.field.text();
        matches(shared, form, &typed).0
    };
    match key.code {
        Code::Esc => {
            *open = None;
            return None;
        }
        Code::Up => palette.cursor = palette.cursor.saturating_sub(1),
        Code::Down => palette.cursor += 1,
        Code::Enter => {
            let chosen = matching(palette, shared).into_iter().nth(palette.cursor);
            if let Some(entry) = chosen {
                let typed = palette.field.text();
                if let Some(text) = instead_of_page(&typed, &entry) {
                    shared.notes.say(Tone::Plain, text);
                }
                *open = None;
                return Some(entry.command);
            }
            let typed = palette.field.text();
            let text = format!("No command, lesson or fusion matches “{typed}”.");
            shared.notes.say(Tone::Plain, text);
            return None;
        }
        Code::Tab => {
            if let Some(entry) = matching(palette, shared).into_iter().nth(palette.cursor) {
                palette.field = Field::with(&entry.text);
                palette.cursor = 0;
            }
        }
        _ => {
            if palette.field.press(key) {
                palette.cursor = 0;
            }
        }
    }
    // The cursor stays on an entry.
    let last = matching(palette, shared).len().saturating_sub(1);
    palette.cursor = palette.cursor.min(last);
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::look::Look;

    #[test]
    fn letters_match_in_order_and_word_starts_are_better() {
        assert!(score("flas", "flip flash").is_some());
        assert!(score("xyz", "flip flash").is_none());
        assert!(score("flash", "flip flash") > score("flash", "f l a s h apart"));
        assert!(score("nr", "flip norm_residual") > score("nr", "another one"));
        assert!(score("", "anything").is_some());
        assert!(
            score("flash flip", "flip flash").is_some(),
            "words in any order"
        );
    }

    #[test]
    fn a_few_letters_find_the_fusion() {
        let state = Shared::new((80, 24), Look::default()).unwrap();
        let (found, all) = matches(&state, None, "flas");
        assert_eq!(found[0].command, Command::Flip(Fusion::Flash));
        assert!(all > 30);
    }

    #[test]
    fn a_number_or_an_id_typed_whole_comes_first() {
        assert!(score("21", "21 what fusion cannot do") > score("21", "m-att 134,217,728"));
        assert!(score("ex1", "ex1 launch census") > score("ex1", "ex10 the bottleneck"));
        let state = Shared::new((80, 24), Look::default()).unwrap();
        assert!(
            matches(&state, None, "plan v2")
                .0
                .iter()
                .any(|e| e.command == Command::Put(Version::V2))
        );
    }
}
