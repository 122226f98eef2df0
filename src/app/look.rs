//! How the learner wants the screen to look: a choice, not yet a colour.

/// A theme by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// For a dark background.
    #[default]
    Dark,
    /// For a light background.
    Light,
    /// Pure colours on black.
    Contrast,
}

impl Theme {
    /// The themes in the order in which `t` walks them.
    pub const ALL: [Theme; 3] = [Theme::Dark, Theme::Light, Theme::Contrast];

    /// The name that commands and settings use.
    pub const fn name(self) -> &'static str {
        match self {
            Theme::Dark => "dark",
            Theme::Light => "light",
            Theme::Contrast => "contrast",
        }
    }

    /// The theme after this one.
    pub const fn next(self) -> Theme {
        match self {
            Theme::Dark => Theme::Light,
            Theme::Light => Theme::Contrast,
            Theme::Contrast => Theme::Dark,
        }
    }
}

/// How many colours the terminal has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// No colour: bold, underline and reverse video only.
    #[default]
    None,
    /// The sixteen colours of the terminal's own palette.
    Sixteen,
    /// The 256-colour table.
    Indexed,
    /// 24-bit colour.
    True,
}

/// What has a colour, in the order in which themes list it.
pub const ROLES: [&str; 17] = [
    "text", "dim", "accent", "fused", "memory", "compute", "good", "warn", "bad", "modelled",
    "issued", "measured", "strong", "type", "number", "string", "builtin",
];

/// Colours that the learner put in place of the theme's: `0xrrggbb` by role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Colours([Option<u32>; ROLES.len()]);

impl Colours {
    /// The learner's colour of a role, by its place in [`ROLES`].
    pub fn get(&self, role: usize) -> Option<u32> {
        self.0.get(role).copied().flatten()
    }

    /// Takes a colour, `#rrggbb` or `#rgb`.
    ///
    /// # Errors
    /// A sentence: the text is no colour.
    pub fn set(&mut self, role: &str, text: &str) -> Result<(), String> {
        let hex = text.strip_prefix('#').unwrap_or_default();
        let doubled: String = hex.chars().flat_map(|c| [c, c]).collect();
        let six = if hex.len() == 3 { &doubled } else { hex };
        let colour = u32::from_str_radix(six, 16).ok();
        let plain = six.len() == 6 && six.chars().all(|c| c.is_ascii_hexdigit());
        let colour = colour.filter(|_| plain).ok_or_else(|| {
            format!("“{text}” is no colour; write it as \"#rrggbb\", such as \"#f0a83a\".")
        })?;
        let at = ROLES.iter().position(|name| *name == role);
        if let Some(place) = at.and_then(|at| self.0.get_mut(at)) {
            *place = Some(colour);
        }
        Ok(())
    }
}

/// The look of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Theme.
    pub theme: Theme,
    /// Colours that the terminal has, or that the learner allows.
    pub depth: Depth,
    /// Only ASCII is drawn.
    pub ascii: bool,
    /// A wall that falls is seen falling.
    pub motion: bool,
    /// The learner's own colours.
    pub colours: Colours,
}

/// What the environment says about the terminal. Read outside, judged here.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// `--color auto|always|never`, where given.
    pub color: Option<String>,
    /// `NO_COLOR` is set and not empty.
    pub no_color: bool,
    /// `COLORTERM`.
    pub colorterm: String,
    /// `TERM`.
    pub term: String,
    /// The locale in force: `LC_ALL`, else `LC_CTYPE`, else `LANG`.
    pub locale: String,
    /// `COLORFGBG`, set by some terminals: foreground and background.
    pub colorfgbg: String,
    /// `--ascii` was given.
    pub ascii: bool,
    /// `--no-motion` was given.
    pub still: bool,
}

impl Surroundings {
    /// A terminal that cannot place a cursor: lines in reading order instead.
    pub fn wants_plain(&self) -> bool {
        self.term == "dumb"
    }

    /// The look for these surroundings. `--color` beats `NO_COLOR`, which
    /// beats `COLORTERM`, which beats `TERM`.
    pub fn look(&self) -> Look {
        let linux = self.term == "linux";
        let by_terminal = || {
            let c = self.colorterm.to_ascii_lowercase();
            if c.contains("truecolor") || c.contains("24bit") {
                Depth::True
            } else if self.term.contains("256color") {
                Depth::Indexed
            } else if self.term.is_empty() || self.term == "dumb" || self.term.ends_with("-m") {
                Depth::None
            } else {
                Depth::Sixteen
            }
        };
        let depth = match self.color.as_deref() {
            Some("never") => Depth::None,
            Some("always") => by_terminal().max(Depth::Sixteen),
            _ if self.no_color => Depth::None,
            _ => by_terminal(),
        };
        let utf8 = {
            let l = self.locale.to_ascii_lowercase();
            l.contains("utf-8") || l.contains("utf8")
        };
        // Only a background that the terminal names is believed: 7 and 15 are
        // the whites of its palette.
        let light = matches!(self.colorfgbg.rsplit(';').next(), Some("7" | "15"));
        Look {
            theme: if light { Theme::Light } else { Theme::Dark },
            depth,
            ascii: self.ascii || linux || !utf8,
            // What is drawn twice takes twice as long on a serial line.
            motion: !self.still && !self.term.starts_with("vt") && !self.term.is_empty(),
            colours: Colours::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn xterm() -> Surroundings {
        Surroundings {
            term: "xterm-256color".into(),
            locale: "en_GB.UTF-8".into(),
            ..Surroundings::default()
        }
    }

    #[test]
    fn color_beats_no_color_beats_colorterm_beats_term() {
        let mut s = xterm();
        assert_eq!(s.look().depth, Depth::Indexed);
        s.colorterm = "truecolor".into();
        assert_eq!(s.look().depth, Depth::True);
        s.no_color = true;
        assert_eq!(s.look().depth, Depth::None);
        s.color = Some("always".into());
        assert_eq!(s.look().depth, Depth::True);
        s.color = Some("never".into());
        assert_eq!(s.look().depth, Depth::None);
    }

    #[test]
    fn a_colour_is_six_digits_or_three() {
        let mut colours = Colours::default();
        colours.set("memory", "#f0a83a").unwrap();
        colours.set("dim", "#abc").unwrap();
        assert_eq!(
            (colours.get(4), colours.get(1)),
            (Some(0xf0_a83a), Some(0xaa_bbcc))
        );
        for bad in ["", "red", "#12", "#1234567", "#+12345", "f0a83a", "#ä12"] {
            assert!(colours.set("memory", bad).is_err(), "{bad}");
        }
        assert_eq!(colours.get(4), Some(0xf0_a83a));
        assert_eq!(colours.get(99), None);
    }

    #[test]
    fn nothing_moves_where_it_is_asked_for_and_on_a_serial_line() {
        assert!(xterm().look().motion);
        let (still, serial) = (
            Surroundings {
                still: true,
                ..xterm()
            },
            Surroundings {
                term: "vt220".into(),
                ..xterm()
            },
        );
        assert!(!still.look().motion && !serial.look().motion);
    }

    #[test]
    fn the_console_and_other_locales_get_ascii() {
        assert!(!xterm().look().ascii);
        let linux = Surroundings {
            term: "linux".into(),
            ..xterm()
        };
        assert!(linux.look().ascii);
        let latin = Surroundings {
            locale: "C".into(),
            ..xterm()
        };
        assert!(latin.look().ascii);
    }
}
