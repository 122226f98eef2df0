//! `study`: experiments over many plans, sizes or runs; listed, made, kept, shown.

mod auto;
mod machine;
mod make;
mod measured;
mod offer;

pub(super) use auto::{auto, auto_of};
pub(super) use make::{BenchArgs, RegressArgs};
pub(super) use offer::offered;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::Outcome;
use super::args::{OutputArgs, places};
use super::failure::Failure;
use super::interrupt::Interrupt;
use super::live;
use super::out::Out;
use super::table::{Align, Table};
use super::words::wrapped;
use course::present::Piece;
use course::present::study::{found, grid};
use files::{plain, replace};
use host::learned::Learned;
use host::studies::{Studies, make};
use plan::units::figure;
use study::catalogue::{STUDIES, Study};
use study::findings::{Cell, Sheet};
use study::kept::{Kept, asked};
use study::studies::regress::confirmed;
use study::studies::timeline;

/// Columns of a terminal.
const TERMINAL: usize = 80;
/// Rows of a table that a terminal is shown.
const ROWS: usize = 12;

/// A study; without one they are listed.
#[derive(Debug, Args)]
pub(super) struct StudyArgs {
    #[command(subcommand)]
    what: Option<What>,
}

/// Which study, or which kept one.
#[derive(Debug, Subcommand)]
enum What {
    /// What does each fusion save, alone and together with the others?
    Ablate(make::AblateArgs),
    /// Which plan takes least time by the model, and why does each boundary stand?
    Plan(auto::AutoArgs),
    /// How do time and memory grow with a size, and where does the curve bend?
    Scale(make::ScaleArgs),
    /// How many sequences fit, and which number makes most tokens per second?
    BatchSize(make::BatchArgs),
    /// How far is each plan from fp64, in which tensor, and how does it grow?
    Validate(make::ValidateArgs),
    /// How fast is this build on this device, and what does it hold?
    Bench(BenchArgs),
    /// Is this build slower, larger or less exact than a baseline?
    Regress(RegressArgs),
    /// What does an element type save, and what does it cost?
    Precision(machine::PrecisionArgs),
    /// How long will a forward take here, before it is run?
    Predict(machine::PredictArgs),
    /// Which settings of a kernel are quickest here, and which search finds them?
    Tune(machine::TuneArgs),
    /// How long does a load wait, and at which working set does that change?
    Hierarchy(measured::HierarchyArgs),
    /// How many blocks fit, what stops one more, and does it matter?
    Occupancy(measured::OccupancyArgs),
    /// Which kernels take the time, and how near is each to its roof?
    Roofline(measured::RooflineArgs),
    /// When does each kernel begin and end, and what overlaps?
    Timeline(measured::TimelineArgs),
    /// How does each of eight troubles show itself, and in which number?
    Sick(measured::SickArgs),
    /// The studies that were made and kept
    List,
    /// A kept study again
    Show(ShowArgs),
}

/// A kept study.
#[derive(Debug, Args)]
struct ShowArgs {
    /// Its id or its number: ablate-3, 3
    id: String,
    #[command(flatten)]
    form: Form,
}

/// How a study is printed and kept.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct Form {
    /// Print one table as CSV
    #[arg(long, help_heading = "Study")]
    csv: bool,
    /// Which table --csv prints
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        requires = "csv",
        help_heading = "Study"
    )]
    sheet: usize,
    /// Print markdown, for a pull request
    #[arg(long, conflicts_with = "csv", help_heading = "Study")]
    markdown: bool,
    /// Print the first chart as SVG
    #[arg(long, conflicts_with_all = ["csv", "markdown"], help_heading = "Study")]
    svg: bool,
    /// Rows of a table that are shown; all of a drawn axis, else 12
    #[arg(long, value_name = "N", help_heading = "Study")]
    rows: Option<usize>,
    /// Write the timeline as JSON that chrome://tracing and Perfetto read
    #[arg(long, value_name = "FILE", help_heading = "Study")]
    trace: Option<PathBuf>,
}

/// What every study takes.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct Common {
    #[command(flatten)]
    form: Form,
    /// Minutes that the runs may take
    #[arg(
        long,
        value_name = "MINUTES",
        default_value_t = 10.0,
        help_heading = "Study"
    )]
    budget: f64,
    /// Say on standard error how far it is, a line each step
    #[arg(long, help_heading = "Study")]
    progress: bool,
    /// Do not keep it in the state folder
    #[arg(long, help_heading = "Study")]
    no_keep: bool,
}

pub(super) fn study(output: &OutputArgs, args: &StudyArgs, out: &mut Out) -> Outcome {
    let places = places(output);
    let (store, learned) = (Studies::of(&places), Learned::of(&places));
    match &args.what {
        None => catalogue(output, out),
        Some(What::Bench(args)) => bench(output, args, out),
        Some(What::Regress(args)) => regress(output, args, out),
        Some(What::List) => list(output, &store, out),
        Some(What::Show(args)) => {
            let kept = store.get(&args.id).map_err(Failure::usage)?;
            tell(output, &args.form, &kept, out)?;
            Ok(0)
        }
        Some(What::Ablate(args)) => made(output, &args.common, &args.study(&learned)?, &store, out),
        Some(What::Plan(args)) => made(output, &args.common, &args.study(&learned)?, &store, out),
        Some(What::Scale(args)) => made(output, &args.common, &args.study(&learned)?, &store, out),
        Some(What::BatchSize(args)) => {
            made(output, &args.common, &args.study(&learned)?, &store, out)
        }
        Some(What::Validate(args)) => {
            made(output, &args.common, &args.study(&learned)?, &store, out)
        }
        Some(What::Precision(args)) => {
            made(output, &args.common, &args.study(&learned)?, &store, out)
        }
        Some(What::Predict(args)) => {
            made(output, &args.common, &args.study(&learned)?, &store, out)
        }
        Some(What::Tune(args)) => made(output, &args.common, &args.study(&learned)?, &store, out),
        Some(What::Hierarchy(args)) => made(output, &args.common, &args.study()?, &store, out),
        Some(What::Occupancy(args)) => made(output, &args.common, &args.study()?, &store, out),
        Some(What::Roofline(args)) => {
            made(output, &args.common, &args.study(&learned)?, &store, out)
        }
        Some(What::Sick(args)) => made(output, &args.common, &args.study()?, &store, out),
        Some(What::Timeline(args)) => {
            made(output, &args.common, &args.study(&learned)?, &store, out)
        }
    }
}

/// `bench`.
pub(super) fn bench(output: &OutputArgs, args: &BenchArgs, out: &mut Out) -> Outcome {
    let store = Studies::of(&places(output));
    let study = args.study(&Learned::of(&places(output)))?;
    let made = Made::new(output, &args.common, &study)?;
    if let Some(file) = &args.save {
        let text = serde_json::to_string_pretty(&made.kept).unwrap_or_default() + "\n";
        let written = replace(file, text.as_bytes());
        written.map_err(|e| {
            let (shown, why) = (file.display(), plain(&e));
            Failure::lacking(format!("baseline {shown} cannot be written: {why}"))
        })?;
    }
    made.told(output, &args.common, &store, out)
}

/// `regress`: what a first measurement claims is measured once more.
pub(super) fn regress(output: &OutputArgs, args: &RegressArgs, out: &mut Out) -> Outcome {
    let store = Studies::of(&places(output));
    let study = args.study()?;
    let mut made = Made::new(output, &args.common, &study)?;
    if !made.kept.stopped
        && let Some(again) = study.again(&made.kept.findings)
    {
        let second = Made::new(output, &args.common, &again)?.kept;
        // A second look that was stopped decides nothing.
        if !second.stopped {
            let first = std::mem::take(&mut made.kept.findings);
            made.kept.findings = confirmed(first, &second.findings);
        }
    }
    made.told(output, &args.common, &store, out)
}

/// Makes a study, keeps it and prints it.
fn made(
    output: &OutputArgs,
    common: &Common,
    study: &dyn Study,
    store: &Studies,
    out: &mut Out,
) -> Outcome {
    Made::new(output, common, study)?.told(output, common, store, out)
}

/// A study that was made, before it is kept.
struct Made {
    kept: Kept,
}

impl Made {
    fn new(output: &OutputArgs, common: &Common, study: &dyn Study) -> Result<Self, Failure> {
        if common.budget.is_nan() || common.budget <= 0.0 {
            return Err(Failure::usage("--budget takes minutes above 0"));
        }
        let watch = match common.progress {
            true => Interrupt::told(),
            false => Interrupt::watch(!output.json && std::io::stderr().is_terminal()),
        };
        let kept = make(study, &typed(), 60.0 * common.budget, &watch)?;
        Ok(Self { kept })
    }

    /// Keeps it and prints it; the exit code.
    fn told(self, output: &OutputArgs, common: &Common, store: &Studies, out: &mut Out) -> Outcome {
        let mut kept = self.kept;
        let mut note = None;
        if !common.no_keep
            && let Err(why) = store.keep(&mut kept)
        {
            note = Some(format!("Not kept: {why}."));
        }
        tell(output, &common.form, &kept, out)?;
        let form = &common.form;
        if !output.json && !form.csv && !form.markdown && !form.svg {
            match (note, kept.id.as_str()) {
                (Some(note), _) => out.line(note),
                (None, "") => {}
                (None, id) => out.line(format!("Kept as {id}: study show {id}, --json, --csv.")),
            }
        }
        Ok(match (kept.stopped, kept.findings.alarms.is_empty()) {
            (true, _) => 130,
            (false, true) => 0,
            (false, false) => 1,
        })
    }
}

/// What was typed behind the program's name, without what says how it is printed.
fn typed() -> String {
    let words = std::env::args_os().skip(1);
    let words = asked(words.map(|word| word.to_string_lossy().into_owned()));
    let mut words: Vec<String> = words.iter().map(|w| course::present::quoted(w)).collect();
    // bench and regress stand without study in front as well.
    if words.first().is_some_and(|word| word != "study") {
        words.insert(0, "study".to_owned());
    }
    words.join(" ")
}

fn tell(output: &OutputArgs, form: &Form, kept: &Kept, out: &mut Out) -> Result<(), Failure> {
    let findings = &kept.findings;
    if let Some(path) = &form.trace {
        write_trace(kept, path)?;
    }
    let forms = [
        (form.csv, "--csv"),
        (form.markdown, "--markdown"),
        (form.svg, "--svg"),
    ];
    if let Some((_, other)) = forms.iter().find(|(asked, _)| *asked && output.json) {
        return Err(Failure::usage(format!(
            "--json and {other} are two forms; leave one out"
        )));
    }
    if output.json {
        out.json(kept);
        return Ok(());
    }
    if form.csv {
        let sheets = &findings.sheets;
        let sheet = form.sheet.checked_sub(1).and_then(|at| sheets.get(at));
        let sheet = sheet.ok_or_else(|| {
            let names = sheets
                .iter()
                .zip(1..)
                .map(|(s, n)| format!("{n} {}", s.name));
            Failure::usage(format!(
                "--sheet {}: there are {}",
                form.sheet,
                names.collect::<Vec<_>>().join(", ")
            ))
        })?;
        out.text(&sheet.csv());
        return Ok(());
    }
    if form.markdown {
        out.text(&markdown(kept));
        return Ok(());
    }
    if form.svg {
        let charts = found(findings).into_iter();
        let mut drawn = charts.filter_map(|piece| match piece {
            Piece::Chart(_) => crate::picture::piece(&piece),
            _ => None,
        });
        let svg = drawn.next();
        out.text(&svg.ok_or_else(|| {
            Failure::usage(format!(
                "study {} found nothing that is drawn as a line",
                kept.study
            ))
        })?);
        return Ok(());
    }
    out.line(format!("{}: {}", kept.study, findings.title));
    if !kept.device.is_empty() {
        out.line(format!("on {}, {}", kept.device, kept.time));
    }
    if kept.stopped {
        out.line("Stopped before its end: what was measured until then.");
    }
    if output.plain {
        let pieces = found(findings);
        out.lines(live::lines(
            pieces.get(1..).unwrap_or_default(),
            output.ascii,
        ));
        return Ok(());
    }
    out.gap();
    for said in &findings.sentences {
        out.lines(wrapped(said, "", ""));
    }
    for sheet in &findings.sheets {
        out.gap();
        out.line(&sheet.name);
        out.lines(table(sheet, form.rows));
    }
    if !findings.notes.is_empty() {
        out.gap();
        for note in &findings.notes {
            out.lines(wrapped(note, "note ", "     "));
        }
    }
    out.gap();
    Ok(())
}

/// A study for a pull request: what was compared, where, and with which build.
fn markdown(kept: &Kept) -> String {
    let device = match kept.device.as_str() {
        "" => "by the model".to_owned(),
        device => format!("on {device}"),
    };
    format!(
        "### {}: {}\n\n{device}, build {}, {}\n\n{}",
        kept.study,
        kept.findings.title,
        kept.build,
        kept.time,
        kept.findings.markdown(ROWS_OF_MARKDOWN)
    )
}

/// Rows of a table that a pull request is shown.
const ROWS_OF_MARKDOWN: usize = 64;

/// Writes the timeline of a study for a viewer.
fn write_trace(kept: &Kept, path: &Path) -> Result<(), Failure> {
    let Some(trace) = &kept.findings.trace else {
        return Err(Failure::usage(format!(
            "study {} has no timeline to write; study timeline has one",
            kept.study
        )));
    };
    let text = timeline::chrome(trace, &kept.findings.title).to_string();
    replace(path, text.as_bytes()).map_err(|e| {
        Failure::usage(format!(
            "{} cannot be written: {}",
            path.display(),
            plain(&e)
        ))
    })
}

/// The first rows of a sheet as a table that a terminal holds: long words are cut.
pub(super) fn table(sheet: &Sheet, rows: Option<usize>) -> Vec<String> {
    let usual = match sheet.name.as_str() {
        // A part of an axis would pass for all of it.
        timeline::DRAWN => usize::MAX,
        _ => ROWS,
    };
    let mut shown = grid(sheet, rows.unwrap_or(usual));
    let widest = |at: usize| {
        let cells = shown.rows.iter().filter_map(|row| row.get(at));
        let cells = cells.chain(shown.head.get(at));
        cells.map(|cell| text::width(cell)).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..shown.head.len()).map(widest).collect();
    let over = (widths.iter().sum::<usize>() + widths.len()).saturating_sub(TERMINAL);
    let longest = (0..widths.len())
        .max_by_key(|at| widths.get(*at))
        .unwrap_or(0);
    let room = widths
        .get(longest)
        .map_or(0, |width| width.saturating_sub(over));
    if over > 0 {
        for cell in shown.rows.iter_mut().filter_map(|row| row.get_mut(longest)) {
            *cell = figure::fitted(cell, room as u16 + 1);
        }
    }
    let aligned = |at: usize| {
        let words = |row: &Vec<Cell>| matches!(row.get(at), Some(Cell::Text(_)));
        match sheet.rows.iter().any(words) {
            true => Align::Left,
            false => Align::Right,
        }
    };
    let heads = shown.head.iter().enumerate();
    let heads: Vec<(&str, Align)> = heads.map(|(at, h)| (h.as_str(), aligned(at))).collect();
    let mut table = Table::new(&heads);
    for row in shown.rows {
        table.row(row);
    }
    let mut lines = table.lines();
    lines.extend(
        (!shown.foot.is_empty()).then(|| format!(" {}: --rows N, --csv, --json", shown.foot)),
    );
    lines
}

/// Every study, and what it is.
fn catalogue(output: &OutputArgs, out: &mut Out) -> Outcome {
    if output.json {
        let all: Vec<_> = STUDIES
            .iter()
            .map(|d| {
                serde_json::json!({
                    "name": d.name, "asks": d.asks, "varies": d.varies, "held": d.held,
                    "finds": d.finds, "reduced": d.reduced, "ends": d.ends, "lessons": d.lessons,
                })
            })
            .collect();
        out.json(&serde_json::json!({ "schema": 1, "studies": all }));
        return Ok(0);
    }
    for d in STUDIES {
        out.line(format!("study {}", d.name));
        for (word, text) in [
            ("asks", d.asks),
            ("varies", d.varies),
            ("holds", d.held),
            ("finds", d.finds),
            ("reduces", d.reduced),
            ("ends in", d.ends),
            ("lessons", &d.lessons.join(", ")),
        ] {
            let first = format!("  {word:<8} ");
            out.lines(wrapped(text, &first, "           "));
        }
        out.gap();
    }
    out.line("study list shows those that were made; study NAME --help what each takes.");
    Ok(0)
}

fn list(output: &OutputArgs, store: &Studies, out: &mut Out) -> Outcome {
    let all = store.list();
    if output.json {
        let kept: Vec<_> = all
            .iter()
            .map(|(id, kept)| match kept {
                Ok(kept) => serde_json::json!({
                    "id": id, "study": kept.study, "title": kept.findings.title,
                    "device": kept.device, "build": kept.build, "time": kept.time,
                    "stopped": kept.stopped, "command": kept.command,
                }),
                Err(why) => serde_json::json!({ "id": id, "error": why }),
            })
            .collect();
        out.json(&serde_json::json!({ "schema": 1, "studies": kept }));
        return Ok(0);
    }
    if all.is_empty() {
        out.line("No study is kept yet: study lists what there is to make.");
        return Ok(0);
    }
    out.line(figure::counted(
        all.len() as u64,
        "study is kept:",
        "studies are kept:",
    ));
    for (id, kept) in all {
        let said = match kept {
            Ok(kept) => {
                let stopped = if kept.stopped { ", stopped" } else { "" };
                format!("{id} {} {}{stopped}", kept.time, kept.findings.title)
            }
            Err(why) => format!("{id} {why}"),
        };
        out.lines(wrapped(&said, "  ", "      "));
    }
    Ok(0)
}
