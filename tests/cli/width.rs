//! A terminal has 80 columns: what is listed fits into them, and so does what is refused.

use crate::program::Home;

const TERMINAL: usize = 80;

/// What is printed to be copied stays on one line: commands, and words that no line holds.
fn is_copied(line: &str) -> bool {
    line.contains("tinyllama-tutor ") || line.split_whitespace().any(|word| word.len() > 60)
}

#[test]
fn no_line_of_a_listing_is_wider_than_a_terminal() {
    let home = Home::new();
    let mut wide = Vec::new();
    for line in [
        "",
        "lessons",
        "exercises",
        "exercises --document",
        "path",
        "path three-hours",
        "path one-day",
        "path complete",
        "progress",
        "show 00",
        "show 07",
        "show 10",
        "show 26",
        "show ex1",
        "show ex19",
        "show ex35",
        "check ex1",
        "check ex19",
        "check v4-ex1",
        "hint ex1",
        "hint ex35 big",
        "hint ex39 next",
        "hint ex41 7",
        "solution ex50 --give-up",
        "solution ex1 block",
        "cost",
        "cost --version v4",
        "cost --why block.bytes",
        "cost --why block.flops --version v2",
        "cost --why peak --gpu mi300a",
        "cost --model tinyllama-1.1b --seq 1 --context 4096",
        "compare",
        "compare v1 v2 v3 v4 v2eager v3code v3doc five forward",
        "compare --staircase",
        "micro",
        "micro stride",
        "micro resident",
        "gpus",
        "gpus h200",
        "gpus mi300a",
        "kernel",
        "claims",
        "claims K-V2-4060",
        "claims --errata",
        "doctor",
        "study",
        "study list",
        "study plan --no-keep",
        "study ablate --no-keep",
        "study precision --no-keep",
        "study batch-size --no-keep",
        "study occupancy --backend simt --no-keep",
        "study occupancy --gpu mi300a --backend simt --no-keep",
        "study sick --gpu mi300a --backend simt --no-keep",
        "practise launches --seed 1 --count 1",
        "run --seq 2 --runs 1 --gemm library",
        "report",
        "lint",
        "--help",
    ] {
        let ran = home.line(line);
        assert!(ran.code < 2, "{line}: {ran:?}");
        let lines = ran
            .out
            .lines()
            .filter(|said| said.chars().count() > TERMINAL);
        let lines = lines.filter(|said| !is_copied(said));
        wide.extend(lines.map(|said| format!("{line}: {said}")));
    }
    assert_eq!(wide, Vec::<String>::new(), "{wide:#?}");
}

/// A message goes on in the next line where a terminal ends, and stays one line where
/// something else reads it.
#[test]
fn what_is_refused_is_wrapped_in_a_terminal_and_nowhere_else() {
    let home = Home::new();
    home.line("check ex999 --answer block=17 --course nowhere")
        .refused(2, "there is no such course folder");
    let mut command = std::process::Command::new("script");
    let program = env!("CARGO_BIN_EXE_tinyllama-tutor");
    let line = format!("stty cols 80; {program} study host-memory --backend cpu");
    command
        .args(["-qec", &line, "/dev/null"])
        .current_dir(home.path())
        .env("HOME", home.path())
        .env("TERM", "xterm-256color");
    // Not every machine has it.
    let Ok(ran) = command.stdin(std::process::Stdio::null()).output() else {
        return;
    };
    let said = String::from_utf8_lossy(&ran.stdout).replace('\r', "");
    let lines: Vec<&str> = said.lines().filter(|line| !line.is_empty()).collect();
    assert!(said.contains("tinyllama-tutor: "), "{said}");
    assert!(
        lines.iter().all(|line| line.chars().count() < TERMINAL),
        "{said}"
    );
}

#[test]
fn messages_are_ascii_where_that_is_asked_for() {
    let home = Home::new();
    for line in ["check ex99 --ascii", "--ascii chek", "gpus nowhere --ascii"] {
        let ran = home.line(line);
        assert!(ran.code == 2 && ran.err.is_ascii(), "{line}: {}", ran.err);
    }
    assert!(!home.line("check ex99").err.is_ascii());
}
