use super::*;
use crate::answer::Setup;
use crate::present::less;
use plan::cost::{Inside, price};
use plan::fusion::Version;
use std::collections::BTreeSet;

fn costs(cut: Cut) -> (Cost, Cost) {
    let config = Setup::workshop().unwrap().config;
    let of = |cut: Cut| price(&config.with_cut(cut)).unwrap();
    (of(cut), of(Version::V1.cut()))
}

fn trips(cut: Cut, ops: &[OpKind]) -> Trips {
    let (cost, v1) = costs(cut);
    let within = Within {
        ops,
        ..Within::default()
    };
    Trips::of(&cost, &v1, within)
}

/// `qr down 0.131`, kernel by kernel.
fn said(trips: &Trips) -> Vec<Vec<String>> {
    let way = |trip: &Trip| match trip.way {
        Direction::Read => "read",
        Direction::Weight => "weight",
        Direction::Write => "written",
    };
    let trip = |trip: &Trip| format!("{} {} {}", trip.name, way(trip), trip.text);
    let kernels = trips.kernels.iter();
    kernels
        .map(|stop| stop.trips.iter().map(trip).collect())
        .collect()
}

const ATTENTION: [OpKind; 2] = [OpKind::Qk, OpKind::Pv];

/// One sequence of 128 tokens, hidden 256, 8 heads, keys 128 wide, fp32: a row of tokens
/// is 128·256·4 = 131,072 B, keys 128·128·4 = 65,536 B, a square of scores for each head
/// 8·128·128·4 = 524,288 B.
#[test]
fn the_square_travels_four_times_before_flash_and_never_after() {
    let apart = trips(Version::V1.cut(), &ATTENTION);
    assert_eq!(
        said(&apart),
        [
            vec!["qr read 0.131", "kr read 0.066", "sc written 0.524"],
            vec!["sc read 0.524", "pr written 0.524"],
            vec!["pr read 0.524", "v read 0.066", "att written 0.131"],
        ]
    );
    let sums: Vec<u64> = apart.kernels.iter().map(|stop| stop.so_far).collect();
    assert_eq!(sums, [720_896, 720_896 + 1_048_576, 2_490_368]);
    assert_eq!(apart.walked(1), "1.769 of 2.490 MB =");
    // sc goes from the first kernel to the second, pr from there to the third.
    assert_eq!(apart.kernels[0].trips[2].ends, [1]);
    assert_eq!(apart.kernels[1].trips[0].ends, [0]);
    assert_eq!(apart.kernels[1].trips[1].ends, [2]);
    // qr came from before the stretch, att goes beyond it.
    assert!(apart.kernels[0].trips[0].ends.is_empty());
    assert!(apart.kernels[2].trips[2].ends.is_empty());

    let fused = trips(Cut::v1().fuse(Fusion::Flash), &ATTENTION);
    assert_eq!(
        said(&fused),
        [[
            "qr read 0.131",
            "kr read 0.066",
            "v read 0.066",
            "att written 0.131"
        ]]
    );
    let kept = &fused.kernels[0].kept;
    assert_eq!(
        kept.iter().map(|k| (k.name, k.bytes)).collect::<Vec<_>>(),
        [("sc", 524_288), ("pr", 524_288)]
    );
    assert_eq!(apart.bytes - fused.bytes, 4 * 524_288);
}

#[test]
fn a_tensor_has_as_many_readers_as_kernels_use_it() {
    let block = trips(Version::V1.cut(), &[]);
    let find = |name: &str| {
        let mut all = block.kernels.iter().flat_map(|stop| &stop.trips);
        all.find(|t| t.way == Direction::Write && t.name == name)
    };
    // n1 goes to q, k and v; h to norm2 and to res2.
    assert_eq!(find("n1").unwrap().ends, [1, 2, 3]);
    assert_eq!(find("h").unwrap().ends, [10, 16]);
    // y leaves the block.
    assert!(find("y").unwrap().ends.is_empty());
}

#[test]
fn what_leaves_a_block_is_read_by_the_next() {
    let (cost, v1) = costs(Version::V4.cut());
    let within = Within {
        ops: &[],
        forward: true,
    };
    let forward = Trips::of(&cost, &v1, within);
    // embed, four blocks, final norm, head.
    assert_eq!(forward.kernels.len(), 7);
    let y = |at: usize| forward.kernels[at].trips.last().unwrap();
    assert_eq!((y(1).name, y(1).ends.clone()), ("y", vec![2]));
    assert_eq!(forward.bytes, cost.forward.bytes());
}

#[test]
fn the_arrows_are_the_bytes_of_the_plan_whatever_is_fused() {
    let mut config = Setup::workshop().unwrap().config;
    config.model.layers = 1;
    let v1 = price(&config).unwrap();
    let mut seen = BTreeSet::new();
    for set in 0..1u32 << Fusion::ALL.len() {
        let chosen = Fusion::ALL.into_iter().enumerate();
        let chosen = chosen.filter(|(at, _)| set & (1 << at) != 0);
        let cut = chosen.fold(Cut::v1(), |cut, (_, fusion)| cut.fuse(fusion));
        // A fusion may imply another.
        if !seen.insert(cut.groups()) {
            continue;
        }
        let cost = price(&config.with_cut(cut)).unwrap();
        let trips = Trips::of(&cost, &v1, Within::default());
        let arrows = trips.kernels.iter().flat_map(|stop| &stop.trips);
        let arrows = arrows.map(|trip| trip.bytes).sum::<u64>();
        assert_eq!(arrows, cost.block.bytes());
        assert_eq!(trips.bytes, cost.block.bytes());
        assert_eq!(trips.kernels.len() as u64, cost.block.launches());
        for kernel in &cost.block.kernels {
            // What stays on the chip is on no arrow of its kernel.
            let moves = |kept: &Inside| {
                let mut all = kernel.moved.iter();
                all.any(|m| m.direction == Direction::Write && key(m) == (kept.name, kept.layer))
            };
            assert!(!kernel.inside.iter().any(moves), "{kernel:?}");
        }
    }
    assert!(seen.len() > 100, "{}", seen.len());
}

#[test]
fn a_fusion_takes_away_what_its_tensors_moved() {
    // Each tensor between two ops that are joined: one write, and a read for each
    // kernel that used it. swiglu keeps g, u and sg: written and read once each,
    // and n2 is read once in place of twice.
    let (cost, v1) = costs(Cut::v1().fuse(Fusion::Swiglu));
    let ops = [OpKind::Gate, OpKind::Mul];
    let within = Within {
        ops: &ops,
        ..Within::default()
    };
    let (before, after) = (Trips::of(&v1, &v1, within), Trips::of(&cost, &v1, within));
    let kept: u64 = after.kernels[0].kept.iter().map(|kept| kept.bytes).sum();
    let n2 = after.kernels[0].trips[0].bytes;
    assert_eq!(after.kernels.len(), 1);
    assert_eq!(before.bytes - after.bytes, 2 * kept + n2);
}

/// V1's gate, up, silu and mul with tokens of D = 256 and I = 512 channels, fp32: 131,072 B and
/// 262,144 B of activations, 524,288 B for each matrix. Nothing but the last part of the
/// feed-forward is asked for, and a fused kernel brings the gate, or a block, with it.
#[test]
fn a_fused_kernel_is_compared_with_all_that_it_replaces() {
    let ops = [OpKind::Up, OpKind::Silu, OpKind::Mul];
    let within = Within {
        ops: &ops,
        ..Within::default()
    };
    let (d, i, w) = (131_072, 262_144, 524_288);
    let (gate, up, silu, mul) = (d + w + i, d + w + i, 2 * i, 3 * i);
    for (version, bytes) in [
        (Version::V1, up + silu + mul),
        (Version::V2, gate + up + silu + mul),
        (Version::V3, gate + up + silu + mul),
    ] {
        let (cost, v1) = costs(version.cut());
        let alike = within.alike(&cost, &v1).unwrap();
        assert_eq!(alike.bytes(), bytes, "{version:?}");
    }
    // Whatever is asked for and fused, V1 computes the same ops.
    let mut config = Setup::workshop().unwrap().config;
    for split in [false, true] {
        config.conventions.rope_split = split;
        let of = |cut: Cut| price(&config.with_cut(cut)).unwrap();
        let v1 = of(Cut::v1());
        let plans = Version::WORKSHOP.map(Version::cut).into_iter();
        let across = Version::V3.cut().fuse(Fusion::Block);
        for cut in plans.chain([across]) {
            for (forward, all) in [(false, &v1.block), (true, &v1.forward)] {
                let within = Within { ops: &[], forward };
                let alike = within.alike(&of(cut), &v1).unwrap();
                assert_eq!(alike.bytes(), all.bytes(), "{cut:?}");
            }
        }
    }
}

/// V2 merges gate with up: where the block shows up and not gate, a share of V1's four
/// kernels would be of what is not on the page.
#[test]
fn a_share_is_of_what_the_block_shows_of_v1() {
    let three = [OpKind::Up, OpKind::Silu, OpKind::Mul];
    let four = [OpKind::Gate, OpKind::Up, OpKind::Silu, OpKind::Mul];
    for (ops, version, named) in [
        (&three[..], Version::V1, true),
        (&three[..], Version::V2, false),
        (&four[..], Version::V2, true),
        (&four[..], Version::V4, false),
    ] {
        let within = Within {
            ops,
            ..Within::default()
        };
        let (cost, v1) = costs(version.cut());
        let base = within.base(&cost, &v1).unwrap();
        assert_eq!(base.is_some(), named, "{ops:?} {version:?}");
    }
}

#[test]
fn more_is_never_called_less() {
    for (bytes, said) in [
        (75, Some("25.00 % less")),
        (100, None),
        (112, Some("12 % more")),
        (210, Some("×2.1 as much")),
    ] {
        assert_eq!(less(100, bytes, 2).as_deref(), said);
    }
}

#[test]
fn a_number_too_small_for_the_unit_is_below_its_last_digit() {
    let unit = figure::byte_column(3_000_000_000).unit();
    assert_eq!(number(unit, 1_500_000_000), "1.500");
    assert_eq!(number(unit, 8_192), "<.001");
    assert_eq!(number(unit, 0), "0.000");
}
