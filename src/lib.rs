//! tinyllama-tutor: a terminal workshop on GPU kernel fusion.
//!
//! # The map of the house
//!
//! | room | holds | may import |
//! |---|---|---|
//! | [`units`] | numbers with units, as people type and read them | nothing |
//! | [`model`] | WHAT is computed: presets, shapes, the forward as a graph of ops and tensors | units |
//! | [`fusion`] | HOW it is cut: named fusions, versions, the plan | model and below |
//! | [`cost`] | WHAT IT SHOULD COST: flops, bytes, liveness, roofline, occupancy, GPU database | fusion and below |
//! | [`run`] | what is asked of a machine and what it answers (data only): reports, experiments, trials | cost and below |
//! | [`profile`] | what a vendor's profiler wrote, read and set beside the plan; samples of it | run and below |
//! | [`backend`] | WHO computes it: `cpu`, the fp64 `reference`, `gpu` (CUDA, SIMT machine), `gym` | run and below, simt |
//! | [`simt`] | the SIMT machine: PTX in; memory, counts and findings out | nothing |
//! | [`engine`] | runs away from the screen: worker, cancel, progress | run, backend |
//! | [`lab`] | experiments over reports: statistics, comparisons | run and below |
//! | [`answer`] | the judge: expressions over cost, reports and profiles, slips, verdicts, practice | profile and below |
//! | [`course`] | lessons, exercises, claims, sheets, progress: load, lint, embed | answer, lab and below |
//! | [`markup`] | markdown, mathematics, code colours -> neutral styled blocks | nothing |
//! | [`app`] | state, messages, update -> effects, keymap | course and below |
//! | [`tui`] | screens, widgets, theme: draws app state | app, markup, engine |
//! | [`cli`] | subcommands, plain and JSON output | everything |
//!
//! `units model fusion cost run profile lab answer app` are pure: no terminal, GPU,
//! file, clock or thread. `tests/house.rs` holds these rules.

pub mod answer;
pub mod app;
pub mod backend;
pub mod cli;
pub mod cost;
pub mod course;
pub mod engine;
pub mod fusion;
pub mod lab;
pub mod markup;
pub mod model;
pub mod profile;
pub mod run;
pub mod simt;
pub mod tui;
pub mod units;
