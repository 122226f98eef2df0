//! A file of a profiler, read as it comes: any length, compressed or not.

use std::io::{self, IsTerminal as _, Read};
use std::path::Path;
use std::time::{Duration, Instant};

use super::super::failure::Failure;
use super::super::out::tell;
use files::plain;
use study::profile::{Found, Profile, Reader};

/// Bytes that are read at once.
const PIECE: usize = 1 << 20;

/// From when on, and how often, the reader says how far it is.
const EVERY: Duration = Duration::from_millis(500);

/// How many bytes of the file have gone by.
struct Counted<R> {
    from: R,
    read: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(into)?;
        self.read += read as u64;
        Ok(read)
    }
}

/// What a file holds.
pub(super) fn open(path: &Path) -> Result<Found, Failure> {
    let shown = path.display();
    let unread = |e: &io::Error| Failure::usage(format!("{shown} cannot be read: {}", plain(e)));
    let mut file = files::open(path).map_err(|e| unread(&e))?;
    let length = file.metadata().map_err(|e| unread(&e))?.len();
    let mut magic = [0; 2];
    let compressed = file.read_exact(&mut magic).is_ok() && magic == [0x1f, 0x8b];
    let file = files::open(path).map_err(|e| unread(&e))?;
    let counted = Counted {
        from: file,
        read: 0,
    };
    match compressed {
        true => {
            let unpacked = flate2::read::MultiGzDecoder::new(counted);
            feed(path, length, unpacked, "unpacked", |from| {
                from.get_ref().read
            })
        }
        false => feed(path, length, counted, "read", |from| from.read),
    }
}

fn feed<R: Read>(
    path: &Path,
    length: u64,
    mut from: R,
    done: &str,
    read: impl Fn(&R) -> u64,
) -> Result<Found, Failure> {
    let shown = path.display();
    let wrong = |e: study::profile::ProfileError| {
        let place = if e.line == 0 { ": " } else { ":" };
        Failure::usage(format!("{shown}{place}{e}"))
    };
    let watched = io::stderr().is_terminal();
    let mut told = Instant::now();
    let mut any = false;
    let mut reader = Reader::new();
    let mut piece = vec![0; PIECE];
    let (mut cut_short, mut pieces) = (false, 0_u64);
    loop {
        let got = match from.read(&mut piece) {
            Ok(got) => got,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            // A compressed file that ends in the middle: what came before is read.
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof && pieces > 0 => {
                cut_short = true;
                0
            }
            Err(e) => {
                return Err(Failure::usage(format!(
                    "{shown} cannot be {done}: {}",
                    plain(&e)
                )));
            }
        };
        let Some(bytes) = piece.get(..got).filter(|bytes| !bytes.is_empty()) else {
            break;
        };
        pieces += 1;
        reader.feed(bytes).map_err(wrong)?;
        if watched && told.elapsed() >= EVERY {
            (told, any) = (Instant::now(), true);
            tell(&format!(
                "\rreading {shown}: {} of {} MB ",
                read(&from) >> 20,
                length >> 20
            ));
        }
    }
    if any {
        tell("\r\x1b[K");
    }
    let mut found = reader.finish().map_err(wrong)?;
    if let Found::Profile(profile) = &mut found {
        profile.cut_short |= cut_short;
    }
    Ok(found)
}

/// The kernels of a file; roofs are an error here.
pub(super) fn profile(path: &Path) -> Result<Profile, Failure> {
    match open(path)? {
        Found::Profile(profile) => Ok(*profile),
        Found::Roofs(_) => Err(Failure::usage(format!(
            "{} holds measured roofs and no kernels; it is read alone",
            path.display()
        ))),
    }
}
