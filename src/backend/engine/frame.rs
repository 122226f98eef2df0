//! Frames on a pipe: four bytes of length, little-endian, then that much JSON.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Longest frame. Token ids are the largest thing that crosses.
const LONGEST: u32 = 64 << 20;

/// Writes one value.
///
/// # Errors
/// A value too long for a frame, or a pipe that nobody reads.
pub fn write_frame(to: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    let json = serde_json::to_vec(value)?;
    let length = u32::try_from(json.len())
        .ok()
        .filter(|length| *length <= LONGEST)
        .ok_or_else(|| io::Error::other(format!("{} bytes do not fit a frame", json.len())))?;
    // One write, so that a frame is never interleaved with another's.
    let mut bytes = Vec::with_capacity(json.len() + 4);
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(&json);
    to.write_all(&bytes)?;
    to.flush()
}

/// Reads one value; `None` where the pipe was closed between two frames.
///
/// # Errors
/// A pipe that breaks or is closed inside a frame, and bytes that are none.
pub fn read_frame<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut head = Vec::with_capacity(4);
    from.by_ref().take(4).read_to_end(&mut head)?;
    let Ok(head) = <[u8; 4]>::try_from(head.as_slice()) else {
        return match head.is_empty() {
            true => Ok(None),
            false => Err(cut_short()),
        };
    };
    let length = u32::from_le_bytes(head);
    if length > LONGEST {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("a frame of {length} bytes is longer than any"),
        ));
    }
    // Grown as bytes come: a length alone reserves nothing.
    let mut json = Vec::new();
    from.by_ref()
        .take(u64::from(length))
        .read_to_end(&mut json)?;
    if json.len() < length as usize {
        return Err(cut_short());
    }
    Ok(Some(serde_json::from_slice(&json)?))
}

fn cut_short() -> io::Error {
    io::Error::new(
        io::ErrorKind::UnexpectedEof,
        "the pipe was closed inside a frame",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::run::{Answer, Phase, Progress};
    use proptest::prelude::*;

    #[test]
    fn frames_follow_one_another() {
        let said = [
            Answer::Hello { build: "1".into() },
            Answer::Progress(
                1,
                Progress::new(Phase::Compile, 0, 3).about("flash for sm_90a"),
            ),
        ];
        let mut wire = Vec::new();
        for answer in &said {
            write_frame(&mut wire, answer).unwrap();
        }
        let mut from = wire.as_slice();
        for answer in said {
            assert_eq!(read_frame::<Answer>(&mut from).unwrap(), Some(answer));
        }
        assert_eq!(read_frame::<Answer>(&mut from).unwrap(), None);
        let cut = &wire[..wire.len() - 1];
        let mut from = cut;
        read_frame::<Answer>(&mut from).unwrap();
        assert_eq!(
            read_frame::<Answer>(&mut from).unwrap_err().kind(),
            io::ErrorKind::UnexpectedEof
        );
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let read = read_frame::<Answer>(&mut bytes.as_slice());
            prop_assert!(bytes.is_empty() || read.is_err());
        }
    }
}
