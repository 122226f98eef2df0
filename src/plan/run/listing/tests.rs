use super::*;

const GAPS: &str = "KERNEL void k(float *m, long n) {\n\
    // gap mask: leave where\n//~ nothing is\n\
    #if WRONG == 1 // C4 last_one: There is no\n//~ element n.\n    if (i > n) return;\n\
    #elif WRONG == 2 // C3 none: A mask is needed.\n    // nothing\n\
    #else\n    if (i >= n) return;\n#endif\n}\n";

#[test]
fn a_gap_is_cut_into_skeleton_worked_and_mistakes() {
    let listing = Listing::parse("exercises/k.cu", GAPS).unwrap();
    assert_eq!(listing.entry, "k");
    assert_eq!(
        listing.skeleton(),
        "KERNEL void k(float *m, long n) {\n    // mask: leave where nothing is\n\n}\n"
    );
    assert!(listing.worked().contains("is\n    if (i >= n) return;\n}"));
    assert!(listing.mistaken(2).contains("{\n    // nothing\n}"));
    let first = listing.mistakes().next().unwrap();
    assert_eq!((first.number, first.criterion), (1, 4));
    assert_eq!(first.say, "There is no element n.");
}

#[test]
fn an_excerpt_hides_its_markers_and_its_repair() {
    let text = "// excerpt\n    a;\n#if FIXED\n    c;\n    d;\n#else\n    b;  // defect line\n\
                #endif\n// end excerpt\nKERNEL void k() {}\n";
    let listing = Listing::parse("exercises/k.cu", text).unwrap();
    let shown = listing.excerpt();
    assert_eq!(shown.len(), 2);
    assert_eq!((shown[1].number, shown[1].text.as_str()), (2, "b;"));
    assert_eq!(shown[1].defect.as_deref(), Some("line"));
    assert_eq!(shown[0].text, "a;");
}

#[test]
fn every_source_can_be_cut_and_fits_the_screen() {
    for path in listings() {
        let listing = Listing::named(&format!("{FOLDER}{path}")).unwrap();
        let gaps = listing.gaps().count();
        let shown = listing.excerpt();
        let to_write = (3..=4).contains(&gaps);
        assert!(to_write != (gaps == 0 && !shown.is_empty()), "{path}");
        let wrong = |gap: &Gap| (2..=3).contains(&gap.wrong.len());
        assert!(listing.gaps().all(wrong), "{path}");
        assert!(gaps > 0 || shown.iter().any(|line| line.defect.is_some()));
        let long: Vec<&Shown> = shown.iter().filter(|l| l.text.len() > 74).collect();
        assert!(long.is_empty(), "{path}: {long:?}");
    }
}

#[test]
fn wrong_markers_are_named_with_their_line() {
    for (text, says) in [
        ("KERNEL void k()\n// gap a\n", "line 2: a gap is written"),
        (
            "// gap a: b\n#if WRONG == 1 // C4\n",
            "line 2: a mistake is",
        ),
        ("// gap a: b\n#if WRONG == 1 // C4 x: y\n", "no #endif"),
        ("#if FIXED\n", "#if FIXED has no #endif"),
        ("int a;\n", "KERNEL void NAME("),
    ] {
        let error = Listing::parse("exercises/k.cu", text)
            .unwrap_err()
            .to_string();
        assert!(error.contains(says), "{error}");
    }
}
