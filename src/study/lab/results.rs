//! What each plan has shown on this machine, kept so that a comparison is instant.

use std::collections::HashMap;

use plan::fusion::Cut;
use plan::run::{BackendKind, Gemm, Report, Request, WeightsFrom};

/// Everything that makes two runs the same experiment. Conventions of counting
/// are left out but for those that change the plan: they change no run.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    model: String,
    shape: [u64; 3],
    dtype: &'static str,
    cut: Cut,
    keeps_kv: bool,
    backend: BackendKind,
    weights: WeightsFrom,
    seed: u64,
    threads: Option<usize>,
    gemm: Gemm,
    graph: bool,
}

impl Key {
    /// The key of a request.
    pub fn of(request: &Request) -> Self {
        let config = &request.config;
        let m = &config.model;
        Self {
            model: format!(
                "{} {} {} {} {} {} {} {} {} {}",
                m.name,
                m.hidden,
                m.layers,
                m.heads,
                m.kv_heads,
                m.ffn,
                m.vocab,
                m.tied,
                m.rope_theta,
                m.norm_eps
            ),
            shape: [config.shape.batch, config.shape.seq, config.shape.context],
            dtype: config.dtype.name(),
            cut: config.effective_cut(),
            keeps_kv: config.keeps_kv(),
            backend: request.backend,
            weights: request.weights.clone(),
            seed: request.seed,
            threads: request.threads,
            gemm: request.gemm,
            graph: request.graph,
        }
    }
}

/// The newest report of each experiment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Results {
    reports: HashMap<Key, Report>,
}

impl Results {
    /// Keeps a report in place of an older one of the same experiment. A report
    /// whose check failed is not kept: no time is recorded for a wrong result.
    pub fn keep(&mut self, request: &Request, report: Report) -> bool {
        let wrong = report.check.as_ref().is_some_and(|check| !check.pass);
        if !wrong {
            self.reports.insert(Key::of(request), report);
        }
        !wrong
    }

    /// The newest report of this experiment.
    pub fn get(&self, request: &Request) -> Option<&Report> {
        self.reports.get(&Key::of(request))
    }

    /// How many experiments have a report.
    pub fn len(&self) -> usize {
        self.reports.len()
    }

    /// Whether nothing has been run yet.
    pub fn is_empty(&self) -> bool {
        self.reports.is_empty()
    }
}
