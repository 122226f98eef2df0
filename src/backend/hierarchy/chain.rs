//! A chain through a working set: each line once, in random order, and back.

use plan::model::random::Stream;

/// `next[i]` is where the walk goes from element `i`; of each line of `line` elements the
/// first is in it. One cycle over all lines: S. Sattolo, "An algorithm to generate a random
/// cyclic permutation", IPL 22(6), 1986.
pub(super) fn chain(elements: usize, line: usize) -> Vec<u32> {
    let lines = (elements / line).max(1);
    let mut order: Vec<u32> = (0..lines as u32).collect();
    let draws = Stream::new(1, "a chain through a working set");
    for at in (1..lines).rev() {
        order.swap(at, draws.below(at as u64, at as u64) as usize);
    }
    let mut next = vec![0; elements];
    for (at, to) in order.iter().enumerate() {
        if let Some(place) = next.get_mut(at * line) {
            *place = to * line as u32;
        }
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_walk_visits_every_line_once_and_comes_back() {
        for (elements, line) in [(16, 16), (64, 16), (4096, 32)] {
            let next = chain(elements, line);
            let mut seen = vec![false; elements];
            let mut here = 0;
            for _ in 0..elements / line {
                assert_eq!(here % line, 0);
                assert!(
                    !std::mem::replace(&mut seen[here], true),
                    "{elements} {here}"
                );
                here = next[here] as usize;
            }
            assert_eq!(here, 0);
        }
    }
}
