//! Rows and sentences of a profile in a terminal.

use super::super::out::Out;
use super::super::table::{Align, Table};
use super::super::words::wrapped;
use course::Ledger;
use study::profile::framework::Breakdown;
use study::profile::say::{Rows, Said};
use study::profile::{Asked, MeasuredRoofs};

use plan::cost::Gpu;
use plan::units::{Dimension, Quantity, format};

/// Width of what a sentence is about.
const ABOUT: usize = 10;

/// Rows as a table, or one sentence each for who listens. The first column is text, and
/// the last where `words` says so.
pub(super) fn rows(out: &mut Out, rows: &Rows, words: bool, plain: bool) {
    if plain {
        for row in &rows.rows {
            let cells = rows
                .head
                .iter()
                .zip(row)
                .map(|(head, cell)| format!("{head} {cell}"));
            out.line(format!("{}.", cells.collect::<Vec<_>>().join("; ")));
        }
        return;
    }
    let last = rows.head.len().saturating_sub(1);
    let align = |at: usize| match at == 0 || (words && at == last) {
        true => Align::Left,
        false => Align::Right,
    };
    let heads: Vec<(&str, Align)> = rows
        .head
        .iter()
        .enumerate()
        .map(|(at, head)| (head.as_str(), align(at)))
        .collect();
    let mut table = Table::new(&heads);
    for row in &rows.rows {
        table.row(row.clone());
    }
    out.lines(table.lines());
}

/// Sentences, each behind what it is about.
pub(super) fn sentences(out: &mut Out, said: &[Said], plain: bool) {
    for said in said {
        match plain {
            true => out.line(format!("{}: {}.", said.about, said.text)),
            false => out.lines(wrapped(
                &said.text,
                &format!("{:<ABOUT$} ", said.about),
                &" ".repeat(ABOUT + 1),
            )),
        }
    }
}

/// What an exercise asks, of one's own file.
pub(super) fn questions(out: &mut Out, name: &str, asked: &[Asked], answers: bool) {
    for one in asked {
        out.lines(wrapped(
            one.ask,
            &format!("{:<ABOUT$} ", one.key),
            &" ".repeat(ABOUT + 1),
        ));
        match &one.answer {
            Ok(answer) if answers => out.line(format!("{:ABOUT$} {answer}", "")),
            Ok(_) => {}
            Err(other) => out.line(format!("{:ABOUT$} not in this file: {other}", "")),
        }
    }
    if !answers {
        out.line(format!(
            "Answer them, then look: --like {name} --answers. {name} itself asks them of generated files."
        ));
    }
}

/// Claims on launches of the workshop's programs, by what their attention is.
const OF_V1: [&str; 3] = ["K-V1-12", "K-V1-17", "K-V1-EAGER"];
const OF_V2: [&str; 1] = ["K-V2-7"];

/// What the workshop's documents print beside what was counted.
pub(super) fn documents(found: &Breakdown) -> Option<Said> {
    let (_, build, _) = found.builds().into_iter().next()?;
    let ids: &[&str] = match (build.qkv, build.flash) {
        (3, false) => &OF_V1,
        (1, true) => &OF_V2,
        _ => return None,
    };
    let claims = ids.iter().filter_map(|id| {
        let claim = Ledger::built_in().get(id)?;
        Some(format!("{} ({})", claim.says.text, claim.id.text))
    });
    let said: Vec<String> = claims.collect();
    Some(Said {
        about: "documents",
        text: format!(
            "{} Counted here: {} a layer",
            said.join(" "),
            build.launches
        ),
    })
}

/// Measured roofs beside those of the database.
pub(super) fn roofs(out: &mut Out, devices: &[MeasuredRoofs], gpu: &Gpu, plain: bool) {
    let sheet = |name: &str| match name {
        "HBM" => Some(gpu.bandwidth_gbs * 1e9),
        "fp32" => Some(gpu.fp32_packed_tflops.unwrap_or(gpu.fp32_tflops) * 1e12),
        "fp64" => Some(gpu.fp64_tflops * 1e12),
        "matrix bf16" => gpu.bf16_tflops.map(|t| t * 1e12),
        "matrix fp16" => Some(gpu.fp16_tflops * 1e12),
        "matrix fp32" => gpu.fp32_matrix_tflops.map(|t| t * 1e12),
        "matrix fp64" => gpu.fp64_matrix_tflops.map(|t| t * 1e12),
        "matrix fp8" => gpu.fp8_tflops.map(|t| t * 1e12),
        _ => None,
    };
    for device in devices {
        let mut table = Rows {
            head: ["roof", "measured", "data sheet", "share"]
                .map(str::to_owned)
                .to_vec(),
            rows: Vec::new(),
        };
        for roof in &device.roofs {
            let dimension = match roof.operations {
                true => Dimension::FlopPerSecond,
                false => Dimension::BytesPerSecond,
            };
            let shown = |rate: f64| format(&Quantity::new(rate, dimension));
            let sheet = sheet(roof.name);
            table.rows.push(vec![
                roof.name.to_owned(),
                shown(roof.rate),
                sheet.map_or("–".to_owned(), shown),
                sheet.map_or("–".to_owned(), |sheet| {
                    format!("{:.0} %", 100.0 * roof.rate / sheet)
                }),
            ]);
        }
        out.line(format!("device {}, beside {}", device.device, gpu.name));
        rows(out, &table, false, plain);
    }
}
