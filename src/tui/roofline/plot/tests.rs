use super::*;
use app::Look;
use app::key::ch;
use app::machine::Ceilings;
use app::{Event, Message, update};

/// The measured H200 of the screens: 51 TFLOP/s fp32, 4286 GB/s.
fn page() -> State {
    let mut state = State::new((80, 24), Look::default()).unwrap();
    state.shared.machine.ceilings = Some(Ceilings {
        matrix16: Some(735e12),
        ..Ceilings::measured("H200", 4286e9, 51e12)
    });
    let message = Message::Key(ch('5'));
    update(&mut state, Event { at: 0, message });
    state
}

fn scale(state: &State) -> Scale {
    Scale::of(state.roofline.view(), Dtype::Fp32, 49, 17).unwrap()
}

#[test]
fn decades_are_equally_far_apart_and_columns_lead_back() {
    let scale = scale(&page());
    let step = scale.x(10.0) - scale.x(1.0);
    assert!((scale.x(100.0) - scale.x(10.0) - step).abs() < 1e-9);
    assert!((scale.y(1e12) - scale.y(1e13) - (scale.y(1e13) - scale.y(1e14))).abs() < 1e-9);
    assert!((scale.intensity(scale.x(32.0)) - 32.0).abs() < 1e-9);
}

#[test]
fn everything_has_its_place_inside() {
    let state = page();
    let scale = scale(&state);
    let view = state.roofline.view();
    let roof = view.roofs.roof.as_ref().unwrap();
    for spot in &view.spots {
        let rate = spot.under(roof, Dtype::Fp32).unwrap().rate;
        let (x, y) = (scale.x(spot.intensity), scale.y(rate));
        assert!(x > 0.0 && x < f64::from(scale.wide), "{x}");
        assert!(y > 0.0 && y < f64::from(scale.high), "{y}");
    }
}

#[test]
fn the_roof_bends_at_the_ridge() {
    let state = page();
    let scale = scale(&state);
    let ceilings = state.roofline.view().roofs.roof.clone().unwrap();
    let roof = ceilings.roof(Dtype::Fp32, false).unwrap();
    let mut grid = Grid::new(49, 17, true);
    grid.roof(&scale, roof, Stroke::Solid, Role::Text);
    let slope = grid.lines.iter().filter(|c| **c == '/').count();
    let flat = grid.lines.iter().filter(|c| **c == '-').count();
    // One character per column; the bend is where 51e12 / 4286e9 = 11.9 lies.
    assert_eq!(slope + flat, 49);
    let ridge = scale.x(51e12 / 4286e9);
    assert!((slope as f64 - ridge).abs() <= 1.0, "{slope} {ridge}");
    assert!(
        grid.mark(48, 0).is_none(),
        "the roof is below the upper edge"
    );
}

#[test]
fn signs_of_one_place_stand_below_each_other() {
    let scale = scale(&page());
    let mut grid = Grid::new(49, 17, false);
    let first = grid.sign(&scale, 32.0, 51e12, 'a', Role::Text).unwrap();
    let second = grid.sign(&scale, 32.0, 51e12, 'b', Role::Text).unwrap();
    assert_eq!(second, (first.0, first.1 + 1));
    assert_eq!(grid.mark(first.0, first.1), Some(('a', Role::Text)));
    // What has no logarithm has no place.
    assert_eq!(grid.sign(&scale, 0.0, 0.0, 'c', Role::Text), None);
}

#[test]
fn powers_of_ten_as_the_axes_print_them() {
    let printed: Vec<String> = [-4, -1, 0, 2, 4, 5].map(power).to_vec();
    assert_eq!(printed, ["1e-4", "0.1", "1", "100", "10000", "1e5"]);
}

#[test]
fn a_roof_of_nothing_is_no_plot() {
    let mut state = page();
    state.shared.machine.ceilings = Some(Ceilings::measured("nothing", 0.0, f64::NAN));
    update(
        &mut state,
        Event {
            at: 0,
            message: Message::Tick,
        },
    );
    assert_eq!(Scale::of(state.roofline.view(), Dtype::Fp32, 49, 17), None);
}

#[test]
fn blocks_of_one_place_on_the_axis_stand_above_each_other() {
    let state = page();
    let scale = scale(&state);
    let mut view = state.roofline.view().clone();
    view.blocks = vec![6.0, 6.01, 6.02, 60.0];
    let area = ratatui::layout::Rect::new(0, 0, 60, 20);
    let mut buffer = ratatui::buffer::Buffer::empty(area);
    let pen = &mut Pen::new(&mut buffer, area, Look::default());
    across(&view, &scale, 49, 17, pen);
    let place = |intensity: f64| AXIS + 1 + scale.x(intensity) as u16;
    for (sign, intensity, y) in [
        ("1", 6.0, 17),
        ("2", 6.0, 16),
        ("3", 6.0, 15),
        ("4", 60.0, 17),
    ] {
        assert_eq!(buffer[(place(intensity), y)].symbol(), sign, "{sign}");
    }
}
