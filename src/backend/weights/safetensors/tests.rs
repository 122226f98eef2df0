use std::io::Write;

use proptest::prelude::*;

use super::*;

/// A file of this header and data.
fn file(json: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = (json.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(json.as_bytes());
    bytes.extend_from_slice(data);
    bytes
}

/// Two tensors: `a` = [[1, -2]] in F32, `b` = [0.5] in BF16 (0x3F00).
fn good() -> Vec<u8> {
    let mut data = Vec::new();
    data.extend_from_slice(&1f32.to_le_bytes());
    data.extend_from_slice(&(-2f32).to_le_bytes());
    data.extend_from_slice(&[0x00, 0x3F]);
    file(
        r#"{"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},"b":{"dtype":"BF16","shape":[1],"data_offsets":[8,10]}}"#,
        &data,
    )
}

fn saved(bytes: &[u8]) -> tempfile::NamedTempFile {
    let mut f = tempfile::NamedTempFile::new().unwrap();
    f.write_all(bytes).unwrap();
    f.flush().unwrap();
    f
}

#[test]
fn values_come_back_as_written() {
    let f = saved(&good());
    let open = SafeTensors::open(f.path()).unwrap();
    assert_eq!(open.names().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(open.tensor("a", &[1, 2]).unwrap().as_ref(), [1.0, -2.0]);
    assert_eq!(open.tensor("b", &[1]).unwrap().as_ref(), [0.5]);
}

#[test]
fn every_stored_type_is_decoded() {
    // 1.5 = 1.1b: F16 0x3E00 (exponent bias 15), BF16 0x3FC0, F32 0x3FC00000.
    assert_eq!(Stored::F16.decode(&[0x00, 0x3E]).as_ref(), [1.5]);
    assert_eq!(Stored::Bf16.decode(&[0xC0, 0x3F]).as_ref(), [1.5]);
    assert_eq!(Stored::F32.decode(&[0, 0, 0xC0, 0x3F]).as_ref(), [1.5]);
    // One byte off alignment takes the copying path.
    let shifted = [9, 0, 0, 0xC0, 0x3F, 0, 0, 0, 0];
    assert_eq!(Stored::F32.decode(&shifted[1..]).as_ref(), [1.5, 0.0]);
}

#[test]
fn what_is_asked_for_and_not_there_is_named() {
    let f = saved(&good());
    let open = SafeTensors::open(f.path()).unwrap();
    let e = open.tensor("c", &[1]).unwrap_err().to_string();
    assert!(e.ends_with("tensor c: it is not in this file"), "{e}");
    let e = open.tensor("a", &[2, 1]).unwrap_err().to_string();
    assert!(
        e.ends_with("tensor a: its shape is 1×2, and config.json asks for 2×1"),
        "{e}"
    );
}

#[test]
fn damaged_files_say_what_and_which_tensor() {
    let entry = |dtype: &str, shape: &str, offsets: &str| {
        format!(r#"{{"t":{{"dtype":"{dtype}","shape":{shape},"data_offsets":{offsets}}}}}"#)
    };
    let eight = [0u8; 8];
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (vec![], "too few for a safetensors file"),
        (vec![1, 2, 3], "3 bytes are too few"),
        (
            u64::MAX.to_le_bytes().to_vec(),
            "more than the format allows",
        ),
        (100u64.to_le_bytes().to_vec(), "it was cut short"),
        (file("[]", &[]), "the header cannot be read"),
        (file("{} {}", &[]), "the header cannot be read"),
        (file(r#"{"t":7}"#, &[]), "tensor t: invalid type"),
        (
            file(r#"{"t":{"dtype":"F32"}}"#, &[]),
            "tensor t: missing field",
        ),
        (
            file(&entry("F32", "[-2]", "[0,8]"), &eight),
            "tensor t: invalid value",
        ),
        (
            file(&entry("F32", "[2]", "[8,0]"), &eight),
            "tensor t: its range of bytes 8..0 runs backwards",
        ),
        (
            file(&entry("F32", "[2]", "[0,8]"), &eight[..5]),
            "tensor t: its bytes 0..8 lie beyond the 5 bytes",
        ),
        (
            file(&entry("F32", "[3]", "[0,8]"), &eight),
            "tensor t: 3 of F32 does not fill its 8 bytes",
        ),
        (
            file(
                &entry("F32", "[4294967296,4294967296,4294967296]", "[0,8]"),
                &eight,
            ),
            "does not fill its 8 bytes",
        ),
        (
            file(
                r#"{"t":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},"s":{"dtype":"U8","shape":[2],"data_offsets":[7,9]}}"#,
                &[0; 9],
            ),
            "tensors t and s share bytes from 7 on",
        ),
        (
            file(
                r#"{"t":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"t":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}"#,
                &[],
            ),
            "tensor t is there twice",
        ),
    ];
    for (bytes, says) in cases {
        let f = saved(&bytes);
        let e = SafeTensors::open(f.path()).unwrap_err().to_string();
        assert!(e.contains(says), "{e} should say: {says}");
        assert!(e.contains(&f.path().display().to_string()), "{e}");
    }
}

#[test]
fn types_that_cannot_be_read_are_refused_only_when_asked_for() {
    let f = saved(&file(
        r#"{"n":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},"x":{"dtype":"F4","shape":[3],"data_offsets":[8,10]}}"#,
        &[0; 10],
    ));
    let open = SafeTensors::open(f.path()).unwrap();
    for (name, shape) in [("n", 1), ("x", 3)] {
        let e = open.tensor(name, &[shape]).unwrap_err().to_string();
        assert!(e.contains("F32, F16 and BF16 can be read"), "{e}");
    }
}

#[test]
fn a_missing_file_is_a_sentence() {
    let e = SafeTensors::open(Path::new("no/such.safetensors"))
        .unwrap_err()
        .to_string();
    assert!(
        e.contains("cannot read the weights no/such.safetensors"),
        "{e}"
    );
}

proptest! {
    /// Bytes changed anywhere: an error or a header whose every range can be
    /// decoded; never a panic.
    #[test]
    fn corrupted_files_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        keep in any::<prop::sample::Index>(),
        cut in any::<bool>(),
    ) {
        let mut bytes = good();
        for (at, value) in &changes {
            let n = bytes.len();
            bytes[at.index(n)] = *value;
        }
        if cut {
            let n = bytes.len();
            bytes.truncate(keep.index(n));
        }
        if let Ok(header) = parse(&bytes) {
            for entry in header.entries.values() {
                let range = &bytes[header.data + entry.begin..header.data + entry.end];
                if let Some(stored) = Stored::parse(&entry.dtype) {
                    let n: u64 = entry.shape.iter().product();
                    prop_assert_eq!(stored.decode(range).len() as u64, n);
                }
            }
        }
    }

    /// Any bytes at all, behind a length that fits.
    #[test]
    fn any_header_never_panics(json in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut bytes = (json.len() as u64).to_le_bytes().to_vec();
        bytes.extend(json);
        let _ = parse(&bytes);
    }
}
