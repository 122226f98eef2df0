//! The `profile` block: the top of the file that a tool would write of a plan,
//! generated, and what the reader of such files makes of it.

use super::typed;
use crate::fault::Place;
use crate::fields::{Fields, Phrase, Typed};
use plan::cost::{Config, Gpu, GpuDatabase, Vendor};
use plan::fusion::Cut;
use plan::model::OpKind;
use study::profile::sample::{self, Excerpt};
use study::profile::say::{Said, sentences};
use study::profile::{Profile, Tool, against, read};

/// Rows of the file that are shown where nothing is said.
const ROWS: u64 = 5;

/// Most rows that are shown.
const MOST_ROWS: u64 = 40;

/// What a `profile` block asks.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Whose file.
    pub tool: Tool,
    /// The plan; none: the lesson's.
    pub plan: Option<Typed<Cut>>,
    /// Whose roofline the times come from.
    pub gpu: Option<Phrase>,
    /// Forwards in the file.
    pub forwards: Option<u64>,
    /// Rows shown.
    pub rows: usize,
    /// Columns shown; empty: the usual ones.
    pub columns: Vec<Phrase>,
    /// Only rows of the kernel that holds this op.
    pub op: Option<Typed<OpKind>>,
    /// Show what the reader makes of it? An exercise asks that of its reader.
    pub reading: bool,
    /// Where the block stands.
    pub at: Place,
}

/// A block as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Exhibit {
    /// What it is, and that it was generated.
    pub caption: String,
    /// The top of the file.
    pub excerpt: Excerpt,
    /// How much of the file is left out; empty where nothing is.
    pub rest: String,
    /// What the reader makes of the whole file.
    pub said: Vec<Said>,
    /// The cut, the GPU and the forwards, for a command that writes the file.
    pub cut: Cut,
    /// Id of the GPU.
    pub gpu: String,
    /// Forwards in the file.
    pub forwards: u64,
}

/// A generated profile with what it was generated for.
struct Made<'d> {
    config: Config,
    gpu: &'d Gpu,
    forwards: u64,
    profile: Profile,
}

/// Reads a `profile` block.
pub(super) fn profile(fields: &mut Fields<'_, '_>) -> Option<Sample> {
    let at = fields.key_place("tool");
    let tool = match fields.has("tool") {
        true => fields.one_of("tool", &Tool::names()),
        false => fields.need_text("tool", "tool = \"nsys\""),
    };
    let plan = typed::cut(fields, "version");
    let gpu = fields.text("gpu");
    let gpu = typed::gpus(fields, gpu).pop();
    let forwards = fields.count("forwards");
    let rows = fields.count("rows").unwrap_or(ROWS);
    if !(1..=MOST_ROWS).contains(&rows) {
        fields.report(format!("a profile block shows 1 to {MOST_ROWS} rows."));
    }
    let columns = fields.texts("columns");
    let op = typed::op(fields, "op");
    let reading = fields.flag("reading").unwrap_or(true);
    Some(Sample {
        tool: Tool::parse(tool?.as_str()).ok()?,
        plan,
        gpu,
        forwards,
        rows: rows.clamp(1, MOST_ROWS) as usize,
        columns,
        op,
        reading,
        at,
    })
}

impl Sample {
    /// The profile behind the block, before it is written down.
    fn make<'d>(&self, config: &Config, gpus: &'d GpuDatabase) -> Result<Made<'d>, String> {
        let cut = self.plan.as_ref().map_or(config.cut, |plan| plan.value);
        let config = config.with_cut(cut);
        let usual = match self.tool.vendor() {
            Some(Vendor::Amd) => "mi250x_gcd",
            _ => "h200",
        };
        let gpu = self.gpu.as_ref().map_or(usual, Phrase::as_str);
        let gpu = gpus.get(gpu).map_err(|e| e.to_string())?;
        let forwards = self.forwards.unwrap_or_else(|| sample::forwards(self.tool));
        let profile = sample::generate(&config, gpu, forwards, 0).map_err(|e| e.to_string())?;
        Ok(Made {
            config,
            gpu,
            forwards,
            profile,
        })
    }

    /// The whole file.
    ///
    /// # Errors
    /// Those of [`Sample::show`].
    pub fn file(&self, config: &Config, gpus: &GpuDatabase) -> Result<String, String> {
        let made = self.make(config, gpus)?;
        Ok(sample::write(&made.profile, self.tool, made.gpu))
    }

    /// The block in a configuration.
    ///
    /// # Errors
    /// A sentence: a plan, an op, a GPU or a column that is not there, or a
    /// shape that cannot be.
    pub fn show(&self, config: &Config, gpus: &GpuDatabase) -> Result<Exhibit, String> {
        let Made {
            config,
            gpu,
            forwards,
            profile: made,
        } = self.make(config, gpus)?;
        let cut = config.cut;
        let text = sample::write(&made, self.tool, gpu);
        let kernel = match &self.op {
            Some(op) => Some(self.kernel(op, &made)?),
            None => None,
        };
        let columns: Vec<&str> = self.columns.iter().map(Phrase::as_str).collect();
        let excerpt = sample::excerpt(&text, self.tool, &columns, self.rows, kernel)
            .map_err(|e| e.to_string())?;
        let of = match forwards {
            1 => "one forward".to_owned(),
            n => format!("{n} forwards"),
        };
        let plan = match self.reading {
            true => format!(" of {}", cut.title()),
            // Which plan it was is for the reader to find out.
            false => String::new(),
        };
        let said = match self.reading {
            true => {
                let profile = read(text.as_bytes()).map_err(|e| e.to_string())?;
                let found = against(&profile, &config, gpu, None).map_err(|e| e.to_string())?;
                sentences(&found, gpu)
            }
            false => Vec::new(),
        };
        Ok(Exhibit {
            caption: format!(
                "{}, {of}{plan}; generated for the {}",
                self.tool.title(),
                gpu.short
            ),
            rest: rest(&excerpt),
            excerpt,
            said,
            cut,
            gpu: gpu.id.clone(),
            forwards,
        })
    }

    /// The name of the kernel that holds an op.
    fn kernel<'p>(&self, op: &Typed<OpKind>, made: &'p Profile) -> Result<&'p str, String> {
        let holds = |name: &&str| {
            let mut ops = name.split('+').filter_map(OpKind::parse);
            **name == *"block" || ops.any(|held| held == op.value)
        };
        let mut names = made.kernels.iter().map(|row| row.name.as_str());
        names
            .find(holds)
            .ok_or_else(|| format!("no kernel of this plan holds {}", op.as_str()))
    }
}

/// `18 more rows and 4 more columns`.
fn rest(excerpt: &Excerpt) -> String {
    let many = |n: usize, one: &str| match n {
        0 => None,
        1 => Some(format!("1 more {one}")),
        n => Some(format!("{n} more {one}s")),
    };
    let rows = match excerpt.head.is_empty() {
        true => many(excerpt.more_rows, "line"),
        false => many(excerpt.more_rows, "row"),
    };
    let both: Vec<String> = rows
        .into_iter()
        .chain(many(excerpt.more_columns, "column"))
        .collect();
    both.join(" and ")
}

impl Exhibit {
    /// As markdown: a table, or lines of code, and what was left out.
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        if self.excerpt.head.is_empty() {
            out.push_str("```text\n");
            for row in &self.excerpt.rows {
                out.push_str(&row.concat());
                out.push('\n');
            }
            out.push_str("```\n");
        } else {
            let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
            out.push_str(&line(&self.excerpt.head));
            out.push_str(&line(&vec!["---".to_owned(); self.excerpt.head.len()]));
            for row in &self.excerpt.rows {
                out.push_str(&line(row));
            }
        }
        let rest = match self.rest.as_str() {
            "" => String::new(),
            rest => format!("; {rest}"),
        };
        out.push_str(&format!("\n*{}{rest}.*\n", self.caption));
        out
    }
}
