//! What a lesson's blocks say on the screen and on paper, over the whole course.

use super::{cells, profile};
use crate::cli::live::Piece;
use crate::tui::live::lay;
use app::study::Study;
use app::{Event, Look, Message, State, update};
use course::answer::{Env, Setup};
use course::{Block, Course, Figures, Lesson, Live};
use plan::cost::GpuDatabase;
use std::sync::Arc;

/// Wide enough that no row is broken.
const WIDE: usize = 400;

/// Words and numbers, sorted; signs that only divide are none.
fn said<'t>(lines: impl IntoIterator<Item = &'t str>) -> Vec<String> {
    let divides = |c: char| "│┌┐└┘─;:,.…\u{a0}".contains(c) || c.is_whitespace();
    let mut out: Vec<String> = lines
        .into_iter()
        .flat_map(|line| line.split(|c: char| c.is_whitespace()))
        .map(|word| word.trim_matches(divides).to_owned())
        .filter(|word| !word.is_empty())
        .collect();
    out.sort();
    out
}

/// The block's cells as paper has them, without the sentence above them.
fn on_paper(pieces: &[Piece]) -> Vec<String> {
    let mut lines: Vec<&str> = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Table(table) => {
                let rows = table.rows.iter().flatten();
                lines.extend(table.columns.iter().chain(rows).map(String::as_str));
                // Every cell of the table is in its sentences.
                let cells = said(
                    table
                        .columns
                        .iter()
                        .chain(table.rows.iter().flatten())
                        .map(|s| &**s),
                );
                let sentences = said(table.said.iter().map(|s| &**s));
                for cell in cells {
                    assert!(sentences.contains(&cell), "{cell} is not in {sentences:?}");
                }
            }
            Piece::Line(line) => lines.push(line),
            _ => {}
        }
    }
    said(lines)
}

/// The block on a wide screen, its predictions made, without the box around it.
fn on_screen(state: &State, lesson: &Lesson, live: &Live) -> Vec<String> {
    let live = Live {
        predict: Vec::new(),
        ..live.clone()
    };
    let rows = lay(state, lesson, &live, false, WIDE).rows;
    let text: Vec<String> = rows.iter().map(|row| row.text()).collect();
    let edge = |line: &&String| line.starts_with(['┌', '└']);
    said(text.iter().filter(|line| !edge(line)).map(String::as_str))
}

#[test]
fn the_screen_and_paper_show_the_same_cells() {
    let mut state = State::new((80, 24), Look::default()).unwrap();
    let gpus = Arc::new(GpuDatabase::embedded().unwrap());
    let study = Study {
        course: Arc::new(Course::built_in()),
        gpus: Some(gpus.clone()),
        loaded: true,
        ..Study::default()
    };
    let message = Message::Loaded(Box::new(study));
    update(&mut state, Event { at: 0, message });
    let course = Course::built_in();
    let mut looked = std::collections::BTreeMap::new();
    for lesson in course.lessons() {
        for live in lesson.live() {
            let setup = lesson.setup.with(&live.setup).meaning();
            let setup = Setup::workshop().unwrap().with(&setup);
            let env = Env::new(setup, &gpus, Figures::built_in());
            let Ok(block) = &live.content else {
                panic!("{}, block {}", lesson.id, live.number)
            };
            let paper = match block {
                // The roof of a floor is this machine's; here there is none.
                Block::Compare { metrics, .. } if metrics.iter().any(|m| m == "floor") => continue,
                Block::Table { .. } | Block::Compare { .. } | Block::Roofline { .. } => {
                    on_paper(&cells(block, &env, &mut false).unwrap())
                }
                Block::Chart { series, .. } => {
                    // A plot: the lines have the names that the columns have.
                    let paper = on_paper(&cells(block, &env, &mut false).unwrap());
                    let screen = on_screen(&state, lesson, live);
                    for name in said(series.iter().map(|s| s.name.as_str())) {
                        assert!(
                            paper.contains(&name) && screen.iter().any(|w| w.contains(&*name)),
                            "{name}"
                        );
                    }
                    *looked.entry("chart").or_insert(0) += 1;
                    continue;
                }
                Block::Profile(sample) => {
                    let pieces = profile(&env, sample).unwrap();
                    let (paper, screen) = (on_paper(&pieces), on_screen(&state, lesson, live));
                    for word in &paper {
                        assert!(screen.contains(word), "{}: {word} in {screen:?}", lesson.id);
                    }
                    *looked.entry("profile").or_insert(0) += 1;
                    continue;
                }
                _ => continue,
            };
            let screen = on_screen(&state, lesson, live);
            assert_eq!(screen, paper, "{}, block {}", lesson.id, live.number);
            *looked.entry(live_kind(block)).or_insert(0) += 1;
        }
    }
    for kind in ["table", "compare", "roofline", "chart", "profile"] {
        assert!(looked.contains_key(kind), "no {kind} in {looked:?}");
    }
}

fn live_kind(block: &Block) -> &'static str {
    match block {
        Block::Table { .. } => "table",
        Block::Compare { .. } => "compare",
        _ => "roofline",
    }
}
