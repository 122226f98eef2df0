//! What can be wrong with a fusion, a version or a cut.

use crate::nearest;

sentence! {
    /// One sentence: what could not be read, and the way out.
    FusionError
}

impl FusionError {
    /// “There is no `what` called `name`”, with the nearest of `known`.
    pub(super) fn unknown(what: &str, name: &str, known: &[&str]) -> Self {
        let all = known.join(", ");
        Self::new(match nearest(name, known.iter().copied()) {
            Some(k) => {
                format!("there is no {what} “{name}”; did you mean {k}? There are: {all}")
            }
            None => format!("there is no {what} “{name}”; there are: {all}"),
        })
    }
}
