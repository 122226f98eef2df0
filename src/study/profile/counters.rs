//! From counters to bytes of memory.
//!
//! rocprof-compute's formulas (`roofline_calc.py`): requests between the L2 and
//! memory have two sizes, on CDNA 3 three. `FETCH_SIZE` and `WRITE_SIZE` are
//! units of 1024 bytes; ncu's counters are bytes.

use std::collections::BTreeMap;

use super::known::find;
use plan::run::LookUps;

/// Counters that are understood; every other column of a file is passed over.
pub(super) const KNOWN: [&str; 17] = [
    "FETCH_SIZE",
    "WRITE_SIZE",
    "TCC_EA_RDREQ_sum",
    "TCC_EA_RDREQ_32B_sum",
    "TCC_EA_WRREQ_sum",
    "TCC_EA_WRREQ_64B_sum",
    "TCC_EA0_RDREQ_sum",
    "TCC_EA0_RDREQ_32B_sum",
    "TCC_EA0_WRREQ_sum",
    "TCC_EA0_WRREQ_64B_sum",
    "TCC_BUBBLE_sum",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "TCC_HIT_sum",
    "TCC_MISS_sum",
    "lts__t_sectors_lookup_hit.sum",
    "lts__t_sectors_lookup_miss.sum",
];

/// The counter of this name, if it is understood.
pub(super) fn known(name: &str) -> Option<&'static str> {
    find(&KNOWN, name)
}

/// The counters of each direction that go together: what of one tool or architecture gives
/// the bytes read, and what the bytes written.
struct Family {
    /// How the architectures begin that alone have them; empty where every one of a maker does.
    archs: &'static [&'static str],
    read: &'static [&'static str],
    written: &'static [&'static str],
}

/// CDNA 1 and 2: requests of two sizes.
const CDNA12: Family = Family {
    archs: &["gfx906", "gfx908", "gfx90a"],
    read: &["TCC_EA_RDREQ_sum", "TCC_EA_RDREQ_32B_sum"],
    written: &["TCC_EA_WRREQ_sum", "TCC_EA_WRREQ_64B_sum"],
};

/// CDNA 3: reads of three sizes.
const CDNA3: Family = Family {
    archs: &["gfx94", "gfx95"],
    read: &[
        "TCC_EA0_RDREQ_sum",
        "TCC_EA0_RDREQ_32B_sum",
        "TCC_BUBBLE_sum",
    ],
    written: &["TCC_EA0_WRREQ_sum", "TCC_EA0_WRREQ_64B_sum"],
};

/// Every family that is understood; the first that is whole gives the bytes.
const FAMILIES: [Family; 4] = [
    Family {
        archs: &[],
        read: &["dram__bytes_read.sum"],
        written: &["dram__bytes_write.sum"],
    },
    CDNA3,
    CDNA12,
    Family {
        archs: &[],
        read: &["FETCH_SIZE"],
        written: &["WRITE_SIZE"],
    },
];

/// The requests between L2 and memory that rocprof-compute counts on an architecture:
/// those that give the bytes read, and the bytes written.
pub(super) fn requests(arch: &str) -> impl Iterator<Item = &'static str> {
    let family = match CDNA3.is_of(arch) {
        true => CDNA3,
        false => CDNA12,
    };
    family.both()
}

impl Family {
    fn is_of(&self, arch: &str) -> bool {
        self.archs.iter().any(|start| arch.starts_with(start))
    }

    fn both(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.read.iter().chain(self.written).copied()
    }
}

/// A generation of GPUs that a file's counters name, though it names no GPU itself: only
/// that generation calls counters so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Generation {
    archs: &'static [&'static str],
    /// One of its counters that the file has.
    pub counter: &'static str,
}

impl Generation {
    /// That of the counters of some launches; none where they name no generation, or two.
    pub fn of<'c>(
        launches: impl Iterator<Item = &'c BTreeMap<&'static str, f64>> + Clone,
    ) -> Option<Self> {
        let has = |name: &&str| launches.clone().any(|counters| counters.contains_key(name));
        let of = |family: &Family| {
            Some(Self {
                archs: family.archs,
                counter: family.both().find(has)?,
            })
        };
        let owned = FAMILIES.iter().filter(|family| !family.archs.is_empty());
        let mut found = owned.filter_map(of);
        found.next().filter(|_| found.next().is_none())
    }

    /// How the names of its architectures begin: `gfx94*, gfx95*`.
    pub fn architectures(self) -> String {
        let each: Vec<String> = self.archs.iter().map(|start| format!("{start}*")).collect();
        each.join(", ")
    }

    /// Whether a GPU of this architecture is of it.
    pub fn holds(self, arch: &str) -> bool {
        self.archs.iter().any(|start| arch.starts_with(start))
    }
}

/// What of a file's counters gives no bytes, because others are not there: those that are
/// there, and those that are missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Half {
    /// Counted, and of no use alone.
    pub there: Vec<&'static str>,
    /// Wanted beside them.
    pub missing: Vec<&'static str>,
}

/// The half of a set of counters, where the launches have no bytes of both directions;
/// none where they have, and where nothing of memory was counted.
pub(super) fn half<'c>(
    launches: impl Iterator<Item = &'c BTreeMap<&'static str, f64>>,
) -> Option<Half> {
    let mut all: BTreeMap<&'static str, f64> = BTreeMap::new();
    for counters in launches {
        if traffic(counters).total().is_some() {
            return None;
        }
        all.extend(counters);
    }
    let both = Family::both;
    let there = |family: &Family| both(family).filter(|name| all.contains_key(name)).count();
    // Of two that were begun, the one of which more is there.
    let family = FAMILIES.iter().rev().max_by_key(|family| there(family))?;
    let (there, missing): (Vec<&str>, Vec<&str>) =
        both(family).partition(|name| all.contains_key(name));
    (!there.is_empty()).then_some(Half { there, missing })
}

/// Bytes between a device's memory and its last cache; none where the counters
/// of that direction are not there.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Traffic {
    /// From memory.
    pub read: Option<f64>,
    /// To memory.
    pub written: Option<f64>,
}

impl Traffic {
    /// Both directions.
    pub fn total(self) -> Option<f64> {
        Some(self.read? + self.written?)
    }
}

/// Bytes of one launch by its counters.
pub fn traffic(counters: &BTreeMap<&'static str, f64>) -> Traffic {
    let of = |names: &[&str]| -> Option<Vec<f64>> {
        names
            .iter()
            .map(|name| counters.get(name).copied())
            .collect()
    };
    let read = |family: &Family| match (family.read, of(family.read)?.as_slice()) {
        (["FETCH_SIZE"], [kib]) => Some(1024.0 * kib),
        (_, [bytes]) => Some(*bytes),
        (_, [all, small]) => Some(32.0 * small + 64.0 * (all - small)),
        (_, [all, small, large]) => {
            Some(128.0 * large + 32.0 * small + 64.0 * (all - large - small))
        }
        _ => None,
    };
    let written = |family: &Family| match (family.written, of(family.written)?.as_slice()) {
        (["WRITE_SIZE"], [kib]) => Some(1024.0 * kib),
        (_, [bytes]) => Some(*bytes),
        (_, [all, large]) => Some(64.0 * large + 32.0 * (all - large)),
        _ => None,
    };
    Traffic {
        read: FAMILIES.iter().find_map(read),
        written: FAMILIES.iter().find_map(written),
    }
}

/// What a launch asked of the device's L2, by its counters.
pub fn l2(counters: &BTreeMap<&'static str, f64>) -> Option<LookUps> {
    let of = |hits: &str, misses: &str| {
        let (hits, misses) = (counters.get(hits)?, counters.get(misses)?);
        Some(LookUps {
            hits: hits.round() as u64,
            misses: misses.round() as u64,
        })
    };
    of(
        "lts__t_sectors_lookup_hit.sum",
        "lts__t_sectors_lookup_miss.sum",
    )
    .or_else(|| of("TCC_HIT_sum", "TCC_MISS_sum"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&'static str, f64)]) -> Traffic {
        traffic(&pairs.iter().copied().collect())
    }

    #[test]
    fn requests_have_sizes() {
        // ex40: RDREQ 65,792 of which 128 are of 32 B, WRREQ
        // 65,536 all of 64 B: 4,206,592 read, 4,194,304 written.
        let gfx90a = of(&[
            ("TCC_EA_RDREQ_sum", 65_792.0),
            ("TCC_EA_RDREQ_32B_sum", 128.0),
            ("TCC_EA_WRREQ_sum", 65_536.0),
            ("TCC_EA_WRREQ_64B_sum", 65_536.0),
        ]);
        assert_eq!(gfx90a.read, Some(4_206_592.0));
        assert_eq!(gfx90a.written, Some(4_194_304.0));
        // ex40: FETCH_SIZE 4108 is 4,206,592 bytes; writes are not counted here.
        let kib = of(&[("FETCH_SIZE", 4108.0)]);
        assert_eq!((kib.read, kib.total()), (Some(4_206_592.0), None));
        // gfx942, by hand: 128·300 + 32·40 + 64·(1000 − 300 − 40).
        let gfx942 = of(&[
            ("TCC_EA0_RDREQ_sum", 1000.0),
            ("TCC_EA0_RDREQ_32B_sum", 40.0),
            ("TCC_BUBBLE_sum", 300.0),
        ]);
        assert_eq!(gfx942.read, Some(38_400.0 + 1_280.0 + 42_240.0));
        // Three of four sectors were there; half of a pair says nothing.
        let found = |pairs: &[(&'static str, f64)]| l2(&pairs.iter().copied().collect());
        let rate = found(&[("TCC_HIT_sum", 300.0), ("TCC_MISS_sum", 100.0)]);
        assert_eq!(rate.and_then(LookUps::rate), Some(0.75));
        assert_eq!(found(&[("TCC_HIT_sum", 300.0)]), None);
        // Another architecture's counters alone say nothing.
        assert_eq!(of(&[("TCC_EA0_RDREQ_sum", 1000.0)]), Traffic::default());
    }

    #[test]
    fn counters_name_a_generation_where_only_it_calls_them_so() {
        let found = |names: &[&'static str]| {
            let launch: BTreeMap<&'static str, f64> = names.iter().map(|n| (*n, 1.0)).collect();
            Generation::of([launch].iter())
        };
        let third = found(&["TCC_EA0_WRREQ_sum", "TCC_HIT_sum"]).unwrap();
        assert_eq!(third.counter, "TCC_EA0_WRREQ_sum");
        let which = ["gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100"];
        assert_eq!(
            which.map(|arch| third.holds(arch)),
            [false, false, true, true, false]
        );
        let second = found(&["TCC_EA_RDREQ_sum"]).unwrap();
        assert_eq!(
            which.map(|arch| second.holds(arch)),
            [true, true, false, false, false]
        );
        // Of every generation, of none, of two.
        assert_eq!(found(&["FETCH_SIZE", "TCC_HIT_sum"]), None);
        assert_eq!(found(&[]), None);
        assert_eq!(found(&["TCC_EA_RDREQ_sum", "TCC_BUBBLE_sum"]), None);
    }

    /// A set that is not whole names what it lacks, also where the directions were counted
    /// in launches of their own.
    #[test]
    fn half_a_set_names_what_is_missing() {
        let found = |launches: &[&[&'static str]]| {
            let launches: Vec<BTreeMap<&'static str, f64>> = launches
                .iter()
                .map(|names| names.iter().map(|name| (*name, 1.0)).collect())
                .collect();
            half(launches.iter()).map(|half| (half.there.len(), half.missing))
        };
        let cdna3 = ["TCC_EA0_RDREQ_sum", "TCC_EA0_RDREQ_32B_sum"];
        let written = ["TCC_EA0_WRREQ_sum", "TCC_EA0_WRREQ_64B_sum"];
        let four = [cdna3, written].concat();
        assert_eq!(found(&[&four]), Some((4, vec!["TCC_BUBBLE_sum"])));
        assert_eq!(found(&[&["FETCH_SIZE"]]), Some((1, vec!["WRITE_SIZE"])));
        assert_eq!(
            found(&[&["dram__bytes_write.sum"]]),
            Some((1, vec!["dram__bytes_read.sum"]))
        );
        // Both directions, but no launch has both.
        assert_eq!(
            found(&[&["FETCH_SIZE"], &["WRITE_SIZE"]]),
            Some((2, vec![]))
        );
        // Whole sets, of one launch at least; nothing of memory.
        assert_eq!(
            found(&[&["FETCH_SIZE"], &["FETCH_SIZE", "WRITE_SIZE"]]),
            None
        );
        assert_eq!(found(&[&["TCC_HIT_sum"], &[]]), None);
    }
}
