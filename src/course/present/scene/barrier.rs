//! Thread blocks that share the tasks of each phase and wait for each other behind it:
//! nobody goes on before the last has arrived.

use super::{Board, Mark, Scene, Square, figure};

/// Tasks of one thread block: dealt in turn, the first blocks get the rest.
const fn share(tasks: usize, blocks: usize, block: usize) -> usize {
    tasks / blocks + if block < tasks % blocks { 1 } else { 0 }
}

/// A scene for each phase: the clock up to its end, a column for the time of one task.
pub(super) fn scenes(blocks: usize, tasks: &[usize]) -> Vec<Scene> {
    let blocks = blocks.max(1);
    let mut rows: Vec<(String, Vec<Square>)> = (0..blocks)
        .map(|at| (format!("thread block {at}"), Vec::new()))
        .collect();
    let mut out = Vec::new();
    let (mut clock, mut idle) = (0, 0);
    for (phase, tasks) in tasks.iter().enumerate() {
        let longest = tasks.div_ceil(blocks);
        for (at, (_, row)) in rows.iter_mut().enumerate() {
            for square in row.iter_mut().filter(|square| square.mark == Mark::Now) {
                square.mark = Mark::Past;
            }
            let own = share(*tasks, blocks, at);
            let works = (0..own).map(|_| Square::new(phase + 1, Mark::Now));
            let waits = (own..longest).map(|_| Square::new("w", Mark::Waits));
            row.extend(works.chain(waits));
            idle += longest - own;
        }
        clock += longest;
        let last = share(*tasks, blocks, blocks - 1);
        out.push(Scene {
            boards: vec![Board {
                name: "a column: the time of a task · a digit: its phase · w: it waits".to_owned(),
                rows: rows.clone(),
            }],
            figures: vec![
                figure("first is done at", clock - longest + last),
                figure("last is done at", clock),
                figure("waited so far, all together", idle),
            ],
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_goes_on_before_the_last() {
        // 6 tasks on 4 blocks: two blocks have 2, two have 1 and wait for 1. Then 4: none
        // waits. Then 5: one has 2, three wait for 1.
        let scenes = scenes(4, &[6, 4, 5]);
        let line = |scene: usize, block: usize| {
            let (_, row) = &scenes[scene].boards[0].rows[block];
            row.iter().map(Square::shown).collect::<String>()
        };
        assert_eq!(
            (line(0, 0).as_str(), line(0, 3).as_str()),
            ("[1][1]", "[1]w")
        );
        assert_eq!(
            (line(1, 0).as_str(), line(1, 3).as_str()),
            ("11[2]", "1w[2]")
        );
        assert_eq!(
            (line(2, 0).as_str(), line(2, 3).as_str()),
            ("112[3][3]", "1w2[3]w")
        );
        let figures: Vec<Vec<&str>> = scenes
            .iter()
            .map(|scene| {
                scene
                    .figures
                    .iter()
                    .map(|(_, value)| value.as_str())
                    .collect()
            })
            .collect();
        assert_eq!(figures, [["1", "2", "2"], ["3", "3", "2"], ["4", "5", "5"]]);
    }

    #[test]
    fn time_is_work_and_waiting_for_every_block() {
        for (blocks, tasks) in [(3, vec![7, 1, 9]), (5, vec![2, 2, 11]), (1, vec![4])] {
            let last = scenes(blocks, &tasks).pop().unwrap();
            let squares: Vec<Square> = last.boards[0]
                .rows
                .iter()
                .flat_map(|(_, row)| row.clone())
                .collect();
            let worked = squares.iter().filter(|s| s.mark != Mark::Waits).count();
            assert_eq!(worked, tasks.iter().sum::<usize>());
            let clock: usize = last.figures[1].1.parse().unwrap();
            assert_eq!(squares.len(), blocks * clock);
        }
    }
}
