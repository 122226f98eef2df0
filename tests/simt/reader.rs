//! PTX that cannot be run, and launches that cannot be.

use super::bench::CHECKED;
use crate::ptx;
use tinyllama_tutor::simt::{LaunchRequest, Machine, Program};

fn error(body: &str) -> String {
    let text = format!(
        ".version 8.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n\
         .reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n.reg .pred %p<2>;\n{body}\nret;\n}}\n"
    );
    Program::parse(&text).expect_err(body).to_string()
}

#[test]
fn what_is_not_supported_is_named_with_its_line() {
    let message = error("mov.u32 %r1, 1;\nmapa.shared::cluster.u32 %r1, %r2, 0;");
    assert!(
        message.starts_with("PTX line 10: `mapa.shared::cluster.u32`"),
        "{message}"
    );
    assert!(message.contains("compute_80"), "{message}");
    for (body, part) in [
        ("bra NOWHERE;", "`NOWHERE` is not defined"),
        ("add.s32 %r1, %r2;", "lacks operand 3"),
        ("mov.u32 %r1, nothing;", "`nothing` is not declared"),
        ("ld.global.f32 %r1, %rd1;", "is not an address"),
        ("mov.u32 %r1, %mystery;", "`%mystery`"),
        (
            "call.uni (%r1), vprintf, (%rd1, %rd2);",
            "`vprintf` leads out of this text",
        ),
        ("mov.u32 %r1, 1 \u{e9};", "is no part of PTX"),
        ("/* never closed", "does not end"),
        ("add.s32 %r1, %r2, %r3", "expected `;`"),
    ] {
        let message = error(body);
        assert!(message.contains(part), "{body}: {message}");
    }
    let newer = Program::parse(".version 12.1\n")
        .expect_err("newer")
        .to_string();
    assert!(newer.contains("newer than the machine"), "{newer}");
}

#[test]
fn cut_or_garbled_text_is_an_error_and_no_panic() {
    let text = ptx!("defects");
    for end in (0..text.len()).step_by(211) {
        let _ = Program::parse(&text[..end]);
    }
    for at in (0..text.len()).step_by(97) {
        let garbled = format!("{}%{}", &text[..at], &text[at + 1..]);
        let _ = Program::parse(&garbled);
    }
}

#[test]
fn launches_that_no_gpu_would_take_are_refused_in_a_sentence() {
    let program = Program::parse(ptx!("vadd")).unwrap();
    let mut machine = Machine::new(CHECKED);
    let params = [0; 28];
    let good = LaunchRequest {
        entry: "vadd",
        grid: [1, 1, 1],
        block: [32, 1, 1],
        shared: 0,
        params: &params,
        cooperative: false,
    };
    let cases = [
        (
            LaunchRequest {
                entry: "vsub",
                ..good
            },
            "it has vadd",
        ),
        (
            LaunchRequest {
                grid: [0, 1, 1],
                ..good
            },
            "none may be 0",
        ),
        (
            LaunchRequest {
                block: [1025, 1, 1],
                ..good
            },
            "at most 1024 threads",
        ),
        (
            LaunchRequest {
                shared: 300_000,
                ..good
            },
            "shared memory",
        ),
        (
            LaunchRequest {
                params: &params[..20],
                ..good
            },
            "28 bytes of parameters, 20 were given",
        ),
    ];
    for (request, part) in cases {
        let message = machine
            .launch(&program, &request)
            .expect_err(part)
            .to_string();
        assert!(message.contains(part), "{message}");
    }
    let message = machine
        .alloc("weights", 2 << 30)
        .expect_err("too much")
        .to_string();
    assert!(message.contains("smaller shape"), "{message}");
}
