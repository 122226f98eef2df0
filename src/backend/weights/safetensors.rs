//! One safetensors file: eight bytes of header length (little-endian), a JSON
//! header, then the tensors' bytes. Every field is checked before it is used,
//! so a damaged or hostile file ends in a sentence.
//!
//! By hand and not by the crate `safetensors`, whose errors do not name the tensor that a
//! file is damaged in, which takes a name that is there twice, and refuses a file for one
//! tensor of a type that it does not know.
//!
//! Source: the format's description in the `safetensors` repository of
//! Hugging Face ("Format").

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use files::{open, plain};
use half::{bf16, f16};
use memmap2::Mmap;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

use super::WeightsError;

/// Longest header that is read, in bytes: the format's own limit.
const MAX_HEADER: u64 = 100_000_000;

/// Bytes of the length field in front of the header.
const LENGTH_FIELD: usize = 8;

/// What the header says about one tensor.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    dtype: String,
    shape: Vec<u64>,
    /// Where its bytes are, counted from the end of the header.
    begin: usize,
    end: usize,
}

/// The header, checked: every range lies inside the data section, has the
/// length that type and shape ask for, and shares no byte with another.
#[derive(Debug, Default, PartialEq, Eq)]
struct Header {
    entries: BTreeMap<String, Entry>,
    /// Where the data section begins in the file.
    data: usize,
}

/// An opened file. Its bytes stay mapped as long as it lives; a tensor costs
/// memory only while its pages are read.
#[derive(Debug)]
pub(crate) struct SafeTensors {
    path: PathBuf,
    map: Mmap,
    header: Header,
}

impl SafeTensors {
    /// Maps a file and checks its header.
    pub(crate) fn open(path: &Path) -> Result<Self, WeightsError> {
        let cannot = |e: std::io::Error| {
            WeightsError::new(format!(
                "cannot read the weights {}: {}",
                path.display(),
                plain(&e)
            ))
        };
        let file = open(path).map_err(cannot)?;
        let length = file.metadata().map_err(cannot)?.len();
        if length < LENGTH_FIELD as u64 {
            return Err(WeightsError::new(format!(
                "{}: {length} bytes are too few for a safetensors file; it is empty or was cut short: fetch it again",
                path.display()
            )));
        }
        // SAFETY: the map is private and only read. If another program writes
        // to the file meanwhile the numbers change with it, as they would with
        // any reader; nothing but numbers is decoded from it after the header.
        let map = unsafe { Mmap::map(&file) }.map_err(cannot)?;
        let header = parse(&map)
            .map_err(|damage| WeightsError::new(format!("{}: {damage}", path.display())))?;
        Ok(Self {
            path: path.to_owned(),
            map,
            header,
        })
    }

    /// Names of the tensors, sorted.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.header.entries.keys().map(String::as_str)
    }

    /// Whether `name` is here with this shape and a type that can be read.
    pub(crate) fn check(&self, name: &str, shape: &[u64]) -> Result<(), WeightsError> {
        self.entry(name, shape).map(|_| ())
    }

    /// The values of `name`, row-major, whatever type they are stored in.
    pub(crate) fn tensor(&self, name: &str, shape: &[u64]) -> Result<Cow<'_, [f32]>, WeightsError> {
        let (entry, stored) = self.entry(name, shape)?;
        let bytes = self
            .map
            .get(self.header.data + entry.begin..self.header.data + entry.end)
            .ok_or_else(|| self.wrong(name, "its bytes are outside the file"))?;
        Ok(stored.decode(bytes))
    }

    fn entry(&self, name: &str, shape: &[u64]) -> Result<(&Entry, Stored), WeightsError> {
        let entry = self
            .header
            .entries
            .get(name)
            .ok_or_else(|| self.wrong(name, "it is not in this file"))?;
        if entry.shape != shape {
            return Err(self.wrong(
                name,
                &format!(
                    "its shape is {}, and config.json asks for {}",
                    Dims(&entry.shape),
                    Dims(shape)
                ),
            ));
        }
        let stored = Stored::parse(&entry.dtype).ok_or_else(|| {
            self.wrong(
                name,
                &format!("its type is {}; F32, F16 and BF16 can be read", entry.dtype),
            )
        })?;
        Ok((entry, stored))
    }

    fn wrong(&self, name: &str, what: &str) -> WeightsError {
        WeightsError::new(format!("{}: tensor {name}: {what}", self.path.display()))
    }
}

/// The element types that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stored {
    F32,
    F16,
    Bf16,
}

impl Stored {
    fn parse(name: &str) -> Option<Self> {
        match name {
            "F32" => Some(Self::F32),
            "F16" => Some(Self::F16),
            "BF16" => Some(Self::Bf16),
            _ => None,
        }
    }

    fn decode(self, bytes: &[u8]) -> Cow<'_, [f32]> {
        match self {
            Self::F32 => {
                if cfg!(target_endian = "little")
                    && let Ok(values) = bytemuck::try_cast_slice(bytes)
                {
                    return Cow::Borrowed(values);
                }
                Cow::Owned(words(bytes).map(f32::from_le_bytes).collect())
            }
            Self::F16 => Cow::Owned(
                words(bytes)
                    .map(|w| f16::from_le_bytes(w).to_f32())
                    .collect(),
            ),
            Self::Bf16 => Cow::Owned(
                words(bytes)
                    .map(|w| bf16::from_le_bytes(w).to_f32())
                    .collect(),
            ),
        }
    }
}

fn words<const N: usize>(bytes: &[u8]) -> impl Iterator<Item = [u8; N]> {
    bytes.as_chunks::<N>().0.iter().copied()
}

/// Bytes per element of every type that the format names; `None` for types
/// that came later, whose ranges cannot be checked against their shape.
fn element_bytes(dtype: &str) -> Option<u64> {
    match dtype {
        "BOOL" | "U8" | "I8" | "F8_E5M2" | "F8_E4M3" => Some(1),
        "F16" | "BF16" | "I16" | "U16" => Some(2),
        "F32" | "I32" | "U32" => Some(4),
        "F64" | "I64" | "U64" => Some(8),
        _ => None,
    }
}

/// A shape as people write it: `64×32`.
struct Dims<'a>(&'a [u64]);

impl fmt::Display for Dims<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.0.iter().map(u64::to_string).collect();
        match all.as_slice() {
            [] => f.write_str("a single number"),
            [one] => f.write_str(one),
            many => f.write_str(&many.join("×")),
        }
    }
}

/// What is wrong with a header, and what of the file it says is damaged.
#[derive(Debug)]
enum Damage {
    TooShort,
    /// A header of so many bytes.
    TooLong(u64),
    /// A header of so many bytes, in a file that has so many.
    Cut(usize, usize),
    Unreadable(serde_json::Error),
    /// Of the tensor of this name.
    Tensor(String, Misplaced),
    /// Two tensors, and the first byte that both have.
    Shared(String, String, usize),
}

/// What is wrong with the place of one tensor.
#[derive(Debug)]
enum Misplaced {
    Backwards(u64, u64),
    /// A range that ends behind so many bytes of data.
    Beyond(u64, u64, usize),
    /// Shape and type that are not so many bytes.
    Unfilled(Vec<u64>, String, u64),
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooShort => f.write_str("too short for a safetensors file"),
            Self::TooLong(length) => write!(
                f,
                "the header claims {length} bytes, more than the format allows; this is not a safetensors file"
            ),
            Self::Cut(length, has) => write!(
                f,
                "the header claims {length} bytes and the file has {has} after the length; it was cut short: fetch it again"
            ),
            Self::Unreadable(e) => write!(f, "the header cannot be read: {e}"),
            Self::Tensor(name, place) => write!(f, "tensor {name}: {place}"),
            Self::Shared(first, second, begin) => write!(
                f,
                "tensors {first} and {second} share bytes from {begin} on; the file is damaged"
            ),
        }
    }
}

impl fmt::Display for Misplaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Backwards(begin, end) => write!(
                f,
                "its range of bytes {begin}..{end} runs backwards; the file is damaged"
            ),
            Self::Beyond(begin, end, available) => write!(
                f,
                "its bytes {begin}..{end} lie beyond the {available} bytes of data; the file was cut short: fetch it again"
            ),
            Self::Unfilled(shape, dtype, bytes) => write!(
                f,
                "{} of {dtype} does not fill its {bytes} bytes; the file is damaged",
                Dims(shape)
            ),
        }
    }
}

/// Reads and checks the header of a whole file.
fn parse(file: &[u8]) -> Result<Header, Damage> {
    let (length, rest) = file
        .split_first_chunk::<LENGTH_FIELD>()
        .ok_or(Damage::TooShort)?;
    let length = u64::from_le_bytes(*length);
    if length > MAX_HEADER {
        return Err(Damage::TooLong(length));
    }
    let length = length as usize;
    let (Some(json), Some(data)) = (rest.get(..length), rest.get(length..)) else {
        return Err(Damage::Cut(length, rest.len()));
    };
    let mut reader = serde_json::Deserializer::from_slice(json);
    let raw = reader
        .deserialize_map(Entries)
        .and_then(|raw| reader.end().map(|()| raw))
        .map_err(Damage::Unreadable)?;

    let mut entries = BTreeMap::new();
    for (name, raw) in raw {
        match check_entry(&raw, data.len()) {
            Ok(entry) => entries.insert(name, entry),
            Err(place) => return Err(Damage::Tensor(name, place)),
        };
    }
    check_overlap(&entries)?;
    Ok(Header {
        entries,
        data: LENGTH_FIELD + length,
    })
}

fn check_entry(raw: &RawEntry, available: usize) -> Result<Entry, Misplaced> {
    let [begin, end] = raw.data_offsets;
    if begin > end {
        return Err(Misplaced::Backwards(begin, end));
    }
    if end > available as u64 {
        return Err(Misplaced::Beyond(begin, end, available));
    }
    if let Some(size) = element_bytes(&raw.dtype) {
        let wanted = raw
            .shape
            .iter()
            .try_fold(size, |bytes, n| bytes.checked_mul(*n));
        if wanted != Some(end - begin) {
            let (shape, dtype) = (raw.shape.clone(), raw.dtype.clone());
            return Err(Misplaced::Unfilled(shape, dtype, end - begin));
        }
    }
    // Both are at most `available`, which is a usize.
    Ok(Entry {
        dtype: raw.dtype.clone(),
        shape: raw.shape.clone(),
        begin: begin as usize,
        end: end as usize,
    })
}

fn check_overlap(entries: &BTreeMap<String, Entry>) -> Result<(), Damage> {
    let mut ranges: Vec<(usize, usize, &str)> = entries
        .iter()
        .filter(|(_, e)| e.begin < e.end)
        .map(|(name, e)| (e.begin, e.end, name.as_str()))
        .collect();
    ranges.sort_unstable();
    for pair in ranges.windows(2) {
        if let [(_, end, first), (begin, _, second)] = pair
            && begin < end
        {
            let (first, second) = ((*first).to_owned(), (*second).to_owned());
            return Err(Damage::Shared(first, second, *begin));
        }
    }
    Ok(())
}

#[derive(serde::Deserialize)]
struct RawEntry {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: [u64; 2],
}

/// Reads the header's map: names the tensor in an error, refuses a name that
/// is there twice, and steps over `__metadata__`.
struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = BTreeMap<String, RawEntry>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map from tensor names to type, shape and offsets")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut all = BTreeMap::new();
        while let Some(name) = map.next_key::<String>()? {
            if name == "__metadata__" {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let entry = map
                .next_value::<RawEntry>()
                .map_err(|e| A::Error::custom(format!("tensor {name}: {e}")))?;
            if all.insert(name.clone(), entry).is_some() {
                return Err(A::Error::custom(format!("tensor {name} is there twice")));
            }
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests;
