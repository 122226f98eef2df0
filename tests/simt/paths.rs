//! Divergent control flow, local memory, parameters by value, module variables.

use super::bench::{Bench, CHECKED, noise};
use crate::ptx;

fn collatz(x: u32) -> Option<u32> {
    let (mut value, mut count) = (x, 0_u32);
    while value != 1 {
        if value % 2 == 1 {
            value = value.wrapping_mul(3).wrapping_add(1);
            if value % 5 == 0 {
                continue;
            }
            count += 2;
        } else {
            value /= 2;
            count += 1;
        }
        if count > 150 {
            break;
        }
    }
    Some(
        count
            + match value % 7 {
                0 => 1000,
                1 => 2000,
                2 => 7000,
                3 => 4000,
                5 => return None,
                _ => 5000,
            },
    )
}

#[test]
fn lanes_that_loop_and_leave_at_different_times_come_out_right() {
    let n = 256;
    let mut next = noise(11);
    let x: Vec<u32> = (0..n).map(|_| next() % 10_000 + 1).collect();
    let untouched = vec![0xffff_ffff; n];
    let mut bench = Bench::new(ptx!("paths"), CHECKED)
        .words("x", &x)
        .words("steps", &untouched);
    let counts = bench.launch("collatz", 1, n as u32);
    let expected: Vec<u32> = x.iter().map(|&x| collatz(x).unwrap_or(u32::MAX)).collect();
    assert_eq!(bench.read(1, n), expected);
    assert!(
        expected.contains(&u32::MAX),
        "some threads are to return early"
    );
    assert!(counts.total.divergent > 10);
}

fn turned(seed: u32, times: u32) -> u32 {
    let mut ring: Vec<u32> = (0..8).map(|i| seed.wrapping_add(i)).collect();
    for i in 0..times as usize {
        ring[i * 3 % 8] = ring[i * 3 % 8].wrapping_add(ring[(i + 1) % 8]);
    }
    ring[times as usize % 8]
}

#[test]
fn arrays_of_a_thread_and_functions_that_are_called_work() {
    let mut next = noise(5);
    let x: Vec<u32> = (0..64).map(|_| next()).collect();
    let mut bench = Bench::new(ptx!("paths"), CHECKED)
        .words("x", &x)
        .room("out", 64);
    bench.launch("local_arrays", 1, 64);
    let expected: Vec<u32> = x
        .iter()
        .map(|&v| turned(v, v % 20) ^ turned(v.wrapping_add(1), v % 3))
        .collect();
    assert_eq!(bench.read(1, 64), expected);
}

#[test]
fn a_structure_by_value_is_read_by_field_and_by_index() {
    let from: Vec<u32> = (0..32).map(|i| i * 10).collect();
    let mut bench = Bench::new(ptx!("paths"), CHECKED);
    let address = bench.machine.alloc("from", 128).unwrap();
    let bytes: Vec<u8> = from.iter().flat_map(|w| w.to_le_bytes()).collect();
    bench.machine.write(address, &bytes).unwrap();
    let scale = [0.5_f32, 1.5, 2.5, 3.5, 4.5];
    let mut table = 5_i32.to_le_bytes().to_vec();
    scale.iter().for_each(|s| table.extend(s.to_le_bytes()));
    table.extend(address.to_le_bytes());
    let mut bench = bench.raw(&table).room("out", 32).int(3);
    bench.launch("by_value", 1, 32);
    let expected: Vec<f32> = (0..32)
        .map(|i| scale[(i + 3) % 5] * from[i] as f32)
        .collect();
    assert_eq!(bench.read_floats(4, 32), expected);
}

#[test]
fn variables_of_the_module_live_from_launch_to_launch() {
    let mut bench = Bench::new(ptx!("paths"), CHECKED).room("out", 33);
    for launch in 1..=3 {
        bench.launch("module_variables", 1, 32);
        let out = bench.read(0, 33);
        assert_eq!(out[32], launch);
        assert_eq!(out[..7], [2, 3, 5, 7, 11, 13, 2]);
    }
}
