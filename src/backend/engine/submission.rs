//! A learner's kernel is judged in a process of its own: a compiler that crashes
//! or never comes back takes nothing with it.

use std::io::{self, Read, Write};
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::child::Ended;
use super::program::Program;
use plan::run::{Submission, SubmissionOutcome};

/// How long a submission may take. The longest judge takes a tenth of it.
const DEADLINE: Duration = Duration::from_secs(60);

/// Most bytes of an answer.
const LONGEST: u64 = 4 << 20;

/// Judges in a child process; `program` is this program's `submission` command.
pub fn submission(program: &Program, submission: &Submission) -> SubmissionOutcome {
    within(program, submission, DEADLINE)
}

fn within(program: &Program, submission: &Submission, deadline: Duration) -> SubmissionOutcome {
    match spoken(program, submission, deadline) {
        Ok(outcome) => outcome,
        Err(error) => SubmissionOutcome::Failed(format!("the judge cannot be started: {error}")),
    }
}

fn spoken(
    program: &Program,
    submission: &Submission,
    deadline: Duration,
) -> io::Result<SubmissionOutcome> {
    let asked = serde_json::to_vec(submission)?;
    let mut child = program.command().stderr(Stdio::null()).spawn()?;
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::Error::other("it has no pipes"));
    };
    let (said, heard) = mpsc::channel();
    thread::Builder::new()
        .name("submission".to_owned())
        .spawn(move || {
            // A child that is gone already says so by its end.
            let _ = input.write_all(&asked);
            drop(input);
            let mut answer = Vec::new();
            let read = output.take(LONGEST).read_to_end(&mut answer);
            let _ = said.send(read.map(|_| answer));
        })?;
    let heard = heard.recv_timeout(deadline);
    let group = rustix::process::Pid::from_child(&child);
    let late = heard.is_err();
    if late {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        let _ = child.kill();
    }
    let status = child.wait()?;
    if late {
        return Ok(SubmissionOutcome::Failed(format!(
            "the judge was stopped after {} s: the compiler or the kernel does not come to an \
             end. Look for a loop, or a template that unfolds without end.",
            deadline.as_secs()
        )));
    }
    let answer = heard.map_err(io::Error::other)??;
    Ok(serde_json::from_slice(&answer).unwrap_or_else(|_| {
        SubmissionOutcome::Failed(format!(
            "the judge {}: the compiler could not cope with this text. Take back the last change, \
             or start again from the skeleton.",
            Ended::With(status)
        ))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::run::{Bounds, Candidate};

    fn asked(script: &str, deadline: Duration) -> SubmissionOutcome {
        let submission = Submission {
            source: "exercises/silu_mul.cu".to_owned(),
            candidate: Candidate::Chosen(Vec::new()),
            bounds: Bounds::default(),
            on: None,
        };
        let program = Program::new("/bin/sh", ["-c", script]);
        within(&program, &submission, deadline)
    }

    #[test]
    fn whatever_the_child_does_there_is_an_answer() {
        let within = |deadline, script: &str| match asked(script, deadline) {
            SubmissionOutcome::Failed(say) => say,
            other => format!("{other:?}"),
        };
        let late = |script| within(Duration::from_millis(500), script);
        assert!(late("sleep 600").contains("was stopped after"));
        assert!(late("sleep 600 & sleep 600").contains("was stopped after"));
        let said = |script| within(Duration::from_secs(60), script);
        assert!(said("kill -SEGV $$").contains("signal 11"));
        assert!(said("echo nonsense").contains("could not cope"));
        assert!(said("cat >/dev/null; echo '{\"Failed\":\"no\"}'").contains("no"));
        let program = Program::new("/nowhere/at/all", [""; 0]);
        let submission = Submission {
            source: String::new(),
            candidate: Candidate::Chosen(Vec::new()),
            bounds: Bounds::default(),
            on: None,
        };
        let outcome = super::within(&program, &submission, Duration::from_secs(60));
        assert!(
            matches!(outcome, SubmissionOutcome::Failed(say) if say.contains("cannot be started"))
        );
    }
}
