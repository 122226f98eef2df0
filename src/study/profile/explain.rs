//! Which plan explains the calls: of which version or fusions, how many layers,
//! how many forwards.
//!
//! In a forward of L layers every kernel of a plan runs a + b·L times. One that
//! runs once whatever L is gives the number of forwards, any other gives L, and
//! then every count must fit exactly.

use std::collections::BTreeMap;

use super::{Profile, Unexplained, known};
use plan::fusion::{Boundary, Cut, Fusion, Kernel, Plan, Version};
use plan::kernels::Family;
use plan::model::{Graph, OpKind};

/// Most layers that are believed.
const MOST_LAYERS: i64 = 10_000;

/// What the kernels were recognised by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Names of a plan's kernels: `gate+up`.
    Names,
    /// Names of this program's GPU kernels, several of a plan's under each.
    Entries,
    /// Nothing but how often each row was called.
    Calls,
}

/// The plan that the calls fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// Its cut.
    pub cut: Cut,
    /// Other cuts that fit as well.
    pub others: Vec<Cut>,
    /// Layers of the model; none where the plan is one kernel for everything.
    pub layers: Option<u64>,
    /// Forwards in the profile.
    pub forwards: u64,
    /// How the kernels were recognised.
    pub by: By,
    /// Launches of kernels that belong to no plan: copies, fills, a library's.
    pub beside: u64,
    /// For each row of the profile what its kernels of the plan are called.
    pub(super) keys: Vec<Option<String>>,
}

/// How often a kernel runs in a forward of two layers, and how much more often
/// with each further layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Scaling {
    two: i64,
    more: i64,
}

impl Scaling {
    fn at(self, layers: i64) -> i64 {
        self.two + self.more * (layers - 2)
    }
}

type Key = fn(&Kernel, &Graph) -> Option<String>;

fn by_name(kernel: &Kernel, graph: &Graph) -> Option<String> {
    Some(kernel.name(graph))
}

fn by_entry(kernel: &Kernel, graph: &Graph) -> Option<String> {
    let ops: Vec<OpKind> = kernel.op_kinds(graph).collect();
    Family::of_ops(&ops).map(|family| family.name().to_owned())
}

/// Each kernel of a plan with its scaling; none where one has no key.
fn scalings(cut: Cut, key: Key) -> Option<BTreeMap<String, Scaling>> {
    let counts = |layers: u32| -> Option<BTreeMap<String, i64>> {
        let graph = Graph::of_layers(layers, false);
        let mut counts = BTreeMap::new();
        for kernel in &Plan::new(&graph, cut, false).kernels {
            *counts.entry(key(kernel, &graph)?).or_insert(0) += 1;
        }
        Some(counts)
    };
    let (two, three) = (counts(2)?, counts(3)?);
    let scaling = |(key, three): (String, i64)| {
        let two = two.get(&key).copied().unwrap_or(0);
        let more = three - two;
        (key, Scaling { two, more })
    };
    Some(three.into_iter().map(scaling).collect())
}

/// Forwards and layers under which these calls are those of the plan, exactly.
fn fit(
    calls: &BTreeMap<String, u64>,
    plan: &BTreeMap<String, Scaling>,
) -> Option<(u64, Option<u64>)> {
    let called = |key: &String| calls.get(key).and_then(|n| i64::try_from(*n).ok());
    let forwards = plan
        .iter()
        .filter(|(_, s)| s.more == 0 && s.two > 0)
        .find_map(|(key, s)| Some(called(key)? / s.two))
        .filter(|n| *n > 0)?;
    let layers = plan
        .iter()
        .filter(|(_, s)| s.more > 0)
        .find_map(|(key, s)| Some((called(key)? / forwards - s.two) / s.more + 2));
    let layers = match layers {
        Some(n) if (1..=MOST_LAYERS).contains(&n) => Some(n),
        Some(_) => return None,
        // Nothing of the blocks is there, though the plan has them.
        None if plan.values().any(|s| s.more > 0) => return None,
        None => None,
    };
    let expected = |s: &Scaling| s.at(layers.unwrap_or(2)).checked_mul(forwards);
    let fits = plan
        .iter()
        .all(|(key, s)| Some(called(key).unwrap_or(0)) == expected(s));
    let known = calls.keys().all(|key| plan.contains_key(key));
    (fits && known).then_some((forwards as u64, layers.map(|n| n as u64)))
}

/// The cut that kernels of these names make, each a list of ops.
fn cut_of<'n>(names: impl Iterator<Item = &'n str>) -> Option<Cut> {
    let mut cut = Cut::NONE;
    for name in names {
        if name == "forward" {
            return Some(Cut::EVERYTHING);
        }
        for pair in known::ops(name)?.windows(2) {
            let wall = match pair {
                [OpKind::Res2, OpKind::FinalNorm] => Boundary::CROSS,
                [a, b] => Boundary::between(*a, *b)?,
                _ => return None,
            };
            cut = cut.joined(wall);
        }
    }
    Some(cut)
}

/// Every cut that has a name: versions first, then sets of fusions, small ones
/// before large ones.
fn candidates() -> (Vec<Cut>, Vec<Cut>) {
    let versions: Vec<Cut> = Version::ALL.into_iter().map(Version::cut).collect();
    let fusions: Vec<Fusion> = Fusion::ALL
        .into_iter()
        .filter(|f| !matches!(f, Fusion::Block | Fusion::Forward))
        .collect();
    let mut sets: Vec<u32> = (1..1_u32 << fusions.len()).collect();
    sets.sort_by_key(|set| set.count_ones());
    let mut more = Vec::new();
    let mut seen: std::collections::BTreeSet<Cut> = versions.iter().copied().collect();
    for set in sets {
        let cut = fusions
            .iter()
            .enumerate()
            .filter(|(bit, _)| set & (1 << bit) != 0)
            .fold(Cut::v1(), |cut, (_, fusion)| cut.fuse(*fusion));
        if seen.insert(cut) {
            more.push(cut);
        }
    }
    (versions, more)
}

/// What fits, out of the first list in which something does.
fn first_that_fit<T>(only: Option<Cut>, fits: impl Fn(Cut) -> Option<T>) -> Vec<(Cut, T)> {
    let look = |cuts: Vec<Cut>| -> Vec<(Cut, T)> {
        let found = cuts.into_iter().filter_map(|cut| Some((cut, fits(cut)?)));
        found.collect()
    };
    if let Some(cut) = only {
        return look(vec![cut]);
    }
    let (versions, more) = candidates();
    let split = versions.iter().map(|cut| cut.with_rope_split()).collect();
    let found = look(versions);
    if !found.is_empty() {
        return found;
    }
    let found = look(split);
    match found.is_empty() {
        true => look(more),
        false => found,
    }
}

/// The plan whose launches are the calls of the profile.
///
/// # Errors
/// No plan fits; with `only`, that one does not.
pub(super) fn explain(profile: &Profile, only: Option<Cut>) -> Result<Explained, Unexplained> {
    let rows: Vec<&super::KernelRow> = profile.kernels.iter().collect();
    let runs = |at: usize| rows[at].calls > 0 && !known::is_runtime(&rows[at].name);
    let places: Vec<usize> = (0..rows.len()).filter(|at| runs(*at)).collect();
    let build = |by: By, keys: Vec<Option<String>>, found: Vec<(Cut, (u64, Option<u64>))>| {
        let mut found = found.into_iter();
        let (cut, (forwards, layers)) = found.next()?;
        let beside = rows.iter().zip(&keys).filter(|(_, key)| key.is_none());
        Some(Explained {
            cut,
            others: found.map(|(cut, _)| cut).collect(),
            layers,
            forwards,
            by,
            beside: match by {
                By::Calls => 0,
                _ => beside.fold(0, |sum: u64, (row, _)| sum.saturating_add(row.calls)),
            },
            keys,
        })
    };
    let summed = |keys: &[Option<String>]| {
        let mut calls: BTreeMap<String, u64> = BTreeMap::new();
        for (row, key) in rows.iter().zip(keys) {
            if let Some(key) = key
                && row.calls > 0
            {
                let sum = calls.entry(key.clone()).or_default();
                *sum = sum.saturating_add(row.calls);
            }
        }
        calls
    };

    let names: Vec<Option<String>> = rows
        .iter()
        .map(|row| {
            let name = known::bare(&row.name);
            (name == "forward" || known::ops(name).is_some()).then(|| name.to_owned())
        })
        .collect();
    if let Some(cut) = cut_of(names.iter().flatten().map(String::as_str))
        && only.is_none_or(|only| only == cut)
        && let Some(plan) = scalings(cut, by_name)
        && let Some(fits) = fit(&summed(&names), &plan)
        && let Some(found) = build(By::Names, names.clone(), vec![(cut, fits)])
    {
        return Ok(found);
    }

    let entries: Vec<Option<String>> = rows
        .iter()
        .map(|row| known::family(&row.name).map(|family| family.name().to_owned()))
        .collect();
    let calls = summed(&entries);
    if !calls.is_empty() {
        let found = first_that_fit(only, |cut| fit(&calls, &scalings(cut, by_entry)?));
        if let Some(found) = build(By::Entries, entries, found) {
            return Ok(found);
        }
    }

    let counts: Vec<u64> = places.iter().map(|at| rows[*at].calls).collect();
    let found = first_that_fit(only, |cut| fit_counts(&counts, cut));
    let nobody = vec![None; rows.len()];
    build(By::Calls, nobody, found).ok_or(only.map_or(Unexplained::ByAny, Unexplained::By))
}

/// Whether rows of unknown names have exactly the calls of a plan's kernels.
fn fit_counts(counts: &[u64], cut: Cut) -> Option<(u64, Option<u64>)> {
    let mut counts = counts.to_vec();
    counts.sort_unstable();
    let (least, most) = (*counts.first()?, *counts.last()?);
    // One row fits anything.
    if counts.len() < 2 || most % least != 0 {
        return None;
    }
    let layers = i64::try_from(most / least).ok()?;
    if layers > MOST_LAYERS {
        return None;
    }
    let plan = scalings(cut, by_name)?;
    let mut expected: Vec<u64> = plan
        .values()
        .map(|s| s.at(layers))
        .filter(|n| *n > 0)
        .filter_map(|n| least.checked_mul(u64::try_from(n).ok()?))
        .collect();
    expected.sort_unstable();
    (expected == counts).then_some((least, u64::try_from(layers).ok()))
}
