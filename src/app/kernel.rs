//! The kernel page: source with its ideas, registers, shared memory, occupancy,
//! and what changes from one version's kernels to the next.
//!
//! The plan's kernels are looked up outside ([`super::Effect::Kernels`]): here
//! sources and tables are data that come with [`super::Message::Kernels`].

mod ahead;
pub mod diff;
pub mod heat;

use super::intent::Out;
use super::screen::Screen;
use std::sync::Arc;

use super::book::{Book, Kernel, Wanted};
use super::keymap::{Action, Footer, FooterItem, without};
use super::message::Effect;
use super::note::Tone;
use super::numbers::kernels;
use super::page::Mark;
use super::ribbon::{self, COUNT, Group, SLOTS};
use super::shared::Shared;
use super::source::Source;
use course::present::Grid;
use diff::DiffLine;
use heat::Metric;
use plan::cost::{Occupancy, occupancy};
use plan::fusion::{Cut, Version};
use plan::model::OpKind;

/// Plans whose kernels are kept.
const KEPT: usize = 8;
/// Registers that the what-if goes by in one step.
const STEP: u64 = 8;
/// Registers to start from where the compiler's are not known.
const USUAL: u64 = 64;

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
    /// The same in PyTorch.
    Torch,
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
const FOOTER: &[FooterItem] = &[
    (&[Action::NextIdea, Action::PreviousIdea], "idea"),
    (&[Action::Left, Action::Right], "kernel"),
    (&[Action::NextVersion], "version"),
    (&[Action::NextPart], "file"),
    (&[Action::Bytes], "counts"),
    (&[Action::Diff], "diff"),
    (&[Action::Torch], "PyTorch"),
    (&[Action::Ptx], "PTX"),
    (&[Action::Back], "back"),
    (&[Action::Help], "help"),
];

impl KernelPage {
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

/// The id of the GPU whose kernels are shown: the device of the course; beside counts, the
/// one whose build was counted.
fn gpu(page: &KernelPage, shared: &Shared) -> String {
    let own = shared.study.course.gpu();
    let gpus = shared.study.gpus.as_ref();
    let counted = gpus.is_some_and(|all| all.get(own).is_ok_and(|gpu| gpu.arch == heat::ARCH));
    match page.metric {
        Some(_) if !counted => heat::GPU.to_owned(),
        _ => own.to_owned(),
    }
}

fn wanted(page: &KernelPage, shared: &Shared, cut: Cut) -> Wanted {
    Wanted {
        config: shared.bench.setup().config(cut),
        gpu: gpu(page, shared),
    }
}

/// The kernels of a cut on the bench's setup: none yet, or why there are none.
pub fn book<'p>(
    page: &'p KernelPage,
    shared: &Shared,
    cut: Cut,
) -> Option<Result<&'p Book, &'p str>> {
    let wanted = wanted(page, shared, cut);
    let (_, found) = page.books.iter().find(|(w, _)| *w == wanted)?;
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
pub fn group(shared: &Shared) -> Option<Group> {
    ribbon::selected(&shared.bench, shared.slot)
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
pub fn kernel<'p>(
    page: &'p KernelPage,
    shared: &Shared,
) -> Option<Result<(&'p Book, &'p Kernel), &'p str>> {
    let found = book(page, shared, shared.bench.cut())?;
    let op = op_of(&group(shared)?)?;
    match found {
        Ok(book) => computes(book, op).map(|k| Ok((book, k))),
        Err(why) => Some(Err(why)),
    }
}

/// The files of the kernel, or of the same in PyTorch where that is shown.
pub fn files<'p>(page: &'p KernelPage, shared: &Shared) -> Vec<&'p Source> {
    let Some(Ok((book, kernel))) = kernel(page, shared) else {
        return Vec::new();
    };
    match (page.view, &kernel.torch) {
        (View::Torch, Some(torch)) => torch.sources.iter().collect(),
        _ => {
            let files = kernel.files.iter();
            files.filter_map(|file| book.sources.get(*file)).collect()
        }
    }
}

/// The file that is shown.
pub fn source<'p>(page: &'p KernelPage, shared: &Shared) -> Option<&'p Source> {
    files(page, shared).get(page.file).copied()
}

/// What was counted beside the lines, where lines are shown that were counted.
pub fn metric(page: &KernelPage) -> Option<Metric> {
    page.metric.filter(|_| page.view == View::Source)
}

/// Registers of the what-if.
pub fn registers(page: &KernelPage, kernel: &Kernel) -> u64 {
    let compiled = kernel.compiled.as_ref().map(|c| c.registers);
    page.what_if.or(compiled).unwrap_or(USUAL)
}

/// Occupancy with the registers of the what-if, or why the block cannot be.
pub fn what_if(page: &KernelPage, book: &Book, kernel: &Kernel) -> Result<Occupancy, String> {
    occupancy(
        &book.gpu,
        registers(page, kernel),
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
pub fn compared(page: &KernelPage, shared: &Shared) -> Option<Vec<DiffLine>> {
    let (new_book, new) = kernel(page, shared)?.ok()?;
    let old_book = book(page, shared, before(shared.bench.cut())?)?.ok()?;
    Some(diff::diff(
        &own_files(old_book, &replaced(old_book, new)),
        &own_files(new_book, &[new]),
    ))
}

/// Lines that the present view has.
fn count(page: &KernelPage, shared: &Shared) -> usize {
    match page.view {
        View::Source | View::Torch => source(page, shared).map_or(0, |s| s.lines.len()),
        View::Diff => compared(page, shared).map_or(0, |lines| lines.len()),
        View::Ptx => kernel(page, shared)
            .and_then(Result::ok)
            .and_then(|(_, k)| k.ptx.as_deref())
            .map_or(0, |text| text.lines().count()),
    }
}

impl Screen for KernelPage {
    fn footer(&self, shared: &Shared) -> Footer {
        let mut gone = Vec::new();
        if matches!(self.view, View::Ptx | View::Torch) {
            gone.push(Action::NextIdea);
        }
        // From what changed and from PTX it leads back to the source.
        let listed = matches!(self.view, View::Source | View::Torch);
        if listed && files(self, shared).len() < 2 {
            gone.push(Action::NextPart);
        }
        without(FOOTER, &gone)
    }

    fn act(&mut self, shared: &mut Shared, action: Action, out: &mut Out) {
        if ahead::reads(action) && ahead::is_awaited(self, shared) {
            let text = "The source was not there yet: the same key again does it.";
            shared.notes.say(Tone::Plain, text);
            return;
        }
        let last = count(self, shared).saturating_sub(1);
        let page = usize::from(shared.size.1).saturating_sub(9).max(1);
        let line = self.line;
        match action {
            Action::Up => self.line = line.saturating_sub(1),
            Action::Down => self.line = (line + 1).min(last),
            Action::PageUp => self.line = line.saturating_sub(page),
            Action::PageDown | Action::Flip => self.line = (line + page).min(last),
            Action::Top => self.line = 0,
            Action::End => self.line = last,
            Action::NextIdea | Action::PreviousIdea => {
                idea(self, shared, action == Action::NextIdea)
            }
            Action::NextVersion => shared.next_version(true),
            Action::PreviousVersion => shared.next_version(false),
            // As in the lab and under the roof: arrows go from kernel to kernel.
            Action::Right | Action::NextKernel => step(shared, true),
            Action::Left | Action::PreviousKernel => step(shared, false),
            Action::NextPart | Action::PreviousPart => {
                file(self, shared, action == Action::NextPart)
            }
            Action::More => what_if_by(self, shared, true),
            Action::Less => what_if_by(self, shared, false),
            Action::Diff => view(self, shared, View::Diff),
            Action::Ptx => view(self, shared, View::Ptx),
            Action::Torch => view(self, shared, View::Torch),
            Action::Zoom => self.alone ^= true,
            Action::Bytes => heat::next(self, shared, out),
            Action::Run | Action::RunAll => heat::count(self, shared, out),
            _ => {}
        }
    }

    fn command(&self, shared: &Shared) -> String {
        match (self.view, kernel(self, shared)) {
            (View::Torch, Some(Ok((_, kernel)))) => {
                format!("tinyllama-tutor kernel {} --torch", kernel.entry)
            }
            _ => shared.command("run"),
        }
    }

    fn numbers(&self, shared: &Shared) -> Vec<Grid> {
        vec![kernels(shared, shared.machine.ceilings.as_ref())]
    }

    fn mark(&self, _: &Shared) -> Mark {
        Mark {
            item: self.file,
            scroll: self.line,
        }
    }

    fn restore(&mut self, _: &mut Shared, mark: Mark) {
        (self.file, self.line) = (mark.item, mark.scroll);
    }

    fn settle(&mut self, shared: &mut Shared, out: &mut Out) {
        settle(self, shared, out);
    }

    fn items(&self, shared: &Shared) -> Vec<String> {
        source(self, shared).map_or_else(Vec::new, |s| {
            s.lines.iter().map(|l| l.text.clone()).collect()
        })
    }

    fn searched(&self) -> &'static str {
        "in this file"
    }

    fn place(&self, _: &Shared) -> usize {
        self.line
    }

    fn jump(&mut self, _: &mut Shared, at: usize) {
        self.line = at;
    }
}

/// To the next idea, or in a comparison to the next change.
fn idea(page: &mut KernelPage, shared: &mut Shared, forward: bool) {
    let line = page.line;
    let next = match page.view {
        View::Source => source(page, shared).and_then(|s| s.next_idea(line, forward)),
        View::Diff => compared(page, shared).and_then(|l| diff::next_change(&l, line, forward)),
        View::Ptx | View::Torch => None,
    };
    match (next, page.view) {
        (Some(line), _) => page.line = line,
        (None, View::Source) => {
            let text = "No idea is marked in this file. Tab goes to the files it is made of.";
            shared.notes.say(Tone::Plain, text);
        }
        (None, _) => shared.notes.say(Tone::Plain, "There is no other one."),
    }
}

/// To the next kernel of the ribbon, or the one before.
fn step(shared: &mut Shared, forward: bool) {
    let Some(here) = group(shared) else { return };
    let slot = match forward {
        true => (here.last + 1).min(COUNT - 1),
        false => {
            let left = here.first.saturating_sub(1);
            ribbon::selected(&shared.bench, left).map_or(left, |g| g.first)
        }
    };
    shared.slot = slot;
}

/// To the next file that the kernel is made of; round at the ends.
fn file(page: &mut KernelPage, shared: &mut Shared, forward: bool) {
    if page.view != View::Torch {
        page.view = View::Source;
    }
    let files = files(page, shared).len().max(1);
    let step = if forward { 1 } else { files - 1 };
    page.file = (page.file + step) % files;
    page.line = if page.file == 0 {
        begins(page, shared)
    } else {
        0
    };
}

/// The line at which a kernel's own file is begun: in PyTorch, where its function stands.
fn begins(page: &KernelPage, shared: &Shared) -> usize {
    match (page.view, kernel(page, shared)) {
        (View::Torch, Some(Ok((_, kernel)))) => kernel.torch.as_ref().map_or(0, |t| t.line),
        _ => 0,
    }
}

fn what_if_by(page: &mut KernelPage, shared: &mut Shared, more: bool) {
    let Some(Ok((book, kernel))) = kernel(page, shared) else {
        return;
    };
    let (now, most) = (registers(page, kernel), book.gpu.max_regs_per_thread);
    // Registers are given out in eights: the steps stand on them.
    let to = if more {
        (now / STEP + 1) * STEP
    } else {
        now.div_ceil(STEP).saturating_sub(1) * STEP
    };
    page.what_if = Some(to.clamp(STEP, most.max(STEP)));
}

/// Shows a view, or the source again; says why where there is nothing to show.
fn view(page: &mut KernelPage, shared: &mut Shared, to: View) {
    let nothing = match to {
        _ if page.view == to => None,
        View::Diff if before(shared.bench.cut()).is_none() => {
            Some("V1 is the first version; v goes to V2, and d shows what changed.")
        }
        View::Ptx if !matches!(kernel(page, shared), Some(Ok((_, k))) if k.ptx.is_some()) => {
            Some("The PTX of this kernel is not known here: it is compiled when it is first run.")
        }
        View::Torch if !matches!(kernel(page, shared), Some(Ok((_, k))) if k.torch.is_some()) => {
            Some("The kernels of this plan are not known here.")
        }
        _ => None,
    };
    if let Some(why) = nothing {
        shared.notes.say(Tone::Plain, why);
        return;
    }
    let now = page.view;
    page.view = if now == to { View::Source } else { to };
    if now == View::Torch || to == View::Torch {
        page.file = 0;
    }
    page.line = begins(page, shared);
}

/// After every event: asks for what the page needs, and starts at the top of a
/// kernel that was not shown before.
fn settle(page: &mut KernelPage, shared: &Shared, out: &mut Out) {
    let cut = shared.bench.cut();
    if page.view == View::Diff && before(cut).is_none() {
        page.view = View::Source;
    }
    let older = before(cut).filter(|_| page.view == View::Diff);
    for cut in [Some(cut), older].into_iter().flatten() {
        let wanted = wanted(page, shared, cut);
        let there = page.books.iter().any(|(kept, _)| *kept == wanted);
        if !there && !page.asked.contains(&wanted) {
            page.asked.push(wanted.clone());
            out.push(Effect::Kernels(Box::new(wanted)));
        }
    }
    let Some(Ok((_, kernel))) = kernel(page, shared) else {
        return;
    };
    let shown = Some((kernel.entry.clone(), kernel.defines.clone()));
    if page.shown != shown {
        let keeps = match page.view {
            View::Ptx => false,
            View::Torch => kernel.torch.is_some(),
            View::Source | View::Diff => true,
        };
        (page.shown, page.file, page.what_if) = (shown, 0, None);
        if !keeps {
            page.view = View::Source;
        }
        page.line = begins(page, shared);
    }
    if page.file >= files(page, shared).len() {
        page.file = 0;
    }
    page.line = page.line.min(count(page, shared).saturating_sub(1));
}
