//! The kernels as loops: what each entry computes from its arguments.

use super::memory::Space;
use crate::gpu::driver::{GemmCall, Parameter};
use crate::gpu::source::CompileUnit;

/// Arguments, taken in order.
pub(super) struct Args<'w> {
    words: std::slice::Iter<'w, u64>,
}

impl<'w> Args<'w> {
    pub fn new(words: &'w [u64]) -> Self {
        Self {
            words: words.iter(),
        }
    }

    pub fn words(parameters: &[Parameter]) -> Vec<u64> {
        parameters
            .iter()
            .map(|p| match p {
                Parameter::Word(word) => u64::from(*word),
                Parameter::Long(long) => *long,
                Parameter::Map(map) => map[0],
            })
            .collect()
    }

    fn at(&mut self) -> u64 {
        *self.words.next().unwrap()
    }

    fn int(&mut self) -> i64 {
        i64::from(self.at() as u32 as i32)
    }

    fn long(&mut self) -> i64 {
        self.at() as i64
    }

    fn float(&mut self) -> f32 {
        f32::from_bits(self.at() as u32)
    }

    fn ints<const N: usize>(&mut self) -> [i64; N] {
        std::array::from_fn(|_| self.int())
    }

    fn ats<const N: usize>(&mut self) -> [u64; N] {
        std::array::from_fn(|_| self.at())
    }
}

fn cache_row(row: i64, seq: i64, cap: i64, past: i64) -> i64 {
    row / seq * cap + past + row % seq
}

/// Memory of one element type, and whether rows are written where.
struct Memory<'s> {
    space: &'s mut Space,
    bf16: bool,
}

impl Memory<'_> {
    fn get(&mut self, at: u64, i: i64) -> f32 {
        self.space.get(self.bf16, at, i)
    }

    fn set(&mut self, at: u64, i: i64, value: f32) {
        self.space.set(self.bf16, at, i, value);
    }

    fn dot(&mut self, a: u64, i: i64, w: u64, j: i64, k: i64) -> f32 {
        (0..k).fold(0.0, |s, x| {
            s + self.get(a, i * k + x) * self.get(w, j * k + x)
        })
    }

    /// The factor of a norm that is folded into the weights.
    fn rstd(&mut self, ssq: u64, slots: i64, row: i64, width: i64, eps: f32) -> f32 {
        let sum: f32 = (0..slots)
            .map(|s| self.space.float(ssq, row * slots + s))
            .sum();
        1.0 / (sum / width as f32 + eps).sqrt()
    }

    /// Sums of squares of a row that has been written, all in the first slot.
    fn row_sums(&mut self, ssq: u64, slots: i64, y: u64, row: i64, width: i64) {
        if ssq != 0 {
            let sum = (0..width).map(|i| self.get(y, row * width + i).powi(2));
            let sum = sum.sum();
            for slot in 0..slots {
                let part = if slot == 0 { sum } else { 0.0 };
                self.space.set_float(ssq, row * slots + slot, part);
            }
        }
    }

    /// Turns pair `i` of a head of `d` at a position.
    fn turned(&mut self, from: &[f32], i: usize, position: i64, theta: f32) -> f32 {
        let half = from.len() / 2;
        let pair = i % half;
        let power = -2.0 * pair as f32 / from.len() as f32;
        let (sin, cos) = (position as f32 * theta.powf(power)).sin_cos();
        match i < half {
            true => from[i] * cos - from[i + half] * sin,
            false => from[i] * cos + from[pair] * sin,
        }
    }
}

pub(super) fn library(space: &mut Space, g: &GemmCall) {
    let mut m = Memory {
        space,
        bf16: g.bf16,
    };
    let (rows, n, k) = (g.m as i64, g.n as i64, g.k as i64);
    for r in 0..rows {
        for o in 0..n {
            let sum = m.dot(g.a, r, g.w, o, k);
            m.set(g.c, r * n + o, sum);
        }
    }
}

/// Runs one launch of a unit.
pub(super) fn run(space: &mut Space, unit: &CompileUnit, a: &mut Args<'_>) {
    let defined = |name: &str| {
        let found = unit.defines.iter().find(|(n, _)| *n == name);
        found.and_then(|(_, v)| v.parse::<i64>().ok()).unwrap_or(0)
    };
    let m = &mut Memory {
        bf16: defined("BF16") == 1,
        space,
    };
    let head = defined("HEAD");
    let is_broken = unit.files.last().is_some_and(|f| f.starts_with("broken/"));
    match unit.entry {
        "embed" => embed(m, a),
        "rmsnorm" if is_broken => broken_rmsnorm(m, a),
        "softmax" if is_broken => softmax(m, a, 0),
        "rmsnorm" => rmsnorm(m, a),
        "rope" => rope(m, a, head),
        "qk" => qk(m, a, head),
        "softmax" => softmax(m, a, 1),
        "pv" => pv(m, a, head),
        "flash" => flash(m, a, head),
        "flash_decode" => {
            let [q, k, v, att, _partial, _done] = a.ats();
            let _splits = a.int();
            attend(m, [q, k, v, att], a, head);
        }
        "residual" => residual(m, a),
        "residual_norm" => residual_norm(m, a),
        "silu" => {
            let ([g, sg], n) = (a.ats(), a.long());
            for i in 0..n {
                let g = m.get(g, i);
                m.set(sg, i, silu(g));
            }
        }
        "mul" => {
            let ([x, y, z], n) = (a.ats(), a.long());
            for i in 0..n {
                let product = m.get(x, i) * m.get(y, i);
                m.set(z, i, product);
            }
        }
        "silu_mul" => {
            let ([g, u, y], n) = (a.ats(), a.long());
            for i in 0..n {
                let product = silu(m.get(g, i)) * m.get(u, i);
                m.set(y, i, product);
            }
        }
        "gemm" => gemm(m, a),
        "gemm_residual" => gemm_residual(m, a),
        "qkv" => qkv(m, a, defined("NORM") == 1, defined("ROPE") == 1, head),
        "gate_up" => gate_up(m, a, defined("NORM") == 1, defined("SWIGLU") == 1),
        other => panic!("the fake has no {other}"),
    }
    assert!(a.words.next().is_none(), "{} takes fewer", unit.entry);
}

fn silu(g: f32) -> f32 {
    g / (1.0 + (-g).exp())
}

fn embed(m: &mut Memory<'_>, a: &mut Args<'_>) {
    let [ids, table, x, ssq] = a.ats();
    let [rows, width] = a.ints();
    for r in 0..rows {
        let id = i64::from(m.space.int(ids, r));
        for i in 0..width {
            let value = m.get(table, id * width + i);
            m.set(x, r * width + i, value);
        }
        m.row_sums(ssq, 1, x, r, width);
    }
}

fn norm_row(m: &mut Memory<'_>, row: &[f32], gamma: u64, y: u64, r: i64, eps: f32) {
    let width = row.len() as i64;
    let squares: f32 = row.iter().map(|v| v * v).sum();
    let rstd = 1.0 / (squares / width as f32 + eps).sqrt();
    for (i, v) in (0..).zip(row) {
        let value = v * rstd * m.get(gamma, i);
        m.set(y, r * width + i, value);
    }
}

fn rmsnorm(m: &mut Memory<'_>, a: &mut Args<'_>) {
    let [x, gamma, y] = a.ats();
    let [rows, width] = a.ints();
    let eps = a.float();
    for r in 0..rows {
        let row: Vec<f32> = (0..width).map(|i| m.get(x, r * width + i)).collect();
        norm_row(m, &row, gamma, y, r, eps);
    }
}

/// As `kernels/broken/rmsnorm.cu`: a pack is not summed.
fn broken_rmsnorm(m: &mut Memory<'_>, a: &mut Args<'_>) {
    let [x, gamma, y] = a.ats();
    let [rows, width] = a.ints();
    let eps = a.float();
    let pack = if m.bf16 { 8 } else { 4 };
    for r in 0..rows {
        let row: Vec<f32> = (0..width).map(|i| m.get(x, r * width + i)).collect();
        let summed = &row[..(width - pack) as usize];
        let squares: f32 = summed.iter().map(|v| v * v).sum();
        let rstd = 1.0 / (squares / width as f32 + eps).sqrt();
        for (i, v) in (0..).zip(&row) {
            let value = v * rstd * m.get(gamma, i);
            m.set(y, r * width + i, value);
        }
    }
}

fn rope(m: &mut Memory<'_>, a: &mut Args<'_>, head: i64) {
    let [q, k, qr, kr] = a.ats();
    let [rows, heads, kv_heads, seq, cap, past] = a.ints();
    let theta = a.float();
    for r in 0..rows {
        let position = past + r % seq;
        let to = cache_row(r, seq, cap, past);
        for (from, into, heads, to) in [(q, qr, heads, r), (k, kr, kv_heads, to)] {
            for h in 0..heads {
                let at = (r * heads + h) * head;
                let values: Vec<f32> = (0..head).map(|i| m.get(from, at + i)).collect();
                for i in 0..head {
                    let value = m.turned(&values, i as usize, position, theta);
                    m.set(into, (to * heads + h) * head + i, value);
                }
            }
        }
    }
}

fn qk(m: &mut Memory<'_>, a: &mut Args<'_>, head: i64) {
    let [q, k, sc] = a.ats();
    let [batch, heads, kv_heads, seq, context, cap] = a.ints();
    for at in 0..batch * heads * seq * context {
        let (key, s) = (at % context, at / context % seq);
        let (h, b) = (at / context / seq % heads, at / context / seq / heads);
        let shared = h / (heads / kv_heads);
        let q_row = (b * seq + s) * heads + h;
        let k_row = (b * cap + key) * kv_heads + shared;
        let sum = m.dot(q, q_row, k, k_row, head);
        m.set(sc, at, sum);
    }
}

fn soft(scores: &[f32], seen: usize, scale: f32) -> Vec<f32> {
    let seen = &scores[..seen];
    let most = seen.iter().fold(f32::NEG_INFINITY, |m, v| m.max(v * scale));
    let exps: Vec<f32> = seen.iter().map(|v| (v * scale - most).exp()).collect();
    let sum: f32 = exps.iter().sum();
    exps.iter().map(|v| v / sum).collect()
}

fn softmax(m: &mut Memory<'_>, a: &mut Args<'_>, own: i64) {
    let [sc, pr] = a.ats();
    let [rows, seq, context] = a.ints();
    let scale = a.float();
    for r in 0..rows {
        let scores: Vec<f32> = (0..context).map(|i| m.get(sc, r * context + i)).collect();
        let seen = (context - seq + r % seq + own).max(1) as usize;
        let mut probabilities = soft(&scores, seen, scale);
        probabilities.resize(context as usize, 0.0);
        for (i, p) in (0..).zip(probabilities) {
            m.set(pr, r * context + i, p);
        }
    }
}

fn pv(m: &mut Memory<'_>, a: &mut Args<'_>, head: i64) {
    let [pr, v, att] = a.ats();
    let [batch, heads, kv_heads, seq, context, cap] = a.ints();
    for at in 0..batch * seq * heads * head {
        let (i, h) = (at % head, at / head % heads);
        let (s, b) = (at / head / heads % seq, at / head / heads / seq);
        let shared = h / (heads / kv_heads);
        let sum = (0..context).fold(0.0, |sum, key| {
            let p = m.get(pr, ((b * heads + h) * seq + s) * context + key);
            let row = (b * cap + key) * kv_heads + shared;
            // Rows behind the query are not read as numbers.
            if p == 0.0 {
                sum
            } else {
                sum + p * m.get(v, row * head + i)
            }
        });
        m.set(att, at, sum);
    }
}

fn flash(m: &mut Memory<'_>, a: &mut Args<'_>, head: i64) {
    let places = a.ats();
    attend(m, places, a, head);
}

fn attend(m: &mut Memory<'_>, [q, k, v, att]: [u64; 4], a: &mut Args<'_>, head: i64) {
    let [batch, heads, kv_heads, seq, context, cap] = a.ints();
    let scale = a.float();
    for at in 0..batch * seq * heads {
        let (h, s, b) = (at % heads, at / heads % seq, at / heads / seq);
        let shared = h / (heads / kv_heads);
        let seen = context - seq + s + 1;
        let row = |key: i64| (b * cap + key) * kv_heads + shared;
        let scores: Vec<f32> = (0..seen)
            .map(|key| m.dot(q, at, k, row(key), head))
            .collect();
        let probabilities = soft(&scores, seen as usize, scale);
        for i in 0..head {
            let sum = (0..)
                .zip(&probabilities)
                .fold(0.0, |sum, (key, p)| sum + p * m.get(v, row(key) * head + i));
            m.set(att, at * head + i, sum);
        }
    }
}

fn residual(m: &mut Memory<'_>, a: &mut Args<'_>) {
    let [x, y, z, ssq] = a.ats();
    let [rows, width] = a.ints();
    for r in 0..rows {
        for i in r * width..(r + 1) * width {
            let sum = m.get(x, i) + m.get(y, i);
            m.set(z, i, sum);
        }
        m.row_sums(ssq, 1, z, r, width);
    }
}

fn residual_norm(m: &mut Memory<'_>, a: &mut Args<'_>) {
    let [x, y, gamma, h, n] = a.ats();
    let [rows, width] = a.ints();
    let eps = a.float();
    for r in 0..rows {
        let places = r * width..(r + 1) * width;
        let row: Vec<f32> = places.map(|i| m.get(x, i) + m.get(y, i)).collect();
        for (i, v) in (r * width..).zip(&row) {
            if h != 0 {
                m.set(h, i, *v);
            }
        }
        norm_row(m, &row, gamma, n, r, eps);
    }
}

fn gemm(m: &mut Memory<'_>, a: &mut Args<'_>) {
    let [x, w, c] = a.ats();
    let [rows, n, k, seq, cap, past] = a.ints();
    for r in 0..rows {
        for o in 0..n {
            let sum = m.dot(x, r, w, o, k);
            m.set(c, cache_row(r, seq, cap, past) * n + o, sum);
        }
    }
}

fn gemm_residual(m: &mut Memory<'_>, a: &mut Args<'_>) {
    let [x, w, residual, c, ssq] = a.ats();
    let [rows, n, k] = a.ints();
    for r in 0..rows {
        for o in 0..n {
            let sum = m.dot(x, r, w, o, k) + m.get(residual, r * n + o);
            m.set(c, r * n + o, sum);
        }
    }
    if ssq != 0 {
        // Its slots are its column tiles: as many as the buffer has room for.
        let slots = m.space.size(ssq) / 4 / rows;
        for r in 0..rows {
            m.row_sums(ssq, slots, c, r, n);
        }
    }
}

fn qkv(m: &mut Memory<'_>, a: &mut Args<'_>, norm: bool, rope: bool, head: i64) {
    let [x, wq, wk, wv, q, k, v, ssq] = a.ats();
    let slots = a.int();
    let eps = a.float();
    let [rows, d, dkv, seq, cap_k, past_k, cap_v, past_v, position] = a.ints();
    let theta = a.float();
    for r in 0..rows {
        let scale = if norm {
            m.rstd(ssq, slots, r, d, eps)
        } else {
            1.0
        };
        let k_row = cache_row(r, seq, cap_k, past_k);
        let v_row = cache_row(r, seq, cap_v, past_v);
        for (w, to, width, row, turns) in [
            (wq, q, d, r, rope),
            (wk, k, dkv, k_row, rope),
            (wv, v, dkv, v_row, false),
        ] {
            let sums: Vec<f32> = (0..width).map(|o| scale * m.dot(x, r, w, o, d)).collect();
            for o in 0..width as usize {
                let value = if turns {
                    let first = o - o % head as usize;
                    let values = &sums[first..first + head as usize];
                    m.turned(values, o - first, position + r % seq, theta)
                } else {
                    sums[o]
                };
                m.set(to, row * width + o as i64, value);
            }
        }
    }
}

fn gate_up(m: &mut Memory<'_>, a: &mut Args<'_>, norm: bool, swiglu: bool) {
    let [x, wg, wu, g, u, ssq] = a.ats();
    let slots = a.int();
    let eps = a.float();
    let [rows, ffn, d] = a.ints();
    for r in 0..rows {
        let scale = if norm {
            m.rstd(ssq, slots, r, d, eps)
        } else {
            1.0
        };
        for o in 0..ffn {
            let gate = scale * m.dot(x, r, wg, o, d);
            let up = scale * m.dot(x, r, wu, o, d);
            if swiglu {
                m.set(g, r * ffn + o, silu(gate) * up);
            } else {
                m.set(g, r * ffn + o, gate);
                m.set(u, r * ffn + o, up);
            }
        }
    }
}
