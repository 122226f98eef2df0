//! A product C = A·B made tile by tile: a thread block goes along a row of tiles of A and
//! down a column of tiles of B for each tile of C.

use super::{Board, Mark, Scene, Square, figure};

/// Elements of tile `at` of a side.
fn side(size: usize, tile: usize, at: usize) -> usize {
    tile.min(size.saturating_sub(at * tile))
}

/// A scene for each step along the first tile of C, and one behind all tiles of C.
pub(super) fn scenes([m, n, k]: [usize; 3], tile: usize) -> Vec<Scene> {
    let tile = tile.max(1);
    let [rows, columns, steps] = [m, n, k].map(|size| size.div_ceil(tile));
    // How often each tile was read or written.
    let mut a = vec![vec![0_usize; steps]; rows];
    let mut b = vec![vec![0_usize; columns]; steps];
    let mut c = vec![vec![0_usize; columns]; rows];
    let mut out = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            for step in 0..steps {
                a[row][step] += 1;
                b[step][column] += 1;
                let stored = step + 1 == steps;
                c[row][column] += usize::from(stored);
                if (row, column) == (0, 0) {
                    let boards = vec![
                        board("A, read", &a, Some((0, step))),
                        board("B, read", &b, Some((step, 0))),
                        board("C, written", &c, Some((0, 0))),
                    ];
                    let moved = moved([m, n, k], tile, [&a, &b, &c]);
                    out.push(scene(boards, moved, [m, n, k]));
                }
            }
        }
    }
    let boards = vec![
        board("A, read", &a, None),
        board("B, read", &b, None),
        board("C, written", &c, None),
    ];
    let moved = moved([m, n, k], tile, [&a, &b, &c]);
    out.push(scene(boards, moved, [m, n, k]));
    out
}

fn scene(boards: Vec<Board>, moved: usize, [m, n, k]: [usize; 3]) -> Scene {
    let once = m * k + k * n + m * n;
    Scene {
        boards,
        figures: vec![
            figure("elements moved", moved),
            figure("each once", once),
            figure("over that", format!("×{:.2}", moved as f64 / once as f64)),
        ],
    }
}

/// Elements that were moved: each tile as often as it was read or written.
fn moved([m, n, k]: [usize; 3], tile: usize, counts: [&[Vec<usize>]; 3]) -> usize {
    let sizes = [[m, k], [k, n], [m, n]];
    let of = |(counts, [height, width]): (&[Vec<usize>], [usize; 2])| -> usize {
        let rows = counts.iter().enumerate();
        rows.flat_map(|(i, row)| {
            row.iter()
                .enumerate()
                .map(move |(j, times)| times * side(height, tile, i) * side(width, tile, j))
        })
        .sum()
    };
    counts.into_iter().zip(sizes).map(of).sum()
}

fn board(name: &str, counts: &[Vec<usize>], now: Option<(usize, usize)>) -> Board {
    let row = |(i, row): (usize, &Vec<usize>)| {
        let square = |(j, times): (usize, &usize)| {
            let mark = match times {
                _ if now == Some((i, j)) => Mark::Now,
                0 => Mark::Plain,
                _ => Mark::Past,
            };
            Square::new(times, mark)
        };
        (String::new(), row.iter().enumerate().map(square).collect())
    };
    Board {
        name: name.to_owned(),
        rows: counts.iter().enumerate().map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved_of(size: [usize; 3], tile: usize) -> Vec<String> {
        let scenes = scenes(size, tile);
        scenes
            .iter()
            .map(|scene| scene.figures[0].1.clone())
            .collect()
    }

    #[test]
    fn a_walk_reads_two_tiles_a_step_and_writes_one_at_its_end() {
        // 96 = 3 tiles of 32: 2·32² a step, 32² more at the end of the first walk.
        // Lesson 16: M·K·⌈N/t⌉ + K·N·⌈M/t⌉ + M·N = 96²·(3 + 3 + 1) in all.
        assert_eq!(
            moved_of([96, 96, 96], 32),
            ["2048", "4096", "7168", &(96 * 96 * 7).to_string()]
        );
    }

    #[test]
    fn ragged_tiles_are_as_large_as_what_is_there() {
        // A 40×24, B 24×56, tiles of 16: ⌈56/16⌉ = 4 and ⌈40/16⌉ = 3.
        let all = 40 * 24 * 4 + 24 * 56 * 3 + 40 * 56;
        assert_eq!(moved_of([40, 56, 24], 16).last(), Some(&all.to_string()));
    }
}
