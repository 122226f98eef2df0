use super::*;
use crate::library::Course;
use crate::paths::Surroundings;
use plan::run::Refusal;

fn course() -> Course {
    Course::open(&places(std::path::Path::new("/nowhere")))
}

fn places(root: &std::path::Path) -> Places {
    let around = Surroundings {
        current: root.to_owned(),
        home: Some(root.to_owned()),
        ..Surroundings::default()
    };
    Places::find(&around, Some(root), None)
}

fn with_kernel(check: impl Fn(&Exercise, &Key, &Kernel)) {
    let course = course();
    let exercise = course.exercise("ex19").unwrap();
    let key = exercise.keys.iter().find(|k| k.kernel.is_some()).unwrap();
    check(exercise, key, key.kernel.as_ref().unwrap());
}

#[test]
fn a_file_is_begun_once_and_found_as_it_is() {
    with_kernel(|exercise, _, kernel| {
        let root = tempfile::tempdir().unwrap();
        let places = places(root.path());
        let now = || attempt(&places, &exercise.id, kernel, "").unwrap();
        assert_eq!(now(), Attempt::Missing);
        begin(&places, &exercise.id, kernel).unwrap();
        assert_eq!(now(), Attempt::Untouched);
        let path = kernel_file(&places, &exercise.id);
        // What the model counts is asked for first, and stands beside the worked kernel only.
        let begun = fs::read_to_string(&path).unwrap();
        assert!(!begun.contains("model") && kernel.listing.worked().contains("// model"));
        assert!(begun.contains("one thread an element"), "{begun}");
        fs::write(&path, kernel.listing.worked()).unwrap();
        begin(&places, &exercise.id, kernel).unwrap();
        let Attempt::Written(Candidate::Written { text, .. }) = now() else {
            panic!("{:?}", now());
        };
        assert_eq!(text, kernel.listing.worked());
        assert_eq!(difference(kernel, &text), [""; 0]);
        assert!(!difference(kernel, &kernel.listing.skeleton()).is_empty());
        // Comments are no difference, neither theirs nor ours.
        let noted = format!("// my own note\n{}", text.replace(";\n", "; // why\n"));
        assert_eq!(difference(kernel, &noted), [""; 0]);
        let skeleton = difference(kernel, &kernel.listing.skeleton());
        assert!(
            !skeleton.iter().any(|line| line.contains("//")),
            "{skeleton:?}"
        );
    });
}

#[test]
fn the_letters_of_the_gap_form_stand_for_mistakes() {
    with_kernel(|exercise, key, kernel| {
        let right: String = kernel
            .listing
            .gaps()
            .map(|gap| choices(gap).into_iter().find(|c| c.2.is_none()).unwrap().0)
            .collect();
        let typed =
            |typed: &str| attempt(&places(std::path::Path::new("/n")), "ex19", kernel, typed);
        assert_eq!(
            typed(&right).unwrap(),
            Attempt::Gaps(Candidate::Chosen(Vec::new()))
        );
        // With the number of each gap, as it stands before it.
        let numbered: Vec<String> = (1..)
            .zip(right.chars())
            .map(|(number, letter)| format!("{number}: {letter}"))
            .collect();
        assert_eq!(typed(&numbered.join(" ")).unwrap(), typed(&right).unwrap());
        for bad in ["a", "a b c d", "abcab", "17", "2a 1b 3c 4a"] {
            assert!(matches!(typed(bad), Ok(Attempt::Unread(_))), "{bad}");
        }
        // One wrong letter is one mistake, and its gap is named.
        let gap = kernel.listing.gaps().next().unwrap();
        let (letter, _, number) = choices(gap).into_iter().find(|c| c.2.is_some()).unwrap();
        let wrong = format!("{letter}{}", &right[1..]);
        let found = typed(&wrong).unwrap();
        assert_eq!(
            found,
            Attempt::Gaps(Candidate::Chosen(number.into_iter().collect()))
        );
        let refusal = Refusal {
            criterion: Criterion::Shapes,
            seen: "at n = 33, m[32] is 0.".to_owned(),
            known: vec!["Why.".to_owned()],
        };
        let told = told(exercise, key, &found, &SubmissionOutcome::Refused(refusal));
        let sentence = told.judgement.sentence();
        assert!(
            sentence.contains(&format!("Gap {}, the others right: C3", gap.name)),
            "{sentence}"
        );
        assert_eq!(told.lines, ["Why."]);
        // A place in a file that they do not have is its line.
        let file = &kernel.listing.path;
        let quoted = |line: &str| kernel.listing.quoted(line);
        assert_eq!(
            quoted(&format!("in `silu_mul` at {file}:54 (st.global.f32)")),
            "in `silu_mul` at `m[i] = value;` (st.global.f32)"
        );
        assert_eq!(quoted("at other.cu:3"), "at other.cu:3");
    });
}

#[test]
fn gaps_do_not_all_have_their_right_choice_at_one_place() {
    let course = course();
    for exercise in course.exercises() {
        for kernel in exercise.keys.iter().filter_map(|k| k.kernel.as_ref()) {
            let places: Vec<char> = kernel
                .listing
                .gaps()
                .filter_map(|gap| choices(gap).into_iter().find(|c| c.2.is_none()))
                .map(|choice| choice.0)
                .collect();
            let same = places.windows(2).all(|pair| pair[0] == pair[1]);
            assert!(places.is_empty() || !same, "{}: {places:?}", exercise.id);
            assert!(gap_form(kernel).iter().all(|line| line.len() <= 100));
        }
    }
}

#[test]
fn every_outcome_is_told_with_a_way_on() {
    with_kernel(|exercise, key, kernel| {
        let written = Attempt::Written(Candidate::Written {
            text: kernel.listing.worked(),
            file: "answers/ex19.cu".to_owned(),
        });
        let say = |outcome: SubmissionOutcome| {
            let told = told(exercise, key, &written, &outcome);
            (
                told.judgement.verdict.word(),
                told.judgement.sentence(),
                told.lines,
            )
        };
        let accepted = say(SubmissionOutcome::Accepted {
            issued: 12,
            cases: 3,
            praise: vec!["Good.".to_owned()],
        });
        assert_eq!((accepted.0, accepted.2.len()), ("right", 1));
        assert!(accepted.1.contains("C1 to C8 met"), "{}", accepted.1);
        let none = say(SubmissionOutcome::NoCompiler("pip install it".to_owned()));
        assert_eq!(none.0, "unread");
        assert!(none.2.iter().any(|line| line.contains("--answer")));
        assert_eq!(
            say(SubmissionOutcome::Failed("It failed.".to_owned())).0,
            "unread"
        );
    });
}
