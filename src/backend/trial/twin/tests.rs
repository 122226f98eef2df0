use super::*;
use crate::run::twins::TWINS;

/// The value with the defect and the one with its repair; `None` where there is
/// neither a prebuilt kernel nor a compiler.
fn both(name: &str) -> (f64, f64) {
    (shown(name, false).unwrap(), shown(name, true).unwrap())
}

#[test]
fn every_twin_that_has_a_name_runs() {
    for (name, _) in TWINS {
        assert!(twin(name).unwrap().is_finite(), "{name}");
    }
    assert!(twin("nobody").is_err());
}

/// Expected values by hand: facts/exercises.md B1 to B3.
#[test]
fn defective_kernels_yield_what_their_defects_make() {
    let near = |name: &str, wrong: f64, right: f64| {
        let (got_wrong, got_right) = both(name);
        assert!((got_wrong - wrong).abs() <= 1e-3 * wrong, "{name} {got_wrong}");
        assert!((got_right - right).abs() <= 1e-3 * right, "{name} {got_right}");
    };
    near("norm_scale", 128f64.sqrt(), 1.0);
    near("norm_one_row", 1.0, 1.0);
    near("row_sum", 1000.0 / 1024.0, 1.0);
    near("row_sum_full", 1.0, 1.0);
    let ghosts = 24.0 * 5f64.exp();
    near("row_sum_low", 1000.0 / (1000.0 + ghosts), 1.0);
    let weight = |x: f64| 1.0 / (1.0 + (-x).exp());
    near("scaled", weight(4.0), weight(2.0));
    near("scaled_one_tile", weight(2.0), weight(2.0));
    near("scaled_rising", weight(-2.0), weight(-2.0));
    near("stale", 1.0, 2.0);
    near("fresh", 1.0, 1.0);
    near("pieces_scale", 4.0, 1.0);
    assert_eq!(both("tail_bytes"), (12.0, 0.0));
}
