//! The words about a change against the figures of the two plans.

use super::*;
use crate::Setup;
use crate::bench::{Bench, Switch};
use crate::lab::hint;
use crate::machine::Machine;
use plan::fusion::{Fusion, Version};
use plan::model::PRESETS;

/// Every version of every preset on a bench, and of the workshop with each fusion flipped.
fn plans() -> Vec<Bench> {
    let mut plans = Vec::new();
    for preset in PRESETS {
        let bench = Bench::new(Setup::preset(preset.name).unwrap()).unwrap();
        for version in Version::ALL {
            let cut = version.cut();
            let mut cuts = vec![cut];
            if preset.name == "workshop" {
                cuts.extend(Fusion::ALL.map(|fusion| cut.flipped(fusion)));
            }
            plans.extend(cuts.into_iter().map(|cut| {
                let mut bench = bench.clone();
                bench.put(cut).unwrap();
                bench
            }));
        }
    }
    plans
}

/// Bytes that a text names: `9.964 MB`.
fn bytes(number: &str, unit: &str) -> f64 {
    let number: f64 = number.replace(',', "").parse().unwrap();
    number
        * match unit {
            "B" => 1.0,
            "kB" => 1e3,
            "MB" => 1e6,
            "GB" => 1e9,
            "TB" => 1e12,
            other => panic!("{other}"),
        }
}

#[test]
fn a_flip_is_said_in_the_figures_that_it_changes() {
    let flips = plans().into_iter().flat_map(|bench| {
        Fusion::ALL.map(|fusion| {
            (
                bench.price_of(bench.flipped(fusion)).unwrap(),
                bench.clone(),
            )
        })
    });
    for (now, bench) in flips {
        let (before, now) = (bench.cost(), &now);
        if now.config.cut == before.config.cut {
            continue;
        }
        let said = changed(before, now, bench.v1(), Change::Flip);
        let [from, to] = [before, now].map(|cost| cost.config.cut.title());
        let of = format!("{} {from}, {to}: {said}", now.config.title());
        let words: Vec<&str> = said.split_whitespace().collect();
        let layers = now.config.model.layers as i128;
        let change = |f: &dyn Fn(&Cost) -> u64| i128::from(f(now)) - i128::from(f(before));
        let launches = change(&|c| c.forward.launches());
        let moved = change(&|c| c.forward.bytes());
        // What is said of a block holds of every block of the forward.
        let (pair, counted) = match words[0] {
            "block" => {
                let block = change(&|c| c.block.launches());
                assert_eq!(launches, layers * block, "{of}");
                let bytes = change(&|c| c.block.bytes());
                assert_eq!(moved.signum(), bytes.signum(), "{of}");
                ([before.block.bytes(), now.block.bytes()], block)
            }
            "forward" => ([before.forward.bytes(), now.forward.bytes()], launches),
            other => panic!("{other}: {of}"),
        };
        for (word, bytes_are) in [(words[1], pair[0]), (words[3], pair[1])] {
            let near = bytes("0.001", words[4]);
            let off = (bytes(word, words[4]) - bytes_are as f64).abs();
            assert!(off <= 0.5 * near + 1.0, "{off} B: {of}");
        }
        assert_eq!(words[6] == "as", moved == 0, "{of}");
        assert_eq!(said.contains("% less"), moved < 0, "{of}");
        assert_eq!(
            said.contains("launches as before"),
            counted == 0 && !said.contains("scores"),
            "{of}"
        );
        if counted == 0 {
            assert_eq!(launches, 0, "{of}");
        }
        for (word, sign) in [("less", -1), ("more", 1)] {
            let named = [format!("launch {word}"), format!("launches {word}")];
            if named.iter().any(|n| said.contains(n.as_str())) {
                let number = format!("· {} launch", counted.abs());
                assert!(said.contains(&number), "{of}");
                assert_eq!(counted.signum(), sign, "{of}");
            }
        }
    }
}

#[test]
fn what_a_fusion_would_save_is_of_the_part_that_is_named() {
    for bench in plans() {
        for fusion in Fusion::ALL {
            let line = hint(&bench, &Machine::default(), fusion).unwrap().text;
            let other = bench.price_of(bench.flipped(fusion)).unwrap();
            let (from, to) = match bench.switch(fusion) {
                Switch::Off => (bench.cost(), &other),
                _ => (&other, bench.cost()),
            };
            // `block 0.262 MB less =.`, or `a block reads 0.262 MB less.`
            let words: Vec<&str> = line.split_whitespace().collect();
            let at = words.iter().rposition(|word| word.starts_with("less"));
            let part = words
                .iter()
                .rposition(|word| ["block", "forward"].contains(word));
            let (Some(at), Some(part)) = (at, part) else {
                continue;
            };
            let (scope, number, unit) = (words[part], words[at - 2], words[at - 1]);
            let saved = |f: &dyn Fn(&Cost) -> u64| f(from).saturating_sub(f(to)) as f64;
            let forward = saved(&|c| c.forward.bytes());
            let less = match scope {
                "block" => saved(&|c| c.block.bytes()),
                "forward" => forward,
                other => panic!("{other}: {line}"),
            };
            let off = (bytes(number, unit) - less).abs();
            assert!(off <= 0.5 * bytes("0.001", unit) + 1.0, "{line}");
            assert_eq!(less > 0.0, forward > 0.0, "{line}");
        }
    }
}

#[test]
fn blocks_that_share_a_launch_are_told_by_the_forward() {
    let mut bench = Bench::new(Setup::preset("workshop").unwrap()).unwrap();
    bench.put(Version::V4.cut()).unwrap();
    let before = bench.cost().clone();
    bench.put(bench.flipped(Fusion::NormResidual)).unwrap();
    let now = bench.cost();
    assert_eq!(now.counted_launches(), "3 launches per forward");
    let said = changed(&before, now, bench.v1(), Change::Flip);
    // V4: a launch for the embedding, 4 blocks, the last norm and the head; then the blocks
    // with that norm are one. Between 4 blocks and the norm stood y: 4 times out and in of
    // 128 x 256 x 4 B, 1,048,576 B of 12.687 MB, 8.27 %.
    let head = "forward 12.687 → 11.638 MB =  8.27 % less · 4 launches less · peak";
    assert!(said.starts_with(head), "{said}");
    let line = |fusion| hint(&bench, &Machine::default(), fusion).unwrap().text;
    assert_eq!(
        line(Fusion::Forward),
        "forward: one kernel for the whole forward: forward 0.524 MB less =."
    );
    assert_eq!(
        line(Fusion::NormResidual),
        "norm_residual on: the forward writes and reads 1.049 MB less."
    );
}
