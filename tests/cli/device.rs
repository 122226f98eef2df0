//! `--gpu`: the device that questions and texts are about.

use crate::program::Home;

/// Data sheets: an H200 has 66.9 TFLOP/s in fp32 over 4.8 TB/s, an MI300A 122.6 over 5.3.
const RIDGES: [(&str, &str); 2] = [("h200", "66.9/4.8"), ("mi300a", "122.6/5.3")];

/// An exercise about the device, in a course folder.
const EXERCISE: &str = "+++\ntitle = \"Ridge\"\n\n[[key]]\nname = \"ridge\"\n\
    ask = \"Ridge of the `= gpu(gpu).short`?\"\nanswer = \"ridge(gpu, fp32)\"\nunit = \"FLOP/B\"\n+++\n";

fn verdict(home: &Home, line: &str) -> String {
    let document = home.line(&format!("{line} --course c --json")).json();
    document["keys"][0]["verdict"].as_str().unwrap().to_owned()
}

#[test]
fn answers_stay_about_the_device_that_they_were_begun_on() {
    for (gpu, right) in RIDGES {
        let home = Home::new();
        home.write("c/exercises/ex77.md", EXERCISE);
        for (_, typed) in RIDGES {
            let found = verdict(
                &home,
                &format!("check ex77 --gpu {gpu} --read-only --answer ridge={typed}"),
            );
            assert_eq!(found == "right", typed == right, "{gpu}: {typed}");
        }
        assert_eq!(
            verdict(
                &home,
                &format!("check ex77 --gpu {gpu} --answer ridge={right}")
            ),
            "right"
        );
        // Another device is chosen: the sheet says what its answers are about.
        for other in ["h200", "mi300a", "a100"] {
            assert_eq!(
                verdict(&home, &format!("check ex77 --gpu {other}")),
                "right",
                "{other}"
            );
        }
        // Whoever names another one is told so, and nobody else.
        for command in ["check", "show", "hint"] {
            let said = home
                .line(&format!("{command} ex77 --course c --gpu a100"))
                .err;
            assert_eq!(said.lines().count(), 1, "{said}");
            let names = said.contains("not about the A100 40 GB") && said.contains("reset ex77");
            assert!(names, "{said}");
            let said = home
                .line(&format!("{command} ex77 --course c --gpu {gpu}"))
                .err;
            assert_eq!(said, "", "{command}");
        }
        // Begun anew it asks about the device of the course.
        assert_eq!(home.line("reset ex77 --course c --gpu a100").code, 0);
        let sheet = std::fs::read_to_string(home.sheet("ex77")).unwrap();
        assert!(!sheet.contains(right), "{sheet}");
        // Data sheet: 19.5 TFLOP/s over 1.555 TB/s.
        let asked = "check ex77 --gpu a100 --answer ridge=19.5/1.555";
        assert_eq!(verdict(&home, asked), "right");
    }
}

#[test]
fn a_workshop_folder_remembers_the_device_that_it_was_made_for() {
    let home = Home::new();
    assert_eq!(home.line("init class --gpu mi300a").code, 0);
    let named = std::fs::read_to_string(home.path().join("class/workshop.toml")).unwrap();
    assert!(named.ends_with("gpu = \"mi300a\"\n"), "{named}");
    // Made again for another device it stays, and that is said.
    let again = home.line("init class --gpu a100");
    assert!(
        again.err.contains("write gpu = \"a100_40gb\" into it"),
        "{}",
        again.err
    );
    assert_eq!(home.line("init class --gpu mi300a").err, "");
}

#[test]
fn a_workshop_names_its_device_and_a_typo_the_nearest() {
    let home = Home::new();
    home.write("answers/none", "");
    home.write("workshop.toml", "gpu = \"mi300a\"\n");
    let cost = home.line("cost --version v2");
    assert!(cost.out.contains("MI300A"), "{}", cost.out);
    // What is typed goes before the file.
    assert!(home.line("cost --gpu l40s").out.contains("NVIDIA L40S"));
    let ran = home.line("show 01 --gpu mi30");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("there is no GPU “mi30”"), "{}", ran.err);
    assert_eq!(ran.err.lines().count(), 1);
}

#[test]
fn lessons_speak_of_the_device_in_its_makers_words() {
    let home = Home::new();
    for (gpu, name, other) in [
        ("mi300a", "MI300A", "H200"),
        ("a100_80gb", "A100 80 GB", "MI300A"),
    ] {
        let text = home.line(&format!("show 08 --gpu {gpu}")).out;
        assert!(text.contains(&format!("on the {name}")), "{gpu}");
        assert!(!text.contains(&format!("on the {other}")), "{gpu}");
    }
}
