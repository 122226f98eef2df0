//! `profile`: a file of a profiler beside the plan, and samples.

use std::io::Write as _;

use crate::program::Home;

const TOOLS: [&str; 10] = [
    "rocprofv3",
    "rocprofv3-trace",
    "rocprofv3-counters",
    "rocprof",
    "rocprof-stats",
    "rocprof-compute",
    "nsys",
    "ncu",
    "ncu-details",
    "pytorch",
];

#[test]
fn a_sample_is_written_and_read_back() {
    let home = Home::new();
    for tool in TOOLS {
        let made = home.line(&format!(
            "profile --sample {tool} --version v3 --model small --layers 6 -o f"
        ));
        assert_eq!((made.code, made.err.as_str()), (0, ""), "{tool}");
        assert!(made.out.contains("no device was measured"), "{}", made.out);
        let read = home.line("profile f --model small --json").json();
        assert_eq!(read["tool"], tool);
        assert_eq!(read["plan"]["options"], "--version v3", "{tool}");
        assert_eq!(read["plan"]["layers"], 6, "{tool}");
        // docs/cost-model.md: 8·L + 3 launches of V3.
        assert_eq!(read["launches"]["counted"], 8 * 6 + 3, "{tool}");
        let shown = home.line("profile f --model small");
        assert_eq!((shown.code, shown.err.as_str()), (0, ""), "{tool}");
        let widest = shown.out.lines().map(|l| l.chars().count()).max();
        assert!(widest <= Some(80), "{tool}: {widest:?}\n{}", shown.out);
    }
}

#[test]
fn a_sample_goes_to_standard_output_and_says_beside_it_what_it_is() {
    let home = Home::new();
    let ran = home.line("profile --sample rocprofv3 --version v4");
    assert!(ran.out.starts_with("\"Name\",\"Calls\""), "{}", ran.out);
    assert!(ran.err.contains("no device was measured"), "{}", ran.err);
    let again = home.line("profile --sample rocprofv3 --version v4");
    assert_eq!(ran.out, again.out);
    let other = home.line("profile --sample rocprofv3 --version v4 --seed 1");
    assert_ne!(ran.out, other.out);
}

#[test]
fn the_table_of_a_trace() {
    let home = Home::new();
    home.line("profile --sample rocprofv3-trace --version v4 --batch 8 -o trace.csv");
    insta::assert_snapshot!(home.line("profile trace.csv --batch 8").out);
}

#[test]
fn pages_show_samples_and_what_is_made_of_them() {
    let home = Home::new();
    let shown = home.line("show 91").out;
    // However the lines are broken.
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    // docs/cost-model.md: 11·4 + 3 launches of V2, 17·4 + 3 of V1; a gap between two.
    for part in [
        "rocprofv3, kernel_stats.csv, 25 forwards of V2; generated",
        "plan: V2, 4 layers, 25 forwards",
        "launches: 47 a forward counted, 47 in the plan",
        "in 70 gaps, the longest 4.000 µs",
        "Command: tinyllama-tutor profile --sample nsys --batch 8 --version v2 --gpu h200",
    ] {
        assert!(shown.contains(part), "{part}");
    }
    assert_eq!(home.line("export --html site 91").code, 0);
    let page = std::fs::read_to_string(home.path().join("site/91-profiler-card.html")).unwrap();
    // The exercise's rows stand in the page as tables.
    assert!(page.contains("TotalDurationNs") && page.contains("qk+softmax+pv"));
    assert!(
        !page.contains("tool = "),
        "a block is shown as it is written"
    );
}

#[test]
fn a_compressed_trace_is_unpacked() {
    let home = Home::new();
    let text = home.line("profile --sample pytorch --version v2").out;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    std::fs::write(home.path().join("t.json.gz"), packed.finish().unwrap()).unwrap();
    let read = home.line("profile t.json.gz --json").json();
    assert_eq!(read["plan"]["options"], "--version v2");
    assert_eq!(read["generated"], true);
    std::fs::write(home.path().join("cut.gz"), b"\x1f\x8b\x08\x00").unwrap();
    let cut = home.line("profile cut.gz");
    assert_eq!(cut.code, 2);
    assert!(cut.err.contains("cut.gz cannot be unpacked"), "{}", cut.err);
}

#[test]
fn an_exercise_gives_its_files_away() {
    let home = Home::new();
    let ran = home.line("profile --exercise ex39 -o files --json").json();
    let files = ran["files"].as_array().unwrap();
    // Two rows of one trace are one file.
    assert_eq!(files.len(), 4);
    let tools: Vec<String> = files
        .iter()
        .map(|path| {
            let read = home
                .args(&["profile", path.as_str().unwrap(), "--json"])
                .json();
            read["tool"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(
        tools,
        ["rocprofv3", "nsys", "rocprofv3-trace", "rocprofv3-counters"]
    );
    assert_eq!(home.line("profile --exercise ex1").code, 2);
}

#[test]
fn what_cannot_be_read_is_one_sentence_with_its_place() {
    let home = Home::new();
    home.write(
        "a.csv",
        "\"Name\",\"Calls\",\"TotalDurationNs\"\n\"k\",x,1\n",
    );
    home.write("b.csv", "hello\n");
    home.write("c.db", "SQLite format 3\0");
    for (line, say) in [
        ("profile a.csv", "a.csv:2:5: “x” stands where a number"),
        ("profile b.csv", "b.csv:1:1: no line is the head"),
        ("profile c.db", "c.db: this is a database"),
        ("profile none.csv", "none.csv cannot be read"),
        ("profile", "<FILE> is missing"),
        ("profile --sample nsis", "did you mean nsys?"),
        ("profile --sample nsys --gpu h20", "did you mean h200?"),
        (
            "profile --sample nsys --forwards 99999999",
            "a sample has 1 to",
        ),
        ("profile a.csv --sample nsys", "exclude each other"),
        (
            "profile --sample nsys --exercise ex39",
            "exclude each other",
        ),
        ("profile a.csv -o b.csv", "--sample"),
    ] {
        let ran = home.line(line);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{line}");
        assert!(ran.err.contains(say), "{line}: {}", ran.err);
        assert_eq!(ran.err.lines().count(), 1, "{line}: {}", ran.err);
    }
}
