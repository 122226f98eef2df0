//! Where a self-test has passed: kept in the state folder, by device, driver and build, and
//! told to the engine, whose `auto` then takes that backend.

use std::path::{Path, PathBuf};

use backend::engine::{build, this_machine_passed};
use backend::selftest::SelfTest;
use course::Places;
use files::{plain, read_text, replace};
use plan::run::{BackendKind, Proof};
use serde::{Deserialize, Serialize};

/// Largest file that is read.
const LARGEST: usize = 1 << 20;

/// Where Linux tells the version of AMD's driver.
const DRIVER: &str = "/sys/module/amdgpu/version";

/// The file.
#[derive(Debug, Default, Serialize, Deserialize)]
struct File {
    schema: u32,
    proofs: Vec<Proof>,
}

/// What passed.
pub struct Proved {
    path: PathBuf,
    driver: String,
}

impl Proved {
    /// Of a state folder.
    pub fn of(places: &Places) -> Self {
        Self::at(places.state.join("proved.json"), driver(Path::new(DRIVER)))
    }

    fn at(path: PathBuf, driver: String) -> Self {
        Self { path, driver }
    }

    /// Tells the engine of this process.
    pub fn tell(&self) {
        this_machine_passed(self.here());
    }

    /// What passed with this driver and this build.
    fn here(&self) -> Vec<Proof> {
        let mut proofs = self.read().proofs;
        proofs.retain(|proof| proof.build == build() && proof.driver == self.driver);
        proofs
    }

    /// An empty file where it is not there or not to be read.
    fn read(&self) -> File {
        let text = read_text(&self.path, LARGEST).unwrap_or_default();
        let file: Option<File> = serde_json::from_str(&text).ok();
        file.filter(|file| file.schema == 1).unwrap_or(File {
            schema: 1,
            proofs: Vec::new(),
        })
    }

    /// Keeps what a self-test said: a device that passed, or passes no longer. Whether
    /// `auto` takes the backend there from now on; `None` where it needs no proof.
    ///
    /// # Errors
    /// A sentence: a file that cannot be written.
    pub fn keep(&self, test: &SelfTest, time: &str) -> Result<Option<bool>, String> {
        let kind = BackendKind::parse(&test.backend).ok();
        let Some(kind) = kind.filter(|kind| kind.needs_proof()) else {
            return Ok(None);
        };
        let mut file = self.read();
        let before = file.proofs.len();
        file.proofs
            .retain(|proof| !proof.is_of(kind, &test.device) || proof.driver != self.driver);
        if test.pass {
            file.proofs.push(Proof {
                backend: kind,
                device: test.device.clone(),
                driver: self.driver.clone(),
                build: build().to_owned(),
                time: time.to_owned(),
            });
        } else if file.proofs.len() == before {
            return Ok(Some(false));
        }
        let text = serde_json::to_string_pretty(&file).map_err(|e| e.to_string())?;
        let refused =
            |e: &std::io::Error| format!("{} cannot be written: {}", self.path.display(), plain(e));
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder).map_err(|e| refused(&e))?;
        }
        replace(&self.path, text.as_bytes()).map_err(|e| refused(&e))?;
        Ok(Some(test.pass))
    }
}

/// The driver's version; empty where there is none to be read.
fn driver(file: &Path) -> String {
    let text = read_text(file, 256).unwrap_or_default();
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(backend: &str, device: &str, pass: bool) -> SelfTest {
        SelfTest {
            schema: 1,
            backend: backend.into(),
            device: device.into(),
            seed: 1,
            kernels: Vec::new(),
            plans: Vec::new(),
            planted: Vec::new(),
            protocols: Vec::new(),
            pass,
        }
    }

    #[test]
    fn a_device_counts_until_it_fails_and_for_its_driver_and_build_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state/proved.json");
        let kept = |driver: &str| Proved::at(path.clone(), driver.to_owned());
        let devices = |of: &Proved| -> Vec<String> {
            of.here().into_iter().map(|proof| proof.device).collect()
        };
        let first = kept("6.10");
        assert_eq!(first.keep(&test("hip", "one", false), "t"), Ok(Some(false)));
        assert!(!path.exists());
        assert_eq!(first.keep(&test("hip", "one", true), "t"), Ok(Some(true)));
        assert_eq!(first.keep(&test("hip", "two", true), "t"), Ok(Some(true)));
        // CUDA is taken without; nothing is kept of it.
        assert_eq!(first.keep(&test("cuda", "x", true), "t"), Ok(None));
        assert_eq!(devices(&first), ["one", "two"]);
        assert_eq!(devices(&kept("6.12")), [""; 0]);
        first.keep(&test("hip", "one", false), "t").unwrap();
        assert_eq!(devices(&first), ["two"]);
        // Another build's is as none.
        let mut file = first.read();
        file.proofs[0].build = "another".into();
        std::fs::write(&path, serde_json::to_string(&file).unwrap()).unwrap();
        assert_eq!(devices(&first), [""; 0]);
        // A damaged file is as none, too.
        std::fs::write(&path, "{").unwrap();
        assert_eq!(devices(&first), [""; 0]);
        assert_eq!(driver(Path::new("/nowhere")), "");
    }
}
