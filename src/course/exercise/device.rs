//! The device of the course: questions about a GPU are asked of the one that is chosen.

use super::Exercise;
use crate::answer::{Env, Key, Setting, USUAL_GPU, data_sheets};
use crate::fault::Place;
use crate::fields::Phrase;
use crate::recorded::Figures;
use crate::setup::{GPU, Setup};
use crate::solution::{Derivation, Worked};
use plan::cost::Gpu;

/// What the data sheets of some GPUs have no peak for.
const BF16: &str = "bf16";

/// How what a text says of its device begins, behind what the author says.
const NOTE: &str = "\n\n**On the ";

/// What is to be known of the device before a text that asks of it is read: what it lacks,
/// or that it is two.
pub(crate) fn caveat(gpu: &Gpu, needs_bf16: bool) -> Option<String> {
    if gpu.bf16_tflops.is_none() && needs_bf16 {
        return Some(format!(
            "its data sheet has no peak for {BF16}, and what is asked or said of that here has no value. `--gpu` takes another device."
        ));
    }
    let die = format!("{}_gcd", gpu.id);
    let die = data_sheets()?.get(&die).ok()?;
    Some(format!(
        "its programs see two devices, and a launch runs on one of them. Here both are taken as one; `--gpu {}` is what a launch has.",
        die.id
    ))
}

/// Whether a text asks of the GPU of its settings what only one with bf16 answers.
pub(crate) fn asks_of_bf16(text: &str) -> bool {
    text.split(['`', '"'])
        .any(|part| part.contains(BF16) && asks_of_gpu(part))
}

/// Whether a text has expressions about the GPU of its settings, such as
/// `ridge(gpu, fp32)` or `gpu(gpu).name`.
pub(crate) fn asks_of_gpu(text: &str) -> bool {
    text.match_indices(GPU).any(|(at, word)| {
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        let behind = text.get(at + word.len()..).and_then(|t| t.chars().next());
        matches!(before, Some('(' | ' ' | ',')) && matches!(behind, Some(')' | ','))
    })
}

impl Exercise {
    /// Takes the usual device, where the author names none and some question asks of it.
    pub(super) fn take_device(&mut self) {
        let free = self.printed.text(GPU).is_none() && asks_of_gpu(self.text.body());
        self.gpu = free.then_some(USUAL_GPU);
    }

    /// Why a question has no answer on the device that it asks of, such as one without
    /// bf16; none where the device is not the reason.
    pub fn without_answer(&self, key: &Key, env: &Env<'_>) -> Option<String> {
        let gpu = self.gpu?;
        let usual = env.with(&[Setting::Gpu(USUAL_GPU)]);
        let (expected, why) = (key.expected().ok()?, key.expected().ok()?.check(env).err()?);
        expected.check(&usual).ok()?;
        Some(format!(
            "This question has no answer on the device of the course, {gpu}: {}. --gpu takes another.",
            why.message
        ))
    }

    /// A question without an answer on the device that it asks of says so in place of
    /// its hints and of how the answer comes about, which would have no numbers.
    pub(super) fn leave_open(&self, key: &mut Key) {
        let Some(text) = self.on_its_device(key) else {
            return;
        };
        key.worked = Worked::Here(Derivation {
            key: key.name.text.clone(),
            line: 1,
            body: text.clone(),
            body_line: 1,
            numbers: Vec::new(),
        });
        let at = Place { line: 1, column: 1 };
        key.hints = vec![Phrase { text, at }];
    }

    /// Why a question has no answer on the device of the course.
    fn on_its_device(&self, key: &Key) -> Option<String> {
        self.gpu.filter(|gpu| *gpu != USUAL_GPU)?;
        let setup = key.setup.answer().ok()?;
        self.without_answer(key, &Env::new(setup, data_sheets()?, Figures::built_in()))
    }

    /// Says behind what stands above the questions what is to be known of the device, and
    /// which of them stay open on it.
    fn say_device(&mut self, gpu: &str) {
        let written = self.body.find(NOTE).unwrap_or(self.body.len());
        self.body.truncate(written);
        let Some(gpu) = data_sheets().and_then(|all| all.get(gpu).ok()) else {
            return;
        };
        let open = (1..)
            .zip(&self.keys)
            .filter(|(_, key)| self.on_its_device(key).is_some());
        let open: Vec<String> = open.map(|(number, _)| number.to_string()).collect();
        let needs_bf16 = !open.is_empty() || asks_of_bf16(self.text.body());
        let Some(caveat) = caveat(gpu, needs_bf16) else {
            return;
        };
        let open = match open.split_last() {
            None => String::new(),
            Some((last, [])) => format!(" Question {last} stays open."),
            Some((last, first)) => format!(" Questions {} and {last} stay open.", first.join(", ")),
        };
        self.body += &format!("{NOTE}{}:** {caveat}{open}", gpu.short);
    }

    /// The same questions, asked of another GPU; those that ask of none, or of one that
    /// the author names, are as they were.
    #[must_use]
    pub fn on(&self, gpu: &'static str) -> Self {
        let mut on = self.clone();
        if self.gpu.is_none_or(|now| now == gpu) {
            return on;
        }
        let device = Setup::of_gpu(gpu);
        on.gpu = Some(gpu);
        on.printed = self.printed.with(&device);
        on.setup = self.setup.with(&device);
        on.keys = on.asked(&on.setups());
        // Authors look at the usual device: on another one two slips may come to the same.
        on.keys.iter_mut().for_each(Key::drop_slips);
        on.say_device(gpu);
        on
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Verdict, grade};
    use crate::recorded::Figures;
    use plan::cost::GpuDatabase;

    const TEXT: &str = "+++\ntitle = \"Ridge\"\nvariants = [ { batch = 4 } ]\n\n[[key]]\n\
        name = \"ridge\"\nask = \"Ridge?\"\nanswer = \"ridge(gpu, fp32)\"\nunit = \"FLOP/B\"\n+++\n\nOn the `= gpu(gpu).name`.\n";

    #[test]
    fn an_answer_is_judged_by_the_device_that_is_asked_about() {
        let exercise = Exercise::read("ex", "ex.md", TEXT);
        assert_eq!(
            (&exercise.faults[..], exercise.gpu),
            (&[][..], Some(USUAL_GPU))
        );
        let gpus = GpuDatabase::embedded().unwrap();
        let right = |exercise: &Exercise, typed: &str| {
            let env = exercise.env(&gpus, Figures::built_in()).unwrap();
            let found = grade(typed, &exercise.keys[0], &env).unwrap();
            matches!(found.verdict, Verdict::Right { .. })
        };
        // Data sheets: H200 66.9 TFLOP/s over 4.8 TB/s, MI300A 122.6 over 5.3.
        let on = exercise.on("mi300a");
        assert!(right(&exercise, "66.9/4.8") && !right(&exercise, "122.6/5.3"));
        assert!(right(&on, "122.6/5.3") && !right(&on, "66.9/4.8"));
        // In a variant, and back again.
        assert!(right(&on.variant(1).unwrap(), "122.6/5.3"));
        assert!(right(&on.variant(1).unwrap().on(USUAL_GPU), "66.9/4.8"));
    }

    #[test]
    fn a_device_without_bf16_says_so_once_at_the_head() {
        let text = TEXT.replace("ridge(gpu, fp32)", "ridge(gpu, bf16)");
        let exercise = Exercise::read("ex", "ex.md", &text);
        let on = exercise.on("v100");
        let head = "**On the V100:** its data sheet has no peak for bf16,";
        assert_eq!(on.body.matches(head).count(), 1, "{}", on.body);
        assert!(on.body.ends_with("Question 1 stays open."), "{}", on.body);
        assert_eq!(on.on("t4").body.matches("**On the").count(), 1);
        assert_eq!(on.on("mi300a").body, exercise.body);
        // Its solution and its hints are that, and no sentence with a hole.
        let key = &on.variant(1).unwrap().keys[0];
        let Worked::Here(derivation) = &key.worked else {
            panic!("{:?}", key.worked);
        };
        let says = "This question has no answer on the device of the course, v100:";
        assert!(derivation.body.starts_with(says), "{derivation:?}");
        assert!(key.hints[0].text.starts_with(says) && key.hints.len() == 1);
        assert_eq!(
            Exercise::read("ex", "ex.md", TEXT).on("v100").body,
            exercise.body
        );
        // A package of two devices: which is the one that runs a launch.
        let two = exercise.on("mi250x").body;
        assert!(two.contains("`--gpu mi250x_gcd`"), "{two}");
        assert_eq!(exercise.on("mi250x_gcd").body, exercise.body);
    }

    #[test]
    fn a_lesson_begins_with_what_its_device_lacks() {
        use crate::lesson::{Lesson, Part};
        let text = "## A\n\nOne.\n\n## B\n\nThe ridge is `= ridge(gpu, bf16)`.\n";
        let lesson = Lesson::read("01-a", "a.md", text);
        let blocks = |gpu: &'static str| -> Vec<usize> {
            let sections = lesson.on(gpu).sections.into_iter();
            let count = |part: &Part| match part {
                Part::Prose { body, .. } => body.blocks.len(),
                Part::Live(_) => 0,
            };
            sections.map(|s| s.parts.iter().map(count).sum()).collect()
        };
        assert_eq!(blocks("mi300a"), [1, 1]);
        for gpu in ["v100", "mi250x"] {
            assert_eq!(blocks(gpu), [2, 1], "{gpu}");
        }
        assert_eq!(
            Lesson::read("01-a", "a.md", "## A\n\nbf16.\n")
                .on("v100")
                .sections[0]
                .parts
                .len(),
            1
        );
    }

    #[test]
    fn a_device_that_the_author_names_stays() {
        let text = TEXT.replace("title", "config = { gpu = \"a100_80gb\" }\ntitle");
        let exercise = Exercise::read("ex", "ex.md", &text);
        assert_eq!(exercise.gpu, None);
        assert_eq!(exercise.on("mi300a"), exercise);
    }

    #[test]
    fn a_text_asks_of_a_gpu_in_expressions_only() {
        for (text, asks) in [
            ("ridge(gpu, fp32)", true),
            ("floor(block(v1), gpu)", true),
            ("gpu(gpu).name", true),
            ("gpu(h200).name", false),
            ("config = { gpu = \"h200\" }", false),
            ("a gpu and its memory", false),
        ] {
            assert_eq!(asks_of_gpu(text), asks, "{text}");
        }
    }
}
