//! Kernels of the workshop, compiled and loaded; one launch: residency, shared memory, what is refused.

use std::time::Instant;

use super::{call, get, kernel, ptx, put, random};
use tinyllama_tutor::backend::gpu::cuda::Cuda;
use tinyllama_tutor::backend::gpu::units::units;
use tinyllama_tutor::backend::gpu::{Call, CompileUnit, Driver, Function, GpuErrorKind, Parameter};

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
