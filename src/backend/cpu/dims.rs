//! The sizes of one forward, and how its rows are dealt to threads.

use super::simd::Isa;
use plan::model::{Dtype, Model, Symbol, TensorKind};
use plan::run::{RunError, Settings};

/// Keys whose scores are held at once in a fused attention, where nothing else is set.
const KEY_BLOCK: usize = 128;

/// Columns of a fused FFN that exist at a time, where nothing else is set: tiles of 64
/// rows of them take 64 KiB.
const FFN_COLUMNS: usize = 256;

/// Most rows of a tile.
const MOST_ROWS: usize = 64;

/// Most columns of a tile of scores: query heads of one key head × rows.
const SCORE_COLUMNS: usize = 64;

/// Sizes as indices. All products of them that name a tensor fit in `usize`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Dims {
    pub batch: usize,
    /// New tokens per sequence.
    pub seq: usize,
    /// Tokens of each sequence from before this forward.
    pub past: usize,
    /// Positions that the cache of each sequence has room for.
    pub capacity: usize,
    pub hidden: usize,
    pub heads: usize,
    pub kv_heads: usize,
    /// Width of a head.
    pub width: usize,
    pub ffn: usize,
    pub vocab: usize,
    pub eps: f32,
    pub dtype: Dtype,
    pub isa: Isa,
    /// Rows of a tile.
    pub tile: usize,
    /// Query heads whose scores stand side by side in one tile of scores.
    pub unit: usize,
    pub threads: usize,
    /// Keys whose scores are held at once in a fused attention.
    pub key_block: usize,
    /// Columns of a fused FFN that exist at a time.
    pub ffn_columns: usize,
}

/// One tile: rows of one sequence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tile {
    pub sequence: usize,
    /// First row, counted in the sequence's new tokens.
    pub first: usize,
    pub rows: usize,
}

impl Dims {
    /// The sizes of `seq` new tokens after `past` ones, with room for
    /// `capacity` positions, cut as `settings` say: `rows`, `columns`, `keys`.
    ///
    /// # Errors
    /// A size that this machine cannot address.
    pub fn new(
        model: &Model,
        dtype: Dtype,
        isa: Isa,
        threads: usize,
        [batch, seq, past, capacity]: [u64; 4],
        settings: &Settings,
    ) -> Result<Self, RunError> {
        let size = |name: &str, value: u64| {
            usize::try_from(value).map_err(|_| {
                RunError::missing(format!(
                    "{name} {value} is more than this machine addresses"
                ))
            })
        };
        let mut dims = Self {
            batch: size("batch", batch)?,
            seq: size("seq", seq)?,
            past: size("context", past)?,
            capacity: size("context", capacity)?,
            hidden: size("hidden", model.hidden)?,
            heads: size("heads", model.heads)?,
            kv_heads: size("kv_heads", model.kv_heads)?,
            width: size("head width", model.head_width())?,
            ffn: size("ffn", model.ffn)?,
            vocab: size("vocab", model.vocab)?,
            eps: model.norm_eps as f32,
            dtype,
            isa,
            tile: 1,
            unit: 1,
            threads: threads.max(1),
            key_block: KEY_BLOCK,
            ffn_columns: FFN_COLUMNS,
        };
        let set = |name: &str, most: usize| {
            let value = usize::try_from(settings.get(name)?).ok()?;
            Some(value.clamp(1, most))
        };
        dims.tile = set("rows", MOST_ROWS.min(dims.seq.max(1)))
            .unwrap_or_else(|| rows_per_tile(dims.batch, dims.seq, dims.threads));
        dims.key_block = set("keys", usize::MAX).unwrap_or(KEY_BLOCK);
        // Whole panels of the widest vectors.
        dims.ffn_columns =
            set("columns", usize::MAX).map_or(FFN_COLUMNS, |columns| columns.next_multiple_of(32));
        let group = dims.heads / dims.kv_heads.max(1);
        dims.unit = (1..=group)
            .rev()
            .find(|n| group.is_multiple_of(*n) && n * dims.tile <= SCORE_COLUMNS)
            .unwrap_or(1);
        Ok(dims)
    }

    /// Positions that a new token may see, its own included: T.
    pub fn context(&self) -> usize {
        self.past.saturating_add(self.seq)
    }

    /// Width of all key heads.
    pub fn kv_width(&self) -> usize {
        self.kv_heads * self.width
    }

    /// Tiles of all sequences.
    pub fn tiles(&self) -> usize {
        self.batch.saturating_mul(self.seq.div_ceil(self.tile))
    }

    /// Tile `index` of [`Dims::tiles`].
    pub fn tile_at(&self, index: usize) -> Tile {
        let each = self.seq.div_ceil(self.tile);
        let first = (index % each) * self.tile;
        Tile {
            sequence: index / each,
            first,
            rows: self.tile.min(self.seq - first),
        }
    }

    /// Units of attention in a tile: query heads that share keys, a few at a
    /// time.
    pub fn units(&self) -> usize {
        self.heads / self.unit
    }

    /// Columns of a row of `kind`; the scores have none of their own.
    pub fn columns(&self, kind: TensorKind) -> usize {
        match kind.row() {
            None => 1,
            Some(Symbol::KvWidth) => self.kv_width(),
            Some(Symbol::Ffn) => self.ffn,
            Some(Symbol::Context) => self.heads.saturating_mul(self.context()),
            Some(Symbol::Vocab) => self.vocab,
            Some(_) => self.hidden,
        }
    }
}

/// Rows of a tile: 24 to 64, so that the rows of all tiles together take the
/// threads the least time. A tile costs its register tiles and one for what it
/// does besides. What is computed does not depend on it.
fn rows_per_tile(batch: usize, seq: usize, threads: usize) -> usize {
    const REGISTER_ROWS: usize = 14;
    let cost = |rows: usize| {
        let tiles = batch.saturating_mul(seq.div_ceil(rows));
        let rounds = tiles.div_ceil(threads);
        rounds.saturating_mul(rows.div_ceil(REGISTER_ROWS) + 1)
    };
    (24..=MOST_ROWS)
        .rev()
        .map(|rows| rows.min(seq))
        .min_by_key(|rows| cost(*rows))
        .unwrap_or(1)
        .max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_cover_every_row_once() {
        for (batch, seq, threads) in [(1, 128, 2), (3, 37, 4), (2, 1, 8), (1, 1000, 3)] {
            let model = Model::new("m", 64, 1, 4, 2, 64, 10).unwrap();
            let sizes = [batch, seq, 0, seq];
            let d = Dims::new(
                &model,
                Dtype::Fp32,
                Isa::Portable,
                threads,
                sizes,
                &Settings::default(),
            )
            .unwrap();
            let mut seen = vec![0; d.batch * d.seq];
            for t in (0..d.tiles()).map(|i| d.tile_at(i)) {
                assert!(t.rows >= 1 && t.rows <= 64);
                for r in t.first..t.first + t.rows {
                    seen[t.sequence * d.seq + r] += 1;
                }
            }
            assert!(seen.iter().all(|n| *n == 1));
        }
    }

    #[test]
    fn two_threads_get_equal_shares_of_the_workshop_shape() {
        // 128 rows: two tiles of 64, one per thread.
        assert_eq!(rows_per_tile(1, 128, 2), 64);
        assert_eq!(rows_per_tile(1, 1, 2), 1);
    }
}
