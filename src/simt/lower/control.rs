//! Branches, barriers, fences, and what ends a basic block.

use super::body::Lower;
use super::code::{Code, Type};
use super::draft::{Ending, Extra, Item, Kind, Slot};
use crate::exec::{arrival, warp};
use crate::program::{Class, Constant};
use crate::ptx::{Instruction, Operand, PtxError};

impl<'m> Lower<'m> {
    pub(super) fn control(
        &mut self,
        i: &'m Instruction,
        code: &Code<'_>,
        info: u32,
    ) -> Result<bool, PtxError> {
        let class = match code.root {
            "bar" | "barrier" | "membar" | "fence" => Class::Barrier,
            "bra" | "exit" | "trap" | "brkpt" | "nanosleep" => Class::Control,
            _ => return Ok(false),
        };
        self.class(info, class);
        match code.root {
            "bra" => {
                let Operand::Label(label) = self.operand(i, 0)? else {
                    return Err(self.wrong("a branch without a label"));
                };
                let label = self.label(*label);
                let guard = i.guard.map(|guard| (self.reg(guard.pred), guard.negated));
                let ending = Ending::Branch {
                    label,
                    guard,
                    predicated: false,
                };
                self.items.push(Item::End(ending, info));
            }
            "exit" => self.items.push(Item::End(Ending::Exit, info)),
            "trap" | "brkpt" => self.items.push(Item::End(Ending::Trap, info)),
            "nanosleep" => self.items.push(Item::End(Ending::Yield, info)),
            "membar" | "fence" => self.fence(i, code, info),
            _ => self.barrier(i, code, info)?,
        }
        Ok(true)
    }

    /// Memory of the machine is always in order: a fence is noted where clocks are kept.
    fn fence(&mut self, i: &Instruction, code: &Code<'_>, info: u32) {
        let proxy = code.has("proxy");
        let near = i.name.contains(".shared::") || i.name.contains(".cta") || code.has("init");
        if near {
            self.items.push(Item::Free(info));
            return;
        }
        let run = arrival::fence(self.isa);
        let extra = Extra::Value(i32::from(proxy));
        self.push_extra(run, None, [Slot::None; 3], extra, info);
    }

    /// `bar.sync id, threads`, `bar.arrive`, `bar.red`, `bar.warp.sync`
    fn barrier(&mut self, i: &'m Instruction, code: &Code<'_>, info: u32) -> Result<(), PtxError> {
        if code.has("warp") {
            let members = self.source(self.operand(i, 0)?, Kind::B32, info)?;
            let uses = [members, Slot::None, Slot::None];
            let run = warp::warp_sync(self.isa);
            self.push_extra(run, None, uses, Extra::Value(0), info);
            return Ok(());
        }
        if code.has("cluster") {
            return Err(PtxError::unsupported(i.line, &i.name));
        }
        if code.has("red") {
            return self.reduce(i, code, info);
        }
        let id = match i.operands.first() {
            Some(operand) => self.source(operand, Kind::B32, info)?,
            None => Slot::Const(Constant::Bits32(0)),
        };
        let threads = match i.operands.get(1) {
            Some(operand) => Some(self.source(operand, Kind::B32, info)?),
            None => None,
        };
        let wait = !code.has("arrive");
        self.items
            .push(Item::End(Ending::Barrier { id, threads, wait }, info));
        Ok(())
    }

    /// `bar.red.popc.u32 d, id, p` and `bar.red.and.pred p, id, q`: bring, wait, fetch.
    fn reduce(&mut self, i: &'m Instruction, code: &Code<'_>, info: u32) -> Result<(), PtxError> {
        let isa = self.isa;
        let id = self.source(self.operand(i, 1)?, Kind::B32, info)?;
        let threads = match i.operands.len() {
            4 => Some(self.source(self.operand(i, 2)?, Kind::B32, info)?),
            _ => None,
        };
        let (pred, inverted) = match i.operands.last() {
            Some(Operand::NotReg(reg)) => (Slot::Reg(self.reg(*reg)), -1),
            Some(operand) => (self.source(operand, Kind::Pred, info)?, 0),
            None => return Err(self.wrong("a reduction without a predicate")),
        };
        let bring = [pred, id, Slot::None];
        self.push_extra(
            warp::barrier_bring(isa),
            None,
            bring,
            Extra::Value(inverted),
            info,
        );
        self.items.push(Item::End(
            Ending::Barrier {
                id,
                threads,
                wait: true,
            },
            info,
        ));
        let fetch = [Slot::None, id, Slot::None];
        let to = self.operand(i, 0)?;
        if code.last_type() == Some(Type::Pred) {
            let def = self.destination(to, Kind::Pred)?;
            let which = Extra::Value(i32::from(code.has("or")));
            self.push_extra(warp::barrier_pred(isa), Some(def), fetch, which, info);
        } else {
            let def = self.destination(to, Kind::B32)?;
            self.push(warp::barrier_count(isa), def, fetch, info);
            self.settle(to, def, false, info);
        }
        Ok(())
    }
}
