//! The pages of the workshop and the way back through them.

/// Smallest terminal that holds every page, in columns and rows.
pub const SMALL: (u16, u16) = (80, 24);
/// Smallest terminal in which one can read and answer.
pub const SMALLEST: (u16, u16) = (60, 18);

/// Makes [`Page`] of the table below: each page with the name that row 1 shows.
macro_rules! pages {
    ($($(#[$doc:meta])+ $page:ident $title:literal,)+) => {
        /// A page that fills the screen.
        ///
        /// Those that are [`Page::LISTED`] have a digit and a letter; the others are
        /// opened from wherever the learner is and left with Esc.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Page {
            $($(#[$doc])+ $page,)+
        }

        impl Page {
            /// All of them.
            pub const ALL: [Page; [$($title),+].len()] = [$(Page::$page),+];

            /// The page's name as row 1 shows it.
            pub const fn title(self) -> &'static str {
                match self {
                    $(Page::$page => $title,)+
                }
            }
        }
    };
}

pages! {
    /// Contents and progress.
    Home "Home",
    /// The lesson reader.
    Lesson "Lesson",
    /// The lab: flip fusions, see launches and bytes, run.
    Lab "Lab",
    /// Versions side by side.
    Compare "Compare",
    /// Every kernel of a block under the roof of a device.
    Roofline "Roofline",
    /// The source of a kernel, what it needs, what changed in it.
    Kernel "Kernel",
    /// Exercise list and form.
    Exercises "Exercises",
    /// What the documents claim, judged.
    Claims "Claims",
    /// What this machine has.
    Doctor "Doctor",
    /// Shown once, at the very first start.
    FirstRun "tinyllama-tutor",
    /// Model, shape, dtype, backend, seed.
    Setup "Setup",
    /// The terms behind a modelled number.
    Why "Why",
    /// Experiments over many plans or sizes.
    Studies "Studies",
    /// Fresh questions.
    Practise "Practise",
    /// Words explained.
    Glossary "Glossary",
    /// The last messages.
    Messages "Messages",
    /// Keys that work where the learner came from.
    Help "Help",
}

impl Page {
    /// Pages that are listed, in the order of their digits.
    pub const LISTED: [Page; 9] = [
        Page::Home,
        Page::Lesson,
        Page::Lab,
        Page::Compare,
        Page::Roofline,
        Page::Kernel,
        Page::Exercises,
        Page::Claims,
        Page::Doctor,
    ];

    /// Whether the page shows how a run ended.
    pub const fn shows_cards(self) -> bool {
        matches!(
            self,
            Page::Lab
                | Page::Lesson
                | Page::Exercises
                | Page::Compare
                | Page::Claims
                | Page::Roofline
        )
    }

    /// The smallest terminal that holds it: what is read and answered needs less than
    /// what is drawn.
    pub const fn least(self) -> (u16, u16) {
        match self {
            Page::Home
            | Page::Lesson
            | Page::Exercises
            | Page::Claims
            | Page::Doctor
            | Page::Setup
            | Page::Messages
            | Page::Help
            | Page::FirstRun
            | Page::Practise
            | Page::Glossary => SMALLEST,
            _ => SMALL,
        }
    }

    /// The digit that goes to this page.
    pub fn digit(self) -> Option<char> {
        let place = Self::LISTED.iter().position(|page| *page == self)?;
        char::from_digit(u32::try_from(place).ok()? + 1, 10)
    }
}

/// Where the cursor and the scroll of a page stood when it was left.
///
/// What the two mean is the page's own affair: for the lesson reader they are
/// the lesson and its section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// The item under the cursor.
    pub item: usize,
    /// The first line or section shown.
    pub scroll: usize,
}

/// How many pages Esc can walk back.
pub const DEPTH: usize = 32;

/// The way back: pages left behind, the latest last.
#[derive(Clone, Debug, Default)]
pub struct Trail(Vec<(Page, Mark)>);

impl Trail {
    /// Remembers a page; the oldest of more than [`DEPTH`] is forgotten.
    pub fn push(&mut self, page: Page, mark: Mark) {
        if self.0.len() == DEPTH {
            self.0.remove(0);
        }
        self.0.push((page, mark));
    }

    /// The page to go back to, taken off the trail.
    pub fn pop(&mut self) -> Option<(Page, Mark)> {
        self.0.pop()
    }

    /// The page that Esc would lead to.
    pub fn last(&self) -> Option<Page> {
        self.0.last().map(|(page, _)| *page)
    }

    /// Number of pages behind this one.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether this is where the learner began.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trail_keeps_the_latest_thirty_two() {
        let mut trail = Trail::default();
        for item in 0..40 {
            trail.push(Page::Lesson, Mark { item, scroll: 0 });
        }
        assert_eq!(trail.len(), DEPTH);
        assert_eq!(trail.pop().map(|(_, m)| m.item), Some(39));
        let mut oldest = None;
        while let Some((_, m)) = trail.pop() {
            oldest = Some(m.item);
        }
        assert_eq!(oldest, Some(8), "40 pushed, 32 kept: the first kept is 8");
    }

    #[test]
    fn digits_are_those_of_the_nine_screens() {
        let digits: String = Page::LISTED.iter().filter_map(|p| p.digit()).collect();
        assert_eq!(digits, "123456789");
    }
}
