//! On along the path that is followed, or along another.

use super::followed::route;
use super::intent::{Intent, Out};
use super::note::Tone;
use super::question::Asked;
use super::shared::Shared;
use course::{Next, PATH_SETTING};

/// Goes on with the path.
pub fn go_on(shared: &mut Shared, out: &mut Out) {
    let next = shared.contents.route.as_ref().map(|f| f.walk.next.clone());
    match next {
        None => shared.notes.say(Tone::Plain, "The course has no path."),
        Some(None) => shared.notes.say(
            Tone::Good,
            "This path is through. P on the contents page chooses another.",
        ),
        Some(Some(Next::Section(lesson, section))) => out.want(Intent::Section(lesson, section)),
        Some(Some(Next::Question(exercise, key))) => {
            out.want(Intent::OnPath(Asked { exercise, key }));
        }
    }
}

/// Whether the path waits for the answer to a question.
pub fn is_next(shared: &Shared, asked: &Asked) -> bool {
    let next = shared.contents.route.as_ref().map(|f| &f.walk.next);
    let Some(Some(Next::Question(exercise, key))) = next else {
        return false;
    };
    *exercise == asked.exercise && *key == asked.key
}

/// Follows the next path of the course.
pub fn choose(shared: &mut Shared, out: &mut Out) {
    let routes = shared.study.course.routes();
    let now = route(&shared.study).map(|route| &route.name);
    let at = routes.iter().position(|route| Some(&route.name) == now);
    let next = at.map_or(0, |at| (at + 1) % routes.len());
    let Some(route) = routes.get(next) else {
        return;
    };
    let (name, minutes) = (route.name.text.clone(), route.minutes(&shared.study.course));
    let text = format!("{}, {minutes} min. {}", route.title, route.about);
    shared.choose(PATH_SETTING, &name, out);
    shared.contents.refresh(&shared.study);
    shared.notes.say(Tone::Plain, text);
}
