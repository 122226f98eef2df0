//! `kernel`: the GPU kernels, the source of one, and what PyTorch runs in its place.

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::Outcome;
use super::args::OutputArgs;
use super::failure::Failure;
use super::out::Out;
use super::table::{Align, Table};
use backend::gpu::{eager, kernel_source};
use plan::kernels::{Entry, KERNELS, KernelRow};
use plan::model::OpKind;

/// The GPU kernels; the source of one, or the same in PyTorch.
#[derive(Debug, Args)]
pub(super) struct KernelArgs {
    /// Its source
    #[arg(value_name = "KERNEL", value_parser = PossibleValuesParser::new(names()), hide_possible_values = true)]
    name: Option<String>,
    /// What PyTorch runs in its place, in a file that runs by itself
    #[arg(long, requires = "name")]
    torch: bool,
}

fn entries() -> impl Iterator<Item = (&'static KernelRow, &'static Entry)> {
    let of_row = |row: &'static KernelRow| row.entries.iter().map(move |entry| (row, entry));
    KERNELS.iter().flat_map(of_row)
}

/// Every entry point, once.
fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = Vec::new();
    for (_, entry) in entries() {
        if !names.contains(&entry.name) {
            names.push(entry.name);
        }
    }
    names
}

fn named(ops: &[OpKind]) -> String {
    let names: Vec<&str> = ops.iter().map(|op| op.name()).collect();
    match names.as_slice() {
        [first, .., last] if names.len() > 8 => format!("{first} … {last}"),
        names => names.join(" "),
    }
}

pub(super) fn kernel(output: &OutputArgs, args: &KernelArgs, out: &mut Out) -> Outcome {
    let Some(name) = &args.name else {
        return list(output, out);
    };
    let found = entries().find(|(_, entry)| entry.name == name);
    let (row, entry) = found.ok_or_else(|| Failure::usage(format!("no kernel “{name}”")))?;
    let (file, text) = match args.torch {
        true => {
            let file = eager::file(row.family);
            (file.clone(), eager::whole(&file))
        }
        false => {
            let text = kernel_source(entry.file).unwrap_or_default();
            (entry.file.to_owned(), text.to_owned())
        }
    };
    if output.json {
        out.json(&serde_json::json!({
            "schema": 1, "kernel": name, "file": format!("kernels/{file}"), "text": text,
        }));
    } else {
        out.lines(text.lines());
    }
    Ok(0)
}

/// A row for each list of ops that one launch computes.
fn list(output: &OutputArgs, out: &mut Out) -> Outcome {
    let launches = KERNELS.iter().flat_map(|row| {
        let entry = row.entries.first();
        let of = move |ops: &&'static [OpKind]| (entry, *ops, eager::of_ops(ops));
        row.ops.iter().map(of)
    });
    let torch = |found: Option<&eager::Eager>| found.map(eager::Eager::ops);
    if output.json {
        let list: Vec<_> = launches
            .map(|(entry, ops, found)| {
                serde_json::json!({
                    "kernel": entry.map(|e| e.name), "file": entry.map(|e| e.file),
                    "ops": ops.iter().map(|op| op.name()).collect::<Vec<_>>(),
                    "torch": found.map(|f| &f.file), "function": found.map(|f| f.name),
                    "torch_ops": torch(found),
                })
            })
            .collect();
        out.json(&serde_json::json!({ "schema": 1, "launches": list }));
        return Ok(0);
    }
    let mut table = Table::new(&[
        ("kernel", Align::Left),
        ("ops of one launch", Align::Left),
        ("in PyTorch", Align::Left),
        ("operations", Align::Right),
    ]);
    for (entry, ops, found) in launches {
        table.row(vec![
            entry.map_or("", |e| e.name).to_owned(),
            named(ops),
            found.map_or("", |f| f.name).to_owned(),
            torch(found).map_or(String::new(), |n| n.to_string()),
        ]);
    }
    out.lines(table.lines());
    out.gap();
    out.line("operations: what the lines of PyTorch compute one by one, about a launch each;");
    out.line("counted in the lines. What a program of yours launches: profile FILE.");
    out.line("tinyllama-tutor kernel KERNEL prints the source, with --torch the same in PyTorch.");
    Ok(0)
}
