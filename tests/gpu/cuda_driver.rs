//! The CUDA driver on a device. Needs one, so these tests are ignored unless
//! asked for:
//!
//! ```text
//! cargo test --test cuda_driver -- --ignored --test-threads=1
//! ```

#![cfg(feature = "cuda")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use std::time::Instant;

use half::bf16;
use tinyllama_tutor::backend::gpu::compile::{Compiler, Form};
use tinyllama_tutor::backend::gpu::cuda::{Cuda, Nvrtc, facts};
use tinyllama_tutor::backend::gpu::units::units;
use tinyllama_tutor::backend::gpu::{
    BufferId, Call, CompileUnit, Driver, Function, GemmCall, GpuErrorKind, Memory, Parameter,
    TensorMap,
};

/// Kernels of this test; `step` waits for the one before it where it can.
const SOURCE: &str = r#"
extern "C" __global__ void add_one(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += 1.0f;
}

extern "C" __global__ void turns(unsigned *arrived, unsigned *seen) {
    // Every block sees all arrivals: possible only if all are resident.
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1u);
        while (*(volatile unsigned *)arrived < gridDim.x) {}
        seen[blockIdx.x] = *(volatile unsigned *)arrived;
    }
}

extern "C" __global__ void step(const float *from, float *to, int n) {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[n - 1 - i] * 0.5f + 1.0f;
}

extern "C" __global__ void shared_sum(const float *x, float *y, int n) {
    extern __shared__ float tile[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = x[i];
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0.0f;
        for (int i = 0; i < n; i++) sum += tile[i];
        *y = sum;
    }
}

extern "C" __global__ void wild(float *x) { x[1ull << 40] = 1.0f; }
"#;

fn ptx(arch: &str) -> String {
    let nvrtc = Nvrtc::find(u32::MAX).unwrap();
    let options = nvrtc.options(&CompileUnit::new("test", &[]), arch, Form::Assembly);
    let built = nvrtc.build(SOURCE, &options, Form::Assembly).unwrap();
    String::from_utf8(built.image).unwrap()
}

fn kernel(cuda: &mut Cuda, entry: &str) -> Function {
    let arch = cuda.target().arch.clone();
    cuda.load_assembly(entry, &ptx(&arch), 0).unwrap()
}

/// Numbers in [−1, 1) of a small generator (xorshift), another stream per seed.
fn random(seed: u64, n: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..n)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        })
        .collect()
}

fn put<T: bytemuck::Pod>(cuda: &mut Cuda, name: &str, values: &[T]) -> Memory {
    let bytes: &[u8] = bytemuck::cast_slice(values);
    let memory = cuda.alloc(name, bytes.len() as u64).unwrap();
    cuda.upload(memory, 0, bytes).unwrap();
    memory
}

fn get<T: bytemuck::Pod>(cuda: &mut Cuda, memory: Memory, n: usize) -> Vec<T> {
    let mut values = vec![T::zeroed(); n];
    cuda.download(memory, 0, bytemuck::cast_slice_mut(&mut values))
        .unwrap();
    values
}

fn call(function: Function, blocks: u32, threads: u32, parameters: &[Parameter]) -> Call<'_> {
    Call {
        function,
        grid: [blocks, 1, 1],
        threads,
        shared: 0,
        cooperative: false,
        overlap: false,
        parameters,
    }
}

#[test]
#[ignore = "needs a device"]
fn a_device_is_described() {
    let cuda = Cuda::open(0).unwrap();
    println!("{}", cuda.describe());
    println!("{:?}", cuda.target());
    for (word, text) in facts().lines() {
        println!("{word:<9} {text}");
    }
    assert!(cuda.target().sm() >= 750);
    let wrong = Cuda::open(77).err().unwrap();
    assert_eq!(wrong.kind, GpuErrorKind::Missing);
    println!("{wrong}");
}

#[test]
#[ignore = "needs a device"]
fn memory_is_copied_filled_and_bounded() {
    let mut cuda = Cuda::open(0).unwrap();
    let values = random(1, 1000);
    let memory = put(&mut cuda, "x", &values);
    assert_eq!(cuda.address(memory) % 256, 0);
    assert_eq!(get::<f32>(&mut cuda, memory, 1000), values);
    let mut part = [0u8; 8];
    cuda.download(memory, 40, &mut part).unwrap();
    assert_eq!(part, bytemuck::cast_slice::<f32, u8>(&values[10..12]));
    cuda.fill(memory, 0xff).unwrap();
    assert!(
        get::<f32>(&mut cuda, memory, 1000)
            .iter()
            .all(|x| x.is_nan())
    );
    let outside = cuda.upload(memory, 3999, &[0, 0]).unwrap_err();
    println!("{outside}");
    let huge = cuda.alloc("huge", 1 << 50).unwrap_err();
    assert_eq!(huge.kind, GpuErrorKind::OutOfMemory);
    println!("{huge}");
    let before = cuda.free_memory().unwrap();
    let big = cuda.alloc("big", 1 << 30).unwrap();
    assert!(cuda.free_memory().unwrap() <= before - (1 << 30));
    cuda.free(big);
    assert_eq!(cuda.free_memory().unwrap(), before);
    assert!(cuda.fill(big, 0).is_err());
}

/// `y = a + b` by the kernel of the workshop, from a cubin and from PTX.
#[test]
#[ignore = "needs a device"]
fn a_kernel_of_ours_is_right_as_a_cubin_and_as_ptx() {
    let mut cuda = Cuda::open(0).unwrap();
    let (rows, width) = (33usize, 200usize);
    let unit = CompileUnit::new("residual", &["tile/row.cu", "residual.cu"]).define("BF16", 0);
    let silu = CompileUnit::new("silu", &["tile/elementwise.cu", "silu.cu"]).define("BF16", 1);
    let start = Instant::now();
    let mut told = Vec::new();
    cuda.prepare(&[&unit, &silu, &unit], &mut |done, of, unit| {
        told.push((done, of, unit.entry));
    })
    .unwrap();
    println!("prepared {told:?} in {:?}", start.elapsed());
    let cubin = cuda.load(&unit, 0).unwrap();
    assert_eq!(cuda.load(&unit, 0).unwrap(), cubin);
    println!("{:?}", cuda.facts(cubin));
    assert!(cuda.facts(cubin).registers > 0);
    let text = cuda.assembly(&unit).unwrap();
    let jit = cuda.load_assembly("residual", &text, 0).unwrap();
    let (a, b) = (random(2, rows * width), random(3, rows * width));
    let expected: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    let (a, b) = (put(&mut cuda, "a", &a), put(&mut cuda, "b", &b));
    let y = cuda.alloc("y", (rows * width * 4) as u64).unwrap();
    let ssq = cuda.alloc("ssq", rows as u64 * 4).unwrap();
    for function in [cubin, jit] {
        cuda.fill(y, 0xff).unwrap();
        cuda.fill(ssq, 0xff).unwrap();
        let parameters = [
            Parameter::Long(cuda.address(a)),
            Parameter::Long(cuda.address(b)),
            Parameter::Long(cuda.address(y)),
            Parameter::Long(cuda.address(ssq)),
            Parameter::Word(rows as u32),
            Parameter::Word(width as u32),
        ];
        cuda.launch(&call(function, rows as u32, 256, &parameters))
            .unwrap();
        assert_eq!(get::<f32>(&mut cuda, y, rows * width), expected);
        let sums = get::<f32>(&mut cuda, ssq, rows);
        for (row, sum) in expected.chunks(width).zip(sums) {
            let exact: f64 = row.iter().map(|x| f64::from(*x).powi(2)).sum();
            assert!(
                (f64::from(sum) - exact).abs() < 1e-4 * exact,
                "{sum} {exact}"
            );
        }
    }
}

/// With `NVRTC_LIBRARY` naming nothing, the same from what was compiled ahead.
#[test]
#[ignore = "needs a device"]
fn every_kernel_of_the_promised_plans_loads() {
    let mut cuda = Cuda::open(0).unwrap();
    println!("{}", cuda.describe());
    let units = units(cuda.target());
    let all: Vec<&CompileUnit> = units.keys().collect();
    let start = Instant::now();
    cuda.prepare(&all, &mut |_, _, _| {}).unwrap();
    println!("{} prepared in {:.2?}", all.len(), start.elapsed());
    let start = Instant::now();
    let mut slowest = (0.0, String::new());
    for (unit, shared) in &units {
        let begin = Instant::now();
        let function = cuda.load(unit, *shared).unwrap();
        let seconds = begin.elapsed().as_secs_f64();
        if seconds > slowest.0 {
            slowest = (seconds, unit.title());
        }
        let facts = cuda.facts(function);
        assert!(facts.registers > 0 && facts.max_threads > 0);
        if facts.local > 0 {
            println!("{}: {facts:?}", unit.title());
        }
    }
    println!("loaded in {:.2?}; slowest {slowest:?}", start.elapsed());
}

#[test]
#[ignore = "needs a device"]
fn blocks_that_wait_for_one_another_are_resident() {
    let mut cuda = Cuda::open(0).unwrap();
    let turns = kernel(&mut cuda, "turns");
    let resident = cuda.resident_blocks(turns, 256, 0).unwrap();
    let blocks = resident * cuda.target().sms;
    println!("{resident} blocks per multiprocessor, {blocks} in all");
    let arrived = cuda.alloc("arrived", 4).unwrap();
    let seen = cuda.alloc("seen", u64::from(blocks) * 8).unwrap();
    let parameters = [
        Parameter::Long(cuda.address(arrived)),
        Parameter::Long(cuda.address(seen)),
    ];
    let cooperative = |blocks| Call {
        cooperative: true,
        ..call(turns, blocks, 256, &parameters)
    };
    cuda.fill(arrived, 0).unwrap();
    // More than fit are refused, and the stream goes on.
    let refused = cuda.launch(&cooperative(blocks + 1)).unwrap_err();
    println!("{refused}");
    cuda.launch(&cooperative(blocks)).unwrap();
    let seen = get::<u32>(&mut cuda, seen, blocks as usize);
    assert!(seen.iter().all(|count| *count == blocks), "{seen:?}");
}

#[test]
#[ignore = "needs a device"]
fn a_graph_replays_what_was_recorded() {
    let mut cuda = Cuda::open(0).unwrap();
    let add = kernel(&mut cuda, "add_one");
    let turns = kernel(&mut cuda, "turns");
    let n = 10_000;
    let x = put(&mut cuda, "x", &vec![0.0f32; n]);
    let parameters = [Parameter::Long(cuda.address(x)), Parameter::Word(n as u32)];
    let arrived = cuda.alloc("arrived", 4).unwrap();
    let seen = cuda.alloc("seen", 4 * 132).unwrap();
    let waiting = [
        Parameter::Long(cuda.address(arrived)),
        Parameter::Long(cuda.address(seen)),
    ];
    let launch = call(add, 40, 256, &parameters);
    cuda.begin_graph().unwrap();
    for _ in 0..3 {
        cuda.launch(&launch).unwrap();
    }
    cuda.fill(arrived, 0).unwrap();
    cuda.launch(&Call {
        cooperative: true,
        ..call(turns, 132, 64, &waiting)
    })
    .unwrap();
    // Not in a graph: each is refused in a sentence and spoils nothing.
    for refused in [
        cuda.alloc("y", 4).err(),
        cuda.mark().err(),
        cuda.synchronize().err(),
        cuda.download(x, 0, &mut [0; 4]).err(),
        cuda.begin_graph().err(),
    ] {
        println!("{}", refused.unwrap());
    }
    let graph = cuda.end_graph().unwrap();
    assert!(get::<f32>(&mut cuda, x, n).iter().all(|x| *x == 0.0));
    for _ in 0..5 {
        cuda.replay(graph).unwrap();
    }
    assert!(get::<f32>(&mut cuda, x, n).iter().all(|x| *x == 15.0));
    assert!(get::<u32>(&mut cuda, seen, 132).iter().all(|s| *s == 132));
    assert!(cuda.end_graph().is_err());
}

#[test]
#[ignore = "needs a device"]
fn marks_measure_the_device() {
    let mut cuda = Cuda::open(0).unwrap();
    let add = kernel(&mut cuda, "add_one");
    let n = 1 << 26;
    let x = cuda.alloc("x", n * 4).unwrap();
    cuda.fill(x, 0).unwrap();
    let parameters = [Parameter::Long(cuda.address(x)), Parameter::Word(n as u32)];
    let launch = call(add, (n / 256) as u32, 256, &parameters);
    let times = |cuda: &mut Cuda, launches: usize| {
        let mut times: Vec<f64> = (0..9)
            .map(|_| {
                let from = cuda.mark().unwrap().unwrap();
                for _ in 0..launches {
                    cuda.launch(&launch).unwrap();
                }
                let to = cuda.mark().unwrap().unwrap();
                cuda.elapsed_us(from, to).unwrap()
            })
            .collect();
        times.sort_by(f64::total_cmp);
        times[4]
    };
    let (none, one, four) = (
        times(&mut cuda, 0),
        times(&mut cuda, 1),
        times(&mut cuda, 4),
    );
    let rate = n as f64 * 8.0 / one / 1e3;
    println!("none {none:.2} us, one {one:.1} us ({rate:.0} GB/s), four {four:.1} us");
    assert!(none < one && one < four && four < 5.0 * one);
    // A mark that was used again long since is refused, not misread.
    let old = cuda.mark().unwrap().unwrap();
    for _ in 0..5000 {
        cuda.mark().unwrap();
    }
    let new = cuda.mark().unwrap().unwrap();
    println!("{}", cuda.elapsed_us(old, new).unwrap_err());
}

#[test]
#[ignore = "needs a device"]
fn a_launch_that_starts_early_still_waits() {
    let mut cuda = Cuda::open(0).unwrap();
    let n = 1 << 16;
    let start = random(5, n);
    let mut expected = start.clone();
    for _ in 0..40 {
        expected = expected.iter().rev().map(|x| x * 0.5 + 1.0).collect();
    }
    let (a, b) = (put(&mut cuda, "a", &start), put(&mut cuda, "b", &start));
    let arch = cuda.target().arch.clone();
    for arch in [arch.as_str(), "sm_80"] {
        let step = cuda.load_assembly("step", &ptx(arch), 0).unwrap();
        assert_eq!(cuda.may_overlap(step), arch != "sm_80");
        for overlap in [false, true, false, true] {
            cuda.upload(a, 0, bytemuck::cast_slice(&start)).unwrap();
            cuda.synchronize().unwrap();
            let from = cuda.mark().unwrap().unwrap();
            for round in 0..40 {
                let (from, to) = if round % 2 == 0 { (a, b) } else { (b, a) };
                let parameters = [
                    Parameter::Long(cuda.address(from)),
                    Parameter::Long(cuda.address(to)),
                    Parameter::Word(n as u32),
                ];
                cuda.launch(&Call {
                    overlap,
                    ..call(step, (n / 256) as u32, 256, &parameters)
                })
                .unwrap();
            }
            let to = cuda.mark().unwrap().unwrap();
            let us = cuda.elapsed_us(from, to).unwrap();
            println!("{arch} overlap {overlap}: {:.2} us per launch", us / 40.0);
            assert_eq!(get::<f32>(&mut cuda, a, n), expected);
        }
    }
}

/// A chain of launches in a graph, with and without early starts; and a launch
/// that is both cooperative and early.
#[test]
#[ignore = "needs a device"]
fn early_starts_are_kept_in_a_graph() {
    const LAUNCHES: usize = 40;
    let mut cuda = Cuda::open(0).unwrap();
    let n = 1 << 16;
    let start = random(5, n);
    let mut expected = start.clone();
    for _ in 0..LAUNCHES {
        expected = expected.iter().rev().map(|x| x * 0.5 + 1.0).collect();
    }
    let (a, b) = (put(&mut cuda, "a", &start), put(&mut cuda, "b", &start));
    let step = kernel(&mut cuda, "step");
    for (overlap, cooperative) in [(false, false), (true, false), (false, true), (true, true)] {
        cuda.begin_graph().unwrap();
        for round in 0..LAUNCHES {
            let (from, to) = if round % 2 == 0 { (a, b) } else { (b, a) };
            let parameters = [
                Parameter::Long(cuda.address(from)),
                Parameter::Long(cuda.address(to)),
                Parameter::Word(n as u32),
            ];
            cuda.launch(&Call {
                overlap,
                cooperative,
                ..call(step, (n / 256) as u32, 256, &parameters)
            })
            .unwrap();
        }
        let graph = cuda.end_graph().unwrap();
        let mut best = f64::INFINITY;
        for _ in 0..10 {
            cuda.upload(a, 0, bytemuck::cast_slice(&start)).unwrap();
            let from = cuda.mark().unwrap().unwrap();
            cuda.replay(graph).unwrap();
            let to = cuda.mark().unwrap().unwrap();
            best = best.min(cuda.elapsed_us(from, to).unwrap());
            assert_eq!(get::<f32>(&mut cuda, a, n), expected);
        }
        let each = best / LAUNCHES as f64;
        println!("overlap {overlap}, cooperative {cooperative}: {each:.2} us per launch");
    }
}

#[test]
#[ignore = "needs a device"]
fn uploads_and_downloads_are_fast_enough_for_weights() {
    let mut cuda = Cuda::open(0).unwrap();
    let mut bytes = vec![7u8; 1 << 29];
    let memory = cuda.alloc("weights", bytes.len() as u64).unwrap();
    for _ in 0..2 {
        let start = Instant::now();
        cuda.upload(memory, 0, &bytes).unwrap();
        let up = start.elapsed().as_secs_f64();
        let start = Instant::now();
        cuda.download(memory, 0, &mut bytes).unwrap();
        let down = start.elapsed().as_secs_f64();
        let rate = |seconds: f64| bytes.len() as f64 / seconds / 1e9;
        println!("up {:.1} GB/s, down {:.1} GB/s", rate(up), rate(down));
    }
    assert!(bytes.iter().all(|byte| *byte == 7));
}

#[test]
#[ignore = "needs a device"]
fn shared_memory_beyond_the_default_is_allowed_when_asked_for() {
    let mut cuda = Cuda::open(0).unwrap();
    let arch = cuda.target().arch.clone();
    let most = cuda.target().shared_per_block;
    let sum = cuda.load_assembly("shared_sum", &ptx(&arch), most).unwrap();
    let n = most / 4;
    let x = put(&mut cuda, "x", &vec![1.0f32; n as usize]);
    let y = cuda.alloc("y", 4).unwrap();
    let parameters = [
        Parameter::Long(cuda.address(x)),
        Parameter::Long(cuda.address(y)),
        Parameter::Word(n),
    ];
    cuda.launch(&Call {
        shared: most,
        ..call(sum, 1, 256, &parameters)
    })
    .unwrap();
    assert_eq!(get::<f32>(&mut cuda, y, 1), [n as f32]);
    println!("{n} floats of shared memory");
    println!(
        "{}",
        cuda.load_assembly("shared_sum", &ptx(&arch), most + 1024)
            .unwrap_err()
    );
}

#[test]
#[ignore = "needs a device"]
fn what_cannot_be_launched_is_refused() {
    let mut cuda = Cuda::open(0).unwrap();
    let add = kernel(&mut cuda, "add_one");
    let two = [Parameter::Long(0), Parameter::Word(0)];
    for refused in [
        cuda.launch(&call(add, 1, 2048, &two)),
        cuda.launch(&call(add, 0, 256, &two)),
        cuda.launch(&call(add, 1, 256, &[])),
        cuda.launch(&call(add, 1, 256, &[two[1], two[0]])),
        cuda.launch(&call(Function(99), 1, 256, &[])),
    ] {
        println!("{}", refused.unwrap_err());
    }
    let nothing = cuda.load_assembly("nothing", &ptx("sm_80"), 0).unwrap_err();
    println!("{nothing}");
    let broken = cuda
        .load_assembly("f", ".version 8.0\n.target sm_80\nwrong\n", 0)
        .unwrap_err();
    assert_eq!(broken.kind, GpuErrorKind::Compile);
    println!("{broken}");
    cuda.synchronize().unwrap();
}

#[test]
#[ignore = "needs a device of compute capability 9.0"]
fn tensor_maps_are_made_or_refused() {
    let mut cuda = Cuda::open(0).unwrap();
    let memory = cuda.alloc("w", 1 << 20).unwrap();
    let map = TensorMap {
        buffer: BufferId(0),
        offset: 256,
        rows: 100,
        columns: 64,
        stride: 128,
        box_rows: 64,
        box_columns: 64,
        group: 0,
    };
    let encoded = cuda.tensor_map(cuda.address(memory), &map).unwrap();
    assert!(encoded.iter().any(|word| *word != 0));
    let crooked = TensorMap { stride: 130, ..map };
    println!(
        "{}",
        cuda.tensor_map(cuda.address(memory), &crooked).unwrap_err()
    );
}

#[test]
#[ignore = "needs a device and cuBLASLt"]
fn a_librarys_product_is_right_and_can_be_recorded() {
    let mut cuda = Cuda::open(0).unwrap();
    for (bf, m, n, k) in [
        (true, 1, 64, 256),
        (true, 33, 1000, 128),
        (true, 257, 40, 72),
        (false, 1, 64, 256),
        (false, 33, 1000, 100),
        (false, 65, 7, 31),
    ] {
        let round = |x: f32| if bf { bf16::from_f32(x).to_f32() } else { x };
        let a: Vec<f32> = random(m as u64, m * k).into_iter().map(round).collect();
        let w: Vec<f32> = random(n as u64, n * k).into_iter().map(round).collect();
        let upload = |cuda: &mut Cuda, values: &[f32]| {
            if bf {
                let values: Vec<u16> = values
                    .iter()
                    .map(|x| bf16::from_f32(*x).to_bits())
                    .collect();
                put(cuda, "operand", &values)
            } else {
                put(cuda, "operand", values)
            }
        };
        let (ma, mw) = (upload(&mut cuda, &a), upload(&mut cuda, &w));
        let c = cuda.alloc("c", (m * n * 4) as u64).unwrap();
        cuda.fill(c, 0xff).unwrap();
        let gemm = GemmCall {
            bf16: bf,
            a: cuda.address(ma),
            w: cuda.address(mw),
            c: cuda.address(c),
            m: m as u64,
            n: n as u64,
            k: k as u64,
        };
        cuda.begin_graph().unwrap();
        if m == 1 {
            println!("{}", cuda.library_gemm(&gemm).unwrap_err());
        }
        let empty = cuda.end_graph().unwrap();
        cuda.replay(empty).unwrap();
        assert_eq!(cuda.library_gemm(&gemm).unwrap(), 1);
        let read = |cuda: &mut Cuda| -> Vec<f32> {
            if bf {
                get::<u16>(cuda, c, m * n)
                    .into_iter()
                    .map(|x| bf16::from_bits(x).to_f32())
                    .collect()
            } else {
                get::<f32>(cuda, c, m * n)
            }
        };
        let first = read(&mut cuda);
        let mut worst = 0.0f64;
        for row in 0..m {
            for column in 0..n {
                let exact: f64 = (0..k)
                    .map(|i| f64::from(a[row * k + i]) * f64::from(w[column * k + i]))
                    .sum();
                let scale = (k as f64).sqrt() / 3.0;
                let error = (f64::from(first[row * n + column]) - exact).abs();
                worst = worst.max(error / scale.max(exact.abs()));
            }
        }
        // bf16: the rounding of the result (2⁻⁹); fp32: no tf32 (2⁻¹¹) in it.
        let bound = if bf { 1.0 / 256.0 } else { 1e-5 };
        println!("bf16 {bf} {m} x {n} x {k}: worst relative error {worst:.2e}");
        assert!(worst < bound, "{worst}");
        cuda.fill(c, 0xff).unwrap();
        cuda.begin_graph().unwrap();
        cuda.library_gemm(&gemm).unwrap();
        let graph = cuda.end_graph().unwrap();
        cuda.replay(graph).unwrap();
        assert_eq!(read(&mut cuda), first);
    }
    for (m, n, k) in [(512, 2048, 2048), (512, 2048, 5632), (8192, 8192, 1024)] {
        let [a, w, c] = [m * k, n * k, m * n].map(|n| cuda.alloc("operand", n * 2).unwrap());
        for memory in [a, w, c] {
            cuda.fill(memory, 0).unwrap();
        }
        let gemm = GemmCall {
            bf16: true,
            a: cuda.address(a),
            w: cuda.address(w),
            c: cuda.address(c),
            m,
            n,
            k,
        };
        cuda.library_gemm(&gemm).unwrap();
        cuda.begin_graph().unwrap();
        for _ in 0..20 {
            cuda.library_gemm(&gemm).unwrap();
        }
        let graph = cuda.end_graph().unwrap();
        cuda.replay(graph).unwrap();
        let from = cuda.mark().unwrap().unwrap();
        cuda.replay(graph).unwrap();
        let to = cuda.mark().unwrap().unwrap();
        let us = cuda.elapsed_us(from, to).unwrap() / 20.0;
        println!("library {m} x {n} x {k}: {us:.1} us (operands zero: no power limit)");
    }
}

/// Spoils the device's context: last, and in a process of its own.
#[test]
#[ignore = "needs a device and a process of its own"]
fn zz_an_illegal_address_is_said_and_dropping_survives_it() {
    let mut cuda = Cuda::open(0).unwrap();
    let wild = kernel(&mut cuda, "wild");
    let x = cuda.alloc("x", 4).unwrap();
    let parameters = [Parameter::Long(cuda.address(x))];
    cuda.launch(&call(wild, 1, 1, &parameters)).unwrap();
    let error = cuda.synchronize().unwrap_err();
    println!("{error}");
    assert_eq!(error.kind, GpuErrorKind::Failed);
    assert!(error.to_string().contains("fresh process"));
    assert!(cuda.alloc("y", 4).is_err());
}
