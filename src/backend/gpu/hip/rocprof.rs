//! AMD's profiler for the very run that is on the screen: commands to copy.
//!
//! HBM traffic is counted as requests between the L2 and memory (TCC), whose
//! names and sizes differ between architectures. The formulas are those of
//! rocprof-compute (`roofline_calc.py`); a command holds as many counters as
//! one pass of the hardware takes.

/// A command and what it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// What comes out.
    pub what: String,
    /// The command, a piece a line; all but the last end with a backslash.
    pub lines: Vec<String>,
}

/// Requests of one direction, by architecture.
struct Counters {
    /// What one pass counts.
    names: &'static [&'static str],
    /// Bytes, of the names.
    bytes: &'static str,
}

const CDNA12: [Counters; 2] = [
    Counters {
        names: &["TCC_EA_RDREQ_sum", "TCC_EA_RDREQ_32B_sum"],
        bytes: "64 * RDREQ - 32 * RDREQ_32B",
    },
    Counters {
        names: &["TCC_EA_WRREQ_sum", "TCC_EA_WRREQ_64B_sum"],
        bytes: "32 * WRREQ + 32 * WRREQ_64B",
    },
];

const CDNA3: [Counters; 2] = [
    Counters {
        names: &[
            "TCC_EA0_RDREQ_sum",
            "TCC_EA0_RDREQ_32B_sum",
            "TCC_BUBBLE_sum",
        ],
        bytes: "64 * RDREQ - 32 * RDREQ_32B + 64 * BUBBLE",
    },
    Counters {
        names: &["TCC_EA0_WRREQ_sum", "TCC_EA0_WRREQ_64B_sum"],
        bytes: "32 * WRREQ + 32 * WRREQ_64B",
    },
];

/// What every architecture has: sums that the profiler makes itself.
const ANY: [Counters; 2] = [
    Counters {
        names: &["FETCH_SIZE"],
        bytes: "1024 * FETCH_SIZE",
    },
    Counters {
        names: &["WRITE_SIZE"],
        bytes: "1024 * WRITE_SIZE",
    },
];

/// Architectures whose counters differ, each by one that stands for it.
pub const KINDS: [&str; 3] = ["gfx90a", "gfx942", "gfx1100"];

/// The counters of an architecture, and which others have them.
fn counters(arch: &str) -> (&'static [Counters; 2], &'static str) {
    match arch {
        "gfx908" | "gfx90a" => (&CDNA12, "gfx908, gfx90a"),
        _ if arch.starts_with("gfx94") => (&CDNA3, "gfx940 to gfx942"),
        _ => (&ANY, "any architecture"),
    }
}

/// What the passes of a forward count that give the bytes read, and those written.
pub fn passes(arch: &str) -> [&'static [&'static str]; 2] {
    let (groups, _) = counters(arch);
    groups.each_ref().map(|group| group.names)
}

/// Commands for a run on a device of `arch`; `run` is the program with its
/// arguments.
pub fn commands(arch: &str, run: &str) -> Vec<Profile> {
    let command = |what: String, wanted: &str| Profile {
        what,
        lines: vec![
            "rocprofv3 \\".to_owned(),
            format!("  {wanted} \\"),
            "  --output-format csv -d out -- \\".to_owned(),
            format!("  {run}"),
        ],
    };
    let mut all = vec![command(
        "every kernel, with its time".to_owned(),
        "--kernel-trace --stats",
    )];
    let (groups, of) = counters(arch);
    for (side, group) in ["read from", "written to"].into_iter().zip(groups) {
        all.push(command(
            format!("bytes {side} memory, {of}: {}", group.bytes),
            &format!("--pmc {}", group.names.join(" ")),
        ));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of one direction by the formula, for counters in the order of their
    /// names.
    fn evaluate(group: &Counters, values: &[i64]) -> i64 {
        let value = |word: &str| {
            let at = group.names.iter().position(|name| {
                let bare = name.trim_end_matches("_sum");
                bare == word || bare.ends_with(&format!("_{word}")) && !word.is_empty()
            });
            at.map_or_else(|| word.parse().unwrap(), |at| values[at])
        };
        let mut sum = 0;
        let mut sign = 1;
        let mut factor = 1;
        for word in group.bytes.split(' ') {
            match word {
                "+" => sign = 1,
                "-" => sign = -1,
                "*" => {}
                word if word.parse::<i64>().is_ok() => factor = value(word),
                word => sum += sign * factor * value(word),
            }
        }
        sum
    }

    #[test]
    fn the_formulas_are_those_of_rocprof_compute() {
        // gfx90a: 32·RDREQ_32B + 64·(RDREQ − RDREQ_32B), and
        // 64·WRREQ_64B + 32·(WRREQ − WRREQ_64B).
        let (all, small) = (1000, 40);
        let read = 32 * small + 64 * (all - small);
        assert_eq!(evaluate(&counters("gfx90a").0[0], &[all, small]), read);
        let (all, large) = (500, 470);
        let written = 64 * large + 32 * (all - large);
        assert_eq!(evaluate(&counters("gfx908").0[1], &[all, large]), written);
        // gfx942: 128·BUBBLE + 32·RDREQ_32B + 64·(RDREQ − BUBBLE − RDREQ_32B).
        let (all, small, bubble) = (1000, 40, 300);
        let read = 128 * bubble + 32 * small + 64 * (all - bubble - small);
        assert_eq!(
            evaluate(&counters("gfx942").0[0], &[all, small, bubble]),
            read
        );
    }

    #[test]
    fn a_command_is_whole_and_fits_a_narrow_terminal() {
        for arch in KINDS {
            for profile in commands(arch, "tinyllama-tutor run --backend hip --version v2") {
                let (last, first) = profile.lines.split_last().unwrap();
                assert!(first.iter().all(|line| line.ends_with(" \\")));
                assert!(!last.ends_with('\\'));
                assert!(profile.lines.iter().all(|line| line.len() < 78), "{arch}");
            }
        }
        let other = &commands("gfx1030", "x")[1];
        assert!(other.lines[1].contains("FETCH_SIZE"));
    }
}
