//! Matrix products by cuBLASLt, opened at run time.
//!
//! The library thinks in columns: our `c[m][n] = a[m][k] · w[n][k]ᵀ`, read by
//! columns, is `cᵀ[n × m] = w[k × n]ᵀ · a[k × m]`.
//!
//! Bound by hand: cudarc's `cublaslt` takes no path either (see `nvrtc`), and its codes
//! and data types are enums, in which what a newer library answers has no place.

use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::ptr;

use super::super::driver::{GemmCall, GpuError};
use super::super::native::library::functions;
use super::super::native::{Code, Handle};
use super::library::{self, Places};

/// Scratch memory that the library may use for one product; its own default on
/// Hopper.
pub(super) const WORKSPACE_BYTES: u64 = 32 << 20;

// Values of cublasLt.h and library_types.h; the same in versions 11 to 13.
const R_32F: c_int = 0;
const R_16BF: c_int = 14;
const COMPUTE_32F: c_int = 68;
const DESC_TRANSA: c_int = 3;
const OP_T: i32 = 1;
const PREF_WORKSPACE: c_int = 1;
const PREF_REDUCTION: c_int = 3;
const PREF_ALIGNMENT_A: c_int = 5;
/// Parts of a sum are added in fp32, never in the output's bf16.
const REDUCE_IN_FP32: u32 = 1 | 2;

/// What the heuristics give; `cublasLtMatmulHeuristicResult_t`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Heuristic {
    algorithm: [u64; 8],
    workspace: usize,
    state: Code,
    waves: f32,
    reserved: [c_int; 4],
}

functions! {
    /// Of cublasLt.h, versions 11 to 13.
    struct Functions;
    fn cublasLtCreate(*mut Handle);
    fn cublasLtDestroy(Handle);
    fn cublasLtMatmulDescCreate(*mut Handle, c_int, c_int);
    fn cublasLtMatmulDescDestroy(Handle);
    fn cublasLtMatmulDescSetAttribute(Handle, c_int, *const c_void, usize);
    fn cublasLtMatrixLayoutCreate(*mut Handle, c_int, u64, u64, i64);
    fn cublasLtMatrixLayoutDestroy(Handle);
    fn cublasLtMatmulPreferenceCreate(*mut Handle);
    fn cublasLtMatmulPreferenceDestroy(Handle);
    fn cublasLtMatmulPreferenceSetAttribute(Handle, c_int, *const c_void, usize);
    fn cublasLtMatmulAlgoGetHeuristic(
        Handle,
        Handle,
        Handle,
        Handle,
        Handle,
        Handle,
        Handle,
        c_int,
        *mut Heuristic,
        *mut c_int,
    );
    fn cublasLtMatmul(
        Handle,
        Handle,
        *const c_void,
        *const c_void,
        Handle,
        *const c_void,
        Handle,
        *const c_void,
        *const c_void,
        Handle,
        *mut c_void,
        Handle,
        *const [u64; 8],
        *mut c_void,
        usize,
        Handle,
    );
}

/// The library, found but without a handle.
pub(super) struct Found {
    functions: Functions,
    /// Its version: `12.9.1`.
    pub version: String,
    /// Path or name by which it was opened.
    pub place: String,
}

/// Looks for cuBLASLt: `$CUBLASLT_LIBRARY`, the system's, a toolkit's, a Python
/// environment's.
///
/// # Errors
/// None is found, or it does not answer.
pub(super) fn find(newest: u32) -> Result<Found, GpuError> {
    let places = Places::of_process(&library::CUBLASLT);
    let candidates = places.candidates(&library::CUBLASLT, newest);
    let opened = library::open(&library::CUBLASLT, &candidates).ok_or_else(|| {
        GpuError::missing(
            "no cuBLASLt is here, which --gemm library needs; pip install nvidia-cublas-cu12 \
             is enough, in the environment that is active or with CUBLASLT_LIBRARY naming its \
             libcublasLt.so.12",
        )
    })?;
    let broken = || {
        GpuError::missing(format!(
            "{} is not a usable cuBLASLt",
            opened.place.display()
        ))
    };
    let functions = Functions::of(opened.library).map_err(|_| broken())?;
    // SAFETY: takes nothing and gives a number in every version (cublasLt.h).
    let number = unsafe {
        let version: libloading::Symbol<'_, unsafe extern "C" fn() -> usize> = opened
            .library
            .get(b"cublasLtGetVersion\0")
            .map_err(|_| broken())?;
        version()
    };
    Ok(Found {
        functions,
        version: version_text(number),
        place: opened.place.display().to_string(),
    })
}

/// 120901 is 12.9.1.
fn version_text(number: usize) -> String {
    format!(
        "{}.{}.{}",
        number / 10_000,
        number / 100 % 100,
        number % 100
    )
}

/// What a plan is made for: shape, type, and how the addresses are aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    bf16: bool,
    m: u64,
    n: u64,
    k: u64,
    /// Bytes of `w`, `a`, `c`.
    alignment: [u32; 3],
}

impl Key {
    fn of(call: &GemmCall) -> Self {
        let align = |address: u64| 1 << address.trailing_zeros().min(8);
        Self {
            bf16: call.bf16,
            m: call.m,
            n: call.n,
            k: call.k,
            alignment: [align(call.w), align(call.a), align(call.c)],
        }
    }
}

/// Something of the library that is destroyed when it goes out of scope.
struct Owned {
    handle: Handle,
    destroy: unsafe extern "C" fn(Handle) -> Code,
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: made by the library, alive until here.
        unsafe { (self.destroy)(self.handle) };
    }
}

/// A product that was planned: descriptors and the algorithm.
struct Planned {
    product: Owned,
    w: Owned,
    a: Owned,
    c: Owned,
    algorithm: [u64; 8],
}

/// cuBLASLt with its plans and workspace.
pub(super) struct Blas {
    functions: Functions,
    // Plans go before the handle that made them.
    planned: HashMap<Key, Planned>,
    handle: Owned,
    workspace: u64,
}

impl Blas {
    /// A handle for the current context; `workspace` is the address of
    /// [`WORKSPACE_BYTES`].
    pub fn new(found: &Found, workspace: u64) -> Result<Self, GpuError> {
        let functions = found.functions;
        let handle = make(
            // SAFETY: writes one handle for the current context.
            |out| unsafe { (functions.cublasLtCreate)(out) },
            functions.cublasLtDestroy,
            "starting cuBLASLt",
        )?;
        Ok(Self {
            functions,
            planned: HashMap::new(),
            handle,
            workspace,
        })
    }

    /// Whether this product needs no planning any more.
    pub fn is_planned(&self, call: &GemmCall) -> bool {
        self.planned.contains_key(&Key::of(call))
    }

    /// Hands in a product.
    pub fn run(&mut self, call: &GemmCall, stream: Handle) -> Result<(), GpuError> {
        let key = Key::of(call);
        if !self.planned.contains_key(&key) {
            let planned = self.plan(&key)?;
            self.planned.insert(key, planned);
        }
        let Some(plan) = self.planned.get(&key) else {
            return Err(GpuError::failed("cuBLASLt lost a plan"));
        };
        let (one, zero) = (1.0f32, 0.0f32);
        // SAFETY: descriptors are alive; addresses are of device memory that the
        // caller keeps until the work is done, as large as the layouts say; the
        // workspace is ours and used by this stream alone.
        let code = unsafe {
            (self.functions.cublasLtMatmul)(
                self.handle.handle,
                plan.product.handle,
                ptr::from_ref(&one).cast(),
                ptr::with_exposed_provenance(call.w as usize),
                plan.w.handle,
                ptr::with_exposed_provenance(call.a as usize),
                plan.a.handle,
                ptr::from_ref(&zero).cast(),
                ptr::with_exposed_provenance(call.c as usize),
                plan.c.handle,
                ptr::with_exposed_provenance_mut(call.c as usize),
                plan.c.handle,
                &plan.algorithm,
                ptr::with_exposed_provenance_mut(self.workspace as usize),
                WORKSPACE_BYTES as usize,
                stream,
            )
        };
        check(code, || describe(call))
    }

    fn plan(&self, key: &Key) -> Result<Planned, GpuError> {
        let f = self.functions;
        let what = "planning a product of cuBLASLt";
        let data = if key.bf16 { R_16BF } else { R_32F };
        let product = make(
            // SAFETY: writes one handle; fp32 accumulation and scale.
            |out| unsafe { (f.cublasLtMatmulDescCreate)(out, COMPUTE_32F, R_32F) },
            f.cublasLtMatmulDescDestroy,
            what,
        )?;
        // SAFETY: the attribute takes four bytes.
        let code = unsafe {
            (f.cublasLtMatmulDescSetAttribute)(
                product.handle,
                DESC_TRANSA,
                ptr::from_ref(&OP_T).cast(),
                size_of::<i32>(),
            )
        };
        check(code, || what.to_owned())?;
        let layout = |rows: u64, columns: u64| {
            make(
                // SAFETY: writes one handle; columns lie one after another.
                |out| unsafe {
                    (f.cublasLtMatrixLayoutCreate)(out, data, rows, columns, rows as i64)
                },
                f.cublasLtMatrixLayoutDestroy,
                what,
            )
        };
        let w = layout(key.k, key.n)?;
        let a = layout(key.k, key.m)?;
        let c = layout(key.n, key.m)?;
        let preference = make(
            // SAFETY: writes one handle.
            |out| unsafe { (f.cublasLtMatmulPreferenceCreate)(out) },
            f.cublasLtMatmulPreferenceDestroy,
            what,
        )?;
        let set = |attribute: c_int, value: *const c_void, bytes: usize| {
            // SAFETY: the attribute takes so many bytes (cublasLt.h).
            let code = unsafe {
                (f.cublasLtMatmulPreferenceSetAttribute)(preference.handle, attribute, value, bytes)
            };
            check(code, || what.to_owned())
        };
        set(
            PREF_WORKSPACE,
            ptr::from_ref(&WORKSPACE_BYTES).cast(),
            size_of::<u64>(),
        )?;
        set(
            PREF_REDUCTION,
            ptr::from_ref(&REDUCE_IN_FP32).cast(),
            size_of::<u32>(),
        )?;
        // The library's A is our w, its B our a; C and D are both our c.
        let [w_bytes, a_bytes, c_bytes] = key.alignment;
        for (index, bytes) in [w_bytes, a_bytes, c_bytes, c_bytes].iter().enumerate() {
            set(
                PREF_ALIGNMENT_A + index as c_int,
                ptr::from_ref(bytes).cast(),
                size_of::<u32>(),
            )?;
        }
        let mut best = Heuristic::default();
        let mut count = 0;
        // SAFETY: all handles are alive; room for the one result asked for.
        let code = unsafe {
            (f.cublasLtMatmulAlgoGetHeuristic)(
                self.handle.handle,
                product.handle,
                w.handle,
                a.handle,
                c.handle,
                c.handle,
                preference.handle,
                1,
                &mut best,
                &mut count,
            )
        };
        if code != 0 || count == 0 || best.state != 0 {
            return Err(GpuError::missing(format!(
                "cuBLASLt has no algorithm for a product of {} x {} x {}; --gemm own has",
                key.m, key.n, key.k
            )));
        }
        Ok(Planned {
            product,
            w,
            a,
            c,
            algorithm: best.algorithm,
        })
    }
}

fn describe(call: &GemmCall) -> String {
    format!(
        "a product of cuBLASLt, {} x {} x {}",
        call.m, call.n, call.k
    )
}

fn make(
    create: impl FnOnce(*mut Handle) -> Code,
    destroy: unsafe extern "C" fn(Handle) -> Code,
    doing: &str,
) -> Result<Owned, GpuError> {
    let mut handle = ptr::null_mut();
    check(create(&mut handle), || doing.to_owned())?;
    Ok(Owned { handle, destroy })
}

/// The status codes of cublas_api.h, the ones that are met.
fn check(code: Code, doing: impl FnOnce() -> String) -> Result<(), GpuError> {
    let said = match code {
        0 => return Ok(()),
        1 => "the library was not started",
        3 => "no memory for the library",
        7 => "a value that it does not take",
        8 => "this device lacks what it needs",
        13 => "the product failed on the device",
        14 => "an internal error",
        15 => "not supported",
        _ => "an error",
    };
    Err(GpuError::failed(format!(
        "{}: {said} (status {code})",
        doing()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_read_as_the_library_writes_them() {
        // cublasLtGetVersion of the wheel 12.9.1.4 is 120901.
        assert_eq!(version_text(120_901), "12.9.1");
    }

    #[test]
    fn a_plan_is_for_a_shape_and_an_alignment() {
        let call = GemmCall {
            bf16: true,
            a: 0x1000,
            w: 0x2010,
            c: 0x3002,
            m: 1,
            n: 2,
            k: 3,
        };
        assert_eq!(Key::of(&call).alignment, [16, 256, 2]);
        let other = GemmCall { m: 2, ..call };
        assert_ne!(Key::of(&call), Key::of(&other));
    }
}
