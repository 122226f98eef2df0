//! Roles and the colours they have in each theme.
//!
//! The background is the terminal's own and is never painted. Contrast of the
//! dark values is at least 5.5 on #000000, #1e1e1e and #282c34, of the light
//! ones 5.6 on #ffffff, #fdf6e3 and #eff1f5.

use ratatui::style::{Color, Modifier, Style};

use app::look::{Depth, Look, Theme};

/// What a piece of text means. Every role has a second sign besides colour:
/// a word, a border or a mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// The terminal's default foreground.
    #[default]
    Text,
    /// In second place.
    Dim,
    /// The cursor and what it names.
    Accent,
    /// A fused kernel, a tensor that stays on chip.
    Fused,
    /// Memory-bound.
    Memory,
    /// Compute-bound.
    Compute,
    /// `right`, `pass`, `ready`.
    Good,
    /// `close`, `slip`, `stopped`.
    Warn,
    /// `wrong`, `failed`, `refused`.
    Bad,
    /// `=`, derived from the model.
    Modelled,
    /// `#`, counted in the machine.
    Issued,
    /// `@`, measured on this machine.
    Measured,
    /// A heading, `**strong**`.
    Strong,
    /// A type in code. Code has colours of its own: none of them means a bound, a
    /// verdict or where a number comes from.
    Type,
    /// A number in code.
    Number,
    /// A string in code.
    String,
    /// What the language of the code brings along.
    Builtin,
}

/// Red, green and blue as one number, as the table of roles writes them.
const fn rgb(hex: u32) -> Color {
    Color::Rgb((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

/// The style of a role under a look.
pub fn style(role: Role, look: Look) -> Style {
    let own = look.colours.get(role as usize).map(rgb);
    let color = match look.depth {
        Depth::None => Color::Reset,
        Depth::Sixteen => sixteen(role),
        Depth::Indexed => nearest(own.unwrap_or_else(|| full(role, look.theme))),
        Depth::True => own.unwrap_or_else(|| full(role, look.theme)),
    };
    let mut style = Style::reset();
    if color != Color::Reset {
        style = style.fg(color);
    }
    style.add_modifier(modifier(role, look))
}

/// The colour of a role on a page, as `#rrggbb`; None for the page's own.
pub fn hex(role: Role, theme: Theme) -> Option<String> {
    match full(role, theme) {
        Color::Rgb(r, g, b) => Some(format!("#{r:02x}{g:02x}{b:02x}")),
        _ => None,
    }
}

fn modifier(role: Role, look: Look) -> Modifier {
    let contrast = look.theme == Theme::Contrast && look.depth > Depth::None;
    match role {
        Role::Accent | Role::Bad | Role::Strong => Modifier::BOLD,
        Role::Measured if contrast => Modifier::BOLD.union(Modifier::UNDERLINED),
        Role::Measured => Modifier::BOLD,
        Role::Warn if look.depth == Depth::Sixteen => Modifier::BOLD,
        Role::Issued if look.depth == Depth::Sixteen => Modifier::UNDERLINED,
        _ => Modifier::empty(),
    }
}

fn full(role: Role, theme: Theme) -> Color {
    let [dark, light, contrast] = match role {
        Role::Text | Role::Strong => {
            return if theme == Theme::Contrast {
                rgb(0xff_ffff)
            } else {
                Color::Reset
            };
        }
        Role::Dim => [0x9a_a4ae, 0x5a_6068, 0xd0_d0d0],
        Role::Accent => [0x8a_b4f8, 0x1a_56c4, 0x00_ffff],
        Role::Fused => [0xd7_a6f0, 0x83_24a0, 0xff_9dff],
        Role::Memory => [0xf0_a83a, 0x8a_4b00, 0xff_b000],
        Role::Compute => [0x4f_c3d9, 0x00_6273, 0x5c_d6ff],
        Role::Good => [0x6f_cf97, 0x14_652f, 0x5c_ff8f],
        Role::Warn => [0xf2_d14b, 0x6e_5200, 0xff_ff00],
        Role::Bad => [0xff_8a75, 0xa8_201a, 0xff_9090],
        Role::Modelled => [0xb8_c4d0, 0x45_505c, 0xff_ffff],
        Role::Issued => [0xd2_b98a, 0x63_4d1a, 0xff_e0a0],
        Role::Measured => [0xff_ffff, 0x00_0000, 0xff_ffff],
        Role::Type => [0x7f_d1c7, 0x0b_5f66, 0x7f_ffea],
        Role::Number => [0xe9_b3d2, 0x8f_2e62, 0xff_b0e0],
        Role::String => [0xa8_d08d, 0x3b_6114, 0xc8_ff9a],
        Role::Builtin => [0x9d_b8ff, 0x2b_4fb0, 0xb8_d0ff],
    };
    rgb(match theme {
        Theme::Dark => dark,
        Theme::Light => light,
        Theme::Contrast => contrast,
    })
}

/// Never colour 8, invisible in several palettes, nor plain blue.
fn sixteen(role: Role) -> Color {
    match role {
        Role::Fused => Color::Magenta,
        Role::Memory | Role::Warn => Color::Yellow,
        Role::Compute => Color::Cyan,
        Role::Good => Color::Green,
        Role::Bad => Color::Red,
        _ => Color::Reset,
    }
}

/// The nearest of the 6×6×6 cube and the grey ramp of the 256 colours.
fn nearest(color: Color) -> Color {
    let Color::Rgb(r, g, b) = color else {
        return color;
    };
    const STEPS: [i32; 6] = [0, 95, 135, 175, 215, 255];
    let distance = |c: [i32; 3]| {
        let d = [
            c[0] - i32::from(r),
            c[1] - i32::from(g),
            c[2] - i32::from(b),
        ];
        d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
    };
    let step = |v: u8| {
        (0..6)
            .min_by_key(|i| (STEPS[*i] - i32::from(v)).abs())
            .unwrap_or(0)
    };
    let (i, j, k) = (step(r), step(g), step(b));
    let cube = ([STEPS[i], STEPS[j], STEPS[k]], 16 + 36 * i + 6 * j + k);
    let mean = (i32::from(r) + i32::from(g) + i32::from(b)) / 3;
    let grey_step = ((mean - 8 + 5) / 10).clamp(0, 23);
    let grey_value = 8 + 10 * grey_step;
    let grey = ([grey_value; 3], 232 + grey_step as usize);
    let best = if distance(grey.0) < distance(cube.0) {
        grey.1
    } else {
        cube.1
    };
    Color::Indexed(best as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROLES: [Role; 17] = [
        Role::Text,
        Role::Dim,
        Role::Accent,
        Role::Fused,
        Role::Memory,
        Role::Compute,
        Role::Good,
        Role::Warn,
        Role::Bad,
        Role::Modelled,
        Role::Issued,
        Role::Measured,
        Role::Strong,
        Role::Type,
        Role::Number,
        Role::String,
        Role::Builtin,
    ];

    /// The learner's colours are named as the roles are, in their order.
    #[test]
    fn every_role_has_its_name() {
        for (role, name) in ROLES.iter().zip(app::look::ROLES) {
            let place = app::look::ROLES.get(*role as usize);
            assert_eq!(
                place.map(|n| n.to_string()),
                Some(format!("{role:?}").to_lowercase()),
                "{name}"
            );
        }
        let mut look = Look {
            depth: Depth::True,
            ..Look::default()
        };
        look.colours.set("memory", "#010203").unwrap();
        assert_eq!(style(Role::Memory, look).fg, Some(Color::Rgb(1, 2, 3)));
        assert_eq!(
            style(Role::Compute, look).fg,
            Some(full(Role::Compute, Theme::Dark))
        );
        look.depth = Depth::Sixteen;
        assert_eq!(style(Role::Memory, look).fg, Some(Color::Yellow));
    }

    fn luminance(c: u32) -> f64 {
        // WCAG 2: sRGB channels made linear, weighted.
        let channel = |shift: u32| {
            let v = f64::from((c >> shift) & 0xff) / 255.0;
            if v <= 0.03928 {
                v / 12.92
            } else {
                ((v + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0)
    }

    fn contrast(a: u32, b: u32) -> f64 {
        let (x, y) = (luminance(a) + 0.05, luminance(b) + 0.05);
        x.max(y) / x.min(y)
    }

    #[test]
    fn every_colour_can_be_read_on_the_usual_backgrounds() {
        let cases = [
            (Theme::Dark, [0x00_0000, 0x1e_1e1e, 0x28_2c34], 5.5),
            (Theme::Light, [0xff_ffff, 0xfd_f6e3, 0xef_f1f5], 5.6),
        ];
        for (theme, backgrounds, least) in cases {
            for role in ROLES {
                if let Color::Rgb(r, g, b) = full(role, theme) {
                    let c = u32::from_be_bytes([0, r, g, b]);
                    for ground in backgrounds {
                        let ratio = contrast(c, ground);
                        assert!(ratio >= least, "{role:?} {theme:?}: {ratio:.2}");
                    }
                }
            }
        }
    }

    #[test]
    fn without_colour_bold_stays_and_no_colour_is_set() {
        let look = Look::default();
        for role in ROLES {
            let s = style(role, look);
            assert!(matches!(s.fg, None | Some(Color::Reset)), "{role:?}");
        }
        assert!(
            style(Role::Measured, look)
                .add_modifier
                .contains(Modifier::BOLD)
        );
        assert!(
            style(Role::Accent, look)
                .add_modifier
                .contains(Modifier::BOLD)
        );
    }

    #[test]
    fn sixteen_colours_avoid_dark_grey_and_blue() {
        for role in ROLES {
            assert!(!matches!(sixteen(role), Color::DarkGray | Color::Blue));
        }
    }

    #[test]
    fn the_nearest_of_256() {
        // #ffffff is the last corner of the cube, 16 + 36·5 + 6·5 + 5 = 231.
        assert_eq!(nearest(rgb(0xff_ffff)), Color::Indexed(231));
        // #808080 = 128 is exactly the grey 8 + 10·12, number 232 + 12.
        assert_eq!(nearest(rgb(0x80_8080)), Color::Indexed(244));
    }
}
