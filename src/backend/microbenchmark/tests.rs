use super::*;
use plan::run::{EXPERIMENTS, Metric};

fn report(kernel: &str, sweep: &[u32]) -> MicroReport {
    run(&MicroRequest::new(kernel, sweep, BackendKind::Simt).unwrap()).unwrap()
}

/// The counts of one value.
fn at(kernel: &str, value: u32) -> MicroCounts {
    report(kernel, &[value]).rows[0].counts
}

#[test]
fn every_experiment_runs_at_its_usual_values_and_shows_figures() {
    for experiment in &EXPERIMENTS {
        let report = report(experiment.name, &[]);
        assert_eq!(report.rows.len(), experiment.usual.len());
        let (head, rows) = report.table(&[]);
        // Without a GPU there is no column of times.
        assert_eq!(head.len(), experiment.shows.len(), "{}", experiment.name);
        assert!(rows.iter().flatten().all(|cell| cell != "–"), "{rows:?}");
    }
}

#[test]
fn strided_loads_move_whole_sectors() {
    const N: u64 = 4096;
    for step in [1, 2, 3, 4, 8, 16, 32] {
        let counts = at("stride", step);
        // A warp of 32 elements begins at a multiple of 32 steps, so it spans
        // 32 * step * 4 bytes, of which no sector is used twice.
        let spanned = (31 * u64::from(step) * 4 + 4).div_ceil(32);
        let sectors = N / 32 * spanned.min(32);
        assert_eq!(counts.sectors, sectors, "step {step}");
        assert_eq!(counts.sectors_written, N * 4 / 32);
        assert_eq!(counts.issued, 2 * N * 4);
        let useful = (1.0 / f64::from(step)).max(4.0 / 32.0);
        if step != 3 {
            assert_eq!(counts.useful(), Some(useful), "step {step}");
        }
    }
    assert_eq!(at("stride", 0).sectors, N / 32, "a broadcast");
}

#[test]
fn a_column_takes_as_many_passes_as_lanes_share_a_bank() {
    fn common(a: u64, b: u64) -> u64 {
        if b == 0 { a } else { common(b, a % b) }
    }
    for pad in 0..=8 {
        let counts = at("columns", pad);
        // 4 tiles of 32 columns, and as many rows, which never conflict.
        let ways = common(32 + u64::from(pad), 32);
        assert_eq!(counts.bank_passes, 4 * 32 * (1 + ways), "pad {pad}");
        assert_eq!(counts.bank_conflicts, 4 * 32 * (ways - 1), "pad {pad}");
    }
}

#[test]
fn warps_diverge_where_neighbours_differ_and_picking_is_no_branch() {
    for group in [1, 16, 32, 64] {
        let (branch, select) = (at("branch", group), at("select", group));
        let warps = 4096 / 32;
        assert_eq!(branch.divergent, if group < 32 { warps } else { 0 });
        assert_eq!((select.divergent, select.lanes()), (0, Some(1.0)));
    }
    assert!(at("branch", 1).instructions > at("branch", 32).instructions);
}

#[test]
fn wide_loads_are_fewer_instructions_and_the_same_bytes() {
    let [one, four] = [at("width", 1), at("width", 4)];
    assert_eq!(one.issued, 2 * 4096 * 4);
    assert_eq!((four.issued, four.sectors), (one.issued, one.sectors));
    assert_eq!(one.instructions, 4 * four.instructions);
}

#[test]
fn a_tile_reads_each_element_once_for_every_tile_beside_it() {
    const N: u64 = 64;
    for tile in [4, 8, 16, 32] {
        let counts = at("tile", tile);
        let reads = 2 * N * N * N / u64::from(tile);
        assert_eq!(counts.issued, 4 * (reads + N * N), "tile {tile}");
        assert_eq!(counts.compulsory, 4 * 3 * N * N);
        assert_eq!(counts.flops, 2 * N * N * N);
        // Two waits per step of each tile.
        let tiles = N / u64::from(tile);
        assert_eq!(counts.barriers, 2 * tiles * tiles * tiles);
    }
}

#[test]
fn shuffles_wait_less_than_a_tree() {
    let [tree, shuffles] = [at("row_sum", 0), at("row_sum", 1)];
    // 16 rows: one wait, eight halvings; or two waits round the warps' sums.
    assert_eq!((tree.barriers, shuffles.barriers), (16 * 9, 16 * 2));
    assert!(shuffles.shared_requests < tree.shared_requests);
}

#[test]
fn the_last_tile_has_lanes_left_over() {
    let counts = at("mask", 1000);
    assert_eq!((counts.blocks, counts.divergent), (4, 1));
    assert_eq!(counts.issued, 3 * 1000 * 4);
    assert_eq!(at("mask", 1024).lanes(), Some(1.0));
    let shown = report("mask", &[1000]);
    assert_eq!(Metric::Blocks.of(&shown.rows[0]), "4");
}

#[test]
fn both_ways_of_launching_give_the_same_bits() {
    let Outputs { here, there } = compared("branch", 8, BackendKind::Simt).unwrap();
    assert_eq!(here, there);
    assert_eq!(here.len(), 4096);
}
