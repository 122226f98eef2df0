//! Without a terminal: piped, closed, full.

use std::process::Stdio;

use crate::program::Home;

#[test]
fn piped_output_without_a_subcommand_is_the_contents() {
    let home = Home::new();
    for line in ["", "--plain"] {
        let ran = home.line(line);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        for needle in ["07-v1-census", "19-one-kernel-per-block", "0 of ", "--help"] {
            assert!(ran.out.contains(needle), "no “{needle}” in {}", ran.out);
        }
        assert!(!ran.out.contains('\u{1b}'));
    }
    let lessons = home.line("--json").json();
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/lessons"));
    assert_eq!(
        lessons["lessons"].as_array().unwrap().len(),
        // paths.toml lies beside the lessons.
        files
            .unwrap()
            .flatten()
            .filter(|file| file.path().extension().is_some_and(|ext| ext == "md"))
            .count()
    );
}

#[cfg(target_os = "linux")]
#[test]
fn with_a_screen_and_no_keyboard_it_says_so() {
    use std::os::fd::{FromRawFd, OwnedFd};
    let (mut ours, mut theirs) = (0, 0);
    // SAFETY: openpty writes two descriptors into the places it is given; null
    // leaves name, modes and size as they are. Each descriptor is then owned once.
    let (_ours, theirs) = unsafe {
        let made = libc::openpty(
            &mut ours,
            &mut theirs,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            std::ptr::null_mut(),
        );
        assert_eq!(made, 0);
        (OwnedFd::from_raw_fd(ours), OwnedFd::from_raw_fd(theirs))
    };
    let home = Home::new();
    let output = home
        .command()
        .stdout(Stdio::from(theirs))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
        .wait_with_output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(
        said.contains("there is no terminal to read keys from"),
        "{said}"
    );
}

#[test]
fn a_reader_that_has_gone_is_no_error() {
    let home = Home::new();
    for line in [
        "cost --json",
        "show 7",
        "--help",
        "completions bash",
        "lessons",
        "",
    ] {
        let mut child = home
            .command()
            .args(line.split_whitespace())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            (output.status.code(), said.as_str()),
            (Some(0), ""),
            "{line}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let home = Home::new();
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = home.command().arg("cost").stdout(full).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(said.contains("standard output cannot be written"), "{said}");
}

#[test]
fn ascii_holds_nothing_else() {
    let home = Home::new();
    let lines = [
        "cost --ascii",
        "cost --ascii --plain",
        "cost --ascii --why forward.flops",
        "compare --ascii",
        "compare --ascii --plain v1 v4",
        "run --ascii --seq 8 --runs 1",
        "gpus --ascii",
        "gpus mi300x --ascii",
        "profile --sample nsys --ascii",
        "show 22 --ascii",
        "lessons --ascii",
        "exercises --ascii",
        "show 2 --ascii",
        "show 9 --ascii",
        "show 19 --ascii",
        "check --all --ascii",
        "check ex1 --answer block=banana --ascii",
        "hint ex33 --ascii",
        "solution ex2 --give-up --ascii",
        "doctor --ascii",
        "--ascii",
    ];
    for line in lines {
        let ran = home.line(line);
        let odd: Vec<&str> = ran.out.lines().filter(|l| !l.is_ascii()).collect();
        assert!(odd.is_empty() && ran.code <= 1, "{line}: {odd:?}");
    }
}

#[test]
fn plain_has_no_boxes_and_no_control_characters() {
    let home = Home::new();
    for line in [
        "cost",
        "compare v1 v4",
        "check ex1",
        "show 7",
        "doctor",
        "lessons",
    ] {
        let ran = home.line(&format!("{line} --plain"));
        let odd = |c: char| ('\u{2500}'..'\u{2600}').contains(&c) || c.is_control() && c != '\n';
        assert!(!ran.out.contains(odd), "{line}: {}", ran.out);
    }
    let spoken = home.line("cost --plain --fuse qkv").out;
    let second = spoken.lines().nth(2).unwrap();
    assert!(
        second.starts_with("kernel 2 of 15: q k v, one launch, "),
        "{second}"
    );
    assert!(
        second.ends_with("36.57 FLOP per byte, compute-bound."),
        "{second}"
    );
}
