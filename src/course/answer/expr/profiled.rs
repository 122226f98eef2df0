//! What stands in a generated profile: `profile(v2, mi250x_gcd).wall`,
//! `profile(kernel(v2, qk), mi250x_gcd).share`.
//!
//! Sums are of a file of 25 forwards, wall and idle time of a trace of one: the
//! files that a `profile` block shows.

use super::Value;
use super::ast::{Extent, Subject};
use super::error::ExprError;
use super::price::{Bare, find};
use crate::answer::setup::Setup;
use plan::cost::{Gpu, KernelCost};
use plan::units::{Dimension, Quantity};
use study::profile::sample::{FORWARDS, Moved, Times, generate, resources};
use study::profile::{against, traffic};

/// What can be asked. Of the whole: `start end wall busy idle top limit`; of one
/// kernel: registers, LDS, counters and `ratio`; of both the others.
pub(super) const PROFILE_FIELDS: [&str; 25] = [
    "calls",
    "total",
    "time",
    "mean",
    "share",
    "top",
    "start",
    "end",
    "wall",
    "busy",
    "idle",
    "limit",
    "vgpr",
    "agpr",
    "lds",
    "threads",
    "fetch",
    "write",
    "rdreq",
    "rdreq_32b",
    "wrreq",
    "wrreq_64b",
    "read",
    "written",
    "ratio",
];

type Result<T> = std::result::Result<T, ExprError>;

pub(super) fn profiled(
    outer: &Setup,
    subject: &Subject,
    gpu: &Gpu,
    field: &str,
    column: usize,
) -> Result<Value> {
    let wrong = |message: String| ExprError { column, message };
    let setup = outer.with(&subject.settings);
    let mut config = setup.config.clone();
    config.cut = subject.plan.unwrap_or(config.cut);
    let kernel = match &subject.extent {
        Extent::Kernel(_) => {
            let found = find(outer, subject, Bare::Block)?;
            let mut kernels = found.priced.kernels.into_iter();
            Some(
                kernels
                    .next()
                    .ok_or_else(|| wrong("no kernel of this plan holds the op".to_owned()))?,
            )
        }
        Extent::Plan | Extent::Forward => None,
        Extent::Block | Extent::Group(_) => {
            return Err(wrong(
                "a profile is of a plan or of one kernel: profile(v2, h200) or profile(kernel(v2, q), h200)"
                    .to_owned(),
            ));
        }
    };
    if let Some(value) = kernel.as_ref().and_then(|kernel| of_kernel(kernel, field)) {
        return Ok(Value::Quantity(value));
    }
    let times = Times::of(&config, gpu, FORWARDS, 0).map_err(|e| wrong(e.to_string()))?;
    let name = kernel.as_ref().map(|kernel| kernel.name.as_str());
    if let Some(value) = of_sums(&times, name, field) {
        return Ok(value);
    }
    if name.is_none() {
        if field == "limit" {
            let made = generate(&config, gpu, 1, 0).map_err(|e| wrong(e.to_string()))?;
            let reading =
                against(&made, &config, gpu, Some(config.cut)).map_err(|e| wrong(e.to_string()))?;
            if let Some(limit) = reading.limit {
                return Ok(Value::Text(limit.name().to_owned()));
            }
        }
        if let Some(value) = of_trace(&times, field) {
            return Ok(Value::Quantity(value));
        }
    }
    let (this, other) = match name {
        Some(_) => ("one kernel", "the plan: profile(v2, h200)"),
        None => ("the whole", "a kernel: profile(kernel(v2, q), h200)"),
    };
    Err(wrong(format!(
        "“{field}” cannot be asked of {this}; ask it of {other}"
    )))
}

fn ns(value: u64) -> Quantity {
    Quantity::seconds(value as f64 * 1e-9)
}

/// Registers and counters of one launch.
fn of_kernel(kernel: &KernelCost, field: &str) -> Option<Quantity> {
    let given = resources(kernel);
    let counters = Moved::of(kernel).counters();
    let moved = traffic(&counters);
    let count = |name: &str| {
        let value = counters.get(name)?;
        Some(Quantity::whole(value.round() as i128, Dimension::Count))
    };
    let bytes = |value: Option<f64>| Some(Quantity::bytes(value?.round() as u64));
    match field {
        "vgpr" => given.registers.map(Quantity::count),
        "agpr" => given.accumulation.map(Quantity::count),
        "lds" => given.shared.map(Quantity::count),
        "threads" => given.threads.map(Quantity::count),
        "fetch" => count("FETCH_SIZE"),
        "write" => count("WRITE_SIZE"),
        "rdreq" => count("TCC_EA_RDREQ_sum"),
        "rdreq_32b" => count("TCC_EA_RDREQ_32B_sum"),
        "wrreq" => count("TCC_EA_WRREQ_sum"),
        "wrreq_64b" => count("TCC_EA_WRREQ_64B_sum"),
        "read" => bytes(moved.read),
        "written" => bytes(moved.written),
        "ratio" => Some(Quantity::ratio(moved.total()? / kernel.bytes() as f64)),
        _ => None,
    }
}

/// Sums over the file of all forwards; of one kernel where it is named.
fn of_sums(times: &Times, name: Option<&str>, field: &str) -> Option<Value> {
    let kernels = &times.cost.forward.kernels;
    let launches = || kernels.iter().cycle().zip(&times.ns);
    let is_meant = |kernel: &KernelCost| name.is_none_or(|name| kernel.name == name);
    let (mut calls, mut total, mut all) = (0, 0, 0);
    for (kernel, ns) in launches() {
        all += ns;
        if is_meant(kernel) {
            calls += 1;
            total += ns;
        }
    }
    Some(Value::Quantity(match field {
        "calls" => Quantity::count(calls),
        "total" => ns(total),
        "time" => Quantity::seconds(total as f64 * 1e-9 / FORWARDS as f64),
        "mean" => Quantity::seconds(total as f64 * 1e-9 / (calls.max(1)) as f64),
        "share" => Quantity::ratio(total as f64 / all as f64),
        "top" if name.is_none() => {
            let mut sums: std::collections::BTreeMap<&str, u64> = std::collections::BTreeMap::new();
            for (kernel, ns) in launches() {
                *sums.entry(&kernel.name).or_default() += ns;
            }
            let top = sums.into_iter().max_by_key(|(_, ns)| *ns)?;
            return Some(Value::Text(top.0.to_owned()));
        }
        _ => return None,
    }))
}

/// The trace of one forward.
fn of_trace(times: &Times, field: &str) -> Option<Quantity> {
    let (start, end) = times.span();
    let busy: u64 = times.first().iter().sum();
    Some(match field {
        "start" => Quantity::count(start),
        "end" => Quantity::count(end),
        "wall" => ns(end - start),
        "busy" => ns(busy),
        "idle" => Quantity::ratio(1.0 - busy as f64 / (end - start) as f64),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use crate::answer::{Env, Expr, NoRecords, Setting, Setup};
    use plan::cost::GpuDatabase;

    fn value(text: &str) -> f64 {
        let gpus = GpuDatabase::embedded().unwrap();
        let batch = Setting::parse("batch", "8").unwrap();
        let env = Env::new(Setup::workshop().unwrap(), &gpus, &NoRecords).with(&[batch]);
        let found = Expr::parse(text).unwrap().evaluate(&env);
        let found = found.unwrap_or_else(|e| panic!("{text}: {e}"));
        found.quantity().unwrap().value()
    }

    #[test]
    fn counters_are_those_of_the_facts() {
        // ex40: RDREQ 65,792 of which 128 of 32 B, WRREQ 65,536,
        // 4,206,592 B read and 4,194,304 written; FETCH_SIZE 4108.
        for (field, expected) in [
            ("rdreq", 65_792.0),
            ("rdreq_32b", 128.0),
            ("wrreq", 65_536.0),
            ("read", 4_206_592.0),
            ("written", 4_194_304.0),
            ("fetch", 4_108.0),
        ] {
            let text = format!("profile(kernel(v1, softmax), mi250x_gcd).{field}");
            assert_eq!(value(&text), expected, "{field}");
        }
    }

    #[test]
    fn sums_and_the_trace_agree_with_each_other_and_with_the_plan() {
        // docs/cost-model.md: 11·4 + 3 launches of V2, 25 forwards.
        assert_eq!(value("profile(v2, mi250x_gcd).calls"), 25.0 * 47.0);
        assert_eq!(value("profile(kernel(v2, qk), mi250x_gcd).calls"), 100.0);
        // 46 gaps of 4 µs.
        let gaps = value("profile(v2, mi250x_gcd).wall - profile(v2, mi250x_gcd).busy");
        assert!((gaps - 46.0 * 4e-6).abs() < 1e-12, "{gaps}");
        assert_eq!(value("profile(v2, mi250x_gcd).share"), 1.0);
        let time = value("profile(v2, mi250x_gcd).time");
        let model = value("1.5 * floor(forward(v2), mi250x_gcd) + forward(v2).launches * 2 us");
        assert!((time / model - 1.0).abs() < 0.01, "{time} {model}");
    }

    #[test]
    fn what_does_not_belong_says_where_it_does() {
        let gpus = GpuDatabase::embedded().unwrap();
        let env = Env::new(Setup::workshop().unwrap(), &gpus, &NoRecords);
        let said = |text: &str| {
            let expr = Expr::parse(text).unwrap();
            expr.evaluate(&env).unwrap_err().message
        };
        assert!(said("profile(v2, h200).vgpr").contains("ask it of a kernel"));
        assert!(said("profile(kernel(v2, q), h200).wall").contains("ask it of the plan"));
        assert!(said("profile(block(v2), h200).wall").contains("of one kernel"));
        let typo = Expr::parse("profile(v2, h200).wal").unwrap_err().message;
        assert!(typo.contains("did you mean wall?"), "{typo}");
    }
}
