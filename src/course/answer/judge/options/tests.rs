//! Options as people name them, alone and in lists.

use super::*;

fn options(names: &[&str]) -> Vec<Phrase> {
    names.iter().copied().map(Phrase::made).collect()
}

fn texts(options: Vec<&Phrase>) -> Vec<&str> {
    options.into_iter().map(Phrase::as_str).collect()
}

#[test]
fn an_option_by_whatever_names_it_alone() {
    type Case = (&'static [&'static str], &'static [(&'static str, usize)]);
    let cases: [Case; 11] = [
        (
            &["1024 columns", "1000 columns", "768 columns", "256 columns"],
            &[("2", 2), ("#4", 4), ("768", 3), ("5", 0), ("64", 0)],
        ),
        (&["1000", "1001", "1004"], &[("2", 0), ("1001", 2)]),
        (
            &["layout", "tiling", "smaller tile", "padding"],
            &[
                ("tiles", 2),
                ("tile", 2),
                ("smaller tiles", 3),
                ("smaller", 3),
                ("pad", 4),
                ("layouts", 1),
            ],
        ),
        (
            &["the gaps", "the kernels", "the bytes", "nothing"],
            &[
                ("gaps", 1),
                ("Kernel", 2),
                ("3", 3),
                ("option 1", 1),
                ("#4", 4),
                ("nothing.", 4),
            ],
        ),
        (
            &["32 × 32", "64 × 32", "64 × 64"],
            &[
                ("2", 2),
                ("32x32", 1),
                ("64*32", 2),
                ("64 x 64", 3),
                ("64 by 32", 2),
                ("(64, 32)", 0),
            ],
        ),
        (
            &["S²d²/M", "S²/√M", "S·d", "S²"],
            &[
                ("S^2 d^2 / M", 1),
                ("S^2/sqrt(M)", 2),
                ("S*d", 3),
                ("S^2", 4),
                ("2", 2),
            ],
        ),
        (
            &["0 rows", "1 row", "128 rows"],
            &[("1", 2), ("128", 3), ("one row", 2), ("3", 0)],
        ),
        (
            &["0", "minus infinity", "the maximum", "1"],
            &[
                ("-inf", 2),
                ("−∞", 2),
                ("infinity", 0),
                ("max", 3),
                ("maximum", 3),
                ("zero", 1),
            ],
        ),
        (
            &["data in cache", "a faster memory", "a wrong clock"],
            &[
                ("cache", 1),
                ("the clock is wrong", 3),
                ("faster memory", 2),
                ("not cache", 0),
            ],
        ),
        (
            &["memory", "compute"],
            &[
                ("Memory-bound", 1),
                ("comp", 2),
                ("memory limited", 1),
                ("both", 0),
                ("-1", 0),
            ],
        ),
        (
            &[
                "shorter than a launch",
                "longer than a launch",
                "all",
                "none",
            ],
            &[
                ("longer", 2),
                ("longer ones", 0),
                ("all of them", 0),
                ("None", 4),
            ],
        ),
    ];
    for (names, typed) in cases {
        let options = options(names);
        for (text, number) in typed {
            let found = named(text, &options);
            let expected = number.checked_sub(1).and_then(|at| options.get(at));
            assert_eq!(found, expected, "{text} of {names:?}");
        }
    }
}

#[test]
fn an_answer_is_shown_in_the_words_of_the_page() {
    let walls = options(&["qk | softmax", "mul | down", "o | res1"]);
    let order = ["o | res1", "qk | softmax", "mul | down"];
    for typed in [
        "o | res1, qk | softmax, mul | down",
        "o|res1, qk|softmax, mul|down",
        "o|res1 > qk|softmax > mul|down",
        "o|res1 -> qk|softmax -> mul|down",
        "3, 1, 2",
        "3 1 2",
    ] {
        assert_eq!(marked(typed, &walls), order, "{typed}");
    }
    // What is begun, what names nothing, an option with a comma.
    assert_eq!(marked("o|res1", &walls), ["o | res1"]);
    assert_eq!(marked("o | res1, tea", &walls), ["o | res1", "tea"]);
    assert_eq!(marked("", &walls), [""; 0]);
    let dies = options(&["MI250X, one die", "H200"]);
    assert_eq!(
        marked("H200, MI250X, one die", &dies),
        ["H200", "MI250X, one die"]
    );
}

#[test]
fn lists_with_any_mark_between() {
    let walls = options(&["qk | softmax", "mul | down", "o | res1"]);
    for text in [
        "qk|softmax > o|res1 > mul|down",
        "qk | softmax, o | res1, mul | down",
        "1. qk|softmax 2. o|res1 3. mul|down",
        "qk|softmax → o|res1 → mul|down",
        "qk|softmax and o|res1 and mul|down",
    ] {
        let found = listed(text, &walls).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(
            texts(found),
            ["qk | softmax", "o | res1", "mul | down"],
            "{text}"
        );
    }
    let kernels = options(&["gate", "mul", "qk"]);
    for text in [
        "qk/mul/gate",
        "qk + mul + gate",
        "qk mul gate",
        "qk & mul & gate",
    ] {
        assert_eq!(
            texts(listed(text, &kernels).unwrap()),
            ["qk", "mul", "gate"],
            "{text}"
        );
    }
    assert_eq!(listed("qk, softmax", &kernels), None);
    assert_eq!(parts("3 1 2", &walls), ["3", "1", "2"]);
}
