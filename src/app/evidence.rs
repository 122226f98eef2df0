//! The evidence of a claim: the plans of its demonstration, run here.

use super::intent::Out;
use super::note::Tone;
use super::setup::Setup;
use super::shared::Shared;
use course::Claim;
use plan::fusion::Cut;
use plan::run::Report;

/// What this machine measured of a claim's plans, in their order.
pub fn measured<'s>(shared: &'s Shared, claim: &Claim) -> Vec<(Cut, Option<&'s Report>)> {
    let Ok(setup) = claim.setup.answer() else {
        return Vec::new();
    };
    let setup = Setup::of(&setup.config, shared.bench.setup().seed);
    let report = |cut: Cut| (cut, shared.runs.of(&setup, cut));
    claim.cuts().into_iter().map(report).collect()
}

/// Runs the plans of a claim's demonstration, in the claim's own setup.
pub fn run(shared: &mut Shared, claim: &Claim, out: &mut Out) {
    let cuts = claim.cuts();
    let Some(first) = cuts.first().copied() else {
        let text = match claim.demonstration() {
            Some(command) => format!("In a shell: {command}"),
            None => "There is nothing to run here: reading or arithmetic settles it.".to_owned(),
        };
        shared.notes.say(Tone::Plain, text);
        return;
    };
    let setup = match claim.setup.answer() {
        Ok(setup) => Setup::of(&setup.config, shared.bench.setup().seed),
        Err(error) => {
            shared.notes.say(Tone::Bad, error.to_string());
            return;
        }
    };
    // Plan and setup are one for all pages: the lab then shows what ran.
    if *shared.bench.setup() != setup
        && let Err(error) = shared.bench.set_up(setup)
    {
        shared.notes.say(Tone::Bad, error.to_string());
        return;
    }
    if let Err(error) = shared.bench.put(first) {
        shared.notes.say(Tone::Bad, error.to_string());
        return;
    }
    shared.start(cuts, out);
}
