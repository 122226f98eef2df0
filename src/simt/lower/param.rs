//! Parameters: those of the entry are constants, those of calls registers.

use super::body::Lower;
use super::code::Code;
use super::draft::{Kind, Slot};
use super::symbols::Symbol;
use crate::exec::element::{B32, B64, One, S8, S16, U8, U16};
use crate::exec::{Handler, copy, lanes, local};
use crate::program::{Class, Constant};
use crate::ptx::{Base, Instruction, Operand, PtxError};

impl<'m> Lower<'m> {
    /// Parameters of the entry are constants; those of calls are registers.
    pub(super) fn load_param(
        &mut self,
        i: &'m Instruction,
        code: &Code<'_>,
        info: u32,
    ) -> Result<(), PtxError> {
        self.class(info, Class::Move);
        let unsupported = || PtxError::unsupported(i.line, &i.name);
        let ty = code.last_type().ok_or_else(unsupported)?;
        let address = self.address(i, 1)?;
        let single = [self.operand(i, 0)?.clone()];
        let parts = match &single {
            [Operand::Vector(parts)] => parts.as_slice(),
            one => one,
        };
        let step = i64::from(ty.bits() / 8);
        let kind = if ty.wide() { Kind::B64 } else { Kind::B32 };
        let Base::Symbol(name) = &address.base else {
            return self.load_param_at(i, code, parts, info);
        };
        for (at, part) in parts.iter().enumerate() {
            let offset = address.offset + at as i64 * step;
            let entry = self.symbols.get(name);
            if let Some(Symbol::Param(base)) = entry {
                let Operand::Reg(reg) = part else { continue };
                let wide = self.kind(self.reg(*reg)) == Kind::B64;
                let offset = u32::try_from(i64::from(base) + offset)
                    .map_err(|_| self.wrong("a parameter before the first"))?;
                let (bytes, signed) = (ty.bits() / 8, ty.signed());
                let constant = Constant::Param {
                    offset,
                    bytes,
                    signed,
                    wide,
                };
                self.rename(part, Slot::Const(constant), info)?;
            } else {
                let from = self.passed(name, offset, kind);
                let def = self.destination(part, kind)?;
                let run = self.mover(kind);
                self.push(run, def, [Slot::Reg(from), Slot::None, Slot::None], info);
                self.settle(part, def, ty.signed(), info);
            }
        }
        Ok(())
    }

    /// `ld.param` through a register: an array inside of a parameter.
    fn load_param_at(
        &mut self,
        i: &'m Instruction,
        code: &Code<'_>,
        parts: &[Operand],
        info: u32,
    ) -> Result<(), PtxError> {
        let unsupported = || PtxError::unsupported(i.line, &i.name);
        let ty = code.last_type().ok_or_else(unsupported)?;
        let [to] = parts else {
            return Err(unsupported());
        };
        let (pointer, extra, _) = self.pointer(self.address(i, 1)?, info)?;
        let isa = self.isa;
        let run = match (ty.bits(), ty.signed()) {
            (8, false) => local::load_param::<U8, One>(isa),
            (8, true) => local::load_param::<S8, One>(isa),
            (16, false) => local::load_param::<U16, One>(isa),
            (16, true) => local::load_param::<S16, One>(isa),
            (32, _) => local::load_param::<B32, One>(isa),
            (64, _) => local::load_param::<B64, One>(isa),
            _ => return Err(unsupported()),
        };
        let kind = if ty.wide() { Kind::B64 } else { Kind::B32 };
        let def = self.destination(to, kind)?;
        self.push_extra(
            run,
            Some(def),
            [pointer, Slot::None, Slot::None],
            extra,
            info,
        );
        self.settle(to, def, ty.signed(), info);
        Ok(())
    }

    fn mover(&self, kind: Kind) -> Handler {
        match kind {
            Kind::B64 => lanes::map::<copy::Move64>(self.isa),
            _ => lanes::map::<copy::Move32>(self.isa),
        }
    }

    pub(super) fn store_param(&mut self, i: &'m Instruction, info: u32) -> Result<(), PtxError> {
        self.class(info, Class::Move);
        let code = Code::new(&i.name);
        let ty = code
            .last_type()
            .ok_or_else(|| PtxError::unsupported(i.line, &i.name))?;
        let address = self.address(i, 0)?;
        let Base::Symbol(name) = &address.base else {
            return Err(PtxError::unsupported(i.line, &i.name));
        };
        let kind = if ty.wide() { Kind::B64 } else { Kind::B32 };
        let single = [self.operand(i, 1)?.clone()];
        let parts = match &single {
            [Operand::Vector(parts)] => parts.as_slice(),
            one => one,
        };
        for (at, part) in parts.iter().enumerate() {
            let offset = address.offset + at as i64 * i64::from(ty.bits() / 8);
            let value = self.source(part, kind, info)?;
            let def = self.passed(name, offset, kind);
            self.push(self.mover(kind), def, [value, Slot::None, Slot::None], info);
        }
        Ok(())
    }
}
