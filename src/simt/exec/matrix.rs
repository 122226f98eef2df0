//! Matrix units: `ldmatrix` and `mma.sync`, fragments as the PTX manual lays them out.

use super::lanes::{Isa, handlers};
use super::shared;
use super::turn::{FULL, Handler, Inst, Turn, WARP};
use crate::fault::{Access, Problem};

/// Depth of a product.
pub(crate) trait Depth {
    /// Registers of B; A has twice as many.
    const HALVES: usize;
}

pub(crate) struct K16;
pub(crate) struct K8;

impl Depth for K16 {
    const HALVES: usize = 2;
}
impl Depth for K8 {
    const HALVES: usize = 1;
}

/// The two bf16 of a register as fp32: lower half first.
#[inline(always)]
fn pair(word: u32) -> [f32; 2] {
    [
        f32::from_bits(word << 16),
        f32::from_bits(word & 0xffff_0000),
    ]
}

/// D = A·B + C on 16×8×(8·HALVES). Lane `l` has rows l/4 and l/4 + 8 of A and C, and
/// column l/4 of B; pairs along K begin at 2·(l % 4).
///
/// Products are summed in fp32 along K in order. Hardware's order is its own.
///
/// # Safety
/// As for `Handler`. Listed: four of D, then A, B, C.
#[inline(always)]
unsafe fn multiply<K: Depth>(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    if turn.mask != FULL {
        let lane = (!turn.mask).trailing_zeros();
        let kind = Problem::LanesMissing {
            wanted: FULL,
            active: turn.mask,
        };
        return turn.fail(inst, lane, kind);
    }
    let halves = K::HALVES as u32;
    let mut a = [[0.0_f32; 16]; 16];
    // B by column: b[k] are its eight columns at depth k.
    let mut b = [[0.0_f32; 8]; 16];
    for register in 0..2 * halves {
        let row = turn.listed(inst, 4 + register);
        // SAFETY: an operand (`Handler`).
        let words = unsafe { turn.lanes::<u32>(row) };
        let (down, along) = (8 * (register % 2) as usize, 8 * (register / 2) as usize);
        for (lane, &word) in words.iter().enumerate() {
            let (i, k) = (lane / 4 + down, 2 * (lane % 4) + along);
            let [low, high] = pair(word);
            (a[i][k], a[i][k + 1]) = (low, high);
        }
    }
    for register in 0..halves {
        let row = turn.listed(inst, 4 + 2 * halves + register);
        // SAFETY: an operand (`Handler`).
        let words = unsafe { turn.lanes::<u32>(row) };
        for (lane, &word) in words.iter().enumerate() {
            let (j, k) = (lane / 4, 2 * (lane % 4) + 8 * register as usize);
            let [low, high] = pair(word);
            (b[k][j], b[k + 1][j]) = (low, high);
        }
    }
    let mut c = [[0.0_f32; 8]; 16];
    for register in 0..4 {
        let row = turn.listed(inst, 4 + 3 * halves + register);
        // SAFETY: an operand (`Handler`).
        let values = unsafe { turn.lanes::<f32>(row) };
        for (lane, &value) in values.iter().enumerate() {
            c[lane / 4 + 8 * (register / 2) as usize][2 * (lane % 4) + (register % 2) as usize] =
                value;
        }
    }
    for (sums, row) in c.iter_mut().zip(&a) {
        for (&left, right) in row.iter().zip(&b).take(8 * K::HALVES) {
            for (sum, &right) in sums.iter_mut().zip(right) {
                *sum = left.mul_add(right, *sum);
            }
        }
    }
    for register in 0..4 {
        let row = turn.listed(inst, register);
        // SAFETY: a result (`Handler`).
        let d = unsafe { turn.row::<f32>(row) };
        for lane in 0..WARP {
            let value =
                c[lane / 4 + 8 * (register / 2) as usize][2 * (lane % 4) + (register % 2) as usize];
            // SAFETY: a register has 32 lanes.
            unsafe { d.add(lane).write(value) };
        }
    }
    true
}

handlers! {
    /// `mma.sync`
    pub(crate) fn mma<K: Depth> = multiply::<K>
}

/// How many matrices, and whether they are turned over.
pub(crate) trait Load {
    const COUNT: usize;
    const TRANSPOSED: bool;
}

macro_rules! loads {
    ($($name:ident: $count:literal, $transposed:literal;)*) => {
        $(
            struct $name;
            impl Load for $name {
                const COUNT: usize = $count;
                const TRANSPOSED: bool = $transposed;
            }
        )*
    };
}

loads! {
    X1: 1, false;
    X2: 2, false;
    X4: 4, false;
    X1T: 1, true;
    X2T: 2, true;
    X4T: 4, true;
}

/// Matrix `m` has its eight rows of 16 bytes at the addresses of lanes 8m … 8m + 7.
///
/// # Safety
/// As for `Handler`. Listed: the results, then the address register of 64 bits.
#[inline(always)]
unsafe fn load_rows<L: Load>(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    if turn.mask != FULL {
        let lane = (!turn.mask).trailing_zeros();
        let kind = Problem::LanesMissing {
            wanted: FULL,
            active: turn.mask,
        };
        return turn.fail(inst, lane, kind);
    }
    let pointer = turn.listed(inst, L::COUNT as u32);
    // SAFETY: an operand (`Handler`).
    let addresses = unsafe { turn.lanes::<u64>(pointer) };
    let offset = i64::from(inst.x) as u64;
    let offsets = addresses.map(|address| shared::within(address.wrapping_add(offset)));
    // Only the lanes that give addresses touch memory.
    let giving = if L::COUNT == 4 {
        FULL
    } else {
        (1 << (8 * L::COUNT)) - 1
    };
    (turn.mask, turn.collective) = (giving, true);
    let pattern = shared::resolve(turn, inst, &offsets, 16, Access::Read);
    (turn.mask, turn.collective) = (FULL, false);
    let Some(pattern) = pattern else { return false };
    shared::keep(turn, inst, pattern);
    for matrix in 0..L::COUNT {
        let row = turn.listed(inst, matrix as u32);
        let words = &turn.block.shared;
        let word = |row: usize, column: usize| {
            let at = offsets[8 * matrix + row] as usize / 4 + column / 2;
            words.get(at).copied().unwrap_or_default()
        };
        let values: [u32; WARP] = std::array::from_fn(|lane| {
            let (i, j) = (lane / 4, 2 * (lane % 4));
            if L::TRANSPOSED {
                let half = |row: usize| word(row, i) >> (16 * (i % 2)) & 0xffff;
                half(j + 1) << 16 | half(j)
            } else {
                word(i, j)
            }
        });
        // SAFETY: a result (`Handler`).
        unsafe { turn.row::<[u32; WARP]>(row).write(values) };
    }
    true
}

handlers! {
    fn rows<L: Load> = load_rows::<L>
}

/// The handler of `ldmatrix.x1`, `.x2` or `.x4`.
pub(crate) fn ldmatrix(isa: Isa, count: usize, transposed: bool) -> Handler {
    match (count, transposed) {
        (1, false) => rows::<X1>(isa),
        (2, false) => rows::<X2>(isa),
        (4, false) => rows::<X4>(isa),
        (1, true) => rows::<X1T>(isa),
        (2, true) => rows::<X2T>(isa),
        _ => rows::<X4T>(isa),
    }
}
