//! Operands: what an instruction reads and writes, in the width that it wants.

use super::body::Lower;
use super::draft::{Item, Kind, Slot};
use super::symbols::Symbol;
use crate::exec::{convert, copy, lanes};
use crate::memory::PARAM_WINDOW;
use crate::program::{Constant, LaneMask, Special};
use crate::ptx::{Operand, PtxError, RegId};

impl<'m> Lower<'m> {
    /// A source operand, widened or narrowed to `kind`.
    pub fn source(&mut self, operand: &Operand, kind: Kind, info: u32) -> Result<Slot, PtxError> {
        let bits = |value: u64| match kind {
            Kind::B64 => Slot::Const(Constant::Bits64(value)),
            _ => Slot::Const(Constant::Bits32(value as u32)),
        };
        match operand {
            Operand::Reg(reg) => {
                let reg = self.reg(*reg);
                let own = self.kind(reg);
                if own == kind {
                    return Ok(self.aliases.get(&reg).copied().unwrap_or(Slot::Reg(reg)));
                }
                let (run, to) = match (own, kind) {
                    (Kind::B64, Kind::B32) => (lanes::map::<convert::Narrow64>(self.isa), kind),
                    (Kind::B32, Kind::B64) => (lanes::map::<convert::WidenU32>(self.isa), kind),
                    _ => {
                        return Err(self.wrong("a predicate where a value belongs, or the reverse"));
                    }
                };
                let from = self.aliases.get(&reg).copied().unwrap_or(Slot::Reg(reg));
                let temporary = self.temporary(to);
                self.push(run, temporary, [from, Slot::None, Slot::None], info);
                Ok(Slot::Reg(temporary))
            }
            Operand::Int(value) => Ok(bits(*value as u64)),
            Operand::Single(value) if kind == Kind::B64 => {
                Ok(bits(f64::from(f32::from_bits(*value)).to_bits()))
            }
            Operand::Single(value) => Ok(bits(u64::from(*value))),
            Operand::Double(value) if kind == Kind::B32 => {
                Ok(bits(u64::from((f64::from_bits(*value) as f32).to_bits())))
            }
            Operand::Double(value) => Ok(bits(*value)),
            Operand::Special(name) => {
                let Some(which) = special(name) else {
                    return Err(PtxError::unsupported(self.line, name));
                };
                Ok(Slot::Const(Constant::Special {
                    which,
                    wide: kind == Kind::B64,
                }))
            }
            Operand::Symbol(name) => self.address_of(name, 0, kind),
            _ => Err(self.wrong("this operand does not belong here")),
        }
    }

    /// The address of a variable plus `offset`.
    pub fn address_of(&self, name: &str, offset: i64, kind: Kind) -> Result<Slot, PtxError> {
        let at = |base: u64| {
            let value = base.wrapping_add(offset as u64);
            Slot::Const(match kind {
                Kind::B64 => Constant::Bits64(value),
                _ => Constant::Bits32(value as u32),
            })
        };
        if let Some(base) = self.instance.locals.get(name) {
            return Ok(at(*base));
        }
        match self.symbols.get(name) {
            Some(Symbol::Shared(base)) => Ok(at(base)),
            Some(Symbol::Param(base)) => Ok(at(PARAM_WINDOW + u64::from(base))),
            Some(Symbol::Global(variable)) => {
                Ok(Slot::Const(Constant::Global { variable, offset }))
            }
            None => Err(self.wrong(format!("`{name}` is not declared"))),
        }
    }

    /// The register of a destination operand; a wider one than `kind` is filled
    /// from a temporary afterwards ([`Lower::settle`]).
    pub fn destination(&mut self, operand: &Operand, kind: Kind) -> Result<RegId, PtxError> {
        match operand {
            Operand::Reg(reg) => {
                let reg = self.reg(*reg);
                if self.kind(reg) == kind {
                    Ok(reg)
                } else {
                    Ok(self.temporary(kind))
                }
            }
            Operand::Sink => Ok(self.temporary(kind)),
            _ => Err(self.wrong("the destination is not a register")),
        }
    }

    /// Widens what went into a temporary.
    pub fn settle(&mut self, operand: &Operand, from: RegId, signed: bool, info: u32) {
        let Operand::Reg(reg) = operand else { return };
        let reg = self.reg(*reg);
        if reg == from {
            return;
        }
        let run = match (self.kind(from), self.kind(reg), signed) {
            (Kind::B32, Kind::B64, false) => lanes::map::<convert::WidenU32>(self.isa),
            (Kind::B32, Kind::B64, true) => lanes::map::<convert::WidenS32>(self.isa),
            (Kind::B64, Kind::B32, _) => lanes::map::<convert::Narrow64>(self.isa),
            _ => return,
        };
        self.push(run, reg, [Slot::Reg(from), Slot::None, Slot::None], info);
    }

    /// Makes `operand` another name of `slot` if it is never assigned again,
    /// else copies.
    pub fn rename(&mut self, operand: &Operand, slot: Slot, info: u32) -> Result<(), PtxError> {
        let Operand::Reg(reg) = operand else {
            return Err(self.wrong("the destination is not a register"));
        };
        let reg = self.reg(*reg);
        let once = |reg: RegId| {
            self.definitions
                .get(reg.0 as usize)
                .is_some_and(|n| *n == 1)
        };
        let steady = match slot {
            Slot::Reg(from) => once(from) && self.kind(from) == self.kind(reg),
            Slot::Const(_) => true,
            Slot::None => false,
        };
        if steady && once(reg) {
            self.aliases.insert(reg, slot);
            self.items.push(Item::Free(info));
            return Ok(());
        }
        let run = match self.kind(reg) {
            Kind::B64 => lanes::map::<copy::Move64>(self.isa),
            _ => lanes::map::<copy::Move32>(self.isa),
        };
        self.push(run, reg, [slot, Slot::None, Slot::None], info);
        Ok(())
    }
}

fn special(name: &str) -> Option<Special> {
    let axis = |name: &str| match name {
        "x" => Some(0),
        "y" => Some(1),
        "z" => Some(2),
        _ => None,
    };
    let mask = Special::LaneMask;
    Some(match name {
        "%laneid" => Special::Lane,
        "%warpid" => Special::Warp,
        "%nwarpid" => Special::Warps,
        "%lanemask_eq" => mask(LaneMask::Equal),
        "%lanemask_lt" => mask(LaneMask::Less),
        "%lanemask_le" => mask(LaneMask::LessEqual),
        "%lanemask_gt" => mask(LaneMask::Greater),
        "%lanemask_ge" => mask(LaneMask::GreaterEqual),
        "%dynamic_smem_size" => Special::DynamicShared,
        "%total_smem_size" => Special::TotalShared,
        "%smid" | "%gridid" | "%nsmid" => Special::Zero,
        _ => {
            let (vector, component) = name.split_once('.')?;
            let axis = axis(component)?;
            match vector {
                "%tid" => Special::Thread(axis),
                "%ctaid" => Special::Block(axis),
                "%ntid" => Special::BlockSize(axis),
                "%nctaid" => Special::GridSize(axis),
                _ => return None,
            }
        }
    })
}
