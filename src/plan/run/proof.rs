//! That a backend was found right on a machine, which is why `auto` takes it there.

use serde::{Deserialize, Serialize};

use super::BackendKind;

/// A self-test that passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// The backend.
    pub backend: BackendKind,
    /// The device as its backend describes it, with its compiler's release.
    pub device: String,
    /// The kernel's driver; empty where the system does not tell it.
    #[serde(default)]
    pub driver: String,
    /// The build that was tested.
    pub build: String,
    /// When, in UTC.
    pub time: String,
}

impl Proof {
    /// Whether it is of this device.
    pub fn is_of(&self, backend: BackendKind, device: &str) -> bool {
        self.backend == backend && self.device == device
    }

    /// What is said of a run that was made for it.
    pub fn why(&self) -> String {
        let name = self.backend.name();
        format!(
            "auto took {name}: selftest --backend {name} passed on this device, driver and build, {}",
            self.time
        )
    }
}
