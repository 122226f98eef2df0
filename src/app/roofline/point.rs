//! The learner's own point: an intensity that they predict, and find again under the
//! roof whatever plan is drawn there.

use super::Roofline;
use crate::field::Field;
use crate::key::{Code, Key};
use crate::note::Tone;
use crate::shared::Shared;
use plan::units::{self, Dimension};

impl Roofline {
    /// The learner's own point, FLOP/B.
    pub(crate) fn own(&self) -> Option<f64> {
        self.own
    }

    /// It comes back as it was kept; one set since stays.
    pub(crate) fn restore(&mut self, point: Option<f64>) {
        let sound = point.filter(|point| point.is_finite() && *point > 0.0);
        self.own = self.own.or(sound);
    }
}

/// Begins to type it.
pub(super) fn begin(page: &mut Roofline) {
    page.field = Some(Field::default());
}

/// A key while it is typed.
pub(super) fn press(page: &mut Roofline, shared: &mut Shared, key: Key) {
    let Some(field) = &mut page.field else {
        return;
    };
    match key.code {
        Code::Esc => page.field = None,
        Code::Enter => {
            let typed = field.text();
            match read(&typed) {
                _ if typed.trim().is_empty() => {
                    (page.field, page.own) = (None, None);
                    let text = "Your own point is gone; i sets it again.";
                    shared.notes.say(Tone::Plain, text);
                }
                Ok(intensity) => (page.field, page.own) = (None, Some(intensity)),
                Err(why) => shared.notes.say(Tone::Warn, why),
            }
        }
        _ => {
            field.press(key);
        }
    }
}

/// FLOP/B as people write them, with or without the unit.
fn read(typed: &str) -> Result<f64, String> {
    let read = units::read(typed, Some(Dimension::FlopPerByte));
    let read = read.map_err(|_| "This is no number: type FLOP per byte, such as 32 or 5.3.")?;
    let (value, dimension) = (read.quantity.value(), read.quantity.dimension());
    if !dimension.is_plain() && !dimension.agrees(Dimension::FlopPerByte) {
        return Err("An intensity is in FLOP/B: type a number, such as 32.".into());
    }
    match value.is_finite() && value > 0.0 {
        true => Ok(value),
        false => Err(
            "An intensity is above 0 FLOP/B: type one, such as 32; empty removes the point.".into(),
        ),
    }
}
