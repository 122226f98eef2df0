use clap::Parser;

use super::*;
use crate::cli::args::Cli;
use crate::picture::tests::assert_well_formed;

/// Both themes, and nothing that is fetched.
#[test]
fn a_file_needs_no_other_file_and_no_network() {
    assert!(STYLE.contains("prefers-color-scheme: dark"));
    for fetched in ["url(", "@import", "http"] {
        assert!(!STYLE.contains(fetched), "{fetched}");
    }
    let text = file("<T>", "<main></main>\n");
    assert!(text.get(..512).is_some_and(|head| head.contains(MARK)));
    assert!(text.contains("<title>&lt;T&gt;</title>"));
    for fetched in ["src=", "<link", "<script"] {
        assert!(!text.contains(fetched), "{fetched}");
    }
}

/// A lesson with a live block of each kind, and one that cannot be read.
const LESSON: &str = r#"+++
title = "A <new> lesson"
version = "v1"
minutes = 7
config = { preset = "workshop", batch = 1 }
+++

## Counting `bytes` & more

One block makes `= block(v1).launches` launches; $a_b < c$.

```lab
start = "v1"
toggles = ["rope"]
```

```compare
plans = ["v1", "v4"]
metrics = ["launches", "bytes"]
predict = { ask = "How many?", answer = "block(v4).launches" }
```

```staircase
order = ["qkv", "rope"]
```

```roofline
plan = "v1"
gpus = ["h200"]
```

```trips
plan = "v1"
ops = ["qk", "pv"]
```

```table
columns = ["what", "launches"]
rows = [["<V1>", "`= block(v1).launches`"]]
```

```steps
title = "By hand"
steps = ["Count `= S` tokens."]
```

```steps
title = "Tiles"
picture = "tile-walk"
size = [4, 4, 4]
tile = 2
steps = ["One.", "Two.", "All."]
```

```ribbon
plan = "v2"
prices = true
```

```chart
x = "batch"
range = [1, 2, 4]
y = "block(v1).bytes"
```

```micro
kernel = "stride"
sweep = [1, 2]
show = ["sectors"]
```

```study
run = "scale --over seq"
recorded = ["h200_launch"]
```

```occupancy
registers = 48
threads = 192
```

```kernel
op = "norm1"
```

```claim
id = "K-V1-12"
```

```question
exercise = "ex1"
key = "block"
```

```lab
start = 3
```
"#;

/// The lesson as a page, its exit status, and how many live blocks it has.
fn exported() -> (String, u8, usize) {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    std::fs::create_dir_all(at("lessons")).unwrap();
    std::fs::write(at("lessons/50-new.md"), LESSON).unwrap();
    let course = folder.path().to_str().unwrap();
    let cli = Cli::parse_from(["tinyllama-tutor", "export", "--course", course]);
    let desk = Desk::open(&cli.output);
    let lesson = desk.course.lesson("50-new").unwrap();
    let book = Book {
        desk: &desk,
        lessons: vec![lesson],
    };
    let (text, code) = book.lesson(lesson).unwrap();
    (text, code, lesson.live().count())
}

/// What is a picture is drawn, once for each of the steps that have one; the rest is not.
#[test]
fn what_is_a_picture_is_drawn() {
    let (text, ..) = exported();
    let figures: Vec<(&str, &str)> = text
        .split("<figure class=\"live\">")
        .skip(1)
        .map(|figure| {
            let figure = figure.split("</figure>").next().unwrap();
            let (_, named) = figure.split_once("<figcaption>").unwrap();
            (named.split("</figcaption>").next().unwrap(), figure)
        })
        .collect();
    for (kind, pictures) in [
        ("lab", vec![1, 0]),
        ("ribbon", vec![1]),
        ("roofline", vec![1]),
        ("trips", vec![1]),
        ("chart", vec![1]),
        ("steps", vec![0, 3]),
        ("table", vec![0]),
        ("compare", vec![0]),
    ] {
        let drawn = figures.iter().filter(|(name, _)| *name == kind);
        let drawn: Vec<usize> = drawn
            .map(|(_, figure)| {
                let pictures = figure.split("<svg").skip(1);
                pictures
                    .map(|picture| picture.split_once("</svg>").unwrap().0)
                    .map(|picture| assert_well_formed(&format!("<svg{picture}</svg>")))
                    .count()
            })
            .collect();
        assert_eq!(drawn, pictures, "{kind}");
    }
}

#[test]
fn a_lesson_with_every_kind_of_live_block() {
    let (text, code, blocks) = exported();
    // The last block is wrong, and it is said where it stands.
    assert_eq!(code, 4);
    assert!(text.contains("<h1>A &lt;new&gt; lesson</h1>"), "{text}");
    assert!(text.contains("V1, 7 min"), "{text}");
    assert!(
        text.contains("<h2 id=\"counting-bytes-more\">Counting <code>bytes</code> &amp; more</h2>"),
        "{text}"
    );
    assert!(text.contains("href=\"#counting-bytes-more\""), "{text}");
    // Second source: 17 kernels of V1 by the workshop's own count.
    assert!(
        text.contains("makes <span class=\"value\">17</span> launches"),
        "{text}"
    );
    assert_eq!(text.matches("<figure class=\"live\">").count(), blocks);
    for kind in [
        "lab",
        "compare",
        "roofline",
        "trips",
        "table",
        "steps",
        "micro",
        "occupancy",
        "kernel",
        "claim: 12 launches per block (K-V1-12)",
        "question ex1 block",
    ] {
        assert!(
            text.contains(&format!("<figcaption>{kind}</figcaption>")),
            "{kind}"
        );
    }
    for line in [
        "<p>[ ] <strong>rope</strong>",
        "<td>&lt;V1&gt;</td><td class=\"right\">17</td>",
        "<li>Count <span class=\"value\">128</span> tokens.</li>",
        "<td class=\"right\">17</td><td class=\"right\">",
        "<summary>What comes out</summary>",
        "which cannot be read",
    ] {
        assert!(text.contains(line), "{line} not in {text}");
    }
    assert!(!text.contains("<V1>") && !text.contains("<new>"));
}
