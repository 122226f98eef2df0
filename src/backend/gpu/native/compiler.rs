//! A compiler in a library, NVRTC or HIPRTC: one program from its source to what
//! was built, with the same calls under two names.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;

use super::super::compile::{Built, CompilerError};
use super::Code;

/// A program of the compiler's.
pub type Program = *mut c_void;

/// Writes how many bytes there are; writes the bytes.
pub type Pair = (
    unsafe extern "C" fn(Program, *mut usize) -> Code,
    unsafe extern "C" fn(Program, *mut c_char) -> Code,
);

/// The calls, and whose they are.
#[derive(Clone, Copy)]
pub struct Calls<'n> {
    /// The compiler, as a sentence names it.
    pub name: &'n str,
    pub create: unsafe extern "C" fn(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> Code,
    pub compile: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> Code,
    pub destroy: unsafe extern "C" fn(*mut Program) -> Code,
    pub log: Pair,
    /// What is wanted of it: machine code or assembly.
    pub image: Pair,
}

impl Calls<'_> {
    /// Compiles one source.
    ///
    /// # Errors
    /// What the compiler said.
    pub fn build(self, source: &str, options: &[String]) -> Result<Built, CompilerError> {
        let source = CString::new(source).map_err(|_| CompilerError::ZeroByte("the source"))?;
        let options: Vec<CString> = options
            .iter()
            .map(|option| CString::new(option.as_str()))
            .collect::<Result<_, _>>()
            .map_err(|_| CompilerError::ZeroByte("an option"))?;
        let pointers: Vec<*const c_char> = options.iter().map(|o| o.as_ptr()).collect();
        let program = Open::new(self, &source)?;
        // SAFETY: the program is open; as many options as are said, each ending
        // with a zero byte, all alive until the call returns.
        let code =
            unsafe { (self.compile)(program.handle, pointers.len() as c_int, pointers.as_ptr()) };
        let log = program.bytes(self.log).map(text).unwrap_or_default();
        if code != 0 {
            return Err(match log.as_str() {
                "" => CompilerError::Code(self.name.to_owned(), code),
                _ => CompilerError::Refused(log),
            });
        }
        match program.bytes(self.image) {
            Some(image) if !image.is_empty() => Ok(Built { image, log }),
            _ => Err(CompilerError::NoCode(self.name.to_owned())),
        }
    }
}

/// Up to the first zero byte.
fn text(bytes: Vec<u8>) -> String {
    let bytes: Vec<u8> = bytes.into_iter().take_while(|b| *b != 0).collect();
    String::from_utf8_lossy(&bytes).trim().to_owned()
}

/// A program that is destroyed when it goes out of scope.
struct Open<'n> {
    calls: Calls<'n>,
    handle: Program,
}

impl<'n> Open<'n> {
    fn new(calls: Calls<'n>, source: &CString) -> Result<Self, CompilerError> {
        let mut handle = ptr::null_mut();
        // SAFETY: the source ends with a zero byte and is copied; no headers.
        let code = unsafe {
            (calls.create)(
                &mut handle,
                source.as_ptr(),
                c"kernels".as_ptr(),
                0,
                ptr::null(),
                ptr::null(),
            )
        };
        if code != 0 {
            return Err(CompilerError::Code(calls.name.to_owned(), code));
        }
        Ok(Self { calls, handle })
    }

    /// What a pair of size and read functions gives.
    fn bytes(&self, (size, read): Pair) -> Option<Vec<u8>> {
        let mut length = 0;
        // SAFETY: the program is open; writes one size.
        if unsafe { size(self.handle, &mut length) } != 0 {
            return None;
        }
        let mut bytes = vec![0u8; length];
        // SAFETY: room for as many bytes as the function of the pair said.
        (unsafe { read(self.handle, bytes.as_mut_ptr().cast()) } == 0).then_some(bytes)
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        // SAFETY: open until here, and not used again.
        unsafe { (self.calls.destroy)(&mut self.handle) };
    }
}
