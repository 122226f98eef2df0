//! `export --html` and `export --csv`: what a folder and a spreadsheet get.

use crate::program::Home;

#[test]
fn a_lesson_becomes_a_file_and_an_index_and_nothing_foreign_is_replaced() {
    let home = Home::new();
    let read = |name: &str| std::fs::read_to_string(home.path().join("site").join(name)).unwrap();
    let ran = home.line("export --html site 7");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
    assert_eq!(
        ran.out,
        "made  site/07-v1-census.html\nmade  site/index.html\n"
    );
    let lesson = read("07-v1-census.html");
    assert!(lesson.starts_with("<!DOCTYPE html>"));
    assert!(lesson.contains("<figure class=\"live\">"));
    assert!(lesson.contains("id=\"ex1\""));
    assert!(!lesson.contains("`= "), "a number was not computed");
    assert!(read("index.html").contains("href=\"./07-v1-census.html\""));
    // The same again changes nothing; another lesson joins the index.
    let again = home.line("export --html site 7");
    assert_eq!(
        again.out,
        "kept  site/07-v1-census.html\nkept  site/index.html\n"
    );
    std::fs::write(home.path().join("site/00-welcome.html"), "mine").unwrap();
    home.line("export --html site 0").refused(2, "--force");
    assert_eq!(read("00-welcome.html"), "mine");
    assert_eq!(home.line("export --html site 0 --force").code, 0);
    let index = read("index.html");
    assert!(index.contains("00-welcome") && index.contains("07-v1-census"));
    home.line("export --html site 99")
        .refused(2, "there is no lesson");
    home.write("file", "x");
    home.line("export --html file/site 7")
        .refused(2, "cannot be made");
    let ran = home.line("export --html site --json");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("has no JSON form"), "{ran:?}");
}

#[test]
fn results_are_rows() {
    let home = Home::new();
    home.args(&[
        "check",
        "ex1",
        "--answer",
        "block=17",
        "--answer",
        "products=1,2 \"x\"",
    ]);
    let ran = home.line("export --csv");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
    let mut lines = ran.out.lines();
    let head = lines.next().unwrap();
    assert_eq!(
        head,
        "exercise,key,typed,verdict,misses,hints,variant,device"
    );
    assert!(
        ran.out.contains("\nex1,block,17,right,0,0,0,h200\n"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("\nex1,products,\"1,2 \"\"x\"\"\","),
        "{}",
        ran.out
    );
    home.line("export --csv --html site").refused(2, "--csv");
    assert_eq!(home.line("export 7").code, 2);
}
