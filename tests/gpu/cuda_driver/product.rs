//! Products by cuBLASLt.

use half::bf16;

use super::{get, put, random};
use tinyllama_tutor::backend::gpu::cuda::Cuda;
use tinyllama_tutor::backend::gpu::{Driver, GemmCall};

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
