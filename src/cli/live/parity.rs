//! What a lesson's blocks say on the screen, in `show` and in the export, over the
//! whole course.

use super::{lines, pieces};
use crate::cli::args::Cli;
use crate::cli::desk::Desk;
use crate::cli::export;
use crate::tui::live::{Place, how, lay};
use app::intent::Out;
use app::keymap::Action;
use app::lesson::Focus;
use app::live::{self, ask, presented, takes_keys};
use app::machine::Ceilings;
use app::study::Study;
use app::{Event, Look, Message, State, update};
use clap::Parser;
use course::present::{Lab, Piece, Scene, Square, Toggle, Trips};
use course::{Block, Course, Lesson, Live};
use host::answer;
use plan::cost::GpuDatabase;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Wide enough that no row is broken.
const WIDE: usize = 400;

/// Words and numbers, sorted; signs that only divide are none.
fn said<'t>(lines: impl IntoIterator<Item = &'t str>) -> Vec<String> {
    let draws = |c: char| "│┌┐└┘─║╔╗╚╝═►▼|█▏▎▍▌▋▊▉".contains(c) || c.is_whitespace();
    let divides = |c: char| ";:,.…·`".contains(c);
    let mut out: Vec<String> = lines
        .into_iter()
        .flat_map(|line| line.split(draws).flat_map(|word| word.split("··")))
        .map(|word| word.trim_matches(divides).to_owned())
        .filter(|word| !word.is_empty())
        .collect();
    out.sort();
    out
}

/// Stands before a word that one side lacks.
const LACKS: &str = "lacks ";

/// `all` without `some`, word by word; what of these is not there stays with a sign.
fn without(mut all: Vec<String>, some: &[String]) -> Vec<String> {
    for word in some {
        match all.iter().position(|w| w == word) {
            Some(at) => drop(all.remove(at)),
            None => all.push(format!("{LACKS}{word}")),
        }
    }
    all
}

/// Words that are not on both sides, those of the second with a sign.
#[derive(Default)]
struct Differences(Vec<String>);

impl Differences {
    fn between(&mut self, place: &str, some: &[String], others: &[String]) {
        let words = without(some.to_vec(), others);
        if !words.is_empty() {
            self.0.push(format!("{place}: {}", words.join(" ")));
        }
    }

    /// The same, where the first side may say more.
    fn within(&mut self, place: &str, all: &[String], some: &[String]) {
        let mut words = without(all.to_vec(), some);
        words.retain(|word| word.starts_with(LACKS));
        if !words.is_empty() {
            self.0.push(format!("{place}: {}", words.join(" ")));
        }
    }
}

/// The screen with every block answered as the outside would.
struct Screen {
    state: State,
    /// Lesson, section, block within it, as the reader counts.
    at: (usize, usize, usize),
}

impl Screen {
    fn new(gpus: &Arc<GpuDatabase>) -> Self {
        let mut state = State::new((80, 24), Look::default()).unwrap();
        let study = Study {
            course: Arc::new(Course::built_in()),
            gpus: Some(gpus.clone()),
            loaded: true,
            ..Study::default()
        };
        let message = Message::Loaded(Box::new(study));
        update(&mut state, Event { at: 0, message });
        // Paper has the roof of a data sheet.
        state.shared.machine.ceilings = Some(Ceilings::of_gpu(gpus.get("h200").unwrap()));
        let at = (0, 0, 0);
        Self { state, at }
    }

    /// Makes the predictions, judges the claim, and brings what the block asks of the outside.
    fn answer(&mut self, lesson: &Lesson, live: &Live) {
        if !live.predict.is_empty() {
            let none = vec![""; live.predict.len()].join(" | ");
            self.state
                .shared
                .study
                .progress
                .apply(&course::Event::Guessed {
                    lesson: lesson.id.clone(),
                    block: live.number as u64,
                    gpu: String::new(),
                    typed: none.clone(),
                    outcome: none,
                });
        }
        if let Ok(Block::Claim { id }) = &live.content {
            // A claim that the course asks about is judged before its model speaks.
            self.state
                .shared
                .study
                .progress
                .apply(&course::Event::Chose {
                    setting: format!("claim {}", id.text),
                    value: Some("shown".to_owned()),
                });
        }
        if let Ok(asked) = ask::of(&self.state.shared, lesson, live) {
            let found = answer(&asked).map(Box::new);
            let message = Message::Asked(Box::new(asked), found);
            update(&mut self.state, Event { at: 0, message });
        }
    }

    /// Presses a key in the block.
    fn press(&mut self, action: Action) {
        let reader = &mut self.state.reader;
        (reader.lesson, reader.section) = (self.at.0, self.at.1);
        reader.focus = Focus::Block(self.at.2);
        live::act(reader, &mut self.state.shared, action, &mut Out::default());
        self.state.reader.focus = Focus::Text;
        // Away from it, so that no question of the section is open.
        self.state.reader.lesson = usize::MAX;
    }

    /// The words of the block on a wide screen, without the box around it and what it
    /// says of keys and of what the learner typed.
    fn words(&self, lesson: &Lesson, live: &Live) -> Vec<String> {
        let state = &self.state;
        let rows = lay(state, lesson, live, false, WIDE).rows;
        let text = rows.iter().map(|row| {
            let cells = row.cells.iter().map(|cell| cell.symbol());
            row.text() + &cells.collect::<String>()
        });
        let text: Vec<String> = text
            .map(|line| line.replace("you said I do not know", ""))
            .collect();
        let edge = |line: &&String| line.starts_with(['┌', '└']) && line.contains("──");
        let words = said(text.iter().filter(|line| !edge(line)).map(String::as_str));
        let found = presented(&state.reader, &state.shared, lesson, live).unwrap();
        let place = Place {
            state,
            lesson,
            live,
            keys: false,
        };
        let mut chrome = how(place, &found).unwrap_or_default();
        for piece in &found {
            if let Piece::Chart(chart) = piece {
                for row in crate::tui::live::picture(chart, 0, false, WIDE) {
                    chrome += &format!(" {}", row.text());
                }
            }
        }
        without(words, &said([chrome.as_str()]))
    }
}

/// The words of `show`, without the command.
fn in_show(pieces: &[Piece]) -> Vec<String> {
    let lines: Vec<String> = lines(pieces, false)
        .into_iter()
        .filter(|line| !line.starts_with("  Command: "))
        .map(|line| line.replace("Predict before you read on: ", ""))
        .collect();
    said(lines.iter().map(String::as_str))
}

/// The words between the tags of a page, without the command.
fn on_page(html: &str, live: &Live) -> Vec<String> {
    let mut html = html.to_owned();
    for (open, close) in [
        ("<figcaption>", "</figcaption>"),
        // Pictures say again what stands in numbers: `picture/tests.rs`.
        ("<svg", "</svg>"),
        ("<summary>", "</summary>"),
        ("<p class=\"dim\">Command:", "</p>"),
        ("<strong>Predict:", "</strong>"),
    ] {
        while let Some(from) = html.find(open) {
            let to = from + html[from..].find(close).unwrap() + close.len();
            html.replace_range(from..to, "");
        }
    }
    // A page counts the steps by itself.
    for number in 1..if live.kind == "steps" { 100 } else { 1 } {
        html = html.replacen("<li>", &format!("<p>{number} "), 1);
    }
    let mut text = String::new();
    let mut rest = html.as_str();
    while let Some((before, tag)) = rest.split_once('<') {
        let (tag, after) = tag.split_once('>').unwrap();
        text += before;
        let name = tag.trim_start_matches('/').split(' ').next().unwrap();
        if !["em", "strong", "code", "span", "a"].contains(&name) {
            text.push('\n');
        }
        rest = after;
    }
    text += rest;
    said(unescaped(&text).lines())
}

/// Text as it is read.
fn unescaped(html: &str) -> String {
    let mut text = html.to_owned();
    for (escaped, sign) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
    ] {
        text = text.replace(escaped, sign);
    }
    text.replace("&amp;", "&")
}

/// The words in pictures of a page, but those of axes and legends.
fn in_pictures(html: &str) -> Vec<String> {
    let mut text = String::new();
    for part in html.split("<text").skip(1) {
        let (tag, rest) = part.split_once('>').unwrap();
        let (words, _) = rest.split_once("</text>").unwrap();
        let class = |name: &str| tag.contains(&format!("class=\"{name}\""));
        if !class("dim") && !class("strong") {
            text += words;
            text.push('\n');
        }
    }
    said(unescaped(&text).lines())
}

fn lab(pieces: &[Piece]) -> Option<&Lab> {
    pieces.iter().find_map(|piece| match piece {
        Piece::Lab(lab) => Some(lab),
        _ => None,
    })
}

/// The words of what a step speaks of.
fn in_scene(scene: &Scene) -> Vec<String> {
    let boards = scene.boards.iter();
    let rows = boards.clone().flat_map(|board| &board.rows);
    let rows = rows.map(|(label, row)| {
        let squares: Vec<String> = row.iter().map(Square::shown).collect();
        format!("{label} {}", squares.join(" "))
    });
    let figures = scene
        .figures
        .iter()
        .map(|(name, value)| format!("{name} {value}"));
    let lines: Vec<String> = boards
        .map(|board| board.name.clone())
        .chain(rows)
        .chain(figures)
        .collect();
    said(lines.iter().map(String::as_str))
}

fn trips(pieces: &[Piece]) -> Option<&Trips> {
    pieces.iter().find_map(|piece| match piece {
        Piece::Trips(trips) => Some(trips),
        _ => None,
    })
}

/// What is said of each switch flipped.
fn flipped(toggles: &[Toggle]) -> Vec<String> {
    let sums = toggles.iter().flat_map(|toggle| &toggle.flipped);
    let words = sums.flat_map(|sum| {
        let cells = sum.cells.iter().map(|(text, _)| text.as_str());
        std::iter::once(sum.name).chain(cells)
    });
    said(words)
}

#[test]
fn the_screen_show_and_the_export_say_the_same() {
    let gpus = Arc::new(GpuDatabase::embedded().unwrap());
    let empty = tempfile::tempdir().unwrap();
    let home = empty.path().to_str().unwrap();
    let cli = Cli::parse_from(["tinyllama-tutor", "--state", home, "show", "1"]);
    let desk = Desk::open(&cli.output);
    let mut screen = Screen::new(&gpus);
    let course = Course::built_in();
    let mut found = Differences::default();
    let mut looked: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, lesson) in course.lessons().enumerate() {
        for (section, part) in lesson.sections.iter().enumerate() {
            let mut stops = 0;
            for live in part.live() {
                screen.at = (number, section, stops);
                stops += usize::from(takes_keys(live));
                screen.state.reader.lesson = usize::MAX;
                screen.answer(lesson, live);
                let paper = pieces(&desk, lesson, live, true).unwrap();
                // On the screen a step shows its own scene, and the others no more.
                let mut past = Vec::new();
                if let Some(Piece::Steps(steps)) =
                    paper.iter().find(|p| matches!(p, Piece::Steps(_)))
                {
                    for (at, step) in steps.iter().enumerate() {
                        if at > 0 {
                            screen.press(Action::Flip);
                        }
                        let scene = step.scene.as_ref().map_or(Vec::new(), in_scene);
                        let place = format!("{}, block {}", lesson.id, live.number);
                        found.within(&place, &screen.words(lesson, live), &scene);
                        if at + 1 < steps.len() {
                            past.extend(scene);
                        }
                    }
                }
                let html = export::live_block(live, &paper);
                let page = on_page(&html, live);
                let show = in_show(&paper);
                let seen = screen.words(lesson, live);
                let place = format!("{}, block {}", lesson.id, live.number);
                found.within(&format!("{place}, picture"), &page, &in_pictures(&html));
                match &live.content {
                    // A form has fields and signs of its own around the question.
                    Ok(Block::Question { .. }) => {
                        let mut asked = show;
                        asked.retain(|word| word != "columns" && word != "rows");
                        found.within(&format!("{place}, screen"), &seen, &asked);
                        found.within(&format!("{place}, export"), &page, &asked);
                    }
                    Ok(Block::Lab { .. }) => {
                        // On paper every switch is flipped once; on the screen by hand.
                        let toggles = &lab(&paper).unwrap().toggles;
                        let flipped = flipped(toggles);
                        found.between(&place, &without(show, &flipped), &seen);
                        found.between(&place, &without(page, &flipped), &seen);
                        for (i, toggle) in toggles.iter().enumerate() {
                            let mut hand = Screen {
                                state: screen.state.clone(),
                                at: screen.at,
                            };
                            (0..i).for_each(|_| hand.press(Action::Down));
                            hand.press(Action::Flip);
                            let state = &hand.state;
                            let now = presented(&state.reader, &state.shared, lesson, live);
                            let now = lab(&now.unwrap()).unwrap().sums.clone();
                            assert_eq!(now, toggle.flipped, "{place}, {:?}", toggle.fusion);
                            let cells = now.iter().flat_map(|s| &s.cells);
                            let cells = said(cells.map(|(text, _)| text.as_str()));
                            found.within(&place, &hand.words(lesson, live), &cells);
                        }
                    }
                    Ok(Block::Trips(_)) => {
                        // On the screen it is a picture, and sums are added up on the way.
                        let trips = trips(&paper).unwrap();
                        let read = trips.grid();
                        let around = read.head.iter().chain([&read.foot]);
                        let head = said(around.map(String::as_str));
                        let on_the_way = said(trips.kernels.iter().map(|stop| &*stop.sum));
                        let signs = said(["–", ","]);
                        let flipped = flipped(&trips.toggles);
                        let chrome = [head, on_the_way, flipped, signs].concat();
                        found.between(&format!("{place}, export"), &page, &show);
                        let told: Vec<String> = {
                            let mut words = show;
                            words.retain(|word| !chrome.contains(word));
                            words
                        };
                        found.within(&place, &seen, &told);
                        for stop in &trips.kernels {
                            screen.press(Action::Flip);
                            let seen = screen.words(lesson, live);
                            found.within(&place, &seen, &said([&*stop.sum]));
                        }
                    }
                    _ => {
                        let show = without(show, &past);
                        let page = without(page, &past);
                        found.between(&format!("{place}, show"), &show, &seen);
                        found.between(&format!("{place}, export"), &page, &seen);
                    }
                }
                *looked.entry(live.kind.as_str()).or_insert(0) += 1;
            }
        }
    }
    assert!(found.0.is_empty(), "{}", found.0.join("\n"));
    // Written in full, `micro` is the same kind.
    for kind in course::KINDS.iter().filter(|k| **k != "microbenchmark") {
        assert!(looked.contains_key(kind), "no {kind} in {looked:?}");
    }
}
