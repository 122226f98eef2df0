use super::*;
use plan::run::listing::listings;

fn writing() -> Vec<Listing> {
    listings()
        .iter()
        .map(|name| Listing::named(&format!("exercises/{name}")).unwrap())
        .filter(|listing| listing.gaps().count() > 0)
        .collect()
}

/// The bounds that the exercises state, in bytes; the last two by hand, from the formula in
/// the head of their kernels.
fn bounds(source: &str) -> Bounds {
    let (issued, sectors) = match source {
        "exercises/silu_mul.cu" => (1.02 * 6_291_456.0, Some(1.05 * 6_291_456.0)),
        "exercises/residual_norm.cu" => (1.30 * 4_195_328.0, None),
        "exercises/tiled_product.cu" => (1.05 * 9_437_184.0, None),
        "exercises/online_softmax.cu" => (1.53 * 8_388_608.0, None),
        "exercises/flash_loop.cu" => (1.05 * 786_432.0, None),
        "exercises/fused_qkv.cu" => (1.05 * 3_670_016.0, None),
        "exercises/fused_gate_up.cu" => (1.05 * 6_815_744.0, None),
        other => panic!("no bound for {other}"),
    };
    Bounds {
        issued: Some(issued),
        sectors,
        ..Bounds::default()
    }
}

fn tried(source: &str, candidate: Candidate) -> SubmissionOutcome {
    judge(&Submission {
        source: source.to_owned(),
        candidate,
        bounds: bounds(source),
        on: None,
    })
}

#[test]
fn worked_kernels_are_accepted_and_every_known_mistake_is_refused_by_its_criterion() {
    let mut surprises = Vec::new();
    for listing in writing() {
        let outcome = tried(&listing.path, Candidate::Chosen(Vec::new()));
        if !matches!(outcome, SubmissionOutcome::Accepted { .. }) {
            surprises.push(format!("{}: {outcome:?}", listing.path));
        }
        for mistake in listing.mistakes() {
            match tried(&listing.path, Candidate::Chosen(vec![mistake.number])) {
                SubmissionOutcome::Refused(refusal) => {
                    assert_eq!(refusal.known, std::slice::from_ref(&mistake.say));
                    if refusal.criterion as u8 + 1 != mistake.criterion {
                        let sentence = refusal.sentence();
                        surprises.push(format!("{} {}: {sentence}", listing.path, mistake.name));
                    }
                }
                other => surprises.push(format!("{} {}: {other:?}", listing.path, mistake.name)),
            }
        }
    }
    assert!(surprises.is_empty(), "{}", surprises.join("\n\n"));
}

/// Nothing can be compiled here, and that is said.
fn compiler() -> bool {
    let listing = &writing()[0];
    let candidate = Candidate::Written {
        text: listing.worked(),
        file: "k.cu".to_owned(),
    };
    match tried(&listing.path, candidate) {
        SubmissionOutcome::NoCompiler(say) => {
            eprintln!("skipped: {say}");
            false
        }
        _ => true,
    }
}

#[test]
fn a_text_is_judged_like_the_kernel_that_it_is_and_its_mistake_is_recognised() {
    if !compiler() {
        return;
    }
    let mut surprises = Vec::new();
    for listing in writing() {
        let written = |text: String| {
            tried(
                &listing.path,
                Candidate::Written {
                    text,
                    file: "answers/k.cu".to_owned(),
                },
            )
        };
        let worked = written(listing.worked());
        assert!(
            matches!(worked, SubmissionOutcome::Accepted { .. }),
            "{}: {worked:?}",
            listing.path
        );
        let skeleton = written(listing.skeleton());
        assert!(
            matches!(&skeleton, SubmissionOutcome::Refused(_)),
            "{}: {skeleton:?}",
            listing.path
        );
        for mistake in listing.mistakes() {
            let outcome = written(listing.mistaken(mistake.number));
            let known = match &outcome {
                SubmissionOutcome::Refused(refusal) => refusal.known.contains(&mistake.say),
                _ => false,
            };
            if !known {
                surprises.push(format!("{} {}: {outcome:?}", listing.path, mistake.name));
            }
        }
    }
    assert!(surprises.is_empty(), "{}", surprises.join("\n\n"));
}

#[test]
fn a_mark_of_the_encoding_is_no_fault_and_a_helper_says_where_it_runs() {
    if !compiler() {
        return;
    }
    let listing = Listing::named("exercises/silu_mul.cu").unwrap();
    let tried = |text: String| {
        let file = "answers/ex19.cu".to_owned();
        tried(&listing.path, Candidate::Written { text, file })
    };
    let marked = tried(format!("\u{feff}{}", listing.worked()));
    assert!(
        matches!(marked, SubmissionOutcome::Accepted { .. }),
        "{marked:?}"
    );
    let helper = |head: &str| {
        let text = listing
            .worked()
            .replace("m[i] = value;", "m[i] = same(value);");
        let text = format!("{head} float same(float x) {{ return x; }}\n{text}");
        tried(text)
    };
    let own = helper("DEVICE");
    assert!(matches!(own, SubmissionOutcome::Accepted { .. }), "{own:?}");
    match helper("") {
        SubmissionOutcome::Refused(refusal) => {
            let said = refusal.sentence();
            assert!(said.contains("has DEVICE before it"), "{said}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_cannot_be_compiled_or_never_ends_is_said_with_its_place() {
    if !compiler() {
        return;
    }
    let listing = Listing::named("exercises/silu_mul.cu").unwrap();
    let said = |line: &str| {
        let text = listing.worked().replace("    m[i] = value;", line);
        let file = "answers/ex19.cu".to_owned();
        match tried(&listing.path, Candidate::Written { text, file }) {
            SubmissionOutcome::Refused(refusal) => refusal.sentence(),
            other => format!("{other:?}"),
        }
    };
    for (line, says) in [
        ("    m[i] = valu;", "C1: answers/ex19.cu:"),
        (
            "    m[i] = value; printf(\"x\");",
            "C1: a kernel cannot print",
        ),
        ("    while (true) m[i] = value;", "C2: at n = 5"),
        (
            "    for (int k = 0; k < 4; k += n < 0) {\n        m[i] = value + k;\n    }",
            "the loop in line",
        ),
        ("    __trap();", "C4: at n = 5"),
        (
            "    m[i] = value; }\n#include </etc/passwd>\n{",
            "includes nothing",
        ),
        (
            "    m[i] = value + 0 * (threadIdx.x % 32);",
            "C8: answers/ex19.cu:",
        ),
        ("    atomicAdd(m + i, value);", "C4"),
    ] {
        let sentence = said(line);
        assert!(sentence.contains(says), "{line}: {sentence}");
    }
}

/// What is said of the worked kernel of a source with one place of it changed.
fn broken(source: &str, from: &str, to: &str) -> Refusal {
    let listing = Listing::named(&format!("exercises/{source}.cu")).unwrap();
    let worked = listing.worked();
    assert!(worked.contains(from), "{source}: {from}");
    let text = worked.replace(from, to);
    let file = "answers/k.cu".to_owned();
    match tried(&listing.path, Candidate::Written { text, file }) {
        SubmissionOutcome::Refused(refusal) => refusal,
        other => panic!("{source}, {to}: {other:?}"),
    }
}

/// Kernels that go wrong nearly as a known mistake does, and are another.
#[test]
fn no_mistake_is_named_that_the_text_does_not_have() {
    if !compiler() {
        return;
    }
    let cases = [
        // eps twice outside of the root; eps nowhere.
        (
            "residual_norm",
            "rsqrtf(sum / float(width) + eps)",
            "rsqrtf(sum / float(width)) + 2.0f * eps",
        ),
        (
            "residual_norm",
            "rsqrtf(sum / float(width) + eps)",
            "rsqrtf(sum / float(width))",
        ),
        // The barrier is there; places that no warp writes are read.
        (
            "residual_norm",
            "lane_id() < blockDim.x / WARP ? part[lane_id()] : 0.0f",
            "part[lane_id()]",
        ),
        (
            "residual_norm",
            "if (lane_id() == 0) part",
            "if (lane_id() == 0 && warp_id() > 0) part",
        ),
        (
            "residual_norm",
            "if (lane_id() == 0) part",
            "if (lane_id() == 0 && warp_id() == 0) part",
        ),
        // Blocks overlap by half.
        (
            "silu_mul",
            "blockIdx.x * long(blockDim.x)",
            "blockIdx.x * long(blockDim.x / 2)",
        ),
        // At n = 5 this does what a missing tail of packs does.
        ("silu_mul", "if (i >= n) return;", "if (i >= n - 1) return;"),
        // The maximum stays minus infinity.
        ("online_softmax", "        m = next;\n", ""),
    ];
    for (source, from, to) in cases {
        let refusal = broken(source, from, to);
        assert_eq!(
            refusal.known,
            Vec::<String>::new(),
            "{}",
            refusal.sentence()
        );
    }
}

/// What no value shows and what only special inputs show is refused too.
#[test]
fn a_barrier_in_a_branch_a_low_start_and_a_part_of_a_mistake_are_told() {
    if !compiler() {
        return;
    }
    let returned = broken(
        "silu_mul",
        "    float gate = g[i];",
        "    __shared__ float gates[256];\n    gates[threadIdx.x] = g[i];\n    __syncthreads();\n    \
         float gate = gates[threadIdx.x];",
    );
    assert_eq!(returned.criterion, Criterion::Access);
    assert!(
        returned.seen.contains("thread 5 has ended without it"),
        "{}",
        returned.seen
    );
    for (source, from) in [
        ("online_softmax", "float m = MINUS_INFINITY;"),
        ("flash_loop", "float m = MINUS_INFINITY, l"),
    ] {
        let low = broken(source, from, &from.replace("MINUS_INFINITY", "0.0f"));
        assert_eq!(low.criterion, Criterion::Shapes, "{}", low.seen);
        assert!(low.seen.contains("is NaN"), "{}", low.seen);
        assert_eq!(low.known, Vec::<String>::new());
    }
    // The lines of a mistake stand there, and a line before them rescales after all.
    let step = "sum[col] = sum[col] * keep + weight * values[j][col];";
    let each = "for (int col = 0; col < MOST; col++)";
    let update = format!("l = l * keep + weight;\n            {each}\n                {step}");
    let partly = format!(
        "if (keep < 0.5f)\n                {each} sum[col] *= keep;\n            \
         l = l * keep + weight;\n            {each}\n                \
         sum[col] += weight * values[j][col];"
    );
    let partly = broken("flash_loop", &update, &partly);
    assert_eq!(partly.known.len(), 1, "{}", partly.seen);
    assert!(
        partly.known.iter().all(|say| say.starts_with("Often")),
        "{:?}",
        partly.known
    );
}

/// A known mistake in other words does the same in every case: it is named, as what it
/// often is.
#[test]
fn a_known_mistake_in_other_words_is_named_with_doubt() {
    if !compiler() {
        return;
    }
    let refusal = broken(
        "silu_mul",
        "float value = gate / (1.0f + expf(-gate)) * u[i];",
        "float power = expf(gate);\n    float value = u[i] * gate / (power + 1.0f);",
    );
    let [known] = refusal.known.as_slice() else {
        panic!("{}", refusal.sentence())
    };
    assert!(known.starts_with("Often this is"), "{known}");
    assert!(known.contains("the wrong sign"), "{known}");
}

#[test]
fn every_wrong_value_is_counted_and_looks_wrong() {
    if !compiler() {
        return;
    }
    // 2 rows of 4, 2 and 2 columns.
    let seen = broken("fused_qkv", "at + s < depth ? x", "at + s < depth - 1 ? x").seen;
    let counts = "(16 values are wrong: 8 of q, 4 of k, 4 of v)";
    assert!(seen.contains(counts), "{seen}");
    let seen = broken(
        "residual_norm",
        "rsqrtf(sum / float(width) + eps)",
        "rsqrtf(sum / float(width) + 1.2f * eps)",
    )
    .seen;
    let line = |head: &str, from: usize| -> (usize, Vec<String>) {
        let mut lines = seen.lines().enumerate().skip(from);
        let (at, line) = lines
            .find(|(_, line)| line.trim().starts_with(head))
            .unwrap();
        let values = line.split_once(" = ").unwrap().1;
        (at, values.split(' ').map(str::to_owned).collect())
    };
    let (at, y) = line("y = ", 0);
    let (_, right) = line("right = ", at);
    let unlike = y.iter().zip(&right).filter(|(y, right)| y != right).count();
    assert!(unlike > 1, "{seen}");
    assert!(
        seen.contains(&format!("({unlike} values are wrong)")),
        "{seen}"
    );
}

#[test]
fn what_was_stored_is_never_called_unwritten() {
    if !compiler() {
        return;
    }
    let seen = |to: &str| broken("silu_mul", "m[i] = value;", to).seen;
    let stored = seen("m[i] = i == 1 ? sqrtf(-1.0f - value * value) : value;");
    assert!(stored.contains("m[1] is NaN"), "{stored}");
    let bits = seen("m[i] = i == 1 ? __int_as_float(-1) : value;");
    assert!(bits.contains("m[1] is NaN"), "{bits}");
    let missing = seen("if (i != 1) m[i] = value;");
    assert!(missing.contains("m[1] was never written"), "{missing}");
}

#[test]
fn a_criterion_is_that_of_the_case_and_races_say_what_orders_them() {
    if !compiler() {
        return;
    }
    let endless = broken(
        "silu_mul",
        "m[i] = value;",
        "for (int k = 0; n > 5 && k < 4; k += n < 0) m[i] = value + k;\n    m[i] = value;",
    );
    assert_eq!(endless.criterion, Criterion::Shapes, "{}", endless.seen);
    assert!(
        endless.seen.contains("the loop in line"),
        "{}",
        endless.seen
    );
    let shared = |index: &str, order: &str| {
        let text = format!(
            "__shared__ float near[256];\n    near[threadIdx.x] = value;\n    {order}\n    \
             m[i] = near[threadIdx.x] + 0.0f * near[{index}];"
        );
        broken("silu_mul", "m[i] = value;", &text).seen
    };
    // Five threads of one warp; a neighbour of the same warp.
    let within = shared("(threadIdx.x + 1) % 5", "");
    assert!(within.contains("or __syncwarp()"), "{within}");
    // Where warp 1 has threads too, they read what warp 0 stores.
    let across = shared(
        "n > 64 ? threadIdx.x % 32 : threadIdx.x",
        "__syncwarp(__activemask());",
    );
    assert!(across.contains("put __syncthreads() between"), "{across}");
    assert!(!across.contains("__syncwarp()"), "{across}");
    let counted = broken(
        "silu_mul",
        "m[i] = value;",
        "__shared__ unsigned seen;\n    seen = 0;\n    atomicAdd(&seen, 1u);\n    m[i] = value + seen;",
    );
    assert!(
        counted.seen.contains("an atomic operation"),
        "{}",
        counted.seen
    );
}
