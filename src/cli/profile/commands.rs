//! `run --profile`: the vendor's profiler around the very run that was typed,
//! ready to copy.

use crate::cli::Outcome;
use crate::cli::counters::METRICS;
use crate::cli::failure::Failure;
use crate::cli::out::Out;
use plan::run::BackendKind;

/// What the run itself must not be asked again.
const OPTION: &str = "--profile";

/// A command and what comes out of it.
struct Command {
    what: String,
    /// A piece a line; all but the last end with a backslash.
    lines: Vec<String>,
}

/// Prints the commands for a run on `backend`.
pub(in crate::cli) fn commands(backend: BackendKind, json: bool, out: &mut Out) -> Outcome {
    let run = words(std::env::args());
    let all = match backend {
        BackendKind::Cuda => nvidia(&run),
        BackendKind::Hip => amd(&run)?,
        _ => {
            return Err(Failure::usage(
                "--profile is for a GPU: name it with --backend cuda or hip",
            ));
        }
    };
    if json {
        let list: Vec<_> = all
            .iter()
            .map(|c| serde_json::json!({ "what": c.what, "command": joined(&c.lines) }))
            .collect();
        out.json(&serde_json::json!({ "schema": 1, "profiles": list }));
        return Ok(0);
    }
    for (index, command) in all.iter().enumerate() {
        if index > 0 {
            out.gap();
        }
        out.line(format!("# {}", command.what));
        out.lines(command.lines.clone());
    }
    Ok(0)
}

/// NVIDIA's two. The kernels run in a child process, which both follow.
fn nvidia(run: &str) -> Vec<Command> {
    let command = |what: &str, first: &str| Command {
        what: what.to_owned(),
        lines: vec![format!("{first} \\"), format!("  {run}")],
    };
    vec![
        command(
            "every kernel, with its time",
            "nsys profile --stats=true -o forward",
        ),
        Command {
            what: "bytes read from and written to DRAM, per kernel".to_owned(),
            lines: vec![
                "ncu --target-processes all --csv --print-units base \\".to_owned(),
                format!("  --metrics {} \\", METRICS.join(",")),
                format!("  {run}"),
            ],
        },
    ]
}

/// AMD's one; counters have other names on other architectures.
#[cfg(feature = "hip")]
fn amd(run: &str) -> Result<Vec<Command>, Failure> {
    use backend::gpu::hip::rocprof;
    let mut all: Vec<Command> = Vec::new();
    for arch in rocprof::KINDS {
        for profile in rocprof::commands(arch, run) {
            // The trace is the same everywhere.
            if !all.iter().any(|c| c.lines == profile.lines) {
                all.push(Command {
                    what: profile.what,
                    lines: profile.lines,
                });
            }
        }
    }
    Ok(all)
}

#[cfg(not(feature = "hip"))]
fn amd(_: &str) -> Result<Vec<Command>, Failure> {
    Err(Failure::lacking(
        "this build has no hip backend (Cargo feature hip)",
    ))
}

/// A command as one line.
fn joined(lines: &[String]) -> String {
    let bare: Vec<&str> = lines
        .iter()
        .map(|line| line.trim().trim_end_matches(" \\"))
        .collect();
    bare.join(" ")
}

/// The command line as typed, without the option that asks for this.
fn words(typed: impl Iterator<Item = String>) -> String {
    let words: Vec<String> = typed
        .filter(|word| word != OPTION)
        .map(|word| quoted(&word))
        .collect();
    words.join(" ")
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_is_given_back_as_a_shell_takes_it() {
        let typed = ["./tt", "run", "--profile", "--groups", "norm1|q k", "it's"];
        assert_eq!(
            words(typed.into_iter().map(str::to_owned)),
            r"./tt run --groups 'norm1|q k' 'it'\''s'"
        );
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn a_command_in_pieces_is_one_command() {
        for command in nvidia("tt run --backend cuda") {
            let one = joined(&command.lines);
            assert!(
                !one.contains('\\') && one.ends_with("tt run --backend cuda"),
                "{one}"
            );
        }
    }
}
