use super::*;
use plan::cost::GpuDatabase;
use plan::run::{BackendKind, MicroCounts, Timing};

fn study(registers: u64, threads: u64, shared: u64) -> Residents {
    let database = GpuDatabase::embedded().unwrap();
    Residents {
        gpu: database.get("h200").unwrap().clone(),
        registers,
        threads,
        shared,
        copy: MicroRequest::new(COPY, &[], BackendKind::Simt).unwrap(),
    }
}

/// A copy whose launches at a room take these times.
fn copy(times: &[(u32, &[f64])]) -> Evidence {
    let row = |(value, times): &(u32, &[f64])| MicroRow {
        value: *value,
        label: value.to_string(),
        counts: MicroCounts {
            sectors: 512,
            sectors_written: 256,
            ..MicroCounts::default()
        },
        time_us: Timing::of(times, "a clock"),
    };
    let report = MicroReport {
        schema: 1,
        kernel: COPY.into(),
        swept: "KiB per block".into(),
        backend: "cuda".into(),
        device: "a GPU".into(),
        rows: times.iter().map(row).collect(),
        notes: Vec::new(),
    };
    Evidence {
        sweeps: vec![Ok(report)],
        ..Evidence::default()
    }
}

#[test]
fn the_limit_and_the_next_block_are_those_of_the_rule() {
    // 128 x 256: 65536 / (128 x 32) = 16 warps, 2 blocks of 8. Three need 24 warps:
    // 65536 / 24 = 2730 a warp, down to 2560 in units of 256: 80 registers.
    let found = study(128, 256, 0).reduce(&Evidence::default()).unwrap();
    assert_eq!(
        found.sentences,
        [
            "2 blocks of 256 threads fit, 16 of 64 warps, 25.0 % =: registers stop one more.",
            "With 80 registers one more fits, all else as it is =.",
        ]
    );
    // 64 KiB and 1 reserved: 3 of 228 KiB. Four leave 57 KiB, 56 without the reserve.
    let found = study(32, 128, 64 << 10)
        .reduce(&Evidence::default())
        .unwrap();
    assert_eq!(
        found.sentences[1],
        "With 57344 B of shared memory one more fits, all else as it is =."
    );
    // 255 registers, given out as 256: 8 warps of 65536, a block of them.
    let found = study(255, 256, 0).reduce(&Evidence::default()).unwrap();
    assert!(
        found.sentences[0].starts_with("1 block of 256 threads fits, 8 of 64 warps, 12.5 % ="),
        "{:?}",
        found.sentences
    );
    // Full: nothing to be had.
    let found = study(32, 256, 0).reduce(&Evidence::default()).unwrap();
    assert_eq!(found.sentences.len(), 1);
    // 65536 registers are 64 warps of 32 of them, and 64 warps are all places there are.
    assert!(
        found.sentences[0].ends_with(": registers and places for warps stop one more."),
        "{:?}",
        found.sentences
    );
    assert!(study(32, 2048, 0).reduce(&Evidence::default()).is_err());
}

#[test]
fn limits_and_words_are_those_of_the_device() {
    let of = Residents {
        gpu: GpuDatabase::embedded()
            .unwrap()
            .get("mi300a")
            .unwrap()
            .clone(),
        ..study(48, 192, 0)
    };
    // A lane of gfx942 has 512 registers: 10 waves of 48, of which a part takes 8, 32 in
    // all; a block has 3.
    let found = of.reduce(&copy(&[(0, &[]), (72, &[])])).unwrap();
    assert_eq!(
        found.title,
        "48 registers, 192 threads, 0 B of LDS on AMD Instinct MI300A (GPU part of the APU)"
    );
    assert_eq!(
        found.sentences[0],
        "10 blocks of 192 threads fit, 30 of 32 waves, 93.8 % =: places for waves stop one more."
    );
    assert!(
        found
            .notes
            .iter()
            .any(|note| note.contains("64 KiB of LDS")),
        "{:?}",
        found.notes
    );
    let none = study(48, 192, 0)
        .reduce(&copy(&[(0, &[]), (72, &[])]))
        .unwrap();
    assert_eq!(none.notes.len() + 1, found.notes.len());
}

#[test]
fn rows_and_plot_of_registers_end_where_the_device_does() {
    let database = GpuDatabase::embedded().unwrap();
    // Most registers of a thread: CUDA C++ Programming Guide, compute capability 9.0 (255);
    // "AMD Instinct MI300" ISA (512 with accumulation registers), MI100 ISA and RDNA3 ISA
    // (256 vector registers). With all of them a part of gfx942 holds one wave of 8: 12.5 %.
    for (id, most, last) in [
        ("h200", 255, None),
        ("mi300a", 512, Some(12.5)),
        ("mi250x_gcd", 512, Some(12.5)),
        ("mi100", 256, Some(10.0)),
        ("rx7900xtx", 256, None),
    ] {
        let of = Residents {
            gpu: database.get(id).unwrap().clone(),
            ..study(64, 256, 0)
        };
        let found = of.reduce(&Evidence::default()).unwrap();
        let sheet = found.sheets.last().unwrap();
        let row = sheet.rows.last().unwrap();
        assert_eq!(row[0], most.to_string().as_str().into(), "{id}");
        let plot = &found.plots[0];
        assert_eq!(plot.at.last(), Some(&(most as f64)), "{id}");
        assert_eq!(plot.at.len(), plot.lines[0].2.len(), "{id}");
        let shown = plot.lines[0].2.last().copied().flatten();
        assert!(last.is_none() || shown == last, "{id}: {shown:?}");
        let cap = format!("at most {most} registers");
        assert!(found.notes.iter().any(|note| note.contains(&cap)), "{id}");
    }
}

#[test]
fn a_copys_sectors_are_those_read_and_those_written() {
    let found = study(32, 256, 0).reduce(&copy(&[(0, &[])])).unwrap();
    let sheet = &found.sheets[0];
    let cell = |head: &str| {
        let at = sheet.columns.iter().position(|c| c.name == head).unwrap();
        sheet.rows[0][at].clone()
    };
    assert_eq!(cell("sectors read"), 512_u64.into());
    assert_eq!(cell("written"), 256_u64.into());
}

#[test]
fn blocks_that_cannot_be_launched_say_so() {
    let found = study(255, 256, 0).reduce(&Evidence::default()).unwrap();
    // 255 registers come in 8 more than 248: 256 x 32 x 32 warps do not fit 65536.
    let row = found.sheets[0].rows.last().unwrap();
    assert_eq!((&row[0], &row[1]), (&"1024".into(), &0_u64.into()));
}

#[test]
fn a_copy_is_called_slower_where_every_launch_is() {
    let fast: &[f64] = &[10.0, 10.5, 11.0];
    let slow: &[f64] = &[20.0, 21.0, 22.0];
    let told = |times: &[(u32, &[f64])]| {
        let found = study(32, 256, 0).reduce(&copy(times)).unwrap();
        found.sentences.last().unwrap().clone()
    };
    // 160 KiB and 1 reserved: one block of 8 warps, 12.5 %; 112 KiB: two, 25 %.
    let said = told(&[(0, fast), (112, &[10.2, 10.6]), (160, slow)]);
    assert_eq!(
        said,
        "At 12.5 % the copy takes 2.0 times as long as at 100.0 % @; 12.5 % is the first at which every launch is slower than all with everything that fits."
    );
    let said = told(&[(0, fast), (160, &[10.9, 11.5])]);
    assert!(said.contains("their times overlap"), "{said}");
    assert!(told(&[(0, &[]), (160, &[])]).contains("only a clock sees it"));
}
