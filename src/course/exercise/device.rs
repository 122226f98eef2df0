//! The device of the course: questions about a GPU are asked of the one that is chosen.

use super::Exercise;
use crate::answer::{Env, Key, Setting, USUAL_GPU};
use crate::setup::{GPU, Setup};

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
