//! NumPy's `.npy` format, version 1.0, for float32 arrays: what `--logits`
//! writes, and what tests read. By hand: the crates for it (`npyz`, `ndarray-npy`) bring
//! a parser of Python literals and big integers for one dictionary of three keys.
//!
//! Source: NumPy, `numpy.lib.format`: magic `\x93NUMPY`, two version bytes, a
//! little-endian length, a Python dictionary padded with spaces and ended by a
//! newline so that the data begins at a multiple of 64, then the elements.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use files::{Staged, plain, read_bounded};

/// Largest file that is read.
const LARGEST: usize = 1 << 30;

const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// The data begins at a multiple of this.
const ALIGN: usize = 64;

/// Magic, version and length: what stands before the dictionary.
const PREFIX: usize = MAGIC.len() + 2 + 2;

/// A float32 array, row-major.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    /// Lengths of the dimensions, slowest first.
    pub shape: Vec<usize>,
    /// The elements; as many as the shape's product.
    pub values: Vec<f32>,
}

/// An array that cannot be read or written, and the file.
#[derive(Debug)]
pub struct NpyError {
    path: PathBuf,
    fault: Fault,
}

/// What is wrong with it.
#[derive(Debug)]
enum Fault {
    Write(io::Error),
    Read(io::Error),
    Not(&'static str),
    Version(u8, u8),
    Element(String),
    Fill(usize, Vec<usize>),
}

impl fmt::Display for NpyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.fault {
            Fault::Write(e) => write!(f, "cannot write the array {path}: {}", plain(e)),
            fault => write!(f, "{path}: {fault}"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write(e) => write!(f, "cannot be written: {}", plain(e)),
            Self::Read(e) => write!(f, "cannot be read: {}", plain(e)),
            Self::Not(say) => f.write_str(say),
            Self::Version(major, minor) => write!(f, "version {major}.{minor} is not known"),
            Self::Element(header) => write!(
                f,
                "its header says {header}; only little-endian float32 ('<f4') is read"
            ),
            Self::Fill(bytes, shape) => {
                write!(f, "{bytes} bytes of data do not fill the shape {shape:?}")
            }
        }
    }
}

impl std::error::Error for NpyError {}

impl NpyError {
    fn at(path: &Path, fault: Fault) -> Self {
        Self {
            path: path.to_owned(),
            fault,
        }
    }
}

/// Writes an array of this shape to `out`.
///
/// # Errors
/// What `out` reports; or that `values` are not as many as the shape says.
pub fn write(mut out: impl Write, shape: &[usize], values: &[f32]) -> io::Result<()> {
    if shape.iter().try_fold(1usize, |n, d| n.checked_mul(*d)) != Some(values.len()) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{} values do not fill the shape {shape:?}", values.len()),
        ));
    }
    let mut dims: String = shape.iter().map(|d| format!("{d}, ")).collect();
    if shape.len() > 1 {
        // A tuple of one keeps its comma, longer ones drop the last.
        dims.truncate(dims.len() - 2);
    }
    let mut header = format!(
        "{{'descr': '<f4', 'fortran_order': False, 'shape': ({}), }}",
        dims.trim_end()
    );
    let unpadded = PREFIX + header.len() + 1;
    header.extend(std::iter::repeat_n(
        ' ',
        unpadded.next_multiple_of(ALIGN) - unpadded,
    ));
    header.push('\n');
    let length = u16::try_from(header.len())
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "too many dimensions"))?;
    out.write_all(MAGIC)?;
    out.write_all(&[1, 0])?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(header.as_bytes())?;
    for chunk in values.chunks(16 * 1024) {
        let bytes: Vec<u8> = chunk.iter().flat_map(|v| v.to_le_bytes()).collect();
        out.write_all(&bytes)?;
    }
    out.flush()
}

/// Writes an array to a file, whole or not at all, by the rule of [`files`].
///
/// # Errors
/// One sentence that names the file.
pub fn save(path: &Path, shape: &[usize], values: &[f32]) -> Result<(), NpyError> {
    let written = Staged::begin(path).and_then(|mut file| {
        write(&mut file, shape, values)?;
        file.commit()
    });
    written.map_err(|e| NpyError::at(path, Fault::Write(e)))
}

/// Reads an array from a file.
///
/// # Errors
/// One sentence that names the file and what is wrong with it.
pub fn load(path: &Path) -> Result<Array, NpyError> {
    let read = read_bounded(path, LARGEST).map_err(Fault::Read);
    read.and_then(|bytes| parse(&bytes))
        .map_err(|fault| NpyError::at(path, fault))
}

fn parse(bytes: &[u8]) -> Result<Array, Fault> {
    let body = bytes.strip_prefix(MAGIC).ok_or(Fault::Not(
        "not an .npy file (its first bytes are not \\x93NUMPY)",
    ))?;
    let (version, body) = body
        .split_first_chunk::<2>()
        .ok_or(Fault::Not("cut short"))?;
    let (length, body) = match version {
        [1, _] => body
            .split_first_chunk::<2>()
            .map(|(n, rest)| (usize::from(u16::from_le_bytes(*n)), rest)),
        [2 | 3, _] => body
            .split_first_chunk::<4>()
            .map(|(n, rest)| (u32::from_le_bytes(*n) as usize, rest)),
        [major, minor] => return Err(Fault::Version(*major, *minor)),
    }
    .ok_or(Fault::Not("cut short"))?;
    let (Some(header), Some(data)) = (body.get(..length), body.get(length..)) else {
        return Err(Fault::Not("its header is cut short"));
    };
    let header = std::str::from_utf8(header).map_err(|_| Fault::Not("its header is not text"))?;
    let descr = field(header, "descr").unwrap_or_default();
    if !descr.starts_with("'<f4'") {
        return Err(Fault::Element(header.trim_end().to_owned()));
    }
    if !field(header, "fortran_order").is_some_and(|v| v.starts_with("False")) {
        return Err(Fault::Not(
            "its columns come first (fortran_order); save it row by row",
        ));
    }
    let shape = field(header, "shape")
        .and_then(|v| v.strip_prefix('(')?.split_once(')'))
        .and_then(|(dims, _)| {
            dims.split(',')
                .map(str::trim)
                .filter(|d| !d.is_empty())
                .map(|d| d.parse().ok())
                .collect::<Option<Vec<usize>>>()
        })
        .ok_or(Fault::Not("its header has no readable shape"))?;
    let count = shape.iter().try_fold(4usize, |n, d| n.checked_mul(*d));
    if count != Some(data.len()) {
        return Err(Fault::Fill(data.len(), shape));
    }
    let values = data
        .as_chunks::<4>()
        .0
        .iter()
        .map(|w| f32::from_le_bytes(*w))
        .collect();
    Ok(Array { shape, values })
}

/// The text that follows `'key':` in the header's dictionary.
fn field<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    header
        .split_once(&format!("'{key}':"))
        .map(|(_, rest)| rest.trim_start())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_header_is_numpys() {
        let mut out = Vec::new();
        write(&mut out, &[2, 3], &[0.0; 6]).unwrap();
        // What numpy.save writes for zeros((2, 3), float32): 128 bytes of
        // header (10 + 118), 118 = 0x76.
        assert_eq!(&out[..10], b"\x93NUMPY\x01\x00\x76\x00");
        let header = std::str::from_utf8(&out[10..128]).unwrap();
        assert!(
            header.starts_with("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }  ")
        );
        assert!(header.ends_with(" \n"));
        assert_eq!(out.len(), 128 + 24);
    }

    #[test]
    fn shapes_of_any_rank_are_python_tuples() {
        for (shape, says) in [
            (vec![], "'shape': (), }"),
            (vec![3], "'shape': (3,), }"),
            (vec![3, 1, 1], "'shape': (3, 1, 1), }"),
        ] {
            let n = shape.iter().product();
            let mut out = Vec::new();
            write(&mut out, &shape, &vec![1.0; n]).unwrap();
            assert!(String::from_utf8_lossy(&out).contains(says));
            assert_eq!(parse(&out).unwrap().shape, shape);
        }
    }

    #[test]
    fn wrong_files_are_named() {
        for (bytes, says) in [
            (&b"PK\x03\x04"[..], "not an .npy file"),
            (b"\x93NUMPY", "cut short"),
            (b"\x93NUMPY\x09\x00", "version 9.0"),
            (b"\x93NUMPY\x01\x00\xff\x00{}", "header is cut short"),
            (
                b"\x93NUMPY\x01\x00\x10\x00{'descr': '<i8'}",
                "only little-endian float32",
            ),
        ] {
            let e = parse(bytes).unwrap_err().to_string();
            assert!(e.contains(says), "{e} should say {says}");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("no").join("out.npy");
        let e = save(&path, &[1], &[1.0]).unwrap_err().to_string();
        assert!(e.starts_with("cannot write the array"), "{e}");
        assert!(write(Vec::new(), &[2], &[1.0]).is_err());
    }

    #[test]
    fn a_saved_file_is_read_back_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("logits.npy");
        save(&path, &[1, 2], &[1.0, f32::MIN_POSITIVE]).unwrap();
        let back = load(&path).unwrap();
        assert_eq!(back.values, [1.0, f32::MIN_POSITIVE]);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            shape in prop::collection::vec(0usize..5, 0..4),
            bits in prop::collection::vec(any::<u32>(), 64),
        ) {
            let n: usize = shape.iter().product();
            let values: Vec<f32> = bits.iter().take(n).map(|b| f32::from_bits(*b)).collect();
            let mut out = Vec::new();
            write(&mut out, &shape, &values).unwrap();
            prop_assert_eq!((out.len() - 4 * n) % ALIGN, 0);
            let back = parse(&out).unwrap();
            prop_assert_eq!(back.shape, shape);
            let same = back.values.iter().zip(&values).all(|(a, b)| a.to_bits() == b.to_bits());
            prop_assert!(same);
        }

        #[test]
        fn any_bytes_never_panic(tail in prop::collection::vec(any::<u8>(), 0..120)) {
            let mut bytes = MAGIC.to_vec();
            bytes.extend(tail);
            let _ = parse(&bytes);
        }
    }
}
