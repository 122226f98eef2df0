//! A machine whose costs are known, and what the fit finds of them.

use super::*;
use plan::fusion::Version;
use plan::model::random::Stream;
use plan::run::median;

/// A made-up machine: 2 µs a launch, 50 GFLOP/s in products, 20 GB/s from memory.
const MACHINE: Costs = Costs {
    start: 3e-6,
    launch: 2e-6,
    wait: 1.2e-6,
    product: 2e-11,
    step: 4e-9,
    weight: 3e-10,
    attention: 4e-11,
    other: 1e-10,
    near: 2e-11,
    far: 5e-11,
    merged: 1.2,
};
const NEAR: f64 = 8e6;

fn seconds(config: &Config) -> f64 {
    let work = Work::of(config, Tiles::OfSequences).unwrap();
    let machine = Calibration {
        backend: "cpu".into(),
        device: String::new(),
        dtype: config.dtype,
        costs: MACHINE,
        near_bytes: NEAR,
        seen: vec![],
        flops: [0.0; 2],
        bytes: [0.0; 2],
        disturbed: None,
    };
    machine.seconds(&work)
}

/// Each time off by up to `share`.
fn timed(configs: &[Config], share: f64) -> Vec<(String, Work, f64)> {
    let noise = Stream::new(7, "noise");
    let one = |(at, config): (usize, &Config)| {
        let off = 1.0 + share * f64::from(noise.centred(at as u64));
        (
            title(config),
            Work::of(config, Tiles::OfSequences).unwrap(),
            seconds(config) * off,
        )
    };
    configs.iter().enumerate().map(one).collect()
}

#[test]
fn a_kernel_takes_its_launch_its_waits_and_the_longer_of_two() {
    let kernel = Kernel {
        waits: 4.0,
        products: vec![[1e6, 0.0, 0.0]],
        attention: 0.0,
        other: 0.0,
        bytes: 0.0,
    };
    // 2 µs + 4 · 1.2 µs + 10⁶ · 20 ps · 1.2.
    let us = 1e6 * MACHINE.kernel(&kernel, true);
    assert!((us - (2.0 + 4.8 + 24.0)).abs() < 1e-9, "{us}");
    // Bytes that take as long make it ∛2 times as long, and no more.
    let both = Kernel {
        bytes: 24e-6 / MACHINE.far,
        ..kernel
    };
    let us = 1e6 * MACHINE.kernel(&both, false);
    assert!((us - (6.8 + 24.0 * 2f64.cbrt())).abs() < 1e-9, "{us}");
}

#[test]
fn what_a_forward_asks_is_what_the_model_prices() {
    let config = Config::preset("workshop", Version::V4.cut()).unwrap();
    let work = Work::of(&config, Tiles::OfSequences).unwrap();
    let cost = plan::cost::price(&config).unwrap();
    assert_eq!(work.launches(), cost.forward.launches() as f64);
    let sum: f64 = work
        .kernels
        .iter()
        .map(|(k, n)| n * (k.products.iter().map(|p| p[0]).sum::<f64>() + k.attention + k.other))
        .sum();
    assert_eq!(sum, cost.forward.flops as f64);
    // Down of the workshop: sums of I = 512 elements, I · D of a weight for each of the two
    // tiles of 64 rows.
    let block = &work.kernels.iter().find(|(k, _)| k.waits > 0.0).unwrap().0;
    assert!(
        block
            .products
            .iter()
            .any(|p| p[1..] == [512.0, 2.0 * 512.0 * 256.0])
    );
}

#[test]
fn a_known_machine_is_found_again_and_others_are_predicted() {
    let configs = points(36, Extent::Small, Dtype::Fp32);
    assert_eq!(configs.len(), 36);
    let found = fit(["cpu", "made up"], Dtype::Fp32, &timed(&configs, 0.03)).unwrap();
    for (name, is, was) in [
        ("launch", found.costs.launch, MACHINE.launch),
        ("product", found.costs.product, MACHINE.product),
    ] {
        assert!(
            (is / was - 1.0).abs() < 0.2,
            "{name}: {is:e} and not {was:e}"
        );
    }
    // What it did not see: the noise of 3 % either way, and little more.
    let median_of = |errors: Vec<f64>| median(&errors).unwrap();
    assert!(
        found.median_error().unwrap() < 0.05,
        "{:?}",
        found.median_error()
    );
    let others = held_out(20, Extent::Small, Dtype::Fp32);
    assert!(others.iter().all(|c| !configs.contains(c)));
    let off = |c: &Config| (found.predict(c).unwrap().seconds / seconds(c) - 1.0).abs();
    let error = median_of(others.iter().map(off).collect());
    assert!(error < 0.05, "{error}");
    // Eight of ten lie in their interval; fewer than 12 of twenty do in 1 of 100 series.
    let inside = others.iter().filter(|c| {
        let p = found.predict(c).unwrap();
        (p.low..=p.high).contains(&seconds(c))
    });
    assert!(inside.count() >= 12);
}

#[test]
fn one_time_that_is_far_off_changes_little() {
    let configs = points(30, Extent::Small, Dtype::Fp32);
    let mut times = timed(&configs, 0.02);
    times[4].2 *= 6.0;
    let found = fit(["cpu", "made up"], Dtype::Fp32, &times).unwrap();
    let off = |c: &Config| (found.predict(c).unwrap().seconds / seconds(c) - 1.0).abs();
    let errors: Vec<f64> = held_out(20, Extent::Small, Dtype::Fp32)
        .iter()
        .map(off)
        .collect();
    assert!(median(&errors).unwrap() < 0.08, "{errors:?}");
}

#[test]
fn too_few_and_what_lies_outside_is_said() {
    let configs = points(14, Extent::Small, Dtype::Fp32);
    let times = timed(&configs, 0.0);
    assert!(
        fit(["", ""], Dtype::Fp32, &times[..11])
            .unwrap_err()
            .contains("12")
    );
    let found = fit(["cpu", "a machine"], Dtype::Fp32, &times).unwrap();
    let mut large = configs[0].clone();
    large.shape.batch = 5000;
    assert!(found.outside(&Work::of(&large, Tiles::OfSequences).unwrap()));
    assert!(!found.outside(&Work::of(&configs[0], Tiles::OfSequences).unwrap()));
    large.dtype = Dtype::Bf16;
    assert!(found.predict(&large).unwrap_err().contains("fp32"));
}
