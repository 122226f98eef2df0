//! What the steps of a `steps` block speak of, step by step: numbers in squares, some of
//! them marked, and figures below. All of it is computed.

mod banks;
mod barrier;
mod softmax;
mod tiles;

use crate::block::Picture;

/// What one step shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scene {
    /// Beside or below each other.
    pub boards: Vec<Board>,
    /// Names and numbers below them.
    pub figures: Vec<(String, String)>,
}

/// Squares in rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Board {
    /// What it is.
    pub name: String,
    /// Each with what stands before it, and all of one length.
    pub rows: Vec<(String, Vec<Square>)>,
}

/// One square.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Square {
    /// What stands in it.
    pub text: String,
    /// How it stands to the others.
    pub mark: Mark,
}

/// How a square stands to the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// Not reached yet, or nothing special.
    #[default]
    Plain,
    /// Dealt with.
    Past,
    /// Dealt with in this step.
    Now,
    /// It waits, or is in the way of another.
    Waits,
}

impl Square {
    fn new(text: impl ToString, mark: Mark) -> Self {
        Self {
            text: text.to_string(),
            mark,
        }
    }

    /// Its text; what is dealt with in this step stands in brackets.
    pub fn shown(&self) -> String {
        match self.mark {
            Mark::Now => format!("[{}]", self.text),
            _ => self.text.clone(),
        }
    }
}

impl Board {
    /// Columns of the widest square.
    pub fn columns(&self) -> usize {
        let squares = self.rows.iter().flat_map(|(_, row)| row);
        squares
            .map(|square| square.shown().chars().count())
            .max()
            .unwrap_or(0)
    }

    /// A row as text, its squares below those of the other rows.
    pub fn line(&self, row: &[Square]) -> String {
        let columns = self.columns();
        let squares: Vec<String> = row
            .iter()
            .map(|square| format!("{:^columns$}", square.shown()))
            .collect();
        squares.join(" ")
    }
}

/// The scenes of a picture, one for each step.
pub(super) fn scenes(picture: &Picture) -> Vec<Scene> {
    match picture {
        Picture::OnlineSoftmax {
            scores,
            values,
            tile,
        } => softmax::scenes(scores, values, *tile),
        Picture::TileWalk { size, tile } => tiles::scenes(*size, *tile),
        Picture::Barrier { blocks, tasks } => barrier::scenes(*blocks, tasks),
        Picture::Banks { strides } => strides.iter().map(|stride| banks::scene(*stride)).collect(),
    }
}

fn figure(name: &str, value: impl ToString) -> (String, String) {
    (name.to_owned(), value.to_string())
}
