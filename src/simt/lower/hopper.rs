//! sm_90's own: mbarriers, bulk copies, products by a warpgroup.

use super::body::Lower;
use super::code::Code;
use super::draft::{Draft, Ending, Extra, Item, Kind, Slot};
use crate::exec::{arrival, bulk, group, warp};
use crate::program::{Class, Constant};
use crate::ptx::{Instruction, Operand, PtxError};

impl<'m> Lower<'m> {
    pub(super) fn hopper(
        &mut self,
        i: &'m Instruction,
        code: &Code<'_>,
        info: u32,
    ) -> Result<bool, PtxError> {
        match code.root {
            "mbarrier" => self.mbarrier(i, code, info)?,
            "wgmma" => self.warpgroup(i, code, info)?,
            "elect" => self.elect(i, info)?,
            // Who may have how many registers is the compiler's to know.
            "setmaxnreg" => {
                self.class(info, Class::Control);
                self.items.push(Item::Free(info));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A pointer of 64 bits and its offset.
    fn wide_pointer(
        &mut self,
        i: &'m Instruction,
        at: usize,
        info: u32,
    ) -> Result<(Slot, i32), PtxError> {
        let (slot, extra, wide) = self.pointer(self.address(i, at)?, info)?;
        let slot = if wide { slot } else { self.widened(slot, info) };
        match extra {
            Extra::Value(offset) => Ok((slot, offset)),
            Extra::Pred(_) => Err(self.wrong("an address without an offset")),
        }
    }

    fn mbarrier(&mut self, i: &'m Instruction, code: &Code<'_>, info: u32) -> Result<(), PtxError> {
        self.class(info, Class::Barrier);
        self.exact = true;
        let isa = self.isa;
        let one = Slot::Const(Constant::Bits32(1));
        let zero = Slot::Const(Constant::Bits32(0));
        let known = code.has("b64") && !code.has("cluster");
        if known && code.has("init") {
            let (to, offset) = self.wide_pointer(i, 0, info)?;
            let count = self.source(self.operand(i, 1)?, Kind::B32, info)?;
            let uses = [to, count, Slot::None];
            self.push_extra(arrival::init(isa), None, uses, Extra::Value(offset), info);
        } else if known && code.has("arrive") && matches!(self.operand(i, 0)?, Operand::Sink) {
            let (to, offset) = self.wide_pointer(i, 1, info)?;
            let given = match i.operands.get(2) {
                Some(operand) => Some(self.source(operand, Kind::B32, info)?),
                None => None,
            };
            let (count, bytes) = match given {
                Some(bytes) if code.has("expect_tx") => (one, bytes),
                Some(count) => (count, zero),
                None => (one, zero),
            };
            let uses = [to, count, bytes];
            self.push_extra(arrival::arrive(isa), None, uses, Extra::Value(offset), info);
        } else if known && code.has("try_wait") && code.has("parity") {
            let (to, offset) = self.wide_pointer(i, 1, info)?;
            let parity = self.source(self.operand(i, 2)?, Kind::B32, info)?;
            let def = self.destination(self.operand(i, 0)?, Kind::Pred)?;
            let draft = Draft {
                run: arrival::try_wait(isa),
                def: Some(def),
                uses: [to, parity, Slot::None],
                extra: Extra::Value(offset),
                list_defs: Vec::new(),
                list_uses: Vec::new(),
                info,
            };
            self.items
                .push(Item::End(Ending::Communicate(Box::new(draft)), info));
        } else {
            return Err(PtxError::unsupported(i.line, &i.name));
        }
        Ok(())
    }

    /// `cp.async.bulk.tensor.2d.… [to], [map, {x, y}], [mbarrier]` and
    /// `cp.async.bulk.… [to], [from], bytes, [mbarrier]`
    pub(super) fn bulk_copy(
        &mut self,
        i: &'m Instruction,
        code: &Code<'_>,
        info: u32,
    ) -> Result<(), PtxError> {
        self.class(info, Class::Copy);
        self.exact = true;
        let unsupported = || PtxError::unsupported(i.line, &i.name);
        let inward = i.name.contains(".shared::") && i.name.contains("complete_tx::bytes");
        if !inward || code.has("multicast") || code.has("im2col") {
            return Err(unsupported());
        }
        let tensor = code.has("tensor");
        let constant = |offset: i32| Slot::Const(Constant::Bits32(offset as u32));
        let mut list_uses = Vec::new();
        for at in [0, 1, if tensor { 2 } else { 3 }] {
            let (slot, offset) = self.wide_pointer(i, at, info)?;
            list_uses.extend([slot, constant(offset)]);
        }
        let mut dimensions = 0;
        if tensor {
            let coordinates = &self.address(i, 1)?.coordinates;
            dimensions = coordinates.len() as i32;
            if !(2..=3).contains(&dimensions) {
                return Err(unsupported());
            }
            for coordinate in coordinates {
                list_uses.push(self.source(coordinate, Kind::B32, info)?);
            }
        } else {
            list_uses.push(self.source(self.operand(i, 2)?, Kind::B32, info)?);
        }
        let draft = Draft {
            run: bulk::copy(self.isa),
            def: None,
            uses: [Slot::None; 3],
            extra: Extra::Value(dimensions),
            list_defs: Vec::new(),
            list_uses,
            info,
        };
        self.items.push(Item::Do(draft));
        Ok(())
    }

    /// `elect.sync _|p, members`: the lowest lane that is here.
    fn elect(&mut self, i: &'m Instruction, info: u32) -> Result<(), PtxError> {
        let Operand::Second(reg) = self.operand(i, 0)? else {
            return Err(PtxError::unsupported(i.line, &i.name));
        };
        let def = self.reg(*reg);
        let members = self.source(self.operand(i, 1)?, Kind::B32, info)?;
        self.class(info, Class::Exchange);
        let uses = [Slot::None, members, Slot::None];
        self.push_extra(
            warp::elect(self.isa),
            Some(def),
            uses,
            Extra::Value(0),
            info,
        );
        Ok(())
    }

    /// `wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {sums}, a, b, keep, 1, 1, 0, 0`
    fn warpgroup(
        &mut self,
        i: &'m Instruction,
        code: &Code<'_>,
        info: u32,
    ) -> Result<(), PtxError> {
        let isa = self.isa;
        let unsupported = || PtxError::unsupported(i.line, &i.name);
        let left = match i.operands.first() {
            Some(Operand::Int(left)) => *left as i32,
            _ => 0,
        };
        if code.has("fence") {
            self.class(info, Class::Barrier);
            self.items.push(Item::Free(info));
            return Ok(());
        }
        let none = [Slot::None; 3];
        if code.has("commit_group") {
            self.class(info, Class::Barrier);
            self.push_extra(group::commit(isa), None, none, Extra::Value(0), info);
            return Ok(());
        }
        if code.has("wait_group") {
            self.class(info, Class::Barrier);
            self.push_extra(group::wait(isa), None, none, Extra::Value(left), info);
            return Ok(());
        }
        let ones =
            |at: usize, is: i64| matches!(i.operands.get(at), Some(Operand::Int(n)) if *n == is);
        let plain = ones(4, 1) && ones(5, 1) && ones(6, 0) && ones(7, 0);
        let (Some(Operand::Vector(sums)), true) = (i.operands.first(), plain) else {
            return Err(unsupported()
                .help("the machine multiplies two tiles in shared memory whose rows run along k"));
        };
        let columns = code.mods.iter().find_map(|part| {
            let (columns, depth) = part.strip_prefix("m64n")?.split_once('k')?;
            (depth == "16").then_some(columns.parse::<usize>().ok()?)
        });
        let bf16 = code.mods.iter().filter(|part| **part == "bf16").count() == 2;
        if columns != Some(2 * sums.len()) || !bf16 {
            return Err(unsupported());
        }
        let mut list_defs = Vec::new();
        let mut list_uses = Vec::new();
        for sum in sums {
            list_uses.push(self.source(sum, Kind::B32, info)?);
            list_defs.push(self.destination(sum, Kind::B32)?);
        }
        for at in [1, 2] {
            list_uses.push(self.source(self.operand(i, at)?, Kind::B64, info)?);
        }
        let keep = self.source(self.operand(i, 3)?, Kind::Pred, info)?;
        let draft = Draft {
            run: group::product(isa),
            def: None,
            uses: [keep, Slot::None, Slot::None],
            extra: Extra::Value(sums.len() as i32),
            list_defs,
            list_uses,
            info,
        };
        self.items.push(Item::Do(draft));
        // 64 × N × 16 products and sums, shared by 128 lanes.
        self.flops(
            info,
            Class::Matrix,
            2 * 64 * 2 * sums.len() as u32 * 16 / 128,
        );
        Ok(())
    }
}
