//! What may follow the point of a call, known before anything is evaluated.

use super::ast::{Call, Function};
use super::profiled::PROFILE_FIELDS;
use super::vocabulary::{suggest, usage};
use crate::answer::records::RUN_PATHS;
use plan::run::Metric;
use plan::run::mutants::MUTANTS;
use plan::units::Dimension;

/// What the database knows of a GPU, with its dimension.
pub(super) const GPU_FIELDS: [(&str, Dimension); 23] = [
    ("fp32", Dimension::FlopPerSecond),
    ("matrix_fp32", Dimension::FlopPerSecond),
    ("tf32", Dimension::FlopPerSecond),
    ("bf16", Dimension::FlopPerSecond),
    ("fp16", Dimension::FlopPerSecond),
    ("fp8", Dimension::FlopPerSecond),
    ("fp64", Dimension::FlopPerSecond),
    ("bandwidth", Dimension::BytesPerSecond),
    ("host", Dimension::BytesPerSecond),
    ("memory", Dimension::Bytes),
    ("l2", Dimension::Bytes),
    ("shared", Dimension::Bytes),
    ("registers", Dimension::Count),
    ("regfile", Dimension::Bytes),
    ("units", Dimension::Count),
    ("warp", Dimension::Count),
    ("threads", Dimension::Count),
    ("block_threads", Dimension::Count),
    ("blocks", Dimension::Count),
    ("simds", Dimension::Count),
    ("dies", Dimension::Count),
    ("register_cap", Dimension::Count),
    ("l3", Dimension::Bytes),
];

/// Names of a GPU, and the words of its vendor.
pub(super) const GPU_WORDS: [&str; 6] = [
    "name",
    "short",
    "warp_word",
    "unit_word",
    "shared_word",
    "matrix_word",
];

/// Refuses a path that the function does not have.
pub(super) fn call(call: &Call) -> Result<(), String> {
    let known: Vec<&str> = match call.function {
        Function::Run => RUN_PATHS.iter().map(|(p, _)| *p).collect(),
        Function::Gpu => {
            let fields = GPU_FIELDS.iter().map(|(p, _)| *p);
            fields.chain(GPU_WORDS).collect()
        }
        Function::Params => vec!["tied", "untied"],
        Function::Mutant => MUTANTS.iter().map(|(name, _)| *name).collect(),
        Function::Profile => PROFILE_FIELDS.to_vec(),
        Function::Peak => vec!["kernel"],
        Function::Occ => vec!["blocks", "warps", "limit"],
        Function::Micro => Metric::names().to_vec(),
        Function::Claims => {
            return match call.field {
                Some(_) => Ok(()),
                None => Err("claims needs a point and a verdict: claims.wrong".to_owned()),
            };
        }
        Function::Recorded => {
            return match call.field {
                Some(_) => Ok(()),
                None => Err("recorded needs a point and an id: recorded.h200_launch".to_owned()),
            };
        }
        _ => Vec::new(),
    };
    let optional = matches!(
        call.function,
        Function::Params | Function::Peak | Function::Occ
    );
    match &call.field {
        None if known.is_empty() || optional => Ok(()),
        None => Err(format!("write it as {}", usage(call.function))),
        Some(path) if known.contains(&path.as_str()) => Ok(()),
        Some(path) if known.is_empty() => {
            Err(format!("nothing follows here, so “.{path}” has no meaning"))
        }
        Some(path) => Err(format!(
            "“.{path}” is not known here{}",
            suggest(path, known.into_iter())
        )),
    }
}
