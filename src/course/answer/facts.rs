//! The exercise facts as tables: each answer and each slip that needs no run,
//! as an expression and the value that the course's second source gives it.
//!
//! The values are those of the facts page, which were worked out apart from
//! this program; the comment beside a value is its derivation by hand.
//! W1 is B1 S128 D256 L4 H8 K4 d32 Dkv128 I512 V1000 in fp32.

use super::*;

/// Settings, expression, expected value in base units, relative tolerance.
type Row = (&'static str, &'static str, f64, f64);

/// Exact.
const E: f64 = 0.0;
/// The value is printed with four or five digits.
const R: f64 = 2e-4;

fn evaluate(settings: &str, text: &str) -> Value {
    let gpus = GpuDatabase::embedded().unwrap();
    let settings: Vec<Setting> = settings
        .split_whitespace()
        .map(|s| s.split_once('=').unwrap())
        .map(|(name, value)| Setting::parse(name, value).unwrap())
        .collect();
    let env = Env::new(Setup::workshop().unwrap(), &gpus, &NoRecords).with(&settings);
    let expr = Expr::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    expr.evaluate(&env)
        .unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn hold(rows: &[Row]) {
    for (settings, text, expected, tolerance) in rows {
        let value = evaluate(settings, text)
            .quantity()
            .unwrap_or_else(|| panic!("{text} is no number"));
        let apart = (value.value() - expected).abs();
        assert!(
            apart <= expected.abs() * tolerance.max(1e-12),
            "{text} in ({settings}) is {}, the facts say {expected}",
            value.value()
        );
    }
}

#[test]
#[rustfmt::skip] // one fact per line
fn launches() {
    hold(&[
        ("", "block.launches", 17.0, E), // K1
        ("", "block(rope_kernels=2).launches", 18.0, E),
        ("", "block.weight_products", 7.0, E), // q k v o gate up down
        ("", "block.products", 9.0, E),        // and qk, pv
        ("", "forward.launches", 71.0, E),     // K2: 4·17 + 3
        ("", "block.launches * L", 68.0, E),
        ("", "12 * L", 48.0, E),
        ("", "forward(rope_kernels=2).launches", 75.0, E), // 4·18 + 3
        ("", "block(v2).launches", 11.0, E),               // K3
        ("", "block(v2eager).launches", 12.0, E),
        ("", "1 - block(v4).launches / block(v1).launches", 0.9412, R), // K4: 16/17
        ("", "1 - 1/12", 0.9167, R),
        ("", "1 - forward(v4).launches / forward(v1).launches", 0.9014, R), // 64/71
        ("batch=8", "forward(v2).launches", 47.0, E), // ex16
        ("", "1 - block(v2).weight_products / block(v1).weight_products", 3.0 / 7.0, R),
        ("preset=part-c", "block(v1).launches / block(v4).launches", 17.0, E),
        ("", "forward(v3).launches", 35.0, E),
        ("", "forward(forward).launches", 1.0, E),
    ]);
    assert_eq!(
        evaluate("", "outside").to_string(),
        "embed, final_norm, lm_head"
    );
}

#[test]
#[rustfmt::skip] // one fact per line
fn parameters_and_cache() {
    hold(&[
        // M1: 4·(2·65,536 + 2·256·128 + 3·256·512 + 512) + 256 + 256,000
        ("", "params.tied", 2_617_600.0, E),
        ("", "params.untied", 2_873_600.0, E), // + 256,000
        ("", "params(untied=on)", 2_873_600.0, E),
        ("", "params(no_gqa=on)", 2_879_744.0, E), // + 4·2·256·128
        ("", "params.tied * w", 10.4704e6, E),     // M2
        ("", "params.tied * w / 1.048576", 9.9854e6, R), // called MB, is MiB
        ("", "params.untied * w", 11.4944e6, E),
        ("preset=tinyllama-1.1b dtype=bf16", "kv", 11_534_336.0, E), // P2: 2·22·512·256·2
        ("preset=tinyllama-1.1b dtype=bf16", "kv(no_gqa=on)", 92_274_688.0, E), // ·8
        ("preset=tinyllama-1.1b dtype=bf16", "kv(layers=1)", 524_288.0, E),
        ("", "3*D*I / (2*D*I)", 1.5, E), // ex8 glu
        ("", "H/K", 2.0, E),
    ]);
}

#[test]
#[rustfmt::skip] // one fact per line
fn flops() {
    hold(&[
        ("", "sum(q k v).flops", 33_554_432.0, E), // F1: 2·128·256·(256 + 2·128)
        ("", "sum(q k v, no_gqa=on).flops", 50_331_648.0, E), // 2·128·256·768
        ("", "sum(q k v, macs=on).flops", 16_777_216.0, E),
        ("", "sum(qk pv).flops", 16_777_216.0, E), // F2: 4·128²·256
        ("", "sum(qk pv, no_heads=on).flops", 134_217_728.0, E), // ·8
        ("", "sum(qk pv).flops * H", 134_217_728.0, E),
        ("", "sum(qk pv, macs=on).flops", 8_388_608.0, E),
        ("", "sum(qk).flops", 8_388_608.0, E),
        ("", "sum(qk pv, causal=exact).flops", 8_454_144.0, E), // F3: 4·8,256·256
        ("", "sum(qk pv).flops / 2", 8_388_608.0, E),
        ("", "4 FLOP * B * S*(S-1)/2 * D", 8_323_072.0, E),
        ("", "sum(gate up down).flops", 100_663_296.0, E), // F4: 6·128·256·512
        ("", "sum(gate up down, macs=on).flops", 50_331_648.0, E),
        ("", "sum(gate down).flops", 67_108_864.0, E),
        ("", "forward.gemm_flops", 736_624_640.0, E), // F5: 4·167,772,160 + 65,536,000
        ("", "block.gemm_flops * L", 671_088_640.0, E),
        ("", "forward(no_head=on).gemm_flops", 671_088_640.0, E),
        ("", "forward(macs=on).gemm_flops", 368_312_320.0, E),
        ("", "forward.flops", 743_116_160.0, E),
        ("", "kernel(v1, norm1).flops", 131_456.0, E), // ex8: 4·32,768 + 3·128
        ("", "sum(rope).flops", 147_456.0, E),         // 3·128·(256 + 128)
        ("", "3 FLOP * B*S*D", 98_304.0, E),           // q only
        ("", "sum(silu mul).flops", 327_680.0, E),     // 5·128·512
        ("", "4 B * B*H*S*S", 524_288.0, E),           // ex9 scores
        ("", "P", 131_072.0, E),
        // ex9 square: 4BS²D = 4BSD² + 4BSD·Dkv + 6BSDI, so S = D + Dkv + 1.5 I
        ("", "D + Dkv + 1.5*I", 1152.0, E),
        ("", "2*D + 1.5*I", 1280.0, E),
    ]);
}

#[test]
#[rustfmt::skip] // one fact per line
fn bytes_of_kernels() {
    hold(&[
        // ex3, W1: 4·(inputs + weights + outputs)
        ("", "kernel(v1, q).bytes", 524_288.0, E),
        ("", "kernel(v1, q, no_weights=on).bytes", 262_144.0, E),
        ("", "kernel(v1, q).bytes / 4", 131_072.0, E),
        ("", "kernel(v1, softmax).bytes", 1_048_576.0, E),
        ("", "kernel(v1, softmax).read_bytes", 524_288.0, E),
        ("", "kernel(v1, res1).bytes", 393_216.0, E),
        ("", "2 * kernel(v1, res1).written_bytes", 262_144.0, E),
        ("", "kernel(v1, norm1).bytes", 263_168.0, E), // 4·(2·32,768 + 256)
        ("", "kernel(v1, norm1, no_weights=on).bytes", 262_144.0, E),
        ("", "kernel(v1, norm1).bytes + kernel(v1, norm1).read_bytes", 394_240.0, E),
        // ex10 and ex13: peaks
        ("batch=8", "peak(v1)", 9_961_472.0, E), // P1
        ("batch=4", "peak(v1)", 4_980_736.0, E),
        ("batch=4 seq=1024", "peak(v1)", 274_726_912.0, E),
        ("batch=4 seq=1024", "peak(v2)", 29_360_128.0, E),
        ("batch=4", "peak(v1) / peak(v2)", 1.357, 5e-4),
        ("batch=4 seq=1024", "peak(v1) / peak(v2)", 9.357, 5e-4),
        ("batch=8", "1 - peak(v2) / peak(v1)", 0.263, 1e-3),
        ("batch=4", "sum(qk pv, seq=256).flops / sum(qk pv).flops", 4.0, E),
        // ex18, ex22
        ("dtype=bf16", "block.bytes", 4_981_760.0, E),
        ("batch=8", "kernel(v3, res1).bytes", 4_195_328.0, E),
        ("batch=8", "group(v2, res1 norm2).bytes", 5_243_904.0, E),
    ]);
    assert_eq!(
        evaluate("batch=8", "peak(v1).kernel").to_string(),
        "softmax"
    );
    assert_eq!(
        evaluate("batch=4", "peak(v2).kernel").to_string(),
        "silu+mul"
    );
    assert_eq!(
        evaluate("", "least(intensity, q softmax res1 norm1)").to_string(),
        "res1"
    );
    // 8,388,608 > 6,291,456 > 5,767,168 > 4,194,304 > 3,670,016
    assert_eq!(
        evaluate("batch=8", "order(bytes, gate silu qk mul softmax)").to_string(),
        "softmax, mul, qk, silu, gate"
    );
}

#[test]
#[rustfmt::skip] // one fact per line
fn savings() {
    hold(&[
        // Q1: 2BSD / (3BSD + 3BSD + 3D²) at BS = 1024: 2048/6912
        ("batch=8 no_gqa=on", "save(group(v1, q k v), group(v1+qkv, q k v))", 0.2963, R),
        ("batch=8", "save(group(v1, q k v), group(v1+qkv, q k v), no_gqa=on)", 0.2963, R),
        ("batch=8", "save(group(v1, q k v), group(v1+qkv, q k v), no_gqa=on, no_weights=on)", 1.0 / 3.0, R),
        // 2BSD of the 3BSD + 3D² read: 2048/(3·1024 + 3·256)
        ("batch=8", "2*B*S*D / (3*B*S*D + 3*D*D)", 0.5333, R),
        ("", "save(group(v1, q k v), group(v1+qkv, q k v))", 0.2222, 5e-4), // Q2
        ("", "save(group(v1, q k v), group(v1+qkv, q k v), no_gqa=on)", 0.1667, 5e-4),
        ("", "save(group(v1, q k v), group(v1+qkv, q k v), no_weights=on)", 0.4, E),
        ("", "3*D/2", 384.0, E), // Q3: 2n = 0.4·(3n + 3D)
        ("batch=8", "save(v1, v1+qkv)", 0.0332, 2e-3),
        ("batch=8", "save(group(v1, q k v), group(v1+qkv, q k v))", 0.3636, R),
        ("batch=8", "save(group(v1, gate up), group(v1+gate_up, gate up))", 1.0 / 7.0, R), // G1
        ("batch=8", "save(group(v1, gate up), group(v1+gate_up, gate up), no_weights=on)", 1.0 / 6.0, R),
        ("batch=8", "save(v1, v1+gate_up)", 0.0166, 2e-3),
        ("batch=8", "save(v1, v1+silu_mul)", 0.0664, 1e-3),
        ("batch=8", "save(v1, v1+swiglu)", 0.2158, 2e-4),
        ("batch=8", "save(group(v1, gate up silu mul), group(v1+swiglu, gate up silu mul))", 0.7647, R),
        ("", "save(group(v1, gate up silu mul), group(v1+swiglu, gate up silu mul))", 0.5417, R),
        ("batch=8", "sum(qk softmax pv).bytes / kernel(v2, qk).bytes", 6.333, R), // A3
        ("batch=8", "sum(qk softmax pv).bytes - kernel(v2, qk).bytes", 16_777_216.0, E),
        ("batch=8", "(kernel(v2, qk).bytes + 8 B * B*H*S*S) / kernel(v2, qk).bytes", 3.667, R),
        ("", "save(v1, v4)", 0.7367, R), // T1
        ("", "save(v1, v4, no_weights=on)", 0.9655, R),
        ("batch=8", "save(v1, v2)", 0.3817, R),
        ("batch=8", "save(forward(v1), forward(v2))", 0.3667, R),
        ("preset=part-c", "save(v3, v4)", 0.6587, R),
        ("preset=part-c", "save(v1, v4)", 0.8202, R),
        // ex17: a wall costs twice the tensor that crosses it
        ("", "price(qk, softmax)", 1_048_576.0, E),
        ("", "price(softmax, pv)", 1_048_576.0, E),
        ("", "price(mul, down)", 524_288.0, E),
        ("", "price(rope, qk)", 393_216.0, E),
        ("", "price(o, res1)", 262_144.0, E),
        ("", "price(gate, up)", 131_072.0, E),
        ("", "price(norm1, q)", 131_072.0, E),
        ("", "price(up, silu)", 0.0, E),
        ("", "price(v, rope)", 0.0, E),
        ("", "price(qk, softmax) + price(softmax, pv)", 2_097_152.0, E),
    ]);
}

#[test]
#[rustfmt::skip] // one fact per line
fn intensities_and_roofs() {
    hold(&[
        ("", "kernel(v1, norm1).intensity", 0.4995, R), // A1: 131,456/263,168
        ("", "2 FLOP * B*S*D / (8 B * B*S*D)", 0.25, E),
        ("", "kernel(v1, norm1).flops / (kernel(v1, norm1).bytes + kernel(v1, norm1).read_bytes)", 0.3334, 2e-4),
        ("", "kernel(v1, res1).intensity", 1.0 / 12.0, R), // A2
        ("", "kernel(v1, res1, dtype=bf16).intensity", 1.0 / 6.0, R),
        ("seq=1024 no_gqa=on", "sum(qk pv).flops / kernel(v2, qk).bytes", 256.0, E), // A4: 4S²D/(16SD)
        ("seq=1024 no_gqa=on", "sum(qk pv).flops / (kernel(v2, qk).bytes / 4)", 1024.0, E),
        ("preset=part-c", "block(v4).intensity", 917.09, R), // T2
        ("preset=part-c", "block(v4, no_weights=on).intensity", 6534.7, R),
        ("preset=part-c", "block(v4).intensity / 2", 458.545, R),
        ("preset=part-c", "4 FLOP * B*S*D*(D + I) / (8 B * B*S*D)", 3840.0, E),
        ("", "ridge(mi250x_gcd, fp32)", 14.62, 5e-4), // R1: 23.95e12/1638.4e9
        ("", "2 * ridge(mi250x_gcd, fp32)", 29.24, 5e-4),
        ("", "ridge(h200, fp32)", 13.94, 5e-4), // 66.9e12/4.8e12
        ("", "ridge(h200, bf16)", 206.1, 5e-4),
        ("batch=8", "floor(kernel(v1, res1), h200)", 0.655e-6, 1e-3),
        ("batch=8", "kernel(v1, res1).flops / gpu(h200).fp32", 0.0039e-6, 6e-3),
        ("", "floor(v1, h200)", 14.7e-6, 3e-3), // ex11
        ("batch=8", "mem(v1, h200)", 10.0, E),
        ("", "mem(v1, h200)", 10.0, E),
        ("", "mem(v1, a100_80gb)", 8.0, E),
        ("", "mem(v1, mi300x)", 12.0, E),
        ("batch=8", "mem(v1, h200, dtype=bf16)", 17.0, E),
        ("preset=part-c", "mem(v1, h200)", 8.0, E),
        ("preset=part-c", "floor(block(v1), h200) / floor(block(v4), h200)", 1.037, 5e-4),
        ("preset=part-c dtype=bf16", "floor(block(v1), h200) / floor(block(v4), h200)", 1.336, 5e-4),
        // D1: 2,080,823,812/4.8e12
        ("preset=tinyllama-1.1b seq=1 context=512 dtype=bf16", "floor(v4, h200)", 433.5e-6, R),
        ("preset=tinyllama-1.1b seq=1 context=512 dtype=bf16", "forward(v4).flops / gpu(h200).bf16", 2.19e-6, 3e-3),
        // 458.4: every parameter, the whole embedding table included
        ("preset=tinyllama-1.1b seq=1 context=512 dtype=bf16", "params * w / gpu(h200).bandwidth", 458.4e-6, 2e-4),
        ("preset=tinyllama-1.1b seq=1 context=512 dtype=bf16", "save(forward(v1), forward(v4))", 0.0033, 2e-2),
        ("preset=tinyllama-1.1b seq=1 context=512 dtype=bf16", "(forward(v1).launches - forward(v4).launches) * 2.85 us", 1003.2e-6, R),
        ("preset=tinyllama-1.1b seq=1 context=32768 dtype=bf16", "floor(v4, h200)", 584.9e-6, R),
    ]);
    for (op, side) in [
        ("norm1", "memory"),
        ("q", "compute"),
        ("qk", "memory"),
        ("down", "compute"),
    ] {
        assert_eq!(
            evaluate("", &format!("bound(kernel(v1, {op}), h200)")).to_string(),
            side,
            "{op}"
        );
    }
}

#[test]
#[rustfmt::skip] // one fact per line
fn part_c() {
    hold(&[
        ("preset=part-c", "block(v4).flops", 219_268_788_224.0, E),
        ("preset=part-c", "block(v4).gemm_flops", 219_043_332_096.0, E),
        ("preset=part-c", "4*B*S*D*(D + I)", 128_849_018_880.0, E),
        ("preset=part-c", "block(v4).flops / 2", 109.634e9, R),
        // Products as multiply-accumulates: 219,268,788,224 − 219,043,332,096 / 2.
        ("preset=part-c", "block(v4, macs=on).flops", 109_747_122_176.0, E),
        ("preset=part-c", "block(v4, causal=exact).flops", 214.93e9, R),
        ("preset=part-c", "block(v4, ffn=5468).flops", 215.14e9, R),
        ("preset=part-c", "sum(q k v qk pv o).flops", 77.31e9, R),
        ("preset=part-c", "sum(gate up down).flops", 141.734e9, R),
        ("preset=part-c", "sum(norm1 norm2).flops", 33.6e6, 2e-3),
        ("preset=part-c", "block(v4).bytes", 239_091_712.0, E),
        ("preset=part-c", "block(v4, no_weights=on).bytes", 33_554_432.0, E),
        ("preset=part-c", "9*D + I", 24_064.0, E),
        ("preset=part-c", "(9*D + I) * w / 1024", 94.0, E),
        ("preset=part-c", "floor(block(v1), h200) / floor(block(v4), h200)", 1.037, 5e-4),
        ("preset=part-c", "block(v1).bytes / block(v4).bytes", 5.56, 5e-4),
    ]);
}

#[test]
#[rustfmt::skip] // one fact per line
fn occupancy() {
    hold(&[
        ("", "occ(h200, 48, 192, 0)", 0.5625, E), // O1: 6 blocks of 6 warps of 64
        ("", "occ(mi250x_gcd, 48, 192, 0)", 0.9375, E),
        ("", "occ(mi100, 48, 192, 0)", 0.45, E),
        ("", "occ(h200, 128, 256, 0)", 0.25, E),
        ("", "occ(mi250x_gcd, 128, 256, 0)", 0.5, E),
        ("", "occ(mi100, 128, 256, 0)", 0.2, E),
        ("", "occ(h200, 32, 256, 0)", 1.0, E),
        ("", "occ(h200, 64, 128, 0)", 0.5, R),
    ]);
}

#[test]
#[rustfmt::skip] // one fact per line
fn tiles_strides_and_arithmetic() {
    hold(&[
        ("", "6/8", 0.75, E), // X1: Horner, 3 mul + 3 add over 4 + 4 B
        ("", "7/8", 0.875, E),
        ("", "tiled(1024, 256, 256, 64)", 9_437_184.0, E), // ex24
        ("", "tiled(1024, 256, 256, 1)", 537_919_488.0, E),
        ("batch=8", "4 B * B*S*I*(3*D + 1)", 1_612_709_888.0, E), // ex25
        ("batch=8", "4 B * B*S*I*(3*D + 1) / kernel(v3, gate).bytes", 384.5, R),
        ("", "floor_int(sqrt(65536/12))", 73.0, E),
        ("", "flash(1024, 64, 64, off)", 8_912_896.0, E), // ex29
        ("", "flash(1024, 64, 64, on)", 4_980_736.0, E),
        ("", "4 B * 4 * 1024 * 64", 1_048_576.0, E),
        ("", "H * flash(128, 32, 64, off)", 786_432.0, E), // ex28
        ("", "H * flash(128, 32, 64, on)", 655_360.0, E),
        ("", "sram(64, 64, 64)", 81_920.0, E),
        ("", "sram(64, 32, 64)", 57_344.0, E),
        ("", "sector(4)", 0.25, E),
        ("", "sector(32)", 0.125, E),
        ("", "144*18*24", 62_208.0, E), // ex30
        ("", "1 - 0.99^100", 0.634, 1e-3),
        ("", "1 - 0.95^32", 0.806, 1e-3),              // ex42
        ("", "exp(2) / (exp(2) + 1)", 0.880797, 1e-6), // B1, right kernel
        ("", "exp(4) / (exp(4) + 1)", 0.982014, 1e-6), // B1, scaled twice
        ("", "1000/1024", 0.976_562_5, E),             // B2
        ("", "sqrt(128)", 11.3137, 1e-5),              // B3
        ("", "ln(V)", 6.908, R),                       // ex43
        ("", "1/(1 - 0.68/100)", 1.0068, R),           // ex11
        ("", "71 * 2.85 us", 202.35e-6, E),
    ]);
}

#[test]
#[rustfmt::skip] // one fact per line
fn searches_and_hardware() {
    hold(&[
        // ex11 cross; ex37 batch: 2·5632·2048·n/(2·(2048n + 5632·2048 + 5632n)) > 206.1
        ("", "crossing(batch, floor(forward(v1), h200), 71 * 2.85 us)", 14.0, E),
        ("preset=tinyllama-1.1b seq=1 context=512 dtype=bf16", "crossing(batch, kernel(v1, gate).intensity, ridge(h200, bf16))", 239.0, E),
        // ex9 square: from S = D + Dkv + 1.5 I = 1152 on, the next one is larger
        ("", "crossing(seq, sum(qk pv).flops, sum(q k v o gate up down).flops)", 1153.0, E),
        ("", "occ(h200, 32, 128, 65536).blocks", 3.0, E), // ex35 smem: 228/(64 + 1) KiB
        ("", "occ(h200, 48, 192, 0).warps", 36.0, E),     // 56.25 % of 64
        ("", "most_registers(mi250x_gcd, 6)", 80.0, E),   // ex35 vgpr: 512/6 = 85.3, granule 8
        ("", "gpu(h200).register_cap", 255.0, E),        // ex36 cap
        ("", "gpu(mi250x_gcd).register_cap", 512.0, E),
        ("", "gpu(mi250x_gcd).dies * gpu(mi250x_gcd).fp32 / gpu(mi250x_gcd).bandwidth", 29.24, 5e-4), // ex4 slip
        ("", "gpu(mi100).fp32", 23.1e12, 2e-3),           // ex41 fp32
        ("", "tiles(128, 32, 32, off)", 16.0, E),         // ex29 visit
        ("", "tiles(128, 32, 32, on)", 10.0, E),
        ("", "tiles(1024, 64, 64, off)", 256.0, E),
        ("", "tiles(1024, 64, 64, on)", 136.0, E),
        ("", "busy(h200, 64)", 64.0 / 132.0, 1e-12),      // 132 SMs, one round
        ("", "busy(h200, 133)", 133.0 / 264.0, 1e-12),    // a second round for one block
        ("", "ways(32)", 32.0, E),                        // ex42 bank
        ("", "ways(33)", 1.0, E),
        ("", "ways(6)", 2.0, E),                          // gcd(6, 32)
        ("", "summed(bf16, 1, 1000)", 256.0, E),          // ex18 ones
        ("", "summed(fp32, 1, 1000)", 1000.0, E),
        ("", "bf16(257)", 256.0, E),                      // 8 significant bits, ties to even
        ("", "fp16(2049)", 2048.0, E),                    // 11 significant bits
        ("", "block(v4).barriers", 4.0, E),               // ex31
        ("", "block(v2).barriers", 0.0, E),
        ("", "block(v4).tensors", 18.0, E),
        ("batch=8", "block(v1).written_bytes", 27_787_264.0, E), // ex42 ckpt, all that V1 makes
        ("", "readers(v1, n2)", 2.0, E),                  // ex15 reads: gate and up
        ("", "readers(n1)", 3.0, E),                      // ex17 once: q, k and v
    ]);
    // ex17 rank: 1,048,576 > 524,288 > 393,216 > 262,144 > 131,072 > 0
    let rank = "ranked('up|silu', price(up, silu), 'o|res1', price(o, res1), 'qk|softmax', price(qk, softmax), \
                'gate|up', price(gate, up), 'mul|down', price(mul, down), 'rope|qk', price(rope, qk))";
    assert_eq!(evaluate("", rank).to_string(), "qk|softmax, mul|down, rope|qk, o|res1, gate|up, up|silu");
    // ex11 limit: 202.4 µs of launches, 14.7 µs of kernels
    let limit = "largest('launches', 71 * 2.85 us, 'kernels', floor(forward(v1), h200))";
    assert_eq!(evaluate("", limit).to_string(), "launches");
    assert_eq!(evaluate("batch=64", limit).to_string(), "kernels");
    // ex15 rank: 1.66 < 6.64 < 21.58 %
    let least = "smallest('swiglu', save(v1, v1+swiglu), 'gate_up', save(v1, v1+gate_up), 'silu_mul', save(v1, v1+silu_mul))";
    assert_eq!(evaluate("batch=8", least).to_string(), "gate_up");
    // ex17 barrier: o tiled over the width, then a norm of whole rows
    let waits = |group: &str, op: &str| {
        let cut = ["norm1", "q", "k", "v", "rope", "qk", "softmax", "pv", "o", "res1", "norm2", "gate", "up", "silu", "mul", "down", "res2"].join("|");
        let cut = cut.replace(&group.replace(' ', "|"), group);
        evaluate("", &format!("kernel('{cut}', {op}).barriers")).to_string()
    };
    assert_eq!(waits("o res1 norm2", "o"), "1");
    assert_eq!(waits("norm2 gate", "gate"), "0");
    assert_eq!(evaluate("", "kernel(v2, qk).ops").to_string(), "qk, softmax, pv");
    assert_eq!(evaluate("", "occ(h200, 32, 128, 65536).limit").to_string(), "shared");
}
