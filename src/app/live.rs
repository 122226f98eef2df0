//! Live blocks of a lesson: what the learner did in them, what they show, and
//! the keys that they take.
//!
//! A block never has a plan or a setup of its own to change: entering a `lab`
//! puts its setup and plan on the one bench, and from then on it shows what is
//! on the bench. So what is flipped in a lesson is what the lab shows.

pub mod ask;
pub mod chart;
pub mod predict;
pub mod table;

use super::bench::Bench;
use super::claims;
use super::exercise;
use super::field::Field;
use super::key::{Code, Key};
use super::keymap::Action;
use super::lesson::{self, Focus};
use super::machine::Machine;
use super::message::Effect;
use super::note::Tone;
use super::page::Page;
use super::ribbon::slot_of;
use super::setup::Setup;
use super::state::State;
use super::study::bench_setup;
use course::answer::Env;
use course::{self, Kind, Lesson, Live};
use plan::fusion::{Cut, Fusion};

/// What was done in a live block.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The toggle under the cursor.
    pub cursor: usize,
    /// Its plan was put on the bench; it shows the bench from then on.
    pub on_bench: bool,
    /// Steps revealed after the first.
    pub steps: usize,
    /// A prediction that is being typed.
    pub field: Option<Field>,
}

/// What the expressions of a block may look at: the lesson's configuration
/// with the block's own on top.
///
/// # Errors
/// A sentence that says what is missing.
pub fn env<'s>(
    state: &'s State,
    lesson: &Lesson,
    setup: &course::Setup,
) -> Result<Env<'s>, String> {
    state.study.env(&lesson.setup.with(setup), &state.runs)
}

/// The bench that a `lab` block shows: the shared one once the block was
/// entered, else one with the block's own setup and plan.
///
/// # Errors
/// A setting, a plan or a shape that cannot be.
pub fn bench(state: &State, lesson: &Lesson, live: &Live) -> Result<Bench, String> {
    let (setup, cut) = start(state, lesson, live)?;
    let shared = state.reader.block(&lesson.id, live.number).on_bench;
    if shared && *state.bench.setup() == setup {
        return Ok(state.bench.clone());
    }
    let mut bench = Bench::new(setup).map_err(|e| e.to_string())?;
    bench.put(cut).map_err(|e| e.to_string())?;
    Ok(bench)
}

/// Setup and plan that a block begins with.
fn start(state: &State, lesson: &Lesson, live: &Live) -> Result<(Setup, Cut), String> {
    let config = env(state, lesson, &live.setup)?.setup.config;
    let named = match &live.content {
        Ok(course::Block::Lab { start, .. }) => start.as_ref(),
        Ok(course::Block::Ribbon { plan, .. } | course::Block::Roofline { plan, .. }) => {
            plan.as_ref()
        }
        Ok(course::Block::Compare { plans, .. }) => plans.first(),
        Ok(course::Block::Kernel { version, .. }) => version.as_ref(),
        _ => None,
    };
    let cut = named.map_or(config.cut, |plan| plan.value);
    Ok((bench_setup(&config, state.bench.setup().seed), cut))
}

/// Whether Tab stops at a block: those that are only read take no keys.
pub fn takes_keys(live: &Live) -> bool {
    use course::Block as B;
    match &live.content {
        Ok(B::Table { .. } | B::Chart { .. } | B::Roofline { .. }) => !live.predict.is_empty(),
        Ok(_) => true,
        Err(_) => false,
    }
}

/// Fusions that a `lab` block offers.
pub fn toggles(live: &Live) -> Vec<Fusion> {
    match &live.content {
        Ok(course::Block::Lab { toggles, .. }) => toggles.iter().map(|t| t.value).collect(),
        _ => Vec::new(),
    }
}

/// The block that has the keys, taken out of the course so that the state can
/// be changed.
fn taken(state: &State) -> Option<(Lesson, Live)> {
    lesson::focused(state).map(|(l, b)| (l.clone(), b.clone()))
}

/// A block has got the keys: a `lab` puts its plan on the bench.
pub fn enter(state: &mut State) {
    let Some((lesson, live)) = taken(state) else {
        return;
    };
    let hidden = predict::open(&state.study.progress, &lesson, &live).is_some();
    if live.kind == "lab" && !hidden {
        put_on_bench(state, &lesson, &live);
    }
}

/// The keys go elsewhere: what is being typed is kept.
pub fn leave(state: &mut State, effects: &mut Vec<Effect>) {
    exercise::leave_field(state, effects);
    state.reader.leave_fields();
}

/// Puts a block's setup and plan on the bench, once.
pub(super) fn put_on_bench(state: &mut State, lesson: &Lesson, live: &Live) {
    let (setup, cut) = match start(state, lesson, live) {
        Ok(start) => start,
        Err(why) => {
            state.notes.say(Tone::Bad, why);
            return;
        }
    };
    let block = state.reader.block_mut(&lesson.id, live.number);
    let again = std::mem::replace(&mut block.on_bench, true);
    let moved = *state.bench.setup() != setup;
    if again && !moved {
        return;
    }
    let title = setup.title();
    let put = state
        .bench
        .set_up(setup)
        .and_then(|()| state.bench.put(cut));
    match put {
        Ok(()) if moved => state.notes.say(
            Tone::Plain,
            format!("The lab is set up as this block: {title}."),
        ),
        Ok(()) => {}
        Err(error) => state.notes.say(Tone::Bad, error.to_string()),
    }
}

/// Whether a key begins a number in what has the keys: where an answer was not
/// right, and in a block of a lesson that waits for one, digits are typed and lead
/// to no other page.
pub fn begins(state: &State, key: Key) -> bool {
    let digit = matches!(key.code, Code::Char(c) if c.is_ascii_digit()) && !key.ctrl;
    if !digit || state.typing() {
        return false;
    }
    let asked = match state.page {
        Page::Exercises => exercise::current(state),
        Page::Lesson => match lesson::focused(state) {
            Some((lesson, live)) => {
                if predict::open(&state.study.progress, lesson, live).is_some() {
                    return true;
                }
                match &live.content {
                    Ok(course::Block::Question { exercise, key }) => {
                        exercise::asked(state, &exercise.text, key.as_ref().map(|k| &*k.text))
                    }
                    _ => None,
                }
            }
            None => None,
        },
        _ => None,
    };
    asked.is_some_and(|asked| {
        let kind = exercise::key_of(state, &asked).map(|key| key.kind);
        matches!(kind, Some(Kind::Number | Kind::Measured | Kind::Predict))
            && (exercise::refused(state, &asked)
                || state.page == Page::Lesson
                    && state.study.typed(&asked.exercise, &asked.key).is_empty())
    })
}

/// Acts on the block that has the keys.
pub fn act(state: &mut State, action: Action, effects: &mut Vec<Effect>) {
    let Some((lesson, live)) = taken(state) else {
        state.reader.focus = Focus::Text;
        return;
    };
    if predict::open(&state.study.progress, &lesson, &live).is_some() {
        match action {
            Action::Open | Action::Flip => {
                state.reader.block_mut(&lesson.id, live.number).field = Some(Field::default());
            }
            Action::Run => state.notes.say(
                Tone::Plain,
                "First your prediction: Enter types it; Enter with nothing typed says “I do not know”.",
            ),
            _ => pass(state, action, effects),
        }
        return;
    }
    let Ok(content) = &live.content else {
        pass(state, action, effects);
        return;
    };
    match content {
        course::Block::Lab { backend, .. } => {
            let backend = backend.as_ref().map(|b| b.text.clone());
            lab(state, &lesson, &live, backend.as_deref(), action, effects);
        }
        course::Block::Steps { steps, .. } => {
            let last = steps.len().saturating_sub(1);
            let block = state.reader.block_mut(&lesson.id, live.number);
            match action {
                Action::Flip | Action::Open | Action::Down if block.steps < last => {
                    block.steps += 1;
                }
                Action::Up | Action::Undo if block.steps > 0 => block.steps -= 1,
                _ => return pass(state, action, effects),
            }
            state.reader.reveal();
        }
        course::Block::Question { exercise, key } => {
            let asked = exercise::asked(state, &exercise.text, key.as_ref().map(|k| &*k.text));
            match asked {
                Some(asked) => exercise::question(state, &asked, action, effects),
                None => pass(state, action, effects),
            }
        }
        course::Block::Compare { plans, .. } => match action {
            Action::Run | Action::RunAll => {
                put_on_bench(state, &lesson, &live);
                let cuts = plans.iter().map(|plan| plan.value).collect();
                super::lab::start(state, cuts, effects);
            }
            Action::Open => {
                put_on_bench(state, &lesson, &live);
                state.go(Page::Compare);
            }
            _ => pass(state, action, effects),
        },
        course::Block::Micro { .. } if matches!(action, Action::Run | Action::Open) => {
            ask::run(state, &lesson, &live, effects);
        }
        course::Block::Kernel { op: Some(op), .. } if action == Action::Open => {
            let slot = slot_of(op.value);
            put_on_bench(state, &lesson, &live);
            if let Some(slot) = slot {
                state.lab.slot = slot;
                state.go(Page::Kernel);
            }
        }
        course::Block::Claim { id } => {
            let claim = course::Ledger::built_in().get(id.as_str());
            match (claim, action) {
                (Some(claim), Action::Run | Action::RunAll) => claims::run(state, claim, effects),
                (Some(claim), Action::Open) => claims::open(state, &claim.id.text),
                _ => pass(state, action, effects),
            }
        }
        course::Block::Ribbon { .. } if action == Action::Open => {
            put_on_bench(state, &lesson, &live);
            state.go(Page::Lab);
        }
        _ => pass(state, action, effects),
    }
}

/// Keys that a block has no use for turn the pages of the text.
fn pass(state: &mut State, action: Action, effects: &mut Vec<Effect>) {
    match action {
        Action::Open => {}
        Action::Run | Action::RunAll => {
            state
                .notes
                .say(Tone::Plain, "This block has nothing to run.");
        }
        _ => lesson::read(state, action, effects),
    }
}

fn lab(
    state: &mut State,
    lesson: &Lesson,
    live: &Live,
    backend: Option<&str>,
    action: Action,
    effects: &mut Vec<Effect>,
) {
    let offered = toggles(live);
    put_on_bench(state, lesson, live);
    let block = state.reader.block_mut(&lesson.id, live.number);
    let last = offered.len().saturating_sub(1);
    match action {
        Action::Up if block.cursor > 0 => block.cursor -= 1,
        Action::Down if block.cursor < last => block.cursor += 1,
        Action::Flip => match offered.get(block.cursor) {
            Some(fusion) => super::lab::flip(state, *fusion),
            None => pass(state, action, effects),
        },
        Action::Undo | Action::NextVersion | Action::PreviousVersion => {
            super::lab::act(state, action, effects);
        }
        Action::Run | Action::RunAll => {
            if let Some(name) = backend {
                match choose(&mut state.machine, name) {
                    Err(why) => return state.notes.say(Tone::Warn, why),
                    Ok(true) => {
                        state.runs.use_backend(state.machine.kind());
                        let text = format!(
                            "{name} runs this, and what follows; p chooses another backend."
                        );
                        state.notes.say(Tone::Plain, text);
                    }
                    Ok(false) => {}
                }
            }
            super::lab::act(state, action, effects);
        }
        Action::Open => state.go(Page::Lab),
        _ => pass(state, action, effects),
    }
}

/// The backend that a block names; whether it was another before.
fn choose(machine: &mut Machine, name: &str) -> Result<bool, String> {
    if machine.backend().is_some_and(|b| b.name == name) {
        return Ok(false);
    }
    machine.choose(name).map(|()| true)
}
