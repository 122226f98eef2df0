//! From a key to the frame that answers it, without a terminal: the event, the layout,
//! and every cell of a window of 200 x 60, for every page.
//!
//! `cargo bench --bench frame`. A key is to be answered within 5 ms; the terminal's part
//! of it is timed by `terminal`.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    reason = "a benchmark may stop at the first surprise"
)]

use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use tinyllama_tutor::app::key::{Code, Key, ch, key};
use tinyllama_tutor::app::study::Study;
use tinyllama_tutor::app::{Event, Look, Message, Page, State, update};
use tinyllama_tutor::cost::GpuDatabase;
use tinyllama_tutor::course::Course;
use tinyllama_tutor::tui::Painter;

const SIZE: (u16, u16) = (200, 60);

/// Pages, the keys that lead there from the contents, and two keys that change what they
/// show, pressed in turns.
const PAGES: &[(Page, &[Key], [Key; 2])] = &[
    (Page::Home, &[], [ch('j'), ch('k')]),
    (Page::Lesson, &[key(Code::Enter)], [ch(' '), ch('b')]),
    (Page::Lab, &[ch('L')], [ch('v'), ch('V')]),
    (Page::Compare, &[ch('c')], [ch('b'), ch('b')]),
    (Page::Roofline, &[ch('x')], [ch('l'), ch('h')]),
    (Page::Kernel, &[ch('K')], [ch('j'), ch('k')]),
    (
        Page::Exercises,
        &[ch('e'), key(Code::Enter)],
        [key(Code::Tab), key(Code::BackTab)],
    ),
    (Page::Claims, &[ch('C')], [ch('j'), ch('k')]),
    (Page::Doctor, &[ch('D')], [ch('j'), ch('k')]),
    (Page::Setup, &[ch('p')], [ch('j'), ch('k')]),
    (Page::Studies, &[ch('S')], [ch('j'), ch('k')]),
    (Page::Practise, &[ch('t')], [ch('1'), key(Code::Backspace)]),
    (Page::Glossary, &[ch('*')], [ch('j'), ch('k')]),
    (Page::Why, &[ch('L'), ch('=')], [ch('j'), ch('k')]),
    (Page::Help, &[ch('?')], [ch('j'), ch('k')]),
];

fn frames(c: &mut Criterion) {
    let mut group = c.benchmark_group("key to frame, 200x60 (at most 5 ms)");
    let gpus = Arc::new(GpuDatabase::embedded().unwrap());
    let course = Arc::new(Course::built_in());
    for (page, keys, turns) in PAGES {
        let mut state = State::new(SIZE, Look::default()).unwrap();
        let mut painter = Painter::default();
        let mut buffer = Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1));
        let study = Study {
            course: Arc::clone(&course),
            gpus: Some(Arc::clone(&gpus)),
            loaded: true,
            ..Study::default()
        };
        let mut tell = |message: Message| {
            update(&mut state, Event { at: 0, message });
            painter.fit(&mut state);
            buffer.reset();
            painter.draw(&state, &mut buffer);
            state.page
        };
        tell(Message::Loaded(Box::new(study)));
        for k in *keys {
            tell(Message::Key(*k));
        }
        let mut turn = turns.iter().cycle();
        group.bench_function(page.title(), |b| {
            b.iter(|| {
                let k = turn.next().copied().unwrap_or(turns[0]);
                assert_eq!(tell(Message::Key(k)), *page, "a key led elsewhere");
            });
        });
    }
    group.finish();
}

criterion_group!(benches, frames);
criterion_main!(benches);
