//! Exercises with kernels: what people type, and kernels that they write, judged
//! by the real binary. Kernels need NVRTC or clang to be compiled; where there is none,
//! that part says so and is skipped.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use std::fs;
use std::path::Path;
use std::process::Command;

use tinyllama_tutor::answer::{Records, grade};
use tinyllama_tutor::backend::gpu::clang::Clang;
use tinyllama_tutor::backend::submission::mutant;
use tinyllama_tutor::cost::{Config, GpuDatabase};
use tinyllama_tutor::course::attempt::{choices, gap_form};
use tinyllama_tutor::course::{Course, Kernel, Key};
use tinyllama_tutor::run::Report;
use tinyllama_tutor::run::listing::Listing;
use tinyllama_tutor::units::Quantity;

/// Defective kernels run, and nothing else is known.
struct Mutants;

impl Records for Mutants {
    fn report(&self, _: &Config) -> Option<&Report> {
        None
    }

    fn recorded(&self, _: &str) -> Option<Quantity> {
        None
    }

    fn mutant(&self, name: &str) -> Result<f64, String> {
        mutant(name).map_err(|e| e.to_string())
    }
}

/// Exercise, key, typed, the judge's word. Values are those of the exercise facts
/// (B1 to B3) and of plain arithmetic; lines are counted in the excerpts.
const CASES: [(&str, &str, &str, &str); 64] = [
    ("ex19", "bytes", "6,291,456 B", "right"),
    ("ex19", "bytes", "8388608", "slip"),
    ("ex19", "bytes", "10.49 MB", "slip"),
    ("ex21", "line", "4", "right"),
    ("ex21", "line", "3", "slip"),
    ("ex21", "trigger", "128 rows", "right"),
    ("ex21", "trigger", "1 row", "slip"),
    ("ex21", "wrong", "11.3137", "right"),
    ("ex21", "wrong", "11.31", "right"),
    ("ex21", "wrong", "1", "slip"),
    ("ex21", "wrong", "128", "slip"),
    ("ex21", "second", "7", "right"),
    ("ex22", "bytes", "4195328", "right"),
    ("ex22", "bytes", "5,243,904", "slip"),
    ("ex23", "line", "10", "right"),
    ("ex23", "trigger", "1000 columns", "right"),
    ("ex23", "trigger", "1024 columns", "slip"),
    ("ex23", "wrong", "0.976562", "right"),
    ("ex23", "wrong", "1000/1024", "right"),
    ("ex23", "wrong", "1.0", "slip"),
    ("ex23", "five", "0.219206", "right"),
    ("ex23", "five", "0.9766", "slip"),
    ("ex23", "fix", "minus infinity", "right"),
    ("ex24", "bytes", "9,437,184 B", "right"),
    ("ex24", "bytes", "537,919,488 B", "slip"),
    ("ex25", "programs", "524288", "right"),
    ("ex25", "programs", "262,144", "slip"),
    ("ex25", "issued", "1,612,709,888 B", "right"),
    ("ex25", "ratio", "384.5", "right"),
    ("ex25", "tile", "73", "right"),
    ("ex25", "tile", "128", "slip"),
    ("ex25", "tile", "64", "slip"),
    ("ex25", "trigger", "100 × 100 × 100", "right"),
    ("ex25", "line", "5", "right"),
    ("ex26", "bytes", "12,582,912 B", "right"),
    ("ex26", "bytes", "8,388,608 B", "slip"),
    ("ex27", "line", "10", "right"),
    ("ex27", "line", "7", "slip"),
    ("ex27", "line", "2", "wrong"),
    ("ex27", "trigger", "scores [1, 3, 0], tile 2", "right"),
    ("ex27", "wrong", "0.982014", "right"),
    ("ex27", "wrong", "0.880797", "slip"),
    ("ex27", "wrong", "0.119203", "slip"),
    ("ex27", "wrong", "98.2014 %", "right"),
    ("ex28", "bytes", "786,432 B", "right"),
    ("ex28", "bytes", "655,360 B", "slip"),
    ("ex38", "line", "7", "right"),
    ("ex38", "stale", "1", "right"),
    ("ex38", "stale", "2", "slip"),
    ("ex38", "line2", "5", "right"),
    ("ex38", "scale", "4", "right"),
    ("ex38", "scale", "16", "slip"),
    ("ex43", "a_wrong", "12 bytes", "right"),
    ("ex43", "a_wrong", "16 B", "slip"),
    ("ex43", "b_threshold", "88.72", "right"),
    ("ex43", "b_wrong", "NaN", "right"),
    ("ex43", "c_line", "9", "right"),
    // ln 32,000 = 5·ln 2 + 3·ln 10 = 3.4657 + 6.9078.
    ("ex43", "loss", "10.37", "right"),
    // 4 B · (65536·4 + 131072·4 + 131072); three tiled products add 65536·4 reads of x.
    ("ex52", "bytes", "3,670,016 B", "right"),
    ("ex52", "bytes", "4,718,592 B", "slip"),
    // 4 B · (65536·8 + 262144·4 + 131072); x twice; and g and u written, too.
    ("ex53", "bytes", "6,815,744 B", "right"),
    ("ex53", "bytes", "8,912,896 B", "slip"),
    ("ex53", "bytes", "9,437,184 B", "slip"),
    ("ex53", "bytes", "7,864,320 B", "slip"),
];

#[test]
fn answers_get_the_verdict_of_a_fair_instructor() {
    let course = Course::built_in();
    let gpus = GpuDatabase::embedded().unwrap();
    let mut wrong = Vec::new();
    for (id, name, typed, word) in CASES {
        let exercise = course.exercise(id).unwrap();
        let key = exercise.key(name).unwrap();
        let env = exercise.env(&gpus, &Mutants).unwrap();
        let found = grade(typed, key, &env).unwrap();
        if found.verdict.word() != word {
            wrong.push(format!("{id} {name}, “{typed}”: {}", found.sentence()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `check ID` in a workshop folder: what it prints.
fn check(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_tinyllama-tutor"))
        .args(["--plain", "--state", "state", "check"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_kernel_is_begun_written_judged_and_compared() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path();
    fs::create_dir(folder.join("answers")).unwrap();
    let file = folder.join("answers/ex19.cu");
    assert!(check(folder, &["ex19"]).contains("answers/ex19.cu was made"));
    assert!(check(folder, &["ex19"]).contains("is still the skeleton"));
    let listing = Listing::named("exercises/silu_mul.cu").unwrap();
    let worked = listing.worked();
    fs::write(&file, &worked).unwrap();
    let said = check(folder, &["ex19"]);
    if said.contains("no NVRTC") {
        assert!(
            said.contains("pip install") && said.contains("gap form"),
            "{said}"
        );
        eprintln!("skipped: {said}");
        return;
    }
    assert!(said.contains("C1 to C8 met"), "{said}");
    for (was, is, says) in [
        ("i >= n", "i > n", "there is no element n"),
        ("expf(-gate)", "expf(gate)", "wrong sign"),
        (
            "m[i] = value;",
            "while (true) m[i] = value;",
            "still runs after",
        ),
        (
            "m[i] = value;",
            "m[i] = value",
            "C1 (compiles) is not met: answers/ex19.cu:",
        ),
        (
            "// silu",
            "#include \"/etc/hostname\"\n// silu",
            "includes nothing",
        ),
    ] {
        fs::write(&file, worked.replace(was, is)).unwrap();
        let said = check(folder, &["ex19"]);
        let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(says), "{is}: {said}");
    }
    fs::write(&file, [0xff, 0xfe, 0x00, 0x41]).unwrap();
    assert!(check(folder, &["ex19"]).contains("C1 (compiles)"));
}

/// Every kernel that is written, where clang is and NVRTC is not.
#[test]
fn clang_with_its_nvptx_target_serves_every_kernel() {
    let named = std::env::var_os("CLANG").or_else(|| std::env::var_os("HIP_CLANG"));
    let clang = named.unwrap_or_else(|| "/usr/bin/clang".into());
    let Some(found) = Clang::for_ptx(Path::new(&clang)) else {
        return eprintln!("skipped: {} makes no PTX (CLANG)", clang.display());
    };
    let root = tempfile::tempdir().unwrap();
    let folder = root.path();
    fs::create_dir(folder.join("answers")).unwrap();
    let course = Course::built_in();
    let check = |id: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_tinyllama-tutor"))
            .args(["--plain", "--state", "state", "check", id])
            .env("NVRTC_LIBRARY", "/nowhere")
            .env("CLANG", found.place())
            .current_dir(folder)
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let mut kernels = 0;
    for exercise in course.exercises() {
        let written = |key: &&Key| key.kernel.as_ref().is_some_and(Kernel::is_written);
        let Some(key) = exercise.keys.iter().find(written) else {
            continue;
        };
        let worked = key.kernel.as_ref().unwrap().listing.worked();
        fs::write(folder.join(format!("answers/{}.cu", exercise.id)), worked).unwrap();
        let said = check(&exercise.id);
        assert!(said.contains("C1 to C8 met"), "{}: {said}", exercise.id);
        kernels += 1;
    }
    assert_eq!(kernels, 7);
    let broken = Listing::named("exercises/silu_mul.cu").unwrap().worked();
    let broken = broken.replace("m[i] = value;", "m[i] = value");
    fs::write(folder.join("answers/ex19.cu"), broken).unwrap();
    let said = check("ex19");
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("C1 (compiles) is not met: answers/ex19.cu:"),
        "{said}"
    );
}

#[test]
fn the_gap_form_is_judged_letter_by_letter() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path();
    fs::create_dir(folder.join("answers")).unwrap();
    let course = Course::built_in();
    let exercise = course.exercise("ex26").unwrap();
    let kernel = exercise.key("kernel").unwrap().kernel.as_ref().unwrap();
    assert!(gap_form(kernel).len() > 4);
    let letters = |wrong: Option<u32>| -> String {
        let mut letters = Vec::new();
        for gap in kernel.listing.gaps() {
            let all = choices(gap);
            let picked = all
                .iter()
                .find(|choice| wrong.is_some() && choice.2 == wrong);
            let right = all.iter().find(|choice| choice.2.is_none());
            letters.push(picked.or(right).unwrap().0.to_string());
        }
        letters.join(" ")
    };
    let said = |letters: &str| {
        let said = check(folder, &["ex26", "--answer", &format!("kernel={letters}")]);
        said.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let right = said(&letters(None));
    assert!(
        right.contains("C1 to C8 met") && right.contains("gap form"),
        "{right}"
    );
    let mistake = kernel.listing.mistakes().next().unwrap();
    let refused = said(&letters(Some(mistake.number)));
    let gap = &kernel.listing.gaps().next().unwrap().name;
    assert!(
        refused.contains(&format!("Gap {gap}, the others right: C")),
        "{refused}"
    );
    assert!(refused.contains(&mistake.say), "{refused}");
    assert!(said("b").contains("one of the letters a, b, c for each of its"));
}
