//! The terminal is borrowed: what happens to it on every way in and out.

use std::time::Duration;

use crate::support::pty::Pty;

#[test]
fn q_leaves_and_gives_the_terminal_back() {
    let mut p = Pty::open(&[], 80, 24);
    p.wait_for("? help");
    assert!(p.alternate() && p.cursor_hidden());
    p.press("q");
    p.wait_until("the normal screen", |_| !p.alternate());
    assert!(!p.cursor_hidden());
    assert_eq!(p.exit().0, 0);
}

#[test]
fn the_workshop_opens_with_the_setup_that_was_asked_for() {
    let mut p = Pty::open(&["--model", "small", "--batch", "2"], 80, 24);
    p.wait_for("? help");
    p.press("\r");
    p.wait_for("small B2 S128 fp32");
    p.press("q");
    assert_eq!(p.exit().0, 0);
}

#[test]
fn a_lesson_on_a_terminal_keeps_the_guesses_as_the_workshop_does() {
    let open = |state| Pty::open_in(state, &["show", "02", "2"], &[], 100, 60);
    let mut p = open(tempfile::tempdir().unwrap());
    p.wait_for("How many FLOPs does q take?");
    p.wait_for("Type your number");
    // The second question waits for the first.
    assert!(!p.settled().contains("And k?"));
    p.press("abc\r");
    p.wait_for("A number is expected where “abc” stands.");
    p.press("16 MFLOP\r");
    p.wait_for("And k?");
    p.press("\r");
    // 2 · 128 · 256 · 256 operations.
    p.wait_for("to question 2 you said I do not know");
    p.wait_for("to question 1 you said 16 MFLOP");
    p.wait_for("it is 16,777,216 FLOP");
    let (code, state) = p.exit();
    assert_eq!(code, 0);
    let kept = std::fs::read_to_string(state.path().join("tinyllama-tutor/progress.toml"));
    assert!(kept.unwrap().contains("16 MFLOP | "));
    // What was guessed is not asked again.
    let p = open(state);
    p.wait_for("to question 2 you said I do not know");
    assert_eq!(p.exit().0, 0);
}

#[test]
fn ctrl_c_twice_leaves_with_130() {
    let mut p = Pty::open(&[], 80, 24);
    p.wait_for("? help");
    p.press("\x03");
    p.wait_for("Ctrl-C again leaves");
    // Within two seconds; on a machine that lets them pass, these are two of their own.
    p.press("\x03\x03");
    assert_eq!(p.exit().0, 130);
}

#[test]
fn sigterm_gives_the_terminal_back() {
    let p = Pty::open(&[], 80, 24);
    p.wait_for("? help");
    p.signal("TERM");
    p.wait_until("the normal screen", |_| !p.alternate());
    assert_eq!(p.exit().0, 143);
}

/// Not a test of its own: what [`a_panic_gives_the_terminal_back`] starts.
#[test]
#[ignore = "started in a terminal by another test"]
fn take_the_terminal_and_panic() {
    let _terminal = tinyllama_tutor::tui::terminal::Terminal::take().unwrap();
    panic!("a defect, for the sake of the test");
}

#[test]
fn a_panic_gives_the_terminal_back() {
    let itself = std::env::current_exe().unwrap();
    let args = [
        "--ignored",
        "--exact",
        "--nocapture",
        "terminal::take_the_terminal_and_panic",
    ];
    let state = tempfile::tempdir().unwrap();
    let p = Pty::start(&itself, state, &args, &[], (80, 24));
    // The words come after the alternate screen is left, so they can be read.
    p.wait_for("a defect, for the sake of the test");
    assert!(!p.alternate() && !p.cursor_hidden());
    let raw = String::from_utf8_lossy(&p.raw()).into_owned();
    let entered = raw.find("\x1b[?1049h").expect("the alternate screen");
    let left = raw.find("\x1b[?1049l").expect("the way back");
    let said = raw.find("a defect").expect("the panic's words");
    assert!(entered < left && left < said);
    assert_ne!(p.exit().0, 0);
}

#[test]
fn nothing_is_written_at_rest_on_any_page_of_a_large_terminal() {
    let mut p = Pty::open(&[], 200, 60);
    p.wait_for("? help");
    p.press("\r");
    // Lesson, lab, its trips, a fusion that falls, compare, roofline, kernel, exercises and a
    // form, claims, doctor, contents, practice, glossary, setup, help.
    let pages = [
        "", "L", "t", "t", " ", "c", "x", "K", "e", "\r", "\x1b", "C", "D", "H", "t", "\x1b", "*",
        "\x1b", "p", "\x1b", "?",
    ];
    for (at, keys) in pages.iter().enumerate() {
        p.press(keys);
        rests(&p, Duration::from_millis(400), &format!("page {at}"));
    }
    // Why a number, the palette, a field on the roofline, and studies.
    let mut before = "moving";
    for (keys, says) in [
        ("L\t=", "Why this number"),
        (":", "Tab complete"),
        ("xi", "FLOP/B: ▌"),
        ("S", "Enter shows what can be set."),
    ] {
        // What is pressed behind Esc at once would be one key with it.
        p.press("\x1b");
        p.wait_gone(before);
        p.press(keys);
        p.wait_for(says);
        rests(&p, Duration::from_millis(400), says);
        before = says;
    }
}

#[test]
fn nothing_is_written_while_nothing_changes() {
    let p = Pty::open(&[], 80, 24);
    p.wait_for("? help");
    rests(&p, Duration::from_millis(1500), "the first page");
}

/// The screen comes to stay as it is for so long. What the machine has and what the course
/// holds is found after the first page, late on a busy machine, and each is a change, be it
/// of a colour. Where nothing changes, not a byte may be written.
#[track_caller]
fn rests(p: &Pty, still: Duration, page: &str) {
    let rested = (0..8).any(|_| {
        p.settled();
        let (look, before) = (p.look(), p.bytes());
        std::thread::sleep(still);
        let written = p.raw().split_off(before);
        assert!(
            written.is_empty() || p.look() != look,
            "{page}: {:?}",
            String::from_utf8_lossy(&written)
        );
        written.is_empty()
    });
    assert!(rested, "{page} never comes to rest:\n{}", p.screen());
}

#[test]
fn a_size_that_comes_with_a_key_is_not_lost() {
    let mut p = Pty::open(&[], 80, 24);
    p.wait_for("? help");
    for round in 0..60 {
        // The key and the size arrive together, in both orders.
        let (columns, rows) = if round % 2 == 0 { (50, 8) } else { (80, 24) };
        if round % 4 < 2 {
            p.press("\x1b[B");
            p.resize(columns, rows);
        } else {
            p.resize(columns, rows);
            p.press("\x1b[A");
        }
        match rows {
            8 => p.wait_for("This terminal has 50 columns"),
            _ => p.wait_for("? help"),
        };
    }
    p.press("q");
    assert_eq!(p.exit().0, 0);
}

#[test]
fn a_key_that_comes_with_a_size_is_not_lost() {
    let mut p = Pty::open(&[], 80, 24);
    p.wait_for("? help");
    for round in 0..60 {
        let (key, page) = [("3", "3 Lab"), ("4", "4 Compare")][round % 2];
        // Sizes before, after and between: none holds the key back.
        p.claim(80, 25);
        p.press(key);
        p.claim(80, 24);
        p.wait_for(page);
    }
    p.press("q");
    assert_eq!(p.exit().0, 0);
}

#[test]
fn every_signal_that_ends_it_gives_the_terminal_back() {
    for (name, number) in [
        ("HUP", 1),
        ("QUIT", 3),
        ("TRAP", 5),
        ("ABRT", 6),
        ("USR1", 10),
        ("USR2", 12),
        ("ALRM", 14),
        ("XCPU", 24),
        ("VTALRM", 26),
        ("PROF", 27),
        ("IO", 29),
        ("SYS", 31),
    ] {
        let p = Pty::open(&[], 80, 24);
        p.wait_for("? help");
        p.signal(name);
        p.wait_until("the normal screen", |_| !p.alternate());
        assert!(!p.cursor_hidden(), "{name}");
        assert_eq!(p.exit().0, 128 + number, "{name}");
    }
}

#[test]
fn a_window_beyond_all_measure_is_drawn_in_part() {
    let mut p = Pty::open(&[], 80, 24);
    p.wait_for("? help");
    p.claim(65535, 65535);
    p.press("3");
    p.claim(65535, 24);
    p.press("4");
    p.resize(80, 24);
    p.wait_for("4 Compare");
    assert!(p.memory() < 400 << 10, "{} MiB", p.memory() >> 10);
    p.press("q");
    assert_eq!(p.exit().0, 0);
}

#[test]
fn a_small_window_says_so_and_loses_nothing() {
    let mut p = Pty::open(&[], 80, 24);
    p.wait_for("? help");
    p.press("3");
    p.wait_for("3 Lab");
    p.resize(50, 8);
    p.wait_for("This terminal has 50 columns and 8 rows.");
    p.resize(80, 24);
    p.wait_for("3 Lab");
    p.press("q");
    assert_eq!(p.exit().0, 0);
}

#[test]
fn ctrl_z_stops_the_process_and_fg_draws_again() {
    let mut p = Pty::open(&[], 80, 24);
    p.wait_for("? help");
    p.press("\x1a");
    p.wait_until("the normal screen", |_| !p.alternate());
    p.wait_stopped();
    p.signal("CONT");
    p.wait_until("the alternate screen", |_| p.alternate());
    p.wait_for("? help");
    p.press("q");
    assert_eq!(p.exit().0, 0);
}

#[test]
fn the_mouse_is_taken_only_where_it_is_asked_for() {
    let mut p = Pty::open(&[], 120, 40);
    p.wait_for("? help");
    let asked = |raw: &[u8]| String::from_utf8_lossy(raw).contains("\x1b[?1000h");
    assert!(!asked(&p.raw()));
    p.press("q");
    assert_eq!(p.exit().0, 0);

    let mut p = Pty::open(&["--mouse"], 120, 40);
    p.wait_for("? help");
    assert!(asked(&p.raw()));
    p.press("\r");
    let screen = p.wait_for("section 1 of");
    let row = screen.lines().nth(1).map(str::to_owned).unwrap_or_default();
    let at = row
        .find("4 Compare")
        .map_or(0, |at| row[..at].chars().count() + 1);
    assert!(at > 0, "{screen}");
    p.press(&format!("\x1b[<0;{at};2M\x1b[<0;{at};2m"));
    p.wait_for("►4 Compare");
    p.press("q");
    p.wait_until("the normal screen", |_| !p.alternate());
    assert!(String::from_utf8_lossy(&p.raw()).contains("\x1b[?1000l"));
    assert_eq!(p.exit().0, 0);
}
