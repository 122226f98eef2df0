use super::*;
use plan::run::mutants::MUTANTS;

/// The value with the defect and the one with its repair; `None` where there is
/// neither a prebuilt kernel nor a compiler.
fn both(name: &str) -> (f64, f64) {
    (shown(name, false).unwrap(), shown(name, true).unwrap())
}

#[test]
fn every_twin_that_has_a_name_runs() {
    for (name, _) in MUTANTS {
        assert!(mutant(name).unwrap().is_finite(), "{name}");
    }
    assert!(mutant("nobody").is_err());
}

/// Expected values by hand, from the defects in the sources.
#[test]
fn defective_kernels_yield_what_their_defects_make() {
    let near = |name: &str, wrong: f64, right: f64| {
        let (got_wrong, got_right) = both(name);
        assert!(
            (got_wrong - wrong).abs() <= 1e-3 * wrong,
            "{name} {got_wrong}"
        );
        assert!(
            (got_right - right).abs() <= 1e-3 * right,
            "{name} {got_right}"
        );
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

/// c[0] of ones, 100 x 100, by depth.
fn product(bench: &mut Bench<'_>, depth: usize) -> Result<f64, MachineError> {
    let a = bench.floats("a", &vec![1.0; 100 * depth])?;
    let b = bench.floats("b", &vec![1.0; depth * 100])?;
    let c = bench.fresh("c", 100 * 100)?;
    let args = [
        Arg::Buffer(a),
        Arg::Buffer(b),
        Arg::Buffer(c),
        Arg::Int(100),
        Arg::Int(100),
        Arg::Int(depth as i32),
    ];
    let geometry = Geometry {
        grid: [4, 4],
        ..Geometry::blocks(4, 1024)
    };
    bench.launch(geometry, &args)?;
    first(&bench.read_floats(c)?)
}

/// The output of the largest of 300 scores.
fn exponent(bench: &mut Bench<'_>, largest: f32) -> Result<f64, MachineError> {
    let mut scores = vec![0.0; 300];
    scores[0] = largest;
    let s = bench.floats("s", &scores)?;
    let p = bench.fresh("p", 300)?;
    let args = [Arg::Buffer(s), Arg::Buffer(p), Arg::Int(300)];
    bench.launch(Geometry::blocks(1, 256), &args)?;
    first(&bench.read_floats(p)?)
}

/// Column 0 of equal weights over `seen` of 128 rows of ones, NaN behind them.
fn weighed(bench: &mut Bench<'_>, seen: usize) -> Result<f64, MachineError> {
    let (cap, width) = (128, 32);
    let p = bench.floats("p", &vec![1.0 / seen as f32; seen])?;
    let mut rows = vec![1.0; cap * width];
    rows[seen * width..].fill(f32::NAN);
    let v = bench.floats("v", &rows)?;
    let o = bench.fresh("o", width)?;
    let args = [
        Arg::Buffer(p),
        Arg::Buffer(v),
        Arg::Buffer(o),
        Arg::Int(seen as i32),
        Arg::Int(cap as i32),
        Arg::Int(width as i32),
    ];
    bench.launch(Geometry::blocks(1, 32), &args)?;
    first(&bench.read_floats(o)?)
}

/// The barrier with blocks that are not resident together.
fn not_resident(bench: &mut Bench<'_>) -> Result<f64, MachineError> {
    let h = bench.words("h", &[0; 4])?;
    let out = bench.words("out", &[0; 4])?;
    let counter = bench.words("counter", &[0])?;
    let work = bench.words("work", &[0; 4])?;
    let args = [
        Arg::Buffer(h),
        Arg::Buffer(out),
        Arg::Buffer(counter),
        Arg::Buffer(work),
        Arg::Int(1),
        Arg::Int(1),
    ];
    bench.launch(Geometry::blocks(4, 32), &args)?;
    Ok(0.0)
}

/// What exercises 21, 25, 38 and 43 say of a trigger, and of the inputs that hide
/// the defect.
#[test]
fn triggers_bring_defects_to_light_and_repairs_do_not_mind_them() {
    let on = |source: &str, fixed, show| on(source, fixed, show).map_err(|e| e.to_string());
    let both = |source: &str, show: Show| (on(source, false, show), on(source, true, show));
    let (wrong, right) = both("flat_norm", |b| flat_norm(b, 2, 256));
    assert!(wrong.unwrap_err().contains("past the end of `gamma`"));
    assert!((right.unwrap() - 1.0).abs() < 1e-3);

    let (wrong, right) = both("open_tiles", |b| product(b, 100));
    assert!(wrong.unwrap_err().contains("past the end of `a`"));
    assert_eq!(right, Ok(100.0));
    assert_eq!(both("open_tiles", |b| product(b, 96)), (Ok(96.0), Ok(96.0)));

    let (wrong, right) = both("bare_exponent", |b| exponent(b, 100.0));
    assert!(wrong.unwrap().is_nan());
    assert!((right.unwrap() - 1.0).abs() < 1e-6);
    let (wrong, right) = both("bare_exponent", |b| exponent(b, 10.0));
    assert!((wrong.unwrap() - right.unwrap()).abs() < 1e-5);

    let (wrong, right) = both("unfilled_tile", |b| weighed(b, 100));
    assert!(wrong.unwrap().is_nan());
    assert!((right.unwrap() - 1.0).abs() < 1e-5);
    let (wrong, right) = both("unfilled_tile", |b| weighed(b, 96));
    assert!((wrong.unwrap() - right.unwrap()).abs() < 1e-6);

    let (wrong, right) = both("barrier_once", not_resident);
    for said in [wrong.unwrap_err(), right.unwrap_err()] {
        assert!(
            said.contains("wait") || said.contains("ends") || said.contains("still runs"),
            "{said}"
        );
    }
}
