//! The keys that the footer names on the lesson page: those of whatever has the
//! keys now.

use super::turn::is_end;
use super::{Focus, Reader, focused, section};
use crate::answering;
use crate::evidence::runs;
use crate::keymap::{Action, Footer, FooterItem, renamed, without};
use crate::live::{predict, takes_keys};
use crate::page::Page;
use crate::screen::Screen;
use crate::shared::Shared;
use course::{Key, Kind, Live};

/// The keys that the footer names now.
pub fn footer(reader: &Reader, shared: &Shared) -> Footer {
    let keys = match reader.focus {
        _ if reader.outline.is_some() => OUTLINE,
        Focus::Text => {
            let (blocks, lab) = (has_blocks(reader, shared), shared.two_panes());
            let mut gone = Vec::new();
            gone.extend((!blocks && !lab).then_some(Action::NextPart));
            gone.extend(is_end(reader, shared).then_some(Action::Flip));
            return match blocks {
                true => without(TEXT, &gone),
                false => without(&renamed(TEXT, Action::NextPart, "lab"), &gone),
            };
        }
        Focus::Block(_) if reader.typing(shared) => {
            return match shared.questions.field.is_some() {
                true => TYPING.into(),
                // A guess is not graded.
                false => renamed(TYPING, Action::Open, "keep"),
            };
        }
        Focus::Block(_) => return block_footer(reader, shared),
        Focus::Lab => LAB,
    };
    keys.into()
}

/// Whether Tab leads from the text into a block.
fn has_blocks(reader: &Reader, shared: &Shared) -> bool {
    section(reader, shared).is_none_or(|section| section.live().any(takes_keys))
}

fn block_footer(reader: &Reader, shared: &Shared) -> Footer {
    let Some((lesson, live)) = focused(reader, shared) else {
        return TEXT.into();
    };
    if predict::open(&shared.study, lesson, live).is_some() {
        return PREDICT.into();
    }
    use course::Block as B;
    let asked = crate::live::asked(shared, live);
    if let Some(asked) = &asked
        && answering::right(shared, asked)
    {
        return DONE.into();
    }
    if let Some(asked) = &asked
        && answering::predicted(shared, asked)
    {
        return without(DONE, &[Action::Change]);
    }
    let key = asked.as_ref().and_then(|asked| shared.study.key_of(asked));
    let keys = match &live.content {
        Ok(B::Lab { toggles, .. }) if !toggles.is_empty() => BLOCK,
        Ok(B::Trips(asked)) => {
            let keys = match asked.toggles.is_empty() {
                true => JOURNEYS,
                false => TRIPS,
            };
            if crate::live::walked_through(reader, shared, lesson, live) {
                return renamed(&offered(shared, live, keys), Action::Flip, "goes on");
            }
            keys
        }
        Ok(B::Steps { steps, .. }) => {
            let shown = reader.block(&lesson.id, live.number).steps + 1;
            if shown < steps.len() {
                STEPS
            } else {
                ALL_STEPS
            }
        }
        Ok(B::Question { .. }) => {
            let keys = key.map_or(VALUE, of_question);
            let chosen = key.is_some_and(|key| key.table.is_none() && !key.options.is_empty());
            let keys = [keys, ASKED].concat();
            return match asked.filter(|_| chosen) {
                Some(asked) if answering::leads_on(shared, &asked) => {
                    renamed(&keys, Action::Flip, "goes on")
                }
                Some(asked) if answering::placed(shared, &asked) => without(&keys, &[Action::Flip]),
                _ => keys.into(),
            };
        }
        Ok(B::Micro { .. }) => EXPERIMENT,
        Ok(B::Kernel { op: Some(_), .. } | B::Ribbon { .. }) => OPENED,
        Ok(
            B::Kernel { .. }
            | B::Profile(_)
            | B::Table { .. }
            | B::Chart { .. }
            | B::Roofline { .. },
        ) => TURNED,
        Ok(B::Claim { id }) if !runs(id.as_str()) => OPENED,
        _ => SHOWN,
    };
    let mut keys = offered(shared, live, keys);
    let across = |item: &FooterItem| item.0.contains(&Action::Left);
    if reader.extent.shift > 0 && !keys.iter().any(across) {
        let cut = (&[Action::Left, Action::Right][..], "sideways");
        keys.to_mut().insert(0, cut);
    }
    keys
}

/// The keys of a block: nothing is offered that this terminal has no room for.
fn offered(shared: &Shared, live: &Live, keys: &'static [FooterItem]) -> Footer {
    let page = live.content.as_ref().ok().and_then(crate::live::leads_to);
    match page.filter(|page| shared.lacks(page.least())) {
        Some(_) => without(keys, &[Action::Open]),
        None => keys.into(),
    }
}

/// The keys that a question not answered yet has of its own.
fn of_question(key: &Key) -> &'static [FooterItem] {
    match key.kind {
        _ if key.table.is_some() => CELLS,
        _ => match &key.kernel {
            Some(kernel) if kernel.is_written() => KERNEL,
            Some(_) => LINES,
            None if matches!(key.kind, Kind::Choice | Kind::Choices | Kind::Ranking) => OPTIONS,
            None => VALUE,
        },
    }
}

/// Keys that the footer names.
const TEXT: &[FooterItem] = &[
    (&[Action::Flip], "next"),
    (&[Action::PageUp], "back"),
    (&[Action::NextPart], "live block"),
    (&[Action::PreviousLesson, Action::NextLesson], "lesson"),
    (&[Action::Outline], "outline"),
    (&[Action::Find], "find"),
    (&[Action::Quit], "leave"),
    (&[Action::Help], "help"),
];

/// Keys of a block that waits for a prediction.
const PREDICT: &[FooterItem] = &[
    (&[Action::Open], "type your number"),
    (&[Action::Flip], "goes on"),
    (&[Action::NextPart], "next part"),
    (&[Action::Back], "text"),
    (&[Action::Help], "help"),
];

/// Keys of a `lab` block.
const BLOCK: &[FooterItem] = &[
    (&[Action::Flip], "flip"),
    (&[Action::Up, Action::Down], "fusion"),
    (&[Action::Undo], "undo"),
    (&[Action::Run], "run"),
    (&[Action::Open], "lab"),
    (&[Action::NextPart], "next part"),
    (&[Action::Back], "text"),
    (&[Action::Help], "help"),
];

/// Keys of a block that runs and leads to a page of its own: `compare`, `claim`,
/// a `lab` that offers nothing to flip.
const SHOWN: &[FooterItem] = &[
    (&[Action::Open], "open"),
    (&[Action::Run], "run"),
    (&[Action::NextPart], "next part"),
    (&[Action::Back], "text"),
    (&[Action::Help], "help"),
];

/// Keys of a `micro` block.
const EXPERIMENT: &[FooterItem] = &[
    (&[Action::Run], "run"),
    (&[Action::Flip], "next"),
    (&[Action::NextPart], "next part"),
    (&[Action::Back], "text"),
    (&[Action::Help], "help"),
];

/// Keys of a block that leads to a page of its own.
const OPENED: &[FooterItem] = &[
    (&[Action::Open], "open"),
    (&[Action::Flip], "next"),
    (&[Action::NextPart], "next part"),
    (&[Action::Back], "text"),
    (&[Action::Help], "help"),
];

/// Keys of a block that is only read.
const TURNED: &[FooterItem] = &[
    (&[Action::Flip], "next"),
    (&[Action::NextPart], "next part"),
    (&[Action::Back], "text"),
    (&[Action::Help], "help"),
];

/// Keys of a `trips` block that offers fusions.
const TRIPS: &[FooterItem] = &[
    (&[Action::Flip], "next kernel"),
    (&[Action::Up, Action::Down], "fusion"),
    (&[Action::Open], "flip"),
    (&[Action::Undo], "undo"),
    (&[Action::NextVersion], "version"),
    (&[Action::NextPart], "next part"),
    (&[Action::Back], "text"),
    (&[Action::Help], "help"),
];

/// Keys of a `trips` block that offers none.
const JOURNEYS: &[FooterItem] = &[
    (&[Action::Flip], "next kernel"),
    (&[Action::Left], "back"),
    (&[Action::NextVersion], "version"),
    (&[Action::Open], "lab"),
    (&[Action::NextPart], "next part"),
    (&[Action::Back], "text"),
    (&[Action::Help], "help"),
];

/// Keys of a `steps` block that shows all of them.
const ALL_STEPS: &[FooterItem] = &[
    (&[Action::Flip], "next"),
    (&[Action::Up], "step back"),
    (&[Action::NextPart], "next part"),
    (&[Action::Back], "text"),
    (&[Action::Help], "help"),
];

/// Keys of a `steps` block.
const STEPS: &[FooterItem] = &[
    (&[Action::Flip], "next step"),
    (&[Action::Up], "step back"),
    (&[Action::NextPart], "next part"),
    (&[Action::Back], "text"),
    (&[Action::Help], "help"),
];

/// Keys while something is typed in a block.
const TYPING: &[FooterItem] = &[
    (&[Action::Open], "keep, check"),
    (&[Action::NextPart], "next part"),
    (&[Action::Back], "text"),
];

/// Keys of a question with options.
const OPTIONS: &[FooterItem] = &[
    (&[Action::Left, Action::Right], "option"),
    (&[Action::Flip], "mark"),
    (&[Action::Open], "check"),
];

/// Keys of a question for a line of a kernel.
const LINES: &[FooterItem] = &[
    (&[Action::Up, Action::Down], "line"),
    (&[Action::Flip], "mark"),
    (&[Action::Open], "check"),
];

/// Keys of a table.
const CELLS: &[FooterItem] = &[
    (&[Action::Left, Action::Right], "cell"),
    (&[Action::Up, Action::Down], "row"),
    (&[Action::Open], "type, check"),
];

/// Keys of a kernel to be written.
const KERNEL: &[FooterItem] = &[
    (&[Action::Edit], "editor"),
    (&[Action::Open], "judge"),
    (&[Action::Flip], "gap form"),
];

/// Keys of a question that is answered right.
const DONE: &[FooterItem] = &[
    (&[Action::Flip], "goes on"),
    (&[Action::Change], "change it"),
    (&[Action::Go(Page::Exercises)], "form, solution"),
    (&[Action::NextPart], "next part"),
    (&[Action::Back], "text"),
    (&[Action::Help], "help"),
];

/// Keys of a question that is typed.
const VALUE: &[FooterItem] = &[(&[Action::Open], "type, check")];

/// Keys of every question that is not answered yet, behind its own.
const ASKED: &[FooterItem] = &[
    (&[Action::Go(Page::Exercises)], "form, hints"),
    (&[Action::NextPart], "next part"),
    (&[Action::Back], "text"),
    (&[Action::Help], "help"),
];

/// Keys while the outline is open.
const OUTLINE: &[FooterItem] = &[
    (&[Action::Up, Action::Down], "section"),
    (&[Action::Open], "go there"),
    (&[Action::Back], "close"),
    (&[Action::Help], "help"),
];

/// Keys while the lab beside the lesson has them.
const LAB: &[FooterItem] = &[
    (&[Action::Flip], "flip"),
    (&[Action::Up, Action::Down], "fusion"),
    (&[Action::NextVersion], "version"),
    (&[Action::Undo], "undo"),
    (&[Action::Run], "run"),
    (&[Action::Open], "lab"),
    (&[Action::NextPart], "lesson"),
    (&[Action::Help], "help"),
];
