//! `compare`: plans side by side, priced, and with `--run` measured.

mod merit;
mod staircase;
mod twice;

use std::io::IsTerminal;

use clap::Args;
use serde::Serialize;

use super::args::{OutputArgs, SetupArgs, places};
use super::counted::{KINDS, lines as counted_kernels};
use super::counters::{self, CountOptions};
use super::failure::Failure;
use super::interrupt::Interrupt;
use super::out::Out;
use super::run::{RunOptions, idle, not_run, request, verdict};
use super::table::{Align, Table};
use super::words::{counted, wrapped};
use super::{Outcome, cost, kept};
use backend::engine::Engine;
use course::Places;
use host::carry_out;
use host::learned::Learned;
use plan::cost::{CostJson, Gpu, GpuDatabase, Priced, cost_json};
use plan::fusion::Cut;
use plan::run::{BytesReport, Report, Request, Timing};
use plan::units::{Column, Quantity, Unit, format};
use study::lab::{Column as Compared, Comparison, Scope};
use study::timing::{Rounds, Verdict, VerdictJson};

/// Plans side by side: modelled, and measured with --run.
#[derive(Debug, Args)]
pub(super) struct CompareArgs {
    /// Plans: v1, v2+rope, 'norm1|q k v|…' …
    #[arg(value_name = "PLAN", default_values = ["v1", "v2", "v3", "v4"], conflicts_with = "staircase")]
    plans: Vec<String>,
    /// In place of plans: from V1, one fusion more at each step, up to one kernel per block
    #[arg(long, help_heading = "Plan")]
    staircase: bool,
    /// The fusions of the staircase in their order: rope,qkv,flash …
    #[arg(
        long,
        value_name = "LIST",
        requires = "staircase",
        help_heading = "Plan"
    )]
    order: Option<String>,
    #[command(flatten)]
    setup: SetupArgs,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten)]
    bytes: CountOptions,
    /// Run each plan; without it only the model speaks
    #[arg(long = "run", help_heading = "Run")]
    measure: bool,
    /// Run each plan as a stream of launches and as a graph of them, in turns
    #[arg(
        long,
        requires = "measure",
        conflicts_with_all = ["graph", "staircase"],
        help_heading = "Run"
    )]
    both: bool,
    /// Sum over one block in place of the forward
    #[arg(long, help_heading = "Plan")]
    block: bool,
}

pub(super) fn compare(output: &OutputArgs, args: &CompareArgs, out: &mut Out) -> Outcome {
    args.run.only_with(args.measure)?;
    let counted = [
        ("--count-bytes", args.bytes.count_bytes),
        ("--counters", args.bytes.counters),
    ];
    if let Some((option, _)) = counted.iter().find(|(_, given)| *given && !args.measure) {
        return Err(not_run(option));
    }
    let cuts = args
        .plans
        .iter()
        .map(|p| Cut::parse(p))
        .collect::<Result<Vec<_>, _>>()?;
    let times = if args.both { 2 } else { 1 };
    let cuts: Vec<Cut> = cuts
        .into_iter()
        .flat_map(|cut| std::iter::repeat_n(cut, times))
        .collect();
    let places = places(output);
    let learned = Learned::of(&places);
    let base = Request {
        count_bytes: args.bytes.count_bytes,
        ..request(&args.setup, &args.run, Cut::v1(), &learned)?
    };
    let database = GpuDatabase::embedded()?;
    let gpu = database.get(places.device())?;
    let scope = if args.block {
        Scope::Block
    } else {
        Scope::Forward
    };
    let asked = Asked {
        output,
        args,
        places: &places,
        learned: &learned,
        base: &base,
    };
    if args.staircase {
        return staircase::staircase(&asked, gpu, scope, out);
    }
    let mut comparison = Comparison::new(&base.config, &cuts, gpu, scope)?;
    let mut code = 0;
    if args.measure {
        code = asked.measure(&mut comparison)?;
    }
    if output.json {
        let columns = comparison.columns.iter().enumerate();
        let list: Vec<_> = columns
            .map(|(at, c)| document(&comparison, at, c, gpu))
            .collect();
        out.json(&list);
    } else if output.plain {
        spoken(&comparison, gpu, &base, out);
    } else {
        side_by_side(&comparison, gpu, &base, out);
    }
    Ok(code)
}

/// What was asked for, and where what comes of it is kept.
struct Asked<'a> {
    output: &'a OutputArgs,
    args: &'a CompareArgs,
    places: &'a Places,
    learned: &'a Learned,
    base: &'a Request,
}

impl Asked<'_> {
    /// Runs the plans in turns; the exit code.
    fn measure(&self, comparison: &mut Comparison) -> Result<u8, Failure> {
        let watch = Interrupt::watch(!self.output.json && std::io::stderr().is_terminal());
        let requests = comparison.columns.iter().map(|column| Request {
            config: column.cost.config.clone(),
            ..self.base.clone()
        });
        let mut requests: Vec<Request> = requests.collect();
        if self.args.both {
            requests = twice::requests(requests);
        }
        let mut rounds = Rounds::new(requests.clone(), self.base.seed).all_or_none();
        carry_out(&mut Engine::default(), &mut rounds, None, &watch)?;
        kept::keep(self.places, &requests, &rounds);
        comparison.measured(rounds)?;
        if self.args.both {
            twice::judged(comparison);
        }
        let mut code = 0;
        for (column, request) in comparison.columns.iter_mut().zip(&requests) {
            let Some(report) = &mut column.report else {
                continue;
            };
            if self.args.bytes.counters {
                counters::fill(report, request, &watch);
            }
            self.learned.ran(&request.config, report);
            code = code.max(verdict(report));
        }
        Ok(code)
    }
}

/// A run's report with the price beside it; the price alone where nothing ran.
#[derive(Serialize)]
struct Document<'c> {
    #[serde(flatten)]
    report: Measured<'c>,
    cost: CostJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    merit: Option<merit::Merit>,
    /// The first plan's time over this one's.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_over_this: Option<VerdictJson>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Measured<'c> {
    Run(&'c Report),
    Not { schema: u32 },
}

fn document<'c>(
    comparison: &Comparison,
    at: usize,
    column: &'c Compared,
    gpu: &Gpu,
) -> Document<'c> {
    Document {
        report: match &column.report {
            Some(report) => Measured::Run(report),
            None => Measured::Not { schema: 1 },
        },
        cost: cost_json(&column.cost),
        merit: merit::merit(column, gpu),
        first_over_this: match at {
            0 => None,
            at => comparison.against_first(at).map(Verdict::json),
        },
    }
}

/// What is compared: `workshop B1 S128 fp32, per forward`.
fn title(comparison: &Comparison) -> String {
    let scope = match comparison.scope {
        Scope::Block => "per block",
        Scope::Forward => "per forward",
    };
    comparison.columns.first().map_or(String::new(), |c| {
        format!("{}, {scope}", cost::setting(&c.cost.config))
    })
}

fn side_by_side(comparison: &Comparison, gpu: &Gpu, base: &Request, out: &mut Out) {
    let columns = &comparison.columns;
    let scope = comparison.scope;
    let head = format!("{} · roof: {}, data sheet", title(comparison), gpu.name);
    out.lines(wrapped(&head, "", "  "));
    out.gap();
    let mut heads = vec![(String::new(), Align::Left)];
    heads.extend(columns.iter().map(|c| (c.title.clone(), Align::Right)));
    let heads: Vec<(&str, Align)> = heads.iter().map(|(h, a)| (h.as_str(), *a)).collect();
    let mut table = Table::new(&heads);
    let mut row = |name: String, cells: Vec<String>| {
        table.row(std::iter::once(name).chain(cells).collect());
    };
    let of = |figure: &dyn Fn(&Priced) -> u64| -> Vec<Quantity> {
        columns
            .iter()
            .map(|c| Quantity::bytes(figure(c.priced(scope))))
            .collect()
    };
    let bytes = of(&|p| p.bytes());
    let weights = of(&|p| p.weight_bytes);
    let activations = of(&|p| p.bytes() - p.weight_bytes);
    let peaks: Vec<Quantity> = columns
        .iter()
        .map(|c| Quantity::bytes(c.cost.peak.bytes))
        .collect();
    let unit = Column::fit(&bytes).decimals(3);
    let launches = |c: &Compared| c.priced(scope).launches().to_string();
    row(
        "launches =".to_owned(),
        columns.iter().map(launches).collect(),
    );
    row(format!("bytes {} =", unit.unit()), unit.cells(&bytes));
    row("  weights".to_owned(), unit.cells(&weights));
    row("  activations".to_owned(), unit.cells(&activations));
    row(
        "FLOP/B =".to_owned(),
        columns
            .iter()
            .map(|c| format!("{:.3}", c.priced(scope).intensity()))
            .collect(),
    );
    row(format!("peak act. {} =", unit.unit()), unit.cells(&peaks));
    let floors: Vec<Quantity> = columns
        .iter()
        .map(|c| Quantity::seconds(c.floor_seconds))
        .collect();
    let time_unit = Column::with_unit(&floors, Unit::parse("us").unwrap_or(Unit::NONE)).decimals(2);
    row("floor µs =".to_owned(), time_unit.cells(&floors));
    if columns.iter().any(|c| c.report.is_some()) {
        let counted = |c: &Compared| {
            c.report
                .as_ref()
                .map_or("·".to_owned(), |r| r.launches.counted.to_string())
        };
        row(
            "launches #, forward".to_owned(),
            columns.iter().map(counted).collect(),
        );
        let bytes_of = |of: fn(&BytesReport) -> Option<u64>| -> Option<Vec<Option<u64>>> {
            let all: Vec<_> = columns
                .iter()
                .map(|c| c.report.as_ref().and_then(|r| of(&r.bytes)))
                .collect();
            all.iter().any(Option::is_some).then_some(all)
        };
        let counted: Vec<_> = KINDS
            .into_iter()
            .skip(1)
            .filter_map(|kind| Some((kind.head, bytes_of(kind.of)?)))
            .collect();
        // One unit for all kinds: they are read one below the other.
        let known: Vec<Quantity> = counted
            .iter()
            .flat_map(|(_, all)| all.iter().flatten())
            .map(|b| Quantity::bytes(*b))
            .collect();
        let unit = Column::fit(&known).decimals(3);
        for (head, all) in counted {
            row(
                format!("{} {head}, forward", unit.unit()),
                all.iter()
                    .map(|b| b.map_or("–".to_owned(), |b| unit.number(&Quantity::bytes(b))))
                    .collect(),
            );
        }
        let timed = |cell: &dyn Fn(&Timing) -> String| -> Vec<String> {
            let of = |c: &Compared| Some(cell(c.report.as_ref()?.time_us.as_ref()?));
            let cells = columns.iter().map(of);
            cells.map(|cell| cell.unwrap_or("·".to_owned())).collect()
        };
        row(
            "time µs @, forward".to_owned(),
            timed(&|t| format!("{:.1}", t.median)),
        );
        row(
            "  ± median dev.".to_owned(),
            timed(&|t| format!("{:.1}", t.mad)),
        );
        row(
            "  least–most".to_owned(),
            timed(&|t| format!("{:.1}–{:.1}", t.min, t.max)),
        );
        if let Some(parts) = of_the_roof(comparison, gpu) {
            row("  of the roof".to_owned(), parts);
        }
        for (name, cells) in merit::rows(columns, gpu) {
            row(name, cells);
        }
        let check = |c: &Compared| {
            c.report
                .as_ref()
                .and_then(|r| r.check.as_ref())
                .map_or("none", |k| if k.pass { "pass" } else { "failed" })
                .to_owned()
        };
        row("check".to_owned(), columns.iter().map(check).collect());
    }
    for part in table.parted() {
        out.lines(part.lines());
        out.gap();
    }
    for column in columns {
        let kernels = column.report.as_ref().map(counted_kernels);
        if let Some(lines) = kernels.filter(|lines| !lines.is_empty()) {
            out.line(format!("{}, forward, kernel by kernel", column.title));
            out.lines(lines);
            out.gap();
        }
    }
    out.lines(closing(comparison, base));
    let beaten = |parts: Vec<String>| parts.iter().any(|part| part == BEATEN);
    if of_the_roof(comparison, gpu).is_some_and(beaten) {
        out.line("Faster than DRAM allows: the data sat in cache.");
    }
}

/// What stands where a run was faster than the roof allows.
const BEATEN: &str = ">100 %";

/// Floor over time of each plan, where the roof is that of the GPU that ran and
/// both are of a forward.
fn of_the_roof(comparison: &Comparison, gpu: &Gpu) -> Option<Vec<String>> {
    let ran_here = |c: &Compared| {
        let report = c.report.as_ref()?;
        merit::ran_on(report, gpu).then_some(())
    };
    if comparison.scope != Scope::Forward {
        return None;
    }
    comparison.columns.iter().find_map(ran_here)?;
    let part = |c: &Compared| {
        let time = c.report.as_ref()?.time_us.as_ref()?.median * 1e-6;
        Some(match c.floor_seconds / time {
            part if part > 1.0 => BEATEN.to_owned(),
            part => format!("{:.1} %", 100.0 * part),
        })
    };
    let cells = comparison.columns.iter().map(part);
    Some(cells.map(|cell| cell.unwrap_or("·".to_owned())).collect())
}

/// What was saved, and how it was measured.
fn closing(comparison: &Comparison, base: &Request) -> Vec<String> {
    let mut lines = Vec::new();
    let (first, last) = match comparison.columns.as_slice() {
        [first, .., last] => (first, last),
        _ => return lines,
    };
    lines.extend(wrapped(
        &format!(
            "{} to {}: {}; {}.",
            first.title,
            last.title,
            changed(comparison.saved(Priced::launches), "launches"),
            changed(comparison.saved(Priced::bytes), "bytes")
        ),
        "",
        "  ",
    ));
    let others = comparison.columns.iter().enumerate().skip(1);
    let verdicts = others.filter_map(|(at, other)| {
        let verdict = comparison.against_first(at)?;
        Some(verdict.sentence(&first.title, &other.title))
    });
    lines.extend(verdicts.flat_map(|said| wrapped(&said, "", "  ")));
    if let Some(report) = &first.report {
        let on = format!("Measured on {}: {}.", report.backend, report.device);
        lines.extend(wrapped(&on, "", "  "));
        let idle = idle(base, &report.backend).into_iter();
        lines.extend(idle.flat_map(|said| wrapped(&format!("{said}."), "", "  ")));
        if let Some(t) = &report.time_us {
            let how = format!("{} each, {}.", counted(u64::from(t.runs), "run"), t.how);
            lines.extend(wrapped(&how, "", ""));
        }
        let troubles = comparison.troubles().into_iter();
        lines.extend(troubles.flat_map(|said| wrapped(&said, "", "")));
    }
    lines
}

/// `90.14 % fewer launches`; `10.14 times as many launches` where there are more.
fn changed(saved: Option<f64>, what: &str) -> String {
    match saved {
        None => format!("no {what} in either"),
        Some(0.0) => format!("as many {what}"),
        Some(saved) if saved > 0.0 => format!("{:.2} % fewer {what}", 100.0 * saved),
        Some(saved) => format!("{:.2} times as many {what}", 1.0 - saved),
    }
}

fn spoken(comparison: &Comparison, gpu: &Gpu, base: &Request, out: &mut Out) {
    out.line(format!(
        "Compare, {}. Roof: {}, data sheet.",
        title(comparison),
        gpu.name
    ));
    for c in &comparison.columns {
        let p = c.priced(comparison.scope);
        let time = match c.report.as_ref().and_then(|r| r.time_us.as_ref()) {
            Some(t) => format!(
                "time {:.1} us measured, median of {}, median deviation {:.1} us",
                t.median,
                counted(u64::from(t.runs), "run"),
                t.mad
            ),
            None => "time not run".to_owned(),
        };
        let kinds: String = KINDS
            .iter()
            .skip(1)
            .filter_map(|kind| {
                let bytes = (kind.of)(&c.report.as_ref()?.bytes)?;
                Some(format!(
                    ", {} {}",
                    format(&Quantity::bytes(bytes)),
                    kind.word
                ))
            })
            .collect();
        out.line(format!(
            "{}: {}; {} modelled, {} of them weights{kinds}; {:.3} FLOP/B; floor {:.2} us modelled; {time}.",
            c.title,
            counted(p.launches(), "launch"),
            format(&Quantity::bytes(p.bytes())),
            format(&Quantity::bytes(p.weight_bytes)),
            p.intensity(),
            c.floor_seconds * 1e6,
        ));
    }
    out.lines(closing(comparison, base));
}
