//! One stream of work: waiting, marks in time, recorded graphs.

use std::ptr;

use super::super::driver::{GpuError, GraphId, Mark};
use super::{Handle, Native};

/// Marks that may be asked about at the same time; older ones are used again.
const MARKS: usize = 4096;

/// A stream that does not wait for the default one.
const NON_BLOCKING: u32 = 1;

/// Events with a clock.
const TIMED: u32 = 0;

/// Only calls of this thread that a graph cannot hold are refused.
const THREAD_LOCAL: i32 = 1;

pub struct Stream {
    native: &'static Native,
    pub handle: Handle,
    /// At most [`MARKS`], made when first needed.
    events: Vec<Handle>,
    /// How many marks were made.
    marks: u32,
    graphs: Vec<Handle>,
    recording: bool,
}

impl Stream {
    pub fn new(native: &'static Native) -> Result<Self, GpuError> {
        let mut handle = ptr::null_mut();
        // SAFETY: writes one handle; a context is current.
        let code = unsafe { (native.calls.stream_create)(&mut handle, NON_BLOCKING) };
        native.check(code, || "making a stream".to_owned())?;
        Ok(Self {
            native,
            handle,
            events: Vec::new(),
            marks: 0,
            graphs: Vec::new(),
            recording: false,
        })
    }

    /// An error while work is recorded: `what` is not part of a graph.
    pub fn not_recording(&self, what: &str) -> Result<(), GpuError> {
        if self.recording {
            return Err(GpuError::failed(format!(
                "{what} while a graph is recorded"
            )));
        }
        Ok(())
    }

    pub fn synchronize(&mut self) -> Result<(), GpuError> {
        self.not_recording("nothing can be waited for")?;
        // SAFETY: the stream is alive.
        let code = unsafe { (self.native.calls.stream_synchronize)(self.handle) };
        self.native
            .check(code, || "the device stopped while it worked".to_owned())
    }

    pub fn mark(&mut self) -> Result<Mark, GpuError> {
        self.not_recording("time cannot be taken")?;
        let slot = self.marks as usize % MARKS;
        if slot >= self.events.len() {
            let mut event = ptr::null_mut();
            // SAFETY: writes one handle.
            let code = unsafe { (self.native.calls.event_create)(&mut event, TIMED) };
            self.native.check(code, || "making an event".to_owned())?;
            self.events.push(event);
        }
        let mark = Mark(self.marks);
        let event = self.event(mark)?;
        // SAFETY: event and stream are alive.
        let code = unsafe { (self.native.calls.event_record)(event, self.handle) };
        self.native.check(code, || "marking a time".to_owned())?;
        self.marks += 1;
        Ok(mark)
    }

    fn event(&self, mark: Mark) -> Result<Handle, GpuError> {
        let age = self.marks.checked_sub(mark.0);
        match self.events.get(mark.0 as usize % MARKS) {
            Some(event) if age.is_some_and(|age| age as usize <= MARKS) => Ok(*event),
            _ => Err(GpuError::failed(format!("mark {} is gone", mark.0))),
        }
    }

    pub fn elapsed_us(&mut self, from: Mark, to: Mark) -> Result<f64, GpuError> {
        let (first, second) = (self.event(from)?, self.event(to)?);
        let mut milliseconds = 0.0;
        // SAFETY: both events are alive and were recorded in this stream.
        let code = unsafe { (self.native.calls.event_synchronize)(second) };
        self.native
            .check(code, || "the device stopped while it worked".to_owned())?;
        // SAFETY: as above; writes one float.
        let code = unsafe { (self.native.calls.event_elapsed)(&mut milliseconds, first, second) };
        self.native.check(code, || "reading a time".to_owned())?;
        Ok(f64::from(milliseconds) * 1e3)
    }

    pub fn begin_graph(&mut self) -> Result<(), GpuError> {
        self.not_recording("a graph cannot begin")?;
        // SAFETY: the stream is alive; only calls of this thread that a graph
        // cannot hold are refused.
        let code = unsafe { (self.native.calls.stream_begin_capture)(self.handle, THREAD_LOCAL) };
        self.native.check(code, || "recording a graph".to_owned())?;
        self.recording = true;
        Ok(())
    }

    pub fn end_graph(&mut self) -> Result<GraphId, GpuError> {
        if !self.recording {
            return Err(GpuError::failed("no graph is being recorded"));
        }
        self.recording = false;
        let mut graph = ptr::null_mut();
        // SAFETY: the stream records; writes one handle, null after an error.
        let code = unsafe { (self.native.calls.stream_end_capture)(self.handle, &mut graph) };
        self.native.check(code, || "recording a graph".to_owned())?;
        let mut ready = ptr::null_mut();
        // SAFETY: the graph is whole; writes one handle.
        let code = unsafe { (self.native.calls.graph_instantiate)(&mut ready, graph, 0) };
        // SAFETY: made above; what was instantiated does not need it.
        unsafe { (self.native.calls.graph_destroy)(graph) };
        self.native
            .check(code, || "making a graph ready".to_owned())?;
        let id = GraphId(self.graphs.len() as u32);
        self.graphs.push(ready);
        // Where there is no such call, the first replay does it.
        if let Some(upload) = self.native.calls.graph_upload {
            // SAFETY: both are alive.
            let code = unsafe { upload(ready, self.handle) };
            self.native
                .check(code, || "making a graph ready".to_owned())?;
        }
        Ok(id)
    }

    pub fn replay(&mut self, graph: GraphId) -> Result<(), GpuError> {
        let Some(ready) = self.graphs.get(graph.0 as usize) else {
            return Err(GpuError::failed("a graph that was not recorded"));
        };
        // SAFETY: both are alive.
        let code = unsafe { (self.native.calls.graph_launch)(*ready, self.handle) };
        self.native.check(code, || "replaying a graph".to_owned())
    }

    /// Gives everything back; the stream must not be used again.
    pub fn close(&mut self) {
        if self.recording {
            let mut graph = ptr::null_mut();
            // SAFETY: the stream records; a graph that was begun is dropped.
            unsafe {
                if (self.native.calls.stream_end_capture)(self.handle, &mut graph) == 0 {
                    (self.native.calls.graph_destroy)(graph);
                }
            }
        }
        for graph in self.graphs.drain(..) {
            // SAFETY: made by `end_graph`, given back once.
            unsafe { (self.native.calls.graph_exec_destroy)(graph) };
        }
        for event in self.events.drain(..) {
            // SAFETY: made by `mark`, given back once.
            unsafe { (self.native.calls.event_destroy)(event) };
        }
        // SAFETY: made by `new`, given back once.
        unsafe { (self.native.calls.stream_destroy)(self.handle) };
    }
}
