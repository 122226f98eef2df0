//! Samples against readers.

use super::*;

#[test]
fn every_sample_gives_back_its_plan_layers_and_forwards() {
    let database = gpus();
    let gpu = database.get("mi250x_gcd").unwrap();
    for version in Version::ALL {
        let mut config = Config::preset("workshop", version.cut()).unwrap();
        config.model.layers = 6;
        let made = sample::generate(&config, gpu, 3, 1).unwrap();
        for tool in Tool::ALL {
            let text = sample::write(&made, tool, gpu);
            let profile = read_text(&text);
            assert_eq!(profile.tool, tool);
            let reading = against(&profile, &config, gpu, None).unwrap();
            let title = format!("{} by {}", version.title(), tool.name());
            let found = reading
                .explained
                .as_ref()
                .unwrap_or_else(|e| panic!("{title}: {e}"));
            assert_eq!(found.cut, version.cut(), "{title}");
            assert_eq!(found.forwards, 3, "{title}");
            if version != Version::Forward {
                assert_eq!(found.layers, Some(6), "{title}");
            }
            let plan = Plan::new(&Graph::of_layers(6, false), version.cut(), false);
            let launches = plan.launches() as u64;
            assert_eq!(reading.launches, Some((launches, launches)), "{title}");
        }
    }
}

/// A sample has what the tool would find on that very device: AMD's documentation of the
/// counters of MI200 and MI300, NVIDIA's table of compute capabilities.
#[test]
fn a_sample_is_of_its_device() {
    let database = gpus();
    let config = Config::preset("workshop", Version::V2.cut()).unwrap();
    let sample = |gpu: &str, tool| {
        let gpu = database.get(gpu).unwrap();
        let made = sample::generate(&config, gpu, 1, 1).unwrap();
        (sample::write(&made, tool, gpu), made, gpu)
    };
    let cdna2 = ",TCC_EA_RDREQ_sum,TCC_EA_RDREQ_32B_sum,TCC_EA_WRREQ_sum,TCC_EA_WRREQ_64B_sum,";
    let cdna3 = ",TCC_EA0_RDREQ_sum,TCC_EA0_RDREQ_32B_sum,TCC_BUBBLE_sum,TCC_EA0_WRREQ_sum,TCC_EA0_WRREQ_64B_sum,";
    for (id, names) in [
        ("mi100", cdna2),
        ("mi250x_gcd", cdna2),
        ("mi300a", cdna3),
        ("mi355x", cdna3),
    ] {
        let (text, made, gpu) = sample(id, Tool::RocprofCompute);
        assert!(text.lines().next().unwrap().contains(names), "{id}: {text}");
        let has = text.matches("TCC_").count();
        assert_eq!(has, names.matches("TCC_").count(), "{id}");
        // The requests come to the bytes that every other tool counts, kernel by kernel.
        let profile = read_text(&text);
        for (read, made) in profile.dispatches.iter().zip(&made.dispatches) {
            let bytes = |name: &str| made.counters.get(name).copied();
            let found = traffic(&read.counters);
            assert_eq!(found.read, bytes("dram__bytes_read.sum"), "{id}");
            assert_eq!(found.written, bytes("dram__bytes_write.sum"), "{id}");
        }
        // A page that names no columns shows requests of that device.
        let shown = sample::excerpt(&text, Tool::RocprofCompute, &[], 1, None).unwrap();
        assert_eq!(shown.head.len(), 4, "{id}");
        assert!(names.contains(&shown.head[2]), "{id}: {:?}", shown.head);
        let reading = against(&profile, &config, gpu, None).unwrap();
        assert!(reading.dram.is_some() && reading.half.is_none(), "{id}");
    }
    for (id, capability) in [
        ("t4", "7.5"),
        ("a100_40gb", "8.0"),
        ("rtx4090", "8.9"),
        ("h200", "9.0"),
        ("b200", "10.0"),
    ] {
        for tool in [Tool::Ncu, Tool::NcuDetails] {
            let (text, ..) = sample(id, tool);
            let rows: Vec<&str> = text.lines().filter(|l| l.contains("\"4711\"")).collect();
            assert!(!rows.is_empty());
            let cell = format!(",\"0\",\"{capability}\",");
            assert!(rows.iter().all(|row| row.contains(&cell)), "{id}: {text}");
        }
    }
}

/// A file with half a set of counters has no bytes, and says which counter would make them.
#[test]
fn half_a_set_of_counters_says_what_is_missing() {
    let database = gpus();
    let gpu = database.get("mi300a").unwrap();
    let config = Config::preset("workshop", Version::V2.cut()).unwrap();
    let made = sample::generate(&config, gpu, 1, 1).unwrap();
    let text = sample::write(&made, Tool::RocprofCompute, gpu);
    let said = |text: &str| {
        let reading = against(&read_text(text), &config, gpu, None).unwrap();
        let said = say::sentences(&reading, gpu);
        let memory: Vec<String> = said
            .iter()
            .filter(|said| said.about == "memory")
            .map(|said| said.text.clone())
            .collect();
        assert_eq!(memory.len(), 1, "{memory:?}");
        memory[0].clone()
    };
    assert!(said(&text).contains("a forward by the counters"));
    let without = said(&text.replace("TCC_BUBBLE_sum", "TCC_OTHER_sum"));
    assert!(
        without.ends_with("missing beside them: TCC_BUBBLE_sum"),
        "{without}"
    );
    let reads = text.replace("TCC_EA0_WRREQ", "TCC_OTHER");
    assert!(
        said(&reads).ends_with("missing beside them: TCC_EA0_WRREQ_sum, TCC_EA0_WRREQ_64B_sum"),
        "{}",
        said(&reads)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is done to a file, it is read or refused in a sentence.
    #[test]
    fn mangled_files_never_end_the_reader(
        which in 0..Tool::ALL.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        cut in any::<prop::sample::Index>(),
    ) {
        let database = gpus();
        let config = Config::preset("workshop", Version::V3.cut()).unwrap();
        let gpu = database.get("h200").unwrap();
        let made = sample::generate(&config, gpu, 1, 0).unwrap();
        let mut bytes = sample::write(&made, Tool::ALL[which], gpu).into_bytes();
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(cut.index(bytes.len() + 1));
        match read(&bytes) {
            Ok(profile) => {
                let reading = against(&profile, &config, gpu, None).unwrap();
                // A name that was damaged into a framework's has sentences of its own.
                let of_framework = match &reading.framework {
                    Some(found) => say::of_framework(found, &reading, &profile, gpu),
                    None => Vec::new(),
                };
                prop_assert!(of_framework.len() + say::sentences(&reading, gpu).len() > 0);
            }
            Err(e) => prop_assert!(!e.message.is_empty()),
        }
    }
}
