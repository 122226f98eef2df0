//! Questions: a question is one thing wherever it is answered. What is typed,
//! what was found and which option is under the cursor are kept here by exercise
//! and key, and the form and the lesson both show it.

use std::collections::BTreeMap;

use super::field::Field;
use course::answer::Judgement;

/// A question by its exercise and its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Asked {
    /// Id of the exercise.
    pub exercise: String,
    /// Name of the key.
    pub key: String,
}

/// What digits, and whatever else begins a number, mean to what has the keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Asks {
    /// Nothing is asked: digits lead to screens.
    #[default]
    Nothing,
    /// Values of which none has the keys: digits lead nowhere before one has.
    Several,
    /// A value: the first character typed begins it.
    Value,
    /// A value that was left half typed: Enter goes on with it, and nothing adds to it.
    Begun,
    /// One or several of so many options: a digit goes to an option.
    Option(usize),
    /// An order of so many options: a digit is the place of the one under the cursor.
    Rank(usize),
    /// One of so many lines of a kernel: its number goes to the line.
    Line(usize),
    /// It is answered right, and what is typed changes nothing.
    Right,
    /// It has the keys and asks for nothing that is typed.
    Untyped,
}

/// Said of a digit where more than one thing in view asks for it, or a part of one.
pub const SEVERAL: &str =
    "Digits answer what is asked here: Tab leads to it. H shows the contents.";

/// Said of a digit that answers nothing of what has the keys.
pub const ELSEWHERE: &str = "Esc leads to where digits are screens. H shows the contents.";

/// The same where the text would give it to the one question in view.
pub const BEHIND: &str = "Esc leads to the text, where digits go to what is asked there.";

impl Asks {
    /// Whether it is answered by what is typed, and not answered yet.
    pub const fn is_typed(&self) -> bool {
        matches!(self, Self::Value | Self::Begun)
    }

    /// Whether a character begins a value as people write it: `17`, `.2963`, `-3`, `(1+2)*4`.
    pub fn begins(c: char) -> bool {
        c.is_ascii_digit() || matches!(c, '.' | '(' | '-' | '+' | '−')
    }
}

/// What was done about a question since the workshop was opened.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The option under the cursor, once it was moved.
    pub(super) option: Option<usize>,
    /// The cell of a table under the cursor, in reading order.
    pub cell: usize,
    /// The option at which it was said that another one is marked.
    pub(super) warned: Option<usize>,
    /// The cells of a table that were not right when it was last checked, and what stood
    /// in them.
    pub(super) refused: Vec<(usize, String)>,
    /// What the judge said of the answer as it stands.
    pub judgement: Option<Judgement>,
    /// Hints are unfolded.
    pub hints: bool,
    /// The worked solution is shown.
    pub solution: bool,
    /// `s` was pressed once and waits for the second.
    pub(super) armed: bool,
    /// A kernel is with the judge.
    pub judging: bool,
    /// What the judge said of a kernel, below the verdict.
    pub lines: Vec<String>,
}

/// What was done about questions.
#[derive(Clone, Debug, Default)]
pub struct Questions {
    /// The question whose field is being typed into.
    pub field: Option<(Asked, Field)>,
    /// A right answer that is being changed, as it would be: what stands in the
    /// sheet stays until this one has a verdict.
    pub(super) draft: Option<(Asked, String)>,
    /// The same as it was last kept, or comes back after a new start.
    pub(super) change: Option<(Asked, String)>,
    /// What was done about each.
    pub(super) known: BTreeMap<Asked, Question>,
    /// Sheets that were asked for.
    pub(super) opened: Vec<String>,
    /// Another variant was asked for once, which waits for the second time.
    pub(super) varying: Option<(String, usize)>,
    /// It was asked once to start the exercise of the form again, likewise.
    pub(super) resetting: Option<String>,
    /// The form is to bring the question under its cursor into view.
    pub(super) reveal: bool,
    /// What the sheet holds of the field that is open, ahead of what is answered.
    pub(super) ahead: Option<(Asked, String)>,
    /// When a key last went into a field whose text the sheet does not hold yet.
    pub(super) touched: Option<u64>,
    /// The page was turned while something is typed: the field need not be in view until the
    /// next key.
    pub(super) turned: bool,
    /// The lesson is to bring the block with the keys into view: a verdict came.
    pub(super) judged: bool,
    /// Help was asked for, which the form is to bring into view.
    pub(super) helped: Option<Help>,
}

/// Help with a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Help {
    /// The next hint.
    Hint,
    /// The worked solution.
    Solution,
}

impl Questions {
    /// What was done about a question.
    pub fn question(&self, asked: &Asked) -> Question {
        self.known.get(asked).cloned().unwrap_or_default()
    }

    pub(super) fn question_mut(&mut self, asked: &Asked) -> &mut Question {
        self.known.entry(asked.clone()).or_default()
    }

    /// Nothing that was done about an exercise is known any more.
    pub(super) fn forget(&mut self, exercise: &str) {
        let of_it = |asked: &Asked| asked.exercise == exercise;
        self.known.retain(|asked, _| !of_it(asked));
        self.field.take_if(|(asked, _)| of_it(asked));
        self.draft.take_if(|(asked, _)| of_it(asked));
        self.change.take_if(|(asked, _)| of_it(asked));
        self.ahead.take_if(|(asked, _)| of_it(asked));
        (self.varying, self.resetting) = (None, None);
    }

    /// Nothing is being changed any more.
    pub(super) fn drop_draft(&mut self) -> Option<Asked> {
        let (asked, _) = self.draft.take()?;
        self.change = None;
        Some(asked)
    }

    /// The right answer that is being changed, as it would be.
    pub fn draft_of(&self, asked: &Asked) -> Option<&str> {
        let (drafted, typed) = self.draft.as_ref()?;
        (drafted == asked).then_some(typed)
    }

    /// The field of a question, while it is being typed into.
    pub fn field_of(&self, asked: &Asked) -> Option<&Field> {
        let (typing, field) = self.field.as_ref()?;
        (typing == asked).then_some(field)
    }

    /// The page was turned while something is typed.
    pub const fn turned(&self) -> bool {
        self.turned
    }

    /// A verdict came: what shows it is to be in view.
    pub(super) fn show_verdict(&mut self) {
        self.judged = true;
        self.reveal = true;
    }

    /// What waits for a second press waits no longer.
    pub(super) fn disarm(&mut self) {
        for question in self.known.values_mut() {
            question.armed = false;
        }
    }
}

/// How answers are written, for an empty field. None of them is an answer of the course.
pub fn examples(ascii: bool) -> &'static str {
    if ascii {
        "23   1.234 MB   567.8 GFLOP   61.8 %   7/23   2*4*999   9.87 us"
    } else {
        "23   1.234 MB   567.8 GFLOP   61.8 %   7/23   2*4*999   9.87 µs"
    }
}
