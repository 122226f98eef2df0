//! Dots of a plot as characters of the Braille block.

/// Dots of a character, across and down.
pub const DOTS: (usize, usize) = (2, 4);

/// The character whose lit dots, by column and row, are these; none where none
/// is lit.
pub fn braille(lit: &dyn Fn(usize, usize) -> bool) -> Option<char> {
    const BITS: [[u32; DOTS.1]; DOTS.0] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
    let mut bits = 0;
    for (x, column) in BITS.iter().enumerate() {
        for (y, bit) in column.iter().enumerate() {
            if lit(x, y) {
                bits |= bit;
            }
        }
    }
    match bits {
        0 => None,
        bits => char::from_u32(0x2800 + bits),
    }
}
