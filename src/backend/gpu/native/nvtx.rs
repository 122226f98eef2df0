//! NVTX 3, whose library is a header: what a program does that includes it. A profiler
//! names a library of its own in `NVTX_INJECTION64_PATH`; that library is opened, told
//! where it finds tables of places for functions, and puts its own there.
//!
//! CUDA 13 has no `libnvToolsExt` any more, so that this is how a range reaches Nsight
//! there. Numbers, structures and order are those of NVIDIA's headers
//! (<https://github.com/NVIDIA/NVTX>, `c/include/nvtx3/nvtxDetail`: `nvtxTypes.h`,
//! `nvtxInit.h`, `nvtxImpl.h`). A tool may fill any place; two of them are called here.

use std::env;
use std::ffi::{c_int, c_uint, c_void};
use std::mem;
use std::path::Path;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::library;
use super::ranges::{Pop, Push};

/// Where a tool names its library for programs of 64 bits.
const VARIABLE: &str = "NVTX_INJECTION64_PATH";

/// What that library exports: `NvtxInitializeInjectionNvtxFunc_t`, 0 where it refuses.
const ENTRY: &[u8] = b"InitializeInjectionNvtx2\0";
type Entry = unsafe extern "C" fn(extern "C" fn(u32) -> *const c_void) -> c_int;

/// `NVTX_VERSION` of the headers.
const VERSION: u32 = 3;

/// `NVTX_ETID_CALLBACKS` and `NVTX_ETID_VERSIONINFO`.
const CALLBACKS: u32 = 1;
const VERSION_INFO: u32 = 3;

/// Places of each module, from `NVTX_CB_MODULE_CORE`, which is 1: core, CUDA, OpenCL, CUDA's
/// runtime, domains, synchronisation (`NVTX_CBID_…_SIZE`). The first of each is never used.
const SIZES: [usize; 6] = [16, 9, 15, 7, 16, 7];

/// `NVTX_CBID_CORE_RangePushA` and `…RangePop`.
const PUSH: usize = 9;
const POP: usize = 11;

/// A place for a function, which the tool writes and this program calls.
type Place = AtomicPtr<c_void>;

/// A module's places, and what a tool is given: their addresses, none for the first, and
/// one more that is none behind the last.
struct Module {
    places: Box<[Place]>,
    table: Box<[AtomicPtr<Place>]>,
}

impl Module {
    fn of(size: usize) -> Self {
        let places: Box<[Place]> = (0..size).map(|_| Place::default()).collect();
        let addresses = places
            .iter()
            .skip(1)
            .map(|place| ptr::from_ref(place).cast_mut());
        let table = std::iter::once(ptr::null_mut()).chain(addresses);
        let table = table.chain([ptr::null_mut()]).map(AtomicPtr::new).collect();
        Self { places, table }
    }
}

fn modules() -> &'static [Module] {
    static MODULES: OnceLock<Vec<Module>> = OnceLock::new();
    MODULES.get_or_init(|| SIZES.into_iter().map(Module::of).collect())
}

/// `NvtxExportTableCallbacks`.
#[repr(C)]
struct Callbacks {
    size: usize,
    table: extern "C" fn(c_int, *mut *const AtomicPtr<Place>, *mut c_uint) -> c_int,
}

/// `NvtxExportTableVersionInfo`.
#[repr(C)]
struct VersionInfo {
    size: usize,
    version: u32,
    reserved: u32,
    tools: extern "C" fn(u32),
}

/// Gives a tool one of its tables.
extern "C" fn export_table(which: u32) -> *const c_void {
    static FUNCTIONS: Callbacks = Callbacks {
        size: size_of::<Callbacks>(),
        table: function_table,
    };
    static INFO: VersionInfo = VersionInfo {
        size: size_of::<VersionInfo>(),
        version: VERSION,
        reserved: 0,
        tools: told_version,
    };
    match which {
        CALLBACKS => ptr::from_ref(&FUNCTIONS).cast(),
        VERSION_INFO => ptr::from_ref(&INFO).cast(),
        _ => ptr::null(),
    }
}

/// Gives a tool a module's places and their number; 0 for a module that there is not.
extern "C" fn function_table(
    module: c_int,
    table: *mut *const AtomicPtr<Place>,
    size: *mut c_uint,
) -> c_int {
    let index = usize::try_from(module).ok().and_then(|m| m.checked_sub(1));
    let Some(found) = index.and_then(|index| modules().get(index)) else {
        return 0;
    };
    if !size.is_null() {
        // SAFETY: the tool says where it wants the number; it may say nowhere.
        unsafe { size.write(found.places.len() as c_uint) };
    }
    if !table.is_null() {
        // SAFETY: likewise; the table lives as long as the process.
        unsafe { table.write(found.table.as_ptr()) };
    }
    1
}

/// Which version of NVTX the tool was made for: of no use here.
extern "C" fn told_version(_: u32) {}

/// Whether a tool's library takes this process's ranges. It is asked once.
pub fn attached() -> bool {
    static ATTACHED: OnceLock<bool> = OnceLock::new();
    *ATTACHED.get_or_init(|| {
        let named = env::var_os(VARIABLE).filter(|named| !named.is_empty());
        named.is_some_and(|file| attach(Path::new(&file)).is_some())
    })
}

/// Opens a tool's library and lets it fill its places; `None` where it is none, refuses, or
/// wants no ranges.
fn attach(file: &Path) -> Option<()> {
    let library = library::keep(file)?;
    // SAFETY: by this name a tool exports a function of this signature.
    let entry: Entry = unsafe { *library.get(ENTRY).ok()? };
    // SAFETY: what the headers hand over, which is valid for ever.
    let began = unsafe { entry(export_table) };
    (began != 0).then_some(())?;
    functions().map(drop)
}

/// The tool's functions, as they are now: it may take them back.
pub fn functions() -> Option<(Push, Pop)> {
    let core = modules().first()?;
    let at = |place: usize| {
        let function = core.places.get(place)?.load(Ordering::Acquire);
        (!function.is_null()).then_some(function)
    };
    let (push, pop) = (at(PUSH)?, at(POP)?);
    // SAFETY: nobody but the tool writes there, and it writes functions of the signatures
    // that the headers call through these places.
    Some(unsafe {
        (
            mem::transmute::<*mut c_void, Push>(push),
            mem::transmute::<*mut c_void, Pop>(pop),
        )
    })
}

#[cfg(test)]
mod tests;
