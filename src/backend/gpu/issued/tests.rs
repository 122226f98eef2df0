//! Text in, text out: what is counted beside which access. That the result
//! assembles and counts right is tested where there is a device or a machine.

use super::*;

/// A kernel of one parameter around some instructions.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.8\n.target sm_90a\n.address_size 64\n\n.visible .entry k(\n\t.param .u64 k_param_0\n)\n.maxntid 256, 1, 1\n{{\n\t.reg .pred \t%p<3>;\n\t.loc 1 5 3\n{body}\n\tret;\n}}\n"
    )
}

/// What is put in front of the first instruction of `body`.
fn before(body: &str) -> String {
    let text = instrument(&kernel(body), "k").unwrap();
    let from = text.find("\t.loc 1 5 3\n").unwrap() + "\t.loc 1 5 3\n".len();
    let inside = text.get(from..).unwrap();
    let end = inside.find(body.trim()).unwrap();
    inside.get(..end).unwrap().to_owned()
}

#[test]
fn each_kind_of_access_is_counted_by_its_own_width() {
    let read = |bytes: u64| format!(" add.u64 %issued_read, %issued_read, {bytes};");
    let written = |bytes: u64| format!(" add.u64 %issued_written, %issued_written, {bytes};");
    for (body, counted) in [
        (
            "ld.global.nc.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];",
            read(16),
        ),
        ("ld.global.u16 %rs1, [%rd1+2];", read(2)),
        (
            "ld.global.L1::no_allocate.v2.f64 {%fd1, %fd2}, [%rd1];",
            read(16),
        ),
        ("ld.volatile.global.b32 %r1, [%rd1];", read(4)),
        ("ld.acquire.gpu.global.u32 %r1, [%rd1];", read(4)),
        (
            "st.global.v4.b32 [%rd1], {%r1, %r2, %r3, %r4};",
            written(16),
        ),
        ("st.global.b16 [%rd1], %rs1;", written(2)),
        ("red.global.add.noftz.bf16x2 [%rd1], %r1;", written(4)),
        ("red.release.gpu.global.add.u32 [%rd1], 1;", written(4)),
        ("cp.async.cg.shared.global [%r1], [%rd1], 16;", read(16)),
        (
            "cp.async.cg.shared.global.L2::128B [%r1], [%rd1], 16, 8;",
            read(8),
        ),
        (
            "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 4096;",
            written(4096),
        ),
        (
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 2048, [%r2];",
            read(2048),
        ),
    ] {
        assert_eq!(before(body).trim(), counted.trim(), "{body}");
    }
    let both = before("atom.global.add.u64 %rd2, [%rd1], 1;");
    assert!(
        both.contains(&read(8)) && both.contains(&written(8)),
        "{both}"
    );
}

#[test]
fn what_is_not_global_memory_is_not_counted() {
    for body in [
        "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r5];",
        "ld.shared::cta.f32 %f1, [%r5];",
        "ld.local.u32 %r1, [%rd1];",
        "ld.param.u64 %rd1, [k_param_0];",
        "ld.const.u32 %r1, [table];",
        "st.local.u32 [%rd1], %r1;",
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];",
        "prefetch.global.L2 [%rd1];",
        "cp.async.commit_group;",
        "cp.async.wait_group 2;",
        "cp.async.bulk.wait_group.read 0;",
        "cp.async.bulk.prefetch.L2.global [%rd1], 256;",
        "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r1];",
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 4096;",
        "bar.sync 0;",
    ] {
        assert_eq!(before(body), "", "{body}");
    }
}

#[test]
fn guards_and_addresses_decide_at_run_time() {
    assert_eq!(
        before("@!%p1 ld.global.f32 %f1, [%rd1];").trim(),
        "@!%p1 add.u64 %issued_read, %issued_read, 4;"
    );
    let generic = before("@%p2 st.b32 [%rd7+-8], %r1;");
    for part in [
        "isspacep.global %issued_is, %rd7;",
        "selp.b64 %issued_more, 4, 0, %issued_is;",
        "@%p2 add.u64 %issued_written, %issued_written, %issued_more;",
    ] {
        assert!(generic.contains(part), "{generic}");
    }
    let source = before("cp.async.ca.shared.global [%r1], [%rd1], 16, %r9;");
    assert!(
        source.contains("cvt.u64.u32 %issued_more, %r9;"),
        "{source}"
    );
    let ignored = before("cp.async.ca.shared.global [%r1], [%rd1], 16, %p1;");
    assert!(
        ignored.contains("selp.b64 %issued_more, 0, 16, %p1;"),
        "{ignored}"
    );
}

#[test]
fn copies_by_tensor_map_are_counted_where_they_are_announced() {
    let body = "\
\tmbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 24576;
\tcp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1, {%r3, %r4}], [%r1];
\tcp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 2048, [%r2];";
    let text = instrument(&kernel(body), "k").unwrap();
    assert_eq!(text.matches("add.u64 %issued_read").count(), 1);
    assert!(text.contains("add.u64 %issued_read, %issued_read, 24576;"));
    let store = "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%r3, %r4}], [%r1];";
    let e = instrument(&kernel(store), "k").unwrap_err().to_string();
    assert!(e.contains("cp.async.bulk.tensor.2d.global"), "{e}");
}

#[test]
fn every_thread_hands_in_its_sums_wherever_it_ends() {
    let text = instrument(&kernel("@%p1 ret;\n$L__BB0_2:\n\texit;"), "k").unwrap();
    for (end, guard) in [("@%p1 ret;", "@%p1"), ("exit;", ""), ("ret;\n}", "")] {
        let at = text.find(end).unwrap();
        let handed = format!(
            "{guard} red.global.add.u64 [%issued_at], %issued_read;\n\t{guard} red.global.add.u64 [%issued_at+8], %issued_written;\n\t"
        );
        assert!(text.get(..at).unwrap().ends_with(&handed), "{end}: {text}");
    }
}

#[test]
fn the_kernel_takes_one_parameter_more_and_the_rest_is_as_it_was() {
    let plain = kernel("\tld.global.f32 %f1, [%rd1];");
    let text = instrument(&plain, "k").unwrap();
    assert!(text.contains(".param .u64 k_param_0\n,\n\t.param .u64 k_param_issued\n)"));
    // Without the lines that were added, it is the text that came in.
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rest = squeezed(&text);
    for added in [
        ", .param .u64 k_param_issued",
        &squeezed(REGISTERS),
        "ld.param.u64 %issued_at, [k_param_issued];",
        "mov.u64 %issued_read, 0;",
        "mov.u64 %issued_written, 0;",
        "add.u64 %issued_read, %issued_read, 4;",
        "red.global.add.u64 [%issued_at], %issued_read;",
        "red.global.add.u64 [%issued_at+8], %issued_written;",
    ] {
        assert_eq!(rest.matches(added).count(), 1, "{added}");
        rest = rest.replacen(added, "", 1);
    }
    assert_eq!(squeezed(&rest), squeezed(&plain));
    let bare = ".visible .entry k()\n{\n\tret;\n}\n";
    let text = instrument(bare, "k").unwrap();
    assert!(
        text.contains(".entry k(\n\t.param .u64 k_param_issued\n)"),
        "{text}"
    );
}

#[test]
fn assembly_by_hand_in_nested_scopes_is_seen() {
    let body = "\
\t// begin inline asm
\t{.reg .pred p; setp.ne.b32 p, %r1, 0; @p ld.global.v2.u32 {%r2, %r3}, [%rd1]; mov.b32 %r4, %r2;} /* ld.global.u32 */
\t// end inline asm";
    let text = instrument(&kernel(body), "k").unwrap();
    assert!(
        text.contains("@p add.u64 %issued_read, %issued_read, 8;\n\t@p ld.global.v2.u32"),
        "{text}"
    );
    assert_eq!(text.matches("add.u64 %issued_read").count(), 1);
}

#[test]
fn text_that_cannot_be_counted_says_why() {
    let plain = kernel("");
    for (text, name, says) in [
        (plain.clone(), "other", "no kernel other"),
        (plain.replace("ret;\n}", "ret;"), "k", "does not end"),
        (
            kernel("\tld.f32 %f1, [table];"),
            "k",
            "how many bytes ld.f32",
        ),
    ] {
        let e = instrument(&text, name).unwrap_err().to_string();
        assert!(e.contains(says), "{e} should say {says}");
    }
}

#[test]
fn a_function_counts_for_itself_and_finds_the_counters_in_the_module() {
    let plain = kernel("\tcall.uni helper, ();");
    let text = instrument(
        &format!("{plain}.func helper()\n{{\n\tst.global.f32 [%rd1], %f1;\n\tret;\n}}\n"),
        "k",
    )
    .unwrap();
    let (kernel, helper) = text.split_once(".func helper").unwrap();
    // The variable stands behind the module's head, in front of everything else.
    assert!(
        kernel.contains(".address_size 64\n.global .align 8 .u64 issued_counters;\n"),
        "{kernel}"
    );
    assert!(kernel.contains("st.global.u64 [issued_counters], %issued_at;"));
    assert!(helper.contains("ld.global.u64 %issued_at, [issued_counters];"));
    assert!(helper.contains("add.u64 %issued_written, %issued_written, 4;\n\tst.global.f32"));
    let handed = "red.global.add.u64 [%issued_at+8], %issued_written;\n\tret;";
    assert!(helper.contains(handed), "{helper}");
    // Spills and shared memory of a helper do not matter.
    let harmless = format!("{plain}.func helper()\n{{\n\tld.local.f32 %f1, [%rd1];\n\tret;\n}}\n");
    assert!(!instrument(&harmless, "k").unwrap().contains(VARIABLE));
}
