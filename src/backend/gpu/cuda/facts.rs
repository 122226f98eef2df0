//! What this machine has of CUDA, and what would help: for the doctor.

use super::super::compile::{Cache, Compiler, PREBUILT};
use super::super::driver::GpuError;
use super::api::{Api, version_text};
use super::blaslt;
use super::device::{Device, count};
use super::nvrtc::Nvrtc;
use crate::units::{Quantity, format};

/// Something that is there, or the sentence that says what is missing.
pub type Fact<T> = Result<T, String>;

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
    let text = |error: GpuError| error.to_string();
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
        driver: api.map(|api| version_text(api.version())).map_err(text),
        devices,
        nvrtc: Nvrtc::find(newest)
            .map(|nvrtc| (nvrtc.version(), nvrtc.place().to_owned()))
            .map_err(text),
        cublaslt: blaslt::find(newest)
            .map(|found| (format!("cuBLASLt {}", found.version), found.place))
            .map_err(text),
        prebuilt: PREBUILT.entries.len(),
        cache: Cache::of_user().map(|cache| cache.folder().display().to_string()),
    }
}

impl CudaFacts {
    /// A word and a sentence each, for a table.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = vec![(
            "driver",
            match &self.driver {
                Ok(version) => format!("CUDA {version}"),
                Err(why) => why.clone(),
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
            Err(why) => why.clone(),
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
