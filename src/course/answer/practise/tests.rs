use super::*;
use crate::answer::grade;
use proptest::prelude::*;

fn patterns() -> impl Iterator<Item = &'static Pattern> {
    PATTERNS.iter().flat_map(|part| part.iter())
}

#[test]
fn every_pattern_makes_questions_that_may_be_asked() {
    let gpus = GpuDatabase::embedded().unwrap();
    for pattern in patterns() {
        for seed in 0..40 {
            let task =
                task(pattern, seed, &gpus).unwrap_or_else(|| panic!("{} {seed}", pattern.id));
            let env = Env::new(task.setup.clone(), &gpus, &NoRecords);
            assert_eq!(
                lint(&task.key, &env),
                Vec::<String>::new(),
                "{} {seed}",
                pattern.id
            );
            let answer = task.key.answer.as_ref().unwrap().evaluate(&env).unwrap();
            let spec = task.key.unit.map(|unit| Spec {
                decimals: Some(9),
                ..unit
            });
            let typed = answer.print(spec, false).unwrap();
            let judged = grade(&typed, &task.key, &env).unwrap();
            assert!(
                judged.verdict.is_right(),
                "{} {seed}: {typed} is {:?}",
                pattern.id,
                judged.verdict
            );
            assert!(
                !task.premise.is_empty(),
                "{} gives nothing to work with",
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
            (task.premise, task.key.ask)
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
