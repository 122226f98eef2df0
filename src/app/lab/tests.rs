use super::*;
use crate::Setup;
use crate::bench::Bench;
use crate::machine::Machine;
use crate::ribbon::BoxCost;
use crate::runs::{Behind, Runs};
use plan::fusion::Version;
use plan::units::figure::Origin;

#[test]
fn every_hint_fits_the_message_row_of_eighty_columns() {
    let mut bench = Bench::new(Setup::preset("workshop").unwrap()).unwrap();
    for version in Version::ALL {
        bench.put(version.cut()).unwrap();
        for fusion in Fusion::ALL {
            let hint = hint(&bench, &Machine::default(), fusion).unwrap();
            let columns = hint.text.chars().count();
            assert!(columns <= 79, "{columns}: {}", hint.text);
        }
    }
}

#[test]
fn two_launches_of_rope_are_summed_in_one_box() {
    let mut setup = Setup::preset("workshop").unwrap();
    setup.conventions.rope_split = true;
    let bench = Bench::new(setup).unwrap();
    let group = selected(&bench, 4).unwrap();
    assert!(group.rope_twice);
    // docs/cost-model.md: rope 147,456 FLOP and 393,216 B at workshop B1.
    let sum = BoxCost::of(bench.cost(), &group);
    assert_eq!((sum.flops, sum.bytes()), (147_456, 393_216));
}

#[test]
fn issued_bytes_stand_below_the_modelled_ones_of_the_same_forward() {
    let bench = Bench::new(Setup::preset("workshop").unwrap()).unwrap();
    let mut runs = Runs::default();
    let (ticket, _) = runs.ask(bench.setup(), vec![Version::V1.cut()], 0).unwrap();
    let mut report = crate::runs::tests::report(71, 330.0);
    report.bytes.issued = Some(63_071_000);
    report.bytes.compulsory = Some(42_047_000);
    runs.done(ticket, Ok(report), 1);
    let rows = table(&bench, &Machine::default(), &runs);
    assert_eq!(rows.len(), ROWS);
    let of = |label: &str| rows.iter().find(|r| r.label == label).unwrap();
    // docs/cost-model.md: V1 moves 42.047 MB per forward.
    assert_eq!(of("MB, forward =").plan, "42.047");
    assert_eq!(of("  issued #").plan, "63.071");
    assert_eq!(of("  issued #").origin, Origin::Issued);
    assert_eq!(of("  compulsory #").plan, "42.047");
    // Nobody estimated it: not the same as not run.
    assert_eq!(of("  DRAM A100 =").plan, "–");
    assert_eq!(of("µs, fwd @").origin, Origin::Measured);
    assert!(!rows.iter().any(|r| r.label.contains("weights")));
}

#[test]
fn the_table_of_v3_is_that_of_the_cost_model() {
    let mut bench = Bench::new(Setup::preset("workshop").unwrap()).unwrap();
    bench.put(Version::V3.cut()).unwrap();
    let rows = table(&bench, &Machine::default(), &Runs::default());
    // docs/cost-model.md: V3 8 / 35 launches, 5,638,144 B, 30.0386 FLOP/B.
    let plan: Vec<&str> = rows.iter().map(|r| r.plan.as_str()).collect();
    assert_eq!(plan, ["8", "35", "5.638", "2.361", "30.04", "–", "–", "·"]);
    assert_eq!(rows.len(), ROWS);
}

#[test]
fn what_was_estimated_behind_another_devices_cache_was_not_run_for_this_one() {
    let bench = Bench::new(Setup::preset("workshop").unwrap()).unwrap();
    let gpus = plan::cost::GpuDatabase::embedded().unwrap();
    let behind = |id: &str| Behind::of(gpus.get(id).unwrap());
    let mut runs = Runs::default();
    runs.behind = behind("mi300a");
    let (ticket, request) = runs.ask(bench.setup(), vec![Version::V1.cut()], 0).unwrap();
    // Its Infinity Cache: 256 MiB.
    assert_eq!(request.behind, Some(256 << 20));
    let mut report = crate::runs::tests::report(71, 330.0);
    report.bytes.issued = Some(63_071_000);
    report.bytes.estimated_dram = Some(42_047_000);
    report.bytes.behind = request.behind;
    runs.done(ticket, Ok(report), 1);
    let cell = |runs: &Runs, label: &str| {
        let rows = table(&bench, &Machine::default(), runs);
        let row = rows.into_iter().find(|row| row.label == label);
        row.unwrap().plan
    };
    assert_eq!(cell(&runs, "  DRAM MI300A ="), "42.047");
    runs.behind = behind("h200");
    assert_eq!(cell(&runs, "  DRAM H200 ="), "·");
    assert_eq!(cell(&runs, "  issued #"), "63.071");
}

/// Rounds of 1000, 1100 and 1200 µs of V1, of which V2 takes 0.8, 0.9 and 0.7: medians of 1100
/// and 840 µs, and a middle of the ratios that is not theirs.
#[test]
fn what_is_saved_in_turns_is_marked_and_the_table_says_why() {
    let mut bench = Bench::new(Setup::preset("workshop").unwrap()).unwrap();
    bench.put(Version::V2.cut()).unwrap();
    let (v1, v2) = (Version::V1.cut(), Version::V2.cut());
    let mut runs = Runs::default();
    let (ticket, _) = runs.ask(bench.setup(), vec![v2, v1], 0).unwrap();
    let count = std::cell::Cell::new([0; 2]);
    crate::runs::tests::to_its_end(&mut runs, ticket, |cut| {
        let mut rounds = count.get();
        let round = &mut rounds[usize::from(cut == v1)];
        let base = [1000.0, 1100.0, 1200.0][*round % 3];
        let part = [0.8, 0.9, 0.7][*round % 3];
        *round += 1;
        count.set(rounds);
        if cut == v1 { base } else { part * base }
    });
    let machine = Machine::default();
    let rows = table(&bench, &machine, &runs);
    let row = rows.last().unwrap();
    let (_, verdict) = runs.in_turns(bench.setup(), v1, v2).unwrap();
    assert!(verdict.claimed(), "{verdict:?}");
    assert_eq!(
        (&row.label, &row.saved),
        (&"µs, turns @".into(), &verdict.cell())
    );
    assert_ne!(row.saved, plan::units::figure::saved(1100.0, 840.0, 1));
    // On every row but its own, which has the ratio with its interval.
    let said = |at| table::said(at, &bench, &machine, &runs).unwrap();
    for at in 0..ROWS - 1 {
        assert!(said(at).contains("round by round"), "{at}: {}", said(at));
    }
    assert!(said(ROWS - 1).contains("rounds in turns"));
    assert!((0..ROWS).all(|at| said(at).chars().count() <= 79));
    // Nothing of the kind where a plan stands beside itself.
    bench.put(v1).unwrap();
    let rows = table(&bench, &machine, &runs);
    assert_eq!(rows.last().unwrap().label, "µs, fwd @");
    assert_eq!(table::said(0, &bench, &machine, &runs), None);
}
