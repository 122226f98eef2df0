use super::*;
use crate::parse;
use proptest::prelude::*;

/// A lesson as it is drawn: `lesson("text").width(40).draws(&["…"])`.
struct Draw {
    text: String,
    width: usize,
    ascii: bool,
    shift: usize,
}

fn lesson(text: &str) -> Draw {
    Draw {
        text: text.to_owned(),
        width: 40,
        ascii: false,
        shift: 0,
    }
}

fn numbers(value: &Value) -> Resolved {
    match value.expression.as_str() {
        "block.bytes | MB" => Resolved::value("9.964 MB"),
        "block.launches" => Resolved::value("17"),
        "saved" => Resolved::value("22.22 %"),
        "evil" => Resolved::value("\x1b[31mred\n"),
        other => Resolved::error(format!("no `{other}`")),
    }
}

impl Draw {
    fn width(self, width: usize) -> Self {
        Self { width, ..self }
    }

    fn ascii(self) -> Self {
        Self {
            ascii: true,
            ..self
        }
    }

    fn shift(self, shift: usize) -> Self {
        Self { shift, ..self }
    }

    fn page(&self) -> Page {
        let document = parse(&self.text, 1, &["lab", "question"]);
        let layout = Layout::new(self.width, &numbers)
            .ascii(self.ascii)
            .shift(self.shift);
        let mut page = Page::default();
        for section in &document.sections {
            page.append(layout.section(section));
        }
        page
    }

    /// The screen, each row between bars so that its end is seen.
    #[track_caller]
    fn draws(self, screen: &[&str]) -> Self {
        let page = self.page().text();
        let drawn: Vec<&str> = page.split('\n').collect();
        assert_eq!(drawn, screen, "\n{page}\n");
        self
    }

    fn roles(&self) -> Vec<(String, Role)> {
        let page = self.page();
        page.lines
            .into_iter()
            .flat_map(|l| l.spans)
            .map(|s| (s.text, s.role))
            .collect()
    }
}

fn has(roles: &[(String, Role)], text: &str, role: Role) -> bool {
    roles.iter().any(|(t, r)| t == text && *r == role)
}

#[test]
fn prose_wraps_between_words() {
    lesson("The three projections read the same n1. One kernel\nreads it once.").draws(&[
        "The three projections read the same n1.",
        "One kernel reads it once.",
    ]);
}

#[test]
fn the_text_measure_is_72_columns_on_any_screen() {
    let page = lesson(&"word ".repeat(40)).width(200).page();
    // 14 words of four letters and 13 spaces are 69 columns; 15 would be 74.
    assert_eq!(page.lines.iter().map(Line::width).max(), Some(69));
}

#[test]
fn a_section_is_its_heading_and_its_blocks() {
    lesson("## What the merge *cannot* save\n\nOne.\n\n### Smaller\n\nTwo.\n").draws(&[
        "What the merge cannot save",
        "",
        "One.",
        "",
        "Smaller",
        "",
        "Two.",
    ]);
}

#[test]
fn values_are_resolved_and_kept_on_one_line() {
    lesson("Together they move now `= block.bytes | MB` of memory.")
        .width(30)
        .draws(&["Together they move now", "9.964 MB of memory."]);
    let roles = lesson("`= block.launches`, `= nothing`").roles();
    assert!(has(&roles, "17", Role::Value));
    assert!(has(&roles, "no `nothing`", Role::Error));
}

#[test]
fn inline_roles_are_kept() {
    let roles = lesson("a *b* **c** `d` [e](lesson:02) $x^2$ [f](https://g.org)").roles();
    for (text, role) in [
        ("b", Role::Emphasis),
        ("c", Role::Strong),
        ("d", Role::Code),
        ("e", Role::Link),
        ("f", Role::Link),
        ("(https://g.org)", Role::Dim),
    ] {
        assert!(
            has(&roles, text, role) || roles.iter().any(|(t, r)| t.trim() == text && *r == role),
            "{text}"
        );
    }
    assert!(roles.iter().any(|(t, _)| t.contains("x²")));
}

#[test]
fn lists_hang() {
    lesson(
        "- The first item is longer than one line of it.\n- Second\n  - nested\n\n9. nine\n10. ten",
    )
    .draws(&[
        "• The first item is longer than one line",
        "  of it.",
        "• Second",
        "  • nested",
        "",
        " 9. nine",
        "10. ten",
    ]);
}

#[test]
fn items_of_several_paragraphs_are_parted() {
    lesson("- one\n\n  more\n- two").draws(&["• one", "", "  more", "", "• two"]);
}

#[test]
fn an_aside_has_a_bar() {
    lesson("> Fusion saves bytes,\n> not operations.\n>\n> Mostly.")
        .width(24)
        .draws(&[
            "│ Fusion saves bytes,",
            "│ not operations.",
            "│ ",
            "│ Mostly.",
        ]);
}

#[test]
fn numbers_stand_on_their_decimal_point() {
    lesson(
        "| | launches | MB = | FLOP/B = |\n|---|---|---|---|\n| three kernels | 3 | 1.18 | 28.44 |\n\
         | one kernel | 1 | 10.918 | 6.5 |\n| unknown | · | – | |",
    )
    .width(60)
    .draws(&[
        "                  launches     MB =   FLOP/B =",
        "  three kernels          3    1.18       28.44",
        "  one kernel             1   10.918       6.5",
        "  unknown                ·    –",
    ]);
}

#[test]
fn the_author_may_align() {
    lesson("| a | b | c |\n|:--|:-:|--:|\n| 1 | x | left |\n| 100 | wide | r |").draws(&[
        "  a      b        c",
        "  1      x     left",
        "  100   wide      r",
    ]);
}

#[test]
fn words_in_a_table_wrap_before_it_scrolls() {
    lesson("| op | what it does |\n|---|---|\n| rope | turns pairs of q and k by the position |\n| v | a GEMM |")
        .width(34)
        .draws(&[
            "  op    what it does",
            "  rope  turns pairs of q and k by",
            "        the position",
            "  v     a GEMM",
        ]);
}

#[test]
fn a_head_wraps_before_its_numbers_scroll() {
    lesson("| op | bytes of the projection | launches |\n|---|---|---|\n| q | 1.5 | 1 |\n| down | 10 | 1 |")
        .width(32)
        .draws(&[
            "        bytes of the",
            "  op      projection  launches",
            "  q              1.5         1",
            "  down          10           1",
        ]);
}

const WIDE: &str = "| op | flops | bytes | intensity | launches |\n|---|---|---|---|---|\n\
                    | norm1 | 1 | 2 | 3 | 4 |\n| softmax | 5 | 6 | 7 | 8 |";

#[test]
fn a_wide_table_scrolls_by_column_with_its_first_held() {
    // 7 + 5 + 5 + 9 + 8 columns and four gaps of 2 need 42.
    let at = |shift| lesson(WIDE).width(30).shift(shift);
    at(0).draws(&[
        "  op       flops  bytes ►",
        "  norm1        1      2",
        "  softmax      5      6",
    ]);
    at(1).draws(&[
        "  op      ◄bytes  intensity ►",
        "  norm1        2          3",
        "  softmax      6          7",
    ]);
    at(2).draws(&[
        "  op      ◄intensity  launches",
        "  norm1            3         4",
        "  softmax          7         8",
    ]);
    assert_eq!(at(0).page().max_shift, 2);
    assert_eq!(at(9).page().text(), at(2).page().text());
    assert_eq!(at(0).page().lines[0].kind, LineKind::Table { hidden: 2 });
    assert_eq!(lesson(WIDE).width(80).page().max_shift, 0);
}

#[test]
fn where_nothing_scrolls_the_rest_of_a_wide_table_stands_below() {
    let document = parse(WIDE, 1, &[]);
    let page = Layout::new(30, &numbers)
        .whole()
        .section(&document.sections[0]);
    let lines: Vec<String> = page.text().lines().map(str::to_owned).collect();
    let expected = [
        "  op       flops  bytes",
        "  norm1        1      2",
        "  softmax      5      6",
        "",
        "  op       intensity  launches",
        "  norm1            3         4",
        "  softmax          7         8",
    ];
    assert_eq!(lines, expected);
    assert_eq!(page.max_shift, 0);
}

#[test]
fn a_bar_in_a_value_does_not_end_a_cell() {
    lesson("| op | bytes |\n|---|---|\n| q | `= block.bytes | MB` |")
        .draws(&["  op      bytes", "  q    9.964 MB"]);
}

#[test]
fn code_that_does_not_fit_goes_on_below_and_is_not_cut() {
    let code = "```cuda\nfor (int i = 0; i < n; ++i) x[i] = y[i];\nreturn;\n```";
    lesson(code).width(30).draws(&[
        "  for (int i = 0; i < n; ++i)",
        "      x[i] = y[i];",
        "  return;",
    ]);
    assert_eq!(lesson(code).width(30).page().max_shift, 0);
    assert_eq!(
        lesson(code).page().lines[0].kind,
        LineKind::Code { width: 40 }
    );
}

#[test]
fn a_live_block_is_a_placeholder() {
    lesson("before\n\n```lab\nstart = \"v1\"\n```\n\nafter\n\n```question\n```")
        .draws(&["before", "", "[live 0]", "", "after", "", "[live 1]"]);
}

#[test]
fn display_mathematics_stands_alone() {
    lesson("So $$saved = \\frac{2\\cdot B\\cdot S}{5\\cdot B\\cdot S + 2\\cdot D}$$ it is.").draws(
        &[
            "So",
            "",
            "                  2·B·S",
            "    saved  =  ─────────────",
            "               5·B·S + 2·D",
            "",
            "it is.",
        ],
    );
}

#[test]
fn mathematics_too_wide_is_written_on_a_line() {
    lesson("$$saved = \\frac{2\\cdot B\\cdot S}{5\\cdot B\\cdot S + 2\\cdot D}$$")
        .width(20)
        .draws(&["    saved = (2·B·S)", "    / (5·B·S + 2·D)"]);
}

#[test]
fn a_fault_in_mathematics_shows_the_source() {
    let roles = lesson("Here $\\frak{g}$ stands.").roles();
    assert!(has(&roles, "\\frak{g}", Role::Error));
}

#[test]
fn ascii_says_the_same() {
    lesson("> “a ≤ b”\n\n- 2·B·S $\\cdot$ µs\n\n---\n\n$$\\frac{a \\cdot b}{c}$$")
        .ascii()
        .width(24)
        .draws(&[
            "| \"a <= b\"",
            "",
            "- 2*B*S * us",
            "",
            "------------------------",
            "",
            "     a*b",
            "    -----",
            "      c",
        ]);
}

#[test]
fn nothing_steers_the_terminal() {
    let text =
        "a\x1b[2Jb &#27;]0;c `\x07` `= evil`\n\n```\n\x1b[H\x7f\n```\n\n<b>html</b> ![pic](x.png)";
    let page = lesson(text).width(80).page().text();
    assert!(
        !page.chars().any(|c| c.is_control() && c != '\n'),
        "{page:?}"
    );
    assert!(page.contains("a␛[2Jb ␛]0;c ␇ ␛[31mred"), "{page}");
    assert!(
        page.contains("<b>html</b>") && page.contains("image: pic"),
        "{page}"
    );
}

#[test]
fn lines_know_their_place() {
    let document = parse("one\n\n```\na\nb\n```\n", 10, &[]);
    let page = Layout::new(40, &numbers).section(&document.sections[0]);
    let at: Vec<usize> = page.lines.iter().map(|l| l.place.line).collect();
    assert_eq!(at, [10, 12, 13, 14]);
}

#[test]
fn a_lesson_page_as_in_the_screens() {
    lesson(
        "## What the merge cannot save\n\n\
         The three projections read the same n1. One kernel reads it once, so two\n\
         reads of $B\\cdot S\\cdot D$ go; the weights and the outputs stay.\n\n\
         $$saved = \\frac{2\\cdot B\\cdot S}{5\\cdot B\\cdot S + 2\\cdot D} = `= saved` \\text{ at B1}$$\n\n\
         | | launches | MB = | FLOP/B = |\n|---|---|---|---|\n\
         | three kernels | 3 | 1.180 | 28.44 |\n| one kernel | 1 | 0.918 | 36.57 |\n\n\
         ```lab\nstart = \"v1\"\n```\n",
    )
    .width(76)
    .draws(&[
        "What the merge cannot save",
        "",
        "The three projections read the same n1. One kernel reads it once, so two",
        "reads of B·S·D go; the weights and the outputs stay.",
        "",
        "                  2·B·S",
        "    saved  =  ─────────────  =  22.22 % at B1",
        "               5·B·S + 2·D",
        "",
        "                  launches    MB =   FLOP/B =",
        "  three kernels          3   1.180      28.44",
        "  one kernel             1   0.918      36.57",
        "",
        "[live 0]",
    ]);
}

/// Text made of what lessons are made of, in any order.
fn soup() -> impl Strategy<Value = String> {
    let scraps = prop::sample::select(vec![
        "## ",
        "# ",
        "### ",
        "- ",
        "1. ",
        "> ",
        "\n",
        "\n\n",
        "    ",
        "```",
        "```lab\n",
        "```cuda\n",
        "`",
        "`= a | MB`",
        "`= ",
        "| a | b |\n|---|--:|\n",
        "| ",
        "|",
        "---",
        "$",
        "$$",
        "\\frac",
        "{",
        "}",
        "^",
        "_",
        "\\left(",
        "\\right)",
        "\\\\",
        "&",
        "\\sqrt",
        "$\\text{a\\_\n\tb}$",
        "\\sum",
        "*",
        "**",
        "[",
        "](",
        ")",
        "<b>",
        "word",
        "12.6",
        "漢字",
        "é",
        "e\u{301}",
        "👩‍🔬",
        "\u{1b}[31m",
        "\t",
        "\r",
        "&#27;",
        "averyveryverylongword",
        "\"",
        "'",
        "/*",
        "//",
        "#",
        "\u{200b}",
        "لا",
    ]);
    prop_oneof![
        prop::collection::vec(scraps, 0..60).prop_map(|v| v.concat()),
        any::<String>(),
    ]
}

proptest! {
    #[test]
    fn any_text_lays_out_at_any_width(text in soup(), width in 1usize..200, ascii: bool, shift in 0usize..4) {
        let document = parse(&text, 1, &["lab"]);
        let layout = Layout::new(width, &numbers).ascii(ascii).shift(shift);
        for section in &document.sections {
            for line in layout.section(section).lines {
                prop_assert!(line.width() <= width, "{:?} is wider than {}", line, width);
                let shown = line.text();
                prop_assert!(!shown.chars().any(char::is_control), "{:?}", shown);
                prop_assert!(!ascii || shown.is_ascii(), "{:?}", shown);
            }
        }
    }

    #[test]
    fn wrapping_loses_no_word(words in prop::collection::vec("[a-z]{1,12}", 1..40), width in 12usize..80) {
        let document = parse(&words.join(" "), 1, &[]);
        prop_assume!(document.sections.len() == 1);
        let page = Layout::new(width, &numbers).section(&document.sections[0]);
        let back = page.text().split_whitespace().collect::<Vec<_>>().join(" ");
        prop_assert_eq!(back, words.join(" "));
    }
}
