//! A study made: carried out, kept, and printed.

use std::io::IsTerminal;

use super::shown::tell;
use super::{BenchArgs, Common, RegressArgs};
use crate::cli::Outcome;
use crate::cli::args::{OutputArgs, places};
use crate::cli::failure::Failure;
use crate::cli::interrupt::Interrupt;
use crate::cli::out::Out;
use crate::cli::written;
use course::Places;
use host::learned::Learned;
use host::studies::{Studies, make};
use study::catalogue::{Study, on_device};
use study::kept::{Kept, asked};
use study::studies::regress::confirmed;

/// `bench`.
pub(in crate::cli) fn bench(output: &OutputArgs, args: &BenchArgs, out: &mut Out) -> Outcome {
    let places = places(output);
    let study = args.study(&Learned::of(&places))?;
    args.save.as_deref().map_or(Ok(()), written::free)?;
    let made = Made::new(output, &args.common, &study, &places)?;
    if let Some(file) = &args.save {
        let text = serde_json::to_string_pretty(&made.kept).unwrap_or_default() + "\n";
        written::make(file, &text)?;
    }
    made.told(output, &args.common, &places, out)
}

/// `regress`: what a first measurement claims is measured once more.
pub(in crate::cli) fn regress(output: &OutputArgs, args: &RegressArgs, out: &mut Out) -> Outcome {
    let places = places(output);
    let study = args.study()?;
    let mut made = Made::new(output, &args.common, &study, &places)?;
    if !made.kept.stopped
        && let Some(again) = study.again(&made.kept.findings)
    {
        let second = Made::new(output, &args.common, &again, &places)?.kept;
        // A second look that was stopped decides nothing.
        if !second.stopped {
            let first = std::mem::take(&mut made.kept.findings);
            made.kept.findings = confirmed(first, &second.findings);
        }
    }
    made.told(output, &args.common, &places, out)
}

/// Makes a study, keeps it and prints it.
pub(super) fn made(
    output: &OutputArgs,
    common: &Common,
    study: &dyn Study,
    places: &Places,
    out: &mut Out,
) -> Outcome {
    Made::new(output, common, study, places)?.told(output, common, places, out)
}

/// A study that was made, before it is kept.
struct Made {
    kept: Kept,
}

impl Made {
    fn new(
        output: &OutputArgs,
        common: &Common,
        study: &dyn Study,
        places: &Places,
    ) -> Result<Self, Failure> {
        if common.budget.is_nan() || common.budget <= 0.0 {
            return Err(Failure::usage("--budget takes minutes above 0"));
        }
        common.form.trace.as_deref().map_or(Ok(()), written::free)?;
        let watch = match common.progress {
            true => Interrupt::told(),
            false => Interrupt::watch(!output.json && std::io::stderr().is_terminal()),
        };
        let kept = make(study, &typed(places.device()), 60.0 * common.budget, &watch)?;
        Ok(Self { kept })
    }

    /// Keeps it and prints it; the exit code.
    fn told(self, output: &OutputArgs, common: &Common, places: &Places, out: &mut Out) -> Outcome {
        let mut kept = self.kept;
        let mut note = None;
        if !common.no_keep
            && let Err(why) = Studies::of(places).keep(&mut kept)
        {
            note = Some(format!("Not kept: {why}."));
        }
        tell(output, &common.form, &kept, out)?;
        let form = &common.form;
        if !output.json && !form.csv && !form.markdown && !form.svg {
            match (note, kept.id.as_str()) {
                (Some(note), _) => out.line(note),
                (None, "") => {}
                (None, id) => out.line(format!("Kept as {id}: study show {id}, --json, --csv.")),
            }
        }
        Ok(match (kept.stopped, kept.findings.alarms.is_empty()) {
            (true, _) => 130,
            (false, true) => 0,
            (false, false) => 1,
        })
    }
}

/// What was typed behind the program's name, without what says how it is printed, with the
/// device that is modelled.
fn typed(device: &str) -> String {
    let words = std::env::args_os().skip(1);
    let mut words = asked(words.map(|word| word.to_string_lossy().into_owned()));
    // bench and regress stand without study in front as well; an option of the course may
    // stand before either.
    let study = words.iter().position(|word| word == "study");
    let study = study.map_or("study".to_owned(), |at| words.remove(at));
    words.insert(0, study);
    let words = on_device(words, device);
    let words: Vec<String> = words.iter().map(|w| course::present::quoted(w)).collect();
    words.join(" ")
}
