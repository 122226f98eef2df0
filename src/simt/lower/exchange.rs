//! Shuffles, votes, matrix instructions: what a warp does as one.

use super::body::Lower;
use super::code::{Code, Type};
use super::draft::{Draft, Extra, Item, Kind, Slot};
use crate::exec::{Handler, matrix, warp};
use crate::program::Class;
use crate::ptx::{Instruction, Operand, PtxError, RegId};

impl<'m> Lower<'m> {
    pub(super) fn exchange(
        &mut self,
        i: &'m Instruction,
        code: &Code<'_>,
        info: u32,
    ) -> Result<bool, PtxError> {
        let isa = self.isa;
        self.class(info, Class::Exchange);
        match code.root {
            "shfl" if code.has("sync") => self.shuffle(i, code, info)?,
            "vote" if code.has("sync") => self.vote(i, code, info)?,
            "activemask" => {
                let to = self.operand(i, 0)?;
                let def = self.destination(to, Kind::B32)?;
                self.push(warp::activemask(isa), def, [Slot::None; 3], info);
            }
            "redux" => {
                let signed = code.last_type().is_some_and(Type::signed);
                let run = match code.mods.get(1).copied() {
                    Some("add") => warp::redux::<warp::RedAdd>(isa),
                    Some("and") => warp::redux::<warp::RedAnd>(isa),
                    Some("or") => warp::redux::<warp::RedOr>(isa),
                    Some("xor") => warp::redux::<warp::RedXor>(isa),
                    Some("min") if signed => warp::redux::<warp::RedMinS>(isa),
                    Some("max") if signed => warp::redux::<warp::RedMaxS>(isa),
                    Some("min") => warp::redux::<warp::RedMinU>(isa),
                    Some("max") => warp::redux::<warp::RedMaxU>(isa),
                    _ => return Ok(false),
                };
                self.of_members(i, run, info)?;
            }
            "match" if code.has("any") && code.last_type() == Some(Type::Bits(32)) => {
                self.of_members(i, warp::match_any(isa), info)?;
            }
            "ldmatrix" => self.load_matrix(i, code, info)?,
            "mma" => self.multiply(i, code, info)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `op d, value, members`
    fn of_members(&mut self, i: &'m Instruction, run: Handler, info: u32) -> Result<(), PtxError> {
        let value = self.source(self.operand(i, 1)?, Kind::B32, info)?;
        let members = self.source(self.operand(i, 2)?, Kind::B32, info)?;
        let to = self.operand(i, 0)?;
        let def = self.destination(to, Kind::B32)?;
        self.push(run, def, [value, members, Slot::None], info);
        self.settle(to, def, false, info);
        Ok(())
    }

    /// `shfl.sync.bfly.b32 d|p, value, by, clamp, members`
    fn shuffle(&mut self, i: &'m Instruction, code: &Code<'_>, info: u32) -> Result<(), PtxError> {
        let isa = self.isa;
        let run = match code.mods.get(1).copied() {
            Some("up") => warp::shfl::<warp::Up>(isa),
            Some("down") => warp::shfl::<warp::Down>(isa),
            Some("bfly") => warp::shfl::<warp::Butterfly>(isa),
            Some("idx") => warp::shfl::<warp::Index>(isa),
            _ => return Err(PtxError::unsupported(i.line, &i.name)),
        };
        let (to, inside) = match self.operand(i, 0)? {
            Operand::Pair(to, inside) => (Operand::Reg(*to), Some(self.reg(*inside))),
            other => (other.clone(), None),
        };
        let mut uses = Vec::new();
        for at in 1..5 {
            uses.push(self.source(self.operand(i, at)?, Kind::B32, info)?);
        }
        let def = self.destination(&to, Kind::B32)?;
        let extra = inside.map_or(Extra::Value(-1), Extra::Pred);
        self.listed(run, vec![def], uses, extra, info);
        self.settle(&to, def, false, info);
        Ok(())
    }

    /// An instruction whose operands are listed.
    fn listed(&mut self, run: Handler, defs: Vec<RegId>, uses: Vec<Slot>, extra: Extra, info: u32) {
        self.items.push(Item::Do(Draft {
            run,
            def: None,
            uses: [Slot::None; 3],
            extra,
            list_defs: defs,
            list_uses: uses,
            info,
        }));
    }

    fn vote(&mut self, i: &'m Instruction, code: &Code<'_>, info: u32) -> Result<(), PtxError> {
        let isa = self.isa;
        let (pred, inverted) = match self.operand(i, 1)? {
            Operand::NotReg(reg) => (Slot::Reg(self.reg(*reg)), -1),
            operand => (self.source(operand, Kind::Pred, info)?, 0),
        };
        let members = self.source(self.operand(i, 2)?, Kind::B32, info)?;
        let (run, kind) = match code.mods.get(1).copied() {
            Some("any") => (warp::vote::<warp::Any>(isa), Kind::Pred),
            Some("all") => (warp::vote::<warp::All>(isa), Kind::Pred),
            Some("uni") => (warp::vote::<warp::Uniform>(isa), Kind::Pred),
            Some("ballot") => (warp::ballot::<warp::Ballot>(isa), Kind::B32),
            _ => return Err(PtxError::unsupported(i.line, &i.name)),
        };
        let to = self.operand(i, 0)?;
        let def = self.destination(to, kind)?;
        let uses = [pred, members, Slot::None];
        self.push_extra(run, Some(def), uses, Extra::Value(inverted), info);
        self.settle(to, def, false, info);
        Ok(())
    }

    /// The registers of a vector operand, or the one.
    pub(super) fn parts<'i>(
        &self,
        i: &'i Instruction,
        at: usize,
        count: usize,
    ) -> Result<&'i [Operand], PtxError> {
        let parts = match self.operand(i, at)? {
            Operand::Vector(parts) => parts.as_slice(),
            one => std::slice::from_ref(one),
        };
        if parts.len() == count {
            return Ok(parts);
        }
        Err(self.wrong(format!(
            "operand {} of `{}` needs {count} registers",
            at + 1,
            i.name
        )))
    }

    /// `ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {…}, [address]`
    fn load_matrix(
        &mut self,
        i: &'m Instruction,
        code: &Code<'_>,
        info: u32,
    ) -> Result<(), PtxError> {
        let count = [("x1", 1), ("x2", 2), ("x4", 4)];
        let count = count
            .iter()
            .find(|(name, _)| code.has(name))
            .map(|(_, count)| *count);
        let (Some(count), true) = (count, code.has("m8n8") && code.has("b16")) else {
            return Err(PtxError::unsupported(i.line, &i.name));
        };
        self.class(info, Class::SharedLoad);
        if let Some(info) = self.info.get_mut(info as usize) {
            info.bytes = 16;
        }
        let (pointer, extra, wide) = self.pointer(self.address(i, 1)?, info)?;
        let pointer = match (wide, self.address(i, 1)?) {
            (true, _) => pointer,
            (false, _) => {
                let temporary = self.temporary(Kind::B64);
                let run = crate::exec::lanes::map::<crate::exec::convert::WidenU32>(self.isa);
                self.push(run, temporary, [pointer, Slot::None, Slot::None], info);
                Slot::Reg(temporary)
            }
        };
        let mut defs = Vec::new();
        for part in self.parts(i, 0, count)? {
            defs.push(self.destination(part, Kind::B32)?);
        }
        let run = matrix::ldmatrix(self.isa, count, code.has("trans"));
        self.listed(run, defs, vec![pointer], extra, info);
        Ok(())
    }

    /// `mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 d, a, b, c`
    fn multiply(&mut self, i: &'m Instruction, code: &Code<'_>, info: u32) -> Result<(), PtxError> {
        let shape = [
            "sync", "aligned", "m16n8k16", "row", "col", "f32", "bf16", "bf16", "f32",
        ];
        let small = [
            "sync", "aligned", "m16n8k8", "row", "col", "f32", "bf16", "bf16", "f32",
        ];
        let (run, halves) = if code.mods == shape {
            (matrix::mma::<matrix::K16>(self.isa), 2)
        } else if code.mods == small {
            (matrix::mma::<matrix::K8>(self.isa), 1)
        } else {
            return Err(PtxError::unsupported(i.line, &i.name)
                .help("the machine multiplies bf16 with fp32 sums, m16n8k16 or m16n8k8"));
        };
        let mut uses = Vec::new();
        for (at, count) in [(1, 2 * halves), (2, halves), (3, 4)] {
            for part in self.parts(i, at, count)? {
                uses.push(self.source(part, Kind::B32, info)?);
            }
        }
        let mut defs = Vec::new();
        for part in self.parts(i, 0, 4)? {
            defs.push(self.destination(part, Kind::B32)?);
        }
        self.listed(run, defs, uses, Extra::Value(0), info);
        // 16 × 8 × K products and sums, shared by 32 lanes.
        self.flops(info, Class::Matrix, (2 * 16 * 8 * 8 * halves as u32) / 32);
        Ok(())
    }
}
