//! What studies there are, and which are kept.

use crate::cli::Outcome;
use crate::cli::args::OutputArgs;
use crate::cli::out::Out;
use crate::cli::words::wrapped;
use host::studies::Studies;
use plan::units::figure;
use study::catalogue::STUDIES;

/// Whose data sheet it is that a study models.
const COURSE: &str = "the device of the course: --gpu";

/// Every study, and what it is.
pub(super) fn catalogue(output: &OutputArgs, out: &mut Out) -> Outcome {
    if output.json {
        let all: Vec<_> = STUDIES
            .iter()
            .map(|d| {
                serde_json::json!({
                    "name": d.name, "asks": d.asks, "varies": d.varies, "held": d.held,
                    "finds": d.finds, "reduced": d.reduced, "ends": d.ends, "lessons": d.lessons,
                    "models": d.models,
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
            ("models", if d.models { COURSE } else { "" }),
        ] {
            if text.is_empty() {
                continue;
            }
            let first = format!("  {word:<8} ");
            out.lines(wrapped(text, &first, "           "));
        }
        out.gap();
    }
    out.line("study list shows those that were made; study NAME --help what each takes.");
    Ok(0)
}

/// The studies that are kept.
pub(super) fn list(output: &OutputArgs, store: &Studies, out: &mut Out) -> Outcome {
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
