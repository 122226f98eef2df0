//! Readers against published headers and rows, samples against readers.

mod published;
mod samples;

use super::*;
use plan::cost::{Config, GpuDatabase};
use plan::fusion::{Cut, Plan, Version};
use plan::model::Graph;
use proptest::prelude::*;

fn gpus() -> GpuDatabase {
    GpuDatabase::embedded().unwrap()
}

fn read_text(text: &str) -> Profile {
    read(text.as_bytes()).unwrap()
}

#[test]
fn what_is_wrong_has_its_place() {
    let head =
        r#""Name","Calls","TotalDurationNs","AverageNs","Percentage","MinNs","MaxNs","StdDev""#;
    let said = |row: &str| read(format!("{head}\n{row}\n").as_bytes()).unwrap_err();
    let e = said(r#""k",many,1,1,1,1,1,1"#);
    assert_eq!((e.line, e.column), (2, 5), "{e}");
    let e = said(r#""k",1,1"#);
    assert!(e.message.contains("3 cells and the head 8"), "{e}");
    let e = said(r#""k,1,1,1,1,1,1,1"#);
    assert!(e.message.contains("quote"), "{e}");
    assert!(said("").message.contains("no row behind it"));
}

#[test]
fn streams_that_overlap_are_not_added() {
    let line = |start: u64, end: u64, queue: u64| {
        format!("\"KERNEL_DISPATCH\",\"Agent 4\",{queue},1,1,\"k\",{start},{end}\n")
    };
    let head = "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Dispatch_Id\",\"Kernel_Id\",\"Kernel_Name\",\"Start_Timestamp\",\"End_Timestamp\"\n";
    let text = [
        head.to_owned(),
        line(100, 200, 1),
        line(150, 260, 2),
        line(300, 400, 1),
        line(310, 320, 2),
    ]
    .concat();
    // By hand: busy 100–260 and 300–400, wall 300, one gap of 40.
    let walls = walls(&read_text(&text));
    assert_eq!(walls.len(), 1);
    let wall = &walls[0];
    assert_eq!(
        (wall.wall_ns, wall.busy_ns, wall.kernel_ns),
        (300, 260, 320)
    );
    assert_eq!((wall.gaps, wall.longest_gap_ns), (1, 40));
    assert!((wall.idle() - 40.0 / 300.0).abs() < 1e-12);
}

/// Counting launches one after another leaves gaps that the tool made.
#[test]
fn a_file_with_counters_has_no_wall_and_says_why() {
    let database = gpus();
    let gpu = database.get("mi250x_gcd").unwrap();
    let config = Config::preset("workshop", Version::V2.cut()).unwrap();
    let made = sample::generate(&config, gpu, 1, 1).unwrap();
    for (tool, counted) in [
        (Tool::Rocprofv3Counters, true),
        (Tool::RocprofCompute, true),
        (Tool::Ncu, true),
        (Tool::NcuDetails, true),
        (Tool::Rocprofv3Trace, false),
        (Tool::Pytorch, false),
        (Tool::Nsys, false),
    ] {
        let profile = read_text(&sample::write(&made, tool, gpu));
        let reading = against(&profile, &config, gpu, None).unwrap();
        let name = tool.name();
        assert_eq!(reading.serialised, counted, "{name}");
        assert!(!counted || reading.walls.is_empty(), "{name}");
        let limit = reading.limit.as_ref().map(Limit::name);
        assert!(!counted || limit != Some("launches"), "{name}");
        let said = say::sentences(&reading, gpu);
        let wall: Vec<&str> = said
            .iter()
            .filter(|said| said.about == "wall")
            .map(|said| said.text.as_str())
            .collect();
        if counted {
            assert_eq!(wall.len(), 1, "{name}");
            assert!(wall[0].contains("one after another"), "{name}: {wall:?}");
            assert!(!wall[0].contains("idle 0"), "{name}: {wall:?}");
        }
        assert_eq!(
            said.iter()
                .any(|said| said.text.contains("is not in this file")),
            !counted && reading.walls.is_empty() && limit.is_some_and(|name| name != "latency"),
            "{name}"
        );
    }
}

#[test]
fn rows_of_unknown_names_are_told_by_their_calls() {
    // docs/cost-model.md at L 4, 25 forwards: V2 has eleven kernels per layer and
    // three outside, V4 one and three.
    let rows = |counts: &[u64]| {
        let mut text =
            "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n".to_owned();
        for (i, n) in counts.iter().enumerate() {
            text += &format!("\"ampere_{i}\",{n},{},1,1\n", n * 5000);
        }
        read_text(&text)
    };
    let database = gpus();
    let gpu = database.get("h200").unwrap();
    let config = Config::preset("workshop", Cut::v1()).unwrap();
    let explained = |counts: &[u64], only| {
        against(&rows(counts), &config, gpu, only)
            .unwrap()
            .explained
    };
    let mut v2 = vec![100; 11];
    v2.extend([25; 3]);
    let found = explained(&v2, None).unwrap();
    assert_eq!(
        (found.cut, found.layers, found.forwards, found.by),
        (Version::V2.cut(), Some(4), 25, By::Calls)
    );
    let found = explained(&[25, 100, 25, 25], None).unwrap();
    assert_eq!(found.cut, Version::V4.cut());
    let none = explained(&[25, 101, 25, 25], None).unwrap_err();
    assert_eq!(
        none.to_string(),
        "no plan of this model explains these calls"
    );
    let other = explained(&v2, Some(Version::V1.cut())).unwrap_err();
    assert_eq!(other.to_string(), "the calls are not those of V1");
}

#[test]
fn a_run_of_this_program_is_told_by_its_entry_points() {
    // A forward of V2 at L 4 with our kernels: gemm is o and down of each
    // layer and the head, rmsnorm two of each and the final one.
    let text =
        "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
30.0,900,27,1,1,1,1,0,gemm
20.0,800,27,1,1,1,1,0,rmsnorm
10.0,700,24,1,1,1,1,0,residual
10.0,600,12,1,1,1,1,0,qkv
10.0,500,12,1,1,1,1,0,rope
5.0,400,12,1,1,1,1,0,flash
5.0,300,12,1,1,1,1,0,gate_up
5.0,200,12,1,1,1,1,0,silu_mul
5.0,100,3,1,1,1,1,0,embed
1.0,10,6,1,1,1,1,0,[CUDA memset]
";

    let database = gpus();
    let config = Config::preset("workshop", Cut::v1()).unwrap();
    let reading = against(
        &read_text(text),
        &config,
        database.get("h200").unwrap(),
        None,
    )
    .unwrap();
    let found = reading.explained.as_ref().unwrap();
    assert_eq!((found.cut, found.by), (Version::V2.cut(), By::Entries));
    assert_eq!(
        (found.layers, found.forwards, found.beside),
        (Some(4), 3, 6)
    );
    assert_eq!(reading.launches, Some((47, 47)));
}

#[test]
fn gaps_and_roofs_say_what_limits() {
    let database = gpus();
    let gpu = database.get("h200").unwrap();
    let read_back = |preset: &str| {
        let config = Config::preset(preset, Version::V1.cut()).unwrap();
        let made = sample::generate(&config, gpu, 1, 0).unwrap();
        let profile = read_text(&sample::write(&made, Tool::Rocprofv3Trace, gpu));
        against(&profile, &config, gpu, None).unwrap()
    };
    // The workshop's kernels are shorter than the gaps of 4 µs between them.
    let small = read_back("workshop");
    let Some(Limit::Launches(idle, gap)) = small.limit else {
        panic!("{:?}", small.limit);
    };
    assert!(idle > 0.5 && (gap - 4_000.0).abs() < 1.0, "{idle} {gap}");
    // medium's products are above the ridge of fp32, and take most of the time.
    let large = read_back("medium");
    assert!(
        matches!(large.limit, Some(Limit::Compute(_, _))),
        "{:?}",
        large.limit
    );
    // The device by the name that people call it: 67 TFLOP/s over 4.8 TB/s.
    let said = say::sentences(&large, gpu);
    let limit = said.iter().find(|said| said.about == "limit").unwrap();
    let ridge = "the ridge of the H200 is 13.9";
    assert!(limit.text.contains(ridge), "{limit:?}");
}
