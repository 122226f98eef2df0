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
    let of = |name: &str| counters.get(name).copied();
    let cdna2_read = || {
        let (all, small) = (of("TCC_EA_RDREQ_sum")?, of("TCC_EA_RDREQ_32B_sum")?);
        Some(32.0 * small + 64.0 * (all - small))
    };
    let cdna3_read = || {
        let (all, small) = (of("TCC_EA0_RDREQ_sum")?, of("TCC_EA0_RDREQ_32B_sum")?);
        let large = of("TCC_BUBBLE_sum")?;
        Some(128.0 * large + 32.0 * small + 64.0 * (all - large - small))
    };
    let written = |all: &str, large: &str| {
        let (all, large) = (of(all)?, of(large)?);
        Some(64.0 * large + 32.0 * (all - large))
    };
    Traffic {
        read: of("dram__bytes_read.sum")
            .or_else(cdna3_read)
            .or_else(cdna2_read)
            .or_else(|| of("FETCH_SIZE").map(|kib| 1024.0 * kib)),
        written: of("dram__bytes_write.sum")
            .or_else(|| written("TCC_EA0_WRREQ_sum", "TCC_EA0_WRREQ_64B_sum"))
            .or_else(|| written("TCC_EA_WRREQ_sum", "TCC_EA_WRREQ_64B_sum"))
            .or_else(|| of("WRITE_SIZE").map(|kib| 1024.0 * kib)),
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
}
