//! What this machine has of ROCm, and what would help: for the doctor.

use std::time::Duration;

use super::super::catalogue::fusions_without_kernels;
use super::super::compile::{Cache, Compiler};
use super::super::native::{Fact, notes};
use super::api::Api;
use super::device::{Device, count};
use super::hiprtc::Hiprtc;
use super::rocprof;
use plan::run::{BackendKind, BackendState};
use plan::units::{Quantity, format};

/// How long the compiler may take to show that it works: its library is large,
/// and may lie on a slow disk, but whoever asks for facts waits for 20 s only.
const PATIENCE: Duration = Duration::from_secs(12);

/// What this machine has of ROCm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HipFacts {
    /// The runtime, `ROCm 6.2.0`, and where it was found.
    pub runtime: Fact<(String, String)>,
    /// Its devices, in HIP's order, or why one is not known.
    pub devices: Vec<Fact<Device>>,
    /// The compiler, `HIPRTC of ROCm 6.2.0`, and where it was found.
    pub hiprtc: Fact<(String, String)>,
    /// Whether it compiles for the first device.
    pub compiles: Fact<()>,
    /// Where compiled kernels are kept.
    pub cache: Option<String>,
}

/// Asks this machine. Opens libraries, and compiles a few lines in a process of
/// their own, but takes no device into use.
pub fn facts() -> HipFacts {
    let cache = Cache::of_user();
    let shown = cache.as_ref().map(|c| c.folder().display().to_string());
    let api = match Api::get() {
        Ok(api) => api,
        Err(why) => {
            return HipFacts {
                runtime: Err(why.clone()),
                devices: Vec::new(),
                hiprtc: Err(why.clone()),
                compiles: Err(why),
                cache: shown,
            };
        }
    };
    let devices: Vec<Fact<Device>> = (0..count(api).unwrap_or(0))
        .map(|index| Device::find(api, index))
        .collect();
    let hiprtc = Hiprtc::find(api);
    let compiles = match (&hiprtc, devices.first()) {
        (Ok(hiprtc), Some(Ok(device))) => {
            let hiprtc = hiprtc.clone().within(PATIENCE);
            hiprtc.knows(&device.target.arch, cache.as_ref())
        }
        (Err(why), _) => Err(why.clone()),
        (Ok(_), _) => Ok(()),
    };
    HipFacts {
        runtime: Ok((api.release(), api.place.display().to_string())),
        devices,
        hiprtc: hiprtc.map(|h| (h.version(), h.place().display().to_string())),
        compiles,
        cache: shown,
    }
}

impl HipFacts {
    /// How the backend stands: ready where a device and a compiler that makes
    /// kernels for it are there.
    pub fn state(&self) -> BackendState {
        let none = |why: &str| BackendState {
            notes: notes(self.lines()),
            ..BackendState::none(BackendKind::Hip, why)
        };
        let release = match &self.runtime {
            Ok((release, _)) => release,
            Err(why) => return none(&why.to_string()),
        };
        let device = match self.devices.first() {
            Some(Ok(device)) => device,
            Some(Err(why)) => return none(&why.to_string()),
            None => return none(&super::api::no_device()),
        };
        if let Err(why) = &self.compiles {
            return none(&why.to_string());
        }
        let title = device.title();
        let bare = title.strip_prefix("AMD ").unwrap_or(&title);
        let bare = ["Instinct ", "Radeon "]
            .iter()
            .find_map(|word| bare.strip_prefix(word))
            .unwrap_or(bare);
        BackendState {
            backend: BackendKind::Hip,
            ready: true,
            device: bare.to_owned(),
            line: format!("{title}, {}, {release}", device.target.arch),
            lacks: fusions_without_kernels(),
            notes: notes(self.lines()),
        }
    }

    /// A word and a sentence each, for a table.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let place = |(what, place): &(String, String)| format!("{what}, {place}");
        let mut lines = vec![(
            "runtime",
            match &self.runtime {
                Ok(found) => place(found),
                Err(why) => why.to_string(),
            },
        )];
        for (index, device) in self.devices.iter().enumerate() {
            lines.push((
                "device",
                match device {
                    Ok(device) => format!("{index}: {}", described(device)),
                    Err(why) => why.to_string(),
                },
            ));
        }
        if let Some(kinds) = self.kinds() {
            lines.push((
                "",
                format!(
                    "devices of different kinds ({kinds}): number 0 is used; \
                     HIP_VISIBLE_DEVICES=1 makes the next one number 0"
                ),
            ));
        }
        if self.runtime.is_ok() {
            lines.push((
                "compiler",
                match &self.hiprtc {
                    Ok(found) => place(found),
                    Err(why) => why.to_string(),
                },
            ));
            if let (Ok(_), Err(why)) = (&self.hiprtc, &self.compiles) {
                lines.push(("", why.to_string()));
            }
            if let Some(cache) = &self.cache {
                lines.push(("cache", cache.clone()));
            }
        }
        if let (Some(Ok(device)), Ok(())) = (self.devices.first(), &self.compiles) {
            let run = "tinyllama-tutor run --backend hip --version v2";
            for profile in rocprof::commands(&device.target.arch, run) {
                lines.push(("profile", profile.what));
                lines.extend(profile.lines.into_iter().map(|line| ("", line)));
            }
        }
        lines
    }

    /// The architectures, where they differ.
    fn kinds(&self) -> Option<String> {
        let mut archs: Vec<&str> = self
            .devices
            .iter()
            .flatten()
            .map(|device| device.target.arch.as_str())
            .collect();
        archs.dedup();
        (archs.len() > 1).then(|| archs.join(", "))
    }
}

/// A device in a line.
fn described(device: &Device) -> String {
    let t = &device.target;
    format!(
        "{}, {}, waves of {}, {} compute units, {} of shared memory (LDS) per block, {}",
        device.title(),
        t.arch,
        t.warp,
        t.sms,
        format(&Quantity::bytes(u64::from(t.shared_per_block))),
        format(&Quantity::bytes(device.memory))
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::driver::GpuError;
    use crate::gpu::native::host::Told;
    use crate::gpu::program::Target;
    use plan::cost::Vendor;

    fn device(name: &str, arch: &str, warp: u32) -> Device {
        Device {
            told: Told::default(),
            name: name.into(),
            target: Target {
                vendor: Vendor::Amd,
                arch: arch.into(),
                warp,
                sms: 110,
                shared_per_block: 65_536,
            },
            memory: 68_702_699_520,
            cooperative: true,
            index: 0,
        }
    }

    fn mi250x() -> HipFacts {
        HipFacts {
            runtime: Ok(("ROCm 6.2.0".into(), "/opt/rocm/lib/libamdhip64.so.6".into())),
            devices: vec![Ok(device("AMD Instinct MI250X", "gfx90a", 64))],
            hiprtc: Ok((
                "HIPRTC of ROCm 6.2.0".into(),
                "/opt/rocm/lib/libhiprtc.so.6".into(),
            )),
            compiles: Ok(()),
            cache: None,
        }
    }

    #[test]
    fn one_die_of_a_package_is_the_device() {
        let state = mi250x().state();
        assert!(state.ready);
        assert_eq!(state.device, "MI250X (one GCD)");
        assert_eq!(
            state.line,
            "AMD Instinct MI250X (one GCD), gfx90a, ROCm 6.2.0"
        );
        let said = state.notes.join("\n");
        assert!(said.contains("waves of 64, 110 compute units"), "{said}");
        assert!(said.contains("TCC_EA_RDREQ_sum"), "{said}");
    }

    #[test]
    fn what_is_missing_first_is_the_reason() {
        let mut facts = mi250x();
        facts.compiles = Err(GpuError::missing(
            "HIPRTC of HIP 5.2 makes no code for gfx90a",
        ));
        let state = facts.state();
        assert_eq!(
            (state.ready, state.line.as_str()),
            (false, "HIPRTC of HIP 5.2 makes no code for gfx90a")
        );
        facts.runtime = Err(GpuError::missing("no ROCm"));
        assert_eq!(facts.state().line, "no ROCm");
    }

    #[test]
    fn two_kinds_of_devices_are_told_apart() {
        let mut facts = mi250x();
        let second = device("AMD Radeon RX 6800", "gfx1030", 32);
        facts.devices.push(Ok(second));
        let said = facts.state().notes.join("\n");
        assert!(said.contains("different kinds (gfx90a, gfx1030)"), "{said}");
        assert!(said.contains("1: AMD Radeon RX 6800, gfx1030, waves of 32"));
    }
}
