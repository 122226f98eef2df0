//! Wrong command lines: exit code 2 (3 where this machine lacks it) and one
//! sentence that says what is wrong and what would be right.

use crate::program::Home;

#[test]
fn mistakes_on_the_command_line() {
    let home = Home::new();
    let cases = [
        ("csot", "there is no subcommand “csot”; did you mean"),
        ("practise", "<TOPIC> is missing"),
        ("--version v2", "--version v2 belongs to a subcommand"),
        ("cost --gpus", "did you mean --gpu?"),
        ("cost more", "“more” is one word too many"),
        ("--model small cost", "stand behind the subcommand"),
        ("--model smal", "did you mean small?"),
        ("cost --causal exakt", "it takes dense, exact"),
        (
            "cost --version v9",
            "there is no version “v9”; did you mean v1?",
        ),
        (
            "cost --fuse qvk",
            "there is no fusion “qvk”; did you mean qkv?",
        ),
        ("cost --unfuse flush", "did you mean flash?"),
        ("cost --dtype fp8", "use fp32 or bf16"),
        ("cost --gpu h20", "did you mean h200?"),
        ("cost --why block.bites", "“block.bites” names no figure"),
        (
            "cost --why kernel.sofmax.bytes",
            "an op “sofmax”; did you mean softmax? Kernels of this plan: embed, norm1",
        ),
        (
            "cost --why kernel.flash.bytes",
            "“flash” is a fusion that this plan does not have; --fuse flash adds it. Kernels of this plan: embed, norm1",
        ),
        (
            "study host-memory --to 100GiB",
            "--to takes a size between them, such as 256MiB",
        ),
        (
            "study hierarchy --to 100GiB",
            "--from and --to take sizes between them",
        ),
        ("cost --version v2 --groups norm1|q", "exclude each other"),
        ("cost --groups norm1|q", "the cut ends before k"),
        ("cost --groups q|norm1", "“q” stands where norm1 is next"),
        ("compare v1 v9", "there is no version “v9”"),
        ("run --backend gpu", "there is no backend “gpu”"),
        ("run --runs -1", "“-1” is not a whole number"),
        ("run --threads 0", "take 1 or more"),
        ("study ablate --budget x", "“x” is not a number"),
        ("study ablate --rows x", "“x” is not a whole number"),
        ("compare --runs 3", "--runs says how plans are run"),
        (
            "compare --backend cuda",
            "add --run, or leave --backend out",
        ),
        ("compare --counters", "--counters says how plans are run"),
        (
            "study precision --no-check",
            "add --run, or leave --no-check out",
        ),
        (
            "regress --baseline own.txt",
            "bench --save FILE writes a baseline",
        ),
        (
            "lint mine/lessons/34-own.md",
            "this is a file, and a course is a folder; name ~/mine.",
        ),
        (
            "--course own.txt lessons",
            "this is a file, and a course is a folder; name ~.",
        ),
        ("run --weights nowhere", "nowhere/config.json"),
        ("run --tokens nowhere.json", "nowhere.json"),
        ("run --logits nowhere/x.npy", "there is no folder nowhere"),
        ("gpus h20", "did you mean h200?"),
        ("kernel sofmax", "did you mean softmax?"),
        ("kernel --torch", "<KERNEL>"),
        ("check", "<EXERCISE>... is missing"),
        ("check ex99", "there is no exercise “ex99”"),
        (
            "check ex1 block=17",
            "“block=17” is an answer, not an exercise; type --answer block=17",
        ),
        ("check ex1 --answer nokey=1", "ex1 has no key “nokey”"),
        ("check ex1 --answer block", "as in --answer block=17"),
        (
            "check ex1 ex2 --answer block=17",
            "--answer belongs to one exercise",
        ),
        ("check --all ex1", "exclude each other"),
        ("hint ex99", "there is no exercise “ex99”"),
        ("hint ex1 99", "ex1 has no key “99”"),
        ("solution ex1 nokey", "ex1 has no key “nokey”"),
        ("reset ex1 nokey", "ex1 has no key “nokey”"),
        ("show seven", "there is no lesson “seven”"),
        ("show 7 99", "07-v1-census has sections 1 to 11"),
        ("lint nowhere", "there is no such course folder"),
        ("--course nowhere lessons", "there is no such course folder"),
        ("new exercise ../up", "“../up” cannot be an id"),
        ("completions foosh", "it takes bash"),
    ];
    home.write("own.txt", "not a baseline\n");
    home.write("mine/lessons/34-own.md", "# A lesson\n");
    for (line, needle) in cases {
        home.line(line).refused(2, needle);
    }
}

#[test]
fn what_this_machine_does_not_have_is_code_3() {
    let home = Home::new();
    let none = match cfg!(feature = "hip") {
        true => "no AMD GPU and no ROCm are here",
        false => "this build has no hip backend",
    };
    if std::path::Path::new("/dev/kfd").exists() {
        eprintln!("skipped: this machine has an AMD GPU");
    } else {
        home.line("run --backend hip").refused(3, none);
        let ran = home.line("selftest --backend hip");
        ran.refused(3, none);
        assert!(!ran.err.contains('{'), "a sentence, not JSON: {}", ran.err);
    }
    home.line("run --model tinyllama-1.1b --batch 100000")
        .refused(3, "of memory");
}

#[test]
fn a_profile_is_printed_and_not_run() {
    let home = Home::new();
    let ran = home.line("run --backend cuda --version v2 --profile");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(
        ran.out.contains("ncu --target-processes all"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("run --backend cuda --version v2"),
        "{}",
        ran.out
    );
    assert!(!ran.out.contains("--profile"), "{}", ran.out);
    home.line("run --profile")
        .refused(2, "name it with --backend cuda or hip");
    let amd = home.line("run --backend hip --profile --json");
    match cfg!(feature = "hip") {
        true => {
            let all = amd.json()["profiles"].as_array().unwrap().clone();
            let command = |index: usize| all[index]["command"].as_str().unwrap().to_owned();
            assert!(command(0).starts_with("rocprofv3 --kernel-trace --stats"));
            assert!(command(1).contains("--pmc TCC_EA_RDREQ_sum TCC_EA_RDREQ_32B_sum"));
            // The trace once, then reads and writes by kind of architecture.
            assert_eq!(all.len(), 7);
        }
        false => amd.refused(3, "no hip backend"),
    }
}

#[test]
fn sizes_that_cannot_be() {
    let home = Home::new();
    let cases = [
        ("--batch 0", "batch is 0; it must be at least 1"),
        ("--seq 0", "seq is 0"),
        ("--context 0", "context is 0"),
        ("--seq 10 --context 5", "context 5 is shorter than seq 10"),
        ("--batch two", "“two” is not a whole number"),
        ("--batch -1", "“-1” is not a whole number"),
        ("--batch 99999999999999999999", "below 2^64"),
        ("--batch 9999999999 --seq 9999999999", "64 bits"),
        ("--model workshp", "did you mean workshop?"),
        ("--model tinyllama", "did you mean tinyllama-1.1b?"),
        ("--model gpt", "presets: workshop, small, medium, part-c"),
        ("--model nowhere.toml", "nowhere.toml cannot be read"),
    ];
    for command in ["cost", "run", "compare"] {
        for (options, needle) in cases {
            home.line(&format!("{command} {options}"))
                .refused(2, needle);
        }
    }
}

#[test]
fn model_files_that_cannot_be() {
    let home = Home::new();
    let sizes = |hidden, heads, kv_heads| {
        format!(
            "hidden = {hidden}\nlayers = 2\nheads = {heads}\nkv_heads = {kv_heads}\nffn = 8\nvocab = 9\ntied = true\n"
        )
    };
    let cases = [
        (
            "a.toml",
            sizes(100, 3, 1),
            "hidden 100 is not a multiple of heads 3",
        ),
        (
            "b.toml",
            sizes(128, 8, 3),
            "heads 8 is not a multiple of kv_heads 3",
        ),
        ("c.toml", sizes(0, 8, 4), "hidden is 0"),
        ("d.toml", sizes(64, 0, 4), "heads is 0"),
        ("e.toml", "hidden = = 3".to_owned(), "e.toml:1:10"),
        ("f.toml", "hiden = 64\n".to_owned(), "unknown field `hiden`"),
        ("g.toml", "hidden = 64\n".to_owned(), "missing field"),
        ("h.json", "{".to_owned(), "not a Hugging Face Llama config"),
        ("i.json", "[]".to_owned(), "i.json:1"),
        ("j.toml", " ".repeat(2 << 20), "j.toml cannot be read"),
    ];
    // A device never ends; it is not even begun.
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/dev/zero", home.path().join("zero.json")).unwrap();
        home.line("cost --model zero.json")
            .refused(2, "not a regular file");
    }
    for (file, text, needle) in cases {
        home.write(file, &text);
        home.line(&format!("cost --model {file}"))
            .refused(2, needle);
    }
}

#[test]
fn token_files_that_cannot_be() {
    let home = Home::new();
    let cases = [
        ("[[1, 2], [3]]", "all must have as many"),
        ("[[1, 99999]]", "not below the vocabulary of 1000"),
        ("[[1, -2]]", "tokens t.json"),
        ("[[1, 2]", "tokens t.json"),
        ("[]", "tokens t.json"),
        ("[[]]", "tokens t.json"),
    ];
    for (text, needle) in cases {
        home.write("t.json", text);
        home.line("run --tokens t.json").refused(2, needle);
    }
}

#[test]
fn json_mistakes_are_json() {
    let home = Home::new();
    for line in [
        "cost --json --batch 0",
        "cost --json --batch x",
        "check ex99 --json",
    ] {
        home.line(line).refused_json(2);
    }
}

#[test]
fn what_is_text_only_says_so() {
    let home = Home::new();
    for line in [
        "show 7",
        "hint ex1",
        "solution ex1",
        "reset ex1",
        "init here",
        "completions bash",
    ] {
        let ran = home.line(&format!("{line} --json"));
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{line}");
        assert!(ran.err.contains("has no JSON form"), "{line}: {}", ran.err);
    }
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn help_and_version_are_no_mistakes() {
    let home = Home::new();
    let ran = home.line("--version");
    assert_eq!(ran.code, 0);
    assert_eq!(
        ran.out,
        format!("tinyllama-tutor {}\n", env!("CARGO_PKG_VERSION"))
    );
    let help = home.line("--help");
    assert_eq!((help.code, help.err.as_str()), (0, ""));
    let commands = [
        "check",
        "hint",
        "solution",
        "reset",
        "lessons",
        "exercises",
        "show",
        "cost",
        "run",
        "compare",
        "doctor",
        "claims",
        "gpus",
        "profile",
        "init",
        "new",
        "lint",
        "progress",
        "export",
        "completions",
    ];
    for command in commands {
        assert!(help.out.contains(&format!("\n  {command} ")), "{command}");
        let own = home.line(&format!("{command} --help"));
        assert_eq!((own.code, own.err.as_str()), (0, ""), "{command}");
        let widest = own.out.lines().map(|l| l.chars().count()).max();
        assert!(widest <= Some(80), "{command}: {widest:?} columns");
    }
}
