//! Studies: carried out, and kept in the state folder with their setup, device, build
//! and time.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use backend::engine::{Engine, build};
use backend::submission::mutant;
use course::Places;
use files::{create, plain, read_text};
use plan::run::{BackendKind, MemoryRequest, Observer, Phase, Progress, RunError};
use study::catalogue::{Study, modelled};
use study::evidence::{Asks, Evidence};
use study::kept::Kept;
use study::timing::Rounds;

use crate::carry_out;
use crate::learned::Learned;
use crate::machine::{chosen, roofs};
use crate::micro::{host_memory, memory, micro, ours};
use crate::pace::affordable;

/// Largest file of a kept study that is read.
const LARGEST: usize = 16 << 20;

/// Carries a study out.
///
/// # Errors
/// A study that would take longer than `budget` seconds, or that found nothing: its
/// first run could not be made, or it was stopped before one was.
pub fn make(
    study: &dyn Study,
    command: &str,
    budget: f64,
    watch: &dyn Observer,
) -> Result<Kept, RunError> {
    let asks = study.asks();
    let asked = !asks.is_empty();
    let (evidence, ended) = gathered(study, asks, budget, watch)?;
    let device = evidence.device();
    // Of what is refused as a whole, the first reason is the sentence; what was stopped
    // says so, whatever a process that was stopped with it said.
    if asked && !evidence.is_something() {
        let why = ended.err().or_else(|| evidence.failure());
        return Err(why.unwrap_or_else(nothing));
    }
    let mut findings = study.reduce(&evidence).map_err(RunError::bad_request)?;
    findings
        .notes
        .extend(modelled(study, device.as_deref(), &findings));
    Ok(Kept {
        schema: 1,
        id: String::new(),
        study: study.definition().name.to_owned(),
        command: command.to_owned(),
        device: device.unwrap_or_default(),
        build: build().to_owned(),
        time: now(),
        stopped: ended.is_err(),
        findings,
    })
}

/// Carries out what is asked, part by part, and what came of it: all, or what was made
/// until somebody stopped it.
fn gathered(
    study: &dyn Study,
    mut asks: Asks,
    budget: f64,
    watch: &dyn Observer,
) -> Result<(Evidence, Result<(), RunError>), RunError> {
    let mut evidence = Evidence::default();
    let runs = std::mem::take(&mut asks.runs);
    if !runs.is_empty() {
        let mut engine = Engine::default();
        affordable(study, &runs, budget, &mut engine, watch)?;
        let mut rounds = Rounds::new(runs, 1);
        let ended = carry_out(&mut engine, &mut rounds, None, watch);
        evidence.rounds = Some(rounds);
        if ended.is_err() {
            return Ok((evidence, ended));
        }
        if evidence.backend().is_none() {
            // No run could be made: no roof is needed to set one under.
            asks.roofs = None;
        }
    }
    let ended = measured(asks, None, &mut evidence, watch);
    let again = study.once_more(&evidence);
    if ended.is_err() || again.is_empty() {
        return Ok((evidence, ended));
    }
    let mut second = Evidence::default();
    let ended = measured(again, evidence.backend(), &mut second, watch);
    evidence.take_again(second);
    Ok((evidence, ended))
}

/// Carries out all but the runs, on the backend that ran where that is known.
fn measured(
    asks: Asks,
    ran: Option<BackendKind>,
    evidence: &mut Evidence,
    watch: &dyn Observer,
) -> Result<(), RunError> {
    let total = asks.sweeps.len() as u32;
    let stopped = |done: u32| match watch.cancelled() {
        true => Err(RunError::cancelled(done, total)),
        false => Ok(()),
    };
    for (sweep, done) in asks.sweeps.iter().zip(0..) {
        stopped(done)?;
        watch.progress(Progress::new(Phase::Timing, done, total).about(sweep.kernel.clone()));
        evidence.sweeps.push(micro(sweep));
    }
    if let Some(request) = asks.memory {
        stopped(total)?;
        let backend = chosen(request.backend);
        evidence.memory = Some(memory(&MemoryRequest { backend, ..request }, watch));
        stopped(total)?;
    }
    let cases = asks.host.len() as u32;
    for (request, done) in asks.host.iter().zip(0..) {
        if watch.cancelled() {
            return Err(RunError::cancelled(done, cases));
        }
        watch.progress(
            Progress::new(Phase::Timing, done, cases).about(request.case.name().to_owned()),
        );
        evidence.host.push(host_memory(request));
    }
    // Somebody may have stopped the last of them.
    if cases > 0 && watch.cancelled() {
        return Err(RunError::cancelled(cases, cases));
    }
    for name in asks.mutants {
        evidence
            .mutants
            .extend(mutant(&name).ok().map(|value| (name, value)));
    }
    if let Some(of) = asks.troubles {
        stopped(total)?;
        evidence.troubles = Some(ours(&["dev", "troubles", "--backend", of.name()]));
    }
    if let Some(of) = asks.roofs {
        stopped(total)?;
        let ran = ran.or_else(|| evidence.backend());
        evidence.roofs = Some(roofs(ran.unwrap_or_else(|| chosen(of))));
    }
    Ok(())
}

fn nothing() -> RunError {
    RunError::failed("nothing was run")
}

/// A kept study from a file.
///
/// # Errors
/// Why it cannot be read.
pub fn read(path: &Path) -> Result<Kept, String> {
    let text = read_text(path, LARGEST).map_err(|e| plain(&e))?;
    let kept: Kept = serde_json::from_str(&text).map_err(|_| {
        "it is not the JSON of a study; bench --save FILE writes a baseline".to_owned()
    })?;
    match kept.schema {
        1 => Ok(kept),
        other => Err(format!("it has schema {other}, and this build reads 1")),
    }
}

/// The studies that are kept.
pub struct Studies {
    folder: PathBuf,
    learned: Learned,
}

impl Studies {
    /// Those of a state folder.
    pub fn of(places: &Places) -> Self {
        Self {
            folder: places.state.join("studies"),
            learned: Learned::of(places),
        }
    }

    /// Keeps a study under the next number, which its id then bears, and what it leaves
    /// to later runs.
    ///
    /// # Errors
    /// A sentence: a folder that cannot be written.
    pub fn keep(&self, kept: &mut Kept) -> Result<(), String> {
        let refused =
            |e: &io::Error| format!("{} cannot be written: {}", self.folder.display(), plain(e));
        std::fs::create_dir_all(&self.folder).map_err(|e| refused(&e))?;
        let mut number = self.ids().last().map_or(1, |(number, _)| number + 1);
        loop {
            kept.id = format!("{}-{number}", kept.study);
            let text = serde_json::to_string_pretty(kept).map_err(|e| e.to_string())?;
            // Another process may have taken the number meanwhile.
            if create(&self.path(&kept.id), text.as_bytes()).map_err(|e| refused(&e))? {
                return self.learned.keep(kept);
            }
            number += 1;
        }
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }

    /// Numbers and ids, the oldest first.
    fn ids(&self) -> Vec<(u64, String)> {
        let Ok(entries) = std::fs::read_dir(&self.folder) else {
            return Vec::new();
        };
        let names = entries
            .flatten()
            .filter_map(|e| e.file_name().into_string().ok());
        let mut ids: Vec<(u64, String)> = names
            .filter_map(|name| {
                let id = name.strip_suffix(".json")?;
                let number = id.rsplit_once('-')?.1.parse().ok()?;
                Some((number, id.to_owned()))
            })
            .collect();
        ids.sort();
        ids
    }

    /// The newest of them, newest first; one that cannot be read says why.
    pub fn newest(&self, most: usize) -> Vec<(String, Result<Arc<Kept>, String>)> {
        let ids = self.ids().into_iter().rev().take(most);
        ids.map(|(_, id)| (id.clone(), self.get(&id).map(Arc::new)))
            .collect()
    }

    /// All that are kept, the oldest first; one that cannot be read says why.
    pub fn list(&self) -> Vec<(String, Result<Kept, String>)> {
        let ids = self.ids().into_iter();
        ids.map(|(_, id)| (id.clone(), self.get(&id))).collect()
    }

    /// One of them, by its id or its number.
    ///
    /// # Errors
    /// A sentence: there is none of this name, or it cannot be read.
    pub fn get(&self, id: &str) -> Result<Kept, String> {
        let ids = self.ids();
        let found = ids
            .iter()
            .find(|(number, known)| known == id || number.to_string() == id);
        let Some((_, id)) = found else {
            let newest = ids.last().map_or("none is kept yet".to_owned(), |(_, id)| {
                format!("the newest is {id}; study list has all")
            });
            return Err(format!("there is no study “{id}”; {newest}"));
        };
        let path = self.path(id);
        read(&path).map_err(|why| format!("{} cannot be read: {why}", path.display()))
    }
}

/// Now, in UTC.
pub fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    utc(since.map_or(0, |d| d.as_secs()))
}

/// Seconds since 1970 as a date: H. Hinnant, "chrono-compatible low-level date
/// algorithms", civil_from_days.
fn utc(seconds: u64) -> String {
    let (days, rest) = ((seconds / 86_400) as i64, seconds % 86_400);
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        // date -u -d @N: the epoch, a leap day, the second before a new century's March.
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(utc(1_764_547_199), "2025-11-30T23:59:59Z");
    }
}
