use super::*;
use crate::answer::{NoRecords, Setup};
use plan::cost::GpuDatabase;

/// The steps in the workshop's setup: B1 S128 D256 I512 in fp32, V1.
fn derived(text: &str) -> Vec<String> {
    let gpus = GpuDatabase::embedded().unwrap();
    let env = Env::new(Setup::workshop().unwrap(), &gpus, &NoRecords);
    let steps = Expr::parse(text).unwrap().derive(&env).into_iter();
    steps.map(|step| step.text).collect()
}

#[test]
fn letters_become_numbers_and_kernels_their_tensors() {
    // docs/cost-model: three tensors of 128 x 256 fp32 numbers.
    let res1 = derived("kernel(v1, res1).bytes");
    assert_eq!(res1.len(), 1);
    assert!(res1[0].starts_with("bytes of res1 in V1: read x B·S·D·4 B = 1·128·256·4 B"));
    assert!(res1[0].ends_with("together 393,216 B"), "{res1:?}");
    assert_eq!(derived("3*4*B*S*I"), ["3·4·B·S·I = 3·4·1·128·512"]);
    assert_eq!(
        derived("(0.6 * B + 1.4) / D")[0],
        "(0.6 ⋅ B + 1.4) / D = (0.6·1 + 1.4) / 256"
    );
    assert_eq!(
        derived("1 - block(v4).launches / block(v1).launches")[0],
        "1 − 1 / 17"
    );
    // What the course asks itself is said in words, and so is what a device has.
    let ratio = derived("group(v1, qk softmax pv).bytes / kernel(v2, qk).bytes");
    assert!(ratio.iter().all(|line| !line.contains("(v1")), "{ratio:?}");
    assert!(ratio[1].starts_with("bytes of these kernels in V1: "));
    let units = derived("gpu(gpu).units * 2");
    assert_eq!(units, ["132·2", "units of H200: 132"]);
    // Eight heads, 128 queries and 128 keys each: 16,384 pairs.
    let qk = derived("kernel(v1, qk).flops");
    assert!(qk[0].contains("2·B·H·pairs·d = "), "{qk:?}");
    assert!(qk[0].contains("pairs: a query and a key, 16,384 in each head"));
    // The mask leaves of 128 queries the triangle with its diagonal, 128·129/2.
    let seen = derived("kernel(v1, qk, causal=exact).flops");
    assert!(seen[0].contains("pairs: a query and a key that it sees, 8,256 in each head"));
    assert_eq!(
        derived("(B + 2) * 3 - (4 - S)")[0],
        "(B + 2) ⋅ 3 − (4 − S) = (1 + 2)·3 − (4 − 128)"
    );
    // What the page shows is taken from there, whatever it was made of: 300 B and 75 B.
    assert_eq!(
        derived("(given(300 B * kernel(v1, res1).launches) + given(75 B)) / 2"),
        ["(300 B + 75 B) / 2"]
    );
    // Where nothing is left to put in, nothing is said again.
    assert!(derived("(1 + 2) * 3").is_empty());
}

#[test]
fn limits_rankings_and_ridges_show_what_they_compare() {
    let bound = derived("bound(kernel(v1, norm1), h200)");
    assert!(bound[0].contains("; the longer counts"), "{bound:?}");
    let ridge = derived("ridge(mi250x_gcd, fp32)");
    assert_eq!(ridge, ["peak 23.95 TFLOP/s over bandwidth 1.638 TB/s"]);
    let ranked = derived("ranked('a', price(silu, mul), 'b', price(v, rope))");
    // sg is 128 x 512 numbers, written and read.
    assert_eq!(ranked[0], "a: 524,288 B; b: 0 B");
    // A word is only known.
    assert!(derived("'memory'").is_empty());
}

#[test]
fn a_crossing_shows_both_sides_before_it_and_at_it() {
    // Three tensors of 128 x 256 fp32 numbers for each sequence, against 1 MB: at the
    // third they are longer.
    let crossed = derived("crossing(batch, kernel(v1, res1).bytes, 1 MB)");
    assert_eq!(
        crossed[0],
        "batch 2: 786,432 B ≤ 1,000,000 B; batch 3: 1,179,648 B > 1,000,000 B"
    );
    // Its terms are those of the answer, not of the page.
    assert!(
        crossed[1].contains("B·S·D·4 B = 3·128·256·4 B"),
        "{crossed:?}"
    );
    // Nothing lies below the first.
    let first = derived("crossing(batch, kernel(v1, res1).bytes, 1 kB)");
    assert_eq!(first[0], "batch 1: 393,216 B > 1,000 B");
}

#[test]
fn what_fits_and_what_a_wall_costs_is_worked_out() {
    // H200: 65,536 registers, 2,048 threads, 228 KiB and 32 blocks a unit. 64 registers of
    // 256 threads: 8 warps of 2,048, 32 fit, 4 blocks; 2048/256 = 8; (228 − 0) / (16 + 1) = 13.
    let fits = derived("occ(h200, 64, 256, 16384).blocks");
    assert_eq!(
        fits,
        [
            "blocks that fit: 4 by registers, 8 by threads, 13 by shared memory, 32 by the limit on blocks; the fewest, 4, have 32 of 64 warps"
        ]
    );
    // 16,384 registers of a SIMD over 8 warps of 32 threads: 64, a whole granule of 8.
    let most = derived("most_registers(h200, 8)");
    assert_eq!(
        most,
        ["16,384 registers over 256, 8 warps at a time: 64.00; in granules of 8 per thread 64"]
    );
    // facts/cost-model: the scores are written and read, 2·8·128·128·4 B of 9,963,520 B.
    let wall = derived("price(qk, softmax)");
    assert_eq!(
        wall,
        [
            "the wall between qk and softmax: the block of V1 moves 9,963,520 B with it, 8,914,944 B without it"
        ]
    );
}

#[test]
fn every_question_of_the_course_is_derived_in_few_lines() {
    let course = crate::Course::built_in();
    let gpus = GpuDatabase::embedded().unwrap();
    let mut shown = 0;
    for exercise in course.exercises() {
        let Ok(env) = exercise.env(&gpus, &NoRecords) else {
            continue;
        };
        for key in &exercise.keys {
            let lines = exercise.derived(key, &env, |_| true);
            assert!(lines.len() <= MOST, "{} {}", exercise.id, key.name.text);
            for line in &lines {
                let longest = line.chars().count();
                assert!(longest < 700, "{} {}: {line}", exercise.id, key.name.text);
            }
            shown += usize::from(!lines.is_empty());
        }
    }
    // Of some four hundred questions half ask for a number of the model.
    assert!(shown > 150, "{shown}");
}

#[test]
fn a_step_does_not_give_the_answer_of_a_question_that_is_open() {
    let course = crate::Course::built_in();
    let gpus = GpuDatabase::embedded().unwrap();
    let mut withheld = 0;
    for exercise in course.exercises() {
        let Ok(env) = exercise.env(&gpus, &NoRecords) else {
            continue;
        };
        for key in &exercise.keys {
            let open = exercise.derived(key, &env, |_| false);
            let known = exercise.derived(key, &env, |_| true);
            withheld += known.len() - open.len();
            assert!(open.iter().all(|line| known.contains(line)));
        }
    }
    assert!(withheld > 0);
}
