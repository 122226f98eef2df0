//! Writing into cells: text at a place with a role, and Unicode or ASCII.

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use std::borrow::Cow;
use unicode_width::UnicodeWidthChar;

use super::theme::{Role, style};
use app::Look;
use app::mouse::{Spot, Spots, Target};
use plan::units::Unit;

/// Writes into a rectangle of a buffer. Places are relative to the
/// rectangle; what does not fit is cut off, never wrapped.
pub struct Pen<'a> {
    buffer: &'a mut Buffer,
    area: Rect,
    look: Look,
    spots: Option<&'a mut Spots>,
}

impl<'a> Pen<'a> {
    /// A pen for the whole of `area`.
    pub fn new(buffer: &'a mut Buffer, area: Rect, look: Look) -> Self {
        let area = area.intersection(buffer.area);
        Pen {
            buffer,
            area,
            look,
            spots: None,
        }
    }

    /// The pen takes note of what can be clicked.
    #[must_use]
    pub fn noting(self, spots: &'a mut Spots) -> Self {
        Pen {
            spots: Some(spots),
            ..self
        }
    }

    /// What a click on some columns of a row is meant for.
    pub fn spot(&mut self, x: u16, y: u16, width: u16, target: Target) {
        let seen = self.area.width.saturating_sub(x).min(width);
        if let Some(spots) = &mut self.spots
            && y < self.area.height
            && seen > 0
        {
            spots.note(Spot {
                x: self.area.x.saturating_add(x),
                y: self.area.y.saturating_add(y),
                width: seen,
                target,
            });
        }
    }

    /// A pen for a part of this pen's rectangle.
    pub fn part(&mut self, x: u16, y: u16, width: u16, height: u16) -> Pen<'_> {
        let part = Rect {
            x: self.area.x.saturating_add(x),
            y: self.area.y.saturating_add(y),
            width,
            height,
        };
        Pen {
            area: part.intersection(self.area),
            buffer: self.buffer,
            look: self.look,
            spots: self.spots.as_deref_mut(),
        }
    }

    /// Width of the rectangle.
    pub fn width(&self) -> u16 {
        self.area.width
    }

    /// Height of the rectangle.
    pub fn height(&self) -> u16 {
        self.area.height
    }

    /// Only ASCII is drawn.
    pub fn ascii(&self) -> bool {
        self.look.ascii
    }

    /// The look that is drawn.
    pub fn look(&self) -> Look {
        self.look
    }

    /// One of two texts: for Unicode, for ASCII.
    pub fn either<'t>(&self, unicode: &'t str, ascii: &'t str) -> &'t str {
        if self.look.ascii { ascii } else { unicode }
    }

    /// Writes text at column `x` of row `y`; returns the column behind it.
    pub fn put(&mut self, x: u16, y: u16, text: &str, role: Role) -> u16 {
        let style = style(role, self.look);
        let mut at = x;
        // Alone it is the sign for what cannot be had, and no dash.
        let text = match text {
            "–" if self.look.ascii => Cow::from("x"),
            _ if self.look.ascii && !text.is_ascii() => Cow::from(formulas(&products(text))),
            _ => Cow::from(text),
        };
        for c in text.chars() {
            let width = c.width().unwrap_or(0) as u16;
            if width == 0 {
                continue;
            }
            if y >= self.area.height || at.saturating_add(width) > self.area.width {
                break;
            }
            let shown = match c {
                _ if self.look.ascii => ascii(c),
                // The sign of a product, which looks like the dot between words.
                '⋅' => '·',
                _ => c,
            };
            if let Some(cell) = self.buffer.cell_mut((self.area.x + at, self.area.y + y)) {
                cell.set_char(shown).set_style(style);
            }
            for tail in 1..width {
                if let Some(cell) = self
                    .buffer
                    .cell_mut((self.area.x + at + tail, self.area.y + y))
                {
                    cell.set_symbol("").set_style(style);
                }
            }
            at += width;
        }
        at
    }

    /// Marks the place where typing goes on; returns the column behind it.
    pub fn cursor(&mut self, x: u16, y: u16) -> u16 {
        self.put(x, y, "▌", Role::Accent)
    }

    /// Writes text so that it ends before column `end`.
    pub fn right(&mut self, end: u16, y: u16, text: &str, role: Role) {
        let width = width(text) as u16;
        self.put(end.saturating_sub(width), y, text, role);
    }

    /// Writes text in the middle of `room` columns from `x`; the odd column
    /// goes to the right.
    pub fn middle(&mut self, x: u16, y: u16, room: u16, text: &str, role: Role) {
        let free = room.saturating_sub(width(text) as u16);
        self.put(x + free / 2, y, text, role);
    }

    /// A horizontal rule from `x` up to `end`.
    pub fn rule(&mut self, x: u16, end: u16, y: u16) {
        for at in x..end.min(self.area.width) {
            self.put(at, y, "─", Role::Dim);
        }
    }

    /// A vertical rule.
    pub fn upright(&mut self, x: u16, from: u16, to: u16) {
        for y in from..to {
            self.put(x, y, "│", Role::Dim);
        }
    }

    /// Shows cells in reverse video: the selection, in every theme.
    pub fn reverse(&mut self, x: u16, y: u16, width: u16) {
        self.add(x, y, width, Modifier::REVERSED);
    }

    /// Adds a modifier to cells.
    pub fn add(&mut self, x: u16, y: u16, width: u16, modifier: Modifier) {
        for at in x..x.saturating_add(width).min(self.area.width) {
            if y < self.area.height
                && let Some(cell) = self.buffer.cell_mut((self.area.x + at, self.area.y + y))
            {
                cell.modifier.insert(modifier);
            }
        }
    }

    /// Puts cells that were drawn elsewhere.
    pub fn cells(&mut self, x: u16, y: u16, cells: &[Cell]) {
        for (at, cell) in (x..self.area.width).zip(cells) {
            if y < self.area.height
                && let Some(here) = self.buffer.cell_mut((self.area.x + at, self.area.y + y))
            {
                *here = cell.clone();
                if self.look.ascii
                    && let Some(c) = cell.symbol().chars().next()
                {
                    here.set_char(ascii(c));
                }
            }
        }
    }

    /// Whether nothing is written in a row.
    pub fn is_blank(&self, y: u16) -> bool {
        let row = |x| self.buffer.cell((x, self.area.y + y));
        let mut cells = (self.area.left()..self.area.right()).filter_map(row);
        y < self.area.height && cells.all(|cell| cell.symbol().trim().is_empty())
    }

    /// Nothing stands in so many columns of a row.
    pub fn is_blank_at(&self, x: u16, y: u16, columns: u16) -> bool {
        let cell = |at| self.buffer.cell((self.area.x + at, self.area.y + y));
        (x..x + columns).all(|at| cell(at).is_some_and(|cell| cell.symbol().trim().is_empty()))
    }

    /// Empties the whole rectangle.
    pub fn clear(&mut self) {
        for y in self.area.top()..self.area.bottom() {
            for x in self.area.left()..self.area.right() {
                if let Some(cell) = self.buffer.cell_mut((x, y)) {
                    cell.reset();
                }
            }
        }
    }
}

/// Columns that a text takes.
pub fn width(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// The first columns of a text, `…` in place of what is cut off.
pub fn clip(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        let w = c.width().unwrap_or(0);
        if used + w + 1 > columns {
            break;
        }
        used += w;
        out.push(c);
    }
    out.push('…');
    out
}

/// Words of a text in lines of at most `columns`. A no-break space parts no
/// words, and a number keeps its unit; a path that is longer than a line goes on in the next.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let parts = text.split(|c: char| c.is_whitespace() && c != '\u{a0}');
    let mut words: Vec<String> = Vec::new();
    for word in parts.filter(|word| !word.is_empty()) {
        match words.last_mut() {
            Some(number) if number.ends_with(|c: char| c.is_ascii_digit()) && is_unit(word) => {
                number.push(' ');
                number.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    let filled = |room: usize| match words.is_empty() {
        true => Vec::new(),
        false => {
            let parts = words.iter().flat_map(|word| parted(word, room));
            text::fill(parts, room, "", "")
        }
    };
    // The lines are the same in ASCII, where a formula may take more columns.
    let lines = filled(columns);
    let spelled = lines.iter().map(|line| width(&formulas(line))).max();
    match spelled.unwrap_or(0).saturating_sub(columns) {
        0 => lines,
        over => filled(columns.saturating_sub(over).max(columns / 2)),
    }
}

/// Words in at most so many lines, one at least; where they need more, the last ends in `…`.
pub fn within(text: &str, columns: usize, rows: usize) -> Vec<String> {
    let mut lines = wrap(text, columns);
    let rest = lines.split_off(rows.saturating_sub(1).min(lines.len()));
    if !rest.is_empty() || lines.is_empty() {
        lines.push(clip(&rest.join(" "), columns));
    }
    lines
}

/// A word in parts of at most `columns`, behind a slash where it has one.
fn parted(word: &str, columns: usize) -> Vec<&str> {
    let (mut rest, mut parts) = (word, Vec::new());
    while text::width(rest) > columns {
        let mut used = 0;
        let fits = rest.char_indices().find(|(_, c)| {
            used += c.width().unwrap_or(0);
            used > columns
        });
        let most = fits.map_or(rest.len(), |(at, _)| at);
        let at = match rest[..most].rfind('/') {
            Some(slash) => slash + 1,
            None => most,
        };
        let (part, behind) = rest.split_at(at);
        if part.is_empty() {
            break;
        }
        parts.push(part);
        rest = behind;
    }
    parts.push(rest);
    parts
}

/// Whether a word is a unit, with or without what closes a sentence or a quote.
fn is_unit(word: &str) -> bool {
    let bare = word.trim_end_matches(['.', ',', ';', ':', ')', '”', '"', '?']);
    !bare.is_empty() && Unit::parse(bare).is_ok()
}

/// A text whose products are written with `*`: a dot stands between two factors where one
/// of them is a number or a symbol of the model (`4·B·S·D`, `2·P·d`), and not between the
/// names of operations (`qk·softmax·pv`).
fn products(text: &str) -> String {
    let parts: Vec<&str> = text.split('·').collect();
    let mut out = String::new();
    for (at, part) in parts.iter().enumerate() {
        if let Some(before) = at.checked_sub(1).and_then(|at| parts.get(at)) {
            let word = |c: char| !c.is_alphanumeric();
            let left = before.rsplit(word).next().unwrap_or_default();
            let right = part.split(word).next().unwrap_or_default();
            let symbol =
                |name: &str| name.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
            let bracket = before.ends_with(')') || part.starts_with('(');
            let factors = (symbol(left) || symbol(right)) && !left.is_empty() && !right.is_empty();
            out.push(if factors || bracket { '*' } else { '·' });
        }
        out.push_str(part);
    }
    out
}

/// A text whose exponents, roots and letters of other alphabets are spelled, in as many
/// columns as that takes: `S²/√M` is no product of other names.
fn formulas(text: &str) -> String {
    text::clean::spelled_where(text, |c| ascii(c) == '?')
}

/// The ASCII sign for a character, one column for one column.
pub fn ascii(c: char) -> char {
    match c {
        _ if c.is_ascii() => c,
        '─' | '–' | '—' | '·' | '▄' | '−' => '-',
        '═' | '█' | '■' | '▓' | '▒' => '=',
        // A bar is drawn to half a cell.
        '▉' | '▊' | '▋' => '-',
        // The cursor of a field; bars in ASCII are drawn with `-` themselves.
        '▌' => '_',
        '▍' | '▎' | '▏' | '░' => ' ',
        '│' => '|',
        '┊' => ':',
        '║' => '#',
        '┌' | '┐' | '└' | '┘' | '├' | '┤' | '┬' | '┴' | '┼' => '+',
        '╔' | '╗' | '╚' | '╝' | '╠' | '╣' | '╦' | '╩' | '╬' => '#',
        '►' | '→' | '»' => '>',
        // A cursor in a part of the screen that has not the keys.
        '›' => ')',
        '◄' | '←' | '«' => '<',
        '▼' | '↓' => 'v',
        '▲' | '↑' => '^',
        '●' => '*',
        // Begun, where `*` is done.
        '•' | '○' | '□' => 'o',
        '×' => 'x',
        'µ' | 'μ' => 'u',
        '“' | '”' | '„' => '"',
        '‘' | '’' | '′' => '\'',
        '⋅' => '*',
        // Something was left out here: no full stop.
        '…' => '~',
        '≈' => '~',
        '±' => '~',
        '\u{a0}' => ' ',
        _ => '?',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_at_the_edge_and_stays_inside_its_part() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 6, 2));
        let mut pen = Pen::new(&mut buffer, Rect::new(0, 0, 6, 2), Look::default());
        pen.part(1, 0, 3, 1).put(0, 0, "abcdef", Role::Text);
        pen.put(0, 5, "below", Role::Text);
        assert_eq!(buffer, Buffer::with_lines([" abc  ", "      "]));
    }

    #[test]
    fn a_product_in_ascii_is_no_difference() {
        for (text, shown) in [
            ("norm1 4·B·S·D", "norm1 4*B*S*D"),
            ("1·128·256·4 B", "1*128*256*4 B"),
            ("qk: 2·P·d", "qk: 2*P*d"),
            ("2·(P + d)", "2*(P + d)"),
            ("qk·softmax·pv", "qk·softmax·pv"),
            ("norm1·q · not run", "norm1·q · not run"),
        ] {
            assert_eq!(products(text), shown);
        }
    }

    #[test]
    fn formulas_in_ascii_stay_formulas() {
        for (text, shown) in [
            ("S²d²/M", "S^2d^2/M"),
            ("traffic S²/√M", "traffic S^2/sqrt(M)"),
            ("2⁻²³ · 2¹²⁷", "2^-23 · 2^127"),
            ("⌈blocks/units⌉ ≥ ε₁", "ceil(blocks/units) >= eps1"),
            ("Σ h²?", "sum h^2?"),
            ("silu(g[i]) ⋅ u[i], m′", "silu(g[i]) ⋅ u[i], m′"),
            ("qk·softmax·pv → 3 µs", "qk·softmax·pv → 3 µs"),
        ] {
            assert_eq!(formulas(text), shown);
        }
    }

    #[test]
    fn wrapping_and_clipping() {
        assert_eq!(wrap("O(S²/√M) where", 12), ["O(S²/√M)", "where"]);
        assert_eq!(
            wrap("O(S²/√M) where plain", 16),
            ["O(S²/√M)", "where plain"]
        );
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(
            wrap("see /home/me/answers/ex19.cu", 14),
            ["see /home/me/", "answers/", "ex19.cu"]
        );
        assert_eq!(wrap("silusilusilu", 5), ["silus", "ilusi", "lu"]);
        assert_eq!(clip("softmax", 5), "soft…");
        assert_eq!(within("one two three", 7, 2), ["one two", "three"]);
        assert_eq!(within("one two three", 7, 1), ["one tw…"]);
        assert_eq!(within("one two three four", 7, 2), ["one two", "three …"]);
        assert_eq!(within("", 7, 2), [""]);
        assert_eq!(clip("qk", 5), "qk");
    }
}
