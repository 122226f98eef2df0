//! The cache, the archive and error messages, with a compiler that counts.

use std::collections::HashSet;
use std::fs;
use std::sync::Mutex;

use super::*;

/// Gives the options back as code, fails where a definition says so.
#[derive(Default)]
struct Echo {
    built: Mutex<Vec<String>>,
    log: &'static str,
}

impl Echo {
    fn count(&self) -> usize {
        self.built.lock().unwrap().len()
    }
}

impl Compiler for Echo {
    fn version(&self) -> String {
        "echo 1".to_owned()
    }

    fn options(&self, unit: &CompileUnit, arch: &str, _: Form) -> Vec<String> {
        let defines = unit.defines.iter().map(|(n, v)| format!("-D{n}={v}"));
        [arch.to_owned()].into_iter().chain(defines).collect()
    }

    fn build(&self, _: &str, options: &[String], _: Form) -> Result<Built, CompilerError> {
        self.built.lock().unwrap().push(options.join(" "));
        if options.iter().any(|option| option == "-DFAIL=1") {
            return Err(CompilerError::Refused(self.log.to_owned()));
        }
        Ok(Built {
            image: options.join(" ").into_bytes(),
            log: "16 registers".to_owned(),
        })
    }
}

fn unit(number: u32) -> CompileUnit {
    CompileUnit::new("echo", &[]).define("N", number)
}

fn folder() -> (tempfile::TempDir, Cache) {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::in_folder(folder.path().join("kernels"));
    (folder, cache)
}

#[test]
fn what_was_compiled_is_not_compiled_again() {
    let (_folder, cache) = folder();
    let echo = Echo::default();
    let get = |unit: &CompileUnit, arch: &str, form| {
        compile(&echo, Some(&cache), unit, arch, form).unwrap()
    };
    let first = get(&unit(1), "sm_80", Form::Machine);
    assert_eq!(first.image, b"sm_80 -DN=1");
    assert_eq!(get(&unit(1), "sm_80", Form::Machine), first);
    assert_eq!(echo.count(), 1);
    // Another definition, architecture or form is another kernel.
    get(&unit(2), "sm_80", Form::Machine);
    get(&unit(1), "sm_90a", Form::Machine);
    get(&unit(1), "sm_80", Form::Assembly);
    assert_eq!(echo.count(), 4);
}

#[test]
fn the_key_tells_parts_apart() {
    let of = |source: &str, options: &[&str]| {
        let options: Vec<String> = options.iter().map(|o| (*o).to_owned()).collect();
        key(source, &options, "1", Form::Machine)
    };
    let keys: HashSet<String> = [
        of("a", &["b", "c"]),
        of("a", &["bc"]),
        of("ab", &["c"]),
        of("a", &["c", "b"]),
    ]
    .into();
    assert_eq!(keys.len(), 4);
}

#[test]
fn a_damaged_entry_is_compiled_again() {
    let (_folder, cache) = folder();
    let echo = Echo::default();
    let built = compile(&echo, Some(&cache), &unit(1), "sm_80", Form::Machine).unwrap();
    let file = fs::read_dir(cache.folder())
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let whole = fs::read(&file).unwrap();
    let mut flipped = whole.clone();
    *flipped.last_mut().unwrap() ^= 1;
    let cuts = [0, 10, 40, 60, whole.len() - 1].map(|length| whole[..length].to_vec());
    for (round, bytes) in cuts.into_iter().chain([flipped]).enumerate() {
        fs::write(&file, bytes).unwrap();
        let again = compile(&echo, Some(&cache), &unit(1), "sm_80", Form::Machine).unwrap();
        assert_eq!(again, built);
        assert_eq!(echo.count(), round + 2);
        assert_eq!(fs::read(&file).unwrap(), whole);
    }
}

#[test]
fn many_writers_and_readers_see_whole_entries() {
    let (_folder, cache) = folder();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for round in 0..40u32 {
                    let number = round % 5;
                    let built = Built {
                        image: vec![number as u8; 30_000],
                        log: number.to_string(),
                    };
                    cache.put(&number.to_string(), &built);
                    assert_eq!(cache.get(&number.to_string()), Some(built));
                }
            });
        }
    });
    let names: Vec<String> = fs::read_dir(cache.folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names.len(), 5, "{names:?}");
}

#[test]
fn the_cache_keeps_what_was_used_last_within_its_bound() {
    let (_folder, cache) = folder();
    let cache = cache.bounded(40_000);
    let built = Built {
        image: vec![1; 9_000],
        log: String::new(),
    };
    let past = std::time::SystemTime::now() - std::time::Duration::from_secs(1000);
    for (age, key) in ["a", "b", "c", "d"].into_iter().enumerate() {
        cache.put(key, &built);
        let file = fs::File::options()
            .append(true)
            .open(cache.folder().join(format!("{key}.kernel")))
            .unwrap();
        file.set_modified(past + std::time::Duration::from_secs(age as u64))
            .unwrap();
    }
    // Using the oldest makes it the newest.
    assert!(cache.get("a").is_some());
    cache.put("e", &built);
    let kept = ["a", "b", "c", "d", "e"].map(|key| cache.get(key).is_some());
    assert_eq!(kept, [true, false, false, true, true]);
}

#[test]
fn a_folder_that_cannot_be_made_is_no_error() {
    let (folder, _) = folder();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let cache = Cache::in_folder(file.join("kernels"));
    let echo = Echo::default();
    for _ in 0..2 {
        compile(&echo, Some(&cache), &unit(1), "sm_80", Form::Machine).unwrap();
    }
    assert_eq!(echo.count(), 2);
}

#[test]
fn units_are_compiled_together_and_come_back_in_order() {
    let echo = Echo::default();
    let units: Vec<CompileUnit> = (0..9).map(unit).collect();
    let units: Vec<&CompileUnit> = units.iter().collect();
    let mut told = Vec::new();
    let built = compile_all(
        &echo,
        None,
        &units,
        "sm_80",
        Form::Machine,
        &mut |done, of, unit| {
            told.push((done, of, unit.title()));
        },
    )
    .unwrap();
    for (number, built) in built.iter().enumerate() {
        assert_eq!(built.image, format!("sm_80 -DN={number}").into_bytes());
    }
    let counts: Vec<usize> = told.iter().map(|(done, of, _)| done * 100 + of).collect();
    assert_eq!(counts, (1..=9).map(|n| n * 100 + 9).collect::<Vec<_>>());
    let titles: HashSet<&str> = told.iter().map(|(_, _, title)| title.as_str()).collect();
    assert_eq!(titles.len(), 9);
}

#[test]
fn an_error_names_the_file_and_line_of_the_kernel() {
    let log = "tile/mma.cu(12): error: identifier \"foo\" is undefined\n    foo();\n    ^\n\n\
               gemm.cu(7): error #20: expected a \";\"\n\n2 errors detected.\n";
    let echo = Echo {
        log,
        ..Echo::default()
    };
    let bad = unit(1).define("FAIL", 1);
    let units = [&unit(0), &bad];
    let error = compile_all(
        &echo,
        None,
        &units,
        "sm_90a",
        Form::Machine,
        &mut |_, _, _| {},
    )
    .unwrap_err();
    assert_eq!(error.kind, GpuErrorKind::Compile);
    assert_eq!(
        error.to_string(),
        "echo N=1 FAIL=1 does not compile for sm_90a: kernels/tile/mma.cu:12: identifier \"foo\" \
         is undefined (and 1 more)"
    );
    // As HIPRTC writes it, which is clang.
    let clang = "tile/mma.cu:12:9: warning: unused\n\
                 tile/mma.cu:14:5: error: use of undeclared identifier 'foo'\n  foo();\n  ^\n\
                 1 error generated when compiling for gfx90a.\n";
    assert_eq!(
        refused(&bad, "gfx90a", clang).to_string(),
        "echo N=1 FAIL=1 does not compile for gfx90a: kernels/tile/mma.cu:14: use of undeclared \
         identifier 'foo'"
    );
    // Not in the form of an error: the first line that says anything.
    let plain = refused(
        &bad,
        "sm_80",
        "\nptxas fatal : too much shared data\nmore\n",
    );
    assert_eq!(
        plain.to_string(),
        "echo N=1 FAIL=1 does not compile for sm_80: ptxas fatal : too much shared data"
    );
}

#[test]
fn a_unit_without_its_source_is_named() {
    let missing = CompileUnit::new("x", &["missing.cu"]);
    let error = compile(&Echo::default(), None, &missing, "sm_80", Form::Machine).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a source file of x is not in this build: prefix/base.cu, missing.cu"
    );
}

#[test]
fn an_archive_gives_back_what_was_put_in() {
    // Too much for the pack of the others.
    let two = "two ".repeat(1 << 20);
    let mut archive = Archive::new("echo 1".to_owned());
    archive.add(&unit(1), "sm_80", "one").unwrap();
    archive.add(&unit(1), "sm_90a", "one, newer").unwrap();
    archive.add(&unit(2), "sm_80", &two).unwrap();
    let bytes = archive.write().unwrap();
    assert!(bytes.len() < 1500);
    let read = Archive::read(&bytes).unwrap();
    assert_eq!(read, archive);
    let found = read.find(&unit(1), &["sm_90a", "sm_80"]).unwrap();
    assert_eq!(
        (found.arch.as_str(), found.ptx.as_str()),
        ("sm_90a", "one, newer")
    );
    let found = read.find(&unit(2), &["sm_90a", "sm_80"]).unwrap();
    assert_eq!(found.ptx, two);
    // Another definition is another kernel; so is another source, whose text is
    // part of the hash.
    assert_eq!(read.find(&unit(3), &["sm_80"]), None);
    assert_eq!(read.find(&unit(1), &["sm_75"]), None);
    // Damage is found.
    assert_eq!(Archive::read(&bytes[..30]), None);
    let short = Archive::read(&bytes[..bytes.len() - 4]).unwrap();
    assert!(short.find(&unit(1), &["sm_80"]).is_some());
    assert_eq!(short.find(&unit(2), &["sm_80"]), None);
}
