//! A machine with one program: buffers in, launch, buffers out.

use tinyllama_tutor::simt::{
    Counts, Extent, LaunchRequest, Machine, MachineError, Options, Problem, Program,
};

/// The PTX beside the tests.
#[macro_export]
macro_rules! ptx {
    ($name:literal) => {
        include_str!(concat!($name, ".nvrtc-12.9.ptx"))
    };
}

pub const CHECKED: Options = Options {
    count: true,
    check: true,
    threads: 2,
    step_limit: 100_000_000,
    cache_bytes: None,
    memory_limit: 1 << 30,
    order: None,
    resident: 0,
    strict_barriers: false,
};

pub struct Bench {
    pub machine: Machine,
    program: Program,
    params: Vec<u8>,
}

impl Bench {
    pub fn new(ptx: &str, options: Options) -> Bench {
        let program = Program::parse(ptx).unwrap_or_else(|e| panic!("{e}"));
        Bench {
            machine: Machine::new(options),
            program,
            params: Vec::new(),
        }
    }

    fn push(mut self, bytes: &[u8]) -> Self {
        let end = self.params.len().next_multiple_of(bytes.len().min(8));
        self.params.resize(end, 0);
        self.params.extend(bytes);
        self
    }

    /// A pointer to these words.
    pub fn words(mut self, name: &str, words: &[u32]) -> Self {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let address = self.machine.alloc(name, bytes.len() as u64).unwrap();
        self.machine.write(address, &bytes).unwrap();
        self.push(&address.to_le_bytes())
    }

    pub fn floats(self, name: &str, floats: &[f32]) -> Self {
        let words: Vec<u32> = floats.iter().map(|f| f.to_bits()).collect();
        self.words(name, &words)
    }

    /// A pointer to so many words that nobody wrote.
    pub fn room(mut self, name: &str, words: usize) -> Self {
        let address = self.machine.alloc(name, 4 * words as u64).unwrap();
        self.push(&address.to_le_bytes())
    }

    pub fn int(self, value: i32) -> Self {
        self.push(&value.to_le_bytes())
    }

    pub fn raw(mut self, bytes: &[u8]) -> Self {
        self.params.extend(bytes);
        self
    }

    pub fn try_launch(
        &mut self,
        entry: &str,
        grid: Extent,
        block: Extent,
        cooperative: bool,
    ) -> Result<Counts, MachineError> {
        self.launch_until(entry, grid, block, cooperative, &|| false)
    }

    pub fn launch_until(
        &mut self,
        entry: &str,
        grid: Extent,
        block: Extent,
        cooperative: bool,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Counts, MachineError> {
        let Bench {
            machine,
            program,
            params,
        } = self;
        machine.launch_until(
            program,
            &LaunchRequest {
                entry,
                grid,
                block,
                shared: 0,
                params,
                cooperative,
            },
            stop,
        )
    }

    pub fn launch(&mut self, entry: &str, grid: u32, block: u32) -> Counts {
        self.try_launch(entry, [grid, 1, 1], [block, 1, 1], false)
            .unwrap_or_else(|e| panic!("{entry}: {e}"))
    }

    /// What is wrong with a kernel, and the message.
    pub fn problem(&mut self, entry: &str, grid: u32, block: u32) -> (Problem, String) {
        match self.try_launch(entry, [grid, 1, 1], [block, 1, 1], false) {
            Err(MachineError::Found(finding)) => (finding.problem.clone(), finding.to_string()),
            other => panic!("{entry} was to be caught, but: {other:?}"),
        }
    }

    /// The address that is parameter `at` (in units of 8 bytes).
    pub fn pointer(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.params[8 * at..8 * at + 8].try_into().unwrap())
    }

    pub fn read(&self, at: usize, words: usize) -> Vec<u32> {
        let mut bytes = vec![0; 4 * words];
        self.machine.read(self.pointer(at), &mut bytes).unwrap();
        bytes
            .chunks(4)
            .map(|c| u32::from_le_bytes(c.try_into().unwrap()))
            .collect()
    }

    pub fn read_floats(&self, at: usize, words: usize) -> Vec<f32> {
        self.read(at, words)
            .into_iter()
            .map(f32::from_bits)
            .collect()
    }
}

/// Numbers that look random and are the same every time.
pub fn noise(seed: u64) -> impl FnMut() -> u32 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as u32
    }
}

/// The same between −1 and 1.
pub fn noise_floats(seed: u64, count: usize) -> Vec<f32> {
    let mut next = noise(seed);
    (0..count)
        .map(|_| next() as f32 / 2_147_483_648.0 - 1.0)
        .collect()
}
