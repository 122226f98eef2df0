//! What this machine's CPU is called.

use super::cpu::Isa;

/// The CPU, the threads and the instruction set in a line:
/// `AMD EPYC, 2 threads, AVX-512`.
pub fn describe(threads: usize, isa: Isa) -> String {
    format!(
        "{}, {threads} thread{}, {}",
        cpu_name(),
        if threads == 1 { "" } else { "s" },
        isa.name()
    )
}

/// Threads that the system lets run at once.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The CPU's own name where the system tells it, else its architecture.
pub fn cpu_name() -> String {
    let told = std::fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| name_in(&text));
    told.unwrap_or_else(|| format!("{} CPU", std::env::consts::ARCH))
}

fn name_in(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|l| l.starts_with("model name"))?;
    let name = line.split_once(':')?.1;
    let plain: String = name.chars().filter(|c| !c.is_control()).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::name_in;

    #[test]
    fn the_model_name_is_read_and_cleaned() {
        let text = "processor\t: 0\nmodel name\t: Some  CPU\x1b[31m 9000\n";
        assert_eq!(name_in(text).as_deref(), Some("Some CPU[31m 9000"));
        assert_eq!(name_in("processor : 0\n"), None);
        assert_eq!(name_in("model name :\n"), None);
    }
}
