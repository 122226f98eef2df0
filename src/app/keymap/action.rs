//! What keys ask for.

use crate::page::Page;

/// What a key asks for. What it means in detail is the page's affair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Go to a page.
    Go(Page),
    /// One line or item up.
    Up,
    /// One line or item down.
    Down,
    /// One kernel, column or value to the left.
    Left,
    /// One kernel, column or value to the right.
    Right,
    /// A page or section back.
    PageUp,
    /// A page or section on.
    PageDown,
    /// To the first item.
    Top,
    /// To the last item.
    End,
    /// To the next part of the page.
    NextPart,
    /// To the previous part of the page.
    PreviousPart,
    /// Open, check, edit.
    Open,
    /// Back the way the learner came, or out of a field.
    Back,
    /// Find text on this page.
    Find,
    /// Next match or idea.
    FindNext,
    /// Previous match or idea.
    FindPrevious,
    /// The command palette.
    Palette,
    /// Keys that work here.
    Help,
    /// This page as a command line.
    CommandLine,
    /// This page as a picture, its numbers as rows.
    Export,
    /// Fresh questions.
    Practise,
    /// The words of the page, explained.
    Glossary,
    /// What travels between memory and chip.
    Trips,
    /// Figures of merit of runs, their hotspots, and back.
    Figures,
    /// The terms behind a modelled number.
    Why,
    /// Model, shape, dtype, backend, seed.
    Setup,
    /// Stop the run; twice with none running: leave.
    Interrupt,
    /// Stop this process and give the terminal back.
    Suspend,
    /// Draw everything again.
    Redraw,
    /// Leave the program.
    Quit,
    /// Flip the fusion under the cursor, or mark a choice.
    Flip,
    /// Take the wall right of the cursor down, or put it up.
    Wall,
    /// Next version.
    NextVersion,
    /// Previous version.
    PreviousVersion,
    /// Undo the last flip.
    Undo,
    /// Kind of number on the ribbon.
    Bytes,
    /// Run this plan and V1.
    Run,
    /// Run everything again.
    RunAll,
    /// Per block or per forward.
    Scope,
    /// Pin the plan of the lab as a column.
    Pin,
    /// Next theme.
    Theme,
    /// ASCII or Unicode.
    Ascii,
    /// Start a workshop folder here.
    Init,
    /// Next lesson.
    NextLesson,
    /// Previous lesson.
    PreviousLesson,
    /// Follow the next path through the course.
    Path,
    /// The stop of the path before a question of it.
    PathBack,
    /// Sections of the lesson.
    Outline,
    /// Type an answer, or change a right one.
    Change,
    /// A hint for this question.
    Hint,
    /// The worked solution of this question.
    Solution,
    /// Which items are listed.
    Filter,
    /// The kernel's file in the learner's editor.
    Edit,
    /// Another variant of this exercise.
    Variant,
    /// Next idea of a kernel, or next change.
    NextIdea,
    /// Previous idea, or change.
    PreviousIdea,
    /// Next kernel of the plan.
    NextKernel,
    /// Previous kernel.
    PreviousKernel,
    /// What changed from the version before.
    Diff,
    /// The compiler's text.
    Ptx,
    /// The same in PyTorch.
    Torch,
    /// More registers.
    More,
    /// Fewer registers.
    Less,
    /// One pane alone, and back.
    Zoom,
    /// The next GPU whose roof is drawn beside the present one.
    WhatIf,
    /// The GPU before it.
    PreviousWhatIf,
    /// The data sheet's roof in place of the measured one, and back.
    DataSheet,
    /// Numbers in place of the plot, the staircase in place of the versions, and back.
    Table,
}

impl Action {
    /// The names by which a learner's file of keys calls them.
    pub const NAMES: &[(&str, Action)] = &[
        ("home", Action::Go(Page::Home)),
        ("lesson", Action::Go(Page::Lesson)),
        ("lab", Action::Go(Page::Lab)),
        ("compare", Action::Go(Page::Compare)),
        ("roofline", Action::Go(Page::Roofline)),
        ("kernel", Action::Go(Page::Kernel)),
        ("exercises", Action::Go(Page::Exercises)),
        ("claims", Action::Go(Page::Claims)),
        ("doctor", Action::Go(Page::Doctor)),
        ("studies", Action::Go(Page::Studies)),
        ("up", Action::Up),
        ("down", Action::Down),
        ("left", Action::Left),
        ("right", Action::Right),
        ("page-up", Action::PageUp),
        ("page-down", Action::PageDown),
        ("top", Action::Top),
        ("end", Action::End),
        ("next-part", Action::NextPart),
        ("open", Action::Open),
        ("back", Action::Back),
        ("find", Action::Find),
        ("commands", Action::Palette),
        ("help", Action::Help),
        ("command-line", Action::CommandLine),
        ("export", Action::Export),
        ("practise", Action::Practise),
        ("words", Action::Glossary),
        ("why", Action::Why),
        ("setup", Action::Setup),
        ("quit", Action::Quit),
        ("flip", Action::Flip),
        ("wall", Action::Wall),
        ("next-version", Action::NextVersion),
        ("previous-version", Action::PreviousVersion),
        ("undo", Action::Undo),
        ("numbers", Action::Bytes),
        ("run", Action::Run),
        ("run-all", Action::RunAll),
        ("scope", Action::Scope),
        ("pin", Action::Pin),
        ("theme", Action::Theme),
        ("ascii", Action::Ascii),
        ("next-lesson", Action::NextLesson),
        ("previous-lesson", Action::PreviousLesson),
        ("path", Action::Path),
        ("path-back", Action::PathBack),
        ("sections", Action::Outline),
        ("change", Action::Change),
        ("hint", Action::Hint),
        ("solution", Action::Solution),
        ("filter", Action::Filter),
        ("edit", Action::Edit),
        ("variant", Action::Variant),
        ("next-idea", Action::NextIdea),
        ("previous-idea", Action::PreviousIdea),
        ("next-kernel", Action::NextKernel),
        ("previous-kernel", Action::PreviousKernel),
        ("diff", Action::Diff),
        ("ptx", Action::Ptx),
        ("torch", Action::Torch),
        ("more", Action::More),
        ("less", Action::Less),
        ("zoom", Action::Zoom),
        ("what-if", Action::WhatIf),
        ("previous-what-if", Action::PreviousWhatIf),
        ("data-sheet", Action::DataSheet),
        ("table", Action::Table),
        ("trips", Action::Trips),
        ("figures", Action::Figures),
    ];
}
