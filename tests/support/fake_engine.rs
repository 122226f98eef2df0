//! A shell script in place of the engine process: it says frames that are made
//! here, and dies or hangs where it is told to.

use std::fs;
use std::path::Path;

use tinyllama_tutor::BUILD;
use tinyllama_tutor::engine::write_frame;
use tinyllama_tutor::run::{Answer, BackendKind, BackendState, Phase, Progress, Report};

/// An engine that answers a probe with an H200, and does `on_run` when a run is
/// asked for: the value of the variable that puts it in place of the real one.
/// `on_run` may say the frames `compiling` and `timing`, and `done1`, `done2` …
/// with the reports of the first runs.
pub fn fake_engine(folder: &Path, on_run: &str, reports: &[Report]) -> String {
    let frames = |name: &str, answers: &[Answer]| {
        let mut file = fs::File::create(folder.join(name)).unwrap();
        for answer in answers {
            write_frame(&mut file, answer).unwrap();
        }
    };
    let build = BUILD.to_owned();
    frames("hello", &[Answer::Hello { build }]);
    let cuda = BackendState {
        ready: true,
        device: "H200".into(),
        ..BackendState::none(BackendKind::Cuda, "NVIDIA H200, driver 580, NVRTC 13.0")
    };
    let hip = BackendState::none(BackendKind::Hip, "libamdhip64.so not found");
    frames("found", &[Answer::Found(vec![cuda, hip])]);
    // The tickets of the first two runs: an engine hears of one of them.
    let at = |progress: Progress| [1, 2].map(|ticket| Answer::Progress(ticket, progress.clone()));
    let compiling = Progress::new(Phase::Compile, 0, 1).about("flash for sm_90a");
    frames("compiling", &at(compiling));
    frames("timing", &at(Progress::new(Phase::Timing, 17, 30)));
    for (ticket, report) in (1..).zip(reports) {
        let done = Answer::Done(ticket, Ok(Box::new(report.clone())));
        frames(&format!("done{ticket}"), &[done]);
    }
    let path = folder.join("engine.sh");
    let text = format!(
        "cd '{}'\necho $$ >> started\ncat hello\nwhile true; do\n\
         length=$(dd bs=1 count=4 2>/dev/null | od -An -tu4 | tr -d ' ')\n\
         test -n \"$length\" || exit 0\n\
         case \"$(dd bs=1 count=$length 2>/dev/null)\" in\n\
         '\"Probe\"') cat found;;\n*Run*) {on_run};;\nesac\ndone\n",
        folder.display()
    );
    fs::write(&path, text).unwrap();
    format!("/bin/sh {}", path.display())
}
