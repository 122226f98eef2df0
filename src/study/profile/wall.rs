//! Wall time and idle time from the launches of a trace.
//!
//! Kernels of several streams overlap: a device is busy in the union of their
//! intervals, never in their sum.

use std::collections::BTreeMap;

use super::Profile;

/// A device from its first start to its last end.
#[derive(Debug, Clone, PartialEq)]
pub struct Wall {
    /// The device, as the file names it.
    pub device: String,
    /// From the first start to the last end, in ns.
    pub wall_ns: u64,
    /// Time in which at least one kernel ran, in ns.
    pub busy_ns: u64,
    /// Sum of the launches' own times, in ns: more than `busy_ns` where streams
    /// overlap.
    pub kernel_ns: u64,
    /// Pieces of time in which none ran.
    pub gaps: u64,
    /// The longest of them, in ns.
    pub longest_gap_ns: u64,
}

impl Wall {
    /// Share of the wall time in which no kernel ran.
    pub fn idle(&self) -> f64 {
        match self.wall_ns {
            0 => 0.0,
            wall => (wall - self.busy_ns) as f64 / wall as f64,
        }
    }

    /// Time in which no kernel ran, in ns.
    pub fn idle_ns(&self) -> u64 {
        self.wall_ns - self.busy_ns
    }
}

/// The devices of a trace, the busiest first; none where no launch has a start
/// and an end.
pub fn walls(profile: &Profile) -> Vec<Wall> {
    let mut spans: BTreeMap<&str, Vec<(u64, u64)>> = BTreeMap::new();
    for dispatch in &profile.dispatches {
        if let Some((start, end)) = dispatch.span
            && start <= end
        {
            spans
                .entry(&dispatch.device)
                .or_default()
                .push((start, end));
        }
    }
    let mut walls: Vec<Wall> = spans
        .into_iter()
        .filter_map(|(device, spans)| wall(device, spans))
        .collect();
    walls.sort_by_key(|wall| std::cmp::Reverse(wall.busy_ns));
    walls
}

fn wall(device: &str, mut spans: Vec<(u64, u64)>) -> Option<Wall> {
    spans.sort_unstable();
    let first = spans.first()?.0;
    let mut wall = Wall {
        device: device.to_owned(),
        wall_ns: 0,
        busy_ns: 0,
        kernel_ns: 0,
        gaps: 0,
        longest_gap_ns: 0,
    };
    let mut until = first;
    for (start, end) in spans {
        wall.kernel_ns = wall.kernel_ns.saturating_add(end - start);
        if start > until {
            wall.gaps += 1;
            wall.longest_gap_ns = wall.longest_gap_ns.max(start - until);
        }
        wall.busy_ns += end.saturating_sub(start.max(until));
        until = until.max(end);
    }
    wall.wall_ns = until - first;
    Some(wall)
}
