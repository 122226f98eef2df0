use super::*;
use plan::run::listing::listings;

fn writing() -> Vec<Listing> {
    listings()
        .iter()
        .map(|name| Listing::named(&format!("exercises/{name}")).unwrap())
        .filter(|listing| listing.gaps().count() > 0)
        .collect()
}

/// The bounds that the exercises state, in bytes; the last two by hand, from the formula in
/// the head of their kernels.
fn bounds(source: &str) -> Bounds {
    let (issued, sectors) = match source {
        "exercises/silu_mul.cu" => (1.02 * 6_291_456.0, Some(1.05 * 6_291_456.0)),
        "exercises/residual_norm.cu" => (1.30 * 4_195_328.0, None),
        "exercises/tiled_product.cu" => (1.05 * 9_437_184.0, None),
        "exercises/online_softmax.cu" => (1.53 * 8_388_608.0, None),
        "exercises/flash_loop.cu" => (1.05 * 786_432.0, None),
        "exercises/fused_qkv.cu" => (1.05 * 3_670_016.0, None),
        "exercises/fused_gate_up.cu" => (1.05 * 6_815_744.0, None),
        other => panic!("no bound for {other}"),
    };
    Bounds {
        issued: Some(issued),
        sectors,
        ..Bounds::default()
    }
}

fn tried(source: &str, candidate: Candidate) -> SubmissionOutcome {
    judge(&Submission {
        source: source.to_owned(),
        candidate,
        bounds: bounds(source),
    })
}

#[test]
fn worked_kernels_are_accepted_and_every_known_mistake_is_refused_by_its_criterion() {
    let mut surprises = Vec::new();
    for listing in writing() {
        let outcome = tried(&listing.path, Candidate::Chosen(Vec::new()));
        if !matches!(outcome, SubmissionOutcome::Accepted { .. }) {
            surprises.push(format!("{}: {outcome:?}", listing.path));
        }
        for mistake in listing.mistakes() {
            match tried(&listing.path, Candidate::Chosen(vec![mistake.number])) {
                SubmissionOutcome::Refused(refusal) => {
                    assert_eq!(refusal.known, std::slice::from_ref(&mistake.say));
                    if refusal.criterion as u8 + 1 != mistake.criterion {
                        let sentence = refusal.sentence();
                        surprises.push(format!("{} {}: {sentence}", listing.path, mistake.name));
                    }
                }
                other => surprises.push(format!("{} {}: {other:?}", listing.path, mistake.name)),
            }
        }
    }
    assert!(surprises.is_empty(), "{}", surprises.join("\n\n"));
}

/// Nothing can be compiled here, and that is said.
fn compiler() -> bool {
    let listing = &writing()[0];
    let candidate = Candidate::Written {
        text: listing.worked(),
        file: "k.cu".to_owned(),
    };
    match tried(&listing.path, candidate) {
        SubmissionOutcome::NoCompiler(say) => {
            eprintln!("skipped: {say}");
            false
        }
        _ => true,
    }
}

#[test]
fn a_text_is_judged_like_the_kernel_that_it_is_and_its_mistake_is_recognised() {
    if !compiler() {
        return;
    }
    let mut surprises = Vec::new();
    for listing in writing() {
        let written = |text: String| {
            tried(
                &listing.path,
                Candidate::Written {
                    text,
                    file: "answers/k.cu".to_owned(),
                },
            )
        };
        let worked = written(listing.worked());
        assert!(
            matches!(worked, SubmissionOutcome::Accepted { .. }),
            "{}: {worked:?}",
            listing.path
        );
        let skeleton = written(listing.skeleton());
        assert!(
            matches!(&skeleton, SubmissionOutcome::Refused(_)),
            "{}: {skeleton:?}",
            listing.path
        );
        for mistake in listing.mistakes() {
            let outcome = written(listing.mistaken(mistake.number));
            let known = match &outcome {
                SubmissionOutcome::Refused(refusal) => refusal.known.contains(&mistake.say),
                _ => false,
            };
            if !known {
                surprises.push(format!("{} {}: {outcome:?}", listing.path, mistake.name));
            }
        }
    }
    assert!(surprises.is_empty(), "{}", surprises.join("\n\n"));
}

#[test]
fn what_cannot_be_compiled_or_never_ends_is_said_with_its_place() {
    if !compiler() {
        return;
    }
    let listing = Listing::named("exercises/silu_mul.cu").unwrap();
    let said = |line: &str| {
        let text = listing.worked().replace("    m[i] = value;", line);
        let file = "answers/ex19.cu".to_owned();
        match tried(&listing.path, Candidate::Written { text, file }) {
            SubmissionOutcome::Refused(refusal) => refusal.sentence(),
            other => format!("{other:?}"),
        }
    };
    for (line, says) in [
        ("    m[i] = valu;", "C1: answers/ex19.cu:"),
        (
            "    m[i] = value; printf(\"x\");",
            "C1: a kernel cannot print",
        ),
        ("    while (true) m[i] = value;", "C2: at n = 5"),
        ("    __trap();", "C4: at n = 5"),
        (
            "    m[i] = value; }\n#include </etc/passwd>\n{",
            "includes nothing",
        ),
        (
            "    m[i] = value + 0 * (threadIdx.x % 32);",
            "C8: answers/ex19.cu:",
        ),
        ("    atomicAdd(m + i, value);", "C4"),
    ] {
        let sentence = said(line);
        assert!(sentence.contains(says), "{line}: {sentence}");
    }
}
