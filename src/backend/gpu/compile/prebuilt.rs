//! PTX that was compiled when the program was made: for machines that have a
//! driver but no compiler, and for the SIMT machine.
//!
//! One archive, `assets/kernels/prebuilt.ptx.z`, made by
//! `tinyllama-tutor dev prebuild`: magic, length of the index (u64, little
//! endian), index (JSON), then each text deflated by itself. An entry is found
//! by the hash of its unit, so that PTX of another source is never taken.

use std::io::{Read, Write};
use std::sync::LazyLock;

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::hex;
use crate::backend::gpu::source::Unit;

const MAGIC: &[u8] = b"tinyllama-tutor ptx 1\n";

/// What is embedded in this program.
static EMBEDDED: &[u8] = include_bytes!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/assets/kernels/prebuilt.ptx.z"
));

/// The archive of this build; empty where it cannot be read.
pub static PREBUILT: LazyLock<Archive> =
    LazyLock::new(|| Archive::read(EMBEDDED).unwrap_or_default());

/// One text of the archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveEntry {
    /// [`unit_hash`] of the unit.
    pub unit: String,
    /// [`Unit::title`], for people.
    pub title: String,
    /// `sm_80`, `sm_90a`.
    pub arch: String,
    /// First byte among the texts, and how many.
    at: (usize, usize),
}

/// PTX of several units.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Archive {
    /// The compiler that made it.
    pub compiler: String,
    /// What is in it, in order of title and architecture.
    pub entries: Vec<ArchiveEntry>,
    texts: Vec<u8>,
}

#[derive(Serialize, Deserialize)]
struct Index {
    compiler: String,
    entries: Vec<ArchiveEntry>,
}

/// PTX from the archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prebuilt {
    /// The architecture that it was made for: this or a newer one runs it
    /// (`sm_90a`: only that one).
    pub arch: String,
    /// The text.
    pub ptx: String,
}

impl Archive {
    /// An empty archive of this compiler.
    pub fn new(compiler: String) -> Self {
        Self {
            compiler,
            ..Self::default()
        }
    }

    /// Adds the text of a unit for an architecture.
    ///
    /// # Errors
    /// No memory for the packed text.
    pub fn add(&mut self, unit: &Unit, arch: &str, ptx: &str) -> std::io::Result<()> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(ptx.as_bytes())?;
        let packed = encoder.finish()?;
        self.entries.push(ArchiveEntry {
            unit: unit_hash(unit),
            title: unit.title(),
            arch: arch.to_owned(),
            at: (self.texts.len(), packed.len()),
        });
        self.texts.extend(packed);
        Ok(())
    }

    /// The text of a unit for the first of `archs` that is there. `None` too
    /// where the unit's source has changed since.
    pub fn find(&self, unit: &Unit, archs: &[&str]) -> Option<Prebuilt> {
        let hash = unit_hash(unit);
        archs.iter().find_map(|arch| {
            let entry = self
                .entries
                .iter()
                .find(|entry| entry.unit == hash && entry.arch == *arch)?;
            self.text(entry)
        })
    }

    /// The text of one entry; `None` where it is damaged.
    pub fn text(&self, entry: &ArchiveEntry) -> Option<Prebuilt> {
        let (start, length) = entry.at;
        let packed = self.texts.get(start..start.checked_add(length)?)?;
        let mut ptx = String::new();
        ZlibDecoder::new(packed).read_to_string(&mut ptx).ok()?;
        Some(Prebuilt {
            arch: entry.arch.clone(),
            ptx,
        })
    }

    /// The archive as a file's bytes.
    ///
    /// # Errors
    /// An index that cannot be written as JSON.
    pub fn write(&self) -> serde_json::Result<Vec<u8>> {
        let index = serde_json::to_vec(&Index {
            compiler: self.compiler.clone(),
            entries: self.entries.clone(),
        })?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend((index.len() as u64).to_le_bytes());
        bytes.extend(index);
        bytes.extend(&self.texts);
        Ok(bytes)
    }

    /// The archive in a file's bytes; `None` where it is none of this format.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.strip_prefix(MAGIC)?;
        let (length, bytes) = bytes.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (index, texts) = bytes.split_at_checked(length)?;
        let index: Index = serde_json::from_slice(index).ok()?;
        Some(Self {
            compiler: index.compiler,
            entries: index.entries,
            texts: texts.to_vec(),
        })
    }
}

/// SHA-256 of a unit: its entry, its definitions and the text of its files.
pub fn unit_hash(unit: &Unit) -> String {
    let mut hash = Sha256::new();
    let source = unit.source().unwrap_or_default();
    for part in [unit.title().as_str(), source.as_str()] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hex(&hash.finalize())
}
