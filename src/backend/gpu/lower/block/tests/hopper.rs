//! Hopper's kernel for bf16: tiles of its products, and what keeps it from running.

use super::*;

/// The launch of a forward's blocks, and its tiles by what is defined for them.
fn forward(preset: &str, shape: Shape, target: &Target) -> Launch {
    let program = program(preset, Version::Forward, shape, target);
    let [launch] = launches(&program)[..] else {
        panic!("{} launches", program.steps.len());
    };
    launch.clone()
}

fn prompt(rows: u64) -> Shape {
    shape(1, rows, rows)
}

fn is_hopper(launch: &Launch) -> bool {
    launch.unit.files.contains(&"tile/block_ring.cu")
}

fn defined(launch: &Launch, name: &str) -> u64 {
    let defines = &launch.unit.defines;
    let found = defines.iter().find(|(of, _)| *of == name);
    found
        .unwrap_or_else(|| panic!("no {name}"))
        .1
        .parse()
        .unwrap()
}

/// One product of a forward: its columns, and the tile that was chosen.
struct Chosen {
    rows: u64,
    tile_rows: u64,
    columns: u64,
    /// Columns of the whole tile: two groups side by side where it has 64 rows.
    tile: u64,
    split: u64,
}

impl Chosen {
    fn tiles(&self) -> u64 {
        self.rows.div_ceil(self.tile_rows) * self.columns.div_ceil(self.tile)
    }

    /// Part of the multiprocessors' rounds in which they have a tile.
    fn busy(&self) -> f64 {
        let tasks = self.tiles() * self.split;
        tasks as f64 / (tasks.div_ceil(SMS) * SMS) as f64
    }
}

/// q, k, v; o (and down); gate and up, of TinyLlama: 2048 wide, 256 of keys, 5632.
fn chosen(launch: &Launch, rows: u64) -> [Chosen; 3] {
    let tile_rows = defined(launch, "ROWS");
    let sides = if tile_rows == 64 { 2 } else { 1 };
    let of = |columns, n: &str, split| Chosen {
        rows,
        tile_rows,
        columns,
        tile: sides * defined(launch, n),
        split,
    };
    [
        of(2048 + 2 * 256, "QKV_N", defined(launch, "QKV_SPLIT")),
        of(2048, "OUT_N", defined(launch, "OUT_SPLIT")),
        of(2 * 5632, "FFN_N", 1),
    ]
}

#[test]
fn a_step_of_every_tile_fits_its_slot_and_the_ring_fits_the_block() {
    for preset in ["workshop", "small", "medium", TINYLLAMA] {
        for rows in [2, 63, 64, 65, 100, 128, 129, 512, 513, 1000, 2048] {
            let launch = forward(preset, prompt(rows), &h200());
            assert!(is_hopper(&launch), "{preset} {rows}");
            let slot = defined(&launch, "SLOT_BYTES");
            let tile_rows = defined(&launch, "ROWS");
            // A group has 64 rows of a product: two have 128, or the same 64 where there
            // are no more.
            assert!(
                tile_rows == 64 || tile_rows == 128 && rows > 64,
                "{preset} {rows}"
            );
            let sides = if tile_rows == 64 { 2 } else { 1 };
            for n in ["QKV_N", "OUT_N", "FFN_N"] {
                let n = defined(&launch, n);
                // wgmma takes multiples of 8 up to 256; quads own 16 columns.
                assert!(
                    n.is_multiple_of(16) && (16..=256).contains(&n),
                    "{preset} {rows}: {n}"
                );
                // A step is 64 columns of k, in bf16, of the tile's rows and columns.
                assert!(
                    (tile_rows + sides * n) * 64 * 2 <= slot,
                    "{preset} {rows}: {n}"
                );
            }
            // Keys and values of a step, which share a slot.
            let keys = defined(&launch, "KEYS") * defined(&launch, "HEAD") * 2;
            assert!(2 * keys <= slot, "{preset} {rows}");
            // Where groups take turns each has all 128 rows.
            for turns in ["QKV_TURNS", "FFN_TURNS"] {
                assert!(
                    defined(&launch, turns) == 0 || tile_rows == 128,
                    "{preset} {rows}"
                );
            }
            assert!(defined(&launch, "EARLY") < defined(&launch, "SLOTS"));
            // The slots with two barriers of 8 bytes each.
            let ring = defined(&launch, "SLOTS") * (slot + 16);
            assert!(ring <= u64::from(launch.shared), "{preset} {rows}");
            assert!(u64::from(launch.shared) <= SHARED, "{preset} {rows}");
            assert_eq!(launch.threads, 3 * 128);
        }
    }
}

#[test]
fn large_products_keep_the_multiprocessors_at_work() {
    // Tiles of 128 rows over 132 multiprocessors. 512 rows are 4 of them: 32 tiles of
    // columns make 128 tasks, 97 % of one round: 64 columns each of 2048 (or 128 and two
    // blocks to a tile), 80 of 2560; 11264 = 64 * 176 are two such rounds.
    for rows in [512, 1024, 2048] {
        let launch = forward(TINYLLAMA, prompt(rows), &h200());
        for of in chosen(&launch, rows) {
            assert!(
                of.busy() > 0.9,
                "{rows}: {} of {} columns, {}",
                of.tile,
                of.columns,
                of.busy()
            );
        }
    }
    // One row more is a row of tiles more, of which 127 rows are empty: no round may be
    // added for it that is nearly empty too.
    for rows in [513, 1025, 2049] {
        let launch = forward(TINYLLAMA, prompt(rows), &h200());
        for of in chosen(&launch, rows) {
            assert!(
                of.busy() > 0.8,
                "{rows}: {} of {} columns, {}",
                of.tile,
                of.columns,
                of.busy()
            );
        }
    }
}

#[test]
fn wider_products_get_wider_tiles_and_never_a_tile_wider_than_they_are() {
    let width = |rows: u64| chosen(&forward(TINYLLAMA, prompt(rows), &h200()), rows)[1].tile;
    // More rows are more tiles; the columns can then be cut more coarsely.
    assert!(width(512) <= width(1024) && width(1024) <= width(8192));
    for rows in [64, 128, 512] {
        for of in chosen(&forward(TINYLLAMA, prompt(rows), &h200()), rows) {
            assert!(of.tile <= of.columns);
        }
    }
}

#[test]
fn partners_share_a_tile_only_where_there_are_fewer_tiles_than_multiprocessors() {
    let mut split = Vec::new();
    for rows in [8, 64, 100, 128, 512, 1024, 2048, 8192] {
        for of in chosen(&forward(TINYLLAMA, prompt(rows), &h200()), rows) {
            assert!(matches!(of.split, 1 | 2 | 4));
            if of.split > 1 {
                // All parts of a tile run at once, or they would wait for blocks behind them.
                assert!(
                    of.tiles() * of.split <= SMS,
                    "{rows}: {} tiles by {}",
                    of.tiles(),
                    of.split
                );
                split.push(rows);
            }
        }
    }
    // 128 rows and 2048 columns: even the narrowest wide tiles are 32 of 64 columns, a
    // quarter of the multiprocessors; 5632 along k is long enough to be shared.
    assert!(split.contains(&128), "{split:?}");
    // 8192 rows have tiles enough.
    assert!(!split.contains(&8192), "{split:?}");
}

#[test]
fn few_rows_are_cut_more_finely_where_the_cache_has_a_layers_weights() {
    let rows = |preset: &str, shape| defined(&forward(preset, shape, &h200()), "ROWS");
    // One prompt: with 128 rows to a tile half as many blocks would have one. A layer of the
    // workshop has 1 MB of weights, of small 8, of TinyLlama 88.
    assert_eq!(rows("workshop", prompt(128)), 64);
    assert_eq!(rows("small", prompt(128)), 64);
    assert_eq!(rows(TINYLLAMA, prompt(128)), 128);
    // Rows enough: both operands of a tall tile are asked for less often.
    assert_eq!(rows("medium", shape(16, 512, 512)), 128);
}

#[test]
fn a_block_begins_by_itself_only_where_nobody_left_x_and_its_sums() {
    let blocks = fp32("workshop", Version::V4, shape(8, 128, 128), &h200());
    let begun = |l: &Launch| match l.args.last() {
        Some(Arg::I32(begun)) => *begun,
        other => panic!("{other:?}"),
    };
    assert_eq!(blocks.iter().map(begun).collect::<Vec<_>>(), [0, 1, 1, 1]);
    let forward = fp32("workshop", Version::Forward, shape(8, 128, 128), &h200());
    assert_eq!(forward.iter().map(begun).collect::<Vec<_>>(), [0]);
}

#[test]
fn hoppers_block_may_begin_while_the_launch_in_front_ends() {
    let program = program("workshop", Version::V4, shape(8, 128, 128), &h200());
    let blocks = launches(&program).into_iter().filter(|l| is_hopper(l));
    assert!(blocks.clone().count() == 4 && blocks.clone().all(|l| l.overlap && l.cooperative));
    // It waits itself, before it looks at what others wrote.
    let source = crate::gpu::kernel_source("hopper/block.cu").unwrap();
    let at = |what: &str| source.find(what).unwrap();
    assert!(at("grid_wait();") < at("Gate gate(barrier);"));
}

#[test]
fn without_clusters_and_bulk_copies_the_portable_kernel_runs() {
    for (arch, shared) in [
        ("sm_80", 166_912),
        ("sm_86", 101_376),
        ("sm_89", 101_376),
        // Hopper without its own instructions, Blackwell of both kinds.
        ("sm_90", 232_448),
        ("sm_100", 232_448),
        ("sm_120", 101_376),
    ] {
        let device = target(arch, 108, shared);
        for rows in [2, 100, 512] {
            let launch = forward(TINYLLAMA, prompt(rows), &device);
            assert_eq!(launch.unit.entry, "block", "{arch}");
            assert!(!is_hopper(&launch), "{arch}");
            let sm90 = |file: &&str| file.starts_with("hopper/") || file.contains("prefix/hopper");
            assert!(!launch.unit.files.iter().any(sm90), "{arch}");
            assert!(launch.shared <= shared);
        }
    }
}

#[test]
fn where_the_ring_finds_no_room_the_portable_kernel_runs_and_where_that_finds_none_a_sentence() {
    // Keys and values of a step of heads of 64 are 4 * 128 * 64 bytes, four slots of them
    // 128 KiB: with 96 the ring has no room, and `block` has.
    let small = target("sm_90a", 132, 96 << 10);
    let launch = forward(TINYLLAMA, prompt(512), &small);
    assert!(launch.unit.entry == "block" && !is_hopper(&launch));
    assert!(launch.shared <= 96 << 10);

    let mut config = Config::preset(TINYLLAMA, Version::Forward.cut()).unwrap();
    config.dtype = Dtype::Bf16;
    config.shape = prompt(512);
    let graph = Graph::of(&config.model, &config.shape).unwrap();
    let plan = Plan::new(&graph, Version::Forward.cut(), config.keeps_kv());
    let lacks = lower(&Setup {
        config: &config,
        graph: &graph,
        plan: &plan,
        target: &target("sm_90a", 132, 8 << 10),
        gemm: Gemm::Own,
        cap: 512,
        tuned: &[],
    })
    .unwrap_err()
    .to_string();
    // What, where, and what runs instead.
    assert!(lacks.contains("8192 bytes of shared memory"), "{lacks}");
    assert!(lacks.contains("--backend cpu runs it"), "{lacks}");
}

#[test]
fn shapes_that_the_ring_does_not_know_go_to_the_portable_kernel() {
    let entry = |change: &dyn Fn(&mut Config)| {
        let mut config = Config::preset("small", Version::Forward.cut()).unwrap();
        config.dtype = Dtype::Bf16;
        config.shape = prompt(100);
        change(&mut config);
        let graph = Graph::of(&config.model, &config.shape).unwrap();
        let plan = Plan::new(&graph, Version::Forward.cut(), config.keeps_kv());
        let program = lower(&Setup {
            config: &config,
            graph: &graph,
            plan: &plan,
            target: &h200(),
            gemm: Gemm::Own,
            cap: 100,
            tuned: &[],
        })
        .unwrap();
        let [launch] = launches(&program)[..] else {
            panic!("{} launches", program.steps.len());
        };
        (launch.unit.entry, is_hopper(launch))
    };
    assert_eq!(entry(&|_| {}), ("block", true));
    // Rows that are not whole packs of 16 bytes, which the copy engine needs.
    assert_eq!(entry(&|c| c.model.ffn = 1020), ("block", false));
    assert_eq!(entry(&|c| c.model.vocab = 1001), ("block", false));
    assert_eq!(entry(&|c| c.dtype = Dtype::Fp32), ("block", false));
    // One new token of one sequence has a kernel of its own.
    let one = |c: &mut Config| {
        c.shape = Shape {
            batch: 1,
            seq: 1,
            context: 100,
        }
    };
    assert_eq!(entry(&one), ("block_decode", false));
}

#[test]
fn what_keeps_hoppers_kernel_from_running_is_said_once_with_what_runs_instead() {
    let h200 = target("sm_90a", 132, 232_448);
    let said = |change: &dyn Fn(&mut Config), target: &Target| {
        let mut config = Config::preset("small", Version::V4.cut()).unwrap();
        config.dtype = Dtype::Bf16;
        config.shape = shape(1, 100, 100);
        change(&mut config);
        let graph = Graph::of(&config.model, &config.shape).unwrap();
        let plan = Plan::new(&graph, Version::V4.cut(), config.keeps_kv());
        let setup = Setup {
            config: &config,
            graph: &graph,
            plan: &plan,
            target,
            gemm: Gemm::Own,
            cap: 100,
            tuned: &[],
        };
        lower(&setup).unwrap().notes
    };
    assert_eq!(said(&|_| {}, &h200), Vec::<String>::new());
    let fp32 = |c: &mut Config| c.dtype = Dtype::Fp32;
    let ragged = |c: &mut Config| c.model.ffn = 1020;
    let token = |c: &mut Config| c.shape = shape(1, 1, 100);
    let a100 = target("sm_80", 108, 166_912);
    let cramped = target("sm_90a", 132, 96 << 10);
    for (notes, why, instead) in [
        (said(&fp32, &h200), "this is fp32", "; block does"),
        (said(&ragged, &h200), "ffn 1020", "; block does"),
        (said(&token, &h200), "fewer than 4", "; block_decode does"),
        (said(&|_| {}, &a100), "this device is sm_80", "; block does"),
        (said(&|_| {}, &cramped), "98304 bytes", "; block does"),
    ] {
        // Eight blocks, one sentence.
        let [note] = &notes[..] else {
            panic!("{notes:?}");
        };
        assert!(note.contains(why) && note.ends_with(instead), "{note}");
    }
}

#[test]
fn prompts_of_several_sequences_are_shared_out_to_teams_of_blocks() {
    let h200 = target("sm_90a", 132, 232_448);
    let defined = |preset: &str, shape: Shape| {
        let program = program(preset, Version::Forward, shape, &h200);
        let unit = &launches(&program)[0].unit;
        ["TEAM", "TEAM_SEQUENCES"].map(|name| {
            let found = unit.defines.iter().find(|(of, _)| *of == name);
            found.unwrap().1.parse::<u64>().unwrap()
        })
    };
    // 8 teams of 16 are 128 of the 132 multiprocessors.
    assert_eq!(defined("workshop", shape(8, 128, 128)), [16, 1]);
    assert_eq!(defined("small", shape(8, 128, 128)), [16, 1]);
    // One sequence, and a step of decode, whose sequences share the weights they wait for.
    assert_eq!(defined("tinyllama-1.1b", shape(1, 512, 512)), [0, 0]);
    assert_eq!(defined("tinyllama-1.1b", shape(32, 1, 512)), [0, 0]);
    // However many sequences: each belongs to a team, no team is empty, all blocks exist.
    for batch in [2, 3, 5, 7, 13, 40, 131, 200] {
        let [blocks, sequences] = defined("workshop", shape(batch, 77, 77));
        if blocks > 0 {
            let teams = batch.div_ceil(sequences);
            assert!(
                teams * blocks <= 132 && (teams - 1) * sequences < batch,
                "{batch}"
            );
        }
    }
}
