//! Lessons and exercises as they are read, and what is said of what is wrong with them.

use super::{exercise, fixture, lesson, said};
use proptest::prelude::*;
use tinyllama_tutor::course::{Block, Course, Exercise, KINDS, Lesson, Part, Progress, Solution};
use tinyllama_tutor::fusion::Version;
use tinyllama_tutor::markup::parse;

#[test]
fn a_good_lesson_is_read_whole() {
    let lesson = Lesson::read(
        "01-launches",
        "lessons/01-launches.md",
        &fixture("lessons/01-launches.md"),
    );
    assert_eq!(said(&lesson.faults), Vec::<String>::new());
    assert_eq!(
        (
            lesson.title.as_str(),
            lesson.version.as_str(),
            lesson.minutes
        ),
        ("Seventeen launches", "v1", 6)
    );
    assert_eq!(lesson.setup.text("preset"), Some("workshop"));
    let ids: Vec<&str> = lesson
        .sections
        .iter()
        .map(|section| section.id.as_str())
        .collect();
    assert_eq!(
        ids,
        [
            "seventeen-launches",
            "the-ribbon",
            "side-by-side",
            "your-turn"
        ]
    );
    let kinds: Vec<(&str, usize)> = lesson
        .live()
        .map(|live| (live.kind.as_str(), live.number))
        .collect();
    assert_eq!(
        kinds,
        [("lab", 1), ("compare", 2), ("table", 3), ("question", 4)]
    );
    // Prose, lab, prose; the heading is line 10, the lab's fence line 15.
    let ribbon = &lesson.sections[1];
    assert_eq!(ribbon.lines, 10..23);
    let [
        Part::Prose {
            line: 12, numbers, ..
        },
        Part::Live(lab),
        Part::Prose { .. },
    ] = ribbon.parts.as_slice()
    else {
        panic!("{:?}", ribbon.parts)
    };
    assert_eq!(numbers.len(), 2);
    assert_eq!(
        (numbers[1].expr.text.as_str(), numbers[1].expr.at.line),
        ("block(v1).bytes", 13)
    );
    assert_eq!((lab.line, lab.predict.len()), (15, 1));
    let Ok(Block::Lab { start, toggles, .. }) = &lab.content else {
        panic!("{:?}", lab.content)
    };
    assert_eq!(
        start.as_ref().map(|start| start.value),
        Some(Version::V1.cut())
    );
    assert_eq!(toggles.len(), 2);
}

#[test]
fn a_good_exercise_is_read_whole() {
    let exercise = Exercise::read("ex1", "exercises/ex1.md", &fixture("exercises/ex1.md"));
    assert_eq!(said(&exercise.faults), Vec::<String>::new());
    assert_eq!(exercise.keys.len(), 2);
    assert_eq!(
        exercise.key("2").map(|key| key.name.as_str()),
        Some("bound")
    );
    assert_eq!(exercise.key("block").map(|key| key.slips.len()), Some(3));
    assert_eq!(exercise.body, "Every op of one block is its own kernel.");
    let solution = Solution::read("ex1", "solutions/ex1.md", &fixture("solutions/ex1.md"));
    assert_eq!(said(&solution.faults), Vec::<String>::new());
    assert_eq!(
        solution.part("bound").map(|part| part.numbers.len()),
        Some(2)
    );
}

/// Every fault of a file at once, each with its place and the way out.
#[test]
fn bad_lessons_say_what_is_wrong_where() {
    let cases: &[(&str, &[&str])] = &[
        (
            "",
            &[
                "x.md:1:1: the lesson has no text; begin a section with a line ## Title.",
                "x.md:1:1: there is no front matter; begin the file with a line +++, then title = \"…\" and so on, then a line +++.",
            ],
        ),
        (
            "+++\ntitle = \"x\"\n## A\ntext",
            &["x.md:1:1: the front matter is not closed; put a line +++ after its last key."],
        ),
        (
            "+++\ntitle = x\nminuts = 3\nversion = \"v5\"\nneeds = 3\nconfig = { batchs = 3, batch = 0, dtype = \"fp8\", preset = \"workshp\" }\n+++\n## A\na",
            &[
                "x.md:2:9: not TOML here: string values must be quoted; write it as \"…\".",
                "x.md:3:1: the front matter has no key “minuts”; did you mean minutes?",
                "x.md:4:12: `version` is “v5”; did you mean v1?",
                "x.md:5:9: `needs` is the number 3; it takes a list of texts, such as [\"v1\", \"v2\"].",
                "x.md:6:12: there is no setting “batchs”; did you mean batch?",
                "x.md:6:24: `batch` takes a whole number of 1 or more.",
                "x.md:6:35: there is no dtype “fp8”; use fp32 or bf16.",
                "x.md:6:50: there is no preset “workshp”; did you mean workshop? Presets: workshop, small, medium, part-c, tinyllama-1.1b.",
            ],
        ),
        (
            "+++\ntitle = \"x\"\ntitle = \"y\"\n+++\n## A\na",
            &["x.md:3:1: not TOML here: duplicate key; remove one of the two."],
        ),
        (
            "+++\nminutes = -3\ntitle = \"\\u001b[31m\"\n+++\n## A\na",
            &[
                "x.md:2:11: `minutes` is the number -3; it takes a whole number of 0 or more.",
                "x.md:3:9: `title` holds a control character; remove the escape.",
            ],
        ),
        (
            "+++\nminutes = 3\n+++\n## A\na \u{7}",
            &[
                "x.md:2:1: the front matter has no `title`; add title = \"…\".",
                "x.md:5:3: control character U+0007; texts hold printable characters, tabs and line ends only, so remove it.",
            ],
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(&lesson(text), expected, "{text}");
    }
}

#[test]
fn bad_blocks_say_what_is_wrong_where() {
    let cases: &[(&str, &[&str])] = &[
        (
            "```lab\nstart = v1\n```",
            &["x.md:6:9: not TOML here: string values must be quoted; write it as \"…\"."],
        ),
        (
            "```labb\n```",
            &["x.md:5:1: there is no block “labb”; did you mean lab?"],
        ),
        (
            "```lab\nbatch = 8\ntoggle = [\"qkv\"]\n```",
            &["x.md:7:1: a lab block has no key “toggle”; did you mean toggles?"],
        ),
        (
            "```lab\npredict = { ask = \"?\" }\n```",
            &["x.md:6:11: a prediction has no `answer`; add answer = \"block(v1).launches\"."],
        ),
        (
            "```ribbon\npredict = { ask = \"?\", answer = \"1\" }\n```",
            &["x.md:6:1: a ribbon block has no key “predict”; did you mean preset?"],
        ),
        (
            "```compare\nplans = [\"v1\"]\nmetrics = [\"byte\", \"colour\"]\nscope = \"forwards\"\n```",
            &[
                "x.md:7:13: there is no metric “byte”; did you mean bytes?",
                "x.md:7:21: there is no metric “colour”; known are launches, flops, bytes, weight_bytes, intensity, peak, floor, time.",
                "x.md:8:10: `scope` is “forwards”; did you mean forward?",
            ],
        ),
        (
            "```chart\nx = \"batc\"\n```",
            &[
                "x.md:6:1: a chart draws nothing yet; add y = \"block.bytes\" or series = [ { name = \"V1\", y = \"block(v1).bytes\" } ].",
                "x.md:6:1: a chart needs a range of two values or more, such as range = [1, 8, 64].",
                "x.md:6:6: `x` is “batc”; did you mean batch?",
            ],
        ),
        (
            "```table\ncolumns=[\"a\"]\nrows=[[\"b\",\"c\"], 3]\n```",
            &[
                "x.md:7:7: this row has 2 cells and the table 1 columns; make them equal.",
                "x.md:7:18: `rows` is the number 3; it takes a list of rows, each a list of texts.",
            ],
        ),
        (
            "```question\n```",
            &["x.md:6:1: a question block has no `exercise`; add exercise = \"ex1\"."],
        ),
        (
            "```steps\nsteps = [\"a\"]",
            &[
                "x.md:5:1: this steps block is not closed; end it with the same fence on a line of its own.",
            ],
        ),
    ];
    for (block, expected) in cases {
        let text = format!("+++\ntitle = \"x\"\n+++\n## A\n{block}");
        assert_eq!(&lesson(&text), expected, "{block}");
        let read = Lesson::read("x", "x.md", &text);
        // The lesson still opens, and the block is there as text.
        assert_eq!(read.sections.len(), 1);
        for live in read.live() {
            assert!(live.content.is_err());
            assert!(block.contains(&live.source));
        }
    }
}

#[test]
fn bad_exercises_say_what_is_wrong_where() {
    let cases: &[(&str, &[&str])] = &[
        (
            "",
            &["x.md:2:1: the exercise asks nothing; add a [[key]] with name, ask and answer."],
        ),
        (
            "[[key]]\nname = \"a b\"",
            &[
                "x.md:3:1: a key has no `answer`; add answer = \"block.launches\".",
                "x.md:3:1: a key has no `ask`; add ask = \"How many …?\".",
                "x.md:4:9: “a b” cannot name a key; use letters, digits, _ and -, such as block_bytes.",
            ],
        ),
        (
            "[[key]]\nname=\"a\"\nask=\"?\"\nanswer=\"1\"\ntolerance=\"about\"\nkind=\"choise\"",
            &[
                "x.md:7:12: “about” is not a tolerance; write exact, 0.5 %, 0.05 points or 0.00001.",
                "x.md:8:7: `kind` is “choise”; did you mean choice?",
            ],
        ),
        (
            "[[key]]\nname=\"a\"\nask=\"?\"\nanswer=\"1\"\nslips=[{say=\"x\"},{answer=\"1\"},{answers=\"2\", say=\"s\", convention={rope_kernels=3, macs=1}}]",
            &[
                "x.md:7:8: a slip has no value; add answer = \"…\", convention = { … } or printed = \"…\".",
                "x.md:7:18: a slip has no `say`; add say = \"what was counted, and why it differs\".",
                "x.md:7:32: a slip has no key “answers”; did you mean answer?",
                "x.md:7:66: “3” is not a value of rope_kernels; write 1 or 2.",
                "x.md:7:82: “1” is not a value of macs; write on or off.",
            ],
        ),
        (
            "[[key]]\nname=\"a\"\nask=\"?\"\nanswer=\"1\"\n[[key]]\nname=\"a\"\nask=\"?\"\nanswer=\"1\"\n[[key]]\nname=\"c\"\nask=\"?\"\nanswer=\"1\"\nkind=\"choice\"",
            &[
                "x.md:8:7: there are two keys named “a”; rename one.",
                "x.md:11:1: a key to choose from has no options; add options = [\"memory\", \"compute\"].",
            ],
        ),
        (
            "[[key]]\nname=\"a\"\nask=\"?\"\nanswer=\"block.byts\"",
            &["x.md:6:15: “byts” is not a figure of a kernel; did you mean bytes?"],
        ),
        (
            "[[key]]\nname=\"a\"\nask=\"?\"\nanswer=\"1\"\noptions=[\"a\",\"b\"]",
            &[
                "x.md:3:1: a key with options needs a kind; add kind = \"choice\", \"choices\" or \"ranking\".",
            ],
        ),
    ];
    for (keys, expected) in cases {
        let text = format!("+++\ntitle = \"x\"\n{keys}\n+++\n");
        assert_eq!(&exercise(&text), expected, "{keys}");
    }
}

#[test]
fn a_broken_key_leaves_the_others() {
    let text = "+++\ntitle=\"x\"\n[[key]]\nname=\"a\"\nask=3\nanswer=\"1\"\n[[key]]\nname=\"b\"\nask=\"?\"\nanswer=\"2\"\n+++";
    let read = Exercise::read("x", "x.md", text);
    assert_eq!(
        said(&read.faults),
        ["x.md:5:5: `ask` is the number 3; it takes a text in quotes."]
    );
    assert_eq!(read.keys.len(), 1);
    assert_eq!(read.keys[0].name.as_str(), "b");
}

/// The room that draws a lesson must cut it as the room that keeps progress about it.
#[test]
fn lessons_are_cut_as_they_are_drawn() {
    let course = Course::built_in();
    for lesson in course.lessons() {
        let text = lesson.text.body();
        let front = text.find("\n+++\n").map_or(0, |at| at + "\n+++\n".len());
        let first = lesson.text.place(front).line;
        let drawn = parse(&text[front..], first, &KINDS);
        let lines: Vec<usize> = drawn.sections.iter().map(|section| section.line).collect();
        let cut: Vec<usize> = lesson
            .sections
            .iter()
            .map(|section| section.lines.start)
            .collect();
        assert_eq!(lines, cut, "{}", lesson.id);
        let live: Vec<(&str, usize)> = drawn
            .lives()
            .iter()
            .map(|live| (live.kind.as_str(), live.place.line))
            .collect();
        let kept: Vec<(&str, usize)> = lesson
            .live()
            .map(|live| (live.kind.as_str(), live.line))
            .collect();
        assert_eq!(live, kept, "{}", lesson.id);
        let values = drawn.values().len();
        let numbers: usize = lesson
            .sections
            .iter()
            .flat_map(|section| &section.parts)
            .map(|part| match part {
                Part::Prose { numbers, .. } => numbers.len(),
                Part::Live(_) => 0,
            })
            .sum();
        assert_eq!(values, numbers, "{}", lesson.id);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_text_makes_loading_panic(text in "(\\+\\+\\+\n)?([a-z \"=\\[\\]{}0-9\n`#$|'\\\\\u{1b}é“”&;-]|```|lab|## |\\+\\+\\+\n|table|rows = |\\[\\[key\\]\\]\n|`= ){0,80}") {
        let lesson = Lesson::read("x", "x.md", &text);
        for fault in &lesson.faults {
            prop_assert!(fault.at.line <= lesson.text.lines());
        }
        let _ = Exercise::read("x", "x.md", &text);
        let _ = Solution::read("x", "x.md", &text);
        let _ = Progress::read(&text);
    }

}
