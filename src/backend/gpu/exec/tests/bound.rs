//! A program bound to a device: placed, filled, resolved, or refused.

use super::{PREFILL, model, request};
use crate::gpu::driver::{Driver, Parameter};
use crate::gpu::exec::bind::{Bound, BoundStep};
use crate::gpu::exec::fake::{Fake, Fault};
use crate::gpu::exec::memory::{Kept, POISON, RunMemory};
use crate::gpu::program::{
    Arg, BufferId, BufferSpec, Contents, Grid, Launch, Program, Step, TensorMap,
};
use crate::gpu::source::CompileUnit;
use crate::weights::Weights;
use plan::fusion::Version;
use plan::model::{Dtype, WeightId, WeightKind};

fn spec(name: &str, bytes: u64, contents: Contents) -> BufferSpec {
    BufferSpec {
        name: name.to_owned(),
        bytes,
        contents,
    }
}

#[test]
fn a_kernel_whose_blocks_do_not_fit_is_refused_before_a_launch() {
    let mut driver = Fake::new("sm_80");
    driver.fault = Fault::NoRoom;
    let mut memory = RunMemory::default();
    let request = request(Version::V1, PREFILL, Dtype::Bf16);
    let weights = Weights::seeded(&model(), 3, Dtype::Bf16).unwrap();
    let kept = Kept::new(&request, weights);
    let program = Program {
        buffers: vec![spec("ids", 8, Contents::Ids)],
        steps: vec![Step::Own(Launch {
            kernel: 0,
            name: "block 0: all".to_owned(),
            unit: CompileUnit::new("all", &[]),
            grid: Grid::Resident { per_sm: 1 },
            threads: 384,
            shared: 1000,
            cooperative: true,
            overlap: false,
            args: Vec::new(),
            written: Vec::new(),
        })],
        given: Vec::new(),
        logits: BufferId(0),
        notes: Vec::new(),
    };
    let bound = Bound::new(&mut driver, &mut memory, &kept, program, |d, u, s| {
        d.load(u, s)
    });
    let refused = bound.err().expect("nothing fits").to_string();
    // What, where, and the plan that runs instead.
    assert!(refused.contains("no block of 384 threads"), "{refused}");
    assert!(refused.contains("sm_80"), "{refused}");
    assert!(refused.contains("--version five"), "{refused}");
    assert!(driver.log.is_empty(), "{:?}", driver.log);
}

#[test]
fn a_program_is_placed_filled_and_resolved() {
    let (ids, weight, folded, cache) = (BufferId(0), BufferId(1), BufferId(2), BufferId(3));
    let q = WeightId::of_layer(WeightKind::Q, 1);
    let gamma = WeightId::of_layer(WeightKind::Norm1, 1);
    let map = TensorMap {
        buffer: weight,
        offset: 128,
        rows: 62,
        columns: 64,
        stride: 128,
        box_rows: 64,
        box_columns: 64,
        group: 0,
    };
    let program = Program {
        buffers: vec![
            spec("ids", 8, Contents::Ids),
            spec("Wq", 64 * 64 * 2, Contents::Weight(q)),
            spec(
                "Wq·gamma1",
                64 * 64 * 2,
                Contents::WeightTimesGamma { weight: q, gamma },
            ),
            spec("keys", 100, Contents::CacheK(0)),
            spec("sums", 16, Contents::Scratch),
            spec("counter", 4, Contents::Zeroed),
            spec("table", 16, Contents::Addresses(vec![(cache, 6), (ids, 0)])),
            spec("maps", 128, Contents::TensorMaps(vec![map])),
        ],
        steps: vec![Step::Own(Launch {
            kernel: 0,
            name: "block 0: all".to_owned(),
            unit: CompileUnit::new("all", &[]),
            grid: Grid::Resident { per_sm: 3 },
            threads: 64,
            shared: 1000,
            cooperative: true,
            overlap: false,
            args: vec![
                Arg::Buffer(folded),
                Arg::At(cache, 10),
                Arg::Null,
                Arg::I32(-1),
                Arg::I64(-2),
                Arg::F32(0.5),
                Arg::Map(map),
            ],
            written: Vec::new(),
        })],
        given: Vec::new(),
        logits: ids,
        notes: Vec::new(),
    };
    let mut driver = Fake::new("sm_80");
    let mut memory = RunMemory::default();
    let request = request(Version::V1, PREFILL, Dtype::Bf16);
    let weights = Weights::seeded(&model(), 3, Dtype::Bf16).unwrap();
    let mut kept = Kept::new(&request, weights);
    kept.provide(&mut driver, &[&program], |_, _| Ok(()))
        .unwrap();
    let bound = Bound::new(&mut driver, &mut memory, &kept, program, |d, u, s| {
        d.load(u, s)
    })
    .unwrap();
    bound.set_ids(&mut driver, &[7, 9]).unwrap();
    bound.poison(&mut driver).unwrap();

    let place = |buffer: BufferId| driver.address(bound.places[buffer.0 as usize]);
    let BoundStep::Own(launch) = &bound.steps[0] else {
        panic!("not a launch");
    };
    // The fake has 4 multiprocessors with room for 2 blocks each.
    assert_eq!(launch.grid, [8, 1, 1]);
    let mut words = [0; 16];
    (words[0], words[1], words[2]) = (place(weight) + 128, 62, 64);
    assert_eq!(
        launch.parameters,
        [
            Parameter::Long(place(folded)),
            Parameter::Long(place(cache) + 10),
            Parameter::Long(0),
            Parameter::Word(0xFFFF_FFFF),
            Parameter::Long(0xFFFF_FFFF_FFFF_FFFE),
            Parameter::Word(0.5f32.to_bits()),
            Parameter::Map(words),
        ]
    );
    let addresses: Vec<u64> = bound.places.iter().map(|m| driver.address(*m)).collect();
    let place_of = |buffer: usize| addresses[buffer];
    let mut read = |buffer: u32, bytes: usize| {
        let mut into = vec![0; bytes];
        driver
            .download(bound.places[buffer as usize], 0, &mut into)
            .unwrap();
        into
    };
    assert_eq!(read(0, 8), [7, 0, 0, 0, 9, 0, 0, 0]);
    assert_eq!(read(3, 100), [POISON; 100]);
    assert_eq!(read(4, 16), [POISON; 16]);
    assert_eq!(read(5, 4), [0; 4]);
    let table: Vec<u8> = [place_of(3) + 6, place_of(0)]
        .iter()
        .flat_map(|a| a.to_le_bytes())
        .collect();
    assert_eq!(read(6, 16), table);
    let bf16 = |bytes: &[u8], i: usize| {
        half::bf16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]]).to_f32()
    };
    let (plain, folded) = (read(1, 64 * 64 * 2), read(2, 64 * 64 * 2));
    let expected = kept.weights.tensor(q).unwrap();
    let gamma = kept.weights.tensor(gamma).unwrap();
    for (i, w) in expected.iter().enumerate() {
        assert_eq!(bf16(&plain, i), *w);
        let product = half::bf16::from_f32(w * gamma[i % 64]).to_f32();
        assert_eq!(bf16(&folded, i), product);
    }
    memory.free(&mut driver);
    kept.free(&mut driver);
    assert_eq!(driver.held(), 0);
}
