//! Message passing, barriers, proxies: what the PTX memory model orders, and what not.

use super::*;

fn touch(offset: u64, access: Access) -> Touch {
    Touch {
        space: Space::Buffer(0),
        offset,
        bytes: 4,
        access,
        atomic: 0,
        at: 7,
    }
}

fn counter(name: &str) -> (Sem, Touch) {
    let access = match name.get(..2) {
        Some("ld") => Access::Read,
        Some("st") => Access::Write,
        _ => Access::Atomic,
    };
    let word = Touch {
        space: Space::Buffer(1),
        ..touch(0, access)
    };
    (Sem::of(name), word)
}

/// Two blocks of one warp: the first writes and says so, the second looks and reads.
fn message(says: &[&str], looks: &[&str]) -> Result<(), Met> {
    let mut causal = Causal::new(2, 1, 4);
    let talk = |causal: &mut Causal, agent, names: &[&str]| {
        for name in names {
            if name.starts_with("fence") {
                causal.fence(agent);
                continue;
            }
            let (sem, word) = counter(name);
            causal.talk(agent, sem, word).unwrap();
        }
    };
    causal.touch(0, touch(64, Access::Write)).unwrap();
    talk(&mut causal, 0, says);
    talk(&mut causal, 1, looks);
    causal.touch(1, touch(64, Access::Read))
}

/// The PTX memory model's message passing: a release pattern and an acquire pattern on
/// one word, each either an instruction or a fence beside a relaxed access.
#[test]
fn a_release_and_an_acquire_of_one_word_order_what_lies_round_them() {
    let releases: [&[&str]; 3] = [
        &["red.release.gpu.global.add.u32"],
        &["st.release.gpu.global.u32"],
        &["fence.acq_rel.gpu", "atom.global.add.u32"],
    ];
    let acquires: [&[&str]; 3] = [
        &["ld.acquire.gpu.global.u32"],
        &["atom.add.acq_rel.gpu.global.u32"],
        &["ld.relaxed.gpu.global.u32", "fence.acq_rel.gpu"],
    ];
    let nothing: [&[&str]; 3] = [
        &["atom.global.add.u32"],
        &["st.relaxed.gpu.global.u32"],
        // A fence behind the store orders nothing in front of it.
        &["st.relaxed.gpu.global.u32", "fence.acq_rel.gpu"],
    ];
    let unseen: [&[&str]; 3] = [
        &["ld.relaxed.gpu.global.u32"],
        &["fence.acq_rel.gpu", "ld.relaxed.gpu.global.u32"],
        &[],
    ];
    for looks in acquires {
        releases
            .iter()
            .for_each(|says| message(says, looks).unwrap());
        for says in nothing {
            let met = message(says, looks).unwrap_err();
            assert_eq!((met.offset, met.at, met.earlier), (64, 7, Access::Write));
            assert_eq!(met.party, Party::Warp { block: 0, warp: 0 });
        }
    }
    for looks in unseen {
        releases
            .iter()
            .for_each(|says| assert!(message(says, looks).is_err(), "{looks:?}"));
    }
    // What adds relaxed to a released word goes on with the release; a store does not.
    let third = |name: &str| {
        message(
            &["red.release.gpu.global.add.u32", name],
            &["ld.acquire.gpu.global.u32"],
        )
    };
    third("red.relaxed.gpu.global.add.u32").unwrap();
    assert!(third("st.relaxed.gpu.global.u32").is_err());
}

#[test]
fn a_barrier_orders_those_who_come_and_nobody_else() {
    let mut causal = Causal::new(1, 3, 4);
    for warp in 0..3 {
        causal
            .touch(warp, touch(u64::from(warp) * 4, Access::Write))
            .unwrap();
    }
    causal.arrive(0, 1, 0);
    causal.barrier(0, 1, &[1]);
    // Warp 1 waited for warp 0, which went on; warp 2 was elsewhere.
    causal.touch(1, touch(0, Access::Read)).unwrap();
    assert!(causal.touch(1, touch(8, Access::Read)).is_err());
    assert!(causal.touch(0, touch(4, Access::Read)).is_err());
    // A read counts as well: who writes must know of it.
    assert!(causal.touch(2, touch(0, Access::Write)).is_err());
}

#[test]
fn the_copy_engine_sees_what_was_known_at_the_last_fence_of_its_proxy() {
    let mut causal = Causal::new(2, 1, 4);
    let engine = causal.engine();
    let (says, word) = counter("red.release.gpu.global.add.u32");
    causal.touch(0, touch(64, Access::Write)).unwrap();
    causal.talk(0, says, word).unwrap();
    causal.fence_proxy(1);
    let (looks, word) = counter("ld.acquire.gpu.global.u32");
    causal.talk(1, looks, word).unwrap();
    let copy = touch(64, Access::Read);
    // Threads know of the write, the copy engine does not: the fence came too early.
    let met = causal.copies((engine, 1), 1, copy).unwrap_err();
    assert!(met.proxy);
    causal.fence_proxy(1);
    causal.copies((engine, 1), 1, copy).unwrap();
    // Who has not waited for the copy may not overwrite its source.
    let met = causal.touch(0, touch(64, Access::Write)).unwrap_err();
    assert_eq!((met.party, met.earlier), (Party::Copies, Access::Read));
    let mut landed = Clock::default();
    Causal::landed(&mut landed, engine, 1);
    causal.take(0, &landed);
    causal.touch(0, touch(64, Access::Write)).unwrap();
}

#[test]
fn atomics_of_one_size_do_not_race_and_halves_of_a_word_do() {
    let mut causal = Causal::new(2, 1, 2);
    let half = |offset, bytes, access| Touch {
        bytes,
        ..touch(offset, access)
    };
    let store = Sem::of("st.relaxed.gpu.global.u32");
    let load = Sem::of("ld.relaxed.gpu.global.v4.u32");
    causal.talk(0, store, half(4, 4, Access::Write)).unwrap();
    // Each element of a vector is an access of its own.
    causal.talk(1, load, half(0, 16, Access::Read)).unwrap();
    let store = Sem::of("st.volatile.global.u16");
    assert!(causal.talk(0, store, half(8, 2, Access::Write)).is_err());
}

#[test]
fn a_product_reads_until_it_is_waited_for() {
    let mut causal = Causal::new(1, 2, 4);
    let place = Touch {
        space: Space::Shared(0),
        ..touch(16, Access::Read)
    };
    causal.hold(0, place).unwrap();
    causal.barrier(0, 0, &[0, 1]);
    let write = Touch {
        access: Access::Write,
        ..place
    };
    let met = causal.touch(1, write).unwrap_err();
    assert_eq!(met.party, Party::Product { block: 0, warp: 0 });
    causal.let_go(0, 0, 16, 4);
    assert!(
        causal.touch(1, write).is_err(),
        "the wait came behind the barrier"
    );
    causal.barrier(0, 0, &[0, 1]);
    causal.touch(1, write).unwrap();
}
