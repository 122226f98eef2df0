//! On along the path that is followed, or along another.

use super::contents::number;
use super::followed::{Spot, further, route};
use super::intent::{Intent, Out};
use super::note::Tone;
use super::page::Page;
use super::question::Asked;
use super::shared::Shared;
use course::{Next, PATH_SETTING};

/// Goes on with the path.
pub fn go_on(shared: &mut Shared, out: &mut Out) {
    let next = shared.contents.route.as_ref().map(|f| f.walk.next.clone());
    match next {
        None => shared.notes.say(Tone::Plain, "The course has no path."),
        Some(None) => {
            out.want(Intent::Open(Page::Home));
            let text = "Nothing is left of this path.";
            shared.notes.say(Tone::Good, text);
        }
        Some(Some(Next::Section(lesson, section))) => out.want(Intent::Section(lesson, section)),
        Some(Some(Next::Question(exercise, key))) => {
            out.want(Intent::OnPath(Asked { exercise, key }));
        }
    }
}

/// Space at a question that is done: through what was passed already, then on with the path.
pub fn forth(shared: &mut Shared, asked: &Asked, out: &mut Out) {
    let spot = Spot::question(&shared.study, asked);
    let again = spot
        .as_ref()
        .and_then(|s| s.again(shared.furthest.as_ref()));
    match again.cloned() {
        Some(at) => out.want(Intent::Stop { at, end: false }),
        None => go_on(shared, out),
    }
}

/// Back from a question to the stop of the path before it.
pub fn back(shared: &mut Shared, asked: &Asked, out: &mut Out) {
    let spot = Spot::question(&shared.study, asked);
    match spot.as_ref().and_then(Spot::back).cloned() {
        Some(at) => out.want(Intent::Stop { at, end: true }),
        None => shared.notes.say(Tone::Plain, BEGINS),
    }
}

/// The path led to a stop.
pub(super) fn reached(shared: &mut Shared, stop: Next) {
    let before = shared.furthest.take();
    shared.furthest = Some(further(&shared.study, before, stop));
}

/// Said where nothing of the path lies before.
pub(super) const BEGINS: &str = "The path begins here.";

/// Whether the path waits for the answer to a question.
pub fn is_next(shared: &Shared, asked: &Asked) -> bool {
    let next = shared.contents.route.as_ref().map(|f| &f.walk.next);
    let Some(Some(Next::Question(exercise, key))) = next else {
        return false;
    };
    *exercise == asked.exercise && *key == asked.key
}

/// Looks at the path behind the one that is looked at, first of all behind the one that
/// is followed: what it is, and how it is followed. `None`: there is none, or one is back
/// at one's own.
pub fn look(shared: &mut Shared, at: Option<usize>) -> Option<usize> {
    let routes = shared.study.course.routes();
    let now = route(&shared.study).map(|route| &route.name);
    let own = routes.iter().position(|route| Some(&route.name) == now);
    let next = at.or(own).map_or(0, |at| (at + 1) % routes.len());
    let (route, own) = (routes.get(next)?, own.and_then(|own| routes.get(own)));
    let course = &shared.study.course;
    let breaks = match route.breaks(course) {
        0 => "",
        _ => " with breaks",
    };
    let minutes = format!("{} min{breaks}", route.minutes(course));
    if own == Some(route) {
        let text = format!("{}, {minutes}, is the path that you follow.", route.title);
        shared.notes.say(Tone::Plain, text);
        return None;
    }
    let legs = route.legs(&shared.study.course);
    let lessons: Vec<&str> = legs.iter().map(|leg| number(&leg.lesson.id)).collect();
    let order = match route.everything {
        true => String::new(),
        false => format!(" Lessons {}.", lessons.join(" ")),
    };
    let text = format!(
        "{}, {minutes}: {}{order} Enter follows it.",
        route.title, route.about
    );
    shared.notes.say(Tone::Plain, text);
    Some(next)
}

/// Follows a path of the course, by its place.
pub fn follow(shared: &mut Shared, at: usize, out: &mut Out) {
    let Some(route) = shared.study.course.routes().get(at) else {
        return;
    };
    let (name, title) = (route.name.text.clone(), route.title.clone());
    shared.choose(PATH_SETTING, &name, out);
    shared.contents.refresh(&shared.study);
    shared.furthest = None;
    let text = format!("You follow {title} from now on; what you have read and answered counts.");
    shared.notes.say(Tone::Good, text);
}
