//! Sizes as products of symbols: the same value is computed with and printed,
//! so a number and its explanation cannot differ.

use std::fmt;

use super::{Model, ModelError, Shape};

/// One size that formulas are written in (cost model, "Symbols").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Symbol {
    /// B, sequences.
    Batch,
    /// S, new tokens per sequence.
    Seq,
    /// T, visible keys.
    Context,
    /// T − S, keys from before this forward.
    Past,
    /// D, hidden width.
    Hidden,
    /// Dkv = K·d.
    KvWidth,
    /// d = D / H.
    HeadWidth,
    /// H, query heads.
    Heads,
    /// I, FFN width.
    Ffn,
    /// V, vocabulary.
    Vocab,
    /// L, blocks.
    Layers,
    /// Query-key pairs per head and sequence: S·T dense, or the causal triangle.
    Pairs,
}

impl Symbol {
    /// The letter of docs/cost-model.md.
    pub const fn letter(self) -> &'static str {
        match self {
            Self::Batch => "B",
            Self::Seq => "S",
            Self::Context => "T",
            Self::Past => "(T-S)",
            Self::Hidden => "D",
            Self::KvWidth => "Dkv",
            Self::HeadWidth => "d",
            Self::Heads => "H",
            Self::Ffn => "I",
            Self::Vocab => "V",
            Self::Layers => "L",
            Self::Pairs => "pairs",
        }
    }
}

/// The value of every symbol for one model and shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    values: [u64; 12],
}

impl Sizes {
    /// Dense pairs S·T, or the exact causal triangle S·(T−S) + S·(S+1)/2.
    ///
    /// # Errors
    /// A bad model or shape, or pairs that do not fit 64 bits.
    pub fn new(model: &Model, shape: &Shape, exact_causal: bool) -> Result<Self, ModelError> {
        model.check()?;
        shape.check(model)?;
        let (s, t) = (u128::from(shape.seq), u128::from(shape.context));
        let pairs = if exact_causal {
            s * (t - s) + s * (s + 1) / 2
        } else {
            s * t
        };
        let pairs = u64::try_from(pairs).map_err(|_| ModelError::too_large("seq × context"))?;
        Ok(Self {
            values: [
                shape.batch,
                shape.seq,
                shape.context,
                shape.context - shape.seq,
                model.hidden,
                model.kv_width(),
                model.head_width(),
                model.heads,
                model.ffn,
                model.vocab,
                model.layers,
                pairs,
            ],
        })
    }

    /// The value of one symbol.
    pub fn get(&self, symbol: Symbol) -> u64 {
        self.values[symbol as usize]
    }
}

/// A product such as 2·B·S·D².
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Product {
    /// The leading integer.
    pub factor: u64,
    /// The symbols, in the order in which they are written.
    pub symbols: &'static [Symbol],
}

impl Product {
    /// `factor` times the symbols.
    pub const fn new(factor: u64, symbols: &'static [Symbol]) -> Self {
        Self { factor, symbols }
    }

    /// Its value.
    ///
    /// # Errors
    /// When it does not fit 64 bits.
    pub fn value(&self, sizes: &Sizes) -> Result<u64, ModelError> {
        self.symbols
            .iter()
            .try_fold(self.factor, |product, s| product.checked_mul(sizes.get(*s)))
            .ok_or_else(|| ModelError::too_large(&self.to_string()))
    }

    /// The same product with numbers in place of symbols: `2·1·128·256²`.
    pub fn with_numbers(&self, sizes: &Sizes) -> String {
        self.written(|s| sizes.get(s).to_string())
    }

    fn written(&self, name: impl Fn(Symbol) -> String) -> String {
        let mut parts = Vec::new();
        if self.factor != 1 || self.symbols.is_empty() {
            parts.push(self.factor.to_string());
        }
        let mut rest = self.symbols;
        while let Some((&symbol, tail)) = rest.split_first() {
            let squared = tail.first() == Some(&symbol);
            parts.push(name(symbol) + if squared { "²" } else { "" });
            rest = if squared { &tail[1..] } else { tail };
        }
        parts.join("·")
    }
}

impl fmt::Display for Product {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written(|s| s.letter().to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Symbol::*;

    #[test]
    fn a_product_prints_as_it_is_computed() {
        let m = Model::new("w", 256, 4, 8, 4, 512, 1000).unwrap();
        let sizes = Sizes::new(&m, &Shape::prefill(1, 128), false).unwrap();
        let p = Product::new(2, &[Batch, Seq, Hidden, Hidden]);
        assert_eq!(p.to_string(), "2·B·S·D²");
        assert_eq!(p.with_numbers(&sizes), "2·1·128·256²");
        assert_eq!(p.value(&sizes).unwrap(), 2 * 128 * 256 * 256);
    }

    #[test]
    fn the_causal_triangle_counts_the_diagonal() {
        // S(S+1)/2 at S = 128: 8,256 pairs (exercise ex9, hint 3).
        let m = Model::new("w", 256, 4, 8, 4, 512, 1000).unwrap();
        let sizes = Sizes::new(&m, &Shape::prefill(1, 128), true).unwrap();
        assert_eq!(sizes.get(Pairs), 8_256);
        // Decode: one query sees every key, so the triangle changes nothing.
        let decode = Shape {
            batch: 1,
            seq: 1,
            context: 512,
        };
        assert_eq!(Sizes::new(&m, &decode, true).unwrap().get(Pairs), 512);
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        let m = Model::new("m", 1 << 32, 1, 2, 1, 2, 2).unwrap();
        let sizes = Sizes::new(&m, &Shape::prefill(1 << 31, 1 << 31), false).unwrap();
        let p = Product::new(1, &[Batch, Seq, Hidden]);
        assert!(
            p.value(&sizes)
                .unwrap_err()
                .to_string()
                .contains("does not fit")
        );
    }
}
