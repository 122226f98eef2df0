use super::*;
use crate::cost::price;
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

/// Every figure that is a sum equals the sum of its terms, all the way down.
#[test]
fn terms_add_up_to_their_figure() {
    for version in Version::ALL {
        let config = Config::preset("workshop", version.cut()).unwrap();
        let cost = price(&config).unwrap();
        for key in why_keys(&cost) {
            let tree = why(&cost, &key).unwrap();
            for (_, node) in tree.flatten() {
                if let (Some(total), false) = (exact(node), node.terms.is_empty()) {
                    let mut sum: u64 = node.terms.iter().filter_map(exact).sum();
                    // `× n` holds one kernel and says how often it runs.
                    if let Some((_, times)) = node.label.rsplit_once(" × ") {
                        sum *= times.parse::<u64>().unwrap();
                    }
                    assert_eq!(total, sum, "{key}: {}", node.label);
                }
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
