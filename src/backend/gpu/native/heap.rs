//! Device memory: taken, given back, copied and filled, within its bounds.

use super::super::driver::{GpuError, Memory};
use super::Native;
use super::stream::Stream;
use plan::units::{Quantity, format};

/// What was given out, by [`Memory`]'s number.
pub struct Heap {
    native: &'static Native,
    blocks: Vec<Option<Block>>,
}

struct Block {
    name: String,
    address: u64,
    bytes: u64,
}

impl Heap {
    pub fn new(native: &'static Native) -> Self {
        Self {
            native,
            blocks: Vec::new(),
        }
    }

    /// Bytes that the device has left.
    pub fn left(&self) -> Option<u64> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: writes two sizes; a context is current.
        let code = unsafe { (self.native.calls.memory_info)(&mut free, &mut total) };
        (code == 0).then_some(free as u64)
    }

    pub fn take(&mut self, stream: &Stream, name: &str, bytes: u64) -> Result<Memory, GpuError> {
        stream.not_recording("memory cannot be taken")?;
        let mut address = 0;
        // SAFETY: writes one address; at least a byte, as zero is refused.
        let code = unsafe { (self.native.calls.memory_alloc)(&mut address, bytes.max(1) as usize) };
        self.native.check(code, || {
            let size = format(&Quantity::bytes(bytes));
            match self.left() {
                Some(left) => format!(
                    "taking {size} of device memory for {name} ({} free)",
                    format(&Quantity::bytes(left))
                ),
                None => format!("taking {size} of device memory for {name}"),
            }
        })?;
        let memory = Memory(self.blocks.len() as u32);
        self.blocks.push(Some(Block {
            name: name.to_owned(),
            address,
            bytes,
        }));
        Ok(memory)
    }

    pub fn give_back(&mut self, memory: Memory) {
        if let Some(block) = self
            .blocks
            .get_mut(memory.0 as usize)
            .and_then(Option::take)
        {
            // SAFETY: taken by `take`, given back once; the driver waits for
            // work that uses it.
            unsafe { (self.native.calls.memory_free)(block.address) };
        }
    }

    /// Gives everything back; nothing may use it any more.
    pub fn close(&mut self) {
        for block in self.blocks.drain(..).flatten() {
            // SAFETY: taken by `take`, given back once.
            unsafe { (self.native.calls.memory_free)(block.address) };
        }
    }

    fn block(&self, memory: Memory) -> Result<&Block, GpuError> {
        self.blocks
            .get(memory.0 as usize)
            .and_then(Option::as_ref)
            .ok_or_else(|| GpuError::failed(format!("memory {} is not in use", memory.0)))
    }

    /// Where it lies; 0 for memory that was given back.
    pub fn address(&self, memory: Memory) -> u64 {
        self.block(memory).map_or(0, |block| block.address)
    }

    /// The address of `bytes` bytes at `offset`, where they are inside.
    fn range(&self, memory: Memory, offset: u64, bytes: usize) -> Result<u64, GpuError> {
        let block = self.block(memory)?;
        let end = offset.checked_add(bytes as u64);
        if end.is_none_or(|end| end > block.bytes) {
            return Err(GpuError::failed(format!(
                "{bytes} bytes at {offset} are not inside {} of {} bytes",
                block.name, block.bytes
            )));
        }
        Ok(block.address + offset)
    }

    pub fn upload(
        &self,
        stream: &mut Stream,
        memory: Memory,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), GpuError> {
        let address = self.range(memory, offset, bytes.len())?;
        if bytes.is_empty() {
            return Ok(());
        }
        stream.not_recording("memory cannot be copied")?;
        // SAFETY: inside a block; the bytes live until the wait below.
        let code = unsafe {
            (self.native.calls.copy_to_device)(
                address,
                bytes.as_ptr().cast(),
                bytes.len(),
                stream.handle,
            )
        };
        let copied = self.native.check(code, || {
            format!("copying {} bytes to the device", bytes.len())
        });
        stream.synchronize().and(copied)
    }

    pub fn download(
        &self,
        stream: &mut Stream,
        memory: Memory,
        offset: u64,
        bytes: &mut [u8],
    ) -> Result<(), GpuError> {
        let address = self.range(memory, offset, bytes.len())?;
        if bytes.is_empty() {
            return Ok(());
        }
        stream.not_recording("memory cannot be copied")?;
        // SAFETY: inside a block; the bytes are ours alone until the wait below.
        let code = unsafe {
            (self.native.calls.copy_to_host)(
                bytes.as_mut_ptr().cast(),
                address,
                bytes.len(),
                stream.handle,
            )
        };
        let copied = self.native.check(code, || {
            format!("copying {} bytes from the device", bytes.len())
        });
        // Also after an error: nothing may write to the bytes any more.
        stream.synchronize().and(copied)
    }

    pub fn fill(&self, stream: &Stream, memory: Memory, byte: u8) -> Result<(), GpuError> {
        let block = self.block(memory)?;
        if block.bytes == 0 {
            return Ok(());
        }
        // SAFETY: a whole block.
        let code = unsafe {
            (self.native.calls.set_bytes)(block.address, byte, block.bytes as usize, stream.handle)
        };
        self.native
            .check(code, || format!("filling {}", block.name))
    }
}
