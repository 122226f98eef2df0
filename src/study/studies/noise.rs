//! Recorded noise in place of the times of every plan: no study finds a difference in it.

use std::cell::Cell;

use super::ablate::{Ablate, Sets};
use super::bench::Bench;
use super::precision::Precision;
use crate::catalogue::Study;
use crate::timing::{measured, timed_in_turns};
use plan::cost::{Config, GpuDatabase};
use plan::fusion::{Cut, Fusion, Version};
use plan::model::random::Stream;
use plan::run::Request;

/// Series that are drawn from each recorded source for each study.
const SEEDS: u64 = 34;

/// Studies that end in words about times.
fn studies() -> Vec<Box<dyn Study>> {
    let config = Config::preset("workshop", Version::V2.cut()).unwrap();
    let run = Request::new(config.clone());
    let cuts = [Version::V1, Version::V2, Version::V4].map(Version::cut);
    let gpus = GpuDatabase::embedded().unwrap();
    vec![
        Box::new(Ablate {
            config: config.with_cut(Cut::v1()),
            fusions: vec![Fusion::Qkv, Fusion::Flash, Fusion::SiluMul],
            sets: Sets::All,
            run: Some(run.clone()),
        }),
        Box::new(
            Bench::suite(
                &run,
                std::slice::from_ref(&config.model),
                &[1],
                &[32],
                &cuts,
            )
            .unwrap(),
        ),
        Box::new(Precision {
            gpu: gpus.get("h200").unwrap().clone(),
            run: Some(run),
            config,
        }),
    ]
}

/// Whether a sentence says that two plans differ.
fn states(said: &str) -> bool {
    let effect = said.contains("The times show an effect of") && !said.contains("of no fusion");
    said.contains("times the time of") || effect
}

#[test]
fn no_study_states_a_difference_within_recorded_noise() {
    let (mut all, mut stated) = (0, Vec::new());
    for (name, times) in measured() {
        for study in studies() {
            for seed in 0..SEEDS {
                let draws = Stream::new(seed, &name);
                let drawn = Cell::new(0);
                let time = |_: &Request, _: usize| {
                    drawn.set(drawn.get() + 1);
                    times[draws.below(drawn.get(), times.len() as u64) as usize]
                };
                let rounds = timed_in_turns(study.asks().runs, time);
                let found = study.reduce(&rounds.into()).unwrap();
                let said: Vec<&String> = found.sentences.iter().collect();
                // Something is said of the times, and no more than that none is seen.
                assert!(
                    said.iter().any(|s| s.contains("no difference seen")
                        || s.contains("no plan of its shape is faster")
                        || s.contains("of no fusion")
                        || states(s)),
                    "{said:?}"
                );
                all += 1;
                stated.extend(said.into_iter().filter(|s| states(s)).cloned());
            }
        }
    }
    // One in a hundred: what is claimed is claimed at that level.
    assert!(
        all >= 300 && stated.len() <= all / 100,
        "of {all}: {stated:?}"
    );
}
