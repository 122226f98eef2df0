//! Comparisons, predicate logic, selection.

use super::body::Lower;
use super::code::{Code, Type};
use super::draft::{Extra, Kind, Slot};
use crate::exec::{Handler, Isa, pred};
use crate::program::Class;
use crate::ptx::{Instruction, Operand, PtxError, RegId};

impl<'m> Lower<'m> {
    /// `setp.lt.s32 p|q, a, b` and `setp.lt.and.s32 p|q, a, b, r`
    pub(super) fn compare(
        &mut self,
        i: &'m Instruction,
        code: &Code<'_>,
        ty: Type,
        info: u32,
    ) -> Result<(), PtxError> {
        let Some(run) = comparison(self, code, ty) else {
            return Err(PtxError::unsupported(i.line, &i.name));
        };
        let kind = if ty.wide() { Kind::B64 } else { Kind::B32 };
        let a = self.source(self.operand(i, 1)?, kind, info)?;
        let b = self.source(self.operand(i, 2)?, kind, info)?;
        let (p, q) = match self.operand(i, 0)? {
            Operand::Reg(p) => (self.reg(*p), None),
            Operand::Pair(p, q) => (self.reg(*p), Some(self.reg(*q))),
            _ => return Err(self.wrong("a comparison writes a predicate")),
        };
        self.class(info, Class::Compare);
        let combined = i.operands.get(3);
        let raw = if q.is_some() || combined.is_some() {
            self.temporary(Kind::Pred)
        } else {
            p
        };
        self.push(run, raw, [a, b, Slot::None], info);
        if raw == p {
            return Ok(());
        }
        let isa = self.isa;
        let (other, negated) = match combined {
            Some(Operand::Reg(r)) => (Some(self.reg(*r)), false),
            Some(Operand::NotReg(r)) => (Some(self.reg(*r)), true),
            _ => (None, false),
        };
        let inverse = self.temporary(Kind::Pred);
        self.logic(pred::logic::<pred::Not>(isa), inverse, raw, None, info);
        for (to, from) in [(Some(p), raw), (q, inverse)] {
            let Some(to) = to else { continue };
            let run = match (other.is_some(), code.has("and"), code.has("or"), negated) {
                (false, ..) => pred::logic::<pred::Copy1>(isa),
                (_, true, _, false) => pred::logic::<pred::And>(isa),
                (_, true, _, true) => pred::logic::<pred::AndNot>(isa),
                (_, _, true, false) => pred::logic::<pred::Or>(isa),
                (_, _, true, true) => pred::logic::<pred::OrNot>(isa),
                (_, _, _, false) => pred::logic::<pred::Xor>(isa),
                _ => return Err(PtxError::unsupported(i.line, &i.name)),
            };
            self.logic(run, to, from, other, info);
        }
        Ok(())
    }

    fn logic(&mut self, run: Handler, to: RegId, a: RegId, b: Option<RegId>, info: u32) {
        let b = b.map_or(Slot::None, Slot::Reg);
        self.push(run, to, [Slot::Reg(a), b, Slot::None], info);
    }

    pub(super) fn predicate_logic(
        &mut self,
        i: &'m Instruction,
        code: &Code<'_>,
        info: u32,
    ) -> Result<(), PtxError> {
        let isa = self.isa;
        let run = match code.root {
            "and" => pred::logic::<pred::And>(isa),
            "or" => pred::logic::<pred::Or>(isa),
            "xor" => pred::logic::<pred::Xor>(isa),
            _ => pred::logic::<pred::Not>(isa),
        };
        let Operand::Reg(to) = self.operand(i, 0)? else {
            return Err(self.wrong("predicate logic writes a predicate"));
        };
        let to = self.reg(*to);
        let a = self.source(self.operand(i, 1)?, Kind::Pred, info)?;
        let b = match i.operands.get(2) {
            Some(operand) => self.source(operand, Kind::Pred, info)?,
            None => Slot::None,
        };
        self.push(run, to, [a, b, Slot::None], info);
        self.class(info, Class::Compare);
        Ok(())
    }

    pub(super) fn select(
        &mut self,
        i: &'m Instruction,
        ty: Type,
        info: u32,
    ) -> Result<(), PtxError> {
        let (kind, run) = if ty.wide() {
            (Kind::B64, pred::selp::<u64>(self.isa))
        } else {
            (Kind::B32, pred::selp::<u32>(self.isa))
        };
        let a = self.source(self.operand(i, 1)?, kind, info)?;
        let b = self.source(self.operand(i, 2)?, kind, info)?;
        let c = self.source(self.operand(i, 3)?, Kind::Pred, info)?;
        let to = self.operand(i, 0)?;
        let def = self.destination(to, kind)?;
        self.push_extra(run, Some(def), [a, b, c], Extra::Value(0), info);
        self.settle(to, def, ty.signed(), info);
        self.class(info, Class::Move);
        Ok(())
    }
}

/// The handler of a comparison.
fn comparison(lower: &Lower<'_>, code: &Code<'_>, ty: Type) -> Option<Handler> {
    use pred::{Comparable, Eq, Equ, Ge, Geu, Gt, Gtu, Le, Leu, Lt, Ltu, Nan, Ne, Neu, Num, setp};
    let isa = lower.isa;
    let which = code.mods.first().copied()?;
    fn of<T: Comparable>(which: &str, isa: Isa, float: bool) -> Option<Handler> {
        Some(match (which, float) {
            ("eq", _) => setp::<Eq<T>>(isa),
            ("ne", true) => setp::<Ne<T>>(isa),
            ("ne", false) => setp::<Neu<T>>(isa),
            ("lt", _) | ("lo", false) => setp::<Lt<T>>(isa),
            ("le", _) | ("ls", false) => setp::<Le<T>>(isa),
            ("gt", _) | ("hi", false) => setp::<Gt<T>>(isa),
            ("ge", _) | ("hs", false) => setp::<Ge<T>>(isa),
            ("equ", true) => setp::<Equ<T>>(isa),
            ("neu", true) => setp::<Neu<T>>(isa),
            ("ltu", true) => setp::<Ltu<T>>(isa),
            ("leu", true) => setp::<Leu<T>>(isa),
            ("gtu", true) => setp::<Gtu<T>>(isa),
            ("geu", true) => setp::<Geu<T>>(isa),
            ("num", true) => setp::<Num<T>>(isa),
            ("nan", true) => setp::<Nan<T>>(isa),
            _ => return None,
        })
    }
    match ty {
        Type::Float(32) => of::<f32>(which, isa, true),
        Type::Float(64) => of::<f64>(which, isa, true),
        Type::Signed(16) => of::<i16>(which, isa, false),
        Type::Signed(32) => of::<i32>(which, isa, false),
        Type::Signed(64) => of::<i64>(which, isa, false),
        Type::Unsigned(16) | Type::Bits(16) => of::<u16>(which, isa, false),
        Type::Unsigned(32) | Type::Bits(32) => of::<u32>(which, isa, false),
        Type::Unsigned(64) | Type::Bits(64) => of::<u64>(which, isa, false),
        _ => None,
    }
}
