//! rocprof-sys's `wall_clock.txt`: a tree of regions of the host, some of them kernels,
//! with counts and seconds. As AMD's training examples and its documents have it.

use std::collections::HashMap;

use super::table::number;
use super::{KernelRow, Profile, ProfileError, Resources, Tool};

/// Columns that are read.
#[derive(Debug, Clone, Copy)]
struct Columns {
    label: usize,
    count: usize,
    units: Option<usize>,
    sum: usize,
    min: Option<usize>,
    max: Option<usize>,
}

/// Reads the rows behind the head.
pub(super) struct Clock {
    columns: Columns,
    rows: Vec<KernelRow>,
    places: HashMap<String, usize>,
}

/// Cells of a line between bars; the label holds a bar of its own: `|0>>> |_name`.
fn cells(line: &str) -> Option<(String, Vec<&str>)> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    let mut cells: Vec<&str> = inner.rsplit('|').map(str::trim).collect();
    cells.reverse();
    Some((inner.to_owned(), cells))
}

impl Clock {
    /// A reader, if this line is the head.
    pub(super) fn begins(line: &str) -> Option<Self> {
        let (_, cells) = cells(line)?;
        let find = |name: &str| cells.iter().position(|cell| *cell == name);
        let columns = Columns {
            label: find("LABEL")?,
            count: find("COUNT")?,
            units: find("UNITS"),
            sum: find("SUM")?,
            min: find("MIN"),
            max: find("MAX"),
        };
        find("DEPTH")?;
        Some(Self {
            columns,
            rows: Vec::new(),
            places: HashMap::new(),
        })
    }

    /// A line behind it.
    pub(super) fn line(&mut self, line: &str, place: usize) -> Result<(), ProfileError> {
        let Some((_, cells)) = cells(line) else {
            return Ok(());
        };
        // Bars within the label make more cells than there are columns.
        let Some(extra) = cells.iter().position(|cell| *cell == "wall_clock") else {
            return Ok(());
        };
        // The metric is the third behind the label.
        let Some(shift) = extra.checked_sub(self.columns.label + 3) else {
            return Ok(());
        };
        let cell = |column: usize| cells.get(column + shift).copied().unwrap_or_default();
        let label = cells.get(..=self.columns.label + shift).unwrap_or_default();
        let name = label.last().copied().unwrap_or_default();
        let name = name.split_once(">>>").map_or(name, |(_, name)| name);
        let name = name.trim().trim_start_matches('_');
        let scale = match self.columns.units.map(cell) {
            Some("sec") | None => 1e9,
            Some("msec") => 1e6,
            Some("usec") => 1e3,
            Some("nsec") => 1.0,
            Some(unit) => {
                return Err(ProfileError::at(
                    place,
                    1,
                    format!(
                        "“{unit}” is a unit that is not understood here; ROCPROFSYS_TIMING_UNITS=sec is"
                    ),
                ));
            }
        };
        let value = |column: usize| number(cell(column)).filter(|n| *n >= 0.0);
        let (Some(count), Some(sum)) = (value(self.columns.count), value(self.columns.sum)) else {
            return Err(ProfileError::at(
                place,
                1,
                "this row has no count or no sum; the file was edited: write it again",
            ));
        };
        let (min, max) = (
            self.columns.min.and_then(value).map(|s| s * scale),
            self.columns.max.and_then(value).map(|s| s * scale),
        );
        let at = *self.places.entry(name.to_owned()).or_insert_with(|| {
            self.rows.push(KernelRow {
                name: name.to_owned(),
                calls: 0,
                total_ns: Some(0.0),
                min_ns: min,
                max_ns: max,
                resources: Resources::default(),
            });
            self.rows.len() - 1
        });
        if let Some(row) = self.rows.get_mut(at) {
            row.calls = row.calls.saturating_add(count.round() as u64);
            row.total_ns = row.total_ns.map(|old| old + sum * scale);
            row.min_ns = row.min_ns.zip(min).map(|(a, b)| a.min(b));
            row.max_ns = row.max_ns.zip(max).map(|(a, b)| a.max(b));
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<Profile, ProfileError> {
        if self.rows.is_empty() {
            return Err(ProfileError::whole(
                "rocprof-sys, wall_clock.txt without a region; was the program run with ROCPROFSYS_PROFILE=ON?",
            ));
        }
        let mut profile = super::gathered::Gathered::new(Tool::RocprofSysClock, false);
        for row in self.rows {
            profile.sum(row)?;
        }
        profile.finish()
    }
}

#[cfg(test)]
mod tests {
    use crate::profile::read;

    /// Rows of AMD's training examples (Jacobi, OpenMP).
    const FILE: &str = "\
|-----------------------------------------------------------------------------------------------------------------------------|
|                                      REAL-CLOCK TIMER (I.E. WALL-CLOCK TIMER)                                                |
|-----------------------------------------------------------------------------------------------------------------------------|
|            LABEL                       | COUNT  | DEPTH  |   METRIC   | UNITS  |   SUM    |   MEAN   |   MIN    |   MAX    |
|----------------------------------------|--------|--------|------------|--------|----------|----------|----------|----------|
| |0>>> Jacobi_omp.inst                  |      1 |      0 | wall_clock | sec    | 0.504237 | 0.504237 | 0.504237 | 0.504237 |
| |0>>>   |_mbind                        |     11 |      2 | wall_clock | sec    | 0.000204 | 0.000019 | 0.000004 | 0.000073 |
| |0>>>   |_MEMORY_COPY_DEVICE_TO_DEVICE |   3016 |      2 | wall_clock | sec    | 0.000135 | 0.000000 | 0.000000 | 0.000000 |
| |1>>> |_mbind                          |      6 |      1 | wall_clock | sec    | 0.000012 | 0.000002 | 0.000001 | 0.000091 |
|-----------------------------------------------------------------------------------------------------------------------------|
";

    #[test]
    fn regions_of_all_threads_are_added() {
        let profile = read(FILE.as_bytes()).unwrap();
        let names: Vec<&str> = profile
            .kernels
            .iter()
            .map(|row| row.name.as_str())
            .collect();
        assert_eq!(
            names,
            ["Jacobi_omp.inst", "mbind", "MEMORY_COPY_DEVICE_TO_DEVICE"]
        );
        let mbind = &profile.kernels[1];
        assert_eq!(mbind.calls, 17);
        assert!((mbind.total_ns.unwrap() - 216_000.0).abs() < 1e-3);
        assert_eq!(mbind.min_ns, Some(1_000.0));
        assert!(profile.tool.is_host());
    }

    #[test]
    fn a_broken_row_has_its_place() {
        let e = read(FILE.replace("|     11 |", "|  eleven |").as_bytes()).unwrap_err();
        assert_eq!(e.line, 7, "{e}");
        let e = read(FILE.replace("| sec  ", "| days ").as_bytes()).unwrap_err();
        assert!(e.message.contains("days"), "{e}");
        let e = read(FILE.get(..700).unwrap().as_bytes()).unwrap_err();
        assert!(e.message.contains("without a region"), "{e}");
    }
}
