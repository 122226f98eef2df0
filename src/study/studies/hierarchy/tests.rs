use super::*;
use plan::run::{BackendKind, RunError};

/// Rows of sets in KiB with a latency, each sample off by up to `noise` of it.
fn rows(of: &[(u64, f64)], noise: f64) -> Vec<MemoryRow> {
    let sample = |ns: f64, i: i32| ns * (1.0 + noise * f64::from((i * 7) % 5 - 2) / 2.0);
    let row = |&(kib, ns): &(u64, f64)| MemoryRow {
        bytes: kib << 10,
        latency_ns: (0..5).map(|i| sample(ns, i)).collect(),
        one_gbs: vec![100.0 / ns; 5],
        all_gbs: Vec::new(),
    };
    of.iter().map(row).collect()
}

fn cache(name: &str, kib: u64) -> CacheSize {
    CacheSize {
        name: name.to_owned(),
        bytes: kib << 10,
    }
}

/// L1 of 48 KiB, L2 of 2 MiB: a jump at the first, a slope over the second.
const STAIRS: [(u64, f64); 9] = [
    (16, 1.5),
    (32, 1.5),
    (48, 1.5),
    (64, 4.5),
    (512, 5.0),
    (1024, 5.0),
    (2048, 9.0),
    (4096, 20.0),
    (8192, 21.0),
];

fn study(rows: Vec<MemoryRow>) -> Findings {
    let request = MemoryRequest {
        backend: BackendKind::Cpu,
        sizes: rows.iter().map(|r| r.bytes).collect(),
    };
    let report = MemoryReport {
        schema: 1,
        device: "a CPU".into(),
        units: 2,
        caches: vec![cache("L1", 48), cache("L2", 2048)],
        rows,
        notes: Vec::new(),
    };
    let evidence = Evidence {
        memory: Some(Ok(report)),
        ..Evidence::default()
    };
    Hierarchy { request }.reduce(&evidence).unwrap()
}

#[test]
fn a_step_is_named_by_the_cache_that_ends_in_it() {
    let found = study(rows(&STAIRS, 0.02));
    assert_eq!(
        found.sentences[..2],
        [
            // 4.5 / 1.5; from 64 to 512 KiB it goes up by 1.11, so that the step goes on.
            "Between 48 KiB and 512 KiB a load comes to wait 3.3 times as long (1.5 ns, then 5.0 ns @): there L1 (48 KiB) ends.",
            // The slope from 1 to 4 MiB is one step.
            "Between 1 MiB and 4 MiB a load comes to wait 4.0 times as long (5.0 ns, then 20.0 ns @): there L2 (2 MiB) ends.",
        ]
    );
    let fits = |at: usize| found.sheets[0].rows[at][5].clone();
    assert_eq!(
        (fits(2), fits(3), fits(8)),
        ("L1".into(), "L2".into(), "memory".into())
    );
    assert_eq!(found.sheets[1].rows.len(), 2);
}

#[test]
fn nothing_is_said_of_what_spreads_further_than_it_rises() {
    for (name, of, noise) in [
        (
            "flat",
            vec![(16, 2.0), (64, 2.02), (256, 1.99), (1024, 2.01)],
            0.02,
        ),
        (
            "a spike",
            vec![(16, 2.0), (64, 9.0), (256, 2.0), (1024, 2.0)],
            0.02,
        ),
        (
            "small rises",
            vec![(16, 2.0), (64, 2.2), (256, 2.3), (1024, 2.4)],
            0.02,
        ),
        (
            "noise",
            vec![(16, 2.0), (64, 3.0), (256, 4.0), (1024, 5.0)],
            0.9,
        ),
    ] {
        let found = study(rows(&of, noise));
        assert!(
            found.sentences[0].starts_with("No step "),
            "{name}: {:?}",
            found.sentences
        );
    }
    let flat = study(rows(&[(16, 2.0), (256, 2.0)], 0.0));
    assert_eq!(
        flat.sentences[1],
        "At the end of L1 (48 KiB) no step is seen."
    );
}

#[test]
fn a_gpu_s_caches_are_those_of_its_data_sheet() {
    let report = MemoryReport {
        schema: 1,
        device: "NVIDIA H200 (sm_90a), CUDA 13.0 driver".into(),
        units: 132,
        caches: Vec::new(),
        rows: rows(&STAIRS, 0.0),
        notes: Vec::new(),
    };
    let (caches, whence) = known(&report);
    // assets/gpus.toml: 228 KiB per multiprocessor, 60 MiB.
    assert_eq!(
        caches,
        [cache("L1 with shared memory", 228), cache("L2", 60 << 10)]
    );
    assert!(whence.contains("H200"));
}

#[test]
fn what_failed_is_a_sentence() {
    let request = MemoryRequest::new(BackendKind::Cpu, 4 << 10, 1 << 20).unwrap();
    let evidence = Evidence {
        memory: Some(Err(RunError::missing("no room"))),
        ..Evidence::default()
    };
    let said = Hierarchy { request }.reduce(&evidence).unwrap_err();
    assert_eq!(said, "no room");
}

#[test]
fn two_that_read_together_are_both_and_one_speed_is_said_once() {
    let mut sets = rows(&[(64, 1.0), (128, 1.0)], 0.0);
    sets.iter_mut().for_each(|row| row.all_gbs = vec![3.1; 5]);
    let found = study(sets.clone());
    let said = found.sentences.last().unwrap();
    assert!(
        said.starts_with("Both together read 3 GB/s from ") && said.contains(" as well as from "),
        "{said}"
    );
    sets[0].all_gbs = vec![9.0; 5];
    let found = study(sets);
    let said = found.sentences.last().unwrap();
    assert_eq!(
        said,
        "Both together read 9 GB/s at most (64 KiB) and 3 GB/s from 128 KiB @."
    );
}

/// The same sets measured twice: what is made of the second measurement.
fn twice(first: Vec<MemoryRow>, second: Vec<MemoryRow>) -> (Vec<u64>, Findings) {
    let request = MemoryRequest {
        backend: BackendKind::Cpu,
        sizes: first.iter().map(|r| r.bytes).collect(),
    };
    let study = Hierarchy { request };
    let evidence = |rows| Evidence {
        memory: Some(Ok(MemoryReport {
            schema: 1,
            device: "a CPU".into(),
            units: 2,
            caches: Vec::new(),
            rows,
            notes: Vec::new(),
        })),
        ..Evidence::default()
    };
    let mut found = evidence(first);
    let asked = study.once_more(&found).memory;
    let sizes = asked.map_or(Vec::new(), |asked| asked.sizes);
    let of = |row: &MemoryRow| sizes.contains(&row.bytes);
    if !sizes.is_empty() {
        found.take_again(evidence(second.into_iter().filter(of).collect()));
    }
    (sizes, study.reduce(&found).unwrap())
}

/// Where nothing was quiet, nothing was looked for: no cache is said to end without a step.
#[test]
fn nothing_is_said_of_caches_among_sets_that_were_all_disturbed() {
    let busy = |keep: &[usize]| {
        let mut all = rows(&STAIRS, 0.02);
        for (at, row) in all.iter_mut().enumerate() {
            if !keep.contains(&at) {
                row.one_gbs = vec![9.0, 1.0, 9.0, 1.0, 9.0];
            }
        }
        study(all).sentences.join(" ")
    };
    let said = busy(&[]);
    assert!(said.contains("No step could be looked for"), "{said}");
    assert!(
        said.contains("9 of 9 working sets were disturbed @: "),
        "{said}"
    );
    assert!(!said.contains("no step is seen"), "{said}");
    // 16 and 48 KiB lie below the end of L1, which is 48 KiB: nothing was looked for behind it.
    let said = busy(&[0, 2]);
    assert!(said.contains("not disturbed"), "{said}");
    assert!(said.contains("(all but 16 KiB and 48 KiB)"), "{said}");
    assert!(!said.contains("no step is seen"), "{said}");
}

#[test]
fn a_set_that_was_disturbed_is_measured_again_and_else_named_and_left_out() {
    let quiet = rows(&STAIRS, 0.02);
    let (again, found) = twice(quiet.clone(), quiet.clone());
    assert!(again.is_empty(), "{again:?}");
    let steps = found.sentences.clone();
    assert!(!steps.iter().any(|s| s.contains("disturbed")), "{steps:?}");
    // One waits long throughout, which only larger sets show; one has samples that differ;
    // one is read slower than both neighbours.
    let mut busy = quiet.clone();
    busy[1].latency_ns = vec![9.5; 5];
    busy[4].latency_ns = vec![5.0, 9.0, 5.0, 9.0, 5.0];
    busy[7].one_gbs = vec![1.0; 5];
    let sets = [32 << 10, 512 << 10, 4096 << 10];
    // Quiet the second time: the same is said as of a quiet machine.
    let (again, found) = twice(busy.clone(), quiet.clone());
    assert_eq!((again.as_slice(), &found.sentences), (&sets[..], &steps));
    // Disturbed again: it is said, and steps are those of the others.
    let (again, found) = twice(busy.clone(), busy);
    assert_eq!(again, sets);
    let named = "3 of 9 working sets were disturbed @, also when measured again (32 KiB, 512 KiB and 4 MiB): something else uses this machine, and no step is looked for there.";
    assert!(
        found.sentences.iter().any(|s| s == named),
        "{:?}",
        found.sentences
    );
    assert!(
        found.sentences[0].starts_with("Between 48 KiB and "),
        "{:?}",
        found.sentences
    );
}
