//! Compiled kernels on disk, named by the hash of all that they depend on.
//!
//! An entry appears whole or not at all (written beside and renamed), carries
//! the hash of its contents, and is compiled again when that does not match.
//! Several processes may read and write at once: whoever is last wins, with the
//! same contents. Nothing here fails: without a folder there is no cache.

use std::env;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

use super::Built;

/// The first bytes of an entry; the number is the format's.
const MAGIC: &[u8] = b"tinyllama-tutor kernel 1\n";
const HASH: usize = 32;
const EXTENSION: &str = "kernel";
const UNFINISHED: &str = ".unfinished-";

/// How much is kept: some thousands of kernels.
const LIMIT_BYTES: u64 = 256 << 20;

/// A file being written for longer than this was left by a process that died.
const ABANDONED: Duration = Duration::from_secs(3600);

/// A folder of compiled kernels.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
    limit: u64,
}

impl Cache {
    /// The user's cache: `$TINYLLAMA_TUTOR_CACHE`, else `tinyllama-tutor` in
    /// `$XDG_CACHE_HOME` or `~/.cache`. `None` where there is none of them.
    pub fn of_user() -> Option<Self> {
        let folder = |name: &str| {
            env::var_os(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let base = folder("TINYLLAMA_TUTOR_CACHE")
            .or_else(|| Some(folder("XDG_CACHE_HOME")?.join("tinyllama-tutor")))
            .or_else(|| Some(folder("HOME")?.join(".cache/tinyllama-tutor")))?;
        Some(Self::in_folder(base.join("kernels")))
    }

    /// A cache in this folder, which is made when the first entry is written.
    pub fn in_folder(folder: PathBuf) -> Self {
        Self {
            folder,
            limit: LIMIT_BYTES,
        }
    }

    /// The same with another bound on the bytes that are kept.
    #[must_use]
    pub fn bounded(mut self, limit: u64) -> Self {
        self.limit = limit;
        self
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The entry of this key, where it is there and whole.
    pub fn get(&self, key: &str) -> Option<Built> {
        let path = self.path(key);
        let mut file = files::open(&path).ok()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        let Some(built) = decode(&bytes) else {
            // Damaged: in the way of nobody but us.
            let _ = fs::remove_file(&path);
            return None;
        };
        // What is used stays longest; a file system that refuses loses only that.
        if let Ok(file) = fs::File::options().append(true).open(&path) {
            let _ = file.set_modified(SystemTime::now());
        }
        Some(built)
    }

    /// Keeps an entry; a folder that cannot be written keeps none.
    pub fn put(&self, key: &str, built: &Built) {
        let write = || -> std::io::Result<()> {
            fs::create_dir_all(&self.folder)?;
            let mut file = tempfile::Builder::new()
                .prefix(UNFINISHED)
                .tempfile_in(&self.folder)?;
            file.write_all(&encode(built))?;
            file.persist(self.path(key)).map_err(|e| e.error)?;
            Ok(())
        };
        if write().is_ok() {
            self.tidy();
        }
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.{EXTENSION}"))
    }

    /// Removes what was used longest ago until a quarter of the bound is free,
    /// once the bound is passed; and what dead processes left unfinished.
    fn tidy(&self) {
        let Ok(folder) = fs::read_dir(&self.folder) else {
            return;
        };
        let now = SystemTime::now();
        let mut entries = Vec::new();
        for file in folder.flatten() {
            let Ok(facts) = file.metadata() else { continue };
            let used = facts.modified().unwrap_or(now);
            let path = file.path();
            let name = file.file_name();
            if name.to_string_lossy().starts_with(UNFINISHED) {
                if now.duration_since(used).is_ok_and(|age| age > ABANDONED) {
                    let _ = fs::remove_file(path);
                }
            } else if path.extension().is_some_and(|e| e == EXTENSION) {
                entries.push((used, facts.len(), path));
            }
        }
        let mut total: u64 = entries.iter().map(|(_, bytes, _)| bytes).sum();
        if total <= self.limit {
            return;
        }
        entries.sort();
        for (_, bytes, path) in entries {
            if total <= self.limit / 4 * 3 {
                break;
            }
            if fs::remove_file(path).is_ok() {
                total -= bytes;
            }
        }
    }
}

/// Magic, SHA-256 of the rest, length of the log, log, image.
fn encode(built: &Built) -> Vec<u8> {
    let mut rest = Vec::with_capacity(8 + built.log.len() + built.image.len());
    rest.extend((built.log.len() as u64).to_le_bytes());
    rest.extend(built.log.as_bytes());
    rest.extend(&built.image);
    let mut bytes = MAGIC.to_vec();
    bytes.extend(Sha256::digest(&rest));
    bytes.extend(rest);
    bytes
}

fn decode(bytes: &[u8]) -> Option<Built> {
    let bytes = bytes.strip_prefix(MAGIC)?;
    let (hash, rest) = bytes.split_at_checked(HASH)?;
    if Sha256::digest(rest).as_slice() != hash {
        return None;
    }
    let (length, rest) = rest.split_first_chunk::<8>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (log, image) = rest.split_at_checked(length)?;
    Some(Built {
        log: String::from_utf8(log.to_vec()).ok()?,
        image: image.to_vec(),
    })
}
