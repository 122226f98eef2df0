use super::*;
use crate::profile::framework::Component;
use plan::cost::{Config, GpuDatabase, price};
use plan::fusion::{Cut, Version};
use plan::run::{Axis, SpanReport, Timing, TraceReport};

fn report(device: &str, micros: &[f64]) -> Report {
    Report {
        time_us: Timing::of(micros, "a clock"),
        held_bytes: Some(1 << 20),
        ..Report::bare("hip", device, 71)
    }
}

fn cost(cut: Cut, dtype: Dtype) -> Cost {
    let mut config = Config::preset("workshop", cut).unwrap();
    config.dtype = dtype;
    price(&config).unwrap()
}

/// Every kernel takes so many µs in each of three forwards, a second slower one included.
fn traced(report: Report, cost: &Cost, us: &dyn Fn(&KernelCost) -> f64) -> Report {
    let span = |(kernel, cost): (usize, &KernelCost)| SpanReport {
        name: cost.name.clone(),
        kernel,
        from: 0.0,
        to: us(cost),
        took: vec![us(cost), 2.0 * us(cost), us(cost)],
    };
    let spans = cost.forward.kernels.iter().enumerate().map(span).collect();
    Report {
        trace: Some(TraceReport {
            axis: Axis::Microseconds,
            how: "a clock".into(),
            forwards: 3,
            spans,
            phases: vec![],
        }),
        ..report
    }
}

#[test]
fn figures_follow_from_time_shape_and_peak() {
    let gpus = GpuDatabase::embedded().unwrap();
    let gpu = gpus.get("mi300x").unwrap();
    let cost = cost(Version::V1.cut(), Dtype::Bf16);
    let device = "AMD Instinct MI300X (gfx942), HIPRTC of ROCm 6.2.0";
    let report = report(device, &[900.0, 1000.0, 1100.0]);
    let roofs = Roofs::of_report(&report, &gpus, Dtype::Bf16).unwrap();
    assert_eq!(roofs.of, "MI300X, data sheet");
    let found = Merit::of(&report, &cost, Some(&roofs));
    let near = |a: Option<f64>, b: f64| (a.unwrap() / b - 1.0).abs() < 1e-9;
    // 128 tokens in a millisecond, of which half of the runs lie 100 µs away at most.
    assert!(near(found.tokens_per_second, 128_000.0));
    assert!(near(found.tokens_per_second_mad, 12_800.0));
    let flops = cost.forward.flops as f64;
    let peak = 1e12 * gpu.bf16_tflops.unwrap();
    assert!(near(found.model_flops_utilisation, flops / 1e-3 / peak));
    // 256,000 of the tied table, 256 of the last norm; each layer 196,608 of its
    // attention, 393,216 of its feed-forward, 512 of its norms.
    let weights = 256_000 + 256 + 4 * (196_608 + 393_216 + 512);
    let of_weights = 2.0 * f64::from(weights) * 128.0 / 1e-3 / peak;
    assert!(near(found.model_flops_utilisation_of_weights, of_weights));
    // What no GPU of the database ran has no share of a peak.
    let other = Report {
        device: "another".into(),
        ..report.clone()
    };
    assert_eq!(Roofs::of_report(&other, &gpus, Dtype::Bf16), None);
    let other = Merit::of(&other, &cost, None);
    assert_eq!(other.model_flops_utilisation, None);
    assert_eq!((found.times, found.l2_hit_rate), (None, None));
    assert_eq!(
        (found.held_bytes, found.held_bytes_modelled),
        (Some(1 << 20), cost.held())
    );
}

#[test]
fn the_time_of_kernels_goes_to_components_and_hotspots() {
    let cost = cost(Version::V1.cut(), Dtype::Fp32);
    // A product takes 4 µs, everything else 1. By hand, of V1 with 4 layers: attention has
    // the products q k v qk pv o and rope (one launch of two rotations) and softmax,
    // 6·4 + 2·1 = 26 a layer; feed-forward gate up down and silu mul, 14; two norms 2, two
    // residuals 2. Ends: embed 1, lm_head 4; the final norm is a norm: 4·2 + 1.
    let us = |kernel: &KernelCost| if kernel.has_product() { 4.0 } else { 1.0 };
    let report = traced(report("a CPU", &[200.0]), &cost, &us);
    let times = Times::of(&report, &cost, None).unwrap();
    let found: Vec<(Component, f64)> = times
        .components
        .iter()
        .map(|c| (c.component, c.us))
        .collect();
    let by_hand = [
        (Component::Attention, 104.0),
        (Component::FeedForward, 56.0),
        (Component::Norms, 9.0),
        (Component::Residuals, 8.0),
        (Component::Ends, 5.0),
    ];
    assert_eq!(found, by_hand);
    // One of three forwards was twice as long: its distance is not the median of them.
    assert_eq!((times.kernels_us, times.kernels_us_mad), (182.0, 0.0));
    assert!((times.components[0].share - 104.0 / 182.0).abs() < 1e-12);
    assert_eq!(times.hotspots[0].us, 16.0, "four launches of a product");
    assert_eq!(times.hotspots[0].launches, 4);
    let q = cost.block.kernels.iter().find(|k| k.ops == ["q"]).unwrap();
    assert_eq!(times.seconds(q), Some(4e-6));
    // docs/cost-model.md: q of the workshop is 16,777,216 FLOP and 524,288 B.
    let hot = times.hotspots.iter().find(|h| h.ops == ["q"]).unwrap();
    assert!((hot.rate() - 4.0 * 16_777_216.0 / 16e-6).abs() < 1.0);
    assert!((hot.bandwidth() - 4.0 * 524_288.0 / 16e-6).abs() < 1.0);
    // Under 1e12 FLOP/s and 1e12 B/s its FLOPs take 16.78 µs: longer than it took.
    let roof = Roof {
        flops_per_second: 1e12,
        bytes_per_second: 1e12,
    };
    let roofs = Roofs {
        of: "a roof".into(),
        products: roof,
        others: roof,
    };
    let under = Times::of(&report, &cost, Some(&roofs)).unwrap();
    let hot = under.hotspots.iter().find(|h| h.ops == ["q"]).unwrap();
    assert!((hot.of_roof.unwrap() - 16.777_216 / 4.0).abs() < 1e-9);
    let table = hotspots(&under, NAME);
    let row = table.rows.iter().find(|row| row[0] == "q").unwrap();
    assert_eq!(row.last().map(String::as_str), Some(">100 %"));
    // Its FLOPs are what beats this roof: 0.52 MB take 0.52 of its 4 µs, and nothing is said of
    // a cache. At 1e10 B/s they take 52 µs.
    assert!(!hot.cached);
    let quick = Roof {
        bytes_per_second: 1e15,
        ..roof
    };
    let roofs = Roofs {
        of: "quick memory".into(),
        products: quick,
        others: quick,
    };
    let said = cached(&Times::of(&report, &cost, Some(&roofs)).unwrap());
    assert!(said.unwrap().contains("than the peak"));
    let slow = Roof {
        flops_per_second: 1e15,
        bytes_per_second: 1e10,
    };
    let roofs = Roofs {
        of: "slow memory".into(),
        products: slow,
        others: slow,
    };
    let under = Times::of(&report, &cost, Some(&roofs)).unwrap();
    assert!(under.hotspots.iter().all(|h| h.cached));
    let most = cost.forward.kernels.iter().map(KernelCost::bytes).max();
    let said = cached(&under).unwrap();
    let most = plan::units::format(&plan::units::Quantity::bytes(most.unwrap()));
    assert!(said.contains(&format!("at most {most} a launch")), "{said}");
    assert_eq!(cached(&times), None);
    // Both kinds at once: a sentence for each, with the kernels that the first is of.
    let mixed = Roofs {
        of: "a slow matrix unit".into(),
        products: quick,
        others: slow,
    };
    let times = Times::of(&report, &cost, Some(&mixed)).unwrap();
    let said = cached(&times).unwrap();
    let (peak, cache) = said.split_once("The others: faster than memory").unwrap();
    let above = |h: &&Hotspot| h.of_roof.unwrap() > 1.0;
    for hot in times.hotspots.iter().filter(above) {
        let named = peak.contains(hot.ops[0]);
        assert_eq!(named, !hot.cached, "{:?}: {said}", hot.ops);
    }
    assert!(cache.contains("a launch) sat in a cache."), "{said}");
}

#[test]
fn a_kernel_of_all_ops_is_not_told_apart_and_another_plans_record_is_none() {
    let v4 = cost(Version::V4.cut(), Dtype::Fp32);
    let us = |_: &KernelCost| 1.0;
    let report = traced(report("a CPU", &[10.0]), &v4, &us);
    let times = Times::of(&report, &v4, None).unwrap();
    let mixed = times
        .components
        .iter()
        .find(|c| c.component == Component::Mixed);
    // Four blocks, embed, the final norm and the head.
    assert_eq!(mixed.map(|c| c.us), Some(4.0));
    assert_eq!(
        Times::of(&report, &cost(Version::V1.cut(), Dtype::Fp32), None),
        None
    );
    let instructions = Report {
        trace: report.trace.clone().map(|trace| TraceReport {
            axis: Axis::Instructions,
            ..trace
        }),
        ..report
    };
    assert_eq!(Times::of(&instructions, &v4, None), None);
}

#[test]
fn rows_leave_out_what_no_run_has() {
    let v1 = cost(Version::V1.cut(), Dtype::Fp32);
    assert_eq!(rows(&[None, None]), []);
    assert_eq!(sources(&[None]), Vec::<String>::new());
    let plain = Merit::of(&report("a CPU", &[1000.0]), &v1, None);
    let labels = |merits: &[Option<Merit>]| -> Vec<String> {
        rows(merits).into_iter().map(|row| row.label).collect()
    };
    let some = labels(&[Some(plain.clone()), None]);
    assert_eq!(
        some,
        ["tokens/s @", "  ± median dev.", "held MB #", "  modelled ="]
    );
    let cells = &rows(&[Some(plain.clone()), None])[0].cells;
    assert_eq!(cells, &["128000", "·"]);
    let mut counted = report("a CPU", &[1000.0]);
    counted.bytes.l2 = Some(LookUps { hits: 3, misses: 1 });
    let counted = Merit::of(&traced(counted, &v1, &|_| 1.0), &v1, None);
    let all = labels(&[Some(counted.clone())]);
    assert!(all.contains(&"L2 hits @".to_owned()), "{all:?}");
    assert!(all.contains(&"  feed-forward".to_owned()), "{all:?}");
    assert!(!all.contains(&"  not told apart".to_owned()), "{all:?}");
    assert_eq!(sources(&[Some(counted)]).len(), 3);
}

/// Where other kernels are disturbed in other forwards, medians of parts add up to less than
/// the median of the whole: shares are of their own sum, and that is said.
#[test]
fn parts_add_up_to_a_sum_of_their_own() {
    let v1 = cost(Version::V1.cut(), Dtype::Fp32);
    let mut report = traced(report("a CPU", &[1000.0]), &v1, &|_| 1.0);
    // Attention is disturbed in the first forward, the feed-forward in the second.
    let spans = &mut report.trace.as_mut().unwrap().spans;
    for (span, kernel) in spans.iter_mut().zip(&v1.forward.kernels) {
        span.took = match times::of(kernel) {
            Component::Attention => vec![31.0, 1.0, 1.0],
            Component::FeedForward => vec![1.0, 31.0, 1.0],
            _ => vec![1.0; 3],
        };
    }
    let found = Merit::of(&report, &v1, None);
    let times = found.times.as_ref().unwrap();
    // 71 kernels, of which 4·8 are attention's and 4·5 the feed-forward's: 1031, 671, 71.
    assert_eq!(times.kernels_us, 71.0 + 20.0 * 30.0);
    let parts: f64 = times.components.iter().map(|c| c.us).sum();
    assert_eq!(parts, 71.0);
    let shares = times.components.iter().map(|c| c.share).sum::<f64>();
    assert!((shares - 1.0).abs() < 1e-9, "{shares}");
    for c in &times.components {
        assert!((c.share - c.us / parts).abs() < 1e-12, "{c:?}");
    }
    let said = sources(&[Some(found)]).join(" ");
    assert!(said.contains("not of the median of all kernels"), "{said}");
}
