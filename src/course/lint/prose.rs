//! Prose: figures must be computed, links must lead somewhere.

use super::running::{Running, running, running_of};
use crate::fault::{Fault, Place, way_out};
use crate::lesson::{Lesson, Part, slug};
use crate::library::Course;
use std::ops::Range;
use text::{Element, Inline, Section, words};

/// Units after which a typed number is a result. Longer ones first.
const UNITS: [&str; 40] = [
    "TFLOP/s", "GFLOP/s", "MFLOP/s", "FLOP/s", "TFLOPs", "GFLOPs", "MFLOPs", "kFLOPs", "FLOPs",
    "TFLOP", "GFLOP", "MFLOP", "kFLOP", "FLOP/B", "FLOP", "TB/s", "GB/s", "MB/s", "KiB", "MiB",
    "GiB", "TB", "GB", "MB", "KB", "kB", "B", "bytes", "byte", "µs", "μs", "us", "ms", "ns", "%",
    "percent", "launches", "launch", "kernels", "kernel",
];

/// Everything that is checked in a piece of markdown.
pub(super) fn check(file: &str, section: &Section, faults: &mut Vec<Fault>) {
    for words in running(section) {
        of_words(file, &words, faults);
    }
}

/// Figures that were typed instead of computed, and inline numbers that never end.
pub(crate) fn figures(file: &str, text: &str, start: Place, faults: &mut Vec<Fault>) {
    for words in running_of(text, start) {
        of_words(file, &words, faults);
    }
}

fn of_words(file: &str, words: &Running, faults: &mut Vec<Fault>) {
    for range in words.unquoted() {
        let plain = words.text.get(range.clone()).unwrap_or_default();
        let place = |at: usize| words.place(range.start + at);
        if let Some(at) = plain.find("`=") {
            faults.push(Fault::at(
                file,
                place(at),
                "this inline number is not closed; end it with a backtick.",
            ));
        }
        for found in typed_in(plain) {
            let figure = plain
                .get(found.clone())
                .unwrap_or_default()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            faults.push(Fault::at(file, place(found.start), format!(
                "“{figure}” is a typed-in result; compute it as `= …`, or put it in quotation marks where a document says it."
            )));
        }
    }
}

/// Byte ranges of numbers with a unit.
fn typed_in(plain: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut at = 0;
    let bytes = plain.as_bytes();
    while let Some(step) = bytes
        .get(at..)
        .and_then(|rest| rest.iter().position(u8::is_ascii_digit))
    {
        let start = at + step;
        let rest = plain.get(start..).unwrap_or_default();
        let run = rest
            .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '_')))
            .unwrap_or(rest.len());
        let digits = rest
            .get(..run)
            .unwrap_or_default()
            .trim_end_matches(['.', ',', '_']);
        at = start + run.max(1);
        // `V1`, `fp32`, `ex1`, `S²/2` and `lm_head2` are names, not figures.
        let before = plain.get(..start).and_then(|text| text.chars().next_back());
        if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '/' | '^' | '-' | '–'))
        {
            continue;
        }
        let Some(after) = rest.get(digits.len()..) else {
            continue;
        };
        let gap = after.len()
            - after
                .trim_start_matches([' ', '\n', '\u{a0}', '\u{202f}', '\u{2009}'])
                .len();
        let unit = after.get(gap..).and_then(|unit| {
            UNITS.iter().find(|name| {
                unit.strip_prefix(**name).is_some_and(|rest| {
                    !rest.starts_with(|c: char| c.is_alphanumeric() || c == '/')
                })
            })
        });
        if let Some(unit) = unit
            && gap <= 2
            && !by_definition(digits, unit)
            && !(unit.ends_with('B') && names_a_device(plain.get(..start).unwrap_or_default()))
        {
            let end = start + digits.len() + gap + unit.len();
            out.push(start..end);
            at = end;
        }
    }
    out
}

/// Does the text end in a name like A100 or MI50, whose memory tells two models apart?
fn names_a_device(before: &str) -> bool {
    let word = before.split_whitespace().next_back().unwrap_or_default();
    let letters = word.chars().take_while(char::is_ascii_uppercase).count();
    let digits = word
        .chars()
        .skip(letters)
        .take_while(char::is_ascii_digit)
        .count();
    letters >= 1 && digits >= 2
}

/// Sizes of a number, the FLOPs of a multiply-add, none, one or two of
/// something, and the whole are definitions and not results.
fn by_definition(digits: &str, unit: &str) -> bool {
    match unit {
        "B" | "byte" | "bytes" => ["0", "1", "2", "4", "8"].contains(&digits),
        "FLOP" | "FLOPs" | "launch" | "launches" | "kernel" | "kernels" => {
            ["0", "1", "2"].contains(&digits)
        }
        "%" | "percent" => ["0", "100"].contains(&digits),
        _ => false,
    }
}

/// Links to other texts of the course, `[the census](07-v1-census)` or
/// `(07-v1-census.md#the-sum)`, and within this one, `(#the-sum)`.
pub(super) fn links(course: &Course, lesson: &Lesson, section: &Section, faults: &mut Vec<Fault>) {
    section.each_inline(|inline| {
        let Inline::Link {
            target,
            place,
            image,
            ..
        } = inline
        else {
            return;
        };
        if let Some(say) = astray(course, lesson, target, *image) {
            faults.push(Fault::at(lesson.text.file(), *place, say));
        }
    });
}

/// What is wrong with a link.
fn astray(course: &Course, lesson: &Lesson, target: &str, image: bool) -> Option<String> {
    if target.contains("://") {
        return None;
    }
    if image {
        let say = "pictures are not shown; draw it in a ```text block, or say it in words.";
        return Some(say.to_owned());
    }
    let (path, part) = target.split_once('#').unwrap_or((target, ""));
    let id = path.rsplit('/').next().unwrap_or(path);
    let id = id.trim_end_matches(".md");
    let to = match (id, course.lesson(id)) {
        ("", _) => lesson,
        (_, Ok(found)) => found,
        (_, Err(_)) if course.exercise(id).is_ok() => return None,
        (_, Err(say)) => return Some(format!("this link leads nowhere: {say}")),
    };
    if part.is_empty() || headings(to).iter().any(|known| known == part) {
        return None;
    }
    let known: Vec<&str> = to.sections.iter().map(|s| s.id.as_str()).collect();
    Some(format!(
        "this link leads nowhere: {} has no part “{part}”; {}",
        to.id,
        way_out(part, &known)
    ))
}

/// What a link can name in a lesson: its sections, and the headings within them.
fn headings(lesson: &Lesson) -> Vec<String> {
    let mut out = Vec::new();
    for section in &lesson.sections {
        out.push(section.id.clone());
        for part in &section.parts {
            let Part::Prose { body, .. } = part else {
                continue;
            };
            body.each_block(|block| {
                if let Element::Heading { text, .. } = &block.element {
                    out.push(slug(&words(text)));
                }
            });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        typed_in(text)
            .into_iter()
            .map(|range| text[range].to_owned())
            .collect()
    }

    #[test]
    fn results_with_units_are_found() {
        let cases: [(&str, &[&str]); 8] = [
            ("moves 12.6 MB and 219 GFLOP", &["12.6 MB", "219 GFLOP"]),
            (
                "17 launches, 30 %, or 30% of it.",
                &["17 launches", "30 %", "30%"],
            ),
            (
                "4.3 TB/s, 2,085,652,736 bytes",
                &["4.3 TB/s", "2,085,652,736 bytes"],
            ),
            ("about 12.6\nMB.", &["12.6\nMB"]),
            ("2.85 µs; 3 kernels", &["2.85 µs", "3 kernels"]),
            ("V1 launches, A100 80 GB, H200 B, fp32 bytes, 1/3 MB", &[]),
            ("4 bytes each, 2 FLOPs, 100 %, 2 kernels", &[]),
            ("3 heads, 12 MBit, 5 Bananas, 128 tokens, S/2 B", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_code_math_or_quoted_is_left_alone() {
        let text = "“40 %” and \"12 launches\", `17 launches`, $3 MB$, and\n\n```text\n9 GB\n```\nbut 12 MB";
        let mut faults = Vec::new();
        figures("a.md", text, Place { line: 5, column: 1 }, &mut faults);
        let said: Vec<String> = faults.iter().map(ToString::to_string).collect();
        assert_eq!(
            said,
            [
                "a.md:10:5: “12 MB” is a typed-in result; compute it as `= …`, or put it in quotation marks where a document says it.",
            ]
        );
    }

    #[test]
    fn a_number_that_never_ends_is_found() {
        let mut faults = Vec::new();
        let start = Place { line: 1, column: 1 };
        figures("a.md", "so `= block(v1).bytes and on", start, &mut faults);
        assert_eq!(faults.len(), 1);
        assert_eq!(faults[0].at, Place { line: 1, column: 4 });
    }
}
