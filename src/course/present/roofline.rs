//! The `roofline` block: kernels against the roofs of GPUs.

use super::Grid;
use crate::answer::Env;
use crate::fields::Phrase;
use crate::fields::Typed;
use plan::cost::{Bound, Gpu, Roof, bound, price, ridge};
use plan::fusion::Cut;
use plan::model::OpKind;

/// Kernels of a plan under the roofs of GPUs.
#[derive(Clone, Debug, PartialEq)]
pub struct Roofline {
    /// The kernels, by intensity.
    pub points: Vec<Point>,
    /// The GPUs: name, and the roof over kernels with a matrix product where it has one.
    pub roofs: Vec<(String, Option<Roof>)>,
    /// The same in rows: one per kernel, and the ridges.
    pub grid: Grid,
}

/// A kernel under a roof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// Its ops.
    pub ops: String,
    /// Its floating-point operations.
    pub flops: u64,
    /// Bytes that it moves.
    pub bytes: u64,
    /// Which side of each roof it meets.
    pub bounds: Vec<Option<Bound>>,
}

/// A row per kernel, by intensity, a column per GPU, and their ridges.
pub(super) fn roofline(
    env: &Env<'_>,
    plan: Option<&Typed<Cut>>,
    gpus: &[Phrase],
    mark: &[Typed<OpKind>],
) -> Result<Roofline, String> {
    let config = &env.setup.config;
    let cut = plan.map_or(config.cut, |plan| plan.value);
    let cost = price(&config.with_cut(cut)).map_err(|e| e.to_string())?;
    let ids: Vec<&str> = match gpus {
        [] => vec![env.setup.gpu],
        some => some.iter().map(|id| env.setup.named(id.as_str())).collect(),
    };
    let gpus: Vec<&Gpu> = ids
        .into_iter()
        .map(|id| env.gpus.get(id).map_err(|e| e.to_string()))
        .collect::<Result<_, _>>()?;
    let name = |gpu: &&Gpu| gpu.short.replace(' ', "\u{a0}");
    let wanted =
        |ops: &[&str]| mark.is_empty() || mark.iter().any(|m| ops.contains(&m.value.name()));
    let mut kernels: Vec<_> = cost
        .block
        .kernels
        .iter()
        .filter(|k| wanted(&k.ops))
        .collect();
    kernels.sort_by(|a, b| a.intensity().total_cmp(&b.intensity()));
    let points: Vec<Point> = kernels
        .iter()
        .map(|kernel| Point {
            ops: kernel.ops.join(" "),
            flops: kernel.flops,
            bytes: kernel.bytes(),
            bounds: gpus
                .iter()
                .map(|gpu| bound(kernel, gpu, config.dtype).ok())
                .collect(),
        })
        .collect();
    let row = |point: &Point| {
        let intensity = point.flops as f64 / point.bytes as f64;
        let bounds = point.bounds.iter();
        let bounds = bounds.map(|bound| bound.map_or("–", Bound::name).to_owned());
        [point.ops.clone(), format!("{intensity:.2}")]
            .into_iter()
            .chain(bounds)
            .collect()
    };
    let ridges = gpus.iter().map(|gpu| {
        let ridge = ridge(gpu, config.dtype);
        ridge.map_or("–".to_owned(), |r| format!("{r:.2}"))
    });
    let ridges = ["ridge".to_owned(), String::new()]
        .into_iter()
        .chain(ridges)
        .collect();
    let head = ["kernel".to_owned(), "FLOP/B =".to_owned()];
    Ok(Roofline {
        grid: Grid {
            head: head.into_iter().chain(gpus.iter().map(name)).collect(),
            rows: points.iter().map(row).chain([ridges]).collect(),
            foot: format!(
                "{}, per block, {}; roofs from the data sheets.",
                cut.title(),
                config.dtype.name()
            ),
            ..Grid::default()
        },
        roofs: gpus
            .iter()
            .map(|gpu| (name(gpu), Roof::of(gpu, config.dtype, true).ok()))
            .collect(),
        points,
    })
}
