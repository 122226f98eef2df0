//! Time with a lesson: the log is told while keys arrive, and works out the rest.

use super::clock::Millis;
use super::intent::Out;
use super::message::Effect;
use course::Event;

/// Between two notes about one lesson: a write of the disk now and then, and
/// little is lost where the program is killed.
const BEAT: Millis = 30_000;

/// The lesson that was noted last, and when.
#[derive(Clone, Debug, Default)]
pub struct Beat(Option<(String, Millis)>);

impl Beat {
    /// A key was pressed while a lesson, or an exercise of one, was open: that is
    /// noted at the first key and then twice a minute; silence is not noted, and
    /// the log counts none that lasts.
    pub fn key(&mut self, lesson: String, now: Millis, out: &mut Out) {
        let known = self.0.as_ref();
        if known.is_some_and(|(id, at)| *id == lesson && now < at + BEAT) {
            return;
        }
        self.0 = Some((lesson.clone(), now));
        out.push(Effect::Record(Event::Worked { lesson }));
    }

    /// The workshop is left: what came since the last note is noted.
    pub fn left(&self, now: Millis, out: &mut Out) {
        if let Some((lesson, at)) = &self.0
            && *at < now
        {
            let lesson = lesson.clone();
            out.push(Effect::Record(Event::Worked { lesson }));
        }
    }
}
