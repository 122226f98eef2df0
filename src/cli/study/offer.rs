//! What the page of studies can set: read off the command line's own description.

use clap::{Arg, ArgAction, Command, CommandFactory};

use crate::cli::args::Cli;
use study::catalogue::STUDIES;
use study::offer::{Offered, Setting, Takes};

/// Headings whose options the surroundings say: the plan and the setup on the bench.
const AROUND: [&str; 3] = ["Plan", "Model and shape", "Counting"];

/// How a study is printed and kept: the page does that itself.
const FORM: [&str; 8] = [
    "csv", "svg", "sheet", "markdown", "rows", "trace", "progress", "no_keep",
];

/// Every study with its settings.
pub(in crate::cli) fn offered() -> Vec<Offered> {
    let command = Cli::command();
    let Some(study) = command.find_subcommand("study") else {
        return Vec::new();
    };
    let of = |name: &str| study.find_subcommand(name).map(|c| offer(name, c));
    STUDIES.iter().filter_map(|d| of(d.name)).collect()
}

fn offer(name: &str, command: &Command) -> Offered {
    let shown = |arg: &&Arg| {
        let heading = arg.get_help_heading().unwrap_or_default();
        !arg.is_hide_set()
            && !arg.is_global_set()
            && !AROUND.contains(&heading)
            && !FORM.contains(&arg.get_id().as_str())
            && !matches!(arg.get_action(), ArgAction::Help | ArgAction::HelpLong)
    };
    let mut settings: Vec<(usize, Setting)> = command
        .get_arguments()
        .filter(shown)
        .map(|arg| (place(arg), setting(arg)))
        .collect();
    // What is the study's own stands before how it is run.
    settings.sort_by_key(|(place, _)| *place);
    let flags = command.get_arguments().filter_map(Arg::get_long);
    Offered {
        name: name.to_owned(),
        flags: flags.map(|long| format!("--{long}")).collect(),
        settings: settings.into_iter().map(|(_, s)| s).collect(),
    }
}

fn place(arg: &Arg) -> usize {
    let heading = arg.get_help_heading();
    match arg.get_id().as_str() {
        // Whether it is run at all, and on what, is asked before the details.
        "measure" => 2,
        "backend" => 3,
        "budget" => 5,
        _ if arg.is_positional() => 0,
        _ if heading == Some("Run") => 4,
        _ => 1,
    }
}

fn setting(arg: &Arg) -> Setting {
    let long = arg.get_long();
    let word = || {
        let names = arg.get_value_names().and_then(|names| names.first());
        names.map_or_else(|| arg.get_id().to_string(), ToString::to_string)
    };
    let usual: Vec<String> = arg
        .get_default_values()
        .iter()
        .map(|value| value.to_string_lossy().into_owned())
        .collect();
    let choices: Vec<String> = arg
        .get_possible_values()
        .iter()
        .map(|value| value.get_name().to_owned())
        .collect();
    let switch = matches!(arg.get_action(), ArgAction::SetTrue);
    Setting {
        flag: long.map_or(String::new(), |long| format!("--{long}")),
        name: long.map_or_else(word, str::to_owned),
        says: arg.get_help().map(ToString::to_string).unwrap_or_default(),
        takes: match choices.is_empty() || switch {
            _ if switch => Takes::Switch,
            true => Takes::Text,
            false => Takes::Choice(choices),
        },
        usual: match switch {
            true => String::new(),
            false => usual.join(if arg.is_positional() { " " } else { "," }),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[test]
    fn the_device_is_that_of_the_course_and_nothing_is_offered_that_does_nothing() {
        for study in Cli::command()
            .find_subcommand("study")
            .unwrap()
            .get_subcommands()
        {
            for name in ["gpu", "counters", "count_bytes"] {
                let own = study.get_arguments().find(|arg| arg.get_id() == name);
                assert!(own.is_none(), "study {}: {own:?}", study.get_name());
            }
        }
        for definition in STUDIES {
            let line = ["tutor", "study", definition.name, "--gpu", "mi300x"];
            // What has to be given besides is not the device's fault.
            let read = Cli::try_parse_from(line);
            let kind = read.as_ref().err().map(clap::Error::kind);
            let kind = kind.filter(|k| *k != clap::error::ErrorKind::MissingRequiredArgument);
            assert_eq!(kind, None, "{}", definition.name);
        }
    }

    #[test]
    fn the_page_of_the_documents_names_command_lesson_and_exercise_of_every_study() {
        let read = |path: &str| {
            let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
            std::fs::read_to_string(root.join(path)).unwrap()
        };
        let course = course::Course::built_in();
        let command = Cli::command();
        let study = command.find_subcommand("study").unwrap();
        let page = read("lessons/98-documents.md");
        let rows = page.lines().filter(|line| line.contains("| `study "));
        let mut named = Vec::new();
        for row in rows {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let [_, what, command, lessons, exercise, _] = cells.as_slice() else {
                panic!("{row}");
            };
            assert!(!what.is_empty(), "{row}");
            let name = command.trim_matches('`').trim_start_matches("study ");
            assert!(study.find_subcommand(name).is_some(), "{row}");
            let definition = study::catalogue::Definition::named(name).unwrap();
            assert_eq!(definition.lessons.join(", "), *lessons, "{row}");
            for number in definition.lessons {
                let lesson = course.lessons().find(|l| l.id.starts_with(number));
                let text = read(&format!("lessons/{}.md", lesson.unwrap().id));
                // It is run there, or said how.
                let runs = [format!("study {name}"), format!("run = \"{name}")];
                assert!(runs.iter().any(|run| text.contains(run)), "{number}: {row}");
            }
            assert!(course.exercise(exercise).is_ok(), "{row}");
            named.push(name);
        }
        let mut all = STUDIES.map(|d| d.name);
        named.sort_unstable();
        all.sort_unstable();
        assert_eq!(named, all);
    }

    #[test]
    fn every_study_is_offered_and_what_is_composed_is_read() {
        let offered = offered();
        let names: Vec<&str> = offered.iter().map(|o| o.name.as_str()).collect();
        let all: Vec<&str> = STUDIES.iter().map(|d| d.name).collect();
        assert_eq!(names, all);
        let around = ["--model", "small", "--batch", "2", "--version", "v2"];
        let around: Vec<String> = around.map(String::from).to_vec();
        // Neither plan nor shape of the lab has a part in these.
        let apart = offered.iter().filter(|o| !o.takes_setup());
        let apart: Vec<&str> = apart.map(|o| o.name.as_str()).collect();
        assert_eq!(
            apart,
            ["bench", "regress", "hierarchy", "host-memory", "occupancy"]
        );
        for offer in &offered {
            assert!(offer.settings.iter().any(|s| s.name == "budget"));
            assert!(
                offer.settings.iter().all(|s| !s.says.is_empty()),
                "{offer:?}"
            );
            // Every switch on and the minutes changed: the shell takes it.
            let set = |name: &str| {
                let setting = offer.settings.iter().find(|s| s.name == name)?;
                match (&setting.takes, name) {
                    (Takes::Switch, _) => Some("on".to_owned()),
                    (_, "budget") => Some("3".to_owned()),
                    // What has to be given: the first that there is.
                    (Takes::Choice(all), _) if setting.flag.is_empty() => all.first().cloned(),
                    _ => None,
                }
            };
            let words = offer.words(&set, &around);
            assert!(
                words.ends_with(&[
                    "--model".into(),
                    "small".into(),
                    "--batch".into(),
                    "2".into()
                ]) || words.ends_with(&["--version".into(), "v2".into()])
                    || words.contains(&"small".to_owned())
                    || !offer.flags.contains(&"--model".to_owned()),
                "{words:?}"
            );
            let line = std::iter::once("tutor".to_owned()).chain(words.clone());
            match Cli::try_parse_from(line) {
                Ok(_) => {}
                Err(e) => {
                    // Two switches may exclude each other; nothing may be unknown.
                    let kind = e.kind();
                    use clap::error::ErrorKind as K;
                    assert!(
                        matches!(kind, K::ArgumentConflict | K::MissingRequiredArgument),
                        "{words:?}: {e}"
                    );
                }
            }
        }
    }
}
