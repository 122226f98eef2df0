//! Random and damaged files for everything that reads what machines write: PTX, profiles,
//! weights, tokens, arrays, model files. A corpus grows from what this program writes
//! itself and from the files of the tests.
//!
//! A few seconds in every run, `FUZZ_SECONDS` of them where it is set.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use super::fuzz::{Dice, PATIENCE, computed, seconds};
use tinyllama_tutor::backend::npy;
use tinyllama_tutor::backend::tokens::Tokens;
use tinyllama_tutor::backend::weights::Weights;
use tinyllama_tutor::cost::{Config, GpuDatabase};
use tinyllama_tutor::fusion::Version;
use tinyllama_tutor::model::{Dtype, parse_hf_config, parse_toml};
use tinyllama_tutor::profile::{Tool, read, sample};
use tinyllama_tutor::simt::Program;

/// Bytes that mean something somewhere, or nowhere.
const PIECES: &[&[u8]] = &[
    b"",
    b"\0",
    b"\xff\xfe",
    b"\x1b[2J",
    b",",
    b"\"",
    b"\"\"",
    b"\n",
    b"\r\n",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b"-1",
    b"1e400",
    b"NaN",
    b"18446744073709551616",
    b"0x7fffffffffffffff",
    b"null",
    b"true",
    b"data_offsets",
    b"\"shape\":[18446744073709551615,2]",
    b"[0,0]",
    b"'<f4'",
    b"(9223372036854775807, 2)",
    b".reg .b32 %r<4294967295>;",
    b"%r4294967295",
    b"bra $L__BB0_1;",
    b".entry k(",
    b"@%p1",
    b"ld.global.v4.f32",
    b"st.shared.u8 [%rd1+-9223372036854775808], %r1;",
    b".align 0",
    b"mma.sync",
    b"bar.sync 99;",
    b"// .",
    b"/*",
];

/// A seed with some of its bytes replaced, left out, doubled, or another's put in.
fn damaged(dice: &mut Dice, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = match dice.below(12) {
        0 => Vec::new(),
        _ => seeds[dice.below(seeds.len())].clone(),
    };
    for _ in 0..=dice.below(8) {
        let at = dice.below(bytes.len() + 1);
        let end = (at + dice.below(64)).min(bytes.len());
        match dice.below(7) {
            0 => drop(bytes.drain(at..end)),
            1 => bytes.truncate(at),
            2 => {
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
            3 if at < bytes.len() => bytes[at] = dice.below(256) as u8,
            4 => {
                let other = &seeds[dice.below(seeds.len())];
                let from = dice.below(other.len() + 1);
                let to = (from + dice.below(200)).min(other.len());
                bytes.splice(at..end, other[from..to].to_vec());
            }
            _ => {
                let piece = PIECES[dice.below(PIECES.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
        }
    }
    bytes
}

fn files(folder: &str, ends: &str) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(root).unwrap().flatten();
    let found = entries.filter(|e| e.file_name().to_string_lossy().ends_with(ends));
    found.map(|e| std::fs::read(e.path()).unwrap()).collect()
}

/// What every tool would have written.
fn profiles() -> Vec<Vec<u8>> {
    let gpus = GpuDatabase::embedded().unwrap();
    let config = Config::preset("workshop", Version::V2.cut()).unwrap();
    let text = |tool: Tool| {
        let gpu = gpus.get("h200").unwrap();
        let made = sample::generate(&config, gpu, 1, 1).unwrap();
        sample::write(&made, tool, gpu).into_bytes()
    };
    Tool::ALL.into_iter().map(text).collect()
}

/// Feeds damaged seeds to `reader` for its time; how many there were.
fn feed(name: &str, seed: u64, seeds: &[Vec<u8>], mut reader: impl FnMut(&[u8])) {
    assert!(!seeds.is_empty());
    let mut dice = Dice(seed | 1);
    let until = Instant::now() + Duration::from_secs(seconds(2));
    let mut inputs = 0;
    while Instant::now() < until {
        let bytes = damaged(&mut dice, seeds);
        let before = computed();
        let ended = catch_unwind(AssertUnwindSafe(|| reader(&bytes)));
        let shown = || {
            String::from_utf8_lossy(&bytes)
                .chars()
                .take(4000)
                .collect::<String>()
        };
        assert!(ended.is_ok(), "{name}: {:?}", shown());
        let took = computed() - before;
        assert!(took < PATIENCE, "{name} took {took:?}: {:?}", shown());
        inputs += 1;
    }
    println!("{name}: {inputs} inputs");
    assert!(inputs > 0);
}

#[test]
fn damaged_ptx_is_read_or_refused() {
    feed("PTX", 1, &files("tests/simt", ".ptx"), |bytes| {
        let _ = Program::parse(&String::from_utf8_lossy(bytes));
    });
}

#[test]
fn damaged_profiles_are_read_or_refused() {
    feed("profiles", 2, &profiles(), |bytes| {
        if let Err(e) = read(bytes) {
            assert!(!e.to_string().is_empty());
        }
    });
}

#[test]
fn damaged_weights_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let config = "tests/data/llama-tiny/config.json";
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join(config);
    std::fs::copy(config, folder.path().join("config.json")).unwrap();
    // The header is what is read; of the numbers a few are enough.
    let whole = files("tests/data/llama-tiny", ".safetensors");
    feed("safetensors", 3, &whole, |bytes| {
        std::fs::write(folder.path().join("model.safetensors"), bytes).unwrap();
        let _ = Weights::open(folder.path(), Dtype::Fp32);
    });
}

#[test]
fn damaged_arrays_tokens_and_models_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    let mut seeds = files("tests/data/llama-tiny", ".npy");
    seeds.extend(files("tests/data/llama-tiny", ".json"));
    seeds.extend(files("tests/data/models", ""));
    feed("npy, tokens, model files", 4, &seeds, |bytes| {
        std::fs::write(&path, bytes).unwrap();
        if let Ok(array) = npy::load(&path) {
            assert_eq!(array.shape.iter().product::<usize>(), array.values.len());
        }
        let text = String::from_utf8_lossy(bytes);
        let _ = Tokens::parse(&text, 1000);
        for model in [parse_toml("x", &text), parse_hf_config("x", &text)]
            .into_iter()
            .flatten()
        {
            assert!(model.check().is_ok());
        }
    });
}
