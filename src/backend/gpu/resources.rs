//! What the compiler says that a kernel needs: registers, shared memory,
//! spills, as recorded in `assets/kernels.toml` and as read from its log.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The recorded table, as text: [`Recorded::parse`] reads it.
pub const RECORDED: &str = include_str!("../../../assets/kernels.toml");

/// What one block, or one thread of it, needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Resources {
    /// Registers per thread: AMD's vector registers, on gfx90a and later with those
    /// of the matrix units' sums, on gfx908 the larger of the two files.
    pub registers: u32,
    /// AMD's scalar registers per wave; 0 on NVIDIA, which has none of its own.
    #[serde(default)]
    pub scalar: u32,
    /// Static shared memory per block in bytes; dynamic shared memory comes on
    /// top of it at launch.
    pub shared: u32,
    /// Stack per thread in bytes: spills and arrays indexed at run time.
    pub stack: u32,
    /// Bytes of registers that are written to the stack.
    pub spill_stores: u32,
    /// Bytes that are read back.
    pub spill_loads: u32,
}

impl Resources {
    /// What a log of ptxas (`--ptxas-options=-v`) says of a kernel; `None`
    /// where it does not.
    pub fn of_log(log: &str, entry: &str) -> Option<Self> {
        let about = format!("function '{entry}'");
        let from = log.find(&about).or_else(|| {
            let properties = format!("properties for {entry}");
            log.find(&properties)
        })?;
        let said = log.get(from..)?;
        // The next kernel's part begins with its own name.
        let end = said.match_indices("Compiling entry function").nth(0);
        let said = said.get(..end.map_or(said.len(), |(at, _)| at))?;
        let before = |what: &str| -> Option<u32> {
            let at = said.find(what)?;
            said.get(..at)?.split_whitespace().last()?.parse().ok()
        };
        let registers = said.split("Used ").nth(1)?.split_whitespace().next()?;
        Some(Self {
            registers: registers.parse().ok()?,
            scalar: 0,
            shared: before(" bytes smem").unwrap_or(0),
            stack: before(" bytes stack frame").unwrap_or(0),
            spill_stores: before(" bytes spill stores").unwrap_or(0),
            spill_loads: before(" bytes spill loads").unwrap_or(0),
        })
    }
}

/// One row of the table: one unit for one architecture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedKernel {
    /// The unit's title: entry and definitions.
    pub unit: String,
    /// `sm_80`, `sm_90a` …
    pub arch: String,
    /// Hash of everything that is compiled.
    pub source: String,
    /// What it needs.
    #[serde(flatten)]
    pub resources: Resources,
}

/// The whole table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Recorded {
    /// The compiler of each architecture, with its version.
    #[serde(default)]
    pub compilers: BTreeMap<String, String>,
    /// In order of unit and architecture.
    #[serde(rename = "kernel", default)]
    pub kernels: Vec<RecordedKernel>,
}

impl Recorded {
    /// Reads the table.
    ///
    /// # Errors
    /// Broken TOML, with its line.
    pub fn parse(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }

    /// The table that is part of the program; empty where it is broken, which a
    /// test excludes.
    pub fn embedded() -> Self {
        Self::parse(RECORDED).unwrap_or_default()
    }

    /// What is recorded of a unit on an architecture.
    pub fn of(&self, unit: &str, arch: &str) -> Option<&Resources> {
        let found = self
            .kernels
            .iter()
            .find(|k| k.unit == unit && k.arch == arch)?;
        Some(&found.resources)
    }

    /// Puts what `compiler` made for `arch` in the place of what was there.
    pub fn replace(&mut self, arch: &str, compiler: &str, made: Vec<RecordedKernel>) {
        self.compilers.insert(arch.to_owned(), compiler.to_owned());
        self.kernels.retain(|k| k.arch != arch);
        self.kernels.extend(made);
        self.kernels
            .sort_by(|a, b| (&a.unit, &a.arch).cmp(&(&b.unit, &b.arch)));
    }

    /// The table as text, a line per kernel.
    pub fn write(&self) -> String {
        let mut text = "\
# What each kernel needs, as the compilers say: made by
#   RECORD_KERNELS=1 cargo test --test gpu compile
# registers and stack per thread, AMD's scalar registers per wave, static shared
# memory per block, in bytes but for registers; source is a hash of all that is
# compiled.
"
        .to_owned();
        for (arch, compiler) in &self.compilers {
            text.push_str(&format!("compilers.{arch} = \"{compiler}\"\n"));
        }
        text.push_str("kernel = [\n");
        for k in &self.kernels {
            let r = &k.resources;
            let scalar = match r.scalar {
                0 => String::new(),
                n => format!("scalar = {n}, "),
            };
            text.push_str(&format!(
                "  {{ unit = \"{}\", arch = \"{}\", source = \"{}\", registers = {}, {scalar}shared = {}, stack = {}, spill_stores = {}, spill_loads = {} }},\n",
                k.unit, k.arch, k.source, r.registers, r.shared, r.stack, r.spill_stores, r.spill_loads
            ));
        }
        text.push_str("]\n");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_of_ptxas_is_read() {
        // As NVRTC 12.9 prints it.
        let log = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'silu' for 'sm_80'
ptxas info    : Function properties for silu
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 30 registers, used 0 barriers, 384 bytes cmem[0]
ptxas info    : Compiling entry function 'flash' for 'sm_80'
ptxas info    : Function properties for flash
    24 bytes stack frame, 16 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 177 registers, used 1 barriers, 128 bytes smem, 424 bytes cmem[0]
";
        assert_eq!(
            Resources::of_log(log, "silu"),
            Some(Resources {
                registers: 30,
                ..Resources::default()
            })
        );
        assert_eq!(
            Resources::of_log(log, "flash"),
            Some(Resources {
                registers: 177,
                scalar: 0,
                shared: 128,
                stack: 24,
                spill_stores: 16,
                spill_loads: 20,
            })
        );
        assert_eq!(Resources::of_log(log, "gemm"), None);
        assert_eq!(Resources::of_log("", "gemm"), None);
    }

    #[test]
    fn the_table_is_read_as_it_was_written() {
        let kernel = |arch: &str, registers, scalar| RecordedKernel {
            unit: "silu BF16=1".to_owned(),
            arch: arch.to_owned(),
            source: "00ff".to_owned(),
            resources: Resources {
                registers,
                scalar,
                stack: 8,
                ..Resources::default()
            },
        };
        let mut table = Recorded::default();
        table.replace("sm_80", "NVRTC 12.9", vec![kernel("sm_80", 30, 0)]);
        table.replace("gfx90a", "HIPRTC 5.2", vec![kernel("gfx90a", 12, 30)]);
        assert_eq!(Recorded::parse(&table.write()), Ok(table.clone()));
        // Made again for one architecture, the other's stays.
        table.replace("gfx90a", "HIPRTC 6.0", vec![kernel("gfx90a", 14, 30)]);
        let of = |arch| table.of("silu BF16=1", arch).map(|r| r.registers);
        assert_eq!((of("gfx90a"), of("sm_80")), (Some(14), Some(30)));
        assert_eq!(table.kernels.len(), 2);
        assert_eq!(table.compilers["gfx90a"], "HIPRTC 6.0");
    }
}
