use super::*;

#[test]
fn neighbours_are_moved_apart_and_stay_within_their_room() {
    assert_eq!(apart(&[5.0, 5.0, 30.0], 10.0, 0.0, 100.0), [5.0, 15.0, 30.0]);
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
