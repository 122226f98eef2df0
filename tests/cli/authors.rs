//! `init`, `new`, `lint`, and courses that are not as they should be.

mod paths;

use crate::program::{Home, Ran};

const LESSON: &str =
    "+++\ntitle = \"Mine\"\nversion = \"v1\"\nminutes = 1\n+++\n## Only section\nProse.\n\n";

#[test]
fn an_empty_course_folder_is_code_4() {
    let home = Home::new();
    std::fs::create_dir(home.path().join("empty")).unwrap();
    for line in [
        "--course empty lessons",
        "--course empty check ex1",
        "lint empty",
    ] {
        home.line(line)
            .refused(4, "this course folder holds no text");
    }
}

#[test]
fn a_broken_live_block_is_shown_said_and_code_4() {
    let home = Home::new();
    let text = format!("{LESSON}```lab\nstart = \"v9\"\nspeed = 3\n```\n\nAfter it.\n");
    home.write("mine/lessons/40-mine.md", &text);
    let ran = home.line("--course mine show 40");
    assert_eq!(ran.code, 4);
    assert!(
        ran.out.contains("After it."),
        "the rest is shown: {}",
        ran.out
    );
    // file:line:column of the unknown key, line 11.
    assert!(ran.err.contains("lessons/40-mine.md:11:1: "), "{}", ran.err);
    let lint = home.line("lint mine");
    assert_eq!(lint.code, 4);
    assert!(
        lint.out.contains("lessons/40-mine.md:11:1: "),
        "{}",
        lint.out
    );
    // Other lessons are not touched by it.
    assert_eq!(home.line("--course mine show 7").code, 0);
}

/// Quotes around a plan are those of the expressions. What lint passes is shown
/// whole, on paper and on a page.
#[test]
fn a_quoted_plan_is_one_plan_everywhere() {
    const GROUPS: &str = "norm1|q k v|rope|qk|softmax|pv|o|res1|norm2|gate|up|silu|mul|down|res2";
    let home = Home::new();
    let blocks = |plan: &str| {
        format!(
            "```lab\nstart = \"{plan}\"\n```\n\n```compare\nplans = [\"v1\", \"{plan}\"]\n```\n\n```ribbon\nplan = \"{plan}\"\n```\n\n```roofline\nplan = \"{plan}\"\n```\n\n```kernel\nop = \"q\"\nversion = \"{plan}\"\n```\n\n```profile\ntool = \"nsys\"\nversion = \"{plan}\"\n```\n\nAfter them.\n"
        )
    };
    for (file, plan) in [
        ("40-bare", GROUPS.to_owned()),
        ("41-quoted", format!("'{GROUPS}'")),
    ] {
        let text = format!("{LESSON}{}", blocks(&plan));
        let text = text
            .replace("Mine", "Same")
            .replace("minutes = 1", "minutes = 7");
        home.write(&format!("mine/lessons/{file}.md"), &text);
    }
    let lint = home.line("lint mine");
    assert_eq!(
        (lint.code, lint.out.contains("lessons/4")),
        (0, false),
        "{}",
        lint.out
    );
    let shown = |n: &str| {
        let ran = home.args(&["--course", "mine", "show", n]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        assert!(ran.out.contains("After them."), "{}", ran.out);
        ran.out.replace("41-quoted", "40-bare")
    };
    assert_eq!(shown("41"), shown("40"));
    // 17 kernels less two: q, k and v are one.
    assert!(
        shown("40").contains("  V1 + qkv  workshop B1 S128 fp32\n  block: 15 launches ="),
        "{}",
        shown("40")
    );
    let page = |n: &str, id: &str| {
        let ran = home.args(&["--course", "mine", "export", "--html", "site", n]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        let path = home.path().join(format!("site/{id}.html"));
        let page = std::fs::read_to_string(path).unwrap();
        let main = page.split_once("<main>").unwrap().1.split_once("</main>");
        main.unwrap().0.to_owned()
    };
    assert_eq!(page("41", "41-quoted"), page("40", "40-bare"));
}

/// A block that the machine refuses stands there with the reason, and the rest of
/// the lesson follows.
#[test]
fn a_block_that_cannot_be_shown_does_not_end_the_lesson() {
    let home = Home::new();
    let text = format!("{LESSON}```kernel\nsource = \"no-such.cu\"\n```\n\nAfter it.\n");
    home.write("mine/lessons/40-mine.md", &text);
    let ran = home.line("--course mine show 40");
    assert_eq!(ran.code, 4, "{ran:?}");
    assert!(
        ran.out
            .contains("Live block kernel, which cannot be shown: "),
        "{ran:?}"
    );
    assert!(ran.out.contains("After it."), "{ran:?}");
    assert!(ran.err.contains("40-mine, block 1: "), "{ran:?}");
}

#[test]
fn a_question_that_cannot_be_read_is_not_passed_over() {
    let home = Home::new();
    home.write(
        "mine/exercises/ex60.md",
        "+++\ntitle = \"Mine\"\nlesson = \"07-v1-census\"\nminutes = 5\n\n[[key]]\nname = \"a\"\nask = \"One?\"\nanswer = \"block.launches\"\ntolerance = \"exact\"\n\n[[key]]\nname = \"b\"\nask = \"Two?\"\nanswer = \"block.bites +\"\n+++\nText.\n",
    );
    let ran = home.line("--course mine check ex60 --answer a=17");
    assert_eq!(ran.code, 4, "{ran:?}");
    assert!(ran.err.contains("exercises/ex60.md:15:"), "{}", ran.err);
    assert!(ran.out.contains("1 right"), "{}", ran.out);
}

#[test]
fn a_workshop_folder_is_made_once_and_never_overwritten() {
    let home = Home::new();
    let made = home.line("init here");
    assert_eq!((made.code, made.err.as_str()), (0, ""));
    assert!(made.out.contains("made  answers/ex1.toml"), "{}", made.out);
    home.write("here/answers/ex1.toml", "block = \"17\"\n");
    let kept = home.line("init here");
    assert_eq!(kept.code, 0);
    assert!(kept.out.contains("kept  answers/ex1.toml"), "{}", kept.out);
    let sheet = home.path().join("here/answers/ex1.toml");
    assert_eq!(std::fs::read_to_string(sheet).unwrap(), "block = \"17\"\n");
}

#[test]
fn templates_are_sound_and_may_name_built_in_lessons() {
    let home = Home::new();
    assert_eq!(
        home.args(&["new", "lesson", "Tensor cores", "--into", "mine"])
            .code,
        0
    );
    let line = "new exercise ex70 --into mine --lesson 07-v1-census";
    assert_eq!(home.line(line).code, 0);
    let lint = home.line("lint mine");
    assert_eq!(lint.code, 0, "{}", lint.out);
    home.line(line).refused(2, "exists already");
    home.args(&["new", "lesson", ""])
        .refused(2, "needs a value");
    let list = home.line("--course mine lessons").out;
    assert!(list.contains("Tensor cores") && list.contains("07-v1-census"));
}

#[test]
fn the_built_in_course_is_clean() {
    let home = Home::new();
    let ran = home.line("lint");
    assert_eq!(ran.code, 0, "{}", ran.out);
    let findings = home.line("lint --json").json();
    assert_eq!(findings["findings"].as_array().unwrap().len(), 0);
}

impl Home {
    /// A command in a folder below the home.
    fn inside(&self, folder: &str, args: &[&str]) -> Ran {
        let folder = self.path().join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        Ran::of(
            self.command()
                .current_dir(folder)
                .args(args)
                .output()
                .unwrap(),
        )
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path().join(path)).unwrap()
    }
}

/// The lesson files of a folder, in order.
fn lessons(home: &Home, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(home.path().join(folder).join("lessons")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn from_an_empty_folder_to_a_lesson_and_an_exercise_without_naming_the_folder() {
    let home = Home::new();
    let first = home.inside("mine", &["--course", ".", "new", "lesson", "Tensor cores"]);
    assert_eq!((first.code, first.err.as_str()), (0, ""), "{first:?}");
    assert!(first.out.contains("-tensor-cores.md"), "{first:?}");
    // The next lesson has the next number, and the exercise belongs to it.
    assert_eq!(home.inside("mine", &["new", "lesson", "Größer 2"]).code, 0);
    let files = lessons(&home, "mine");
    let numbers: Vec<u32> = files.iter().map(|f| f[..2].parse().unwrap()).collect();
    assert_eq!(numbers[1], numbers[0] + 1, "{files:?}");
    assert!(files[1].ends_with("-gr-er-2.md"), "{files:?}");
    let made = home.inside("mine/lessons", &["new", "exercise", "ex70"]);
    assert_eq!(made.code, 0, "{made:?}");
    let named = format!("lesson = \"{}\"", files[1].trim_end_matches(".md"));
    assert!(home.read("mine/exercises/ex70.md").contains(&named));
    // One stands in the folder, or in its lessons/, and the course is in use.
    for folder in ["mine", "mine/lessons"] {
        let lint = home.inside(folder, &["lint"]);
        assert_eq!((lint.code, lint.err.as_str()), (0, ""), "{lint:?}");
        assert!(
            lint.out.starts_with("2 lessons and 1 exercise of "),
            "{lint:?}"
        );
        let show = home.inside(folder, &["show", &files[0][..2]]);
        assert!(show.out.contains("Tensor cores"), "{show:?}");
    }
    assert_eq!(home.line("show tensor-cores").code, 2);
    // A name that is taken is refused before anything is written.
    std::fs::remove_file(home.path().join("mine/solutions/ex70.md")).unwrap();
    home.inside("mine", &["new", "exercise", "ex70"])
        .refused(2, "exercises/ex70.md exists already");
    assert!(!home.path().join("mine/solutions/ex70.md").exists());
    let stands = home.inside("mine", &["new", "exercise", "ex1"]);
    assert!(
        stands.out.contains("stands in for the built-in exercise"),
        "{stands:?}"
    );
}

#[test]
fn a_title_with_a_number_of_its_own_keeps_it() {
    let home = Home::new();
    let made = home.inside("w", &["new", "lesson", "30-Warp roles", "--into", "mine"]);
    assert!(
        made.out.contains("made  mine/lessons/30-warp-roles.md"),
        "{made:?}"
    );
    assert!(
        made.out.contains("tinyllama-tutor --course mine lint"),
        "{made:?}"
    );
    assert!(
        home.read("w/mine/lessons/30-warp-roles.md")
            .contains("title = \"Warp roles\"")
    );
    let made = home.inside(
        "w",
        &["new", "lesson", "31-cluster_launch", "--into", "mine"],
    );
    assert!(
        made.out.contains("mine/lessons/31-cluster-launch.md"),
        "{made:?}"
    );
    let text = home.read("w/mine/lessons/31-cluster-launch.md");
    assert!(text.contains("title = \"Cluster launch\""), "{text}");
}

#[test]
fn a_class_folder_knows_its_course() {
    let home = Home::new();
    home.write("course/lessons/40-mine.md", LESSON);
    assert_eq!(home.line("--course course init class --seed 4").code, 0);
    assert!(
        home.read("class/workshop.toml")
            .contains("\ncourse = \"../course\"\n")
    );
    for folder in ["class", "class/answers"] {
        let show = home.inside(folder, &["show", "40"]);
        assert_eq!(show.code, 0, "{show:?}");
    }
    // Both folders move together.
    std::fs::create_dir(home.path().join("term")).unwrap();
    for folder in ["course", "class"] {
        let to = home.path().join("term").join(folder);
        std::fs::rename(home.path().join(folder), to).unwrap();
    }
    assert_eq!(home.inside("term/class", &["show", "40"]).code, 0);
    // Without its course nothing is graded against another one.
    std::fs::remove_dir_all(home.path().join("term/course")).unwrap();
    home.inside("term/class", &["check", "ex1"]).refused(
        2,
        "workshop.toml:2:11: there is no course folder ../course;",
    );
    let other = home.inside("term/class", &["--course", "..", "lessons"]);
    other.refused(4, "this course folder holds no text");
    home.write("term/class/workshop.toml", "corse = 3\n");
    home.inside("term/class", &["lessons"])
        .refused(2, "add course = \"../course\"");
    // A workshop of the built-in course names none.
    assert_eq!(home.line("init plain").code, 0);
    assert!(!home.path().join("plain/workshop.toml").exists());
}

#[test]
fn one_file_that_cannot_be_taken_up_closes_nothing() {
    let home = Home::new();
    home.write("mine/lessons/40-mine.md", LESSON);
    home.write("mine/lessons/41 mine.md", LESSON);
    home.write("mine/lessons/42-mine.markdown", LESSON);
    home.write("mine/lessons/43-big.md", &"a".repeat(10 << 20));
    home.write("secret.md", "secret");
    let link = home.path().join("mine/lessons/44-link.md");
    std::os::unix::fs::symlink(home.path().join("secret.md"), link).unwrap();
    let lint = home.line("lint mine");
    assert_eq!(lint.code, 4);
    for said in [
        "mine/lessons/41 mine.md: this name cannot be an id",
        "mine/lessons/42-mine.markdown: warning: is not read, because its name",
        "mine/lessons/43-big.md: is larger than 256 KiB",
        "mine/lessons/44-link.md: this file is a link that leads out of the course",
    ] {
        assert!(lint.out.contains(said), "{said} not in {}", lint.out);
    }
    assert_eq!(lint.err, "");
    let show = home.line("--course mine show 40");
    assert_eq!(show.code, 0, "{show:?}");
    assert!(show.err.contains("44-link.md"), "{show:?}");
    assert!(!show.out.contains("secret") && !lint.out.contains("secret\n"));
}

#[test]
fn lint_finds_formulas_needs_parts_pictures_and_answers_in_hints() {
    let home = Home::new();
    home.write(
        "mine/lessons/40-mine.md",
        "+++\ntitle = \"Mine\"\nneeds = [\"07-v1-cencus\"]\n+++\n\n## One\n\nA $\\frc{1}{2}$ of\n[it](#on), [that](07-v1-census#nowhere), [this](#one).\n\n![a picture](x.png)\n",
    );
    let exercise = |name: &str, answer: &str, hint: &str| {
        home.write(
            &format!("mine/exercises/{name}.md"),
            &format!("+++\ntitle = \"Mine\"\nlesson = \"40-mine\"\nminutes = 5\n\n[[key]]\nname = \"a\"\nask = \"How many?\"\nanswer = \"{answer}\"\nhints = [\n  \"A nudge.\",\n  \"The formula of it.\",\n  \"{hint}\",\n]\n+++\nText.\n"),
        );
        home.write(&format!("mine/solutions/{name}.md"), "## a\n\nCount.\n");
    };
    exercise("ex70", "block(v1).launches", "So the answer is 17.");
    exercise("ex71", "1024 + 24", "It is 1,048, as you see.");
    exercise(
        "ex72",
        "block(v1).launches",
        "There are 17 boxes on the ribbon.",
    );
    exercise(
        "EX70",
        "block(v1).launches",
        "There are 17 boxes on the ribbon.",
    );
    let lint = home.inside("mine", &["lint"]);
    let expected = [
        "exercises/EX70.md:1:1: ex70 is the same id but for capitals; give one of them another name.",
        "exercises/ex70.md:1:1: EX70 is the same id but for capitals; give one of them another name.",
        "exercises/ex70.md:13:4: this hint shows the answer; stop one step before it.",
        "exercises/ex71.md:13:4: this hint shows the answer; stop one step before it.",
        "lessons/40-mine.md:3:11: there is no lesson “07-v1-cencus”; did you mean 07-v1-census?",
        "lessons/40-mine.md:8:4: unknown macro \\frc; did you mean \\frac?",
        "lessons/40-mine.md:9:6: this link leads nowhere: 40-mine has no part “on”; did you mean one?",
        "lessons/40-mine.md:9:19: this link leads nowhere: 07-v1-census has no part “nowhere”; known are ",
        "lessons/40-mine.md:11:14: pictures are not shown; draw it in a ```text block, or say it in words.",
        "1 lesson and 4 exercises of this folder: 9 findings.",
    ];
    let lines: Vec<&str> = lint.out.lines().collect();
    assert_eq!(lines.len(), expected.len(), "{}", lint.out);
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.starts_with(expected), "{line}\n{expected}");
    }
}

/// The judge names all slips of a value; what is right and a slip at once is a fault.
#[test]
fn slips_of_one_value_are_taken_unless_one_of_them_is_accepted() {
    let home = Home::new();
    home.write("mine/lessons/40-mine.md", LESSON);
    home.write("mine/solutions/ex70.md", "## a\n\nCount.\n");
    for (accept, found) in [("", "nothing to mend."), ("accept = true, ", "1 finding.")] {
        home.write(
            "mine/exercises/ex70.md",
            &format!("+++\ntitle = \"Mine\"\nlesson = \"40-mine\"\nminutes = 5\n\n[[key]]\nname = \"a\"\nask = \"How many?\"\nanswer = \"3 * 400\"\nslips = [\n  {{ answer = \"600\", say = \"Half of it.\" }},\n  {{ answer = \"1200/2\", {accept}say = \"This is one thing.\" }},\n]\nhints = [\n  \"A nudge.\",\n  \"The formula of it.\",\n  \"There are three.\",\n]\n+++\nText.\n"),
        );
        let lint = home.inside("mine", &["lint"]);
        assert!(lint.out.trim_end().ends_with(found), "{}", lint.out);
    }
}

#[test]
fn what_lint_calls_invalid_show_calls_invalid() {
    let home = Home::new();
    let front = "+++\ntitle = \"T\"\nversion = \"v1\"\nminutes = 1\n+++\n\n## A\n\n";
    let cases = [
        "so `= nonsense(3)` it is",
        "```chart\nx = \"batch\"\nrange = [1, 2]\ny = \"nonsense\"\n```",
        "```table\ncolumns = [\"a\"]\nrows = [[\"= nonsense\"]]\n```",
        "```lab\nstart = \"v99\"\n```",
        "```steps\nsteps = [\"then `= nonsense`\"]\n```",
        "```question\nexercise = \"ex999\"\n```",
    ];
    for body in cases {
        home.write(
            "course/lessons/01-a.md",
            &format!("{front}{body}\n\n## B\n\nthe end\n"),
        );
        assert_eq!(home.line("lint course").code, 4, "{body}");
        let shown = home.line("show 01-a --course course");
        assert_eq!(shown.code, 4, "{body}: {shown:?}");
        assert!(shown.out.contains("the end"), "{body}: {shown:?}");
    }
    // And what is valid is not.
    for id in ["00", "09", "21", "93"] {
        assert_eq!(home.line(&format!("show {id}")).code, 0, "{id}");
    }
}

/// An exercise that stands in for a built-in one: lint names what built-in lessons show of
/// it, and the paths that ask it, and no file that is not there.
#[test]
fn an_exercise_that_stands_in_is_held_to_what_is_shown_of_it() {
    let home = Home::new();
    assert_eq!(home.line("new exercise ex1 --into mine").code, 0);
    home.write(
        "mine/lessons/paths.toml",
        "[[path]]\nname = \"own\"\ntitle = \"Own\"\nminutes = 60\n\n[[path.step]]\nlesson = \"00-welcome\"\nminutes = 20\n",
    );
    let lint = home.line("lint mine");
    assert_eq!(lint.code, 4, "{lint:?}");
    let said = |part: &str| lint.out.lines().any(|line| line.contains(part));
    assert!(
        said(
            "mine/exercises/ex1.md:1:1: 07-v1-census shows questions that this exercise does not ask"
        ),
        "{}",
        lint.out
    );
    assert!(
        said("warning: the built-in path three-hours asks products, outside of it"),
        "{}",
        lint.out
    );
    assert!(!said("paths.toml:"), "{}", lint.out);
    // What it names is what breaks.
    let shown = home.line("--course mine show 07");
    assert_eq!(shown.code, 4);
    let broken = shown.err.split_once("07-v1-census, block ").unwrap().1;
    let number = broken.split_once(':').unwrap().0;
    assert!(
        said(&format!("products (block {number})")),
        "{number}: {}",
        lint.out
    );
}
