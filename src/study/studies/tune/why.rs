//! Why settings are quick or slow, as far as the model can say: tiles, how many times the
//! machine is filled with them, and what each holds.

use super::Tune;
use crate::findings::{Cell, Column};
use plan::cost::occupancy;
use plan::run::Settings;

/// Threads of a block, at the least, of the tiles of products: four warps.
const THREADS: u64 = 128;
/// Registers of a thread where they are not limited.
const REGISTERS: u64 = 128;

/// What the model says of settings.
struct Filled {
    /// Tiles of the product, or of rows on a CPU.
    tiles: u64,
    /// How many times the machine is filled with them, the last time in part.
    waves: f64,
    /// Bytes that one holds on the chip.
    holds: u64,
    /// Share of the warps that could be on a multiprocessor.
    occupancy: Option<f64>,
}

pub(super) fn columns(tune: &Tune) -> Vec<Column> {
    let mut columns = vec![
        Column::modelled("tiles", "", 0),
        Column::modelled("waves", "", 2),
        Column::modelled("holds", "KiB", 0),
    ];
    if tune.gpu.is_some() {
        columns.push(Column::modelled("occupancy", "%", 0));
    }
    columns
}

pub(super) fn cells(tune: &Tune, settings: Option<&Settings>) -> Vec<Cell> {
    let filled = settings.and_then(|s| filled(tune, s));
    let mut cells: Vec<Cell> = vec![
        filled.as_ref().map(|f| f.tiles).into(),
        filled.as_ref().map(|f| f.waves).into(),
        filled.as_ref().map(|f| f.holds as f64 / 1024.0).into(),
    ];
    if tune.gpu.is_some() {
        cells.push(filled.and_then(|f| Some(100.0 * f.occupancy?)).into());
    }
    cells
}

/// One sentence about the winner.
pub(super) fn sentence(tune: &Tune, settings: &Settings) -> Option<String> {
    let f = filled(tune, settings)?;
    let whole = f.waves.ceil().max(1.0);
    let mut said = format!(
        "Its {} fill the machine {:.2} times =, so that the last of {whole:.0} is {:.0} % full; one holds {:.0} KiB",
        plan::units::figure::counted(f.tiles, "tile", "tiles"),
        f.waves,
        100.0 * (f.waves - (whole - 1.0)),
        f.holds as f64 / 1024.0
    );
    if let Some(part) = f.occupancy {
        said += &format!(", which lets {:.0} % of the warps be there", 100.0 * part);
    }
    Some(said + ".")
}

fn filled(tune: &Tune, settings: &Settings) -> Option<Filled> {
    let get = |name: &str| settings.get(name).map(u64::from);
    let (model, shape) = (&tune.config.model, tune.config.shape);
    if let Some(rows) = get("rows") {
        let tiles = shape.batch * shape.seq.div_ceil(rows.max(1));
        // A tile's rows of x, and of two parts of the FFN, in fp32.
        let columns = get("columns").unwrap_or(0).min(model.ffn);
        let holds = 4 * rows * (model.hidden + 2 * columns);
        return Some(Filled {
            tiles,
            waves: tiles as f64 / tune.threads.max(1) as f64,
            holds,
            occupancy: None,
        });
    }
    let (m, n, stages) = (get("m")?, get("n")?, get("stages")?);
    let gpu = tune.gpu.as_ref()?;
    let (d, kv, ffn) = (model.hidden, model.kv_width(), model.ffn);
    // Columns of the kernel's result; of one product with a weight that of o.
    let columns: Vec<u64> = match tune.kernel.as_str() {
        "qkv" => vec![d, kv, kv],
        "gate_up" => vec![2 * ffn],
        _ => vec![d],
    };
    let rows = shape.batch * shape.seq;
    let tiles = rows.div_ceil(m) * columns.iter().map(|c| c.div_ceil(n)).sum::<u64>();
    // A stage is 128 bytes of each row and column.
    let holds = stages * (m + n) * 128;
    let registers = match get("blocks") {
        Some(blocks) => (gpu.regs_per_cu / (blocks * THREADS).max(1)).min(gpu.max_regs_per_thread),
        None => REGISTERS,
    };
    let found = occupancy(gpu, registers, THREADS, holds).ok();
    Some(Filled {
        tiles,
        waves: tiles as f64 / gpu.compute_units.max(1) as f64,
        holds,
        occupancy: found.map(|o| o.fraction()),
    })
}
