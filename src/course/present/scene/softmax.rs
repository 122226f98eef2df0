//! Softmax of a row that comes in tile by tile: the running maximum m, the running sum l
//! of exponentials, and the running result acc, both corrected where m grows.

use super::{Board, Mark, Scene, Square, figure};

/// What is kept between two tiles.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Kept {
    /// The largest score so far.
    m: f64,
    /// The sum of exp(score − m).
    l: f64,
    /// The sum of exp(score − m) times the value.
    acc: f64,
}

impl Kept {
    const NOTHING: Self = Self {
        m: f64::NEG_INFINITY,
        l: 0.0,
        acc: 0.0,
    };

    /// Takes a tile in; also the factor that corrects what was summed before.
    fn take(self, scores: &[f64], values: &[f64]) -> (Self, f64) {
        let m = scores.iter().copied().fold(self.m, f64::max);
        let factor = (self.m - m).exp();
        let weights = scores.iter().map(|score| (score - m).exp());
        let l = self.l * factor + weights.clone().sum::<f64>();
        let acc = weights.zip(values).map(|(weight, value)| weight * value);
        let acc = self.acc * factor + acc.sum::<f64>();
        (Self { m, l, acc }, factor)
    }
}

/// A scene for each tile, and one of the whole row at once.
pub(super) fn scenes(scores: &[f64], values: &[f64], tile: usize) -> Vec<Scene> {
    let tile = tile.max(1);
    let mut kept = Kept::NOTHING;
    let mut out = Vec::new();
    let tiles = scores.chunks(tile).zip(values.chunks(tile));
    for (number, (new, weighed)) in tiles.enumerate() {
        let (next, factor) = kept.take(new, weighed);
        let at = number * tile;
        let mut figures = vec![figure("m", next.m)];
        if number > 0 {
            figures.push(figure("factor", decimals(factor)));
        }
        figures.extend(sums(next));
        out.push(Scene {
            boards: vec![row(scores, values, at, at + new.len())],
            figures,
        });
        kept = next;
    }
    let (whole, _) = Kept::NOTHING.take(scores, values);
    let mut figures = vec![figure("m", whole.m)];
    figures.extend(sums(whole));
    out.push(Scene {
        boards: vec![row(scores, values, 0, scores.len())],
        figures,
    });
    out
}

fn sums(kept: Kept) -> [(String, String); 3] {
    [
        figure("l", decimals(kept.l)),
        figure("acc", decimals(kept.acc)),
        figure("acc/l", decimals(kept.acc / kept.l)),
    ]
}

fn decimals(value: f64) -> String {
    format!("{value:.4}")
}

/// Scores and values; those from `from` up to `to` are dealt with now.
fn row(scores: &[f64], values: &[f64], from: usize, to: usize) -> Board {
    let squares = |numbers: &[f64]| -> Vec<Square> {
        let square = |(at, number): (usize, &f64)| {
            let mark = match at {
                at if at < from => Mark::Past,
                at if at < to => Mark::Now,
                _ => Mark::Plain,
            };
            Square::new(number, mark)
        };
        numbers.iter().enumerate().map(square).collect()
    };
    Board {
        name: String::new(),
        rows: vec![
            ("scores".to_owned(), squares(scores)),
            ("values".to_owned(), squares(values)),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SCORES: [f64; 8] = [1.0, 3.0, 2.0, 0.0, 5.0, 1.0, 4.0, 4.0];
    const VALUES: [f64; 8] = [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0];

    fn said(scene: &Scene) -> Vec<String> {
        let figures = scene.figures.iter();
        figures
            .map(|(name, value)| format!("{name} {value}"))
            .collect()
    }

    /// By hand, with e^-1 = 0.36788, e^-2 = 0.13534, e^-3 = 0.04979, e^-4 = 0.01832 and
    /// e^-5 = 0.00674.
    #[test]
    fn four_tiles_of_two() {
        let scenes = scenes(&SCORES, &VALUES, 2);
        assert_eq!(scenes.len(), 5);
        // 1 and 3: e^-2 + 1.
        assert_eq!(
            said(&scenes[0]),
            ["m 3", "l 1.1353", "acc 0.1353", "acc/l 0.1192"]
        );
        // 2 and 0: the past stays, and e^-1 + e^-3 are new.
        assert_eq!(
            said(&scenes[1]),
            [
                "m 3",
                "factor 1.0000",
                "l 1.5530",
                "acc 0.5032",
                "acc/l 0.3240"
            ]
        );
        // 5 and 1: the past shrinks by e^-2, and 1 + e^-4 are new.
        assert_eq!(
            said(&scenes[2]),
            [
                "m 5",
                "factor 0.1353",
                "l 1.2285",
                "acc 1.0681",
                "acc/l 0.8694"
            ]
        );
        assert_eq!(said(&scenes[3])[..3], ["m 5", "factor 1.0000", "l 1.9643"]);
        // All at once: the same without a factor.
        let mut last = said(&scenes[3]);
        last.remove(1);
        assert_eq!(said(&scenes[4]), last);
        let marks: Vec<Mark> = scenes[1].boards[0].rows[0]
            .1
            .iter()
            .map(|s| s.mark)
            .collect();
        assert_eq!(
            marks[..5],
            [Mark::Past, Mark::Past, Mark::Now, Mark::Now, Mark::Plain]
        );
    }

    proptest! {
        /// Whatever the tiles, the result is that of softmax over the whole row.
        #[test]
        fn tiles_do_not_change_the_result(
            pairs in prop::collection::vec((-20i32..20, -5i32..5), 1..16),
            tile in 1usize..6,
        ) {
            let scores: Vec<f64> = pairs.iter().map(|p| f64::from(p.0)).collect();
            let values: Vec<f64> = pairs.iter().map(|p| f64::from(p.1)).collect();
            let sum: f64 = scores.iter().map(|s| s.exp()).sum();
            let softmax: f64 = scores.iter().zip(&values).map(|(s, v)| s.exp() / sum * v).sum();
            let mut kept = Kept::NOTHING;
            for (new, weighed) in scores.chunks(tile).zip(values.chunks(tile)) {
                kept = kept.take(new, weighed).0;
            }
            prop_assert!((kept.acc / kept.l - softmax).abs() < 1e-9);
        }
    }
}
