//! Subcommands, plain and JSON output.
//!
//! Every subcommand is a function from its arguments to an `Out` (the text to
//! print) and an exit code; only [`main`] touches the process.

mod args;
mod author;
mod check;
mod claims;
mod compare;
mod contents;
mod cost;
mod counted;
mod counters;
mod desk;
mod dev;
mod doctor;
mod export;
mod failure;
mod gpus;
mod help;
mod ids;
mod interrupt;
mod kept;
mod kernel;
mod lists;
mod live;
mod micro;
mod out;
mod path;
mod practise;
mod profile;
mod progress;
mod report;
mod run;
mod selftest;
mod show;
mod study;
mod table;
mod usage;
mod words;
mod workshop;

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use args::{Cli, Command};
use failure::Failure;
use out::Out;

use plan::fusion::Cut;

/// Runs the program with the process's arguments.
pub fn main() -> ExitCode {
    backend::engine::this_build_is(crate::BUILD);
    let matches = match Cli::command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => return refused(&error),
    };
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => return refused(&error),
    };
    #[cfg(feature = "hip")]
    if let Ok(program) = backend::engine::running() {
        backend::gpu::hip::compile_with(program);
    }
    // A child of this program is told by its parent.
    if !matches!(cli.command, Some(Command::Engine | Command::Submission)) {
        host::proved::Proved::of(&args::folders(&cli.output)).tell();
    }
    let mut out = Out::new(cli.output.spells_ascii());
    let result = dispatch(&cli, &mut out);
    let printed = out.print();
    let code = match (result, printed) {
        (Err(failure), _) => return failure.report(cli.output.json),
        (Ok(_), Err(e)) => {
            let failure = Failure::lacking(format!("standard output cannot be written: {e}"));
            return failure.report(cli.output.json);
        }
        (Ok(code), Ok(())) => code,
    };
    ExitCode::from(code)
}

/// Help goes to standard output, everything else is one sentence.
fn refused(error: &clap::Error) -> ExitCode {
    let bare = clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if !error.use_stderr() || error.kind() == bare {
        let _ = error.print();
        return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
    }
    let json = std::env::args_os().any(|argument| argument == "--json");
    Failure::usage(usage::sentence(error)).report(json)
}

/// The exit code, or why there is nothing to print.
type Outcome = Result<u8, Failure>;

fn dispatch(cli: &Cli, out: &mut Out) -> Outcome {
    if cli.version {
        out.line(format!("tinyllama-tutor {}", env!("CARGO_PKG_VERSION")));
        return Ok(0);
    }
    if let (true, Some(name)) = (cli.output.json, cli.command.as_ref().and_then(text_only)) {
        return Err(Failure::usage(format!(
            "{name} has no JSON form; leave --json out"
        )));
    }
    if cli.command.is_some() && cli.setup.is_given() {
        return Err(Failure::usage(
            "model, shape and counting options stand behind the subcommand, as in tinyllama-tutor cost --model small",
        ));
    }
    // What cannot be is refused wherever it is typed, screen or pipe.
    let config = cli.setup.config(Cut::v1())?;
    match &cli.command {
        None if !std::io::stdout().is_terminal() => contents::contents(&cli.output, out),
        None => workshop::open(&cli.output, &config, cli.setup.is_given(), out),
        Some(Command::Cost(args)) => cost::cost(&cli.output, args, out),
        Some(Command::Run(args)) => run::run(&cli.output, args, out),
        Some(Command::Micro(args)) => micro::micro(&cli.output, args, out),
        Some(Command::Selftest(args)) => selftest::selftest(&cli.output, args, out),
        Some(Command::Study(args)) => study::study(&cli.output, args, out),
        Some(Command::Bench(args)) => study::bench(&cli.output, args, out),
        Some(Command::Regress(args)) => study::regress(&cli.output, args, out),
        Some(Command::Compare(args)) => compare::compare(&cli.output, args, out),
        Some(Command::Check(args)) => check::check(&cli.output, args, out),
        Some(Command::Hint(args)) => help::hint(&cli.output, args, out),
        Some(Command::Solution(args)) => help::solution(&cli.output, args, out),
        Some(Command::Reset(args)) => help::reset(&cli.output, args, out),
        Some(Command::Lessons) => lists::lessons(&cli.output, out),
        Some(Command::Exercises(args)) => lists::exercises(&cli.output, args, out),
        Some(Command::Progress(args)) => progress::progress(&cli.output, args, out),
        Some(Command::Path(args)) => path::path(&cli.output, args, out),
        Some(Command::Practise(args)) => practise::practise(&cli.output, args, out),
        Some(Command::Export(args)) => export::export(&cli.output, args, out),
        Some(Command::Report(args)) => report::report(&cli.output, args, out),
        Some(Command::Doctor) => doctor::doctor(&cli.output, out),
        Some(Command::Show(args)) => show::show(&cli.output, args, out),
        Some(Command::Init(args)) => author::init(&cli.output, args, out),
        Some(Command::New(args)) => author::new(&cli.output, args, out),
        Some(Command::Lint(args)) => author::lint(&cli.output, args, out),
        Some(Command::Claims(args)) => claims::claims(&cli.output, args, out),
        Some(Command::Profile(args)) => profile::profile(&cli.output, args, out),
        Some(Command::Kernel(args)) => kernel::kernel(&cli.output, args, out),
        Some(Command::Gpus(args)) => gpus::gpus(&cli.output, args, out),
        Some(Command::Engine) => run::engine(),
        #[cfg(feature = "hip")]
        Some(Command::Hiprtc { library, folder }) => backend::gpu::hip::child(library, folder)
            .map(|()| 0)
            .map_err(|why| Failure::from(plan::run::RunError::failed(why.to_string()))),
        Some(Command::Submission) => check::submission(out),
        Some(Command::Dev(args)) => dev::dev(&cli.output, args, out),
        Some(Command::Completions { shell }) => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "tinyllama-tutor", &mut script);
            out.text(&String::from_utf8_lossy(&script));
            Ok(0)
        }
    }
}

/// The name of a command that prints text and nothing else.
fn text_only(command: &Command) -> Option<&'static str> {
    Some(match command {
        Command::Hint(_) => "hint",
        Command::Solution(_) => "solution",
        Command::Reset(_) => "reset",
        Command::Show(_) => "show",
        Command::Init(_) => "init",
        Command::New(_) => "new",
        Command::Practise(_) => "practise",
        Command::Completions { .. } => "completions",
        _ => return None,
    })
}
