//! What a click on the screen is meant for. Drawing tells where each stands; the mouse
//! repeats what keys do and adds nothing.

use super::keymap::Action;
use super::page::Page;

/// Something that can be clicked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The name of a page.
    Page(Page),
    /// A key of the footer.
    Key(Action),
    /// An item of the page's list.
    Row(usize),
    /// A column of the page's table.
    Column(usize),
    /// An entry of the palette.
    Entry(usize),
    /// A fusion of the lab.
    Toggle(usize),
    /// A box of the ribbon, by its first slot.
    Slot(usize),
    /// A row of the lab's table.
    Figure(usize),
    /// A live block of the section.
    Block(usize),
    /// A fusion that a live block offers, by its place there.
    Switch(usize),
    /// A question of the form.
    Question(usize),
    /// An option of the question that has the keys.
    Option(usize),
    /// A cell of a table that is filled in.
    Cell(usize),
    /// A point of a chart: the live block's number, the line, the value of the parameter.
    /// The roofline has one of each kernel.
    Point(usize, usize, usize),
}

/// Columns of one row of the screen, and what a click there is meant for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// First column.
    pub x: u16,
    /// Row.
    pub y: u16,
    /// Columns.
    pub width: u16,
    /// What it is.
    pub target: Target,
}

/// Where things stand on the screen as it was drawn last.
#[derive(Clone, Debug, Default)]
pub struct Spots(Vec<Spot>);

impl Spots {
    /// Takes note of one; what was noted last lies on top.
    pub fn note(&mut self, spot: Spot) {
        self.0.push(spot);
    }

    /// What stands at a place.
    pub fn at(&self, x: u16, y: u16) -> Option<Target> {
        let holds = |s: &&Spot| s.y == y && (s.x..s.x.saturating_add(s.width)).contains(&x);
        self.0.iter().rev().find(holds).map(|s| s.target)
    }
}

/// Lines that the wheel moves a text.
pub(super) const LINES: usize = 3;
