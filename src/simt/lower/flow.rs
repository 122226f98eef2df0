//! Basic blocks, and where diverging lanes meet again.

use super::draft::{Draft, Ending, Item};
use crate::program::NEVER;
use crate::ptx::PtxError;

/// A basic block whose instructions are still drafts.
#[derive(Debug, Default)]
pub(super) struct Raw {
    pub drafts: Vec<Draft>,
    /// Every PTX instruction that belongs to it.
    pub infos: Vec<u32>,
    pub ending: Option<(Ending, u32)>,
    /// Taken target, then the one that follows.
    pub next: Vec<u32>,
    pub join: u32,
}

/// Cuts items into basic blocks and computes immediate post-dominators.
pub(super) fn blocks(items: Vec<Item>, labels: u32) -> Result<Vec<Raw>, PtxError> {
    let mut blocks = vec![Raw::default()];
    let mut starts = vec![NEVER; labels as usize];
    for item in items {
        // A barrier stands alone, so that lanes can wait before it for the others.
        let fresh = blocks.last().is_none_or(|b| {
            b.ending.is_some()
                || matches!(item, Item::Label(_) | Item::End(Ending::Barrier { .. }, _))
                    && !(b.drafts.is_empty() && b.infos.is_empty())
        });
        if fresh {
            blocks.push(Raw::default());
        }
        let at = blocks.len() as u32 - 1;
        let Some(block) = blocks.last_mut() else {
            continue;
        };
        match item {
            Item::Label(label) => {
                if let Some(start) = starts.get_mut(label.0 as usize) {
                    *start = at;
                }
            }
            Item::Do(draft) => {
                if block.infos.last() != Some(&draft.info) {
                    block.infos.push(draft.info);
                }
                block.drafts.push(draft);
            }
            Item::Free(info) => block.infos.push(info),
            Item::End(ending, info) => {
                if block.infos.last() != Some(&info) {
                    block.infos.push(info);
                }
                block.ending = Some((ending, info));
            }
        }
    }
    let count = blocks.len() as u32;
    for (at, block) in blocks.iter_mut().enumerate() {
        let after = at as u32 + 1;
        let after = (after < count).then_some(after);
        let target = |label: u32| {
            let start = starts.get(label as usize).copied().unwrap_or(NEVER);
            if start == NEVER {
                Err(PtxError::new(0, "a label that leads nowhere"))
            } else {
                Ok(start)
            }
        };
        block.next = match &block.ending {
            Some((
                Ending::Branch {
                    label, guard: None, ..
                },
                _,
            )) => vec![target(label.0)?],
            Some((
                Ending::Branch {
                    label,
                    guard: Some(_),
                    ..
                },
                _,
            )) => {
                let mut next = vec![target(label.0)?];
                next.extend(after);
                next
            }
            Some((Ending::Exit | Ending::Trap, _)) => Vec::new(),
            _ => after.into_iter().collect(),
        };
    }
    for (block, join) in post_dominators(&blocks).into_iter().enumerate() {
        if let Some(block) = blocks.get_mut(block) {
            block.join = join;
        }
    }
    Ok(blocks)
}

/// The immediate post-dominator of each block (Cooper, Harvey and Kennedy's
/// iteration on the reversed graph); `NEVER` where that is the exit.
fn post_dominators(blocks: &[Raw]) -> Vec<u32> {
    let exit = blocks.len();
    let mut endless = vec![false; exit];
    let (order, endless) = loop {
        let mut before = vec![Vec::new(); exit + 1];
        for block in 0..exit {
            for next in successors(blocks, &endless, block) {
                if let Some(before) = before.get_mut(next) {
                    before.push(block);
                }
            }
        }
        let order = reverse_post_order(exit, &before);
        // A loop that nothing leaves: its last block stands for the way out, so
        // that lanes that part inside of it meet again before they go round.
        let stuck = (0..exit).rev().find(|block| !order.contains(block));
        match stuck.and_then(|block| endless.get_mut(block)) {
            Some(stuck) => *stuck = true,
            None => break (order, endless),
        }
    };
    let successors = |block: usize| successors(blocks, &endless, block);
    let mut number = vec![usize::MAX; exit + 1];
    for (at, &block) in order.iter().enumerate() {
        number[block] = at;
    }
    let mut parent = vec![usize::MAX; exit + 1];
    parent[exit] = exit;
    let mut changed = true;
    while changed {
        changed = false;
        for &block in order.iter().skip(1) {
            let known = successors(block)
                .into_iter()
                .filter(|&next| parent[next] != usize::MAX);
            let meet = known.reduce(|mut a, mut b| {
                while a != b {
                    while number[a] > number[b] {
                        a = parent[a];
                    }
                    while number[b] > number[a] {
                        b = parent[b];
                    }
                }
                a
            });
            if let Some(meet) = meet
                && parent[block] != meet
            {
                parent[block] = meet;
                changed = true;
            }
        }
    }
    // Lanes that only have to return need not wait for each other first.
    let returns = |block: usize| {
        let raw = blocks.get(block);
        raw.is_some_and(|raw| raw.drafts.is_empty() && raw.next.is_empty())
    };
    (0..exit)
        .map(|block| match parent[block] {
            join if join >= exit || returns(join) => NEVER,
            join => join as u32,
        })
        .collect()
}

/// The blocks behind one, the exit last; `endless` marks those that get there
/// although nothing leads there.
fn successors(blocks: &[Raw], endless: &[bool], block: usize) -> Vec<usize> {
    let exit = blocks.len();
    let Some(raw) = blocks.get(block) else {
        return Vec::new();
    };
    let mut next: Vec<usize> = raw.next.iter().map(|&next| next as usize).collect();
    if next.is_empty() || endless.get(block) == Some(&true) {
        next.push(exit);
    }
    next
}

/// Blocks from `root` along `edges`, each before those that only it leads to.
fn reverse_post_order(root: usize, edges: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; edges.len()];
    let mut order = Vec::new();
    let mut stack = vec![(root, 0)];
    seen[root] = true;
    while let Some((block, edge)) = stack.pop() {
        match edges.get(block).and_then(|e| e.get(edge)) {
            Some(&next) => {
                stack.push((block, edge + 1));
                if !seen[next] {
                    seen[next] = true;
                    stack.push((next, 0));
                }
            }
            None => order.push(block),
        }
    }
    order.reverse();
    order
}
