//! A folder that a case fills, and the binary run in it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::Case;

/// Most time of a processor that a command may take, debug build included; for a
/// release build `PATIENCE=3` is enough. A command that waits instead of computing is
/// given [`WAITING`].
fn patience() -> Duration {
    let told = std::env::var("PATIENCE").ok().and_then(|s| s.parse().ok());
    Duration::from_secs(told.unwrap_or(20))
}

/// Longest that a command may take by the clock on the wall, which on a busy machine
/// says more of the neighbours.
const WAITING: Duration = Duration::from_secs(240);

/// Most memory that a command may have in use, in KiB. `run` holds a small model.
const MEMORY: u64 = 400 * 1024;

/// Largest part of a file that is compared.
const COMPARED: u64 = 1 << 16;

static NEXT: AtomicUsize = AtomicUsize::new(0);

pub struct Shop {
    root: PathBuf,
}

/// What stands under a name, told apart without following it.
#[derive(Debug, PartialEq, Eq)]
enum Thing {
    File(u64, Vec<u8>),
    Folder,
    Link(PathBuf),
    Pipe,
    Device,
}

impl Shop {
    pub fn new() -> Self {
        let base = std::env::var_os("SHOPS").map_or_else(std::env::temp_dir, PathBuf::from);
        // A folder's name says nothing, so that no sentence is found in it by chance.
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let root = base.join(format!("shop-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(root.join("w")).unwrap();
        Shop { root }
    }

    /// A path in the folder that the program is started in.
    pub fn at(&self, path: &str) -> PathBuf {
        let path = self.root.join("w").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }

    /// A path in the state folder.
    pub fn state(&self, path: &str) -> PathBuf {
        self.at(&format!("../data/tinyllama-tutor/{path}"))
    }

    pub fn file(&self, path: &str, text: impl AsRef<[u8]>) {
        fs::write(self.at(path), text).unwrap();
    }

    /// A file of so many bytes that takes no room.
    pub fn sparse(&self, path: &str, bytes: u64) {
        fs::File::create(self.at(path))
            .unwrap()
            .set_len(bytes)
            .unwrap();
    }

    pub fn pipe(&self, path: &str) {
        let made = Command::new("mkfifo").arg(self.at(path)).status().unwrap();
        assert!(made.success());
    }

    /// A socket: a thing that is neither file nor folder and that anybody can make.
    /// The superuser gets a device without end, as in `/dev/zero`.
    pub fn device(&self, path: &str) {
        let path = self.at(path);
        let made = Command::new("mknod")
            .arg(&path)
            .args(["c", "1", "5"])
            .stderr(Stdio::null())
            .status();
        if !made.is_ok_and(|made| made.success()) {
            std::os::unix::net::UnixListener::bind(path).unwrap();
        }
    }

    pub fn link(&self, path: &str, to: &str) {
        symlink(to, self.at(path)).unwrap();
    }

    /// A lesson with a front matter.
    pub fn lesson(&self, id: &str, body: &str) {
        self.file(
            &format!("lessons/{id}.md"),
            format!("+++\ntitle = \"T\"\nversion = \"v1\"\nminutes = 1\n+++\n\n{body}\n"),
        );
    }

    /// An exercise with these keys.
    pub fn exercise(&self, id: &str, keys: &str) {
        self.file(
            &format!("exercises/{id}.md"),
            format!("+++\ntitle = \"T\"\nminutes = 1\n\n{keys}\n+++\n\nText.\n"),
        );
    }

    fn things(&self) -> BTreeMap<PathBuf, Thing> {
        let mut all = BTreeMap::new();
        let mut open = vec![self.root.clone()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                let (path, kind) = (entry.path(), entry.file_type().unwrap());
                let thing = if kind.is_dir() {
                    open.push(path.clone());
                    Thing::Folder
                } else if kind.is_symlink() {
                    Thing::Link(fs::read_link(&path).unwrap())
                } else if kind.is_fifo() {
                    Thing::Pipe
                } else if kind.is_file() {
                    let mut head = Vec::new();
                    let file = fs::File::open(&path).unwrap();
                    let length = file.metadata().unwrap().len();
                    file.take(COMPARED).read_to_end(&mut head).unwrap();
                    Thing::File(length, head)
                } else {
                    Thing::Device
                };
                all.insert(path, thing);
            }
        }
        all
    }

    /// Runs the case: time and memory that it took, or what is wrong.
    pub fn run(&self, case: &Case) -> Result<String, String> {
        let before = self.things();
        let started = Instant::now();
        let mut child = Command::new(program())
            .args(case.args)
            .current_dir(self.root.join("w"))
            .env_clear()
            .env("HOME", self.root.join("home"))
            .env("XDG_DATA_HOME", self.root.join("data"))
            .env("XDG_CACHE_HOME", self.root.join("cache"))
            .env("LANG", "C.UTF-8")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let (out, err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        let (out, err) = (gather(out), gather(err));
        let (mut most, mut computed) = (0, Duration::ZERO);
        let code = loop {
            most = most.max(resident(child.id()));
            if let Some(status) = child.try_wait().unwrap() {
                break status.code();
            }
            computed = computed.max(computed_by(child.id()));
            if computed > patience() || started.elapsed() > WAITING || most > 4 * MEMORY {
                child.kill().unwrap();
                child.wait().unwrap();
                return Err(format!(
                    "killed after {:.1} s, {:.1} s of them computed, with {} MiB",
                    started.elapsed().as_secs_f64(),
                    computed.as_secs_f64(),
                    most >> 10
                ));
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let took = format!("{:.2} s {} MiB", computed.as_secs_f64(), most >> 10);
        let said = out.join().unwrap() + &err.join().unwrap();
        let short: String = said
            .chars()
            .rev()
            .take(600)
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .collect();
        let short = format!("code {code:?} {took}: {}", short.escape_debug());
        if said.contains("panicked") || code.is_none() {
            return Err(format!("a panic or a signal: {short}"));
        }
        if !code.is_some_and(|code| case.codes.contains(&code)) {
            return Err(format!("not {:?}: {short}", case.codes));
        }
        if most > MEMORY {
            return Err(format!("{} MiB of memory: {short}", most >> 10));
        }
        if let Some(bad) = said
            .chars()
            .find(|c| c.is_control() && !matches!(c, '\n' | '\t'))
        {
            return Err(format!(
                "U+{:04X} reaches the terminal: {short}",
                u32::from(bad)
            ));
        }
        if let Some(word) = case.says.iter().find(|word| !said.contains(**word)) {
            return Err(format!("does not say “{word}”: {short}"));
        }
        let after = self.things();
        for (path, thing) in &before {
            // What the learner keeps in good order is there to be written.
            let state =
                path.starts_with(self.root.join("data")) && matches!(thing, Thing::File(..));
            match after.get(path) {
                Some(now) if now == thing => {}
                now if state && matches!(now, None | Some(Thing::File(..))) => {}
                now => {
                    return Err(format!(
                        "{} was {:.40?} and is {:.40?}: {short}",
                        path.display(),
                        thing,
                        now
                    ));
                }
            }
        }
        Ok(format!("code {code:?} {took}"))
    }
}

impl Drop for Shop {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn program() -> PathBuf {
    let built = option_env!("CARGO_BIN_EXE_tinyllama-tutor").unwrap_or("tinyllama-tutor");
    std::env::var_os("TUTOR").map_or_else(|| Path::new(built).to_owned(), PathBuf::from)
}

fn gather(mut from: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = from.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// What a process and its threads computed so far, in ticks of 10 ms (Linux, proc(5):
/// the 14th and 15th field of stat); nothing where no kernel tells.
fn computed_by(id: u32) -> Duration {
    let told = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    let fields = told.rsplit(')').next().unwrap_or_default().split(' ');
    let ticks: u64 = fields
        .skip(12)
        .take(2)
        .filter_map(|field| field.parse::<u64>().ok())
        .sum();
    Duration::from_millis(10 * ticks)
}

/// The most memory that the process has had so far, in KiB; 0 where it is not told.
fn resident(id: u32) -> u64 {
    let told = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = told.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().split(' ').next()?.parse().ok())
        .unwrap_or(0)
}
