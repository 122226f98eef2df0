//! What blocks and roles of the one-launch kernels say to one another, shown right: the
//! kernels of `kernels/proof/` on the SIMT machine, in many orders, with every word that
//! travels poisoned before each launch, and with planted defects that must be found.
//!
//! The ring's kernel is made of the very files of Hopper's one-launch kernel, so its PTX
//! is of sm_90a: the machine executes mbarriers, bulk tensor copies and `wgmma`. The words
//! of the decode kernel and the grid barrier are those of every GPU, in PTX of sm_80.
//!
//! The PTX is an archive like the prebuilt one, `assets/kernels/protocol.ptx.zst`, with
//! the lines into which each place was inlined.

mod mutants;
mod play;
mod scene;

use std::sync::LazyLock;

use super::gpu::CompileUnit;
use super::gpu::compile::Archive;
use plan::run::{Observer, RunError};
use serde::{Deserialize, Serialize};

pub use mutants::{MUTANTS, Mutant};
pub use scene::{Ended, SCENES, Scene};

/// What is embedded in this program.
static EMBEDDED: &[u8] = include_bytes!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../assets/kernels/protocol.ptx.zst"
));

/// The archive; empty where it cannot be read.
static COMPILED: LazyLock<Archive> = LazyLock::new(|| Archive::read(EMBEDDED).unwrap_or_default());

/// Orders in which each scene is played.
pub const ORDERS: u64 = 20;

/// One line of the table: a protocol as it is, or one defect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProtocolRow {
    /// Which protocol, or what is wrong with it.
    pub what: String,
    /// A planted defect, which must be found.
    pub planted: bool,
    /// Right in all orders; the defect was found.
    pub pass: bool,
    /// What was seen: the first finding with its kernel and line.
    pub seen: String,
}

/// Every kernel of the proof with the architecture of its PTX.
pub fn units() -> Vec<(CompileUnit, &'static str)> {
    let scenes = SCENES.iter().map(|scene| (scene.unit(0), scene.arch()));
    let mutants = MUTANTS.iter().map(|mutant| {
        let scene = mutant.scene();
        (scene.unit(mutant.number), scene.arch())
    });
    scenes.chain(mutants).collect()
}

/// The PTX of a scene's kernel with a mutant, or as it is with 0.
///
/// # Errors
/// A source that changed since it was compiled.
pub fn text(scene: &Scene, mutant: u32) -> Result<String, RunError> {
    let unit = scene.unit(mutant);
    let found = COMPILED.find(&unit, &[scene.arch()]);
    found.map(|prebuilt| prebuilt.ptx).ok_or_else(|| {
        RunError::missing(format!(
            "{} has changed since its PTX was made; RECORD_KERNELS=1 cargo test -p backend \
             protocol makes it anew",
            unit.title()
        ))
    })
}

/// Plays every scene in [`ORDERS`] orders and looks for every planted defect.
///
/// # Errors
/// A stop; PTX that is not of the kernels as they are.
pub fn show(
    observer: &dyn Observer,
    told: &mut dyn FnMut(&str),
) -> Result<Vec<ProtocolRow>, RunError> {
    let mut rows = Vec::new();
    for scene in &SCENES {
        let text = text(scene, 0)?;
        let mut seen = format!("right in {ORDERS} orders");
        let mut pass = true;
        for order in 0..ORDERS {
            if observer.cancelled() {
                return Err(RunError::cancelled(0, 0));
            }
            told(&format!("{}, order {order}", scene.name));
            let ended = scene.play(&text, order, 0)?;
            if ended != Ended::Right {
                (pass, seen) = (false, format!("order {order}: {ended}"));
                break;
            }
        }
        rows.push(ProtocolRow {
            what: scene.name.to_owned(),
            planted: false,
            pass,
            seen,
        });
        told(&format!("{} with too few places", scene.name));
        let ended = scene.play(&text, 0, scene.too_few())?;
        rows.push(ProtocolRow {
            what: format!("{} with one block fewer than it waits for", scene.name),
            planted: true,
            pass: ended.is_deadlock_for_want_of_room(),
            seen: ended.to_string(),
        });
    }
    for mutant in &MUTANTS {
        if observer.cancelled() {
            return Err(RunError::cancelled(0, 0));
        }
        told(mutant.what);
        let ended = mutant.found()?;
        rows.push(ProtocolRow {
            what: mutant.what.to_owned(),
            planted: true,
            pass: mutant.is_caught(&ended),
            seen: ended.to_string(),
        });
    }
    Ok(rows)
}

#[cfg(test)]
mod tests;
