//! “Did you mean …?”: one rule for every list of names.

/// The name that was probably meant: at most a third of it, and one letter, differ;
/// the first where several are as near. Capitals do not count.
pub fn nearest<'k>(typed: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let typed = typed.to_lowercase();
    known
        .into_iter()
        .map(|name| (strsim::osa_distance(&typed, &name.to_lowercase()), name))
        .filter(|(distance, name)| {
            let length = name.chars().count();
            *distance <= 1 + length / 3 && *distance < length
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions_are_near_or_absent() {
        let known = ["title", "minutes", "needs"];
        assert_eq!(nearest("minuts", known), Some("minutes"));
        assert_eq!(nearest("Title", known), Some("title"));
        assert_eq!(nearest("colour", known), None);
        // A name of one letter is not what another letter means.
        assert_eq!(nearest("x", ["t"]), None);
        assert_eq!(nearest("", known), None);
    }
}
