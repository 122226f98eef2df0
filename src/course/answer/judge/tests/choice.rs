//! Options are chosen by their words, letters or numbers; an order needs all of them.

use super::*;

#[test]
fn choices_and_rankings() {
    let mut bound = key("bound(kernel(v1, q), h200)", "exact", "");
    bound.kind = Kind::Choice;
    bound.options = ["memory", "compute"].map(Phrase::made).to_vec();
    bound.slips = vec![slip("'memory'", "The ridge is lower than that.")];
    for (typed, word) in [
        ("compute", "right"),
        ("Compute-bound", "right"),
        ("2", "right"),
        ("memory-bound", "slip"),
        ("both", "unread"),
    ] {
        assert_eq!(judged(typed, &bound, &[]).verdict.word(), word, "{typed}");
    }
    assert_eq!(
        says("both", &bound, &[]),
        "unread: “both” is not one of the options: memory, compute. Nothing was graded. Column 1."
    );

    let mut outside = key("outside", "exact", "");
    outside.kind = Kind::Choices;
    outside.options = ["embed", "norm1", "softmax", "final_norm", "lm_head"]
        .map(Phrase::made)
        .to_vec();
    for (typed, word) in [
        ("embed, lm_head, final_norm", "right"),
        ("embed final_norm lm_head", "right"),
        ("embed, final norm, lm_head", "right"),
        ("embed, lm_head", "wrong"),
        ("embed embed lm_head", "unread"),
    ] {
        assert_eq!(judged(typed, &outside, &[]).verdict.word(), word, "{typed}");
    }
    // Marks are read as they stand, and not said twice.
    let marked = judged("embed lm_head", &outside, &[]);
    assert_eq!(marked.read_as(), marked.sentence());
    // What is marked may be right: one that is not is missing.
    assert_eq!(
        says("embed", &outside, &[]),
        "wrong: embed: at least one mark is missing or too many, and no known slip explains it."
    );

    let mut order = key("order(bytes, gate silu qk mul softmax)", "exact", "");
    order.kind = Kind::Ranking;
    order.options = ["gate", "silu", "qk", "mul", "softmax"]
        .map(Phrase::made)
        .to_vec();
    let at = [Setting::parse("batch", "8").unwrap()];
    assert_eq!(
        judged("softmax > mul > qk > silu > gate", &order, &at)
            .verdict
            .word(),
        "right"
    );
    assert_eq!(
        judged("gate softmax mul qk silu", &order, &at)
            .verdict
            .word(),
        "wrong"
    );
    assert_eq!(judged("softmax mul", &order, &at).verdict.word(), "unread");
}
