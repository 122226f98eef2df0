//! A profile as each tool writes it.

use std::fmt::Write;

use super::MARK;
use crate::profile::counters::requests;
use crate::profile::{Dispatch, KernelRow, Profile, Tool};
use plan::cost::Gpu;
use plan::units::group_thousands;

/// The file of this tool that holds the profile, as it is on this GPU: counters and what a
/// file says of the device are its architecture's.
pub fn write(profile: &Profile, tool: Tool, gpu: &Gpu) -> String {
    let mut out = String::new();
    // Writing into a string cannot fail.
    let _ = match tool {
        Tool::Rocprofv3Stats => stats(profile, &mut out),
        Tool::Rocprofv3Trace => trace(profile, &mut out),
        Tool::Rocprofv3Counters => counters(profile, &mut out),
        Tool::RocprofResults => results(profile, &mut out),
        Tool::RocprofStats => older_stats(profile, &mut out),
        Tool::RocprofCompute => compute(profile, &gpu.arch, &mut out),
        Tool::Nsys => nsys(profile, &mut out),
        Tool::Ncu => ncu(profile, &capability(gpu), &mut out),
        Tool::NcuDetails => details(profile, &capability(gpu), &mut out),
        Tool::Pytorch => pytorch(profile, &mut out),
        // Those of [`Tool::READ`]: nobody asks for a sample of them.
        Tool::Rocprofv3Json | Tool::RocprofSys | Tool::RocprofSysClock | Tool::RocprofAnalyze => {
            Ok(())
        }
    };
    out
}

type Written = std::fmt::Result;

/// What a row of sums says of one kernel.
struct Sums<'p> {
    row: &'p KernelRow,
    total: f64,
    share: f64,
    median: f64,
    deviation: f64,
}

/// The kernels, the most time first, as the tools sort them.
fn sums(profile: &Profile) -> Vec<Sums<'_>> {
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); profile.kernels.len()];
    for dispatch in &profile.dispatches {
        if let (Some(list), Some((start, end))) = (times.get_mut(dispatch.kernel), dispatch.span) {
            list.push((end - start) as f64);
        }
    }
    let all = profile.total_ns().unwrap_or(0.0).max(1.0);
    let mut found: Vec<Sums<'_>> = profile
        .kernels
        .iter()
        .zip(times)
        .map(|(row, mut times)| {
            times.sort_by(f64::total_cmp);
            let total = row.total_ns.unwrap_or(0.0);
            let mean = total / row.calls.max(1) as f64;
            let squares: f64 = times.iter().map(|t| (t - mean).powi(2)).sum();
            let fewer = times.len().saturating_sub(1).max(1);
            Sums {
                row,
                total,
                share: 100.0 * total / all,
                median: times.get(times.len() / 2).copied().unwrap_or(mean),
                deviation: (squares / fewer as f64).sqrt(),
            }
        })
        .collect();
    found.sort_by(|a, b| b.total.total_cmp(&a.total));
    found
}

impl Sums<'_> {
    fn mean(&self) -> f64 {
        self.total / self.row.calls.max(1) as f64
    }

    fn least(&self) -> f64 {
        self.row.min_ns.unwrap_or(0.0)
    }

    fn most(&self) -> f64 {
        self.row.max_ns.unwrap_or(0.0)
    }
}

fn stats(profile: &Profile, out: &mut String) -> Written {
    writeln!(
        out,
        r#""Name","Calls","TotalDurationNs","AverageNs","Percentage","MinNs","MaxNs","StdDev""#
    )?;
    for s in sums(profile) {
        writeln!(
            out,
            r#""{}",{},{:.0},{:.6},{:.2},{:.0},{:.0},{:.6}"#,
            s.row.name,
            s.row.calls,
            s.total,
            s.mean(),
            s.share,
            s.least(),
            s.most(),
            s.deviation
        )?;
    }
    Ok(())
}

fn older_stats(profile: &Profile, out: &mut String) -> Written {
    writeln!(
        out,
        r#""Name","Calls","TotalDurationNs","AverageNs","Percentage""#
    )?;
    for s in sums(profile) {
        writeln!(
            out,
            r#""{}",{},{:.0},{:.0},{:.1}"#,
            s.row.name,
            s.row.calls,
            s.total,
            s.mean(),
            s.share
        )?;
    }
    Ok(())
}

fn nsys(profile: &Profile, out: &mut String) -> Written {
    writeln!(out, "Processing [{MARK}] with [cuda_gpu_kern_sum]...")?;
    writeln!(
        out,
        "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name"
    )?;
    for s in sums(profile) {
        writeln!(
            out,
            "{:.1},{:.0},{},{:.1},{:.1},{:.0},{:.0},{:.1},{}",
            s.share,
            s.total,
            s.row.calls,
            s.mean(),
            s.median,
            s.least(),
            s.most(),
            s.deviation,
            s.row.name
        )?;
    }
    Ok(())
}

/// One launch with what is said about its kernel.
struct Launch<'p> {
    number: usize,
    name: &'p str,
    dispatch: &'p Dispatch,
    start: u64,
    end: u64,
    registers: u64,
    accumulation: u64,
    shared: u64,
    threads: u64,
    /// Place of the kernel in the profile, from 1.
    kernel: usize,
}

impl Launch<'_> {
    fn counter(&self, name: &str) -> f64 {
        self.dispatch.counters.get(name).copied().unwrap_or(0.0)
    }

    /// Work-items along x, as AMD's tools say a grid.
    fn items(&self) -> u64 {
        self.dispatch.grid[0].saturating_mul(self.threads)
    }
}

fn launches(profile: &Profile) -> impl Iterator<Item = Launch<'_>> {
    (1..)
        .zip(&profile.dispatches)
        .filter_map(|(number, dispatch)| {
            let row = profile.kernels.get(dispatch.kernel)?;
            let (start, end) = dispatch.span?;
            let given = row.resources;
            Some(Launch {
                number,
                name: &row.name,
                dispatch,
                start,
                end,
                registers: given.registers.unwrap_or(0),
                accumulation: given.accumulation.unwrap_or(0),
                shared: given.shared.unwrap_or(0),
                threads: given.threads.unwrap_or(0),
                kernel: dispatch.kernel + 1,
            })
        })
}

fn trace(profile: &Profile, out: &mut String) -> Written {
    writeln!(
        out,
        r#""Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp","LDS_Block_Size","Scratch_Size","VGPR_Count","Accum_VGPR_Count","SGPR_Count","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z","Grid_Size_X","Grid_Size_Y","Grid_Size_Z""#
    )?;
    for l in launches(profile) {
        writeln!(
            out,
            r#""KERNEL_DISPATCH","Agent 4",1,1,4711,{n},{},"{}",{n},{},{},{},0,{},{},32,{},1,1,{},1,1"#,
            l.kernel,
            l.name,
            l.start,
            l.end,
            l.shared,
            l.registers,
            l.accumulation,
            l.threads,
            l.items(),
            n = l.number,
        )?;
    }
    Ok(())
}

fn counters(profile: &Profile, out: &mut String) -> Written {
    writeln!(
        out,
        r#""Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Thread_Id","Grid_Size","Kernel_Id","Kernel_Name","Workgroup_Size","LDS_Block_Size","Scratch_Size","VGPR_Count","Accum_VGPR_Count","SGPR_Count","Counter_Name","Counter_Value","Start_Timestamp","End_Timestamp""#
    )?;
    for l in launches(profile) {
        for counter in ["FETCH_SIZE", "WRITE_SIZE"] {
            writeln!(
                out,
                r#"{n},{n},"Agent 4",1,4711,4711,{},{},"{}",{},{},0,{},{},32,"{counter}",{:.6},{},{}"#,
                l.items(),
                l.kernel,
                l.name,
                l.threads,
                l.shared,
                l.registers,
                l.accumulation,
                l.counter(counter),
                l.start,
                l.end,
                n = l.number,
            )?;
        }
    }
    Ok(())
}

fn results(profile: &Profile, out: &mut String) -> Written {
    writeln!(
        out,
        r#""Index","KernelName","gpu-id","queue-id","queue-index","pid","tid","grd","wgr","lds","scr","arch_vgpr","accum_vgpr","sgpr","wave_size","sig","obj","DispatchNs","BeginNs","EndNs","CompleteNs","DurationNs""#
    )?;
    for l in launches(profile) {
        writeln!(
            out,
            r#"{index},"{} [clone .kd]",0,0,{index},4711,4711,{},{},{},0,{},{},32,64,"0x0","0x0",{},{},{},{},{}"#,
            l.name,
            l.items(),
            l.threads,
            l.shared,
            l.registers,
            l.accumulation,
            l.start - 1000,
            l.start,
            l.end,
            l.end + 1000,
            l.end - l.start,
            index = l.number - 1,
        )?;
    }
    Ok(())
}

fn compute(profile: &Profile, arch: &str, out: &mut String) -> Written {
    let counters: Vec<&str> = requests(arch).collect();
    writeln!(
        out,
        "Dispatch_ID,Kernel_Name,GPU_ID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Scratch_Per_Workitem,Arch_VGPR,Accum_VGPR,SGPR,wave_size,obj,{},wave_size,obj,Start_Timestamp,End_Timestamp",
        counters.join(",")
    )?;
    for l in launches(profile) {
        write!(
            out,
            "{},{},0,{},{},{},0,{},{},32,64,0x0",
            l.number - 1,
            l.name,
            l.items(),
            l.threads,
            l.shared,
            l.registers,
            l.accumulation
        )?;
        for counter in &counters {
            write!(out, ",{:.1}", l.counter(counter))?;
        }
        writeln!(out, ",64,0x0,{},{}", l.start, l.end)?;
    }
    Ok(())
}

/// The metrics of ncu's pages, each with its unit.
const METRICS: [(&str, &str); 4] = [
    ("dram__bytes_read.sum", "byte"),
    ("dram__bytes_write.sum", "byte"),
    ("gpu__time_duration.sum", "nsecond"),
    ("launch__registers_per_thread", "register/thread"),
];

impl Launch<'_> {
    /// A metric as ncu prints it, with commas between thousands.
    fn metric(&self, name: &str) -> String {
        let value = match name {
            "gpu__time_duration.sum" => (self.end - self.start) as f64,
            "launch__registers_per_thread" => (self.registers + self.accumulation) as f64,
            name => self.counter(name),
        };
        group_thousands(value as i128)
    }

    /// The cells before the metrics.
    fn said(&self, capability: &str) -> String {
        format!(
            r#""{}","4711","tinyllama-tutor","127.0.0.1","{}","1","7","({}, 1, 1)","({}, 1, 1)","0","{capability}""#,
            self.number - 1,
            self.name,
            self.threads,
            self.dispatch.grid[0]
        )
    }
}

/// The compute capability of a device, as ncu has it: 8.0 of `sm_80`, 10.0 of `sm_100`. A GPU
/// of another maker has none, and its cell stays empty.
fn capability(gpu: &Gpu) -> String {
    let arch = gpu.arch.strip_prefix("sm_").unwrap_or_default();
    let number = arch.trim_end_matches(char::is_alphabetic);
    // The last digit is the minor one.
    match number.char_indices().next_back() {
        Some((at, minor)) if at > 0 => format!("{}.{minor}", number.get(..at).unwrap_or_default()),
        _ => String::new(),
    }
}

const NCU_HEAD: &str = r#""ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC""#;

fn ncu(profile: &Profile, capability: &str, out: &mut String) -> Written {
    let names: Vec<String> = METRICS
        .iter()
        .map(|(name, _)| format!("\"{name}\""))
        .collect();
    let units: Vec<String> = METRICS
        .iter()
        .map(|(_, unit)| format!("\"{unit}\""))
        .collect();
    writeln!(out, "==PROF== {MARK}")?;
    writeln!(out, "{NCU_HEAD},{}", names.join(","))?;
    writeln!(out, "{},{}", [r#""""#; 11].join(","), units.join(","))?;
    for l in launches(profile) {
        let metrics: Vec<String> = METRICS
            .iter()
            .map(|(name, _)| format!("\"{}\"", l.metric(name)))
            .collect();
        writeln!(out, "{},{}", l.said(capability), metrics.join(","))?;
    }
    Ok(())
}

fn details(profile: &Profile, capability: &str, out: &mut String) -> Written {
    writeln!(out, "==PROF== {MARK}")?;
    writeln!(
        out,
        r#"{NCU_HEAD},"Section Name","Metric Name","Metric Unit","Metric Value""#
    )?;
    for l in launches(profile) {
        for (name, unit) in METRICS {
            writeln!(
                out,
                r#"{},"Command line profiler metrics","{name}","{unit}","{}""#,
                l.said(capability),
                l.metric(name)
            )?;
        }
    }
    Ok(())
}

/// Microseconds with three decimals, as kineto writes them.
fn microseconds(ns: u64) -> String {
    format!("{}.{:03}", ns / 1000, ns % 1000)
}

fn pytorch(profile: &Profile, out: &mut String) -> Written {
    writeln!(out, r#"{{"schemaVersion":1,"traceName":"{MARK}","#)?;
    writeln!(out, r#" "traceEvents":["#)?;
    let mut first = true;
    for l in launches(profile) {
        if !first {
            writeln!(out, ",")?;
        }
        first = false;
        write!(
            out,
            r#"  {{"ph":"X","cat":"kernel","name":"{}","pid":0,"tid":7,"ts":{},"dur":{},
   "args":{{"External id":{n},"device":0,"stream":7,"correlation":{n},
    "registers per thread":{},"shared memory":{},"grid":[{},1,1],"block":[{},1,1]}}}}"#,
            l.name,
            microseconds(l.start),
            microseconds(l.end - l.start),
            l.registers + l.accumulation,
            l.shared,
            l.dispatch.grid[0],
            l.threads,
            n = l.number,
        )?;
    }
    writeln!(out, "\n ]}}")
}
