//! Working sets whose measurement something disturbed.

use super::size;
use crate::studies::notes::listed;
use crate::timing::{LONG, LOOSE};
use plan::run::{MemoryRow, mad, median};
use plan::units::figure;

/// Sets, in bytes, that something disturbed. Their own samples show it, or their
/// neighbours: a load of a larger set never waits less, and of three sets in a row the
/// middle one is not read slower than both others. What disturbs a measurement makes it
/// slower, never faster.
pub(super) fn disturbed(rows: &[MemoryRow]) -> Vec<u64> {
    let of = |at: usize| {
        let row = rows.get(at)?;
        let alone =
            loose(&row.latency_ns, 1.0) || loose(&row.one_gbs, -1.0) || loose(&row.all_gbs, -1.0);
        let beside = waits_too_long(rows, at)
            || dips(rows, at, |row| &row.one_gbs)
            || dips(rows, at, |row| &row.all_gbs);
        (alone || beside).then_some(row.bytes)
    };
    (0..rows.len()).filter_map(of).collect()
}

/// Whether samples of one thing differ as they do where something else runs: times, or
/// with `power` -1 rates.
fn loose(samples: &[f64], power: f64) -> bool {
    let times: Vec<f64> = samples.iter().map(|s| s.powf(power)).collect();
    let (Some(middle), Some(spread)) = (median(&times), mad(&times)) else {
        return false;
    };
    let long = times.iter().filter(|t| **t > LONG * middle).count();
    long > 1 || spread > LOOSE * middle
}

/// Whether some larger set waits far less.
fn waits_too_long(rows: &[MemoryRow], at: usize) -> bool {
    let waits = |row: &MemoryRow| median(&row.latency_ns);
    let here = rows.get(at).and_then(waits);
    let behind = rows.iter().skip(at + 1).filter_map(waits);
    let least = behind.reduce(f64::min);
    here.zip(least)
        .is_some_and(|(here, least)| here > LONG * least)
}

/// Whether both neighbours are read far faster.
fn dips(rows: &[MemoryRow], at: usize, of: fn(&MemoryRow) -> &Vec<f64>) -> bool {
    let rate = |at: usize| median(of(rows.get(at)?));
    let neighbours = at.checked_sub(1).and_then(rate).zip(rate(at + 1));
    let slower = |(here, (before, behind)): (f64, (f64, f64))| LONG * here < before.min(behind);
    rate(at).zip(neighbours).is_some_and(slower)
}

/// Which sets they are, of how many: the others, where they are fewer.
pub(super) fn sentence(disturbed: &[u64], rows: &[MemoryRow], again: bool) -> Option<String> {
    let quiet = rows.iter().map(|row| row.bytes);
    let quiet: Vec<u64> = quiet.filter(|bytes| !disturbed.contains(bytes)).collect();
    let names = |sets: &[u64]| listed(&sets.iter().map(|s| size(*s)).collect::<Vec<_>>());
    let which = match quiet.len() {
        0 => String::new(),
        few if few < disturbed.len() => format!(" (all but {})", names(&quiet)),
        _ => format!(" ({})", names(disturbed)),
    };
    let again = match again {
        true => ", also when measured again",
        false => "",
    };
    (!disturbed.is_empty()).then(|| {
        format!(
            "{} of {} {} disturbed @{again}{which}: something else uses this machine, and no step is looked for there.",
            disturbed.len(),
            figure::counted(rows.len() as u64, "working set", "working sets"),
            if disturbed.len() == 1 { "was" } else { "were" },
        )
    })
}
