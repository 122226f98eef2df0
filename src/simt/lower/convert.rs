//! `mov`, `cvt`, `cvta`, packing.

use super::body::Lower;
use super::code::{Code, Type};
use super::draft::{Kind, Slot};
use crate::exec::convert::{self as cv, ToMinus, ToNearest, ToPlus, ToZero};
use crate::exec::float::{Ftz, Sat};
use crate::exec::lanes::map;
use crate::exec::{Handler, copy, pred, warp};
use crate::memory::{LOCAL_WINDOW, SHARED_WINDOW};
use crate::program::{Class, Constant};
use crate::ptx::{Instruction, Operand, PtxError};

fn kind_of(ty: Type) -> Kind {
    match ty {
        Type::Pred => Kind::Pred,
        ty if ty.wide() => Kind::B64,
        _ => Kind::B32,
    }
}

impl<'m> Lower<'m> {
    pub(super) fn conversion(
        &mut self,
        i: &'m Instruction,
        code: &Code<'_>,
        info: u32,
    ) -> Result<bool, PtxError> {
        match code.root {
            "mov" => self.mov(i, code, info)?,
            "cvta" => self.window_address(i, code, info)?,
            "cvt" => self.cvt(i, code, info)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn mov(&mut self, i: &'m Instruction, code: &Code<'_>, info: u32) -> Result<(), PtxError> {
        self.class(info, Class::Move);
        let ty = code.last_type().unwrap_or(Type::Bits(32));
        let (to, from) = (self.operand(i, 0)?, self.operand(i, 1)?);
        match (to, from) {
            (Operand::Vector(parts), _) => self.unpack(parts, from, ty, info),
            (_, Operand::Vector(parts)) => self.pack(to, parts, ty, info),
            (Operand::Reg(reg), _) if self.kind(self.reg(*reg)) == Kind::Pred => {
                let reg = self.reg(*reg);
                let (run, a) = match from {
                    Operand::Int(0) => (pred::logic::<pred::False>(self.isa), Slot::None),
                    Operand::Int(_) => (pred::logic::<pred::True>(self.isa), Slot::None),
                    _ => {
                        let a = self.source(from, Kind::Pred, info)?;
                        (pred::logic::<pred::Copy1>(self.isa), a)
                    }
                };
                self.push(run, reg, [a, Slot::None, Slot::None], info);
                Ok(())
            }
            (_, Operand::Special(name)) if name.contains("clock") || name.contains("timer") => {
                let wide = ty.wide();
                let run = if wide {
                    warp::clock::<u64>(self.isa)
                } else {
                    warp::clock::<u32>(self.isa)
                };
                let kind = kind_of(ty);
                let def = self.destination(to, kind)?;
                self.push(run, def, [Slot::None; 3], info);
                self.settle(to, def, false, info);
                Ok(())
            }
            (Operand::Reg(reg), _) => {
                // The destination's width decides: NVRTC moves %envreg and symbols as it likes.
                let kind = self.kind(self.reg(*reg));
                let slot = self.source(from, kind, info)?;
                self.rename(to, slot, info)
            }
            _ => Err(self.wrong("a move needs a register")),
        }
    }

    /// `mov.b64 {lo, hi}, v`
    fn unpack(
        &mut self,
        parts: &[Operand],
        from: &Operand,
        ty: Type,
        info: u32,
    ) -> Result<(), PtxError> {
        let isa = self.isa;
        let (low, high) = match (ty.bits(), parts.len()) {
            (64, 2) => (map::<cv::Narrow64>(isa), map::<cv::HighHalf64>(isa)),
            (32, 2) => (map::<cv::ZeroExtend16>(isa), map::<cv::HighHalf32>(isa)),
            _ => return Err(self.wrong("only halves can be unpacked")),
        };
        let source = self.source(from, kind_of(ty), info)?;
        // The first half may be written to the very register that is unpacked.
        let temporary = self.temporary(Kind::B32);
        self.push(low, temporary, [source, Slot::None, Slot::None], info);
        for (part, run) in parts.iter().zip([None, Some(high)]) {
            if *part == Operand::Sink {
                continue;
            }
            let def = self.destination(part, Kind::B32)?;
            if let Some(run) = run {
                self.push(run, def, [source, Slot::None, Slot::None], info);
                self.settle(part, def, false, info);
            }
        }
        if let Some(part) = parts.first().filter(|part| **part != Operand::Sink) {
            let def = self.destination(part, Kind::B32)?;
            let moved = [Slot::Reg(temporary), Slot::None, Slot::None];
            self.push(map::<copy::Move32>(isa), def, moved, info);
            self.settle(part, def, false, info);
        }
        Ok(())
    }

    /// `mov.b64 v, {lo, hi}`
    fn pack(
        &mut self,
        to: &Operand,
        parts: &[Operand],
        ty: Type,
        info: u32,
    ) -> Result<(), PtxError> {
        let run = match (ty.bits(), parts.len()) {
            (64, 2) => map::<cv::Join64>(self.isa),
            (32, 2) => map::<cv::Join32>(self.isa),
            _ => return Err(self.wrong("only halves can be packed")),
        };
        let mut uses = [Slot::None; 3];
        for (slot, part) in uses.iter_mut().zip(parts) {
            *slot = self.source(part, Kind::B32, info)?;
        }
        let def = self.destination(to, kind_of(ty))?;
        self.push(run, def, uses, info);
        self.settle(to, def, false, info);
        Ok(())
    }

    /// `cvta.to.shared.u64` and its inverse; global addresses are their own.
    fn window_address(
        &mut self,
        i: &'m Instruction,
        code: &Code<'_>,
        info: u32,
    ) -> Result<(), PtxError> {
        self.class(info, Class::Convert);
        let window = if code.has("shared") {
            SHARED_WINDOW
        } else if code.has("local") {
            LOCAL_WINDOW
        } else {
            0
        };
        let (to, from) = (self.operand(i, 0)?, self.operand(i, 1)?);
        let source = self.source(from, Kind::B64, info)?;
        if window == 0 {
            return self.rename(to, source, info);
        }
        let run = if code.has("to") {
            map::<copy::OutOfWindow>(self.isa)
        } else {
            map::<copy::IntoWindow>(self.isa)
        };
        let window = Slot::Const(Constant::Bits64(window));
        let def = self.destination(to, Kind::B64)?;
        self.push(run, def, [source, window, Slot::None], info);
        self.settle(to, def, false, info);
        Ok(())
    }

    fn cvt(&mut self, i: &'m Instruction, code: &Code<'_>, info: u32) -> Result<(), PtxError> {
        self.class(info, Class::Convert);
        let (Some(to), Some(from)) = (code.first_type(), code.last_type()) else {
            return Err(PtxError::unsupported(i.line, &i.name));
        };
        let isa = self.isa;
        if matches!(to, Type::Bf16x2 | Type::F16x2) && from == Type::Float(32) {
            let run = if to == Type::Bf16x2 {
                map::<cv::Bf16x2FromF32>(isa)
            } else {
                map::<cv::F16x2FromF32>(isa)
            };
            let high = self.source(self.operand(i, 1)?, Kind::B32, info)?;
            let low = self.source(self.operand(i, 2)?, Kind::B32, info)?;
            let def = self.destination(self.operand(i, 0)?, Kind::B32)?;
            self.push(run, def, [high, low, Slot::None], info);
            return Ok(());
        }
        let (into, out) = (self.operand(i, 0)?, self.operand(i, 1)?);
        let Some(steps) = steps(self, code, from, to) else {
            return Err(PtxError::unsupported(i.line, &i.name));
        };
        let mut value = self.source(out, kind_of(from), info)?;
        if steps.is_empty() {
            // Equal widths: another name, unless the register is wider than the type.
            let Operand::Reg(reg) = into else {
                return Err(self.wrong("the destination is not a register"));
            };
            if self.kind(self.reg(*reg)) == kind_of(to) {
                return self.rename(into, value, info);
            }
        }
        let mut last = None;
        for (number, (run, kind)) in steps.iter().enumerate() {
            let is_last = number + 1 == steps.len();
            let def = if is_last {
                self.destination(into, *kind)?
            } else {
                self.temporary(*kind)
            };
            self.push(*run, def, [value, Slot::None, Slot::None], info);
            value = Slot::Reg(def);
            last = Some(def);
        }
        if let Some(def) = last {
            self.settle(into, def, to.signed(), info);
        } else if let Slot::Reg(reg) = value {
            self.settle(into, reg, to.signed(), info);
        }
        Ok(())
    }
}

/// The handlers that make a `to` of a `from`, with the kind of each result.
fn steps(lower: &Lower<'_>, code: &Code<'_>, from: Type, to: Type) -> Option<Vec<(Handler, Kind)>> {
    use Type::{Bf16, Float, Signed, Unsigned};
    let isa = lower.isa;
    let (b32, b64) = (Kind::B32, Kind::B64);
    macro_rules! rounded {
        ($op:ident) => {
            if code.has("rni") || code.has("rn") {
                map::<cv::$op<ToNearest>>(isa)
            } else if code.has("rmi") || code.has("rm") {
                map::<cv::$op<ToMinus>>(isa)
            } else if code.has("rpi") || code.has("rp") {
                map::<cv::$op<ToPlus>>(isa)
            } else {
                map::<cv::$op<ToZero>>(isa)
            }
        };
    }
    let whole = ["rni", "rzi", "rmi", "rpi"]
        .iter()
        .any(|rounding| code.has(rounding));
    let (sat, ftz) = (code.has("sat"), code.has("ftz"));
    let directed = ["rz", "rm", "rp"].iter().any(|rounding| code.has(rounding));
    Some(match (from, to) {
        (Float(32), Float(32)) if whole => vec![(rounded!(RoundF32), b32)],
        (Float(32), Float(32)) if sat => vec![(map::<Sat<cv::Same>>(isa), b32)],
        (Float(32), Float(32)) if ftz => vec![(map::<Ftz<cv::Same>>(isa), b32)],
        (Float(64), Float(64)) if whole => vec![(rounded!(RoundF64), b64)],
        (Float(a), Float(b)) if a == b => Vec::new(),
        (Float(32), Float(64)) => vec![(map::<cv::F32ToF64>(isa), b64)],
        (Float(64), Float(32)) if !directed => vec![(map::<cv::F64ToF32>(isa), b32)],
        (Float(32), Bf16) if code.has("rz") => vec![(map::<cv::Bf16FromF32Zero>(isa), b32)],
        (Float(32), Bf16) => vec![(map::<cv::Bf16FromF32>(isa), b32)],
        (Bf16, Float(32)) => vec![(map::<cv::F32FromBf16>(isa), b32)],
        (Float(32), Float(16)) if !directed => vec![(map::<cv::F16FromF32>(isa), b32)],
        (Float(16), Float(32)) => vec![(map::<cv::F32FromF16>(isa), b32)],
        (Float(32), Signed(8)) => vec![(rounded!(S8FromF32), b32)],
        (Float(32), Unsigned(8)) => vec![(rounded!(U8FromF32), b32)],
        (Float(32), Signed(16)) => vec![(rounded!(S16FromF32), b32)],
        (Float(32), Unsigned(16)) => vec![(rounded!(U16FromF32), b32)],
        (Float(32), Signed(32)) => vec![(rounded!(S32FromF32), b32)],
        (Float(32), Unsigned(32)) => vec![(rounded!(U32FromF32), b32)],
        (Float(32), Signed(64)) => vec![(rounded!(S64FromF32), b64)],
        (Float(32), Unsigned(64)) => vec![(rounded!(U64FromF32), b64)],
        (Float(64), Signed(32)) => vec![(rounded!(S32FromF64), b32)],
        (Float(64), Unsigned(32)) => vec![(rounded!(U32FromF64), b32)],
        (Float(64), Signed(64)) => vec![(rounded!(S64FromF64), b64)],
        (Float(64), Unsigned(64)) => vec![(rounded!(U64FromF64), b64)],
        (Signed(bits) | Unsigned(bits), Float(32 | 64)) => {
            let mut chain: Vec<_> = if bits < 32 {
                vec![extend(lower, from)?]
            } else {
                Vec::new()
            };
            if directed {
                return None;
            }
            let signed = from.signed();
            chain.push(match (bits == 64, signed, to.wide()) {
                (false, true, false) => (map::<cv::F32FromS32>(isa), b32),
                (false, false, false) => (map::<cv::F32FromU32>(isa), b32),
                (true, true, false) => (map::<cv::F32FromS64>(isa), b32),
                (true, false, false) => (map::<cv::F32FromU64>(isa), b32),
                (false, true, true) => (map::<cv::F64FromS32>(isa), b64),
                (false, false, true) => (map::<cv::F64FromU32>(isa), b64),
                (true, true, true) => (map::<cv::F64FromS64>(isa), b64),
                (true, false, true) => (map::<cv::F64FromU64>(isa), b64),
            });
            chain
        }
        (Signed(a) | Unsigned(a), Signed(b) | Unsigned(b)) if !sat => {
            let mut chain = Vec::new();
            if a < 32 && b > a {
                chain.push(extend(lower, from)?);
            }
            if a == 64 && b < 64 {
                chain.push((map::<cv::Narrow64>(isa), b32));
            }
            if a < 64 && b == 64 {
                let signed = from.signed();
                let run = if signed {
                    map::<cv::WidenS32>(isa)
                } else {
                    map::<cv::WidenU32>(isa)
                };
                chain.push((run, b64));
            }
            if b < 32 && b <= a {
                chain.push(extend(lower, to)?);
            }
            chain
        }
        _ => return None,
    })
}

/// A value of fewer than 32 bits, extended to 32.
fn extend(lower: &Lower<'_>, ty: Type) -> Option<(Handler, Kind)> {
    let isa = lower.isa;
    let run = match ty {
        Type::Signed(8) => map::<cv::SignExtend8>(isa),
        Type::Unsigned(8) => map::<cv::ZeroExtend8>(isa),
        Type::Signed(16) => map::<cv::SignExtend16>(isa),
        Type::Unsigned(16) => map::<cv::ZeroExtend16>(isa),
        _ => return None,
    };
    Some((run, Kind::B32))
}
