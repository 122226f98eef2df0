//! The page of studies: what there is to make, what is kept, what can be set, and what
//! one found out.

mod acts;
mod make;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::change::NAME;
use super::field::Field;
use super::intent::Out;
use super::key::{Code, Key};
use super::keymap::{Action, Footer, FooterItem, without};
use super::mouse::Target;
use super::page::Mark;
use super::screen::Screen;
use super::shared::Shared;
use super::studies::{Kept, Listed};
use course::present::Grid;
use course::present::quoted;
use course::present::study::grid;
use study::catalogue::{Definition, on_device};
use study::kept::split;
use study::offer::{Offered, Setting, Takes};

/// What is on the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// Studies and what is kept.
    #[default]
    List,
    /// What can be set of a study, by its place in the list.
    Settings(usize),
    /// What a kept one found out, by its id.
    Found(String),
}

/// What the page remembers.
#[derive(Clone, Debug, Default)]
pub struct StudiesPage {
    /// What it shows.
    pub view: View,
    /// The line of the list under the cursor: studies first, then kept ones.
    pub cursor: usize,
    /// The setting under the cursor.
    pub row: usize,
    /// A value that is typed.
    pub field: Option<Field>,
    /// First line of the findings that is shown.
    pub scroll: usize,
    /// Steps sideways over wide tables.
    pub shift: usize,
    /// Why the last one that was asked for here was not made.
    pub refused: Option<String>,
    /// The figure of the model whose terms `=` shows, by its place among them.
    pub figure: usize,
    /// What was set, by study and setting.
    set: BTreeMap<(String, String), String>,
    /// Lines of the findings, rows for them, steps sideways: as they were laid out.
    extent: (usize, usize, usize),
    /// The study that was begun here.
    begun: Option<u64>,
}

const LIST: &[FooterItem] = &[
    (&[Action::Up, Action::Down], "line"),
    (&[Action::Open], "open"),
    (&[Action::Run], "set and make"),
    (&[Action::CommandLine], "command"),
    (&[Action::Back], "back"),
    (&[Action::Help], "help"),
];

/// Keys of what can be set.
const SETTINGS: &[FooterItem] = &[
    (&[Action::Open], "set"),
    (&[Action::Left, Action::Right], "choose"),
    (&[Action::Run], "make it"),
    (&[Action::Setup], "setup"),
    (&[Action::CommandLine], "command"),
    (&[Action::Back], "back"),
    (&[Action::Help], "help"),
];

const MAKING: &[FooterItem] = &[
    (&[Action::Interrupt], "stop, keep what was measured"),
    (&[Action::Back], "back"),
    (&[Action::Help], "help"),
];

const TYPING: &[FooterItem] = &[
    (&[Action::Open], "take it"),
    (&[Action::Back], "leave it as it was"),
];

/// Keys of what one found out.
const FOUND: &[FooterItem] = &[
    (&[Action::Up, Action::Down], "scroll"),
    (&[Action::Left, Action::Right], "sideways"),
    (&[Action::NextPart], "figure"),
    (&[Action::Why], "its terms"),
    (&[Action::Export], "SVG, CSV"),
    (&[Action::CommandLine], "command"),
    (&[Action::Back], "back"),
    (&[Action::Help], "help"),
];

impl StudiesPage {
    /// The cursor of the list goes to a study.
    pub(super) fn point_at(&mut self, shared: &Shared, name: &str) {
        let mut offered = shared.studies.offered.iter();
        let at = offered.position(|study| study.name == name);
        if self.view == View::List {
            self.cursor = at.unwrap_or(self.cursor);
        }
    }

    /// The study that can be set, and what it takes.
    pub fn offered<'s>(&self, shared: &'s Shared) -> Option<&'s Offered> {
        let at = match self.view {
            View::Settings(at) => at,
            View::List => self.cursor,
            View::Found(_) => return None,
        };
        shared.studies.offered.get(at)
    }

    /// What is said of the study under the cursor.
    pub fn definition(&self, shared: &Shared) -> Option<&'static Definition> {
        let name = &self.offered(shared)?.name;
        Definition::named(name)
    }

    /// The kept study under the cursor of the list.
    pub fn listed<'s>(&self, shared: &'s Shared) -> Option<&'s Listed> {
        let at = self.cursor.checked_sub(shared.studies.offered.len())?;
        shared.studies.kept.as_ref()?.get(at)
    }

    /// The kept study that is shown.
    pub fn found<'s>(&self, shared: &'s Shared) -> Option<&'s Result<Arc<Kept>, String>> {
        match &self.view {
            View::Found(id) => shared.studies.get(id),
            _ => None,
        }
    }

    fn lines(shared: &Shared) -> usize {
        let kept = shared.studies.kept.as_ref().map_or(0, Vec::len);
        shared.studies.offered.len() + kept
    }

    /// A setting as it stands, and whether it was set here.
    pub fn value(&self, shared: &Shared, offered: &Offered, setting: &Setting) -> (String, bool) {
        match self.chosen(shared, offered, &setting.name) {
            Some(value) => (value, true),
            None => (setting.usual.clone(), false),
        }
    }

    /// What was set; the backend of the workshop where nothing was.
    fn chosen(&self, shared: &Shared, offered: &Offered, name: &str) -> Option<String> {
        let set = self.set.get(&(offered.name.clone(), name.to_owned()));
        set.cloned().or_else(|| {
            let setting = offered.setting("backend").filter(|_| name == "backend")?;
            // A study that runs nothing unless it is told to has no use for one.
            let runs = |name: &str| self.set.get(&(offered.name.clone(), name.to_owned()));
            if offered.setting("run").is_some() && runs("run").is_none_or(|set| set != "on") {
                return None;
            }
            let here = shared.machine.kind().name();
            let runs = match &setting.takes {
                // Not every backend makes every study.
                Takes::Choice(all) => all.iter().any(|one| one == here),
                Takes::Switch | Takes::Text => true,
            };
            (setting.usual == "auto" && runs).then(|| here.to_owned())
        })
    }

    /// The words of the command line that makes the study.
    pub fn words(&self, shared: &Shared, offered: &Offered) -> Vec<String> {
        let set = |name: &str| self.chosen(shared, offered, name);
        let words = offered.words(&set, &around(shared));
        on_device(words, shared.study.course.gpu())
    }

    /// What the last refusal offers in place of what is set: switches and numbers that make
    /// the study smaller, else the minutes that it needs.
    pub fn smaller<'o>(&self, offered: &'o Offered) -> Vec<(&'o Setting, String)> {
        let refused = self.refused.as_deref().unwrap_or_default();
        let Some((_, offer)) = refused.split_once("; take ") else {
            return Vec::new();
        };
        let words = offer.split_whitespace().map(|w| w.trim_end_matches(','));
        let words: Vec<&str> = words.collect();
        let behind = words.iter().skip(1).copied().chain([""]);
        let (mut less, mut minutes) = (Vec::new(), Vec::new());
        for (word, next) in words.iter().copied().zip(behind) {
            let Some(setting) = offered.settings.iter().find(|s| s.flag == word) else {
                continue;
            };
            let value = match setting.takes {
                Takes::Switch => "on",
                _ if next.parse::<f64>().is_ok() => next,
                _ => continue,
            };
            let key = (offered.name.clone(), setting.name.clone());
            match setting.name.as_str() {
                "budget" => minutes.push((setting, value.to_owned())),
                _ if self.set.get(&key).is_some_and(|set| set == value) => {}
                _ => less.push((setting, value.to_owned())),
            }
        }
        if less.is_empty() { minutes } else { less }
    }

    fn set(&mut self, offered: &Offered, setting: &Setting, value: Option<String>) {
        let key = (offered.name.clone(), setting.name.clone());
        self.refused = None;
        match value.filter(|value| *value != setting.usual) {
            Some(value) => drop(self.set.insert(key, value)),
            None => drop(self.set.remove(&key)),
        }
    }

    /// The figure whose terms `=` shows, in words.
    pub fn figure(&self, shared: &Shared) -> Option<String> {
        let Some(Ok(kept)) = self.found(shared) else {
            return None;
        };
        let terms = kept.findings.terms();
        terms.get(self.figure).map(|term| term.said())
    }

    /// How the findings came out on the screen: lines, rows for them, steps sideways.
    pub fn fit(&mut self, extent: (usize, usize, usize)) {
        self.extent = extent;
        self.scroll = self.scroll.min(extent.0.saturating_sub(extent.1));
        self.shift = self.shift.min(extent.2);
    }

    /// A study has ended that was begun here: what it found out is shown, or why it was not
    /// made where it was set. Whether the page says so.
    pub(super) fn made(&mut self, ticket: u64, made: &Result<Arc<Kept>, String>) -> bool {
        if self.begun.take_if(|begun| *begun == ticket).is_none() {
            return false;
        }
        match made {
            Ok(kept) => {
                self.show(kept.id.clone());
                true
            }
            Err(why) => {
                self.refused = Some(why.clone());
                matches!(self.view, View::Settings(_))
            }
        }
    }

    /// Has a study made; one that is being made already stays the one that is awaited.
    fn begin(&mut self, shared: &mut Shared, words: Vec<String>, out: &mut Out) {
        if let Some(ticket) = shared.make_study(words, out) {
            self.begun = Some(ticket);
        }
    }

    fn show(&mut self, id: String) {
        self.view = View::Found(id);
        (self.scroll, self.shift, self.figure) = (0, 0, 0);
    }

    fn open(&mut self, shared: &Shared) {
        if let Some((id, _)) = self.listed(shared) {
            self.show(id.clone());
        } else if self.offered(shared).is_some() {
            self.view = View::Settings(self.cursor);
            (self.row, self.refused) = (0, None);
        }
    }
}

impl Screen for StudiesPage {
    fn footer(&self, shared: &Shared) -> Footer {
        match self.view {
            _ if self.field.is_some() => TYPING.into(),
            View::Found(_) if self.figure(shared).is_some() => FOUND.into(),
            View::Found(_) => without(FOUND, &[Action::NextPart, Action::Why]),
            _ if shared.studies.making().is_some() => MAKING.into(),
            View::List => LIST.into(),
            View::Settings(_) => match self.offered(shared) {
                Some(offered) if offered.takes_setup() => SETTINGS.into(),
                _ => without(SETTINGS, &[Action::Setup]),
            },
        }
    }

    fn act(&mut self, shared: &mut Shared, action: Action, out: &mut Out) {
        match self.view {
            View::List => acts::list(self, shared, action, out),
            View::Settings(_) => acts::settings(self, shared, action, out),
            View::Found(_) => acts::found(self, shared, action, out),
        }
    }

    fn entered(&mut self, shared: &mut Shared, _: Option<String>, out: &mut Out) {
        shared.list_studies(out);
    }

    fn leave(&mut self, _: &mut Shared) -> bool {
        match self.view {
            View::List => false,
            _ => {
                self.view = View::List;
                true
            }
        }
    }

    fn settle(&mut self, shared: &mut Shared, _: &mut Out) {
        let last = Self::lines(shared).saturating_sub(1);
        self.cursor = self.cursor.min(last);
    }

    fn command(&self, shared: &Shared) -> String {
        let words = match (&self.view, self.found(shared), self.offered(shared)) {
            (View::Found(id), _, _) => vec!["study".into(), "show".into(), id.clone()],
            (_, _, Some(offered)) => self.words(shared, offered),
            _ => match self.listed(shared) {
                Some((id, _)) => vec!["study".into(), "show".into(), id.clone()],
                None => vec!["study".into()],
            },
        };
        line(&words)
    }

    fn mark(&self, _: &Shared) -> Mark {
        Mark {
            item: self.cursor,
            scroll: self.scroll,
        }
    }

    fn restore(&mut self, _: &mut Shared, mark: Mark) {
        (self.cursor, self.scroll) = (mark.item, mark.scroll);
    }

    fn typing(&self, _: &Shared) -> bool {
        self.field.is_some()
    }

    fn press(&mut self, shared: &mut Shared, key: Key, _: &mut Out) {
        let Some(field) = &mut self.field else {
            return;
        };
        match key.code {
            Code::Esc => self.field = None,
            Code::Enter | Code::Tab => {
                let typed = field.text().trim().to_owned();
                self.field = None;
                let studies = Arc::clone(&shared.studies.offered);
                let View::Settings(at) = self.view else {
                    return;
                };
                if let Some(offered) = studies.get(at)
                    && let Some(setting) = offered.settings.get(self.row)
                {
                    self.set(offered, setting, Some(typed).filter(|t| !t.is_empty()));
                }
            }
            _ => {
                field.press(key);
            }
        }
    }

    fn paste(&mut self, _: &mut Shared, text: &str) {
        if let Some(field) = &mut self.field {
            field.paste(text);
        }
    }

    fn click(&mut self, shared: &mut Shared, target: Target, _: &mut Out) {
        match (target, &self.view) {
            (Target::Row(at), View::List) if at == self.cursor => self.open(shared),
            (Target::Row(at), View::List) => self.cursor = at,
            (Target::Row(at), View::Settings(_)) => self.row = at,
            _ => {}
        }
    }

    fn numbers(&self, shared: &Shared) -> Vec<Grid> {
        let kept = match self.found(shared) {
            Some(Ok(kept)) => kept,
            _ => return Vec::new(),
        };
        let sheets = kept.findings.sheets.iter();
        sheets.map(|sheet| grid(sheet, usize::MAX)).collect()
    }

    fn items(&self, shared: &Shared) -> Vec<String> {
        match &self.view {
            View::List => {
                let offered = shared.studies.offered.iter().map(|o| o.name.clone());
                let kept = shared.studies.kept.iter().flatten();
                let kept = kept.map(|(id, kept)| match kept {
                    Ok(kept) => format!("{id} {}", kept.findings.title),
                    Err(_) => id.clone(),
                });
                offered.chain(kept).collect()
            }
            View::Settings(_) => {
                let settings = self.offered(shared).map(|o| o.settings.iter());
                let settings = settings.into_iter().flatten();
                settings.map(|s| format!("{} {}", s.name, s.says)).collect()
            }
            View::Found(_) => Vec::new(),
        }
    }

    fn searched(&self) -> &'static str {
        match self.view {
            View::Settings(_) => "among the settings",
            _ => "among the studies",
        }
    }

    fn place(&self, _: &Shared) -> usize {
        match self.view {
            View::Settings(_) => self.row,
            _ => self.cursor,
        }
    }

    fn jump(&mut self, _: &mut Shared, at: usize) {
        match self.view {
            View::Settings(_) => self.row = at,
            _ => self.cursor = at,
        }
    }
}

/// What the lab says of plan and setup, as words of a command line.
fn around(shared: &Shared) -> Vec<String> {
    let bench = &shared.bench;
    let options = format!("{}{}", bench.cut().as_options(), bench.setup().as_options());
    split(&options)
}

/// A command line as a shell takes it.
pub fn line(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    format!("{NAME} {}", words.join(" "))
}
