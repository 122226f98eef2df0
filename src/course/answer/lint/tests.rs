use super::*;
use crate::answer::{Expr, NoRecords, Setting, Setup, Slip, Verdict, grade};
use plan::cost::GpuDatabase;
use proptest::prelude::*;

fn with_slips(answer: &str, slips: &[&str]) -> Key {
    let mut key = Key::number("k", "?", Expr::parse(answer).unwrap());
    key.tolerance = Tolerance::Exact;
    key.slips = slips
        .iter()
        .map(|text| {
            let value = Typed::expression(Phrase::made(*text)).unwrap();
            Slip::new(
                SlipValue::Expr(value),
                Phrase::made(format!("This is {text}.")),
            )
        })
        .collect();
    key
}

fn linted(key: &Key, settings: &[(&str, &str)]) -> Vec<String> {
    let gpus = GpuDatabase::embedded().unwrap();
    let settings: Vec<Setting> = settings
        .iter()
        .map(|(n, v)| Setting::parse(n, v).unwrap())
        .collect();
    lint(
        key,
        &Env::new(Setup::workshop().unwrap(), &gpus, &NoRecords).with(&settings),
    )
}

/// The documents' 4BSD(D+I) equals the FFN term 6BSDI where I = 2D.
#[test]
fn the_trap_of_the_workshop_preset_is_refused() {
    let key = with_slips("sum(gate up down).flops", &["4 FLOP * B*S*D*(D + I)"]);
    let faults = linted(&key, &[("preset", "workshop")]);
    assert_eq!(
        faults,
        [
            "slip 1 (4 FLOP * B*S*D*(D + I)) is 100,663,296 FLOP at these parameters and the answer (sum(gate up down).flops) is 100,663,296 FLOP: they cannot be told apart, so the question is refused"
        ]
    );
    assert!(linted(&key, &[("preset", "part-c")]).is_empty());
}

/// Whoever marks options from the first to the last must not be right by that.
#[test]
fn a_ranking_whose_options_stand_in_order_is_refused() {
    let ranking = |options: [&str; 3]| Key {
        kind: Kind::Ranking,
        options: options.map(Phrase::made).into(),
        ..Key::number(
            "k",
            "?",
            Expr::parse("order(bytes, softmax q norm1)").unwrap(),
        )
    };
    // One block at batch 1: softmax 1.049 MB, q 0.524, norm1 0.263.
    let faults = linted(&ranking(["softmax", "q", "norm1"]), &[("batch", "1")]);
    assert!(
        faults
            .iter()
            .any(|f| f.contains("stand in the right order")),
        "{faults:?}"
    );
    assert!(linted(&ranking(["q", "softmax", "norm1"]), &[("batch", "1")]).is_empty());
}

#[test]
fn faults_say_which_part_of_the_key() {
    let key = with_slips("block.bytes", &["block.flops", "block(v1, batch=0).bytes"]);
    let faults = linted(&key, &[]);
    assert_eq!(
        faults[0],
        "slip 1 is a count of FLOP, and the answer is bytes"
    );
    assert!(
        faults[1].starts_with("slip 2, column 1: ") && faults[1].contains("batch is 0"),
        "{}",
        faults[1]
    );

    let mut choice = with_slips("least(intensity, q res1)", &["'res1'"]);
    choice.kind = Kind::Choice;
    choice.options = ["q", "res1"].map(Phrase::made).to_vec();
    assert_eq!(
        linted(&choice, &[]),
        ["slip 1 is “res1”, which is the answer"]
    );
    choice.options = ["q", "softmax"].map(Phrase::made).to_vec();
    assert_eq!(
        linted(&choice, &[])[0],
        "answer, “res1” is not among the options: q, softmax"
    );
}

#[test]
fn a_hint_that_prints_the_answer_is_found() {
    let key = with_slips("sum(q k v).flops", &[]);
    let gpus = GpuDatabase::embedded().unwrap();
    let env = Env::new(Setup::workshop().unwrap(), &gpus, &NoRecords);
    let shown = |text: &str| {
        let value = Expr::parse(text).unwrap().evaluate(&env).unwrap();
        reveals(&value, &key, &env).unwrap()
    };
    assert!(shown("2*B*S*D*(D + 2*Dkv)") && shown("group(v2, q).flops"));
    assert!(!shown("kernel(v1, q).flops") && !shown("outside"));
}

#[test]
fn a_run_that_was_not_made_is_no_fault() {
    let mut key = with_slips("run.time.median", &["2 * run.time.median"]);
    key.kind = Kind::Measured;
    assert!(linted(&key, &[]).is_empty());
}

/// Keys of the course in short, with their slips.
fn keys() -> Vec<Key> {
    vec![
        with_slips(
            "block.launches",
            &["12", "block.launches - 1", "block.weight_products"],
        ),
        with_slips("forward.launches", &["block.launches * L", "12 * L"]),
        with_slips(
            "sum(q k v).flops",
            &["sum(q k v, no_gqa=on).flops", "sum(q k v, macs=on).flops"],
        ),
        with_slips(
            "sum(qk pv).flops",
            &[
                "sum(qk pv, no_heads=on).flops",
                "sum(qk).flops",
                "sum(qk pv, causal=exact).flops",
            ],
        ),
        with_slips(
            "sum(gate up down).flops",
            &["sum(gate down).flops", "4 FLOP * B*S*D*(D + I)"],
        ),
        with_slips(
            "forward.gemm_flops",
            &["block.gemm_flops * L", "forward(macs=on).gemm_flops"],
        ),
        with_slips(
            "kernel(v1, softmax).bytes",
            &[
                "kernel(v1, softmax).read_bytes",
                "kernel(v1, softmax).bytes / H",
            ],
        ),
        with_slips("params.tied", &["params.untied", "params(no_gqa=on)"]),
        with_slips("kv", &["kv(no_gqa=on)", "kv(layers=1)"]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// On any shape: either the question is refused, or whoever types the value
    /// of a slip is told that slip, and never that it is right.
    #[test]
    fn no_slip_passes_for_the_answer(
        heads in 1u64..5, groups in 1u64..4, width in 1u64..20, ffn in 1u64..300,
        layers in 1u64..6, vocab in 2u64..2000, batch in 1u64..5, seq in 1u64..200, past in 0u64..50,
    ) {
        let gpus = GpuDatabase::embedded().unwrap();
        let set = |name: &str, value: u64| Setting::parse(name, &value.to_string()).unwrap();
        let settings = [
            set("hidden", heads * groups * 2 * width), set("heads", heads * groups), set("kv_heads", heads),
            set("ffn", ffn), set("layers", layers), set("vocab", vocab), set("batch", batch),
            set("seq", seq), set("context", seq + past),
        ];
        let env = Env::new(Setup::workshop().unwrap(), &gpus, &NoRecords).with(&settings);
        for key in keys() {
            if !lint(&key, &env).is_empty() {
                continue;
            }
            let wanted = Wanted::of(&key, &env, false).unwrap();
            for slip in &key.slips {
                let value = wanted.slip_value(slip, &key, &env, false).unwrap();
                let typed = full(&value);
                let verdict = grade(&typed, &key, &env).unwrap().verdict;
                prop_assert!(
                    matches!(&verdict, Verdict::Slip(fits) if fits.iter().any(|f| f.say == slip.say.text)),
                    "{typed} for {} is {verdict:?}", key.answer.as_ref().unwrap().as_str()
                );
            }
        }
    }
}
