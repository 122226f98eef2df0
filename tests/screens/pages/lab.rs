//! The lab, box by box.

use super::{Screen, clocked, expected, right, same, snapshot, whole};
use tinyllama_tutor::app::Message;
use tinyllama_tutor::app::key::{Code, key};
use tinyllama_tutor::fusion::Cut;

/// Rows 2 to 12 of the lab, and the message row below them.
#[track_caller]
fn ribbon(name: &str, screen: &Screen) {
    let rows = screen.rows();
    let mut drawn = rows[1..12].to_vec();
    drawn.push(rows[22].clone());
    same(name, &drawn, &expected(name));
}

#[test]
fn lab_v1_with_the_cursor_on_softmax() {
    // norm1 q k v rope qk softmax: six steps from the first slot.
    whole("lab-v1", &Screen::new(80, 24).typed("3").keys(right(6)));
}

#[test]
fn a_lab_without_a_roof_says_so_whole() {
    use tinyllama_tutor::app::machine::Machine;
    for (columns, rows) in [(80, 24), (110, 30), (120, 40), (200, 60)] {
        let mut s = Screen::new(columns, rows);
        s.state.shared.machine = Machine::default();
        s = s.typed("3");
        for _ in 0..17 {
            let all = s.rows();
            let said = all.iter().any(|row| row.contains("no roof known"));
            assert!(said, "{columns}: {}", all.join("\n"));
            s = s.keys(right(1));
        }
    }
}

#[test]
fn ribbon_after_qkv() {
    ribbon(
        "ribbon-qkv",
        &Screen::new(80, 24).typed("3").keys(right(1)).typed(" "),
    );
}

#[test]
fn ribbon_after_flash_as_well() {
    // flash is the third toggle; ▼ stands on softmax.
    let screen = Screen::new(80, 24).typed("3").keys(right(6)).typed(" jj ");
    ribbon("ribbon-qkv-flash", &screen);
}

#[test]
fn ribbon_of_v2() {
    let screen = Screen::new(80, 24).typed("3").keys(right(11)).typed("v");
    ribbon("ribbon-v2", &screen);
}

#[test]
fn lab_v3_crosses_the_edge_of_the_block() {
    // norm_residual is the seventh toggle; ▼ stands on res1.
    let screen = Screen::new(80, 24)
        .typed("3vv")
        .keys([key(Code::Home)])
        .times(6, key(Code::Down))
        .keys(right(5));
    whole("lab-v3", &screen);
}

#[test]
fn ribbon_of_v4_fills_both_rows() {
    ribbon("ribbon-v4", &Screen::new(80, 24).typed("3vvv"));
}

#[test]
fn lab_v2_in_ascii() {
    let screen = Screen::new(80, 24)
        .ascii()
        .typed("3")
        .keys(right(11))
        .typed("v")
        .times(4, key(Code::Down));
    whole("lab-ascii", &screen);
}

#[test]
fn figures_of_a_plan_beside_v1_have_its_whole_title() {
    let mut screen = Screen::new(120, 40).typed("3");
    let cut = Cut::parse("v2-qkv").unwrap();
    screen.state.shared.bench.put(cut).unwrap();
    let screen = screen.typed("R").answered(clocked).typed("f");
    let title = cut.title();
    assert_eq!(title, "flash + gate_up + silu_mul");
    assert!(screen.rows().iter().any(|row| row.contains(&title)));
    snapshot("lab-figures-120", &screen);
    let mut small = screen;
    small.tell(
        0,
        Message::Resize {
            columns: 80,
            rows: 24,
        },
    );
    snapshot("lab-figures-80", &small);
}

#[test]
fn the_title_of_the_lab_names_the_plan_beside_every_kind_of_number() {
    let plans = [
        ("v1+norm_qkv", "V1 + norm_qkv"),
        ("v1+qkv+flash", "qkv + flash"),
        ("v1+qkv+rope+gate_up", "rope + gate_up"),
        ("v2+o_residual+rope", "V2 + rope + o_residual"),
    ];
    for (plan, title) in plans {
        let mut screen = Screen::new(80, 24).typed("3");
        screen
            .state
            .shared
            .bench
            .put(Cut::parse(plan).unwrap())
            .unwrap();
        for kind in ["MB", "FLOP/B", "floor µs"] {
            let rows = screen.rows();
            let found = rows
                .iter()
                .any(|row| row.contains(title) && row.contains(kind));
            assert!(found, "{plan}, {kind}: {rows:#?}");
            screen = screen.typed("m");
        }
    }
}

#[test]
fn lab_on_a_large_terminal() {
    snapshot("lab-120", &Screen::new(120, 40).typed("3v").keys(right(2)));
    snapshot("lab-110x30", &Screen::new(110, 30).typed("3"));
}

#[test]
fn walls_taken_down_by_hand() {
    // norm1 · q down, and the cursor on a wall inside the kernel.
    let screen = Screen::new(80, 24).typed("3w").keys([key(Code::BackTab)]);
    snapshot("lab-own-cut", &screen);
}

#[test]
fn rope_in_two_launches_stays_one_box() {
    let mut screen = Screen::new(80, 24);
    let mut setup = screen.state.shared.bench.setup().clone();
    setup.conventions.rope_split = true;
    screen.state.shared.bench.set_up(setup).unwrap();
    snapshot("lab-rope-twice", &screen.typed("3"));
}

#[test]
fn forward_opens_both_ends() {
    let screen = Screen::new(80, 24).typed("3G ");
    snapshot("lab-forward", &screen);
}

/// The count of number cells that hold a number equals the plan's launches.
#[test]
fn boxes_with_a_number_are_launches() {
    for (keys, launches) in [
        ("3", 17),
        ("3v", 11),
        ("3vv", 8),
        ("3vvv", 1),
        ("3 ", 15),
        ("3 jj ", 13),
    ] {
        let rows = Screen::new(80, 24).typed(keys).rows();
        let count: usize = [&rows[4], &rows[9]]
            .iter()
            .map(|row| {
                row.chars()
                    .take(64)
                    .collect::<String>()
                    .split(|c: char| !(c.is_ascii_digit() || c == '.'))
                    .filter(|t| t.contains('.') && t.len() > 1)
                    .count()
            })
            .sum();
        assert_eq!(count, launches, "{keys}");
    }
}

/// Blocks that share a launch have none of their own: title and message tell the forward, as
/// the table beside them does. norm_residual is the seventh toggle.
#[test]
fn where_blocks_share_a_launch_the_forward_is_told() {
    let on = |screen: Screen| {
        screen
            .typed("3vvv")
            .keys([key(Code::Home)])
            .times(6, key(Code::Down))
            .typed(" ")
    };
    let screen = on(Screen::new(80, 24));
    let text = screen.rows().join("\n");
    assert!(
        text.contains("V3 + block · 3 launches per forward; below, a block alone"),
        "{text}"
    );
    assert!(text.contains("forward 12.687 → 11.638 MB"), "{text}");
    assert!(
        !text.contains("as before") && !text.contains("per block"),
        "{text}"
    );
    // block is one kernel of all of them: it is the last but one of the toggles.
    let text = on(Screen::new(80, 24))
        .keys([key(Code::End), key(Code::Up)])
        .rows()
        .join("\n");
    let says = "block on: all 4 blocks in one kernel (res2 joins norm1); forward";
    assert!(text.contains(says), "{text}");
    assert!(!text.contains("one kernel per block"), "{text}");
    // The journeys, which have the lab's page.
    let text = screen.typed("t").rows().join("\n");
    assert!(text.contains("V3 + block · a block alone"), "{text}");
    assert!(!text.contains("per block"), "{text}");
}

#[test]
fn each_page_of_figures_says_which_it_is() {
    let screen = Screen::new(80, 24).typed("3f");
    let says = |screen: &Screen, page: &str, next: &str| {
        let text = screen.rows().join("\n");
        assert!(
            text.contains(&format!("{page}: nothing was run yet.")),
            "{text}"
        );
        assert!(text.contains(&format!("f: {next}.")), "{text}");
    };
    says(&screen, "Figures of merit", "hotspots");
    says(
        &screen.typed("f"),
        "Hotspots, the kernels by time",
        "the lab",
    );
}
