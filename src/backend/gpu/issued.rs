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
//! A function that the kernel calls counts in registers of its own and hands them in when
//! it returns; it finds the counters by a variable of the module, which every thread sets
//! when it begins. So launches of one module must follow one another.
//!
//! Spills and arrays in local memory, parameters, constants and prefetches do
//! not count; what a thread reads while it waits for others, does, poll by poll. A
//! counting kernel is never timed.

mod access;
pub mod clocked;
mod scan;

use access::{Access, Bytes, accesses_in};
use scan::{Entry, Function, Statement, entry};

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

/// The variable in which functions find the address of the counters.
const VARIABLE: &str = "issued_counters";

/// What sets the sums of a thread, or of a call, to nothing.
const NOTHING: &str = "\tmov.u64 %issued_read, 0;\n\tmov.u64 %issued_written, 0;\n";

/// The text with counters in kernel `name` and in the functions that make accesses. The
/// kernel takes one parameter more, the last: the address of two 64-bit counters, bytes
/// read and bytes written, to which every thread adds.
///
/// # Errors
/// No such kernel, an access whose size the text does not tell.
pub fn instrument(text: &str, name: &str) -> Result<String, IssuedError> {
    let Entry {
        parameters,
        has_parameters,
        body,
        statements,
    } = entry(text, name)?;
    let mut functions = Vec::new();
    for function in scan::functions(text) {
        if makes_accesses(&function)? {
            functions.push(function);
        }
    }
    let comma = if has_parameters { "," } else { "" };
    let mut begins = format!("\n{REGISTERS}\tld.param.u64 %issued_at, [{name}_param_issued];\n");
    let mut added = vec![(
        parameters,
        format!("{comma}\n\t.param .u64 {name}_param_issued\n"),
    )];
    if !functions.is_empty() {
        let head = scan::head(text).unwrap_or_default();
        added.push((head, format!(".global .align 8 .u64 {VARIABLE};\n")));
        begins.push_str(&format!("\tst.global.u64 [{VARIABLE}], %issued_at;\n"));
    }
    added.push((body, format!("{begins}{NOTHING}")));
    added.extend(counted(&statements)?);
    for function in &functions {
        let begins = format!("\n{REGISTERS}\tld.global.u64 %issued_at, [{VARIABLE}];\n{NOTHING}");
        added.push((function.body, begins));
        added.extend(counted(&function.statements)?);
    }
    added.sort_by_key(|(at, _)| *at);
    let mut out = String::with_capacity(text.len() * 2);
    let mut done = 0;
    for (at, lines) in added {
        out.push_str(text.get(done..at).unwrap_or_default());
        out.push_str(&lines);
        done = at;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    Ok(out)
}

fn makes_accesses(function: &Function<'_>) -> Result<bool, IssuedError> {
    for statement in &function.statements {
        if !accesses_in(statement, false)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What stands in front of the statements of a body: its accesses' counting, and at each
/// end the handing in.
fn counted(statements: &[Statement<'_>]) -> Result<Vec<(usize, String)>, IssuedError> {
    let by_tensor_map = statements.iter().any(|s| access::is_tensor_load(s.opcode));
    let mut added = Vec::new();
    for statement in statements {
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
            added.push((statement.start, before));
        }
    }
    Ok(added)
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
