//! `hint`, `solution`, `reset`: help with one question, and starting again.

use clap::Args;

use super::Outcome;
use super::args::{OutputArgs, whole};
use super::check;
use super::desk::{Desk, Runs};
use super::failure::Failure;
use super::ids::Ids;
use super::out::Out;
use super::show;
use super::words::{quoted, wrapped};
use course::attempt::{Attempt, attempt, kernel_file};
use course::undo::{self, Way};
use course::{Event, Exercise, Key};

/// The next hint to a question.
#[derive(Debug, Args)]
pub(super) struct HintArgs {
    /// The exercise
    #[arg(value_parser = Ids::Exercises, hide_possible_values = true)]
    exercise: String,
    /// The question, by name or number; the first that is not solved where none is named
    key: Option<String>,
    /// The variant of the exercise; the one that the sheet answers where none is named
    #[arg(long, value_name = "N", value_parser = whole::<usize>)]
    variant: Option<usize>,
}

/// The worked solution of a question: free once it is solved.
#[derive(Debug, Args)]
pub(super) struct SolutionArgs {
    /// The exercise
    #[arg(value_parser = Ids::Exercises, hide_possible_values = true)]
    exercise: String,
    /// The question, by name or number; all that may be shown where none is named
    key: Option<String>,
    /// The variant of the exercise; the one that the sheet answers where none is named
    #[arg(long, value_name = "N", value_parser = whole::<usize>)]
    variant: Option<usize>,
    /// Show it though the question is not solved: it then counts as read, not as solved
    #[arg(long)]
    give_up: bool,
}

/// Start a question, or a whole exercise, again.
#[derive(Debug, Args)]
pub(super) struct ResetArgs {
    /// The exercise
    #[arg(required_unless_present_any = ["all", "undo", "redo"], value_parser = Ids::Exercises, hide_possible_values = true)]
    exercise: Option<String>,
    /// The question, by name or number; all where none is named
    key: Option<String>,
    /// Begin this variant of the exercise: the same questions at another shape
    #[arg(long, value_name = "N", value_parser = whole::<usize>, conflicts_with = "key")]
    variant: Option<usize>,
    /// Every exercise
    #[arg(long, conflicts_with_all = ["exercise", "key", "variant"])]
    all: bool,
    /// Put back what the last reset took away; again: what the one before it did
    #[arg(long, conflicts_with_all = ["exercise", "key", "variant", "all"])]
    undo: bool,
    /// Put back what was answered behind a reset that was undone
    #[arg(long, conflicts_with_all = ["exercise", "key", "variant", "all", "undo"])]
    redo: bool,
}

/// The first question that is not solved.
fn unsolved<'e>(desk: &Desk, exercise: &'e Exercise) -> Option<&'e Key> {
    exercise
        .keys
        .iter()
        .find(|key| !desk.progress().key(&exercise.id, &key.name.text).solved)
}

pub(super) fn hint(output: &OutputArgs, args: &HintArgs, out: &mut Out) -> Outcome {
    let desk = Desk::open(output).whole()?;
    let exercise = &desk.varied(desk.exercise(&args.exercise)?, args.variant)?;
    desk.say_device(exercise);
    let key = match &args.key {
        Some(typed) => desk.key(exercise, typed)?,
        None => match unsolved(&desk, exercise) {
            Some(key) => key,
            None => {
                out.line(format!("Every question of {} is solved.", exercise.id));
                return Ok(0);
            }
        },
    };
    let name = &key.name.text;
    let total = key.hints.len() as u64;
    if total == 0 {
        out.line(format!("{} {name} has no hints.", exercise.id));
        return Ok(0);
    }
    let seen = desk.progress().key(&exercise.id, name).hints;
    let shown = (seen + 1).min(total);
    let runs = Runs::default();
    let env = desk.env(&key.setup, &runs)?;
    show::head(&desk, exercise, &runs, out)?;
    let first = format!("{} {name}: ", exercise.id);
    out.lines(check::question_lines(&desk, &first, exercise, key, &runs)?);
    for (number, hint) in (1..=shown).zip(&key.hints) {
        let head = format!("hint {number} of {total}   ");
        let indent = " ".repeat(head.len());
        out.lines(wrapped(&desk.filled(&hint.text, &env), &head, &indent));
    }
    if shown > seen {
        desk.record(&[Event::Hinted {
            exercise: exercise.id.clone(),
            key: name.clone(),
            shown,
        }]);
    } else {
        out.line(format!(
            "These are all hints. The solution: tinyllama-tutor solution {} {name} --give-up",
            exercise.id
        ));
    }
    Ok(0)
}

pub(super) fn solution(output: &OutputArgs, args: &SolutionArgs, out: &mut Out) -> Outcome {
    let desk = Desk::open(output).whole()?;
    let exercise = &desk.varied(desk.exercise(&args.exercise)?, args.variant)?;
    desk.say_device(exercise);
    let solution = desk.course.solution(&exercise.id).ok_or_else(|| {
        Failure::content(format!("{} has no solution in this course", exercise.id))
    })?;
    let keys: Vec<&Key> = match &args.key {
        Some(typed) => vec![desk.key(exercise, typed)?],
        None => exercise.keys.iter().collect(),
    };
    let may = |key: &Key| {
        let mark = desk.progress().key(&exercise.id, &key.name.text);
        mark.solved || mark.given_up || args.give_up
    };
    let runs = Runs::default();
    let mut gave_up = Vec::new();
    let mut closed = Vec::new();
    let mut headed = false;
    for key in keys {
        let name = &key.name.text;
        if !may(key) {
            closed.push(name.as_str());
            continue;
        }
        let Some(part) = solution.of(key) else {
            continue;
        };
        let env = desk.env(&key.setup, &runs)?;
        if !headed {
            show::head(&desk, exercise, &runs, out)?;
            headed = true;
        }
        out.line(format!("## {} {name}", exercise.id));
        out.lines(check::question_lines(&desk, "", exercise, key, &runs)?);
        out.gap();
        out.lines(show::plain_text(
            &part.body,
            part.body_line,
            output.ascii,
            &env,
            &desk.failed,
        ));
        out.gap();
        let mark = desk.progress().key(&exercise.id, name);
        if !mark.solved && !mark.given_up {
            gave_up.push(Event::GaveUp {
                exercise: exercise.id.clone(),
                key: name.clone(),
            });
        }
    }
    desk.record(&gave_up);
    if closed.is_empty() {
        return Ok(0);
    }
    let progress = desk.progress();
    let mut counts: Vec<&str> = closed
        .iter()
        .map(|name| progress.as_read(&exercise.id, name))
        .collect();
    counts.sort_unstable();
    counts.dedup();
    let counts = counts.join(" or ");
    let text = format!(
        "Not solved yet: {}. A solution is free once its question is solved; --give-up shows it now, and it then {counts}.",
        closed.join(", ")
    );
    out.lines(wrapped(&text, "", ""));
    Ok(1)
}

pub(super) fn reset(output: &OutputArgs, args: &ResetArgs, out: &mut Out) -> Outcome {
    let desk = Desk::open(output).whole()?;
    if args.undo || args.redo {
        let way = if args.undo { Way::Undo } else { Way::Redo };
        let back = undo::restore(&desk.places, way)?;
        let ids = back.exercises.join(", ");
        let said = match way {
            Way::Undo => format!("The last reset is undone: {ids}."),
            Way::Redo => format!("What was answered behind the reset is back: {ids}."),
        };
        out.lines(wrapped(&said, "", "  "));
        if way == Way::Undo && back.since {
            let said =
                "What was answered since is kept: tinyllama-tutor reset --redo puts it back.";
            out.lines(wrapped(said, "", "  "));
        }
        if way == Way::Undo && back.left > 0 {
            out.line("Again, and the one before it is undone.");
        }
        return Ok(0);
    }
    let named: Vec<&Exercise> = match &args.exercise {
        Some(typed) => vec![desk.exercise(typed)?],
        None => desk.course.exercises().collect(),
    };
    // In the variant that each sheet answers: it may ask other questions.
    let answered = |e: &Exercise| desk.varied(e, None).unwrap_or_else(|_| e.clone());
    let exercises: Vec<Exercise> = named.into_iter().map(answered).collect();
    let only = |exercise| match &args.key {
        Some(typed) => desk.key(exercise, typed).map(Some),
        None => Ok(None),
    };
    // Whatever cannot be is refused before anything is emptied.
    let mut open = Vec::new();
    for exercise in &exercises {
        let key = only(exercise)?;
        if let Some(variant) = args.variant {
            exercise.variant(variant).map_err(Failure::usage)?;
        }
        open.push((exercise, key, desk.sheet(exercise)?));
    }
    // Of one question only what was done with that one.
    let begun = open.iter().filter(|(exercise, key, sheet)| {
        let kept = desk.progress().exercises.get(&exercise.id);
        key.is_none_or(|key| {
            let name = &key.name.text;
            sheet.answer(name).is_some() || kept.is_some_and(|keys| keys.contains_key(name))
        })
    });
    let ids: Vec<String> = begun.map(|(e, ..)| e.id.clone()).collect();
    let ids = undo::keep(&desk.places, &ids)?;
    let (mut events, mut typed, mut begun_anew) = (Vec::new(), Vec::new(), Vec::new());
    for (exercise, key, sheet) in &mut open {
        let keys = || exercise.keys.iter();
        let emptied: Vec<&Key> = match *key {
            Some(key) => vec![key],
            None => keys().collect(),
        };
        for key in emptied {
            if let Some(answer) = sheet.answer(&key.name.text) {
                typed.push(quoted(&format!("{}={answer}", key.name.text)));
                sheet.set(exercise, &key.name.text, "");
            }
        }
        // What is begun anew asks about the device of the course.
        let anew = exercise.on(desk.course.gpu());
        let mut varied = None;
        events.push(match args.variant {
            Some(variant) => {
                let begun = anew.variant(variant).map_err(Failure::usage)?;
                sheet.vary(&begun, variant);
                varied = Some(begun);
                Event::Varied {
                    exercise: exercise.id.clone(),
                    variant,
                }
            }
            None => {
                if key.is_none() && anew.gpu != exercise.gpu {
                    sheet.vary(&anew, anew.number);
                    varied = Some(anew);
                }
                Event::Reset {
                    exercise: exercise.id.clone(),
                    key: key.map(|k| k.name.text.clone()),
                }
            }
        });
        begun_anew.push(varied);
    }
    // Progress first: a workshop that runs beside this one looks at it when a sheet changes.
    desk.must_record(&events)?;
    for ((exercise, _, sheet), varied) in open.iter_mut().zip(&begun_anew) {
        if sheet.unsaved() {
            sheet.save(&desk.places, varied.as_ref().unwrap_or(exercise))?;
        }
    }
    let said = match (open.as_slice(), ids.len()) {
        ([(exercise, key, _)], any) => one_again(&exercise.id, *key, args.variant, any > 0),
        (_, 0) => "Nothing was answered yet: nothing is to be reset.".to_owned(),
        (_, 1) => format!("One exercise starts again: {}.", ids.join(", ")),
        (_, n) => format!("{n} exercises start again: {}.", ids.join(", ")),
    };
    out.lines(wrapped(&said, "", "  "));
    for (exercise, key, _) in &open {
        kernel_stays(&desk, exercise, *key, out);
    }
    if !typed.is_empty() && !args.all {
        out.line("What was typed, to put it back:");
        let answers: String = typed.iter().map(|t| format!(" --answer {t}")).collect();
        let id = ids.first().map_or("", String::as_str);
        out.line(format!("tinyllama-tutor check {id}{answers}"));
    }
    if !ids.is_empty() {
        out.line("tinyllama-tutor reset --undo takes this back.");
    }
    Ok(0)
}

/// What became of the one exercise that was named; `begun`: something of it was there.
fn one_again(id: &str, key: Option<&Key>, variant: Option<usize>, begun: bool) -> String {
    match (key, variant) {
        (Some(key), _) if begun => format!("{id} {} starts again.", key.name.text),
        (Some(key), _) => format!(
            "{id} {} is open already: nothing is to be reset.",
            key.name.text
        ),
        (None, Some(n)) if begun => format!("{id} starts again, variant {n}."),
        (None, Some(n)) => format!("{id} asks variant {n} now; nothing was answered before."),
        (None, None) if begun => format!("{id} starts again."),
        (None, None) => format!("Nothing of {id} was answered yet: nothing is to be reset."),
    }
}

/// A kernel that somebody wrote is not taken away: what that means is said.
fn kernel_stays(desk: &Desk, exercise: &Exercise, only: Option<&Key>, out: &mut Out) {
    let keys = exercise.keys.iter();
    let mut meant = keys.filter(|key| only.is_none_or(|only| only.name == key.name));
    let written = |key: &Key| {
        let kernel = key.kernel.as_ref().filter(|kernel| kernel.is_written());
        kernel.is_some_and(|kernel| {
            let found = attempt(&desk.places, &exercise.id, kernel, "");
            matches!(found, Ok(Attempt::Written(_)))
        })
    };
    if meant.any(written) {
        let file = desk.places.shown(&kernel_file(&desk.places, &exercise.id));
        let say = format!(
            "{file} stays as you wrote it, and the next check judges it again; remove it to begin with the one that is given."
        );
        out.lines(wrapped(&say, "", "  "));
    }
}
