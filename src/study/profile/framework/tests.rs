//! Real profiles, made on an H200 (driver 580, PyTorch 2.11, transformers 5.17): the
//! workshop's own programs, and transformers' LlamaForCausalLM with random weights. What is
//! right is not told by names or order: the programs mark what they compute
//! (`record_function`; around each module of transformers), and the profiler put those
//! marks on the GPU's own timeline.

use std::io::Read as _;

use super::*;
use crate::profile::read;

fn unpacked(packed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(packed)
        .read_to_end(&mut bytes)
        .unwrap();
    bytes
}

macro_rules! real {
    ($name:literal) => {
        unpacked(include_bytes!(concat!(
            "../../../../tests/data/profiles/",
            $name,
            ".gz"
        )))
    };
}

/// The parts that a mark allows; none where it says too little.
fn allowed(mark: &str) -> Option<Vec<Part>> {
    use Part::*;
    let last = mark.rsplit('.').next().unwrap_or(mark);
    Some(match last {
        "causal_mask" | "rotary_emb" | "M:rope" => vec![Tables],
        "M:model" => vec![Tables, Embed],
        "token_embedding" | "M:embed_tokens" | "embed_tokens" => vec![Embed],
        "rms_norm"
        | "rms_norm_fused"
        | "input_layernorm"
        | "post_attention_layernorm"
        | "M:norm"
        | "norm"
        | "attention_norm"
        | "ffn_norm" => vec![Norm],
        "qkv_projection" | "qkv_fused_projection" | "q_proj" | "k_proj" | "v_proj" => vec![Qkv],
        "rope_embedding" | "rope_embedding_fused" => vec![Rope],
        "attention_scores" => vec![Qk, Softmax, Copies],
        "attention_softmax" => vec![Softmax],
        "attention_output" => vec![Pv, O, Copies],
        "attention_output_projection" => vec![O, Copies],
        "flash_attention" => vec![Attention, Copies],
        "attention_forward" | "fused_attention" => vec![Copies],
        "self_attn" | "attention" => vec![Rope, Copies, Attention, Qk, Softmax, Pv],
        "o_proj" => vec![O],
        "attention_residual" | "ffn_residual" => vec![Residual],
        "swiglu_gate_up" => vec![GateUp, SiluMul],
        "gate_up_fused_projection" | "gate_proj" | "up_proj" => vec![GateUp],
        "swiglu_activation" | "act_fn" | "mlp" | "feed_forward" => vec![SiluMul],
        "swiglu_down" | "swiglu_down_projection" | "down_proj" => vec![Down],
        // The norm within it has its own mark.
        "final_output" | "M:lm_head" => vec![LmHead],
        "loss_calculation" => vec![Loss],
        _ if last.starts_with("Optimizer.step") => vec![Optimizer],
        _ => return None,
    })
}

/// Start, length and name, in µs.
type Span = (f64, f64, String);

/// Launches in order, and marks, of a trace.
fn events(text: &[u8]) -> (Vec<Span>, Vec<Span>) {
    let trace: serde_json::Value = serde_json::from_slice(text).unwrap();
    let us = |event: &serde_json::Value, key: &str| event[key].as_f64().unwrap();
    let (mut launches, mut marks) = (Vec::new(), Vec::new());
    for event in trace["traceEvents"].as_array().unwrap() {
        let name = event["name"].as_str().unwrap().to_owned();
        let one = (us(event, "ts"), us(event, "dur"), name);
        match event["cat"].as_str().unwrap() {
            "gpu_user_annotation" => marks.push(one),
            _ => launches.push(one),
        }
    }
    launches.sort_by(|a, b| a.0.total_cmp(&b.0));
    (launches, marks)
}

/// The shortest mark around a launch is the innermost.
fn innermost<'m>((from, took, _): &Span, marks: &'m [Span]) -> Option<&'m str> {
    let around = marks.iter().filter(|(start, length, _)| {
        *start <= from + 0.002 && from + took <= start + length + 0.002
    });
    let mark = around.min_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(&mark.2)
}

/// Share of the marked kernel time whose part is one that its mark allows, and the share
/// that is marked.
fn agreement(text: &[u8], found: &Profile) -> (f64, f64) {
    let (launches, marks) = events(text);
    let what: Vec<Does> = launches.iter().map(|(_, _, name)| does(name)).collect();
    let places: Vec<usize> = launches
        .iter()
        .map(|(_, _, name)| {
            found
                .kernels
                .iter()
                .position(|row| row.name == *name)
                .unwrap()
        })
        .collect();
    let (parts, _) = blocks::blocks(&what, &places);
    let (mut right, mut marked, mut all) = (0.0, 0.0, 0.0);
    for (launch, part) in launches.iter().zip(parts) {
        let took = launch.1;
        all += took;
        let Some(wanted) = innermost(launch, &marks).and_then(allowed) else {
            continue;
        };
        marked += took;
        if wanted.contains(&part) {
            right += took;
        }
    }
    (right / marked, marked / all)
}

/// Launches whose innermost mark is the second layer's or one within it, in all forwards;
/// none where the program marks no layers by name.
fn in_second_layers(text: &[u8]) -> Option<usize> {
    let (launches, marks) = events(text);
    let of = |mark: &str| {
        let rest = mark.strip_prefix("M:").unwrap_or(mark);
        let rest = rest.strip_prefix("model.").unwrap_or(rest);
        rest == "layers.1" || rest.starts_with("layers.1.")
    };
    let inside = launches
        .iter()
        .filter(|launch| innermost(launch, &marks).is_some_and(of));
    Some(inside.count()).filter(|count| *count > 0)
}

/// A file, its forwards and layers.
type Case = (&'static str, Vec<u8>, usize, usize);

fn cases() -> Vec<Case> {
    vec![
        ("v1", real!("v1.json"), 2, 8),
        ("v2", real!("v2.json"), 2, 8),
        ("v3", real!("v3.json"), 2, 8),
        ("v4", real!("v4.json"), 2, 8),
        ("v2-compile", real!("v2-compile.json"), 2, 8),
        ("transformers-eager", real!("transformers-eager.json"), 2, 8),
        ("transformers-sdpa", real!("transformers-sdpa.json"), 2, 8),
        (
            "transformers-compile",
            real!("transformers-compile.json"),
            2,
            8,
        ),
        ("tinyllama-eager", real!("tinyllama-eager.json"), 2, 4),
        ("tinyllama-sdpa", real!("tinyllama-sdpa.json"), 2, 4),
        ("tinyllama-compile", real!("tinyllama-compile.json"), 2, 4),
        // One prompt, three tokens behind it.
        ("tinyllama-generate", real!("tinyllama-generate.json"), 4, 4),
        ("v1-training", real!("v1-training.json"), 1, 8),
    ]
}

#[test]
fn real_profiles_are_explained_as_their_programs_mark_them() {
    for (name, text, forwards, layers) in cases() {
        let profile = read(&text).unwrap();
        assert_eq!(profile.device.as_deref(), Some("NVIDIA H200"), "{name}");
        let found = breakdown(&profile).unwrap();
        assert!(found.explained() >= 0.95, "{name}: {}", found.explained());
        assert_eq!(found.forwards.len(), forwards, "{name}");
        assert!(found.forwards.iter().all(|f| f.layers == layers), "{name}");
        if let Some(launches) = in_second_layers(&text) {
            let each = found.forwards.iter().map(|f| f.build.launches);
            assert_eq!(each.sum::<usize>(), launches, "{name}");
        }
        let (right, marked) = agreement(&text, &profile);
        // Compiled programs have no marks within.
        if !name.contains("compile") {
            assert!(marked > 0.2, "{name}: {marked}");
            assert!(right >= 0.99, "{name}: {right}");
        }
    }
}

fn of(name: &str) -> Breakdown {
    let case = cases().into_iter().find(|case| case.0 == name).unwrap();
    breakdown(&read(&case.1).unwrap()).unwrap()
}

#[test]
fn what_is_joined_is_seen() {
    use plan::fusion::Version;
    let build = |name: &str| of(name).forwards[0].build;
    let v1 = build("v1");
    // 6 of a norm; 8 of each rotation, 2 of k and v repeated, 4 copies; 3 products, o and
    // down with the sums of their splits; qk scale mask softmax pv; two residuals;
    // gate silu up mul: 12 + 16 + 2 + 4 + 10 + 5 + 2 + 4.
    assert_eq!(
        (
            v1.qkv,
            v1.flash,
            v1.gate_up,
            v1.silu_mul,
            v1.norm,
            v1.launches
        ),
        (3, false, 2, 2, 6, 55)
    );
    let v2 = build("v2");
    assert_eq!(
        (v2.qkv, v2.flash, v2.gate_up, v2.silu_mul, v2.norm),
        (1, true, 1, 2, 6)
    );
    assert_eq!(of("v1").cut(), Some(Version::V1.cut()));
    assert_eq!(of("v2").cut(), Some(Version::V2Eager.cut()));
    assert_eq!(of("v3").cut(), Some(Version::V3Code.cut()));
    // Compiled: silu and mul in one, each norm with its residual in one.
    assert_eq!(of("v2-compile").cut(), Some(Version::V2.cut()));
    assert_eq!(build("v2-compile").norm, 1);
}

/// Tools cut names at the first bracket (`rocprofv3 --truncate-kernels`): the order is left.
#[test]
fn cut_names_are_explained_by_their_order() {
    for (name, text, forwards, layers) in cases() {
        // Of training, gradients are told by names.
        if name == "v1-training" {
            continue;
        }
        let mut profile = read(&text).unwrap();
        for row in &mut profile.kernels {
            let open = row.name.replace("(anonymous namespace)::", "");
            let bare = known::bare(&open);
            row.name = bare.rsplit("::").next().unwrap_or(bare).to_owned();
        }
        let whole = of(name);
        let found = breakdown(&profile).unwrap();
        assert_eq!(found.forwards.len(), forwards, "{name}");
        assert!(found.forwards.iter().all(|f| f.layers == layers), "{name}");
        assert!(found.explained() >= 0.95, "{name}: {}", found.explained());
        let share = |found: &Breakdown, component: Component| {
            let rows = found
                .rows
                .iter()
                .filter(|row| row.part.component() == component);
            rows.map(|row| row.ns).sum::<f64>() / found.ns
        };
        for component in Component::ALL {
            let (a, b) = (share(&whole, component), share(&found, component));
            assert!(
                (a - b).abs() < 0.05,
                "{name} {component:?}: {a} with names, {b} without"
            );
        }
    }
}

#[test]
fn sums_have_no_order_and_say_so() {
    let mut profile = read(&real!("v1.json")).unwrap();
    profile.dispatches.clear();
    let found = breakdown(&profile).unwrap();
    assert!(!found.ordered && found.forwards.is_empty());
    let parts: Vec<Part> = found.rows.iter().map(|row| row.part).collect();
    assert!(
        parts.contains(&Part::Product) && parts.contains(&Part::Elementwise),
        "{parts:?}"
    );
    assert!(!parts.contains(&Part::Qkv), "{parts:?}");
    assert!((found.explained() - 1.0).abs() < 1e-9);
}

#[test]
fn training_is_told_apart() {
    let found = of("v1-training");
    let share = |part: Part| {
        found
            .rows
            .iter()
            .find(|row| row.part == part)
            .map_or(0.0, |row| row.ns)
            / found.ns
    };
    // The program's own times, of the run of which this is one step: forward 28 to 32 %,
    // backward 57 to 63, optimizer 7 to 11.
    assert!(
        (0.5..0.7).contains(&share(Part::Backward)),
        "{}",
        share(Part::Backward)
    );
    assert!(
        (0.05..0.15).contains(&share(Part::Optimizer)),
        "{}",
        share(Part::Optimizer)
    );
    assert!(share(Part::Loss) > 0.0 && share(Part::GateUp) > 0.05);
}

#[test]
fn another_program_is_not_explained_by_force() {
    // The kernels of V1 in another order: no block is there.
    let mut profile = read(&real!("v1.json")).unwrap();
    profile.dispatches.sort_by_key(|dispatch| dispatch.kernel);
    for (at, dispatch) in profile.dispatches.iter_mut().enumerate() {
        dispatch.span = Some((at as u64 * 10, at as u64 * 10 + 5));
    }
    let found = breakdown(&profile).unwrap();
    assert!(found.forwards.is_empty() && found.layers().is_none());
    // A program that is none of a framework's is left to the plans.
    for row in &mut profile.kernels {
        row.name = format!("kernel_{}", row.name.len());
    }
    assert!(breakdown(&profile).is_none());
}

#[test]
fn two_programs_are_two_builds() {
    let mut first = read(&real!("v1.json")).unwrap();
    let second = read(&real!("v2.json")).unwrap();
    let end = first
        .dispatches
        .iter()
        .filter_map(|d| Some(d.span?.1))
        .max()
        .unwrap();
    for mut dispatch in second.dispatches {
        let row = &second.kernels[dispatch.kernel];
        let known = first.kernels.iter().position(|k| k.name == row.name);
        dispatch.kernel = known.unwrap_or_else(|| {
            first.kernels.push(row.clone());
            first.kernels.len() - 1
        });
        dispatch.span = dispatch.span.map(|(from, to)| (from + end, to + end));
        first.dispatches.push(dispatch);
    }
    let found = breakdown(&first).unwrap();
    let builds: Vec<(usize, usize)> = found
        .builds()
        .into_iter()
        .map(|(_, build, count)| (build.launches, count))
        .collect();
    assert_eq!(builds, [(55, 2), (41, 2)]);
}

proptest::proptest! {
    /// Any order of any kernels: each launch has a part, and sums agree.
    #[test]
    fn nothing_breaks_it(kinds in proptest::collection::vec(0_usize..25, 0..120)) {
        use Does::*;
        let all = [Product, SplitSum, Attention, Softmax, Norm, Reduce, Gather, Silu, Add, Mul, Neg, Cat, Copy, Cast,
            Rope, Trigonometry, Fill, Index, Elementwise, Loss, Backward, Optimizer, RuntimeCopy, RuntimeFill, Unknown];
        let does: Vec<Does> = kinds.iter().map(|at| all[*at]).collect();
        let (parts, forwards) = blocks::blocks(&does, &kinds);
        proptest::prop_assert_eq!(parts.len(), does.len());
        for pair in forwards.windows(2) {
            proptest::prop_assert!(pair[0].launches.end <= pair[1].launches.start);
        }
    }
}
