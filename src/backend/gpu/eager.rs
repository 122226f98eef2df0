//! What PyTorch runs in a kernel's place: the functions of `kernels/torch/`, a file for each
//! row of the table of kernels, named after it.
//!
//! A function's text begins with the launches that it stands for, one after another:
//! `ops: inputs -> outputs`, by the names of the graph; `kr` and `v` that attention reads are
//! those of the whole context. Its parameters are these inputs in this order; behind a lone
//! `*` stand numbers of the model (`eps`, `theta`), of a head (`head`: its width) and of the
//! shape (`past`: keys from before).
//!
//! How many operations that is, is counted in the lines: a line that computes is one, a call
//! of another function of the folder is as many as that has, a line marked as a view is none.

use std::sync::LazyLock;

use super::kernel_source;
use plan::kernels::{Family, KERNELS};
use plan::model::{BLOCK_OPS, OpKind};

/// Calls within calls that are followed.
const DEPTH: usize = 8;

/// One launch of ours, and the tensors that a function takes and gives for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stands {
    /// Ops of the launch.
    pub ops: Vec<OpKind>,
    /// Names of the tensors that it takes, in the order of the parameters.
    pub inputs: Vec<String>,
    /// Names of the tensors that it gives.
    pub outputs: Vec<String>,
}

/// A function of `kernels/torch/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Eager {
    /// Its file under `kernels/`: `torch/rmsnorm.py`.
    pub file: String,
    /// Its name.
    pub name: &'static str,
    /// The launches that it stands for; none for a function that others call.
    pub stands: Vec<Stands>,
    /// What its text says behind them.
    pub says: String,
    /// Its first lines, with their numbers in the file, from 1.
    pub head: Vec<(usize, &'static str)>,
    /// Its lines behind its text, with their numbers.
    pub body: Vec<(usize, &'static str)>,
}

/// Every function, file by file in the order of the table.
pub fn functions() -> &'static [Eager] {
    static FUNCTIONS: LazyLock<Vec<Eager>> = LazyLock::new(|| {
        let files = KERNELS.iter().map(|row| file(row.family));
        files.flat_map(|file| read(&file)).collect()
    });
    &FUNCTIONS
}

/// The file of a row of the table, under `kernels/`.
pub fn file(family: Family) -> String {
    format!("torch/{}.py", family.name())
}

/// The function that stands for a launch of these ops; for a whole forward that of its
/// blocks.
pub fn of_ops(ops: &[OpKind]) -> Option<&'static Eager> {
    let ops = match Family::of_ops(ops) {
        Some(Family::Block) => &BLOCK_OPS[..],
        _ => ops,
    };
    let stands = |function: &&Eager| function.stands.iter().any(|s| s.ops == ops);
    functions().iter().find(stands)
}

/// A file with those whose functions it calls, each once: itself first.
pub fn with_called(file: &str) -> Vec<String> {
    let mut found = vec![file.to_owned()];
    let mut at = 0;
    while let Some(file) = found.get(at) {
        let text = kernel_source(file).unwrap_or_default();
        for named in text.lines().filter_map(called) {
            if !found.contains(&named) {
                found.push(named);
            }
        }
        at += 1;
    }
    found
}

/// A file with what it calls in front of it, so that it runs by itself.
pub fn whole(file: &str) -> String {
    let mut imports: Vec<&str> = Vec::new();
    let mut rest = String::new();
    for file in with_called(file).iter().rev() {
        let text = kernel_source(file).unwrap_or_default();
        let is_import = |line: &&str| line.starts_with("import ") || line.starts_with("from ");
        let outside = text.lines().filter(is_import);
        for line in outside.filter(|line| called(line).is_none()) {
            if !imports.contains(&line) {
                imports.push(line);
            }
        }
        let lines: Vec<&str> = text.lines().filter(|line| !is_import(line)).collect();
        rest += &format!("\n\n{}\n", lines.join("\n").trim());
    }
    format!("{}\n{rest}", imports.join("\n"))
        .trim_start()
        .to_owned()
}

impl Eager {
    /// Operations of PyTorch that it makes, counted in the lines.
    pub fn ops(&self) -> usize {
        counted(self, DEPTH)
    }
}

/// The file that an import names, where it is one of ours.
fn called(line: &str) -> Option<String> {
    let (module, _) = line.strip_prefix("from ")?.split_once(" import ")?;
    let file = format!("torch/{module}.py");
    kernel_source(&file).map(|_| file)
}

fn counted(function: &Eager, depth: usize) -> usize {
    if depth == 0 {
        return 0;
    }
    let line = |(_, text): &(usize, &str)| {
        let (code, comment) = text.split_once('#').unwrap_or((text, ""));
        let others = functions().iter().filter(|f| f.name != function.name);
        let called: Vec<(usize, &Eager)> = others
            .map(|f| (calls_of(code, f.name), f))
            .filter(|(calls, _)| *calls > 0)
            .collect();
        if called.is_empty() {
            let computes = code.contains(['(', '[', '@', '*', '+', '-', '/']);
            return usize::from(computes && !comment.contains("view"));
        }
        let each = called
            .iter()
            .map(|(calls, f)| calls * counted(f, depth - 1));
        each.sum()
    };
    function.body.iter().map(line).sum()
}

/// How often a line calls a function by its bare name.
fn calls_of(code: &str, name: &str) -> usize {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let here = |(at, _): &(usize, &str)| {
        let before = code.get(..*at).and_then(|s| s.chars().next_back());
        let behind = code.get(at + name.len()..).unwrap_or_default();
        !before.is_some_and(word) && behind.starts_with('(')
    };
    code.match_indices(name).filter(here).count()
}

/// The functions of a file.
fn read(file: &str) -> Vec<Eager> {
    let text = kernel_source(file).unwrap_or_default();
    let lines: Vec<(usize, &str)> = (1..).zip(text.lines()).collect();
    let begins = |at: &usize| lines.get(*at).is_some_and(|(_, l)| l.starts_with("def "));
    let functions = (0..lines.len()).filter(begins);
    functions
        .filter_map(|at| function(file, lines.get(at..)?))
        .collect()
}

/// The function that begins with the first of some lines.
fn function(file: &str, lines: &[(usize, &'static str)]) -> Option<Eager> {
    const QUOTES: &str = "\"\"\"";
    let end = lines.iter().position(|(_, line)| line.ends_with("):"))?;
    let (head, mut rest) = lines.split_at_checked(end + 1)?;
    let mut text = Vec::new();
    if rest.first()?.1.trim_start().starts_with(QUOTES) {
        let quotes = |(_, line): &(usize, &str)| line.matches(QUOTES).count();
        let opens = quotes(rest.first()?);
        let end = match opens {
            1 => 1 + rest.iter().skip(1).position(|line| quotes(line) > 0)?,
            _ => 0,
        };
        text.extend(rest.iter().take(end + 1).map(|(_, line)| *line));
        rest = rest.get(end + 1..)?;
    }
    let body = rest.iter().take_while(|(_, line)| line.starts_with(' '));
    Some(Eager {
        file: file.to_owned(),
        name: head.first()?.1.strip_prefix("def ")?.split('(').next()?,
        stands: stands(&text),
        says: says(&text),
        head: head.to_vec(),
        body: body.copied().collect(),
    })
}

/// The launches that a function's text begins with; one may take several lines.
fn stands(text: &[&str]) -> Vec<Stands> {
    let first = text.iter().map(|line| line.trim().trim_matches('"'));
    let mut found = Vec::new();
    let mut so_far = String::new();
    for line in first.take_while(|line| !line.is_empty()) {
        so_far = format!("{so_far} {line}");
        if line.contains("->") {
            found.extend(stand(&so_far));
            so_far.clear();
        }
    }
    found
}

/// What a function's text says behind its launches, in one line.
fn says(text: &[&str]) -> String {
    let text = text.iter().map(|line| line.trim().trim_matches('"'));
    let words: Vec<&str> = text.skip_while(|line| !line.is_empty()).collect();
    words.join(" ").trim().to_owned()
}

/// `norm1: x gamma1 -> n1`.
fn stand(text: &str) -> Option<Stands> {
    let (ops, tensors) = text.split_once(':')?;
    let (inputs, outputs) = tensors.split_once("->")?;
    let names = |text: &str| text.split_whitespace().map(str::to_owned).collect();
    let ops: Option<Vec<OpKind>> = ops.split_whitespace().map(OpKind::parse).collect();
    Some(Stands {
        ops: ops?,
        inputs: names(inputs),
        outputs: names(outputs),
    })
}

#[cfg(test)]
mod tests;
