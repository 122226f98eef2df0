//! What live blocks ask of the outside: experiments and sources.

use super::{book, micro};
use app::ask::{self, Ask, Excerpt, Of, Shown, Wanted};
use app::book::{Kernel, Wanted as Plan};
use app::source::Source;
use backend::gpu::{eager, kernel_source};
use course::answer::USUAL_GPU;
use plan::cost::Gpu;
use plan::model::OpKind;
use plan::units::{figure, group_thousands};

/// Answers a live block.
///
/// # Errors
/// Why it cannot be known, in a sentence.
pub fn answer(ask: &Ask) -> Result<Shown, String> {
    match ask {
        Ask::Micro(request) => micro::micro(request)
            .map(Shown::Micro)
            .map_err(|e| e.to_string()),
        Ask::Source(wanted) => excerpt(wanted).map(Shown::Source),
    }
}

/// The lines that a `kernel` block shows.
///
/// # Errors
/// What is not there, in a sentence.
pub fn excerpt(wanted: &Wanted) -> Result<Excerpt, String> {
    let part = wanted.part.as_deref();
    let op = match &wanted.of {
        Of::File(file) if file.ends_with(".py") => return function(file, part),
        Of::File(file) => {
            let text = kernel_source(file)
                .ok_or_else(|| format!("There is no file {file} under kernels/."))?;
            return ask::excerpt(&Source::parse(file, text), part);
        }
        Of::Op(op) => *op,
    };
    // A device whose kernel lacks the idea has another program for it: then the usual one's.
    launched(wanted, op, &wanted.gpu).or_else(|why| match wanted.gpu == USUAL_GPU {
        true => Err(why),
        false => launched(wanted, op, USUAL_GPU),
    })
}

/// The lines of a function of PyTorch: the one that is named, or the file's first.
fn function(file: &str, named: Option<&str>) -> Result<Excerpt, String> {
    let mut of_file = eager::functions().iter().filter(|f| f.file == file);
    let found = of_file.find(|f| named.is_none_or(|name| name == f.name));
    let found = found.ok_or_else(|| match named {
        Some(name) => format!("There is no function {name} in kernels/{file}."),
        None => format!("There is no file {file} under kernels/."),
    })?;
    let lines = found.head.iter().chain(&found.body);
    let ops = figure::counted(found.ops() as u64, "operation", "operations");
    Ok(Excerpt {
        file: found.file.clone(),
        lines: lines.map(|(n, text)| (*n, (*text).to_owned())).collect(),
        more: 0,
        idea: found.says.clone(),
        facts: vec![format!(
            "PyTorch: {ops}, one by one, about a launch each; counted in the lines."
        )],
    })
}

/// The lines of an op's kernel as a GPU launches it.
fn launched(wanted: &Wanted, op: OpKind, gpu: &str) -> Result<Excerpt, String> {
    let part = wanted.part.as_deref();
    let book = book(&Plan {
        config: wanted.config.clone(),
        gpu: gpu.to_owned(),
    })?;
    let kernel = book
        .kernels
        .iter()
        .find(|k| k.ops.contains(&op))
        .ok_or_else(|| format!("No kernel of this plan computes {}.", op.name()))?;
    // The idea may be in a file that the kernel shares with others.
    let files: Vec<&Source> = kernel
        .files
        .iter()
        .filter_map(|f| book.sources.get(*f))
        .collect();
    let holds = |source: &&&Source| {
        part.is_none_or(|name| source.ideas.iter().any(|idea| idea.name == name))
    };
    let source = files.iter().find(holds).or(files.first());
    let source = source.ok_or_else(|| format!("{} has no source.", op.name()))?;
    let mut excerpt = ask::excerpt(source, part)?;
    excerpt.facts = facts(kernel, &book.gpu);
    Ok(excerpt)
}

/// How a kernel is launched, and what the compiler made of it.
fn facts(kernel: &Kernel, gpu: &Gpu) -> Vec<String> {
    let shared = gpu.vendor.words().shared;
    let mut launch = format!(
        "On an {}: {} thread blocks of {} threads",
        gpu.name, kernel.blocks, kernel.threads
    );
    match kernel.shared_per_block() {
        0 => launch += &format!(", no {shared}."),
        bytes => {
            launch += &format!(
                ", {} B of {shared} each.",
                group_thousands(i128::from(bytes))
            )
        }
    }
    let mut facts = vec![launch];
    if let Some(compiled) = &kernel.compiled {
        let spilled = match compiled.spilled {
            0 => "nothing spilled".to_owned(),
            bytes => format!("{bytes} B spilled"),
        };
        facts.push(format!(
            "{} registers per thread, {spilled} ({}).",
            compiled.registers, compiled.compiler
        ));
    }
    facts
}
