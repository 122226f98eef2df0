use super::*;

fn sheet() -> Sheet {
    let columns = [
        Column::given("plan"),
        Column::measured("time", "µs", 1),
        Column::modelled("error", SCIENTIFIC, 0),
    ];
    let mut sheet = Sheet::new("plans", columns);
    sheet
        .rows
        .push(vec!["V1".into(), 842.25.into(), 1.5e-7.into()]);
    sheet
        .rows
        .push(vec!["=a,\"b\"".into(), Cell::NONE, f64::NAN.into()]);
    sheet
}

#[test]
fn heads_say_unit_and_source_and_unknown_is_a_dash() {
    let sheet = sheet();
    assert_eq!(sheet.heads(), ["plan", "time µs @", "error rel. ="]);
    assert_eq!(sheet.shown(&sheet.rows[0]), ["V1", "842.3", "1.5e-7"]);
    assert_eq!(sheet.shown(&sheet.rows[1])[1..], ["–", "–"]);
}

#[test]
fn csv_keeps_all_digits_and_makes_no_formula() {
    // The shortest text that is read back as the same number.
    let csv = "plan,time µs @,error rel. =\nV1,842.25,0.00000015\n\"'=a,\"\"b\"\"\",,\n";
    assert_eq!(sheet().csv(), csv);
    // What the last bits of a sum leave is no digit of it.
    let mut sum = Sheet::new("bytes", [Column::modelled("bytes", "MB", 3)]);
    sum.rows = vec![
        vec![15.448191999999999.into()],
        vec![13.613183999999999.into()],
    ];
    assert_eq!(sum.csv(), "bytes MB =\n15.448192\n13.613184\n");
}

#[test]
fn figures_of_the_model_are_in_columns_or_in_sentences() {
    let mut found = Findings {
        sentences: vec!["32 sectors #.".into()],
        ..Findings::default()
    };
    assert!(!found.has_modelled());
    found.sentences.push("12.5 of 100 % =.".into());
    assert!(found.has_modelled());
    found.sentences.clear();
    found.sheets.push(sheet());
    assert!(found.has_modelled());
}

#[test]
fn markdown_is_a_table_that_a_pull_request_shows() {
    let findings = Findings {
        sheets: vec![sheet()],
        sentences: vec!["No regression.".into()],
        notes: vec!["Busy.".into()],
        ..Findings::default()
    };
    let text = "- No regression.\n\n**plans**\n\n| plan | time µs @ | error rel. = |\n\
                | --- | ---: | ---: |\n| V1 | 842.3 | 1.5e-7 |\n\n… 1 more rows\n\n> Busy.\n";
    assert_eq!(findings.markdown(1), text);
}

#[test]
fn findings_are_read_back() {
    let findings = Findings {
        title: "workshop B1".into(),
        sheets: vec![sheet()],
        ..Findings::default()
    };
    let text = serde_json::to_string(&findings).unwrap();
    assert_eq!(serde_json::from_str::<Findings>(&text).unwrap(), findings);
}
