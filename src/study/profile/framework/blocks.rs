//! Which launches are which op of the block, by order and repetition.
//!
//! Matrix products, norms and the core of attention stand in one order in every layer
//! of this architecture: norm, products of q k v, core, product of o, norm, products of
//! gate, up and down. A core is one kernel of attention, or a softmax between two
//! products. Layers that share a norm's place follow one another; a run of them is a
//! forward, the norm and the product behind it its end. What lies between gets its op
//! from its place: it is what the launches before and after it make of it, not its name.

use std::ops::Range;

use super::Part;
use super::names::Does;
use super::tokens::{Mark, Token, tokens, twice};

/// Where the parts of one layer are, as places of tokens.
#[derive(Debug, Clone)]
struct Found {
    norm1: usize,
    qkv: Vec<usize>,
    core: (usize, usize),
    softmax: usize,
    o: usize,
    norm2: usize,
    ffn: Vec<usize>,
    next: usize,
}

/// How the layers of a forward are built: what a fusion would change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Build {
    /// Products that make q, k and v: 3, or 1 where they are one.
    pub qkv: usize,
    /// Whether scores, softmax and values are one kernel.
    pub flash: bool,
    /// Products that make gate and up: 2, or 1.
    pub gate_up: usize,
    /// Launches between those and `down`.
    pub silu_mul: usize,
    /// Launches of a norm.
    pub norm: usize,
    /// Launches of a layer in the middle.
    pub launches: usize,
}

/// One forward.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forward {
    /// Its launches, from its first to the last before the next forward.
    pub launches: Range<usize>,
    /// Layers.
    pub layers: usize,
    /// How they are built.
    pub build: Build,
}

/// The part of each launch, and the forwards.
pub(super) fn blocks(does: &[Does], kernels: &[usize]) -> (Vec<Part>, Vec<Forward>) {
    let mut walk = Walk {
        does,
        kernels,
        tokens: tokens(does),
        parts: vec![None; does.len()],
    };
    let mut layers: Vec<Vec<Found>> = Vec::new();
    for at in 0..walk.tokens.len() {
        let Some(found) = walk.layer(at) else {
            continue;
        };
        match layers.last_mut() {
            Some(run) if run.last().is_some_and(|last| last.next == found.norm1) => run.push(found),
            _ => layers.push(vec![found]),
        }
    }
    let mut forwards: Vec<Forward> = layers.iter().filter_map(|run| walk.forward(run)).collect();
    walk.between(&mut forwards);
    let parts = walk.parts.into_iter();
    (
        parts
            .map(|part| part.unwrap_or(Part::Unexplained))
            .collect(),
        forwards,
    )
}

struct Walk<'l> {
    does: &'l [Does],
    kernels: &'l [usize],
    tokens: Vec<Token>,
    parts: Vec<Option<Part>>,
}

impl Walk<'_> {
    fn mark(&self, at: usize) -> Option<Mark> {
        self.tokens.get(at).map(|token| token.mark)
    }

    /// The nearest token before this place that is more than launches between.
    fn before(&self, at: usize) -> Option<usize> {
        (0..at)
            .rev()
            .find(|at| self.mark(*at) != Some(Mark::Between))
    }

    /// The nearest behind it.
    fn behind(&self, at: usize) -> Option<usize> {
        (at + 1..self.tokens.len()).find(|at| self.mark(*at) != Some(Mark::Between))
    }

    /// Products in a row from here, in either direction, and the token that ends them.
    fn products(
        &self,
        mut at: usize,
        step: impl Fn(usize) -> Option<usize>,
    ) -> (Vec<usize>, Option<usize>) {
        let mut found = Vec::new();
        loop {
            match step(at) {
                Some(next) if self.mark(next) == Some(Mark::Product) && found.len() < 8 => {
                    found.push(next);
                    at = next;
                }
                end => return (found, end),
            }
        }
    }

    /// The layer around a core of attention at this token.
    fn layer(&self, at: usize) -> Option<Found> {
        let core = match self.mark(at)? {
            Mark::Attention => (at, at),
            Mark::Softmax => {
                let around = (self.before(at)?, self.behind(at)?);
                let is = |at| self.mark(at) == Some(Mark::Product);
                (is(around.0) && is(around.1)).then_some(around)?
            }
            _ => return None,
        };
        let is_norm = |at: usize| (self.mark(at) == Some(Mark::Norm)).then_some(at);
        let (mut qkv, before) = self.products(core.0, |at| self.before(at));
        qkv.reverse();
        let (head, rest) = self.products(core.1, |at| self.behind(at));
        let (&[o], norm2) = (head.as_slice(), rest.and_then(is_norm)?) else {
            return None;
        };
        let (ffn, next) = self.products(norm2, |at| self.behind(at));
        let fits = (1..=5).contains(&qkv.len()) && (2..=3).contains(&ffn.len());
        fits.then_some(Found {
            norm1: before.and_then(is_norm)?,
            qkv,
            core,
            softmax: at,
            o,
            norm2,
            ffn,
            next: next.and_then(is_norm)?,
        })
    }

    fn launches(&self, token: usize) -> Range<usize> {
        self.tokens
            .get(token)
            .map_or(0..0, |token| token.launches.clone())
    }

    /// The launches between two tokens.
    fn gap(&self, from: usize, to: usize) -> Range<usize> {
        self.launches(from).end..self.launches(to).start
    }

    fn set(&mut self, launches: Range<usize>, part: Part) {
        for at in launches {
            if let Some(slot) = self.parts.get_mut(at) {
                *slot = Some(part);
            }
        }
    }

    /// The same where nothing is set yet.
    fn fill(&mut self, launches: Range<usize>, part: Part) {
        for at in launches {
            if let Some(slot) = self.parts.get_mut(at) {
                slot.get_or_insert(part);
            }
        }
    }

    fn what(&self, at: usize) -> Does {
        self.does.get(at).copied().unwrap_or(Does::Unknown)
    }

    /// A residual, a norm of so many launches, and copies behind it.
    fn norm(&mut self, launches: Range<usize>, norm: usize) {
        let add = matches!(self.what(launches.start), Does::Add | Does::Elementwise);
        let residual = usize::from(add && launches.len() > norm);
        let from = launches.start + residual;
        let to = (from + norm).min(launches.end);
        self.set(launches.start..from, Part::Residual);
        self.set(from..to, Part::Norm);
        self.set(to..launches.end, Part::Copies);
    }

    /// The parts of one forward's layers; none where there is no layer.
    fn forward(&mut self, run: &[Found]) -> Option<Forward> {
        let (first, last) = (run.first()?, run.last()?);
        let between = self.launches(first.norm2);
        let add = matches!(self.what(between.start), Does::Add | Does::Elementwise);
        let norm = between.len() - usize::from(add && between.len() > 1);
        let fewest = run.iter().map(|layer| layer.qkv.len()).min()?;
        for (index, layer) in run.iter().enumerate() {
            let place = self.launches(layer.norm1);
            match index {
                0 => self.set(
                    place.end.saturating_sub(norm).max(place.start)..place.end,
                    Part::Norm,
                ),
                _ => self.norm(place, norm),
            }
            let own = self.own_products(layer, last, fewest);
            for token in &layer.qkv {
                if own.contains(token) {
                    self.set(self.launches(*token), Part::Qkv);
                } else {
                    self.set(self.launches(*token), Part::Tables);
                }
            }
            if let (Some(first), Some(last)) = (layer.qkv.first(), layer.qkv.last()) {
                let part = match own.len() == layer.qkv.len() {
                    true => Part::Qkv,
                    false => Part::Tables,
                };
                self.fill(self.gap(*first, *last), part);
                self.rotation(self.gap(*last, layer.core.0));
            }
            self.core(layer);
            self.set(self.gap(layer.core.1, layer.o), Part::Copies);
            self.set(self.launches(layer.o), Part::O);
            self.norm(self.launches(layer.norm2), norm);
            self.ffn(layer);
        }
        self.norm(self.launches(last.next), norm);
        let mut end = self.launches(last.next).end;
        if let Some(head) = self.behind(last.next)
            && self.mark(head) == Some(Mark::Product)
        {
            self.set(self.launches(head), Part::LmHead);
            end = self.launches(head).end;
        }
        let middle = run.get(1).unwrap_or(first);
        let activation = match middle.ffn.as_slice() {
            [first, .., last] => self
                .gap(*first, *last)
                .filter(|at| self.parts.get(*at) == Some(&Some(Part::SiluMul)))
                .count(),
            _ => 0,
        };
        let begin = self.launches(first.norm1).end.saturating_sub(norm);
        Some(Forward {
            launches: begin..end,
            layers: run.len(),
            build: Build {
                qkv: fewest,
                flash: first.core.0 == first.core.1,
                gate_up: middle.ffn.len() - 1,
                silu_mul: activation,
                norm,
                launches: self.launches(middle.next).start - self.launches(middle.norm1).start,
            },
        })
    }

    /// The products of q, k and v. Compiled programs put another among those of the
    /// first layer, the frequencies of RoPE: it has not the name that stands there in
    /// the last.
    fn own_products(&self, layer: &Found, last: &Found, fewest: usize) -> Vec<usize> {
        if layer.qkv.len() == fewest {
            return layer.qkv.clone();
        }
        let kernel = |token: &usize| self.kernels.get(self.launches(*token).start).copied();
        let mut wanted: Vec<Option<usize>> = last.qkv.iter().map(kernel).collect();
        let mut own = Vec::new();
        for token in layer.qkv.iter().rev() {
            if wanted.last() == Some(&kernel(token)) {
                wanted.pop();
                own.push(*token);
            }
        }
        match own.len() == fewest {
            true => own,
            false => layer.qkv.clone(),
        }
    }

    /// Between the products of q k v and the core: the rotations, then copies.
    fn rotation(&mut self, launches: Range<usize>) {
        let does = self.does.get(launches.clone()).unwrap_or_default();
        let rotates = |what: &Does| {
            matches!(
                what,
                Does::Rope | Does::Mul | Does::Neg | Does::Cat | Does::Add | Does::Trigonometry
            )
        };
        let end = match twice(does) {
            0 => does.iter().rposition(rotates).map_or(0, |at| at + 1),
            twice => twice,
        };
        let end = launches.start + end;
        self.set(launches.start..end, Part::Rope);
        self.set(end..launches.end, Part::Copies);
    }

    /// Scores, scaling, mask, softmax and values, or all of them in one.
    fn core(&mut self, layer: &Found) {
        let (from, to) = layer.core;
        if from == to {
            self.set(self.launches(from), Part::Attention);
            return;
        }
        self.set(self.launches(from), Part::Qk);
        self.set(self.gap(from, layer.softmax), Part::Softmax);
        self.set(self.launches(layer.softmax), Part::Softmax);
        for at in self.gap(layer.softmax, to) {
            let part = match self.what(at) {
                Does::Copy | Does::Cat | Does::Fill => Part::Copies,
                _ => Part::Softmax,
            };
            self.set(at..at + 1, part);
        }
        self.set(self.launches(to), Part::Pv);
    }

    fn ffn(&mut self, layer: &Found) {
        let [first, .., last] = layer.ffn.as_slice() else {
            return;
        };
        for token in &layer.ffn {
            self.set(self.launches(*token), Part::GateUp);
        }
        self.set(self.launches(*last), Part::Down);
        for at in self.gap(*first, *last) {
            let part = match self.what(at) {
                Does::Copy | Does::Fill => Part::Copies,
                _ => Part::SiluMul,
            };
            self.fill(at..at + 1, part);
        }
    }

    /// What stands between forwards: training, and tables made ready for the next.
    /// Each forward is given what stands before it.
    fn between(&mut self, forwards: &mut [Forward]) {
        let mut from = 0;
        for index in 0..forwards.len() {
            let Some(own) = forwards.get(index).map(|forward| forward.launches.clone()) else {
                return;
            };
            let gap = from..own.start;
            self.training(gap.clone());
            let begin = gap
                .clone()
                .rev()
                .take_while(|at| !self.is_training(*at))
                .last();
            let begin = begin.unwrap_or(own.start);
            // Something of its own size is a program of its own.
            if own.start - begin <= own.len() {
                self.prepare(begin..own.start);
            }
            if let Some(before) = index.checked_sub(1).and_then(|at| forwards.get_mut(at)) {
                before.launches.end = begin;
            }
            if let Some(forward) = forwards.get_mut(index) {
                forward.launches.start = begin;
            }
            from = own.end;
        }
        if let Some(last) = forwards.last_mut() {
            let rest = from..self.does.len();
            self.training(rest.clone());
            let behind = rest.rev().find(|at| self.is_training(*at));
            let behind = behind.map_or(from, |at| at + 1);
            last.launches.end = behind;
            let tail = behind..self.does.len();
            if tail.len() <= last.launches.len() {
                last.launches.end = tail.end;
                self.prepare(tail);
            }
        }
    }

    fn is_training(&self, at: usize) -> bool {
        let part = self.parts.get(at).copied().flatten();
        matches!(part, Some(Part::Loss | Part::Backward | Part::Optimizer))
    }

    /// Loss, gradients and optimizer, in that order, from the first of each.
    fn training(&mut self, gap: Range<usize>) {
        let mut phase: Option<Part> = None;
        for at in gap.clone() {
            let what = self.what(at);
            phase = match (what, phase) {
                (Does::Loss, _) => Some(Part::Loss),
                (Does::Backward, _) => Some(Part::Backward),
                (Does::Optimizer, _) => Some(Part::Optimizer),
                (Does::Gather, _) | (Does::RuntimeCopy, Some(Part::Optimizer)) => None,
                (_, phase) => phase,
            };
            // What the loss reads is made contiguous before it.
            if phase == Some(Part::Loss) && self.parts.get(gap.start) == Some(&None) {
                self.fill(gap.start..at, Part::Loss);
            }
            if let Some(part) = phase {
                self.fill(at..at + 1, part);
            }
        }
    }

    /// Embedding, masks, positions, tables of RoPE, the choice of a token.
    fn prepare(&mut self, launches: Range<usize>) {
        for at in launches.clone() {
            let near = at + 1..(at + 5).min(launches.end);
            let part = match self.what(at) {
                Does::Gather => Part::Embed,
                // Positions times frequencies, of which cosine and sine are taken.
                Does::Product if near.clone().any(|at| self.what(at) == Does::Trigonometry) => {
                    Part::Tables
                }
                Does::Product | Does::Attention | Does::Softmax | Does::Norm | Does::Unknown => {
                    continue;
                }
                Does::SplitSum => continue,
                _ => Part::Tables,
            };
            self.fill(at..at + 1, part);
        }
    }
}
