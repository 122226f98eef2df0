//! The table: one row per kernel, per fusion set, per planted defect.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, Serialize};

use super::{Case, SelfTest};
use crate::check::TensorCheck;
use crate::gpu::exec::Examined;
use plan::run::RunError;

/// One kernel, over all forwards that launched it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KernelRow {
    /// Its entry.
    pub entry: String,
    /// What was compiled of it: definitions, by title.
    pub variants: BTreeSet<String>,
    /// Launches that were judged.
    pub launches: u64,
    /// The largest error, as a part of what it may be.
    #[serde(deserialize_with = "infinite_if_null")]
    pub worst: f64,
    /// Whether each tensor that it wrote is right.
    pub pass: bool,
    /// The first forward in which one is not.
    pub wrong_in: Option<String>,
}

/// One fusion set in one dtype, over all models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlanRow {
    /// Its name.
    pub plan: String,
    /// `fp32` or `bf16`.
    pub dtype: String,
    /// Forwards that were examined.
    pub forwards: u64,
    /// The largest error of a tensor, as a part of what it may be.
    #[serde(deserialize_with = "infinite_if_null")]
    pub worst: f64,
    /// Whether everything is right.
    pub pass: bool,
    /// What is not, first.
    pub wrong: Option<String>,
    /// Why some of it could not be run, where that is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacking: Option<String>,
}

/// One planted defect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlantedRow {
    /// What is wrong.
    pub what: String,
    /// Whether the test saw it.
    pub caught: bool,
    /// What was seen.
    pub seen: String,
}

/// JSON has no infinity: what is as far off as can be stands there as null.
fn infinite_if_null<'de, D: Deserializer<'de>>(document: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(document)?.unwrap_or(f64::INFINITY))
}

/// An error as a part of what it may be. Not-a-number is as far off as can be.
fn part(check: &TensorCheck) -> f64 {
    let part = match check.rel_error {
        0.0 => 0.0,
        error => error / check.tolerance,
    };
    if part.is_nan() { f64::INFINITY } else { part }
}

impl SelfTest {
    /// Takes in what an examination found out.
    pub(super) fn take(&mut self, case: &Case, examined: &Examined) {
        let mut worst = 0.0f64;
        for kernel in &examined.kernels {
            let row = kernel_row(&mut self.kernels, kernel.entry);
            row.variants.insert(kernel.title.clone());
            row.launches += 1;
            for check in &kernel.tensors {
                row.worst = row.worst.max(part(check));
                worst = worst.max(part(check));
            }
            // What comes after a wrong tensor is wrong as well, and no fault
            // of the kernel that made it.
            let first = examined.first_wrong.as_ref().map(|f| f.check.id);
            let guilty = |check: &TensorCheck| Some(check.id) == first;
            if row.pass && kernel.tensors.iter().any(guilty) {
                row.pass = false;
                row.wrong_in = Some(case.title());
            }
        }
        let counted = examined.launches.counted + examined.launches.library;
        let wrong = if let Some(wrong) = &examined.wrong {
            Some(wrong.clone())
        } else if !examined.pass {
            Some("a tensor is wrong".to_owned())
        } else if let Some(tensor) = &examined.unsteady {
            Some(format!("{tensor} differs from one run to the next"))
        } else if counted != examined.planned {
            let planned = examined.planned;
            Some(format!("{counted} launches instead of {planned}"))
        } else {
            None
        };
        self.plan_row(case, worst, wrong);
    }

    /// Takes note of a set that is not there.
    pub(super) fn lack(&mut self, case: &Case, why: &RunError) {
        let row = self.row(case);
        row.lacking
            .get_or_insert_with(|| format!("{}: {why}", case.corner));
    }

    fn plan_row(&mut self, case: &Case, worst: f64, wrong: Option<String>) {
        let row = self.row(case);
        row.forwards += 1;
        row.worst = row.worst.max(worst);
        if let Some(wrong) = wrong
            && row.pass
        {
            row.pass = false;
            row.wrong = Some(format!("{}: {wrong}", case.corner));
        }
    }

    /// The row of a case's plan and dtype.
    fn row(&mut self, case: &Case) -> &mut PlanRow {
        let dtype = case.config.dtype.name();
        let known = |row: &PlanRow| row.plan == case.plan && row.dtype == dtype;
        let at = self.plans.iter().position(known).unwrap_or_else(|| {
            self.plans.push(PlanRow {
                plan: case.plan.clone(),
                dtype: dtype.to_owned(),
                forwards: 0,
                worst: 0.0,
                pass: true,
                wrong: None,
                lacking: None,
            });
            self.plans.len() - 1
        });
        &mut self.plans[at]
    }
}

fn kernel_row<'r>(rows: &'r mut Vec<KernelRow>, entry: &str) -> &'r mut KernelRow {
    let at = rows.iter().position(|r| r.entry == entry);
    let at = at.unwrap_or(rows.len());
    if at == rows.len() {
        rows.push(KernelRow {
            entry: entry.to_owned(),
            variants: BTreeSet::new(),
            launches: 0,
            worst: 0.0,
            pass: true,
            wrong_in: None,
        });
    }
    &mut rows[at]
}
