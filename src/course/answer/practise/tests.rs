use super::*;
use crate::answer::{Verdict, grade};
use proptest::prelude::*;

fn patterns() -> impl Iterator<Item = &'static Pattern> {
    PATTERNS.iter().flat_map(|part| part.iter())
}

#[test]
fn every_pattern_makes_questions_that_may_be_asked() {
    let gpus = GpuDatabase::embedded().unwrap();
    for pattern in patterns() {
        for seed in 0..200 {
            let task =
                task(pattern, seed, &gpus).unwrap_or_else(|| panic!("{} {seed}", pattern.id));
            let env = Env::new(task.setup.clone(), &gpus, &NoRecords);
            assert_eq!(
                lint(&task.key, &env),
                Vec::<String>::new(),
                "{} {seed}",
                pattern.id
            );
            let answer = task.key.expected().unwrap().evaluate(&env).unwrap();
            let spec = task.key.unit.as_ref().map(|unit| Spec {
                decimals: Some(9),
                ..unit.value
            });
            let typed = answer.print(spec, false).unwrap();
            let judged = grade(&typed, &task.key, &env).unwrap();
            assert!(
                judged.verdict.is_right(),
                "{} {seed}: {typed} is {:?}",
                pattern.id,
                judged.verdict
            );
            let hints = task.key.hints.iter().map(|hint| hint.text.as_str());
            let said = task.premise.iter().map(String::as_str).chain(hints);
            for text in said
                .chain([task.key.ask.text.as_str()])
                .chain(task.command.as_deref())
            {
                assert!(!text.contains("`="), "{} {seed}: {text}", pattern.id);
            }
            assert!(
                !task.premise.is_empty(),
                "{} gives nothing to work with",
                pattern.id
            );
        }
    }
}

/// The numbers of a text, its thousands commas left out.
fn numbers(text: &str) -> Vec<u64> {
    let bare = text.replace(',', "");
    bare.split(|c: char| !c.is_ascii_digit())
        .filter_map(|n| n.parse().ok())
        .collect()
}

/// Resident blocks and warps, from what the question says and nothing else.
fn resident(premise: &[String]) -> (u64, u64) {
    let (_, unit) = premise[0].split_once("one unit:").unwrap();
    let said = numbers(unit);
    let [file, granule, simds, warp, threads, most, shared, ..] = said[..] else {
        panic!("{unit}");
    };
    let [registers, block, asked] = numbers(&premise[1])[..] else {
        panic!("{}", premise[1]);
    };
    let up = |n: u64, of: u64| n.div_ceil(of) * of;
    let warps = block.div_ceil(warp);
    let fitting = match unit.contains("per lane and SIMD") {
        true => file / up(registers, granule) * simds,
        false => file / up(registers * warp, granule) / simds * simds,
    };
    let single = unit.contains("blocks of one wave do not count") && warps == 1;
    let more = if unit.contains("more than it asks for") {
        1024 * said[said.len() - 1]
    } else {
        0
    };
    let portion = if unit.contains("memory, given out in") || unit.contains("LDS, given out in") {
        said[7]
    } else {
        1
    };
    let blocks = [
        fitting / warps,
        threads / warp / warps,
        if single { u64::MAX } else { most },
        (1024 * shared)
            .checked_div(up(1024 * asked, portion) + more)
            .unwrap_or(u64::MAX),
    ];
    let blocks = blocks.into_iter().min().unwrap();
    (blocks, blocks * warps * warp * 10_000 / threads)
}

/// A maker's device is spoken of in its words.
#[test]
fn occupancy_is_asked_in_the_words_of_the_device() {
    let gpus = GpuDatabase::embedded().unwrap();
    let mut met = [0; 2];
    for seed in 0..100 {
        for id in ["occupancy.blocks", "occupancy.share", "occupancy.registers"] {
            let Some(task) = task(pattern(id).unwrap(), seed, &gpus) else {
                continue;
            };
            let said = format!("{} {}", task.key.ask.text, task.premise.join(" "));
            let amd = said.contains("AMD");
            met[usize::from(amd)] += 1;
            let (own, others) = match amd {
                true => ("waves", ["warp", "shared memory"]),
                false => ("warps", ["wave", "LDS"]),
            };
            assert!(said.contains(own), "{said}");
            assert!(!others.iter().any(|word| said.contains(word)), "{said}");
            let says = task.key.slips.iter().map(|slip| slip.say.text.as_str());
            let says = says.collect::<Vec<_>>().join(" ");
            assert!(!says.contains(others[0]), "{says}");
        }
    }
    assert!(met.iter().all(|n| *n > 20), "{met:?}");
}

#[test]
fn occupancy_follows_from_what_the_question_says() {
    let gpus = GpuDatabase::embedded().unwrap();
    for seed in 0..200 {
        for id in ["occupancy.blocks", "occupancy.share"] {
            let task = task(pattern(id).unwrap(), seed, &gpus).unwrap();
            let env = Env::new(task.setup.clone(), &gpus, &NoRecords);
            let answer = task.key.expected().unwrap().evaluate(&env).unwrap();
            let Value::Quantity(answer) = answer else {
                panic!("{id} {seed}");
            };
            let (blocks, share) = resident(&task.premise);
            match id {
                "occupancy.blocks" => {
                    assert_eq!(
                        answer.exact(),
                        Some(blocks.into()),
                        "{seed} {:?}",
                        task.premise
                    );
                }
                _ => assert!(
                    (answer.value() * 1e4 - share as f64).abs() < 1.0,
                    "{seed}: {} is not {share} of 10,000, {:?}",
                    answer.value(),
                    task.premise
                ),
            }
        }
    }
}

#[test]
fn a_cut_is_never_broken_inside_a_kernel() {
    let gpus = GpuDatabase::embedded().unwrap();
    for seed in 0..200 {
        let task = task(pattern("launches.block").unwrap(), seed, &gpus).unwrap();
        let env = Env::new(task.setup.clone(), &gpus, &NoRecords);
        let answer = task.key.expected().unwrap().evaluate(&env).unwrap();
        let begin = task
            .premise
            .iter()
            .position(|line| line.starts_with("Cut"))
            .unwrap();
        let cut = &task.premise[begin..];
        assert!(cut.iter().all(|line| line.len() <= 76), "{cut:?}");
        assert!(
            cut[..cut.len() - 1].iter().all(|line| line.ends_with(" |")),
            "{cut:?}"
        );
        let kernels = cut
            .iter()
            .flat_map(|line| line.split('|'))
            .filter(|k| !k.trim().is_empty());
        assert_eq!(kernels.count().to_string(), answer.to_string(), "{cut:?}");
    }
}

#[test]
fn three_digits_of_a_count_are_close_and_four_are_right() {
    let gpus = GpuDatabase::embedded().unwrap();
    for pattern in patterns().filter(|p| matches!(p.topic, Topic::Flops | Topic::Bytes)) {
        for seed in 0..200 {
            let task = task(pattern, seed, &gpus).unwrap();
            if task.key.tolerance != Tolerance::Exact {
                continue;
            }
            let env = Env::new(task.setup.clone(), &gpus, &NoRecords);
            let Ok(Value::Quantity(answer)) = task.key.expected().unwrap().evaluate(&env) else {
                panic!("{} {seed}", pattern.id);
            };
            assert!(task.premise.iter().any(|line| line.contains("four digits")));
            let unit = task.key.unit.as_ref().unwrap().value.unit;
            let word = |decimals: usize| {
                let typed = format!("{:.decimals$e} {unit}", answer.value());
                let judged = grade(&typed, &task.key, &env).unwrap();
                (judged.verdict.is_right(), judged.verdict.is_try(), typed)
            };
            let (right, _, typed) = word(3);
            assert!(
                right || answer.value() < 1e4,
                "{} {seed}: {typed}",
                pattern.id
            );
            let (right, tried, typed) = word(2);
            assert!(
                right || !tried || answer.value() < 1e4,
                "{} {seed}: {typed}",
                pattern.id
            );
        }
    }
}

#[test]
fn questions_are_fresh_and_seeds_repeat_them() {
    let gpus = GpuDatabase::embedded().unwrap();
    for pattern in patterns().filter(|p| p.id != "roofline.bound" && p.id != "occupancy.limit") {
        let of = |seed| {
            let task = task(pattern, seed, &gpus).unwrap();
            (task.premise, task.key.ask.text)
        };
        assert_eq!(of(7), of(7), "{}", pattern.id);
        let different: std::collections::BTreeSet<_> = (0..20).map(of).collect();
        assert!(
            different.len() >= 10,
            "{} repeats itself: {}",
            pattern.id,
            different.len()
        );
    }
}

#[test]
fn what_went_wrong_comes_back_first() {
    let mut deck = Deck::default();
    let of = |deck: &Deck| deck.next(Topic::Bytes).unwrap().id;
    let first = of(&deck);
    deck.answered(first, false);
    // Two others, then the one that went wrong.
    let second = of(&deck);
    deck.answered(second, true);
    let third = of(&deck);
    assert!(second != first && third != first && third != second);
    deck.answered(third, true);
    assert_eq!(of(&deck), first);
    deck.answered(first, true);
    let card = deck.cards[first];
    assert_eq!((card.asked, card.right, card.level), (2, 1, 1));
    assert_ne!(of(&deck), first);
}

#[test]
fn known_slips_of_practice_are_recognised() {
    // Launches of the blocks alone, at many draws: the sentence is the slip's.
    let gpus = GpuDatabase::embedded().unwrap();
    let forward = pattern("launches.forward").unwrap();
    for seed in 0..10 {
        let task = task(forward, seed, &gpus).unwrap();
        let env = Env::new(task.setup.clone(), &gpus, &NoRecords);
        let blocks = Expr::parse("block.launches * L")
            .unwrap()
            .evaluate(&env)
            .unwrap();
        let judged = grade(&blocks.to_string(), &task.key, &env).unwrap();
        assert!(
            judged.sentence().contains("blocks alone"),
            "{}",
            judged.sentence()
        );
    }
}

/// Whatever is drawn, each sentence is said of the value that it is about.
#[test]
fn every_slip_of_every_draw_is_named_by_its_value() {
    let gpus = GpuDatabase::embedded().unwrap();
    let (mut named, mut silent) = (0, Vec::new());
    for pattern in patterns() {
        for seed in 0..200 {
            let task = task(pattern, seed, &gpus).unwrap();
            let env = Env::new(task.setup.clone(), &gpus, &NoRecords);
            for slip in &task.key.slips {
                let under = env.with(&slip.settings);
                let expr = match &slip.value {
                    SlipValue::Expr(expr) => &expr.value,
                    _ => task.key.expected().unwrap(),
                };
                let spec = task.key.unit.as_ref().map(|unit| Spec {
                    decimals: Some(9),
                    ..unit.value
                });
                let value = expr.evaluate(&under).unwrap();
                let typed = match (value, spec) {
                    (Value::Quantity(q), Some(spec)) if q.dimension().is_plain() => {
                        let of = Value::Quantity(q.with_dimension(spec.unit.dimension()));
                        of.print(Some(spec), false).unwrap()
                    }
                    (value @ Value::Quantity(_), spec) => value.print(spec, false).unwrap(),
                    (other, _) => other.to_string(),
                };
                let judged = grade(&typed, &task.key, &env).unwrap();
                let says = matches!(&judged.verdict, Verdict::Slip(fits)
                    if fits.iter().any(|f| f.say == slip.say.text));
                named += usize::from(says);
                if !says {
                    silent.push(format!(
                        "{} {seed}: {typed} is {}: {}",
                        pattern.id,
                        judged.verdict.word(),
                        judged.sentence()
                    ));
                }
            }
        }
    }
    assert!(named > 2000, "{named} slips are too few");
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}

proptest! {
    #[test]
    fn no_seed_and_no_answer_panics(seed in any::<u64>(), at in 0..20_usize, typed in ".{0,40}") {
        let gpus = GpuDatabase::embedded().unwrap();
        let all: Vec<_> = patterns().collect();
        if let Some(task) = task(all[at % all.len()], seed, &gpus) {
            let env = Env::new(task.setup.clone(), &gpus, &NoRecords);
            let _ = grade(&typed, &task.key, &env).unwrap().sentence();
        }
    }
}
