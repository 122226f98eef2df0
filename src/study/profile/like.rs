//! What exercises 39 and 40 ask of generated files, asked of a file of one's own.

use super::{Limit, Profile, Reading, RowReading, Traffic, traffic};
use plan::cost::Gpu;
use plan::units::{Dimension, Quantity, format, group_thousands};

/// An exercise whose questions a file can answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Like {
    /// A profile, read from the top.
    Ex39,
    /// From counters to bytes.
    Ex40,
}

impl Like {
    /// The exercise of this name.
    ///
    /// # Errors
    /// Those that there are.
    pub fn parse(name: &str) -> Result<Self, String> {
        match name {
            "ex39" => Ok(Self::Ex39),
            "ex40" => Ok(Self::Ex40),
            _ => Err(format!(
                "“{name}” asks nothing that a file of one's own could answer; ex39 and ex40 do"
            )),
        }
    }
}

/// One question, and what the file answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The key in the exercise.
    pub key: &'static str,
    /// The question, of this file.
    pub ask: &'static str,
    /// The answer, or which file has it.
    pub answer: Result<String, &'static str>,
}

/// The questions of an exercise with the answers of a file.
pub fn like(which: Like, profile: &Profile, reading: &Reading, gpu: &Gpu) -> Vec<Asked> {
    match which {
        Like::Ex39 => ex39(reading),
        Like::Ex40 => ex40(profile, reading, gpu),
    }
}

const TRACE: &str = "a trace of launches has it";
const COUNTERS: &str = "a file with counters has it";
const TIMES: &str = "a file with times has it";
const PLAN: &str = "a file that a plan or a framework explains has it";
const MODEL: &str = "a file with counters that a plan explains has it";

fn ns(value: f64) -> String {
    format(&Quantity::seconds(value * 1e-9))
}

fn bytes(value: f64) -> String {
    format(&Quantity::new(value, Dimension::Bytes))
}

fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

/// Forwards of the file.
fn forwards(reading: &Reading) -> Option<f64> {
    match (&reading.framework, &reading.explained) {
        (Some(found), _) => Some(found.forwards.len() as f64).filter(|n| *n > 0.0),
        (None, Ok(found)) => Some(found.forwards.max(1) as f64),
        _ => None,
    }
}

fn ex39(reading: &Reading) -> Vec<Asked> {
    let top = reading.rows.first();
    let forwards = forwards(reading);
    let cut = reading.cost.as_ref().map(|cost| cost.config.cut.title());
    let layers = match &reading.framework {
        Some(found) => found.layers(),
        None => reading
            .explained
            .as_ref()
            .ok()
            .and_then(|found| found.layers),
    };
    let beside = reading.explained.as_ref().map_or(0, |found| found.beside);
    let calls = forwards.map(|n| reading.calls.saturating_sub(beside) as f64 / n);
    let wall = reading.walls.first();
    // Half of the time of the top kernel, of the wall.
    let gain = top.zip(wall).and_then(|(top, wall)| {
        let own = top.share? * wall.kernel_ns as f64;
        Some(1.0 / (1.0 - own / 2.0 / wall.wall_ns as f64))
    });
    let name = |row: &RowReading| match row.part {
        Some(part) => format!(
            "{}, for {}",
            super::framework::short(&row.name),
            part.name()
        ),
        None => row.name.clone(),
    };
    let asked = |key, ask, answer: Option<String>, else_: &'static str| Asked {
        key,
        ask,
        answer: answer.ok_or(else_),
    };
    vec![
        asked(
            "which_a",
            "Which version ran, or which plan joins the same ops?",
            cut,
            PLAN,
        ),
        asked(
            "layers",
            "How many layers does the model have?",
            layers.map(|n| n.to_string()),
            PLAN,
        ),
        asked(
            "calls",
            "How many launches does a forward make?",
            calls.map(|n| group_thousands(n.round() as i128)),
            PLAN,
        ),
        asked(
            "top",
            "Which kernel takes the most time?",
            top.filter(|row| row.share.is_some()).map(name),
            TIMES,
        ),
        asked(
            "share",
            "Its share of all kernel time?",
            top.and_then(|row| row.share).map(percent),
            TIMES,
        ),
        asked(
            "gpu",
            "Kernel time of a forward?",
            reading.kernel_ns.zip(forwards).map(|(all, n)| ns(all / n)),
            TIMES,
        ),
        asked(
            "wall",
            "Wall time from the first start to the last end?",
            wall.map(|wall| ns(wall.wall_ns as f64)),
            TRACE,
        ),
        asked(
            "idle",
            "Share of it in which the GPU did nothing?",
            wall.map(|wall| percent(wall.idle())),
            TRACE,
        ),
        asked(
            "registers",
            "How many vector registers a lane does the top kernel have, accumulation registers with them?",
            top.and_then(|row| {
                let own = row.resources.registers?;
                Some((own + row.resources.accumulation.unwrap_or(0)).to_string())
            }),
            "a trace with registers has it",
        ),
        asked(
            "ratio",
            "Bytes from and to memory of a launch of the top kernel, over the modelled bytes?",
            top.and_then(|row| Some(format!("{:.3}", row.dram_bytes? / row.modelled_bytes?))),
            MODEL,
        ),
        asked(
            "limit",
            "What limits the forward first?",
            reading
                .limit
                .as_ref()
                .map(|limit: &Limit| limit.name().to_owned()),
            TRACE,
        ),
        asked(
            "gain",
            "If the top kernel ran twice as fast, how many times as fast would all of it be, by wall time?",
            gain.map(|gain| format!("{gain:.3}")),
            TRACE,
        ),
    ]
}

fn ex40(profile: &Profile, reading: &Reading, gpu: &Gpu) -> Vec<Asked> {
    let top = reading.rows.first();
    let at = top.and_then(|top| profile.kernels.iter().position(|row| row.name == top.name));
    let launches: Vec<Traffic> = profile
        .dispatches
        .iter()
        .filter(|dispatch| Some(dispatch.kernel) == at)
        .map(|dispatch| traffic(&dispatch.counters))
        .collect();
    let mean = |of: fn(&Traffic) -> Option<f64>| {
        let found: Vec<f64> = launches.iter().filter_map(of).collect();
        (!found.is_empty()).then(|| found.iter().sum::<f64>() / found.len() as f64)
    };
    let (read, written) = (mean(|t| t.read), mean(|t| t.written));
    let time = top.and_then(|row| row.mean_ns).filter(|ns| *ns > 0.0);
    let speed = read
        .zip(written)
        .zip(time)
        .map(|((read, written), ns)| (read + written) / (ns * 1e-9));
    let asked = |key, ask, answer: Option<String>, else_: &'static str| Asked {
        key,
        ask,
        answer: answer.ok_or(else_),
    };
    vec![
        asked(
            "hbm",
            "How many bytes does a launch of the top kernel read from memory?",
            read.map(bytes),
            COUNTERS,
        ),
        asked(
            "hbm_write",
            "And how many does it write?",
            written.map(bytes),
            COUNTERS,
        ),
        asked(
            "ncu",
            "Which bandwidth does it reach?",
            speed.map(|rate| format(&Quantity::new(rate, Dimension::BytesPerSecond))),
            COUNTERS,
        ),
        asked(
            "share",
            "Which share of the data sheet's bandwidth is that?",
            speed.map(|rate| percent(rate / gpu.bandwidth())),
            COUNTERS,
        ),
        asked("average", "Its average time a launch?", time.map(ns), TIMES),
        asked(
            "percent",
            "Its share of all kernel time?",
            top.and_then(|row| row.share).map(percent),
            TIMES,
        ),
        asked(
            "verdict",
            "Its counted bytes over the modelled ones: read twice, or still in a cache?",
            top.and_then(|row| Some(format!("{:.3}", row.dram_bytes? / row.modelled_bytes?))),
            MODEL,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Tool, against, read, sample};
    use plan::cost::{Config, GpuDatabase};
    use plan::fusion::Version;

    fn answers(which: Like, tool: Tool) -> Vec<Asked> {
        let database = GpuDatabase::embedded().unwrap();
        let gpu = database.get("mi250x_gcd").unwrap();
        let config = Config::preset("workshop", Version::V2.cut()).unwrap();
        let made = sample::generate(&config, gpu, 2, 1).unwrap();
        let profile = read(sample::write(&made, tool, gpu).as_bytes()).unwrap();
        let reading = against(&profile, &config, gpu, None).unwrap();
        like(which, &profile, &reading, gpu)
    }

    fn of(asked: &[Asked], key: &str) -> Result<String, &'static str> {
        asked
            .iter()
            .find(|asked| asked.key == key)
            .unwrap()
            .answer
            .clone()
    }

    #[test]
    fn a_trace_answers_what_a_trace_can() {
        let asked = answers(Like::Ex39, Tool::Rocprofv3Trace);
        assert_eq!(of(&asked, "which_a"), Ok("V2".to_owned()));
        assert_eq!(of(&asked, "layers"), Ok("4".to_owned()));
        // docs/cost-model.md: 11·4 + 3.
        assert_eq!(of(&asked, "calls"), Ok("47".to_owned()));
        assert!(of(&asked, "wall").is_ok() && of(&asked, "gain").is_ok());
        assert_eq!(of(&asked, "ratio"), Err(MODEL));
        // Sums have neither wall nor gaps.
        let sums = answers(Like::Ex39, Tool::Rocprofv3Stats);
        assert_eq!(of(&sums, "wall"), Err(TRACE));
        assert_eq!(of(&sums, "calls"), Ok("47".to_owned()));
    }

    #[test]
    fn counters_answer_what_counters_can() {
        let asked = answers(Like::Ex40, Tool::Ncu);
        for key in ["hbm", "hbm_write", "ncu", "share", "average", "percent"] {
            assert!(of(&asked, key).is_ok(), "{key}");
        }
        assert_eq!(of(&answers(Like::Ex40, Tool::Nsys), "hbm"), Err(COUNTERS));
        assert!(Like::parse("ex1").unwrap_err().contains("ex39 and ex40"));
    }
}
