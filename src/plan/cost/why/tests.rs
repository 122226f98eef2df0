use super::*;
use crate::cost::{Roof, price};
use crate::fusion::Version;

/// Every key that [`why`] answers for this price.
fn why_keys(cost: &Cost) -> Vec<String> {
    let mut keys = Vec::new();
    for scope in ["block", "forward"] {
        keys.extend(FIELDS.iter().map(|f| format!("{scope}.{f}")));
    }
    for kernel in &cost.block.kernels {
        let op = kernel.ops.first().copied().unwrap_or_default();
        keys.extend(FIELDS.iter().skip(1).map(|f| format!("kernel.{op}.{f}")));
    }
    keys.extend(["peak", "held", "kv", "params.tied", "params.untied"].map(str::to_owned));
    keys
}

fn exact(why: &Why) -> Option<u64> {
    match why.value {
        Figure::Exact(v) => Some(v),
        Figure::Real(_) => None,
    }
}

/// Every figure is what its terms make of it, all the way down.
#[test]
fn figures_are_made_of_their_terms_as_they_say() {
    let real = |why: &Why| match why.value {
        Figure::Exact(v) => v as f64,
        Figure::Real(v) => v,
    };
    let roof = |k: &KernelCost| Roof {
        flops_per_second: if k.has_product() { 7e14 } else { 5e13 },
        bytes_per_second: 4e12,
    };
    for version in Version::ALL {
        let config = Config::preset("workshop", version.cut()).unwrap();
        let cost = price(&config).unwrap();
        let keyed = why_keys(&cost);
        let mut trees: Vec<Why> = keyed.iter().map(|key| why(&cost, key).unwrap()).collect();
        let floor = why_floor(&cost.forward, "the forward", "mine", |k| Some(roof(k))).unwrap();
        let kernels = cost.forward.kernels.iter();
        let second: f64 = kernels
            .map(|k| roof(k).floor_seconds(k.flops, k.bytes()))
            .sum();
        assert!((real(&floor) / (1e6 * second) - 1.0).abs() < 1e-12);
        trees.push(floor);
        for tree in &trees {
            for (_, node) in tree.flatten().into_iter().filter(|n| !n.1.terms.is_empty()) {
                let terms: Vec<f64> = node.terms.iter().map(real).collect();
                let made = match (node.made, terms.as_slice()) {
                    (Made::Sum, all) => all.iter().sum(),
                    (Made::Times(times), [one]) => times as f64 * one,
                    (Made::Quotient, [over, under]) => over / under,
                    (Made::Larger, all) => all.iter().copied().fold(0.0, f64::max),
                    other => panic!("{}: {other:?}", node.label),
                };
                let figure = real(node);
                assert!(
                    (made - figure).abs() <= 1e-9 * figure,
                    "{}: {made}",
                    node.label
                );
            }
        }
    }
}

#[test]
fn softmax_reads_scores_and_writes_probabilities() {
    let config = Config::preset("workshop", Version::V1.cut()).unwrap();
    let cost = price(&config).unwrap();
    let tree = why(&cost, "kernel.softmax.bytes").unwrap();
    let lines: Vec<(String, String)> = tree
        .terms
        .iter()
        .map(|t| (t.label.clone(), t.formula.clone()))
        .collect();
    assert_eq!(
        lines,
        [
            ("read sc".to_owned(), "B·H·S·T·4 B".to_owned()),
            ("write pr".to_owned(), "B·H·S·T·4 B".to_owned())
        ]
    );
}

#[test]
fn the_stream_is_x_where_it_is_read_and_y_where_it_is_made() {
    let config = Config::preset("workshop", Version::V1.cut()).unwrap();
    let cost = price(&config).unwrap();
    let labels = |key: &str| -> Vec<String> {
        let tree = why(&cost, key).unwrap();
        tree.terms.iter().map(|t| t.label.clone()).collect()
    };
    assert_eq!(labels("kernel.res1.bytes"), ["read x", "read o", "write h"]);
    assert_eq!(
        labels("kernel.res2.bytes"),
        ["read h", "read dn", "write y"]
    );
    assert_eq!(labels("kernel.norm1.read_bytes"), ["read x"]);
}

#[test]
fn a_fusion_names_its_kernel_where_it_is_on() {
    let of = |cut: crate::fusion::Cut, key: &str| {
        let cost = price(&Config::preset("workshop", cut).unwrap()).unwrap();
        why(&cost, key).map_err(|e| e.to_string())
    };
    let v2 = Version::V2.cut();
    let flash = of(v2, "kernel.flash.bytes").unwrap();
    assert_eq!(flash, of(v2, "kernel.softmax.bytes").unwrap());
    // q, k, v and att: S rows of D and Dkv, fp32.
    assert_eq!(exact(&flash), Some(4 * 128 * (256 + 128 + 128 + 256)));
    let said = of(Version::V1.cut(), "kernel.flash.bytes").unwrap_err();
    assert!(
        said.contains("--fuse flash adds it. Kernels of this plan: "),
        "{said}"
    );
    let said = of(v2, "kernel.softmx.bytes").unwrap_err();
    assert!(
        said.contains("did you mean softmax? Kernels of this plan: "),
        "{said}"
    );
    assert!(said.contains("qk+softmax+pv, "), "{said}");
}

#[test]
fn a_key_that_names_nothing_says_what_does() {
    let config = Config::preset("workshop", Version::V1.cut()).unwrap();
    let cost = price(&config).unwrap();
    for key in ["", "block", "block.speed", "kernel.conv.bytes", "a.b.c.d"] {
        assert!(why(&cost, key).is_err(), "{key}");
    }
}
