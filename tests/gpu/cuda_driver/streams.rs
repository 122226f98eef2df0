//! Launches after one another: graphs, marks, early starts.

use super::{call, get, kernel, ptx, put, random};
use tinyllama_tutor::backend::gpu::cuda::Cuda;
use tinyllama_tutor::backend::gpu::{Call, Driver, Parameter};

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
