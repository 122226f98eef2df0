//! Variants: the same questions at other shapes.

use super::draw::{LAST, SAMPLED, SEEDED};
use super::tasks::MOST;
use super::{Draw, Exercise};
use crate::answer::{Env, Key, data_sheets, told_apart};
use crate::fields::{Fields, Phrase};
use crate::recorded::BuiltIn;
use crate::setup::Setup;

impl Exercise {
    /// Reads what variants are drawn from.
    pub(super) fn read_draw(&mut self, fields: &mut Fields<'_, '_>) {
        let known: Vec<&str> = Draw::ALL.iter().map(|(name, _)| *name).collect();
        let written = fields.one_of("draw", &known);
        let found = |written: &Phrase| {
            let draw = Draw::ALL.iter().find(|(name, _)| *name == written.text);
            Some((draw?.1, written.at))
        };
        if let Some((draw, at)) = written.as_ref().and_then(found) {
            self.draw = Some(draw);
            self.drawn_at = at;
            if !self.variants.is_empty() {
                fields.report_at(at, "variants are listed or drawn; leave one of them out.");
            }
        }
        if self.tasks.len() >= MOST {
            let at = fields.key_place("tasks");
            fields.report_at(at, format!("an exercise has at most {MOST} tasks."));
            self.tasks.truncate(MOST - 1);
        }
    }

    /// The setup of each task.
    pub(super) fn setups(&self) -> Vec<Setup> {
        let further = self.tasks.iter().map(|task| self.setup.with(task));
        std::iter::once(self.setup.clone()).chain(further).collect()
    }

    /// The variant after this one; none where there is one only.
    pub fn next_variant(&self) -> Option<usize> {
        match (self.draw, self.variants.len()) {
            (Some(_), _) => Some(if self.number >= LAST {
                0
            } else {
                self.number + 1
            }),
            (None, 0) => None,
            (None, last) => Some((self.number + 1) % (last + 1)),
        }
    }

    /// Variants that are looked at before a learner sees one: all that are listed,
    /// and the first of those that are drawn.
    pub fn looked_at(&self) -> usize {
        match self.draw {
            Some(_) => SAMPLED,
            None => self.variants.len(),
        }
    }

    /// Id and title, and the variant where it is not the printed one.
    pub fn heading(&self) -> String {
        match self.number {
            0 => format!("{} {}", self.id, self.title),
            n => format!("{} {}, variant {n}", self.id, self.title),
        }
    }

    /// The variant that a learner's seed draws: neighbours with other seeds have
    /// other shapes.
    pub fn drawn(&self, seed: u64) -> usize {
        // FNV-1a over the id and the seed: every exercise is drawn for itself.
        let bytes = self.id.bytes().chain(seed.to_le_bytes());
        let hash = bytes.fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        });
        // The high bits: the low ones of FNV hardly depend on the seed's.
        let drawn = match self.draw {
            Some(_) => 1 + (hash >> 32) % SEEDED,
            None => (hash >> 32) % (1 + self.variants.len() as u64),
        };
        usize::try_from(drawn).unwrap_or(0)
    }

    /// This exercise in another variant: every expression is evaluated under
    /// the variant's configuration, a key's own configuration on top.
    ///
    /// # Errors
    /// A sentence: there is no such variant.
    pub fn variant(&self, number: usize) -> Result<Self, String> {
        if let (Some(draw), 1..=LAST) = (self.draw, number) {
            return Ok(self.draw(draw, number, self.drawn_at));
        }
        let on_top = match number.checked_sub(1).map(|at| self.variants.get(at)) {
            None => None,
            Some(Some(variant)) => Some(variant),
            Some(None) => {
                return Err(match (self.draw, self.variants.len()) {
                    (Some(_), _) => format!("{} has variants 0 to {LAST}", self.id),
                    (None, 0) => format!("{} has no variants; leave out --variant", self.id),
                    (None, last) => format!("{} has variants 0 to {last}", self.id),
                });
            }
        };
        let mut varied = self.clone();
        varied.number = number;
        varied.pass.clone_from(&self.printed_pass);
        varied.setup = match on_top {
            Some(variant) => self.printed.with(variant),
            None => self.printed.clone(),
        };
        varied.keys = varied.asked(&varied.setups());
        Ok(varied)
    }
}

impl Key {
    /// Leaves out slips that cannot be told apart at the drawn parameters: a
    /// slip is never named by chance.
    pub(super) fn drop_slips(&mut self) {
        let (Some(gpus), Ok(setup)) = (data_sheets(), self.setup.answer()) else {
            return;
        };
        let env = Env::new(setup, gpus, &BuiltIn);
        let mut told = told_apart(self, &env).into_iter();
        self.slips.retain(|_| told.next() == Some(true));
    }
}
