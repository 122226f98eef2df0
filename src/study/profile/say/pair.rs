//! Two profiles side by side, in rows and sentences.

use super::framework::count;
use super::{NAME, Rows, Said, clipped, ns, percent};
use crate::profile::pair::{Pair, PairRow};
use plan::units::figure::shown;

/// The rows, the largest difference of time first, at most `most` of them.
pub fn pair_rows(pair: &Pair, most: usize) -> Rows {
    let figure = |row: Option<(f64, f64)>| match row {
        Some((launches, ns)) => [count(launches), shown(ns / 1e3, 1)],
        None => ["–".to_owned(), "–".to_owned()],
    };
    let row = |row: &PairRow| {
        let [calls, us] = figure(row.before);
        let [calls_after, us_after] = figure(row.after);
        let change = row.after.map_or(0.0, |r| r.1) - row.before.map_or(0.0, |r| r.1);
        vec![
            clipped(&row.name, NAME),
            calls,
            calls_after,
            us,
            us_after,
            format!("{:+.1}", change / 1e3),
        ]
    };
    let what = if pair.of_ops { "op" } else { "kernel" };
    let head = [what, "launches", "after", "µs", "after", "change µs"];
    Rows {
        head: head.map(str::to_owned).to_vec(),
        rows: pair.rows.iter().take(most).map(row).collect(),
    }
}

/// What the pair says.
pub fn of_pair(pair: &Pair) -> Vec<Said> {
    let per = if pair.of_forward {
        "a forward"
    } else {
        "in the file"
    };
    let mut said = vec![Said {
        about: "launches",
        text: format!(
            "{} {per} before, {} after: {}",
            count(pair.launches.0),
            count(pair.launches.1),
            change(pair.launches),
        ),
    }];
    if pair.ns.0 > 0.0 && pair.ns.1 > 0.0 {
        said.push(Said {
            about: "time",
            text: format!(
                "{} in kernels {per} before, {} after: {}; of one run each, under a profiler: whether a difference is real, repeated runs tell (lab, compare)",
                ns(pair.ns.0),
                ns(pair.ns.1),
                change(pair.ns),
            ),
        });
    }
    if let Some(wall) = pair.wall_ns {
        said.push(Said {
            about: "wall",
            text: format!(
                "{} from one forward to the next before, {} after: {}",
                ns(wall.0),
                ns(wall.1),
                change(wall)
            ),
        });
    }
    if !pair.of_forward {
        said.push(Said {
            about: "forwards",
            text:
                "one of the files does not show its forwards: figures are of the files as they are"
                    .to_owned(),
        });
    }
    said
}

/// A change in words.
fn change((before, after): (f64, f64)) -> String {
    match before > 0.0 {
        true if after <= before => format!("{} less", percent(1.0 - after / before)),
        true => format!("{} more", percent(after / before - 1.0)),
        false => "nothing to compare with".to_owned(),
    }
}
