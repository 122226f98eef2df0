//! Readers against published headers and rows, samples against readers.

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

/// profiler-formats.md: heads and rows as AMD's documents and repositories have
/// them, rows cut there completed.
#[test]
fn rocprofv3_as_published() {
    let stats = read_text(
        r#""Name","Calls","TotalDurationNs","AverageNs","Percentage","MinNs","MaxNs","StdDev"
"JacobiIterationKernel(int, double, double)",1000,517647434,517647.434000,42.56,510404,527365,2907.325924
"__amd_rocclr_copyBuffer",7084,17229993,2432.240683,8.38,601,10656,1241.386133
"#,
    );
    assert_eq!(stats.tool, Tool::Rocprofv3Stats);
    assert_eq!(
        stats.kernels[0].name,
        "JacobiIterationKernel(int, double, double)"
    );
    assert_eq!(
        (stats.kernels[0].calls, stats.kernels[1].calls),
        (1000, 7084)
    );
    assert_eq!(stats.kernels[0].total_ns, Some(517_647_434.0));
    assert_eq!(stats.kernels[1].max_ns, Some(10_656.0));

    let trace = read_text(
        r#""Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp","LDS_Block_Size","Scratch_Size","VGPR_Count","Accum_VGPR_Count","SGPR_Count","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z","Grid_Size_X","Grid_Size_Y","Grid_Size_Z"
"KERNEL_DISPATCH","Agent 4",1,1,834304,1,10,"void addition_kernel<float>(float*, float const*, float const*, int, int)",1,1550151853029637,1550151853042437,0,0,8,0,16,64,1,1,1024,1024,1
"#,
    );
    assert_eq!(trace.tool, Tool::Rocprofv3Trace);
    let launch = &trace.dispatches[0];
    assert_eq!(
        launch.span,
        Some((1_550_151_853_029_637, 1_550_151_853_042_437))
    );
    assert_eq!((&*launch.device, launch.grid), ("Agent 4", [1024, 1024, 1]));
    assert_eq!(trace.kernels[0].resources.registers, Some(8));
    assert_eq!(trace.kernels[0].total_ns, Some(12_800.0));

    // ROCm 6.2: no stream, no registers, the agent a number.
    let older = read_text(
        r#""Kind","Agent_Id","Queue_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp","Private_Segment_Size","Group_Segment_Size","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z","Grid_Size_X","Grid_Size_Y","Grid_Size_Z"
"KERNEL_DISPATCH",4,1,834304,1,10,"k",1,100,250,0,512,64,2,1,1024,1,1
"#,
    );
    assert_eq!(older.kernels[0].resources.shared, Some(512));
    assert_eq!(older.kernels[0].resources.threads, Some(128));
    assert_eq!(older.kernels[0].resources.registers, None);
}

#[test]
fn counters_as_published() {
    let newer = r#""Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Thread_Id","Grid_Size","Kernel_Id","Kernel_Name","Workgroup_Size","LDS_Block_Size","Scratch_Size","VGPR_Count","Accum_VGPR_Count","SGPR_Count","Counter_Name","Counter_Value","Start_Timestamp","End_Timestamp"
1,1,"Agent 1",1,15606,15606,1048576,17,"void addition_kernel<float>(float*, float const*, float const*, int, int)",64,0,0,8,0,16,"SQ_WAVES",16384.000000,3200098838431081,3200098838483232
1,1,"Agent 1",1,15606,15606,1048576,17,"void addition_kernel<float>(float*, float const*, float const*, int, int)",64,0,0,8,0,16,"FETCH_SIZE",4108.000000,3200098838431081,3200098838483232
"#;
    let profile = read_text(newer);
    // Two counters of one launch are one launch.
    assert_eq!((profile.calls(), profile.dispatches.len()), (1, 1));
    assert_eq!(
        profile.dispatches[0].counters.get("FETCH_SIZE"),
        Some(&4108.0)
    );
    assert_eq!(
        traffic(&profile.dispatches[0].counters).read,
        Some(4_206_592.0)
    );

    let older = r#""Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Thread_Id","Grid_Size","Kernel_Id","Kernel_Name","Workgroup_Size","LDS_Block_Size","Scratch_Size","VGPR_Count","SGPR_Count","Counter_Name","Counter_Value"
1,1,1,1,15606,15606,1048576,17,"k",64,0,0,8,16,"TCC_EA_RDREQ_sum",65792
"#;
    let profile = read_text(older);
    assert_eq!(profile.kernels[0].total_ns, None);
    assert_eq!(profile.dispatches[0].span, None);
}

#[test]
fn the_older_rocprof_as_published() {
    let results = read_text(
        r#""Index","KernelName","gpu-id","queue-id","queue-index","pid","tid","grd","wgr","lds","scr","arch_vgpr","accum_vgpr","sgpr","wave_size","sig","obj","DispatchNs","BeginNs","EndNs","CompleteNs","DurationNs"
0,"bodyForce(Body*, float, int) [clone .kd]",0,0,0,3670615,3670615,65536,256,0,0,20,4,16,64,"0x0","0x7f7b27c04500",1591372809346673,1591372809872935,1591372836189584,1591372836215944,26316649
"#,
    );
    assert_eq!(results.tool, Tool::RocprofResults);
    assert_eq!(results.kernels[0].total_ns, Some(26_316_649.0));
    assert_eq!(results.kernels[0].resources.accumulation, Some(4));
    let stats = read_text(
        "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n\"copy_kernel(float*, float*, int, int) [clone .kd]\",1,165920,165920,100.0\n",
    );
    assert_eq!(
        (stats.tool, stats.kernels[0].calls),
        (Tool::RocprofStats, 1)
    );
}

#[test]
fn nsys_as_published_with_its_progress_in_front() {
    let text = "Generating SQLite file v2.sqlite from v2.nsys-rep\nProcessing [v2.sqlite] with [cuda_gpu_kern_sum.py]...\n\nTime (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n50.1,99385786,32,3105805.8,3041179.0,2987340,3777790,216832.4,flash_attention_prefill_f16\n\nProcessing [v2.sqlite] with [cuda_api_sum.py]...\n";
    let profile = read_text(text);
    assert_eq!(profile.tool, Tool::Nsys);
    assert_eq!(profile.kernels.len(), 1);
    assert_eq!(profile.kernels[0].calls, 32);
    assert_eq!(profile.kernels[0].min_ns, Some(2_987_340.0));
    // 2022.4 and the report with grids: more columns, other heads.
    let grids = read_text(
        "Time(%),Total Time (ns),Instances,Average,Minimum,Maximum,GridXYZ,BlockXYZ,Name\n100.0,10,2,5.0,4,6,   1    1    1,  32    1    1,k\n",
    );
    assert_eq!(grids.kernels[0].max_ns, Some(6.0));
}

#[test]
fn ncu_as_published_wide_and_long() {
    let raw = read_text(
        r#"==PROF== Connected to process 1234
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","dram__bytes_read.sum","dram__bytes_write.sum","sm__throughput","gpu__time_duration.sum","x"
"","","","","","","","","","","","byte","byte","%","nsecond","%"
"0","1234","python3","host","ampere_fp16_gemm","1","7","(128, 1, 1)","(80, 1, 1)","0","8.0","2,000,000,000","1,000,000","80.5","2,000,000","30.0"
"#,
    );
    assert_eq!(raw.tool, Tool::Ncu);
    let launch = &raw.dispatches[0];
    assert_eq!(launch.grid, [80, 1, 1]);
    assert_eq!(traffic(&launch.counters).total(), Some(2_001_000_000.0));
    assert_eq!(raw.kernels[0].total_ns, Some(2_000_000.0));

    let long = r#""ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"
"0","2583","a","127.0.0.1","branch()","1","7","(256, 1, 1)","(1, 1, 1)","0","7.5","Command line profiler metrics","dram__bytes_read.sum","byte","2,816"
"0","2583","a","127.0.0.1","branch()","1","7","(256, 1, 1)","(1, 1, 1)","0","7.5","Command line profiler metrics","dram__bytes_write.sum","Mbyte","1.5"
"#;
    let profile = read_text(long);
    assert_eq!(profile.calls(), 1);
    let moved = traffic(&profile.dispatches[0].counters);
    assert_eq!(
        (moved.read, moved.written),
        (Some(2_816.0), Some(1_500_000.0))
    );
    // ncu 2025.3 on an H200, without --metrics: rows end before the cells of
    // rules, and what the program printed stands in front.
    let newer = r#"==PROF== Connected to process 1339 (tt)
workshop B1 S128 fp32, V3
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description","Estimated Speedup Type","Estimated Speedup"
"0","1339","tt","127.0.0.1","embed","1","13","(32, 1, 1)","(128, 1, 1)","0","9.0","GPU Speed Of Light Throughput","DRAM Frequency","hz","3,164,082,687.34",
"0","1339","tt","127.0.0.1","embed","1","13","(32, 1, 1)","(128, 1, 1)","0","9.0","GPU Speed Of Light Throughput","Duration","ns","4,128",
"#;
    let embed = &read_text(newer).kernels[0];
    assert_eq!((embed.calls, embed.total_ns), (1, Some(4_128.0)));
    let e = read(long.replace("Mbyte", "furlong").as_bytes()).unwrap_err();
    assert!(
        e.message.contains("--print-units base") && e.line == 3,
        "{e}"
    );
}

#[test]
fn rocprof_compute_is_read_by_name_though_columns_stand_twice() {
    // MI300's order, with MI200's names that stand twice.
    let text = "Dispatch_ID,GPU_ID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Scratch_Per_Workitem,Arch_VGPR,Accum_VGPR,SGPR,Wave_Size,Kernel_Name,Correlation_ID,TCC_BUBBLE_sum,TCC_EA0_RDREQ_sum,TCC_EA0_RDREQ_32B_sum,wave_size,obj,wave_size,obj,Start_Timestamp,End_Timestamp\n0,2,64,64,0,0,8,4,16,64,k,1,300,1000,40,64,0,64,0,10,30\n";
    let profile = read_text(text);
    assert_eq!(profile.tool, Tool::RocprofCompute);
    // 128·300 + 32·40 + 64·660
    assert_eq!(
        traffic(&profile.dispatches[0].counters).read,
        Some(81_920.0)
    );
    assert_eq!(profile.kernels[0].resources.accumulation, Some(4));
}

#[test]
fn a_trace_of_pytorch_as_published() {
    let event = |cat: &str, id: &str| {
        format!(
            r#"{{"schemaVersion":1,"traceEvents":[
{{"ph":"M","name":"process_name","pid":0,"tid":0,"args":{{"name":"python"}}}},
{{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":0,"tid":7,"ts":1,"dur":9}},
{{"ph":"X","cat":"{cat}","name":"add","pid":0,"tid":7,"ts":1000.5,"dur":2.25,"args":{{"{id}":3,"device":0,"stream":7,"registers per thread":18,"shared memory":0,"grid":[16,1,1],"block":[16,16,16]}}}}]}}"#
        )
    };
    for text in [
        event("kernel", "External id"),
        event("Kernel", "external id"),
    ] {
        let profile = read_text(&text);
        assert_eq!((profile.tool, profile.calls()), (Tool::Pytorch, 1));
        assert_eq!(profile.dispatches[0].span, Some((1_000_500, 1_002_750)));
        assert_eq!(profile.kernels[0].resources.threads, Some(4096));
        assert_eq!(profile.kernels[0].resources.registers, Some(18));
    }
    let e = read(b"{\"traceEvents\":[\n{\"ph\":]}").unwrap_err();
    assert_eq!(e.line, 2, "{e}");
}

#[test]
fn numbers_as_tools_print_them() {
    for (text, value) in [
        ("2,816", 2_816.0),
        ("1,048,576.5", 1_048_576.5),
        ("27.595.520", 27_595_520.0),
        ("1.048.576,25", 1_048_576.25),
        ("30,5", 30.5),
        ("2.816", 2.816),
        ("-1,000", -1_000.0),
        ("1e3", 1_000.0),
    ] {
        assert_eq!(table::number(text), Some(value), "{text}");
    }
    for text in ["", "1,2,3", "byte", "inf", "--"] {
        assert_eq!(table::number(text), None, "{text}");
    }
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
fn every_sample_gives_back_its_plan_layers_and_forwards() {
    let database = gpus();
    let gpu = database.get("mi250x_gcd").unwrap();
    for version in Version::ALL {
        let mut config = Config::preset("workshop", version.cut()).unwrap();
        config.model.layers = 6;
        let made = sample::generate(&config, gpu, 3, 1).unwrap();
        for tool in Tool::ALL {
            let text = sample::write(&made, tool, gpu);
            let profile = read_text(&text);
            assert_eq!(profile.tool, tool);
            let reading = against(&profile, &config, gpu, None).unwrap();
            let title = format!("{} by {}", version.title(), tool.name());
            let found = reading
                .explained
                .as_ref()
                .unwrap_or_else(|e| panic!("{title}: {e}"));
            assert_eq!(found.cut, version.cut(), "{title}");
            assert_eq!(found.forwards, 3, "{title}");
            if version != Version::Forward {
                assert_eq!(found.layers, Some(6), "{title}");
            }
            let plan = Plan::new(&Graph::of_layers(6, false), version.cut(), false);
            let launches = plan.launches() as u64;
            assert_eq!(reading.launches, Some((launches, launches)), "{title}");
        }
    }
}

/// A sample has what the tool would find on that very device: AMD's documentation of the
/// counters of MI200 and MI300, NVIDIA's table of compute capabilities.
#[test]
fn a_sample_is_of_its_device() {
    let database = gpus();
    let config = Config::preset("workshop", Version::V2.cut()).unwrap();
    let sample = |gpu: &str, tool| {
        let gpu = database.get(gpu).unwrap();
        let made = sample::generate(&config, gpu, 1, 1).unwrap();
        (sample::write(&made, tool, gpu), made, gpu)
    };
    let cdna2 = ",TCC_EA_RDREQ_sum,TCC_EA_RDREQ_32B_sum,TCC_EA_WRREQ_sum,TCC_EA_WRREQ_64B_sum,";
    let cdna3 = ",TCC_EA0_RDREQ_sum,TCC_EA0_RDREQ_32B_sum,TCC_BUBBLE_sum,TCC_EA0_WRREQ_sum,TCC_EA0_WRREQ_64B_sum,";
    for (id, names) in [
        ("mi100", cdna2),
        ("mi250x_gcd", cdna2),
        ("mi300a", cdna3),
        ("mi355x", cdna3),
    ] {
        let (text, made, gpu) = sample(id, Tool::RocprofCompute);
        assert!(text.lines().next().unwrap().contains(names), "{id}: {text}");
        let has = text.matches("TCC_").count();
        assert_eq!(has, names.matches("TCC_").count(), "{id}");
        // The requests come to the bytes that every other tool counts, kernel by kernel.
        let profile = read_text(&text);
        for (read, made) in profile.dispatches.iter().zip(&made.dispatches) {
            let bytes = |name: &str| made.counters.get(name).copied();
            let found = traffic(&read.counters);
            assert_eq!(found.read, bytes("dram__bytes_read.sum"), "{id}");
            assert_eq!(found.written, bytes("dram__bytes_write.sum"), "{id}");
        }
        // A page that names no columns shows requests of that device.
        let shown = sample::excerpt(&text, Tool::RocprofCompute, &[], 1, None).unwrap();
        assert_eq!(shown.head.len(), 4, "{id}");
        assert!(names.contains(&shown.head[2]), "{id}: {:?}", shown.head);
        let reading = against(&profile, &config, gpu, None).unwrap();
        assert!(reading.dram.is_some() && reading.half.is_none(), "{id}");
    }
    for (id, capability) in [
        ("t4", "7.5"),
        ("a100_40gb", "8.0"),
        ("rtx4090", "8.9"),
        ("h200", "9.0"),
        ("b200", "10.0"),
    ] {
        for tool in [Tool::Ncu, Tool::NcuDetails] {
            let (text, ..) = sample(id, tool);
            let rows: Vec<&str> = text.lines().filter(|l| l.contains("\"4711\"")).collect();
            assert!(!rows.is_empty());
            let cell = format!(",\"0\",\"{capability}\",");
            assert!(rows.iter().all(|row| row.contains(&cell)), "{id}: {text}");
        }
    }
}

/// A file with half a set of counters has no bytes, and says which counter would make them.
#[test]
fn half_a_set_of_counters_says_what_is_missing() {
    let database = gpus();
    let gpu = database.get("mi300a").unwrap();
    let config = Config::preset("workshop", Version::V2.cut()).unwrap();
    let made = sample::generate(&config, gpu, 1, 1).unwrap();
    let text = sample::write(&made, Tool::RocprofCompute, gpu);
    let said = |text: &str| {
        let reading = against(&read_text(text), &config, gpu, None).unwrap();
        let said = say::sentences(&reading, gpu);
        let memory: Vec<String> = said
            .iter()
            .filter(|said| said.about == "memory")
            .map(|said| said.text.clone())
            .collect();
        assert_eq!(memory.len(), 1, "{memory:?}");
        memory[0].clone()
    };
    assert!(said(&text).contains("a forward by the counters"));
    let without = said(&text.replace("TCC_BUBBLE_sum", "TCC_OTHER_sum"));
    assert!(
        without.ends_with("missing beside them: TCC_BUBBLE_sum"),
        "{without}"
    );
    let reads = text.replace("TCC_EA0_WRREQ", "TCC_OTHER");
    assert!(
        said(&reads).ends_with("missing beside them: TCC_EA0_WRREQ_sum, TCC_EA0_WRREQ_64B_sum"),
        "{}",
        said(&reads)
    );
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is done to a file, it is read or refused in a sentence.
    #[test]
    fn mangled_files_never_end_the_reader(
        which in 0..Tool::ALL.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        cut in any::<prop::sample::Index>(),
    ) {
        let database = gpus();
        let config = Config::preset("workshop", Version::V3.cut()).unwrap();
        let gpu = database.get("h200").unwrap();
        let made = sample::generate(&config, gpu, 1, 0).unwrap();
        let mut bytes = sample::write(&made, Tool::ALL[which], gpu).into_bytes();
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(cut.index(bytes.len() + 1));
        match read(&bytes) {
            Ok(profile) => {
                let reading = against(&profile, &config, gpu, None).unwrap();
                // A name that was damaged into a framework's has sentences of its own.
                let of_framework = match &reading.framework {
                    Some(found) => say::of_framework(found, &reading, &profile, gpu),
                    None => Vec::new(),
                };
                prop_assert!(of_framework.len() + say::sentences(&reading, gpu).len() > 0);
            }
            Err(e) => prop_assert!(!e.message.is_empty()),
        }
    }
}
