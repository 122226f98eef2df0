use super::*;
use crate::key::{ch, ctrl, key};
use crate::look::Look;

/// The page, and what it shares.
struct Opened {
    setup: SetupPage,
    shared: Shared,
}

impl Opened {
    fn act(&mut self, action: Action) {
        let mut out = Out::default();
        self.setup.act(&mut self.shared, action, &mut out);
    }

    fn press(&mut self, key: Key) {
        let mut out = Out::default();
        self.setup.press(&mut self.shared, key, &mut out);
    }
}

fn type_in(page: &mut Opened, row: usize, text: &str) {
    page.setup.row = row;
    page.act(Action::Open);
    page.press(ctrl('u'));
    for c in text.chars() {
        page.press(ch(c));
    }
    page.press(key(Code::Enter));
}

fn opened() -> Opened {
    Opened {
        setup: SetupPage::default(),
        shared: Shared::new((80, 24), Look::default()).unwrap(),
    }
}

#[test]
fn typed_values_are_read_as_people_write_them() {
    let mut s = opened();
    type_in(&mut s, 1, "8");
    type_in(&mut s, 2, "2^9");
    let shape = s.shared.bench.setup().shape;
    assert_eq!((shape.batch, shape.seq, shape.context), (8, 512, 512));
    let said = s.shared.notes.shown().unwrap();
    assert_eq!(said.text, "context T goes along: 512.");
    type_in(&mut s, 3, "1,024");
    assert_eq!(s.shared.bench.setup().shape.context, 1024);
    assert_eq!(s.shared.bench.setup().shape.seq, 512);
}

#[test]
fn what_cannot_be_says_so_and_stays_in_the_field() {
    for bad in ["0", "1.5", "many", "12 MB"] {
        let mut s = opened();
        type_in(&mut s, 1, bad);
        assert!(s.shared.notes.shown().is_some(), "{bad}");
        assert!(s.setup.field.is_some(), "{bad}");
        assert_eq!(s.shared.bench.setup().shape.batch, 1, "{bad}");
    }
}

#[test]
fn what_is_too_large_is_not_called_a_fraction() {
    for large in ["2^70", "18446744073709551616"] {
        let mut s = opened();
        type_in(&mut s, 1, large);
        let said = &s.shared.notes.shown().unwrap().text;
        assert!(said.contains("is not a whole number below 2^64"), "{said}");
    }
}

#[test]
fn choices_walk_round() {
    let mut s = opened();
    let mut seen = Vec::new();
    for _ in 0..PRESETS.len() {
        seen.push(s.shared.bench.setup().model.name.clone());
        s.act(Action::Right);
    }
    assert_eq!(s.shared.bench.setup().model.name, "workshop");
    seen.dedup();
    assert_eq!(seen.len(), PRESETS.len());
}
