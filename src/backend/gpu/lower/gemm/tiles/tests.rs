use super::*;

fn target(arch: &str, sms: u32, shared: u32) -> Target {
    Target {
        vendor: Vendor::Nvidia,
        arch: arch.to_owned(),
        warp: 32,
        sms,
        shared_per_block: shared,
    }
}

fn chosen(target: &Target, elem: u64, m: u64, widths: &[u64], k: u64) -> (Way, u32, u32) {
    let request = Request {
        target,
        elem,
        m,
        widths,
        k,
    };
    let t = request.choose();
    (t.way, t.m, t.n)
}

#[test]
fn the_tile_that_was_quickest_on_the_h200_is_chosen() {
    let h200 = target("sm_90a", 132, 232_448);
    // fp32: 128x256x256 3.8 us in 16x16 (32x32 5.5), 1024x256x256 7.7 us in
    // 32x32 (64x64 12.8), 1024x2048x512 58.4 us
    // in 128x64 (64x64 62.6), 8192x4096x1024 1.62 ms in 128x128 (64x64 1.83).
    assert_eq!(chosen(&h200, 4, 128, &[256], 256), (Way::Plain, 16, 16));
    assert_eq!(chosen(&h200, 4, 1024, &[256], 256), (Way::Plain, 32, 32));
    assert_eq!(chosen(&h200, 4, 1024, &[2048], 512), (Way::Plain, 128, 64));
    assert_eq!(
        chosen(&h200, 4, 8192, &[4096], 1024),
        (Way::Plain, 128, 128)
    );
    // bf16: 1024x256x256 3.4 us in 32x32 (64x64 3.9), 8192x8192x1024 460 us
    // in 128x64 (64x64 511).
    assert_eq!(chosen(&h200, 2, 1024, &[256], 256), (Way::Mma, 32, 32));
    assert_eq!(chosen(&h200, 2, 8192, &[8192], 1024), (Way::Mma, 128, 64));
}

#[test]
fn a_tile_that_is_set_is_one_of_the_table_with_room_for_its_stages() {
    let h200 = target("sm_90a", 132, 232_448);
    let set = |m: u64, settings: &[(&str, u32)]| {
        let settings = settings
            .iter()
            .map(|(name, value)| ((*name).to_owned(), *value));
        let request = Request {
            target: &h200,
            elem: 4,
            m,
            widths: &[256],
            k: 256,
        };
        request.set(&Settings(settings.collect()))
    };
    let found = set(128, &[("m", 64), ("n", 64), ("stages", 2), ("blocks", 1)]).unwrap();
    assert_eq!((found.stages, found.blocks), (2, 1));
    // Two stages of 64 + 64 rows of 128 bytes, more than the sums of 64 · 72 · 4, and
    // 64 · 4 and 64 · 2.
    assert_eq!(found.shared(), 2 * 128 * 128 + 384);
    // No such tile; no room for eight stages of 256 rows of 128 bytes; few rows.
    assert!(set(128, &[("m", 64), ("n", 32)]).is_none());
    assert!(set(128, &[("m", 128), ("n", 128), ("stages", 8)]).is_none());
    assert!(set(4, &[("m", 64), ("n", 64)]).is_none());
}

#[test]
fn few_rows_are_a_matrix_vector_product() {
    let h200 = target("sm_90a", 132, 232_448);
    assert_eq!(chosen(&h200, 2, 1, &[2048], 2048), (Way::Vector, 1, 16));
    assert_eq!(chosen(&h200, 4, 7, &[2048], 2048), (Way::Vector, 8, 16));
    assert_eq!(chosen(&h200, 2, 8, &[2048], 2048), (Way::Mma, 16, 32));
}

#[test]
fn rows_that_are_not_aligned_take_the_plain_way() {
    let h200 = target("sm_90a", 132, 232_448);
    assert_eq!(chosen(&h200, 2, 1, &[64], 1001).0, Way::Plain);
    assert_eq!(chosen(&h200, 2, 512, &[64], 1001).0, Way::Plain);
    let turing = target("sm_75", 40, 65_536);
    assert_eq!(chosen(&turing, 2, 512, &[2048], 2048).0, Way::Plain);
}

#[test]
fn every_tile_is_one_that_the_kernels_can_compute() {
    for warp in [32, 64] {
        let portable = PLAIN.iter().filter(|t| t.is_whole(warp));
        assert!(portable.clone().count() >= 4);
        let matrix: &[Tile] = if warp == 32 { &MMA } else { &MFMA };
        for t in portable.chain(matrix) {
            assert!(t.is_whole(warp), "{t:?}");
            // A thread's (a warp's) share is whole; pairs fill packs.
            let (lanes_m, lanes_n) = match t.way {
                Way::Mma | Way::Mfma => (16, 16),
                _ => (warp / 8, 8),
            };
            let share = (t.m % (t.warps_m * lanes_m), t.n % (t.warps_n * lanes_n));
            assert_eq!(share, (0, 0), "{t:?}");
            assert_eq!((t.n / 2) % 8, 0, "{t:?}");
            // A stage has two steps of 32 elements, one or two of them a slice's.
            assert!(t.way != Way::Mfma || t.slices <= 2, "{t:?}");
        }
    }
}

#[test]
fn amd_takes_matrix_units_where_it_has_them_and_64_kb_everywhere() {
    let amd = |arch: &str, warp: u32| Target {
        vendor: Vendor::Amd,
        arch: arch.to_owned(),
        warp,
        sms: 104,
        shared_per_block: 65_536,
    };
    for (arch, warp, way) in [
        ("gfx906", 64, Way::Plain),
        ("gfx908", 64, Way::Mfma),
        ("gfx90a", 64, Way::Mfma),
        ("gfx942", 64, Way::Mfma),
        ("gfx1030", 32, Way::Plain),
        ("gfx1100", 32, Way::Plain),
    ] {
        let target = amd(arch, warp);
        for elem in [2, 4] {
            for m in [16, 128, 512, 8192] {
                let request = Request {
                    target: &target,
                    elem,
                    m,
                    widths: &[2048],
                    k: 2048,
                };
                let tile = request.choose();
                assert_eq!(tile.way, if elem == 2 { way } else { Way::Plain });
                assert!(tile.shared() <= 65_536 && tile.is_whole(warp), "{tile:?}");
                assert_eq!(tile.stages, 2);
            }
        }
    }
}

#[test]
fn gfx906_limits_registers_for_the_blocks_that_it_holds() {
    let mi50 = Target {
        vendor: Vendor::Amd,
        arch: "gfx906".to_owned(),
        warp: 64,
        sms: 60,
        shared_per_block: 65_536,
    };
    let chosen = |m: u64, elem: u64| {
        let request = Request {
            target: &mi50,
            elem,
            m,
            widths: &[2048],
            k: 2048,
        };
        let t = request.choose();
        ([t.m, t.n], t.stages, t.blocks)
    };
    // Eight waves of 64 are two on a SIMD, half of its registers each: one block of
    // eight waves, two of four. 64 KiB hold three blocks of 2 · 64 · 128 bytes and their
    // ends, and one of the larger tiles.
    for elem in [2, 4] {
        assert_eq!(chosen(1, elem), ([1, 16], 2, 1));
        assert_eq!(chosen(4, elem), ([4, 16], 2, 1));
        assert_eq!(chosen(32, elem), ([32, 32], 2, 2));
        assert_eq!(chosen(8192, elem).2, 1);
    }
    // What is set is what is tried, and MI100 keeps what it had.
    let set = Settings(
        [
            ("m".to_owned(), 32),
            ("n".to_owned(), 32),
            (BLOCKS.to_owned(), 4),
        ]
        .into(),
    );
    let request = |target| Request {
        target,
        elem: 4,
        m: 32,
        widths: &[2048],
        k: 2048,
    };
    assert_eq!(request(&mi50).set(&set).unwrap().blocks, 4);
    let mut other = set.clone();
    other.0.insert("stages".to_owned(), 4);
    assert!(request(&mi50).set(&other).is_none());
    let mi100 = Target {
        arch: "gfx908".to_owned(),
        ..mi50.clone()
    };
    assert_eq!(request(&mi100).choose().blocks, 4);
    let vector = Request {
        m: 4,
        ..request(&mi100)
    }
    .choose();
    assert_eq!((vector.stages, vector.blocks), (4, 2));
}

#[test]
fn a_device_with_48_kb_of_shared_memory_gets_a_tile_that_fits() {
    let small = target("sm_60", 20, 49_152);
    for m in [16, 512, 8192] {
        let request = Request {
            target: &small,
            elem: 4,
            m,
            widths: &[2048],
            k: 2048,
        };
        assert!(request.choose().shared() <= 49_152);
    }
}
