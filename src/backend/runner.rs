//! From a request to a report: weights, packing, the check, the clock.
//!
//! Weights, their packed form and the threads are kept from one request to the
//! next, so that flipping a fusion costs a plan and not a model.

use std::collections::HashMap;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::check::check;
use super::cpu::{self, Allocation, Isa, PackedModel, ReadyPlan, Threads, total_bytes};
use super::device;
use super::gpu::devices;
use super::reference::affordable;
use super::tokens::Tokens;
use super::weights::Weights;
use plan::cost::price;
use plan::model::{Dtype, Model, TensorId};
use plan::run::{
    BackendKind, BytesReport, CheckReport, LaunchReport, Observer, OutputReport, Phase, PlanReport,
    Progress, Report, Request, RunError, RunErrorKind, Timing, WeightsFrom,
};

/// Logits that a report shows.
const SAMPLE: usize = 5;

/// A report, and what does not fit into it.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The report.
    pub report: Report,
    /// The logits, batch × seq × vocab.
    pub logits: Vec<f32>,
    /// Everything that was held in memory, by name.
    pub allocations: Vec<Allocation>,
}

/// Runs requests one after another and keeps what they share.
#[derive(Default)]
pub struct Runner {
    loaded: Option<Loaded>,
    threads: HashMap<Option<usize>, Threads>,
}

/// Weights in memory, for as long as the requests ask for the same.
struct Loaded {
    from: WeightsFrom,
    wanted: Model,
    weights: Weights,
    packed: Arc<PackedModel>,
}

impl Loaded {
    /// Whether these are the weights that `request` asks for.
    fn serves(&self, request: &Request) -> bool {
        self.from == request.weights
            && self.wanted == request.config.model
            && self.weights.dtype() == request.config.dtype
    }
}

impl Runner {
    /// Runs `request`: prepares, checks the outputs against the fp64 reference
    /// (where it is asked for and affordable), then times.
    ///
    /// # Errors
    /// A request that cannot be, something that this machine lacks, a stop by
    /// the observer.
    pub fn run(&mut self, request: &Request, observer: &dyn Observer) -> Result<Outcome, RunError> {
        match request.backend {
            BackendKind::Cpu => self.run_cpu(request, observer),
            BackendKind::Auto => {
                // HIP is taken by name only: its kernels have not run on an AMD GPU yet.
                match devices::run(BackendKind::Cuda, request, observer) {
                    // What this machine's GPU lacks, its CPU has.
                    Err(e) if e.kind == RunErrorKind::Missing => self.run_cpu(request, observer),
                    ran => ran,
                }
            }
            device @ (BackendKind::Simt | BackendKind::Cuda | BackendKind::Hip) => {
                devices::run(device, request, observer)
            }
        }
    }

    fn run_cpu(&mut self, request: &Request, observer: &dyn Observer) -> Result<Outcome, RunError> {
        let step = |phase, done, total| {
            observer.progress(Progress::new(phase, done, total));
            if observer.cancelled() {
                Err(RunError::cancelled(0, request.runs))
            } else {
                Ok(())
            }
        };
        step(Phase::Prepare, 0, 1)?;
        // What cannot be at all comes before what this machine cannot hold.
        price(&request.config)?;
        let threads = self
            .threads
            .entry(request.threads)
            .or_insert_with(|| Threads::new(request.threads))
            .clone();
        let packed = self.loaded.as_ref().is_some_and(|l| l.serves(request));
        cpu::affordable(&request.config, threads.count(), packed)?;
        let loaded = load(&mut self.loaded, request)?;
        let mut config = request.config.clone();
        config.model = loaded.weights.model().clone();
        let cost = price(&config)?;
        let tokens = tokens(request, &config.model)?;
        let mut ready = ReadyPlan::new(Arc::clone(&loaded.packed), threads.clone(), &config)?;
        step(Phase::Prefill, 0, 1)?;
        let none = |e: RunError| e.after(0, request.runs);
        ready.start(tokens.ids(), observer).map_err(none)?;

        let mut notes = Vec::new();
        let mut checked = None;
        let mut counted = None;
        if request.check {
            match affordable(&config.model, &config.shape) {
                Ok(()) => {
                    let (launches, report) =
                        check_run(&ready, &loaded.weights, &tokens, request, observer)
                            .map_err(none)?;
                    counted = Some(launches);
                    checked = Some(report);
                }
                Err(e) => notes.push(format!("not checked: {e}")),
            }
        }
        let wrong = checked.as_ref().is_some_and(|c: &CheckReport| !c.pass);
        let mut times = Vec::new();
        // No time is taken of a wrong result.
        let (warm_up, runs) = if wrong {
            (0, 0)
        } else {
            (request.warm_up, request.runs)
        };
        for done in 0..warm_up {
            step(Phase::WarmUp, done, warm_up)?;
            counted = Some(ready.forward(observer).map_err(none)?.launches);
        }
        for done in 0..runs {
            observer.progress(Progress::new(Phase::Timing, done, runs));
            if observer.cancelled() {
                return Err(RunError::cancelled(done, runs));
            }
            let ran = ready.forward(observer).map_err(|e| e.after(done, runs))?;
            counted = Some(ran.launches);
            times.push(ran.time.as_secs_f64() * 1e6);
        }
        let counted = match counted {
            Some(counted) => counted,
            None => ready.forward(observer).map_err(none)?.launches,
        };
        let logits = ready.logits();
        let isa = loaded.packed.isa();
        let allocations = ready.allocations().to_vec();
        let report = Report {
            schema: 1,
            backend: BackendKind::Cpu.name().to_owned(),
            device: device::describe(threads.count(), isa),
            plan: PlanReport {
                fusions: config
                    .effective_cut()
                    .fusions()
                    .iter()
                    .map(|f| f.name().to_owned())
                    .collect(),
                groups: config.effective_cut().groups(),
                launches: ready.plan().launches() as u64,
            },
            launches: LaunchReport {
                counted,
                library: 0,
            },
            time_us: Timing::of(
                &times,
                format!(
                    "monotonic clock around each forward, {} threads, {}, after {warm_up} warm-up runs",
                    threads.count(),
                    isa.name()
                ),
            ),
            bytes: BytesReport {
                modelled: Some(cost.forward.bytes()),
                ..BytesReport::default()
            },
            check: checked,
            output: output(&config.model, request, &logits),
            held_bytes: Some(total_bytes(&allocations)),
            kernels: Vec::new(),
            notes,
        };
        Ok(Outcome {
            report,
            logits,
            allocations,
        })
    }
}

/// The weights of the request; those in memory where they are the same.
fn load<'l>(slot: &'l mut Option<Loaded>, request: &Request) -> Result<&'l mut Loaded, RunError> {
    let config = &request.config;
    if !slot.as_ref().is_some_and(|l| l.serves(request)) {
        // The old weights go before the new ones come.
        *slot = None;
        let weights = open_weights(&request.weights, &config.model, config.dtype)?;
        let packed = PackedModel::pack(weights.model(), config.dtype, Isa::detect(), |id| {
            weights
                .tensor(id)
                .map_err(|e| RunError::bad_request(e.to_string()))
        })?;
        *slot = Some(Loaded {
            from: request.weights.clone(),
            wanted: config.model.clone(),
            packed: Arc::new(packed),
            weights,
        });
    }
    slot.as_mut()
        .ok_or_else(|| RunError::failed("the weights were not kept"))
}

/// The weights that a request names, of the model that it names.
pub(super) fn open_weights(
    from: &WeightsFrom,
    model: &Model,
    dtype: Dtype,
) -> Result<Weights, RunError> {
    let refused = |e: super::weights::WeightsError| RunError::bad_request(e.to_string());
    match from {
        WeightsFrom::Seed(seed) => Weights::seeded(model, *seed, dtype).map_err(refused),
        WeightsFrom::Folder(folder) => {
            let weights = Weights::open(folder, dtype).map_err(refused)?;
            let sizes = |m: &Model| [m.hidden, m.layers, m.heads, m.kv_heads, m.ffn, m.vocab];
            if sizes(weights.model()) == sizes(model) {
                Ok(weights)
            } else {
                Err(RunError::bad_request(format!(
                    "the weights in {} are of another model than {}; leave --model out to take the folder's own",
                    folder.display(),
                    model.name
                )))
            }
        }
    }
}

/// The tokens of a request: given, or drawn from its seed.
pub(super) fn tokens(request: &Request, model: &Model) -> Result<Tokens, RunError> {
    let shape = request.config.shape;
    let tokens = match &request.tokens {
        Some(rows) => {
            Tokens::new(rows, model.vocab).map_err(|e| RunError::bad_request(e.to_string()))?
        }
        None => Tokens::seeded(
            request.seed,
            usize::try_from(shape.batch).unwrap_or(usize::MAX),
            usize::try_from(shape.context).unwrap_or(usize::MAX),
            model.vocab,
        ),
    };
    let given = [tokens.batch() as u64, tokens.context() as u64];
    if given != [shape.batch, shape.context] {
        return Err(RunError::bad_request(format!(
            "the tokens are {} sequences of {}, and the shape is batch {} with context {}; leave out --batch and --seq to take them from the tokens",
            given[0], given[1], shape.batch, shape.context
        )));
    }
    Ok(tokens)
}

/// One forward whose every tensor in memory is compared with the reference.
fn check_run(
    ready: &ReadyPlan,
    weights: &Weights,
    tokens: &Tokens,
    request: &Request,
    observer: &dyn Observer,
) -> Result<(u64, CheckReport), RunError> {
    let mut seen: HashMap<TensorId, Vec<f32>> = HashMap::new();
    let ran = ready.forward_tapped(observer, |tapped| {
        seen.insert(tapped.id, tapped.values.to_vec());
    })?;
    let verdict = check(
        weights,
        tokens,
        request.config.shape,
        |id| seen.get(&id).map(Vec::as_slice),
        |done, total| {
            observer.progress(Progress::new(Phase::Check, done, total));
            !observer.cancelled()
        },
    )
    .map_err(|e| {
        if observer.cancelled() {
            RunError::cancelled(0, request.runs)
        } else {
            RunError::failed(e.to_string())
        }
    })?;
    Ok((ran.launches, CheckReport::from(&verdict)))
}

/// The logits in short.
pub(super) fn output(model: &Model, request: &Request, logits: &[f32]) -> OutputReport {
    let shape = request.config.shape;
    let mut hash = Sha256::new();
    for value in logits {
        hash.update(value.to_le_bytes());
    }
    let vocab = usize::try_from(model.vocab).unwrap_or(usize::MAX);
    let seq = usize::try_from(shape.seq).unwrap_or(usize::MAX);
    let last = seq.saturating_sub(1).saturating_mul(vocab);
    OutputReport {
        shape: vec![shape.batch, shape.seq, model.vocab],
        sha256: hash.finalize().iter().map(|b| format!("{b:02x}")).collect(),
        sample: logits
            .get(last..)
            .unwrap_or_default()
            .iter()
            .take(SAMPLE.min(vocab))
            .copied()
            .collect(),
    }
}

/// The model of a folder with Hugging Face weights.
///
/// # Errors
/// As [`Weights::open`].
pub fn model_of_folder(folder: &std::path::Path) -> Result<Model, RunError> {
    Weights::open(folder, Dtype::Fp32)
        .map(|w| w.model().clone())
        .map_err(|e| RunError::bad_request(e.to_string()))
}

/// Token rows from a file with a JSON list of lists, checked by the run.
///
/// # Errors
/// A file that cannot be read or holds no such list.
pub fn tokens_of_file(path: &std::path::Path, vocab: u64) -> Result<Vec<Vec<u64>>, RunError> {
    let tokens = Tokens::load(path, vocab).map_err(|e| RunError::bad_request(e.to_string()))?;
    Ok((0..tokens.batch())
        .map(|b| tokens.sequence(b).iter().map(|id| u64::from(*id)).collect())
        .collect())
}
