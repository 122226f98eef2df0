//! What is wrong with a command line, in one sentence.

use std::error::Error as _;

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use plan::fusion::Version;
use study::catalogue::Definition;

/// The sentence, with the way out.
pub(super) fn sentence(error: &Error) -> String {
    let given = |kind| text(error.get(kind));
    let argument = given(ContextKind::InvalidArg);
    let value = given(ContextKind::InvalidValue);
    let meant = [
        ContextKind::SuggestedArg,
        ContextKind::SuggestedSubcommand,
        ContextKind::SuggestedValue,
    ]
    .into_iter()
    .map(given)
    .find(|s| !s.is_empty())
    .map_or(String::new(), |s| {
        format!("; did you mean {}?", s.replace(", ", " or "))
    });
    let help = format!("{} --help says more", command(&given(ContextKind::Usage)));
    match error.kind() {
        ErrorKind::InvalidValue if value.is_empty() => {
            format!("{argument} needs a value{}; {help}", choices(error))
        }
        ErrorKind::InvalidValue => {
            format!("{argument}: “{value}” is unknown{}{meant}", choices(error))
        }
        ErrorKind::ValueValidation => match error.source() {
            Some(why) => format!("{argument}: {why}"),
            None => format!("{argument}: “{value}” cannot be used; {help}"),
        },
        ErrorKind::UnknownArgument if argument.starts_with('-') => {
            format!("there is no option {argument} here{meant}; {help}")
        }
        ErrorKind::UnknownArgument => format!("“{argument}” is one word too many; {help}"),
        ErrorKind::InvalidSubcommand => {
            let name = given(ContextKind::InvalidSubcommand);
            match Version::parse(&name) {
                Ok(_) => format!(
                    "--version {name} belongs to a subcommand: tinyllama-tutor cost --version {name}"
                ),
                Err(_) if Definition::named(&name).is_some() => {
                    format!("“{name}” is a study: tinyllama-tutor study {name}")
                }
                Err(_) => format!("there is no subcommand “{name}”{meant}; {help}"),
            }
        }
        ErrorKind::MissingRequiredArgument => format!("{argument} is missing; {help}"),
        ErrorKind::ArgumentConflict => {
            let other = given(ContextKind::PriorArg);
            format!("{argument} and {other} exclude each other; leave one out")
        }
        _ => {
            let whole = error.to_string();
            let first = whole.lines().next().unwrap_or_default();
            format!("{}; {help}", first.trim_start_matches("error: "))
        }
    }
}

/// What an option takes: `: dense or exact`.
fn choices(error: &Error) -> String {
    match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(all)) if !all.is_empty() => {
            format!("; it takes {}", all.join(", "))
        }
        _ => String::new(),
    }
}

fn text(value: Option<&ContextValue>) -> String {
    match value {
        Some(ContextValue::String(one)) => one.clone(),
        Some(ContextValue::Strings(all)) => all.join(", "),
        Some(ContextValue::StyledStr(one)) => one.to_string(),
        Some(ContextValue::StyledStrs(all)) => all
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(", "),
        _ => String::new(),
    }
}

/// The command that a usage line is about: `tinyllama-tutor cost`.
fn command(usage: &str) -> String {
    let words: Vec<&str> = usage
        .trim_start_matches("Usage: ")
        .split_whitespace()
        .take_while(|w| !w.starts_with(['[', '<', '-']))
        .collect();
    if words.is_empty() {
        "tinyllama-tutor".to_owned()
    } else {
        words.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::super::args::Cli;
    use super::*;
    use clap::CommandFactory;

    fn said(line: &str) -> String {
        let words = ["tinyllama-tutor"].into_iter().chain(line.split(' '));
        sentence(&Cli::command().try_get_matches_from(words).unwrap_err())
    }

    #[test]
    fn every_mistake_is_one_sentence_with_a_way_out() {
        let cases = [
            ("csot", "there is no subcommand “csot”; did you mean"),
            (
                "roofline",
                "“roofline” is a study: tinyllama-tutor study roofline",
            ),
            (
                "cost --gpus",
                "there is no option --gpus here; did you mean --gpu?",
            ),
            (
                "cost extra",
                "“extra” is one word too many; tinyllama-tutor cost --help",
            ),
            (
                "cost --batch abc",
                "--batch <N>: “abc” is not a whole number",
            ),
            ("cost --batch -1", "--batch <N>: “-1” is not a whole number"),
            (
                "cost --causal",
                "--causal <dense|exact> needs a value; it takes dense, exact",
            ),
            (
                "cost --causal exakt",
                "--causal <dense|exact>: “exakt” is unknown; it takes dense, exact; did you mean exact?",
            ),
            ("cost --version v2 --groups q", "exclude each other"),
            (
                "check",
                "<EXERCISE>... is missing; tinyllama-tutor check --help",
            ),
            ("--version v2", "--version v2 belongs to a subcommand"),
        ];
        for (line, start) in cases {
            let said = said(line);
            assert!(said.contains(start), "{line}: {said}");
            assert!(!said.contains('\n'), "{line}: {said}");
        }
    }
}
