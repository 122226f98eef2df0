//! Addresses on the screen as links (OSC 8), where the terminal may know them.
//!
//! A link leads exactly where its text says: it is read off the cells, which hold what
//! was cleaned, and only where the whole address stands in one row.

use std::ops::Range;

use ratatui::buffer::{Buffer, Cell};

/// An address in a row of the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The row.
    pub y: u16,
    /// Its columns.
    pub columns: Range<u16>,
    /// Where it leads.
    pub address: String,
}

/// The addresses of a screen.
pub fn links(buffer: &Buffer) -> Vec<Link> {
    let area = buffer.area;
    let mut out = Vec::new();
    for y in area.top()..area.bottom() {
        let sign = |x: u16| {
            buffer
                .cell((x, y))
                .and_then(|cell| cell.symbol().chars().next())
        };
        let mut x = area.left();
        while x < area.right() {
            let begins = |start: &str| start.chars().zip(x..).all(|(c, x)| sign(x) == Some(c));
            if !begins("https://") && !begins("http://") {
                x += 1;
                continue;
            }
            let within =
                |x: &u16| sign(*x).is_some_and(|c| c.is_ascii_graphic() && !"()<>\"'`".contains(c));
            let end = (x..area.right())
                .find(|x| !within(x))
                .unwrap_or(area.right());
            // One that is broken at the end of its line would lead elsewhere.
            if sign(end) == Some(')') {
                let columns = x..end;
                let address = columns.clone().filter_map(sign).collect();
                out.push(Link {
                    y,
                    columns,
                    address,
                });
            }
            x = end.max(x + 1);
        }
    }
    out
}

impl Link {
    /// Its cells with their places.
    pub fn cells<'b>(&self, buffer: &'b Buffer) -> Vec<(u16, u16, &'b Cell)> {
        let place = |x: u16| Some((x, self.y, buffer.cell((x, self.y))?));
        self.columns.clone().filter_map(place).collect()
    }

    /// Whether a cell is one of its own.
    pub fn holds(&self, x: u16, y: u16) -> bool {
        y == self.y && self.columns.contains(&x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_link_where_all_of_it_is_seen() {
        let rows = [
            "see it (https://a.example/x?y=1) now",
            "cut off (https://a.example/very/long",
            "bare https://a.example and no close ",
            "(http://b.example) (https://c.example",
        ];
        let found = links(&Buffer::with_lines(rows));
        let found: Vec<(u16, Range<u16>, &str)> = found
            .iter()
            .map(|link| (link.y, link.columns.clone(), link.address.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                (0, 8..31, "https://a.example/x?y=1"),
                (3, 1..17, "http://b.example"),
            ]
        );
    }
}
