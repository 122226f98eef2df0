//! What the copy engine knows of a tensor, in this machine's own encoding: NVIDIA's is
//! the driver's secret, and no kernel looks into it.

/// Words of 64 bits that a map has, as on a GPU.
pub(crate) const WORDS: usize = 16;

/// Tells a map from other bytes.
const MAGIC: u64 = 0x7065_6e73_6f72_6d61;

/// How 16-byte pieces of rows change places, so that columns meet no bank twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Swizzle {
    /// Not at all.
    #[default]
    None,
    /// Within 32 bytes.
    Bytes32,
    /// Within 64 bytes.
    Bytes64,
    /// Within 128 bytes.
    Bytes128,
}

impl Swizzle {
    const fn mask(self) -> u32 {
        match self {
            Self::None => 0,
            Self::Bytes32 => 1,
            Self::Bytes64 => 3,
            Self::Bytes128 => 7,
        }
    }

    /// Where the byte at an offset of shared memory really lies.
    pub(crate) const fn place(self, offset: u32) -> u32 {
        offset ^ ((offset >> 7 & self.mask()) << 4)
    }

    /// Bytes of a row.
    pub(crate) const fn row(self) -> u32 {
        16 * (self.mask() + 1)
    }
}

/// A tensor of up to three dimensions, innermost first, and the box that is copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TensorMap {
    /// Its first element.
    pub address: u64,
    /// Bytes of an element.
    pub element: u32,
    /// Elements along each dimension; 1 where there is none.
    pub sizes: [u64; 3],
    /// Bytes from row to row, and from plane to plane.
    pub strides: [u64; 2],
    /// Elements of the box.
    pub boxes: [u32; 3],
    /// How it lies in shared memory.
    pub swizzle: Swizzle,
}

impl TensorMap {
    /// As a kernel is given it.
    pub fn encode(&self) -> [u64; WORDS] {
        let mut words = [0; WORDS];
        let fields = [
            MAGIC,
            self.address,
            u64::from(self.element),
            u64::from(self.swizzle.mask()),
        ]
        .into_iter()
        .chain(self.sizes)
        .chain(self.strides)
        .chain(self.boxes.map(u64::from));
        words
            .iter_mut()
            .zip(fields)
            .for_each(|(word, field)| *word = field);
        words
    }

    /// What [`encode`](Self::encode) made; `None` for other bytes.
    pub(crate) fn decode(words: &[u64; WORDS]) -> Option<TensorMap> {
        let [
            magic,
            address,
            element,
            mask,
            x,
            y,
            z,
            row,
            plane,
            bx,
            by,
            bz,
            ..,
        ] = *words;
        let swizzle = match mask {
            0 => Swizzle::None,
            1 => Swizzle::Bytes32,
            3 => Swizzle::Bytes64,
            7 => Swizzle::Bytes128,
            _ => return None,
        };
        let small = |word: u64| u32::try_from(word).ok().filter(|n| (1..=256).contains(n));
        (magic == MAGIC).then_some(TensorMap {
            address,
            element: small(element)?,
            sizes: [x, y, z],
            strides: [row, plane],
            boxes: [small(bx)?, small(by)?, small(bz)?],
            swizzle,
        })
    }
}
