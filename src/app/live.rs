//! Live blocks of a lesson: what the learner did in them, what they show, and
//! the keys that they take.
//!
//! A block never has a plan or a setup of its own to change: entering a `lab`
//! puts its setup and plan on the one bench, and from then on it shows what is
//! on the bench. So what is flipped in a lesson is what the lab shows.

pub mod ask;
mod facts;
mod lent;
pub mod predict;
mod trips;
mod waits;

pub use facts::{presented, running_on, withheld};
pub use trips::walked_through;
pub(super) use waits::{alone, point, would_take};
pub use waits::{asked, asks, waits_alone};

use super::answering;
use super::evidence;
use super::field::Field;
use super::intent::{Intent, Out};
use super::keymap::Action;
use super::lesson::{self, Focus, Reader};
use super::note::Tone;
use super::page::Page;
use super::ribbon::slot_of;
use super::setup::Setup;
use super::shared::Shared;
use course::answer::Env;
use course::{self, Course, Event, Lesson, Live};
use plan::fusion::{Cut, Fusion};
use std::sync::Arc;
use study::lab::staircase::{cuts, usual};

pub(crate) use lent::Lent;
pub use lent::lender;

/// What was done in a live block.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The toggle under the cursor.
    pub cursor: usize,
    /// The plan that was made of its own; the lab may hold another by now.
    pub plan: Option<Cut>,
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
    shared: &'s Shared,
    lesson: &Lesson,
    setup: &course::Setup,
) -> Result<Env<'s>, String> {
    shared.study.env(&lesson.setup.with(setup), &shared.runs)
}

/// Setup and plan that a block begins with.
fn start(shared: &Shared, lesson: &Lesson, live: &Live) -> Result<(Setup, Cut), String> {
    let config = env(shared, lesson, &live.setup)?.setup.config;
    let named = match &live.content {
        Ok(course::Block::Lab { start, .. }) => start.as_ref(),
        Ok(course::Block::Ribbon { plan, .. } | course::Block::Roofline { plan, .. }) => {
            plan.as_ref()
        }
        Ok(course::Block::Trips(stretch)) => stretch.plan.as_ref(),
        Ok(course::Block::Compare { plans, .. }) => plans.first(),
        Ok(course::Block::Kernel { version, .. }) => version.as_ref(),
        _ => None,
    };
    let cut = named.map_or(config.cut, |plan| plan.value);
    Ok((Setup::of(&config, shared.bench.setup().seed), cut))
}

/// Whether Tab stops at a block: those that are only read take no keys.
pub fn takes_keys(live: &Live) -> bool {
    live.content.is_ok() && !live.is_still()
}

/// Whether `r` runs something in a block.
pub fn runs(shared: &Shared, live: &Live) -> bool {
    use course::Block as B;
    match &live.content {
        Ok(B::Lab { .. } | B::Compare { .. } | B::Staircase { .. } | B::Micro { .. }) => true,
        Ok(B::Study(_) | B::Occupancy(_)) => true,
        Ok(B::Claim { id }) => evidence::runs(id.as_str()),
        Ok(B::Question { .. }) => {
            let asked = asked(shared, live);
            let key = asked.as_ref().and_then(|asked| shared.study.key_of(asked));
            key.is_some_and(|key| answering::runs(shared, key))
        }
        _ => false,
    }
}

/// Fusions that a block offers.
fn toggles(live: &Live) -> Vec<Fusion> {
    match &live.content {
        Ok(
            course::Block::Lab { toggles, .. }
            | course::Block::Trips(course::Stretch { toggles, .. }),
        ) => toggles.iter().map(|t| t.value).collect(),
        _ => Vec::new(),
    }
}

/// The block that has the keys, and the course that it is in: page and shared
/// state can be changed meanwhile.
struct Held {
    course: Arc<Course>,
    lesson: usize,
    section: usize,
    number: usize,
}

impl Held {
    fn of(reader: &Reader, shared: &Shared) -> Option<Self> {
        let (_, live) = lesson::focused(reader, shared)?;
        Some(Self {
            course: Arc::clone(&shared.study.course),
            lesson: reader.lesson,
            section: reader.section,
            number: live.number,
        })
    }

    fn get(&self) -> Option<(&Lesson, &Live)> {
        let lesson = self.course.lessons().nth(self.lesson)?;
        let section = lesson.sections.get(self.section)?;
        let live = section.live().find(|live| live.number == self.number)?;
        Some((lesson, live))
    }
}

/// A block has got the keys: a `lab` puts its plan on the bench.
pub fn enter(reader: &mut Reader, shared: &mut Shared) {
    let held = Held::of(reader, shared);
    let Some((lesson, live)) = held.as_ref().and_then(Held::get) else {
        return;
    };
    let hidden = predict::open(&shared.study, lesson, live).is_some();
    if live.kind == "lab" && !hidden {
        put_on_bench(reader, shared, lesson, live);
    }
}

/// One is back at the block that has the keys: where the setup was changed meanwhile, the
/// block's is lent again.
pub(super) fn back(reader: &mut Reader, shared: &mut Shared) {
    let held = Held::of(reader, shared);
    let Some((lesson, live)) = held.as_ref().and_then(Held::get) else {
        return;
    };
    let other = |(setup, _)| setup != *shared.bench.setup();
    if start(shared, lesson, live).is_ok_and(other) {
        enter(reader, shared);
    }
}

/// The keys go elsewhere: what is being typed is kept.
pub fn leave(reader: &mut Reader, shared: &mut Shared, out: &mut Out) {
    answering::leave_field(shared, out);
    for ((lesson, block), typed) in reader.leave_fields() {
        let block = block as u64;
        if !typed.is_empty() {
            let text = "What you typed waits here, not entered as your guess: Enter there goes on with it.";
            shared.notes.say(Tone::Plain, text);
        }
        if shared.study.progress.begun(&lesson, block) != typed {
            let event = Event::Begun {
                lesson,
                block,
                typed,
            };
            shared.record(event, out);
        }
    }
}

/// A guess that is being typed is kept as it stands; its field stays open.
pub(super) fn in_hand(reader: &Reader, shared: &mut Shared, out: &mut Out) {
    for ((lesson, block), typed) in reader.typed() {
        let block = block as u64;
        if !typed.is_empty() && shared.study.progress.begun(&lesson, block) != typed {
            let event = Event::Begun {
                lesson,
                block,
                typed,
            };
            shared.record(event, out);
        }
    }
}

/// Puts a block's setup and its plan on the bench, as it shows it.
pub(super) fn put_on_bench(reader: &mut Reader, shared: &mut Shared, lesson: &Lesson, live: &Live) {
    let (setup, cut) = match start(shared, lesson, live) {
        Ok(start) => start,
        Err(why) => {
            shared.notes.say(Tone::Bad, why);
            return;
        }
    };
    let block = reader.block_mut(&lesson.id, live.number);
    let cut = *block.plan.get_or_insert(cut);
    // Why a backend cannot run is said when it is to.
    let on = match (named(live), lend(reader, shared, live)) {
        (Some(name), Ok(true)) => format!(" on {name}"),
        _ => String::new(),
    };
    if *shared.bench.setup() == setup {
        shared.hold(cut);
        if !on.is_empty() {
            let text = format!(
                "The lab runs{on}, as this live block; yours comes back behind this section."
            );
            shared.notes.say(Tone::Plain, text);
        }
        return;
    }
    let title = setup.title() + &on;
    reader.lent.bench(shared, &setup);
    let put = shared
        .bench
        .set_up(setup)
        .and_then(|()| shared.bench.put(cut));
    match put {
        Ok(()) => {
            let text = format!(
                "The lab is set up as this live block: {title}; your own comes back behind this section."
            );
            shared.notes.say(Tone::Plain, text);
        }
        Err(error) => shared.notes.say(Tone::Bad, error.to_string()),
    }
}

/// The backend that a block names.
fn named(live: &Live) -> Option<&str> {
    match &live.content {
        Ok(course::Block::Lab { backend, .. }) => backend.as_ref().map(|name| name.text.as_str()),
        _ => None,
    }
}

/// Runs are on the backend that a block names until its section is left; whether they were on
/// another before.
fn lend(reader: &mut Reader, shared: &mut Shared, live: &Live) -> Result<bool, String> {
    let Some(name) = named(live) else {
        return Ok(false);
    };
    if shared.machine.backend().is_some_and(|b| b.name == name) {
        return Ok(false);
    }
    reader.lent.backend(shared, name);
    shared.machine.choose(name)?;
    shared.runs.use_backend(shared.machine.kind());
    Ok(true)
}

/// A block shows from now on what was made of its plan on the bench.
pub(super) fn take(reader: &mut Reader, shared: &Shared, lesson: &Lesson, live: &Live) {
    let block = reader.block_mut(&lesson.id, live.number);
    block.plan = Some(shared.bench.cut());
}

/// Runs the plans of a block in its own setup; what the lab holds stays there.
fn run_plans(shared: &mut Shared, lesson: &Lesson, live: &Live, cuts: Vec<Cut>, out: &mut Out) {
    match start(shared, lesson, live) {
        Ok((setup, _)) => shared.start_in(&setup, cuts, out),
        Err(why) => shared.notes.say(Tone::Bad, why),
    }
}

/// A click on a fusion that the block with the keys offers.
pub(super) fn switch(reader: &mut Reader, shared: &mut Shared, at: usize, out: &mut Out) {
    if let Some((lesson, live)) = lesson::focused(reader, shared) {
        let flips = match live.content {
            Ok(course::Block::Trips(_)) => Action::Open,
            _ => Action::Flip,
        };
        let (lesson, number) = (lesson.id.clone(), live.number);
        reader.block_mut(&lesson, number).cursor = at;
        act(reader, shared, flips, out);
    }
}

/// The page that Enter opens from a block, of those that need room.
pub(super) fn leads_to(block: &course::Block) -> Option<Page> {
    use course::Block as B;
    match block {
        B::Lab { .. } | B::Ribbon { .. } => Some(Page::Lab),
        B::Trips(asked) if asked.toggles.is_empty() => Some(Page::Lab),
        B::Kernel { .. } => Some(Page::Kernel),
        B::Compare { .. } | B::Staircase { .. } => Some(Page::Compare),
        B::Study(_) | B::Occupancy(_) => Some(Page::Studies),
        _ => None,
    }
}

/// Acts on the block that has the keys.
pub fn act(reader: &mut Reader, shared: &mut Shared, action: Action, out: &mut Out) {
    let held = Held::of(reader, shared);
    let Some((lesson, live)) = held.as_ref().and_then(Held::get) else {
        reader.focus = Focus::Text;
        return;
    };
    if predict::open(&shared.study, lesson, live).is_some() {
        match action {
            Action::Open | Action::Change => {
                let begun = &shared.study.progress;
                let begun = begun.begun(&lesson.id, live.number as u64);
                let block = reader.block_mut(&lesson.id, live.number);
                block.field = Some(Field::with(begun));
            }
            Action::Run => shared.notes.say(
                Tone::Plain,
                "First your prediction: Enter types it; Enter with nothing typed says “I do not know”.",
            ),
            _ => pass(reader, shared, action, out),
        }
        return;
    }
    let Ok(content) = &live.content else {
        pass(reader, shared, action, out);
        return;
    };
    // A page without room is named and not gone to; the plan of the lab stays.
    let page = leads_to(content).filter(|page| shared.lacks(page.least()));
    if let Some(page) = page.filter(|_| action == Action::Open) {
        let (columns, rows) = page.least();
        let text = format!(
            "Enter would open {}, which needs {columns} × {rows}.",
            page.title()
        );
        shared.notes.say(Tone::Plain, text);
        return;
    }
    match content {
        course::Block::Lab { .. } => lab(reader, shared, lesson, live, action, out),
        course::Block::Steps { steps, .. } => {
            let last = steps.len().saturating_sub(1);
            let block = reader.block_mut(&lesson.id, live.number);
            match action {
                Action::Flip | Action::Open | Action::Down if block.steps < last => {
                    block.steps += 1;
                    reader.reveal_end();
                }
                Action::Up | Action::Undo if block.steps > 0 => {
                    block.steps -= 1;
                    reader.reveal();
                }
                _ => pass(reader, shared, action, out),
            }
        }
        course::Block::Trips(_) => trips::act(reader, shared, lesson, live, action, out),
        course::Block::Question { .. } => {
            let asked = asked(shared, live);
            if !asked.is_some_and(|asked| answering::question(shared, &asked, action, out)) {
                pass(reader, shared, action, out);
            }
        }
        course::Block::Compare { plans, .. } => match action {
            Action::Run | Action::RunAll => {
                let cuts = plans.iter().map(|plan| plan.value).collect();
                run_plans(shared, lesson, live, cuts, out);
            }
            Action::Open => {
                put_on_bench(reader, shared, lesson, live);
                out.want(Intent::Open(Page::Compare));
            }
            _ => pass(reader, shared, action, out),
        },
        course::Block::Staircase { order, .. } => {
            let named: Vec<_> = order.iter().map(|fusion| fusion.value).collect();
            let order = if named.is_empty() { usual() } else { named };
            match action {
                Action::Run | Action::RunAll => {
                    run_plans(shared, lesson, live, cuts(&order), out);
                }
                Action::Open => {
                    put_on_bench(reader, shared, lesson, live);
                    out.want(Intent::Stairs(order));
                }
                _ => pass(reader, shared, action, out),
            }
        }
        course::Block::Micro { .. } if matches!(action, Action::Run | Action::Open) => {
            ask::run(shared, lesson, live, out);
        }
        course::Block::Study(made) => match action {
            Action::Run | Action::RunAll => drop({
                let words = made.words(shared.study.course.gpu());
                shared.make_study(words, out)
            }),
            Action::Open => out.want(Intent::Study(made.name())),
            _ => pass(reader, shared, action, out),
        },
        course::Block::Occupancy(block) => match action {
            Action::Run | Action::RunAll => drop({
                let words = block.words(shared.study.course.gpu());
                shared.make_study(words, out)
            }),
            Action::Open => out.want(Intent::Study("occupancy".to_owned())),
            _ => pass(reader, shared, action, out),
        },
        course::Block::Kernel { op: Some(op), .. } if action == Action::Open => {
            let slot = slot_of(op.value);
            put_on_bench(reader, shared, lesson, live);
            if let Some(slot) = slot {
                shared.slot = slot;
                out.want(Intent::Open(Page::Kernel));
            }
        }
        course::Block::Claim { id } => {
            let claim = course::Ledger::built_in().get(id.as_str());
            match (claim, action) {
                (Some(claim), Action::Run | Action::RunAll) => evidence::run(shared, claim, out),
                (Some(claim), Action::Open) => out.want(Intent::Claim(claim.id.text.clone())),
                _ => pass(reader, shared, action, out),
            }
        }
        course::Block::Ribbon { .. } if action == Action::Open => {
            put_on_bench(reader, shared, lesson, live);
            out.want(Intent::Open(Page::Lab));
        }
        _ => pass(reader, shared, action, out),
    }
}

/// Keys that a block has no use for turn the pages of the text.
fn pass(reader: &mut Reader, shared: &mut Shared, action: Action, out: &mut Out) {
    match action {
        Action::Open => {
            let text = "This block opens nothing; Space goes on.";
            shared.notes.say(Tone::Plain, text);
        }
        Action::Run | Action::RunAll => {
            shared
                .notes
                .say(Tone::Plain, "This block has nothing to run.");
        }
        _ => lesson::read(reader, shared, action, out),
    }
}

fn lab(
    reader: &mut Reader,
    shared: &mut Shared,
    lesson: &Lesson,
    live: &Live,
    action: Action,
    out: &mut Out,
) {
    let offered = toggles(live);
    put_on_bench(reader, shared, lesson, live);
    let block = reader.block_mut(&lesson.id, live.number);
    let last = offered.len().saturating_sub(1);
    let lists = matches!(action, Action::Up | Action::Down | Action::Flip);
    match action {
        Action::Up if block.cursor > 0 => block.cursor -= 1,
        Action::Down if block.cursor < last => block.cursor += 1,
        Action::Top => block.cursor = 0,
        Action::End => block.cursor = last,
        Action::Flip => match offered.get(block.cursor) {
            Some(fusion) => shared.flip(*fusion),
            None => return pass(reader, shared, action, out),
        },
        Action::Undo => shared.undo(),
        Action::NextVersion => shared.next_version(true),
        Action::PreviousVersion => shared.next_version(false),
        Action::Run | Action::RunAll => {
            if let Err(why) = lend(reader, shared, live) {
                return shared.notes.say(Tone::Warn, why);
            }
            match action {
                Action::Run => shared.run(out),
                _ => shared.run_all(out),
            }
        }
        Action::Open => out.want(Intent::Open(Page::Lab)),
        _ => return pass(reader, shared, action, out),
    }
    take(reader, shared, lesson, live);
    // Nobody flips what is not on the page.
    if lists {
        reader.reveal();
    }
}
