//! State in, cells out. Drawing reads and never writes; what was laid out for one
//! frame is kept for the next.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::pen::Pen;
use super::rows::Row;
use super::{
    claims, compare, exercise, first_run, frame, glossary, home, kernel, lab, lesson, palette,
    practise, reading, roofline, studies, too_small,
};
use crate::picture;
use app::look::Depth;
use app::merge::Picture;
use app::mouse::Spots;
use app::{Look, Page, SMALLEST, State};

/// Draws frames. A frame that changes nothing of a text lays nothing out: most keys
/// only move over it.
#[derive(Default)]
pub struct Painter {
    kept: Option<(Sight, Laid)>,
    layouts: u64,
}

/// All that a layout depends on.
#[derive(PartialEq)]
struct Sight {
    page: Page,
    /// Lesson and section.
    section: (usize, usize),
    size: (u16, u16),
    look: Look,
    revision: u64,
    falling: Option<Picture>,
}

impl Sight {
    fn of(state: &State) -> Self {
        Self {
            page: state.page,
            section: (state.reader.lesson, state.reader.section),
            size: state.shared.size,
            look: state.shared.look,
            revision: state.revision,
            falling: state
                .shared
                .merge
                .seen(state.shared.now)
                .map(|(picture, _)| picture),
        }
    }
}

/// A text laid out, on the pages that have one.
enum Laid {
    Section(lesson::Laid),
    Form(exercise::Laid),
    Claim(Vec<Row>),
    Study(studies::Laid),
}

impl Laid {
    fn of(state: &State) -> Option<Self> {
        if state.too_small() {
            return None;
        }
        match state.page {
            Page::Lesson => Some(Self::Section(lesson::lay(state))),
            Page::Exercises => exercise::lay(state).map(Self::Form),
            Page::Claims => Some(Self::Claim(claims::lay(state))),
            Page::Studies => studies::lay(state).map(Self::Study),
            _ => None,
        }
    }
}

impl Painter {
    /// Tells the state how much of what it shows fits: scroll and shift end where
    /// the text does. Only laying out knows, so it is done before every frame.
    pub fn fit(&mut self, state: &mut State) {
        if !self.knows(state) {
            let laid = Laid::of(state);
            self.layouts += u64::from(laid.is_some());
            self.kept = laid.map(|laid| (Sight::of(state), laid));
        }
        match self.kept(state) {
            Some(Laid::Section(laid)) => lesson::fit(state, laid),
            Some(Laid::Form(laid)) => exercise::fit(state, laid),
            Some(Laid::Claim(laid)) => claims::fit(state, laid.len()),
            Some(Laid::Study(laid)) => studies::fit(state, laid),
            None if state.page == Page::Kernel && !state.too_small() => kernel::fit(state),
            None if state.page == Page::Doctor => reading::fit(state),
            None if state.page == Page::Glossary => glossary::fit(state),
            None if state.page == Page::Practise && !state.too_small() => practise::fit(state),
            None => {}
        }
    }

    /// Draws the whole screen, and tells what can be clicked on it.
    pub fn draw(&self, state: &State, buffer: &mut Buffer) -> Spots {
        let mut spots = Spots::default();
        let area = buffer.area;
        let mut pen = Pen::new(buffer, area, state.shared.look).noting(&mut spots);
        self.page(state, &mut pen);
        spots
    }

    fn page(&self, state: &State, pen: &mut Pen<'_>) {
        if state.too_small() {
            too_small::draw(state, pen);
            if !state.shared.lacks(SMALLEST) {
                palette::draw(state, pen);
            }
            return;
        }
        frame::draw(state, pen);
        let fresh;
        let laid = match self.kept(state) {
            None => {
                fresh = Laid::of(state);
                fresh.as_ref()
            }
            kept => kept,
        };
        match laid {
            Some(Laid::Section(laid)) => lesson::draw(state, laid, pen),
            Some(Laid::Form(laid)) => exercise::draw(state, Some(laid), pen),
            Some(Laid::Claim(laid)) => claims::draw(state, laid, pen),
            Some(Laid::Study(laid)) => studies::found(state, laid, pen),
            None => page(state, pen),
        }
        palette::draw(state, pen);
    }

    /// Texts that were laid out so far.
    pub const fn layouts(&self) -> u64 {
        self.layouts
    }

    /// Whether what the state shows is laid out.
    pub fn knows(&self, state: &State) -> bool {
        self.kept(state).is_some()
    }

    fn kept(&self, state: &State) -> Option<&Laid> {
        let (sight, laid) = self.kept.as_ref()?;
        (*sight == Sight::of(state)).then_some(laid)
    }
}

/// The screen as a picture, in the colours of its theme however few the terminal has.
pub fn picture(state: &State) -> String {
    let look = &state.shared.look;
    let title = format!("tinyllama-tutor: {}", state.page.title());
    picture::screen(&cells(state), look.theme, &title)
}

/// The cells of the screen with all the colours of its theme.
pub fn cells(state: &State) -> Buffer {
    let mut state = state.clone();
    let look = &mut state.shared.look;
    if look.depth != Depth::None {
        look.depth = Depth::True;
    }
    let (columns, rows) = state.shared.size;
    let mut painter = Painter::default();
    painter.fit(&mut state);
    let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
    painter.draw(&state, &mut buffer);
    buffer
}

/// The pages without a text.
fn page(state: &State, pen: &mut Pen<'_>) {
    match state.page {
        Page::Home => home::draw(state, pen),
        Page::FirstRun => first_run::draw(state, pen),
        Page::Lab => lab::draw(state, pen),
        Page::Compare => compare::draw(state, pen),
        Page::Roofline => roofline::draw(state, pen),
        Page::Kernel => kernel::draw(state, pen),
        Page::Doctor => reading::doctor(state, pen),
        Page::Setup => reading::setup(state, pen),
        Page::Why => reading::why(state, pen),
        Page::Studies => studies::draw(state, pen),
        Page::Practise => practise::draw(state, pen),
        Page::Glossary => glossary::draw(state, pen),
        Page::Messages => reading::messages(state, pen),
        Page::Help => reading::help(state, pen),
        Page::Exercises => exercise::draw(state, None, pen),
        Page::Lesson | Page::Claims => {}
    }
}
