use super::*;
use crate::answer::{Env, NoRecords, Setup};
use plan::cost::GpuDatabase;
use plan::units::{Dimension, Spec};
use proptest::prelude::*;

fn run<T>(f: impl FnOnce(&Env<'_>) -> T) -> T {
    let gpus = GpuDatabase::embedded().unwrap();
    f(&Env::new(Setup::workshop().unwrap(), &gpus, &NoRecords))
}

fn value(text: &str) -> Value {
    run(|env| Expr::parse(text).and_then(|e| e.evaluate(env)))
        .unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn fault(text: &str) -> String {
    match run(|env| Expr::parse(text).and_then(|e| e.evaluate(env))) {
        Ok(v) => panic!("{text} is {v}"),
        Err(e) => e.to_string(),
    }
}

#[test]
fn dimensions_follow_the_arithmetic() {
    for (text, dimension) in [
        ("block.bytes / 2.85 us", Dimension::BytesPerSecond),
        ("block.flops / block.bytes", Dimension::FlopPerByte),
        ("block.intensity", Dimension::FlopPerByte),
        ("block.flops / gpu(h200).fp32", Dimension::Time),
        ("4 B * B*S", Dimension::Bytes),
        ("4*B*S", Dimension::Count),
        ("w * D", Dimension::Bytes),
        ("40 %", Dimension::Ratio),
        ("block.bytes / block(v4).bytes", Dimension::Ratio),
        ("max(block.bytes, 1 MB)", Dimension::Bytes),
        ("ceil(block.bytes / 1 MiB)", Dimension::Count),
    ] {
        assert_eq!(
            value(text).quantity().map(|q| q.dimension()),
            Some(dimension),
            "{text}"
        );
    }
}

#[test]
fn prose_prints_counts_in_full() {
    let print = |text: &str, spec: Option<&str>| {
        let spec = spec.map(|s| Spec::parse(s).unwrap());
        value(text).print(spec, true).unwrap_or_else(|e| e.message)
    };
    assert_eq!(print("kernel(v1, q).flops", None), "16,777,216 FLOP");
    assert_eq!(print("B*S*D", None), "32,768");
    assert_eq!(print("kernel(v1, q).flops", Some("MFLOP 1")), "16.8 MFLOP");
    assert_eq!(print("2.85 us", None), "2.850 us");
    assert_eq!(print("block.bytes / block(v4).bytes", Some("x 2")), "3.80x");
    // B1's right kernel, e²/(e²+1), and V1 over V4 at W1, 63.2/16.6.
    assert_eq!(print("exp(2) / (exp(2) + 1)", Some("plain 4")), "0.8808");
    assert_eq!(
        print("block.bytes / block(v4).bytes", Some("plain 2")),
        "3.80"
    );
    assert_eq!(
        print("block.bytes", Some("plain")),
        "bytes cannot be printed as a plain number"
    );
    assert_eq!(print("outside", None), "embed, final_norm, lm_head");
    assert_eq!(
        print("outside", Some("MB")),
        "embed, final_norm, lm_head is a name and has no unit MB"
    );
    assert_eq!(
        print("block.bytes", Some("us")),
        "bytes cannot be printed in µs"
    );
}

#[test]
fn tokens_are_one_sequence() {
    assert_eq!(
        value("kernel(v1, q, tokens=1024).bytes"),
        value("kernel(v1, q, batch=8).bytes")
    );
}

#[test]
fn plans_are_written_as_people_write_them() {
    let launches = |plan: &str| {
        value(&format!("block({plan}).launches"))
            .quantity()
            .and_then(|q| q.exact())
    };
    assert_eq!(launches("v1+qkv+flash"), Some(13));
    assert_eq!(launches("v2-qkv"), Some(13));
    assert_eq!(
        launches("'norm1|q k v|rope|qk softmax pv|o|res1|norm2|gate up|silu mul|down|res2'"),
        Some(11)
    );
    assert_eq!(
        value("block(v1, batch=8).bytes"),
        value("block(batch=8).bytes")
    );
    assert_eq!(value("kernel(q).bytes"), value("kernel(v1, q).bytes"));
    assert_eq!(value("kernel(v2, q).name"), Value::Text("q+k+v".to_owned()));
}

#[test]
fn the_fields_words_mean_what_the_old_ones_meant() {
    let root = |text: &str| Expr::parse(text).unwrap().root;
    assert_eq!(root("mutant.scaled"), root("twin.scaled"));
    for word in ["micro", "microbenchmark"] {
        let asked = Expr::parse(&format!("{word}(stride, 8).sectors")).unwrap();
        let found = run(|env| asked.micros(env));
        assert_eq!(found, [("stride".to_owned(), 8)], "{word}");
    }
}

#[test]
fn faults_name_the_column_and_the_nearest_word() {
    for (text, says) in [
        (
            "",
            "column 1: an expression is expected, such as block(v1).bytes",
        ),
        (
            "blok(v1).bytes",
            "column 1: “blok” is not known; did you mean block?",
        ),
        (
            "block(v1).byts",
            "column 11: “byts” is not a figure of a kernel; did you mean bytes?",
        ),
        ("block(v9).bytes", "column 7:"),
        (
            "v1.bytes",
            "column 1: “v1” is not known; v1 is a plan: write block(v1).bytes",
        ),
        (
            "block(v1)",
            "column 10: block needs a point and what is asked",
        ),
        (
            "kernel(v1, sofmax).bytes",
            "column 12: “sofmax” is not an op; did you mean softmax?",
        ),
        (
            "block(v1, bacth=8).bytes",
            "column 11: “bacth” is not a setting; did you mean batch?",
        ),
        (
            "block(v1, batch=x).bytes",
            "column 17: “x” is not a value of batch; write 8",
        ),
        (
            "block.bytes + block.flops",
            "column 13: bytes and a count of FLOP do not add up",
        ),
        (
            "ridge(h100x, fp32)",
            "column 1: there is no GPU “h100x” in the database",
        ),
        ("ridge(h200)", "column 1: write it as ridge(h200, fp32)"),
        ("price(q, down)", "column 1: q and down are not neighbours"),
        (
            "run.launches.conted",
            "column 1: “.launches.conted” is not known here; did you mean launches.counted?",
        ),
        ("run.time.median", "no run of this plan has this figure yet"),
        (
            "bound(v1, h200)",
            "column 1: a bound belongs to one kernel and here are 17",
        ),
        (
            "readers(v1, n9)",
            "column 1: no kernel of this plan reads or writes “n9”; there are",
        ),
        (
            "crossing(batch, 1, 2)",
            "column 1: these do not cross up to batch = 1048576",
        ),
        (
            "crossing(dtype, 1, 2)",
            "column 1: curves cross along batch, seq, tokens, context, layers, not “dtype”",
        ),
        ("ranked('a', 1)", "column 1: write it as ranked("),
        ("ranked('a', 1, 'b', 1 us)", "column 1: "),
        ("ranked('a' 1)", "column 12: after 'a' a comma"),
        (
            "fp16(90000)",
            "column 1: 90000 is beyond the largest number",
        ),
        ("1/0", "column 2: this divides by zero"),
        ("9^9^9", "column 2: this is larger than 10^30"),
        ("2*(3+4", "column 3: this parenthesis is not closed"),
        ("2 +", "column 4: an operand is missing at the end"),
        ("2 3", "column 3: “3” does not continue the expression"),
        ("block(v1, batch=0).bytes", "batch is 0"),
        ("sqrt(block.bytes)", "column 1: this has no square root"),
        ("'memory' + 1", "column 1: a number is expected here"),
    ] {
        let e = fault(text);
        assert!(e.contains(says), "{text}: {e}");
    }
}

#[test]
fn a_dry_check_needs_no_run() {
    let checked = run(|env| {
        Expr::parse("run.time.median / run(v2).time.median")
            .unwrap()
            .check(env)
    });
    assert_eq!(
        checked.unwrap().quantity().map(|q| q.dimension()),
        Some(Dimension::Ratio)
    );
    assert!(Expr::parse("71 * run.time.min").unwrap().asks_for_a_run());
    assert!(!Expr::parse("block.launches").unwrap().asks_for_a_run());
    let setup = Setup::workshop().unwrap();
    let asked = Expr::parse(
        "run(v1, batch=2).time.median / max(run.time.min, 1 us) + run(v2).launches.counted",
    )
    .unwrap()
    .runs(&setup);
    let asked: Vec<_> = asked
        .iter()
        .map(|(config, figure)| (config.shape.batch, config.cut.title(), figure.as_str()))
        .collect();
    assert_eq!(
        asked,
        [
            (2, "V1".to_owned(), "time.median"),
            (1, "V1".to_owned(), "time.min"),
            (1, "V2".to_owned(), "launches.counted"),
        ]
    );
}

#[test]
fn absurd_input_is_an_error_in_time() {
    assert!(fault(&"(".repeat(500)).contains("nested too deeply"));
    assert!(fault(&"-".repeat(500)).contains("nested too deeply"));
    assert!(fault(&"1+".repeat(500)).contains("at most 600 characters"));
    assert!(fault("block(batch=18446744073709551615).bytes").contains("64 bit"));
    assert!(fault("tiled(10^13, 1, 1, 1)").contains("from 0 to 10^12"));
}

proptest! {
    #[test]
    fn nothing_panics(text in any::<String>()) {
        let _ = Expr::parse(&text);
    }

    #[test]
    fn nothing_near_an_expression_panics(
        words in proptest::collection::vec(
            prop::sample::select(vec![
                "block", "(", ")", "v1", "+", "qkv", ".", "bytes", ",", "q", "k", "kernel", "sum", "group", "'",
                "=", "batch", "8", "save", "floor", "h200", "-", "*", "^", "2", "run", "peak", "|", " ", "B", "S",
                "min", "order", "flash", "ranked", "crossing", "tiles", "ways", "fp16", "summed", "readers", "n1", "barriers", "ops", "on", "fp32", "ridge", "²", "0", "/", "1e9", "MB", "us", "%",
            ]),
            0..14,
        )
    ) {
        let text = words.concat();
        let _ = run(|env| Expr::parse(&text).and_then(|e| e.check(env)));
    }
}
