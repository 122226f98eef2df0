//! One stream of work: waiting, marks in time, recorded graphs.

use std::ptr;

use cudarc::driver::sys::{CUevent, CUgraphExec, CUstream, CUstreamCaptureMode};

use super::super::driver::{GpuError, GraphId, Mark};
use super::api::Api;

/// Marks that may be asked about at the same time; older ones are used again.
const MARKS: usize = 4096;

/// A stream that does not wait for the default one.
const NON_BLOCKING: u32 = 1;

/// Events with a clock.
const TIMED: u32 = 0;

pub(super) struct Stream {
    api: &'static Api,
    pub handle: CUstream,
    /// At most [`MARKS`], made when first needed.
    events: Vec<CUevent>,
    /// How many marks were made.
    marks: u32,
    graphs: Vec<CUgraphExec>,
    recording: bool,
}

impl Stream {
    pub fn new(api: &'static Api) -> Result<Self, GpuError> {
        let mut handle = ptr::null_mut();
        // SAFETY: writes one handle; a context is current.
        let code = unsafe { (api.cuStreamCreate)(&mut handle, NON_BLOCKING) };
        api.check(code, || "making a stream".to_owned())?;
        Ok(Self {
            api,
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
        let code = unsafe { (self.api.cuStreamSynchronize)(self.handle) };
        self.api
            .check(code, || "the device stopped while it worked".to_owned())
    }

    pub fn mark(&mut self) -> Result<Mark, GpuError> {
        self.not_recording("time cannot be taken")?;
        let slot = self.marks as usize % MARKS;
        if slot >= self.events.len() {
            let mut event = ptr::null_mut();
            // SAFETY: writes one handle.
            let code = unsafe { (self.api.cuEventCreate)(&mut event, TIMED) };
            self.api.check(code, || "making an event".to_owned())?;
            self.events.push(event);
        }
        let mark = Mark(self.marks);
        let event = self.event(mark)?;
        // SAFETY: event and stream are alive.
        let code = unsafe { (self.api.cuEventRecord)(event, self.handle) };
        self.api.check(code, || "marking a time".to_owned())?;
        self.marks += 1;
        Ok(mark)
    }

    fn event(&self, mark: Mark) -> Result<CUevent, GpuError> {
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
        let code = unsafe { (self.api.cuEventSynchronize)(second) };
        self.api
            .check(code, || "the device stopped while it worked".to_owned())?;
        // SAFETY: as above; writes one float.
        let code = unsafe { (self.api.cuEventElapsedTime)(&mut milliseconds, first, second) };
        self.api.check(code, || "reading a time".to_owned())?;
        Ok(f64::from(milliseconds) * 1e3)
    }

    pub fn begin_graph(&mut self) -> Result<(), GpuError> {
        self.not_recording("a graph cannot begin")?;
        // SAFETY: the stream is alive; only calls of this thread that a graph
        // cannot hold are refused.
        let code = unsafe {
            (self.api.cuStreamBeginCapture_v2)(
                self.handle,
                CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
            )
        };
        self.api.check(code, || "recording a graph".to_owned())?;
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
        let code = unsafe { (self.api.cuStreamEndCapture)(self.handle, &mut graph) };
        self.api.check(code, || "recording a graph".to_owned())?;
        let mut ready = ptr::null_mut();
        // SAFETY: the graph is whole; writes one handle.
        let code = unsafe { (self.api.cuGraphInstantiateWithFlags)(&mut ready, graph, 0) };
        // SAFETY: made above; what was instantiated does not need it.
        unsafe { (self.api.cuGraphDestroy)(graph) };
        self.api.check(code, || "making a graph ready".to_owned())?;
        let id = GraphId(self.graphs.len() as u32);
        self.graphs.push(ready);
        // SAFETY: both are alive. The first replay would do it otherwise.
        let code = unsafe { (self.api.cuGraphUpload)(ready, self.handle) };
        self.api.check(code, || "making a graph ready".to_owned())?;
        Ok(id)
    }

    pub fn replay(&mut self, graph: GraphId) -> Result<(), GpuError> {
        let Some(ready) = self.graphs.get(graph.0 as usize) else {
            return Err(GpuError::failed("a graph that was not recorded"));
        };
        // SAFETY: both are alive.
        let code = unsafe { (self.api.cuGraphLaunch)(*ready, self.handle) };
        self.api.check(code, || "replaying a graph".to_owned())
    }

    /// Gives everything back; the stream must not be used again.
    pub fn close(&mut self) {
        if self.recording {
            let mut graph = ptr::null_mut();
            // SAFETY: the stream records; a graph that was begun is dropped.
            unsafe {
                if (self.api.cuStreamEndCapture)(self.handle, &mut graph) == 0 {
                    (self.api.cuGraphDestroy)(graph);
                }
            }
        }
        for graph in self.graphs.drain(..) {
            // SAFETY: made by `end_graph`, given back once.
            unsafe { (self.api.cuGraphExecDestroy)(graph) };
        }
        for event in self.events.drain(..) {
            // SAFETY: made by `mark`, given back once.
            unsafe { (self.api.cuEventDestroy_v2)(event) };
        }
        // SAFETY: made by `new`, given back once.
        unsafe { (self.api.cuStreamDestroy_v2)(self.handle) };
    }
}
