//! Every key of the workshop outside text fields.

use super::{Action, Entry, On};
use crate::key::{Code, Key, ch, ctrl, key};
use crate::page::Page;

const fn entry(
    on: On,
    keys: &'static [(Key, Action)],
    also: &'static [(Key, Action)],
    says: &'static str,
) -> Entry {
    Entry {
        on,
        keys,
        also,
        shown: "",
        says,
    }
}

use Action::*;
use Page::{
    Claims, Compare, Doctor, Exercises, FirstRun, Home, Kernel, Lab, Lesson, Practise as Questions,
    Roofline, Setup as Bench, Studies,
};

/// Pages that show what runs can fill.
const RUNS: &[Page] = &[Lab, Compare, Lesson, Exercises];
/// Pages with the lab's keys: its own, and the lesson that it stands beside.
const LABS: &[Page] = &[Lab, Lesson];
/// Pages that show one version of the plan.
const VERSIONS: &[Page] = &[Lab, Lesson, Roofline, Kernel];
/// Pages with something to the left and right of what is under the cursor.
const WIDE: &[Page] = &[
    Lesson, Lab, Compare, Roofline, Kernel, Exercises, Studies, Questions, Bench,
];
/// Pages of several parts.
const PARTS: &[Page] = &[Lesson, Lab, Kernel, Exercises, Claims, Studies, Questions];
/// Pages that turn over like a book.
const TEXT: &[Page] = &[Lesson];

/// Every key of the workshop outside text fields.
pub const TABLE: &[Entry] = &[
    Entry {
        on: On::Moving,
        keys: &[
            (ch('1'), Go(Home)),
            (ch('2'), Go(Lesson)),
            (ch('3'), Go(Lab)),
            (ch('4'), Go(Compare)),
            (ch('5'), Go(Roofline)),
            (ch('6'), Go(Kernel)),
            (ch('7'), Go(Exercises)),
            (ch('8'), Go(Claims)),
            (ch('9'), Go(Doctor)),
        ],
        also: &[],
        shown: "1 … 9",
        says: "a screen, if not asked",
    },
    entry(
        On::Moving,
        &[
            (key(Code::Up), Up),
            (key(Code::Down), Down),
            (ch('j'), Down),
            (ch('k'), Up),
        ],
        &[],
        "line, item",
    ),
    entry(
        On::Across(WIDE),
        &[
            (key(Code::Left), Left),
            (key(Code::Right), Right),
            (ch('h'), Left),
            (ch('l'), Right),
        ],
        &[],
        "kernel, column, option",
    ),
    entry(
        On::Moving,
        &[(key(Code::PageUp), PageUp), (key(Code::PageDown), PageDown)],
        &[
            (ctrl('u'), PageUp),
            (ctrl('d'), PageDown),
            (ch(' '), PageDown),
            (ch('b'), PageUp),
        ],
        "page",
    ),
    entry(
        On::Moving,
        &[(ch('g'), Top), (ch('G'), End)],
        &[(key(Code::Home), Top), (key(Code::End), End)],
        "top, end",
    ),
    entry(
        On::Across(PARTS),
        &[(key(Code::Tab), NextPart)],
        &[(key(Code::BackTab), PreviousPart)],
        "next part of screen",
    ),
    entry(On::Moving, &[(key(Code::Enter), Open)], &[], "open, check"),
    entry(
        On::Moving,
        &[(key(Code::Esc), Back)],
        &[],
        "back, leave field",
    ),
    // The pages' own keys.
    entry(
        On::Here(&[Home]),
        &[(ch(' '), Flip), (ch('P'), Path)],
        &[],
        "path: go on, choose another",
    ),
    entry(
        On::Here(&[Lab]),
        &[(ch(' '), Flip), (ch('t'), Trips), (ch('f'), Figures)],
        &[],
        "flip; trips; figures of merit",
    ),
    entry(
        On::Here(LABS),
        &[(ch('w'), Wall), (ch('u'), Undo)],
        &[],
        "wall to the right; undo",
    ),
    entry(
        On::Here(VERSIONS),
        &[(ch('v'), NextVersion), (ch('V'), PreviousVersion)],
        &[],
        "next, previous version",
    ),
    entry(
        On::Here(&[Lab, Lesson]),
        &[(ch('m'), Bytes)],
        &[],
        "kind of number: MB, FLOP/B, µs",
    ),
    entry(
        On::Here(&[Compare]),
        &[(ch('m'), Bytes)],
        &[],
        "what the signs of bytes say",
    ),
    entry(
        On::Here(&[Lab, Compare, Roofline, Lesson, Home, Doctor, Kernel]),
        &[(ch('p'), Setup)],
        &[],
        "setup: model, shape, backend",
    ),
    entry(
        On::Here(RUNS),
        &[(ch('r'), Run), (ch('R'), RunAll)],
        &[],
        "run this plan, run all again",
    ),
    entry(
        On::Here(&[Lab, Roofline]),
        &[(ch('='), Why)],
        &[],
        "the terms behind the number",
    ),
    entry(
        On::Here(&[Roofline]),
        &[(ch('r'), Run), (ch('R'), RunAll)],
        &[],
        "run this plan, measure the roof",
    ),
    entry(
        On::Here(&[Roofline]),
        &[(ch('w'), WhatIf), (ch('W'), PreviousWhatIf)],
        &[],
        "what-if GPU: next, previous",
    ),
    entry(
        On::Here(&[Roofline]),
        &[(ch('d'), DataSheet)],
        &[],
        "roof of the data sheet, and back",
    ),
    entry(
        On::Here(&[Roofline]),
        &[(ch('i'), Change)],
        &[],
        "your own point, in FLOP/B",
    ),
    entry(
        On::Here(&[Roofline]),
        &[(ch('t'), Table)],
        &[],
        "table of the kernels, and back",
    ),
    entry(
        On::Here(&[Studies]),
        &[(ch('r'), Run), (ch('R'), RunAll), (ch('p'), Setup)],
        &[],
        "make the study, smaller; setup",
    ),
    entry(
        On::Here(&[Studies]),
        &[(ch('='), Why), (ch(' '), Flip)],
        &[],
        "terms; switch, page",
    ),
    entry(
        On::Here(&[Compare]),
        &[(ch('b'), Scope), (ch('f'), Figures)],
        &[],
        "per block, forward; figures",
    ),
    entry(
        On::Here(&[Compare]),
        &[(ch('t'), Table)],
        &[],
        "staircase of fusions, and back",
    ),
    entry(
        On::Here(&[Compare]),
        &[(ch('['), PreviousKernel), (ch(']'), NextKernel)],
        &[],
        "staircase: step earlier, later",
    ),
    entry(
        On::Here(&[Compare]),
        &[(ch('P'), Pin)],
        &[],
        "pin the lab's plan as a column",
    ),
    entry(
        On::Here(&[Compare]),
        &[(ch('='), Why)],
        &[],
        "the terms behind the number",
    ),
    entry(
        On::Here(TEXT),
        &[(ch(' '), Flip), (ch('b'), PageUp)],
        &[],
        "next, previous section",
    ),
    entry(
        On::Here(TEXT),
        &[(ch('['), PreviousLesson), (ch(']'), NextLesson)],
        &[],
        "previous, next lesson",
    ),
    entry(
        On::Here(TEXT),
        &[(ch('o'), Outline)],
        &[],
        "sections of this lesson",
    ),
    entry(
        On::Here(&[Kernel]),
        &[(ch('n'), NextIdea), (ch('N'), PreviousIdea)],
        &[],
        "next, previous idea or change",
    ),
    entry(
        On::Here(&[Kernel, Lab]),
        &[(ch('['), PreviousKernel), (ch(']'), NextKernel)],
        &[],
        "previous, next kernel",
    ),
    entry(
        On::Here(&[Kernel]),
        &[(ch('+'), More), (ch('-'), Less)],
        &[],
        "registers of the what-if",
    ),
    entry(
        On::Here(&[Kernel]),
        &[(ch('d'), Diff)],
        &[],
        "changes from the version before",
    ),
    entry(
        On::Here(&[Kernel]),
        &[(ch('m'), Bytes), (ch('r'), Run)],
        &[],
        "counts by line, count again",
    ),
    entry(
        On::Here(&[Kernel]),
        &[(ch('t'), Ptx), (ch('T'), Torch)],
        &[],
        "PTX; the same in PyTorch",
    ),
    entry(
        On::Here(&[Kernel]),
        &[(ch('z'), Zoom)],
        &[],
        "the source alone, and back",
    ),
    entry(
        On::Here(&[Lesson, Exercises]),
        &[(ch('i'), Change)],
        &[],
        "answer; change a right answer",
    ),
    Entry {
        on: On::Here(&[Lesson, Exercises]),
        keys: &[],
        also: &[],
        shown: "0-9 a-z",
        says: "an answer; a-z: own words",
    },
    entry(
        On::Here(&[Home]),
        &[(ch('r'), Run)],
        &[],
        "report: the session as one file",
    ),
    entry(
        On::Here(&[Home, Exercises]),
        &[(ch('t'), Practise)],
        &[],
        "practise: fresh questions",
    ),
    entry(
        On::Here(&[Exercises]),
        &[(ch('h'), Hint)],
        &[],
        "next hint for this question",
    ),
    entry(
        On::Here(&[Exercises]),
        &[(ch('s'), Solution)],
        &[],
        "solution: once solved, or twice",
    ),
    entry(
        On::Here(&[Claims]),
        &[(ch('r'), Run), (ch('R'), RunAll)],
        &[],
        "run the evidence",
    ),
    entry(
        On::Here(&[Claims]),
        &[(ch('s'), Solution)],
        &[],
        "the evidence, unjudged: twice",
    ),
    entry(
        On::Here(&[Claims]),
        &[(ch('f'), Filter)],
        &[],
        "which claims are listed",
    ),
    entry(
        On::Here(&[Claims]),
        &[(ch('o'), Outline)],
        &[],
        "the lesson that cites it",
    ),
    entry(
        On::Here(&[Exercises]),
        &[(ch('o'), Edit)],
        &[],
        "the kernel's file in your editor",
    ),
    entry(
        On::Here(&[Exercises]),
        &[(ch('v'), Variant)],
        &[],
        "the same at another shape",
    ),
    entry(
        On::Here(&[Exercises]),
        &[(ch(' '), Flip), (ch('b'), PathBack)],
        &[],
        "mark, else go on; path: back",
    ),
    entry(
        On::Here(&[FirstRun]),
        &[(ch(' '), Flip)],
        &[],
        "begin, as Enter",
    ),
    entry(
        On::Here(&[FirstRun]),
        &[(ch('a'), Ascii)],
        &[],
        "ASCII or Unicode",
    ),
    entry(
        On::Here(&[FirstRun, Doctor]),
        &[(ch('t'), Theme)],
        &[],
        "theme: dark, light, contrast",
    ),
    entry(
        On::Here(&[FirstRun]),
        &[(ch('i'), Init)],
        &[],
        "a workshop folder here",
    ),
    entry(
        On::Here(&[Doctor]),
        &[(ch('a'), Ascii)],
        &[],
        "ASCII or Unicode",
    ),
    entry(
        On::Here(&[Doctor]),
        &[(ch('R'), RunAll)],
        &[],
        "look again, measure the ceilings",
    ),
    // Everywhere.
    entry(
        On::Anywhere,
        &[(ch('/'), Find)],
        &[(ch('n'), FindNext), (ch('N'), FindPrevious)],
        "find; n on, N back",
    ),
    entry(On::Anywhere, &[(ch(':'), Palette)], &[], "command, lesson"),
    entry(
        On::Anywhere,
        &[
            (ch('L'), Go(Lab)),
            (ch('c'), Go(Compare)),
            (ch('x'), Go(Roofline)),
        ],
        &[],
        "lab, compare, roofline",
    ),
    entry(
        On::Anywhere,
        &[(ch('K'), Go(Kernel)), (ch('e'), Go(Exercises))],
        &[],
        "kernel, exercises",
    ),
    entry(
        On::Anywhere,
        &[
            (ch('H'), Go(Home)),
            (ch('C'), Go(Claims)),
            (ch('D'), Go(Doctor)),
        ],
        &[],
        "home, claims, doctor",
    ),
    entry(
        On::Anywhere,
        &[(ch('*'), Glossary), (ch('S'), Go(Studies))],
        &[],
        "glossary; studies",
    ),
    entry(
        On::Anywhere,
        &[(ch('y'), CommandLine), (ch('X'), Export)],
        &[],
        "copy command; SVG, CSV",
    ),
    entry(
        On::Anywhere,
        &[(ctrl('c'), Interrupt)],
        &[],
        "cancel the run",
    ),
    entry(
        On::Anywhere,
        &[(ctrl('z'), Suspend)],
        &[(ctrl('l'), Redraw)],
        "suspend; a run goes on",
    ),
    entry(
        On::Anywhere,
        &[(ch('q'), Quit)],
        &[],
        "leave; answers, lab are kept",
    ),
    entry(On::Anywhere, &[(ch('?'), Help)], &[], "this help"),
];
