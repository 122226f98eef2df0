use super::super::Key;
use super::*;
use crate::answer::claim::Ruling;
use crate::{Course, Ledger};
use std::collections::BTreeSet;

fn drawn(id: &str, number: usize) -> Exercise {
    let course = Course::built_in();
    course.exercise(id).unwrap().variant(number).unwrap()
}

#[test]
fn a_cut_has_two_to_nine_groups_and_is_another_in_every_task() {
    let mut seen = BTreeSet::new();
    for number in 1..=SAMPLED {
        let exercise = drawn("ex45", number);
        for key in exercise
            .keys
            .iter()
            .filter(|k| k.name.text.starts_with("launches"))
        {
            let config = key.setup.answer().unwrap().config;
            let groups = config.cut.groups().split('|').count();
            assert!((2..=9).contains(&groups), "{number}: {groups}");
            seen.insert((config.cut.groups(), config.model.name, config.shape.seq));
        }
    }
    assert_eq!(seen.len(), 3 * SAMPLED);
}

#[test]
fn a_court_has_ten_claims_and_one_of_them_is_right() {
    let mut places = BTreeSet::new();
    for number in 1..=SAMPLED {
        let exercise = drawn("ex44", number);
        let pass = exercise.pass.clone().unwrap();
        assert_eq!((pass.among.len(), pass.right), (10, 8));
        let claims: Vec<&str> = exercise
            .keys
            .iter()
            .filter_map(|k| {
                k.answer
                    .as_ref()?
                    .as_str()
                    .strip_prefix("verdict(")?
                    .strip_suffix(')')
            })
            .collect();
        assert_eq!(claims.iter().collect::<BTreeSet<_>>().len(), 10);
        let right = |id: &&&str| Ledger::built_in().get(id).unwrap().ruling == Ruling::Right;
        assert_eq!(claims.iter().filter(right).count(), 1);
        let innocent = claims.iter().position(|id| right(&id)).unwrap();
        assert_eq!(pass.must, [pass.among[innocent].clone()]);
        places.insert(innocent);
    }
    assert!(
        places.len() > 3,
        "the right one stands anywhere: {places:?}"
    );
}

#[test]
fn every_verdict_of_a_court_is_one_of_its_options() {
    for number in 1..=SAMPLED {
        let exercise = drawn("ex44", number);
        let name = |key: &Key| key.name.text.clone();
        for key in exercise.keys.iter().filter(|key| name(key).len() == 1) {
            let id = key.answer.as_ref().unwrap().as_str();
            let id = id.strip_prefix("verdict(").unwrap();
            let claim = Ledger::built_in()
                .get(id.strip_suffix(')').unwrap())
                .unwrap();
            let options: Vec<&str> = key.options.iter().map(|o| o.text.as_str()).collect();
            assert!(options.contains(&claim.ruling.word()), "{number}: {id}");
            assert!(!claim.by_reading, "{number}: {id}");
            let asked = claim.court.as_ref().unwrap().ask.is_some();
            let number_key = format!("{}_number", name(key));
            assert_eq!(exercise.keys.iter().any(|k| name(k) == number_key), asked);
        }
        let evidence = exercise.keys.last().unwrap();
        let table = evidence.table.as_ref().unwrap();
        assert!(table.rows.len() >= 3, "{number}: {:?}", table.rows);
        for answer in table.answers.iter().flatten() {
            let word = answer.as_str().trim_matches('\'');
            assert!(evidence.options.iter().any(|o| o.text == word), "{word}");
        }
    }
}

#[test]
fn all_wrong_does_not_pass_and_eight_with_the_right_one_do() {
    let exercise = drawn("ex44", 0);
    let names = "abcdefghij";
    let marked = |right: &str| {
        let right = right.to_owned();
        exercise.marked(move |name| right.contains(name)).unwrap()
    };
    // Nine right verdicts that leave out the right claim.
    let all_wrong = marked("abcdefghi");
    assert!(!all_wrong.passed());
    assert_eq!(
        all_wrong.to_string(),
        "9 of 10, not passed: the claim that is right must be acquitted"
    );
    assert_eq!(marked("cdefghij").to_string(), "8 of 10, passed");
    assert_eq!(
        marked("").to_string(),
        "0 of 10, not passed yet: it takes 8"
    );
    assert!(marked(names).passed());
}

#[test]
fn the_same_number_draws_the_same_and_the_printed_one_comes_back() {
    for id in ["ex44", "ex45"] {
        let printed = drawn(id, 0);
        let seven = printed.variant(7).unwrap();
        assert_eq!(seven, drawn(id, 7));
        assert_ne!(seven.keys, drawn(id, 8).keys);
        assert_eq!(seven.variant(0).unwrap(), printed);
        assert_eq!(seven.next_variant(), Some(8));
        assert!(
            printed
                .variant(LAST + 1)
                .unwrap_err()
                .contains("variants 0 to")
        );
        let seeds: BTreeSet<usize> = (0..50).map(|seed| printed.drawn(seed)).collect();
        assert!(seeds.len() > 45 && !seeds.contains(&0));
    }
}
