//! Which launches may start while the one in front of them still runs.

use crate::gpu::program::Step;

/// What a product in tiles is made of. It lets no other launch in while it runs.
const TILES: &str = "tile/product.cu";

/// Takes the early start from a product in tiles behind a launch that lets it in while it
/// runs: blocks of a product are few, each wants a multiprocessor for itself, and those that
/// come early crowd on the ones that are free first. Behind another product they come when
/// that one ends, and gain what a launch takes.
///
/// On an H200, workshop B1 in fp32, V1, V2 and V3 as graphs take 274, 212 and 197 µs where
/// products start early, 229, 154 and 143 where they do not (benches/gpu/h200.md).
pub(super) fn apart(steps: &mut [Step]) {
    let mut lets_in = false;
    for step in steps {
        let Step::Own(launch) = step else {
            lets_in = false;
            continue;
        };
        let tiles = launch.unit.files.contains(&TILES);
        launch.overlap &= !(tiles && lets_in);
        lets_in = !tiles;
    }
}
