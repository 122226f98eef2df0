use super::rows;
use crate::key::ch;
use crate::lab::table;
use crate::machine::BackendFacts;
use crate::runs::tests::report;
use crate::{Event, Look, Message, State, update};
use plan::fusion::Version;
use plan::run::Report;

/// `·` promises what a run supplies; `–` stands where none does.
#[test]
fn what_no_run_of_the_backend_supplies_is_not_waited_for() {
    for (backend, cells) in [
        ("cpu", ["–", "–", "–", "–", "·"]),
        ("simt", ["·", "·", "·", "–", "–"]),
        ("cuda", ["·", "–", "–", "–", "·"]),
        ("", ["·", "·", "·", "–", "·"]),
    ] {
        let mut state = State::new((80, 24), Look::default()).unwrap();
        state.shared.machine.backends = vec![BackendFacts {
            name: backend.into(),
            ..BackendFacts::default()
        }];
        let message = Message::Key(ch('4'));
        update(&mut state, Event { at: 0, message });
        let shared = &state.shared;
        let rows = rows(&state.compare, &shared.bench, &shared.machine, &shared.runs);
        let row = |label: &str| rows.iter().find(|row| row.label.starts_with(label));
        let labels = ["issued", "compulsory", "DRAM est.", "DRAM @", "time"];
        let shown = labels.map(|label| row(label).unwrap().cells[0].as_str());
        assert_eq!(shown, cells, "{backend}");
        let lab = table(&shared.bench, &shared.machine, &shared.runs);
        let time = lab
            .iter()
            .find(|row| row.label.starts_with("time"))
            .unwrap();
        assert_eq!(time.v1, cells[4], "{backend}");
        assert_eq!(time.saved == "r runs", cells[4] == "·", "{backend}");
    }
}

#[test]
fn a_run_without_a_clock_is_not_the_same_as_no_run_here_or_in_the_lab() {
    let mut state = State::new((80, 24), Look::default()).unwrap();
    let message = Message::Key(ch('4'));
    update(&mut state, Event { at: 0, message });
    let setup = state.shared.bench.setup().clone();
    let v1 = vec![Version::V1.cut()];
    let (ticket, _) = state.shared.runs.ask(&setup, v1, 0).unwrap();
    let counted = Report {
        time_us: None,
        ..report(71, 1.0)
    };
    state.shared.runs.done(ticket, Ok(counted), 1);
    state.shared.bench.put(Version::V2.cut()).unwrap();
    let shared = &state.shared;
    let here = rows(&state.compare, &shared.bench, &shared.machine, &shared.runs);
    let time = here.iter().find(|row| row.label.starts_with("time"));
    assert_eq!(time.unwrap().cells, ["–", "·", "·", "·"]);
    let lab = table(&shared.bench, &shared.machine, &shared.runs);
    let time = lab.iter().find(|row| row.label.starts_with("time"));
    let time = time.unwrap();
    assert_eq!([time.v1.as_str(), time.plan.as_str()], ["–", "·"]);
}
