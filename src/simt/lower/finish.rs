//! The last step: drafts with rows become the kernel's code.

use super::body::Lower;
use super::draft::{Draft, Ending};
use super::flow::{self, Raw};
use super::rows::{self, Rows};
use crate::exec::Inst;
use crate::program::{Block, End, Info, Kernel, NEVER};
use crate::ptx::PtxError;

pub(super) fn finish(mut lower: Lower<'_>) -> Result<Kernel, PtxError> {
    let items = std::mem::take(&mut lower.items);
    let raw = flow::blocks(items, lower.labels)?;
    let rows = rows::assign(&raw, &lower.kinds);
    let mut kernel = Kernel {
        name: lower.function.name.clone(),
        code: Vec::new(),
        blocks: Vec::new(),
        lists: Vec::new(),
        info: std::mem::take(&mut lower.info),
        constants: rows.filled.clone(),
        cleared: rows.cleared.clone(),
        rows: rows.count,
        preds: rows.pred_count,
        param_bytes: lower.symbols.param_bytes,
        static_shared: lower.symbols.shared_bytes as u32,
        local_bytes: lower.local_bytes.next_multiple_of(16) as u32,
        max_threads: lower.function.max_threads,
        granule: lower.granule,
        global_granule: lower.global_granule,
        ordered: lower.ordered,
        exact: lower.exact,
    };
    for info in &mut kernel.info {
        info.block = NEVER;
    }
    for (number, block) in raw.iter().enumerate() {
        place(&mut kernel, &rows, number as u32, block);
    }
    Ok(kernel)
}

fn place(kernel: &mut Kernel, rows: &Rows, number: u32, raw: &Raw) {
    for &info in &raw.infos {
        let info = kernel.info.get_mut(info as usize);
        if let Some(info @ Info { block: NEVER, .. }) = info {
            info.block = number;
        }
    }
    let start = kernel.code.len() as u32;
    for draft in &raw.drafts {
        let inst = inst(kernel, rows, draft);
        kernel.code.push(inst);
    }
    let end = kernel.code.len() as u32;
    let next = |at: usize| raw.next.get(at).copied().unwrap_or(NEVER);
    let end_kind = match &raw.ending {
        None if raw.next.is_empty() => End::Exit,
        None => End::Jump(next(0)),
        Some((Ending::Branch { guard: None, .. }, _)) => End::Jump(next(0)),
        Some((
            Ending::Branch {
                guard: Some((pred, negated)),
                predicated,
                ..
            },
            at,
        )) => End::Branch {
            pred: rows.register(*pred),
            negated: *negated,
            taken: next(0),
            other: next(1),
            join: raw.join,
            predicated: *predicated,
            at: *at,
        },
        Some((Ending::Exit, _)) => End::Exit,
        Some((Ending::Trap, at)) => End::Trap { at: *at },
        Some((Ending::Yield, _)) => End::Yield(next(0)),
        Some((Ending::Barrier { id, threads, wait }, at)) => End::Barrier {
            id: rows.slot(*id),
            threads: threads.map(|slot| rows.slot(slot)),
            wait: *wait,
            next: next(0),
            at: *at,
        },
        Some((Ending::Communicate(draft), _)) => {
            let inst = inst(kernel, rows, draft);
            kernel.code.push(inst);
            End::Communicate {
                inst: end,
                next: next(0),
            }
        }
    };
    kernel.blocks.push(Block {
        start,
        end,
        end_kind,
        last: raw.infos.last().copied().unwrap_or(NEVER),
    });
}

fn inst(kernel: &mut Kernel, rows: &Rows, draft: &Draft) -> Inst {
    let [a, b, c] = draft.uses.map(|slot| rows.slot(slot));
    let d = if draft.list_defs.is_empty() && draft.list_uses.is_empty() {
        draft.def.map_or(0, |reg| rows.register(reg))
    } else {
        let start = kernel.lists.len() as u32;
        kernel
            .lists
            .extend(draft.list_defs.iter().map(|reg| rows.register(*reg)));
        kernel
            .lists
            .extend(draft.list_uses.iter().map(|slot| rows.slot(*slot)));
        start
    };
    Inst {
        run: draft.run,
        d,
        a,
        b,
        c,
        x: rows.extra(draft.extra),
        at: draft.info,
    }
}
