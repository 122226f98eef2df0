//! What a question asks to be run.

use crate::ask::Ask;
use crate::intent::Out;
use crate::machine::Supply;
use crate::note::Tone;
use crate::question::{Asked, Question};
use crate::setup::Setup;
use crate::shared::Shared;
use course::Key;
use course::answer::Verdict;
use plan::cost::Config;
use plan::fusion::Cut;
use plan::run::{BackendKind, MicroRequest};

/// Runs the experiments of the gym, or the plan, that a question speaks about, in
/// its own setup.
pub(super) fn run(shared: &mut Shared, asked: &Asked, out: &mut Out) {
    let Some(key) = shared.study.key_of(asked) else {
        return;
    };
    let micros = micros(shared, key);
    if !micros.is_empty() {
        for (kernel, values) in micros {
            match MicroRequest::new(&kernel, &values, BackendKind::Simt) {
                Ok(request) => shared.ask(Ask::Micro(request), out),
                Err(error) => shared.notes.say(Tone::Bad, error.to_string()),
            }
        }
        return;
    }
    if !runs(shared, key) {
        let text = "This question needs no run: nothing in its answer is measured.";
        return shared.notes.say(Tone::Plain, text);
    }
    let asked = match asked_runs(key) {
        Ok(asked) => asked,
        Err(why) => return shared.notes.say(Tone::Bad, why),
    };
    let timed = |config: &Config| {
        let figures = asked_figures(key, config);
        figures.iter().any(|figure| figure.starts_with("time"))
    };
    if !shared.machine.supplies(Supply::Times) && asked.iter().any(timed) {
        let text = "A time is asked, and the SIMT machine has no clock: in the lab p chooses another backend.";
        return shared.notes.say(Tone::Warn, text);
    }
    if under_way(shared, key) {
        let text = "This runs already; Ctrl-C stops it.";
        return shared.notes.say(Tone::Plain, text);
    }
    // What was not run yet comes first; plans of one setup run one after another.
    let missing = |c: &&Config| shared.runs.of_config(c).is_none();
    let Some(first) = asked.iter().find(missing).or(asked.first()) else {
        return;
    };
    let setup = Setup::of(first, shared.bench.setup().seed);
    let cuts: Vec<Cut> = asked
        .iter()
        .filter(|config| Setup::of(config, setup.seed) == setup)
        .map(|config| config.cut)
        .collect();
    shared.start_in(&setup, cuts, out);
}

/// Something was run: what was said of answers that waited for it holds no longer.
pub(crate) fn came(shared: &mut Shared) {
    let unread = |(asked, question): (&Asked, &Question)| {
        let judgement = question.judgement.as_ref()?;
        let waits = matches!(judgement.verdict, Verdict::Unread { .. })
            && shared
                .study
                .key_of(asked)
                .is_some_and(|key| runs(shared, key));
        waits.then(|| asked.clone())
    };
    let waited: Vec<Asked> = shared.questions.known.iter().filter_map(unread).collect();
    for asked in waited {
        shared.questions.question_mut(&asked).judgement = None;
    }
}

/// The runs that answer a question: those its expression names, else one of the
/// exercise's own plan.
///
/// # Errors
/// A setting that cannot be.
pub fn asked_runs(key: &Key) -> Result<Vec<Config>, String> {
    let setup = key.setup.answer().map_err(|error| error.to_string())?;
    let named = key.answered_by(&setup);
    Ok(match named.is_empty() {
        true => vec![setup.config],
        false => named,
    })
}

/// The figures of a run that the answer to a question reads, each once.
pub fn asked_figures(key: &Key, config: &Config) -> Vec<String> {
    let setup = key.setup.answer();
    setup.map_or_else(|_| Vec::new(), |setup| key.figures_of(&setup, config))
}

/// Whether a plan that a question asks to be run runs just now, or waits for the run that does.
pub fn under_way(shared: &Shared, key: &Key) -> bool {
    let asked = asked_runs(key).unwrap_or_default();
    let now = |config| shared.runs.runs(config).is_some() || shared.runs.waits(config);
    asked.iter().any(now)
}

/// Whether a question is answered by what runs.
pub fn runs(shared: &Shared, key: &Key) -> bool {
    key.asks_for_a_run() || !micros(shared, key).is_empty()
}

/// The experiments that a question asks.
pub fn micros(shared: &Shared, key: &Key) -> Vec<(String, Vec<u32>)> {
    let env = shared.study.env(&key.setup, &shared.runs);
    env.map_or_else(|_| Vec::new(), |env| key.micros(&env))
}
