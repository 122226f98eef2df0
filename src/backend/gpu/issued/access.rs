//! What one instruction moves to or from global memory.

use super::IssuedError;
use super::scan::Statement;

/// One access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Access<'t> {
    /// From global memory, or to it.
    pub is_read: bool,
    /// How much.
    pub bytes: Bytes<'t>,
}

/// How much an access moves, per thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Bytes<'t> {
    /// So many.
    Always(u64),
    /// So many where the address is in global memory.
    IfGlobal {
        /// Bytes.
        bytes: u64,
        /// The register with the address.
        address: &'t str,
    },
    /// So many, none where the predicate holds.
    Unless {
        /// Bytes.
        bytes: u64,
        /// The predicate.
        predicate: &'t str,
    },
    /// As many as this 32-bit operand says.
    Operand(&'t str),
}

/// Whether it is a copy by tensor map into shared memory.
pub(super) fn is_tensor_load(opcode: &str) -> bool {
    opcode.starts_with("cp.async.bulk.tensor") && into_shared(opcode)
}

/// Whether the destination of a bulk copy is shared memory: it is named first.
fn into_shared(opcode: &str) -> bool {
    let place = |name: &str| opcode.find(name).unwrap_or(usize::MAX);
    place(".shared::") < place(".global")
}

/// The accesses of an instruction. In a kernel that copies `by_tensor_map`,
/// bulk loads are counted where their bytes are announced to the barrier.
///
/// # Errors
/// An access whose size the text does not tell.
pub(super) fn accesses_in<'t>(
    statement: &Statement<'t>,
    by_tensor_map: bool,
) -> Result<Vec<Access<'t>>, IssuedError> {
    let opcode = statement.opcode;
    let base = opcode.split('.').next().unwrap_or_default();
    let read = |bytes| Access {
        is_read: true,
        bytes,
    };
    let written = |bytes| Access {
        is_read: false,
        bytes,
    };
    Ok(match base {
        "ld" | "ldu" => plain(statement, 1)?.map(read).into_iter().collect(),
        "st" => plain(statement, 0)?.map(written).into_iter().collect(),
        "red" => plain(statement, 0)?.map(written).into_iter().collect(),
        "atom" => match plain(statement, 1)? {
            Some(bytes) => vec![read(bytes.clone()), written(bytes)],
            None => Vec::new(),
        },
        "cp" => copies(statement, by_tensor_map)?.into_iter().collect(),
        "mbarrier" if by_tensor_map && opcode.contains(".expect_tx") => {
            vec![read(size(statement, statement.operands.last().copied())?)]
        }
        "multimem" => return Err(unknown(statement)),
        _ => Vec::new(),
    })
}

/// Loads, stores and atomics: width × vector length, where the space is global
/// or generic. `at` is the operand with the address.
fn plain<'t>(statement: &Statement<'t>, at: usize) -> Result<Option<Bytes<'t>>, IssuedError> {
    let parts = || statement.opcode.split('.').skip(1);
    let elsewhere = |part: &str| {
        matches!(part, "local" | "const") || part.starts_with("shared") || part.starts_with("param")
    };
    if parts().any(elsewhere) {
        return Ok(None);
    }
    let vector = parts()
        .find_map(|p| match p {
            "v2" => Some(2),
            "v4" => Some(4),
            "v8" => Some(8),
            _ => None,
        })
        .unwrap_or(1);
    let width = parts()
        .last()
        .and_then(width)
        .ok_or_else(|| unknown(statement))?;
    let bytes = width * vector;
    if parts().any(|p| p == "global") {
        return Ok(Some(Bytes::Always(bytes)));
    }
    let operand = statement.operands.get(at).copied().unwrap_or_default();
    let inside = operand.trim_start_matches('[').trim_end_matches(']');
    let address = inside.split('+').next().unwrap_or_default().trim();
    if !address.starts_with('%') {
        return Err(unknown(statement));
    }
    Ok(Some(Bytes::IfGlobal { bytes, address }))
}

/// `cp.async` and bulk copies.
fn copies<'t>(
    statement: &Statement<'t>,
    by_tensor_map: bool,
) -> Result<Option<Access<'t>>, IssuedError> {
    let opcode = statement.opcode;
    let operand = |at: usize| statement.operands.get(at).copied();
    let idle = [
        "prefetch",
        "commit_group",
        "wait_group",
        "wait_all",
        "mbarrier.arrive",
    ];
    if idle
        .iter()
        .any(|word| opcode.starts_with(&format!("cp.async.{word}")))
        || idle
            .iter()
            .any(|word| opcode.starts_with(&format!("cp.async.bulk.{word}")))
    {
        return Ok(None);
    }
    if opcode.starts_with("cp.async.bulk") || opcode.starts_with("cp.reduce.async.bulk") {
        let is_read = into_shared(opcode) && opcode.contains(".global");
        if is_read && by_tensor_map || !opcode.contains(".global") {
            return Ok(None);
        }
        if opcode.contains(".tensor") {
            return Err(unknown(statement));
        }
        return Ok(Some(Access {
            is_read,
            bytes: size(statement, operand(2))?,
        }));
    }
    // cp.async [to], [from], size{, source size or predicate}{, cache policy}
    let whole = size(statement, operand(2))?;
    let hinted = opcode.contains("cache_hint");
    let bytes = match (operand(3), whole) {
        (Some(_), whole) if hinted && statement.operands.len() == 4 => whole,
        (Some(predicate), Bytes::Always(bytes)) if is_predicate(predicate) => {
            Bytes::Unless { bytes, predicate }
        }
        (Some(source), _) => size(statement, Some(source))?,
        (None, whole) => whole,
    };
    Ok(Some(Access {
        is_read: true,
        bytes,
    }))
}

/// Predicates are `%p` and a number, or `p` in assembly written by hand.
fn is_predicate(operand: &str) -> bool {
    let digits = operand.trim_start_matches('%').strip_prefix('p');
    digits.is_some_and(|d| d.chars().all(|c| c.is_ascii_digit()))
}

/// A size in an operand: a number or a register.
fn size<'t>(statement: &Statement<'t>, operand: Option<&'t str>) -> Result<Bytes<'t>, IssuedError> {
    let operand = operand.ok_or_else(|| unknown(statement))?;
    match operand.parse() {
        Ok(bytes) => Ok(Bytes::Always(bytes)),
        Err(_) => Ok(Bytes::Operand(operand)),
    }
}

/// Bytes of a type: `f32`, `b128`, `bf16x2`.
fn width(kind: &str) -> Option<u64> {
    let digits = kind.trim_start_matches(|c: char| c.is_ascii_lowercase());
    let (bits, packed) = match digits.split_once('x') {
        Some((bits, packed)) => (bits, packed.parse().ok()?),
        None => (digits, 1),
    };
    Some(bits.parse::<u64>().ok()? / 8 * packed)
}

fn unknown(statement: &Statement<'_>) -> IssuedError {
    IssuedError::new(format!(
        "the text does not tell how many bytes {} moves",
        statement.opcode
    ))
}
