//! Readers against heads and rows that tools and their documents show.

use super::*;

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
