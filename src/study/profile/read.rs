//! Which format a file has: by its first bytes, by its head, never by its name.

use super::json::Json;
use super::perfetto::Packets;
use super::pytorch::Traces;
use super::roofline::MeasuredRoofs;
use super::table::{Among, Head, Rows, Table};
use super::{Profile, ProfileError, Tool, amd, analyze, clock, nvidia, roofline};

/// Lines before the head: what tools say about their progress.
const PREAMBLE: usize = 10_000;

/// Columns that only this file has, newest format first.
const HEADS: &[(Tool, &[&str])] = &[
    (
        Tool::Rocprofv3Counters,
        &["Dispatch_Id", "Counter_Name", "Counter_Value"],
    ),
    (
        Tool::Rocprofv3Trace,
        &["Kernel_Name", "Start_Timestamp", "End_Timestamp", "Kind"],
    ),
    (
        Tool::RocprofCompute,
        &["Dispatch_ID", "Kernel_Name", "Start_Timestamp"],
    ),
    (Tool::RocprofResults, &["KernelName", "DurationNs"]),
    (
        Tool::Rocprofv3Stats,
        &["Name", "Calls", "TotalDurationNs", "MinNs"],
    ),
    (Tool::RocprofStats, &["Name", "Calls", "TotalDurationNs"]),
    (Tool::Nsys, &["Instances", "Name"]),
    (
        Tool::NcuDetails,
        &["Kernel Name", "Metric Name", "Metric Value"],
    ),
    (Tool::Ncu, &["ID", "Kernel Name"]),
];

/// Bytes from which the format is told.
const FIRST: usize = 1 << 16;

/// Longest line.
const LONGEST: usize = 1 << 22;

/// Reads what a profiler wrote.
///
/// # Errors
/// [`ProfileError`]: a format that is not known, or known and kept in a
/// database or in binary, with the command that turns it into one that is read;
/// a row or a number that cannot be read, with its place.
pub fn read(bytes: &[u8]) -> Result<Profile, ProfileError> {
    let mut reader = Reader::new();
    reader.feed(bytes)?;
    match reader.finish()? {
        Found::Profile(profile) => Ok(*profile),
        Found::Roofs(_) => Err(ProfileError::whole(
            "these are measured roofs (roofline.csv) and no kernels; pmc_perf.csv of the same folder has the kernels",
        )),
    }
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// Kernels.
    Profile(Box<Profile>),
    /// Measured roofs.
    Roofs(Vec<MeasuredRoofs>),
}

/// Reads a file as its bytes come. What is kept is bounded, however long the file is:
/// one row or one event, the sums of every kernel, and so many launches.
pub struct Reader {
    state: State,
}

enum State {
    /// Too little to tell.
    Start(Vec<u8>),
    Json(Box<(Json, Traces)>),
    Text(Box<Text>),
    Packets(Box<Packets>),
}

impl Default for Reader {
    fn default() -> Self {
        Self::new()
    }
}

impl Reader {
    /// A reader at the start of a file.
    pub fn new() -> Self {
        Self {
            state: State::Start(Vec::new()),
        }
    }

    /// More of the file.
    ///
    /// # Errors
    /// Those of [`read`], as soon as they can be told.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), ProfileError> {
        if let State::Start(held) = &mut self.state {
            held.extend_from_slice(bytes);
            if held.len() >= FIRST {
                self.decide()?;
            }
            return Ok(());
        }
        self.more(bytes)
    }

    fn more(&mut self, bytes: &[u8]) -> Result<(), ProfileError> {
        match &mut self.state {
            State::Start(_) => Ok(()),
            State::Json(reader) => {
                let (json, traces) = &mut **reader;
                json.feed(bytes, traces)
            }
            State::Text(text) => text.feed(bytes),
            State::Packets(packets) => packets.feed(bytes),
        }
    }

    /// What the format is, by the first bytes.
    fn decide(&mut self) -> Result<(), ProfileError> {
        let State::Start(held) = &mut self.state else {
            return Ok(());
        };
        let held = std::mem::take(held);
        if let Some(way_out) = binary(&held) {
            return Err(ProfileError::whole(way_out));
        }
        let from = match held.starts_with(&[0xef, 0xbb, 0xbf]) {
            true => 3,
            false => 0,
        };
        let bytes = held.get(from..).unwrap_or_default();
        let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
        self.state = match first {
            _ if Packets::begins(&held) => State::Packets(Box::new(Packets::new())),
            Some(b'{' | b'[') => State::Json(Box::new((Json::new(), Traces::new()))),
            _ => State::Text(Box::default()),
        };
        self.more(bytes)
    }

    /// What the file holds.
    ///
    /// # Errors
    /// Those of [`read`].
    pub fn finish(mut self) -> Result<Found, ProfileError> {
        self.decide()?;
        let profile = match self.state {
            State::Json(reader) => {
                let (json, traces) = *reader;
                let (line, column) = json.place();
                traces
                    .finish(json.is_over())
                    .map_err(|e| match json.is_over() {
                        true => e,
                        false => ProfileError::at(
                            line,
                            column.max(1),
                            format!("the file ends in the middle; {e}"),
                        ),
                    })
            }
            State::Text(text) => return text.finish(),
            State::Packets(packets) => packets.finish(),
            State::Start(_) => Err(unknown("")),
        }?;
        Ok(Found::Profile(Box::new(profile)))
    }
}

/// What is made of the lines behind a head.
enum Body {
    Table(Table),
    Roofs(roofline::Roofline),
    Analyze(Box<analyze::Analyze>),
    Clock(clock::Clock),
}

/// A file of lines.
#[derive(Default)]
struct Text {
    /// The line that is not whole yet.
    rest: Vec<u8>,
    number: usize,
    body: Option<Body>,
    /// What stands in front of a head, to say what the file is where there is none.
    front: String,
    generated: bool,
}

impl Text {
    fn feed(&mut self, mut bytes: &[u8]) -> Result<(), ProfileError> {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            let (line, behind) = bytes.split_at(end);
            bytes = behind.get(1..).unwrap_or_default();
            self.number += 1;
            if self.rest.is_empty() {
                self.bytes(line)?;
            } else {
                self.rest.extend_from_slice(line);
                let whole = std::mem::take(&mut self.rest);
                self.bytes(&whole)?;
            }
        }
        self.rest.extend_from_slice(bytes);
        if self.rest.len() > LONGEST {
            return Err(ProfileError::at(
                self.number + 1,
                1,
                "a line of more than 4 MiB; this is no table of a profiler",
            ));
        }
        Ok(())
    }

    fn bytes(&mut self, line: &[u8]) -> Result<(), ProfileError> {
        let text = std::str::from_utf8(line).map_err(|_| {
            ProfileError::at(
                self.number,
                1,
                "this is neither text nor a format known by its first bytes. Reports of nsys and ncu are binary: nsys stats --report cuda_gpu_kern_sum --format csv FILE, or ncu --import FILE --csv --page raw --print-units base, writes what is read here",
            )
        })?;
        self.line(text)
    }

    fn line(&mut self, line: &str) -> Result<(), ProfileError> {
        match &mut self.body {
            Some(Body::Table(table)) => table.line(line, self.number),
            Some(Body::Roofs(roofs)) => roofs.line(line, self.number),
            Some(Body::Analyze(tables)) => tables.line(line, self.number),
            Some(Body::Clock(clock)) => clock.line(line, self.number),
            None if self.number > PREAMBLE => Ok(()),
            None => {
                if self.front.len() < FIRST {
                    self.front.push_str(line);
                    self.front.push('\n');
                }
                self.generated |= line.contains(super::sample::MARK);
                self.body = body(line.trim(), self.number, self.generated)?;
                Ok(())
            }
        }
    }

    fn finish(mut self) -> Result<Found, ProfileError> {
        if !self.rest.is_empty() {
            self.number += 1;
            let rest = std::mem::take(&mut self.rest);
            self.bytes(&rest)?;
        }
        let profile = match self.body {
            Some(Body::Table(table)) => table.finish(),
            Some(Body::Roofs(roofs)) => return roofs.finish().map(Found::Roofs),
            Some(Body::Analyze(tables)) => tables.finish(),
            Some(Body::Clock(clock)) => clock.finish(),
            None => Err(unknown(&self.front)),
        }?;
        Ok(Found::Profile(Box::new(profile)))
    }
}

/// What reads the lines behind this one, if it is a head.
fn body(line: &str, number: usize, generated: bool) -> Result<Option<Body>, ProfileError> {
    if let Some(tables) = analyze::Analyze::begins(line) {
        return Ok(Some(Body::Analyze(Box::new(tables))));
    }
    if let Some(clock) = clock::Clock::begins(line) {
        return Ok(Some(Body::Clock(clock)));
    }
    let Some(head) = Head::of(line, number) else {
        return Ok(None);
    };
    if head.has(&roofline::HEAD) {
        return Ok(Some(Body::Roofs(roofline::Roofline::new(head))));
    }
    let known = HEADS.iter().find(|(_, columns)| head.has(columns));
    let Some((tool, _)) = known else {
        return Ok(None);
    };
    let tool = *tool;
    let rows: Box<dyn Rows> = match tool {
        Tool::Nsys | Tool::RocprofStats | Tool::Rocprofv3Stats => {
            Box::new(nvidia::Totals::new(tool, &head, generated)?)
        }
        Tool::Ncu => Box::new(nvidia::Raw::new(&head, generated)?),
        Tool::NcuDetails => Box::new(nvidia::Details::new(&head, generated)?),
        Tool::Rocprofv3Counters => Box::new(amd::Counters::new(&head)?),
        _ => Box::new(amd::Launches::new(tool, &head)?),
    };
    let among = match tool {
        // nsys may write one report after another.
        Tool::Nsys => Among::Reports,
        Tool::Ncu | Tool::NcuDetails => Among::Output,
        _ => Among::Nothing,
    };
    Ok(Some(Body::Table(Table::new(head, among, rows))))
}

/// Why nothing could be read: no head of any tool.
fn unknown(text: &str) -> ProfileError {
    if text.trim().is_empty() {
        return ProfileError::whole(
            "the file is empty; was the program profiled to its end, and on a GPU?",
        );
    }
    if text.contains("ERR_NVGPUCTRPERM") {
        return ProfileError::whole(
            "ncu was not permitted to read the counters (ERR_NVGPUCTRPERM); an administrator permits it with NVreg_RestrictProfilingToAdminUsers=0 for the driver's module, or root runs it",
        );
    }
    let head = text.lines().find_map(|line| Head::of(line.trim(), 1));
    if head.is_some_and(|head| head.find(&["Total Time (us)", "Total Time (ms)"]).is_some()) {
        return ProfileError::whole(
            "times of nsys in another unit than nanoseconds; leave --timeunit out, and export it again",
        );
    }
    let all: Vec<&str> = Tool::ALL
        .into_iter()
        .chain(Tool::READ)
        .map(Tool::title)
        .collect();
    ProfileError::at(
        1,
        1,
        format!(
            "no line is the head of a format that is known. Known are: {}",
            all.join("; ")
        ),
    )
}

/// What a binary file is, and the command that makes text of it.
fn binary(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"SQLite format 3\0") {
        return Some(
            "this is a database. rocprofv3 writes one by default since ROCm 7: rocpd convert -i FILE --output-format csv makes kernel_stats.csv and kernel_trace.csv of it. One of nsys: nsys stats --report cuda_gpu_kern_sum --format csv FILE",
        );
    }
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return Some("this is compressed; unpack it with gunzip");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_names_the_command_that_makes_it_readable() {
        let said = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
        assert!(said(b"SQLite format 3\0....").contains("rocpd convert -i FILE"));
        assert!(said(b"\x1f\x8b\x08\0").contains("gunzip"));
        assert!(said(b"\x7fELF\xff\xfe").contains("nsys stats --report"));
        assert!(said(b" \n").contains("empty"));
        assert!(said(b"==ERROR== ERR_NVGPUCTRPERM - ...\n").contains("administrator"));
        assert!(said(b"a,b\n1,2\n").starts_with("1:1: no line is the head"));
        assert!(said(b"{\"rocprofiler-sdk-tool\":[]}").contains("no traceEvents"));
    }
}
