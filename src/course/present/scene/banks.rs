//! A warp that reads shared memory: the word of lane i lies in bank i·stride mod 32, and
//! lanes that want different words of one bank are served one after the other.

use super::{Board, Mark, Scene, Square, figure};

/// Banks of shared memory, and lanes of a warp.
const BANKS: usize = 32;
/// Lanes whose places are drawn.
const DRAWN: usize = 8;

/// The bank of a lane's word, `stride` words behind that of the lane before.
const fn bank(stride: usize, lane: usize) -> usize {
    lane * stride % BANKS
}

/// The first lanes in their banks, and the passes of the whole warp.
pub(super) fn scene(stride: usize) -> Scene {
    let counts: Vec<usize> = (0..BANKS)
        .map(|at| (0..BANKS).filter(|lane| bank(stride, *lane) == at).count())
        .collect();
    let lanes = (0..DRAWN).map(|lane| {
        let square = |at: usize| match bank(stride, lane) == at {
            true if counts.get(at).is_some_and(|count| *count > 1) => {
                Square::new(lane, Mark::Waits)
            }
            true => Square::new(lane, Mark::Past),
            false => Square::new("·", Mark::Plain),
        };
        (String::new(), (0..BANKS).map(square).collect())
    });
    let passes = counts.iter().max().copied().unwrap_or(0);
    let served = counts.iter().filter(|count| **count > 0).count();
    Scene {
        boards: vec![Board {
            name: format!(
                "{BANKS} banks from left to right, and the bank of lanes 0 to {}",
                DRAWN - 1
            ),
            rows: lanes.collect(),
        }],
        figures: vec![
            figure("words from lane to lane", stride),
            figure("banks that are asked", served),
            figure("passes", passes),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(row: usize) -> String {
        scene(row).figures[2].1.clone()
    }

    /// Lanes i and j meet where 32 divides (i − j)·row: each bank that is asked serves
    /// gcd(row, 32) lanes.
    #[test]
    fn passes_are_the_common_divisor_of_row_and_banks() {
        const fn gcd(a: usize, b: usize) -> usize {
            if b == 0 { a } else { gcd(b, a % b) }
        }
        for row in 1..=128 {
            assert_eq!(passes(row), gcd(row, 32).to_string(), "{row}");
        }
    }

    #[test]
    fn a_padded_row_moves_each_lane_on_by_one_bank() {
        let lane = |row: usize, lane: usize| {
            let board = scene(row).boards.remove(0);
            board.rows[lane]
                .1
                .iter()
                .position(|square| square.text != "·")
        };
        assert_eq!(
            (lane(32, 5), lane(33, 5), lane(34, 5)),
            (Some(0), Some(5), Some(10))
        );
    }
}
