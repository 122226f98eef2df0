//! Home, the first run and the doctor.

use super::{Screen, contents, snapshot};
use tinyllama_tutor::app::Page;
use tinyllama_tutor::app::key::{Code, ch, key};
use tinyllama_tutor::app::machine::{BackendFacts, Condition, Machine, Source};

#[test]
fn home_in_both_sizes() {
    snapshot("home-80", &contents(Screen::new(80, 24)));
    snapshot("home-120", &contents(Screen::new(120, 40)));
    snapshot("home-60", &contents(Screen::new(60, 18)));
    snapshot("home-100", &contents(Screen::new(100, 30)));
}

/// A course of few lessons leaves rows free: titles, the path, the last section, what computes
/// and exercises with a slip go on in the next row.
#[test]
fn nothing_is_cut_on_home_where_rows_are_free() {
    for (columns, rows) in [(60, 24), (80, 30), (100, 30), (120, 40), (200, 60)] {
        let mut screen = contents(Screen::new(columns, rows));
        let shared = &mut screen.state.shared;
        shared.contents.lessons[3].title =
            "Claims: reading with a calculator, and what a growth law hides".into();
        shared.contents.stopped.as_mut().unwrap().heading =
            "What the merge cannot save, and what another kernel has to pay for it".into();
        shared.place = format!("~/{}fusion-workshop", "a-long-name/".repeat(6));
        // Beside the bars there is room for many; in one line they are counted.
        let slips = if columns < 120 { 1 } else { 6 };
        shared.contents.slips = (0..slips).map(|at| format!("ex{}", 10 + at)).collect();
        let other = shared.machine.backends[0].clone();
        for name in ["simt", "hip"] {
            let mut other = other.clone();
            (other.name, other.device) = (name.into(), format!("{name} of this machine"));
            shared.machine.backends.push(other);
        }
        let text = screen.rows().join("\n");
        assert!(!text.contains('…'), "{text}");
        let words: Vec<&str> = text
            .split(|c: char| c.is_whitespace() || c == '│')
            .collect();
        for last in ["hides", "calculator,"] {
            assert!(words.contains(&last), "{last}: {text}");
        }
    }
}

#[test]
fn home_shows_a_long_reason_whole_where_rows_are_free() {
    let why = "no NVIDIA driver is here (libcuda.so.1 is not found); --backend simt executes the same kernels everywhere";
    let whole = |columns, rows| {
        let mut screen = contents(Screen::new(columns, rows));
        screen.state.shared.machine.backends[0].line = why.into();
        screen.rows().join(" ").contains("everywhere")
    };
    assert!(whole(200, 60));
    assert!(whole(120, 40));
}

#[test]
fn doctor_says_the_roof_whole_and_that_the_simt_machine_has_none() {
    let mut screen = Screen::new(80, 24).typed("9");
    let machine = &mut screen.state.shared.machine;
    machine.backends[0].name = "simt".into();
    machine.backends[0].line = "executes kernels; counts, no times".into();
    machine.backends[0].gives = "counts, no times".into();
    if let Some(ceilings) = &mut machine.ceilings {
        ceilings.source = Source::DataSheet;
    }
    let text = screen.rows().join(" ");
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    assert!(
        text.contains("the SIMT machine counts and has no roof to measure"),
        "{text}"
    );
    assert!(!text.contains('…'), "{text}");
    assert_eq!(text.matches("counts, no times").count(), 1, "{text}");
    // R then looks again, and asks for no roof.
    let screen = screen.typed("R");
    let said = &screen.state.shared.notes.shown().unwrap().text;
    assert!(said.contains("has no roof"), "{said}");
}

#[test]
fn first_run_says_what_was_found() {
    let mut screen = contents(Screen::new(80, 24));
    screen.state.page = Page::FirstRun;
    snapshot("first-run", &screen);
}

/// The longest lines of a machine without a GPU: nothing is cut, nothing stands twice.
#[test]
fn first_run_cuts_no_reason() {
    let lines = [
        (
            "hip",
            "no AMD GPU and no ROCm are here (neither /dev/kfd nor libamdhip64.so is found); --backend cpu needs none",
            Condition::None,
            "",
        ),
        (
            "simt",
            "executes the kernels' sm_80 PTX on this CPU; counts, no times",
            Condition::Ready,
            "counts, no times",
        ),
        (
            "cpu",
            "AMD EPYC, 2 threads, AVX-512",
            Condition::Ready,
            "times of the CPU",
        ),
    ];
    for (columns, rows) in [(60, 18), (80, 24), (120, 40)] {
        let mut screen = contents(Screen::new(columns, rows));
        screen.state.page = Page::FirstRun;
        screen.state.shared.machine = Machine {
            backends: lines
                .iter()
                .map(|(name, line, condition, gives)| BackendFacts {
                    name: (*name).into(),
                    line: (*line).into(),
                    condition: condition.clone(),
                    gives: (*gives).into(),
                    ..BackendFacts::default()
                })
                .collect(),
            chosen: 2,
            ..Machine::default()
        };
        let page = screen.rows().join("\n");
        assert!(page.contains("no AMD GPU and no ROCm are here"), "{page}");
        assert!(!page.contains('…'), "{page}");
        assert!(page.contains("@  measured here"), "{page}");
        assert!(page.contains("if not: ASCII"), "{page}");
        assert_eq!(page.matches("counts, no times").count(), 1, "{page}");
    }
}

/// A machine with a GPU, whose line takes two rows: where there are few, it has one, and what
/// lies below stays whole.
#[test]
fn the_first_page_leaves_the_footer_its_row() {
    for (columns, rows) in [(60, 18), (60, 24), (80, 18), (80, 24)] {
        let mut screen = contents(Screen::new(columns, rows));
        screen.state.page = Page::FirstRun;
        screen.state.shared.place = "~/.local/share/tinyllama-tutor".into();
        let long = "NVIDIA H100 80GB HBM3, CUDA 13.0 driver, NVRTC 13.0; times of the GPU";
        for backend in &mut screen.state.shared.machine.backends {
            backend.line = long.into();
        }
        let page = screen.rows();
        assert!(
            page.last().unwrap().starts_with(" Enter begin  a ASCII"),
            "{page:#?}"
        );
        let whole = page
            .join(" ")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        assert!(whole.contains("here instead, with ./answers)"), "{page:#?}");
    }
}

#[test]
fn space_begins_as_enter_does() {
    for start in [ch(' '), key(Code::Enter)] {
        let mut screen = contents(Screen::new(80, 24));
        screen.state.page = Page::FirstRun;
        let screen = screen.keys([start]);
        assert_ne!(screen.state.page, Page::FirstRun, "{start:?}");
    }
}
