//! Three kernels, their sources and tables, and what the SIMT machine counts of one.

use std::sync::Arc;

use tinyllama_tutor::app::book::{Book, Compiled, Kernel, Torch, Wanted};
use tinyllama_tutor::app::source::Source;
use tinyllama_tutor::cost::GpuDatabase;
use tinyllama_tutor::fusion::Plan;
use tinyllama_tutor::model::{Graph, OpKind};
use tinyllama_tutor::run::{
    BackendKind, BytesReport, KernelReport, LineReport, Report, Request, WorkReport,
};

const SILU: &str = "\
// silu: sg = g / (1 + exp(-g)), an element per thread.
KERNEL void silu(const elem *__restrict__ g, elem *__restrict__ sg, long n) {
    long i = thread_index();
    if (i < n) sg[i] = to_elem(silu_of(to_float(g[i])));
}
";

const MUL: &str = "\
// mul: m = sg * u.
KERNEL void mul(const elem *__restrict__ sg, const elem *__restrict__ u, elem *__restrict__ m, long n) {
    long i = thread_index();
    if (i < n) m[i] = to_elem(to_float(sg[i]) * to_float(u[i]));
}
";

const SILU_MUL: &str = "\
// silu_mul: m = silu(g) * u in one kernel.
KERNEL void silu_mul(const elem *__restrict__ g, const elem *__restrict__ u, elem *__restrict__ m, long n) {
    long i = thread_index();
    if (i >= n) return;
    // idea kept-inside: silu(g) lives in a register for one multiplication;
    // its tensor is neither written nor read.
    float s = silu_of(to_float(g[i]));
    m[i] = to_elem(s * to_float(u[i]));
    // end kept-inside
}
";

const SILU_MUL_TORCH: &str = "\
from torch.nn import functional


def silu_mul(g, u):
    \"\"\"silu mul: g u -> m

    What silu wrote, mul reads.
    \"\"\"
    sg = functional.silu(g)
    return sg * u
";

fn sources() -> Vec<Source> {
    let other = (1..60).map(|n| format!("line {n};\n")).collect::<String>();
    vec![
        Source::parse("silu.cu", SILU),
        Source::parse("mul.cu", MUL),
        Source::parse("silu_mul.cu", SILU_MUL),
        Source::parse("prefix/base.cu", &other),
    ]
}

/// What is looked up outside, without a catalogue.
pub(super) fn book(wanted: &Wanted) -> Book {
    let graph = Graph::of(&wanted.config.model, &wanted.config.shape).unwrap();
    let plan = Plan::new(&graph, wanted.config.effective_cut(), false);
    let kernel = |ops: Vec<OpKind>| {
        let (own, entry) = match ops.as_slice() {
            [OpKind::Silu] => (0, "silu"),
            [OpKind::Mul] => (1, "mul"),
            [OpKind::Silu, OpKind::Mul] => (2, "silu_mul"),
            _ => (3, "other"),
        };
        Kernel {
            ops,
            entry: entry.to_owned(),
            defines: "BF16=0".to_owned(),
            files: vec![own, 3],
            blocks: "256".to_owned(),
            threads: 256,
            shared: 20_480,
            cooperative: false,
            compiled: (own == 2).then(|| Compiled {
                compiler: "NVRTC 12.9".to_owned(),
                registers: 40,
                shared: 0,
                spilled: 0,
            }),
            ptx: (own == 2).then(|| Arc::from(".version 8.7\n// a comment\nret;\n")),
            torch: (own == 2).then(|| Torch {
                function: "silu_mul".to_owned(),
                line: 3,
                ops: 2,
                sources: vec![
                    Source::parse("torch/silu_mul.py", SILU_MUL_TORCH),
                    Source::parse("torch/silu.py", "def silu(g):\n    return g\n"),
                ],
            }),
        }
    };
    Book {
        gpu: GpuDatabase::embedded()
            .unwrap()
            .get(&wanted.gpu)
            .unwrap()
            .clone(),
        arch: "sm_90a".to_owned(),
        sources: sources(),
        kernels: plan
            .kernels
            .iter()
            .map(|k| kernel(k.op_kinds(&graph).collect()))
            .collect(),
    }
}

/// What the SIMT machine would answer: the figures of one kernel, made up so
/// that each column shows something.
pub(super) fn counted(request: &Request) -> Report {
    assert_eq!(request.backend, BackendKind::Simt);
    assert!(request.count_lines && request.count_bytes);
    let work = WorkReport {
        instructions: 24_576,
        lanes: 24_576 * 32,
        flops: 655_360,
        bytes: 786_432,
        requests: 6_144,
        sectors: 24_576,
        ideal_sectors: 24_576,
        branches: 2_048,
        divergent: 16,
        ..WorkReport::default()
    };
    let line = |line, work| LineReport {
        file: "silu_mul.cu".to_owned(),
        line,
        work,
    };
    let bytes = BytesReport {
        modelled: Some(786_432),
        issued: Some(786_432),
        compulsory: Some(786_432),
        estimated_dram: Some(786_432),
        behind: None,
        measured_dram: None,
        l2: None,
    };
    Report {
        bytes,
        kernels: vec![KernelReport {
            name: "block 0: silu+mul".to_owned(),
            ops: vec!["silu".to_owned(), "mul".to_owned()],
            bytes,
            buffers: vec![],
            work: Some(work),
            lines: vec![
                line(
                    4,
                    WorkReport {
                        instructions: 4_096,
                        branches: 2_048,
                        divergent: 16,
                        ..WorkReport::default()
                    },
                ),
                line(
                    7,
                    WorkReport {
                        instructions: 14_336,
                        bytes: 262_144,
                        requests: 2_048,
                        sectors: 8_192,
                        ideal_sectors: 8_192,
                        ..WorkReport::default()
                    },
                ),
                line(
                    8,
                    WorkReport {
                        instructions: 6_144,
                        bytes: 524_288,
                        requests: 4_096,
                        sectors: 16_384,
                        ideal_sectors: 16_384,
                        ..WorkReport::default()
                    },
                ),
            ],
        }],
        ..Report::bare("simt", "SIMT machine", 47)
    }
}
