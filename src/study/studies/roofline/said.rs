//! The sentences in which `study roofline` ends.

use super::{Kind, LEAVE, Roofs, faster, try_this};
use crate::studies::notes::listed;
use plan::cost::Bound;

/// How much of the time the roofs explain, where most of the rest is, and what cannot be.
pub(super) fn sentences(kinds: &[Kind<'_>], roofs: Option<&Roofs>, again: bool) -> Vec<String> {
    let whole: f64 = kinds.iter().map(|k| k.time).sum();
    let Some(roofs) = roofs else {
        return vec![format!(
            "The kernels take {:.1} µs @; no roof of this machine is known to set them under.",
            1e6 * whole
        )];
    };
    let floor: f64 = kinds.iter().map(|k| k.floor).sum();
    let mut said = vec![format!(
        "The kernels take {:.1} µs @; their roofs ask for {:.1} µs, {:.0} %: {}.",
        1e6 * whole,
        1e6 * floor,
        100.0 * floor / whole,
        roofs.said
    )];
    // What most is to be had from: time above the roof, not time.
    let above = |kind: &Kind<'_>| (kind.time - kind.floor).max(0.0);
    let mut by: Vec<&Kind<'_>> = kinds.iter().filter(|k| try_this(k) != LEAVE).collect();
    by.sort_by(|a, b| above(b).total_cmp(&above(a)));
    let rest: f64 = kinds.iter().map(above).sum();
    let most: Vec<&Kind<'_>> = match by.first() {
        Some(first) => {
            let close = |k: &&&Kind<'_>| above(first) - above(k) <= first.spread + k.spread;
            let some = |k: &&&Kind<'_>| above(k) > 0.0;
            by.iter().take_while(some).filter(close).copied().collect()
        }
        None => Vec::new(),
    };
    let share = |kind: &Kind<'_>| format!("{:.0} %", 100.0 * above(kind) / rest);
    // Whether one that is near its roof might stand in front of them.
    let hides = |k: &Kind<'_>| {
        let first = by.first().copied();
        try_this(k) == LEAVE && first.is_some_and(|f| above(f) - above(k) <= f.spread + k.spread)
    };
    let head = match kinds.iter().any(hides) {
        false => "Of the time above the roofs",
        true => "Of the time above the roofs, kernels that are near theirs left out,",
    };
    match most.as_slice() {
        [] => {}
        [first] => said.push(format!(
            "{head} {} has most, {} @: {}.",
            first.name,
            share(first),
            try_this(first)
        )),
        [first, second] => said.push(format!(
            "{head} {} and {} have most, {} and {} @; which has more is within their spread.",
            first.name,
            second.name,
            share(first),
            share(second)
        )),
        [first, .., last] => {
            let names: Vec<String> = most.iter().map(|k| k.name.to_owned()).collect();
            said.push(format!(
                "{head} no kernel is seen to have most @: {}, {} to {}, lie within their spread.",
                listed(&names),
                share(first),
                share(last)
            ));
        }
    }
    said.extend(impossible(kinds, again));
    let fast = faster(kinds, Bound::Memory);
    if !fast.is_empty() {
        said.push(format!(
            "Faster than memory allows @: {}; what they read was still in a cache.",
            fast.join(", ")
        ));
    }
    said
}

/// That a roof of FLOPs is lower than what was computed under it.
pub(super) fn impossible(kinds: &[Kind<'_>], again: bool) -> Option<String> {
    let disturbed = match again {
        true => "something disturbed both measurements of the roof",
        false => "something disturbed the roof's measurement",
    };
    let way_out = "make the study again when nothing else uses this machine";
    let names = faster(kinds, Bound::Compute);
    if !names.is_empty() {
        return Some(format!(
            "Faster than the roof of FLOPs, which cannot be @: {}; {disturbed}: {way_out}.",
            names.join(", ")
        ));
    }
    let sum = |of: fn(&Kind<'_>) -> f64| -> f64 {
        let side = kinds.iter().filter(|k| k.bound == Some(Bound::Compute));
        side.map(of).sum()
    };
    let (floor, time) = (sum(|k| k.floor), sum(|k| k.time));
    (floor > time).then(|| {
        format!(
            "What computes takes {:.0} % of the time that its roof asks for @, within the spread; if it is so, {disturbed}: {way_out}.",
            100.0 * time / floor
        )
    })
}
