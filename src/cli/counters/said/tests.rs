use super::*;

/// As `ncu --csv --page raw` prints it (facts: a wide table, units second),
/// between lines of its own; names of kernels hold commas and quotes.
const TABLE: &str = r#"==PROF== Connected to process 4211 (/usr/bin/tinyllama-tutor)
==PROF== Profiling "rmsnorm": 0%....50%....100% - 1 pass
==PROF== Disconnected from process 4211
"ID","Process ID","Kernel Name","Block Size","dram__bytes_read.sum","dram__bytes_write.sum"
"","","","","byte","byte"
"0","4211","rmsnorm","(128, 1, 1)","2,816","1,000,000"
"1","4211","a ""quoted"", name","(256, 1, 1)","0","32"
"#;

#[test]
fn rows_are_launches_and_their_bytes_both_ways() {
    let read = read(TABLE, true).unwrap();
    assert_eq!(read.kernels, [2_816 + 1_000_000, 32]);
}

#[test]
fn scaled_units_are_read_by_their_names() {
    let scaled = TABLE.replace("\"byte\",\"byte\"", "\"Kbyte\",\"Mbyte\"");
    let scaled = scaled.replace("1,000,000", "1.5").replace("2,816", "2.816");
    assert_eq!(read(&scaled, true).unwrap().kernels[0], 2_816 + 1_500_000);
    let other = TABLE.replace("\"byte\",\"byte\"", "\"sector\",\"byte\"");
    let said = read(&other, true).unwrap_err();
    assert!(said.contains("2,816 sector"), "{said}");
    let none = TABLE.replace("2,816", "n/a");
    assert!(read(&none, true).unwrap_err().contains("n/a"));
}

#[test]
fn what_is_not_permitted_or_not_there_is_said() {
    let denied = "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access \
                  NVIDIA GPU Performance Counters on the target device 0.\n";
    let said = read(denied, false).unwrap_err();
    assert!(
        said.contains("ERR_NVGPUCTRPERM") && said.contains("administrator"),
        "{said}"
    );
    let said = read(
        "==ERROR== The application returned an error code (3).\n",
        false,
    )
    .unwrap_err();
    assert!(
        said.ends_with("The application returned an error code (3)."),
        "{said}"
    );
    let said = read("==WARNING== No kernels were profiled.\n", true).unwrap_err();
    assert!(
        said.contains("saw no launch") && said.contains("No kernels"),
        "{said}"
    );
    // A table that is cut off after its head.
    let head: String = TABLE.lines().take(4).map(|l| format!("{l}\n")).collect();
    assert!(read(&head, true).is_err());
}
