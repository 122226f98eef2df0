//! Entry point of `tinyllama-tutor`.

use std::process::ExitCode;

use tinyllama_tutor::app::Surroundings;
use tinyllama_tutor::tui;

fn main() -> ExitCode {
    let var = |name: &str| std::env::var(name).unwrap_or_default();
    let args: Vec<String> = std::env::args().collect();
    let value = |name: &str| {
        let at = args.iter().position(|a| a == name)?;
        args.get(at + 1).cloned()
    };
    let surroundings = Surroundings {
        color: value("--color"),
        no_color: !var("NO_COLOR").is_empty(),
        colorterm: var("COLORTERM"),
        term: var("TERM"),
        locale: ["LC_ALL", "LC_CTYPE", "LANG"]
            .into_iter()
            .map(var)
            .find(|v| !v.is_empty())
            .unwrap_or_default(),
        colorfgbg: var("COLORFGBG"),
        ascii: args.iter().any(|a| a == "--ascii"),
    };
    let options = tui::Options {
        look: surroundings.look(),
    };
    match tui::open(options) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("tinyllama-tutor: {error}");
            ExitCode::from(2)
        }
    }
}
