//! Issued bytes by instrumentation: PTX text in, the same text out with a
//! counter beside every access to global memory.
//!
//! A kernel's source stays readable, and what is counted is what the compiler
//! made of it: vector widths, predicates and threads that have left are all
//! taken as they are. Each thread adds the bytes of its own accesses into two
//! 64-bit registers and, before it ends, adds these to two counters in global
//! memory whose address comes as one more parameter, the last.
//!
//! What counts, per thread that executes it:
//! - `ld.global`, `st.global` and their kin: width × vector length; generic
//!   `ld` and `st` where the address is in global memory, asked at run time;
//! - `atom`: its width read and written; `red`: written;
//! - `cp.async`: the bytes that it reads (its source size where it has one);
//! - bulk copies: their size; copies by tensor map: the bytes that the thread
//!   announces to the barrier (`expect_tx`), which are whole tiles, also where
//!   a tile hangs over the tensor's edge and zeros are filled in.
//!
//! Spills and arrays in local memory, parameters, constants and prefetches do
//! not count. A counting kernel is never timed.

mod access;
pub mod clocked;
mod scan;

use access::{Access, Bytes, accesses_in};
use scan::{Entry, Statement, entry};

plan::sentence! {
    /// Text that cannot be instrumented: one sentence.
    IssuedError
}

/// Registers of our own; the compiler's names do not begin so.
const REGISTERS: &str = "\
\t.reg .b64 %issued_at;
\t.reg .b64 %issued_read;
\t.reg .b64 %issued_written;
\t.reg .b64 %issued_more;
\t.reg .pred %issued_is;
";

/// The text with counters in kernel `name`. The kernel takes one parameter
/// more, the last: the address of two 64-bit counters, bytes read and bytes
/// written, to which every thread adds.
///
/// # Errors
/// No such kernel, an access whose size the text does not tell, a function
/// besides the kernel that makes accesses.
pub fn instrument(text: &str, name: &str) -> Result<String, IssuedError> {
    let Entry {
        parameters,
        has_parameters,
        body,
        statements,
    } = entry(text, name)?;
    for (function, statement) in scan::functions(text) {
        if !accesses_in(&statement, false)?.is_empty() {
            return Err(IssuedError::new(format!(
                "function {function} is not part of the kernel and makes accesses of its own"
            )));
        }
    }
    let by_tensor_map = statements.iter().any(|s| access::is_tensor_load(s.opcode));
    let mut out = String::with_capacity(text.len() * 2);
    let comma = if has_parameters { "," } else { "" };
    out.push_str(text.get(..parameters).unwrap_or_default());
    out.push_str(&format!("{comma}\n\t.param .u64 {name}_param_issued\n"));
    out.push_str(text.get(parameters..body).unwrap_or_default());
    out.push_str(&format!(
        "\n{REGISTERS}\tld.param.u64 %issued_at, [{name}_param_issued];\n\tmov.u64 %issued_read, 0;\n\tmov.u64 %issued_written, 0;\n"
    ));
    let mut done = body;
    for statement in &statements {
        let mut before = String::new();
        for access in accesses_in(statement, by_tensor_map)? {
            before.push_str(&count(statement, &access));
        }
        if matches!(statement.opcode, "ret" | "exit") {
            let guard = statement.guard;
            before.push_str(&format!(
                "{guard} red.global.add.u64 [%issued_at], %issued_read;\n\t{guard} red.global.add.u64 [%issued_at+8], %issued_written;\n\t"
            ));
        }
        if !before.is_empty() {
            out.push_str(text.get(done..statement.start).unwrap_or_default());
            out.push_str(&before);
            done = statement.start;
        }
    }
    out.push_str(text.get(done..).unwrap_or_default());
    Ok(out)
}

/// The counting of one access, in front of it.
fn count(statement: &Statement<'_>, access: &Access<'_>) -> String {
    let (guard, into) = (
        statement.guard,
        if access.is_read {
            "%issued_read"
        } else {
            "%issued_written"
        },
    );
    let add = |what: &str| format!("{guard} add.u64 {into}, {into}, {what};\n\t");
    match &access.bytes {
        Bytes::Always(bytes) => add(&bytes.to_string()),
        Bytes::IfGlobal { bytes, address } => format!(
            "isspacep.global %issued_is, {address};\n\tselp.b64 %issued_more, {bytes}, 0, %issued_is;\n\t{}",
            add("%issued_more")
        ),
        Bytes::Unless { bytes, predicate } => format!(
            "selp.b64 %issued_more, 0, {bytes}, {predicate};\n\t{}",
            add("%issued_more")
        ),
        Bytes::Operand(operand) => format!(
            "cvt.u64.u32 %issued_more, {operand};\n\t{}",
            add("%issued_more")
        ),
    }
}

#[cfg(test)]
mod tests;
