//! Practice inside the workshop: fresh questions without end, those that went wrong
//! sooner again; and the questions of exercises that went wrong.

use super::change::NAME;
use super::field::Field;
use super::intent::{Intent, Out};
use super::keep::{Practice, Waits};
use super::key::{Code, Key};
use super::keymap::{Action, Footer, FooterItem, without};
use super::mouse::{LINES, Target};
use super::note::Tone;
use super::question::Asked;
use super::screen::Screen;
use super::shared::Shared;
use course::answer::practise::{Task, Topic, pattern, task};
use course::answer::{Env, Judgement, NoRecords, Verdict, grade};
use course::{Event, Mark};

/// What the page remembers.
#[derive(Clone, Debug)]
pub struct Practise {
    /// What is practised.
    pub topic: Topic,
    /// The question.
    pub task: Option<Box<Task>>,
    /// From which it was drawn.
    seed: u64,
    /// What is being typed.
    pub field: Field,
    /// What the judge said of it.
    pub judgement: Option<Judgement>,
    /// The hint was asked for.
    pub hinted: bool,
    /// The answer, where it was asked for.
    pub shown: Option<String>,
    /// How it comes about, once it is known.
    pub derived: Vec<String>,
    /// No answer was wrong so far.
    first: bool,
    /// Questions asked, and those right at the first answer.
    pub tally: (u64, u64),
    /// Questions drawn since the workshop was opened.
    drawn: u64,
    /// Questions of other topics that wait for their answer, with what is typed.
    waiting: Vec<Waiting>,
    /// What is typed, as it was last kept.
    held: String,
    /// How it was left the last time, until the page is entered.
    left: Option<Practice>,
    /// First line shown, lines that the page has.
    view: (usize, usize),
    /// The field, and what was said of the answer, are to be in view.
    reveal: bool,
}

impl Default for Practise {
    fn default() -> Self {
        Self {
            topic: Topic::Launches,
            task: None,
            seed: 0,
            field: Field::default(),
            judgement: None,
            hinted: false,
            shown: None,
            derived: Vec::new(),
            first: true,
            tally: (0, 0),
            drawn: 0,
            waiting: Vec::new(),
            held: String::new(),
            left: None,
            view: (0, 0),
            reveal: true,
        }
    }
}

impl Practise {
    /// First line shown.
    pub const fn scroll(&self) -> usize {
        self.view.0
    }

    /// Takes in how the page came out: its lines, those that it has room for, the field's,
    /// and the one behind what was said of the answer.
    pub fn fit(&mut self, lines: usize, room: usize, (field, end): (usize, usize)) {
        let from = match std::mem::take(&mut self.reveal) {
            true => end.saturating_sub(room).min(field),
            false => self.view.0,
        };
        self.view = (from.min(lines.saturating_sub(room)), room);
    }

    /// The name of the topic.
    pub fn named(&self) -> &'static str {
        name(self.topic)
    }

    /// It is answered right, or its answer is shown.
    pub fn over(&self) -> bool {
        let right = |judged: &Judgement| judged.verdict.is_right();
        self.shown.is_some() || self.judgement.as_ref().is_some_and(right)
    }

    /// Draws the next question.
    pub(super) fn draw(&mut self, shared: &Shared) {
        let Some(gpus) = &shared.study.gpus else {
            return;
        };
        let pattern = shared.study.progress.practise.next(self.topic);
        self.drawn += 1;
        // The clock and the count part one question from the next.
        let seed = shared.now.wrapping_mul(64).wrapping_add(self.drawn);
        let drawn = pattern.and_then(|pattern| task(pattern, seed, gpus));
        (self.task, self.seed) = (drawn.map(Box::new), seed);
        self.held.clear();
        (self.judgement, self.shown, self.first) = (None, None, true);
        self.hinted = false;
        self.derived.clear();
        self.field = Field::default();
    }

    /// Goes to a topic: the question that waits there comes back, else one is drawn.
    fn turn(&mut self, topic: Topic, shared: &Shared) {
        if topic != self.topic
            && !self.over()
            && let Some(task) = self.task.take()
        {
            let typed = std::mem::take(&mut self.field);
            self.waiting.push(Waiting {
                topic: self.topic,
                task,
                seed: self.seed,
                typed,
                hinted: self.hinted,
                first: self.first,
            });
        }
        self.topic = topic;
        let at = self.waiting.iter().position(|one| one.topic == topic);
        match at.map(|at| self.waiting.remove(at)) {
            Some(one) => {
                (self.task, self.seed, self.field) = (Some(one.task), one.seed, one.typed);
                self.held = self.field.text();
                (self.hinted, self.first) = (one.hinted, one.first);
                (self.judgement, self.shown) = (None, None);
                self.derived.clear();
            }
            None => self.draw(shared),
        }
    }

    /// How practice stands, to go on after a new start; none where it was not begun.
    pub(super) fn kept(&self) -> Option<Practice> {
        if let Some(left) = &self.left {
            return Some(left.clone());
        }
        let here = self
            .task
            .as_ref()
            .filter(|_| !self.over())
            .map(|task| Waits {
                topic: self.named().to_owned(),
                pattern: task.pattern.to_owned(),
                seed: self.seed,
                typed: self.held.clone(),
                hinted: self.hinted,
                first: self.first,
            });
        let others = self.waiting.iter().map(|one| Waits {
            topic: name(one.topic).to_owned(),
            pattern: one.task.pattern.to_owned(),
            seed: one.seed,
            typed: one.typed.text(),
            hinted: one.hinted,
            first: one.first,
        });
        let open: Vec<Waits> = here.into_iter().chain(others).collect();
        (!open.is_empty() || self.tally.0 > 0).then(|| Practice {
            topic: self.named().to_owned(),
            tally: self.tally,
            open,
        })
    }

    /// Practice goes on where it was left, once the page is entered.
    pub(super) fn restore(&mut self, left: Option<Practice>) {
        if self.task.is_none() {
            self.left = left;
        }
    }

    /// Takes up what was left the last time: each question is drawn anew from its seed.
    fn take_up(&mut self, shared: &Shared) {
        let Some(gpus) = &shared.study.gpus else {
            return;
        };
        let Some(left) = self.left.take() else {
            return;
        };
        self.tally = left.tally;
        self.topic = Topic::parse(&left.topic).unwrap_or(self.topic);
        let open = left.open.into_iter().filter_map(|one| {
            Some(Waiting {
                topic: Topic::parse(&one.topic)?,
                task: Box::new(task(pattern(&one.pattern)?, one.seed, gpus)?),
                seed: one.seed,
                typed: Field::with(&one.typed),
                hinted: one.hinted,
                first: one.first,
            })
        });
        self.waiting = open.collect();
        self.turn(self.topic, shared);
    }

    fn answer(&mut self, shared: &mut Shared, out: &mut Out) {
        let (Some(task), Some(gpus)) = (&self.task, shared.study.gpus.clone()) else {
            return;
        };
        let env = Env::new(task.setup.clone(), &gpus, &NoRecords);
        let typed = self.field.text();
        if typed.trim().is_empty() {
            self.judgement = None;
            if !self.hinted {
                self.hinted = true;
                return;
            }
            self.shown = task.answer(&env).or(Some("–".to_owned()));
            self.derived = task.derived(&env);
            self.keep(shared, false, out);
            return;
        }
        match grade(&typed, &task.key, &env) {
            Ok(judgement) => {
                let right = judgement.verdict.is_right();
                if right {
                    self.derived = task.derived(&env);
                }
                // What could not be read, and what only lacks digits, is no answer yet.
                let counts = right || judgement.verdict.is_try();
                let first = self.first;
                self.first &= right || !judgement.verdict.is_try();
                if !matches!(judgement.verdict, Verdict::Unread { .. }) {
                    self.field = Field::replacing(&typed);
                }
                self.judgement = Some(judgement);
                if right && counts {
                    self.keep(shared, first, out);
                }
            }
            Err(error) => shared.notes.say(Tone::Bad, error.to_string()),
        }
    }

    fn keep(&mut self, shared: &mut Shared, right: bool, out: &mut Out) {
        let Some(task) = &self.task else { return };
        self.tally.0 += 1;
        self.tally.1 += u64::from(right);
        let event = Event::Practised {
            pattern: task.pattern.to_owned(),
            right,
        };
        shared.record(event, out);
    }
}

fn name(topic: Topic) -> &'static str {
    let mut all = Topic::ALL.iter();
    all.find(|(_, one)| *one == topic)
        .map_or("", |(name, _)| name)
}

/// A question of another topic, as it was left.
#[derive(Clone, Debug)]
struct Waiting {
    topic: Topic,
    task: Box<Task>,
    seed: u64,
    typed: Field,
    hinted: bool,
    first: bool,
}

/// Questions of exercises whose last answer was wrong or a slip, and that were not
/// solved since.
pub fn again(shared: &Shared) -> Vec<Asked> {
    let exercises = shared.study.progress.exercises.iter();
    let missed = exercises.flat_map(|(exercise, keys)| {
        let wrong = keys.iter().filter(|(key, mark)| {
            let wrong = matches!(mark.verdict, Some(Mark::Wrong | Mark::Slip));
            wrong && !mark.solved && !shared.study.progress.done_before(exercise, key)
        });
        wrong.map(|(key, _)| Asked {
            exercise: exercise.clone(),
            key: key.clone(),
        })
    });
    let known = |asked: &Asked| shared.study.key_of(asked).is_some();
    missed.filter(known).collect()
}

/// Keys behind the answer.
const OVER: &[FooterItem] = &[
    (&[Action::Open], "next question"),
    (&[Action::NextPart], "next topic"),
    (&[Action::Down], "what went wrong in exercises"),
    (&[Action::Back], "back"),
];

/// Keys while the answer is typed.
const ASKED: &[FooterItem] = &[
    (&[Action::Open], "check, empty: hint, then answer"),
    (&[Action::NextPart], "next topic"),
    (&[Action::Down], "exercises"),
    (&[Action::Back], "back"),
];

impl Screen for Practise {
    fn footer(&self, shared: &Shared) -> Footer {
        let keys = match self.over() {
            true => OVER,
            false => ASKED,
        };
        match again(shared).is_empty() {
            true => without(keys, &[Action::Down]),
            false => keys.into(),
        }
    }

    fn act(&mut self, shared: &mut Shared, action: Action, out: &mut Out) {
        self.reveal = true;
        let at = Topic::ALL.iter().position(|(_, t)| *t == self.topic);
        let (at, count) = (at.unwrap_or(0), Topic::ALL.len());
        let to = match action {
            Action::NextPart => (at + 1) % count,
            Action::PreviousPart => (at + count - 1) % count,
            Action::Open if self.over() || self.task.is_none() => at,
            Action::Open => return self.answer(shared, out),
            Action::Down => {
                match again(shared).into_iter().next() {
                    Some(asked) => out.want(Intent::Question(asked)),
                    None => shared
                        .notes
                        .say(Tone::Plain, "No answer of an exercise is wrong."),
                }
                return;
            }
            _ => return,
        };
        if let Some((_, topic)) = Topic::ALL.get(to) {
            self.turn(*topic, shared);
        }
    }

    fn command(&self, _: &Shared) -> String {
        format!("{NAME} practise {}", self.named())
    }

    fn entered(&mut self, shared: &mut Shared, _: Option<String>, _: &mut Out) {
        self.take_up(shared);
        if self.task.is_none() {
            self.draw(shared);
        }
    }

    fn in_hand(&mut self, _: &mut Shared, _: &mut Out) {
        self.held = self.field.text();
    }

    fn put_away(&mut self, _: &mut Shared, _: &mut Out) {
        self.held = self.field.text();
    }

    /// The field is open as long as the question is.
    fn typing(&self, _: &Shared) -> bool {
        true
    }

    fn press(&mut self, shared: &mut Shared, key: Key, out: &mut Out) {
        let (from, room) = self.view;
        self.reveal = !matches!(key.code, Code::PageUp | Code::PageDown);
        match key.code {
            Code::PageUp => self.view.0 = from.saturating_sub(room.saturating_sub(1)),
            Code::PageDown => self.view.0 = from + room.saturating_sub(1),
            Code::Esc => {
                self.held = self.field.text();
                out.want(Intent::Back);
            }
            Code::Enter => self.act(shared, Action::Open, out),
            Code::Tab => self.act(shared, Action::NextPart, out),
            Code::BackTab => self.act(shared, Action::PreviousPart, out),
            Code::Down => self.act(shared, Action::Down, out),
            Code::Char(' ') if self.over() => self.act(shared, Action::Open, out),
            _ if self.over() => {}
            _ => {
                self.field.press(key);
            }
        }
    }

    fn wheel(&mut self, _: &mut Shared, up: bool, _: &mut Out) {
        let from = self.view.0;
        self.view.0 = if up {
            from.saturating_sub(LINES)
        } else {
            from + LINES
        };
    }

    /// A topic: its question takes the place of the present one, which waits.
    fn click(&mut self, shared: &mut Shared, target: Target, _: &mut Out) {
        self.reveal = true;
        if let Target::Row(at) = target
            && let Some((_, topic)) = Topic::ALL.get(at)
            && *topic != self.topic
        {
            self.turn(*topic, shared);
        }
    }

    fn paste(&mut self, _: &mut Shared, text: &str) {
        if !self.over() {
            self.field.paste(text);
        }
    }
}
