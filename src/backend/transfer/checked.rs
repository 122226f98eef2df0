//! Whether a way does what its time is said to be of: bytes arrive where they should, the
//! kernel has summed all that it was to read.

use super::ways::{Bench, TOUCHED, WRITTEN, not_prepared};
use crate::gpu::{GpuError, HostCopy, Lane};
use crate::hierarchy::there::PACK;
use plan::run::HostWay;

impl Bench<'_> {
    /// Makes a way once and looks at what came of it.
    pub fn check(&mut self, way: HostWay, bytes: u64, times: u64) -> Result<(), GpuError> {
        use HostWay as Way;
        match way {
            Way::PageableUp | Way::PinnedUp | Way::AfterUp | Way::BesideUp => {
                self.before(true, bytes)?;
                self.sample(way, bytes, times)?;
                self.fetch(bytes)?;
                self.arrived(bytes, "to the device")?;
            }
            Way::PageableDown | Way::PinnedDown | Way::AfterDown | Way::BesideDown => {
                self.before(false, bytes)?;
                self.sample(way, bytes, times)?;
                if way != Way::PageableDown {
                    let pinned = self.pinned()?;
                    let to = self
                        .back
                        .get_mut(..bytes as usize)
                        .ok_or_else(not_prepared)?;
                    self.driver.host()?.read(pinned, to)?;
                }
                self.arrived(bytes, "to the host")?;
            }
            Way::Kernel => {
                self.blank_sums()?;
                self.sample(way, bytes, times)?;
                let passes = self.kernel.map_or(0, |k| k.passes);
                self.summed(passes, "of the device")?;
            }
            Way::Mapped | Way::Copied => {
                self.before(true, bytes)?;
                self.blank_sums()?;
                self.sample(way, bytes, times)?;
                self.summed(times as u32, "of the host")?;
            }
            Way::Each | Way::Pool | Way::Kept => {
                if way == Way::Pool {
                    self.driver.host()?.keep_pool()?;
                }
                self.sample(way, bytes, times)?;
                self.written(way, bytes)?;
            }
        }
        if matches!(
            way,
            Way::AfterUp | Way::AfterDown | Way::BesideUp | Way::BesideDown
        ) {
            self.blank_sums()?;
            self.sample(way, bytes, times)?;
            let passes = self.kernel.map_or(0, |k| k.passes);
            self.summed(passes, "of the device")?;
        }
        Ok(())
    }

    /// The bytes lie where a copy takes them from, and others where it puts them; all of it
    /// is done, as a second stream waits for nothing of the first.
    fn before(&mut self, up: bool, bytes: u64) -> Result<(), GpuError> {
        let (pinned, device) = (self.pinned()?, self.device()?);
        let size = bytes as usize;
        let from = self.from.get(..size).ok_or_else(not_prepared)?;
        let back = self.back.get_mut(..size).ok_or_else(not_prepared)?;
        back.fill(0xff);
        match up {
            true => {
                self.driver.host()?.write(pinned, from)?;
                self.driver.fill(device, 0)?;
            }
            false => {
                self.driver.upload(device, 0, from)?;
                self.driver.host()?.write(pinned, back)?;
            }
        }
        self.driver.synchronize()
    }

    /// The first that did not arrive.
    fn arrived(&self, bytes: u64, to: &str) -> Result<(), GpuError> {
        let pairs = self.from.iter().zip(&self.back).take(bytes as usize);
        let (from, back) = (
            self.from.get(..bytes as usize),
            self.back.get(..bytes as usize),
        );
        if from == back {
            return Ok(());
        }
        let at = pairs.take_while(|(a, b)| a == b).count();
        Err(GpuError::failed(format!(
            "of a copy of {bytes} bytes {to}, byte {at} did not arrive; no time of a wrong copy is shown"
        )))
    }

    fn blank_sums(&mut self) -> Result<(), GpuError> {
        let sums = self.sums.ok_or_else(not_prepared)?;
        self.driver.fill(sums, 0)
    }

    /// The sums of all threads against that of the bytes themselves: each word of a pack
    /// with the others, each pass as often as its number.
    fn summed(&mut self, passes: u32, whose: &str) -> Result<(), GpuError> {
        let (Some(kernel), Some(memory)) = (self.kernel, self.sums) else {
            return Err(not_prepared());
        };
        let packs = (u64::from(kernel.packs) * u64::from(kernel.blocks) * PACK) as usize;
        let read = self.from.get(..packs).unwrap_or(&self.from);
        let words = |bytes: &[u8]| -> u32 {
            let words = bytes.as_chunks::<4>().0.iter();
            words.fold(0, |x, word| x ^ u32::from_le_bytes(*word))
        };
        let once = read
            .chunks_exact(PACK as usize)
            .fold(0_u32, |sum, pack| sum.wrapping_add(words(pack)));
        let weights = u64::from(passes) * (u64::from(passes) + 1) / 2;
        let expected = once.wrapping_mul(weights as u32);
        let mut sums = vec![0; 4 * kernel.blocks as usize * kernel.threads as usize];
        self.driver.download(memory, 0, &mut sums)?;
        let all = sums.as_chunks::<4>().0.iter();
        let found = all.fold(0_u32, |sum, word| {
            sum.wrapping_add(u32::from_le_bytes(*word))
        });
        if found == expected {
            return Ok(());
        }
        Err(GpuError::failed(format!(
            "a kernel that read {packs} bytes {whose} {passes} times gives {found:#x}, not {expected:#x}; no time of a wrong sum is shown"
        )))
    }

    /// What a step writes is there: of memory that is taken once more the same way.
    fn written(&mut self, way: HostWay, bytes: u64) -> Result<(), GpuError> {
        let pinned = self.pinned()?;
        self.driver.host()?.write(pinned, &[0; TOUCHED as usize])?;
        let taken = match way {
            HostWay::Kept => self.kept,
            HostWay::Each => Some(self.driver.alloc("a step", bytes)?),
            _ => None,
        };
        let at = match taken {
            Some(memory) => self.driver.address(memory),
            None => self.driver.host()?.take(bytes)?,
        };
        let host = self.driver.host()?;
        let copy = HostCopy {
            up: false,
            pinned,
            at: 0,
            device: at,
            bytes: TOUCHED.min(bytes),
        };
        let mut found = [0; TOUCHED as usize];
        let done = host
            .set(at, WRITTEN, TOUCHED.min(bytes))
            .and_then(|()| host.copy(&copy, Lane::Main))
            .and_then(|()| host.read(pinned, &mut found));
        match (way, taken) {
            (HostWay::Each, Some(memory)) => self.driver.free(memory),
            (HostWay::Pool, _) => host.give(at)?,
            _ => {}
        }
        done?;
        match found.iter().all(|byte| *byte == WRITTEN) {
            true => Ok(()),
            false => Err(GpuError::failed(
                "memory that a step took does not hold what was written; no time of it is shown",
            )),
        }
    }
}
