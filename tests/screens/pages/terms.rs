//! Why this number: the terms behind it to their last line, and what is said where it has none.

use super::Screen;
use tinyllama_tutor::app::key::{Code, ch, key};
use tinyllama_tutor::app::{Message, Page};

/// From the smallest on which pages are read.
const SIZES: [(u16, u16); 5] = [(80, 24), (110, 30), (120, 40), (160, 50), (200, 60)];

fn on_row(columns: u16, rows: u16, row: usize) -> Screen {
    let screen = Screen::new(80, 24).typed("3vv").keys([key(Code::Tab)]);
    let screen = screen.times(row, key(Code::Down)).typed("=");
    sized(screen, columns, rows)
}

fn sized(mut screen: Screen, columns: u16, rows: u16) -> Screen {
    screen.tell(0, Message::Resize { columns, rows });
    screen
}

#[test]
fn a_long_page_of_terms_is_read_to_its_end() {
    for (columns, rows) in SIZES {
        // FLOP/B of a block, and the floor, which has most terms.
        for row in [4, 5] {
            for down in ["G", "jjj", "   "] {
                let mut screen = on_row(columns, rows, row);
                let why = screen.state.terms.why.clone().unwrap();
                let last = why.flatten().last().unwrap().1.label.clone();
                let count = why.flatten().len() / down.len() + 1;
                for _ in 0..count {
                    screen = screen.typed(down);
                }
                let drawn = screen.rows();
                let text = drawn.join("\n");
                assert!(
                    !text.contains("further terms"),
                    "{columns}×{rows} {down}: {text}"
                );
                let foot = drawn.len() - 2;
                let lines = drawn[..foot]
                    .iter()
                    .rev()
                    .find(|row| !row.trim().is_empty());
                assert!(
                    lines.unwrap().contains(&last),
                    "{columns}×{rows} {down}: {text}"
                );
                assert!(!drawn[foot].trim().is_empty(), "{text}");
            }
        }
    }
}

#[test]
fn messages_are_read_to_the_newest() {
    for (columns, rows) in SIZES {
        let mut screen = Screen::new(80, 24).typed("3");
        for _ in 0..usize::from(rows) {
            screen = screen.typed("  ");
        }
        let text = screen.typed(":messages").keys([key(Code::Enter)]);
        let text = sized(text, columns, rows);
        let log = text.state.shared.notes.log();
        let newest = log
            .last()
            .unwrap()
            .text
            .chars()
            .take(40)
            .collect::<String>();
        let text = text.typed("G").rows().join("\n");
        assert!(text.contains(&newest), "{columns}×{rows}: {text}");
    }
}

#[test]
fn the_foot_says_how_figures_are_made_of_terms() {
    for (keys, has, lacks) in [
        // MB of V1's softmax: a sum.
        ("=", "is the sum of", "“/”"),
        // Launches of a forward: four of each kernel of a block.
        ("\tj=", "“× n”: n times", "“/”"),
        ("\tjjjj=G", "“/”: their quotient", "“the larger”"),
    ] {
        let mut screen = Screen::new(200, 60).typed("3");
        for c in keys.chars() {
            screen = screen.keys([match c {
                '\t' => key(Code::Tab),
                c => ch(c),
            }]);
        }
        let rows = screen.rows();
        let foot = &rows[rows.len() - 2];
        assert!(
            foot.contains(has) && !foot.contains(lacks),
            "{keys}: {foot}"
        );
    }
    // At every size in whole words.
    for (columns, rows) in SIZES {
        let rows = on_row(columns, rows, 5).typed("G").rows();
        let foot = rows[rows.len() - 2].trim_end();
        assert!(
            foot.contains("“the larger”") && foot.ends_with('.'),
            "{foot}"
        );
    }
}

#[test]
fn a_floor_unfolds_into_the_larger_time_of_each_kernel() {
    let screen = on_row(200, 60, 5);
    let text = screen.rows().join("\n");
    // src/app/machine.rs: 15.97 µs of V3 under 4286 GB/s and 51 TFLOP/s.
    for has in [
        "floor of the forward",
        "roof: H200, measured @",
        "15.9",
        "the larger: bytes / bandwidth",
        " / 4,286 GB/s",
        " / 51.00 TFLOP/s",
    ] {
        assert!(text.contains(has), "{has}: {text}");
    }
    // The compare page, of the column under the cursor.
    let rows = Screen::new(120, 40).typed("4").times(10, key(Code::Down));
    let text = rows.typed("=").rows().join("\n");
    assert!(text.contains("floor of the"), "{text}");
    // And of a box of the ribbon that shows floors.
    let text = Screen::new(120, 40).typed("3mm=").rows().join("\n");
    assert!(text.contains("floor of norm1"), "{text}");
}

/// Each row answers for itself: terms that begin with its name, or a sentence about it.
#[test]
fn every_row_of_lab_and_compare_answers_for_itself() {
    let answer = |screen: Screen| {
        let screen = screen.typed("=");
        match screen.state.page == Page::Why {
            true => screen.state.terms.why.clone().unwrap().label,
            false => screen.state.shared.notes.shown().unwrap().text.clone(),
        }
    };
    let lab = [
        "launches of the block",
        "launches of the forward",
        "bytes of the block",
        "weight bytes of the block",
        "intensity of the block",
        "floor of the forward",
        "2.85 µs from a launch to the next",
        "A time has no terms",
    ];
    for (row, begins) in lab.into_iter().enumerate() {
        let screen = Screen::new(80, 24).typed("3v");
        let screen = screen.keys([key(Code::Tab)]).times(row, key(Code::Down));
        let said = answer(screen);
        assert!(said.starts_with(begins), "{row}: {said}");
    }
    let counted = [
        "launches of the forward",
        "bytes of the forward",
        "",
        "Counted by a run: the sectors of 32 bytes",
        "On simt: one cache",
        "intensity of the block",
        "floor of the forward",
        "A time has no terms",
    ];
    for (row, begins) in counted.into_iter().enumerate() {
        let screen = Screen::new(80, 24).typed("3vR").answered(super::counted);
        let screen = screen.keys([key(Code::Tab)]).times(row, key(Code::Down));
        let said = answer(screen);
        assert!(said.starts_with(begins), "{row}: {said}");
    }
    let compare = [
        "launches of the",
        "bytes of the",
        "weight bytes of the",
        "activation bytes of the",
        "Counted on simt",
        "Counted on simt",
        "On simt: one cache",
        "A GPU's profiler",
        "intensity of the",
        "peak of live activations",
        "floor of the",
        "2.85 µs from a launch to the next",
        "A time has no terms",
        "The floor over the time",
    ];
    for (row, begins) in compare.into_iter().enumerate() {
        let screen = Screen::new(120, 40).typed("4").times(row, key(Code::Down));
        let said = answer(screen);
        assert!(said.starts_with(begins), "{row}: {said}");
    }
}
