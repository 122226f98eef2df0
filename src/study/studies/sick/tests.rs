use super::*;
use plan::cost::GpuDatabase;
use plan::fusion::Cut;
use plan::run::{MicroCounts, MicroReport, MicroRow, Timing};

fn study(only: Option<&str>, backend: BackendKind) -> Sick {
    let database = GpuDatabase::embedded().unwrap();
    Sick {
        backend,
        gpu: database.get("h200").unwrap().clone(),
        config: Config::preset("workshop", Cut::v1()).unwrap(),
        recorded: Recorded {
            launch: Some(2.85e-6),
            copies: Some((20e-6, 4e-6)),
            clock: None,
        },
        only: only.map(str::to_owned),
    }
}

fn report(kernel: &str, rows: Vec<MicroRow>) -> MicroReport {
    MicroReport {
        schema: 1,
        kernel: kernel.into(),
        swept: String::new(),
        backend: "simt".into(),
        device: "a machine".into(),
        rows,
        notes: Vec::new(),
    }
}

fn row(value: u32, counts: MicroCounts, times: &[f64]) -> MicroRow {
    MicroRow {
        value,
        label: value.to_string(),
        counts,
        time_us: Timing::of(times, "a clock"),
    }
}

#[test]
fn what_needs_a_clock_is_asked_of_a_gpu_only() {
    let asks = study(None, BackendKind::Simt).asks();
    assert_eq!(
        (asks.sweeps.len(), asks.runs.len(), asks.troubles),
        (3, 0, None)
    );
    assert_eq!(asks.mutants, [FITS, OVER]);
    let asks = study(None, BackendKind::Cuda).asks();
    assert_eq!((asks.sweeps.len(), asks.runs.len()), (4, 2));
    assert_eq!(asks.troubles, Some(BackendKind::Cuda));
    let asks = study(Some("nan"), BackendKind::Cuda).asks();
    assert!(asks.sweeps.is_empty() && asks.runs.is_empty() && asks.troubles.is_none());
}

#[test]
fn sectors_are_those_of_a_warp_s_load() {
    // 4096 loads and stores of 4 bytes: 128 loads of a warp; 32 sectors each, or 4.
    let counts = |sectors| MicroCounts {
        issued: 2 * 4 * 4096,
        sectors,
        ..MicroCounts::default()
    };
    let rows = vec![row(32, counts(4096), &[]), row(1, counts(512), &[])];
    let evidence = Evidence {
        sweeps: vec![Ok(report("stride", rows))],
        ..Evidence::default()
    };
    let found = study(Some("uncoalesced"), BackendKind::Simt)
        .reduce(&evidence)
        .unwrap();
    assert_eq!(
        found.sentences,
        [
            "uncoalesced: each lane reads 128 bytes from the next; sectors per load of a warp: 32, healthy 4 #. Way out: let neighbours read neighbours."
        ]
    );
    assert_eq!(found.sheets[0].rows[0][4], "8.00".into());
}

#[test]
fn times_are_shown_where_every_launch_is_slower() {
    let none = MicroCounts::default();
    let told = |slow: &[f64], fast: &[f64]| {
        let rows = vec![row(160, none, slow), row(60, none, &[]), row(0, none, fast)];
        let evidence = Evidence {
            sweeps: vec![Ok(report("resident", rows))],
            ..Evidence::default()
        };
        let study = study(Some("low-occupancy"), BackendKind::Cuda);
        study.reduce(&evidence).unwrap().sheets[0].rows.len()
    };
    // The calculator's line is always there.
    assert_eq!(told(&[20.0, 21.0], &[10.0, 11.0]), 2);
    assert_eq!(told(&[10.5, 21.0], &[10.0, 11.0]), 1);
    // A device without the larger room was given the smaller.
    let rows = vec![
        row(160, none, &[]),
        row(60, none, &[20.0, 21.0]),
        row(0, none, &[10.0]),
    ];
    let evidence = Evidence {
        sweeps: vec![Ok(report("resident", rows))],
        ..Evidence::default()
    };
    let study = study(Some("low-occupancy"), BackendKind::Hip);
    assert_eq!(study.reduce(&evidence).unwrap().sheets[0].rows.len(), 2);
}

#[test]
fn launches_rooms_and_recorded_figures_need_no_machine() {
    let found = study(Some("launches"), BackendKind::Simt).reduce(&Evidence::default());
    // README: 71 and 7 launches of the workshop's forward; 71 x 2.85 = 202.
    let found = found.unwrap();
    assert!(found.sentences[0].contains("kernels of a forward: 71, healthy 7 ="));
    assert!(found.notes[0].contains("are 202 µs"), "{:?}", found.notes);
    // One of eight blocks fits: 160 + 1 KiB of 228.
    let found = study(Some("low-occupancy"), BackendKind::Simt).reduce(&Evidence::default());
    assert!(found.unwrap().sentences[0].contains("12.50, healthy 100 ="));
    // An MI300X has 64 KiB for all blocks of a unit: one of 8, by its 32 waves.
    let mut other = study(Some("low-occupancy"), BackendKind::Simt);
    let database = GpuDatabase::embedded().unwrap();
    other.gpu = database.get("mi300x").unwrap().clone();
    let found = other.reduce(&Evidence::default()).unwrap();
    assert!(
        found.sentences[0].contains("12.50, healthy 100 ="),
        "{found:?}"
    );
    let found = study(Some("copies"), BackendKind::Simt).reduce(&Evidence::default());
    assert!(found.unwrap().sentences[0].contains("20, healthy 4 recorded, H200"));
    let said = study(Some("clock"), BackendKind::Simt).reduce(&Evidence::default());
    assert_eq!(
        said.unwrap_err(),
        "clock: needs a GPU (--backend cuda or hip)"
    );
}

#[test]
fn numbers_that_are_none_are_counted() {
    let mutants = [(FITS.to_owned(), 0.0), (OVER.to_owned(), 256.0)];
    let evidence = Evidence {
        mutants: mutants.into(),
        ..Evidence::default()
    };
    let found = study(Some("nan"), BackendKind::Simt)
        .reduce(&evidence)
        .unwrap();
    assert!(found.sentences[0].contains("; no number among 256 probabilities: 256, healthy 0 #"));
    assert_eq!(found.sheets[0].rows[0][4], "–".into());
}
