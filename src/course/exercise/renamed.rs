//! Questions that had another name: what was kept under it is still theirs.

/// Exercise, the question's name once, and its name now.
const RENAMED: &[(&str, &str, &str)] = &[("ex35", "hopper", "own")];

/// The questions of an exercise that were renamed: from, to.
pub(crate) fn renamed(exercise: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let of_it = RENAMED.iter().filter(move |(id, ..)| *id == exercise);
    of_it.map(|(_, from, to)| (*from, *to))
}
