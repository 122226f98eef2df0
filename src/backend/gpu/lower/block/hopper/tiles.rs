//! Tiles and teams of Hopper's block kernel, and what each takes by a model.

use super::super::super::Lowering;

/// Elements of a step along k: 128 bytes of bf16, the width of the swizzle.
pub(super) const STEP: u64 = 64;

// What an H200 takes, in microseconds: one element of a tile over one step along k;
// one row or column of it fetched for one step; a step however small; one column of
// a tile stored; partners that exchange their sums. From clocks in the kernel.
const PRODUCT: f64 = 1.74e-5;
const FETCH: f64 = 1.14e-3;
const STEP_LEAST: f64 = 5.2e-2;
const STORE: f64 = 1.6e-2;
const JOIN: f64 = 3.5;
/// Where the groups take turns they fetch against each other: a step takes so much longer.
const AGAINST: f64 = 1.3;
/// A barrier, and what each block adds to it: the latest is waited for.
const GATE: f64 = 0.9;
const GATE_BLOCK: f64 = 3.8e-3;
/// What a layer takes longer for teams: they fall out of step and ask for the same weights
/// at different times. From prompts of 2 to 5 sequences whose times with and without teams
/// differ by less than 10 %.
const APART: f64 = 1.3;

/// Bytes of a layer's weights up to which tiles of 64 rows are worth a thought where all
/// blocks share them: twice as many tiles ask for each weight, and the second-level cache
/// has to have it. On an H200, µs with 64 and 128 rows: one prompt of 128, D256 64 and 72,
/// D512 176 and 184; two of 192, D1024 (24 MB a layer) 156 and 162; one of 128, D2048
/// (88 MB) 1172 and 1088.
const NEAR: u64 = 25_000_000;

/// The tile of a product: columns for each of the two groups, blocks that share it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tile {
    pub(super) n: u64,
    pub(super) split: u64,
    /// The groups have tiles of their own and take turns.
    pub(super) turns: bool,
}

/// Products of the same rows: columns in all, and the lengths of the sums, one of
/// each phase that has this tile.
pub(super) struct Products<'p> {
    pub(super) columns: u64,
    pub(super) k: &'p [u64],
}

/// Blocks that work on the same rows, and wait for one another only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Team {
    /// Blocks of a team.
    pub(super) blocks: u64,
    /// Sequences of a team; `None`: all, and the blocks are all there are.
    pub(super) sequences: Option<u64>,
}

/// All blocks together; and, of prompts of several sequences, teams of whole sequences.
pub(super) fn teams(lowering: &Lowering<'_>) -> impl Iterator<Item = Team> {
    let (shape, sms) = (
        lowering.shape(),
        u64::from(lowering.setup.target.sms.max(1)),
    );
    let all = Team {
        blocks: sms,
        sequences: None,
    };
    let most = if shape.seq > 1 {
        shape.batch.min(sms)
    } else {
        1
    };
    let several = (2..=most).filter_map(move |teams| {
        let sequences = shape.batch.div_ceil(teams);
        (shape.batch.div_ceil(sequences) == teams).then_some(Team {
            blocks: sms / teams,
            sequences: Some(sequences),
        })
    });
    std::iter::once(all).chain(several)
}

impl Team {
    pub(super) fn rows(self, lowering: &Lowering<'_>) -> u64 {
        self.sequences
            .map_or(lowering.rows(), |each| each * lowering.shape().seq)
    }

    pub(super) fn count(self, lowering: &Lowering<'_>) -> u64 {
        self.sequences
            .map_or(1, |each| lowering.shape().batch.div_ceil(each))
    }

    /// Rows of a tile that are worth a thought.
    pub(super) fn heights(self, lowering: &Lowering<'_>) -> &'static [u64] {
        let model = lowering.model();
        let attention = 2 * model.hidden * (model.hidden + model.kv_width());
        let weights = (attention + 3 * model.hidden * model.ffn) * lowering.elem();
        match (self.rows(lowering) <= 64, self.sequences) {
            (true, _) => &[64],
            (false, None) if weights > NEAR => &[128],
            (false, _) => &[64, 128],
        }
    }

    /// Microseconds that a layer has besides its tiles: five barriers, and what teams
    /// cost one another.
    pub(super) fn besides(self) -> f64 {
        5.0 * self.gate() + self.sequences.map_or(0.0, |_| APART)
    }

    /// Microseconds of its barrier.
    fn gate(self) -> f64 {
        GATE + self.blocks as f64 * GATE_BLOCK
    }
}

/// Tiles from which one is chosen. Those that take turns are as wide as registers allow.
pub(super) fn candidates() -> impl Iterator<Item = Tile> {
    let plain = (1..=16).flat_map(|n| {
        [1, 2, 4].map(|split| Tile {
            n: 16 * n,
            split,
            turns: false,
        })
    });
    plain.chain([128, 192].map(|n| Tile {
        n,
        split: 1,
        turns: true,
    }))
}

impl Tile {
    /// Columns in all.
    pub(super) const fn columns(self, rows: u64) -> u64 {
        if rows == 64 { 2 * self.n } else { self.n }
    }

    pub(super) const fn step_bytes(self, rows: u64) -> u64 {
        (rows + self.columns(rows)) * STEP * 2
    }

    /// Tiles of a team's product, times the blocks that share one.
    pub(super) fn tasks(self, lowering: &Lowering<'_>, rows: u64, team: Team, columns: u64) -> u64 {
        team.rows(lowering).div_ceil(rows) * columns.div_ceil(self.columns(rows)) * self.split
    }

    /// Microseconds by the model: the fullest multiprocessor's tiles one after
    /// another.
    pub(super) fn time(
        self,
        lowering: &Lowering<'_>,
        rows: u64,
        team: Team,
        products: &Products<'_>,
    ) -> f64 {
        let blocks = team.blocks / self.split * self.split;
        if blocks == 0 {
            return f64::INFINITY;
        }
        let rounds = self
            .tasks(lowering, rows, team, products.columns)
            .div_ceil(blocks);
        let (m, n) = (rows as f64, self.columns(rows) as f64);
        let step = (m * n * PRODUCT).max((m + n) * FETCH).max(STEP_LEAST);
        let store = self.n as f64 * STORE;
        let join = if self.split > 1 { JOIN } else { 0.0 };
        let of = |k: &u64| {
            let products = k.div_ceil(STEP * self.split) as f64 * step;
            if self.turns {
                let products = products * AGAINST;
                rounds as f64 * products.max((products + store) / 2.0) + store
            } else {
                rounds as f64 * (products + join + store)
            }
        };
        products.k.iter().map(of).sum()
    }
}
