//! `dev gym`: the gym's kernels on the SIMT machine and on a GPU, bit by bit.

use serde::Serialize;

use crate::cli::Outcome;
use crate::cli::args::OutputArgs;
use crate::cli::failure::Failure;
use crate::cli::out::Out;
use crate::cli::table::{Align, Table};
use backend::microbenchmark::{self, Outputs};
use plan::run::{BackendKind, EXPERIMENTS, MicroReport, MicroRequest};

/// How two outputs of one launch compare.
#[derive(Debug, Serialize)]
struct Row {
    kernel: String,
    value: u32,
    elements: usize,
    /// Elements whose bits differ.
    differ: usize,
    /// The largest difference, in units of the last place.
    ulps: u32,
    counts: MicroReport,
}

/// Distance of two numbers in units of the last place.
fn ulps(a: f32, b: f32) -> u32 {
    let order = |x: f32| match x.to_bits() as i32 {
        bits if bits < 0 => i32::MIN.wrapping_sub(bits),
        bits => bits,
    };
    order(a).abs_diff(order(b))
}

/// Launches every experiment at its usual values, once on either machine.
pub(super) fn gym(output: &OutputArgs, backend: &str, out: &mut Out) -> Outcome {
    let backend = BackendKind::parse(backend)?;
    let mut rows = Vec::new();
    for experiment in &EXPERIMENTS {
        for value in experiment.usual {
            let Outputs { here, there } =
                microbenchmark::compared(experiment.name, *value, backend)?;
            let pairs = || here.iter().zip(&there);
            let request = MicroRequest::new(experiment.name, &[*value], BackendKind::Simt)?;
            rows.push(Row {
                kernel: experiment.name.to_owned(),
                value: *value,
                elements: here.len().max(there.len()),
                differ: pairs().filter(|(a, b)| a.to_bits() != b.to_bits()).count(),
                ulps: pairs().map(|(a, b)| ulps(*a, *b)).max().unwrap_or(0),
                counts: microbenchmark::run(&request)?,
            });
        }
    }
    if rows.iter().any(|row| row.elements == 0) {
        return Err(Failure::lacking("a launch gave no output"));
    }
    if output.json {
        out.json(&serde_json::json!({ "schema": 1, "rows": rows }));
        return Ok(0);
    }
    let mut table = Table::new(&[
        ("kernel", Align::Left),
        ("value", Align::Right),
        ("elements", Align::Right),
        ("differ", Align::Right),
        ("ulps", Align::Right),
    ]);
    for row in &rows {
        table.row(vec![
            row.kernel.clone(),
            row.value.to_string(),
            row.elements.to_string(),
            row.differ.to_string(),
            row.ulps.to_string(),
        ]);
    }
    out.lines(table.lines());
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::ulps;

    #[test]
    fn neighbours_are_one_apart_across_zero_too() {
        assert_eq!(ulps(1.0, 1.0f32.next_up()), 1);
        assert_eq!(ulps(0.0, -0.0), 0);
        let least = f32::from_bits(1);
        assert_eq!(ulps(least, -least), 2);
    }
}
