//! Folders and files that are not as they should be: said in a sentence, and
//! nothing is lost.

use crate::program::Home;

/// Below a file there can be no folder, not even for the superuser.
const NOWHERE: &str = "file/state";

fn with_a_file() -> Home {
    let home = Home::new();
    home.write("file", "not a folder\n");
    home
}

#[test]
fn an_answer_is_graded_though_it_cannot_be_kept() {
    let home = with_a_file();
    let ran = home.line(&format!("check ex1 --answer block=17 --state {NOWHERE}"));
    assert_eq!(ran.code, 2, "graded, and not kept");
    assert!(ran.out.contains("1 right, 11 open."), "{}", ran.out);
    // One sentence per thing that is not kept, with the way out.
    let said: Vec<&str> = ran.err.lines().collect();
    assert_eq!(said.len(), 2, "{}", ran.err);
    assert!(said[0].contains("answers/ex1.toml: cannot be written"));
    assert!(said[1].contains("progress.toml: cannot be written"));
    assert!(
        said.iter().all(|s| s.contains("--state DIR")),
        "{}",
        ran.err
    );
    let hint = home.line(&format!("hint ex1 --state {NOWHERE}"));
    assert_eq!(hint.code, 0);
    assert!(hint.out.contains("hint 1 of 3") && hint.err.lines().count() == 1);
}

#[test]
fn what_must_be_kept_is_refused_where_it_cannot_be() {
    let home = with_a_file();
    home.line(&format!("reset ex1 --state {NOWHERE}"))
        .refused(2, "cannot be written");
    home.line("init file/workshop").refused(2, "file/workshop");
    home.line("init file").refused(2, "cannot be made");
    let doctor = home.line(&format!("doctor --json --state {NOWHERE}"));
    let refused = &doctor.json()["files"]["state_refused"];
    assert_eq!(refused, "a file stands where a folder is needed");
    assert_eq!(
        std::fs::read_to_string(home.path().join("file")).unwrap(),
        "not a folder\n"
    );
}

#[test]
fn reading_needs_no_state_folder() {
    let home = with_a_file();
    for line in [
        "lessons",
        "exercises",
        "progress",
        "show 7",
        "export",
        "doctor",
        "check ex1",
    ] {
        let ran = home.line(&format!("{line} --state {NOWHERE}"));
        assert!(ran.code <= 1 && !ran.out.is_empty(), "{line}: {ran:?}");
        assert_eq!(ran.err, "", "{line}");
    }
    // And none of them made one.
    let fresh = Home::new();
    for line in [
        "lessons",
        "show 7",
        "check ex1",
        "export",
        "doctor",
        "cost",
        "progress",
    ] {
        fresh.line(line);
    }
    assert_eq!(std::fs::read_dir(fresh.path()).unwrap().count(), 0);
}

#[test]
fn a_sheet_that_is_not_toml_stays_as_it_is() {
    let home = Home::new();
    let broken = "block = \"17\"\nproducts = 9\"\n";
    home.write("data/tinyllama-tutor/answers/ex1.toml", broken);
    for line in [
        "check ex1",
        "check ex1 --answer block=3",
        "check --all",
        "reset ex1",
    ] {
        home.line(line).refused(2, "answers/ex1.toml:2:");
        assert_eq!(std::fs::read_to_string(home.sheet("ex1")).unwrap(), broken);
    }
    // The rest is exported all the same.
    let export = home.line("export");
    assert_eq!(export.code, 2);
    assert_eq!(
        export.json()["exercises"][0]["sheet"],
        serde_json::Value::Null
    );
    assert!(export.err.contains("answers/ex1.toml:2:"));
}

#[test]
fn broken_progress_is_set_aside_and_said() {
    let home = Home::new();
    home.write("data/tinyllama-tutor/progress.toml", "lessons = = 3\n");
    let ran = home.line("progress");
    assert_eq!(ran.code, 0);
    assert!(
        ran.err.contains("kept as progress.broken-1.toml"),
        "{}",
        ran.err
    );
    let aside = home
        .path()
        .join("data/tinyllama-tutor/progress.broken-1.toml");
    assert_eq!(std::fs::read_to_string(aside).unwrap(), "lessons = = 3\n");
    assert_eq!(home.line("progress").err, "");
}

#[test]
fn an_export_is_safe_to_paste() {
    let home = Home::new();
    home.args(&["check", "ex1", "--answer", "block=1\u{1b}[31m7\u{202e}"]);
    let ran = home.line("export");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let document = ran.json();
    assert_eq!(document["schema"], 1);
    assert_eq!(document["exercises"][0]["keys"][0]["typed"], "1[31m7");
    let own = home.path().to_str().unwrap();
    assert!(!ran.out.contains(own), "names this machine's folders");
    assert!(!ran.out.contains('\u{1b}') && !ran.out.contains("u001b"));
    assert_eq!(
        document["exercises"][0]["sheet"],
        "~/data/tinyllama-tutor/answers/ex1.toml"
    );
}

#[test]
fn what_another_process_holds_is_not_written() {
    let home = Home::new();
    home.line("check ex1 --answer block=12");
    let state = home.path().join("data/tinyllama-tutor");
    let lock = std::fs::File::open(state.join("lock")).unwrap();
    lock.lock().unwrap();
    let before = std::fs::read(state.join("progress.toml")).unwrap();
    let sheet = std::fs::read(home.sheet("ex1")).unwrap();
    let ran = home.line("check ex1 --answer block=71");
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(
        ran.err.contains("lock: another process has held it"),
        "{}",
        ran.err
    );
    assert_eq!(std::fs::read(state.join("progress.toml")).unwrap(), before);
    assert_eq!(std::fs::read(home.sheet("ex1")).unwrap(), sheet);
    // Once it is let go, all is as before.
    drop(lock);
    assert_eq!(home.line("check ex1 --answer block=71").code, 1);
}

#[test]
fn what_a_newer_program_wrote_is_read_and_left_alone() {
    let home = Home::new();
    let newer = "version = 99\nnews = 1\n[lessons.00-welcome]\nread = [\"x\"]\n";
    home.write("data/tinyllama-tutor/progress.toml", newer);
    home.write("theirs.toml", newer);
    for (line, code) in [
        ("check ex1 --answer block=17", 2),
        ("progress", 0),
        ("reset ex1", 2),
        ("progress import theirs.toml", 2),
    ] {
        let ran = home.line(line);
        assert_eq!(ran.code, code, "{line}: {ran:?}");
        assert!(ran.err.contains("version 99"), "{line}: {}", ran.err);
    }
    let path = home.path().join("data/tinyllama-tutor/progress.toml");
    assert_eq!(std::fs::read_to_string(path).unwrap(), newer);
}

#[test]
fn logits_replace_nothing_and_follow_the_umask() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let home = Home::new();
    let run = "run --seq 2 --runs 0 --no-check --logits";
    home.write("other", "");
    let mode = |name: &str| {
        let data = std::fs::metadata(home.path().join(name)).unwrap();
        data.permissions().mode()
    };
    assert_eq!(home.line(&format!("{run} new.npy")).code, 0);
    assert_eq!(mode("new.npy"), mode("other"));
    home.write("old.npy", "old");
    symlink("old.npy", home.path().join("link.npy")).unwrap();
    home.line(&format!("{run} link.npy"))
        .refused(2, "was left as it is");
    assert_eq!(std::fs::read(home.path().join("old.npy")).unwrap(), b"old");
    let link = std::fs::symlink_metadata(home.path().join("link.npy")).unwrap();
    assert!(link.is_symlink());
}
