//! Token ids: drawn from a seed, or read from a JSON file.

use std::path::Path;

use files::{plain, read_text};
use plan::model::random::Stream;

/// Largest file of tokens that is read: some ten million ids.
const LARGEST: usize = 64 << 20;

/// Token ids, `batch × context`, row-major. Where context > seq they carry
/// every position, the ones before the new tokens included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tokens {
    batch: usize,
    context: usize,
    ids: Vec<u32>,
}

plan::sentence! {
    /// Tokens that cannot be used: one sentence with file, row and column.
    TokensError
}

impl Tokens {
    /// Ids drawn from `seed`, all below `vocab`. A sequence keeps its first
    /// tokens when more are asked for, and other sequences do not change it.
    pub fn seeded(seed: u64, batch: usize, context: usize, vocab: u64) -> Self {
        // An id is a u32 everywhere, so only that many can be told apart.
        let vocab = vocab.min(1 << 32);
        let ids = (0..batch)
            .flat_map(|b| {
                let stream = Stream::new(seed, &format!("tokens {b}"));
                (0..context).map(move |t| stream.below(t as u64, vocab) as u32)
            })
            .collect();
        Self {
            batch,
            context,
            ids,
        }
    }

    /// Ids from a list of sequences.
    ///
    /// # Errors
    /// No sequence or an empty one, sequences of different lengths, or an id
    /// that the vocabulary does not have; rows and columns count from 1.
    pub fn new(rows: &[Vec<u64>], vocab: u64) -> Result<Self, TokensError> {
        let context = match rows.first() {
            Some(first) if !first.is_empty() => first.len(),
            _ => return Err(TokensError::new(
                "there are no tokens; give at least one sequence of one token, such as [[1, 2, 3]]"
                    .to_owned(),
            )),
        };
        let mut ids = Vec::with_capacity(rows.len() * context);
        for (row, sequence) in (1..).zip(rows) {
            if sequence.len() != context {
                return Err(TokensError::new(format!(
                    "sequence {row} has {} tokens and sequence 1 has {context}; all must have as many",
                    sequence.len()
                )));
            }
            for (column, id) in (1..).zip(sequence) {
                let small = u32::try_from(*id).ok().filter(|_| *id < vocab);
                ids.push(small.ok_or_else(|| {
                    TokensError::new(format!(
                        "sequence {row}, token {column}: id {id} is not below the vocabulary of {vocab}"
                    ))
                })?);
            }
        }
        Ok(Self {
            batch: rows.len(),
            context,
            ids,
        })
    }

    /// Ids from the text of a JSON list of lists.
    ///
    /// # Errors
    /// As [`Tokens::new`], and JSON that is not a list of lists of ids, with
    /// line and column.
    pub fn parse(json: &str, vocab: u64) -> Result<Self, TokensError> {
        let rows: Vec<Vec<u64>> = serde_json::from_str(json).map_err(|e| {
            TokensError::new(format!(
                "not a list of lists of token ids such as [[1, 2, 3]]: {e}"
            ))
        })?;
        Self::new(&rows, vocab)
    }

    /// Ids from a file with a JSON list of lists.
    ///
    /// # Errors
    /// As [`Tokens::parse`], with the file's name.
    pub fn load(path: &Path, vocab: u64) -> Result<Self, TokensError> {
        let named = |what: String| TokensError::new(format!("tokens {}: {what}", path.display()));
        let text = read_text(path, LARGEST)
            .map_err(|e| named(format!("cannot be read: {}", plain(&e))))?;
        Self::parse(&text, vocab).map_err(|e| named(e.to_string()))
    }

    /// Sequences B.
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// Tokens per sequence T.
    pub fn context(&self) -> usize {
        self.context
    }

    /// All ids, `batch × context`.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// The ids of one sequence; empty where there is no such sequence.
    pub fn sequence(&self, b: usize) -> &[u32] {
        self.ids
            .get(b * self.context..(b + 1) * self.context)
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeded_tokens_do_not_depend_on_the_shape() {
        let short = Tokens::seeded(7, 2, 5, 100);
        let long = Tokens::seeded(7, 3, 9, 100);
        assert_eq!(short.ids().len(), 10);
        for b in 0..2 {
            assert_eq!(short.sequence(b), &long.sequence(b)[..5]);
        }
        assert_ne!(long.sequence(0), long.sequence(1));
        assert_ne!(long, Tokens::seeded(8, 3, 9, 100));
        assert!(long.ids().iter().all(|id| *id < 100));
    }

    #[test]
    fn lists_are_read_row_by_row() {
        let t = Tokens::parse("[[1, 2, 3], [4, 5, 6]]", 7).unwrap();
        assert_eq!((t.batch(), t.context()), (2, 3));
        assert_eq!(t.sequence(1), [4, 5, 6]);
        assert!(t.sequence(2).is_empty());
    }

    #[test]
    fn lists_that_cannot_be_used_say_where() {
        for (json, says) in [
            ("[]", "there are no tokens"),
            ("[[]]", "there are no tokens"),
            (
                "[[1, 2], [3]]",
                "sequence 2 has 1 tokens and sequence 1 has 2",
            ),
            (
                "[[1], [7]]",
                "sequence 2, token 1: id 7 is not below the vocabulary of 7",
            ),
            ("[[1, 4294967297]]", "sequence 1, token 2: id 4294967297"),
            ("[1, 2]", "line 1 column 2"),
            ("[[1.5]]", "line 1 column 5"),
            ("[[-1]]", "line 1 column 4"),
        ] {
            let e = Tokens::parse(json, 7).unwrap_err().to_string();
            assert!(e.contains(says), "{e} should say {says}");
        }
        let e = Tokens::load(Path::new("no/tokens.json"), 7)
            .unwrap_err()
            .to_string();
        assert!(
            e.starts_with("tokens no/tokens.json: cannot be read"),
            "{e}"
        );
    }
}
