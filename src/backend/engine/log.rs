//! The end of what the engine wrote on its standard streams.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Lines that are kept.
const LINES: usize = 24;
/// Longest part of a line that is kept, in bytes.
const WIDTH: usize = 400;
/// Lines that go into a message.
const TOLD: usize = 3;
/// How long a dead engine's last words are waited for: at once there, but on a busy machine,
/// and where something that the engine started holds the stream open.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Reads a stream to its end on a thread of its own, and keeps the last lines.
pub(super) struct Log {
    lines: Arc<Mutex<VecDeque<String>>>,
    reader: JoinHandle<()>,
}

impl Log {
    /// Begins to read.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(super) fn of(stream: impl Read + Send + 'static) -> std::io::Result<Self> {
        let lines = Arc::new(Mutex::new(VecDeque::new()));
        let kept = Arc::clone(&lines);
        let reader = thread::Builder::new()
            .name("engine log".to_owned())
            .spawn(move || read(stream, &kept))?;
        Ok(Self { lines, reader })
    }

    /// The last lines in one, empty where there are none. To be asked when the
    /// engine is dead.
    pub(super) fn tail(&self) -> String {
        // A process that the engine started may hold the stream open.
        let until = Instant::now() + LAST_WORDS;
        while !self.reader.is_finished() && Instant::now() < until {
            thread::sleep(Duration::from_millis(5));
        }
        let lines = lock(&self.lines);
        let last = lines.len().saturating_sub(TOLD);
        let told: Vec<&str> = lines.iter().skip(last).map(String::as_str).collect();
        told.join(" / ")
    }
}

fn read(stream: impl Read, kept: &Mutex<VecDeque<String>>) {
    let mut stream = BufReader::new(stream);
    let mut line = Vec::new();
    loop {
        line.clear();
        // A line without an end takes no more than its part of memory.
        let read = stream
            .by_ref()
            .take(WIDTH as u64)
            .read_until(b'\n', &mut line);
        if !matches!(read, Ok(n) if n > 0) {
            return;
        }
        let text = printable(&String::from_utf8_lossy(&line));
        if !text.is_empty() {
            let mut lines = lock(kept);
            if lines.len() == LINES {
                lines.pop_front();
            }
            lines.push_back(text);
        }
    }
}

fn lock(lines: &Mutex<VecDeque<String>>) -> MutexGuard<'_, VecDeque<String>> {
    lines.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The words of a line, without what a terminal would obey.
fn printable(line: &str) -> String {
    let plain: String = line
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_kept_without_controls() {
        let text: String = (0..100).map(|n| format!("line {n}\n\n")).collect();
        let log = Log::of(std::io::Cursor::new(
            text + "\x1b[31mCUDA error\x07:\tillegal address",
        ))
        .unwrap();
        assert_eq!(
            log.tail(),
            "line 98 / line 99 / [31mCUDA error : illegal address"
        );
    }

    #[test]
    fn an_endless_line_stays_small() {
        let log = Log::of(std::io::repeat(b'x').take(1 << 20)).unwrap();
        let tail = log.tail();
        assert!(tail.len() > WIDTH && tail.len() <= TOLD * WIDTH + 6);
    }
}
