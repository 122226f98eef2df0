//! The kernel in fp32, which runs everywhere: a tile for each kind of product.

use super::*;

/// The arguments of `Tiling` of q, k, v; o and down; gate and up.
fn tilings(launch: &Launch) -> [Vec<u64>; 3] {
    ["QKV_TILE", "OUT_TILE", "FFN_TILE"].map(|name| {
        let defines = &launch.unit.defines;
        let (_, text) = defines.iter().find(|(of, _)| *of == name).unwrap();
        text.split(',').map(|n| n.parse().unwrap()).collect()
    })
}

const FP32_SHAPES: [(&str, u64, u64); 7] = [
    ("workshop", 8, 128),
    ("workshop", 1, 128),
    ("small", 8, 128),
    ("small", 3, 77),
    ("medium", 16, 512),
    (TINYLLAMA, 1, 128),
    (TINYLLAMA, 1, 512),
];

#[test]
fn in_fp32_every_tile_is_of_the_blocks_threads_and_two_blocks_fit_a_multiprocessor() {
    for (preset, batch, seq) in FP32_SHAPES {
        let launch = &fp32(preset, Version::Forward, shape(batch, seq, seq), &h200())[0];
        for tiling in tilings(launch) {
            let [m, n, rows, columns, stages, slices] = tiling[..] else {
                panic!("{tiling:?}");
            };
            assert_eq!(rows * columns * slices * 32, u64::from(launch.threads));
            // A thread's outputs are whole: a warp's lanes stand as 4 rows of 8.
            assert!(m.is_multiple_of(4 * rows) && n.is_multiple_of(8 * columns));
            // Stages of 128 bytes of each row of both operands.
            assert!(stages * (m + n) * 128 <= u64::from(launch.shared));
        }
        // What the block declares itself, and the system's kilobyte, beside it.
        assert!(
            2 * (u64::from(launch.shared) + 2048) <= SHARED,
            "{preset} {batch} {seq}"
        );
    }
}

#[test]
fn in_fp32_each_phase_keeps_the_multiprocessors_busy() {
    for (preset, batch, seq) in FP32_SHAPES {
        let model = Config::preset(preset, Version::V1.cut()).unwrap().model;
        let launch = &fp32(preset, Version::Forward, shape(batch, seq, seq), &h200())[0];
        let columns = [
            vec![model.hidden, model.kv_width(), model.kv_width()],
            vec![model.hidden],
            vec![2 * model.ffn],
        ];
        for (tiling, columns) in tilings(launch).iter().zip(columns) {
            let across: u64 = columns.iter().map(|n| n.div_ceil(tiling[1])).sum();
            let tiles = (batch * seq).div_ceil(tiling[0]) * across;
            // Part of the multiprocessors that have a tile in the last round, or that there
            // is no smaller tile to give them.
            let rounds = tiles.div_ceil(SMS);
            let busy = tiles as f64 / (rounds * SMS) as f64;
            assert!(
                busy > 0.6 || tiling[0] * tiling[1] <= 32 * 32,
                "{preset} {batch} {seq}: {tiles} tiles of {tiling:?}"
            );
        }
    }
}

#[test]
fn in_fp32_on_other_devices_one_tile_serves_all_products() {
    // Measured on Hopper only.
    let a100 = target("sm_80", 108, 166_912);
    for (preset, batch, seq) in FP32_SHAPES {
        let launch = &fp32(preset, Version::Forward, shape(batch, seq, seq), &a100)[0];
        let [qkv, out, ffn] = tilings(launch);
        assert!(qkv == out && out == ffn, "{preset} {batch} {seq}");
    }
}
