//! Loads, stores, atomics, asynchronous copies.

use super::body::Lower;
use super::code::{Code, Type};
use super::draft::{Draft, Ending, Extra, Item, Kind, Slot};
use crate::exec::element::{B32, B64, Four, One, S8, S16, Two, U8, U16};
use crate::exec::{atomic, global, lanes, local, pipeline, shared};
use crate::program::{Class, Constant};
use crate::ptx::{Address, Base, Instruction, Operand, PtxError, RegId, Space};

/// One of the element types and counts of a load or store.
macro_rules! by_shape {
    ($ty:expr, $n:expr, $isa:expr, $($path:ident)::+ $(, $p:ty)*) => {
        match ($ty, $n) {
            (Type::Unsigned(8) | Type::Bits(8), 1) => Some($($path)::+::<$($p,)* U8, One>($isa)),
            (Type::Unsigned(8) | Type::Bits(8), 2) => Some($($path)::+::<$($p,)* U8, Two>($isa)),
            (Type::Unsigned(8) | Type::Bits(8), 4) => Some($($path)::+::<$($p,)* U8, Four>($isa)),
            (Type::Signed(8), 1) => Some($($path)::+::<$($p,)* S8, One>($isa)),
            (Type::Signed(16), 1) => Some($($path)::+::<$($p,)* S16, One>($isa)),
            (ty, 1) if ty.bits() == 16 => Some($($path)::+::<$($p,)* U16, One>($isa)),
            (ty, 2) if ty.bits() == 16 => Some($($path)::+::<$($p,)* U16, Two>($isa)),
            (ty, 4) if ty.bits() == 16 => Some($($path)::+::<$($p,)* U16, Four>($isa)),
            (ty, 1) if ty.bits() == 32 => Some($($path)::+::<$($p,)* B32, One>($isa)),
            (ty, 2) if ty.bits() == 32 => Some($($path)::+::<$($p,)* B32, Two>($isa)),
            (ty, 4) if ty.bits() == 32 => Some($($path)::+::<$($p,)* B32, Four>($isa)),
            (ty, 1) if ty.bits() == 64 => Some($($path)::+::<$($p,)* B64, One>($isa)),
            (ty, 2) if ty.bits() == 64 => Some($($path)::+::<$($p,)* B64, Two>($isa)),
            _ => None,
        }
    };
}

impl<'m> Lower<'m> {
    pub(super) fn memory_access(
        &mut self,
        i: &'m Instruction,
        code: &Code<'_>,
        info: u32,
    ) -> Result<bool, PtxError> {
        match code.root {
            "ld" if code.has("param") => self.load_param(i, code, info)?,
            "st" if code.has("param") => self.store_param(i, info)?,
            "ld" | "ldu" => self.load(i, code, info)?,
            "st" => self.store(i, code, info)?,
            "atom" | "red" => self.atomic(i, code, info)?,
            "cp" => self.copy(i, code, info)?,
            "prefetch" | "prefetchu" | "discard" | "applypriority" => {
                self.class(info, Class::GlobalLoad);
                self.items.push(Item::Free(info));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn space(code: &Code<'_>) -> Space {
        let spaces = [
            ("global", Space::Global),
            ("shared", Space::Shared),
            ("local", Space::Local),
            ("const", Space::Const),
        ];
        let named = spaces.iter().find(|(name, _)| code.has(name));
        named.map_or(Space::Generic, |(_, space)| *space)
    }

    pub(super) fn address<'i>(
        &self,
        i: &'i Instruction,
        at: usize,
    ) -> Result<&'i Address, PtxError> {
        match self.operand(i, at)? {
            Operand::Address(address) => Ok(address),
            _ => Err(self.wrong(format!(
                "operand {} of `{}` is not an address",
                at + 1,
                i.name
            ))),
        }
    }

    /// The register or constant of an address, the offset, whether it has 64 bits.
    pub(super) fn pointer(
        &mut self,
        address: &Address,
        info: u32,
    ) -> Result<(Slot, Extra, bool), PtxError> {
        let offset =
            i32::try_from(address.offset).map_err(|_| self.wrong("an offset beyond 2 GiB"))?;
        match &address.base {
            Base::Reg(reg) => {
                let kind = self.kind(self.reg(*reg));
                let slot = self.source(&Operand::Reg(*reg), kind, info)?;
                Ok((slot, Extra::Value(offset), kind == Kind::B64))
            }
            Base::Symbol(name) => {
                let slot = self.address_of(name, address.offset, Kind::B64)?;
                Ok((slot, Extra::Value(0), true))
            }
            Base::Zero => Ok((Slot::Const(Constant::Bits64(0)), Extra::Value(offset), true)),
        }
    }

    /// Notes an access of `parts` elements of `bytes` each.
    fn bytes(&mut self, info: u32, (parts, bytes): (u32, u32), space: Space) {
        if let Some(info) = self.info.get_mut(info as usize) {
            info.bytes = parts * bytes;
        }
        if space != Space::Shared && space != Space::Local {
            self.global_granule = self.global_granule.min(bytes);
        }
        if space == Space::Shared || space == Space::Generic {
            self.granule = self.granule.min(bytes);
        }
    }

    /// The same, with its class: in shared memory, or elsewhere beyond the thread.
    fn access(&mut self, info: u32, size: (u32, u32), space: Space, [shared, global]: [Class; 2]) {
        let class = match space {
            Space::Shared => shared,
            Space::Local => Class::Local,
            _ => global,
        };
        self.class(info, class);
        self.bytes(info, size, space);
    }

    fn load(&mut self, i: &'m Instruction, code: &Code<'_>, info: u32) -> Result<(), PtxError> {
        let unsupported = || PtxError::unsupported(i.line, &i.name);
        let ty = code.last_type().ok_or_else(unsupported)?;
        let (n, isa, space) = (code.vector(), self.isa, Self::space(code));
        let (pointer, extra, wide) = self.pointer(self.address(i, 1)?, info)?;
        let run = match space {
            Space::Global | Space::Const => by_shape!(ty, n, isa, global::load),
            Space::Shared if wide => by_shape!(ty, n, isa, shared::load, shared::Long),
            Space::Shared => by_shape!(ty, n, isa, shared::load, shared::Short),
            Space::Local => by_shape!(ty, n, isa, local::load),
            _ => by_shape!(ty, n, isa, local::load_any),
        };
        let run = run.ok_or_else(unsupported)?;
        let pointer = match wide || space == Space::Shared {
            true => pointer,
            false => self.widened(pointer, info),
        };
        self.access(
            info,
            (n, ty.bits() / 8),
            space,
            [Class::SharedLoad, Class::GlobalLoad],
        );
        let kind = if ty.wide() { Kind::B64 } else { Kind::B32 };
        let parts = self.parts(i, 0, n as usize)?;
        let mut defs = Vec::new();
        for part in parts {
            defs.push(self.destination(part, kind)?);
        }
        let mut draft = Draft {
            run,
            def: None,
            uses: [pointer, Slot::None, Slot::None],
            extra,
            list_defs: Vec::new(),
            list_uses: Vec::new(),
            info,
        };
        match defs.as_slice() {
            [one] => draft.def = Some(*one),
            many => draft.list_defs = many.to_vec(),
        }
        let talks = ["volatile", "acquire", "relaxed"]
            .iter()
            .any(|m| code.has(m));
        self.place(
            draft,
            talks && space != Space::Shared && space != Space::Local,
            info,
        );
        for (part, def) in parts.iter().zip(defs) {
            self.settle(part, def, ty.signed(), info);
        }
        Ok(())
    }

    /// Adds an instruction; one that talks to other blocks ends its basic block.
    fn place(&mut self, draft: Draft, talks: bool, info: u32) {
        if talks {
            self.items
                .push(Item::End(Ending::Communicate(Box::new(draft)), info));
        } else {
            self.items.push(Item::Do(draft));
        }
    }

    pub(super) fn widened(&mut self, slot: Slot, info: u32) -> Slot {
        let temporary = self.temporary(Kind::B64);
        let run = lanes::map::<crate::exec::convert::WidenU32>(self.isa);
        self.push(run, temporary, [slot, Slot::None, Slot::None], info);
        Slot::Reg(temporary)
    }

    fn store(&mut self, i: &'m Instruction, code: &Code<'_>, info: u32) -> Result<(), PtxError> {
        let unsupported = || PtxError::unsupported(i.line, &i.name);
        let ty = code.last_type().ok_or_else(unsupported)?;
        let (n, isa, space) = (code.vector(), self.isa, Self::space(code));
        let (pointer, extra, wide) = self.pointer(self.address(i, 0)?, info)?;
        let run = match space {
            Space::Global => by_shape!(ty, n, isa, global::store),
            Space::Shared if wide => by_shape!(ty, n, isa, shared::store, shared::Long),
            Space::Shared => by_shape!(ty, n, isa, shared::store, shared::Short),
            Space::Local => by_shape!(ty, n, isa, local::store),
            Space::Generic => by_shape!(ty, n, isa, local::store_any),
            _ => None,
        };
        let run = run.ok_or_else(unsupported)?;
        let pointer = match wide || space == Space::Shared {
            true => pointer,
            false => self.widened(pointer, info),
        };
        self.access(
            info,
            (n, ty.bits() / 8),
            space,
            [Class::SharedStore, Class::GlobalStore],
        );
        let kind = if ty.wide() { Kind::B64 } else { Kind::B32 };
        let parts = self.parts(i, 1, n as usize)?;
        let mut values = Vec::new();
        for part in parts {
            values.push(self.source(part, kind, info)?);
        }
        let mut draft = Draft {
            run,
            def: None,
            uses: [pointer, Slot::None, Slot::None],
            extra,
            list_defs: Vec::new(),
            list_uses: Vec::new(),
            info,
        };
        match values.as_slice() {
            [one] => draft.uses = [pointer, *one, Slot::None],
            many => draft.list_uses = many.to_vec(),
        }
        let talks = ["volatile", "release", "relaxed"]
            .iter()
            .any(|m| code.has(m));
        self.place(
            draft,
            talks && space != Space::Shared && space != Space::Local,
            info,
        );
        Ok(())
    }

    fn atomic(&mut self, i: &'m Instruction, code: &Code<'_>, info: u32) -> Result<(), PtxError> {
        let unsupported = || PtxError::unsupported(i.line, &i.name);
        let ty = code.last_type().ok_or_else(unsupported)?;
        let returns = code.root == "atom";
        let space = Self::space(code);
        let wide_value = ty.wide();
        let run = atomic::handler(
            code_atomic(code, ty).ok_or_else(unsupported)?,
            space,
            self.isa,
        )
        .ok_or_else(unsupported)?;
        let at = usize::from(returns);
        let (pointer, extra, wide) = self.pointer(self.address(i, at)?, info)?;
        let pointer = if wide {
            pointer
        } else {
            self.widened(pointer, info)
        };
        let kind = if wide_value { Kind::B64 } else { Kind::B32 };
        let value = self.source(self.operand(i, at + 1)?, kind, info)?;
        let second = match i.operands.get(at + 2) {
            Some(operand) => self.source(operand, kind, info)?,
            None => Slot::None,
        };
        self.class(info, Class::Atomic);
        self.bytes(info, (1, ty.bits() / 8), space);
        let sink = Operand::Sink;
        let to = if returns { self.operand(i, 0)? } else { &sink };
        let def: RegId = self.destination(to, kind)?;
        let draft = Draft {
            run,
            def: Some(def),
            uses: [pointer, value, second],
            extra,
            list_defs: Vec::new(),
            list_uses: Vec::new(),
            info,
        };
        let talks = space != Space::Shared;
        self.ordered |= talks && (returns || matches!(ty, Type::Float(_)));
        self.place(draft, talks, info);
        self.settle(to, def, ty.signed(), info);
        Ok(())
    }

    /// `cp.async` and the waits for it.
    fn copy(&mut self, i: &'m Instruction, code: &Code<'_>, info: u32) -> Result<(), PtxError> {
        let unsupported = || PtxError::unsupported(i.line, &i.name);
        if code.has("async") && code.has("bulk") {
            return self.bulk_copy(i, code, info);
        }
        if !code.has("async") || code.has("mbarrier") {
            return Err(unsupported());
        }
        let isa = self.isa;
        if code.has("commit_group") {
            self.class(info, Class::Copy);
            self.push_extra(
                pipeline::commit(isa),
                None,
                [Slot::None; 3],
                Extra::Value(0),
                info,
            );
            return Ok(());
        }
        if code.has("wait_group") || code.has("wait_all") {
            self.class(info, Class::Barrier);
            let left = match i.operands.first() {
                Some(Operand::Int(left)) => *left as i32,
                None => -1,
                _ => return Err(unsupported()),
            };
            self.push_extra(
                pipeline::wait(isa),
                None,
                [Slot::None; 3],
                Extra::Value(left),
                info,
            );
            return Ok(());
        }
        let (to, to_offset, to_wide) = self.pointer(self.address(i, 0)?, info)?;
        let (from, from_offset, _) = self.pointer(self.address(i, 1)?, info)?;
        let bytes = match self.operand(i, 2)? {
            Operand::Int(bytes @ (4 | 8 | 16)) => *bytes as u32,
            _ => return Err(unsupported()),
        };
        // The number of source bytes; the rest is filled with zeros.
        let taken = match i.operands.get(3) {
            Some(operand) => self.source(operand, Kind::B32, info)?,
            None => Slot::Const(Constant::Bits32(bytes)),
        };
        let to = if to_wide { to } else { self.widened(to, info) };
        self.class(info, Class::Copy);
        self.bytes(info, (1, bytes), Space::Shared);
        // The reading half has counts of its own.
        let source = self.note("cp.async source", i.line, i.place, Class::GlobalLoad);
        self.bytes(source, (1, bytes), Space::Global);
        let offset = |extra: Extra| match extra {
            Extra::Value(value) => Slot::Const(Constant::Bits32(value as u32)),
            Extra::Pred(_) => Slot::None,
        };
        let draft = Draft {
            run: pipeline::copy(isa),
            def: None,
            uses: [Slot::None; 3],
            extra: Extra::Value((source << 8 | bytes) as i32),
            list_defs: Vec::new(),
            list_uses: vec![to, offset(to_offset), from, offset(from_offset), taken],
            info,
        };
        self.items.push(Item::Do(draft));
        Ok(())
    }
}

/// Which atomic operation, on which type.
fn code_atomic(code: &Code<'_>, ty: Type) -> Option<(atomic::Operation, atomic::Width)> {
    use atomic::{Operation as O, Width as W};
    let width = match ty {
        Type::Float(32) => W::F32,
        Type::Float(64) => W::F64,
        Type::Signed(32) => W::S32,
        Type::Signed(64) => W::S64,
        ty if ty.bits() == 32 => W::U32,
        ty if ty.bits() == 64 => W::U64,
        _ => return None,
    };
    let operations = [
        ("add", O::Add),
        ("min", O::Min),
        ("max", O::Max),
        ("and", O::And),
        ("or", O::Or),
        ("xor", O::Xor),
        ("exch", O::Exchange),
        ("cas", O::CompareAndSwap),
        ("inc", O::Increment),
        ("dec", O::Decrement),
    ];
    let (_, operation) = operations.iter().find(|(name, _)| code.has(name))?;
    Some((*operation, width))
}
