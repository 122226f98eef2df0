//! From a text, or a known mistake, to a program of the machine.

use std::fmt;

use super::text;
use crate::gpu::CompileUnit;
use crate::gpu::compile::{Cache, Form, PREBUILT, compile, error_places, for_the_machine};
use plan::run::listing::Listing;
use simt::Program;

/// The architecture whose PTX the machine reads.
const ARCH: &str = "sm_80";

/// Why there is no program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoProgram {
    /// The text is refused: the compiler's words, or ours.
    Refused(String),
    /// There is no compiler here; how to get one.
    NoCompiler(String),
}

impl fmt::Display for NoProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Refused(say) | Self::NoCompiler(say)) = self;
        f.write_str(say)
    }
}

/// A program with its PTX.
pub(super) struct Compiled {
    pub program: Program,
    pub ptx: String,
}

/// Reads PTX.
fn read(ptx: String) -> Result<Compiled, NoProgram> {
    match Program::parse(&ptx) {
        Ok(program) => Ok(Compiled { program, ptx }),
        Err(error) => Err(NoProgram::Refused(format!(
            "the machine does not execute this: {error}"
        ))),
    }
}

/// A kernel of this program: prebuilt, else compiled.
pub(super) fn own(unit: &CompileUnit) -> Result<Compiled, NoProgram> {
    if let Some(prebuilt) = PREBUILT.find(unit, &[ARCH]) {
        return read(prebuilt.ptx);
    }
    let compiler = for_the_machine().map_err(|e| NoProgram::NoCompiler(e.to_string()))?;
    let built = compile(
        compiler,
        Cache::of_user().as_ref(),
        unit,
        ARCH,
        Form::Assembly,
    )
    .map_err(|e| NoProgram::Refused(e.to_string()))?;
    read(String::from_utf8_lossy(&built.image).into_owned())
}

/// A learner's text behind the prefix, with lines of its own.
pub(super) fn source_of(text: &str, file: &str) -> String {
    let prefix = CompileUnit::new("", &["prefix/grid.cu"]);
    // Some editors begin a file with a mark of its encoding.
    let text = text.trim_start_matches('\u{feff}');
    format!(
        "{}#line 1 \"{file}\"\n{text}\n",
        prefix.source().unwrap_or_default()
    )
}

/// A learner's text, to be executed by the machine.
pub(super) fn written(text: &str, file: &str, listing: &Listing) -> Result<Compiled, NoProgram> {
    text::allowed(text).map_err(|what| NoProgram::Refused(what.of(file)))?;
    let compiler = for_the_machine().map_err(|e| NoProgram::NoCompiler(e.to_string()))?;
    let prefix = CompileUnit::new("", &["prefix/grid.cu"]);
    let source = source_of(text, file);
    let options = compiler.options(&prefix, ARCH, Form::Assembly);
    let built = compiler
        .build(&source, &options, Form::Assembly)
        .map_err(|why| NoProgram::Refused(first_errors(&why.to_string())))?;
    let ptx = String::from_utf8_lossy(&built.image).into_owned();
    if ptx.contains("vprintf") {
        return Err(NoProgram::Refused(
            "a kernel cannot print here: the machine has no terminal. Write what you want to \
             see into an output and look at what the check says of it."
                .to_owned(),
        ));
    }
    let compiled = read(ptx)?;
    let entry = listing.entry.as_str();
    if !compiled.program.entries().any(|known| known == entry) {
        return Err(NoProgram::Refused(format!(
            "there is no kernel `{entry}` in {file}; leave the line with KERNEL as it was"
        )));
    }
    Ok(compiled)
}

/// The first errors of a log, each with its place.
pub(super) fn first_errors(log: &str) -> String {
    const TOLD: usize = 3;
    let errors = error_places(log);
    if errors.is_empty() {
        return log
            .lines()
            .next()
            .unwrap_or("it does not compile")
            .to_owned();
    }
    let told: Vec<String> = errors
        .iter()
        .take(TOLD)
        .map(|(file, row, text)| {
            // A function of the learner's own that the kernel calls.
            let host = ["__host__ function", "execution space annotations"];
            if host.iter().any(|words| text.contains(words)) {
                return format!("{file}:{row}: a function of your own has DEVICE before it");
            }
            format!("{file}:{row}: {text}")
        })
        .collect();
    let more = match errors.len().saturating_sub(TOLD) {
        0 => String::new(),
        more => format!("\nand {more} more"),
    };
    format!("{}{more}", told.join("\n"))
}
