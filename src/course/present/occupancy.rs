//! The `occupancy` block: how many blocks fit on a unit of the course's device, limit by
//! limit, and what stops one more.

use super::{Grid, Piece, Weight};
use crate::answer::Env;
use crate::block::Resident;
use plan::cost::{Gpu, Occupancy, occupancy as resident};
use plan::units::figure::{Origin, counted, fixed};
use study::studies::occupancy::limits;

/// The four limits of a block, and the least of them.
pub(super) fn occupancy(block: Resident, env: &Env<'_>) -> Result<Vec<Piece>, String> {
    let gpu = env.gpus.get(env.setup.gpu).map_err(|e| e.to_string())?;
    let Resident {
        registers,
        threads,
        shared,
    } = block;
    let title = format!(
        "{registers} registers, {threads} threads, {shared} B of {} on {}",
        gpu.vendor.words().shared,
        gpu.name
    );
    let mut out = vec![Piece::Words(Weight::Title, title)];
    match resident(gpu, registers, threads, shared) {
        Ok(found) => out.extend(fits(block, gpu, &found)),
        // Another device may be able to: the block says it in place of its table.
        Err(why) => out.push(Piece::Words(
            Weight::Text,
            format!("It cannot be launched: {why}."),
        )),
    }
    out.push(Piece::Run(block.words(&gpu.id).join(" ")));
    Ok(out)
}

fn fits(block: Resident, gpu: &Gpu, found: &Occupancy) -> Vec<Piece> {
    let sign = Origin::Modelled.sign();
    let words = gpu.vendor.words();
    let of_block = block.threads.div_ceil(gpu.warp_size);
    let row = |name: &str, blocks: u64| {
        // Without shared memory there is no limit by it.
        let known = blocks < u64::MAX;
        let warps = (blocks.saturating_mul(of_block)).min(found.max_warps);
        let share = 100.0 * warps as f64 / found.max_warps as f64;
        let said = |text: String| if known { text } else { "–".to_owned() };
        vec![
            name.to_owned(),
            said(blocks.to_string()),
            said(warps.to_string()),
            said(fixed(share, 1)),
        ]
    };
    let grid = Grid {
        head: vec![
            "by".to_owned(),
            format!("thread blocks {sign}"),
            format!("{}s {sign}", words.warp),
            format!("occupancy % {sign}"),
        ],
        rows: vec![
            row("registers", found.by_registers),
            row(words.shared, found.by_shared),
            row("threads", found.by_threads),
            row("places for them", found.by_blocks),
            row("together", found.blocks),
        ],
        ..Grid::default()
    };
    let said = format!(
        "{}, {} of {} {}s: {} stop one more.",
        counted(found.blocks, "thread block fits", "thread blocks fit"),
        found.warps,
        found.max_warps,
        words.warp,
        limits(found, words)
    );
    vec![Piece::Table(grid), Piece::Words(Weight::Text, said)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Setup;
    use crate::recorded::Figures;
    use plan::cost::GpuDatabase;

    fn shown(registers: u64, threads: u64, shared: u64, gpu: &'static str) -> Vec<Piece> {
        let gpus = GpuDatabase::embedded().unwrap();
        let mut setup = Setup::workshop().unwrap();
        setup.gpu = gpu;
        let env = Env::new(setup, &gpus, Figures::built_in());
        let block = Resident {
            registers,
            threads,
            shared,
        };
        occupancy(block, &env).unwrap()
    }

    #[test]
    fn the_four_limits_are_those_of_the_rule_and_the_least_is_named() {
        // H200, 128 registers, 256 threads, 64 KiB: 65536 / (128 x 32) = 16 warps, 2 blocks;
        // 228 / (64 + 1) = 3; 64 warps / 8 = 8; 32 places.
        let pieces = shown(128, 256, 64 << 10, "h200");
        let Piece::Table(grid) = &pieces[1] else {
            panic!("{pieces:?}");
        };
        let blocks: Vec<&str> = grid.rows.iter().map(|row| row[1].as_str()).collect();
        assert_eq!(blocks, ["2", "3", "8", "32", "2"]);
        assert_eq!(grid.rows[4], ["together", "2", "16", "25.0"]);
        assert_eq!(
            pieces[2],
            Piece::Words(
                Weight::Text,
                "2 thread blocks fit, 16 of 64 warps: registers stop one more.".into()
            )
        );
        let Piece::Run(line) = &pieces[3] else {
            panic!("{pieces:?}");
        };
        assert!(
            line.starts_with("study occupancy --registers 128 --threads 256"),
            "{line}"
        );
    }

    #[test]
    fn a_block_that_cannot_be_launched_says_why() {
        // 200 KiB of shared memory: an MI300X has 64.
        let pieces = shown(32, 256, 200 << 10, "mi300x");
        assert!(
            matches!(&pieces[1], Piece::Words(Weight::Text, why) if why.contains("64 KiB")),
            "{pieces:?}"
        );
        let without = shown(32, 256, 0, "mi300x");
        assert!(matches!(&without[1], Piece::Table(grid) if grid.rows[1][1] == "–"));
    }
}
