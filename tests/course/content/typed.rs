//! Each question takes the answers that people type as the exercise says.
//!
//! Values are worked out here from the shapes, not by the program: workshop is
//! B1 S128 D256 L4 H8 K4 I512 V1000, so d = 32 and Dkv = 128; part C is B4 S512
//! D2048 H = K = 16 I5632.

use tinyllama_tutor::answer::{Records, grade};
use tinyllama_tutor::cost::{Config, GpuDatabase};
use tinyllama_tutor::course::{Course, Figures, Ledger};
use tinyllama_tutor::run::Report;
use tinyllama_tutor::units::Quantity;

/// Exercise, key, typed, the judge's word.
type Case = (&'static str, &'static str, &'static str, &'static str);

/// What is shipped with the course, and no run.
struct Shipped;

impl Records for Shipped {
    fn report(&self, _: &Config) -> Option<&Report> {
        None
    }

    fn recorded(&self, id: &str) -> Option<Quantity> {
        Figures::built_in().recorded(id)
    }

    fn verdict(&self, id: &str) -> Result<String, String> {
        Ledger::built_in().verdict(id)
    }
}

/// Grades every case; the differences, one per line.
fn check(cases: &[Case]) {
    let course = Course::built_in();
    let gpus = GpuDatabase::embedded().expect("the GPU table is built in");
    let mut wrong = Vec::new();
    for (id, name, typed, word) in cases {
        let exercise = course.exercise(id).expect(id);
        let key = exercise.key(name).expect(name);
        let env = exercise.env(&gpus, &Shipped).expect(id);
        let found = grade(typed, key, &env).expect(name);
        if found.verdict.word() != *word {
            wrong.push(format!(
                "{id} {name}, “{typed}”: {:?}, not {word}",
                found.verdict
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn launches() {
    check(&[
        // 10 up to the first residual (norm1, q k v, rope, qk softmax pv, o, res1), then 7.
        ("ex1", "block", "17", "right"),
        ("ex1", "block", "18", "slip"), // RoPE of q and of k apart
        ("ex1", "block", "16", "slip"),
        ("ex1", "block", "12", "slip"),
        ("ex1", "block", "13", "slip"),
        ("ex1", "block", "7", "slip"), // q k v o gate up down
        ("ex1", "block", "20", "wrong"),
        ("ex1", "products", "9", "right"), // the seven, qk and pv
        ("ex1", "products", "7", "slip"),
        ("ex1", "forward", "71", "right"), // 4·17 + embed, final_norm, lm_head
        ("ex1", "forward", "75", "slip"),  // 4·18 + 3: RoPE of q and of k apart, as in block
        ("ex1", "forward", "68", "slip"),
        ("ex1", "forward", "48", "slip"),
        ("ex1", "outside", "embed, final_norm, lm_head", "right"),
        ("ex1", "outside", "lm_head, embed, final_norm", "right"),
        ("ex1", "outside", "embed, lm_head", "slip"),
        (
            "ex1",
            "outside",
            "embed, norm1, norm2, final_norm, lm_head",
            "slip",
        ),
        ("ex1", "counted", "71", "unread"), // nothing was run, so nothing was counted
    ]);
}

#[test]
fn flops() {
    check(&[
        // q 2·128·256·256 = 16,777,216; k and v half of it each.
        ("ex2", "qkv", "33554432", "right"),
        ("ex2", "qkv", "33.55 MFLOP", "right"),
        ("ex2", "qkv", "2*128*256*(256+2*128)", "right"),
        ("ex2", "qkv", "50331648", "slip"), // three as wide as q
        ("ex2", "qkv", "16777216", "slip"), // MACs
        // qk and pv: 2·(8·128·128)·32 = 8,388,608 each.
        ("ex2", "attention", "16777216", "right"),
        ("ex2", "attention", "134217728", "slip"), // times 8 heads
        ("ex2", "attention", "8388608", "slip"),
        ("ex2", "attention", "8454144", "slip"), // 4·(128·129/2)·256
        // gate, up, down: 2·128·256·512 = 33,554,432 each.
        ("ex2", "ffn", "100663296", "right"),
        ("ex2", "ffn", "201326592", "slip"),
        ("ex2", "ffn", "50331648", "slip"),
        ("ex2", "ffn", "67108864", "slip"),
        // 4·(33,554,432 + 16,777,216 + 16,777,216 + 100,663,296) + 2·128·256·1000.
        ("ex2", "forward", "736624640", "right"),
        ("ex2", "forward", "743116160", "slip"), // all ops
        ("ex2", "forward", "1342177280", "slip"),
        ("ex2", "forward", "671088640", "slip"),
        ("ex2", "forward", "368312320", "slip"),
    ]);
}

#[test]
fn bytes() {
    check(&[
        // 4·(32,768 + 65,536 + 32,768)
        ("ex3", "q", "524288 B", "right"),
        ("ex3", "q", "262144 B", "slip"),
        ("ex3", "q", "131072 B", "slip"),
        // 4·2·8·128·128
        ("ex3", "softmax", "1048576 B", "right"),
        ("ex3", "softmax", "1.049 MB", "right"),
        ("ex3", "softmax", "524288 B", "slip"),
        // 4·3·32,768
        ("ex3", "res1", "393216 B", "right"),
        ("ex3", "res1", "262144 B", "slip"),
        // 4·(2·32,768 + 256)
        ("ex3", "norm1", "263168 B", "right"),
        ("ex3", "norm1", "262144 B", "slip"), // without gamma
        ("ex3", "norm1", "394240 B", "slip"), // the row read twice
        ("ex3", "worst", "res1", "right"),
        ("ex3", "worst", "softmax", "slip"),
    ]);
}

#[test]
fn rooflines() {
    check(&[
        // (4·32,768 + 3·128) / 263,168
        ("ex4", "rmsnorm", "0.4995", "right"),
        ("ex4", "rmsnorm", "0.25", "slip"),
        ("ex4", "rmsnorm", "0.333", "slip"),
        ("ex4", "residual", "1/12", "right"),
        ("ex4", "residual", "0.125", "slip"),
        ("ex4", "residual", "0.1667", "slip"),
        // 23.95e12 / 1638.4e9
        ("ex4", "ridge", "14.62", "right"),
        ("ex4", "ridge", "29.24", "slip"),
        ("ex4", "ridge", "1.46e10", "slip"),
        ("ex4", "ridge", "125", "slip"),
        // 3,145,728 / 4.8e12 s
        ("ex4", "floor", "0.655 us", "right"),
        ("ex4", "floor", "0.0039 us", "slip"),
        ("ex4", "floor", "0.0819 us", "slip"), // batch 1
        // Ridge 66.9/4.8 = 13.94; intensities 0.4995, 32, 11.64, 36.57.
        ("ex4", "bound_norm1", "memory", "right"),
        ("ex4", "bound_q", "compute", "right"),
        ("ex4", "bound_qk", "memory", "right"),
        ("ex4", "bound_qk", "compute", "slip"),
        ("ex4", "bound_down", "compute", "right"),
    ]);
}

#[test]
fn projections() {
    check(&[
        // 2·1024/(6·1024 + 3·256)
        ("ex12", "mha8", "29.63 %", "right"),
        ("ex12", "mha8", "33.33 %", "slip"),
        ("ex12", "mha8", "40 %", "slip"),
        ("ex12", "mha8", "53.33 %", "slip"),
        // 2·128/(5·128 + 2·256)
        ("ex12", "gqa1", "22.22 %", "right"),
        ("ex12", "gqa1", "2/9", "right"),
        ("ex12", "gqa1", "16.67 %", "slip"),
        ("ex12", "gqa1", "40 %", "slip"),
        // 2n = 0.4·3·(n + 256)
        ("ex12", "tokens", "384", "right"),
        ("ex12", "tokens", "256", "slip"),
        ("ex12", "tokens", "1024", "slip"),
        // 2·4·1024·256 of 63,178,752
        ("ex12", "block8", "3.32 %", "right"),
        ("ex12", "block8", "36.36 %", "slip"),
        ("ex12", "flops", "0", "right"),
    ]);
}

#[test]
fn part_c() {
    // BSD = 4,194,304. Products 8·BSD·D + 4·BSD·S + 6·BSD·I = 68.72 + 8.59 + 141.73 G.
    check(&[
        ("ex33", "flops", "219.27 GFLOP", "right"),
        ("ex33", "flops", "219.04 GFLOP", "right"), // products only, within 0.5 %
        ("ex33", "flops", "214.93 GFLOP", "right"), // exact causal, named
        ("ex33", "flops", "128.849 GFLOP", "slip"), // 4·BSD·(D + I)
        ("ex33", "flops", "109.6 GFLOP", "slip"),
        ("ex33", "attention", "77.31 GFLOP", "right"),
        ("ex33", "attention", "8.59 GFLOP", "slip"),
        ("ex33", "ffn", "141.73 GFLOP", "right"),
        ("ex33", "norms", "33.6 MFLOP", "right"),
        // 4·(2·4,194,304 + 51,384,320)
        ("ex33", "bytes", "239.1 MB", "right"),
        ("ex33", "bytes", "33.55 MB", "slip"),
        ("ex33", "bytes", "412.7 GB", "slip"),
        ("ex33", "intensity", "917", "right"),
        ("ex33", "intensity", "3840", "slip"),
        ("ex33", "intensity", "6534.7", "slip"),
        ("ex33", "intensity", "458.5", "slip"),
        ("ex33", "intensity", "500", "slip"),
        ("ex33", "bound", "compute", "right"),
        ("ex33", "bound16", "compute-bound", "right"),
        // norms, RoPE, softmax, residuals, silu, mul
        ("ex33", "v1mem", "8", "right"),
        ("ex33", "v1mem", "0", "slip"),
        ("ex33", "v1mem", "10", "slip"),
        // V4: 219.27 G / 66.9 T = 3.2776 ms; V1: 219.04 G / 66.9 T + 599.8 MB / 4.8 TB/s.
        ("ex33", "ratio", "1.037", "right"),
        ("ex33", "ratio", "5.56", "slip"),
        ("ex33", "ratio", "3.5", "slip"),
        ("ex33", "ratio", "5.0", "slip"),
        ("ex33", "ratio16", "1.336", "right"),
    ]);
}

#[test]
fn foundations() {
    check(&[
        ("ex5", "horner", "0.75", "right"), // 3 mul + 3 add over 8 bytes
        ("ex5", "horner", "6/8", "right"),
        ("ex5", "horner", "0.875", "slip"), // 7 operations, a guide
        ("ex5", "horner", "1.0", "slip"),   // x² used again
        ("ex5", "horner", "1.125", "slip"), // no reuse
        ("ex5", "horner", "1.5", "slip"),   // read only
        ("ex5", "three", "6", "right"),
        ("ex5", "three", "4", "slip"), // the tensors x, e, p, y
        ("ex5", "one", "2", "right"),
        ("ex5", "twopass", "7", "right"),
        ("ex5", "twopass", "6", "slip"),
        ("ex5", "safe", "overflow", "right"),
        ("ex5", "safe", "too slow", "slip"),
        ("ex6", "grid", "kernel", "right"),
        ("ex6", "grid", "launch", "slip"),
        ("ex6", "fill", "longer than a launch", "right"),
        ("ex6", "fill", "all", "slip"),
        ("ex7", "modelled", "1 MiB", "right"),
        ("ex7", "modelled", "1048576", "right"),
        ("ex7", "modelled", "262144", "slip"), // elements
        ("ex7", "issued", "1,048,576 B", "right"),
        ("ex7", "issued", "8 MiB", "slip"),
        ("ex7", "sectors", "8 MiB", "right"), // a used number every 32 bytes
        ("ex7", "sectors", "1 MiB", "slip"),
        ("ex7", "wide", "8", "right"),
        ("ex7", "wide", "32", "slip"),
        ("ex7", "dram", "the count does not tell", "right"),
        ("ex7", "times", "kernels, events, clock", "right"),
        ("ex7", "times", "clock, kernels, events", "slip"),
        ("ex7", "over", "data in cache", "right"),
    ]);
}

#[test]
fn parts_of_a_block() {
    check(&[
        ("ex8", "norm1", "131456", "right"), // 4·128·256 + 3·128
        ("ex8", "norm1", "131,072", "slip"), // the row terms left out
        ("ex8", "norm1", "65536", "slip"),
        ("ex8", "rope", "147,456", "right"), // 3·128·(256 + 128)
        ("ex8", "rope", "98304", "slip"),    // q alone
        ("ex8", "rope", "294,912", "slip"),  // per element
        ("ex8", "act", "327680", "right"),   // 5·128·512
        ("ex8", "act", "131,072", "slip"),   // SiLU as one
        ("ex8", "params", "2,617,600", "right"), // 4·590,336 + 256 + 256,000
        ("ex8", "params", "2,873,600", "slip"), // untied
        ("ex8", "params", "2,879,744", "slip"), // no GQA
        ("ex8", "params", "2877440", "slip"), // a document's formula
        ("ex8", "mb", "10.47 MB", "right"),
        ("ex8", "mb", "11.2 MB", "slip"),
        ("ex8", "mb", "9.985 MB", "slip"),  // MiB
        ("ex8", "mb", "11.494 MB", "slip"), // untied
        ("ex8", "glu", "1.5", "right"),
        ("ex8", "glu", "2", "slip"),
        ("ex9", "causal", "8,454,144", "right"), // 8·8256·2·2·32
        ("ex9", "causal", "8388608", "slip"),    // half
        ("ex9", "causal", "8,323,072", "slip"),  // no diagonal
        ("ex9", "causal", "16,777,216", "slip"), // dense
        ("ex9", "scores", "524288", "right"),
        ("ex9", "scores", "524 MB", "slip"),
        ("ex9", "scores", "65,536", "slip"), // one head
        ("ex9", "square", "1152", "right"),  // 256 + 128 + 768
        ("ex9", "square", "1280", "slip"),
        ("ex9", "cache", "11,534,336", "right"), // 2·22·512·256·2
        ("ex9", "cache", "92,274,688", "slip"),
        ("ex9", "cache", "524,288", "slip"), // one layer
        ("ex9", "share", "2", "right"),
        ("ex9", "share", "4", "slip"),
        ("ex31", "rows", "after norm1 to rope", "right"),
        ("ex31", "rows", "1", "right"),   // its place in the list
        ("ex31", "rows", "1, 2", "slip"), // o sums over heads that this thread block made
        ("ex31", "rows", "all", "slip"),
        // 64 launches fewer at 2.85 µs, 20 barriers at 1.5 µs.
        ("ex32", "gain", "152.4 us", "right"),
        ("ex32", "gain", "182.4 us", "slip"),
        // As the option was written before.
        (
            "ex21",
            "fix",
            "one block makes one row and divides by its width",
            "right",
        ),
    ]);
}

#[test]
fn bottleneck() {
    check(&[
        ("ex10", "rank", "softmax, mul, qk, silu, gate", "right"), // 8.39, 6.29, 5.77, 4.19, 3.67 MB
        ("ex10", "rank", "gate, qk, softmax, silu, mul", "slip"),  // by FLOPs
        ("ex10", "slow", "gate", "right"),                         // 268 MFLOP at 66.9 TFLOP/s
        ("ex10", "slow", "softmax", "slip"),
        ("ex10", "mem", "10", "right"),
        ("ex10", "mem", "8", "slip"), // that is the A100
        ("ex10", "mem", "0", "slip"),
        ("ex10", "mem", "17", "slip"),
        ("ex10", "peak", "9,961,472", "right"), // 4·(262,144 + 131,072 + 2·1,048,576)
        ("ex10", "peak", "50 MB", "slip"),
        ("ex10", "peak", "8,388,608", "slip"),
        ("ex10", "where", "softmax", "right"),
        ("ex11", "launches", "202.35 us", "right"), // 71·2.85
        ("ex11", "launches", "193.8 us", "slip"),   // 4·17·2.85
        ("ex11", "roof", "14.7 µs", "right"),
        ("ex11", "roof", "11.1 us", "slip"),
        ("ex11", "limit", "launches", "right"),
        ("ex11", "limit", "compute", "slip"),
        ("ex11", "cross", "14", "right"), // 202.35/14.71 = 13.76
        ("ex11", "cross", "13", "slip"),
        ("ex11", "amdahl", "1.0068", "right"), // 100/99.32
        ("ex11", "amdahl", "1.0034", "slip"),
        ("ex11", "amdahl", "5", "slip"),
        ("ex11", "graph", "the gaps", "right"),
    ]);
}

#[test]
fn flash() {
    check(&[
        ("ex13", "bottleneck", "silu+mul", "right"),
        ("ex13", "time", "4", "right"),
        ("ex13", "time", "2", "slip"),
        ("ex14", "ratio", "6.333", "right"), // 19,922,944 over 3,145,728
        ("ex14", "ratio", "128", "slip"),
        ("ex14", "ratio", "3.667", "slip"),
        ("ex14", "saved", "16,777,216", "right"), // 16·8·8·128²
        ("ex14", "saved", "8,388,608", "slip"),
        ("ex14", "ideal", "256", "right"), // S/4
        ("ex14", "ideal", "1024", "slip"),
        ("ex14", "ideal", "128", "slip"),
        ("ex14", "io", "S²d²/M", "right"),
        ("ex14", "io", "S²/√M", "slip"),
        ("ex14", "flop", "0", "right"),
    ]);
}

#[test]
fn ffn() {
    check(&[
        ("ex15", "rank", "swiglu, silu_mul, gate_up", "right"), // 21.58, 6.64, 1.66 %
        ("ex15", "rank", "swiglu, gate_up, silu_mul", "slip"),
        ("ex15", "gateup", "14.29 %", "right"), // 1,048,576 of 7,340,032
        ("ex15", "gateup", "33.3 %", "slip"),
        ("ex15", "gateup", "16.67 %", "slip"),
        ("ex15", "gateup", "50 %", "slip"),
        ("ex15", "group", "76.47 %", "right"),
        ("ex15", "group", "54.17 %", "slip"), // batch 1
        ("ex15", "reads", "2", "right"),
        ("ex15", "reads", "4", "slip"),
        ("ex15", "reads", "3", "slip"),
    ]);
}
