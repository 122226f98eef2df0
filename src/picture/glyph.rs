//! Characters that are drawn: lines, bars and dots, as strokes and fields of a cell.

use super::cells::CELL;

/// Between the lines of a double one.
const DOUBLE: f64 = 3.0;

/// What a character is made of, from the upper left corner of its cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Shape {
    /// Horizontal strokes: height, from, to.
    pub(super) across: Vec<(f64, f64, f64)>,
    /// Upright strokes: place, from, to.
    pub(super) down: Vec<(f64, f64, f64)>,
    /// Fields: place, size.
    pub(super) filled: Vec<(f64, f64, f64, f64)>,
}

/// The shape of a character; None for a letter.
pub(super) fn shape(c: char) -> Option<Shape> {
    match c {
        '\u{2500}'..='\u{257f}' => lines(c),
        '\u{2580}'..='\u{259f}' => block(c),
        '\u{2801}'..='\u{28ff}' => Some(dots(c as u32 - 0x2800)),
        _ => None,
    }
}

/// Which arms a character has: up, right, down, left.
fn arms(c: char) -> Option<([bool; 4], bool)> {
    const SIGNS: [(&str, [bool; 4]); 11] = [
        ("─═", [false, true, false, true]),
        ("│║", [true, false, true, false]),
        ("┌╔", [false, true, true, false]),
        ("┐╗", [false, false, true, true]),
        ("└╚", [true, true, false, false]),
        ("┘╝", [true, false, false, true]),
        ("├╠", [true, true, true, false]),
        ("┤╣", [true, false, true, true]),
        ("┬╦", [false, true, true, true]),
        ("┴╩", [true, true, false, true]),
        ("┼╬", [true, true, true, true]),
    ];
    SIGNS.iter().find_map(|(signs, arms)| {
        let at = signs.chars().position(|sign| sign == c)?;
        Some((*arms, at == 1))
    })
}

fn lines(c: char) -> Option<Shape> {
    let ([up, right, down, left], double) = arms(c)?;
    let (x, y) = (CELL.0 / 2.0, CELL.1 / 2.0);
    let offsets: &[f64] = if double {
        &[-DOUBLE / 2.0, DOUBLE / 2.0]
    } else {
        &[0.0]
    };
    let mut shape = Shape::default();
    for offset in offsets {
        // Of a corner the outer line goes on to the other's outer line.
        let reach = |toward: bool, away: bool, arm: bool| match (arm, toward, away) {
            (true, ..) => None,
            (false, true, false) => Some(*offset),
            (false, false, true) => Some(-*offset),
            (false, ..) => Some(0.0),
        };
        if left || right {
            let from = reach(down, up, left).map_or(0.0, |at| x + at);
            let to = reach(up, down, right).map_or(CELL.0, |at| x + at);
            shape.across.push((y + offset, from, to));
        }
        if up || down {
            let from = reach(right, left, up).map_or(0.0, |at| y + at);
            let to = reach(left, right, down).map_or(CELL.1, |at| y + at);
            shape.down.push((x + offset, from, to));
        }
    }
    Some(shape)
}

fn block(c: char) -> Option<Shape> {
    let (w, h) = CELL;
    let field = match c {
        '▀' => (0.0, 0.0, w, h / 2.0),
        '▁'..='█' => {
            let part = f64::from(c as u32 - 0x2580) / 8.0;
            (0.0, h * (1.0 - part), w, h * part)
        }
        '▉'..='▏' => (0.0, 0.0, w * f64::from(0x2590 - c as u32) / 8.0, h),
        '▐' => (w / 2.0, 0.0, w / 2.0, h),
        _ => return None,
    };
    Some(Shape {
        filled: vec![field],
        ..Shape::default()
    })
}

/// Dots of the Braille block, each a small square.
fn dots(bits: u32) -> Shape {
    const PLACES: [(u32, f64, f64); 8] = [
        (0x01, 0.0, 0.0),
        (0x02, 0.0, 1.0),
        (0x04, 0.0, 2.0),
        (0x40, 0.0, 3.0),
        (0x08, 1.0, 0.0),
        (0x10, 1.0, 1.0),
        (0x20, 1.0, 2.0),
        (0x80, 1.0, 3.0),
    ];
    let lit = PLACES.iter().filter(|(bit, ..)| bits & bit != 0);
    let (w, h) = (CELL.0 / 2.0, CELL.1 / 4.0);
    Shape {
        filled: lit
            .map(|(_, x, y)| (x * w + w / 2.0 - 1.0, y * h + h / 2.0 - 1.0, 2.0, 2.0))
            .collect(),
        ..Shape::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_from_the_middle_to_the_sides_that_they_name() {
        let (x, y) = (CELL.0 / 2.0, CELL.1 / 2.0);
        let corner = shape('┌').unwrap();
        assert_eq!(corner.across, [(y, x, CELL.0)]);
        assert_eq!(corner.down, [(x, y, CELL.1)]);
        let wall = shape('│').unwrap();
        assert_eq!((wall.across.len(), wall.down), (0, vec![(x, 0.0, CELL.1)]));
    }

    #[test]
    fn the_lines_of_a_double_corner_meet() {
        // The outer lines, up and to the left, meet each other; so do the inner ones.
        let corner = shape('╔').unwrap();
        let d = DOUBLE / 2.0;
        let (x, y) = (CELL.0 / 2.0, CELL.1 / 2.0);
        assert_eq!(
            corner.across,
            [(y - d, x - d, CELL.0), (y + d, x + d, CELL.0)]
        );
        assert_eq!(
            corner.down,
            [(x - d, y - d, CELL.1), (x + d, y + d, CELL.1)]
        );
        // In the other diagonal the upper line is the longer one.
        let corner = shape('╗').unwrap();
        assert_eq!(corner.across, [(y - d, 0.0, x + d), (y + d, 0.0, x - d)]);
        assert_eq!(
            corner.down,
            [(x - d, y + d, CELL.1), (x + d, y - d, CELL.1)]
        );
    }

    #[test]
    fn a_bar_is_eighths_of_a_cell_and_letters_are_none() {
        assert_eq!(
            shape('▍').unwrap().filled,
            [(0.0, 0.0, CELL.0 * 3.0 / 8.0, CELL.1)]
        );
        assert_eq!(shape('█').unwrap().filled, [(0.0, 0.0, CELL.0, CELL.1)]);
        assert_eq!(
            shape('▄').unwrap().filled,
            [(0.0, CELL.1 / 2.0, CELL.0, CELL.1 / 2.0)]
        );
        assert_eq!(shape('⣿').unwrap().filled.len(), 8);
        assert!(shape('a').is_none() && shape('⠀').is_none());
    }
}
