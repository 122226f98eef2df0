mod choice;
mod measured;

use super::*;
use crate::answer::{Expr, NoRecords, Setting, Setup, Slip, SlipValue, Tolerance};
use crate::fields::{Phrase, Typed};
use plan::cost::GpuDatabase;
use plan::units::Spec;
use proptest::prelude::*;

fn key(answer: &str, tolerance: &str, unit: &str) -> Key {
    let mut key = Key::number("k", "?", Expr::parse(answer).unwrap());
    key.tolerance = Tolerance::parse(tolerance).unwrap();
    key.unit = (!unit.is_empty()).then(|| Typed {
        value: Spec::parse(unit).unwrap(),
        written: Phrase::made(unit),
    });
    key
}

fn slip(value: &str, say: &str) -> Slip {
    let value = Typed::expression(Phrase::made(value)).unwrap();
    Slip::new(SlipValue::Expr(value), Phrase::made(say))
}

fn part_c() -> Vec<Setting> {
    vec![
        Setting::parse("preset", "part-c").unwrap(),
        Setting::parse("version", "v4").unwrap(),
    ]
}

fn judged(typed: &str, key: &Key, settings: &[Setting]) -> Judgement {
    let gpus = GpuDatabase::embedded().unwrap();
    let env = Env::new(Setup::workshop().unwrap(), &gpus, &NoRecords).with(settings);
    grade(typed, key, &env).unwrap_or_else(|e| panic!("{typed}: {e}"))
}

fn says(typed: &str, key: &Key, settings: &[Setting]) -> String {
    let j = judged(typed, key, settings);
    format!("{}: {}", j.verdict.word(), j.sentence())
}

/// ex33 `flops`: 219,268,788,224 FLOP, ± 0.5 %.
fn block_flops() -> Key {
    let mut key = key("block.flops", "0.5 %", "FLOP");
    key.slips = vec![
        slip(
            "block.flops / 2",
            "This counts a multiply-accumulate as one operation.",
        ),
        slip("4 FLOP * B*S*D*(D + I)", "This is the V4 text's formula."),
        Slip {
            accept: true,
            ..slip("block.gemm_flops", "These are the matrix products alone.")
        },
    ];
    key.slips[1].claim = Some(Phrase::made("M-BLK"));
    key
}

#[test]
fn digits_decide_between_a_slip_and_an_accepted_variant_that_are_near() {
    // ex33: exact causal is 214.93 G and accepted; an FFN width of 5468 gives
    // 215.14 G (FFN 6·B·S·D·I: 141.734 G · 5468/5632), and they are 0.1 % apart.
    let mut key = block_flops();
    key.slips = vec![
        Slip {
            accept: true,
            settings: vec![Setting::parse("causal", "exact").unwrap()],
            value: SlipValue::SameAnswer,
            ..slip("1", "This counts the causal triangle.")
        },
        slip(
            "block.flops - 6 FLOP * B*S*D*(5632 - 5468)",
            "This takes an FFN width of 5468.",
        ),
    ];
    for (typed, says_first) in [
        (
            "214.93 GFLOP",
            "right: This counts the causal triangle. The course counts",
        ),
        (
            "215.14 GFLOP",
            "slip: 215.14 GFLOP. This takes an FFN width of 5468.",
        ),
        (
            "215 GFLOP",
            "right: This counts the causal triangle. The same number also fits this: This takes an FFN width of 5468.",
        ),
    ] {
        let said = says(typed, &key, &part_c());
        assert!(said.starts_with(says_first), "{typed}: {said}");
    }
}

#[test]
fn the_feedback_of_the_mockup() {
    let (key, at) = (block_flops(), part_c());
    for (typed, feedback) in [
        (
            "219.27 GFLOP",
            "right: 219.27 GFLOP. Exact: 219,268,788,224 FLOP (tolerance ± 0.5 %).",
        ),
        (
            "217 GFLOP",
            "close: 217 GFLOP is a little low: outside ± 0.5 %, inside ± 2 %. A step was rounded too early, or a small term is left out or counted in. Not counted as a try.",
        ),
        (
            "109.63 GFLOP",
            "slip: 109.63 GFLOP. This counts a multiply-accumulate as one operation.",
        ),
        (
            "128.85 GFLOP",
            "slip: 128.85 GFLOP. This is the V4 text's formula.",
        ),
        (
            "300 GFLOP",
            "wrong: 300 GFLOP is too high, and no known slip gives it.",
        ),
        (
            "219.27 GFLOP/s",
            "unread: “219.27 GFLOP/s” is a rate; this asks for a count. Write GFLOP. Nothing was graded. Column 8.",
        ),
        (
            "219.27",
            "unread: “219.27” has no unit. FLOP, MFLOP, GFLOP? Nothing was graded.",
        ),
        ("", "open: Not answered."),
    ] {
        assert_eq!(says(typed, &key, &at), feedback);
    }
    let slip = judged("128.85 GFLOP", &key, &at).verdict;
    assert!(matches!(slip, Verdict::Slip(fits) if fits[0].claim.as_deref() == Some("M-BLK")));
}

#[test]
fn whole_numbers_below_ten_thousand_are_strict() {
    let mut key = key("block.launches", "exact", "");
    key.slips = vec![
        slip("12", "the short list"),
        slip("block.weight_products", "weight products only"),
    ];
    for (typed, word) in [
        ("17", "right"),
        ("17 launches", "right"),
        ("17.0", "right"),
        ("10 + 7", "right"),
        ("12", "slip"),
        ("7", "slip"),
        ("16", "wrong"),
        ("17.1", "unread"), // no count: nothing is graded
        ("0", "wrong"),
        ("10", "wrong"),
        ("seventeen", "right"),
        ("17 B", "unread"),
    ] {
        assert_eq!(judged(typed, &key, &[]).verdict.word(), word, "{typed}");
    }
    assert_eq!(
        says("17 launches", &key, &[]),
        "right: 17 launches. Exact: 17."
    );
}

#[test]
fn a_line_for_a_shell_is_no_answer() {
    let half = key("0.5", "0.5 %", "x");
    let typed = "clear; tinyllama-tutor check ex4 --answer floor='1us' --answer rmsnorm=.5";
    assert_eq!(judged(typed, &half, &[]).verdict.word(), "unread");
    for typed in ["q = .5", "F/Q = 1/2 = .5"] {
        assert!(judged(typed, &half, &[]).verdict.is_right(), "{typed}");
    }
}

#[test]
fn larger_whole_numbers_are_right_at_four_digits() {
    // ex2 qkv: 33,554,432 FLOP.
    let key = key("sum(q k v).flops", "exact", "FLOP");
    for (typed, word) in [
        ("33554432", "right"),
        ("33,554,432 FLOP", "right"),
        ("33.55 MFLOP", "right"),
        ("33.554 MFLOP", "right"),
        ("33,550,000", "right"),
        ("33,550 kFLOP", "right"), // the 0 is a digit, or none: four either way
        ("33,500 kFLOP", "close"), // cut off behind the third
        ("2*128*256*512", "right"),
        ("8 * 4.194 MFLOP", "right"),
        ("33.6 MFLOP", "close"),
        ("33.56 MFLOP", "close"),
        ("33554433", "close"),
        ("34 MFLOP", "close"), // right to the two digits typed
        ("30 MFLOP", "wrong"),
        ("16.78 MFLOP", "slip"),
        ("50,331,648", "slip"),
        ("25165824", "slip"), // MACs and no grouped heads: 128·256·768
        ("0 FLOP", "wrong"),
    ] {
        assert_eq!(
            judged(typed, &key, &[]).verdict.word(),
            word,
            "{typed}: {}",
            says(typed, &key, &[])
        );
    }
    assert!(says("25165824", &key, &[]).contains("Two conventions at once give this: a multiply-accumulate as one operation, and k and v as wide as q."));
}

#[test]
fn a_slip_is_not_the_only_reading_of_its_number() {
    // res1: three tensors of 128 x 256 numbers, 4 B each: 393,216 B.
    let half = "kernel(v1, res1).bytes / 2";
    let mut key = key("kernel(v1, res1).bytes", "exact", "B");
    assert_eq!(
        says("196608", &key, &[]),
        "slip: 196608. This is the value for elements of two bytes; here they have four."
    );
    key.slips = vec![slip(half, "This is half of it.")];
    assert_eq!(
        says("196608", &key, &[]),
        "slip: 196608 fits 2 slips. This is half of it. Or: This is the value for elements of two bytes; here they have four."
    );
    // What a slip says is not said twice.
    key.slips = vec![slip(half, "These are 16-bit elements.")];
    assert_eq!(
        says("196608", &key, &[]),
        "slip: 196608. These are 16-bit elements."
    );
}

#[test]
fn mebibytes_called_megabytes_are_named() {
    // Weights of the workshop model: 10.4704 MB = 9.985 MiB.
    let key = key("params.tied * w", "0.5 %", "MB");
    assert_eq!(
        says("9.985 MB", &key, &[]),
        "slip: 9.985 is the value in MiB. In MB it is larger: 10^6 bytes, not 2^20."
    );
    assert_eq!(
        says("10.47 MiB", &key, &[]),
        "slip: 10.47 is the value in MB. In MiB it is smaller: 2^20 bytes, not 10^6."
    );
    assert_eq!(judged("9.985 MiB", &key, &[]).verdict.word(), "right");
    // Three digits name the unit too: 10.4704 MB is 10.5 of them.
    assert_eq!(judged("10.5 MiB", &key, &[]).verdict.word(), "slip");
    assert_eq!(
        says("12.6", &key, &[]),
        "unread: “12.6” has no unit. Bytes, kB, MB, MiB? Nothing was graded."
    );
    assert_eq!(
        says("12.6 ms", &key, &[]),
        "unread: “12.6 ms” is a time; this asks for bytes. Nothing was graded. Column 6."
    );
}

#[test]
fn no_number_is_close_to_what_four_tolerances_lead_to_zero() {
    // answer, tolerance, unit, typed, verdict. Four times 24 % is less than all of it, four
    // times 25 % is not; nor are 4 · 0.5 points of 2 %, or 4 · 0.02 of 0.08.
    for (answer, tolerance, unit, typed, word) in [
        ("0.008", "30 %", "", "0.008", "right"),
        ("0.008", "30 %", "", "0.0058", "right"),
        ("0.008", "30 %", "", "0.0055", "wrong"),
        ("0.008", "30 %", "", "1e-20", "wrong"),
        ("0.008", "30 %", "", "0.0125", "wrong"),
        ("0.008", "25 %", "", "0.0001", "wrong"),
        ("0.008", "25 %", "", "0.0105", "wrong"),
        ("0.008", "24 %", "", "0.0105", "close"),
        ("0.008", "24 %", "", "0.0101", "close"),
        ("0.008", "24 %", "", "0.0002", "wrong"),
        ("-0.008", "30 %", "", "-0.00001", "wrong"),
        ("0.02", "0.5 points", "", "2.4 %", "right"),
        ("0.02", "0.5 points", "", "0.1 %", "wrong"),
        ("0.02", "0.5 points", "", "2.7 %", "wrong"),
        ("0.021", "0.5 points", "", "2.7 %", "close"),
        ("0.08", "0.02", "", "0.095", "right"),
        ("0.08", "0.02", "", "1e-9", "wrong"),
        ("0.08", "0.02", "", "0.11", "wrong"),
        ("0.0812", "0.02", "", "0.11", "close"),
        ("0.0812", "0.02", "", "0.0013", "close"),
        ("0.0812", "0.02", "", "0.0011", "wrong"),
    ] {
        let judged = judged(typed, &key(answer, tolerance, unit), &[]);
        let said = judged.sentence();
        assert_eq!(
            judged.verdict.word(),
            word,
            "{typed} for {answer} ± {tolerance}: {said}"
        );
        assert_eq!(said.contains("a little"), word == "close", "{said}");
    }
}

#[test]
fn shares_are_judged_in_points() {
    let mut key = key(
        "1 - block(v4).launches / block(v1).launches",
        "0.05 points",
        "",
    );
    key.slips = vec![slip("1 - 1/12", "It takes 12 launches as the base.")];
    for (typed, word) in [
        ("94.12 %", "right"),
        ("94.1%", "right"),
        ("16/17", "right"),
        ("94 %", "close"),
        ("91.67%", "slip"),
        ("90 %", "wrong"),
        ("94.1", "right"), // no share is above 1
        ("5.88", "slip"),
        ("0.941", "right"),
        ("0.94", "close"),
        ("5.88 %", "slip"), // the rest
    ] {
        assert_eq!(judged(typed, &key, &[]).verdict.word(), word, "{typed}");
    }
    assert_eq!(
        says("94.1%", &key, &[]),
        "right: 94.1%. Rounded: 94.12 % (tolerance ± 0.05 points)."
    );
}

#[test]
fn an_accepted_variant_is_right_and_explained() {
    let mut key = key("block.launches", "exact", "");
    key.slips = vec![Slip {
        value: SlipValue::SameAnswer,
        settings: vec![Setting::parse("rope_kernels", "2").unwrap()],
        accept: true,
        say: Phrase::made("RoPE of q and of k as two launches."),
        claim: None,
        row: None,
        column: None,
    }];
    assert_eq!(
        says("18", &key, &[]),
        "right: RoPE of q and of k as two launches. The course counts 17."
    );
}

#[test]
fn an_accepted_variant_wants_as_many_digits_as_the_answer() {
    // Part (c), causal pairs: 214.93 GFLOP where the dense answer is 219.27.
    let mut key = key("block(preset=part-c).flops", "exact", "FLOP");
    key.slips = vec![Slip {
        settings: vec![Setting::Causal(true)],
        accept: true,
        ..Slip::new(SlipValue::SameAnswer, Phrase::made("The triangle alone."))
    }];
    for (typed, word) in [
        ("214.9 GFLOP", "right"),
        ("215 GFLOP", "close"),
        ("219.3 GFLOP", "right"),
        ("219 GFLOP", "close"),
        ("216 GFLOP", "wrong"),
    ] {
        assert_eq!(judged(typed, &key, &[]).verdict.word(), word, "{typed}");
    }
}

#[test]
fn what_a_document_prints_is_named_by_its_own_digits() {
    // 47.9 TFLOP/s over 3.2768 TB/s: 14.62. A script prints 125.
    let mut key = key("ridge(mi250x, fp32)", "1 %", "FLOP/B");
    key.slips = vec![Slip::new(
        SlipValue::Printed(Phrase::made("125")),
        Phrase::made("A script prints this."),
    )];
    for (typed, word) in [
        ("125", "slip"),
        ("125.0", "slip"),
        ("120", "wrong"),
        ("130", "wrong"),
    ] {
        assert_eq!(judged(typed, &key, &[]).verdict.word(), word, "{typed}");
    }
}

#[test]
fn two_slips_that_fit_are_both_named() {
    let mut key = key("sum(qk pv).flops", "exact", "FLOP");
    key.slips = vec![
        slip(
            "sum(qk pv, macs=on).flops",
            "Each multiply-accumulate once.",
        ),
        slip("sum(qk).flops", "One product."),
    ];
    let verdict = judged("8388608", &key, &[]).verdict;
    assert!(matches!(&verdict, Verdict::Slip(fits) if fits.len() == 2));
    assert_eq!(
        says("8388608", &key, &[]),
        "slip: 8388608 fits 2 slips. Each multiply-accumulate once. Or: One product."
    );
}

#[test]
fn printed_values_are_slips_too() {
    let mut key = key("sum(gate up down).flops", "exact", "FLOP");
    let printed = |text: &str| Slip {
        value: SlipValue::Printed(Phrase::made(text)),
        ..slip("1", "A document prints it.")
    };
    key.slips = vec![printed("201,326,592")];
    assert_eq!(judged("201,326,592 FLOP", &key, &[]).verdict.word(), "slip");
    assert_eq!(judged("201.3 MFLOP", &key, &[]).verdict.word(), "slip");
    assert_eq!(judged("200 MFLOP", &key, &[]).verdict.word(), "wrong");
}

#[test]
fn what_a_slip_says_has_its_numbers_filled_in() {
    let mut key = block_flops();
    key.slips[0].say = Phrase::made("Here are accumulated L = `= L` layers of `= 2*D | plain 0`.");
    assert_eq!(
        says("109.63 GFLOP", &key, &part_c()),
        "slip: 109.63 GFLOP. Here are accumulated L = 1 layers of 4,096."
    );
}

#[test]
fn a_bare_number_is_in_the_unit_that_the_question_names() {
    let mut past = key("12 B", "exact", "B");
    past.ask = Phrase::made("How many bytes past the end does the last pack reach?");
    past.slips = vec![slip("3 B", "These are elements.")];
    for (typed, word) in [
        ("12", "right"),
        ("twelve", "right"),
        ("12 bytes", "right"),
        ("3", "slip"),
        ("7", "wrong"),
        ("7.5", "unread"),
        ("7 B", "wrong"),
        ("12 ms", "unread"),
    ] {
        assert_eq!(judged(typed, &past, &[]).verdict.word(), word, "{typed}");
    }
    past.ask = Phrase::made("How far past the end does the last pack reach?");
    assert_eq!(judged("12", &past, &[]).verdict.word(), "unread");
}

#[test]
fn what_is_said_before_the_solution_never_holds_the_answer() {
    let (key, at) = (block_flops(), part_c());
    for typed in [
        "217 GFLOP",
        "109.63 GFLOP",
        "300 GFLOP",
        "219.27",
        "219.27 GFLOP/s",
        "12 parsecs",
        "0",
    ] {
        let j = judged(typed, &key, &at);
        assert!(j.exact.is_none(), "{typed}");
        let said = j.sentence().replace(typed, "");
        assert!(!said.contains("219"), "{typed}: {said}");
    }
}

proptest! {
    #[test]
    fn nothing_typed_panics(typed in any::<String>()) {
        let _ = judged(&typed, &block_flops(), &[]).sentence();
    }

    /// Whatever is far off is never right, and its sentence has no digits but its own.
    #[test]
    fn far_is_wrong(n in 1_000_000_000_000u64..1_000_000_000_000_000) {
        let typed = format!("{n} FLOP");
        let j = judged(&typed, &block_flops(), &part_c());
        prop_assert!(!j.verdict.is_right());
        prop_assert!(!j.sentence().replace(&typed, "").contains(char::is_numeric));
    }
}
