//! What the terminal shows, so that only cells that changed are written.

use std::io::{self, Write};

use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::links::{Link, links};

/// The terminal's cells as they were last written.
///
/// One frame is one write: the bytes are gathered first, so that a slow line
/// never shows half a frame. A frame that equals the one before writes
/// nothing at all.
pub struct Surface<W: Write> {
    out: W,
    shown: Buffer,
    next: Buffer,
    blank: bool,
    /// Addresses are written as links.
    links: bool,
}

impl<W: Write> Surface<W> {
    /// A surface of `columns` × `rows` cells whose content is unknown.
    pub fn new(out: W, columns: u16, rows: u16) -> Self {
        let area = Rect::new(0, 0, columns, rows);
        Surface {
            out,
            shown: Buffer::empty(area),
            next: Buffer::empty(area),
            blank: true,
            links: false,
        }
    }

    /// Whether addresses are written as links (OSC 8).
    pub fn link(&mut self, links: bool) {
        self.links = links;
    }

    /// Takes a new size; everything is drawn again.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        let area = Rect::new(0, 0, columns, rows);
        if area != self.shown.area {
            self.shown = Buffer::empty(area);
            self.next = Buffer::empty(area);
            self.blank = true;
        }
    }

    /// Forgets what the terminal shows: the next frame is written in full.
    pub fn forget(&mut self) {
        self.shown.reset();
        self.blank = true;
    }

    /// Draws a frame and writes the cells that differ.
    ///
    /// # Errors
    /// When the terminal cannot be written to.
    pub fn frame(&mut self, draw: impl FnOnce(&mut Buffer)) -> io::Result<()> {
        self.next.reset();
        draw(&mut self.next);
        let changes = self.shown.diff(&self.next);
        if changes.is_empty() && !self.blank {
            return Ok(());
        }
        let mut bytes = Vec::with_capacity(4096);
        if self.blank {
            bytes.extend_from_slice(b"\x1b[0m\x1b[2J");
        }
        let seen = match self.links {
            true => links(&self.next),
            false => Vec::new(),
        };
        let new = |link: &&Link| changes.iter().any(|(x, y, _)| link.holds(*x, *y));
        let linked: Vec<Link> = seen.iter().filter(new).cloned().collect();
        CrosstermBackend::new(&mut bytes).draw(changes.into_iter())?;
        for link in linked {
            write!(bytes, "\x1b]8;;{}\x1b\\", link.address)?;
            CrosstermBackend::new(&mut bytes).draw(link.cells(&self.next).into_iter())?;
            bytes.extend_from_slice(b"\x1b]8;;\x1b\\");
        }
        self.out.write_all(&bytes)?;
        self.out.flush()?;
        self.blank = false;
        std::mem::swap(&mut self.shown, &mut self.next);
        Ok(())
    }

    /// Writes bytes that are no cells, such as a clipboard request.
    ///
    /// # Errors
    /// When the terminal cannot be written to.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::style::Style;

    #[test]
    fn a_frame_that_changes_nothing_writes_nothing() {
        let mut out = Vec::new();
        let mut surface = Surface::new(&mut out, 10, 2);
        let draw = |b: &mut Buffer| {
            b.set_string(0, 0, "qkv", Style::default());
        };
        surface.frame(draw).expect("written to memory");
        surface.frame(draw).expect("written to memory");
        drop(surface);
        let once = out.len();
        let mut again = Vec::new();
        let mut surface = Surface::new(&mut again, 10, 2);
        surface.frame(draw).expect("written to memory");
        drop(surface);
        assert_eq!(once, again.len());
    }

    #[test]
    fn an_address_is_a_link_once_and_only_where_that_is_wanted() {
        let draw = |b: &mut Buffer| {
            b.set_string(0, 0, "(https://a.example)", Style::default());
        };
        for wanted in [false, true] {
            let mut out = Vec::new();
            let mut surface = Surface::new(&mut out, 24, 2);
            surface.link(wanted);
            surface.frame(draw).expect("written to memory");
            surface.frame(draw).expect("written to memory");
            let text = String::from_utf8_lossy(&out);
            let link = "\x1b]8;;https://a.example\x1b\\";
            assert_eq!(text.matches(link).count(), usize::from(wanted));
            assert_eq!(text.matches("\x1b]8;;\x1b\\").count(), usize::from(wanted));
        }
    }

    #[test]
    fn only_changed_cells_are_written() {
        let mut out = Vec::new();
        let mut surface = Surface::new(&mut out, 10, 2);
        surface
            .frame(|b| {
                b.set_string(0, 0, "[ ] qkv", Style::default());
            })
            .expect("written to memory");
        surface
            .frame(|b| {
                b.set_string(0, 0, "[x] qkv", Style::default());
            })
            .expect("written to memory");
        drop(surface);
        let text = String::from_utf8_lossy(&out);
        assert_eq!(text.matches("qkv").count(), 1);
        assert!(text.contains('x'));
    }
}
