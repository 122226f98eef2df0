//! Names that must exist and stand in other files: claims. What a block names of
//! the model is read, and reported, when the block is.

use crate::block::Block;
use crate::claims::Ledger;
use crate::fault::Fault;

/// The names in a live block.
pub(super) fn block(file: &str, block: &Block, faults: &mut Vec<Fault>) {
    let Block::Claim { id } = block else { return };
    match Ledger::built_in().find(id.as_str()) {
        Ok(found) if found.id.text == id.text => {}
        Ok(found) => {
            let say = format!("the ledger writes this id {}.", found.id.text);
            faults.push(Fault::at(file, id.at, say));
        }
        Err(say) => faults.push(Fault::at(file, id.at, say)),
    }
}
