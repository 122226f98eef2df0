//! Arithmetic, logic, comparisons: which handler an opcode means.

use super::body::Lower;
use super::code::{Code, Type};
use super::draft::{Extra, Kind, Slot};
use crate::exec::float::{self, Ftz, Sat};
use crate::exec::lanes::map;
use crate::exec::{Handler, approx, bits, int};
use crate::program::Class;
use crate::ptx::{Instruction, Operand, PtxError};

/// A handler with the kinds of its operands and result.
pub(super) struct Shape {
    pub run: Handler,
    pub uses: &'static [Kind],
    pub def: Kind,
    pub class: Class,
    pub flops: u32,
}

const S1: &[Kind] = &[Kind::B32];
const S2: &[Kind] = &[Kind::B32; 2];
const S3: &[Kind] = &[Kind::B32; 3];
const D1: &[Kind] = &[Kind::B64];
const D2: &[Kind] = &[Kind::B64; 2];
const D3: &[Kind] = &[Kind::B64; 3];
const DS: &[Kind] = &[Kind::B64, Kind::B32];
const DSS: &[Kind] = &[Kind::B64, Kind::B32, Kind::B32];
const SSD: &[Kind] = &[Kind::B32, Kind::B32, Kind::B64];

impl<'m> Lower<'m> {
    /// Lowers what is arithmetic; false where the opcode is something else.
    pub(super) fn arithmetic(
        &mut self,
        i: &'m Instruction,
        code: &Code<'_>,
        info: u32,
    ) -> Result<bool, PtxError> {
        let Some(ty) = code.last_type() else {
            return Ok(false);
        };
        match code.root {
            "setp" => return self.compare(i, code, ty, info).map(|()| true),
            "selp" => return self.select(i, ty, info).map(|()| true),
            "slct" => return Ok(false),
            "and" | "or" | "xor" | "not" if ty == Type::Pred => {
                return self.predicate_logic(i, code, info).map(|()| true);
            }
            "bfi" => return self.insert_field(i, ty, info).map(|()| true),
            "lop3" => return self.truth_table(i, info).map(|()| true),
            _ => {}
        }
        let shape = match ty {
            Type::Float(32) => self.single(code),
            Type::Float(64) => self.double(code),
            _ => self.integer(code, ty),
        };
        let Some(shape) = shape else { return Ok(false) };
        self.shaped(i, &shape, ty.signed(), info)?;
        Ok(true)
    }

    /// Emits an instruction whose operands are a result and the sources of `shape`.
    pub(super) fn shaped(
        &mut self,
        i: &'m Instruction,
        shape: &Shape,
        signed: bool,
        info: u32,
    ) -> Result<(), PtxError> {
        let mut uses = [Slot::None; 3];
        for (at, (slot, kind)) in uses.iter_mut().zip(shape.uses).enumerate() {
            *slot = self.source(self.operand(i, at + 1)?, *kind, info)?;
        }
        let to = self.operand(i, 0)?;
        let def = self.destination(to, shape.def)?;
        self.push(shape.run, def, uses, info);
        self.settle(to, def, signed, info);
        self.flops(info, shape.class, shape.flops);
        Ok(())
    }

    fn single(&self, code: &Code<'_>) -> Option<Shape> {
        let isa = self.isa;
        let (ftz, sat) = (code.has("ftz"), code.has("sat"));
        macro_rules! float {
            ($op:ty) => {
                match (ftz, sat) {
                    (false, false) => map::<$op>(isa),
                    (true, false) => map::<Ftz<$op>>(isa),
                    (false, true) => map::<Sat<$op>>(isa),
                    (true, true) => map::<Sat<Ftz<$op>>>(isa),
                }
            };
        }
        macro_rules! bits {
            ($op:ty) => {
                if ftz {
                    map::<Ftz<$op>>(isa)
                } else {
                    map::<$op>(isa)
                }
            };
        }
        use float::{AddDirected, Down, FmaDirected, MulDirected, TowardsZero, Up};
        let (down, up, zero) = (code.has("rm"), code.has("rp"), code.has("rz"));
        let approx = code.has("approx") || code.has("full");
        let (run, uses, class, flops) = match code.root {
            "add" if down => (float!(AddDirected<Down>), S2, Class::Single, 1),
            "add" if up => (float!(AddDirected<Up>), S2, Class::Single, 1),
            "add" if zero => (float!(AddDirected<TowardsZero>), S2, Class::Single, 1),
            "add" => (float!(float::AddF32), S2, Class::Single, 1),
            "sub" => (float!(float::SubF32), S2, Class::Single, 1),
            "mul" if down => (float!(MulDirected<Down>), S2, Class::Single, 1),
            "mul" if up => (float!(MulDirected<Up>), S2, Class::Single, 1),
            "mul" if zero => (float!(MulDirected<TowardsZero>), S2, Class::Single, 1),
            "mul" => (float!(float::MulF32), S2, Class::Single, 1),
            "fma" | "mad" if down => (float!(FmaDirected<Down>), S3, Class::Single, 2),
            "fma" | "mad" if up => (float!(FmaDirected<Up>), S3, Class::Single, 2),
            "fma" | "mad" if zero => (float!(FmaDirected<TowardsZero>), S3, Class::Single, 2),
            "fma" | "mad" => (float!(float::FmaF32), S3, Class::Single, 2),
            "div" if approx => (float!(approx::DivApprox), S2, Class::Special, 1),
            "div" => (float!(float::DivF32), S2, Class::Special, 1),
            "sqrt" => (float!(float::SqrtF32), S1, Class::Special, 1),
            "rcp" => (float!(float::RcpF32), S1, Class::Special, 1),
            "rsqrt" => (float!(approx::Rsqrt), S1, Class::Special, 1),
            "ex2" => (float!(approx::Ex2), S1, Class::Special, 1),
            "lg2" => (float!(approx::Lg2), S1, Class::Special, 1),
            "sin" => (float!(approx::Sin), S1, Class::Special, 1),
            "cos" => (float!(approx::Cos), S1, Class::Special, 1),
            "tanh" => (float!(approx::Tanh), S1, Class::Special, 1),
            "neg" => (bits!(float::NegF32), S1, Class::Single, 0),
            "abs" => (bits!(float::AbsF32), S1, Class::Single, 0),
            "copysign" => (map::<float::CopySignF32>(isa), S2, Class::Single, 0),
            "min" if code.has("NaN") => (float!(float::MinNanF32), S2, Class::Single, 0),
            "max" if code.has("NaN") => (float!(float::MaxNanF32), S2, Class::Single, 0),
            "min" => (float!(float::MinF32), S2, Class::Single, 0),
            "max" => (float!(float::MaxF32), S2, Class::Single, 0),
            _ => return None,
        };
        Some(Shape {
            run,
            uses,
            def: Kind::B32,
            class,
            flops,
        })
    }

    fn double(&self, code: &Code<'_>) -> Option<Shape> {
        let isa = self.isa;
        if ["rm", "rp", "rz"].iter().any(|rounding| code.has(rounding)) {
            return None;
        }
        let (run, uses, flops) = match code.root {
            "add" => (map::<float::AddF64>(isa), D2, 1),
            "sub" => (map::<float::SubF64>(isa), D2, 1),
            "mul" => (map::<float::MulF64>(isa), D2, 1),
            "div" => (map::<float::DivF64>(isa), D2, 1),
            "fma" | "mad" => (map::<float::FmaF64>(isa), D3, 2),
            "sqrt" => (map::<float::SqrtF64>(isa), D1, 1),
            "rcp" => (map::<float::RcpF64>(isa), D1, 1),
            "rsqrt" => (map::<approx::RsqrtF64>(isa), D1, 1),
            "neg" => (map::<float::NegF64>(isa), D1, 0),
            "abs" => (map::<float::AbsF64>(isa), D1, 0),
            "min" => (map::<float::MinF64>(isa), D2, 0),
            "max" => (map::<float::MaxF64>(isa), D2, 0),
            _ => return None,
        };
        Some(Shape {
            run,
            uses,
            def: Kind::B64,
            class: Class::Double,
            flops,
        })
    }

    fn integer(&self, code: &Code<'_>, ty: Type) -> Option<Shape> {
        let isa = self.isa;
        let signed = ty.signed();
        macro_rules! sign {
            ($s:ty, $u:ty) => {
                if signed {
                    map::<$s>(isa)
                } else {
                    map::<$u>(isa)
                }
            };
        }
        let (hi, wide) = (code.has("hi"), code.has("wide"));
        let (run, uses, def) = match (code.root, ty.bits()) {
            ("add", 16 | 32) => (map::<int::Add32>(isa), S2, Kind::B32),
            ("add", 64) => (map::<int::Add64>(isa), D2, Kind::B64),
            ("sub", 16 | 32) => (map::<int::Sub32>(isa), S2, Kind::B32),
            ("sub", 64) => (map::<int::Sub64>(isa), D2, Kind::B64),
            ("mul", 16) if wide => (sign!(int::WideS16, int::WideU16), S2, Kind::B32),
            ("mul", 32) if wide => (sign!(int::WideS32, int::WideU32), S2, Kind::B64),
            ("mul", 32) if hi => (sign!(int::MulHiS32, int::MulHiU32), S2, Kind::B32),
            ("mul", 64) if hi => (sign!(int::MulHiS64, int::MulHiU64), D2, Kind::B64),
            ("mul", 16 | 32) if !hi => (map::<int::MulLo32>(isa), S2, Kind::B32),
            ("mul", 64) => (map::<int::MulLo64>(isa), D2, Kind::B64),
            ("mad", 32) if wide => (sign!(int::MadWideS32, int::MadWideU32), SSD, Kind::B64),
            ("mad", 32) if hi => (sign!(int::MadHiS32, int::MadHiU32), S3, Kind::B32),
            ("mad", 16 | 32) if !wide && !hi => (map::<int::MadLo32>(isa), S3, Kind::B32),
            ("mad", 64) if !hi => (map::<int::MadLo64>(isa), D3, Kind::B64),
            ("div", 16) if !signed => (map::<int::DivU16>(isa), S2, Kind::B32),
            ("div", 32) => (sign!(int::DivS32, int::DivU32), S2, Kind::B32),
            ("div", 64) => (sign!(int::DivS64, int::DivU64), D2, Kind::B64),
            ("rem", 16) if !signed => (map::<int::RemU16>(isa), S2, Kind::B32),
            ("rem", 32) => (sign!(int::RemS32, int::RemU32), S2, Kind::B32),
            ("rem", 64) => (sign!(int::RemS64, int::RemU64), D2, Kind::B64),
            ("min", 16) => (sign!(int::MinS16, int::MinU16), S2, Kind::B32),
            ("min", 32) => (sign!(int::MinS32, int::MinU32), S2, Kind::B32),
            ("min", 64) => (sign!(int::MinS64, int::MinU64), D2, Kind::B64),
            ("max", 16) => (sign!(int::MaxS16, int::MaxU16), S2, Kind::B32),
            ("max", 32) => (sign!(int::MaxS32, int::MaxU32), S2, Kind::B32),
            ("max", 64) => (sign!(int::MaxS64, int::MaxU64), D2, Kind::B64),
            ("neg", 16 | 32) => (map::<int::Neg32>(isa), S1, Kind::B32),
            ("neg", 64) => (map::<int::Neg64>(isa), D1, Kind::B64),
            ("abs", 32) => (map::<int::Abs32>(isa), S1, Kind::B32),
            ("abs", 64) => (map::<int::Abs64>(isa), D1, Kind::B64),
            ("sad", 32) => (sign!(int::SadS32, int::SadU32), S3, Kind::B32),
            ("and", 16 | 32) => (map::<bits::And32>(isa), S2, Kind::B32),
            ("and", 64) => (map::<bits::And64>(isa), D2, Kind::B64),
            ("or", 16 | 32) => (map::<bits::Or32>(isa), S2, Kind::B32),
            ("or", 64) => (map::<bits::Or64>(isa), D2, Kind::B64),
            ("xor", 16 | 32) => (map::<bits::Xor32>(isa), S2, Kind::B32),
            ("xor", 64) => (map::<bits::Xor64>(isa), D2, Kind::B64),
            ("not", 16 | 32) => (map::<bits::Not32>(isa), S1, Kind::B32),
            ("not", 64) => (map::<bits::Not64>(isa), D1, Kind::B64),
            ("cnot", 32) => (map::<bits::Cnot32>(isa), S1, Kind::B32),
            ("shl", 16) => (map::<bits::Shl16>(isa), S2, Kind::B32),
            ("shl", 32) => (map::<bits::Shl32>(isa), S2, Kind::B32),
            ("shl", 64) => (map::<bits::Shl64>(isa), DS, Kind::B64),
            ("shr", 16) => (sign!(bits::ShrS16, bits::ShrU16), S2, Kind::B32),
            ("shr", 32) => (sign!(bits::ShrS32, bits::ShrU32), S2, Kind::B32),
            ("shr", 64) => (sign!(bits::ShrS64, bits::ShrU64), DS, Kind::B64),
            ("shf", 32) => {
                let run = match (code.has("l"), code.has("wrap")) {
                    (true, true) => map::<bits::ShfLWrap>(isa),
                    (true, false) => map::<bits::ShfLClamp>(isa),
                    (false, true) => map::<bits::ShfRWrap>(isa),
                    (false, false) => map::<bits::ShfRClamp>(isa),
                };
                (run, S3, Kind::B32)
            }
            ("popc", 32) => (map::<bits::Popc32>(isa), S1, Kind::B32),
            ("popc", 64) => (map::<bits::Popc64>(isa), D1, Kind::B32),
            ("clz", 32) => (map::<bits::Clz32>(isa), S1, Kind::B32),
            ("clz", 64) => (map::<bits::Clz64>(isa), D1, Kind::B32),
            ("brev", 32) => (map::<bits::Brev32>(isa), S1, Kind::B32),
            ("brev", 64) => (map::<bits::Brev64>(isa), D1, Kind::B64),
            ("bfind", 32) if code.has("shiftamt") => (
                sign!(bits::BfindShiftS32, bits::BfindShiftU32),
                S1,
                Kind::B32,
            ),
            ("bfind", 32) => (sign!(bits::BfindS32, bits::BfindU32), S1, Kind::B32),
            ("bfind", 64) if !signed && !code.has("shiftamt") => {
                (map::<bits::BfindU64>(isa), D1, Kind::B32)
            }
            ("bfe", 32) => (sign!(bits::BfeS32, bits::BfeU32), S3, Kind::B32),
            ("bfe", 64) => (sign!(bits::BfeS64, bits::BfeU64), DSS, Kind::B64),
            ("prmt", 32) if code.mods.len() == 1 => (map::<bits::Prmt>(isa), S3, Kind::B32),
            ("dp4a", 32) => {
                let both = code.first_type().is_some_and(Type::signed) == signed;
                both.then_some(())?;
                (sign!(bits::Dp4aS, bits::Dp4aU), S3, Kind::B32)
            }
            _ => return None,
        };
        if code.has("sat") || code.has("cc") {
            return None;
        }
        Some(Shape {
            run,
            uses,
            def,
            class: Class::Integer,
            flops: 0,
        })
    }

    /// `bfi d, new, old, at, length`: the field's mask first, then the insertion.
    fn insert_field(&mut self, i: &'m Instruction, ty: Type, info: u32) -> Result<(), PtxError> {
        let isa = self.isa;
        let (kind, mask, shift, insert) = if ty.wide() {
            let shift = map::<bits::Shl64>(isa);
            (
                Kind::B64,
                map::<bits::FieldMask64>(isa),
                shift,
                map::<bits::Insert64>(isa),
            )
        } else {
            let shift = map::<bits::Shl32>(isa);
            (
                Kind::B32,
                map::<bits::FieldMask32>(isa),
                shift,
                map::<bits::Insert32>(isa),
            )
        };
        let new = self.source(self.operand(i, 1)?, kind, info)?;
        let old = self.source(self.operand(i, 2)?, kind, info)?;
        let at = self.source(self.operand(i, 3)?, Kind::B32, info)?;
        let length = self.source(self.operand(i, 4)?, Kind::B32, info)?;
        let (field, moved) = (self.temporary(kind), self.temporary(kind));
        self.push(mask, field, [at, length, Slot::None], info);
        self.push(shift, moved, [new, at, Slot::None], info);
        let to = self.operand(i, 0)?;
        let def = self.destination(to, kind)?;
        self.push(insert, def, [Slot::Reg(moved), old, Slot::Reg(field)], info);
        self.settle(to, def, false, info);
        Ok(())
    }

    /// `lop3.b32 d, a, b, c, table`: the sum of the table's products.
    fn truth_table(&mut self, i: &'m Instruction, info: u32) -> Result<(), PtxError> {
        let Some(Operand::Int(table)) = i.operands.get(4) else {
            return Err(PtxError::unsupported(i.line, &i.name));
        };
        let mut uses = [Slot::None; 3];
        for (at, slot) in uses.iter_mut().enumerate() {
            *slot = self.source(self.operand(i, at + 1)?, Kind::B32, info)?;
        }
        let to = self.operand(i, 0)?;
        let def = self.destination(to, Kind::B32)?;
        let extra = Extra::Value(*table as i32);
        self.push_extra(bits::lop3(self.isa), Some(def), uses, extra, info);
        self.settle(to, def, false, info);
        Ok(())
    }
}
