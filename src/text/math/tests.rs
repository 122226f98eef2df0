use super::*;
use proptest::prelude::*;

fn number(value: &Value) -> Resolved {
    Resolved::value(format!("<{}>", value.expression))
}

fn style(ascii: bool, spoken: bool) -> Style<'static> {
    Style {
        ascii,
        spoken,
        resolve: &number,
    }
}

fn read(source: &str) -> Formula {
    Formula::parse(source, Place { line: 1, column: 1 })
}

/// Rows of the grid, without the blanks at their ends.
fn drawn(source: &str, ascii: bool) -> Vec<String> {
    let grid = read(source).grid(&style(ascii, false)).unwrap();
    let rows: Vec<String> = grid
        .rows
        .iter()
        .map(|r| r.iter().map(|s| s.text.as_str()).collect())
        .collect();
    for row in &rows {
        assert_eq!(crate::width(row), grid.width, "{source}: {rows:#?}");
    }
    rows.iter().map(|r| r.trim_end().to_owned()).collect()
}

fn spoken(source: &str) -> String {
    read(source)
        .line(&style(true, true))
        .into_iter()
        .map(|s| s.text)
        .collect()
}

fn inline(source: &str) -> String {
    read(source)
        .line(&style(false, false))
        .into_iter()
        .map(|s| s.text)
        .collect()
}

#[test]
fn two_dimensions() {
    let table: &[(&str, &[&str], &[&str])] = &[
        // source, Unicode, ASCII
        ("2\\cdot B\\cdot S", &["2·B·S"], &["2*B*S"]),
        ("\\frac{a}{b}", &[" a", "───", " b"], &[" a", "---", " b"]),
        (
            "saved = \\frac{2\\cdot B\\cdot S}{5\\cdot B\\cdot S + 2\\cdot D}",
            &[
                "              2·B·S",
                "saved  =  ─────────────",
                "           5·B·S + 2·D",
            ],
            &[
                "              2*B*S",
                "saved  =  -------------",
                "           5*B*S + 2*D",
            ],
        ),
        (
            "1 + \\frac{a}{b}",
            &["     a", "1 + ───", "     b"],
            &["     a", "1 + ---", "     b"],
        ),
        ("x^2 + 1", &["x² + 1"], &["x^2 + 1"]),
        ("x^{n+1}", &[" n+1", "x"], &[" n+1", "x"]),
        ("x_i^2", &["x²", " i"], &[" 2", "x", " i"]),
        ("10^6 \\times 3", &["  6", "10  × 3"], &["  6", "10  x 3"]),
        ("a_{ij}", &["a", " ij"], &["a", " ij"]),
        (
            "\\sum_{i=1}^{n} x_i",
            &[" n", " Σ  x", "i=1  i"],
            &[" n", "sum x", "i=1  i"],
        ),
        ("\\max_i x", &["max x", " i"], &["max x", " i"]),
        (
            "\\frac{a}{b}\\cdot c",
            &[" a", "─── · c", " b"],
            &[" a", "--- * c", " b"],
        ),
        ("\\max\\left(a\\right)", &["max(a)"], &["max(a)"]),
        ("\\max(a, b)", &["max(a, b)"], &["max(a, b)"]),
        ("\\log x", &["log x"], &["log x"]),
        ("\\exp(-x)", &["exp(-x)"], &["exp(-x)"]),
        ("\\sqrt{x}", &["√x"], &["sqrt(x)"]),
        ("\\sqrt{a+b}", &["√(a + b)"], &["sqrt(a + b)"]),
        (
            "\\sqrt{\\frac{a}{b}}",
            &[" ┌────", " │  a", " │ ───", "√│  b"],
            &["    / a \\", "sqrt|---|", "    \\ b /"],
        ),
        (
            "\\left(\\frac{a}{b}\\right)^2",
            &["/ a \\2", "│───│", "\\ b /"],
            &["/ a \\2", "|---|", "\\ b /"],
        ),
        (
            "\\left\\lceil\\frac{S}{64}\\right\\rceil",
            &["┌ S  ┐", "│────│", "│ 64 │"],
            &["    / S  \\", "ceil|----|", "    \\ 64 /"],
        ),
        ("\\lceil S/64 \\rceil", &["⌈S/64⌉"], &["ceil(S/64)"]),
        (
            "\\lfloor x \\rfloor \\le y",
            &["⌊x⌋  ≤  y"],
            &["floor(x)  <=  y"],
        ),
        ("\\alpha x", &["αx"], &["alpha x"]),
        (
            "a \\ge b \\ne c \\approx d",
            &["a  ≥  b  ≠  c  ≈  d"],
            &["a  >=  b  !=  c  ~=  d"],
        ),
        ("a := b", &["a  :=  b"], &["a  :=  b"]),
        ("\\text{a\\_b\nc}", &["a_b c"], &["a_b c"]),
        ("a\\qquad b", &["a    b"], &["a    b"]),
        (
            "\\text{saved bytes} = 1",
            &["saved bytes  =  1"],
            &["saved bytes  =  1"],
        ),
        ("\\mathrm{FLOP/s}", &["FLOP/s"], &["FLOP/s"]),
        ("\\text{a\\_b} x", &["a_bx"], &["a_bx"]),
        ("-1 - -1", &["-1 - -1"], &["-1 - -1"]),
        ("1,048,576", &["1,048,576"], &["1,048,576"]),
        (
            "x = `= block.bytes | MB`",
            &["x  =  <block.bytes | MB>"],
            &["x  =  <block.bytes | MB>"],
        ),
        (
            "a = b \\\\ c = d",
            &["a  =  b", "c  =  d"],
            &["a  =  b", "c  =  d"],
        ),
        (
            "ab &= 1 \\\\ c &= 22",
            &["ab  =  1", " c  =  22"],
            &["ab  =  1", " c  =  22"],
        ),
    ];
    for (source, unicode, ascii) in table {
        assert_eq!(drawn(source, false), *unicode, "{source}");
        assert_eq!(drawn(source, true), *ascii, "{source}");
    }
}

#[test]
fn on_a_line_and_spoken() {
    for (source, on_line, aloud) in [
        (
            "saved = \\frac{2\\cdot B\\cdot S}{5\\cdot B\\cdot S + 2\\cdot D}",
            "saved = (2·B·S) / (5·B·S + 2·D)",
            "saved = (2*B*S) / (5*B*S + 2*D)",
        ),
        ("\\frac{N}{16}", "N/16", "N/16"),
        ("\\frac{a}{b} + c", "a/b + c", "a/b + c"),
        ("c\\cdot\\frac{a}{b}", "c·(a/b)", "c*(a/b)"),
        ("x^2", "x²", "x^2"),
        ("x^{n+1}", "x^(n+1)", "x^(n+1)"),
        ("(a+b)_i", "(a + b)_i", "(a + b)_i"),
        ("\\frac{a}{b}^2", "(a/b)²", "(a/b)^2"),
        ("T_{max}", "T_max", "T_max"),
        ("\\sqrt{d}", "√d", "sqrt(d)"),
        ("\\frac{1}{\\sqrt{d}}", "1/√d", "1/sqrt(d)"),
        (
            "\\sum_{i=1}^n x_i",
            "Σ_(i=1)^n x_i",
            "sum over i=1 to n of x_i",
        ),
        ("\\max_j s_j", "max_j s_j", "max over j of s_j"),
        (
            "\\left\\lceil \\frac{S}{64} \\right\\rceil",
            "⌈S/64⌉",
            "ceil(S/64)",
        ),
        ("a = 1 \\\\ b = 2", "a = 1; b = 2", "a = 1; b = 2"),
        ("2\\alpha x \\le 3", "2αx ≤ 3", "2 alpha x <= 3"),
    ] {
        assert_eq!(inline(source), on_line, "{source}");
        assert_eq!(spoken(source), aloud, "{source}");
    }
}

#[test]
fn faults_have_a_place() {
    for (source, line, column, message) in [
        ("a + \\frak{g}", 1, 5, "unknown macro \\frak"),
        ("a\n= \\foo", 2, 3, "unknown macro \\foo"),
        ("\\frac{a}", 1, 9, "\\frac has nothing after it"),
        ("x^", 1, 3, "^ has nothing after it"),
        ("a}", 1, 2, "} has no {"),
        ("\\left( a", 1, 7, "\\left has no \\right"),
        ("\\right)", 1, 1, "\\right has no \\left"),
        ("x_1_2", 1, 4, "two scripts in one place; set braces"),
        ("{a", 1, 1, "{ has no }"),
        (
            "`a`",
            1,
            1,
            "backticks in mathematics hold a number, `= EXPRESSION`",
        ),
    ] {
        let fault = read(source).tree.unwrap_err();
        assert_eq!(
            (fault.message.as_str(), fault.place),
            (message, Place { line, column }),
            "{source}"
        );
    }
}

#[test]
fn a_value_knows_its_place() {
    let formula = Formula::parse("x =\n  `= a + b`", Place { line: 7, column: 3 });
    let values = formula.values();
    assert_eq!(values[0].expression, "a + b");
    // Line 7 is that of `x =`; the expression follows "  `= ".
    assert_eq!(values[0].place, Place { line: 8, column: 6 });
}

#[test]
fn every_macro_in_the_tables_is_read() {
    let signs = symbols::SIGNS.iter().map(|s| s.0);
    let words = symbols::FUNCTIONS.iter().map(|f| f.0);
    let spaces = symbols::SPACES.iter().map(|s| s.0);
    for name in signs.chain(words).chain(spaces) {
        assert!(read(&format!("\\{name} x")).tree.is_ok(), "\\{name}");
    }
    for name in symbols::WORDS {
        assert!(read(&format!("\\{name}{{x y}}")).tree.is_ok(), "\\{name}");
    }
}

#[test]
fn no_name_is_in_two_tables() {
    let mut names: Vec<&str> = symbols::SIGNS.iter().map(|s| s.0).collect();
    names.extend(symbols::FUNCTIONS.iter().map(|f| f.0));
    names.extend(symbols::SPACES.iter().map(|s| s.0));
    names.extend(symbols::WORDS);
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[test]
fn nesting_is_bounded() {
    let deep = "{".repeat(100_000);
    assert_eq!(
        read(&deep).tree.unwrap_err().message,
        "mathematics is nested too deeply"
    );
    let deep = "\\sqrt".repeat(100_000);
    assert_eq!(
        read(&deep).tree.unwrap_err().message,
        "mathematics is nested too deeply"
    );
}

proptest! {
    #[test]
    fn any_source_reads_and_draws(parts in prop::collection::vec(prop::sample::select(vec![
        "a", "12.5", "\\frac", "{", "}", "^", "_", "\\left(", "\\right)", "\\sqrt", "\\sum", "+", "=",
        "\\\\", "&", "\\text{w w}", "`= v`", "漢", "\\,", "\\lceil", "-", "'", "\\max", "\\left.", "\\right|",
    ]), 0..24), ascii: bool) {
        let formula = read(&parts.concat());
        let _ = formula.line(&style(ascii, true));
        if let Some(grid) = formula.grid(&style(ascii, false)) {
            for row in &grid.rows {
                let width: usize = row.iter().map(|s| crate::width(&s.text)).sum();
                prop_assert_eq!(width, grid.width);
            }
            prop_assert!(grid.rows.is_empty() || grid.base < grid.rows.len());
        }
    }
}
