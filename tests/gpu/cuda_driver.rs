//! The CUDA driver on a device. Needs one, so these tests are ignored unless
//! asked for:
//!
//! ```text
//! cargo test --test gpu cuda_driver -- --ignored --test-threads=1
//! ```

#![cfg(feature = "cuda")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

mod launches;
mod product;
mod streams;

use std::time::Instant;

use tinyllama_tutor::backend::gpu::compile::{Compiler, Form};
use tinyllama_tutor::backend::gpu::cuda::{Cuda, Nvrtc, facts};
use tinyllama_tutor::backend::gpu::{
    BufferId, Call, CompileUnit, Driver, Function, GpuErrorKind, Memory, Parameter, TensorMap,
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
