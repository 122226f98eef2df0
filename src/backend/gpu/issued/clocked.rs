//! Clocks by instrumentation: PTX text in, the same text out, in which thread 0 of every
//! block leaves when it began and ended, and on which multiprocessor.
//!
//! The kernel takes two parameters more: the address of a record per block ([`RECORD`]
//! bytes: begin and end by the device's clock in nanoseconds, each followed by the
//! multiprocessor's own clock in cycles, then the multiprocessor), and that of the stamps
//! which a kernel compiled with `CLOCKS` leaves inside (`tile/block_ring.cu`): its array is
//! put there in place of its own.

use super::IssuedError;
use super::scan::entry;

/// Bytes that a block leaves.
pub const RECORD: u64 = 40;

/// Stamps of a block, 8 bytes each (STAMPS of `tile/block_ring.cu`).
pub const STAMPS: u64 = 512;

/// The array that they are left in there.
const ARRAY: &str = ", stamps;";

/// Registers of our own, and what a block leaves when it begins.
const BEGIN: &str = "\
\t.reg .b64 %trace_at, %trace_time, %trace_clock, %trace_stamps;
\t.reg .b32 %trace_a, %trace_b, %trace_c;
\t.reg .pred %trace_is, %trace_go;
";

fn begins(name: &str) -> String {
    format!(
        "\n{BEGIN}\
\tld.param.u64 %trace_at, [{name}_param_trace];
\tld.param.u64 %trace_stamps, [{name}_param_stamps];
\tmov.u32 %trace_a, %ctaid.z;
\tmov.u32 %trace_b, %nctaid.y;
\tmov.u32 %trace_c, %ctaid.y;
\tmad.lo.u32 %trace_a, %trace_a, %trace_b, %trace_c;
\tmov.u32 %trace_b, %nctaid.x;
\tmov.u32 %trace_c, %ctaid.x;
\tmad.lo.u32 %trace_a, %trace_a, %trace_b, %trace_c;
\tmov.u32 %trace_c, %tid.x;
\tsetp.eq.u32 %trace_is, %trace_c, 0;
\tmul.wide.u32 %trace_time, %trace_a, {RECORD};
\tadd.u64 %trace_at, %trace_at, %trace_time;
\tmov.u32 %trace_c, %smid;
\tcvt.u64.u32 %trace_time, %trace_c;
\t@%trace_is st.global.u64 [%trace_at+32], %trace_time;
\tmov.u64 %trace_time, %globaltimer;
\tmov.u64 %trace_clock, %clock64;
\t@%trace_is st.global.u64 [%trace_at], %trace_time;
\t@%trace_is st.global.u64 [%trace_at+8], %trace_clock;
"
    )
}

/// What stands in front of an end that is taken where `guard` holds.
fn ends(guard: &str) -> String {
    let go = match guard.strip_prefix('@') {
        None => "mov.pred %trace_go, %trace_is;".to_owned(),
        Some(guard) => match guard.strip_prefix('!') {
            None => format!("and.pred %trace_go, %trace_is, {guard};"),
            Some(not) => {
                format!("not.pred %trace_go, {not};\n\tand.pred %trace_go, %trace_go, %trace_is;")
            }
        },
    };
    format!(
        "{go}
\tmov.u64 %trace_time, %globaltimer;
\tmov.u64 %trace_clock, %clock64;
\t@%trace_go st.global.u64 [%trace_at+16], %trace_time;
\t@%trace_go st.global.u64 [%trace_at+24], %trace_clock;
\t"
    )
}

/// The text with clocks in kernel `name`.
///
/// # Errors
/// No such kernel.
pub fn clocked(text: &str, name: &str) -> Result<String, IssuedError> {
    let found = entry(text, name)?;
    let mut out = String::with_capacity(text.len() + 4096);
    let comma = if found.has_parameters { "," } else { "" };
    out.push_str(text.get(..found.parameters).unwrap_or_default());
    out.push_str(&format!(
        "{comma}\n\t.param .u64 {name}_param_trace,\n\t.param .u64 {name}_param_stamps\n"
    ));
    out.push_str(text.get(found.parameters..found.body).unwrap_or_default());
    out.push_str(&begins(name));
    let mut done = found.body;
    for statement in &found.statements {
        if matches!(statement.opcode, "ret" | "exit") {
            out.push_str(text.get(done..statement.start).unwrap_or_default());
            out.push_str(&ends(statement.guard));
            done = statement.start;
        }
    }
    out.push_str(text.get(done..).unwrap_or_default());
    Ok(out.replace(ARRAY, ", %trace_stamps;"))
}

/// Whether a text has stamps in it.
pub fn has_stamps(text: &str) -> bool {
    text.contains(ARRAY)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(body: &str) -> String {
        format!(
            ".version 8.8\n.target sm_90a\n.address_size 64\n\n.visible .entry k(\n\t.param .u64 k_param_0\n)\n.maxntid 256, 1, 1\n{{\n\t.reg .pred \t%p<3>;\n{body}\n\tret;\n}}\n"
        )
    }

    #[test]
    fn every_end_is_stamped_under_its_own_condition() {
        let text = clocked(&kernel("\t@%p1 ret;\n\t@!%p2 exit;"), "k").unwrap();
        assert!(text.contains(".param .u64 k_param_0\n,\n\t.param .u64 k_param_trace,"));
        // Three ends and one begin read the clock.
        assert_eq!(text.matches("%globaltimer;").count(), 4);
        assert!(text.contains("and.pred %trace_go, %trace_is, %p1;"));
        assert!(text.contains("not.pred %trace_go, %p2;"));
        assert!(text.contains("mov.pred %trace_go, %trace_is;"));
        // What is stamped stands in front of the end that it belongs to.
        let stamped = text.find("and.pred %trace_go, %trace_is, %p1;").unwrap();
        assert!(stamped < text.find("@%p1 ret;").unwrap());
    }

    #[test]
    fn stamps_go_where_they_are_read_from() {
        let text = kernel("\tmov.u64 %rd1, stamps;\n\tst.global.u64 [%rd1], %rd2;");
        assert!(has_stamps(&text));
        let text = clocked(&text, "k").unwrap();
        assert!(text.contains("mov.u64 %rd1, %trace_stamps;"));
        assert!(!has_stamps(&text) && !has_stamps(&kernel("")));
        assert!(clocked(&text, "other").is_err());
    }

    /// One kernel of each file with clocks in it, by NVIDIA's assembler (`PTXAS`); Hopper's
    /// block kernel with its stamps, where NVRTC is here.
    #[test]
    #[cfg(feature = "cuda")]
    fn what_comes_out_assembles() {
        use crate::gpu::compile::{Form, PREBUILT, compile};
        use crate::gpu::cuda::Nvrtc;
        use std::process::Command;

        let Ok(ptxas) = std::env::var("PTXAS") else {
            eprintln!("skipped: PTXAS names no assembler");
            return;
        };
        let folder = tempfile::tempdir().unwrap();
        let assembles = |text: &str, entry: &str, arch: &str| {
            let file = folder.path().join("kernel.ptx");
            // What was compiled ahead names a version that old drivers take.
            let (head, rest) = text.split_once(".version ").unwrap();
            let rest = rest.split_once('\n').unwrap().1;
            let text = format!("{head}.version 8.8\n{rest}");
            std::fs::write(&file, clocked(&text, entry).unwrap()).unwrap();
            let made = Command::new(&ptxas)
                .args(["-arch", arch, "-O1", "-o", "/dev/null"])
                .arg(&file)
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&made.stderr).into_owned();
            assert!(made.status.success(), "{entry} for {arch}: {said}");
        };
        let mut seen = Vec::new();
        for (unit, arch) in crate::gpu::units::compiled_ahead() {
            let file = (unit.files.last().copied(), arch);
            let Some(found) = PREBUILT.find(&unit, &[arch]) else {
                continue;
            };
            if !seen.contains(&file) {
                seen.push(file);
                assembles(&found.ptx, unit.entry, arch);
            }
            if let (Ok(nvrtc), true) = (Nvrtc::find(12), unit.files.contains(&"hopper/block.cu"))
                && !seen.contains(&(None, arch))
            {
                seen.push((None, arch));
                let unit = unit.define("CLOCKS", 1);
                let built = compile(nvrtc, None, &unit, arch, Form::Assembly).unwrap();
                let text = String::from_utf8(built.image).unwrap();
                assert!(has_stamps(&text));
                assembles(&text, unit.entry, arch);
            }
        }
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(seen.len() > 20, "{}", seen.len());
    }
}
