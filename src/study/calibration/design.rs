//! The forwards that a machine is asked for: sizes drawn over wide ranges, the same every
//! time, every version in turn.

use plan::cost::Config;
use plan::fusion::Version;
use plan::model::random::Stream;
use plan::model::{Dtype, Model, Shape};

/// How large the forwards are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// For a CPU: some milliseconds each.
    Small,
    /// For a GPU.
    Large,
}

impl Extent {
    /// Most FLOPs of one forward.
    const fn flops(self) -> u64 {
        match self {
            Self::Small => 2_000_000_000,
            Self::Large => 2_000_000_000_000,
        }
    }

    /// Widths that are drawn.
    const fn widths(self) -> &'static [u64] {
        match self {
            Self::Small => &[64, 128, 192, 256, 384, 512],
            Self::Large => &[128, 256, 512, 768, 1024, 1536, 2048],
        }
    }

    /// Lengths of a prompt that are drawn.
    const fn seqs(self) -> &'static [u64] {
        match self {
            Self::Small => &[1, 8, 16, 32, 64, 96, 128, 192, 256],
            Self::Large => &[1, 16, 64, 128, 200, 256, 384, 512, 1024],
        }
    }
}

/// The versions that are drawn: those that every backend has kernels for.
const VERSIONS: [Version; 5] = [
    Version::V1,
    Version::V2,
    Version::V3,
    Version::V4,
    Version::Five,
];

/// The forwards of a calibration.
pub fn points(count: usize, extent: Extent, dtype: Dtype) -> Vec<Config> {
    drawn("calibration", count, extent, dtype)
}

/// Forwards of other sizes, drawn likewise: no calibration sees them.
pub fn held_out(count: usize, extent: Extent, dtype: Dtype) -> Vec<Config> {
    drawn("held out", count, extent, dtype)
}

fn drawn(name: &str, count: usize, extent: Extent, dtype: Dtype) -> Vec<Config> {
    let stream = Stream::new(1, name);
    let mut found: Vec<Config> = Vec::new();
    let mut word = 0;
    let mut pick = |from: &[u64]| {
        word += 1;
        let at = stream.below(word, from.len() as u64) as usize;
        from.get(at).copied().unwrap_or(1)
    };
    // Draws that are too large, or were made before, are made again.
    for _ in 0..100 * count {
        if found.len() == count {
            break;
        }
        let hidden = pick(extent.widths());
        let heads = hidden / 32;
        let kv_heads = heads / pick(&[1, 2]).min(heads);
        let ffn = hidden * pick(&[4, 6, 8]) / 2;
        let layers = pick(&[1, 2, 4, 6]);
        let vocab = pick(&[256, 1000, 4000]);
        let batch = pick(&[1, 1, 2, 4, 8]);
        let seq = pick(extent.seqs());
        // One new token has tokens before it.
        let context = if seq == 1 { pick(&[64, 128, 256]) } else { seq };
        let version = VERSIONS.get(found.len() % VERSIONS.len());
        let version = version.copied().unwrap_or(Version::V1);
        let Ok(model) = Model::new("drawn", hidden, layers, heads, kv_heads, ffn, vocab) else {
            continue;
        };
        let shape = Shape {
            batch,
            seq,
            context,
        };
        let config = Config::forward(model, shape, dtype, version.cut());
        let flops = plan::cost::price(&config).map_or(u64::MAX, |c| c.forward.flops);
        if flops <= extent.flops() && !found.contains(&config) {
            found.push(config);
        }
    }
    found
}

/// A drawn forward in words: `V2 D256 L2 I512 B1 S64`.
pub(crate) fn title(config: &Config) -> String {
    let (model, shape) = (&config.model, config.shape);
    let name = match model.name.as_str() {
        "drawn" => format!(
            "D{} L{} I{} V{}",
            model.hidden, model.layers, model.ffn, model.vocab
        ),
        name => name.to_owned(),
    };
    let context = match shape.has_past() {
        true => format!(" T{}", shape.context),
        false => String::new(),
    };
    format!(
        "{} {name} B{} S{}{context}",
        config.effective_cut().title(),
        shape.batch,
        shape.seq
    )
}
