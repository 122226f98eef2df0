use super::*;
use crate::findings::Cell;
use plan::cost::GpuDatabase;
use plan::run::{
    BackendKind, HOST_READS, HostCase, HostReport, HostSeries, HostWay, RunError, host_batches,
    host_sizes,
};

const ROUNDS: usize = 15;

fn study(gpu: &str, run: &[HostCase]) -> HostMemory {
    HostMemory {
        gpu: GpuDatabase::embedded().unwrap().get(gpu).unwrap().clone(),
        largest: 64 << 20,
        cases: match run {
            [] => HostCase::ALL.to_vec(),
            run => run.to_vec(),
        },
        backend: (!run.is_empty()).then_some(BackendKind::Cuda),
        waited: Some(15.7e-6),
    }
}

/// Rounds about a time, each off by up to `noise` of it, another order for each `seed`.
fn about(us: f64, noise: f64, seed: usize) -> Vec<f64> {
    let off = |round: usize| f64::from(((round * 7 + seed * 3) % 5) as u32) - 2.0;
    (0..ROUNDS)
        .map(|r| us * (1.0 + noise * off(r) / 2.0))
        .collect()
}

fn series(way: HostWay, bytes: u64, times: u64, us: f64) -> HostSeries {
    let seed = way as usize + bytes.trailing_zeros() as usize + times as usize;
    HostSeries {
        way,
        bytes,
        times,
        us: about(us, 0.004, seed),
    }
}

fn report(case: HostCase, series: Vec<HostSeries>) -> HostReport {
    HostReport {
        schema: 1,
        device: "NVIDIA H200 (sm_90a), CUDA 13.0 driver".into(),
        integrated: Some(false),
        case,
        series,
        stopped: false,
        notes: vec!["by the host's clock".into()],
    }
}

/// A device with a copy that begins in 10 µs and moves 50 GB/s pinned, 10 pageable; 2 µs for
/// a copy more; memory of 4000 GB/s; no overlap in one stream, all of it in two.
fn made(case: HostCase) -> HostReport {
    let pinned = |bytes: u64| 10.0 + bytes as f64 / 50e3;
    let mib = 1_u64 << 20;
    let mut all = Vec::new();
    match case {
        HostCase::Copies => {
            for bytes in host_sizes(64 * mib) {
                for (way, us) in [
                    (HostWay::PageableUp, 12.0 + bytes as f64 / 10e3),
                    (HostWay::PageableDown, 12.0 + bytes as f64 / 10e3),
                    (HostWay::PinnedUp, pinned(bytes)),
                    (HostWay::PinnedDown, pinned(bytes)),
                ] {
                    all.push(series(way, bytes, 1, us));
                }
            }
        }
        HostCase::Batches => {
            let (bytes, counts) = host_batches(64 * mib);
            for n in counts {
                let us = pinned(bytes) + 2.0 * (n - 1) as f64;
                all.push(series(HostWay::PinnedUp, bytes, n, us));
                all.push(series(HostWay::PinnedDown, bytes, n, us));
            }
        }
        HostCase::Overlap => {
            let (bytes, copy, kernel) = (64 * mib, pinned(64 * mib), 1300.0);
            for (way, us) in [
                (HostWay::PinnedUp, copy),
                (HostWay::PinnedDown, copy),
                (HostWay::Kernel, kernel),
                (HostWay::AfterUp, copy + kernel),
                (HostWay::AfterDown, copy + kernel),
                (HostWay::BesideUp, copy.max(kernel)),
                (HostWay::BesideDown, copy + kernel),
            ] {
                all.push(series(way, bytes, 1, us));
            }
        }
        HostCase::Mapped => {
            for n in HOST_READS {
                let (bytes, reads) = (64 * mib, n as f64);
                let link = bytes as f64 / 50e3;
                all.push(series(HostWay::Mapped, bytes, n, 10.0 + reads * link));
                let own = bytes as f64 / 4000e3;
                all.push(series(HostWay::Copied, bytes, n, 10.0 + link + reads * own));
            }
        }
        HostCase::Pool => {
            for bytes in [64 << 10, 64 * mib] {
                all.push(series(HostWay::Each, bytes, 1, 200.0));
                all.push(series(HostWay::Pool, bytes, 1, 4.0));
                all.push(series(HostWay::Kept, bytes, 1, 2.0));
            }
        }
    }
    report(case, all)
}

fn reduce(study: &HostMemory, host: Vec<Result<HostReport, RunError>>) -> Findings {
    let evidence = Evidence {
        host,
        ..Evidence::default()
    };
    study.reduce(&evidence).unwrap()
}

#[track_caller]
fn says(found: &Findings, words: &str) {
    let all = found.sentences.join("\n") + "\n" + &found.notes.join("\n");
    assert!(all.contains(words), "“{words}” is not in:\n{all}");
}

fn number(cell: &Cell) -> f64 {
    match cell {
        Cell::Number(value) => *value,
        other => panic!("{other:?}"),
    }
}

#[test]
fn without_a_gpu_the_link_prices_every_table_and_says_what_is_not_in_it() {
    let found = reduce(&study("h200", &[]), Vec::new());
    assert_eq!(
        found.title,
        "NVIDIA H200 SXM: PCIe 5.0 x16, 63.0 GB/s in one direction"
            .replace("NVIDIA H200 SXM", &study("h200", &[]).gpu.name)
    );
    // 64 MiB over 32 GT/s · 16 lanes · 128/130 / 8.
    let link = 32e9 * 16.0 * 128.0 / 130.0 / 8.0;
    let copy = f64::from(64 << 20) / link * 1e6;
    let last = found.sheets[0].rows.last().unwrap();
    assert!((number(&last[1]) - copy).abs() < 1e-6, "{last:?}");
    // As many bytes as many copies cost the same: a copy's beginning has no price.
    let batches = &found.sheets[1].rows;
    assert!(batches.iter().all(|row| row[2] == batches[0][2]));
    // A kernel as long as the copy: half is saved; half as long or twice: a third.
    let saved: Vec<f64> = found.sheets[2]
        .rows
        .iter()
        .map(|row| number(&row[4]))
        .collect();
    for (saved, expected) in saved.iter().zip([100.0 / 3.0, 50.0, 100.0 / 3.0]) {
        assert!((saved - expected).abs() < 1e-9, "{saved}");
    }
    // n·B/L against B/L + n·B/H.
    let read = f64::from(64 << 20) / study("h200", &[]).gpu.bandwidth() * 1e6;
    for (row, n) in found.sheets[3].rows.iter().zip([1.0, 2.0, 4.0, 8.0, 16.0]) {
        assert!((number(&row[1]) - n * copy).abs() < 1e-6);
        assert!((number(&row[2]) - copy - n * read).abs() < 1e-6);
    }
    says(&found, "Read twice where they lie");
    says(&found, "every time is a lower bound");
    says(&found, "Recorded on an H200: a wait and a copy of 4 bytes");
    assert!(found.has_modelled());
    // One case is one table; a pool has no price.
    let one = |case| HostMemory {
        cases: vec![case],
        ..study("h200", &[])
    };
    assert_eq!(reduce(&one(HostCase::Batches), Vec::new()).sheets.len(), 1);
    let found = reduce(&one(HostCase::Pool), Vec::new());
    assert!(found.sheets.is_empty() && found.plots.is_empty());
}

#[test]
fn an_apu_has_nothing_to_cross_and_a_device_without_the_datum_says_so() {
    let found = reduce(&study("mi300a", &[]), Vec::new());
    says(&found, "have one memory: nothing has to be copied");
    says(
        &found,
        "At no number of reads does copying first take less =.",
    );
    assert!(
        !found.sentences.join(" ").contains("Recorded"),
        "of another device"
    );
    // Nothing of it speaks of a link: it has none.
    let heads = found.sheets.iter().flat_map(|sheet| {
        let columns = sheet.columns.iter().map(|column| column.name.clone());
        std::iter::once(sheet.name.clone()).chain(columns)
    });
    let all = [&found.title]
        .into_iter()
        .chain(&found.sentences)
        .chain(&found.notes);
    for text in all.cloned().chain(heads) {
        assert!(!text.contains("link"), "{text}");
    }
    let mut unknown = study("h200", &[]);
    unknown.gpu.host = None;
    let found = reduce(&unknown, Vec::new());
    says(&found, "The database has no host link of");
    assert!(found.sheets.is_empty() && found.plots.is_empty());
    let found = reduce(&study("v100", &[]), Vec::new());
    says(&found, "No vendor-grade source was found for the host link");
}

#[test]
fn what_the_rounds_show_is_said_with_its_interval() {
    let study = study("h200", &HostCase::ALL);
    assert_eq!(study.asks().host.len(), 5);
    let found = reduce(&study, HostCase::ALL.map(|case| Ok(made(case))).into());
    // 64 MiB: 12 + 6711 µs against 10 + 1342: 4.97 times.
    says(&found, "A pageable copy of 64 MiB to the device takes 4.9");
    // The fit finds what the times were made of.
    says(&found, "To the host a pinned copy takes 10.0 µs to begin");
    says(&found, "moves 50.0 GB/s from there");
    says(&found, "Each copy more to the device in a row costs 2.0");
    // 1352 + 1300 over 1352.
    says(&found, "A copy to the device behind a kernel takes 1.9");
    // In the other direction nothing was saved.
    says(
        &found,
        "A copy to the host behind a kernel against one beside it: no difference seen",
    );
    says(
        &found,
        "With 2 reads and more, copying first takes less time @.",
    );
    says(
        &found,
        "Reading 64 MiB of the host once where they lie takes 0.99",
    );
    says(&found, "gives them back takes 50.");
    assert!(
        found
            .notes
            .iter()
            .filter(|n| *n == "by the host's clock")
            .count()
            == 1
    );
    assert_eq!(found.sheets.len(), 6);
    assert_eq!(found.title, "NVIDIA H200 (sm_90a), CUDA 13.0 driver");
}

#[test]
fn times_that_do_not_differ_are_not_said_to_and_few_rounds_say_so() {
    let study = study("h200", &[HostCase::Copies]);
    let mut same = made(HostCase::Copies);
    for series in &mut same.series {
        series.us = about(
            100.0,
            0.1,
            series.way as usize + series.bytes.trailing_zeros() as usize,
        );
    }
    let found = reduce(&study, vec![Ok(same.clone())]);
    says(
        &found,
        "to the device against a pinned one: no difference seen",
    );
    // No slope is told from nothing: no rate is said.
    assert!(!found.sentences.join(" ").contains("GB/s from there"));
    for series in &mut same.series {
        series.us.truncate(4);
    }
    same.stopped = true;
    let found = reduce(&study, vec![Ok(same)]);
    says(&found, "4 rounds were timed in turns");
    says(&found, "copies: stopped before all rounds were made.");
}

#[test]
fn a_case_that_failed_says_why_and_the_others_go_on() {
    let study = study("mi300a", &[HostCase::Pool, HostCase::Overlap]);
    let none = RunError::missing("this driver has no memory pools");
    let mut overlap = made(HostCase::Overlap);
    overlap.integrated = Some(true);
    let found = reduce(&study, vec![Err(none), Ok(overlap)]);
    says(&found, "pool: this driver has no memory pools");
    says(&found, "A copy to the device behind a kernel");
    assert!(found.sentences[0].contains("have one memory"));
    // A series that was not made leaves its cells empty.
    let mut pool = made(HostCase::Pool);
    pool.series.retain(|s| s.way != HostWay::Pool);
    let found = reduce(&study, vec![Ok(pool)]);
    assert_eq!(found.sheets[0].rows[0][3], Cell::NONE);
    says(&found, "one that keeps them");
    assert!(!found.sentences.join(" ").contains("with a pool"));
}
