use super::*;
use crate::run::listing::listings;

fn writing() -> Vec<Listing> {
    listings()
        .iter()
        .map(|name| Listing::named(&format!("exercises/{name}")).unwrap())
        .filter(|listing| listing.gaps().count() > 0)
        .collect()
}

/// The bounds of the syllabus (section 3.5), in bytes.
fn bounds(source: &str) -> Bounds {
    let (issued, sectors) = match source {
        "exercises/silu_mul.cu" => (1.02 * 6_291_456.0, Some(1.05 * 6_291_456.0)),
        "exercises/residual_norm.cu" => (1.30 * 4_195_328.0, None),
        "exercises/tiled_product.cu" => (1.05 * 9_437_184.0, None),
        "exercises/online_softmax.cu" => (1.53 * 8_388_608.0, None),
        "exercises/flash_loop.cu" => (1.05 * 786_432.0, None),
        other => panic!("no bound for {other}"),
    };
    Bounds {
        issued: Some(issued),
        sectors,
        ..Bounds::default()
    }
}

fn tried(source: &str, candidate: Candidate) -> TrialOutcome {
    judge(&Trial {
        source: source.to_owned(),
        candidate,
        bounds: bounds(source),
    })
}

#[test]
fn worked_kernels_are_accepted_and_every_known_mistake_is_refused_by_its_criterion() {
    for listing in writing() {
        let outcome = tried(&listing.path, Candidate::Chosen(Vec::new()));
        assert!(
            matches!(outcome, TrialOutcome::Accepted { .. }),
            "{}: {outcome:?}",
            listing.path
        );
        for mistake in listing.mistakes() {
            let outcome = tried(&listing.path, Candidate::Chosen(vec![mistake.number]));
            let TrialOutcome::Refused(refusal) = outcome else {
                panic!("{} {}: {outcome:?}", listing.path, mistake.name);
            };
            assert!(
                refusal.criterion.refuses(mistake),
                "{} {}: {}",
                listing.path,
                mistake.name,
                refusal.sentence()
            );
            assert_eq!(refusal.known, [mistake.say.clone()]);
        }
    }
}
