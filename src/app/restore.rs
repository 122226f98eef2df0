//! The lab as it is kept, and as it comes back.

use super::keep::{Change, Kept, Lab, Roof};
use super::lesson::Reader;
use super::machine::{BackendFacts, Ceilings, Condition, Source};
use super::note::Tone;
use super::practise::Practise;
use super::question::Asked;
use super::roofline::Roofline;
use super::setup::Setup;
use super::shared::Shared;

/// The lab as it is kept now; what a lesson put on the bench for a while is not meant.
pub(super) fn lab(
    shared: &Shared,
    reader: &Reader,
    roofline: &Roofline,
    practise: &Practise,
) -> Lab {
    let change = shared.questions.change.as_ref();
    let (bench, picked) = reader.lent.own(shared);
    let measured = |c: &&Ceilings| c.source == Source::Measured;
    let roofs = shared.machine.backends.iter().filter_map(|b| {
        Some(Roof {
            backend: b.name.clone(),
            device: b.line.clone(),
            ceilings: b.ceilings.as_ref().filter(measured)?.clone(),
        })
    });
    let elsewhere = shared.keeping.elsewhere.iter().cloned();
    Lab {
        config: bench.setup().config(bench.cut()),
        seed: bench.setup().seed,
        undo: bench.before().to_vec(),
        point: roofline.own(),
        rest: reader.rest(shared),
        change: change.map(|(asked, typed)| Change {
            exercise: asked.exercise.clone(),
            key: asked.key.clone(),
            typed: typed.clone(),
        }),
        practice: practise.kept(),
        backend: picked,
        roofs: roofs.chain(elsewhere).collect(),
    }
}

/// What was kept comes back: the plan at once, unless one was asked for or changed
/// already; runs and roofs once it is known what this machine has.
pub(super) fn restored(
    shared: &mut Shared,
    roofline: &mut Roofline,
    practise: &mut Practise,
    kept: Kept,
) {
    for note in &kept.notes {
        shared.notes.say(Tone::Warn, note.clone());
    }
    if let Some(lab) = &kept.lab {
        roofline.restore(lab.point);
        practise.restore(lab.practice.clone());
        let change = lab.change.clone().map(|change| {
            let (exercise, key) = (change.exercise, change.key);
            (Asked { exercise, key }, change.typed)
        });
        let begun = &mut shared.questions.change;
        *begun = begun.take().or(change);
    }
    if let Some(lab) = &kept.lab
        && shared.bench.untouched()
        && !shared.keeping.asked_for
    {
        let setup = Setup::of(&lab.config, lab.seed);
        // A setup that cannot be priced any more leaves the bench as it opens.
        if shared.bench.set_up(setup).is_ok() {
            let _ = shared.bench.open_with(lab.config.cut, &lab.undo);
        }
    }
    // What the command line asked for is no change to be kept, nor is how it opens.
    let opened = shared.keeping.opened.clone();
    shared.keeping.last = match (kept.lab.clone(), opened) {
        (Some(lab), Some(opened)) if shared.keeping.asked_for => Some(Lab {
            point: lab.point,
            rest: lab.rest,
            change: lab.change,
            practice: lab.practice,
            backend: lab.backend,
            roofs: lab.roofs,
            ..opened
        }),
        (Some(lab), _) => Some(lab),
        (None, opened) => opened,
    };
    shared.keeping.waits = Some(kept);
    found(shared);
}

/// The machine is known, or what was kept has come: what belongs together is put there.
pub(super) fn found(shared: &mut Shared) {
    if !shared.machine.looked {
        return;
    }
    let Some(kept) = shared.keeping.waits.take() else {
        return;
    };
    let machine = &mut shared.machine;
    if let Some(lab) = kept.lab {
        for roof in lab.roofs {
            let same = |b: &&BackendFacts| {
                b.name == roof.backend && b.line == roof.device && b.condition == Condition::Ready
            };
            let known = |c: &Ceilings| c.source == Source::Measured;
            let fresh = machine.backends.iter().find(same);
            match fresh {
                None => shared.keeping.elsewhere.push(roof),
                Some(b) if b.ceilings.as_ref().is_some_and(known) => {}
                Some(_) => machine.measured(&roof.backend, roof.ceilings),
            }
        }
        if let Some(name) = lab.backend.filter(|_| !machine.picked) {
            // Where it is gone, the preferred one is chosen.
            let _ = machine.choose(&name);
        }
    }
    shared.runs.take_up(kept.runs, &shared.machine);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keep::Run;
    use crate::key::ch;
    use crate::look::Look;
    use crate::machine::Machine;
    use crate::page::Page;
    use crate::runs::tests::report;
    use crate::{Effect, Event, Message, State, update};
    use plan::cost::Config;
    use plan::fusion::Version;
    use plan::model::Shape;
    use plan::run::BackendKind;

    fn say(state: &mut State, message: Message) -> Vec<Effect> {
        update(state, Event { at: 1, message })
    }

    fn machine() -> Machine {
        let cpu = BackendFacts {
            name: "cpu".into(),
            line: "a CPU".into(),
            condition: Condition::Ready,
            ..BackendFacts::default()
        };
        let mut machine = Machine {
            backends: vec![cpu],
            ..Machine::default()
        };
        machine.prefer(&["cpu"]);
        machine
    }

    /// V2 and V1 in turns, 15 rounds of which V2 needs nine tenths.
    fn runs(build: &str, device: &str) -> Vec<Run> {
        let of = |version: Version, micros: f64| {
            let mut report = report(1, micros);
            report.device = device.to_owned();
            Run {
                build: build.to_owned(),
                backend: BackendKind::Cpu,
                config: Config::preset("workshop", version.cut()).unwrap(),
                seed: 1,
                job: 3,
                among: 2,
                rounds: (0..15).map(|_| Some(micros)).collect(),
                report,
            }
        };
        vec![of(Version::V2, 90.0), of(Version::V1, 100.0)]
    }

    fn kept(build: &str, device: &str) -> Kept {
        let mut config = Config::preset("workshop", Version::V2.cut()).unwrap();
        config.shape = Shape::prefill(1, 128);
        Kept {
            lab: Some(Lab {
                config,
                seed: 1,
                undo: vec![Version::V3.cut()],
                point: Some(44.0),
                rest: None,
                change: None,
                practice: None,
                backend: None,
                roofs: vec![Roof {
                    backend: "cpu".into(),
                    device: "a CPU".into(),
                    ceilings: Ceilings::measured("this CPU", 2e10, 1e11),
                }],
            }),
            runs: runs(build, device),
            notes: vec![],
        }
    }

    fn opened(kept: Kept) -> State {
        let mut state = State::new((80, 24), Look::default()).unwrap();
        state.page = Page::Lab;
        assert_eq!(say(&mut state, Message::Restored(Box::new(kept))), []);
        assert_eq!(say(&mut state, Message::Found(Box::new(machine()))), []);
        state
    }

    #[test]
    fn plan_runs_and_roof_are_there_again_and_nothing_is_written() {
        let state = opened(kept("", "a CPU"));
        let shared = &state.shared;
        let (v1, v2) = (Version::V1.cut(), Version::V2.cut());
        assert_eq!(shared.bench.cut(), v2);
        let found = shared.runs.in_turns(shared.bench.setup(), v1, v2);
        assert!(found.is_some_and(|(_, verdict)| verdict.claimed()));
        assert!(shared.machine.roof_is_own());
    }

    #[test]
    fn runs_of_another_build_or_device_are_said_and_not_compared() {
        for (build, device, word) in [
            ("0123", "a CPU", "another build"),
            ("", "a slower CPU", "a slower CPU"),
        ] {
            let state = opened(kept(build, device));
            let shared = &state.shared;
            let (v1, v2) = (Version::V1.cut(), Version::V2.cut());
            let setup = shared.bench.setup();
            assert!(shared.runs.of(setup, v2).is_none());
            assert!(shared.runs.in_turns(setup, v1, v2).is_none());
            let said = shared.runs.elsewhere(setup, v2).unwrap();
            assert_eq!(
                said,
                format!("V2: 90.0 µs @, of {word}; it is not compared.")
            );
        }
    }

    #[test]
    fn what_changes_is_kept_once_and_what_was_asked_for_is_not_replaced() {
        let mut state = opened(kept("", "a CPU"));
        say(&mut state, Message::Key(ch('u')));
        assert_eq!(state.shared.bench.cut(), Version::V3.cut());
        let mut state = opened(kept("", "a CPU"));
        let effects = say(&mut state, Message::Key(ch('v')));
        let lab = match effects.as_slice() {
            [Effect::KeepLab(lab)] => lab,
            other => panic!("{other:?}"),
        };
        assert_eq!(lab.config.cut, Version::V3.cut());
        assert_eq!(lab.undo, [Version::V3.cut(), Version::V2.cut()]);
        assert_eq!((lab.roofs.len(), lab.point), (1, Some(44.0)));
        assert_eq!(say(&mut state, Message::Tick), []);

        let mut asked = State::new((80, 24), Look::default()).unwrap();
        asked.shared.keeping.asked_for = true;
        say(&mut asked, Message::Restored(Box::new(kept("", "a CPU"))));
        assert_eq!(asked.shared.bench.cut(), Version::V1.cut());
    }
}
