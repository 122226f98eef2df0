//! A study that is set, made, stopped, refused, and what its refusal offers.

use std::sync::Arc;

use super::{ENTER, Page, kept, offered, setting};
use tinyllama_tutor::app::key::{Code, Key, ch, key};
use tinyllama_tutor::app::{Effect, Message};
use tinyllama_tutor::study::offer::Takes;

#[test]
fn a_study_is_set_made_and_stopped_from_the_page() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut page = Page::open(columns, rows);
        page.press(&[ch('j'), ch('j'), ENTER, ch('j'), ENTER]);
        page.typed("16,32");
        page.press(&[ENTER, ch('j'), key(Code::Right), ch('j'), ch(' ')]);
        page.snapshot("studies-settings");
        let made = page.press(&[ch('r')]);
        let words = "study scale --at 16,32 --order down --run --version v1";
        let words: Vec<String> = words.split(' ').map(String::from).collect();
        assert_eq!(made, [Effect::MakeStudy(1, words)]);
        // Another is not begun beside it, nor a run that would disturb it.
        assert_eq!(page.press(&[ch('r')]), []);
        page.tell(Message::StudyHeard(1, "timing 7 of 30".into()));
        page.press(&[ch('k')]);
        page.snapshot("studies-making");
        assert_eq!(
            page.press(&[Key {
                ctrl: true,
                ..ch('c')
            }]),
            [Effect::StopStudy]
        );
        page.tell(Message::StudyMade(1, Ok(Arc::new(kept("scale-3", true)))));
        let rows = page.rows().join("\n");
        assert!(rows.contains("Stopped before its end"), "{rows}");
        assert!(page.0.shared.studies.making().is_none());
    }
}

#[test]
fn a_sweep_that_takes_too_long_says_so_where_it_was_set() {
    let mut page = Page::open(80, 24);
    page.press(&[ch('j'), ch('j'), ENTER, ch('r')]);
    let why = "study scale would take about 2.1 h here (150 runs at the pace of its smallest), \
               more than 10 min; take fewer or smaller sizes with --at, --runs 16, or a smaller \
               --model, or --budget 190 (minutes)";
    page.tell(Message::StudyMade(1, Err(why.into())));
    page.press(&[ch('k')]);
    page.snapshot("studies-refused");
    // A terminal that shrinks meanwhile says that nothing is lost.
    page.tell(Message::Resize {
        columns: 60,
        rows: 18,
    });
    let rows = page.rows().join("\n");
    assert!(rows.contains("Studies, needs 80"), "{rows}");
    page.tell(Message::Resize {
        columns: 80,
        rows: 24,
    });
    assert!(page.rows().join("\n").contains("190 (minutes)"));
}

#[test]
fn a_study_that_this_backend_does_not_make_chooses_its_own() {
    let mut page = Page::open(80, 24);
    let mut all = offered();
    let backend = |takes| setting("backend", "who runs it", takes, "auto");
    // The machine of these tests runs on cuda.
    let gym = ["auto", "simt"].map(String::from).to_vec();
    all[0].settings = vec![backend(Takes::Choice(gym))];
    all[1].settings = vec![backend(Takes::Text)];
    page.offer(all);
    page.press(&[ENTER]);
    assert!(!page.rows().join("\n").contains("--backend cuda"));
    page.press(&[key(Code::Esc), ch('j'), ENTER]);
    let rows = page.rows().join("\n");
    assert!(rows.contains("study plan --backend cuda"), "{rows}");
}

#[test]
fn a_study_that_runs_nothing_is_given_no_backend() {
    let mut page = Page::open(80, 24);
    let mut all = offered();
    all[0].settings = vec![
        setting("run", "", Takes::Switch, ""),
        setting("backend", "", Takes::Text, "auto"),
    ];
    page.offer(all);
    page.press(&[ENTER]);
    assert!(!page.rows().join("\n").contains("--backend"));
    // Run: by the backend of the workshop.
    page.press(&[ENTER]);
    let rows = page.rows().join("\n");
    assert!(rows.contains("--run --backend cuda"), "{rows}");
}

#[test]
fn a_key_makes_the_smaller_study_that_was_offered() {
    let mut page = Page::open(80, 24);
    let mut all = offered();
    for (name, usual) in [("runs", "30"), ("budget", "10")] {
        let number = setting(name, "a number", Takes::Text, usual);
        all[2].settings.push(number);
    }
    page.offer(all);
    page.press(&[ch('j'), ch('j'), ENTER, ch('r')]);
    let why = "study scale would take about 2.1 h here, more than 10 min; take fewer or smaller \
               sizes with --at, --runs 16, or a smaller --model, or --budget 190 (minutes)";
    page.tell(Message::StudyMade(1, Err(why.into())));
    // The message that says why gives way to what can be done.
    page.press(&[ch('k')]);
    let rows = page.rows().join("\n");
    assert!(rows.contains("R makes it so: --runs 16."), "{rows}");
    let words = |effects: Vec<Effect>| match effects.as_slice() {
        [Effect::MakeStudy(_, words)] => words.join(" "),
        other => panic!("{other:?}"),
    };
    let made = words(page.press(&[ch('R')]));
    assert_eq!(made, "study scale --runs 16 --version v1");
    // Still too long: what is left is time.
    page.tell(Message::StudyMade(2, Err(why.into())));
    let made = words(page.press(&[ch('R')]));
    assert_eq!(made, "study scale --runs 16 --budget 190 --version v1");
    // Nothing was refused: nothing is offered.
    page.tell(Message::StudyMade(3, Ok(Arc::new(kept("scale-3", false)))));
    page.press(&[key(Code::Esc), ENTER]);
    assert_eq!(page.press(&[ch('R')]), []);
}

#[test]
fn a_refusal_offers_its_way_out_at_once() {
    let mut page = Page::open(80, 24);
    let mut all = offered();
    let runs = setting("runs", "a number", Takes::Text, "30");
    all[2].settings.push(runs);
    page.offer(all);
    page.press(&[ch('j'), ch('j'), ENTER, ch('r')]);
    let why = "study scale would take about 1,316 s here, more than 600 s; take --runs 18";
    page.tell(Message::StudyMade(1, Err(why.into())));
    let rows = page.rows();
    let text = rows.join("\n");
    assert!(text.contains("R makes it so: --runs 18."), "{text}");
    assert!(rows[23].contains("Esc back"), "{text}");
}
