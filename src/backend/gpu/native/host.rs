//! Memory of the host as the device sees it: pinned and mapped, copied by hand in either of
//! two streams; and device memory from the device's pool, in order of the first.
//!
//! Both vendors number the flags alike (cuda.h, hip_runtime_api.h). HIP maps pinned memory
//! always, and takes it coherent: a device caches no read of it.

use std::ffi::{c_int, c_void};
use std::ptr;

use super::super::driver::{GpuError, GpuErrorKind, HostCopy, HostMemory, Lane, Pinned};
use super::{Code, Handle, NOT_SUPPORTED, Native, OUT_OF_MEMORY};
use plan::units::{Quantity, format};

/// CU_MEMHOSTALLOC_DEVICEMAP, hipHostMallocMapped.
const MAPPED: u32 = 2;
/// CU_STREAM_NON_BLOCKING, hipStreamNonBlocking.
const NON_BLOCKING: u32 = 1;
/// CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, hipMemPoolAttrReleaseThreshold: bytes that a pool
/// keeps when somebody waits, 0 unless it is set.
const RELEASE_THRESHOLD: c_int = 4;

/// What a device says of its memory; none where its driver does not know the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Told {
    /// It has no memory but the host's.
    pub integrated: Option<bool>,
    /// It has memory pools.
    pub pools: Option<bool>,
}

/// The host's side of one device.
pub struct Host {
    native: &'static Native,
    stream: Handle,
    device: c_int,
    told: Told,
    /// The stream beside, made when first needed.
    beside: Option<Handle>,
    pinned: Vec<Option<Block>>,
    /// Addresses that were taken from the pool and not given back.
    taken: Vec<u64>,
    /// The pool whose threshold was raised.
    kept: Option<Handle>,
}

struct Block {
    name: String,
    at: *mut u8,
    bytes: usize,
}

impl Host {
    /// For a device whose work goes to `stream`, which outlives it.
    pub fn new(native: &'static Native, stream: Handle, device: c_int, told: Told) -> Self {
        Self {
            native,
            stream,
            device,
            told,
            beside: None,
            pinned: Vec::new(),
            taken: Vec::new(),
            kept: None,
        }
    }

    /// Gives everything back, before the stream goes; nothing may use it any more.
    pub fn close(&mut self) {
        for device in std::mem::take(&mut self.taken) {
            if let Some(free) = self.native.calls.pool_free {
                // SAFETY: taken by `take`, given back once.
                unsafe { free(device, self.stream) };
            }
        }
        self.quiet();
        if let Some(stream) = self.beside.take() {
            // SAFETY: made by `lane`, idle, given back once.
            unsafe { (self.native.calls.stream_destroy)(stream) };
        }
        if let Some(pool) = self.kept.take() {
            let _ = self.threshold(pool, 0);
            if let Some(trim) = self.native.calls.pool_trim {
                // SAFETY: the device's own pool, which lives as long as the device.
                unsafe { trim(pool, 0) };
            }
        }
        for block in self.pinned.drain(..).flatten() {
            free(self.native, &block);
        }
    }

    /// Waits for both lanes. After a lost context this fails, as all does.
    fn quiet(&self) {
        for stream in [Some(self.stream), self.beside].into_iter().flatten() {
            // SAFETY: the stream is alive.
            unsafe { (self.native.calls.stream_synchronize)(stream) };
        }
    }

    fn lane(&mut self, lane: Lane) -> Result<Handle, GpuError> {
        match (lane, self.beside) {
            (Lane::Main, _) => Ok(self.stream),
            (Lane::Beside, Some(stream)) => Ok(stream),
            (Lane::Beside, None) => {
                let mut stream = ptr::null_mut();
                // SAFETY: writes one handle; a context is current.
                let code = unsafe { (self.native.calls.stream_create)(&mut stream, NON_BLOCKING) };
                self.native
                    .check(code, || "making a second stream".to_owned())?;
                self.beside = Some(stream);
                Ok(stream)
            }
        }
    }

    /// A block, where `bytes` bytes at `at` are inside.
    fn block(&self, pinned: Pinned, at: u64, bytes: u64) -> Result<&Block, GpuError> {
        let block = self.pinned.get(pinned.0 as usize).and_then(Option::as_ref);
        let block = block
            .ok_or_else(|| GpuError::failed(format!("pinned memory {} is not in use", pinned.0)))?;
        let end = at.checked_add(bytes);
        if end.is_none_or(|end| end > block.bytes as u64) {
            return Err(GpuError::failed(format!(
                "{bytes} bytes at {at} are not inside {} of {} bytes",
                block.name, block.bytes
            )));
        }
        Ok(block)
    }

    /// An error of memory that is not the device's: what runs out, and what the driver has
    /// not.
    fn check(&self, code: Code, doing: impl FnOnce() -> String) -> Result<(), GpuError> {
        let kind = match code {
            OUT_OF_MEMORY => GpuErrorKind::OutOfMemory,
            NOT_SUPPORTED => GpuErrorKind::Missing,
            _ => return self.native.check(code, doing),
        };
        let way_out = match kind {
            GpuErrorKind::OutOfMemory => "; a smaller --to fits",
            _ => "",
        };
        let said = self.native.says(code);
        Err(GpuError::new(kind, format!("{}: {said}{way_out}", doing())))
    }

    fn threshold(&self, pool: Handle, mut bytes: u64) -> Result<(), GpuError> {
        let set = self.native.calls.pool_set.ok_or_else(no_pools)?;
        let value: *mut c_void = ptr::from_mut(&mut bytes).cast();
        // SAFETY: the device's own pool; the attribute is a u64, which is read.
        let code = unsafe { set(pool, RELEASE_THRESHOLD, value) };
        self.check(code, || "telling the memory pool what to keep".to_owned())
    }

    fn has_pools(&self) -> Result<(), GpuError> {
        match self.told.pools {
            Some(false) => Err(GpuError::missing(
                "the device has no memory pools, its driver says",
            )),
            _ => Ok(()),
        }
    }
}

fn no_pools() -> GpuError {
    GpuError::missing(
        "the driver has no memory in the order of a stream (CUDA 11.2, ROCm 5.3 and newer have)",
    )
}

fn no_pinned() -> GpuError {
    GpuError::missing("the driver has no pinned memory")
}

fn free(native: &Native, block: &Block) {
    if let Some(free) = native.calls.host_free {
        // SAFETY: taken by `pin`, given back once; nothing is in flight.
        unsafe { free(block.at.cast()) };
    }
}

impl HostMemory for Host {
    fn pin(&mut self, name: &str, bytes: u64) -> Result<Pinned, GpuError> {
        let calls = &self.native.calls;
        let (Some(alloc), Some(_)) = (calls.host_alloc, calls.host_free) else {
            return Err(no_pinned());
        };
        let mut at = ptr::null_mut();
        // At least a byte: of zero HIP gives null, and CUDA an error.
        let size = usize::try_from(bytes.max(1)).unwrap_or(usize::MAX);
        // SAFETY: writes one pointer; a context is current.
        let code = unsafe { alloc(&mut at, size, MAPPED) };
        self.check(code, || {
            format!(
                "taking {} of pinned host memory for {name}",
                format(&Quantity::bytes(bytes))
            )
        })?;
        if at.is_null() {
            return Err(GpuError::failed(format!(
                "the driver gave no pinned host memory for {name}"
            )));
        }
        let at: *mut u8 = at.cast();
        // SAFETY: so many bytes were given out above, to nobody else; what they hold is
        // undefined until here.
        unsafe { ptr::write_bytes(at, 0, size) };
        let pinned = Pinned(self.pinned.len() as u32);
        self.pinned.push(Some(Block {
            name: name.to_owned(),
            at,
            bytes: size,
        }));
        Ok(pinned)
    }

    fn unpin(&mut self, pinned: Pinned) {
        self.quiet();
        let block = self.pinned.get_mut(pinned.0 as usize);
        if let Some(block) = block.and_then(Option::take) {
            free(self.native, &block);
        }
    }

    fn write(&mut self, pinned: Pinned, bytes: &[u8]) -> Result<(), GpuError> {
        let to = self.block(pinned, 0, bytes.len() as u64)?.at;
        self.quiet();
        // SAFETY: inside a block of our own, which no slice of Rust's overlaps; no copy is
        // in flight.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
        Ok(())
    }

    fn read(&mut self, pinned: Pinned, bytes: &mut [u8]) -> Result<(), GpuError> {
        let from = self.block(pinned, 0, bytes.len() as u64)?.at;
        self.quiet();
        // SAFETY: as above; the block was written when it was taken.
        unsafe { ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    fn mapped(&self, pinned: Pinned) -> Result<u64, GpuError> {
        let block = self.block(pinned, 0, 0)?;
        let ask = self.native.calls.host_address.ok_or_else(no_pinned)?;
        let mut device = 0;
        // SAFETY: writes one address; the block was taken mapped; the flags must be 0.
        let code = unsafe { ask(&mut device, block.at.cast(), 0) };
        self.check(code, || {
            format!("asking where a kernel finds {} of the host", block.name)
        })?;
        Ok(device)
    }

    fn copy(&mut self, copy: &HostCopy, lane: Lane) -> Result<(), GpuError> {
        let stream = self.lane(lane)?;
        let block = self.block(copy.pinned, copy.at, copy.bytes)?;
        let (calls, bytes) = (&self.native.calls, copy.bytes as usize);
        // SAFETY: `block` found so many bytes inside from there on.
        let at = unsafe { block.at.add(copy.at as usize) };
        // SAFETY: inside a block that is given back only behind a wait; the address of the
        // device is as good as a launch's.
        let code = unsafe {
            match copy.up {
                true => (calls.copy_to_device)(copy.device, at.cast(), bytes, stream),
                false => (calls.copy_to_host)(at.cast(), copy.device, bytes, stream),
            }
        };
        self.native.check(code, || {
            let to = if copy.up { "device" } else { "host" };
            format!("copying {bytes} pinned bytes to the {to}")
        })
    }

    fn set(&mut self, device: u64, byte: u8, bytes: u64) -> Result<(), GpuError> {
        // SAFETY: an address as good as a launch's.
        let code =
            unsafe { (self.native.calls.set_bytes)(device, byte, bytes as usize, self.stream) };
        self.native
            .check(code, || format!("setting {bytes} bytes of the device"))
    }

    fn wait(&mut self, lane: Lane) -> Result<(), GpuError> {
        let stream = self.lane(lane)?;
        // SAFETY: the stream is alive.
        let code = unsafe { (self.native.calls.stream_synchronize)(stream) };
        self.native
            .check(code, || "the device stopped while it worked".to_owned())
    }

    fn take(&mut self, bytes: u64) -> Result<u64, GpuError> {
        self.has_pools()?;
        let calls = &self.native.calls;
        let (Some(alloc), Some(_)) = (calls.pool_alloc, calls.pool_free) else {
            return Err(no_pools());
        };
        let mut device = 0;
        // SAFETY: writes one address; at least a byte, as zero is refused.
        let code = unsafe { alloc(&mut device, bytes.max(1) as usize, self.stream) };
        self.check(code, || {
            format!(
                "taking {} from the memory pool",
                format(&Quantity::bytes(bytes))
            )
        })?;
        self.taken.push(device);
        Ok(device)
    }

    fn give(&mut self, device: u64) -> Result<(), GpuError> {
        let free = self.native.calls.pool_free.ok_or_else(no_pools)?;
        let Some(at) = self.taken.iter().rposition(|taken| *taken == device) else {
            return Err(GpuError::failed("memory that was not taken from the pool"));
        };
        self.taken.swap_remove(at);
        // SAFETY: taken by `take`, given back once, behind the work that uses it.
        let code = unsafe { free(device, self.stream) };
        self.check(code, || "giving memory back to the pool".to_owned())
    }

    fn keep_pool(&mut self) -> Result<(), GpuError> {
        self.has_pools()?;
        let find = self.native.calls.pool_default.ok_or_else(no_pools)?;
        let mut pool = ptr::null_mut();
        // SAFETY: writes one handle, of a pool that the device owns.
        let code = unsafe { find(&mut pool, self.device) };
        self.check(code, || "asking for the device's memory pool".to_owned())?;
        self.threshold(pool, u64::MAX)?;
        self.kept = Some(pool);
        Ok(())
    }

    fn integrated(&self) -> Option<bool> {
        self.told.integrated
    }
}
