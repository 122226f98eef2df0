//! Memory with names: what a run holds, how much, and whether it may.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

use plan::model::Dtype;

/// What an allocation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Packed weights, kept as long as the model.
    Weights,
    /// Keys and values of all positions, kept between forwards.
    Cache,
    /// Tensors that kernels hand to each other: what the cost model counts.
    Activation,
    /// Tensors that live inside one kernel but across its grid-wide wait.
    Scratch,
    /// The row tile of one worker, meant to stay in its cache.
    Tile,
    /// Rotary angles.
    Table,
}

/// One allocation of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// The tensors that live there, one after another: `n1, h, n2`.
    pub name: String,
    /// What it is for.
    pub role: Role,
    /// Its size.
    pub bytes: u64,
}

/// Bytes of all `allocations`; they are held together, so this is the peak.
pub fn total_bytes(allocations: &[Allocation]) -> u64 {
    allocations
        .iter()
        .fold(0, |sum, a| sum.saturating_add(a.bytes))
}

/// Zeroed elements of one type, aligned to a cache line, shared by threads
/// that write disjoint rows.
#[derive(Debug)]
pub(super) struct Buffer {
    at: NonNull<u8>,
    layout: Layout,
    dtype: Dtype,
    len: usize,
}

// SAFETY: a buffer is plain memory. Its contents are reached only through raw
// pointers whose users keep to rows of their own between two waits.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// `len` zeros; `None` where the memory is not to be had.
    pub fn zeros(dtype: Dtype, len: usize) -> Option<Self> {
        let bytes = len.checked_mul(dtype.bytes() as usize)?.max(1);
        let layout = Layout::from_size_align(bytes, 64).ok()?;
        // SAFETY: the layout's size is not zero.
        let at = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(Self {
            at,
            layout,
            dtype,
            len,
        })
    }

    /// The first element of an fp32 buffer.
    pub fn f32(&self) -> *mut f32 {
        debug_assert_eq!(self.dtype, Dtype::Fp32);
        self.at.as_ptr().cast()
    }

    /// The first element of a bf16 buffer, as bits.
    pub fn bf16(&self) -> *mut u16 {
        debug_assert_eq!(self.dtype, Dtype::Bf16);
        self.at.as_ptr().cast()
    }

    /// Element `at`, widened; 0 beyond the end. For reading results only,
    /// while no kernel runs.
    pub fn get(&self, at: usize) -> f32 {
        if at >= self.len {
            return 0.0;
        }
        // SAFETY: `at` is inside, elements are initialised, and of this type.
        unsafe {
            match self.dtype {
                Dtype::Fp32 => *self.at.as_ptr().cast::<f32>().add(at),
                Dtype::Bf16 => {
                    let bits = *self.at.as_ptr().cast::<u16>().add(at);
                    f32::from_bits(u32::from(bits) << 16)
                }
            }
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, once.
        unsafe { dealloc(self.at.as_ptr(), self.layout) }
    }
}

/// Memory that this machine can still give this process, in bytes, within the
/// limit of its control group if there is one; `None` where the system does
/// not say.
pub fn available_bytes() -> Option<u64> {
    let meminfo = std::fs::read_to_string("/proc/meminfo").ok();
    let machine = meminfo.as_deref().and_then(available_in);
    let group = std::fs::read_to_string("/proc/self/cgroup")
        .ok()
        .and_then(|text| group_room(&text));
    match (machine, group) {
        (Some(machine), Some(group)) => Some(machine.min(group)),
        (machine, group) => machine.or(group),
    }
}

fn available_in(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find(|l| l.starts_with("MemAvailable:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    kib.checked_mul(1024)
}

/// What the control group of `/proc/self/cgroup` (version 2) still allows.
fn group_room(text: &str) -> Option<u64> {
    let path = text.lines().find_map(|l| l.strip_prefix("0::/"))?;
    let folder = std::path::Path::new("/sys/fs/cgroup").join(path);
    let number = |name: &str| -> Option<u64> {
        let text = std::fs::read_to_string(folder.join(name)).ok()?;
        text.trim().parse().ok()
    };
    // No limit reads “max”, which is no number.
    let (limit, used) = (number("memory.max")?, number("memory.current")?);
    Some(limit.saturating_sub(used))
}

/// A size as people read it: `12.6 MB`.
pub(super) fn readable(bytes: u64) -> String {
    const UNITS: [&str; 7] = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    let name = UNITS.get(unit).unwrap_or(&"EB");
    if unit == 0 || value >= 99.95 {
        format!("{value:.0} {name}")
    } else {
        format!("{value:.1} {name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_well() {
        for (bytes, text) in [
            (12, "12 B"),
            (12_600_000, "12.6 MB"),
            (999_600, "1.0 MB"),
            (4_400_000_000, "4.4 GB"),
        ] {
            assert_eq!(readable(bytes), text);
        }
    }

    #[test]
    fn free_memory_is_read_from_the_system_s_words() {
        let text = "MemTotal:  24000000 kB\nMemFree:  1 kB\nMemAvailable:   2048 kB\n";
        assert_eq!(available_in(text), Some(2048 * 1024));
        assert_eq!(available_in("MemTotal: 1 kB\n"), None);
        assert_eq!(group_room("1:cpu:/\n"), None);
        assert_eq!(group_room("0::/no such group\n"), None);
    }

    #[test]
    fn a_buffer_is_zeroed_aligned_and_bounded() {
        let b = Buffer::zeros(Dtype::Bf16, 33).unwrap();
        assert_eq!(b.bf16() as usize % 64, 0);
        assert!((0..40).all(|i| b.get(i) == 0.0));
        assert!(Buffer::zeros(Dtype::Fp32, usize::MAX).is_none());
    }
}
