//! The CPU as a backend: weights, their packed form and the threads are kept from one
//! request to the next.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Allocation, Isa, PackedModel, ReadyPlan, Threads, affordable};
use crate::backends::Backend;
use crate::check::{Judge, wrong};
use crate::device;
use crate::given::{open_weights, tokens};
use crate::measure::{Checked, FORWARDS, Forward, Outcome, measure, named, step};
use crate::reference;
use crate::tokens::Tokens;
use crate::weights::Weights;
use plan::cost::Planned;
use plan::model::{Model, TensorId};
use plan::run::{
    Axis, BackendKind, BackendState, CheckReport, LaunchReport, Observer, Phase, Progress, Request,
    RunError, Settings, TraceReport, Tuned, WeightsFrom, WrongReport,
};

/// The name under which the interpreter's settings are kept.
const TILES: &str = "tiles";

/// This machine's CPU.
#[derive(Default)]
pub struct Cpu {
    loaded: Option<Loaded>,
    threads: HashMap<Option<usize>, Threads>,
}

/// Weights in memory, for as long as the requests ask for the same.
struct Loaded {
    from: WeightsFrom,
    wanted: Model,
    weights: Weights,
    packed: Arc<PackedModel>,
    judge: Judge,
}

impl Loaded {
    /// Whether these are the weights that `request` asks for.
    fn serves(&self, request: &Request) -> bool {
        self.from == request.weights
            && self.wanted == request.config.model
            && self.weights.dtype() == request.config.dtype
    }
}

impl Backend for Cpu {
    fn kind(&self) -> BackendKind {
        BackendKind::Cpu
    }

    fn state(&self) -> BackendState {
        let device = device::describe(device::threads(), Isa::detect());
        BackendState {
            backend: BackendKind::Cpu,
            ready: true,
            line: device.clone(),
            device,
            lacks: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn open(&mut self, _: &dyn Observer) -> Result<String, RunError> {
        Ok(self.state().device)
    }

    fn run(&mut self, request: &Request, observer: &dyn Observer) -> Result<Outcome, RunError> {
        step(request, observer, Progress::new(Phase::Prepare, 0, 1))?;
        // What cannot be at all comes before what this machine cannot hold.
        let planned = Planned::of(&request.config)?;
        let threads = self
            .threads
            .entry(request.threads)
            .or_insert_with(|| Threads::new(request.threads))
            .clone();
        let packed = self.loaded.as_ref().is_some_and(|l| l.serves(request));
        affordable(&request.config, threads.count(), packed)?;
        let loaded = load(&mut self.loaded, request)?;
        let planned = planned.with_model(loaded.weights.model())?;
        let tokens = tokens(request, loaded.weights.model())?;
        let isa = loaded.packed.isa();
        let device = device::describe(threads.count(), isa);
        let mut served = request.tuned.iter().rev();
        let tuned = served.find(|t| t.kernel == TILES && t.serves(&request.config, &device, true));
        let usual = Settings::default();
        let mut plan = ReadyPlan::cut_as(
            Arc::clone(&loaded.packed),
            threads.clone(),
            planned,
            tuned.map_or(&usual, |t| &t.settings),
        )?;
        step(request, observer, Progress::new(Phase::Prefill, 0, 1))?;
        plan.start(tokens.ids(), observer)
            .map_err(|e| e.after(0, request.runs))?;
        let mut ready = Ready {
            plan,
            weights: &loaded.weights,
            judge: &mut loaded.judge,
            tokens,
            threads: threads.count(),
            isa,
            notes: tuned.and_then(Tuned::note).into_iter().collect(),
        };
        measure(BackendKind::Cpu, request, observer, &mut ready)
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
            judge: Judge::default(),
        });
    }
    slot.as_mut()
        .ok_or_else(|| RunError::failed("the weights were not kept"))
}

/// A plan in memory with the tokens of a request.
struct Ready<'l> {
    plan: ReadyPlan,
    weights: &'l Weights,
    judge: &'l mut Judge,
    tokens: Tokens,
    threads: usize,
    isa: Isa,
    notes: Vec<String>,
}

impl Forward for Ready<'_> {
    fn planned(&self) -> &Planned {
        self.plan.planned()
    }

    fn device(&self) -> String {
        device::describe(self.threads, self.isa)
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// Every tensor in memory, where the reference is affordable.
    fn check(&mut self, observer: &dyn Observer) -> Result<Checked, RunError> {
        let config = &self.plan.planned().cost.config;
        let shape = config.shape;
        if let Err(e) = reference::affordable(&config.model, &shape) {
            return Ok(Checked::Not(format!("not checked: {e}")));
        }
        let mut seen: HashMap<TensorId, Vec<f32>> = HashMap::new();
        let ran = self.plan.forward_tapped(observer, |tapped| {
            seen.insert(tapped.id, tapped.values.to_vec());
        })?;
        let judged = self.judge.check(
            self.weights,
            &self.tokens,
            shape,
            |id| seen.get(&id).map(Vec::as_slice),
            |done, total| {
                observer.progress(Progress::new(Phase::Check, done, total));
                !observer.cancelled()
            },
        );
        let verdict = judged.map_err(|e| match observer.cancelled() {
            true => RunError::cancelled(0, 0),
            false => RunError::failed(e.to_string()),
        })?;
        Ok(Checked::Done(
            launches(ran.launches),
            CheckReport::from(&verdict),
        ))
    }

    fn wrong(&self) -> Result<Vec<WrongReport>, RunError> {
        let shape = self.planned().cost.config.shape;
        wrong(self.weights, &self.tokens, shape).map_err(|e| RunError::failed(e.to_string()))
    }

    fn forward(&mut self, observer: &dyn Observer) -> Result<LaunchReport, RunError> {
        Ok(launches(self.plan.forward(observer)?.launches))
    }

    fn clock(&self) -> Option<String> {
        Some(format!(
            "monotonic clock around each forward, {} threads, {}",
            self.threads,
            self.isa.name()
        ))
    }

    fn timed(&mut self, observer: &dyn Observer) -> Result<(LaunchReport, Option<f64>), RunError> {
        let ran = self.plan.forward(observer)?;
        let us = ran.time.as_secs_f64() * 1e6;
        Ok((launches(ran.launches), Some(us)))
    }

    fn traced(&mut self, observer: &dyn Observer) -> Result<Result<TraceReport, String>, RunError> {
        let names: Vec<(String, usize)> = named(self.planned());
        let mut forwards = Vec::new();
        for done in 0..=FORWARDS {
            observer.progress(Progress::new(Phase::Timing, done, FORWARDS + 1));
            let spans = self.plan.forward_clocked(observer)?;
            let micros = |time: std::time::Duration| time.as_secs_f64() * 1e6;
            let spans = spans
                .into_iter()
                .map(|(from, to)| (micros(from), micros(to)));
            // The first warms up.
            if done > 0 {
                forwards.push(spans.collect());
            }
        }
        let how = format!(
            "monotonic clock before and after each kernel, {} threads, {}",
            self.threads,
            self.isa.name()
        );
        Ok(TraceReport::of(Axis::Microseconds, how, &names, &forwards)
            .ok_or_else(|| "nothing was recorded".to_owned()))
    }

    fn logits(&mut self) -> Result<Vec<f32>, RunError> {
        Ok(self.plan.logits())
    }

    fn allocations(&self) -> Vec<Allocation> {
        self.plan.allocations().to_vec()
    }
}

fn launches(counted: u64) -> LaunchReport {
    LaunchReport {
        counted,
        library: 0,
    }
}
