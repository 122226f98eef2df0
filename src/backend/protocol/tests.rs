//! The protocols are right in every order, and every planted defect is found.

use super::*;
use plan::run::Unwatched;

/// With `RECORD_KERNELS=1` and NVRTC 12 the archive is made anew.
#[cfg(feature = "cuda")]
#[test]
fn the_archive_is_of_the_kernels_as_they_are() {
    use crate::gpu::compile::{Compiler, compiled};
    use crate::gpu::cuda::Nvrtc;
    let stale = |archive: &Archive| {
        let units = units().into_iter();
        let gone = units.filter(|(unit, arch)| archive.find(unit, &[arch]).is_none());
        gone.map(|(unit, _)| unit.title()).collect::<Vec<_>>()
    };
    if std::env::var("RECORD_KERNELS").is_ok() {
        let nvrtc = Nvrtc::find(12).unwrap();
        let mut archive = compiled(nvrtc, None, &units(), true, &mut |_, _, _| {}).unwrap();
        assert!(nvrtc.version().contains("12"), "{}", nvrtc.version());
        let bytes = archive.write().unwrap();
        assert_eq!(stale(&Archive::read(&bytes).unwrap()), [""; 0]);
        let file = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../assets/kernels/protocol.ptx.zst"
        );
        std::fs::write(file, bytes).unwrap();
        return;
    }
    let stale = stale(&COMPILED);
    assert!(
        stale.is_empty(),
        "{} kernels of the proof changed since they were compiled, {} first; run RECORD_KERNELS=1 \
         cargo test -p backend protocol (with NVRTC: pip install nvidia-cuda-nvrtc-cu12)",
        stale.len(),
        stale[0]
    );
}

#[test]
fn protocols_are_right_in_every_order_and_every_defect_is_found() {
    let rows = show(&Unwatched, &mut |_| {}).unwrap();
    assert_eq!(rows.len(), 2 * SCENES.len() + MUTANTS.len());
    for row in &rows {
        assert!(row.pass, "{row:#?}");
        // Kernel and line.
        assert!(!row.planted || row.seen.contains(".cu:"), "{row:#?}");
        assert!(!row.planted || row.seen.contains("in `"), "{row:#?}");
    }
}

#[test]
fn a_defect_shows_itself_as_what_it_is() {
    for mutant in &MUTANTS {
        let ended = mutant.found().unwrap();
        let Ended::Found { seen, text } = &ended else {
            panic!("{}: {ended}", mutant.what);
        };
        assert!(mutant.seen.contains(seen), "{}: {text}", mutant.what);
        assert!(text.contains(mutant.file), "{}: {text}", mutant.what);
    }
}

#[test]
fn the_same_order_gives_the_same_finding() {
    let mutant = &MUTANTS[1];
    let text = text(mutant.scene(), mutant.number).unwrap();
    let seen = [0, 0, 1].map(|order| mutant.scene().play(&text, order, 0).unwrap());
    assert_eq!(seen[0], seen[1]);
    assert!(matches!(seen[2], Ended::Found { .. }));
}
