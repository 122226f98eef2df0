//! The setup page: model, shape, dtype, backend, seed, counting options.

use super::field::Field;
use super::intent::Out;
use super::key::{Code, Key};
use super::keymap::{Action, Footer, FooterItem};
use super::machine::Condition;
use super::message::Effect;
use super::note::Tone;
use super::question::Asks;
use super::screen::Screen;
use super::setup::Setup;
use super::shared::Shared;
use course::DEVICE;
use course::answer::data_sheets;
use plan::cost::{GpuDatabase, KeepKv};
use plan::model::{Dtype, PRESETS, preset};
use plan::units;

/// A line of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// A preset.
    Model,
    /// B.
    Batch,
    /// S.
    Seq,
    /// T.
    Context,
    /// Element type.
    Dtype,
    /// Who computes.
    Backend,
    /// The GPU that lessons and questions speak of.
    Device,
    /// Weights and tokens.
    Seed,
    /// Dense pairs or the exact triangle.
    Causal,
    /// Whether kr and v are written in any case.
    KeepKv,
    /// RoPE of q and of k as one kernel or two.
    RopeKernels,
    /// RoPE angles from a table.
    RopeTable,
}

/// The lines in order.
pub const ITEMS: [Item; 12] = [
    Item::Model,
    Item::Batch,
    Item::Seq,
    Item::Context,
    Item::Dtype,
    Item::Backend,
    Item::Device,
    Item::Seed,
    Item::Causal,
    Item::KeepKv,
    Item::RopeKernels,
    Item::RopeTable,
];

impl Item {
    /// The name of the line.
    pub const fn label(self) -> &'static str {
        match self {
            Item::Model => "model",
            Item::Batch => "batch B",
            Item::Seq => "new tokens S",
            Item::Context => "context T",
            Item::Dtype => "dtype",
            Item::Backend => "backend",
            Item::Device => "device",
            Item::Seed => "seed",
            Item::Causal => "causal pairs",
            Item::KeepKv => "keep k and v",
            Item::RopeKernels => "RoPE kernels",
            Item::RopeTable => "RoPE table",
        }
    }

    /// What the line decides.
    pub const fn says(self) -> &'static str {
        match self {
            Item::Model => "a preset at its default shape",
            Item::Batch => "sequences at once",
            Item::Seq => "prefill: as many as T; decode: 1",
            Item::Context => "keys that the last token sees",
            Item::Dtype => "of activations and weights",
            Item::Backend => "who computes when a plan is run",
            Item::Device => "what lessons and questions speak of",
            Item::Seed => "of weights and tokens",
            Item::Causal => "every pair, or the exact triangle",
            Item::KeepKv => "whether k and v are written in any case",
            Item::RopeKernels => "q and k in one launch, or in two",
            Item::RopeTable => "angles are read, or made in registers",
        }
    }

    /// The value as the page shows it.
    pub fn value(self, shared: &Shared) -> String {
        let s = shared.bench.setup();
        let c = s.conventions;
        match self {
            Item::Model => s.model.name.clone(),
            Item::Batch => s.shape.batch.to_string(),
            Item::Seq => s.shape.seq.to_string(),
            Item::Context => s.shape.context.to_string(),
            Item::Dtype => s.dtype.name().to_owned(),
            Item::Backend => shared
                .machine
                .backend()
                .map_or("none".to_owned(), |b| b.name.clone()),
            Item::Device => shared.study.course.gpu().to_owned(),
            Item::Seed => s.seed.to_string(),
            Item::Causal => if c.exact_causal { "exact" } else { "dense" }.to_owned(),
            Item::KeepKv => match c.keep_kv {
                KeepKv::Auto => "auto",
                KeepKv::On => "on",
                KeepKv::Off => "off",
            }
            .to_owned(),
            Item::RopeKernels => if c.rope_split { "2" } else { "1" }.to_owned(),
            Item::RopeTable => if c.rope_table { "read" } else { "in registers" }.to_owned(),
        }
    }

    /// Whether a value is typed; the others are chosen with ← and →.
    pub const fn is_typed(self) -> bool {
        matches!(self, Item::Batch | Item::Seq | Item::Context | Item::Seed)
    }
}

/// What the setup page remembers.
#[derive(Clone, Debug, Default)]
pub struct SetupPage {
    /// The line under the cursor.
    pub row: usize,
    /// A value being typed.
    pub field: Option<Field>,
}

/// Keys that the footer names while a value is typed.
const TYPING: &[FooterItem] = &[
    (&[Action::Open], "take it"),
    (&[Action::Back], "leave it as it was"),
];

/// Keys that the footer names.
const FOOTER: &[FooterItem] = &[
    (&[Action::Up, Action::Down], "line"),
    (&[Action::Left, Action::Right], "choose"),
    (&[Action::Open], "type a value"),
    (&[Action::CommandLine], "command"),
    (&[Action::Back], "back"),
    (&[Action::Help], "help"),
];

/// The same on a line whose value is chosen.
const CHOOSING: &[FooterItem] = &[
    (&[Action::Up, Action::Down], "line"),
    (&[Action::Left, Action::Right], "choose"),
    (&[Action::Open], "next value"),
    (&[Action::CommandLine], "command"),
    (&[Action::Back], "back"),
    (&[Action::Help], "help"),
];

impl SetupPage {
    /// The line under the cursor.
    pub fn item(&self) -> Item {
        ITEMS.get(self.row).copied().unwrap_or(Item::Model)
    }
}

impl Screen for SetupPage {
    fn footer(&self, _: &Shared) -> Footer {
        let keys = match self.field {
            Some(_) => TYPING,
            None if self.item().is_typed() => FOOTER,
            None => CHOOSING,
        };
        keys.into()
    }

    fn act(&mut self, shared: &mut Shared, action: Action, out: &mut Out) {
        match action {
            Action::Up => self.row = self.row.saturating_sub(1),
            Action::Down => self.row = (self.row + 1).min(ITEMS.len() - 1),
            Action::Top => self.row = 0,
            Action::End => self.row = ITEMS.len() - 1,
            Action::Left => choose(self, shared, false, out),
            Action::Right => choose(self, shared, true, out),
            Action::Open | Action::Change if self.item().is_typed() => {
                self.field = Some(Field::replacing(&self.item().value(shared)));
            }
            Action::Open => choose(self, shared, true, out),
            _ => {}
        }
    }

    fn command(&self, shared: &Shared) -> String {
        shared.command("cost")
    }

    fn typing(&self, _: &Shared) -> bool {
        self.field.is_some()
    }

    /// A digit begins the value of its line.
    fn asks(&self, _: &Shared) -> Asks {
        match self.item().is_typed() {
            true => Asks::Value,
            false => Asks::Nothing,
        }
    }

    fn press(&mut self, shared: &mut Shared, key: Key, _: &mut Out) {
        match key.code {
            Code::Enter | Code::Tab => accept(self, shared),
            Code::Esc => self.field = None,
            _ => {
                if let Some(field) = &mut self.field {
                    field.press(key);
                }
            }
        }
    }

    fn paste(&mut self, _: &mut Shared, text: &str) {
        if let Some(field) = &mut self.field {
            field.paste(text);
        }
    }

    fn items(&self, _: &Shared) -> Vec<String> {
        ITEMS.iter().map(|i| i.label().to_owned()).collect()
    }

    fn searched(&self) -> &'static str {
        "among the settings"
    }

    fn place(&self, _: &Shared) -> usize {
        self.row
    }

    fn jump(&mut self, _: &mut Shared, at: usize) {
        self.row = at;
    }
}

/// Takes the typed value, or says why not and keeps typing.
fn accept(page: &mut SetupPage, shared: &mut Shared) {
    let Some(field) = &page.field else {
        return;
    };
    let text = field.text();
    let item = page.item();
    let value = match whole(&text) {
        Ok(value) => value,
        Err(why) => {
            shared.notes.say(Tone::Warn, why);
            return;
        }
    };
    let mut setup = shared.bench.setup().clone();
    let prefill = !setup.shape.has_past();
    match item {
        Item::Batch => setup.shape.batch = value,
        Item::Seq => {
            setup.shape.seq = value;
            // A prefill stays one: the context follows.
            if prefill || setup.shape.context < value {
                setup.shape.context = value;
            }
        }
        Item::Context => {
            setup.shape.context = value;
            if setup.shape.seq > value {
                setup.shape.seq = value;
            }
        }
        _ => setup.seed = value,
    }
    let before = shared.bench.setup().shape;
    if apply(shared, setup) {
        page.field = None;
        let now = &shared.bench.setup().shape;
        let follows = match item {
            Item::Seq if now.context != before.context => Some(("context T", now.context)),
            Item::Context if now.seq != before.seq => Some(("new tokens S", now.seq)),
            _ => None,
        };
        if let Some((what, tokens)) = follows {
            let text = format!("{what} goes along: {tokens}.");
            shared.notes.say(Tone::Plain, text);
        }
    }
}

/// A whole number as people write it: `512`, `1,024`, `2*64`, `2^10`.
fn whole(text: &str) -> Result<u64, String> {
    let typed = units::read(text, Some(units::Dimension::Count)).map_err(|e| e.to_string())?;
    Some(typed.quantity)
        .filter(|q| q.dimension() == units::Dimension::Count)
        .and_then(|q| q.exact())
        .and_then(|n| u64::try_from(n).ok())
        .ok_or_else(|| {
            format!("“{text}” is not a whole number below 2^64; write one such as 512 or 2^9.")
        })
}

fn apply(shared: &mut Shared, setup: Setup) -> bool {
    match shared.bench.set_up(setup) {
        Ok(()) => {
            shared.notes.clear();
            true
        }
        Err(error) => {
            let mut text = error.to_string();
            if !text.ends_with('.') {
                text.push('.');
            }
            shared.notes.say(Tone::Warn, text);
            false
        }
    }
}

/// The next or previous of the values that a line can have.
fn choose(page: &SetupPage, shared: &mut Shared, forward: bool, out: &mut Out) {
    let mut setup = shared.bench.setup().clone();
    let step = |at: usize, count: usize| {
        if forward {
            (at + 1) % count
        } else {
            (at + count - 1) % count
        }
    };
    let doubled = |v: u64| {
        if forward {
            v.saturating_mul(2)
        } else {
            (v / 2).max(1)
        }
    };
    match page.item() {
        Item::Model => {
            let at = PRESETS
                .iter()
                .position(|p| p.name == setup.model.name)
                .unwrap_or(PRESETS.len() - 1);
            let Some(next) = PRESETS.get(step(at, PRESETS.len())) else {
                return;
            };
            if let Ok(p) = preset(next.name) {
                setup.model = p.model();
                setup.shape = p.shape();
            }
        }
        Item::Batch => setup.shape.batch = doubled(setup.shape.batch),
        Item::Seq => {
            let prefill = !setup.shape.has_past();
            setup.shape.seq = doubled(setup.shape.seq);
            if prefill || setup.shape.context < setup.shape.seq {
                setup.shape.context = setup.shape.seq;
            }
        }
        Item::Context => {
            setup.shape.context = doubled(setup.shape.context).max(setup.shape.seq);
        }
        Item::Dtype => {
            setup.dtype = match setup.dtype {
                Dtype::Fp32 => Dtype::Bf16,
                Dtype::Bf16 => Dtype::Fp32,
            }
        }
        Item::Seed => {
            setup.seed = if forward {
                setup.seed.saturating_add(1)
            } else {
                setup.seed.saturating_sub(1)
            }
        }
        Item::Causal => setup.conventions.exact_causal ^= true,
        Item::RopeKernels => setup.conventions.rope_split ^= true,
        Item::RopeTable => setup.conventions.rope_table ^= true,
        Item::KeepKv => {
            let all = [KeepKv::Auto, KeepKv::On, KeepKv::Off];
            let at = all
                .iter()
                .position(|k| *k == setup.conventions.keep_kv)
                .unwrap_or(0);
            setup.conventions.keep_kv = all.get(step(at, all.len())).copied().unwrap_or_default();
        }
        Item::Backend => {
            next_backend(shared, forward);
            return;
        }
        Item::Device => {
            next_device(shared, forward, out);
            return;
        }
    }
    apply(shared, setup);
}

/// Has the course opened for the next GPU of the data sheets.
fn next_device(shared: &mut Shared, forward: bool, out: &mut Out) {
    let Some(all) = data_sheets().map(GpuDatabase::all) else {
        return;
    };
    let now = shared.study.course.gpu();
    let at = all.iter().position(|gpu| gpu.id == now).unwrap_or(0);
    let step = if forward { 1 } else { all.len() - 1 };
    if let Some(gpu) = all.get((at + step) % all.len()) {
        shared.choose(DEVICE, &gpu.id, out);
        out.push(Effect::Device(&gpu.id));
    }
}

/// The next backend that can run; where there is no other, why the next cannot.
fn next_backend(shared: &mut Shared, forward: bool) {
    let count = shared.machine.backends.len();
    let at = |step: usize| {
        let step = if forward { step } else { count - step };
        let b = shared
            .machine
            .backends
            .get((shared.machine.chosen + step) % count)?;
        Some((b.name.clone(), b.condition == Condition::Ready))
    };
    let others: Vec<_> = (1..count).filter_map(at).collect();
    let ready = others.iter().find(|(_, ready)| *ready).or(others.first());
    if let Some((name, _)) = ready
        && let Err(why) = shared.machine.choose(name)
    {
        shared.notes.say(Tone::Warn, why);
    }
}

#[cfg(test)]
mod tests;
