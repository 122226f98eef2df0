//! What did not run, and what disturbed the rest: one sentence for many alike.

use crate::timing::{Rounds, Timed, Trouble};
use plan::units::figure;

/// Sentences about the runs of these names, in the order of the requests.
pub(super) fn notes(rounds: Option<&Rounds>, names: &[String]) -> Vec<String> {
    let Some(rounds) = rounds else {
        return Vec::new();
    };
    let mut said: Vec<String> = Vec::new();
    let mut failed: Vec<(String, &str)> = Vec::new();
    let mut troubled: Vec<(Trouble, &str)> = Vec::new();
    let mut timed = 0;
    for (at, name) in names.iter().enumerate() {
        match rounds.of(at) {
            None => {}
            Some(Err(why)) => failed.push((why.to_string(), name)),
            Some(Ok(Timed { report, .. })) if report.check.as_ref().is_some_and(|c| !c.pass) => {
                said.push(format!(
                    "{name} gives wrong numbers; no time of it is kept."
                ));
            }
            Some(Ok(found)) => {
                timed += 1;
                troubled.extend(found.trouble.map(|trouble| (trouble, name.as_str())));
            }
        }
    }
    match failed.as_slice() {
        [] => {}
        [(why, name)] => said.push(format!("{name}: {why}")),
        [(why, name), ..] => said.push(format!(
            "{} could not be run; {name}: {why}",
            figure::counted(failed.len() as u64, "request", "requests")
        )),
    }
    said.extend(rounds.too_few().filter(|_| timed > 0));
    let again = match rounds.repeated() {
        true => " All of it was timed as long again.",
        false => "",
    };
    if let (None, Some(trouble)) = (troubled.first(), rounds.hidden()) {
        said.push(format!("All of them together: {trouble}.{again}"));
    }
    if let Some((trouble, name)) = troubled.first() {
        said.push(match troubled.len() {
            1 => format!("{name}: {trouble}.{again}"),
            many => format!("{many} of {timed} were disturbed; {name}: {trouble}.{again}"),
        });
    }
    said
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}
