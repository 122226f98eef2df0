use super::*;

#[test]
fn neighbours_are_moved_apart_and_stay_within_their_room() {
    assert_eq!(
        apart(&[5.0, 5.0, 30.0], 10.0, 0.0, 100.0),
        [5.0, 15.0, 30.0]
    );
    // The last one may not leave: those before it go back.
    assert_eq!(apart(&[95.0, 96.0], 10.0, 0.0, 100.0), [90.0, 100.0]);
    assert!(apart(&[], 1.0, 0.0, 1.0).is_empty());
}

#[test]
fn ticks_are_round_and_within_the_axis() {
    let axis = |low, high, log| Axis {
        low,
        high,
        log,
        ends: (0.0, 100.0),
    };
    assert_eq!(axis(0.0, 9.0, false).ticks(), [0.0, 2.0, 4.0, 6.0, 8.0]);
    assert_eq!(axis(0.5, 200.0, true).ticks(), [1.0, 10.0, 100.0]);
    // Straight: 3 of 0 to 12 is a quarter. By logarithms: 10 of 1 to 100 is a half.
    assert_eq!(axis(0.0, 12.0, false).at(3.0), 25.0);
    assert_eq!(axis(1.0, 100.0, true).at(10.0), 50.0);
}

/// The tags of a text are closed in the order in which they were opened.
pub(crate) fn assert_well_formed(svg: &str) {
    let mut open = Vec::new();
    for part in svg.split('<').skip(1) {
        let (tag, _) = part.split_once('>').unwrap();
        let name = tag.split([' ', '/']).find(|name| !name.is_empty()).unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "{svg}");
        } else if !tag.ends_with('/') {
            open.push(name);
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
    }
    assert!(open.is_empty(), "{open:?} in {svg}");
}

fn line(name: &str, values: &[f64]) -> course::present::Line {
    course::present::Line {
        name: name.to_owned(),
        values: values.to_vec(),
        said: values.iter().map(ToString::to_string).collect(),
    }
}

fn chart(lines: Vec<course::present::Line>) -> Piece {
    Piece::Chart(course::present::Chart {
        x: "batch".into(),
        at: vec![1.0, 2.0, 4.0],
        unit: "MB".into(),
        lines,
        log_x: true,
        log_y: false,
    })
}

#[test]
fn a_chart_is_as_high_as_its_values_and_names_are_text() {
    let svg = piece(&chart(vec![line("<V1> & V2", &[1.0, 2.0, 4.0])])).unwrap();
    assert_well_formed(&svg);
    assert!(svg.contains("&lt;V1&gt; &amp; V2"), "{svg}");
    assert!(svg.contains("role=\"img\"") && svg.contains("<title>") && svg.contains("<desc>"));
    // Logarithmic across: three points equally far apart. Straight up from 0: twice as
    // high each time.
    let (_, points) = svg.split_once("class=\"line s0\" points=\"").unwrap();
    let points: Vec<(f64, f64)> = points
        .split('"')
        .next()
        .unwrap()
        .split(' ')
        .map(|point| {
            let (x, y) = point.split_once(',').unwrap();
            (x.parse().unwrap(), y.parse().unwrap())
        })
        .collect();
    let [a, b, c] = points.as_slice() else {
        panic!("{points:?}")
    };
    assert!(((b.0 - a.0) - (c.0 - b.0)).abs() < 0.2, "{points:?}");
    let foot = 2.0 * a.1 - b.1;
    assert!(
        ((foot - c.1) - 4.0 * (foot - a.1)).abs() < 0.5,
        "{points:?}"
    );
}

#[test]
fn the_longest_name_of_a_line_has_room() {
    let name = "K = H/2, no weights at all";
    let svg = piece(&chart(vec![line("V1", &[1.0; 3]), line(name, &[2.0; 3])])).unwrap();
    let (before, _) = svg.split_once(&format!(">{name}</text>")).unwrap();
    let (_, x) = before.rsplit_once(" x=\"").unwrap();
    let x: f64 = x.split('"').next().unwrap().parse().unwrap();
    // Letters of 12 units are about 7 wide; the picture is 700.
    assert!(x + 7.0 * name.chars().count() as f64 <= 700.0, "{x}");
}

#[test]
fn what_has_no_finite_value_is_no_picture_and_one_value_divides_by_nothing() {
    assert!(piece(&chart(vec![line("", &[f64::NAN; 3])])).is_none());
    assert!(piece(&chart(Vec::new())).is_none());
    let flat = piece(&chart(vec![line("", &[0.0; 3])])).unwrap();
    assert_well_formed(&flat);
    assert!(!flat.contains("NaN") && !flat.contains("inf"), "{flat}");
    let none = course::present::Roofline {
        points: Vec::new(),
        roofs: Vec::new(),
        grid: course::present::Grid::default(),
    };
    assert!(piece(&Piece::Roofline(none)).is_none());
}

#[test]
fn a_kernel_stands_on_the_roof_that_it_meets() {
    let point = |ops: &str, flops, bytes, bound| course::present::Point {
        ops: ops.to_owned(),
        flops,
        bytes,
        bounds: vec![Some(bound)],
    };
    use plan::cost::Bound::{Compute, Memory};
    // A ridge at 10 FLOP/B: 1 is memory-bound at 1 TFLOP/s, 100 reaches the peak of 10.
    let found = course::present::Roofline {
        points: vec![
            point("res1", 8, 8, Memory),
            point("res2", 16, 16, Memory),
            point("gate", 800, 8, Compute),
        ],
        roofs: vec![(
            "GPU".into(),
            Some(plan::cost::Roof {
                flops_per_second: 10e12,
                bytes_per_second: 1e12,
            }),
        )],
        grid: course::present::Grid::default(),
    };
    let svg = piece(&Piece::Roofline(found)).unwrap();
    assert_well_formed(&svg);
    // One letter for the two of one intensity.
    assert!(
        svg.contains("res1, res2: at most 1.00 TFLOP/s on GPU, memory"),
        "{svg}"
    );
    assert!(
        svg.contains("gate: at most 10.0 TFLOP/s on GPU, compute"),
        "{svg}"
    );
    assert!(svg.contains("the ridge of GPU is at 10.00 FLOP/B"), "{svg}");
}

#[test]
fn a_screen_is_text_and_shapes() {
    let mut buffer = Buffer::with_lines(["┌─ <a> ─┐", "│ █▌ ok │"]);
    buffer[(4, 0)].set_fg(ratatui::style::Color::Rgb(1, 2, 3));
    let svg = screen(&buffer, Theme::Dark, "A & B");
    assert_well_formed(&svg);
    assert!(svg.contains("<title>A &amp; B</title>"), "{svg}");
    assert!(
        svg.contains(">a</text>") && svg.contains("fill:#010203"),
        "{svg}"
    );
    // Lines are drawn, not written.
    for drawn in ["┌", "─", "│", "█"] {
        assert!(!svg.contains(drawn), "{drawn}");
    }
    // A bar and a half: 9 units and 4.5.
    assert!(
        svg.contains("h9v18h-9z") && svg.contains("h4.5v18h-4.5z"),
        "{svg}"
    );
}

#[test]
fn every_journey_is_an_arrow() {
    use course::present::{Trips, Within};
    let config = plan::cost::Config::preset("workshop", plan::fusion::Version::V2.cut()).unwrap();
    let cost = plan::cost::price(&config).unwrap();
    let found = Trips::of(&cost, &cost, Within::default());
    let trips = || found.kernels.iter().flat_map(|stop| &stop.trips);
    let weights = trips()
        .filter(|t| t.way == plan::cost::Direction::Weight)
        .count();
    let fused = found.kernels.iter().filter(|stop| stop.fused).count();
    let svg = piece(&Piece::Trips(found.clone())).unwrap();
    assert_well_formed(&svg);
    // A shaft and a head each, a second shaft for a weight; a box, a second line around a
    // fused one.
    let boxes = svg.matches("<polyline class=\"wall fused\"").count();
    assert_eq!(boxes, 2 * fused);
    let bands = svg.matches("points=\"0,").count();
    let lines = svg.matches("<polyline").count();
    let kernels = found.kernels.len() + fused;
    assert_eq!(lines, bands + kernels + 2 * trips().count() + weights);
    assert!(svg.contains("q k v moves 0.918"), "{svg}");
}

/// The plan says how many kernels there are, the picture draws a frame and a number for each.
#[test]
fn a_ribbon_has_a_box_for_every_launch() {
    use course::present::{Boxed, Ribbon, Wall};
    use course::ribbon::{SLOTS, groups};
    use plan::fusion::Version;
    for version in [Version::V1, Version::V2, Version::V3, Version::V4] {
        let config = plan::cost::Config::preset("workshop", version.cut()).unwrap();
        let cost = plan::cost::price(&config).unwrap();
        // A kernel that goes on from the block before has its number there.
        let boxed = |group: course::ribbon::Group| Boxed {
            group,
            slots: (group.first, group.last),
            bytes: (!group.is_echo()).then_some(3),
            number: if group.is_echo() { "prev." } else { "3 <B>" }.into(),
            bound: Some(plan::cost::Bound::Memory),
        };
        let wall = Wall {
            left: "norm1",
            right: "q",
            bytes: 1,
            said: "0.262 MB =".into(),
        };
        let found = Ribbon {
            boxes: groups(version.cut()).into_iter().map(boxed).collect(),
            scale: 3,
            walls: vec![wall],
        };
        let svg = piece(&Piece::Ribbon(found.clone())).unwrap();
        assert_well_formed(&svg);
        let launches = cost.block.kernels.len();
        assert_eq!(
            svg.matches(">3 &lt;B&gt;</text>").count(),
            launches,
            "{svg}"
        );
        assert!(svg.contains("bytes that go with a wall") && svg.contains(">0.262</text>"));
        // A box of one op has one line around it; one of several two for each of its rows,
        // and two more say in the legend what they mean.
        let fused = |k: &&plan::cost::KernelCost| k.ops.len() > 1;
        let fused = cost.block.kernels.iter().filter(fused).count();
        assert_eq!(svg.matches("\"wall\"").count(), launches - fused, "{svg}");
        for slot in SLOTS {
            let name = format!(">{}</text>", slot.label.trim());
            assert_eq!(svg.matches(&name).count(), 1, "{name} in {svg}");
        }
    }
}

/// Light, dark where that is preferred, and on paper: no colour of a page is missing.
#[test]
fn every_colour_of_a_page_is_defined_for_light_dark_and_paper() {
    let style = format!("{}{}", colours(), include_str!("../cli/export/page.css"));
    // The first definition of each part is of the light theme.
    let defined = |inside: &str| -> std::collections::BTreeSet<String> {
        let roots = style.match_indices(":root {").filter(|(at, _)| {
            let before = &style[..*at];
            let open = before.matches('{').count() > before.matches('}').count();
            let media = before.rfind("@media").map_or("", |from| &before[from..]);
            match inside {
                "" => !open,
                wanted => open && media.contains(wanted),
            }
        });
        let bodies = roots.map(|(at, _)| style[at..].split('}').next().unwrap());
        let names = bodies.flat_map(|body| body.split("--").skip(1));
        names
            .map(|name| name.split(':').next().unwrap().to_owned())
            .collect()
    };
    let (light, dark, paper) = (defined(""), defined("dark"), defined("print"));
    for used in style.split("var(--").skip(1) {
        let used = used.split(')').next().unwrap();
        assert!(light.contains(used), "{used} is not in {light:?}");
    }
    assert_eq!(light, dark);
    // What is dark on a screen is not dark on paper.
    let screens = colours();
    let plain = |name: &&String| !screens.contains(&format!("--{name}:"));
    assert_eq!(
        light.iter().filter(plain).collect::<Vec<_>>(),
        paper.iter().collect::<Vec<_>>()
    );
    assert!(screens.contains("@media screen"));
}

#[test]
fn the_squares_of_a_step_are_told_apart_without_colour() {
    use course::present::{Board, Mark, Scene, Square};
    let square = |text: &str, mark| Square {
        text: text.to_owned(),
        mark,
    };
    let row = vec![
        square("1", Mark::Past),
        square("<2>", Mark::Now),
        square("3", Mark::Waits),
        square("·", Mark::Plain),
    ];
    let found = Scene {
        boards: vec![Board {
            name: "banks".into(),
            rows: vec![("lane".into(), row.clone()), (String::new(), row)],
        }],
        figures: vec![("passes".into(), "2".into())],
    };
    let svg = scene(&found);
    assert_well_formed(&svg);
    // A thin frame, a thick one, a double one, none: in each of two rows.
    let frames = |class: &str| svg.matches(&format!("class=\"{class}\"")).count();
    assert_eq!(frames("square"), 2);
    assert_eq!(frames("square now"), 2);
    assert_eq!(frames("square waits"), 4);
    assert!(svg.contains("[&lt;2&gt;]") && svg.contains(">banks<") && svg.contains("passes 2"));
}
