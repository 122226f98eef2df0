//! The kernel page: source with its ideas, registers, shared memory, occupancy,
//! and what changes from one version's kernels to the next.
//!
//! The plan's kernels are looked up outside ([`super::Effect::Kernels`]): here
//! sources and tables are data that come with [`super::Message::Kernels`].

pub mod diff;
pub mod heat;
pub mod source;

use std::sync::Arc;

use super::keymap::{Action, FooterItem};
use super::message::Effect;
use super::note::Tone;
use super::page::{Mark, Page};
use super::ribbon::{COUNT, Group, SLOTS};
use super::state::State;
use super::{find, lab};
use diff::DiffLine;
use heat::Metric;
use plan::cost::{Config, Gpu, Occupancy, occupancy};
use plan::fusion::{Cut, Version};
use plan::model::OpKind;
use source::Source;

/// Plans whose kernels are kept.
const KEPT: usize = 8;
/// Registers that the what-if goes by in one step.
const STEP: u64 = 8;
/// Registers to start from where the compiler's are not known.
const USUAL: u64 = 64;

/// Which kernels are looked up: those of a plan, for a GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// The plan, model, shape and dtype.
    pub config: Config,
    /// Id of the GPU in the database.
    pub gpu: String,
}

/// The kernels of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Book {
    /// The GPU that they are for.
    pub gpu: Gpu,
    /// As its compiler calls it: `sm_90a`.
    pub arch: String,
    /// Every file that a kernel of the plan is made of, once.
    pub sources: Vec<Source>,
    /// A launch per kernel of the plan, in order.
    pub kernels: Vec<Kernel>,
}

/// One launch: what is compiled, and how it is launched.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// What it computes.
    pub ops: Vec<OpKind>,
    /// Its entry point.
    pub entry: String,
    /// What is defined for it: `BF16=1 HEAD=64`.
    pub defines: String,
    /// Its files, indices of [`Book::sources`]: its own first, then those that
    /// it shares with others.
    pub files: Vec<usize>,
    /// Blocks as a person writes them: `16 × 8`, `all that are resident`.
    pub blocks: String,
    /// Threads of a block.
    pub threads: u64,
    /// Shared memory of a block in bytes, known when it is launched.
    pub shared: u64,
    /// Whether blocks wait for one another.
    pub cooperative: bool,
    /// What the compiler made of it, where that is recorded.
    pub compiled: Option<Compiled>,
    /// The text of PTX, where it is known.
    pub ptx: Option<Arc<str>>,
}

/// What a compiler said of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// Whose word it is: `NVRTC 12.9`.
    pub compiler: String,
    /// Registers per thread.
    pub registers: u64,
    /// Shared memory of a block in bytes, known when it is compiled.
    pub shared: u64,
    /// Bytes per thread that are kept in memory for want of registers.
    pub spilled: u64,
}

impl Kernel {
    /// Shared memory of a block in bytes, all of it.
    pub fn shared_per_block(&self) -> u64 {
        self.shared + self.compiled.as_ref().map_or(0, |c| c.shared)
    }
}

/// What the page shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// The source and its facts.
    #[default]
    Source,
    /// What changed from the version before.
    Diff,
    /// The compiler's text.
    Ptx,
}

/// What the page remembers.
#[derive(Clone, Debug, Default)]
pub struct KernelPage {
    /// Source, comparison or PTX.
    pub view: View,
    /// The line under the cursor.
    pub line: usize,
    /// The first line on the screen.
    pub top: usize,
    /// Which of the kernel's files is shown.
    pub file: usize,
    /// The source has the page for itself.
    pub alone: bool,
    /// What was counted beside the lines, if that is shown.
    pub metric: Option<Metric>,
    /// Registers of the what-if, where they were changed.
    what_if: Option<u64>,
    /// Kernels by plan, the latest last.
    books: Vec<(Wanted, Result<Arc<Book>, String>)>,
    asked: Vec<Wanted>,
    /// The kernel that line and file belong to.
    shown: Option<(String, String)>,
}

/// Keys that the footer names.
pub const FOOTER: &[FooterItem] = &[
    (&[Action::NextIdea, Action::PreviousIdea], "idea"),
    (&[Action::PreviousKernel, Action::NextKernel], "kernel"),
    (&[Action::NextVersion], "version"),
    (&[Action::NextPart], "file"),
    (&[Action::Bytes], "counts"),
    (&[Action::Diff], "diff"),
    (&[Action::Ptx], "PTX"),
    (&[Action::Back], "back"),
    (&[Action::Help], "help"),
];

impl KernelPage {
    /// Cursor and scroll, for the way back.
    pub fn mark(&self) -> Mark {
        Mark {
            item: self.file,
            scroll: self.line,
        }
    }

    /// Puts cursor and scroll back.
    pub fn restore(&mut self, mark: Mark) {
        (self.file, self.line) = (mark.item, mark.scroll);
    }

    /// Takes what was looked up.
    pub fn arrived(&mut self, wanted: Wanted, book: Result<Arc<Book>, String>) {
        self.asked.retain(|asked| *asked != wanted);
        self.books.retain(|(kept, _)| *kept != wanted);
        if self.books.len() == KEPT {
            self.books.drain(..1);
        }
        self.books.push((wanted, book));
    }
}

/// The id of the GPU whose kernels are shown: the one whose roof stands, else
/// an H200; beside counts, the one whose build was counted.
fn gpu(state: &State) -> String {
    if state.kernel.metric.is_some() {
        return heat::GPU.to_owned();
    }
    let of = state.machine.ceilings.as_ref().map(|c| c.of.to_lowercase());
    let known = |id: &String| {
        state.machine.backend().is_some_and(|b| {
            b.ceilings
                .as_ref()
                .is_some_and(|c| c.of.to_lowercase() == *id)
        })
    };
    of.filter(known).unwrap_or_else(|| "h200".to_owned())
}

fn wanted(state: &State, cut: Cut) -> Wanted {
    Wanted {
        config: state.bench.setup().config(cut),
        gpu: gpu(state),
    }
}

/// The kernels of a cut on the bench's setup: none yet, or why there are none.
pub fn book(state: &State, cut: Cut) -> Option<Result<&Book, &str>> {
    let wanted = wanted(state, cut);
    let (_, found) = state.kernel.books.iter().find(|(w, _)| *w == wanted)?;
    Some(found.as_ref().map(|b| &**b).map_err(String::as_str))
}

/// The version whose kernels those of the plan are compared with: the one
/// before, or V1 for a plan of the learner's own. V1 has none before it.
pub fn before(cut: Cut) -> Option<Cut> {
    let versions = Version::WORKSHOP;
    match versions.iter().position(|v| v.cut() == cut) {
        Some(0) => None,
        Some(at) => versions.get(at - 1).map(|v| v.cut()),
        None => Some(Version::V1.cut()),
    }
}

/// The group of the ribbon that the page is about.
pub fn group(state: &State) -> Option<Group> {
    lab::selected(&state.bench, state.lab.slot)
}

/// The first op that a group's kernel is known by.
fn op_of(group: &Group) -> Option<OpKind> {
    // A group that goes on from the block before is the one that ends this.
    let slot = match group.is_echo() {
        true => COUNT - 1,
        false => group.first,
    };
    SLOTS.get(slot).map(|s| s.op)
}

/// The kernel of a book that computes an op, in the first block.
fn computes(book: &Book, op: OpKind) -> Option<&Kernel> {
    book.kernels.iter().find(|k| k.ops.contains(&op))
}

/// The kernel under the cursor, with the book it is from.
pub fn kernel(state: &State) -> Option<Result<(&Book, &Kernel), &str>> {
    let found = book(state, state.bench.cut())?;
    let op = op_of(&group(state)?)?;
    match found {
        Ok(book) => computes(book, op).map(|k| Ok((book, k))),
        Err(why) => Some(Err(why)),
    }
}

/// The file that is shown.
pub fn source(state: &State) -> Option<&Source> {
    let (book, kernel) = kernel(state)?.ok()?;
    let file = kernel.files.get(state.kernel.file)?;
    book.sources.get(*file)
}

/// Registers of the what-if.
pub fn registers(state: &State, kernel: &Kernel) -> u64 {
    let compiled = kernel.compiled.as_ref().map(|c| c.registers);
    state.kernel.what_if.or(compiled).unwrap_or(USUAL)
}

/// Occupancy with the registers of the what-if, or why the block cannot be.
pub fn what_if(state: &State, book: &Book, kernel: &Kernel) -> Result<Occupancy, String> {
    occupancy(
        &book.gpu,
        registers(state, kernel),
        kernel.threads,
        kernel.shared_per_block(),
    )
    .map_err(|e| e.to_string())
}

/// The kernels of the version before that compute what the kernel computes, in
/// the order of their ops, each once.
pub fn replaced<'b>(book: &'b Book, kernel: &Kernel) -> Vec<&'b Kernel> {
    let mut found: Vec<&Kernel> = Vec::new();
    for op in &kernel.ops {
        if let Some(k) = computes(book, *op)
            && !found.iter().any(|f| std::ptr::eq(*f, k))
        {
            found.push(k);
        }
    }
    found
}

/// The own files of some kernels, each once.
pub fn own_files<'b>(book: &'b Book, kernels: &[&Kernel]) -> Vec<&'b Source> {
    let mut files: Vec<usize> = Vec::new();
    for file in kernels.iter().filter_map(|k| k.files.first()) {
        if !files.contains(file) {
            files.push(*file);
        }
    }
    files.iter().filter_map(|f| book.sources.get(*f)).collect()
}

/// The comparison with the version before; `None` until both are there.
pub fn compared(state: &State) -> Option<Vec<DiffLine>> {
    let (new_book, new) = kernel(state)?.ok()?;
    let old_book = book(state, before(state.bench.cut())?)?.ok()?;
    Some(diff::diff(
        &own_files(old_book, &replaced(old_book, new)),
        &own_files(new_book, &[new]),
    ))
}

/// Lines that the present view has.
fn count(state: &State) -> usize {
    match state.kernel.view {
        View::Source => source(state).map_or(0, |s| s.lines.len()),
        View::Diff => compared(state).map_or(0, |lines| lines.len()),
        View::Ptx => kernel(state)
            .and_then(Result::ok)
            .and_then(|(_, k)| k.ptx.as_deref())
            .map_or(0, |text| text.lines().count()),
    }
}

/// Acts on the kernel page.
pub fn act(state: &mut State, action: Action, effects: &mut Vec<Effect>) {
    let last = count(state).saturating_sub(1);
    let page = usize::from(state.size.1).saturating_sub(9).max(1);
    let line = state.kernel.line;
    match action {
        Action::Up => state.kernel.line = line.saturating_sub(1),
        Action::Down => state.kernel.line = (line + 1).min(last),
        Action::PageUp => state.kernel.line = line.saturating_sub(page),
        Action::PageDown | Action::Flip => state.kernel.line = (line + page).min(last),
        Action::Top => state.kernel.line = 0,
        Action::End => state.kernel.line = last,
        Action::NextIdea | Action::PreviousIdea => idea(state, action == Action::NextIdea),
        Action::Right | Action::NextVersion => lab::act(state, Action::NextVersion, effects),
        Action::Left | Action::PreviousVersion => {
            lab::act(state, Action::PreviousVersion, effects);
        }
        Action::NextKernel | Action::PreviousKernel => step(state, action == Action::NextKernel),
        Action::NextPart | Action::PreviousPart => file(state, action == Action::NextPart),
        Action::More => what_if_by(state, true),
        Action::Less => what_if_by(state, false),
        Action::Diff => view(state, View::Diff),
        Action::Ptx => view(state, View::Ptx),
        Action::Zoom => state.kernel.alone ^= true,
        Action::Bytes => heat::next(state, effects),
        Action::Run | Action::RunAll => heat::count(state, effects),
        _ => {}
    }
}

/// To the next idea, or in a comparison to the next change.
fn idea(state: &mut State, forward: bool) {
    if state.find.is_some() {
        find::next(state, forward);
        return;
    }
    let line = state.kernel.line;
    let next = match state.kernel.view {
        View::Source => source(state).and_then(|s| s.next_idea(line, forward)),
        View::Diff => compared(state).and_then(|l| diff::next_change(&l, line, forward)),
        View::Ptx => None,
    };
    match (next, state.kernel.view) {
        (Some(line), _) => state.kernel.line = line,
        (None, View::Source) => {
            let text = "No idea is marked in this file. Tab goes to the files it is made of.";
            state.notes.say(Tone::Plain, text);
        }
        (None, _) => state.notes.say(Tone::Plain, "There is no further one."),
    }
}

/// To the next kernel of the ribbon, or the one before.
fn step(state: &mut State, forward: bool) {
    let Some(here) = group(state) else { return };
    let slot = match forward {
        true => (here.last + 1).min(COUNT - 1),
        false => {
            let left = here.first.saturating_sub(1);
            lab::selected(&state.bench, left).map_or(left, |g| g.first)
        }
    };
    state.lab.slot = slot;
}

/// To the next file that the kernel is made of; round at the ends.
fn file(state: &mut State, forward: bool) {
    let Some(Ok((_, kernel))) = kernel(state) else {
        return;
    };
    let files = kernel.files.len().max(1);
    let step = if forward { 1 } else { files - 1 };
    state.kernel.file = (state.kernel.file + step) % files;
    state.kernel.line = 0;
    state.kernel.view = View::Source;
}

fn what_if_by(state: &mut State, more: bool) {
    let Some(Ok((book, kernel))) = kernel(state) else {
        return;
    };
    let (now, most) = (registers(state, kernel), book.gpu.max_regs_per_thread);
    // Registers are given out in eights: the steps stand on them.
    let to = if more {
        (now / STEP + 1) * STEP
    } else {
        now.div_ceil(STEP).saturating_sub(1) * STEP
    };
    state.kernel.what_if = Some(to.clamp(STEP, most.max(STEP)));
}

/// Shows a view, or the source again; says why where there is nothing to show.
fn view(state: &mut State, to: View) {
    let nothing = match to {
        _ if state.kernel.view == to => None,
        View::Diff if before(state.bench.cut()).is_none() => {
            Some("V1 is the first version; v goes to V2, and d shows what changed.")
        }
        View::Ptx if !matches!(kernel(state), Some(Ok((_, k))) if k.ptx.is_some()) => {
            Some("The PTX of this kernel is not known here: it is compiled when it is first run.")
        }
        _ => None,
    };
    if let Some(why) = nothing {
        state.notes.say(Tone::Plain, why);
        return;
    }
    let now = state.kernel.view;
    state.kernel.view = if now == to { View::Source } else { to };
    state.kernel.line = 0;
}

/// After every event: asks for what the page needs, and starts at the top of a
/// kernel that was not shown before.
pub(super) fn settle(state: &mut State, effects: &mut Vec<Effect>) {
    if state.page != Page::Kernel {
        return;
    }
    let cut = state.bench.cut();
    if state.kernel.view == View::Diff && before(cut).is_none() {
        state.kernel.view = View::Source;
    }
    let older = before(cut).filter(|_| state.kernel.view == View::Diff);
    for cut in [Some(cut), older].into_iter().flatten() {
        let wanted = wanted(state, cut);
        let page = &mut state.kernel;
        let there = page.books.iter().any(|(kept, _)| *kept == wanted);
        if !there && !page.asked.contains(&wanted) {
            page.asked.push(wanted.clone());
            effects.push(Effect::Kernels(Box::new(wanted)));
        }
    }
    let Some(Ok((_, kernel))) = kernel(state) else {
        return;
    };
    let shown = Some((kernel.entry.clone(), kernel.defines.clone()));
    if state.kernel.shown != shown {
        let page = &mut state.kernel;
        (page.shown, page.line, page.file, page.what_if) = (shown, 0, 0, None);
        if page.view == View::Ptx {
            page.view = View::Source;
        }
    }
    state.kernel.line = state.kernel.line.min(count(state).saturating_sub(1));
}
