//! The fake's memory: every access knows its buffer and is checked.

use half::bf16;

use crate::gpu::driver::Memory;

/// Bits of an address that are the place within a buffer.
const WITHIN: u32 = 40;

#[derive(Default)]
pub(super) struct Space {
    buffers: Vec<(String, Option<Vec<u8>>)>,
    /// The first access outside, in words.
    pub fault: Option<String>,
    /// Whether the last element of a buffer is not written.
    pub spare_last: bool,
}

impl Space {
    pub fn alloc(&mut self, name: &str, bytes: u64) -> Memory {
        // What was there before is not zero.
        self.buffers
            .push((name.to_owned(), Some(vec![0xA5; bytes as usize])));
        Memory(self.buffers.len() as u32 - 1)
    }

    pub fn free(&mut self, memory: Memory) {
        assert!(self.buffers[memory.0 as usize].1.take().is_some());
    }

    pub fn held(&self) -> u64 {
        let sizes = self.buffers.iter().filter_map(|(_, b)| b.as_ref());
        sizes.map(|b| b.len() as u64).sum()
    }

    pub fn address(memory: Memory) -> u64 {
        (u64::from(memory.0) + 1) << WITHIN
    }

    pub fn bytes(&mut self, memory: Memory) -> &mut Vec<u8> {
        self.buffers[memory.0 as usize].1.as_mut().unwrap()
    }

    /// `N` bytes at an address; a fault and `None` outside of every buffer.
    fn at<const N: usize>(&mut self, address: u64) -> Option<&mut [u8; N]> {
        let index = (address >> WITHIN).wrapping_sub(1) as usize;
        let within = (address & ((1 << WITHIN) - 1)) as usize;
        let buffer = self.buffers.get(index);
        let size = buffer.and_then(|(_, b)| b.as_ref()).map_or(0, Vec::len);
        if within + N > size {
            let name = buffer.map_or("nothing", |(name, _)| name);
            let fault = format!("byte {within} is outside of {name}");
            self.fault.get_or_insert(fault);
            return None;
        }
        let bytes = self.buffers.get_mut(index)?.1.as_mut()?;
        bytes.get_mut(within..)?.first_chunk_mut()
    }

    /// Bytes of the buffer that begins at an address.
    pub fn size(&self, address: u64) -> i64 {
        let index = (address >> WITHIN).wrapping_sub(1) as usize;
        let buffer = self.buffers.get(index).and_then(|b| b.1.as_ref());
        buffer.map_or(0, |b| b.len() as i64)
    }

    fn is_last(&self, address: u64, bytes: u64) -> bool {
        let index = (address >> WITHIN).wrapping_sub(1) as usize;
        let within = address & ((1 << WITHIN) - 1);
        let size = self.buffers.get(index).and_then(|b| b.1.as_ref());
        size.is_some_and(|b| within + bytes == b.len() as u64)
    }

    pub fn int(&mut self, at: u64, i: i64) -> i32 {
        self.at(at.wrapping_add_signed(4 * i))
            .map_or(0, |b| i32::from_le_bytes(*b))
    }

    pub fn float(&mut self, at: u64, i: i64) -> f32 {
        self.at(at.wrapping_add_signed(4 * i))
            .map_or(f32::NAN, |b| f32::from_le_bytes(*b))
    }

    pub fn set_float(&mut self, at: u64, i: i64, value: f32) {
        if let Some(b) = self.at(at.wrapping_add_signed(4 * i)) {
            *b = value.to_le_bytes();
        }
    }

    pub fn get(&mut self, is_bf16: bool, at: u64, i: i64) -> f32 {
        if !is_bf16 {
            return self.float(at, i);
        }
        self.at(at.wrapping_add_signed(2 * i))
            .map_or(f32::NAN, |b| bf16::from_le_bytes(*b).to_f32())
    }

    pub fn set(&mut self, is_bf16: bool, at: u64, i: i64, value: f32) {
        let width = if is_bf16 { 2 } else { 4 };
        let place = at.wrapping_add_signed(width * i);
        if self.spare_last && self.is_last(place, width.cast_unsigned()) {
            return;
        }
        if is_bf16 {
            if let Some(b) = self.at(place) {
                *b = bf16::from_f32(value).to_le_bytes();
            }
        } else if let Some(b) = self.at(place) {
            *b = value.to_le_bytes();
        }
    }
}
