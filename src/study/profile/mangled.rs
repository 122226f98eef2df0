//! Files of the newer formats with bytes changed, put in, taken out, and cut anywhere: an
//! error with a sentence, or a profile that can be said.

use super::{Found, Reader, against, say};
use plan::cost::{Config, GpuDatabase};
use plan::fusion::Version;
use proptest::prelude::*;

const SDK: &str = r#"{"rocprofiler-sdk-tool":[{"agents":[{"type":2,"product_name":"AMD Instinct MI300A"}],"counters":[{"id":{"handle":7},"name":"FETCH_SIZE"}],"kernel_symbols":[{"kernel_id":3,"formatted_kernel_name":"softmax_warp_forward"}],"callback_records":{"counter_collection":[{"dispatch_data":{"dispatch_info":{"kernel_id":3,"dispatch_id":1}},"records":[{"counter_id":{"handle":7},"value":4.0}]}]},"buffer_records":{"kernel_dispatch":[{"start_timestamp":100,"end_timestamp":300,"dispatch_info":{"kernel_id":3,"dispatch_id":1}}]}}]}"#;

const TRACE: &str = r#"{"deviceProperties":[{"name":"NVIDIA H200"}],"traceEvents":[
{"ph":"X","cat":"kernel","name":"nvjet_sm90","pid":0,"tid":7,"ts":1,"dur":2,"args":{"device":0,"stream":7,"grid":[1,1,1],"block":[32,1,1]}},
{"ph":"X","cat":"kernel","name":"flash_fwd","pid":0,"tid":7,"ts":4,"dur":2.5,"args":{"device":0,"stream":7}},
{"ph":"X","cat":"gpu_memcpy","name":"Memcpy DtoH","pid":0,"tid":7,"ts":9,"dur":1}]}"#;

const ANALYZE: &str = "0. Top Stats
0.1 Top Kernels
|    | Kernel_Name | Count | Sum(ns) | Pct |
|  0 | yax(double*,| 1.00  | 7513.00 | 100 |
|    |  int)       |       |         |     |
2. System Speed-of-Light
| Metric_ID | Metric | Avg | Unit | Pct of Peak |
| 2.1.16    | L2 Hit | 81.5 | Pct | 81.50 |
";

const CLOCK: &str = "\
|       LABEL        | COUNT | DEPTH | METRIC     | UNITS | SUM | MEAN | MIN | MAX |
| |0>>> |_start      | 11    | 2     | wall_clock | sec   | 0.2 | 0.01 | 0.1 | 0.1 |
";

const ROOFLINE: &str = "device,HBMBw,L2Bw,FP32Flops\n0,1389.1,5017.5,20946.6\n";

/// One packet: a track of one byte's name.
const PACKETS: &[u8] = &[
    0x0a, 0x0a, 0xe2, 0x03, 0x05, 0x08, 0x4d, 0x12, 0x01, 0x51, 0x50, 0x01,
];

proptest! {
    #[test]
    fn newer_formats_never_end_the_reader(
        which in 0_usize..6,
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0_u8..3), 0..6),
        cut in any::<prop::sample::Index>(),
        piece in 1_usize..64,
    ) {
        let files = [SDK.as_bytes(), TRACE.as_bytes(), ANALYZE.as_bytes(), CLOCK.as_bytes(), ROOFLINE.as_bytes(), PACKETS];
        let mut bytes = files[which].to_vec();
        for (at, byte, how) in edits {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => {
                    bytes.remove(at);
                }
            }
        }
        bytes.truncate(1 + cut.index(bytes.len() + 1));
        let mut reader = Reader::new();
        let fed = bytes.chunks(piece).try_for_each(|piece| reader.feed(piece));
        match fed.and_then(|()| reader.finish()) {
            Err(e) => prop_assert!(!e.message.is_empty()),
            Ok(Found::Roofs(devices)) => prop_assert!(!devices.is_empty()),
            Ok(Found::Profile(profile)) => {
                let database = GpuDatabase::embedded().unwrap();
                let gpu = database.get("h200").unwrap();
                let config = Config::preset("workshop", Version::V1.cut()).unwrap();
                let reading = against(&profile, &config, gpu, None).unwrap();
                prop_assert!(!say::heading(&profile).is_empty());
                if let Some(found) = &reading.framework {
                    prop_assert!(!say::of_framework(found, &reading, &profile, gpu).is_empty());
                    prop_assert_eq!(say::parts(found, &reading, gpu).rows.len(), found.rows.len());
                }
            }
        }
    }
}
