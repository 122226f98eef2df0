//! Which experiments there are, what is swept in each, and over what.

use super::Metric;

/// A kernel of `kernels/gym/` and what is changed about it.
#[derive(Debug, PartialEq, Eq)]
pub struct Experiment {
    /// Its name, and that of its file.
    pub name: &'static str,
    /// What it shows, in a sentence.
    pub title: &'static str,
    /// What is swept.
    pub swept: &'static str,
    /// The values of a sweep where none are given.
    pub usual: &'static [u32],
    /// The values that it takes.
    pub takes: Takes,
    /// What is shown where nothing is said.
    pub shows: &'static [Metric],
}

/// Which values may be swept.
#[derive(Debug, PartialEq, Eq)]
pub enum Takes {
    /// From the first to the last.
    Range(u32, u32),
    /// These, as one kernel each was compiled.
    Only(&'static [u32]),
    /// These by name: 0 is the first.
    Named(&'static [&'static str]),
}

/// Every experiment.
pub const EXPERIMENTS: [Experiment; 10] = [
    Experiment {
        name: "stride",
        title: "a copy of every step-th element: what addresses cost",
        swept: "step",
        usual: &[1, 2, 4, 8, 16, 32],
        takes: Takes::Range(0, 64),
        shows: &[
            Metric::Issued,
            Metric::Sectors,
            Metric::Useful,
            Metric::Time,
        ],
    },
    Experiment {
        name: "columns",
        title: "a transpose through shared memory: which bank holds a column",
        swept: "pad",
        usual: &[0, 1, 2, 4],
        takes: Takes::Range(0, 8),
        shows: &[
            Metric::Requests,
            Metric::Passes,
            Metric::Conflicts,
            Metric::Time,
        ],
    },
    Experiment {
        name: "branch",
        title: "neighbours that go different ways: a warp executes both",
        swept: "group",
        usual: &[1, 8, 16, 32, 64],
        takes: Takes::Range(1, 256),
        shows: &[
            Metric::Divergent,
            Metric::Instructions,
            Metric::Lanes,
            Metric::Time,
        ],
    },
    Experiment {
        name: "select",
        title: "two short sides: both are computed and one is picked",
        swept: "group",
        usual: &[1, 8, 16, 32, 64],
        takes: Takes::Range(1, 256),
        shows: &[
            Metric::Divergent,
            Metric::Instructions,
            Metric::Lanes,
            Metric::Time,
        ],
    },
    Experiment {
        name: "width",
        title: "a copy with loads of 4, 8 or 16 bytes",
        swept: "elements per load",
        usual: &[1, 2, 4],
        takes: Takes::Only(&[1, 2, 4]),
        shows: &[
            Metric::Instructions,
            Metric::Issued,
            Metric::Sectors,
            Metric::Useful,
            Metric::Time,
        ],
    },
    Experiment {
        name: "tile",
        title: "a small matrix product in square tiles: how often an element is read",
        swept: "tile",
        usual: &[4, 8, 16, 32],
        takes: Takes::Only(&[4, 8, 16, 32]),
        shows: &[
            Metric::Issued,
            Metric::Compulsory,
            Metric::Barriers,
            Metric::Instructions,
            Metric::Time,
        ],
    },
    Experiment {
        name: "row_sum",
        title: "the sum of a row, through shared memory or by shuffles",
        swept: "by",
        usual: &[0, 1],
        takes: Takes::Named(&["shared memory", "shuffles"]),
        shows: &[
            Metric::Barriers,
            Metric::Requests,
            Metric::Instructions,
            Metric::Lanes,
            Metric::Time,
        ],
    },
    Experiment {
        name: "resident",
        title: "a copy whose blocks ask for room: how many are under way at once",
        swept: "KiB per block",
        usual: &[0, 32, 48, 72, 112, 160],
        takes: Takes::Range(0, 160),
        shows: &[
            Metric::Blocks,
            Metric::Issued,
            Metric::Sectors,
            Metric::Instructions,
            Metric::Time,
        ],
    },
    Experiment {
        name: "held",
        title: "sixteen sums of a thread, in registers or in memory of its own",
        swept: "in",
        usual: &[0, 1],
        takes: Takes::Named(&["registers", "local memory"]),
        shows: &[
            Metric::Issued,
            Metric::Instructions,
            Metric::Lanes,
            Metric::Time,
        ],
    },
    Experiment {
        name: "mask",
        title: "tiles of 256 over n elements: who has nothing to do in the last",
        swept: "n",
        usual: &[1000, 1024],
        takes: Takes::Range(1, 1 << 20),
        shows: &[
            Metric::Blocks,
            Metric::Divergent,
            Metric::Lanes,
            Metric::Issued,
            Metric::Time,
        ],
    },
];

impl Experiment {
    /// The experiment of this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        EXPERIMENTS.iter().find(|e| e.name == name)
    }

    /// Every name.
    pub fn names() -> [&'static str; EXPERIMENTS.len()] {
        EXPERIMENTS.each_ref().map(|e| e.name)
    }

    /// Its file under `kernels/`.
    pub fn source(&self) -> String {
        format!("gym/{}.cu", self.name)
    }

    /// Whether it takes this value.
    pub fn accepts(&self, value: u32) -> bool {
        match self.takes {
            Takes::Range(first, last) => (first..=last).contains(&value),
            Takes::Only(values) => values.contains(&value),
            Takes::Named(names) => (value as usize) < names.len(),
        }
    }

    /// The values that it takes, in words.
    pub fn range(&self) -> String {
        let list = |values: Vec<String>| values.join(", ");
        match self.takes {
            Takes::Range(first, last) => format!("{first} to {last}"),
            Takes::Only(values) => list(values.iter().map(u32::to_string).collect()),
            Takes::Named(names) => list(
                (0..names.len())
                    .zip(names)
                    .map(|(i, name)| format!("{i} ({name})"))
                    .collect(),
            ),
        }
    }

    /// A value as tables show it.
    pub fn label(&self, value: u32) -> String {
        match self.takes {
            Takes::Named(names) => names
                .get(value as usize)
                .map_or_else(|| value.to_string(), |name| (*name).to_owned()),
            _ => value.to_string(),
        }
    }
}
