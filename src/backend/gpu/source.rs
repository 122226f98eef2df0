//! The kernels' sources, embedded, and the units that are compiled from them.

use std::fmt::Write;

use include_dir::{Dir, include_dir};

static KERNELS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../kernels");

/// The text of one file of `kernels/`, by its path there (`tile/epilogue.cu`).
pub fn kernel_source(file: &str) -> Option<&'static str> {
    KERNELS.get_file(file)?.contents_utf8()
}

/// Every source under `kernels/`: path and text, in the order of paths.
pub fn kernel_sources() -> Vec<(&'static str, &'static str)> {
    fn walk<'d>(dir: &'d Dir<'d>, found: &mut Vec<(&'d str, &'d str)>) {
        for file in dir.files() {
            let path = file.path().to_str();
            if let (Some(path), Some(text)) = (path, file.contents_utf8())
                && path.ends_with(".cu")
            {
                found.push((path, text));
            }
        }
        for dir in dir.dirs() {
            walk(dir, found);
        }
    }
    let mut found = Vec::new();
    walk(&KERNELS, &mut found);
    found.sort_unstable();
    found
}

/// What is compiled at once: source files in order, what is defined for them,
/// and the entry that is launched. Equal units are the same kernel.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CompileUnit {
    /// The kernel's entry point (`extern "C"`).
    pub entry: &'static str,
    /// Files under `kernels/`, in order; the last is the kernel's own.
    pub files: Vec<&'static str>,
    /// What `-D` defines, in order: name and value.
    pub defines: Vec<(&'static str, String)>,
}

impl CompileUnit {
    /// A unit of the prefix's base and `files`.
    pub fn new(entry: &'static str, files: &[&'static str]) -> Self {
        let mut all = vec!["prefix/base.cu"];
        all.extend(files);
        Self {
            entry,
            files: all,
            defines: Vec::new(),
        }
    }

    /// The unit with one more definition.
    #[must_use]
    pub fn define(mut self, name: &'static str, value: impl ToString) -> Self {
        self.defines.push((name, value.to_string()));
        self
    }

    /// Its definitions as every compiler takes them: `-DNAME=VALUE`.
    pub fn define_options(&self) -> impl Iterator<Item = String> {
        let defines = self.defines.iter();
        defines.map(|(name, value)| format!("-D{name}={value}"))
    }

    /// A name for messages and tables: the kernel's file and its definitions.
    pub fn title(&self) -> String {
        let mut title = self.entry.to_owned();
        for (name, value) in &self.defines {
            let _ = write!(title, " {name}={value}");
        }
        title
    }

    /// The whole source: the files in order, each under its own `#line`.
    /// `None` where a file is not there.
    pub fn source(&self) -> Option<String> {
        let mut text = String::new();
        for file in &self.files {
            let _ = writeln!(text, "#line 1 \"{file}\"");
            text.push_str(kernel_source(file)?);
            text.push('\n');
        }
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_its_files_in_order_each_with_its_own_lines() {
        let unit = CompileUnit::new("none", &[]).define("BF16", 1);
        let source = unit.source().unwrap();
        assert!(source.starts_with("#line 1 \"prefix/base.cu\"\n"));
        assert_eq!(unit.title(), "none BF16=1");
        assert_eq!(CompileUnit::new("none", &["missing.cu"]).source(), None);
    }

    #[test]
    fn no_kernel_includes_anything_from_disk_or_writes_assembly_outside_the_prefix() {
        for (path, text) in kernel_sources() {
            for line in text.lines() {
                let code = line.split("//").next().unwrap_or_default();
                assert!(!code.trim_start().starts_with("#include"), "{path}: {line}");
                let portable = !path.starts_with("prefix/");
                assert!(!(portable && code.contains("asm")), "{path}: {line}");
            }
        }
    }
}
