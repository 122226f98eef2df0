//! A text that speaks of a GPU speaks of the device of the course. One that names a
//! particular GPU in its expressions says why.

use super::super::lesson::Lesson;
use crate::answer::{USUAL_GPU, data_sheets};
use crate::exercise::{Exercise, asks_of_gpu};
use crate::fault::Fault;
use crate::fields::Phrase;
use crate::recorded::Figures;
use crate::setup::GPU;
use crate::text::Text;

/// The reason for all GPUs of a comparison but the usual one.
const SEVERAL: &str = "several";

/// GPUs that `texts` name in expressions, each where its reason is missing, and reasons
/// for GPUs that are not named. `named` is what the front matter of the first text says.
pub(super) fn check(texts: &[&Text], named: &[(Phrase, Phrase)], faults: &mut Vec<Fault>) {
    let ids = data_sheets().into_iter().flat_map(|all| all.all());
    for id in ids.map(|gpu| gpu.id.as_str()) {
        let of = |word: &str| named.iter().find(|(name, _)| name.text == word);
        let compared = || of(SEVERAL).filter(|_| id != USUAL_GPU);
        let reason = of(id);
        let mut found = texts
            .iter()
            .filter_map(|text| Some((*text, places(text.body(), id).next()?)));
        match (found.next(), reason) {
            (Some((text, at)), None) if compared().is_none() => {
                let say = format!(
                    "an expression names {id}; write gpu for the device of the course, or say in the front matter why it is this one: named = {{ {id} = \"…\" }}, or {{ several = \"…\" }} where GPUs are set beside each other."
                );
                faults.push(text.fault(at, say));
            }
            (None, Some((name, _))) => {
                let file = texts.first().map_or("", |text| text.file());
                let say = format!("no expression names {id}; leave its reason out.");
                faults.push(Fault::at(file, name.at, say));
            }
            _ => {}
        }
    }
}

/// A solution with figures of the device of the course whose exercise does not speak of
/// it: they would be those of the usual device, whatever was chosen.
pub(super) fn unasked(exercise: &Exercise, solution: &Text, faults: &mut Vec<Fault>) {
    let named = exercise.setup.text(GPU).is_some() || asks_of_gpu(exercise.text.body());
    if !named && asks_of_gpu(solution.body()) {
        let at = solution.body().find("gpu)").unwrap_or_default();
        let say = "the exercise says nothing of the device of the course, so these are figures of the usual one; name it in the exercise, or leave them out.";
        faults.push(solution.fault(at, say));
    }
}

/// Where a text has a GPU as an argument: `ridge(h200, fp32)`.
fn places<'t>(text: &'t str, id: &'t str) -> impl Iterator<Item = usize> + 't {
    text.match_indices(id).map(|(at, _)| at).filter(move |at| {
        let before = text.get(..*at).and_then(|head| head.chars().next_back());
        let behind = text.get(at + id.len()..).and_then(|t| t.chars().next());
        matches!(before, Some('(' | ' ' | ',')) && matches!(behind, Some(')' | ','))
    })
}

/// Words for one maker's parts, in pairs.
const PAIRS: [(&[&str], &[&str]); 3] = [
    (&["SM", "SMs"], &["CU", "CUs"]),
    (&["warp", "warps"], &["wave", "waves"]),
    (&["shared memory"], &["LDS"]),
];

/// Words that say whose part is meant.
const SAID: [&str; 3] = ["NVIDIA", "AMD", "CUDA"];

/// Sentences that show a figure of the device of the course and call a part of it as one
/// maker alone does; “your device” in a table or chart, which stands there without a name.
pub(super) fn words(text: &Text, faults: &mut Vec<Fault>) {
    for (at, sentence) in sentences(text.body()) {
        let (prose, shown) = parted(sentence);
        let is = |word: &&&str| {
            prose.match_indices(**word).any(|(at, found)| {
                let before = prose.get(..at).and_then(|head| head.chars().next_back());
                let behind = prose.get(at + found.len()..).and_then(|t| t.chars().next());
                let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
                !part(before) && !part(behind)
            })
        };
        let named = || {
            let all = data_sheets().into_iter().flat_map(|all| all.all());
            SAID.iter().any(|word| prose.contains(word))
                || all.into_iter().any(|gpu| prose.contains(&gpu.short))
        };
        let one = PAIRS.iter().find_map(|(nvidia, amd)| {
            match (nvidia.iter().find(is), amd.iter().find(is)) {
                (Some(word), None) | (None, Some(word)) => Some(word),
                _ => None,
            }
        });
        if let Some(word) = one.filter(|_| asks_of_gpu(&shown) && !named()) {
            let say = format!(
                "“{word}” is one maker's word in a sentence about the device of the course; write gpu(gpu).warp_word, .unit_word or .shared_word, or name both."
            );
            faults.push(text.fault(at, say));
        }
    }
    let quoted = text.body().match_indices('"');
    for (at, _) in quoted.filter(|(at, _)| {
        let cell = text
            .body()
            .get(at + 1..)
            .and_then(|rest| rest.split(['"', '\n']).next());
        cell.is_some_and(|cell| cell.ends_with("your device") || cell.contains("your device,"))
    }) {
        let say = "“your device” stands here without its name; write `= gpu(gpu).short`.";
        faults.push(text.fault(at, say.to_owned()));
    }
}

/// Sentences, with their places: up to a full stop, a quote, a cell or an empty line.
fn sentences(body: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut from = 0;
    for (at, c) in body.char_indices() {
        let next = body.get(at + 1..).and_then(|rest| rest.chars().next());
        let ends = match c {
            '"' => true,
            '.' | '?' | '!' | ':' | ';' => next.is_none_or(char::is_whitespace),
            '\n' => next == Some('\n'),
            _ => false,
        };
        if ends {
            found.extend(body.get(from..at).map(|sentence| (from, sentence)));
            from = at + 1;
        }
    }
    found.extend(body.get(from..).map(|sentence| (from, sentence)));
    found
}

/// A sentence without its expressions, and these.
fn parted(sentence: &str) -> (String, String) {
    let mut parts = (String::new(), String::new());
    for (index, part) in sentence.split('`').enumerate() {
        match index % 2 {
            0 => parts.0.push_str(part),
            _ => parts.1.push_str(part),
        }
    }
    parts
}

/// Sections that show a figure recorded on a device which neither they name nor the first
/// section, which says what the whole lesson is about.
pub(super) fn recorded(lesson: &Lesson, faults: &mut Vec<Fault>) {
    let body = lesson.text.body();
    let mut sections = body.match_indices("\n## ").map(|(at, _)| at).peekable();
    let mut first = None;
    while let Some(at) = sections.next() {
        let end = sections.peek().copied().unwrap_or(body.len());
        let section = body.get(at..end).unwrap_or_default();
        let first: &str = first.get_or_insert(section);
        for (within, _) in section.match_indices("recorded.") {
            let rest = section
                .get(within + "recorded.".len()..)
                .unwrap_or_default();
            let id = rest
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .next();
            let figure = id.and_then(|id| Figures::built_in().get(id));
            let device = figure.and_then(|f| f.device.split_whitespace().next_back());
            if let Some(device) = device
                && !section.contains(device)
                && !first.contains(device)
            {
                let say = format!(
                    "this section shows what was recorded on an {device} and does not say so; name the {device}."
                );
                faults.push(lesson.text.fault(at + within, say));
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_that_is_named_has_its_reason() {
        let phrase = |text: &str| Phrase {
            text: text.to_owned(),
            at: crate::fault::Place { line: 2, column: 1 },
        };
        let said = |body: &str, named: &[(&str, &str)]| {
            let (text, mut faults) = Text::new("a.md", body);
            let named: Vec<_> = named
                .iter()
                .map(|(id, why)| (phrase(id), phrase(why)))
                .collect();
            check(&[&text], &named, &mut faults);
            faults.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert!(said("`= ridge(gpu, fp32)` and recorded.h200_launch", &[]).is_empty());
        let missing = said("a\n`= ridge(h200, fp32)`", &[]);
        assert!(
            missing[0].starts_with("a.md:2:10: an expression names h200;"),
            "{missing:?}"
        );
        assert!(said("`= ridge(h200, fp32)`", &[("h200", "it was measured")]).is_empty());
        let both = "`= ridge(a10, fp32)` `= ridge(h200, fp32)`";
        let compared = [(SEVERAL, "side by side")];
        assert!(said(both, &compared)[0].contains("names h200;"));
        assert!(said(&both.replace("h200", "l4"), &compared).is_empty());
        let unused = said("nothing", &[("a10", "why")]);
        assert!(unused[0].contains("no expression names a10"), "{unused:?}");
    }

    #[test]
    fn a_solution_shows_the_device_that_its_exercise_speaks_of() {
        let said = |exercise: &str, solution: &str| {
            let exercise = Exercise::read("ex", "ex.md", exercise);
            let (text, _) = Text::new("s.md", solution);
            let mut faults = Vec::new();
            unasked(&exercise, &text, &mut faults);
            faults.len()
        };
        let shows = "`= ridge(gpu, fp32)`";
        assert_eq!(said("nothing", shows), 1);
        assert_eq!(said("On the `= gpu(gpu).short`", shows), 0);
        assert_eq!(said("+++\nconfig = { gpu = \"a10\" }\n+++\n", shows), 0);
        assert_eq!(said("nothing", "`= ridge(a10, fp32)`"), 0);
    }

    #[test]
    fn a_figure_of_the_device_has_no_word_of_one_maker() {
        let said = |body: &str| {
            let (text, mut faults) = Text::new("a.md", body);
            words(&text, &mut faults);
            faults.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let found = said("One. Its `= gpu(gpu).units` SMs wait. Two.");
        assert!(
            found[0].starts_with("a.md:1:5: “SM”") || found[0].contains("“SMs”"),
            "{found:?}"
        );
        for fine in [
            "The `= gpu(gpu).units` units wait. An SM does not.",
            "A warp of NVIDIA's is no wave: `= gpu(gpu).warp`.",
            "Each `= gpu(gpu).warp_word` has `= gpu(gpu).warp` lanes.",
            "An H200 has `= gpu(h200).units` SMs.",
            "Of `= gpu(gpu).units` units the H200 has as many SMs.",
        ] {
            assert_eq!(said(fine), [""; 0], "{fine}");
        }
        assert_eq!(said("[\"your device\", \"= gpu(gpu).fp32\"]").len(), 1);
        assert_eq!(said("run it on your device, \"= gpu(gpu).fp32\"").len(), 0);
    }

    #[test]
    fn a_recorded_figure_is_not_taken_for_the_device_of_the_course() {
        let said = |body: &str| {
            let lesson = Lesson::read(
                "01-a",
                "a.md",
                &format!("+++\ntitle = \"A\"\n+++\n\n{body}"),
            );
            let mut faults = Vec::new();
            recorded(&lesson, &mut faults);
            faults.len()
        };
        let shows = "`= recorded.h200_launch | us 2`";
        assert_eq!(said(&format!("## One\n\nIt takes {shows}.\n")), 1);
        assert_eq!(
            said(&format!("## One\n\nIt takes {shows} on an H200.\n")),
            0
        );
        // The first section speaks for the lesson, a later one for itself.
        assert_eq!(
            said(&format!("## One\n\nOn an H200.\n\n## Two\n\n{shows}\n")),
            0
        );
        let late = format!("## One\n\nNo.\n\n## Two\n\nAn H200.\n\n## Three\n\n{shows}\n");
        assert_eq!(said(&late), 1);
    }
}
