//! The functions of `kernels/torch/` compute what our kernels compute: where `python3` has
//! PyTorch (`TORCH_PYTHON` names another interpreter), they run on the reference's tensors.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tinyllama_tutor::backend::gpu::eager::{self, Eager, Stands};
use tinyllama_tutor::backend::reference::{Kept, Precision};
use tinyllama_tutor::backend::tokens::Tokens;
use tinyllama_tutor::backend::weights::Weights;
use tinyllama_tutor::model::{Dtype, Model, OpKind, Shape, TensorKind, WeightId};

/// Parts of the largest value. In fp64 both round at 2⁻⁵³ and sum at most 48 terms, each
/// block about 20 times: far below 1e-12. In fp32 the same is 2²⁹ times as much, 5e-4 at
/// most; a wrong pairing, mask or epsilon is off by 1e-3 and more (below).
const TOLERANCE: [f64; 2] = [1e-12, 1e-4];

const BATCH: u64 = 2;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/torch")
}

/// The interpreter; `None`, said once, where it has no PyTorch.
fn python() -> Option<String> {
    let named = std::env::var("TORCH_PYTHON").ok();
    let python = named.clone().unwrap_or_else(|| "python3".to_owned());
    let tried = Command::new(&python)
        .args(["-c", "import torch"])
        .stderr(Stdio::null())
        .status();
    match tried {
        Ok(status) if status.success() => Some(python),
        _ if named.is_some() => panic!("TORCH_PYTHON is {python}, which has no torch"),
        _ => {
            eprintln!("skipped: {python} has no torch; TORCH_PYTHON names another interpreter");
            None
        }
    }
}

/// Tensors by the names that the functions' texts use.
#[derive(Default)]
struct Tensors(BTreeMap<String, Value>);

impl Tensors {
    fn add(&mut self, name: &str, shape: &[u64], values: impl IntoIterator<Item = f64>) {
        let values: Vec<f64> = values.into_iter().collect();
        assert_eq!(values.len() as u64, shape.iter().product::<u64>(), "{name}");
        let value = json!({ "shape": shape, "values": values });
        self.0.insert(name.to_owned(), value);
    }
}

/// Heads of 8 in four, two of which share keys; no two widths are alike, and the head has a
/// weight of its own.
fn model() -> Model {
    let model = Model::new("m", 32, 2, 4, 2, 48, 50).unwrap();
    Model {
        tied: false,
        ..model
    }
}

/// Keys or values of the whole context: those from before, then the new ones, sequence by
/// sequence.
fn joined(past: &[f64], new: &[f64], rows: (u64, u64), width: u64) -> Vec<f64> {
    let of = |values: &[f64], rows: u64, b: u64| {
        let each = (rows * width) as usize;
        values[b as usize * each..][..each].to_vec()
    };
    (0..BATCH)
        .flat_map(|b| [of(past, rows.0, b), of(new, rows.1, b)].concat())
        .collect()
}

/// Every tensor and weight of the second block, what stands around it, and the numbers.
fn given(seq: u64, context: u64) -> (Tensors, Value) {
    let model = model();
    let shape = Shape {
        batch: BATCH,
        seq,
        context,
    };
    let weights = Weights::seeded(&model, 1, Dtype::Fp32).unwrap();
    let tokens = Tokens::seeded(3, BATCH as usize, context as usize, model.vocab);
    let kept = Kept::run(&weights, &tokens, shape, Precision::Exact).unwrap();
    let past = context - seq;
    let kv = model.kv_heads * model.head_width();
    let of = |kind, layer| kept.find(kind, layer).unwrap_or_default().to_vec();

    let mut all = Tensors::default();
    for made in kept.tensors().filter(|m| m.tensor.layer == Some(1)) {
        use TensorKind as T;
        let width = match made.tensor.kind {
            T::Sc | T::Pr => {
                let scores = [BATCH, model.heads, seq, context];
                all.add(made.tensor.name(), &scores, made.values.iter().copied());
                continue;
            }
            T::PastK | T::PastV => continue,
            T::K | T::Kr | T::V => kv,
            T::G | T::U | T::Sg | T::M => model.ffn,
            _ => model.hidden,
        };
        let shape = [BATCH, seq, width];
        all.add(made.tensor.name(), &shape, made.values.iter().copied());
    }
    let wide = |width| [BATCH, seq, width];
    all.add("x", &wide(model.hidden), of(TensorKind::X, Some(0)));
    for (name, kind) in [("h before", TensorKind::H), ("dn before", TensorKind::Dn)] {
        all.add(name, &wide(model.hidden), of(kind, Some(0)));
    }
    all.add("embedded", &wide(model.hidden), of(TensorKind::X, None));
    all.add("nf", &wide(model.hidden), of(TensorKind::Nf, None));
    all.add("logits", &wide(model.vocab), of(TensorKind::Logits, None));
    for (name, before, new) in [
        ("k", TensorKind::PastK, TensorKind::Kr),
        ("v", TensorKind::PastV, TensorKind::V),
    ] {
        let (before, new) = (of(before, Some(1)), of(new, Some(1)));
        let whole = joined(&before, &new, (past, seq), kv);
        all.add(&format!("past_{name}"), &[BATCH, past, kv], before);
        all.add(&format!("whole {name}"), &[BATCH, context, kv], whole);
    }
    let ids = tokens.ids().chunks(context as usize);
    let ids = ids.flat_map(|row| row[past as usize..].iter().map(|id| f64::from(*id)));
    all.add("ids", &[BATCH, seq], ids);
    for id in WeightId::all(&model) {
        if id.layer.is_none_or(|layer| layer == 1) {
            let values = weights.tensor(id).unwrap();
            let shape = match id.shape(&model) {
                (1, columns) => vec![columns],
                (rows, columns) => vec![rows, columns],
            };
            all.add(id.kind.name(), &shape, values.iter().map(|v| f64::from(*v)));
        }
    }
    let numbers = json!({
        "eps": model.norm_eps, "theta": model.rope_theta, "head": model.head_width(), "past": past,
    });
    (all, numbers)
}

/// Whose tensors a launch takes and gives, where they are not the second block's new ones.
fn call(function: &Eager, stands: &Stands) -> Value {
    let between = stands.ops == [OpKind::Res2, OpKind::Norm1];
    let input = |name: &String| match name.as_str() {
        "kr" => "whole k".to_owned(),
        "v" => "whole v".to_owned(),
        "h" | "dn" if between => format!("{name} before"),
        name => name.to_owned(),
    };
    let output = |name: &String| match name.as_str() {
        // Behind the first block: what the second begins with.
        "y" if between => "x".to_owned(),
        "x" => "embedded".to_owned(),
        name => name.to_owned(),
    };
    let file = Path::new(&function.file).file_stem().unwrap();
    json!({
        "file": file.to_str(), "function": function.name,
        "inputs": stands.inputs.iter().map(input).collect::<Vec<_>>(),
        "outputs": stands.outputs.iter().map(output).collect::<Vec<_>>(),
    })
}

/// What came of a call.
struct Came {
    function: &'static Eager,
    title: String,
    /// In fp64 and fp32, as parts of the largest value; or what went wrong.
    error: Result<[f64; 2], String>,
    ops: u64,
}

impl Came {
    fn is_right(&self) -> bool {
        let error = self.error.as_ref();
        error.is_ok_and(|e| e.iter().zip(TOLERANCE).all(|(e, most)| *e < most))
    }
}

/// Runs every function of a folder for every launch that it stands for.
fn ran(python: &str, folder: &Path, (seq, context): (u64, u64)) -> Vec<Came> {
    let (tensors, numbers) = given(seq, context);
    let stands = |f: &'static Eager| f.stands.iter().map(move |s| (f, s));
    let calls: Vec<_> = eager::functions().iter().flat_map(stands).collect();
    let cases = json!({
        "tensors": tensors.0, "numbers": numbers,
        "calls": calls.iter().map(|(f, s)| call(f, s)).collect::<Vec<_>>(),
    });
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/torch_lines.py");
    let mut child = Command::new(python)
        .args([program.as_os_str(), folder.as_os_str()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(cases.to_string().as_bytes()).unwrap();
    drop(stdin);
    let out = child.wait_with_output().unwrap();
    assert!(out.status.success(), "{}", out.status);
    let found: Vec<Value> = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(found.len(), calls.len());
    let came = calls.iter().zip(found).map(|((function, stands), found)| {
        let names: Vec<&str> = stands.ops.iter().map(|op| op.name()).collect();
        let error = match &found["fault"] {
            Value::String(fault) => Err(fault.clone()),
            _ => Ok([0, 1].map(|at| found["error"][at].as_f64().unwrap())),
        };
        Came {
            function,
            title: format!("{} for {}", function.name, names.join(" ")),
            error,
            ops: found["ops"].as_u64().unwrap_or(0),
        }
    });
    came.collect()
}

#[test]
fn pytorch_computes_what_the_reference_computes() {
    let Some(python) = python() else { return };
    // A prefill, new tokens behind others, one token behind others.
    for (seq, context) in [(5, 5), (3, 7), (1, 6)] {
        for came in ran(&python, &folder(), (seq, context)) {
            println!(
                "{seq} of {context}: {}: {:?}, {} operations",
                came.title, came.error, came.ops
            );
            assert!(came.is_right(), "{}: {:?}", came.title, came.error);
            // A copy that changes nothing is not made: of one token, heads in front.
            let counted = came.function.ops() as u64;
            match seq {
                1 => assert!(came.ops <= counted, "{}", came.title),
                _ => assert_eq!(came.ops, counted, "{}", came.title),
            }
        }
    }
}

#[test]
fn a_planted_defect_is_seen_in_all_that_call_it() {
    let Some(python) = python() else { return };
    let planted = [
        // Neighbours as pairs in place of halves.
        (
            "rope.py",
            "first, second = x.chunk(2, -1)",
            "first, second = x[..., ::2], x[..., 1::2]",
            "rope",
        ),
        // The other direction.
        ("rope.py", "second = -second", "first = -first", "rope_one"),
        (
            "rope.py",
            "torch.arange(past, past + seq)",
            "torch.arange(0, seq)",
            "rope",
        ),
        // Every key is seen; the own key is not.
        (
            "softmax.py",
            "mask.triu(past + 1)",
            "mask.triu(past + 99)",
            "softmax",
        ),
        ("softmax.py", "mask.triu(past + 1)", "mask.triu(1)", "flash"),
        ("softmax.py", "head**-0.5", "head**-1", "flash"),
        // The shared keys in another order.
        (
            "qk.py",
            "k.repeat_interleave(q.shape[1] // k.shape[1], 1)",
            "k.repeat(1, 2, 1, 1)",
            "qk",
        ),
        (
            "pv.py",
            "v.repeat_interleave(pr.shape[1] // v.shape[1], 1)",
            "v.repeat(1, 2, 1, 1)",
            "pv",
        ),
        ("rmsnorm.py", "mean + eps", "mean + 2 * eps", "rmsnorm"),
        (
            "gemm_residual.py",
            "residual + product",
            "product",
            "gemm_residual",
        ),
    ];
    for (file, from, to, function) in planted {
        let copy = tempfile::tempdir().unwrap();
        for entry in fs::read_dir(folder()).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "py") {
                let mut text = fs::read_to_string(&path).unwrap();
                if path.file_name().unwrap() == file {
                    assert_eq!(text.matches(from).count(), 1, "{file}: {from}");
                    text = text.replace(from, to);
                }
                fs::write(copy.path().join(path.file_name().unwrap()), text).unwrap();
            }
        }
        let came = ran(&python, copy.path(), (3, 7));
        let wrong: Vec<_> = came.iter().filter(|c| !c.is_right()).collect();
        let names: Vec<&str> = wrong.iter().map(|c| c.function.name).collect();
        assert!(names.contains(&function), "{file}: {to}: {names:?}");
        assert!(names.contains(&"block"), "{file}: {to}: {names:?}");
        assert!(!names.contains(&"silu_mul"), "{file}: {to}: {names:?}");
        println!("{file}, {to}: {names:?}");
    }
}
