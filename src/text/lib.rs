//! Markdown, mathematics and code colours to neutral styled blocks.
//!
//! Three stages, each tested alone:
//!
//! 1. [`parse`]: lesson text to a [`Document`] of typed elements, every one
//!    with its place in the source. Mathematics is parsed here too ([`math`]),
//!    so that a fault has a line and a column.
//! 2. Values: inline code that begins with `= ` is a [`Value`]. The caller's
//!    resolver turns it into text when the page is laid out.
//! 3. [`Layout`]: elements to [`Line`]s of spans with a [`Role`] at a width;
//!    or [`Plain`]: elements to sentences in reading order.
//!
//! Nothing here knows a terminal: colours are roles, live blocks are
//! placeholders that the screen replaces. Text that leaves this room holds no
//! control character ([`clean`]).
//!
//! ```
//! use text::{Layout, Resolved, Value, parse};
//!
//! let lesson = parse("## Bytes\nThe block moves `= block.bytes | MB`.", 1, &["lab"]);
//! let numbers = |_: &Value| Resolved::value("9.964 MB");
//! let page = Layout::new(40, &numbers).section(&lesson.sections[0]);
//! assert_eq!(page.text(), "Bytes\n\nThe block moves 9.964 MB.");
//! ```

pub mod clean;
pub mod code;
mod element;
mod fill;
mod fold;
mod layout;
pub mod math;
mod page;
mod parse;
mod plain;
mod span;
mod table;
mod wrap;

pub use element::{
    Alignment, Block, Document, Element, Fault, Inline, Item, Live, Place, Section, Table, Text,
    Value, words,
};
pub use fill::fill;
pub use fold::fold;
pub use layout::{Layout, MEASURE};
pub use page::{Page, Resolved};
pub use parse::{parse, parse_from};
pub use plain::Plain;
pub use span::{Line, LineKind, Role, Span, clip, width};
