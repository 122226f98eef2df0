//! Another variant: the same questions again at another shape.

use crate::intent::Out;
use crate::message::Effect;
use crate::shared::Shared;
use course::Event;

/// Takes the answers of an exercise off its sheet. First of all: what is kept for
/// an undo is what stands before anything else is written.
pub fn empty(shared: &mut Shared, id: &str, variant: usize, out: &mut Out) {
    shared.study.answers.remove(id);
    // What is begun anew asks of the device of the course.
    shared.study.devices.remove(id);
    out.push(Effect::Vary {
        exercise: id.to_owned(),
        variant,
    });
}

/// The questions are those of another variant from now on.
pub fn take(shared: &mut Shared, id: &str, variant: usize, out: &mut Out) {
    let event = Event::Varied {
        exercise: id.to_owned(),
        variant,
    };
    shared.record(event, out);
    shared.study.vary();
    shared.questions.forget(id);
}
