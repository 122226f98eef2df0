//! What `ncu` printed: a table of comma-separated values, wide, its units in the
//! second row, or why there is none.

use super::{Counters, DRAM, last_words};
use plan::run::LookUps;
use study::profile;

/// Reads what `ncu` printed: its table, between lines of its own that begin
/// with `==` and whatever else was said.
pub(super) fn read(text: &str, succeeded: bool) -> Result<Counters, String> {
    if text.contains("ERR_NVGPUCTRPERM") {
        return Err(
            "this user may not read the counters (ERR_NVGPUCTRPERM); an administrator permits it with NVreg_RestrictProfilingToAdminUsers=0 for the driver's module, or root runs it"
                .to_owned(),
        );
    }
    let rows = table(text)?;
    if rows.is_empty() {
        let last = last_words(text);
        return Err(match succeeded {
            true => format!("ncu saw no launch{last}"),
            false => format!("ncu ended with an error{last}"),
        });
    }
    // Counters of the cache count where every launch has them.
    let l2: Option<Vec<LookUps>> = rows.iter().map(|(_, l2)| *l2).collect();
    Ok(Counters {
        kernels: rows.into_iter().map(|(bytes, _)| bytes).collect(),
        l2: l2.unwrap_or_default(),
    })
}

/// The rows of the table: bytes of both directions together, and what the L2 was asked for.
fn table(text: &str) -> Result<Vec<(u64, Option<LookUps>)>, String> {
    let quoted: Vec<&str> = text
        .lines()
        .filter(|line| line.trim_start().starts_with('"'))
        .collect();
    let is_head = |line: &&str| DRAM.iter().all(|metric| line.contains(metric));
    let Some(head) = quoted.iter().position(is_head) else {
        return Ok(Vec::new());
    };
    let table = quoted.get(head..).unwrap_or_default();
    // The head and the row of units alone are no launch.
    if table.len() <= 2 {
        return Ok(Vec::new());
    }
    let profile = profile::read(table.join("\n").as_bytes()).map_err(|e| e.message)?;
    let bytes = |(number, launch): (usize, &profile::Dispatch)| {
        let total = profile::traffic(&launch.counters).total();
        total
            .map(|bytes| (bytes.round() as u64, profile::l2(&launch.counters)))
            .ok_or_else(|| format!("ncu has no bytes of launch {number} (n/a)"))
    };
    (1..).zip(&profile.dispatches).map(bytes).collect()
}

#[cfg(test)]
mod tests;
