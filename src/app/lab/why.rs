//! The terms behind the number under the cursor.

use super::{Kind, Lab, Part, Terms, table};
use crate::intent::{Intent, Out};
use crate::note::Tone;
use crate::ribbon::{kernels_of, selected};
use crate::shared::Shared;
use plan::cost::{self, KernelCost, Priced, Why};

/// Opens them, or says why there are none.
pub(super) fn open(page: &Lab, shared: &mut Shared, out: &mut Out) {
    let found = match page.part {
        // Where the journeys are drawn the keys of the table are theirs.
        Part::Table if page.trips.is_none() => row(page, shared),
        _ => kernel(page, shared),
    };
    match found {
        Ok(why) => out.want(Intent::Why(Box::new(why))),
        Err(text) => shared.notes.say(Tone::Plain, text),
    }
}

/// Of the row of the table.
fn row(page: &Lab, shared: &Shared) -> Result<Why, String> {
    let rows = table(&shared.bench, &shared.machine, &shared.runs);
    let behind = rows.get(page.row).map(|row| row.behind);
    let (cost, machine) = (shared.bench.cost(), &shared.machine);
    match behind.unwrap_or_default() {
        Terms::Model(key) => cost::why(cost, key).map_err(|e| e.to_string()),
        Terms::Floor => machine.why_floor(&cost.forward, shared.bench.setup().dtype, "the forward"),
        Terms::Launches => Err(machine.of_launches()),
        Terms::Issued => Err(
            "Counted by a run: what loads and stores of the forward's kernels ask for.".to_owned(),
        ),
        Terms::Counted(text) => Err(text.to_owned()),
        Terms::Cache => Err(shared.runs.behind.said()),
        Terms::Clock => Err(machine.of_times().to_owned()),
    }
}

/// Of the kernel of the ribbon.
fn kernel(page: &Lab, shared: &Shared) -> Result<Why, String> {
    let cost = shared.bench.cost();
    let group = selected(&shared.bench, shared.slot);
    let kernels: Vec<KernelCost> = group.map_or_else(Vec::new, |group| {
        kernels_of(cost, &group).cloned().collect()
    });
    let name = kernels.first().map_or(String::new(), |k| k.name.clone());
    let priced = Priced::of(kernels).map_err(|e| e.to_string())?;
    let field = match page.kind {
        Kind::Floor => {
            let dtype = shared.bench.setup().dtype;
            return shared.machine.why_floor(&priced, dtype, &name);
        }
        Kind::Bytes | Kind::Issued => "bytes",
        Kind::Intensity => "intensity",
    };
    cost::why_priced(&cost.sizes, &priced, field).ok_or_else(String::new)
}
