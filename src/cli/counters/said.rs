//! What `ncu` printed: a table of comma-separated values, wide, its units in the
//! second row, or why there is none.

use super::{Counters, METRICS};

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
        let last = text
            .lines()
            .rev()
            .map(str::trim)
            .find(|line| !line.is_empty())
            .map_or(String::new(), |line| {
                format!(": {}", line.trim_matches('=').trim())
            });
        return Err(match succeeded {
            true => format!("ncu saw no launch{last}"),
            false => format!("ncu ended with an error{last}"),
        });
    }
    Ok(Counters { kernels: rows })
}

/// The rows of the table, each the sum of the metrics in bytes.
fn table(text: &str) -> Result<Vec<u64>, String> {
    let mut lines = text
        .lines()
        .filter(|line| line.trim_start().starts_with('"'))
        .map(cells);
    let Some(head) = lines.find(|cells| METRICS.iter().all(|m| cells.iter().any(|c| c == m)))
    else {
        return Ok(Vec::new());
    };
    let columns: Vec<usize> = METRICS
        .iter()
        .filter_map(|metric| head.iter().position(|c| c == metric))
        .collect();
    let of = |row: &[String], column: usize| row.get(column).cloned().unwrap_or_default();
    let Some(units) = lines.next() else {
        return Ok(Vec::new());
    };
    lines
        .map(|row| {
            columns.iter().try_fold(0u64, |sum, column| {
                let (value, unit) = (of(&row, *column), of(&units, *column));
                let bytes = bytes(&value, &unit)
                    .ok_or_else(|| format!("ncu's “{value} {unit}” is no number of bytes"))?;
                Ok(sum.saturating_add(bytes))
            })
        })
        .collect()
}

/// A line of comma-separated values, each in quotes; two quotes are one.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut letters = line.trim().chars().peekable();
    while let Some(c) = letters.next() {
        match c {
            '"' if quoted && letters.next_if_eq(&'"').is_some() => push(&mut cells, '"'),
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            other => push(&mut cells, other),
        }
    }
    cells
}

fn push(cells: &mut [String], c: char) {
    if let Some(last) = cells.last_mut() {
        last.push(c);
    }
}

/// A value with its unit in bytes. Base units are asked for; older versions
/// scale all the same, and group thousands.
fn bytes(value: &str, unit: &str) -> Option<u64> {
    let factor = match unit {
        "byte" => 1.0,
        "Kbyte" => 1e3,
        "Mbyte" => 1e6,
        "Gbyte" => 1e9,
        _ => return None,
    };
    let plain: String = value.chars().filter(|c| *c != ',').collect();
    let number: f64 = plain.parse().ok()?;
    let bytes = (number * factor).round();
    (bytes.is_finite() && bytes >= 0.0).then_some(bytes as u64)
}

#[cfg(test)]
mod tests;
