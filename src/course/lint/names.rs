//! Names that must exist: presets, plans, fusions, ops, GPUs, backends.

use crate::block::Block;
use crate::claims::Ledger;
use crate::fault::{Fault, Place, way_out};
use crate::fields::Phrase;
use crate::setup::sentence;
use plan::cost::GpuDatabase;
use plan::fusion::{Cut, Fusion};
use plan::model::BLOCK_OPS;

/// Backends that a lab may ask for.
const BACKENDS: [&str; 4] = ["cpu", "simt", "cuda", "hip"];

/// The names in a live block.
pub(super) fn block(file: &str, block: &Block, faults: &mut Vec<Fault>) {
    match block {
        Block::Lab {
            start,
            toggles,
            backend,
            ops,
            ..
        } => {
            plans(file, start.as_slice(), faults);
            for toggle in toggles {
                if let Err(error) = Fusion::parse(&toggle.text) {
                    faults.push(Fault::at(file, toggle.at, sentence(&error.to_string())));
                }
            }
            known(file, "backend", backend.as_slice(), &BACKENDS, faults);
            op_names(file, ops, faults);
        }
        Block::Compare { plans: listed, .. } => plans(file, listed, faults),
        Block::Ribbon { plan, .. } => plans(file, plan.as_slice(), faults),
        Block::Roofline { plan, gpus, mark } => {
            plans(file, plan.as_slice(), faults);
            if let Ok(database) = GpuDatabase::embedded() {
                let ids: Vec<&str> = database.all().iter().map(|gpu| gpu.id.as_str()).collect();
                known(file, "GPU", gpus, &ids, faults);
            }
            op_names(file, mark, faults);
        }
        Block::Kernel { op, version, .. } => {
            plans(file, version.as_slice(), faults);
            let named = op.iter().filter(|op| op.text != "rope");
            op_names(file, &named.cloned().collect::<Vec<_>>(), faults);
        }
        Block::Profile(sample) => {
            plans(file, sample.plan.as_slice(), faults);
            if let Ok(database) = GpuDatabase::embedded() {
                let ids: Vec<&str> = database.all().iter().map(|gpu| gpu.id.as_str()).collect();
                known(file, "GPU", sample.gpu.as_slice(), &ids, faults);
            }
            op_names(file, sample.op.as_slice(), faults);
        }
        Block::Claim { id } => match Ledger::built_in().find(id.as_str()) {
            Ok(found) if found.id.text == id.text => {}
            Ok(found) => {
                let say = format!("the ledger writes this id {}.", found.id.text);
                faults.push(Fault::at(file, id.at, say));
            }
            Err(say) => faults.push(Fault::at(file, id.at, say)),
        },
        Block::Chart { .. }
        | Block::Micro { .. }
        | Block::Table { .. }
        | Block::Steps { .. }
        | Block::Question { .. } => {}
    }
}

fn plans(file: &str, plans: &[Phrase], faults: &mut Vec<Fault>) {
    for plan in plans {
        if let Err(error) = Cut::parse(plan.text.trim_matches('\'')) {
            faults.push(Fault::at(file, plan.at, sentence(&error.to_string())));
        }
    }
}

fn op_names(file: &str, ops: &[Phrase], faults: &mut Vec<Fault>) {
    let mut names: Vec<&str> = BLOCK_OPS.iter().map(|op| op.name()).collect();
    names.extend(["embed", "final_norm", "lm_head"]);
    known(file, "op", ops, &names, faults);
}

fn known(file: &str, what: &str, phrases: &[Phrase], names: &[&str], faults: &mut Vec<Fault>) {
    for phrase in phrases
        .iter()
        .filter(|phrase| !names.contains(&phrase.as_str()))
    {
        let at: Place = phrase.at;
        let say = format!(
            "there is no {what} “{}”; {}",
            phrase.text,
            way_out(&phrase.text, names)
        );
        faults.push(Fault::at(file, at, say));
    }
}
