use super::*;
use crate::parse;
use proptest::prelude::*;

fn numbers(value: &Value) -> Resolved {
    match value.expression.as_str() {
        "saved" => Resolved::value("22.22 %"),
        other => Resolved::value(other),
    }
}

fn live(live: &Live) -> Vec<String> {
    vec![
        format!("Live block {}.", live.kind),
        "  Command: tinyllama-tutor run --fuse qkv".into(),
    ]
}

#[track_caller]
fn says(text: &str, ascii: bool, expected: &[&str]) {
    let plain = Plain {
        width: 80,
        ascii,
        resolve: &numbers,
        live: &live,
    };
    let document = parse(text, 1, &["lab"]);
    let lines: Vec<String> = document
        .sections
        .iter()
        .flat_map(|s| plain.section(s))
        .collect();
    assert_eq!(lines, expected);
}

#[test]
fn a_section_reads_as_in_the_screens() {
    says(
        "## What the merge cannot save\n\n\
         The three projections read the same n1. One kernel reads it once, so two reads\n\
         of $B\\cdot S\\cdot D$ go; the weights and the outputs stay.\n\n\
         $$saved = \\frac{2\\cdot B\\cdot S}{5\\cdot B\\cdot S + 2\\cdot D} = `= saved` \\text{ at B1}$$\n\n\
         | | launches | MB modelled |\n|---|---|---|\n| three kernels | 3 | 1.180 |\n| one kernel | 1 | 0.918 |\n\n\
         ```lab\n```\n",
        false,
        &[
            "## What the merge cannot save",
            "The three projections read the same n1. One kernel reads it once, so two reads",
            "of B*S*D go; the weights and the outputs stay.",
            "Formula: saved = (2*B*S) / (5*B*S + 2*D) = 22.22 % at B1",
            "Table, 2 rows: launches; MB modelled.",
            "  three kernels: 3; 1.180",
            "  one kernel: 1; 0.918",
            "Live block lab.",
            "  Command: tinyllama-tutor run --fuse qkv",
        ],
    );
}

#[test]
fn lists_code_and_asides() {
    says(
        "a\n\nb\n\n- one\n  - two\n- three\n\n1. x\n\n> note\n> more\n\n```cuda\nint a;\n  b;\n```\n\n### Small\n\n| op | n |\n|-|-|\n| q | 1 |",
        true,
        &[
            "a",
            "",
            "b",
            "- one",
            "  - two",
            "- three",
            "1. x",
            "Aside: note more",
            "Code in cuda, 2 lines:",
            "  int a;",
            "    b;",
            "### Small",
            "Table, 1 row by op: n.",
            "  q: 1",
        ],
    );
}

#[test]
fn ascii_is_ascii() {
    says(
        "2·B·S – “µs”\n\n```\n// é\n```",
        true,
        &["2*B*S - \"us\"", "Code, 1 line:", "  // e"],
    );
}

#[test]
fn the_language_of_a_fence_cannot_steer_the_terminal() {
    says(
        "```a\u{9b}2J\nx\n```",
        true,
        &["Code in a?2J, 1 line:", "  x"],
    );
    says("```\u{1b}c\nx\n```", false, &["Code in ␛c, 1 line:", "  x"]);
}

proptest! {
    #[test]
    fn any_text_is_said_without_control_characters(text in "[-#>|`$*{}\\\\_^a-c \n\t\u{1b}\u{9b}µ]{0,80}", width in 1usize..100) {
        let plain = Plain { width, ascii: true, resolve: &numbers, live: &live };
        for section in &parse(&text, 1, &["a"]).sections {
            for line in plain.section(section) {
                prop_assert!(line.chars().all(|c| c.is_ascii() && !c.is_control()), "{line:?}");
            }
        }
    }
}
