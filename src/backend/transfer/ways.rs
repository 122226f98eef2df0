//! One sample of each way to bytes of the host, in microseconds.

use std::time::Instant;

use crate::gpu::{
    Call, Driver, Function, GpuError, HostCopy, HostMemory, Lane, Memory, Parameter, Pinned,
};
use crate::hierarchy::there::{PACK, sweep, threads};
use plan::model::random::Stream;
use plan::run::{HostCase, HostWay};

/// Steps of a sample of device memory that is taken and given back.
pub(super) const STEPS: u64 = 32;
/// Bytes that a step has written.
pub(super) const TOUCHED: u64 = 256;
/// What it writes.
pub(super) const WRITTEN: u8 = 0xa5;
/// Most passes of the kernel beside a copy.
const MOST: u64 = 4096;

/// A device with all that a case copies, sums and takes.
pub(super) struct Bench<'d> {
    pub driver: &'d mut dyn Driver,
    /// Bytes of the host that are copied: pageable.
    pub from: Vec<u8>,
    /// Where pageable copies arrive.
    pub back: Vec<u8>,
    pub pinned: Option<Pinned>,
    /// On the device: where copies go, what the kernel reads beside them, its sums, and what
    /// a step keeps.
    pub device: Option<Memory>,
    pub operand: Option<Memory>,
    pub sums: Option<Memory>,
    pub kept: Option<Memory>,
    pub kernel: Option<Kernel>,
}

/// The kernel that reads, and its geometry.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kernel {
    function: Function,
    pub blocks: u32,
    pub threads: u32,
    /// 16 bytes each, of a block.
    pub packs: u32,
    /// Passes beside a copy.
    pub passes: u32,
}

impl<'d> Bench<'d> {
    pub fn new(driver: &'d mut dyn Driver, bytes: u64) -> Self {
        let draws = Stream::new(1, "bytes of the host");
        // No two pages are alike: a copy that goes wrong by one is seen.
        let word = |i: u64| draws.below(i, 1 << 32) as u32;
        let mut from = Vec::with_capacity(bytes as usize);
        for i in 0..bytes / 4 {
            let value = match i % 1024 {
                0 => word(i),
                more => (i as u32).wrapping_mul(0x9e37_79b1) ^ more as u32,
            };
            from.extend_from_slice(&value.to_le_bytes());
        }
        Self {
            driver,
            from,
            back: Vec::new(),
            pinned: None,
            device: None,
            operand: None,
            sums: None,
            kept: None,
            kernel: None,
        }
    }

    /// Takes what a case needs.
    pub fn prepare(&mut self, case: HostCase) -> Result<(), GpuError> {
        let bytes = self.from.len() as u64;
        // Written, so that its pages are there.
        self.back = vec![0xff; self.from.len()];
        self.pinned = Some(self.driver.host()?.pin("copies", bytes)?);
        self.device = Some(self.driver.alloc("copies", bytes)?);
        if !matches!(case, HostCase::Overlap | HostCase::Mapped) {
            return Ok(());
        }
        let operand = self.driver.alloc("what a kernel reads", bytes)?;
        self.operand = Some(operand);
        self.driver.upload(operand, 0, &self.from)?;
        let function = self.driver.load(&sweep(), 0)?;
        let all = bytes / PACK;
        let blocks = u64::from(self.driver.target().sms).clamp(1, all.max(1)) as u32;
        let threads = threads(self.driver, function);
        self.sums = Some(
            self.driver
                .alloc("sums", 4 * u64::from(blocks) * u64::from(threads))?,
        );
        self.kernel = Some(Kernel {
            function,
            blocks,
            threads,
            packs: (all / u64::from(blocks)) as u32,
            passes: 1,
        });
        if case == HostCase::Overlap {
            // As long as a copy: then overlap can save most.
            let once = |bench: &mut Self, way| {
                bench.sample(way, bytes, 1)?;
                bench.sample(way, bytes, 1)
            };
            let copy = once(self, HostWay::PinnedUp)?;
            let pass = once(self, HostWay::Kernel)?;
            let passes = (copy / pass.max(1e-3)).ceil().clamp(1.0, MOST as f64);
            if let Some(kernel) = &mut self.kernel {
                kernel.passes = passes as u32;
            }
        }
        Ok(())
    }

    /// Gives everything back; after a failure, too.
    pub fn close(&mut self) {
        if let (Some(pinned), Ok(host)) = (self.pinned.take(), self.driver.host()) {
            host.unpin(pinned);
        }
        let held = [
            self.device.take(),
            self.operand.take(),
            self.sums.take(),
            self.kept.take(),
        ];
        for memory in held.into_iter().flatten() {
            self.driver.free(memory);
        }
    }

    pub fn host(&mut self) -> Result<&mut dyn HostMemory, GpuError> {
        self.driver.host()
    }

    pub fn pinned(&self) -> Result<Pinned, GpuError> {
        self.pinned.ok_or_else(not_prepared)
    }

    pub fn device(&self) -> Result<Memory, GpuError> {
        self.device.ok_or_else(not_prepared)
    }

    /// Microseconds of one way, from its first call until the host knows that all is done.
    pub fn sample(&mut self, way: HostWay, bytes: u64, times: u64) -> Result<f64, GpuError> {
        if way == HostWay::Kept {
            self.keep(bytes)?;
        }
        let begun = Instant::now();
        let parts = match way {
            HostWay::PageableUp => {
                let device = self.device()?;
                let of = self.from.get(..bytes as usize).unwrap_or(&self.from);
                self.driver.upload(device, 0, of)?;
                1
            }
            HostWay::PageableDown => {
                self.fetch(bytes)?;
                1
            }
            HostWay::PinnedUp | HostWay::PinnedDown => {
                let up = way == HostWay::PinnedUp;
                self.copies(up, bytes, times, Lane::Main)?;
                self.host()?.wait(Lane::Main)?;
                1
            }
            HostWay::Kernel => {
                self.beside()?;
                self.driver.synchronize()?;
                1
            }
            HostWay::AfterUp | HostWay::AfterDown => {
                self.beside()?;
                self.copies(way == HostWay::AfterUp, bytes, 1, Lane::Main)?;
                self.driver.synchronize()?;
                1
            }
            HostWay::BesideUp | HostWay::BesideDown => {
                self.beside()?;
                self.copies(way == HostWay::BesideUp, bytes, 1, Lane::Beside)?;
                self.host()?.wait(Lane::Beside)?;
                self.driver.synchronize()?;
                1
            }
            HostWay::Mapped => {
                let pinned = self.pinned()?;
                let at = self.host()?.mapped(pinned)?;
                self.read(at, times as u32)?;
                self.driver.synchronize()?;
                1
            }
            HostWay::Copied => {
                self.copies(true, bytes, 1, Lane::Main)?;
                let at = self.driver.address(self.device()?);
                self.read(at, times as u32)?;
                self.driver.synchronize()?;
                1
            }
            HostWay::Each => {
                for _ in 0..STEPS {
                    let memory = self.driver.alloc("a step", bytes)?;
                    let at = self.driver.address(memory);
                    let set = self.host().and_then(|host| host.set(at, WRITTEN, TOUCHED));
                    self.driver.free(memory);
                    set?;
                }
                self.driver.synchronize()?;
                STEPS
            }
            HostWay::Pool => {
                for _ in 0..STEPS {
                    let host = self.host()?;
                    let at = host.take(bytes)?;
                    let set = host.set(at, WRITTEN, TOUCHED);
                    host.give(at)?;
                    set?;
                }
                self.driver.synchronize()?;
                STEPS
            }
            HostWay::Kept => {
                let kept = self.kept.ok_or_else(not_prepared)?;
                let at = self.driver.address(kept);
                for _ in 0..STEPS {
                    self.host()?.set(at, WRITTEN, TOUCHED)?;
                }
                self.driver.synchronize()?;
                STEPS
            }
        };
        Ok(begun.elapsed().as_secs_f64() * 1e6 / parts as f64)
    }

    /// Copies what lies on the device to where pageable copies arrive.
    pub fn fetch(&mut self, bytes: u64) -> Result<(), GpuError> {
        let device = self.device()?;
        let to = self.back.get_mut(..bytes as usize);
        self.driver
            .download(device, 0, to.ok_or_else(not_prepared)?)
    }

    /// Memory that a step keeps: taken before the clock runs.
    fn keep(&mut self, bytes: u64) -> Result<(), GpuError> {
        if let Some(old) = self.kept.take() {
            self.driver.free(old);
        }
        self.kept = Some(self.driver.alloc("what a step keeps", bytes)?);
        self.driver.synchronize()
    }

    /// Hands in copies of `bytes` in all, one behind another.
    fn copies(&mut self, up: bool, bytes: u64, times: u64, lane: Lane) -> Result<(), GpuError> {
        let (pinned, memory) = (self.pinned()?, self.device()?);
        let device = self.driver.address(memory);
        let host = self.host()?;
        let each = bytes / times.max(1);
        for part in 0..times {
            let at = part * each;
            let copy = HostCopy {
                up,
                pinned,
                at,
                device: device + at,
                bytes: each,
            };
            host.copy(&copy, lane)?;
        }
        Ok(())
    }

    /// Hands in the kernel that runs beside a copy.
    fn beside(&mut self) -> Result<(), GpuError> {
        let passes = self.kernel.map_or(1, |kernel| kernel.passes);
        let operand = self.operand.ok_or_else(not_prepared)?;
        self.read(self.driver.address(operand), passes)
    }

    /// Hands in a kernel that reads what lies at an address, so many times.
    fn read(&mut self, at: u64, passes: u32) -> Result<(), GpuError> {
        let kernel = self.kernel.ok_or_else(not_prepared)?;
        let sums = self.sums.ok_or_else(not_prepared)?;
        let parameters = [
            Parameter::Long(at),
            Parameter::Long(self.driver.address(sums)),
            Parameter::Word(kernel.packs),
            Parameter::Word(passes),
        ];
        self.driver.launch(&Call {
            function: kernel.function,
            grid: [kernel.blocks, 1, 1],
            threads: kernel.threads,
            shared: 0,
            cooperative: false,
            overlap: false,
            parameters: &parameters,
        })
    }
}

pub(super) fn not_prepared() -> GpuError {
    GpuError::failed("a way that was not made ready")
}
