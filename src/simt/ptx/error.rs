use std::error::Error;
use std::fmt;

/// Why a PTX text cannot become a program: the line, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PtxError {
    /// Line of the PTX text, from 1.
    pub line: u32,
    /// What is wrong there, naming the instruction where there is one.
    pub message: String,
    /// The way out.
    pub help: String,
}

impl PtxError {
    pub(crate) fn new(line: u32, message: impl Into<String>) -> Self {
        PtxError {
            line,
            message: message.into(),
            help: "the machine reads what NVRTC 12 writes for compute_80".to_owned(),
        }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    /// An instruction that the machine does not execute.
    pub(crate) fn unsupported(line: u32, what: &str) -> Self {
        PtxError::new(
            line,
            format!("`{what}` is not an instruction of the machine"),
        )
        .help("compile for compute_80 without Hopper features, or use a GPU backend")
    }
}

impl fmt::Display for PtxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PTX line {}: {}; {}", self.line, self.message, self.help)
    }
}

impl Error for PtxError {}
