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

#[test]
fn errata_say_what_to_correct_by_document_and_heading() {
    let home = Home::new();
    let letter = home.line("claims --errata");
    assert_eq!((letter.code, letter.err.as_str()), (0, ""));
    let at = |text: &str| letter.out.find(text).unwrap_or_else(|| panic!("{text}"));
    // The order of the documents, and of the headings in them.
    let order = [
        "## V4 README (S0)",
        "### Overview\n",
        "### Revolutionary Changes\n",
        "### Scaling Characteristics\n",
        "## technical appendices (S3)",
        "### A.1.1 Execution Time Comparison\n",
        "### A.1.3 Kernel Launch Analysis\n",
        "### F.3.1 Automated Performance Testing\n",
        "## optimisation guide (S4)",
    ];
    assert!(order.map(at).is_sorted());
    let part = |from: &str| {
        let rest = &letter.out[at(from)..];
        rest.find("\n**").map_or(rest, |end| &rest[..end])
    };
    // A block of V1 has 17 ops on its list: twelve, qk, softmax, pv, rope, one product.
    let wrong = part("**12 launches per block** (K-V1-12)");
    for text in [
        "- In the text: The baseline block takes “12” kernel launches.",
        "- We find: the model: 17",
        "- Why: The table has twelve",
        "K-V1-17)",
        "- To see it: `tinyllama-tutor compare v1 --run`",
    ] {
        assert!(wrong.contains(text), "{text}:\n{wrong}");
    }
    let condition = part("**17 launches per block** (K-V1-17)");
    assert!(condition.contains("- Right if: q and k are rotated by one kernel"));
    // What is right, and what only a run tells, wants no correction.
    for id in ["(K-V2-67)", "(F-24X)"] {
        assert!(!letter.out.contains(id), "{id}");
    }
    assert!(!letter.out.contains("- We find: ("));
}

#[test]
fn errata_for_programs_hold_what_the_verdicts_count() {
    let home = Home::new();
    let of = |line: &str| home.line(&format!("{line} --json")).json();
    let all = of("claims --errata");
    let wanted: usize = ["wrong", "contradicted", "imprecise", "right-if"]
        .iter()
        .map(|word| {
            let found = of(&format!("claims --verdict {word}"));
            // What this course says itself is no matter for others.
            let theirs = |claim: &&serde_json::Value| claim["sources"][0]["document"] != "HERE";
            found["claims"]
                .as_array()
                .unwrap()
                .iter()
                .filter(theirs)
                .count()
        })
        .sum();
    assert_eq!(all["entries"].as_u64(), Some(wanted as u64));
    let mut ids = std::collections::BTreeSet::new();
    for document in all["documents"].as_array().unwrap() {
        for heading in document["headings"].as_array().unwrap() {
            for entry in heading["entries"].as_array().unwrap() {
                let id = entry["id"].as_str().unwrap();
                ids.insert(id.to_owned());
                assert!(!entry["why"].as_str().unwrap().is_empty(), "{id}");
                let bound = entry["verdict"] == "right if";
                assert!(!bound || entry["condition"].is_string(), "{id}");
                let values = entry["found"].as_array().unwrap();
                assert!(values.iter().all(|v| v["value"].is_string()), "{id}");
            }
        }
    }
    assert_eq!(ids.len(), wanted);
    let one = of("claims --errata --document s1");
    assert_eq!(one["documents"].as_array().unwrap().len(), 1);
    let none = home.line("claims --errata --verdict right");
    assert!(none.out.contains("have nothing to suggest"), "{}", none.out);
    assert!(!none.out.contains("## "), "{}", none.out);
    home.line("claims K-V1-12 --errata").refused(2, "errata");
}

#[test]
fn a_course_switches_the_court_off() {
    let home = Home::new();
    let questions = |home: &Home| {
        let out = home.args(&[]).out;
        let line = out.lines().find(|l| l.ends_with("answered right."));
        let words = line.unwrap().split(' ').nth(3).unwrap().to_owned();
        words.parse::<usize>().unwrap()
    };
    let before = questions(&home);
    let on = home.line("show 07").out;
    assert!(on.contains("Live block claim") && on.contains("Four counts for one block"));
    // What is said of a claim waits for --answers.
    assert!(!on.contains("Each author had a list in mind"), "{on}");
    let answers = home.line("show 07 --answers").out;
    assert!(
        answers.contains("Each author had a list in mind"),
        "{answers}"
    );
    home.write(
        "course/lessons/60-own.md",
        "+++\ntitle = \"Own\"\n+++\n## A\nText.\n",
    );
    home.write("course/workshop.toml", "court = false\n");
    home.write("answers/none", "");
    home.write("workshop.toml", "course = \"course\"\n");
    let off =
        "this course has switched the claims court off, with court = false in course/workshop.toml";
    for line in ["claims", "claims K-V1-12", "claims --errata"] {
        home.line(line).refused(2, off);
    }
    let json = home.line("claims --json");
    assert_eq!((json.code, json.err.contains(off)), (2, true), "{json:?}");
    // The boxes are gone, and so is what stands behind them; the rest of the text stays,
    // without citations and without what leads to the court.
    let lesson = home.line("show 07 --answers").out;
    assert!(!lesson.contains("Live block claim"), "{lesson}");
    assert!(lesson.contains("Live block question ex1"), "{lesson}");
    assert!(lesson.contains("A profiler counted"), "{lesson}");
    assert!(!lesson.contains("Four counts for one block"), "{lesson}");
    for line in [
        "show 00",
        "show 12 --answers",
        "show 25 --answers",
        "show 91",
        "show ex33",
    ] {
        let out = home.line(line).out.to_lowercase();
        let words = out.split(|c: char| !c.is_alphabetic());
        let of_the_court = ["claim", "claims", "court", "docket", "ledger"];
        let found: Vec<&str> = words.filter(|word| of_the_court.contains(word)).collect();
        assert_eq!(found, Vec::<&str>::new(), "{line}");
    }
    let slip = home.line("check ex8 --answer glu=2").out;
    assert!(slip.contains("slip") && !slip.contains("G-GATE2"), "{slip}");
    home.line("show ex44").refused(2, "there is no");
    home.line("show 26").refused(2, "there is no lesson “26”");
    // ex44 has 21 questions: a verdict and a number or run for ten claims, and the table.
    assert_eq!(questions(&home), before - 21);
    // An exercise of the lesson that is left out stays, and is of none.
    let list = home.line("exercises --json").json();
    let own = list["exercises"].as_array().unwrap().iter();
    let mut own = own.filter(|e| e["id"] == "ex45");
    assert!(own.next().unwrap()["lesson"].is_null());
    let path = home.line("path one-day");
    assert!(!path.out.contains("ex44"), "{}", path.out);
    // The workshop itself goes before its course.
    home.write("workshop.toml", "course = \"course\"\ncourt = true\n");
    assert_eq!(home.line("claims").code, 0);
    home.write("workshop.toml", "court = \"no\"\n");
    let wrong = home.line("claims");
    assert_eq!(wrong.code, 2, "{wrong:?}");
    let say = "workshop.toml:1:9: `court` is a text; it takes true or false.";
    assert!(wrong.err.contains(say), "{}", wrong.err);
}

/// A lesson that is printed tells no more of a claim than one on the screen: nobody has
/// judged it.
#[test]
fn a_printed_lesson_leaves_the_verdict_to_its_reader() {
    let home = Home::new();
    let verdict = |printed: &str| printed.lines().any(|l| l.trim().starts_with("verdict: "));
    let shown = home.line("show 02").out;
    assert!(
        shown.contains("Judge it first") && !verdict(&shown),
        "{shown}"
    );
    let whole = home.line("show 02 --answers").out;
    assert!(
        verdict(&whole) && !whole.contains("Judge it first"),
        "{whole}"
    );
}
