//! Against stand-ins for a tool's library, `tests/standin/nvtx.c`, each in a process of its
//! own: the environment decides, and it is read once.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::gpu::native::ranges::Ranges;

/// Compiles the stand-in that behaves as `how` says; its path.
fn standin(folder: &Path, how: &str, file: &str) -> PathBuf {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/standin/nvtx.c");
    let to = folder.join(file);
    let ran = Command::new("cc")
        .args(["-std=c11", "-D_GNU_SOURCE", "-shared", "-fPIC", "-o"])
        .arg(&to)
        .args([&format!("-D{how}"), source])
        .output()
        .expect("a C compiler");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}");
    to
}

/// What was recorded of [`marks_as_the_environment_says`] with such a tool named.
fn recorded(folder: &Path, tool: Option<&Path>) -> Vec<String> {
    let log = folder.join("log");
    let _ = fs::remove_file(&log);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "--ignored", "--nocapture"])
        .arg("gpu::native::nvtx::tests::marks_as_the_environment_says")
        .env_remove(super::VARIABLE)
        .env("LD_LIBRARY_PATH", folder)
        .env("STANDIN_LOG", &log);
    if let Some(tool) = tool {
        command.env(super::VARIABLE, tool);
    }
    let ran = command.output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && said.contains("1 passed"), "{said}");
    let log = fs::read_to_string(log).unwrap_or_default();
    log.lines().map(str::to_owned).collect()
}

/// What [`recorded`] runs: a forward of two kernels.
#[test]
#[ignore = "needs the stand-ins around it"]
fn marks_as_the_environment_says() {
    // Opening a device twice asks no tool twice.
    for ranges in [Ranges::nvtx(), Ranges::nvtx()]
        .into_iter()
        .flatten()
        .take(1)
    {
        for name in [
            Some("forward"),
            Some("block 1: q"),
            None,
            Some("k\0"),
            None,
            None,
        ] {
            ranges.mark(name);
        }
    }
}

/// What reaches a tool, or the library, of these marks. A name cannot hold a zero byte.
const MARKS: [&str; 6] = [
    "push forward",
    "push block 1: q",
    "pop",
    "push ",
    "pop",
    "pop",
];

fn by(who: &str) -> Vec<String> {
    MARKS.iter().map(|mark| format!("{who} {mark}")).collect()
}

#[test]
fn ranges_reach_the_tool_that_the_environment_names_before_the_library() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let tool = standin(at, "RIGHT", "tool.so");
    // The library of CUDA 13 is not there, that of CUDA 12 is the second choice.
    assert_eq!(recorded(at, None), [""; 0]);
    assert_eq!(recorded(at, Some(&tool)), by("tool"));
    standin(at, "LIBRARY", "libnvToolsExt.so.1");
    assert_eq!(recorded(at, Some(&tool)), by("tool"));
    assert_eq!(recorded(at, None), by("library"));
}

#[test]
fn a_tool_that_is_none_refuses_or_wants_no_ranges_does_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let text = at.join("text.so");
    fs::write(&text, "no library").unwrap();
    let mut tools = vec![at.join("nowhere.so"), text, PathBuf::new()];
    for how in ["NO_ENTRY", "REFUSES", "FILLS_NOTHING", "PUSHES_ONLY"] {
        tools.push(standin(at, how, &format!("{how}.so")));
    }
    for tool in &tools {
        assert_eq!(recorded(at, Some(tool)), [""; 0], "{}", tool.display());
    }
    // Then the library is asked, where it is there.
    standin(at, "LIBRARY", "libnvToolsExt.so.1");
    for tool in &tools {
        assert_eq!(
            recorded(at, Some(tool)),
            by("library"),
            "{}",
            tool.display()
        );
    }
}

#[test]
fn a_tool_that_takes_its_functions_back_is_called_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let tool = standin(folder.path(), "LEAVES", "tool.so");
    assert_eq!(
        recorded(folder.path(), Some(&tool)),
        ["tool push forward", "tool push block 1: q", "tool pop"]
    );
}
