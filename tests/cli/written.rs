//! Files of one's own are not overwritten without a word.

use crate::program::Home;

const MINE: &str = "my notes\n";

#[test]
fn a_file_of_ones_own_is_left_as_it_is() {
    let home = Home::new();
    let read = |name: &str| std::fs::read_to_string(home.path().join(name)).unwrap();
    home.write("own", MINE);
    for line in [
        "profile --sample nsys -o own",
        "run --seq 2 --runs 0 --no-check --logits own",
        "bench v1 --batches 1 --seqs 2 --runs 6 --no-keep --save own",
        "study timeline --version v1 --seq 2 --runs 6 --no-keep --trace own",
        "progress export own",
    ] {
        let ran = home.line(line);
        ran.refused(2, "exists already and was left as it is");
        assert_eq!(read("own"), MINE, "{line}");
    }
    // The samples of an exercise: all, or none where one is in the way.
    assert_eq!(home.line("profile --exercise ex39 -o given").code, 0);
    let mut files = std::fs::read_dir(home.path().join("given")).unwrap();
    let one = files.next().unwrap().unwrap().file_name();
    let one = one.to_str().unwrap();
    // What is the same already is no loss.
    assert_eq!(home.line("profile --exercise ex39 -o given").code, 0);
    home.write(&format!("taken/{one}"), MINE);
    home.line("profile --exercise ex39 -o taken")
        .refused(2, "was left as it is");
    let taken = home.path().join("taken");
    assert_eq!(std::fs::read_dir(taken).unwrap().count(), 1);
    assert_eq!(read(&format!("taken/{one}")), MINE);
}

#[test]
fn what_cannot_be_written_names_the_way_out() {
    let home = Home::new();
    home.write("file", "");
    for (line, way) in [
        ("report file/x.md", "name another file"),
        ("export --html file/x", "name another folder"),
        ("progress export file/x", "name another file"),
        ("profile --sample nsys -o file/x", "name another file"),
        ("profile --exercise ex39 -o file/x", "name another file"),
        (
            "bench v1 --batches 1 --seqs 2 --runs 6 --no-keep --save file/x",
            "name another file",
        ),
    ] {
        home.line(line).refused(2, way);
    }
}
