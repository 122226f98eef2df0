//! Case after case, the smallest first, each criterion that it can show; the first
//! that is not met is reported with what was seen.

#![allow(
    clippy::result_large_err,
    reason = "one miss ends a judgement: it is made once and told"
)]

use super::bench::{Arg, Bench};
use super::compiled::{Compiled, NoProgram, own, written};
use super::known::{Alike, same};
use super::task::{Case, Rest, Task, task};
use super::values::{printed, right, thousands, wrong};
use super::{text, unit};
use plan::run::listing::{Listing, Mistake};
use plan::run::{Bounds, Candidate, Criterion, Refusal, Submission, SubmissionOutcome};
use simt::{Counts, Finding, MachineError, Problem};

/// Bytes of a sector.
const SECTOR: u64 = 32;
/// How near bytes must be to those of a known mistake.
const ALIKE: f64 = 0.02;
/// Characters around the lines of a mistake that a text must have as well.
const AROUND: usize = 24;

/// Judges a kernel. It may take seconds, and a text that keeps the compiler busy
/// takes longer: call it where it can be killed.
pub fn judge(submission: &Submission) -> SubmissionOutcome {
    let listing = match Listing::named(&submission.source) {
        Ok(listing) => listing,
        Err(error) => return SubmissionOutcome::Failed(error.to_string()),
    };
    let Some(task) = task(&submission.source) else {
        return SubmissionOutcome::Failed(format!(
            "{} has no kernel to be written",
            submission.source
        ));
    };
    let court = Court {
        listing: &listing,
        task,
        bounds: &submission.bounds,
    };
    match &submission.candidate {
        Candidate::Written { text, file } => court.written(text, file),
        Candidate::Chosen(numbers) => {
            for number in numbers {
                let outcome = court.chosen(*number);
                if !matches!(outcome, SubmissionOutcome::Accepted { .. }) {
                    return outcome;
                }
            }
            court.chosen(0)
        }
    }
}

struct Court<'c> {
    listing: &'c Listing,
    task: &'static Task,
    bounds: &'c Bounds,
}

/// What a kernel did in one case.
pub(super) enum Ran {
    /// It came to its end.
    Values {
        outputs: Vec<Vec<f32>>,
        counts: Box<Counts>,
    },
    /// The machine stopped it.
    Found(Box<Finding>),
    /// It could not be launched.
    Refused(String),
}

/// A criterion that is not met, in which case, and what the kernel did there.
struct Miss {
    criterion: Criterion,
    seen: String,
    at: Option<(Case, Ran)>,
}

impl Miss {
    fn plain(criterion: Criterion, seen: impl Into<String>) -> Self {
        Self {
            criterion,
            seen: seen.into(),
            at: None,
        }
    }
}

/// What an accepted kernel moved, and in how many cases it was right.
struct Met {
    issued: u64,
    cases: u32,
}

impl Court<'_> {
    fn written(&self, text: &str, file: &str) -> SubmissionOutcome {
        let compiled = match written(text, file, self.listing) {
            Ok(compiled) => compiled,
            Err(NoProgram::NoCompiler(say)) => return SubmissionOutcome::NoCompiler(say),
            Err(NoProgram::Refused(seen)) => {
                return SubmissionOutcome::Refused(Refusal {
                    criterion: Criterion::Compiles,
                    seen,
                    known: Vec::new(),
                });
            }
        };
        let met = self.examined(&compiled).and_then(|met| {
            let skeleton = self.listing.skeleton();
            match text::warp_width(text, &skeleton) {
                None => Ok(met),
                Some((row, literal)) => Err(Miss::plain(
                    Criterion::Portable,
                    format!(
                        "{file}:{row} types in {literal}. A warp has 32 lanes here and 64 on \
                         another GPU: write WARP. If it is another number, give it a name \
                         (const int columns = {literal};)."
                    ),
                )),
            }
        });
        self.outcome(met, |miss| self.known(miss, &compiled, text))
    }

    /// The kernel of this program, worked or with one mistake.
    fn chosen(&self, number: u32) -> SubmissionOutcome {
        match self.own(number) {
            Ok(compiled) => {
                let mistake = self.listing.mistakes().find(|m| m.number == number);
                self.outcome(self.examined(&compiled), |_| mistake.map(|m| m.say.clone()))
            }
            Err(NoProgram::NoCompiler(say)) => SubmissionOutcome::NoCompiler(say),
            Err(NoProgram::Refused(say)) => SubmissionOutcome::Failed(say),
        }
    }

    fn own(&self, number: u32) -> Result<Compiled, NoProgram> {
        let unit = unit(self.listing, "WRONG", number)
            .ok_or_else(|| NoProgram::Refused(format!("{} is not here", self.listing.path)))?;
        own(&unit)
    }

    fn outcome(
        &self,
        met: Result<Met, Miss>,
        known: impl FnOnce(&Miss) -> Option<String>,
    ) -> SubmissionOutcome {
        match met {
            Ok(met) => SubmissionOutcome::Accepted {
                issued: met.issued,
                cases: met.cases,
                praise: self
                    .bounds
                    .praise
                    .iter()
                    .filter(|(bytes, _)| met.issued as f64 <= *bytes)
                    .map(|(_, say)| say.clone())
                    .collect(),
            },
            Err(miss) => SubmissionOutcome::Refused(Refusal {
                known: known(&miss).into_iter().collect(),
                criterion: miss.criterion,
                seen: miss.seen,
            }),
        }
    }

    /// A known mistake that does the same in every case, where its lines stand in the
    /// text. Where only one of the two is so, it is what this often is, or what such bytes
    /// often mean.
    fn known(&self, miss: &Miss, compiled: &Compiled, text: &str) -> Option<String> {
        let (case, ran) = miss.at.as_ref()?;
        let text = bare(text);
        let rights = right(self.task, case);
        let alike = |mistake: &Mistake, how: Alike| {
            let own = self.own(mistake.number).ok();
            own.filter(|own| same(ran, &self.run(own, case), miss.criterion, &rights, how))
        };
        let change = |mistake: &Mistake| {
            Change::of(
                &bare(&self.listing.worked()),
                &bare(&self.listing.mistaken(mistake.number)),
            )
        };
        let doubted = |mistake: &Mistake| {
            format!(
                "Often this is a known mistake, and yours may be another: {}",
                mistake.say
            )
        };
        let made = self.listing.mistakes().find_map(|mistake| {
            let made = change(mistake).is_made(&text);
            Some((mistake, made.then(|| alike(mistake, Alike::Kind))??))
        });
        if let Some((mistake, own)) = made {
            let whole = bare(&self.listing.mistaken(mistake.number)) == text;
            let same = whole || self.everywhere(compiled, &own, miss.criterion);
            return Some(match same {
                true => mistake.say.clone(),
                false => doubted(mistake),
            });
        }
        if let (Criterion::Bytes, Ran::Values { counts, .. }) = (miss.criterion, ran) {
            let issued = issued(counts) as f64;
            let near = |bytes: f64| (issued - bytes).abs() <= ALIKE * bytes;
            let slip = self.bounds.slips.iter().find(|(bytes, _)| near(*bytes));
            if let Some((_, say)) = slip {
                return Some(format!("Often this many bytes mean: {say}"));
            }
        }
        let other = self.listing.mistakes().find(|mistake| {
            !change(mistake).is_excluded(&text)
                && alike(mistake, Alike::Place)
                    .is_some_and(|own| self.everywhere(compiled, &own, miss.criterion))
        })?;
        Some(doubted(other))
    }

    /// Whether two kernels do the same in every case.
    fn everywhere(&self, a: &Compiled, b: &Compiled, criterion: Criterion) -> bool {
        let mut cases = std::iter::once(self.task.tiny()).chain(self.task.cases());
        let values = match criterion {
            Criterion::Bytes => Criterion::Shapes,
            other => other,
        };
        cases.all(|case| {
            let rights = right(self.task, &case);
            let (a, b) = (self.run(a, &case), self.run(b, &case));
            same(&a, &b, values, &rights, Alike::Place)
        })
    }

    /// C2 to C7.
    fn examined(&self, compiled: &Compiled) -> Result<Met, Miss> {
        let tiny = self.task.tiny();
        self.right(compiled, tiny, Criterion::Tiny)?;
        let mut cases = 1;
        for case in self.task.cases() {
            self.right(compiled, case, Criterion::Shapes)?;
            cases += 1;
        }
        let wide = self.task.wide();
        let issued = self.bytes(compiled, wide)?;
        self.bits(compiled)?;
        Ok(Met { issued, cases })
    }

    /// C2, C3 and, wherever it shows, C4.
    fn right(&self, compiled: &Compiled, case: Case, criterion: Criterion) -> Result<(), Miss> {
        let ran = self.run(compiled, &case);
        let (criterion, seen) = match &ran {
            Ran::Refused(say) => (Criterion::Compiles, say.clone()),
            Ran::Found(finding) => found(finding, &case, criterion),
            Ran::Values { outputs, .. } => match wrong(self.task, outputs, &case) {
                None => return Ok(()),
                Some(mut seen) => {
                    if criterion == Criterion::Tiny {
                        seen.push_str(&printed(self.task, &case, outputs));
                    }
                    (criterion, seen)
                }
            },
        };
        Err(Miss {
            criterion,
            seen,
            at: Some((case, ran)),
        })
    }

    /// C5: bytes of the wide case, which must be right as well.
    fn bytes(&self, compiled: &Compiled, case: Case) -> Result<u64, Miss> {
        let ran = self.run(compiled, &case);
        let Ran::Values { outputs, counts } = &ran else {
            let (criterion, seen) = match &ran {
                Ran::Found(finding) => found(finding, &case, Criterion::Shapes),
                _ => (
                    Criterion::Bytes,
                    "the wide case cannot be launched".to_owned(),
                ),
            };
            return Err(Miss {
                criterion,
                seen,
                at: Some((case, ran)),
            });
        };
        if let Some(seen) = wrong(self.task, outputs, &case) {
            return Err(Miss {
                criterion: Criterion::Shapes,
                seen,
                at: Some((case, ran)),
            });
        }
        let (issued, sectors) = (issued(counts), sectors(counts) * SECTOR);
        let over = |bytes: u64, bound: Option<f64>| bound.is_some_and(|most| bytes as f64 > most);
        let seen = if over(issued, self.bounds.issued) {
            format!(
                "at {}, lanes ask for {} bytes, and the bound is {}.",
                case.name,
                thousands(issued),
                thousands(self.bounds.issued.unwrap_or_default() as u64)
            )
        } else if over(sectors, self.bounds.sectors) {
            format!(
                "at {}, lanes ask for {} bytes, and the sectors that they touch hold {}: the \
                 bound is {}.",
                case.name,
                thousands(issued),
                thousands(sectors),
                thousands(self.bounds.sectors.unwrap_or_default() as u64)
            )
        } else {
            return Ok(issued);
        };
        Err(Miss {
            criterion: Criterion::Bytes,
            seen,
            at: Some((case, ran)),
        })
    }

    /// C7: the same bits twice, and no addition whose order nobody fixes.
    fn bits(&self, compiled: &Compiled) -> Result<(), Miss> {
        let float_sum = |line: &str| {
            let head = line
                .trim_start()
                .split([' ', '\t'])
                .next()
                .unwrap_or_default();
            (head.starts_with("atom.") || head.starts_with("red."))
                && head.contains(".add.")
                && (head.contains("f32") || head.contains("f64") || head.contains("f16"))
        };
        if compiled.ptx.lines().any(float_sum) {
            return Err(Miss::plain(
                Criterion::Bits,
                "floats are added by atomics, whose order nobody fixes, so the last bits may \
                 differ from run to run. Add them in a fixed order.",
            ));
        }
        let Some(case) = self.task.cases().next() else {
            return Ok(());
        };
        let bits = |ran: Ran| match ran {
            Ran::Values { outputs, .. } => outputs
                .iter()
                .flatten()
                .map(|value| value.to_bits())
                .collect(),
            _ => Vec::new(),
        };
        let (once, again): (Vec<u32>, Vec<u32>) = (
            bits(self.run(compiled, &case)),
            bits(self.run(compiled, &case)),
        );
        if once == again {
            return Ok(());
        }
        Err(Miss::plain(
            Criterion::Bits,
            format!("at {}, two runs differ.", case.name),
        ))
    }

    /// Runs one case.
    fn run(&self, compiled: &Compiled, case: &Case) -> Ran {
        let mut bench = Bench::new(&compiled.program, &self.listing.entry);
        match self.launched(&mut bench, case) {
            Ok((outputs, counts)) => Ran::Values {
                outputs,
                counts: Box::new(counts),
            },
            Err(MachineError::Found(finding)) => Ran::Found(finding),
            Err(MachineError::Request(say)) => Ran::Refused(say),
            Err(stopped @ MachineError::Stopped) => Ran::Refused(stopped.to_string()),
        }
    }

    fn launched(
        &self,
        bench: &mut Bench<'_>,
        case: &Case,
    ) -> Result<(Vec<Vec<f32>>, Counts), MachineError> {
        let frame = (self.task.frame)(&case.extents);
        let mut args = Vec::new();
        for ((name, _), values) in frame.inputs.iter().zip(&case.inputs) {
            args.push(Arg::Buffer(bench.floats(name, values)?));
        }
        let mut outputs = Vec::new();
        for (name, length) in &frame.outputs {
            let buffer = bench.fresh(name, *length)?;
            outputs.push(buffer);
            args.push(Arg::Buffer(buffer));
        }
        args.extend(frame.rest.iter().map(|rest| match rest {
            Rest::Int(n) => Arg::Int(*n as i32),
            Rest::Long(n) => Arg::Long(*n as i64),
            Rest::Float(value) => Arg::Float(*value),
        }));
        let counts = bench.launch(frame.geometry, &args)?;
        let values = outputs
            .into_iter()
            .map(|buffer| bench.read_floats(buffer))
            .collect::<Result<_, _>>()?;
        Ok((values, counts))
    }
}

/// Which criterion a finding belongs to, and how it is told; `values` is the one that the
/// values of this case are held to.
fn found(finding: &Finding, case: &Case, values: Criterion) -> (Criterion, String) {
    let criterion = match finding.problem {
        Problem::NeverEnds { .. } => values,
        Problem::Unsupported { .. } => Criterion::Compiles,
        _ => Criterion::Access,
    };
    (criterion, format!("at {}: {finding}", case.name))
}

/// A text without comments and white space.
fn bare(text: &str) -> String {
    let lines: String = text::code_lines(text).map(|(_, line)| line).collect();
    lines.chars().filter(|c| !c.is_whitespace()).collect()
}

/// What a mistake changes in the worked text, both bare.
struct Change {
    /// What is taken out, and what is put in its place, each with what is around it.
    around: (String, String),
    /// What is taken out and replaced by nothing, and how often the worked text has it.
    left_out: Option<(String, usize)>,
}

impl Change {
    fn of(worked: &str, mistaken: &str) -> Self {
        let (right, wrong): (Vec<char>, Vec<char>) =
            (worked.chars().collect(), mistaken.chars().collect());
        let alike = |pair: &(&char, &char)| pair.0 == pair.1;
        let head = right.iter().zip(&wrong).take_while(alike).count();
        let most = right.len().min(wrong.len()) - head;
        let back = right.iter().rev().zip(wrong.iter().rev());
        let tail = back.take_while(alike).count().min(most);
        let part = |of: &[char], more: usize| -> String {
            let (from, to) = (
                head.saturating_sub(more),
                (of.len() - tail + more).min(of.len()),
            );
            of.get(from..to).unwrap_or_default().iter().collect()
        };
        let out = part(&right, 0);
        let times = worked.matches(&out).count();
        Self {
            around: (part(&right, AROUND), part(&wrong, AROUND)),
            left_out: part(&wrong, 0).is_empty().then_some((out, times)),
        }
    }

    /// The mistaken lines stand in this text.
    fn is_made(&self, text: &str) -> bool {
        text.contains(&self.around.1)
    }

    /// The right lines stand in this text, or what the mistake leaves out.
    fn is_excluded(&self, text: &str) -> bool {
        let there = |(out, times): &(String, usize)| text.matches(out).count() >= *times;
        text.contains(&self.around.0) || self.left_out.as_ref().is_some_and(there)
    }
}

/// Bytes that lanes asked for.
fn issued(counts: &Counts) -> u64 {
    counts.buffers.iter().map(|b| b.read + b.written).sum()
}

/// Sectors that requests touched.
pub(super) fn sectors(counts: &Counts) -> u64 {
    let each = counts.buffers.iter();
    each.map(|b| b.read_sectors + b.written_sectors).sum()
}

#[cfg(test)]
mod tests;
