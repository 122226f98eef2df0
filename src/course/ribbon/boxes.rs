//! The boxes of the ribbon as priced kernels.

use super::{COUNT, Group, SLOTS};
use plan::cost::{Cost, KernelCost};
use plan::model::OpKind;

/// The priced kernel that a group of the ribbon stands for; the first of two
/// where RoPE of q and of k are launched apart.
pub fn kernel_of<'c>(cost: &'c Cost, group: &Group) -> Option<&'c KernelCost> {
    kernels_of(cost, group).next()
}

/// The priced kernels that a box of the ribbon stands for: one, or two where
/// RoPE of q and of k are launched apart.
pub fn kernels_of<'c>(
    cost: &'c Cost,
    group: &Group,
) -> impl Iterator<Item = &'c KernelCost> + use<'c> {
    // A group that goes on from the block before is the kernel that ends this
    // one: its last op names it.
    let first = if group.is_echo() {
        COUNT - 1
    } else {
        group.first
    };
    let mut ops: Vec<OpKind> = SLOTS.get(first).map(|s| s.op).into_iter().collect();
    if group.rope_twice {
        ops.push(OpKind::RopeK);
    }
    let holds = |k: &KernelCost, op: OpKind| k.flop_terms.iter().any(|t| t.op == op);
    cost.block
        .kernels
        .iter()
        .filter(move |k| ops.iter().any(|op| holds(k, *op)))
}

/// What a box of the ribbon costs: the sums over its kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoxCost {
    /// Floating-point operations.
    pub flops: u64,
    /// Activation bytes read.
    pub read: u64,
    /// Weight bytes.
    pub weights: u64,
    /// Bytes written.
    pub written: u64,
}

impl BoxCost {
    /// The sums over the kernels of a box.
    pub fn of(cost: &Cost, group: &Group) -> Self {
        kernels_of(cost, group).fold(Self::default(), |sum, k| BoxCost {
            flops: sum.flops + k.flops,
            read: sum.read + k.read_bytes,
            weights: sum.weights + k.weight_bytes,
            written: sum.written + k.written_bytes,
        })
    }

    /// All bytes.
    pub fn bytes(&self) -> u64 {
        self.read + self.weights + self.written
    }

    /// FLOPs per byte.
    pub fn intensity(&self) -> f64 {
        self.flops as f64 / self.bytes().max(1) as f64
    }
}
