//! A text is looked for in the other sections of a lesson, in what they say to whoever reads
//! them now.

use super::{Reader, lesson, show};
use crate::intent::Out;
use crate::live;
use crate::note::Tone;
use crate::question::Asked;
use crate::shared::Shared;
use course::{Block, Cell, Ledger, Lesson, Live, Part, Phrase, Section};

/// Finds a text in the other sections of the lesson, from the present one on and round;
/// shows the section that holds it. `false`: none does.
pub(super) fn beyond(
    reader: &mut Reader,
    shared: &mut Shared,
    typed: &str,
    forward: bool,
    out: &mut Out,
) -> bool {
    let needle = typed.to_lowercase();
    let Some(found) = lesson(reader, shared) else {
        return false;
    };
    let count = found.sections.len();
    let here = reader.section;
    let holds = |section: &Section| said(reader, shared, found, section).contains(&needle);
    let at = (1..count)
        .map(|step| {
            if forward {
                (here + step) % count
            } else {
                (here + count - step) % count
            }
        })
        .find(|i| found.sections.get(*i).is_some_and(holds));
    let Some(section) = at else { return false };
    let lesson = reader.lesson;
    show(reader, shared, lesson, section, out);
    let text = format!("“{typed}”: section {} of {count}.", section + 1);
    shared.notes.say(Tone::Plain, text);
    reader.sought = Some((needle, forward));
    true
}

/// The line of a section as it was laid out to which a search leads: the first that has the
/// text, or the last, or one with which it begins and that breaks it.
pub(super) fn line(lines: &[String], needle: &str, forward: bool) -> Option<usize> {
    let has = |line: &String| line.to_lowercase().contains(needle);
    let whole = match forward {
        true => lines.iter().position(has),
        false => lines.iter().rposition(has),
    };
    let both = |two: &[String]| plain(&two.join(" ").replace('│', " ")).contains(needle);
    whole.or_else(|| lines.windows(2).position(both))
}

/// In lower case, with one space between words.
fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

/// What a section says: nothing that waits behind a guess or a claim.
fn said(reader: &Reader, shared: &Shared, lesson: &Lesson, section: &Section) -> String {
    let mut said = section.title.clone();
    for (part, claim) in section.told() {
        if claim.is_some_and(|claim| live::withheld(reader, shared, claim)) {
            continue;
        }
        said.push('\n');
        match part {
            // Between two such signs stands code, or a number by its expression.
            Part::Prose { text, .. } => {
                for code in text.split('`').filter(|code| !code.starts_with("= ")) {
                    said.extend(code.chars().filter(|c| *c != '*'));
                }
            }
            Part::Live(block) => {
                said += &of_block(reader, shared, lesson, block).join("\n");
                if let Ok(Block::Claim { id }) = &block.content {
                    said += &of_claim(id, live::withheld(reader, shared, block));
                }
            }
        }
    }
    plain(&said)
}

/// Where a claim stands and, where that is not withheld, what is true of it.
fn of_claim(id: &Phrase, withheld: bool) -> String {
    let ledger = Ledger::built_in();
    let Some(claim) = ledger.get(id.as_str()) else {
        return String::new();
    };
    let place = claim.places.first().map(|place| ledger.named(place));
    let mut words = format!("\n{}", place.unwrap_or_default());
    if !withheld {
        let how = claim.how_found().unwrap_or_default();
        words += &format!("\n{}\n{}\n{how}", claim.verdict(), claim.truth.text);
    }
    words
}

/// The words of a block, as far as they show.
fn of_block<'s>(
    reader: &Reader,
    shared: &'s Shared,
    lesson: &'s Lesson,
    block: &'s Live,
) -> Vec<&'s str> {
    let text = |phrase: &'s Phrase| &*phrase.text;
    let made = live::predict::open(&shared.study, lesson, block);
    let asked = block
        .predict
        .iter()
        .take(made.map_or(usize::MAX, |at| at + 1));
    let notes = block.predict.iter().take(made.unwrap_or(usize::MAX));
    let notes = notes.filter_map(|predict| predict.note.as_ref());
    let asks = asked.map(|predict| &predict.ask);
    let mut words: Vec<&str> = asks.chain(notes).map(text).collect();
    match &block.content {
        Ok(Block::Question { exercise, key }) => {
            let key = key.as_ref().map_or("", text);
            let asked = Asked {
                exercise: exercise.text.clone(),
                key: key.to_owned(),
            };
            words.extend([text(exercise), key]);
            words.extend(shared.study.key_of(&asked).map(|key| text(&key.ask)));
        }
        Ok(Block::Claim { id }) => {
            let claim = Ledger::built_in().get(id.as_str());
            words.push(text(id));
            words.extend(
                claim
                    .into_iter()
                    .flat_map(|c| [c.title.as_str(), &c.says.text]),
            );
        }
        Ok(Block::Steps { title, steps, .. }) if made.is_none() => {
            let shown = 1 + reader.block(&lesson.id, block.number).steps;
            words.extend(title.iter().chain(steps.iter().take(shown)).map(text));
        }
        Ok(Block::Table { columns, rows }) if made.is_none() => {
            let cells = rows.iter().flatten().filter_map(|cell| match cell {
                Cell::Text(phrase) => Some(phrase),
                Cell::Number(_) => None,
            });
            words.extend(columns.iter().chain(cells).map(text));
        }
        _ => {}
    }
    words
}
