//! A course's own paths: where they lie, and what is said of a file that cannot be read.

use super::LESSON;
use crate::program::Home;

#[test]
fn paths_beside_the_lessons_are_not_read_and_that_is_said() {
    let home = Home::new();
    home.write("mine/lessons/40-mine.md", LESSON);
    home.write("mine/paths.toml", "not even TOML");
    let say =
        "~/mine/paths.toml: warning: is not read here; paths stand in ~/mine/lessons/paths.toml.";
    let lint = home.line("lint mine");
    assert_eq!(lint.code, 0, "{lint:?}");
    assert!(lint.out.contains(say), "{}", lint.out);
    let path = home.line("--course mine path");
    assert!(path.err.contains(say), "{}", path.err);
    for help in ["path --help", "lint --help", "new --help"] {
        assert!(home.line(help).out.contains("lessons/paths.toml"), "{help}");
    }
}

/// What is wrong with it is said with its place, and the built-in paths are followed.
#[test]
fn paths_that_cannot_be_read_are_said_with_their_place() {
    let home = Home::new();
    home.write("mine/lessons/40-mine.md", LESSON);
    let good = "[[path]]\nname = \"own\"\ntitle = \"Own\"\nminutes = 60\n\n[[path.step]]\nlesson = \"40-mine\"\nminutes = 20\n";
    for (raw, place) in [
        (good.replace("minutes = 60", "minutes = x"), "4:11: "),
        (good.replace("[[path.step]]", "[[path.step"), "6:"),
        (good.replace("title", "titel"), "3:1: "),
        (
            good.replace("minutes = 20\n", ""),
            "6:1: this step takes no time",
        ),
    ] {
        home.write("mine/lessons/paths.toml", &raw);
        let say = format!("~/mine/lessons/paths.toml:{place}");
        let lint = home.line("lint mine");
        assert_eq!(lint.code, 4, "{lint:?}");
        assert!(lint.out.contains(&say), "{say} not in {}", lint.out);
        for command in ["--course mine path", "--course mine path --json"] {
            let path = home.line(command);
            assert_eq!(path.code, 0, "{path:?}");
            assert!(path.err.contains(&say), "{say} not in {}", path.err);
            assert!(
                path.err
                    .contains("The built-in paths are followed instead."),
                "{}",
                path.err
            );
        }
        let listed = home.line("--course mine path --json").json();
        assert_eq!(listed["followed"], "three-hours");
        let names = listed["paths"].as_array().unwrap().iter();
        let names: Vec<_> = names.map(|path| path["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["three-hours", "one-day", "complete"]);
    }
    home.write("mine/lessons/paths.toml", good);
    let path = home.line("--course mine path");
    assert!(path.err.is_empty() && path.out.contains("own"), "{path:?}");
}
