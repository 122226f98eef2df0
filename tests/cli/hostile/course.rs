//! Lessons, exercises and packs.

use super::{Case, case};

const LINT: &[&str] = &["lint", "."];
const SHOW: &[&str] = &["show", "01-a", "--course", "."];
const CHECK: &[&str] = &["check", "ex50", "--course", "."];

/// The largest text of a course, nearly.
const FULL: usize = 250_000;

fn filled(piece: &str) -> String {
    piece.repeat(FULL / piece.len())
}

fn key(name: &str, rest: &str) -> String {
    format!("[[key]]\nname = \"{name}\"\nask = \"How many?\"\n{rest}\n")
}

pub const CASES: &[Case] = &[
    case("4000 equal titles", LINT, &[0, 4], &[], |s| {
        s.lesson("01-a", &"## a\n\nx\n\n".repeat(4000))
    }),
    case("20000 equal titles", LINT, &[0, 4], &[], |s| {
        s.lesson("01-a", &filled("## a\nx\n"))
    }),
    case("brackets", LINT, &[0, 4], &[], |s| {
        s.lesson("01-a", &filled("["))
    }),
    case("brackets that close", LINT, &[0, 4], &[], |s| {
        s.lesson(
            "01-a",
            &(filled("[")[..FULL / 2].to_owned() + &filled("]")[..FULL / 2]),
        )
    }),
    case("links opened", LINT, &[0, 4], &[], |s| {
        s.lesson("01-a", &filled("[a]("))
    }),
    case("links in links", LINT, &[0, 4], &[], |s| {
        s.lesson("01-a", &filled("[a](<b"))
    }),
    case("references", LINT, &[0, 4], &[], |s| {
        s.lesson("01-a", &filled("[a][b"))
    }),
    case("images", LINT, &[0, 4], &[], |s| {
        s.lesson("01-a", &filled("![a](b) "))
    }),
    case("links that are", LINT, &[0, 4], &[], |s| {
        s.lesson("01-a", &filled("[a](b) "))
    }),
    case("stars and bars", LINT, &[0, 4], &[], |s| {
        s.lesson("01-a", &filled("*a_ "))
    }),
    case("emphasis opened", LINT, &[0, 4], &[], |s| {
        s.lesson("01-a", &filled("**a *b "))
    }),
    case("backticks of every length", LINT, &[0, 4], &[], |s| {
        let text: String = (1..650).map(|n| format!("e{}", "`".repeat(n))).collect();
        s.lesson("01-a", &text);
    }),
    case("dollars", LINT, &[0, 4], &[], |s| {
        s.lesson("01-a", &filled("$a$$b "))
    }),
    case("angles", LINT, &[0, 4], &[], |s| {
        s.lesson("01-a", &filled("<a <!-- <? "))
    }),
    case("quotes in quotes", LINT, &[0, 4], &[], |s| {
        s.lesson("01-a", &format!("{}x", filled("> ")))
    }),
    case("lists in lists", LINT, &[0, 4], &[], |s| {
        let text: String = (0..480)
            .map(|n| format!("{}- a\n", " ".repeat(2 * n)))
            .collect();
        s.lesson("01-a", &text);
    }),
    case("definitions", LINT, &[0, 4], &[], |s| {
        let text: String = (0..9000).map(|n| format!("[a{n}]: b\n[a{n}] ")).collect();
        s.lesson("01-a", &text);
    }),
    case("a table of 20000 columns", LINT, &[0, 4], &[], |s| {
        let row = format!("{}|\n", "|a".repeat(20_000));
        s.lesson("01-a", &format!("{row}{}|\n{row}", "|-".repeat(20_000)));
    }),
    case("a table of one cell a row", SHOW, &[0, 4], &[], |s| {
        s.lesson(
            "01-a",
            &format!(
                "{}|\n{}|\n{}",
                "|a".repeat(9000),
                "|-".repeat(9000),
                "|b|\n".repeat(50_000)
            ),
        );
    }),
    case("fences without end", LINT, &[0, 4], &[], |s| {
        s.lesson("01-a", &filled("```lab\n"))
    }),
    case("20000 live blocks", LINT, &[0, 4], &[], |s| {
        s.lesson("01-a", &filled("```lab\n```\n"))
    }),
    case("a page of live blocks shown", SHOW, &[0, 4], &[], |s| {
        s.lesson("01-a", &"```lab\nstart = \"v1\"\n```\n\n".repeat(8000))
    }),
    case("30000 numbers", SHOW, &[4], &["01-a.md:"], |s| {
        s.lesson("01-a", &filled("`= 1`\n"))
    }),
    case("8000 numbers of the model", SHOW, &[0, 4], &[], |s| {
        s.lesson("01-a", &filled("`= forward(v4).bytes | MB`\n"))
    }),
    case("a chart of 40000 points", LINT, &[0, 4], &[], |s| {
        let points = (1..=40_000)
            .map(|n| n.to_string())
            .collect::<Vec<_>>()
            .join(",");
        s.lesson(
            "01-a",
            &format!("```chart\nx = \"batch\"\nrange = [{points}]\ny = \"block.bytes\"\n```\n"),
        );
    }),
    case(
        "a chart of 40000 points shown",
        SHOW,
        &[4],
        &["01-a.md:"],
        |s| {
            let points = (1..=40_000)
                .map(|n| n.to_string())
                .collect::<Vec<_>>()
                .join(",");
            s.lesson(
                "01-a",
                &format!(
                    "```chart\nx = \"seq\"\nrange = [{points}]\ny = \"forward(v1).bytes\"\n```\n"
                ),
            );
        },
    ),
    case("900 charts", SHOW, &[0, 4], &[], |s| {
        let points = (1..=60)
            .map(|n| n.to_string())
            .collect::<Vec<_>>()
            .join(",");
        s.lesson(
            "01-a",
            &format!("```chart\nx = \"seq\"\nrange = [{points}]\ny = \"forward(v1).bytes\"\n```\n")
                .repeat(900),
        );
    }),
    case("a chart of 5000 lines", LINT, &[4], &["01-a.md:"], |s| {
        let series = (0..5000)
            .map(|n| format!("{{ name = \"s{n}\", y = \"kv\" }}"))
            .collect::<Vec<_>>()
            .join(",");
        s.lesson(
            "01-a",
            &format!("```chart\nx = \"seq\"\nrange = [1, 2, 3, 4]\nseries = [{series}]\n```\n"),
        );
    }),
    case("a table block of 10000 numbers", SHOW, &[0, 4], &[], |s| {
        let rows = "[\"= forward(v1).bytes\"],".repeat(8_000);
        s.lesson(
            "01-a",
            &format!("```table\ncolumns = [\"a\"]\nrows = [{rows}]\n```\n"),
        );
    }),
    case("a profile of 10^9 forwards", SHOW, &[0, 4], &[], |s| {
        s.lesson(
            "01-a",
            "```profile\ntool = \"nsys\"\nforwards = 1000000000\n```\n",
        )
    }),
    case("a profile of 10^9 layers", SHOW, &[0, 4], &[], |s| {
        s.lesson(
            "01-a",
            "```profile\ntool = \"ncu\"\nlayers = 1000000000\n```\n",
        )
    }),
    case("a sweep of 30000 values", SHOW, &[0, 4], &[], |s| {
        let points = (1..=30_000)
            .map(|n| n.to_string())
            .collect::<Vec<_>>()
            .join(",");
        s.lesson(
            "01-a",
            &format!("```micro\nkernel = \"stride\"\nsweep = [{points}]\n```\n"),
        );
    }),
    case("a comparison of 10000 plans", SHOW, &[0, 4], &[], |s| {
        s.lesson(
            "01-a",
            &format!("```compare\nplans = [{}]\n```\n", "\"v1\",".repeat(10_000)),
        )
    }),
    case("5000 variants", LINT, &[4], &["ex50.md"], |s| {
        s.exercise(
            "ex50",
            &format!(
                "variants = [{}]\n{}",
                "{ batch = 2 },".repeat(5000),
                key("a", "answer = \"block.bytes\"")
            ),
        )
    }),
    case("2000 tasks", LINT, &[4], &["ex50.md"], |s| {
        s.exercise(
            "ex50",
            &format!(
                "tasks = [{}]\n{}",
                "{ batch = 2 },".repeat(2000),
                key("a", "answer = \"block.bytes\"")
            ),
        )
    }),
    case("a model of 1000 layers in prose", SHOW, &[0, 4], &[], |s| {
        s.lesson("01-a", &"`= forward(v1, layers=1000).bytes`\n".repeat(3000))
    }),
    case(
        "a number in 60000 brackets",
        LINT,
        &[4],
        &["01-a.md"],
        |s| {
            s.lesson(
                "01-a",
                &format!("`= {}1{}`", "(".repeat(60_000), ")".repeat(60_000)),
            )
        },
    ),
    case("a number of 100000 signs", LINT, &[0, 4], &[], |s| {
        s.lesson("01-a", &format!("`= {}1`", "-".repeat(100_000)))
    }),
    case("a sum of 60000 terms", LINT, &[0, 4], &[], |s| {
        s.lesson("01-a", &format!("`= 1{}`", "+1".repeat(60_000)))
    }),
    case("a tower of powers", LINT, &[0, 4], &[], |s| {
        s.lesson("01-a", &format!("`= 2{}`", "^2".repeat(60_000)))
    }),
    case("mathematics in mathematics", SHOW, &[0, 4], &[], |s| {
        s.lesson(
            "01-a",
            &format!("$${}x{}$$", "\\frac{".repeat(30_000), "}{y}".repeat(30_000)),
        )
    }),
    case("a matrix of 60000 cells", SHOW, &[0, 4], &[], |s| {
        s.lesson(
            "01-a",
            &format!(
                "$$\\begin{{matrix}}{}\\end{{matrix}}$$",
                "a & ".repeat(60_000)
            ),
        )
    }),
    case(
        "front matter without bottom",
        LINT,
        &[4],
        &["01-a.md"],
        |s| {
            s.file(
                "lessons/01-a.md",
                format!("+++\ntitle = {}\n+++\n", "[".repeat(100_000)),
            )
        },
    ),
    case("front matter of dots", LINT, &[4], &["01-a.md"], |s| {
        s.file(
            "lessons/01-a.md",
            format!("+++\n{}a = 1\n+++\n", "a.".repeat(100_000)),
        )
    }),
    case("front matter of tables", LINT, &[4], &["01-a.md"], |s| {
        s.file(
            "lessons/01-a.md",
            format!(
                "+++\na = {}1{}\n+++\n",
                "{a=".repeat(20_000),
                "}".repeat(20_000)
            ),
        )
    }),
    case(
        "lessons that need each other",
        LINT,
        &[4],
        &["02-b.md", "circle"],
        |s| {
            for (id, other) in [("01-a", "02-b"), ("02-b", "03-c"), ("03-c", "01-a")] {
                s.file(&format!("lessons/{id}.md"), format!("+++\ntitle = \"{id}\"\nversion = \"v1\"\nminutes = 1\nneeds = [\"{other}\"]\n+++\n\n## One\n\ntext\n"));
            }
        },
    ),
    case(
        "a lesson that needs itself",
        LINT,
        &[4],
        &["01-a.md", "circle"],
        |s| {
            s.file("lessons/01-a.md", "+++\ntitle = \"A\"\nversion = \"v1\"\nminutes = 1\nneeds = [\"01-a\"]\n+++\n\n## One\n\ntext\n");
        },
    ),
    case("not UTF-8", LINT, &[4], &["01-a.md"], |s| {
        s.file("lessons/01-a.md", b"+++\ntitle = \"\xff\xfe\"\n+++\n")
    }),
    case("UTF-16", LINT, &[4], &["01-a.md"], |s| {
        s.file("lessons/01-a.md", b"\xff\xfe+\0+\0+\0\n\0")
    }),
    case("escapes in a lesson", SHOW, &[0, 4], &[], |s| {
        s.lesson("01-a", "red \u{1b}[31m\u{7}\u{9b}2J \u{202e} `\u{1b}c` &#27; $\u{1b}$\n\n```lab\n\u{1b} = \"\\u001b[2J\"\n```\n")
    }),
    case("escapes in TOML strings", LINT, &[4], &[], |s| {
        s.file("lessons/01-a.md", "+++\ntitle = \"\\u001b[2J\\u0007\"\nneeds = [\"\\u001b]0;x\\u0007\"]\nversion = \"\\u001b\"\n\"\\u001b[31m\" = 1\n+++\n\n## A\n\ntext\n")
    }),
    case("escapes in an exercise", CHECK, &[1, 4], &[], |s| {
        s.exercise(
            "ex50",
            &key(
                "\\u001b[31m",
                "answer = \"\\u001b\"\nkind = \"\\u0007\"\noptions = [\"\\u001b\"]",
            ),
        )
    }),
    case("escapes in an ask", CHECK, &[1, 4], &[], |s| {
        s.exercise(
            "ex50",
            &key("a", "answer = \"17\"\nhints = [\"\\u001b[2J\"]")
                .replace("How many", "How \\u001b[31m\\u0007many"),
        )
    }),
    case(
        "a pipe among the lessons",
        LINT,
        &[0, 4],
        &["01-a.md"],
        |s| s.pipe("lessons/01-a.md"),
    ),
    case(
        "a device among the lessons",
        LINT,
        &[0, 4],
        &["01-a.md"],
        |s| s.device("lessons/01-a.md"),
    ),
    case("a folder among the lessons", LINT, &[0, 4], &[], |s| {
        s.file("lessons/01-a.md/x", "x");
    }),
    case(
        "a link out of the course",
        LINT,
        &[0, 4],
        &["01-a.md"],
        |s| {
            s.file(
                "../secret",
                "+++\ntitle = \"secret\"\n+++\nthe word is swordfish\n",
            );
            s.link("lessons/01-a.md", "../../secret");
        },
    ),
    case("a link in a circle", LINT, &[0, 4], &["01-a.md"], |s| {
        s.link("lessons/01-a.md", "01-a.md")
    }),
    case("lessons are a pipe", LINT, &[0, 2, 4], &[], |s| {
        s.pipe("lessons")
    }),
    case("lessons link to all there is", LINT, &[0, 2, 4], &[], |s| {
        s.link("lessons", "/")
    }),
    case("a lesson of 300 MB", LINT, &[4], &["01-a.md", "KiB"], |s| {
        s.sparse("lessons/01-a.md", 300 << 20)
    }),
    case("5000 lessons", LINT, &[0, 4], &[], |s| {
        (0..5000).for_each(|n| s.file(&format!("lessons/x{n}.md"), "+++\ntitle = \"A\"\n+++\n"))
    }),
    case("50 lessons at the limit", LINT, &[0, 4], &[], |s| {
        (10..60).for_each(|n| {
            s.lesson(
                &format!("{n}-a"),
                &filled("Some words of a lesson, and `= 1`. "),
            )
        });
    }),
    case("50 lists at the limit", LINT, &[0, 4], &[], |s| {
        (10..60).for_each(|n| s.lesson(&format!("{n}-a"), &filled("- *a*\n")));
    }),
    case("50 texts of emphasis", LINT, &[0, 4], &[], |s| {
        (10..60).for_each(|n| s.lesson(&format!("{n}-a"), &filled("*a* ")));
    }),
    case("50 tables at the limit", LINT, &[0, 4], &[], |s| {
        let table = filled("|a|b|\n").replacen("|a|b|\n", "|a|b|\n|-|-|\n", 1);
        (10..60).for_each(|n| s.lesson(&format!("{n}-a"), &table));
    }),
    case(
        "workshop.toml is a pipe",
        &["lessons"],
        &[0, 2, 4],
        &[],
        |s| {
            s.file("answers/x", "");
            s.pipe("workshop.toml");
        },
    ),
    case(
        "workshop.toml leads to a pipe",
        &["lessons"],
        &[0, 2, 4],
        &[],
        |s| {
            s.file("answers/x", "");
            s.pipe("course");
            s.file("workshop.toml", "course = \"course\"\n");
        },
    ),
    case(
        "an exercise without front matter",
        &["check", "ex50", "--course", ".", "--answer", "a=1"],
        &[4],
        &["ex50.md:1"],
        |s| s.file("exercises/ex50.md", "nothing\n"),
    ),
    case(
        "an exercise that is not TOML",
        &["check", "ex50", "--course", ".", "--answer", "a=1"],
        &[4],
        &["ex50.md:2"],
        |s| s.file("exercises/ex50.md", "+++\ntitle = = \"x\"\n+++\n"),
    ),
    case(
        "a hint of an unreadable exercise",
        &["hint", "ex50", "a", "--course", "."],
        &[4],
        &["ex50.md:2"],
        |s| s.file("exercises/ex50.md", "+++\ntitle = = \"x\"\n+++\n"),
    ),
    case("4000 keys", CHECK, &[1, 4], &[], |s| {
        s.exercise(
            "ex50",
            &(0..4000)
                .map(|n| key(&format!("k{n}"), "answer = \"1\""))
                .collect::<String>(),
        )
    }),
    case("9000 slips", LINT, &[4], &[], |s| {
        let slips: String = (0..4000)
            .map(|n| format!("{{ answer = \"{n}\", say = \"s\" }},"))
            .collect();
        s.exercise(
            "ex50",
            &key("a", &format!("answer = \"17\"\nslips = [{slips}]")),
        );
    }),
    case("a table of 300 by 300", LINT, &[4], &[], |s| {
        let names = |c: &str| {
            (0..300)
                .map(|n| format!("\"{c}{n}\""))
                .collect::<Vec<_>>()
                .join(",")
        };
        let row = format!("[{}]", ["\"1\""; 300].join(","));
        s.exercise(
            "ex50",
            &key(
                "a",
                &format!(
                    "kind = \"table\"\nrows = [{}]\ncolumns = [{}]\nanswers = [{}]",
                    names("r"),
                    names("c"),
                    vec![row; 300].join(",")
                ),
            )
            .replace(", ", ","),
        );
    }),
    case("a ranking of 9000", LINT, &[4], &[], |s| {
        let options = (0..9000)
            .map(|n| format!("\"o{n}\""))
            .collect::<Vec<_>>()
            .join(",");
        s.exercise("ex50", &key("a", &format!("kind = \"ranking\"\nanswer = \"ranked('o1', 1, 'o2', 2)\"\noptions = [{options}]")));
    }),
    case("a kernel outside the course", CHECK, &[1, 4], &[], |s| {
        s.exercise(
            "ex50",
            &key(
                "a",
                "kind = \"bug\"\nkernel = \"../../../etc/passwd\"\nanswer = \"1\"",
            ),
        )
    }),
    case("an answer beyond all bounds", CHECK, &[1, 4], &[], |s| {
        s.exercise(
            "ex50",
            &key("a", "answer = \"9^9^9^9^9^9\"\ntolerance = \"exact\""),
        )
    }),
];
