//! Sampled rows against the whole forward, which is written apart from them.

use super::*;
use crate::reference::{Kept, Precision};
use plan::fusion::{Plan, Version};
use plan::model::Model;

/// Rows of a kept tensor, as the memory of a device would give them.
fn rows_of(kept: &Kept, shape: Shape, heads: usize, id: TensorId, rows: &[usize]) -> Values {
    let kind = kept.graph().tensor_at(id).kind;
    let all = kept.get(id).unwrap();
    let (seq, context) = (shape.seq as usize, shape.context as usize);
    let columns: Vec<Vec<f64>> = rows
        .iter()
        .map(|row| match kind {
            TensorKind::Sc | TensorKind::Pr => (0..heads)
                .flat_map(|h| {
                    let at = ((row / seq * heads + h) * seq + row % seq) * context;
                    all[at..at + context].to_vec()
                })
                .collect(),
            _ => {
                let count = match kind {
                    TensorKind::PastK | TensorKind::PastV => shape.batch as usize * (context - seq),
                    _ => shape.batch as usize * seq,
                };
                let width = all.len() / count;
                all[row * width..(row + 1) * width].to_vec()
            }
        })
        .collect();
    Values {
        rows: rows.to_vec(),
        values: DMatrix::from_iterator(
            columns[0].len(),
            columns.len(),
            columns.iter().flatten().copied(),
        ),
    }
}

#[test]
fn every_kernel_of_every_plan_gives_the_rows_of_the_whole_forward() {
    let model = Model::new("m", 64, 2, 2, 1, 48, 30).unwrap();
    for (shape, sample) in [
        (Shape::prefill(2, 6), vec![0, 4, 11]),
        (
            Shape {
                batch: 2,
                seq: 3,
                context: 7,
            },
            vec![2, 3],
        ),
    ] {
        let tokens = Tokens::seeded(4, 2, shape.context as usize, model.vocab);
        let weights = Weights::seeded(&model, 4, Dtype::Fp32).unwrap();
        let kept = Kept::run(&weights, &tokens, shape, Precision::Exact).unwrap();
        let graph = kept.graph();
        for version in [
            Version::V1,
            Version::V3,
            Version::Five,
            Version::V4,
            Version::Forward,
        ] {
            for keep_kv in [false, true] {
                let plan = Plan::new(graph, version.cut(), keep_kv);
                for kernel in &plan.kernels {
                    let sampled = Sampled::new(graph, kernel, shape, sample.iter().copied());
                    let given: BTreeMap<TensorId, Values> = sampled
                        .inputs()
                        .into_iter()
                        .chain(sampled.outputs())
                        .map(|(id, rows)| (id, rows_of(&kept, shape, 2, id, &rows)))
                        .collect();
                    let made = sampled.compute(&weights, &tokens, &given).unwrap();
                    assert_eq!(made.len(), kernel.writes.len());
                    for (id, exact, plain) in made {
                        let expected = rows_of(&kept, shape, 2, id, &sample);
                        let kind = graph.tensor_at(id).kind;
                        // Scores of keys behind the query mean nothing.
                        let differs = exact.values.iter().zip(expected.values.iter());
                        let worst = differs.fold(0.0f64, |worst, (a, b)| {
                            let masked = kind == TensorKind::Sc && *a == 0.0;
                            if masked {
                                worst
                            } else {
                                worst.max((a - b).abs())
                            }
                        });
                        assert!(worst < 1e-12, "{version:?} {kind:?}: {worst}");
                        assert_eq!(exact.rows, sample);
                        assert_eq!(plain, None);
                    }
                }
            }
        }
    }
}

#[test]
fn a_kernel_asks_for_the_rows_that_it_follows_from_and_no_more() {
    let graph = Graph::of_layers(1, true);
    let shape = Shape {
        batch: 2,
        seq: 3,
        context: 5,
    };
    let plan = Plan::new(&graph, Version::V2.cut(), true);
    let flash = plan
        .kernels
        .iter()
        .find(|k| k.name(&graph) == "qk+softmax+pv");
    let sampled = Sampled::new(&graph, flash.unwrap(), shape, [4]);
    let inputs: Vec<(String, Vec<usize>)> = sampled
        .inputs()
        .into_iter()
        .map(|(id, rows)| (graph.tensor_at(id).name().to_owned(), rows))
        .collect();
    let of = |name: &str| {
        let found = inputs.iter().find(|(n, _)| n == name);
        found.unwrap().1.clone()
    };
    // Row 4 is token 1 of sequence 1: two new keys, and that sequence's past.
    assert_eq!(of("qr"), [4]);
    assert_eq!(of("kr"), [3, 4]);
    assert_eq!(of("v"), [3, 4]);
    assert_eq!(of("past k"), [2, 3]);
    // A block that fills a cache computes its own rows only.
    let plan = Plan::new(&graph, Version::V4.cut(), true);
    let sampled = Sampled::new(&graph, &plan.kernels[1], shape, [4]);
    assert!(sampled.inputs().iter().any(|(_, rows)| rows == &[4]));
    assert!(sampled.outputs().iter().any(|(_, rows)| rows == &[3, 4]));
    let apart = Plan::new(&graph, Version::V4.cut(), false);
    let sampled = Sampled::new(&graph, &apart.kernels[1], shape, [4]);
    assert!(sampled.inputs().iter().any(|(_, rows)| rows == &[3, 4]));
}

#[test]
fn in_bf16_the_plain_path_stands_beside_the_exact_one() {
    let model = Model::new("m", 64, 1, 2, 1, 48, 30).unwrap();
    let shape = Shape::prefill(1, 4);
    let tokens = Tokens::seeded(4, 1, 4, model.vocab);
    let weights = Weights::seeded(&model, 4, Dtype::Bf16).unwrap();
    let graph = Graph::of(&model, &shape).unwrap();
    let plan = Plan::new(&graph, Version::Forward.cut(), false);
    let sampled = Sampled::new(&graph, &plan.kernels[0], shape, 0..4);
    let made = sampled
        .compute(&weights, &tokens, &BTreeMap::new())
        .unwrap();
    for (precision, which) in [(Precision::Exact, 0), (Precision::PlainBf16, 1)] {
        let kept = Kept::run(&weights, &tokens, shape, precision).unwrap();
        let (id, exact, plain) = &made[0];
        let got = [Some(exact), plain.as_ref()][which].unwrap();
        let expected = rows_of(&kept, shape, 2, *id, &[0, 1, 2, 3]);
        let worst = (&got.values - expected.values).amax();
        assert!(worst < 1e-12, "{precision:?}: {worst}");
    }
}
