use std::collections::{BTreeSet, HashSet};

use super::*;
use include_dir::{Dir, include_dir};
use plan::model::{Graph, Node, Place, TensorKind};

static FOLDER: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../kernels/torch");

fn named(name: &str) -> &'static Eager {
    functions().iter().find(|f| f.name == name).unwrap()
}

#[test]
fn every_row_of_the_table_has_its_file_and_every_launch_its_function() {
    let files: BTreeSet<String> = KERNELS.iter().map(|row| file(row.family)).collect();
    let there: BTreeSet<String> = FOLDER
        .files()
        .map(|f| format!("torch/{}", f.path().display()))
        .collect();
    assert_eq!(files, there);
    let mut names = HashSet::new();
    let mut launches = HashSet::new();
    for function in functions() {
        assert!(
            names.insert(function.name),
            "{} stands twice",
            function.name
        );
        for stands in &function.stands {
            assert!(launches.insert(&stands.ops), "{:?}", stands.ops);
            let family = Family::of_ops(&stands.ops).unwrap();
            assert_eq!(file(family), function.file, "{:?}", stands.ops);
        }
    }
    let table = KERNELS.iter().flat_map(|row| row.ops);
    let missing: Vec<_> = table.filter(|ops| of_ops(ops).is_none()).collect();
    assert_eq!(missing, Vec::<&&[OpKind]>::new());
}

/// The first place of a forward where these ops follow one another, behind a past.
fn place(graph: &Graph, ops: &[OpKind]) -> Vec<Node> {
    let found = graph.nodes.windows(ops.len()).find(|nodes| {
        let kinds = nodes.iter().map(|node| node.op);
        kinds.eq(ops.iter().copied())
    });
    found.unwrap().to_vec()
}

#[test]
fn functions_take_and_give_what_the_graph_says() {
    let graph = Graph::of_layers(2, true);
    for stands in functions().iter().flat_map(|f| &f.stands) {
        let nodes = place(&graph, &stands.ops);
        let made: Vec<_> = nodes.iter().map(|n| n.writes).collect();
        let reads = nodes.iter().flat_map(|n| &n.reads);
        let reads: Vec<_> = reads.filter(|t| !made.contains(t)).collect();
        let whole = |kind| {
            let past = match kind {
                TensorKind::PastK => TensorKind::Kr,
                TensorKind::PastV => TensorKind::V,
                _ => return false,
            };
            // Attention alone reads the whole context.
            reads.iter().any(|t| graph.tensor_at(**t).kind == past)
        };
        let tensors = reads.iter().map(|t| graph.tensor_at(**t));
        let tensors = tensors.filter(|t| !whole(t.kind));
        let weights = nodes.iter().filter_map(|n| Some(n.weight?.kind.name()));
        let expected: BTreeSet<String> = tensors
            .map(|t| t.name().replace(' ', "_"))
            .chain(weights.map(str::to_owned))
            .collect();
        let inputs: BTreeSet<String> = stands.inputs.iter().cloned().collect();
        assert_eq!(inputs, expected, "{:?}", stands.ops);
        assert_eq!(inputs.len(), stands.inputs.len(), "{:?}", stands.ops);

        // What others read must come out; the residual stream and the cache may as well.
        let others = || graph.nodes.iter().filter(|n| !made.contains(&n.writes));
        for node in &nodes {
            let tensor = graph.tensor_at(node.writes);
            let is_read = others().any(|n| n.reads.contains(&node.writes));
            let needed = is_read || tensor.kind.place() == Place::Output;
            let may = [TensorKind::X, TensorKind::Kr, TensorKind::V].contains(&tensor.kind);
            let given = stands.outputs.iter().any(|name| name == tensor.name());
            assert!(given || !needed, "{:?}: {}", stands.ops, tensor.name());
            assert!(
                needed || !given || may,
                "{:?}: {}",
                stands.ops,
                tensor.name()
            );
        }
    }
}

#[test]
fn a_line_that_computes_is_one_operation_and_a_view_is_none() {
    let ops = |name| named(name).ops();
    // Square, mean, epsilon, root, times the row, times gamma.
    assert_eq!(ops("rmsnorm"), 6);
    assert_eq!(ops("qkv"), 3);
    // Per tensor: minus, join, two products, their sum.
    assert_eq!(ops("turn"), 5);
    assert_eq!(ops("rope"), ops("angles") + 2 * 5);
    assert_eq!(ops("flash"), ops("qk") + ops("softmax") + ops("pv"));
    // Two products with a residual each, keys and values joined to those before.
    let parts = ["norm_qkv_rope", "flash", "norm_gate_up_silu_mul"];
    let parts: usize = parts.into_iter().map(ops).sum();
    assert_eq!(ops("block"), parts + 2 * ops("gemm_residual") + 2);
    assert_eq!(of_ops(&BLOCK_OPS).unwrap().name, "block");
}

#[test]
fn a_whole_file_holds_all_that_it_calls_once_and_imports_torch_only() {
    assert_eq!(with_called("torch/mul.py"), ["torch/mul.py"]);
    let text = whole("torch/block.py");
    for function in functions().iter().filter(|f| f.name != "residual_norm") {
        let head = format!("\ndef {}(", function.name);
        let is_called = ["block", "flash", "qk", "turn", "rmsnorm", "silu_mul"];
        let times = text.matches(&head).count();
        assert!(times <= 1, "{}", function.name);
        assert!(times == 1 || !is_called.contains(&function.name), "{head}");
    }
    let imports: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).collect();
    assert_eq!(imports.len(), 2, "{imports:?}");
    assert!(imports.contains(&"import torch"));
    // What is called stands in front of who calls it.
    assert!(text.find("def turn(") < text.find("def qkv_rope("));
    assert!(text.find("def qkv_rope(") < text.find("def block("));
}
