//! Two profiles side by side: before and after a fusion.

use super::Reading;

/// One row of both: launches and time in ns, of a forward where both show forwards.
#[derive(Debug, Clone, PartialEq)]
pub struct PairRow {
    /// An op, or a kernel.
    pub name: String,
    /// In the first file.
    pub before: Option<(f64, f64)>,
    /// In the second.
    pub after: Option<(f64, f64)>,
}

/// Two profiles side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// Whether figures are of one forward; else of the files.
    pub of_forward: bool,
    /// Whether rows are ops; else kernels.
    pub of_ops: bool,
    /// The rows, the largest difference of time first.
    pub rows: Vec<PairRow>,
    /// Launches of both.
    pub launches: (f64, f64),
    /// Kernel time of both, in ns.
    pub ns: (f64, f64),
    /// Wall time a forward of both, in ns, where both files have it.
    pub wall_ns: Option<(f64, f64)>,
}

/// Forwards of a file; none where it does not show them.
fn forwards(reading: &Reading) -> Option<f64> {
    match (&reading.framework, &reading.explained) {
        (Some(found), _) => Some(found.forwards.len() as f64).filter(|n| *n > 0.0),
        (None, Ok(found)) => Some(found.forwards.max(1) as f64),
        _ => None,
    }
}

/// Rows of a file: by op where both are a framework's, else by kernel.
fn rows(reading: &Reading, by_op: bool, per: f64) -> Vec<(String, (f64, f64))> {
    if let Some(found) = reading.framework.as_ref().filter(|_| by_op) {
        let row = |row: &super::framework::PartRow| {
            (
                row.part.name().to_owned(),
                (row.calls as f64 / per, row.ns / per),
            )
        };
        return found.rows.iter().map(row).collect();
    }
    let row = |row: &super::RowReading| {
        let ns = row.mean_ns.unwrap_or(0.0) * row.calls as f64;
        (row.name.clone(), (row.calls as f64 / per, ns / per))
    };
    reading.rows.iter().map(row).collect()
}

/// Sets two readings side by side.
pub fn pair(before: &Reading, after: &Reading) -> Pair {
    let both = forwards(before).zip(forwards(after));
    let (a, b) = both.unwrap_or((1.0, 1.0));
    let by_op = before.framework.is_some() && after.framework.is_some();
    let (first, second) = (rows(before, by_op, a), rows(after, by_op, b));
    let sum = |rows: &[(String, (f64, f64))]| {
        rows.iter()
            .fold((0.0, 0.0), |sum, (_, row)| (sum.0 + row.0, sum.1 + row.1))
    };
    let (x, y) = (sum(&first), sum(&second));
    let mut all: Vec<PairRow> = Vec::new();
    for (name, row) in first {
        all.push(PairRow {
            name,
            before: Some(row),
            after: None,
        });
    }
    for (name, row) in second {
        match all
            .iter_mut()
            .find(|one| one.name == name && one.after.is_none())
        {
            Some(one) => one.after = Some(row),
            None => all.push(PairRow {
                name,
                before: None,
                after: Some(row),
            }),
        }
    }
    let change =
        |row: &PairRow| (row.after.map_or(0.0, |r| r.1) - row.before.map_or(0.0, |r| r.1)).abs();
    all.sort_by(|a, b| {
        change(b)
            .total_cmp(&change(a))
            .then_with(|| a.name.cmp(&b.name))
    });
    let wall = |reading: &Reading, per: f64| {
        let period = reading.framework.as_ref().and_then(|found| found.period_ns);
        period.or_else(|| reading.walls.first().map(|wall| wall.wall_ns as f64 / per))
    };
    Pair {
        of_forward: both.is_some(),
        of_ops: by_op,
        rows: all,
        launches: (x.0, y.0),
        ns: (x.1, y.1),
        wall_ns: both.and_then(|_| wall(before, a).zip(wall(after, b))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{against, read, sample, say};
    use plan::cost::{Config, GpuDatabase};
    use plan::fusion::Version;

    /// V1 beside V2, as the samples have them: launches by docs/cost-model.md, 17·L + 3
    /// and 11·L + 3.
    #[test]
    fn a_fusion_is_seen_row_by_row() {
        let database = GpuDatabase::embedded().unwrap();
        let gpu = database.get("h200").unwrap();
        let reading = |version: Version| {
            let config = Config::preset("workshop", version.cut()).unwrap();
            let made = sample::generate(&config, gpu, 2, 1).unwrap();
            let text = sample::write(&made, crate::profile::Tool::Pytorch, gpu);
            against(&read(text.as_bytes()).unwrap(), &config, gpu, None).unwrap()
        };
        let pair = pair(&reading(Version::V1), &reading(Version::V2));
        assert!(pair.of_forward && !pair.of_ops);
        assert_eq!(pair.launches, (17.0 * 4.0 + 3.0, 11.0 * 4.0 + 3.0));
        let row = |name: &str| pair.rows.iter().find(|row| row.name == name).unwrap();
        assert!(row("q").after.is_none() && row("q+k+v").before.is_none());
        assert_eq!(row("norm1").before.unwrap().0, 4.0);
        let said = say::of_pair(&pair);
        assert!(
            said[0]
                .text
                .starts_with("71 a forward before, 47 after: 33.8 % less"),
            "{said:?}"
        );
        assert_eq!(say::pair_rows(&pair, 3).rows.len(), 3);
    }
}
