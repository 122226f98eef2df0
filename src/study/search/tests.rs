//! Spaces whose best point is known.

use super::*;
use plan::model::random::Stream;
use plan::run::Knob;

fn space(sizes: &[u32]) -> Space {
    let knob = |n: &u32| Knob {
        name: ["a", "b", "c"][(*n % 3) as usize],
        what: "",
        values: (0..*n).map(|v| 1 << v).collect(),
    };
    Space::all(sizes.iter().map(knob).collect())
}

/// Times of a bowl around `best`, a tenth more for each doubling away from it, each round
/// off by up to `noise`.
fn bowl(space: &Space, best: &[usize], noise: f64) -> Vec<Vec<f64>> {
    let draws = Stream::new(3, "bowl");
    let time = |(at, point): (usize, &Point)| -> Vec<f64> {
        let far: f64 = point
            .iter()
            .zip(best)
            .map(|(a, b)| (*a as f64 - *b as f64).powi(2))
            .sum();
        let round = |r: u64| {
            let off = f64::from(draws.centred(at as u64 * 64 + r));
            100.0 * (1.0 + 0.1 * far) * (1.0 + noise * off)
        };
        (0..16).map(round).collect()
    };
    space.points.iter().enumerate().map(time).collect()
}

fn found(search: Search, space: &Space, times: &[Vec<f64>], budget: usize, seed: u64) -> usize {
    let mut measured = Measured::of(times);
    search(space, &mut measured, budget, seed);
    assert!(measured.spent() <= budget, "{}", measured.spent());
    *measured.trace().last().unwrap()
}

#[test]
fn a_space_has_every_combination_once_and_its_settings_by_name() {
    let space = space(&[3, 4]);
    assert_eq!(space.points.len(), 12);
    assert_eq!(space.settings(5).to_string(), "a 2, b 2");
    assert_eq!(space.place(0), [0.0, 0.0]);
    assert_eq!(space.place(11), [1.0, 1.0]);
}

#[test]
fn all_of_them_find_the_best_where_they_may_look_everywhere() {
    let space = space(&[6, 7]);
    let times = bowl(&space, &[4, 2], 0.0);
    let best = space.points.iter().position(|p| p == &[4, 2]).unwrap();
    for (name, search) in SEARCHES {
        assert_eq!(found(search, &space, &times, 1000, 1), best, "{name}");
    }
}

#[test]
fn a_model_finds_the_best_of_a_bowl_with_a_tenth_of_the_measurements() {
    let space = space(&[6, 7, 8]);
    let times = bowl(&space, &[4, 2, 5], 0.01);
    let best = space.points.iter().position(|p| p == &[4, 2, 5]).unwrap();
    // 336 points and 2 rounds each would be 672; 64 are given.
    let hits = |search: Search| {
        let seeds = 1..=20;
        seeds
            .filter(|s| found(search, &space, &times, 64, *s) == best)
            .count()
    };
    // Blindly 32 of 336 points hit one time in ten.
    assert!(hits(random) <= 6, "{}", hits(random));
    assert!(hits(bayes) >= 16, "{}", hits(bayes));
}

#[test]
fn halving_spends_its_rounds_on_what_looks_best() {
    let space = space(&[4, 4]);
    // Half of the times are a lottery for one round.
    let times = bowl(&space, &[1, 1], 0.2);
    let mut measured = Measured::of(&times);
    halving(&space, &mut measured, 48, 1);
    let known = measured.known();
    assert!(known.iter().all(Option::is_some));
    let best = space.points.iter().position(|p| p == &[1, 1]).unwrap();
    let near = |point: usize| {
        let p = &space.points[point];
        p.iter().zip([1, 1]).all(|(a, b)| a.abs_diff(b) <= 1)
    };
    let found = *measured.trace().last().unwrap();
    assert!(found == best || near(found), "{found}");
}

#[test]
fn what_cannot_be_costs_one_measurement_and_is_not_asked_again() {
    let space = space(&[3, 3]);
    let mut times = bowl(&space, &[0, 0], 0.0);
    for times in times.iter_mut().take(4) {
        times.clear();
    }
    for (name, search) in SEARCHES {
        let mut measured = Measured::of(&times);
        search(&space, &mut measured, 200, 1);
        // Four that cannot be, five of up to 16 rounds.
        assert!(
            measured.spent() <= 4 + 5 * 16,
            "{name}: {}",
            measured.spent()
        );
        let found = *measured.trace().last().unwrap();
        // [1, 1] is the nearest that there is.
        assert_eq!(space.points[found], [1, 1], "{name}");
    }
}
