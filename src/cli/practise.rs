//! `practise TOPIC`: fresh questions without end, at the terminal or from a pipe.

use std::io::{BufRead, IsTerminal, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;

use super::Outcome;
use super::args::{OutputArgs, whole};
use super::desk::Desk;
use super::failure::Failure;
use super::out::Out;
use super::words::wrapped;
use course::Event;
use course::answer::practise::{Task, Topic, task};
use course::answer::{Env, Judgement, NoRecords, Verdict, grade};
use plan::cost::GpuDatabase;

/// Fresh questions on a topic, those that went wrong more often.
#[derive(Debug, Args)]
pub(super) struct PractiseArgs {
    /// launches, flops, bytes, intensity, roofline or occupancy
    #[arg(value_parser = topic)]
    topic: Topic,
    /// Draw from this seed: the same questions again
    #[arg(long, value_name = "N", value_parser = whole::<u64>)]
    seed: Option<u64>,
    /// End after so many questions
    #[arg(long, value_name = "N", value_parser = whole::<u64>)]
    count: Option<u64>,
}

fn topic(typed: &str) -> Result<Topic, String> {
    Topic::parse(typed).ok_or_else(|| {
        let names: Vec<&str> = Topic::ALL.iter().map(|(name, _)| *name).collect();
        format!(
            "there is no topic “{typed}”; there are {}",
            names.join(", ")
        )
    })
}

/// How a question ended.
enum End {
    /// The first answer was right.
    Right,
    /// It was not, or the answer was shown.
    Not,
    /// No more input.
    Over,
}

pub(super) fn practise(output: &OutputArgs, args: &PractiseArgs, out: &mut Out) -> Outcome {
    let desk = Desk::open(output).whole()?;
    let gpus = desk.gpus()?;
    let mut progress = desk.progress().clone();
    let seed = args.seed.unwrap_or_else(clock);
    if args.count == Some(0) {
        return Err(Failure::usage("--count 0 asks nothing; take 1 or more"));
    }
    let mut stdout = std::io::stdout();
    let head = "An empty line shows a hint, the next one the answer; Ctrl-D ends. Numbers are typed as you write them: 1.234 MB, 61.8 %, 2*4*999.";
    for line in wrapped(head, "", "") {
        let _ = writeln!(stdout, "{line}");
    }
    let _ = writeln!(stdout);
    let (mut asked, mut right) = (0_u64, 0_u64);
    let mut over = false;
    while !over && args.count.is_none_or(|count| asked < count) {
        let Some(pattern) = progress.practise.next(args.topic) else {
            break;
        };
        let Some(task) = task(pattern, seed.wrapping_add(asked), gpus) else {
            return Err(Failure::content(format!(
                "no question of {} can be drawn from seed {seed}",
                pattern.id
            )));
        };
        match ask(&task, asked + 1, gpus)? {
            End::Over => over = true,
            end => {
                let first = matches!(end, End::Right);
                asked += 1;
                right += u64::from(first);
                progress = desk.record(&[Event::Practised {
                    pattern: pattern.id.to_owned(),
                    right: first,
                }]);
            }
        }
    }
    if over {
        out.gap();
    }
    out.line(format!("{right} of {asked} right at the first answer."));
    let weak = args.topic.patterns().find(|p| {
        let card = progress.practise.cards.get(p.id);
        card.is_some_and(|card| card.level == 0)
    });
    if let Some(weak) = weak {
        out.line(format!("{} comes back soon.", weak.id));
    }
    Ok(u8::from(right < asked || asked == 0))
}

/// Asks one question until it is right or given up.
fn ask(task: &Task, number: u64, gpus: &GpuDatabase) -> Result<End, Failure> {
    let env = Env::new(task.setup.clone(), gpus, &NoRecords);
    let mut stdout = std::io::stdout();
    let mut say = |text: &str, first: &str, next: &str| {
        for line in wrapped(text, first, next) {
            let _ = writeln!(stdout, "{line}");
        }
        let _ = stdout.flush();
    };
    say(&format!("{number}. {}", task.key.ask.text), "", "   ");
    for line in &task.premise {
        say(line, "   ", "   ");
    }
    if !task.key.options.is_empty() {
        say(&task.options(), "   ", "   ");
    }
    let (mut first, mut hinted) = (true, false);
    loop {
        let Some(typed) = typed()? else {
            return Ok(End::Over);
        };
        if typed.is_empty() && !hinted {
            say(task.hint(), "   hint    ", "           ");
            hinted = true;
            continue;
        }
        if typed.is_empty() {
            let shown = task.answer(&env).unwrap_or_default();
            say(&format!("It is {shown}."), "   ", "   ");
            unfold(task, &env, &mut say);
            return Ok(End::Not);
        }
        let judgement: Judgement = grade(&typed, &task.key, &env)
            .map_err(|e| Failure::content(format!("{}: {e}", task.pattern)))?;
        let head = format!("   {:<6}  ", judgement.verdict.word());
        say(&judgement.sentence(), &head, "           ");
        match &judgement.verdict {
            Verdict::Right { .. } => {
                unfold(task, &env, &mut say);
                return Ok(if first { End::Right } else { End::Not });
            }
            // What could not be read, and what only lacks digits, is no answer yet.
            verdict => first &= !verdict.is_try(),
        }
    }
}

/// How the number comes about.
fn unfold(task: &Task, env: &Env<'_>, say: &mut impl FnMut(&str, &str, &str)) {
    for step in task.derived(env) {
        say(&step, "   ", "     ");
    }
    if let Some(command) = &task.command {
        say("Term by term:", "   ", "   ");
        // On one line, so that it can be copied.
        whole_line(command);
    }
    say("", "", "");
}

fn whole_line(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// One line from the learner; `None` at the end of the input.
fn typed() -> Result<Option<String>, Failure> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        let mut stdout = std::io::stdout();
        let _ = write!(stdout, "   > ");
        let _ = stdout.flush();
    }
    let mut line = Vec::new();
    match stdin.lock().read_until(b'\n', &mut line) {
        Ok(0) => Ok(None),
        Ok(_) => Ok(Some(String::from_utf8_lossy(&line).trim().to_owned())),
        Err(e) => Err(Failure::lacking(format!("answers cannot be read: {e}"))),
    }
}

/// A seed that differs from one start to the next.
fn clock() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_nanos() as u64)
}
