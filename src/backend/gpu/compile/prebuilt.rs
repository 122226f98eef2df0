//! PTX that was compiled when the program was made: for machines that have a
//! driver but no compiler, and for the SIMT machine.
//!
//! One archive, `assets/kernels/prebuilt.ptx.zst`, made by
//! `tinyllama-tutor dev prebuild`: magic, length of the index (u64, little
//! endian), index (JSON), then the texts, packed by zstd some at a time: variants of
//! one kernel share most of their text, and one text is had without unpacking all.
//! An entry is found by the hash of its unit, so that PTX of another source is never
//! taken.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Cache, Compiler, Form, compile_all, hex};
use crate::gpu::driver::GpuError;
use crate::gpu::source::CompileUnit;
use crate::gpu::units::compiled_ahead;

/// The PTX version that is written: CUDA 12.0, the oldest driver that is used.
const VERSION: &str = "8.0";

/// How much text is packed at once, in bytes: variants share what they have in
/// common, half of the window that [`LEVEL`] looks back on holds a kernel's, and
/// unpacking a whole pack takes some milliseconds.
const PACK: usize = 4 << 20;

/// How hard zstd tries: 19 is its last level that needs no more memory to unpack.
const LEVEL: i32 = 19;

const MAGIC: &[u8] = b"tinyllama-tutor ptx 2\n";

/// What is embedded in this program.
static EMBEDDED: &[u8] = include_bytes!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../assets/kernels/prebuilt.ptx.zst"
));

/// The archive of this build; empty where it cannot be read.
pub static PREBUILT: LazyLock<Archive> =
    LazyLock::new(|| Archive::read(EMBEDDED).unwrap_or_default());

/// One text of the archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveEntry {
    /// [`unit_hash`] of the unit.
    pub unit: String,
    /// [`CompileUnit::title`], for people.
    pub title: String,
    /// `sm_80`, `sm_90a`.
    pub arch: String,
    /// The pack that it is in, and its first byte and length there.
    at: (usize, usize, usize),
}

/// PTX of several units.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Archive {
    /// The compiler that made it.
    pub compiler: String,
    /// What is in it, in order of title and architecture.
    pub entries: Vec<ArchiveEntry>,
    /// Length of each pack, packed and unpacked.
    packs: Vec<(usize, usize)>,
    /// The packs, one behind the other.
    packed: Vec<u8>,
    /// The texts of the pack that is being filled.
    open: String,
}

#[derive(Serialize, Deserialize)]
struct Index {
    compiler: String,
    entries: Vec<ArchiveEntry>,
    packs: Vec<(usize, usize)>,
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
    pub fn add(&mut self, unit: &CompileUnit, arch: &str, ptx: &str) -> std::io::Result<()> {
        if !self.open.is_empty() && self.open.len() + ptx.len() > PACK {
            self.close()?;
        }
        self.entries.push(ArchiveEntry {
            unit: unit_hash(unit),
            title: unit.title(),
            arch: arch.to_owned(),
            at: (self.packs.len(), self.open.len(), ptx.len()),
        });
        self.open.push_str(ptx);
        Ok(())
    }

    /// Packs what was added last.
    fn close(&mut self) -> std::io::Result<()> {
        let packed = zstd::bulk::compress(self.open.as_bytes(), LEVEL)?;
        self.packs.push((packed.len(), self.open.len()));
        self.packed.extend(packed);
        self.open.clear();
        Ok(())
    }

    /// The text of a unit for the first of `archs` that is there. `None` too
    /// where the unit's source has changed since.
    pub fn find(&self, unit: &CompileUnit, archs: &[&str]) -> Option<Prebuilt> {
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
        let (pack, start, length) = entry.at;
        let before = self.packs.get(..pack)?.iter().map(|(packed, _)| packed);
        let first: usize = before.sum();
        let (packed, unpacked) = *self.packs.get(pack)?;
        let packed = self.packed.get(first..first.checked_add(packed)?)?;
        let end = start.checked_add(length).filter(|end| *end <= unpacked)?;
        let mut texts = Vec::with_capacity(end);
        let upto = zstd::stream::read::Decoder::with_buffer(packed).ok()?;
        upto.take(end as u64).read_to_end(&mut texts).ok()?;
        Some(Prebuilt {
            arch: entry.arch.clone(),
            ptx: str::from_utf8(texts.get(start..end)?).ok()?.to_owned(),
        })
    }

    /// The archive as a file's bytes.
    ///
    /// # Errors
    /// No memory for the packed text.
    pub fn write(&mut self) -> std::io::Result<Vec<u8>> {
        if !self.open.is_empty() {
            self.close()?;
        }
        let index = serde_json::to_vec(&Index {
            compiler: self.compiler.clone(),
            entries: self.entries.clone(),
            packs: self.packs.clone(),
        })?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend((index.len() as u64).to_le_bytes());
        bytes.extend(index);
        bytes.extend(&self.packed);
        Ok(bytes)
    }

    /// The archive in a file's bytes; `None` where it is none of this format.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.strip_prefix(MAGIC)?;
        let (length, bytes) = bytes.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (index, packed) = bytes.split_at_checked(length)?;
        let index: Index = serde_json::from_slice(index).ok()?;
        Some(Self {
            compiler: index.compiler,
            entries: index.entries,
            packs: index.packs,
            packed: packed.to_vec(),
            open: String::new(),
        })
    }
}

/// Compiles what [`compiled_ahead`] lists to PTX. `done` is told how many of how
/// many are ready, and which.
///
/// # Errors
/// The first unit that the compiler refuses.
///
/// [`compiled_ahead`]: crate::gpu::units::compiled_ahead
pub fn prebuild(
    compiler: &dyn Compiler,
    cache: Option<&Cache>,
    done: &mut dyn FnMut(usize, usize, &str),
) -> Result<Archive, GpuError> {
    compiled(compiler, cache, &compiled_ahead(), false, done)
}

/// Compiles units to PTX, each for its architecture; with `inlined`, places keep the
/// lines into which they were inlined.
///
/// # Errors
/// The first unit that the compiler refuses.
pub fn compiled(
    compiler: &dyn Compiler,
    cache: Option<&Cache>,
    all: &[(CompileUnit, &'static str)],
    inlined: bool,
    done: &mut dyn FnMut(usize, usize, &str),
) -> Result<Archive, GpuError> {
    let mut texts: BTreeMap<(&CompileUnit, &str), String> = BTreeMap::new();
    let mut ready = 0;
    for arch in ["sm_80", "sm_90a"] {
        let units: Vec<&CompileUnit> = all
            .iter()
            .filter(|(_, of)| *of == arch)
            .map(|(unit, _)| unit)
            .collect();
        let mut told = |_: usize, _: usize, unit: &CompileUnit| {
            ready += 1;
            done(ready, all.len(), &format!("{arch} {}", unit.title()));
        };
        let built = compile_all(compiler, cache, &units, arch, Form::Assembly, &mut told)?;
        for (unit, built) in units.into_iter().zip(built) {
            let text = String::from_utf8(built.image).map_err(|_| {
                GpuError::failed(format!("the PTX of {} is not text", unit.title()))
            })?;
            texts.insert((unit, arch), plain(&text, unit, inlined));
        }
    }
    let mut archive = Archive::new(compiler.version());
    for ((unit, arch), text) in &texts {
        archive
            .add(unit, arch, text)
            .map_err(|error| GpuError::failed(format!("the archive cannot grow: {error}")))?;
    }
    Ok(archive)
}

/// PTX as it is kept: of the version that every driver of CUDA 12 takes, files
/// by their names under `kernels/` (the compiler writes where it was started),
/// each place in a source file without the names of what was inlined there, no
/// comments; with `inlined`, with the lines into which it was inlined.
fn plain(ptx: &str, unit: &CompileUnit, inlined: bool) -> String {
    let mut text = String::with_capacity(ptx.len());
    let mut names = false;
    for line in ptx.lines().map(str::trim_end) {
        let bare = line.trim_start();
        if bare.starts_with(".section") && bare.contains(".debug_str") {
            names = true;
        }
        if names {
            names = bare != "}";
            continue;
        }
        if bare.is_empty() || bare.starts_with("//") {
            continue;
        }
        if line.starts_with(".version ") {
            text += &format!(".version {VERSION}");
        } else if bare.starts_with(".loc") {
            let mut parts = line.split(',');
            text += parts.next().unwrap_or(line);
            let outer = parts.find(|part| part.contains("inlined_at"));
            if let Some(outer) = outer.filter(|_| inlined) {
                text += &format!(",{outer}");
            }
        } else if let Some((number, path)) = file(bare) {
            let name = unit
                .files
                .iter()
                .filter(|name| path.ends_with(**name))
                .max_by_key(|name| name.len());
            text += &format!("\t.file\t{number} \"{}\"", name.copied().unwrap_or(path));
        } else {
            text += line;
        }
        text.push('\n');
    }
    text
}

/// Number and path of `.file 1 "path"`.
fn file(line: &str) -> Option<(&str, &str)> {
    let (number, path) = line.strip_prefix(".file")?.trim().split_once(' ')?;
    Some((number, path.trim().strip_prefix('"')?.split('"').next()?))
}

/// SHA-256 of a unit: its entry, its definitions and the text of its files.
pub fn unit_hash(unit: &CompileUnit) -> String {
    let mut hash = Sha256::new();
    let source = unit.source().unwrap_or_default();
    for part in [unit.title().as_str(), source.as_str()] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hex(&hash.finalize())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_archive_is_of_the_kernels_as_they_are() {
        let stale: Vec<String> = compiled_ahead()
            .into_iter()
            .filter(|(unit, arch)| PREBUILT.find(unit, &[arch, "sm_80"]).is_none())
            .map(|(unit, arch)| format!("{arch} {}", unit.title()))
            .collect();
        let again = "cargo run -- dev prebuild (with NVRTC: pip install nvidia-cuda-nvrtc-cu12)";
        assert!(
            stale.is_empty(),
            "{} kernels changed since they were compiled ahead, {} first; run {again}",
            stale.len(),
            stale[0]
        );
        let known: BTreeSet<String> = compiled_ahead()
            .into_iter()
            .map(|(unit, _)| unit_hash(&unit))
            .collect();
        for entry in &PREBUILT.entries {
            assert!(
                known.contains(&entry.unit),
                "no plan needs {} any more; run {again}",
                entry.title
            );
        }
    }

    #[test]
    fn every_text_can_be_read_and_has_its_entry() {
        for entry in &PREBUILT.entries {
            let text = PREBUILT.text(entry).unwrap();
            let name = entry.title.split(' ').next().unwrap();
            assert!(
                text.ptx.contains(&format!(".visible .entry {name}(")),
                "{}",
                entry.title
            );
            assert!(text.ptx.contains(&format!(".target {}", entry.arch)));
            for line in text.ptx.lines() {
                if let Some((_, path)) = file(line.trim()) {
                    assert!(!path.starts_with('/'), "{}: {path}", entry.title);
                }
            }
        }
    }

    #[test]
    fn kept_ptx_names_kernels_by_their_files_and_nothing_of_the_machine() {
        let text = "//\n// made\n.version 9.3\n.target sm_80\n\n{\n\t// begin\n\
                    \t.loc\t2 30 5, function_name $L__info_string0, inlined_at 1 8 2\n\tret; \n}\n\
                    \t.file\t1 \"/home/x/silu.cu\"\n\t.file\t2 \"/home/x/prefix/base.cu\"\n\
                    \t.section\t.debug_str\n{\n$L__info_string0:\n.b8 95,0\n\t}\n.end\n";
        assert_eq!(
            plain(text, &CompileUnit::new("silu", &["silu.cu"]), false),
            ".version 8.0\n.target sm_80\n{\n\t.loc\t2 30 5\n\tret;\n}\n\
             \t.file\t1 \"silu.cu\"\n\t.file\t2 \"prefix/base.cu\"\n.end\n"
        );
        let inlined = plain(text, &CompileUnit::new("silu", &["silu.cu"]), true);
        assert!(
            inlined.contains("\t.loc\t2 30 5, inlined_at 1 8 2\n"),
            "{inlined}"
        );
    }
}
