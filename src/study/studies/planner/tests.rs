//! The planner against every other plan.

use super::*;
use plan::cost::{GpuDatabase, Roof, price};
use plan::model::{Dtype, PRESETS};

fn toll(dtype: Dtype) -> Toll {
    let database = GpuDatabase::embedded().unwrap();
    let gpu = database.get("h200").unwrap();
    let roof = |product| Roof::of(gpu, dtype, product).unwrap();
    Toll {
        launch: 2.85e-6,
        barrier: 1.5e-6,
        plain: roof(false),
        product: roof(true),
    }
}

fn configs() -> Vec<Config> {
    let mut found = Vec::new();
    for preset in &PRESETS {
        for (batch, seq, context) in [(1, 128, 128), (8, 16, 16), (1, 1, 512)] {
            let mut config = Config::preset(preset.name, Cut::v1()).unwrap();
            config.shape.batch = batch;
            config.shape.seq = seq;
            config.shape.context = context;
            found.push(config);
        }
    }
    found
}

/// Seconds of a block by its whole price, without the planner's pieces.
fn priced(config: &Config, cut: Cut, toll: &Toll) -> f64 {
    let cost = price(&config.with_cut(cut)).unwrap();
    cost.block.kernels.iter().map(|k| toll.seconds(k)).sum()
}

#[test]
fn a_plan_of_pieces_costs_what_the_plan_costs() {
    for config in configs() {
        let toll = toll(config.dtype);
        let planner = Planner::new(&config, &toll.into(), Has::All).unwrap();
        for version in [
            Version::V1,
            Version::V2,
            Version::V3,
            Version::V4,
            Version::Five,
        ] {
            let (pieces, whole) = (
                planner.seconds(version.cut()).unwrap(),
                priced(&config, version.cut(), &toll),
            );
            assert!(
                (pieces / whole - 1.0).abs() < 1e-12,
                "{version:?} {config:?}"
            );
        }
    }
}

#[test]
fn a_residual_and_the_norm_of_its_row_cost_the_planner_no_wait() {
    // V3's block: eight launches of 2.85 µs and what its kernels take under the roof. A wait of a
    // second would be seen.
    let config = Config::preset("workshop", Cut::v1()).unwrap();
    let toll = Toll {
        barrier: 1.0,
        ..toll(config.dtype)
    };
    let v3 = price(&config.with_cut(Version::V3.cut())).unwrap();
    // Each kernel by hand: an H200's sheet says one peak for products and others in fp32.
    let floors: f64 = v3
        .block
        .kernels
        .iter()
        .map(|k| {
            let flops = k.flops as f64 / toll.product.flops_per_second;
            flops.max(k.bytes() as f64 / toll.product.bytes_per_second)
        })
        .sum();
    let planner = Planner::new(&config, &toll.into(), Has::All).unwrap();
    let seconds = planner.seconds(Version::V3.cut()).unwrap();
    assert!(
        (seconds - 8.0 * 2.85e-6 - floors).abs() < 1e-12,
        "{seconds}"
    );
    assert!((1e6 * seconds - 25.63).abs() < 0.005, "{seconds}");
}

#[test]
fn no_set_of_fusions_and_no_single_change_beats_the_planner() {
    // The judge: every plan that named fusions give, priced whole.
    let fusions: Vec<Fusion> = Fusion::ALL
        .into_iter()
        .filter(|f| *f != Fusion::Forward)
        .collect();
    let sets = all_sets(&fusions);
    assert!(sets.len() > 600, "{}", sets.len());
    for config in configs() {
        let toll = toll(config.dtype);
        for has in [Has::All, Has::Table] {
            let planner = Planner::new(&config, &toll.into(), has).unwrap();
            let best = planner.best().unwrap();
            assert!((planner.seconds(best.cut).unwrap() / best.seconds - 1.0).abs() < 1e-12);
            let least = sets
                .iter()
                .filter_map(|cut| planner.seconds(*cut))
                .fold(f64::INFINITY, f64::min);
            assert!(best.seconds <= least * (1.0 + 1e-12), "{config:?}");
            for boundary in Boundary::of_block() {
                let other = match best.cut.is_joined(boundary) {
                    true => best.cut.split(boundary),
                    false => best.cut.joined(boundary),
                };
                let seconds = planner.seconds(other).unwrap_or(f64::INFINITY);
                assert!(best.seconds <= seconds * (1.0 + 1e-12), "{config:?}");
            }
        }
    }
}

#[test]
fn every_cut_of_a_block_is_judged_once() {
    // Exhaustive: all 2^17 cuts with RoPE in one kernel, the crossing one included.
    let config = Config::preset("workshop", Cut::v1()).unwrap();
    let toll = toll(config.dtype);
    let planner = Planner::new(&config, &toll.into(), Has::All).unwrap();
    let best = planner.best().unwrap().seconds;
    let rope = Boundary::between(OpKind::RopeQ, OpKind::RopeK).unwrap();
    let free: Vec<Boundary> = Boundary::of_block().filter(|b| *b != rope).collect();
    assert_eq!(free.len(), 17);
    let mut least = f64::INFINITY;
    for set in 0u32..1 << 17 {
        let on = free.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
        let cut = on.fold(Cut::v1(), |cut, (_, boundary)| cut.joined(*boundary));
        least = least.min(planner.seconds(cut).unwrap_or(f64::INFINITY));
    }
    assert!((least / best - 1.0).abs() < 1e-12, "{least} {best}");
}

#[test]
fn fewer_launches_never_need_more_bytes() {
    let config = Config::preset("workshop", Cut::v1()).unwrap();
    let planner = Planner::new(&config, &toll(config.dtype).into(), Has::All).unwrap();
    let bytes: Vec<u64> = (1..=17)
        .map(|k| planner.fewest_bytes(k).unwrap().1)
        .collect();
    assert!(bytes.is_sorted(), "{bytes:?}");
    // 17 kernels are V1 and nothing else; one is a block.
    let of = |v: Version| price(&config.with_cut(v.cut())).unwrap().block.bytes();
    assert_eq!(bytes[16], of(Version::V1));
    assert!(bytes[0] <= of(Version::V4));
}

#[test]
fn each_boundary_that_stands_has_its_reason() {
    let config = Config::preset("workshop", Cut::v1()).unwrap();
    let auto = |has, barrier| Auto {
        prices: Prices::Roof(Toll {
            barrier,
            ..toll(config.dtype)
        }),
        device: "H200".into(),
        recorded: ["an H200", "an H200"].map(|on| Some(on.into())),
        has,
        config: config.clone(),
    };
    // A wait that costs less than a launch: a block is one kernel.
    let one = auto(Has::Table, 1.5e-6)
        .reduce(&Evidence::default())
        .unwrap();
    assert_eq!(one.sheets.len(), 1);
    assert!(
        one.sentences[0].starts_with("V4: 1 launch per block"),
        "{:?}",
        one.sentences
    );
    // One that costs more: what joins more than the five phases has no kernel of the
    // table, and on the CPU costs a wait.
    let found = auto(Has::Table, 9e-6).reduce(&Evidence::default()).unwrap();
    let text = found.sheets[1].csv();
    assert!(text.contains("there is no kernel for both sides"), "{text}");
    let text = auto(Has::All, 9e-6)
        .reduce(&Evidence::default())
        .unwrap()
        .sheets[1]
        .csv();
    assert!(text.contains("the waits cost more"), "{text}");
    assert!(
        found.sentences[0].contains("per block"),
        "{:?}",
        found.sentences
    );
}

#[test]
fn a_calibrated_machine_leaves_walls_where_merging_costs_more_than_it_saves() {
    use crate::calibration::{Calibration, Costs, Seen};
    let config = Config::preset("workshop", Cut::v1()).unwrap();
    let auto = |merged: f64| Auto {
        prices: Prices::Machine(Box::new(Calibration {
            backend: "cpu".into(),
            device: "a CPU".into(),
            dtype: config.dtype,
            costs: Costs {
                start: 0.0,
                launch: 1e-6,
                wait: 1e-6,
                product: 1e-11,
                step: 0.0,
                weight: 0.0,
                attention: 1e-11,
                other: 1e-11,
                near: 1e-11,
                far: 1e-11,
                merged,
            },
            near_bytes: f64::MAX,
            seen: Vec::new(),
            flops: [0.0; 2],
            bytes: [0.0; 2],
            disturbed: None,
        })),
        device: "a CPU".into(),
        recorded: [None, None],
        has: Has::All,
        config: config.clone(),
    };
    // Products that run as well in one kernel, and a wait that costs a launch: the launches
    // of the rest are saved. Half as well: every product is better off without a wait.
    let one = auto(1.0).cut().unwrap();
    let apart = auto(2.0).cut().unwrap();
    let waits = |cut: Cut| -> u64 {
        let cost = price(&config.with_cut(cut)).unwrap();
        cost.block.kernels.iter().map(|k| k.phases - 1).sum()
    };
    assert!(waits(one) > 0, "{}", one.groups());
    assert_eq!(waits(apart), 0, "{}", apart.groups());
    let found = auto(2.0).reduce(&Evidence::default()).unwrap();
    assert!(
        found.sentences[1].contains("as study predict measured them"),
        "{:?}",
        found.sentences
    );
    assert!(found.notes.is_empty());
    assert!(!found.sentences[0].contains("the calibration's error"));
    // Prices of a disturbed calibration say so.
    let mut busy = auto(2.0);
    assert!(!busy.source().contains("disturbed"), "{}", busy.source());
    if let Prices::Machine(known) = &mut busy.prices {
        known.disturbed = Some("4 of 30 runs took far longer".into());
    }
    assert!(
        busy.source().ends_with(
            "The calibration was disturbed @: 4 of 30 runs took far longer. study predict --calibrate makes another."
        ),
        "{}",
        busy.source()
    );
    // A calibration that is off by a factor of ten in the middle knows no difference of
    // these plans.
    let mut coarse = auto(2.0);
    if let Prices::Machine(known) = &mut coarse.prices {
        known.seen = vec![Seen {
            title: "V1".into(),
            seconds: 1.0,
            predicted: 10.0,
        }];
    }
    let found = coarse.reduce(&Evidence::default()).unwrap();
    assert!(
        found.sentences[0].ends_with("less than V1, by less than the calibration's error."),
        "{:?}",
        found.sentences
    );
    let said = found.notes.last().unwrap();
    assert!(
        said.starts_with("V1, V2") && said.contains("lie above auto by less"),
        "{said}"
    );
    let walls = &found.sheets[1];
    assert!(
        walls
            .rows
            .iter()
            .all(|row| row[3] != "the waits cost more than launch and bytes".into())
    );
}
