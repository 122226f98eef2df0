//! What is enough: `pass = { right = 8, among = ["a", …], must = ["j"] }`.

use super::Exercise;
use crate::fields::{Fields, Phrase};
use std::fmt;

/// A pass mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pass {
    /// So many must be right,
    pub right: u64,
    /// of these; empty: of all questions,
    pub among: Vec<String>,
    /// and these in any case.
    pub must: Vec<String>,
    /// What is said where one of them is not: `the right one must be acquitted`.
    pub say: String,
}

/// How an exercise with a pass mark stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marked {
    /// Right so far.
    pub right: u64,
    /// Of so many that count.
    pub of: usize,
    /// What is enough.
    pub needed: u64,
    /// What is missing although enough are right.
    pub lacks: Option<String>,
}

impl Marked {
    /// Whether it is passed.
    pub fn passed(&self) -> bool {
        self.right >= self.needed && self.lacks.is_none()
    }
}

impl fmt::Display for Marked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.right, self.of)?;
        match &self.lacks {
            _ if self.right < self.needed => {
                write!(f, ", not passed yet: it takes {}", self.needed)
            }
            Some(say) => write!(f, ", not passed: {say}"),
            None => f.write_str(", passed"),
        }
    }
}

impl Pass {
    /// Reads the table; `names` are those of the keys.
    pub(super) fn read(fields: &mut Fields<'_, '_>, names: &[String]) -> Self {
        let right = fields.count("right").unwrap_or(0);
        let mut known = |key: &'static str| {
            let listed = fields.texts(key);
            for stranger in listed.iter().filter(|n| !names.contains(&n.text)) {
                let say = format!("there is no key “{}”.", stranger.text);
                fields.report_at(stranger.at, say);
            }
            let texts = listed.into_iter().map(|n: Phrase| n.text);
            texts.collect::<Vec<String>>()
        };
        let (among, must) = (known("among"), known("must"));
        let say = fields.text("say").map(|say| say.text);
        let of = if among.is_empty() {
            names.len()
        } else {
            among.len()
        };
        if right == 0 || right > of as u64 {
            let at = fields.key_place("right");
            fields.report_at(at, format!("`right` is how many are enough, of {of}."));
        }
        fields.close();
        Self {
            right,
            among,
            say: say.unwrap_or_else(|| format!("{} must be right", must.join(", "))),
            must,
        }
    }
}

impl Exercise {
    /// How it stands, where it has a pass mark. `right` says it of a key.
    pub fn marked(&self, right: impl Fn(&str) -> bool) -> Option<Marked> {
        let pass = self.pass.as_ref()?;
        let counts =
            |name: &&str| pass.among.is_empty() || pass.among.iter().any(|listed| listed == name);
        let names = self.keys.iter().map(|key| key.name.as_str());
        let names: Vec<&str> = names.filter(counts).collect();
        let acquitted = pass.must.iter().all(|name| right(name));
        Some(Marked {
            right: names.iter().filter(|name| right(name)).count() as u64,
            of: names.len(),
            needed: pass.right,
            lacks: (!acquitted).then(|| pass.say.clone()),
        })
    }
}
