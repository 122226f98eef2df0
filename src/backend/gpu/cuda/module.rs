//! Loads machine code and PTX, and finds kernels in them.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use cudarc::driver::sys::{CUfunction_attribute as Attribute, CUjit_option as Jit};

use super::super::driver::{GpuError, GpuErrorKind, KernelFacts, Parameter};
use super::super::native::{Code, Handle, kernel};
use super::api::Api;

/// Code that the driver refuses because it was made by a newer compiler or for
/// another device: invalid image, no binary, invalid PTX, unsupported PTX version.
const REFUSED: [Code; 4] = [200, 209, 218, 222];

/// A loaded kernel.
pub(super) struct Loaded {
    module: Handle,
    pub function: Handle,
    pub facts: KernelFacts,
    /// Whether it was compiled for compute capability 9.0 or more, so that a
    /// kernel that is to wait for the one before it has the instruction.
    pub waits: bool,
    /// Bytes of each parameter, where the driver says it (CUDA 12.4).
    pub parameters: Option<Vec<usize>>,
    /// Dynamic shared memory that it may be launched with.
    pub shared: u32,
}

/// Why code was not loaded.
pub(super) enum LoadError {
    /// Another form of the code may do.
    Refused(GpuError),
    /// Nothing will.
    Other(GpuError),
}

impl From<LoadError> for GpuError {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Refused(error) | LoadError::Other(error) => error,
        }
    }
}

/// Loads a cubin, or the text of PTX with a zero byte at its end.
pub(super) fn load(api: &Api, image: &[u8], entry: &str, title: &str) -> Result<Loaded, LoadError> {
    let mut log = vec![0u8; 8192];
    let mut options = [
        Jit::CU_JIT_ERROR_LOG_BUFFER,
        Jit::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
    ];
    let mut values: [*mut c_void; 2] = [
        log.as_mut_ptr().cast(),
        ptr::without_provenance_mut(log.len()),
    ];
    let mut module = ptr::null_mut();
    // SAFETY: the image is a whole cubin or text that ends with a zero byte; two
    // options with a buffer and its size, alive until the call returns.
    let code = unsafe {
        (api.cuModuleLoadDataEx)(
            &mut module,
            image.as_ptr().cast(),
            options.len() as c_uint,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    if code != 0 {
        let log: Vec<u8> = log.into_iter().take_while(|byte| *byte != 0).collect();
        let log = String::from_utf8_lossy(&log);
        let said = log.lines().map(str::trim).find(|line| !line.is_empty());
        let said = said.map_or_else(String::new, |line| format!(" ({line})"));
        let text = format!("{title} cannot be loaded: {}{said}", api.native.says(code));
        return Err(if REFUSED.contains(&code) {
            LoadError::Refused(GpuError::new(GpuErrorKind::Compile, text))
        } else {
            LoadError::Other(
                api.check(code, || format!("loading {title}"))
                    .err()
                    .unwrap_or_else(|| GpuError::failed(text)),
            )
        });
    }
    let mut loaded = Loaded {
        module,
        function: ptr::null_mut(),
        facts: KernelFacts::default(),
        waits: false,
        parameters: None,
        shared: 0,
    };
    match describe(api, &mut loaded, entry, title) {
        Ok(()) => Ok(loaded),
        Err(error) => {
            unload(api, &loaded);
            Err(LoadError::Other(error))
        }
    }
}

/// Finds the entry and what it needs.
fn describe(api: &Api, loaded: &mut Loaded, entry: &str, title: &str) -> Result<(), GpuError> {
    (loaded.function, loaded.facts) = kernel::find(&api.native, loaded.module, entry, title)?;
    let function = loaded.function;
    let ask = |id: Attribute| kernel::attribute(&api.native, function, id as c_int, title);
    // Of machine code too this is the virtual architecture that it came from.
    loaded.waits = ask(Attribute::CU_FUNC_ATTRIBUTE_PTX_VERSION)? >= 90;
    // What is allowed without asking.
    loaded.shared = ask(Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)?;
    loaded.parameters = api.cuFuncGetParamInfo.map(|info| {
        let size = |index: usize| {
            let (mut offset, mut size) = (0, 0);
            // SAFETY: the function is loaded; writes two sizes, or refuses an
            // index after the last.
            (unsafe { info(function.cast(), index, &mut offset, &mut size) } == 0).then_some(size)
        };
        (0..).map_while(size).collect()
    });
    Ok(())
}

/// What the kernel takes, against what it is given: a wrong count or size would
/// be read from beyond the values.
pub(super) fn check_parameters(
    loaded: &Loaded,
    title: &str,
    given: &[Parameter],
) -> Result<(), GpuError> {
    let Some(takes) = &loaded.parameters else {
        return Ok(());
    };
    let bytes = |parameter: &Parameter| match parameter {
        Parameter::Word(_) => 4,
        Parameter::Long(_) => 8,
        Parameter::Map(_) => 128,
    };
    let given: Vec<usize> = given.iter().map(bytes).collect();
    if given == *takes {
        return Ok(());
    }
    Err(GpuError::failed(format!(
        "{title} takes parameters of {takes:?} bytes and was given {given:?}"
    )))
}

/// Allows a kernel so much dynamic shared memory.
pub(super) fn allow_shared(
    api: &Api,
    loaded: &mut Loaded,
    shared: u32,
    title: &str,
) -> Result<(), GpuError> {
    if shared <= loaded.shared {
        return Ok(());
    }
    // SAFETY: the function is loaded; a value beyond the device's is refused.
    let code = unsafe {
        (api.cuFuncSetAttribute)(
            loaded.function.cast(),
            Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
            shared as c_int,
        )
    };
    api.check(code, || {
        format!("giving {title} {shared} bytes of shared memory")
    })?;
    loaded.shared = shared;
    Ok(())
}

/// Unloads; the function must not be used again.
pub(super) fn unload(api: &Api, loaded: &Loaded) {
    // SAFETY: loaded until here.
    unsafe { (api.native.calls.module_unload)(loaded.module) };
}

/// PTX as this driver takes it: text of a newer version is declared as the
/// newest that the driver knows (its assembler still refuses an instruction
/// that the version lacks), and a zero byte ends it.
pub(super) fn ptx_for(driver: u32, text: &str) -> Vec<u8> {
    let newest = ptx_version(driver);
    let mut lowered = String::with_capacity(text.len() + 1);
    for line in text.split_inclusive('\n') {
        match line
            .strip_prefix(".version ")
            .map(str::trim)
            .and_then(number)
        {
            Some(version) if version > newest => {
                lowered += &format!(".version {}.{}\n", newest.0, newest.1);
            }
            _ => lowered += line,
        }
    }
    lowered.push('\0');
    lowered.into_bytes()
}

fn number(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// The newest PTX that a driver of this CUDA takes (the PTX manual's release
/// table).
fn ptx_version(driver: u32) -> (u32, u32) {
    match (driver / 1000, driver % 1000 / 10) {
        (12, minor @ 0..=5) => (8, minor),
        (12, 6) => (8, 5),
        (12, minor) => (8, minor - 1),
        (major, minor) => (major - 4, minor),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ptx_of_a_newer_compiler_is_declared_as_the_drivers() {
        let text = "//\n.version 9.3\n.target sm_80\n";
        assert_eq!(
            ptx_for(13_000, text),
            b"//\n.version 9.0\n.target sm_80\n\0"
        );
        assert_eq!(
            ptx_for(12_040, text),
            b"//\n.version 8.4\n.target sm_80\n\0"
        );
        // An older one stays what it is.
        let text = ".version 8.0\n";
        assert_eq!(ptx_for(12_080, text), b".version 8.0\n\0");
    }

    #[test]
    fn drivers_know_the_ptx_of_the_release_table() {
        // PTX ISA manual, "Release Notes": CUDA 12.5 and 12.6 share 8.5; 12.7 is 8.6.
        let table = [
            (12_000, (8, 0)),
            (12_050, (8, 5)),
            (12_060, (8, 5)),
            (12_080, (8, 7)),
            (12_090, (8, 8)),
            (13_000, (9, 0)),
            (13_010, (9, 1)),
        ];
        for (driver, ptx) in table {
            assert_eq!(ptx_version(driver), ptx, "{driver}");
        }
    }
}
