//! Where in a tensor a value is.

use std::fmt;

use plan::model::{Model, Shape, TensorKind};

/// The place of one value. Everything counts from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location {
    /// The sequence.
    pub batch: usize,
    /// The head, where the tensor has heads: a query head for q, qr, scores,
    /// probabilities and the attention's output, a key head for k, kr, v.
    pub head: Option<usize>,
    /// The token among the new ones (among the earlier ones in the cache).
    pub row: usize,
    /// The element; within the head where there is one; the key position for
    /// scores and probabilities.
    pub column: usize,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "batch {}, ", self.batch)?;
        if let Some(head) = self.head {
            write!(f, "head {head}, ")?;
        }
        write!(f, "row {}, column {}", self.row, self.column)
    }
}

/// The sizes that places follow from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    seq: usize,
    context: usize,
    heads: usize,
    kv_heads: usize,
    head_width: usize,
    hidden: usize,
    ffn: usize,
    vocab: usize,
}

impl Layout {
    pub(super) fn new(model: &Model, shape: &Shape) -> Self {
        Self {
            seq: shape.seq as usize,
            context: shape.context as usize,
            heads: model.heads as usize,
            kv_heads: model.kv_heads as usize,
            head_width: model.head_width() as usize,
            hidden: model.hidden as usize,
            ffn: model.ffn as usize,
            vocab: model.vocab as usize,
        }
    }

    /// Where the value `index` of a tensor of this kind is.
    pub(super) fn locate(&self, kind: TensorKind, index: usize) -> Location {
        use TensorKind as T;
        let d = self.head_width;
        let past = self.context - self.seq;
        match kind {
            T::Sc | T::Pr => {
                let [batch, head, row, column] = split(index, [self.heads, self.seq, self.context]);
                at(batch, Some(head), row, column)
            }
            T::Q | T::Qr | T::Att => {
                let [batch, row, head, column] = split(index, [self.seq, self.heads, d]);
                at(batch, Some(head), row, column)
            }
            T::K | T::Kr | T::V => {
                let [batch, row, head, column] = split(index, [self.seq, self.kv_heads, d]);
                at(batch, Some(head), row, column)
            }
            T::PastK | T::PastV => {
                let [batch, row, head, column] = split(index, [past, self.kv_heads, d]);
                at(batch, Some(head), row, column)
            }
            T::G | T::U | T::Sg | T::M => self.plain(index, self.ffn),
            T::Logits => self.plain(index, self.vocab),
            T::Ids => self.plain(index, 1),
            T::X | T::N1 | T::O | T::H | T::N2 | T::Dn | T::Nf => self.plain(index, self.hidden),
        }
    }

    /// Whether a value means nothing: the score of a key after the query. Its
    /// probability is zero, and that is compared.
    pub(super) fn is_masked(&self, kind: TensorKind, index: usize) -> bool {
        kind == TensorKind::Sc && {
            let place = self.locate(kind, index);
            place.column > self.context - self.seq + place.row
        }
    }

    fn plain(&self, index: usize, width: usize) -> Location {
        let [batch, row, _, column] = split(index, [self.seq, 1, width]);
        at(batch, None, row, column)
    }
}

/// Index to four coordinates; the lengths are of the last three dimensions.
fn split(index: usize, [second, third, fourth]: [usize; 3]) -> [usize; 4] {
    let (rest, w) = (index / fourth.max(1), index % fourth.max(1));
    let (rest, z) = (rest / third.max(1), rest % third.max(1));
    [rest / second.max(1), rest % second.max(1), z, w]
}

fn at(batch: usize, head: Option<usize>, row: usize, column: usize) -> Location {
    Location {
        batch,
        head,
        row,
        column,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D 8, H 4, K 2, d 2, I 6, V 5; B 2, S 3, T 7.
    fn layout() -> Layout {
        let model = Model::new("m", 8, 1, 4, 2, 6, 5).unwrap();
        let shape = Shape {
            batch: 2,
            seq: 3,
            context: 7,
        };
        Layout::new(&model, &shape)
    }

    #[test]
    fn places_follow_the_layout_of_each_tensor() {
        use TensorKind as T;
        let cases = [
            // sc B×H×S×T: ((1·4 + 2)·3 + 1)·7 + 5 = 138.
            (T::Sc, 138, at(1, Some(2), 1, 5)),
            // q B×S×H×d: ((1·3 + 2)·4 + 3)·2 + 1 = 47.
            (T::Q, 47, at(1, Some(3), 2, 1)),
            // kr B×S×K×d: ((1·3 + 2)·2 + 1)·2 + 0 = 22.
            (T::Kr, 22, at(1, Some(1), 2, 0)),
            // past k B×(T−S)×K×d: ((1·4 + 3)·2 + 0)·2 + 1 = 29.
            (T::PastK, 29, at(1, Some(0), 3, 1)),
            // m B×S×I: (1·3 + 0)·6 + 4 = 22.
            (T::M, 22, at(1, None, 0, 4)),
            // logits B×S×V: (0·3 + 2)·5 + 3 = 13.
            (T::Logits, 13, at(0, None, 2, 3)),
        ];
        for (kind, index, place) in cases {
            assert_eq!(layout().locate(kind, index), place, "{kind:?}");
        }
        assert_eq!(
            layout().locate(T::Q, 47).to_string(),
            "batch 1, head 3, row 2, column 1"
        );
    }

    #[test]
    fn only_scores_of_later_keys_are_masked() {
        // Row 1 of the new tokens is position 4 + 1, so keys 0..=5 are seen.
        let l = layout();
        let row = 7;
        assert!(!l.is_masked(TensorKind::Sc, row + 5));
        assert!(l.is_masked(TensorKind::Sc, row + 6));
        assert!(!l.is_masked(TensorKind::Pr, row + 6));
    }
}
