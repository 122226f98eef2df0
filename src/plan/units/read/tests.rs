use super::*;
use crate::units::{Unit, format_in};
use proptest::prelude::*;

fn value(text: &str) -> f64 {
    match read(text, None) {
        Ok(t) => t.quantity.value(),
        Err(e) => panic!("{text}: {e}"),
    }
}

fn fault(text: &str) -> (usize, String) {
    match read(text, None) {
        Ok(t) => panic!("{text} was read as {:?}", t.quantity),
        Err(e) => (e.column, e.message),
    }
}

#[test]
fn numbers_as_people_write_them() {
    // Each right side is the definition of the prefix or plain arithmetic.
    for (text, expected) in [
        ("219.27 GFLOP", 219.27e9),
        ("2.1927e11", 2.1927e11),
        ("12.6 MB", 12.6e6),
        ("11.9 MiB", 11.9 * 1_048_576.0),
        ("94.1%", 0.941),
        ("94.1 %", 0.941),
        ("4.3 TB/s", 4.3e12),
        ("433.5 us", 433.5e-6),
        ("433.5 µs", 433.5e-6),
        ("433.5 μs", 433.5e-6),
        ("1_048_576", 1_048_576.0),
        ("1,048,576", 1_048_576.0),
        ("1 048 576 B", 1_048_576.0),
        ("2*4*512*2048^2", 17_179_869_184.0),
        ("8*128²", 131_072.0),
        ("8·128² ", 131_072.0),
        ("8 × 128 ** 2", 131_072.0),
        ("2 x 3", 6.0),
        ("16/17", 16.0 / 17.0),
        ("1 - 12/17", 5.0 / 17.0),
        ("(5 - 3) * 2^-1", 1.0),
        ("13.94 FLOP/B", 13.94),
        ("17 launches", 17.0),
        ("2.6 M parameters", 2.6e6),
        ("1.037x", 1.037),
        ("= 12.6 MB", 12.6e6),
        ("71 #", 71.0),
        ("12.6 MB =", 12.6e6),
        ("≈ 71", 71.0),
        ("−3", -3.0),
        ("10⁻³", 1e-3),
        ("2.0 GB / 4.8 TB/s", 2.0e9 / 4.8e12),
        ("1/4 MB", 250_000.0),
        ("2*4*512 FLOP", 4096.0),
        ("3 MB + 500 kB", 3.5e6),
        ("(3 MB + 500 kB) / 2", 1.75e6),
        ("2^3^2", 512.0),
        ("x8", 8.0),
        ("× 8", 8.0),
        ("8-fold", 8.0),
        ("8fold", 8.0),
        ("eightfold", 8.0),
        ("33'554'432", 33_554_432.0),
        ("3.355*10^7", 3.355e7),
        ("33.6M", 33.6e6),
        ("33.6 million FLOPs", 33.6e6),
        ("2.5 trillion", 2.5e12),
        ("94.1 per cent", 0.941),
        ("sqrt(65536/12)", 73.900_834_456_272_1),
        ("√4", 2.0),
        ("√(2*8)", 4.0),
        ("ln(2)", std::f64::consts::LN_2),
        ("exp(ln(7))", 7.0),
        ("exp(ln(0.5)/64)", 0.5_f64.powf(1.0 / 64.0)),
        ("e^2", std::f64::consts::E * std::f64::consts::E),
        ("ceil(1024/64)*ceil(256/64)", 64.0),
        ("floor(73.9)", 73.0),
        ("seventeen", 17.0),
        ("Seventeen Kernels", 17.0),
        ("seventy-one launches", 71.0),
        ("half a megabyte", 500_000.0),
        ("two thirds", 2.0 / 3.0),
        ("none", 0.0),
        ("-2^2", -4.0),
    ] {
        let got = value(text);
        assert!(
            (got - expected).abs() <= expected.abs() * 1e-14,
            "{text}: {got} is not {expected}"
        );
    }
}

#[test]
fn whole_numbers_survive_exactly() {
    for (text, exact) in [
        ("9223372036854775807", i128::from(i64::MAX)),
        ("9,223,372,036,854,775,808 FLOP", 1 << 63),
        ("2^63", 1 << 63),
        ("219268788224", 219_268_788_224),
        ("2.1927e11", 219_270_000_000),
        ("12.6 MB", 12_600_000),
        ("1 MiB", 1 << 20),
    ] {
        assert_eq!(
            read(text, None).unwrap().quantity.exact(),
            Some(exact),
            "{text}"
        );
    }
}

#[test]
fn dimensions_of_quotients() {
    let typed = read("2.0 GB / 4.8 TB/s", None).unwrap();
    assert_eq!(typed.quantity.dimension(), Dimension::Time);
    let typed = read("743 MFLOP / 42 MB", None).unwrap();
    assert_eq!(typed.quantity.dimension(), Dimension::FlopPerByte);
}

#[test]
fn rounding_follows_the_digits_typed() {
    let flops = Quantity::flop(219_268_788_224);
    let typed = |text: &str| read(text, Some(Dimension::Flop)).unwrap();
    assert_eq!(typed("219.27 GFLOP").digits, Some(5));
    for text in [
        "219.27 GFLOP",
        "2.1927e11",
        "219.3 GFLOP",
        "219268788224",
        "219,269 MFLOP",
    ] {
        assert!(typed(text).rounds_to(&flops), "{text}");
    }
    for text in ["219.26 GFLOP", "219.2 GFLOP", "219268788225", "2.1926e11"] {
        assert!(!typed(text).rounds_to(&flops), "{text}");
    }
    // A product of whole numbers was not rounded: it is equal or it is not.
    let q = Quantity::flop(17_179_869_184);
    assert!(typed("2*4*512*2048^2").rounds_to(&q));
    assert!(!typed("2*4*512*2048^2 + 1").rounds_to(&q));
    // One rounded factor limits the whole to its digits: 3 of 8 × 2.15 G.
    let rounded = typed("8 * 2.15 GFLOP");
    assert_eq!(rounded.digits, Some(3));
    assert!(rounded.rounds_to(&q));
}

#[test]
fn faults_name_the_place_and_show_an_example() {
    for (text, column, part) in [
        ("", 1, "Nothing is typed"),
        ("   ", 4, "Nothing is typed"),
        ("= ", 3, "No number stands behind “=”"),
        ("12.6 furlongs", 6, "“furlongs” is not a unit here"),
        ("12.6 mb", 6, "may be bits or bytes. Write MB"),
        ("12,6 MB", 3, "the decimal sign is a point"),
        ("1.048.576", 6, "one decimal point"),
        ("2*", 3, "missing at the end"),
        ("2*(3+4", 3, "not closed"),
        ("2+3)", 4, "never opened"),
        ("12 # 4", 4, "“#” does not belong here"),
        (
            "memory",
            1,
            "a number is expected where “memory” stands".trim_start_matches("a "),
        ),
        ("1/0", 2, "divides by zero"),
        ("1/(3-3)", 2, "divides by zero"),
        ("9^9^9", 2, "larger than 10^30"),
        ("1e99", 2, "beyond"),
        ("3 MB + 4 s", 6, "do not add up"),
        ("---3", 3, "one sign".trim_start_matches("one ")),
        ("2 MB^2", 5, "does not belong here"),
        ("1.5x faster", 6, "“faster” does not belong here"),
        ("0x10", 1, "hexadecimal is not read"),
        ("sqrt x", 5, "takes its number in parentheses"),
        ("ln(0)", 1, "has no value there"),
    ] {
        let (at, message) = fault(text);
        assert_eq!(at, column, "{text}: {message}");
        assert!(
            message.contains(part) || message.contains(&capitalised(part)),
            "{text}: {message}"
        );
        assert!(
            message.contains("An answer looks like 1.250 MB"),
            "{text}: {message}"
        );
    }
}

#[test]
fn depth_and_length_are_bounded() {
    assert!(fault(&"(".repeat(300)).1.contains("nested too deeply"));
    assert!(fault(&"2^".repeat(150)).1.contains("nested too deeply"));
    assert!(
        fault(&"1+".repeat(5000))
            .1
            .contains("at most 400 characters")
    );
}

proptest! {
    #[test]
    fn nothing_panics(text in any::<String>()) {
        let _ = read(&text, None);
        let _ = crate::units::read_as(&text, crate::units::Asked::new(Dimension::Bytes));
        let _ = crate::units::Spec::parse(&text);
    }

    #[test]
    fn nothing_near_a_number_panics(text in "[-+*/^×x0-9eE.,_ ()²⁻%kMGiBFLOPus]{0,40}") {
        if let Ok(t) = read(&text, Some(Dimension::Flop)) {
            prop_assert!(t.quantity.value().is_finite());
        }
    }

    /// What is printed in full is read back as the same whole number.
    #[test]
    fn whole_bytes_round_trip(n in 0..u64::MAX / 2) {
        let q = Quantity::bytes(n);
        let text = format_in(&q, Unit::base(Dimension::Bytes), None).unwrap();
        let back = read(&text, Some(Dimension::Bytes)).unwrap();
        prop_assert_eq!(back.quantity, q, "{}", text);
    }

    /// What is printed rounded is read back as something that it rounds to.
    #[test]
    fn rounded_values_round_trip(n in 1..u64::MAX / 2, seconds in 1e-9..1e4f64) {
        for q in [Quantity::bytes(n), Quantity::flop(n), Quantity::seconds(seconds), Quantity::ratio(seconds)] {
            let text = crate::units::format(&q);
            let back = read(&text, Some(q.dimension())).unwrap();
            prop_assert!(back.quantity.dimension().agrees(q.dimension()), "{}", text);
            prop_assert!(back.rounds_to(&q), "{} from {:?}", text, q);
        }
    }
}
