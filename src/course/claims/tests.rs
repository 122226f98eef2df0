use super::*;
use crate::answer::{Env, Expr, Ground, Value};
use crate::{Course, Figures, Inline, numbers};
use plan::cost::GpuDatabase;
use plan::fusion::Cut;
use plan::units;

mod expected;

fn with_env<R>(claim: &Claim, look: impl FnOnce(&Env<'_>) -> R) -> R {
    let gpus = GpuDatabase::embedded().unwrap();
    look(&claim.env(&gpus, Figures::built_in()).unwrap())
}

fn number(claim: &Claim, text: &str, env: &Env<'_>) -> units::Quantity {
    let value = Expr::parse(text).and_then(|e| e.evaluate(env));
    let value = value.unwrap_or_else(|e| panic!("{}: {text}: {e}", claim.id.text));
    value
        .quantity()
        .unwrap_or_else(|| panic!("{}: {text} is no number", claim.id.text))
}

#[test]
fn the_built_in_ledger_is_read_without_fault() {
    let (ledger, faults) = Ledger::read("assets/claims.toml", FILE);
    assert_eq!(faults, []);
    // The ledger page has 226 claims.
    assert_eq!(ledger.claims().len(), 226);
    for group in ledger.groups() {
        let used = ledger.claims().iter().any(|c| c.group == group.id);
        assert!(used, "no claim is in the group {}", group.id);
    }
    for document in ledger.documents() {
        let used = ledger.claims().iter().any(|c| c.is_in(&document.id));
        assert!(used, "no claim is in {}", document.id);
    }
}

#[test]
fn a_title_is_plain_words_and_holds_no_id() {
    let ledger = Ledger::built_in();
    for claim in ledger.claims() {
        let title = &claim.title;
        let ids = ledger.claims().iter().map(|claim| claim.id.text.as_str());
        let held: Vec<&str> = ids.filter(|id| title.contains(id)).collect();
        assert!(held.is_empty(), "{title}: {held:?}");
    }
}

#[test]
fn everything_evaluates_and_prints() {
    let mut wrong = Vec::new();
    for claim in Ledger::built_in().claims() {
        let id = &claim.id.text;
        with_env(claim, |env| {
            let lines = claim.document_lines(env).into_iter();
            for line in lines.chain(claim.model_lines(env)) {
                if let Err(why) = line.value {
                    wrong.push(format!("{id}, {}: {why}", line.label));
                }
            }
            for text in [&claim.says, &claim.truth] {
                for inline in numbers(&text.text, text.at) {
                    if let Err((_, why)) = Inline::show(&inline, env) {
                        wrong.push(format!("{id}: {}: {why}", inline.expr.text));
                    }
                }
            }
            for plan in &claim.plans {
                assert!(Cut::parse(&plan.text).is_ok(), "{id}: {}", plan.text);
            }
        });
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_figure_that_was_recorded_says_so_and_one_of_a_shape_names_it() {
    let (mut recorded, mut shaped) = (0, 0);
    for claim in Ledger::built_in().claims() {
        let id = &claim.id.text;
        for figure in &claim.figures {
            let rests = Expr::parse(&figure.expr.text).unwrap().ground();
            if rests == Ground::Record {
                recorded += 1;
                assert!(figure.label.contains("recorded"), "{id}: {}", figure.label);
            }
        }
        with_env(claim, |env| {
            shaped += usize::from(claim.shape(env).is_some())
        });
    }
    assert!(recorded >= 4 && shaped >= 50, "{recorded} {shaped}");
    let find = |id: &str| Ledger::built_in().find(id).unwrap();
    with_env(find("F-STDAI"), |env| {
        // B·S·D/(2·D + S) of its own batch of 8: 8·128·256/640.
        let shape = find("F-STDAI").shape(env);
        assert_eq!(shape.as_deref(), Some("workshop B8 S128 fp32"));
    });
    with_env(find("K-S1-V1COL"), |env| {
        assert!(
            find("K-S1-V1COL").shape(env).is_some(),
            "its second row counts launches"
        );
    });
}

#[test]
fn under_its_assumption_a_claim_holds() {
    let mut compared = 0;
    for claim in Ledger::built_in().claims() {
        let Some(holds) = &claim.holds else { continue };
        let id = &claim.id.text;
        with_env(claim, |env| {
            let value = number(claim, &holds.text, env);
            match (&claim.printed, &claim.claimed) {
                (Some(printed), _) => {
                    let typed = units::read(printed, None)
                        .unwrap_or_else(|e| panic!("{id}: “{printed}” cannot be read: {e}"));
                    assert!(typed.rounds_to(&value), "{id}: {printed} against {value:?}");
                }
                (None, Some(formula)) => {
                    let formula = number(claim, &formula.text, env);
                    let apart = (formula.value() - value.value()).abs();
                    assert!(
                        apart <= 1e-12 * value.value().abs(),
                        "{id}: {formula:?} against {value:?}"
                    );
                }
                (None, None) => panic!("{id} has nothing that could hold"),
            }
            compared += 1;
        });
    }
    assert!(compared >= 30, "{compared}");
}

#[test]
fn verdicts_come_with_what_they_need() {
    for claim in Ledger::built_in().claims() {
        let id = &claim.id.text;
        match claim.ruling {
            Ruling::Right => assert!(claim.assumption.is_none(), "{id} is right as it stands"),
            Ruling::RightIf => assert!(claim.assumption.is_some(), "{id}: right if what?"),
            _ => {}
        }
        assert!(
            !claim.by.iter().any(|by| by.text == *id),
            "{id} names itself"
        );
        // Titles stand in a narrow list.
        assert!(claim.title.chars().count() <= 28, "{id}: {}", claim.title);
    }
}

#[test]
fn what_was_counted_in_a_run_is_not_said_to_be_only_read() {
    let read = Ledger::built_in().claims().iter().filter_map(|claim| {
        let how = claim.how_found()?;
        Some((claim, how))
    });
    let mut both = 0;
    for (claim, how) in read {
        let run = claim.truth.text.contains("profiler counted");
        assert_eq!(run, !how.contains("not by running"), "{}", claim.id.text);
        both += usize::from(run);
    }
    // K-V3-4, K-V4-1, and what an eager step launches.
    assert_eq!(both, 3);
}

#[test]
fn claims_of_the_court_are_well_posed() {
    let ledger = Ledger::built_in();
    for role in Role::ALL {
        let stands = |c: &&Claim| c.court.as_ref().is_some_and(|court| court.role == role);
        let held: Vec<&Claim> = ledger.claims().iter().filter(stands).collect();
        assert!(held.len() >= 3, "{role:?} has {}", held.len());
    }
    for claim in ledger.claims() {
        let id = &claim.id.text;
        let ask = claim.court.as_ref().and_then(|court| court.ask.as_ref());
        let Some(ask) = ask else { continue };
        assert!(ask.text.ends_with('?'), "{id}: {}", ask.text);
        let (_, figure) = claim.asked().unwrap();
        with_env(claim, |env| {
            assert!(matches!(claim.value(figure, env), Ok(Value::Quantity(_))));
            for inline in numbers(&ask.text, ask.at) {
                assert!(Inline::show(&inline, env).is_ok(), "{id}: {}", ask.text);
            }
        });
    }
}

#[test]
fn a_claim_without_a_clean_verdict_is_not_drawn() {
    let with = |verdict: &str, court: &str| {
        let text = format!(
            "[[document]]\nid = \"S0\"\nname = \"a\"\n[[group]]\nid = \"g\"\nname = \"G\"\n\
            [[claim]]\nid = \"A-1\"\ntitle = \"t\"\ngroup = \"g\"\nsource = \"S0\"\nsays = \"x\"\n\
            verdict = \"{verdict}\"\ntruth = \"y\"\ndemo = \"count\"\ncourt = {court}\n"
        );
        let (_, faults) = Ledger::read("c.toml", &text);
        let said: Vec<String> = faults.iter().map(ToString::to_string).collect();
        said.join("\n")
    };
    assert_eq!(with("wrong", "{ as = \"count\" }"), "");
    assert_eq!(
        with("imprecise", "{ as = \"count\" }"),
        "c.toml:16:1: a claim that is imprecise cannot be drawn as count; leave `court` out."
    );
    assert_eq!(
        with("wrong", "{ as = \"count\", ask = \"How many?\" }"),
        "c.toml:16:1: `court` asks for a number that the claim does not have."
    );
    assert!(with("wrong", "{ as = \"cont\" }").ends_with("did you mean count?"));
}

#[test]
fn nothing_that_can_be_computed_is_typed_in() {
    let mut faults = Vec::new();
    for claim in Ledger::built_in().claims() {
        let told = [
            Some(&claim.says),
            Some(&claim.truth),
            claim.assumption.as_ref(),
            claim.court.as_ref().and_then(|court| court.ask.as_ref()),
        ];
        for text in told.into_iter().flatten() {
            let file = "assets/claims.toml";
            crate::lint::typed_in(file, &text.text, text.at, &mut faults);
        }
    }
    let said: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert!(said.is_empty(), "{}", said.join("\n"));
}

#[test]
fn demonstrations_run_what_the_model_prices() {
    let ledger = Ledger::built_in();
    let command = |id: &str| ledger.get(id).and_then(Claim::demonstration);
    assert_eq!(
        command("Q-AI3X").as_deref(),
        Some("tinyllama-tutor compare v1 v1+qkv --batch 8 --block")
    );
    assert_eq!(
        command("K-V1-12").as_deref(),
        Some("tinyllama-tutor compare v1 --run")
    );
    assert_eq!(
        command("H-MI50").as_deref(),
        Some("tinyllama-tutor gpus mi50")
    );
    assert_eq!(command("G-BIAS"), None);
    for claim in ledger.claims().iter().filter(|c| !c.plans.is_empty()) {
        let id = &claim.id.text;
        assert!(claim.command.is_none(), "{id} has plans and a command");
        // The command must be able to say what the claim is set up as, and a
        // laptop must be able to run it.
        for setting in &claim.setup.settings {
            let known = ["batch", "seq", "context", "dtype"].contains(&setting.name.as_str());
            assert!(known, "{id} runs under {}", setting.name);
        }
    }
}

#[test]
fn computed_values_are_those_of_the_ledger_page() {
    let ledger = Ledger::built_in();
    let mut wrong = Vec::new();
    for (id, row, expected) in expected::VALUES {
        let claim = ledger.get(id).unwrap_or_else(|| panic!("no claim {id}"));
        let figure = claim
            .figures
            .get(*row)
            .unwrap_or_else(|| panic!("{id} has no figure {row}"));
        with_env(claim, |env| {
            let value = match claim.value(figure, env) {
                Ok(Value::Quantity(q)) => q,
                other => return wrong.push(format!("{id} {row}: {other:?}")),
            };
            let typed = units::read(expected, Some(value.dimension()))
                .or_else(|_| units::read(expected, None))
                .unwrap_or_else(|e| panic!("{id}: “{expected}”: {e}"));
            if !typed.rounds_to(&value) {
                let (label, here) = (&figure.label, value.value());
                wrong.push(format!(
                    "{id}, {label}: {expected} on the page, {here} here"
                ));
            }
        });
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_claim_that_the_course_cites_exists() {
    let ledger = Ledger::built_in();
    let course = Course::built_in();
    let bodies = course
        .lessons()
        .map(|l| (&l.id, &l.text))
        .chain(course.exercises().map(|e| (&e.id, &e.text)));
    let mut cited = 0;
    for (id, text) in bodies {
        for claim in cited::named(text.body()) {
            assert!(
                ledger.get(claim).is_some(),
                "{id} cites {claim}, which is no claim"
            );
            cited += 1;
        }
    }
    assert!(cited > 20, "{cited}");
    for exercise in course.exercises() {
        for slip in exercise.keys.iter().flat_map(|k| &k.slips) {
            if let Some(claim) = &slip.claim {
                assert!(
                    ledger.get(&claim.text).is_some(),
                    "{}: {}",
                    exercise.id,
                    claim.text
                );
            }
        }
    }
}

#[test]
fn ids_are_found_as_people_type_them() {
    let ledger = Ledger::built_in();
    assert_eq!(ledger.find(" m-1.34 ").unwrap().id.text, "M-1.34");
    let near = ledger.find("K-V1-13").unwrap_err();
    assert!(
        near.starts_with("there is no claim “K-V1-13”; did you mean K-V1-1"),
        "{near}"
    );
    assert_eq!(ledger.document("s2").unwrap().name, "V2 README");
    assert!(ledger.document("S9").is_err());
}

#[test]
fn a_lesson_that_cites_a_claim_is_found() {
    let course = Course::built_in();
    let lessons: Vec<&str> = cited(&course, "K-V1-68").map(|l| l.id.as_str()).collect();
    assert!(lessons.contains(&"07-v1-census"), "{lessons:?}");
    let census = course.lesson("07-v1-census").unwrap();
    let at = cited_at(census, "K-V1-68").unwrap();
    assert_eq!(census.sections[at].id, "around-the-blocks");
    assert_eq!(cited_at(census, "K-V1-6"), None);
    assert_eq!(cited(&course, "K-V1-6").count(), 0);
}

#[test]
fn a_broken_entry_is_placed() {
    let text = "[[document]]\nid = \"S0\"\nname = \"a\"\n[[group]]\nid = \"g\"\nname = \"G\"\n\
        [[claim]]\nid = \"A-1\"\ntitle = \"t\"\ngroup = \"g\"\nsource = \"S1\"\nsays = \"x\"\n\
        verdict = \"wrng\"\ntruth = \"y\"\ndemo = \"count\"\n";
    let (ledger, faults) = Ledger::read("c.toml", text);
    assert_eq!(ledger.claims().len(), 0);
    let said: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "c.toml:7:1: a claim needs its source; add source = \"S0: Heading\".",
            "c.toml:11:11: there is no document S1.",
            "c.toml:13:12: `verdict` is “wrng”; did you mean wrong?",
        ]
    );
}
