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
            "profile --sample {tool} --version v3 --model small --layers 6 -o {tool}.f"
        ));
        assert_eq!((made.code, made.err.as_str()), (0, ""), "{tool}");
        assert!(made.out.contains("no device was measured"), "{}", made.out);
        let read = home
            .line(&format!("profile {tool}.f --model small --json"))
            .json();
        assert_eq!(read["tool"], tool);
        assert_eq!(read["plan"]["options"], "--version v3", "{tool}");
        assert_eq!(read["plan"]["layers"], 6, "{tool}");
        // docs/cost-model.md: 8·L + 3 launches of V3.
        assert_eq!(read["launches"]["counted"], 8 * 6 + 3, "{tool}");
        let shown = home.line(&format!("profile {tool}.f --model small"));
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
        "rocprofv3, kernel_stats.csv, 25 forwards of V2; generated for the MI250X GCD",
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

/// Real profiles, made on an H200; `tests/data/profiles`.
fn real(home: &Home, name: &str) {
    let from = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/profiles");
    std::fs::copy(
        format!("{from}/{name}.gz"),
        home.path().join(format!("{name}.gz")),
    )
    .unwrap();
}

#[test]
fn a_frameworks_kernels_are_explained_as_ops() {
    let home = Home::new();
    real(&home, "v1.json");
    let ran = home.line("profile v1.json.gz --model small");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    insta::assert_snapshot!(ran.out);
    let widest = ran.out.lines().map(|l| l.chars().count()).max();
    assert!(widest <= Some(80), "{widest:?}");
    let json = home.line("profile v1.json.gz --model small --json").json();
    assert_eq!(json["gpu"], "h200");
    assert!(json["framework"]["explained"].as_f64().unwrap() > 0.95);
    assert_eq!(json["framework"]["builds"][0]["launches_a_layer"], 55);
    // docs/cost-model.md: 17·8 + 3.
    assert!(ran.out.contains("139 ="), "{}", ran.out);
    let plain = home.line("profile v1.json.gz --model small --plain").out;
    assert!(
        plain.contains("op gate up; launches 16; plan = 16"),
        "{plain}"
    );
}

#[test]
fn two_files_stand_side_by_side() {
    let home = Home::new();
    real(&home, "v1.json");
    real(&home, "v2.json");
    let ran = home.line("profile v1.json.gz v2.json.gz --model small");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    insta::assert_snapshot!(ran.out);
    let json = home
        .line("profile v1.json.gz v2.json.gz --model small --json")
        .json();
    assert_eq!(json["pair"]["launches"][0], 450.0);
    assert_eq!(json["pair"]["launches"][1], 336.0);
    let missing = home.line("profile v1.json.gz none.gz");
    assert!(
        missing.err.contains("none.gz cannot be read"),
        "{}",
        missing.err
    );
}

/// A trace far longer than what is held of it; the reader takes it as it comes.
#[test]
fn a_long_trace_is_read_as_it_comes() {
    let home = Home::new();
    let mut file =
        std::io::BufWriter::new(std::fs::File::create(home.path().join("long.json")).unwrap());
    file.write_all(b"{\"traceEvents\":[\n").unwrap();
    let cpu = format!(
        "{{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"ts\":1,\"dur\":1,\"args\":{{\"stack\":\"{}\"}}}},\n",
        "x".repeat(4000)
    );
    for at in 0..6000 {
        file.write_all(cpu.as_bytes()).unwrap();
        writeln!(
            file,
            "{{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"nvjet_sm90_{}\",\"ts\":{at},\"dur\":0.5,\"args\":{{\"device\":0}}}},",
            at % 3
        )
        .unwrap();
    }
    // Cut short: no bracket is closed.
    file.flush().unwrap();
    drop(file);
    let ran = home.line("profile long.json");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    // However the lines are broken.
    let shown = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("3 kernels, 6,000 launches"), "{shown}");
    assert!(shown.contains("ends in the middle"), "{shown}");
    assert!(shown.contains("no block of this architecture"), "{shown}");
}

#[test]
fn a_gpu_that_the_database_lacks_is_named() {
    let home = Home::new();
    let trace = r#"{"deviceProperties":[{"name":"NVIDIA A10G"}],"traceEvents":[
{"ph":"X","cat":"kernel","name":"nvjet_sm80","ts":1,"dur":2,"args":{"device":0}}]}"#;
    home.write("a10g.json", trace);
    let ran = home.line("profile a10g.json");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let shown = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        shown.contains("“NVIDIA A10G”, which the database does not have"),
        "{shown}"
    );
    let named = home.line("profile a10g.json --gpu a10").out;
    assert!(!named.contains("A10G”, which"), "{named}");
}

#[test]
fn measured_roofs_stand_beside_the_data_sheet() {
    let home = Home::new();
    home.write(
        "roofline.csv",
        "device,HBMBw,HBMBwLow,hbmBwHigh,L2Bw,FP32Flops,FP64Flops,MFMABF16Flops\n0,1389.1462,1388.6844,1389.608,5017.5005,20946.693,20272.535,0\n",
    );
    let ran = home.line("profile roofline.csv --gpu mi250x_gcd");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    // 1389 of 1638.4 GB/s of one die.
    assert!(ran.out.contains("85 %"), "{}", ran.out);
    let json = home.line("profile roofline.csv --json").json();
    assert_eq!(json["roofs"][0]["roofs"][0]["rate"], 1389.1462e9);
}

#[test]
fn an_exercise_asks_of_a_file_of_ones_own() {
    let home = Home::new();
    real(&home, "v1.json");
    let asked = home
        .line("profile v1.json.gz --model small --like ex39")
        .out;
    assert!(
        asked.contains("How many launches does a forward make?"),
        "{asked}"
    );
    assert!(!asked.contains("450"), "{asked}");
    let answered = home.line("profile v1.json.gz --model small --like ex39 --answers");
    assert!(answered.out.contains(" 450\n"), "{}", answered.out);
    let json = home.line("profile v1.json.gz --like ex40 --json").json();
    assert_eq!(json["questions"][0]["in_this_file"], false);
    assert_eq!(json["questions"][4]["answer"], serde_json::Value::Null);
    let none = home.line("profile v1.json.gz --like ex1");
    assert_eq!(none.code, 2);
    assert!(none.err.contains("ex39 and ex40 do"), "{}", none.err);
}

#[test]
fn a_tool_of_one_maker_makes_no_file_of_the_others_device() {
    let home = Home::new();
    for (tool, gpu, short) in [
        ("ncu", "mi300a", "MI300A"),
        ("rocprofv3-trace", "a100", "A100 40 GB"),
    ] {
        home.line(&format!("profile --sample {tool} --gpu {gpu}"))
            .refused(2, &format!("never at the {short}"));
    }
    assert_eq!(home.line("profile --sample ncu --gpu l4").code, 0);
    assert_eq!(home.line("profile --sample pytorch --gpu mi300a").code, 0);
}

#[test]
fn samples_are_of_the_device_of_the_course_where_their_tool_looks_at_it() {
    let home = Home::new();
    let of = |line: &str| {
        let made = home.line(&format!("profile --sample {line} --json"));
        made.json()["gpu"].as_str().unwrap().to_owned()
    };
    assert_eq!(of("rocprofv3"), "mi250x_gcd");
    home.write("answers/none", "");
    home.write("workshop.toml", "gpu = \"mi300a\"\n");
    assert_eq!(of("rocprofv3"), "mi300a");
    assert_eq!(of("pytorch"), "mi300a");
    // The other maker's tool never sees it.
    assert_eq!(of("ncu"), "h200");
    assert_eq!(of("rocprofv3 --gpu mi210"), "mi210");
}

#[test]
fn whose_roof_is_taken_and_why_is_said() {
    let home = Home::new();
    home.line("profile --sample rocprof-compute --gpu mi210 -o pmc.csv");
    home.line("profile --sample rocprof-compute --gpu mi300x -o third.csv");
    let trace = r#"{"deviceProperties":[{"name":"AMD Instinct MI300A"}],"traceEvents":[
{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":2,"args":{"device":0}}]}"#;
    home.write("mi300a.json", trace);
    let read = |line: &str| {
        let ran = home.line(&format!("profile {line}"));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{line}");
        let shown = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        let json = home.line(&format!("profile {line} --json")).json();
        let roof = json["roof"]["gpu"].as_str().unwrap().to_owned();
        assert_eq!(json["gpu"], roof);
        (shown, roof, json["roof"]["another_device"].clone())
    };
    for (line, gpu, another, say) in [
        // The file names no GPU, and the course is about one that this tool never sees.
        (
            "pmc.csv",
            "mi250x_gcd",
            false,
            "roof floors and limits of the MI250X GCD, as the file names no GPU and rocprof-compute looks at GPUs of AMD only, not at the H200 of the course; --gpu names the one that ran",
        ),
        // Its counters have names of their own from CDNA 3 on (rocprof-compute's roofline_calc.py).
        (
            "third.csv",
            "mi300a",
            false,
            "of the MI300A, as the file names no GPU and counts TCC_EA0_RDREQ_sum, which only gfx94*, gfx95* have; --gpu names the one that ran",
        ),
        (
            "third.csv --gpu mi300x",
            "mi300x",
            false,
            "of the MI300X, named by --gpu modelled",
        ),
        (
            "pmc.csv --gpu a100",
            "a100_40gb",
            true,
            "of the A100 40 GB, named by --gpu; rocprof-compute looks at GPUs of AMD only, so what ran there stands beside floors of another device",
        ),
        (
            "mi300a.json",
            "mi300a",
            false,
            "of the MI300A, which the file names",
        ),
        (
            "mi300a.json --gpu a100",
            "a100_40gb",
            true,
            "the file is of “AMD Instinct MI300A”, so what ran there stands beside floors of another device",
        ),
    ] {
        let (shown, roof, astray) = read(line);
        assert!(shown.contains(say), "{line}: {shown}");
        assert_eq!((roof.as_str(), astray), (gpu, another.into()), "{line}");
    }
    home.write("answers/none", "");
    home.write("workshop.toml", "gpu = \"mi300a\"\n");
    let (shown, roof, _) = read("third.csv");
    assert_eq!(roof, "mi300a");
    assert!(shown.contains("the device of the course"), "{shown}");
    // The course's device is of the tool's maker, and has no such counters.
    let (shown, roof, _) = read("pmc.csv");
    assert_eq!(roof, "mi250x_gcd");
    assert!(
        shown.contains("which only gfx906*, gfx908*, gfx90a* have"),
        "{shown}"
    );
}
