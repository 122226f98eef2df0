//! The order of launches in short: products, attention, norms, and what lies between.

use std::ops::Range;

use super::names::Does;

/// What the order is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Product,
    Attention,
    Softmax,
    /// Launches between two of the others, a reduction of rows among them.
    Norm,
    /// Launches between two of the others.
    Between,
    /// Of training: loss, gradients, optimizer.
    Training,
}

/// A mark and its launches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub mark: Mark,
    pub launches: Range<usize>,
}

/// The tokens of some launches.
pub(super) fn tokens(does: &[Does]) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    for (at, what) in does.iter().enumerate() {
        let mark = match what {
            Does::Product => Mark::Product,
            Does::Attention => Mark::Attention,
            Does::Softmax => Mark::Softmax,
            Does::Loss | Does::Backward | Does::Optimizer => Mark::Training,
            Does::Norm | Does::Reduce => Mark::Norm,
            _ => Mark::Between,
        };
        let last = tokens.last_mut();
        match (last, mark) {
            (Some(last), _) if *what == Does::SplitSum && last.mark == Mark::Product => {
                last.launches.end = at + 1;
            }
            (Some(last), Mark::Norm | Mark::Between)
                if matches!(last.mark, Mark::Norm | Mark::Between) =>
            {
                last.launches.end = at + 1;
                if mark == Mark::Norm {
                    last.mark = Mark::Norm;
                }
            }
            _ => tokens.push(Token {
                mark,
                launches: at..at + 1,
            }),
        }
    }
    // A reduction beside a softmax is part of it: rows that are all masked.
    for at in 0..tokens.len() {
        let softmax = |place: Option<usize>| {
            place
                .and_then(|place| tokens.get(place))
                .is_some_and(|t| t.mark == Mark::Softmax)
        };
        let beside = softmax(at.checked_sub(1)) || softmax(Some(at + 1));
        if let Some(token) = tokens.get_mut(at)
            && token.mark == Mark::Norm
            && beside
        {
            token.mark = Mark::Between;
        }
    }
    tokens
}

/// How many launches at the start are two equal halves: a rotation of q, then of k.
pub(super) fn twice(does: &[Does]) -> usize {
    let half = (1..=does.len() / 2)
        .rev()
        .find(|half| does.get(..*half) == does.get(*half..2 * half));
    2 * half.unwrap_or(0)
}
