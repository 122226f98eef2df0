//! `claims`: the ledger for people and for programs.

use crate::program::Home;

#[test]
fn the_ledger_is_the_same_for_people_and_programs() {
    let home = Home::new();
    let list = home.line("claims");
    assert_eq!((list.code, list.err.as_str()), (0, ""));
    let document = home.line("claims --json").json();
    let claims = document["claims"].as_array().unwrap();
    // The ledger page has 226 claims.
    assert_eq!((document["schema"].as_u64(), claims.len()), (Some(1), 226));
    for claim in claims {
        let id = claim["id"].as_str().unwrap();
        assert!(list.out.contains(&format!(" {id} ")), "{id}");
        for figure in claim["model"].as_array().unwrap() {
            assert!(figure["value"].is_string(), "{id}: {figure}");
        }
    }
    assert!(list.out.lines().all(|l| l.chars().count() <= 80));
}

#[test]
fn one_claim_in_reading_order() {
    let home = Home::new();
    let claim = home.line("claims k-v1-68");
    assert_eq!((claim.code, claim.err.as_str()), (0, ""));
    // 4 · 17 as the document has it, and embedding, final norm and head.
    for text in ["printed: 68", "the model: 71", "Verdict: imprecise"] {
        assert!(claim.out.contains(text), "{text}:\n{}", claim.out);
    }
    let ascii = home.line("claims R-DECODE-T --ascii").out;
    assert!(ascii.is_ascii(), "{ascii}");
    // The command of a claim is one that works.
    let command = home.line("claims H-MI100").out;
    let command = command
        .lines()
        .find_map(|l| l.trim().strip_prefix("Command: tinyllama-tutor "));
    assert_eq!(home.line(command.unwrap()).code, 0);
}

#[test]
fn options_narrow_the_list() {
    let home = Home::new();
    let of = |line: &str| {
        let document = home.line(&format!("{line} --json")).json();
        document["claims"].as_array().unwrap().clone()
    };
    let exercise = of("claims --document s1");
    assert!(!exercise.is_empty());
    for claim in &exercise {
        let sources = claim["sources"].as_array().unwrap();
        assert!(sources.iter().any(|s| s["document"] == "S1"), "{claim}");
    }
    let words = [
        "right",
        "right-if",
        "imprecise",
        "wrong",
        "contradicted",
        "measurable",
        "unconfirmed",
    ];
    let sum: usize = words
        .iter()
        .map(|word| of(&format!("claims --verdict {word}")).len())
        .sum();
    assert_eq!(sum, 226);
    home.line("claims --verdict maybe")
        .refused(2, "there is no verdict “maybe”");
    home.line("claims Q-99").refused(2, "did you mean Q-");
    home.line("claims --document S7")
        .refused(2, "there is no document “S7”");
}

/// A lesson that is printed tells no more of a claim than one on the screen: nobody has
/// judged it.
#[test]
fn a_printed_lesson_leaves_the_verdict_to_its_reader() {
    let home = Home::new();
    let verdict = |printed: &str| printed.lines().any(|l| l.trim().starts_with("verdict: "));
    let shown = home.line("show 02").out;
    assert!(shown.contains("Judge it first") && !verdict(&shown), "{shown}");
    let whole = home.line("show 02 --answers").out;
    assert!(verdict(&whole) && !whole.contains("Judge it first"), "{whole}");
}
