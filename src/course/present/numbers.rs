//! The numbers of a piece in rows, as a spreadsheet takes them: without commas, in the
//! unit that the head names.

use super::{Chart, Grid, Lab, Piece, Ribbon, Roofline, Sum, Trips};
use plan::cost::Direction;

impl Piece {
    /// Its numbers in rows; None for words.
    pub fn numbers(&self) -> Option<Grid> {
        Some(match self {
            Self::Table(grid) => grid.clone(),
            Self::Chart(chart) => chart.numbers(),
            Self::Roofline(found) => found.numbers(),
            Self::Ribbon(ribbon) => ribbon.numbers(),
            Self::Lab(lab) => lab.numbers(),
            Self::Trips(trips) => trips.numbers(),
            Self::Figures(figures) => Grid {
                head: heads(&["figure", "value"]),
                rows: figures
                    .iter()
                    .map(|figure| {
                        let value = figure.value.as_ref().unwrap_or_else(|why| why);
                        vec![figure.label.clone(), value.clone()]
                    })
                    .collect(),
                ..Grid::default()
            },
            Self::Ask(_)
            | Self::Words(..)
            | Self::Text(_)
            | Self::Said(..)
            | Self::Steps(_)
            | Self::Code(..)
            | Self::Lines(_)
            | Self::Question(_)
            | Self::Outcome(..)
            | Self::Run(_) => return None,
        })
    }
}

fn heads(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

impl Chart {
    fn numbers(&self) -> Grid {
        let unit = match self.unit.as_str() {
            "" => String::new(),
            unit => format!(" ({unit})"),
        };
        let names = self.lines.iter().map(|line| match line.name.as_str() {
            "" => format!("value{unit}"),
            name => format!("{name}{unit}"),
        });
        let row = |(i, at): (usize, &f64)| {
            let values = self.lines.iter().filter_map(|line| line.values.get(i));
            let values = values.map(ToString::to_string);
            std::iter::once(at.to_string()).chain(values).collect()
        };
        Grid {
            head: std::iter::once(self.x.clone()).chain(names).collect(),
            rows: self.at.iter().enumerate().map(row).collect(),
            ..Grid::default()
        }
    }
}

impl Roofline {
    fn numbers(&self) -> Grid {
        let gpus = self.roofs.iter().map(|(name, _)| name.clone());
        let head = heads(&["kernel", "FLOP", "B", "FLOP/B"]);
        let row = |point: &super::Point| {
            let intensity = point.flops as f64 / point.bytes as f64;
            let bounds = point.bounds.iter();
            let bounds = bounds.map(|bound| bound.map_or("", plan::cost::Bound::name).to_owned());
            let numbers = [
                point.ops.clone(),
                point.flops.to_string(),
                point.bytes.to_string(),
                intensity.to_string(),
            ];
            numbers.into_iter().chain(bounds).collect()
        };
        Grid {
            head: head.into_iter().chain(gpus).collect(),
            rows: self.points.iter().map(row).collect(),
            ..Grid::default()
        }
    }
}

impl Ribbon {
    fn numbers(&self) -> Grid {
        let row = |boxed: &super::Boxed| {
            let bytes = boxed.bytes.map_or(String::new(), |bytes| bytes.to_string());
            vec![boxed.ops().join(" "), bytes]
        };
        Grid {
            head: heads(&["kernel", "B"]),
            rows: self.boxes.iter().map(row).collect(),
            ..Grid::default()
        }
    }
}

impl Lab {
    /// What the plan costs, and what it costs with each fusion flipped.
    fn numbers(&self) -> Grid {
        let row = |flipped: &str, sum: &Sum| {
            let cells = sum.cells.iter().map(|(text, _)| text.clone());
            [flipped.to_owned(), sum.name.to_owned()]
                .into_iter()
                .chain(cells)
                .collect::<Vec<String>>()
        };
        let own = self.sums.iter().chain(&self.ran).map(|sum| row("", sum));
        let flipped = self.toggles.iter().flat_map(|toggle| {
            let name = toggle.fusion.name();
            toggle.flipped.iter().map(move |sum| row(name, sum))
        });
        Grid {
            head: heads(&["flipped", "sum"]),
            rows: own.chain(flipped).collect(),
            ..Grid::default()
        }
    }
}

impl Trips {
    /// A row for each journey.
    pub fn numbers(&self) -> Grid {
        let row = |(at, stop): (usize, &super::Stop)| {
            let kernel = stop.ops.join(" ");
            let trips = stop.trips.iter().map(move |trip| {
                let way = match trip.way {
                    Direction::Read => "read",
                    Direction::Weight => "weight",
                    Direction::Write => "written",
                };
                vec![
                    (at + 1).to_string(),
                    kernel.clone(),
                    way.to_owned(),
                    trip.name.to_owned(),
                    trip.bytes.to_string(),
                ]
            });
            trips.collect::<Vec<_>>()
        };
        Grid {
            head: heads(&["launch", "kernel", "way", "tensor", "B"]),
            rows: self.kernels.iter().enumerate().flat_map(row).collect(),
            ..Grid::default()
        }
    }
}
