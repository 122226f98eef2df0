//! What can be tested without a device: libraries, NVRTC, the missing driver.

use std::fs;
use std::path::PathBuf;

use super::library::{NVRTC, Places, open};
use super::*;
use crate::gpu::compile::compile;

#[test]
fn libraries_are_looked_for_where_people_have_them() {
    let folder = tempfile::tempdir().unwrap();
    let toolkit = folder.path().join("cuda");
    let venv = folder.path().join("venv");
    let packages = venv.join("lib/python3.12/site-packages/nvidia");
    let files = [
        toolkit.join("lib64/libnvrtc.so.12"),
        packages.join("cuda_nvrtc/lib/libnvrtc.so.12"),
        packages.join("cu13/lib/libnvrtc.so.13"),
    ];
    for file in &files {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "").unwrap();
    }
    let places = Places {
        named: None,
        environments: vec![venv],
        toolkits: vec![toolkit],
    };
    let [toolkit12, wheel12, wheel13] = files;
    let bare = |major: u32| PathBuf::from(format!("libnvrtc.so.{major}"));
    // A driver of CUDA 13 takes both, the newer first.
    assert_eq!(
        places.candidates(&NVRTC, 13),
        [
            bare(13),
            bare(12),
            wheel13.clone(),
            toolkit12.clone(),
            wheel12.clone()
        ]
    );
    // For a driver of CUDA 12 the newer is the last resort.
    assert_eq!(
        places.candidates(&NVRTC, 12),
        [bare(12), toolkit12, wheel12, bare(13), wheel13]
    );
    // A named file goes alone; no library is no library.
    let named = Places {
        named: Some(folder.path().join("x.so")),
        ..places.clone()
    };
    assert_eq!(named.candidates(&NVRTC, 13), [folder.path().join("x.so")]);
    assert!(open(&NVRTC, &named.candidates(&NVRTC, 13)).is_none());
}

#[test]
fn a_machine_without_a_driver_is_told_so() {
    if Api::get().is_ok() {
        eprintln!("skipped: this machine has a driver");
        return;
    }
    let error = Cuda::open(0).err().unwrap();
    assert_eq!(error.kind, GpuErrorKind::Missing);
    let text = error.to_string();
    assert!(text.contains("NVIDIA driver"), "{text}");
    assert_eq!(text.lines().count(), 1);
    let facts = facts();
    assert_eq!(facts.driver, Err(error));
    assert_eq!(facts.devices, []);
    assert_eq!(facts.lines()[0], ("driver", text));
}

/// NVRTC of this machine, or a line that says that the test was skipped.
fn nvrtc() -> Option<&'static Nvrtc> {
    match Nvrtc::find(u32::MAX) {
        Ok(nvrtc) => Some(nvrtc),
        Err(why) => {
            eprintln!("skipped: {why}");
            None
        }
    }
}

#[test]
fn nvrtc_compiles_to_a_cubin_and_to_ptx_and_names_the_line_of_an_error() {
    let Some(nvrtc) = nvrtc() else { return };
    let unit = CompileUnit::new("none", &[]).define("BF16", 1);
    let machine = compile(nvrtc, None, &unit, "sm_90a", Form::Machine).unwrap();
    assert_eq!(machine.image[..4], *b"\x7fELF");
    let text = compile(nvrtc, None, &unit, "sm_80", Form::Assembly).unwrap();
    let text = String::from_utf8(text.image).unwrap();
    assert!(text.contains("\n.target sm_80"), "{text}");
    assert!(text.ends_with('\n') || !text.contains('\0'));

    let options = nvrtc.options(&unit, "sm_80", Form::Machine);
    let source = "#line 1 \"tile/wrong.cu\"\n\nextern \"C\" __global__ void f() { g(); }\n";
    let log = nvrtc
        .build(source, &options, Form::Machine)
        .unwrap_err()
        .to_string();
    assert!(log.contains("tile/wrong.cu(2): error"), "{log}");
}

#[test]
fn nvrtc_says_what_a_kernel_needs() {
    let Some(nvrtc) = nvrtc() else { return };
    let unit = CompileUnit::new("f", &[]);
    let options = nvrtc.options(&unit, "sm_80", Form::Machine);
    let source = "extern \"C\" __global__ void f(float *x) { x[threadIdx.x] *= 2; }";
    let built = nvrtc.build(source, &options, Form::Machine).unwrap();
    assert!(built.log.contains("registers"), "{}", built.log);
}

#[test]
fn nvrtc_knows_which_devices_it_serves() {
    let Some(nvrtc) = nvrtc() else { return };
    assert!(nvrtc.knows("sm_80") && nvrtc.knows("sm_90a"));
    assert!(!nvrtc.knows("sm_999"));
    // A device newer than the compiler runs PTX of the newest that it knows.
    let nearest = nvrtc.nearest("sm_999").unwrap();
    assert!(nvrtc.knows(&nearest));
    assert_eq!(nvrtc.nearest("sm_10"), None);
}
