//! The workbench: the one plan and the one setup that lab, compare and the
//! live blocks of lessons share, with their prices.

use super::setup::Setup;
use plan::cost::{Cost, CostError, price};
use plan::fusion::{Boundary, Cut, Fusion, Version};

pub use plan::fusion::Switch;

/// How many flips can be undone.
const UNDO: usize = 20;

/// The plan on the bench, the setup, and what they cost.
#[derive(Clone, Debug)]
pub struct Bench {
    setup: Setup,
    cut: Cut,
    undo: Vec<Cut>,
    cost: Cost,
    v1: Cost,
}

impl Bench {
    /// A bench with V1 on it.
    ///
    /// # Errors
    /// When the setup cannot be priced.
    pub fn new(setup: Setup) -> Result<Self, CostError> {
        let cut = Version::V1.cut();
        let v1 = price(&setup.config(cut))?;
        Ok(Bench {
            setup,
            cut,
            undo: Vec::new(),
            cost: v1.clone(),
            v1,
        })
    }

    /// The setup.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The cut of the plan.
    pub fn cut(&self) -> Cut {
        self.cut
    }

    /// The cut as it is priced and run, counting options applied.
    pub fn effective_cut(&self) -> Cut {
        self.cost.config.effective_cut()
    }

    /// The price of the plan.
    pub fn cost(&self) -> &Cost {
        &self.cost
    }

    /// The price of V1 in the same setup.
    pub fn v1(&self) -> &Cost {
        &self.v1
    }

    /// The price of another cut in the same setup.
    ///
    /// # Errors
    /// When it does not fit 64 bits.
    pub fn price_of(&self, cut: Cut) -> Result<Cost, CostError> {
        price(&self.setup.config(cut))
    }

    /// Puts another plan on the bench; the one before can be had back.
    ///
    /// # Errors
    /// When it cannot be priced; the bench stays as it was.
    pub fn put(&mut self, cut: Cut) -> Result<(), CostError> {
        if cut == self.cut {
            return Ok(());
        }
        let cost = self.price_of(cut)?;
        if self.undo.len() == UNDO {
            self.undo.remove(0);
        }
        self.undo.push(self.cut);
        self.cut = cut;
        self.cost = cost;
        Ok(())
    }

    /// Nothing was changed yet.
    pub fn untouched(&self) -> bool {
        self.undo.is_empty() && self.cut == Version::V1.cut()
    }

    /// The plans that can be had back, the newest last.
    pub fn before(&self) -> &[Cut] {
        &self.undo
    }

    /// Opens with a plan, and with those before it, the newest last.
    ///
    /// # Errors
    /// When it cannot be priced; the bench stays as it was.
    pub fn open_with(&mut self, cut: Cut, before: &[Cut]) -> Result<(), CostError> {
        self.cost = self.price_of(cut)?;
        self.cut = cut;
        self.undo = before[before.len().saturating_sub(UNDO)..].to_vec();
        Ok(())
    }

    /// Takes the last change back. `false`: there was none.
    ///
    /// # Errors
    /// When the plan before cannot be priced in the present setup.
    pub fn undo(&mut self) -> Result<bool, CostError> {
        let Some(cut) = self.undo.last().copied() else {
            return Ok(false);
        };
        self.cost = self.price_of(cut)?;
        self.cut = cut;
        self.undo.pop();
        Ok(true)
    }

    /// Takes another setup; the plan stays.
    ///
    /// # Errors
    /// Why the setup cannot be; the bench stays as it was.
    pub fn set_up(&mut self, setup: Setup) -> Result<(), CostError> {
        setup.model.check()?;
        setup.shape.check(&setup.model)?;
        let v1 = price(&setup.config(Version::V1.cut()))?;
        self.cost = price(&setup.config(self.cut))?;
        self.v1 = v1;
        self.setup = setup;
        Ok(())
    }

    /// Whether a fusion is on, inside a larger one that is on, or off.
    pub fn switch(&self, fusion: Fusion) -> Switch {
        self.cut.switch(fusion)
    }

    /// The cut with a fusion flipped.
    pub fn flipped(&self, fusion: Fusion) -> Cut {
        self.cut.flipped(fusion)
    }

    /// The cut with one wall flipped.
    pub fn wall_flipped(&self, wall: Boundary) -> Cut {
        if self.cut.is_joined(wall) {
            self.cut.split(wall)
        } else {
            self.cut.joined(wall)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bench() -> Bench {
        Bench::new(Setup::preset("workshop").unwrap()).unwrap()
    }

    #[test]
    fn twenty_changes_can_be_taken_back() {
        let mut b = bench();
        for i in 0..30 {
            let version = if i % 2 == 0 { Version::V2 } else { Version::V1 };
            b.put(version.cut()).unwrap();
        }
        let mut taken = 0;
        while b.undo().unwrap() {
            taken += 1;
        }
        assert_eq!(taken, UNDO);
    }

    #[test]
    fn a_setup_that_cannot_be_leaves_the_bench_alone() {
        let mut b = bench();
        let mut s = b.setup().clone();
        s.shape.batch = 0;
        assert!(b.set_up(s).is_err());
        assert_eq!(b.setup().shape.batch, 1);
        let mut s = b.setup().clone();
        s.shape.batch = u64::MAX;
        assert!(b.set_up(s).is_err());
    }

    #[test]
    fn what_lies_inside_a_larger_fusion_says_so() {
        let mut b = bench();
        b.put(Version::V3.cut()).unwrap();
        assert_eq!(b.switch(Fusion::GateUp), Switch::Inside);
        assert_eq!(b.switch(Fusion::Swiglu), Switch::On);
        assert_eq!(b.switch(Fusion::Rope), Switch::Off);
    }
}
