//! What is run: models with their corners, and the sets that are promised.

use plan::cost::Config;
use plan::fusion::{Cut, Fusion, Version};
use plan::model::{Dtype, Model, PRESETS, Shape};
use plan::run::{BackendKind, Request, WeightsFrom};

/// How much is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Extent {
    /// The versions on two small models: a minute on a slow machine.
    Quick,
    /// Every promised set on every small model.
    #[default]
    Full,
    /// The versions on the presets at their own sizes, prefill and decode: what
    /// a GPU does in a few minutes. Of the large ones, sampled rows are judged.
    Presets,
}

/// One forward to be examined.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// The plan's name: `v3`, `norm_qkv`, `v2 + norm_residual`.
    pub plan: String,
    /// What the model and shape are there for.
    pub corner: String,
    /// Model, shape, dtype, cut.
    pub config: Config,
}

impl Case {
    /// `v3 bf16, heads of 64, ragged`.
    pub fn title(&self) -> String {
        format!(
            "{} {}, {}",
            self.plan,
            self.config.dtype.name(),
            self.corner
        )
    }

    /// The request that examines it.
    pub fn request(&self, backend: BackendKind, seed: u64) -> Request {
        Request {
            backend,
            weights: WeightsFrom::Seed(seed),
            seed,
            runs: 0,
            warm_up: 0,
            ..Request::new(self.config.clone())
        }
    }
}

/// Sizes of a model (D, L, H, K, I, V) and a shape (B, S, T), and what they
/// are there for.
struct Corner {
    what: &'static str,
    sizes: [u64; 6],
    shape: [u64; 3],
}

/// The first two are the quick ones.
const CORNERS: [Corner; 9] = [
    Corner {
        what: "heads of 32, prefill",
        sizes: [128, 2, 4, 2, 256, 300],
        shape: [2, 33, 33],
    },
    Corner {
        what: "heads of 64, decode",
        sizes: [256, 2, 4, 1, 512, 1000],
        shape: [2, 1, 77],
    },
    Corner {
        what: "heads of 64, ragged sizes, prefill",
        sizes: [192, 1, 3, 1, 203, 517],
        shape: [1, 70, 70],
    },
    Corner {
        what: "heads of 128, no sharing, prefill",
        sizes: [256, 1, 2, 2, 320, 129],
        shape: [1, 129, 129],
    },
    Corner {
        what: "one token",
        sizes: [128, 2, 4, 2, 256, 300],
        shape: [1, 1, 1],
    },
    Corner {
        what: "heads of 32, ragged sizes, nine sequences, decode",
        sizes: [96, 2, 3, 1, 75, 50],
        shape: [9, 1, 5],
    },
    Corner {
        what: "seven tokens after a past, ragged sizes",
        sizes: [192, 2, 3, 1, 203, 517],
        shape: [2, 7, 40],
    },
    Corner {
        what: "heads of 128, long past, decode",
        sizes: [256, 1, 2, 1, 512, 128],
        shape: [1, 1, 700],
    },
    Corner {
        what: "the workshop's model, prefill",
        sizes: [256, 4, 8, 4, 512, 1000],
        shape: [1, 128, 128],
    },
];

/// Corners of [`Extent::Quick`].
const QUICK: usize = 2;

/// What `docs/cost-model.md` promises of every GPU backend: V1–V4, v2eager, five,
/// forward, each fusion alone with what it implies, and norm_residual together
/// with V2's; the split rope and v3code besides.
fn plans(extent: Extent) -> Vec<(String, Cut, bool)> {
    let versions = [
        Version::V1,
        Version::V2,
        Version::V3,
        Version::V4,
        Version::Five,
        Version::Forward,
    ];
    let mut plans: Vec<(String, Cut, bool)> = versions
        .into_iter()
        .map(|v| (v.name().to_owned(), v.cut(), false))
        .collect();
    if extent != Extent::Full {
        return plans;
    }
    for version in [Version::V2Eager, Version::V3Code] {
        plans.push((version.name().to_owned(), version.cut(), false));
    }
    for fusion in Fusion::ALL {
        // Alone these two are V4 and forward.
        if !matches!(fusion, Fusion::Block | Fusion::Forward) {
            plans.push((fusion.name().to_owned(), Cut::v1().fuse(fusion), false));
        }
    }
    let together = Version::V2.cut().fuse(Fusion::NormResidual);
    plans.push(("v2 + norm_residual".to_owned(), together, false));
    plans.push(("v1, rope of q and k apart".to_owned(), Cut::v1(), true));
    plans
}

/// The presets at their own shapes, and one token after as many: in both
/// dtypes, but the largest, which is run in the one that it is served in.
fn presets() -> Vec<Case> {
    let mut cases = Vec::new();
    for preset in &PRESETS {
        let prefill = preset.shape();
        let decode = Shape { seq: 1, ..prefill };
        for dtype in [Dtype::Fp32, Dtype::Bf16] {
            if preset.fills_cache && dtype == Dtype::Fp32 {
                continue;
            }
            for (shape, corner) in [(prefill, "prefill"), (decode, "decode")] {
                for (plan, cut, _) in plans(Extent::Presets) {
                    cases.push(Case {
                        plan,
                        corner: format!("{}, {corner}", preset.name),
                        config: Config::forward(preset.model(), shape, dtype, cut),
                    });
                }
            }
        }
    }
    cases
}

/// The forwards of a self-test. Those of one model and dtype follow one
/// another, so that its weights are made once.
pub fn cases(extent: Extent) -> Vec<Case> {
    let corners = match extent {
        Extent::Quick => CORNERS.get(..QUICK).unwrap_or_default(),
        Extent::Full => &CORNERS,
        Extent::Presets => return presets(),
    };
    let mut cases = Vec::new();
    for (number, corner) in corners.iter().enumerate() {
        let [hidden, layers, heads, kv_heads, ffn, vocab] = corner.sizes;
        let [batch, seq, context] = corner.shape;
        // Models of different names never share weights.
        let name = format!("selftest {number}");
        let Ok(model) = Model::new(&name, hidden, layers, heads, kv_heads, ffn, vocab) else {
            continue;
        };
        for dtype in [Dtype::Fp32, Dtype::Bf16] {
            for (plan, cut, rope_split) in plans(extent) {
                let shape = Shape {
                    batch,
                    seq,
                    context,
                };
                let mut config = Config::forward(model.clone(), shape, dtype, cut);
                config.conventions.rope_split = rope_split;
                cases.push(Case {
                    plan,
                    corner: corner.what.to_owned(),
                    config,
                });
            }
        }
    }
    cases
}
