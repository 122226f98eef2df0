//! The pictures of steps: tiles, blocks at a barrier, banks. Their numbers are tried where
//! they are worked out; here, that they are drawn whole.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use super::reader::{SPACE, Screen, TAB};
use tinyllama_tutor::course::Course;

const PICTURES: [(&str, &str, usize); 3] = [
    ("tile-walk", "size = [6, 4, 8]\ntile = 2", 5),
    ("barrier", "blocks = 4\ntasks = [6, 8, 3, 10, 5]", 5),
    ("banks", "strides = [1, 2, 32, 33]", 4),
];

/// A lesson with one picture of so many steps.
fn lesson(picture: &str, settings: &str, steps: usize, (columns, rows): (u16, u16)) -> Screen {
    let steps: Vec<String> = (1..=steps).map(|n| format!("\"Step {n}.\"")).collect();
    let text = format!(
        "+++\ntitle = \"Scenes\"\nversion = \"v1\"\nminutes = 5\n+++\n\n## In steps\n\n```steps\npicture = \"{picture}\"\n{settings}\nsteps = [{}]\n```\n",
        steps.join(", ")
    );
    let temporary = tempfile::tempdir().unwrap();
    // Its name stands in the header.
    let folder = temporary.path().join("scenes");
    std::fs::create_dir_all(folder.join("lessons")).unwrap();
    std::fs::write(folder.join("lessons/01-scenes.md"), text).unwrap();
    Screen::with(Course::folder(&folder), columns, rows)
        .typed("2")
        .press(&[TAB])
}

#[test]
fn tiles_blocks_and_banks_as_they_are_drawn() {
    for (picture, settings, steps) in PICTURES {
        let screen = lesson(picture, settings, steps, (80, 24)).press(&[SPACE, SPACE]);
        insta::assert_snapshot!(format!("steps-{picture}-80"), screen.rows().join("\n"));
    }
}

/// What stands in the block, without what only divides.
fn squares(screen: &Screen) -> String {
    let rows = screen
        .rows()
        .into_iter()
        .filter(|row| row.starts_with(" │"));
    let rows: Vec<String> = rows.collect();
    rows.concat()
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '│')
        .collect()
}

#[test]
fn sixty_columns_and_ascii_cut_no_row_of_a_picture() {
    for (picture, settings, steps) in PICTURES {
        for step in 0..steps {
            let at = |size| {
                let keys = vec![SPACE; step];
                lesson(picture, settings, steps, size).press(&keys)
            };
            let (wide, narrow) = (at((80, 60)), at((60, 60)));
            // At sixty columns boards stand below each other: the same, in another order.
            let sorted = |screen: &Screen| {
                let mut all: Vec<char> = squares(screen).chars().collect();
                all.sort_unstable();
                all
            };
            assert_eq!(
                sorted(&wide),
                sorted(&narrow),
                "{picture}: {:#?}",
                narrow.rows()
            );
            for size in [(60, 18), (80, 24)] {
                let mut screen = at(size);
                let rows = screen.rows();
                assert!(!rows.iter().any(|row| row.contains('…')), "{rows:#?}");
                screen.state.shared.look.ascii = true;
                screen.state.revision += 1;
                screen.painter.fit(&mut screen.state);
                for row in screen.rows() {
                    // The footer's `?` is the only one that is meant.
                    let spelled = row.is_ascii() && !row.replace("? help", "").contains('?');
                    assert!(spelled, "{picture}: {row}");
                }
            }
        }
    }
}
