use super::*;

const KINDS: &[&str] = &["lab", "steps"];

fn at(line: usize, column: usize) -> Place {
    Place { line, column }
}

#[test]
fn a_second_level_heading_starts_a_section() {
    let document = parse("opening\n\n## One\na\n\n## Two `x` $y^2$\nb\n", 5, KINDS);
    let sections: Vec<(String, usize, usize)> = document
        .sections
        .iter()
        .map(|s| (s.title(), s.line, s.blocks.len()))
        .collect();
    assert_eq!(
        sections,
        [
            (String::new(), 5, 1),
            ("One".to_owned(), 7, 1),
            ("Two x y²".to_owned(), 10, 1)
        ]
    );
}

#[test]
fn without_an_opening_there_is_no_opening_section() {
    assert_eq!(parse("\n## One\n", 1, KINDS).sections.len(), 1);
    assert!(parse("", 1, KINDS).sections.is_empty());
    assert!(parse(" \n\n", 1, KINDS).sections.is_empty());
}

#[test]
fn a_live_block_keeps_kind_body_index_and_place() {
    let document = parse(
        "a\n\n```lab wide\nstart = \"v1\"\n```\n\n```cuda\nx\n```\n~~~steps\n~~~",
        8,
        KINDS,
    );
    let lives = document.lives();
    assert_eq!(
        lives[0],
        &Live {
            kind: "lab".into(),
            body: "start = \"v1\"\n".into(),
            within: 15..28,
            span: 3..31,
            closed: true,
            index: 0,
            place: at(10, 1)
        }
    );
    assert_eq!((lives[1].kind.as_str(), lives[1].index), ("steps", 1));
}

#[test]
fn a_value_is_code_that_begins_with_an_equals_sign() {
    let document = parse(
        "Moves `= block(v1).bytes | MB` and\n`=x`, `` = y ``, `= `.",
        3,
        KINDS,
    );
    let values: Vec<(&str, Place)> = document
        .values()
        .iter()
        .map(|v| (v.expression.as_str(), v.place))
        .collect();
    // Column 10 is the b of block: "Moves `= " are nine characters.
    assert_eq!(
        values,
        [("block(v1).bytes | MB", at(3, 10)), ("y", at(4, 12))]
    );
}

#[test]
fn values_are_found_everywhere() {
    let text = "## A `= a`\n- `= b`\n\n> *`= c`*\n\n| `= d | MB` |\n|---|\n| `= e | MB 3` |\n\n$$x = `= f | us`$$\n";
    let document = parse(text, 1, KINDS);
    let values: Vec<&str> = document
        .values()
        .iter()
        .map(|v| v.expression.as_str())
        .collect();
    assert_eq!(values, ["a", "b", "c", "d | MB", "e | MB 3", "f | us"]);
}

#[test]
fn words_lead_back_to_their_place() {
    let document = parse("One kernel\nmoves 12.6 MB, `9 MB` $8$.", 20, KINDS);
    let words = document.words();
    let (text, place) = words[0];
    let offset = text.find("12.6").unwrap();
    assert_eq!(place.after(&text[..offset]), at(21, 7));
    assert!(
        !words
            .iter()
            .any(|(text, _)| text.contains('9') || text.contains('8'))
    );
}

#[test]
fn faults_of_mathematics_have_their_place_in_the_file() {
    let document = parse("text $x + \\frak{g}$\n\n$$\n\\foo\n$$\n", 46, KINDS);
    let faults: Vec<String> = document.faults().iter().map(ToString::to_string).collect();
    assert_eq!(
        faults,
        ["46:11: unknown macro \\frak", "49:1: unknown macro \\foo"]
    );
}

#[test]
fn a_table_keeps_alignments_and_whole_rows() {
    let document = parse("| a | b | c |\n|:--|:-:|---|\n| 1 |\n", 1, KINDS);
    let Element::Table(table) = &document.sections[0].blocks[0].element else {
        panic!("a table")
    };
    assert_eq!(
        table.alignments,
        [Alignment::Left, Alignment::Centre, Alignment::Auto]
    );
    assert_eq!(table.rows.len(), 1);
    assert_eq!(table.rows[0].len(), 3);
}

#[test]
fn lists_nest() {
    let document = parse("1. a\n   - b\n2. c\n", 1, KINDS);
    let Element::List {
        first: Some(1),
        items,
    } = &document.sections[0].blocks[0].element
    else {
        panic!("a numbered list")
    };
    assert_eq!(items.len(), 2);
    assert!(matches!(
        items[0].blocks[1].element,
        Element::List { first: None, .. }
    ));
}

#[test]
fn strikethrough_is_text() {
    let document = parse("~~a~~", 1, KINDS);
    assert_eq!(document.words()[0].0, "~~a~~");
}

#[test]
fn line_ends_of_other_systems_count_once() {
    let document = parse("a\r\n\r\n## B\r\n", 1, KINDS);
    assert_eq!(document.sections[1].line, 3);
}

#[test]
fn depth_is_bounded() {
    for text in [
        "> ".repeat(5_000),
        "*a **b ".repeat(2_000),
        "- ".repeat(5_000),
        "[".repeat(5_000),
    ] {
        let document = parse(&format!("{text}x"), 1, KINDS);
        for section in &document.sections {
            section.each_block(|_| {});
            section.each_inline(|_| {});
        }
    }
}

#[test]
fn a_place_counts_characters() {
    let start = at(3, 5);
    assert_eq!(start.after("é漢"), at(3, 7));
    assert_eq!(start.after("a\nb\nµs"), at(5, 3));
}

#[test]
fn spans_lead_back_to_the_source() {
    let text =
        "## A `b`\nMoves `= x | MB` and $y^{`= y`}$, $$`= z`$$\n\n| a |\n|---|\n| `= w | MB` |\n";
    let document = parse(text, 1, KINDS);
    let spans: Vec<&str> = document
        .values()
        .iter()
        .map(|v| &text[v.span.clone()])
        .collect();
    assert_eq!(spans, ["`= x | MB`", "`= y`", "`= z`", "`= w | MB`"]);
    assert_eq!(text[document.sections[0].span.clone()].trim(), "## A `b`");
}

#[test]
fn a_live_block_ends_at_its_own_fence() {
    let cases = [
        ("```lab\n```", "", true),
        ("```lab", "", false),
        ("```lab\na = 1", "a = 1", false),
        ("````lab\n```\n````", "```\n", true),
        ("````lab\na\n```", "a\n```", false),
        ("~~~steps\nb\n~~~\n\nafter", "b\n", true),
        ("   ```lab\n   a\n   ```\n", "   a\n", true),
    ];
    for (text, body, closed) in cases {
        let document = parse(text, 1, KINDS);
        let live = document.lives()[0];
        assert_eq!(
            (&text[live.within.clone()], live.closed),
            (body, closed),
            "{text}"
        );
    }
}

#[test]
fn a_link_knows_where_its_target_is_written() {
    let document = parse("See [`x` y](02-y.md) and ![p](a.png).", 4, KINDS);
    let mut found = Vec::new();
    document.sections[0].each_inline(|inline| {
        if let Inline::Link { place, image, .. } = inline {
            found.push((*place, *image));
        }
    });
    assert_eq!(found, [(at(4, 13), false), (at(4, 31), true)]);
}
