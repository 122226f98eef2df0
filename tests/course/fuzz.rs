//! Random and damaged input to everything that reads what people write: answers,
//! expressions, lessons, exercises, solutions, sheets, progress files.
//!
//! A few seconds in every run; `FUZZ_SECONDS=600 cargo test --test course fuzz --
//! --include-ignored` looks for longer. A panic fails, and so does anything that takes
//! longer than a learner would wait.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tinyllama_tutor::answer::practise::{Topic, task};
use tinyllama_tutor::answer::{Env, Expr, NoRecords, Setup, echo, grade};
use tinyllama_tutor::cost::GpuDatabase;
use tinyllama_tutor::course::{
    Course, Exercise, Figures, Lesson, Places, Progress, Sheet, Solution, Surroundings, fill,
};
use tinyllama_tutor::units::{Asked, Dimension, read, read_as};

/// One input must be done with in this time of a processor, debug build included.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// What this thread computed so far: on a busy machine the clock on the wall
/// says more of the neighbours than of the reader. Where no kernel tells, that clock.
pub(super) fn computed() -> Duration {
    static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = told.split(' ').next().and_then(|n| n.parse().ok());
    nanoseconds.map_or_else(|| BEGUN.elapsed(), Duration::from_nanos)
}

/// Xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift
/// generators, scrambled", 2016).
pub(super) struct Dice(pub u64);

impl Dice {
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let word = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D);
        if n == 0 { 0 } else { (word >> 33) as usize % n }
    }

    fn of<'t, T: ?Sized>(&mut self, from: &[&'t T]) -> &'t T {
        from[self.below(from.len())]
    }
}

/// Pieces that mean something somewhere.
const PIECES: &[&str] = &[
    "",
    " ",
    "\n",
    "+++",
    "[[key]]",
    "name = \"a\"",
    "kind = \"table\"",
    "rows = [\"a\"]",
    "columns = [\"b\"]",
    "answers = [[\"1\"]]",
    "variants = [{ batch = 4 }]",
    "tasks = [{ batch = 2, gpu = \"mi300x\" }]",
    "task = \"On a `= gpu(gpu).name`:\"",
    "draw = \"cuts\"",
    "draw = \"claims\"",
    "pass = { right = 1, must = [\"a\"] }",
    "options = [\"= block.name\"]",
    "model = \"x\"",
    "needs_number = true",
    "kind = \"predict\"",
    "kind = \"text\"",
    "options = [\"a\", \"b\"]",
    "slips = [ { answer = \"1\", say = \"s\", row = \"a\" } ]",
    "```lab",
    "```",
    "`= kv | MB`",
    "$x$",
    "# ",
    "## a",
    "|",
    ";",
    "..",
    "-",
    "to",
    "about ",
    "block(v1).bytes",
    "kernel(v1, q)",
    "ranked('a', 1, 'b', 2)",
    "crossing(batch, 1, 2)",
    "summed(bf16, 1, 1000)",
    "tiles(128, 32, 32, on)",
    "verdict(X)",
    "micro(stride, 8).sectors",
    "busy(h200, 3)",
    "most_registers(h200, 4)",
    "readers(n1)",
    "'",
    "\"",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    "=",
    "*",
    "/",
    "^",
    "²",
    "⁻³",
    "9",
    "0",
    "1e9",
    "1e400",
    "12.6 MB",
    "94.1 %",
    "17",
    "\u{0}",
    "\u{1b}[31m",
    "\u{202e}",
    "é",
    "漢",
    "🦙",
    "\\",
    "\u{feff}",
    "NaN",
    "18446744073709551615",
    "340282366920938463463374607431768211456",
    "config = { batch = 0 }",
    "variant = 3",
    "peaks.V1 = \"1 | 2\"",
    "[exercises.ex1.block]",
    "solved = true",
    "[practise.cards.x]",
];

fn damaged(dice: &mut Dice, seeds: &[String]) -> String {
    let mut text: Vec<char> = match dice.below(4) {
        0 => Vec::new(),
        _ if seeds.is_empty() => Vec::new(),
        _ => seeds[dice.below(seeds.len())].chars().collect(),
    };
    for _ in 0..=dice.below(12) {
        let at = dice.below(text.len() + 1);
        match dice.below(6) {
            0 => {
                let end = (at + dice.below(40)).min(text.len());
                text.drain(at.min(end)..end);
            }
            1 => text.truncate(at),
            2 => {
                let end = (at + dice.below(60)).min(text.len());
                let copy: Vec<char> = text[at.min(end)..end].to_vec();
                text.splice(at..at, copy);
            }
            3 => {
                let c = char::from_u32(dice.below(0x11_0000) as u32).unwrap_or('x');
                text.insert(at, c);
            }
            _ => {
                let piece: Vec<char> = dice.of(PIECES).chars().collect();
                text.splice(at..at, piece);
            }
        }
    }
    text.into_iter().collect()
}

/// Everything that reads, on one text.
struct Readers {
    gpus: GpuDatabase,
    course: Course,
    kinds: Course,
    folder: tempfile::TempDir,
    places: Places,
}

impl Readers {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let here = Surroundings {
            current: folder.path().to_path_buf(),
            home: None,
            data: None,
        };
        Self {
            gpus: GpuDatabase::embedded().unwrap(),
            course: Course::built_in(),
            kinds: Course::folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/kinds")),
            places: Places::find(&here, Some(folder.path()), None),
            folder,
        }
    }

    fn answers(&self, dice: &mut Dice, text: &str) {
        let exercises: Vec<&Exercise> = self
            .course
            .exercises()
            .chain(self.kinds.exercises())
            .collect();
        let exercise = exercises[dice.below(exercises.len())];
        let exercise = exercise
            .variant(dice.below(exercise.looked_at() + 1))
            .unwrap();
        let env = exercise.env(&self.gpus, Figures::built_in()).unwrap();
        let Some(key) = exercise.keys.get(dice.below(exercise.keys.len())) else {
            return;
        };
        let key = key.judged().unwrap();
        let _ = echo(text, &key, &env);
        let judgement = grade(text, &key, &env).unwrap();
        assert!(!judgement.sentence().is_empty());
        let _ = read(text, None);
        let _ = read_as(text, Asked::new(Dimension::Bytes));
    }

    fn expressions(&self, text: &str) {
        let env = Env::new(Setup::workshop().unwrap(), &self.gpus, &NoRecords);
        if let Ok(expr) = Expr::parse(text) {
            let _ = expr.check(&env);
            let _ = expr.evaluate(&env);
            let _ = expr.runs(&env.setup);
        }
        let _ = fill(text, |inline| inline.show(&env).unwrap_or_default());
    }

    fn texts(&self, dice: &mut Dice, text: &str) {
        let lesson = Lesson::read("01-x", "x.md", text);
        assert!(lesson.sections.len() <= text.len() + 1);
        let _ = Solution::read("x", "x.md", text);
        let exercise = Exercise::read("x", "x.md", text);
        for number in 0..=exercise.looked_at().min(3) {
            let exercise = exercise.variant(number).unwrap();
            let Ok(env) = exercise.env(&self.gpus, Figures::built_in()) else {
                continue;
            };
            for key in exercise.keys.iter().take(3) {
                if let Ok(key) = key.judged() {
                    let _ = tinyllama_tutor::answer::lint(&key, &env);
                    let _ = grade(dice.of(PIECES), &key, &env);
                }
            }
        }
    }

    fn files(&self, dice: &mut Dice, text: &str) {
        if let Ok(progress) = Progress::read(text) {
            let again = Progress::read(&progress.write()).unwrap();
            assert_eq!(again, progress, "progress is not read as it was written");
            let mut merged = progress.clone();
            merged.merge(&again);
        }
        let exercise = self.kinds.exercise("ex90").unwrap();
        let path = self.places.sheet("ex90");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        if let Ok(mut sheet) = Sheet::open(&self.places, exercise) {
            let names: Vec<&str> = exercise.keys.iter().map(|k| k.name.as_str()).collect();
            let (name, typed) = (dice.of(&names), dice.of(PIECES));
            let _ = sheet.variant();
            sheet.set(exercise, name, typed);
            if dice.below(8) == 0 {
                sheet.vary(exercise, dice.below(3));
            }
            if dice.below(4) == 0 {
                let _ = sheet.save(&self.places, exercise);
                let _ = Sheet::open(&self.places, exercise).map(|sheet| sheet.answer(name));
            }
        }
        assert!(self.folder.path().is_dir());
    }
}

fn seeds() -> (Vec<String>, Vec<String>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = Vec::new();
    for folder in [
        "lessons",
        "exercises",
        "solutions",
        "tests/data/kinds/exercises",
    ] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap().flatten() {
            texts.extend(std::fs::read_to_string(entry.path()).ok());
        }
    }
    let corpus = include_str!("../data/answers.toml");
    let answers = corpus
        .lines()
        .filter_map(|line| line.trim().strip_prefix("[\"")?.split('"').next());
    (texts, answers.map(str::to_owned).collect())
}

/// Feeds random input for so long; how many inputs there were.
fn fuzz(seconds: u64, seed: u64) -> u64 {
    let readers = Readers::new();
    let (texts, answers) = seeds();
    let sheets = vec![
        "peaks.V1 = \"1 | 2\"\npeaks.V2 = \"\"\nbytes = \"512 KiB\"\nvariant = 1\n".to_owned(),
        "version = 1\n[exercises.ex1.block]\nsolved = true\n[practise]\nasked = 3\n[log]\ndays = [1, 2]\n".to_owned(),
    ];
    let mut dice = Dice(seed | 1);
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut inputs = 0;
    while Instant::now() < until {
        let kind = dice.below(16);
        let text = match kind {
            0 => damaged(&mut dice, &texts),
            1 | 2 => damaged(&mut dice, &sheets),
            _ => damaged(&mut dice, &answers),
        };
        let before = computed();
        let state = dice.0;
        let ended = catch_unwind(AssertUnwindSafe(|| match kind {
            0 => readers.texts(&mut dice, &text),
            1 | 2 => readers.files(&mut dice, &text),
            3..=6 => readers.expressions(&text),
            7 => {
                let (_, topic) = Topic::ALL[dice.below(Topic::ALL.len())];
                let patterns: Vec<_> = topic.patterns().collect();
                let pattern = patterns[dice.below(patterns.len())];
                if let Some(task) = task(pattern, dice.0, &readers.gpus) {
                    let env = Env::new(task.setup.clone(), &readers.gpus, &NoRecords);
                    let _ = grade(&text, &task.key, &env).unwrap().sentence();
                }
            }
            _ => readers.answers(&mut dice, &text),
        }));
        assert!(
            ended.is_ok(),
            "kind {kind}, dice {state}, seed {seed}: {text:?}"
        );
        let took = computed() - before;
        assert!(took < PATIENCE, "kind {kind} took {took:?}: {text:?}");
        inputs += 1;
    }
    inputs
}

/// How long a target is fed: `FUZZ_SECONDS`, else as long as said.
pub(super) fn seconds(otherwise: u64) -> u64 {
    let told = std::env::var("FUZZ_SECONDS").ok();
    told.and_then(|s| s.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn a_few_seconds_of_random_input() {
    assert!(fuzz(seconds(4), 20_261_120) > 0);
}

#[test]
#[ignore = "as long as FUZZ_SECONDS says, ten minutes without"]
fn random_input_for_long() {
    let seed = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_nanos() as u64;
    let inputs = fuzz(seconds(600), seed);
    println!("{inputs} inputs, seed {seed}");
}
