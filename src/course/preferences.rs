//! `config.toml` in the state folder: theme, colours and keys, field by field. What is
//! wrong is said with its line; the rest applies.

use super::fault::{Fault, way_out};
use super::fields::{Fields, Phrase, Scalar, Toml};
use super::paths::Places;
use super::text::Text;
use files::{plain, read_bounded};
use std::io;

/// The file's name.
const FILE: &str = "config.toml";

/// Most bytes that it may have.
const LARGEST: usize = 64 * 1024;

/// Names that the file may use; what they stand for is known to who draws and to who
/// takes keys.
#[derive(Clone, Copy, Debug)]
pub struct Known<'k> {
    /// Themes.
    pub themes: &'k [&'k str],
    /// What has a colour.
    pub roles: &'k [&'k str],
    /// What keys ask for.
    pub actions: &'k [&'k str],
}

/// What the learner prefers. Names are known ones; texts stand as they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preferences {
    /// The file, as messages name it.
    pub file: String,
    /// A theme.
    pub theme: Option<String>,
    /// ASCII only, or Unicode whatever the locale says.
    pub ascii: Option<bool>,
    /// Whether a wall that falls is seen falling.
    pub motion: Option<bool>,
    /// Colours by role.
    pub colours: Vec<(String, Phrase)>,
    /// Keys by action.
    pub keys: Vec<(String, Phrase)>,
}

impl Preferences {
    /// Reads the file where there is one, and says what is wrong with it.
    pub fn read(places: &Places, known: Known<'_>) -> (Self, Vec<Fault>) {
        let path = places.state.join(FILE);
        let file = places.shown(&path);
        match read_bounded(&path, LARGEST) {
            Ok(bytes) => Self::of(&file, &String::from_utf8_lossy(&bytes), known),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Default::default(),
            Err(error) => {
                let say = format!("cannot be read: {}.", plain(&error));
                (Self::default(), vec![Fault::whole(file, say)])
            }
        }
    }

    /// The same from its text.
    fn of(file: &str, text: &str, known: Known<'_>) -> (Self, Vec<Fault>) {
        let (text, mut faults) = Text::new(file, text);
        let range = 0..text.body().len();
        let toml = Toml { text: &text, range };
        let found = toml.read(&mut faults, |fields| {
            fields.called("this file");
            let found = Self {
                file: file.to_owned(),
                theme: fields.one_of("theme", known.themes).map(|name| name.text),
                ascii: fields.flag("ascii"),
                motion: fields.flag("motion"),
                colours: fields
                    .table("colours", |table| named(table, "colour", known.roles))
                    .unwrap_or_default(),
                keys: fields
                    .table("keys", |table| named(table, "key", known.actions))
                    .unwrap_or_default(),
            };
            fields.close();
            found
        });
        (found, faults)
    }
}

/// Entries whose names are known, each a text.
fn named(table: &mut Fields<'_, '_>, what: &str, known: &[&str]) -> Vec<(String, Phrase)> {
    let mut out = Vec::new();
    for (name, value) in table.scalars() {
        if !known.contains(&name.text.as_str()) {
            let way_out = way_out(&name.text, known);
            let say = format!("there is no {what} for “{}”; {way_out}", name.text);
            table.report_at(name.at, say);
            continue;
        }
        match value {
            Scalar::Text(text) => out.push((name.text, Phrase { text, at: name.at })),
            // A key may be a digit, which needs no quotes to be understood.
            Scalar::Count(number) if what == "key" => {
                let text = number.to_string();
                out.push((name.text, Phrase { text, at: name.at }));
            }
            _ => {
                let say = format!("`{}` takes a text in quotes.", name.text);
                table.report_at(name.at, say);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: Known<'_> = Known {
        themes: &["dark", "light"],
        roles: &["memory", "compute"],
        actions: &["roofline", "lab"],
    };

    #[test]
    fn what_is_wrong_is_said_with_its_line_and_the_rest_applies() {
        let text = "theme = \"lihgt\"\nascii = true\nfont = 3\n\n[colours]\nmemry = \"#fff\"\n\
                    compute = \"#00ff00\"\n\n[keys]\nroofline = \"O\"\nlab = true\nhom = \"h\"\n";
        let (found, faults) = Preferences::of("config.toml", text, KNOWN);
        assert_eq!((found.theme, found.ascii), (None, Some(true)));
        let pairs = |list: &[(String, Phrase)]| -> Vec<(String, String, usize)> {
            let pair = |(name, value): &(String, Phrase)| {
                (name.clone(), value.text.clone(), value.at.line)
            };
            list.iter().map(pair).collect()
        };
        assert_eq!(
            pairs(&found.colours),
            [("compute".into(), "#00ff00".into(), 7)]
        );
        assert_eq!(pairs(&found.keys), [("roofline".into(), "O".into(), 10)]);
        let mut said: Vec<String> = faults.iter().map(ToString::to_string).collect();
        said.sort();
        let begins = |n: usize, start: &str| assert!(said[n].starts_with(start), "{said:#?}");
        assert_eq!(said.len(), 5, "{said:#?}");
        begins(0, "config.toml:11:1: `lab` takes a text");
        begins(1, "config.toml:12:1: there is no key for “hom”");
        begins(2, "config.toml:1:");
        assert!(said[2].contains("light"), "{said:#?}");
        begins(3, "config.toml:3:1: this file has no key “font”");
        begins(
            4,
            "config.toml:6:1: there is no colour for “memry”; did you mean memory?",
        );
    }

    #[test]
    fn a_line_that_is_no_toml_is_one_sentence() {
        let (_, faults) = Preferences::of("config.toml", "theme = dark\n", KNOWN);
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert_eq!(faults[0].at.line, 1);
    }
}
