//! What this machine has of CUDA, and what would help: for the doctor.

use super::super::catalogue::fusions_without_kernels;
use super::super::compile::{Cache, Compiler, PREBUILT};
use super::super::native::{Fact, notes};
use super::api::{Api, version_text};
use super::blaslt;
use super::device::{Device, count};
use super::nvrtc::Nvrtc;
use plan::run::{BackendKind, BackendState};
use plan::units::{Quantity, format};

/// What this machine has of CUDA.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CudaFacts {
    /// The newest CUDA that the driver knows: `13.0`.
    pub driver: Fact<String>,
    /// Its devices.
    pub devices: Vec<Device>,
    /// The compiler, `NVRTC 12.9`, and where it was found.
    pub nvrtc: Fact<(String, String)>,
    /// The library of matrix products, `cuBLASLt 12.9.1`, and where.
    pub cublaslt: Fact<(String, String)>,
    /// Kernels that were compiled ahead, for a machine without NVRTC.
    pub prebuilt: usize,
    /// Where compiled kernels are kept.
    pub cache: Option<String>,
}

/// Asks this machine. Opens libraries, but makes no context on a device.
pub fn facts() -> CudaFacts {
    let api = Api::get();
    // Without a driver the newest is as good as any.
    let newest = api.as_ref().map_or(u32::MAX, |api| api.version() / 1000);
    let devices = match &api {
        Ok(api) => (0..count(api).unwrap_or(0))
            .filter_map(|index| Device::find(api, index).ok())
            .collect(),
        Err(_) => Vec::new(),
    };
    CudaFacts {
        driver: api.map(|api| version_text(api.version())),
        devices,
        nvrtc: Nvrtc::find(newest).map(|nvrtc| (nvrtc.version(), nvrtc.place().to_owned())),
        cublaslt: blaslt::find(newest)
            .map(|found| (format!("cuBLASLt {}", found.version), found.place)),
        prebuilt: PREBUILT.entries.len(),
        cache: Cache::of_user().map(|cache| cache.folder().display().to_string()),
    }
}

impl CudaFacts {
    /// How the backend stands: ready where a device and something that makes
    /// kernels for it are there.
    pub fn state(&self) -> BackendState {
        let none = |why: &str| BackendState {
            notes: notes(self.lines()),
            ..BackendState::none(BackendKind::Cuda, why)
        };
        let driver = match &self.driver {
            Ok(version) => version,
            Err(why) => return none(&why.to_string()),
        };
        let Some(device) = self.devices.first() else {
            return none("the NVIDIA driver is here, but no device that it can use");
        };
        let compiler = match &self.nvrtc {
            Ok((version, _)) => version.as_str(),
            Err(why) if self.prebuilt == 0 => return none(&why.to_string()),
            Err(_) => "kernels compiled ahead",
        };
        let bare = device.name.strip_prefix("NVIDIA ").unwrap_or(&device.name);
        BackendState {
            backend: BackendKind::Cuda,
            ready: true,
            device: bare.strip_prefix("GeForce ").unwrap_or(bare).to_owned(),
            line: format!("{}, CUDA {driver} driver, {compiler}", device.name),
            lacks: fusions_without_kernels(),
            notes: notes(self.lines()),
        }
    }

    /// A word and a sentence each, for a table.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = vec![(
            "driver",
            match &self.driver {
                Ok(version) => format!("CUDA {version}"),
                Err(why) => why.to_string(),
            },
        )];
        for device in &self.devices {
            lines.push((
                "device",
                format!(
                    "{}, {}, {} multiprocessors, {}",
                    device.name,
                    device.target.arch,
                    device.target.sms,
                    format(&Quantity::bytes(device.memory))
                ),
            ));
        }
        let found = |fact: &Fact<(String, String)>| match fact {
            Ok((what, place)) => format!("{what}, {place}"),
            Err(why) => why.to_string(),
        };
        lines.push(("compiler", found(&self.nvrtc)));
        if self.nvrtc.is_err() && self.driver.is_ok() {
            lines.push((
                "",
                match self.prebuilt {
                    0 => "no kernel was compiled ahead in this build".to_owned(),
                    n => format!("{n} kernels that were compiled ahead are used until then"),
                },
            ));
        }
        lines.push(("library", found(&self.cublaslt)));
        if let Some(cache) = &self.cache {
            lines.push(("cache", cache.clone()));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::driver::GpuError;
    use crate::gpu::native::host::Told;
    use crate::gpu::program::Target;
    use plan::cost::Vendor;

    fn h200() -> CudaFacts {
        let target = Target {
            vendor: Vendor::Nvidia,
            arch: "sm_90a".into(),
            warp: 32,
            sms: 132,
            shared_per_block: 232_448,
        };
        let device = Device {
            told: Told::default(),
            name: "NVIDIA H200".into(),
            target,
            memory: 150_121_545_728,
            handle: 0,
        };
        CudaFacts {
            driver: Ok("13.0".into()),
            devices: vec![device],
            nvrtc: Ok(("NVRTC 13.0".into(), "libnvrtc.so.13".into())),
            cublaslt: Err(GpuError::missing("no cuBLASLt is here")),
            prebuilt: 3,
            cache: None,
        }
    }

    #[test]
    fn a_device_with_a_compiler_or_kernels_compiled_ahead_is_ready() {
        let state = h200().state();
        assert!(state.ready);
        assert_eq!(state.device, "H200");
        assert_eq!(state.line, "NVIDIA H200, CUDA 13.0 driver, NVRTC 13.0");
        assert_eq!(state.lacks, Vec::<String>::new());
        let mut facts = h200();
        facts.nvrtc = Err(GpuError::missing("no NVRTC is here"));
        let state = facts.state();
        assert!(state.ready);
        assert!(state.line.ends_with("kernels compiled ahead"));
        let said = "3 kernels that were compiled ahead are used until then";
        assert!(state.notes.iter().any(|note| note == said));
        facts.prebuilt = 0;
        assert_eq!(
            (facts.state().ready, facts.state().line.as_str()),
            (false, "no NVRTC is here")
        );
    }

    #[test]
    fn what_is_missing_first_is_the_reason() {
        let mut facts = h200();
        facts.devices.clear();
        assert!(facts.state().line.contains("no device"));
        facts.driver = Err(GpuError::missing("no NVIDIA driver is here"));
        let state = facts.state();
        assert_eq!(
            (state.ready, state.line.as_str()),
            (false, "no NVIDIA driver is here")
        );
        assert_eq!(state.notes[0], "driver: no NVIDIA driver is here");
    }
}
