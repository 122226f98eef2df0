//! Opens libraries at run time and finds their functions by name.

use std::fs;
use std::path::{Path, PathBuf};

use libloading::Library;

/// A table of a library's functions, found by name when it is opened: a name
/// that it lacks is told, and results are numbers, as a newer library may know
/// codes that an enum has not. Optional ones are there in newer versions only.
macro_rules! functions {
    (
        $(#[$about:meta])*
        struct $table:ident;
        $(fn $name:ident($($argument:ty),* $(,)?);)*
        $(optional fn $extra:ident($($taken:ty),* $(,)?);)*
    ) => {
        $(#[$about])*
        #[allow(non_snake_case, reason = "the library's names")]
        #[derive(Clone, Copy)]
        pub(super) struct $table {
            $(pub $name: unsafe extern "C" fn($($argument),*) -> std::ffi::c_int,)*
            $(pub $extra: Option<unsafe extern "C" fn($($taken),*) -> std::ffi::c_int>,)*
        }

        impl $table {
            /// # Errors
            /// The first name that the library lacks.
            fn of(library: &'static libloading::Library) -> Result<Self, &'static str> {
                Ok(Self {
                    $($name: {
                        // SAFETY: where the name is exported, it has the
                        // signature of the library's header.
                        let symbol = unsafe {
                            library.get(concat!(stringify!($name), "\0").as_bytes())
                        };
                        *symbol.map_err(|_| stringify!($name))?
                    },)*
                    $($extra: {
                        // SAFETY: as above.
                        let symbol = unsafe {
                            library.get(concat!(stringify!($extra), "\0").as_bytes())
                        };
                        symbol.ok().map(|symbol| *symbol)
                    },)*
                })
            }
        }
    };
}
pub(in crate::gpu) use functions;

/// An open library, which is never closed.
pub struct Opened {
    pub library: &'static Library,
    /// Its path, or its name where the system does not tell the path.
    pub place: PathBuf,
}

/// Opens the first candidate, a path or a name that the system looks up, that
/// is a library; `None` where none is.
pub fn first(candidates: &[PathBuf]) -> Option<Opened> {
    candidates.iter().find_map(|file| {
        let library = keep(file)?;
        let place = if file.is_absolute() {
            file.clone()
        } else {
            mapped(file).unwrap_or_else(|| file.clone())
        };
        Some(Opened { library, place })
    })
}

/// Where the system found a library that it has just opened by name.
fn mapped(name: &Path) -> Option<PathBuf> {
    let name = name.to_str()?;
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    let path = |line: &str| line.find('/').map(|at| PathBuf::from(&line[at..]));
    maps.lines().filter_map(path).find(|path| {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        file.starts_with(name)
    })
}

/// Opens a library for as long as the process lives: functions and memory of it
/// are in use until the end.
pub fn keep(file: &Path) -> Option<&'static Library> {
    // SAFETY: a library of a GPU vendor, by its name or in its folder, or one that a
    // profiler names; opening it runs its initialisers and nothing of ours.
    let library = unsafe { Library::new(file) }.ok()?;
    Some(Box::leak(Box::new(library)))
}
