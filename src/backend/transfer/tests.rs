use super::*;

fn request(case: HostCase, largest: u64) -> HostRequest {
    HostRequest::new(BackendKind::Cuda, case, largest).unwrap()
}

#[test]
fn every_way_of_a_case_is_there_and_fits_what_is_taken() {
    for largest in [4 << 10, 5000, 1 << 20, 256 << 20] {
        for case in HostCase::ALL {
            let request = request(case, largest);
            let all = trials(&request);
            assert!(
                all.len() >= 3 || case == HostCase::Batches,
                "{case:?} {largest}"
            );
            for (way, bytes, times) in all {
                let copied = case != HostCase::Pool;
                assert!(!copied || bytes <= super::bytes(&request), "{way:?}");
                assert!(bytes % times == 0 || case == HostCase::Mapped, "{way:?}");
                assert!(bytes > 0 && bytes <= largest);
            }
        }
    }
    // Nine sizes in two directions, pageable and pinned.
    assert_eq!(trials(&request(HostCase::Copies, 256 << 20)).len(), 36);
    assert_eq!(steps(256 << 20), STEP_SIZES);
    assert_eq!(steps(4096), [4096]);
}

#[test]
fn a_round_that_was_stopped_in_the_middle_is_in_no_series() {
    let series = |us: &[f64]| HostSeries {
        way: HostWay::PinnedUp,
        bytes: 1,
        times: 1,
        us: us.to_vec(),
    };
    let found = whole(vec![series(&[1.0, 2.0, 3.0]), series(&[4.0, 5.0])]);
    let rounds: Vec<usize> = found.iter().map(|s| s.us.len()).collect();
    assert_eq!(rounds, [2, 2]);
    assert_eq!(found[0].us, [1.0, 2.0]);
}

#[test]
fn what_has_no_device_is_refused() {
    for backend in [BackendKind::Cpu, BackendKind::Simt] {
        let request = HostRequest {
            backend,
            ..request(HostCase::Copies, 1 << 20)
        };
        let said = measure(&request, &plan::run::Unwatched)
            .unwrap_err()
            .to_string();
        assert!(said.contains("copies nothing to a device"), "{said}");
    }
}
