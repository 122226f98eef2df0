//! Sheets, progress, locks, resets: what is kept for a learner.

use std::os::unix::fs::PermissionsExt;

use super::{Case, case};

const ANSWER: &[&str] = &["check", "ex1", "--answer", "block=17"];
const CHECK: &[&str] = &["check", "ex1"];

pub const CASES: &[Case] = &[
    case(
        "an empty progress file",
        &["progress"],
        &[0],
        &["progress.toml", "empty"],
        |s| std::fs::write(s.state("progress.toml"), "").unwrap(),
    ),
    case(
        "progress of a newer program",
        ANSWER,
        &[2],
        &["version 99"],
        |s| std::fs::write(s.state("progress.toml"), "version = 99\nnews = 1\n").unwrap(),
    ),
    case(
        "progress is a pipe",
        ANSWER,
        &[2],
        &["progress.toml"],
        |s| {
            s.state("x");
            s.pipe("../data/tinyllama-tutor/progress.toml");
        },
    ),
    case(
        "progress is a device",
        ANSWER,
        &[2],
        &["progress.toml"],
        |s| {
            s.state("x");
            s.device("../data/tinyllama-tutor/progress.toml");
        },
    ),
    case(
        "progress is a folder",
        ANSWER,
        &[2],
        &["progress.toml"],
        |s| std::fs::create_dir(s.state("progress.toml")).unwrap(),
    ),
    case(
        "progress links to a device",
        ANSWER,
        &[2],
        &["progress.toml"],
        |s| {
            s.state("x");
            s.device("zero");
            s.link("../data/tinyllama-tutor/progress.toml", "../../w/zero");
        },
    ),
    case("progress links to nothing", ANSWER, &[1, 2], &[], |s| {
        s.state("x");
        s.link("../data/tinyllama-tutor/progress.toml", "gone");
    }),
    case(
        "progress links to itself",
        ANSWER,
        &[2],
        &["progress.toml"],
        |s| {
            s.state("x");
            s.link("../data/tinyllama-tutor/progress.toml", "progress.toml");
        },
    ),
    case(
        "progress of 300 MB",
        ANSWER,
        &[2],
        &["progress.toml", "MiB"],
        |s| {
            s.state("x");
            s.sparse("../data/tinyllama-tutor/progress.toml", 300 << 20);
        },
    ),
    case(
        "progress without bottom",
        &["progress"],
        &[0],
        &["progress.broken-1.toml"],
        |s| {
            std::fs::write(
                s.state("progress.toml"),
                format!("a = {}", "[".repeat(200_000)),
            )
            .unwrap();
            // It is set aside, under this very text.
            std::fs::rename(s.state("progress.toml"), s.state("progress.toml.x")).unwrap();
            std::fs::copy(s.state("progress.toml.x"), s.state("progress.toml")).unwrap();
            let _ = s.state("progress.toml");
        },
    ),
    case(
        "progress with every number too large",
        ANSWER,
        &[1],
        &[],
        |s| {
            let n = i64::MAX;
            let text = format!(
                "version = 1\n[exercises.ex1.block]\ntries = {n}\nhints = {n}\n[exercises.ex1.products]\ntries = -5\n[log]\ndays = [{n}, -1]\nat = {n}\nlesson = \"x\"\n[log.seconds]\na = {n}\nb = {n}\n[practise]\nasked = {n}\n[practise.cards.x]\nright = {n}\nlevel = {n}\n[practise.cards.y]\nright = {n}\n[variants]\nex2 = {n}\n"
            );
            std::fs::write(s.state("progress.toml"), text).unwrap();
        },
    ),
    case("sums of numbers too large", &["progress"], &[0], &[], |s| {
        let n = i64::MAX;
        let text = format!(
            "version = 1\n[log]\ndays = [{n}, 0, 1]\n[log.seconds]\na = {n}\nb = {n}\nc = {n}\n[practise]\nasked = {n}\n[practise.cards.x]\nright = {n}\n[practise.cards.y]\nright = {n}\n[practise.cards.z]\nright = {n}\n"
        );
        std::fs::write(s.state("progress.toml"), text).unwrap();
    }),
    case("escapes in progress", &["progress"], &[0], &[], |s| {
        std::fs::write(
            s.state("progress.toml"),
            "version = 1\n[log]\ndays = [1]\n[log.seconds]\n\"\\u001b[2J\" = 100\n",
        )
        .unwrap();
    }),
    case(
        "escapes in progress exported",
        &["progress", "export"],
        &[0],
        &[],
        |s| {
            std::fs::write(
                s.state("progress.toml"),
                "version = 1\n[settings]\n\"\\u001b[2J\" = \"\\u0007\"\n",
            )
            .unwrap();
        },
    ),
    case(
        "a setting that nobody offers",
        &["lessons"],
        &[0],
        &[],
        |s| {
            std::fs::write(s.state("progress.toml"), "version = 1\n[settings]\ntheme = \"\\u001b\"\nmodel = \"../../x\"\n[stopped]\nlesson = \"../x\"\nsection = \"\\u0000\"\n").unwrap();
        },
    ),
    case("the lock is a pipe", ANSWER, &[2], &["lock"], |s| {
        s.state("x");
        s.pipe("../data/tinyllama-tutor/lock");
    }),
    case("the lock is a device", ANSWER, &[2], &["lock"], |s| {
        s.state("x");
        s.device("../data/tinyllama-tutor/lock");
    }),
    case("the lock is a folder", ANSWER, &[2], &["lock"], |s| {
        std::fs::create_dir(s.state("lock")).unwrap()
    }),
    case(
        "the lock links to a file of others",
        ANSWER,
        &[1, 2],
        &[],
        |s| {
            s.file("notes", "mine");
            s.state("x");
            s.link("../data/tinyllama-tutor/lock", "../../w/notes");
        },
    ),
    case(
        "the state folder is a file",
        ANSWER,
        &[2],
        &["--state DIR"],
        |s| s.file("../data/tinyllama-tutor", "x"),
    ),
    case(
        "the state folder is a pipe",
        ANSWER,
        &[2],
        &["--state DIR"],
        |s| s.pipe("../data"),
    ),
    case("a sheet is a pipe", ANSWER, &[2], &["ex1.toml"], |s| {
        s.pipe("answers/ex1.toml")
    }),
    case("a sheet is a device", CHECK, &[2], &["ex1.toml"], |s| {
        s.device("answers/ex1.toml")
    }),
    case("a sheet is a folder", CHECK, &[2], &["ex1.toml"], |s| {
        s.file("answers/ex1.toml/x", "")
    }),
    case("a sheet links to itself", CHECK, &[2], &["ex1.toml"], |s| {
        s.link("answers/ex1.toml", "ex1.toml")
    }),
    case(
        "a sheet links to a device",
        ANSWER,
        &[2],
        &["ex1.toml"],
        |s| {
            s.device("zero");
            s.link("answers/ex1.toml", "../zero");
        },
    ),
    case(
        "a sheet of 300 MB",
        CHECK,
        &[2],
        &["ex1.toml", "KiB"],
        |s| s.sparse("answers/ex1.toml", 300 << 20),
    ),
    case(
        "a sheet without bottom",
        CHECK,
        &[2],
        &["ex1.toml:1"],
        |s| {
            s.file(
                "answers/ex1.toml",
                format!("block = {}", "[".repeat(100_000)),
            )
        },
    ),
    case("a sheet not UTF-8", CHECK, &[2], &["ex1.toml:2"], |s| {
        s.file("answers/ex1.toml", b"block = \"17\"\nproducts = \"\xff\"\n")
    }),
    case("a sheet of another kind", CHECK, &[1], &[], |s| {
        s.file(
            "answers/ex1.toml",
            "block = [1, 2]\nproducts = { a = 1 }\nvariant = -3\n[[x]]\ny = 1979-05-27T07:32:00Z\n",
        )
    }),
    case("a sheet with escapes", CHECK, &[1], &[], |s| {
        s.file(
            "answers/ex1.toml",
            "block = \"\\u001b[2J17\\u0007\"\n\"\\u001b[31m\" = \"x\"\n",
        )
    }),
    case("an answer of 200 KB", CHECK, &[1], &[], |s| {
        s.file(
            "answers/ex1.toml",
            format!("block = \"{}\"\n", "(".repeat(200_000)),
        )
    }),
    case("an answer of 200 KB of minus", CHECK, &[1], &[], |s| {
        s.file(
            "answers/ex1.toml",
            format!("block = \"{}1\"\n", "-".repeat(200_000)),
        )
    }),
    case("an answer of towers", CHECK, &[1], &[], |s| {
        s.file(
            "answers/ex1.toml",
            format!("block = \"9{}\"\n", "^9".repeat(100_000)),
        )
    }),
    case(
        "a kernel file is a pipe",
        &["check", "ex19"],
        &[1, 2],
        &[],
        |s| s.pipe("answers/ex19.cu"),
    ),
    case(
        "a kernel file of 300 MB",
        &["check", "ex19"],
        &[1, 2],
        &[],
        |s| s.sparse("answers/ex19.cu", 300 << 20),
    ),
    case(
        "a reset to be undone is a pipe",
        &["reset", "--undo"],
        &[2],
        &[],
        |s| {
            s.state("x");
            s.pipe("../data/tinyllama-tutor/undo.toml");
        },
    ),
    case(
        "a reset that leads out",
        &["reset", "--undo"],
        &[0, 2],
        &[],
        |s| {
            s.file("notes.toml", "mine");
            std::fs::write(
                s.state("undo.toml"),
                "[sheets]\n\"../../../w/notes\" = \"evil\"\n\"/tmp/x\" = \"evil\"\n",
            )
            .unwrap();
        },
    ),
    case(
        "import from a pipe",
        &["progress", "import", "p"],
        &[2],
        &["regular file"],
        |s| s.pipe("p"),
    ),
    case(
        "import from a device",
        &["progress", "import", "d"],
        &[2],
        &["regular file"],
        |s| s.device("d"),
    ),
    case(
        "export onto a device",
        &["progress", "export", "d"],
        &[2],
        &["d"],
        |s| s.device("d"),
    ),
    case(
        "export onto a link to nothing",
        &["progress", "export", "l"],
        &[2],
        &["l"],
        |s| s.link("l", "gone"),
    ),
    case(
        "a sheet that may not be written",
        ANSWER,
        &[1, 2],
        &[],
        |s| {
            s.file("answers/ex1.toml", "block = \"16\"\n");
            let path = s.at("answers/ex1.toml");
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o444)).unwrap();
        },
    ),
];
