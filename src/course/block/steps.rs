//! The `steps` block: sentences shown one by one, and what they speak of as a picture.

use super::Block;
use crate::fault::Place;
use crate::fields::{Fields, Phrase};

/// Most values, blocks or rows of a picture.
const MOST: f64 = 64.0;

/// What the steps speak of; each of them shows the next scene of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Picture {
    /// A row of scores with its running maximum and sum.
    OnlineSoftmax {
        /// The scores of a row.
        scores: Vec<f64>,
        /// What each of them weighs.
        values: Vec<f64>,
        /// Scores that come in at once.
        tile: usize,
    },
    /// A product that goes along its inputs tile by tile.
    TileWalk {
        /// Rows and columns of the result, length of its sums.
        size: [usize; 3],
        /// Side of a tile.
        tile: usize,
    },
    /// Thread blocks that wait for each other behind each phase.
    Barrier {
        /// Number of thread blocks.
        blocks: usize,
        /// Equal tasks of each phase.
        tasks: Vec<usize>,
    },
    /// Lanes that read shared memory at a distance from each other.
    Banks {
        /// Words from lane to lane, one for each scene.
        strides: Vec<usize>,
    },
}

impl Picture {
    /// Pictures, as a block names them.
    pub const NAMES: [&'static str; 4] = ["online-softmax", "tile-walk", "barrier", "banks"];

    /// Scenes, one for a step.
    pub fn scenes(&self) -> usize {
        match self {
            // All at once behind the last tile.
            Self::OnlineSoftmax { scores, tile, .. } => scores.len().div_ceil(*tile) + 1,
            // All tiles of the result behind the first.
            Self::TileWalk { size, tile } => size[2].div_ceil(*tile) + 1,
            Self::Barrier { tasks, .. } => tasks.len(),
            Self::Banks { strides } => strides.len(),
        }
    }
}

/// A `steps` block.
pub(super) fn steps(fields: &mut Fields<'_, '_>) -> Option<Block> {
    let title = fields.text("title");
    let steps = fields.texts("steps");
    if steps.is_empty() {
        fields.report("a steps block has no steps; add steps = [\"…\", \"…\"].");
    }
    let named = fields.one_of("picture", &Picture::NAMES);
    let picture = named.and_then(|named| picture(fields, &named));
    if let Some(scenes) = picture.as_ref().map(Picture::scenes)
        && scenes != steps.len()
    {
        let at = fields.key_place("picture");
        let say = format!(
            "this picture has {scenes} scenes and the block {} steps; make them equal.",
            steps.len()
        );
        fields.report_at(at, say);
    }
    Some(Block::Steps {
        title,
        steps,
        picture,
    })
}

fn picture(fields: &mut Fields<'_, '_>, named: &Phrase) -> Option<Picture> {
    match named.as_str() {
        "online-softmax" => {
            let scores = numbers(fields, named, "scores", "[1, 3, 2, 0]")?;
            let values = numbers(fields, named, "values", "[1, 0, 1, 0]")?;
            let tile = one(fields, named, "tile", "2")?;
            if scores.len() != values.len() {
                let say = format!(
                    "there are {} scores and {} values; give each score its value.",
                    scores.len(),
                    values.len()
                );
                fields.report_at(fields.key_place("values"), say);
                return None;
            }
            Some(Picture::OnlineSoftmax {
                scores,
                values,
                tile,
            })
        }
        "tile-walk" => {
            let sizes = counts(fields, named, "size", "[96, 96, 96]")?;
            let tile = one(fields, named, "tile", "32")?;
            let Ok(size) = <[usize; 3]>::try_from(sizes) else {
                let say = "`size` is rows, columns and length of the sums, such as [96, 96, 96].";
                fields.report_at(fields.key_place("size"), say);
                return None;
            };
            if size.iter().any(|side| side.div_ceil(tile) > 8) {
                let say = "a side has more than 8 tiles; take a larger tile.";
                fields.report_at(fields.key_place("tile"), say);
                return None;
            }
            Some(Picture::TileWalk { size, tile })
        }
        "barrier" => {
            let blocks = one(fields, named, "blocks", "4")?;
            let tasks = counts(fields, named, "tasks", "[6, 4, 5]")?;
            let clocks: usize = tasks.iter().map(|tasks| tasks.div_ceil(blocks)).sum();
            if blocks > 8 || clocks > 30 {
                let say = format!(
                    "{blocks} thread blocks would be drawn over {clocks} tasks; a picture has up to 8 and 30."
                );
                fields.report_at(fields.key_place("tasks"), say);
                return None;
            }
            Some(Picture::Barrier { blocks, tasks })
        }
        _ => {
            let strides = counts(fields, named, "strides", "[1, 32, 33]")?;
            Some(Picture::Banks { strides })
        }
    }
}

/// A list of numbers that must be there.
fn numbers(
    fields: &mut Fields<'_, '_>,
    picture: &Phrase,
    key: &'static str,
    example: &str,
) -> Option<Vec<f64>> {
    let at = fields.key_place(key);
    let numbers = fields.numbers(key);
    let fits = numbers.iter().all(|n| n.abs() <= MOST) && numbers.len() <= 24;
    match (numbers.is_empty(), fits) {
        (true, _) => missing(fields, picture, key, example),
        (false, true) => return Some(numbers),
        (false, false) => {
            let say = format!("`{key}` takes up to 24 numbers, none beyond {MOST}.");
            fields.report_at(at, say);
        }
    }
    None
}

/// A list of whole numbers of 1 or more.
fn counts(
    fields: &mut Fields<'_, '_>,
    picture: &Phrase,
    key: &'static str,
    example: &str,
) -> Option<Vec<usize>> {
    let at = fields.key_place(key);
    let numbers = fields.numbers(key);
    if numbers.is_empty() {
        missing(fields, picture, key, example);
        return None;
    }
    let whole = |n: &f64| *n >= 1.0 && n.fract() == 0.0 && *n <= 4096.0;
    if numbers.len() > 24 || !numbers.iter().all(whole) {
        let say =
            format!("`{key}` takes up to 24 whole numbers from 1 to 4096, such as {example}.");
        fields.report_at(at, say);
        return None;
    }
    Some(numbers.iter().map(|n| *n as usize).collect())
}

/// A whole number of 1 or more.
fn one(
    fields: &mut Fields<'_, '_>,
    picture: &Phrase,
    key: &'static str,
    example: &str,
) -> Option<usize> {
    let at = fields.key_place(key);
    if !fields.has(key) {
        missing(fields, picture, key, example);
        return None;
    }
    let number = fields.count(key)?;
    if number == 0 || number > 4096 {
        fields.report_at(at, format!("`{key}` is a whole number from 1 to 4096."));
        return None;
    }
    Some(number as usize)
}

fn missing(fields: &mut Fields<'_, '_>, picture: &Phrase, key: &str, example: &str) {
    let at: Place = picture.at;
    let say = format!(
        "the picture {} has no `{key}`; add {key} = {example}.",
        picture.text
    );
    fields.report_at(at, say);
}

#[cfg(test)]
mod tests {
    use crate::{Block, Lesson, Picture};

    fn read(body: &str) -> Result<Block, Vec<String>> {
        let text = format!("## A\n```steps\nsteps = [\"One.\", \"Two.\"]\n{body}\n```\n");
        let lesson = Lesson::read("1-x", "1-x.md", &text);
        let live = lesson.live().next().unwrap();
        let faults = |faults: &Vec<crate::Fault>| faults.iter().map(ToString::to_string).collect();
        live.content.clone().map_err(|found| faults(&found))
    }

    #[track_caller]
    fn refused(body: &str, why: &str) {
        let said = read(body).unwrap_err().join(" ");
        assert!(said.contains(why), "{said}");
    }

    #[test]
    fn a_picture_has_a_scene_for_each_step() {
        let found = read("picture = \"barrier\"\nblocks = 4\ntasks = [6, 4]").unwrap();
        let barrier = Picture::Barrier {
            blocks: 4,
            tasks: vec![6, 4],
        };
        let picture = match found {
            Block::Steps { picture, .. } => picture,
            _ => None,
        };
        assert_eq!(picture, Some(barrier));
        refused(
            "picture = \"banks\"\nstrides = [1]",
            "this picture has 1 scenes and the block 2 steps",
        );
        // Two tiles, and the whole row at once.
        let softmax = "picture = \"online-softmax\"\nscores = [1, 2, 3]\nvalues = [1, 2, 3]";
        refused(&format!("{softmax}\ntile = 2"), "has 3 scenes");
        assert!(read(&format!("{softmax}\ntile = 3")).is_ok());
    }

    #[test]
    fn what_is_unknown_missing_or_too_much_is_refused() {
        refused("picture = \"online-softmx\"", "online-softmax");
        refused(
            "picture = \"banks\"",
            "has no `strides`; add strides = [1, 32, 33].",
        );
        refused(
            "picture = \"banks\"\nstrides = [0, 1]",
            "whole numbers from 1",
        );
        refused("picture = \"banks\"\nstrides = [1, 2]\ntile = 2", "tile");
        refused("tile = 2", "tile");
        refused(
            "picture = \"barrier\"\nblocks = 40\ntasks = [6, 4]",
            "up to 8 and 30",
        );
        refused(
            "picture = \"online-softmax\"\nscores = [1, 2]\nvalues = [1]\ntile = 2",
            "give each score its value",
        );
        refused(
            "picture = \"tile-walk\"\nsize = [96, 96]\ntile = 32",
            "rows, columns and length",
        );
    }
}
