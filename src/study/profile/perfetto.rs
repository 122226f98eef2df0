//! Perfetto's protobuf, as rocprof-sys (`perfetto-trace.proto`) and rocprofv3
//! (`--output-format pftrace`) write it: packets one behind another, of which the slices of
//! kernels and copies are kept. Field numbers and rules (interned names, clocks that
//! count on) are those of Perfetto's own `trace_packet.proto`, names of categories those
//! of AMD's writers; no file of a device was at hand.

use std::collections::HashMap;

use prost::Message;

use super::gathered::{Gathered, Launch};
use super::pytorch::on_device;
use super::{Profile, ProfileError, Resources, Tool};

/// Longest packet.
const LONGEST: usize = 1 << 24;

/// Most tracks, and most open slices of one.
const MOST: usize = 1 << 16;

#[derive(Clone, PartialEq, Message)]
struct Packet {
    #[prost(message, optional, tag = "6")]
    clocks: Option<Clocks>,
    #[prost(uint64, optional, tag = "8")]
    timestamp: Option<u64>,
    #[prost(uint32, tag = "10")]
    sequence: u32,
    #[prost(message, optional, tag = "11")]
    event: Option<Event>,
    #[prost(message, optional, tag = "12")]
    interned: Option<Interned>,
    #[prost(uint32, tag = "13")]
    flags: u32,
    #[prost(uint32, optional, tag = "58")]
    clock: Option<u32>,
    #[prost(message, optional, tag = "59")]
    defaults: Option<Defaults>,
    #[prost(message, optional, tag = "60")]
    track: Option<Track>,
}

#[derive(Clone, PartialEq, Message)]
struct Clocks {
    #[prost(message, repeated, tag = "1")]
    clocks: Vec<Clock>,
}

#[derive(Clone, PartialEq, Message)]
struct Clock {
    #[prost(uint32, tag = "1")]
    id: u32,
    #[prost(uint64, tag = "2")]
    timestamp: u64,
    #[prost(bool, tag = "3")]
    incremental: bool,
    #[prost(uint64, tag = "4")]
    unit_ns: u64,
}

#[derive(Clone, PartialEq, Message)]
struct Event {
    #[prost(uint64, repeated, tag = "3")]
    category_iids: Vec<u64>,
    #[prost(int32, tag = "9")]
    kind: i32,
    #[prost(uint64, tag = "10")]
    name_iid: u64,
    #[prost(uint64, optional, tag = "11")]
    track: Option<u64>,
    #[prost(string, repeated, tag = "22")]
    categories: Vec<String>,
    #[prost(string, tag = "23")]
    name: String,
}

#[derive(Clone, PartialEq, Message)]
struct Interned {
    #[prost(message, repeated, tag = "1")]
    categories: Vec<Name>,
    #[prost(message, repeated, tag = "2")]
    names: Vec<Name>,
}

#[derive(Clone, PartialEq, Message)]
struct Name {
    #[prost(uint64, tag = "1")]
    iid: u64,
    #[prost(string, tag = "2")]
    name: String,
}

#[derive(Clone, PartialEq, Message)]
struct Defaults {
    #[prost(message, optional, tag = "11")]
    event: Option<EventDefaults>,
    #[prost(uint32, optional, tag = "58")]
    clock: Option<u32>,
}

#[derive(Clone, PartialEq, Message)]
struct EventDefaults {
    #[prost(uint64, optional, tag = "11")]
    track: Option<u64>,
}

#[derive(Clone, PartialEq, Message)]
struct Track {
    #[prost(uint64, tag = "1")]
    uuid: u64,
    #[prost(string, tag = "2")]
    name: String,
}

/// What the packets of one writer have said so far.
#[derive(Default)]
struct Sequence {
    categories: HashMap<u64, String>,
    names: HashMap<u64, String>,
    /// Clocks that count on: the last time, and the unit in ns.
    clocks: HashMap<u32, (u64, u64)>,
    clock: Option<u32>,
    track: Option<u64>,
}

/// Reads packets as their bytes come.
pub(super) struct Packets {
    rest: Vec<u8>,
    packets: usize,
    sequences: HashMap<u32, Sequence>,
    tracks: HashMap<u64, String>,
    /// Slices that have begun, by track: the kernel and the start, none for what is no
    /// kernel.
    open: HashMap<u64, Vec<Option<(String, u64)>>>,
    all: Gathered,
}

/// Length of the first packet, and of what stands before it; none where there is too
/// little to tell.
fn frame(bytes: &[u8]) -> Result<Option<(usize, usize)>, ()> {
    let Some((tag, rest)) = bytes.split_first() else {
        return Ok(None);
    };
    // Field 1, of a length of its own.
    if *tag != 0x0a {
        return Err(());
    }
    let mut length = 0_usize;
    for (at, byte) in rest.iter().enumerate().take(5) {
        length |= usize::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return match length <= LONGEST {
                true => Ok(Some((2 + at, length))),
                false => Err(()),
            };
        }
    }
    match rest.len() < 5 {
        true => Ok(None),
        false => Err(()),
    }
}

impl Packets {
    pub(super) fn new() -> Self {
        Self {
            rest: Vec::new(),
            packets: 0,
            sequences: HashMap::new(),
            tracks: HashMap::new(),
            open: HashMap::new(),
            all: Gathered::new(Tool::RocprofSys, false),
        }
    }

    /// Whether a file that begins so holds packets: the first is whole and reads as one, and
    /// it is no text.
    pub(super) fn begins(bytes: &[u8]) -> bool {
        let Ok(Some((from, length))) = frame(bytes) else {
            return false;
        };
        let text = bytes
            .iter()
            .take(from + length)
            .all(|b| b.is_ascii_graphic() || b.is_ascii_whitespace());
        let first = bytes.get(from..from + length);
        !text && length > 0 && first.is_some_and(|packet| Packet::decode(packet).is_ok())
    }

    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<(), ProfileError> {
        self.rest.extend_from_slice(bytes);
        let mut at = 0;
        loop {
            let rest = self.rest.get(at..).unwrap_or_default();
            let broken = || {
                ProfileError::whole(format!(
                    "packet {} of this Perfetto trace cannot be read; the file is damaged: write it again",
                    self.packets + 1
                ))
            };
            let Some((from, length)) = frame(rest).map_err(|()| broken())? else {
                break;
            };
            let Some(packet) = rest.get(from..from + length) else {
                break;
            };
            let packet = Packet::decode(packet).map_err(|_| broken())?;
            at += from + length;
            self.packets += 1;
            self.packet(packet)?;
        }
        self.rest.drain(..at);
        Ok(())
    }

    fn packet(&mut self, packet: Packet) -> Result<(), ProfileError> {
        if let Some(track) = packet.track
            && self.tracks.len() < MOST
        {
            self.tracks.insert(track.uuid, track.name);
        }
        if self.sequences.len() >= MOST {
            return Ok(());
        }
        let sequence = self.sequences.entry(packet.sequence).or_default();
        // What was interned before holds no longer.
        if packet.flags & 1 != 0 {
            *sequence = Sequence::default();
        }
        if let Some(defaults) = packet.defaults {
            sequence.clock = defaults.clock.or(sequence.clock);
            sequence.track = defaults
                .event
                .and_then(|event| event.track)
                .or(sequence.track);
        }
        for clock in packet.clocks.into_iter().flat_map(|clocks| clocks.clocks) {
            if clock.incremental {
                let unit = clock.unit_ns.max(1);
                sequence
                    .clocks
                    .insert(clock.id, (clock.timestamp.saturating_mul(unit), unit));
            }
        }
        if let Some(interned) = packet.interned {
            sequence.categories.extend(
                interned
                    .categories
                    .into_iter()
                    .map(|name| (name.iid, name.name)),
            );
            sequence
                .names
                .extend(interned.names.into_iter().map(|name| (name.iid, name.name)));
        }
        let now = packet.timestamp.map(|timestamp| {
            let clock = packet.clock.or(sequence.clock);
            match clock.and_then(|id| sequence.clocks.get_mut(&id)) {
                Some((last, unit)) => {
                    *last = last.saturating_add(timestamp.saturating_mul(*unit));
                    *last
                }
                None => timestamp,
            }
        });
        let (Some(event), Some(now)) = (packet.event, now) else {
            return Ok(());
        };
        let Some(track) = event.track.or(sequence.track) else {
            return Ok(());
        };
        match event.kind {
            1 => {
                let interned = event
                    .category_iids
                    .iter()
                    .filter_map(|iid| sequence.categories.get(iid));
                let kernel = event
                    .categories
                    .iter()
                    .chain(interned)
                    .any(|name| on_device(name).is_some());
                let name = match event.name.is_empty() {
                    true => sequence
                        .names
                        .get(&event.name_iid)
                        .cloned()
                        .unwrap_or_default(),
                    false => event.name,
                };
                if self.open.len() < MOST {
                    let open = self.open.entry(track).or_default();
                    if open.len() < MOST {
                        open.push(kernel.then_some((name, now)));
                    }
                }
            }
            2 => {
                let begun = self.open.get_mut(&track).and_then(Vec::pop).flatten();
                if let Some((name, start)) = begun {
                    self.slice(&name, start, now, track)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn slice(&mut self, name: &str, start: u64, end: u64, track: u64) -> Result<(), ProfileError> {
        let kernel = self.all.kernel(name, Resources::default())?;
        let stream = self
            .tracks
            .get(&track)
            .cloned()
            .unwrap_or_else(|| track.to_string());
        // "COMPUTE AGENT [4] QUEUE [0] (GPU)": the device is the agent.
        let device = stream
            .split_once("AGENT [")
            .and_then(|(_, rest)| rest.split_once(']'));
        let device = device.map_or("", |(agent, _)| agent);
        let span = (start <= end).then_some((start, end));
        self.all.launch(&Launch {
            kernel,
            span,
            ns: span.map(|(start, end)| (end - start) as f64),
            device,
            stream: &stream,
            grid: [0; 3],
        });
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<Profile, ProfileError> {
        if !self.rest.is_empty() {
            self.all.cut_short();
        }
        if self.all.is_empty() {
            return Err(ProfileError::whole(format!(
                "no slice among the {} packets of this Perfetto trace is a kernel; rocprof-sys traces them with ROCPROFSYS_ROCM_DOMAINS=kernel_dispatch",
                self.packets
            )));
        }
        self.all.finish()
    }
}

#[cfg(test)]
mod tests {
    use crate::profile::{Profile, ProfileError, read};

    /// Bytes of the wire, by its rules and not by the crate that reads them: a tag is the
    /// field's number and 0 for a number, 2 for something with a length.
    fn number(field: u64, value: u64) -> Vec<u8> {
        [varint(field << 3), varint(value)].concat()
    }

    fn bytes(field: u64, inner: &[u8]) -> Vec<u8> {
        [
            varint(field << 3 | 2),
            varint(inner.len() as u64),
            inner.to_vec(),
        ]
        .concat()
    }

    fn varint(mut value: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        while value >= 0x80 {
            bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        bytes.push(value as u8);
        bytes
    }

    fn packet(fields: &[Vec<u8>]) -> Vec<u8> {
        bytes(1, &[fields.concat(), number(10, 1)].concat())
    }

    fn event(time: u64, kind: u64, more: &[Vec<u8>]) -> Vec<u8> {
        let event = [number(9, kind), number(11, 77), more.concat()].concat();
        packet(&[number(8, time), bytes(11, &event)])
    }

    /// A queue's track, a clock that counts on from 1000 in ns, an interned category and
    /// name; a kernel of 40 ns, a call of the host, a kernel of 5 ns.
    fn trace() -> Vec<u8> {
        let track = [
            number(1, 77),
            bytes(2, b"COMPUTE AGENT [4] QUEUE [0] (GPU)"),
        ]
        .concat();
        let clock = [number(1, 64), number(2, 1000), number(3, 1), number(4, 1)].concat();
        let name = |iid: u64, name: &[u8]| [number(1, iid), bytes(2, name)].concat();
        let interned = [
            bytes(1, &name(1, b"kernel_dispatch")),
            bytes(1, &name(2, b"hip_api")),
            bytes(2, &name(9, b"add.kd")),
        ]
        .concat();
        [
            packet(&[bytes(60, &track)]),
            packet(&[
                number(13, 1),
                bytes(59, &number(58, 64)),
                bytes(6, &bytes(1, &clock)),
                bytes(12, &interned),
            ]),
            event(10, 1, &[number(3, 1), number(10, 9)]),
            event(40, 2, &[]),
            event(1, 1, &[number(3, 2), bytes(23, b"hipLaunchKernel")]),
            event(1, 2, &[]),
            event(
                100,
                1,
                &[bytes(22, b"kernel_dispatch"), bytes(23, b"mul.kd")],
            ),
            event(5, 2, &[]),
        ]
        .concat()
    }

    #[test]
    fn slices_of_kernels_are_launches() {
        let profile = read(&trace()).unwrap();
        let names: Vec<&str> = profile
            .kernels
            .iter()
            .map(|row| row.name.as_str())
            .collect();
        assert_eq!(names, ["add.kd", "mul.kd"]);
        assert_eq!(profile.dispatches[0].span, Some((1010, 1050)));
        assert_eq!(profile.dispatches[1].span, Some((1152, 1157)));
        assert_eq!(&*profile.dispatches[0].device, "4");
    }

    #[test]
    fn a_damaged_trace_is_named_and_one_cut_short_is_read_to_its_end() {
        let whole = trace();
        let cut = read(whole.get(..whole.len() - 4).unwrap()).unwrap();
        assert!(cut.cut_short && cut.calls() == 1);
        let said = |bytes: &[u8]| -> Result<Profile, ProfileError> { read(bytes) };
        let broken = [whole.as_slice(), &[0x0b, 1, 2]].concat();
        assert!(said(&broken).unwrap_err().message.contains("packet 9"));
        let none = packet(&[number(8, 5), bytes(60, &number(1, 300))]);
        assert!(said(&none).unwrap_err().message.contains("ROCM_DOMAINS"));
    }
}
