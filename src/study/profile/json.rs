//! JSON of any length, piece by piece: the values at wanted places are handed on one by
//! one, the rest is passed over. Only one value is ever held.

use super::ProfileError;

/// Longest value that is held; a longer one is passed over.
const LONGEST: usize = 1 << 22;

/// Deepest nesting.
const DEEPEST: usize = 512;

/// One step on the way from the root to a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// A key of an object.
    Key(String),
    /// An element of a list.
    Item,
}

/// Who takes the values.
pub(super) trait Sink {
    /// Whether the value at this place is wanted whole.
    fn wants(&self, path: &[Step]) -> bool;
    /// A wanted value, as it stands in the file.
    ///
    /// # Errors
    /// Why it cannot be what it should be.
    fn value(&mut self, path: &[Step], text: &[u8]) -> Result<(), String>;
}

/// What is read next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Key,
    Colon,
    Value,
    /// A comma or the end of the list or object.
    Comma,
}

/// Reads bytes as they come.
pub(super) struct Json {
    open: Vec<u8>,
    path: Vec<Step>,
    next: Next,
    text: Option<Text>,
    /// A wanted value, and the depth at which it began.
    held: Option<(usize, Vec<u8>)>,
    line: usize,
    column: usize,
    over: bool,
}

/// A text between quotes.
struct Text {
    key: bool,
    escaped: bool,
    said: Vec<u8>,
}

impl Json {
    pub(super) fn new() -> Self {
        Self {
            open: Vec::new(),
            path: Vec::new(),
            next: Next::Value,
            text: None,
            held: None,
            line: 1,
            column: 0,
            over: false,
        }
    }

    /// Whether the last bracket is closed.
    pub(super) const fn is_over(&self) -> bool {
        self.over
    }

    /// Where the reader is.
    pub(super) const fn place(&self) -> (usize, usize) {
        (self.line, self.column)
    }

    fn wrong(&self, what: &str) -> ProfileError {
        ProfileError::at(self.line, self.column.max(1), what.to_owned())
    }

    /// More of the file.
    ///
    /// # Errors
    /// Brackets that do not fit; what the sink says of a value.
    pub(super) fn feed(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> Result<(), ProfileError> {
        for byte in bytes {
            // Columns are characters: the later bytes of one do not count.
            self.column += usize::from(byte & 0xc0 != 0x80);
            if let Some((_, held)) = &mut self.held
                && held.len() <= LONGEST
            {
                held.push(*byte);
            }
            match &mut self.text {
                Some(text) => {
                    if text.escaped {
                        text.escaped = false;
                    } else if *byte == b'\\' {
                        text.escaped = true;
                    } else if *byte == b'"' {
                        self.end_of_text(sink)?;
                        continue;
                    }
                    // Within a held value keys are of no interest.
                    if let Some(text) = &mut self.text
                        && text.key
                        && self.held.is_none()
                        && text.said.len() < 256
                    {
                        text.said.push(*byte);
                    }
                }
                None => self.mark(*byte, sink)?,
            }
            if *byte == b'\n' {
                (self.line, self.column) = (self.line + 1, 0);
            }
        }
        Ok(())
    }

    /// A byte outside of quotes.
    fn mark(&mut self, byte: u8, sink: &mut dyn Sink) -> Result<(), ProfileError> {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => Ok(()),
            _ if self.over => Err(self.wrong("something stands behind the end")),
            b'{' | b'[' if self.next == Next::Value => {
                self.hold(byte, sink);
                if self.open.len() >= DEEPEST {
                    return Err(self.wrong("nested too deeply"));
                }
                self.open.push(byte);
                self.next = Next::Key;
                if byte == b'[' {
                    self.path.push(Step::Item);
                    self.next = Next::Value;
                }
                Ok(())
            }
            b'}' | b']' => {
                let fits = match self.open.pop() {
                    Some(b'{') => byte == b'}' && matches!(self.next, Next::Key | Next::Comma),
                    Some(_) => byte == b']',
                    None => false,
                };
                if !fits {
                    return Err(self.wrong("a bracket does not fit the one that it closes"));
                }
                if byte == b']' {
                    self.path.pop();
                }
                self.value(sink)
            }
            b'"' if matches!(self.next, Next::Key | Next::Value) => {
                let key = self.next == Next::Key;
                if !key {
                    self.hold(byte, sink);
                }
                self.text = Some(Text {
                    key,
                    escaped: false,
                    said: Vec::new(),
                });
                Ok(())
            }
            b':' if self.next == Next::Colon => {
                self.next = Next::Value;
                Ok(())
            }
            b',' if matches!(self.next, Next::Comma) && !self.open.is_empty() => {
                self.next = match self.open.last() {
                    Some(b'{') => Next::Key,
                    _ => Next::Value,
                };
                Ok(())
            }
            // A number, true, false or null: wanted values are never those alone.
            b'0'..=b'9' | b'-' | b'+' | b'.' | b'a'..=b'z' | b'A'..=b'Z'
                if matches!(self.next, Next::Value | Next::Comma) && !self.open.is_empty() =>
            {
                if self.next == Next::Value {
                    self.leave_key();
                }
                self.next = Next::Comma;
                Ok(())
            }
            _ => Err(self.wrong("this is not JSON")),
        }
    }

    /// Begins to hold the value that begins with this byte, if it is wanted.
    fn hold(&mut self, byte: u8, sink: &dyn Sink) {
        if self.held.is_none() && sink.wants(&self.path) {
            self.held = Some((self.open.len(), vec![byte]));
        }
    }

    fn leave_key(&mut self) {
        if self.open.last() == Some(&b'{') {
            self.path.pop();
        }
    }

    fn end_of_text(&mut self, sink: &mut dyn Sink) -> Result<(), ProfileError> {
        let Some(text) = self.text.take() else {
            return Ok(());
        };
        if text.key {
            let key = String::from_utf8_lossy(&text.said).into_owned();
            self.path.push(Step::Key(key));
            self.next = Next::Colon;
            return Ok(());
        }
        self.value(sink)
    }

    /// A value has ended: it is handed on if it was held.
    fn value(&mut self, sink: &mut dyn Sink) -> Result<(), ProfileError> {
        let ended = self
            .held
            .as_ref()
            .is_some_and(|(depth, _)| *depth == self.open.len());
        if ended
            && let Some((_, text)) = self.held.take()
            && text.len() <= LONGEST
        {
            let said = sink.value(&self.path, &text);
            said.map_err(|why| self.wrong(&why))?;
        }
        self.leave_key();
        self.next = Next::Comma;
        self.over = self.open.is_empty();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Default)]
    struct Seen(Vec<String>);

    impl Sink for Seen {
        fn wants(&self, path: &[Step]) -> bool {
            matches!(path, [Step::Key(key), Step::Item] if key == "events")
                || matches!(path, [Step::Key(key)] if key == "name")
        }
        fn value(&mut self, _: &[Step], text: &[u8]) -> Result<(), String> {
            self.0.push(String::from_utf8_lossy(text).into_owned());
            Ok(())
        }
    }

    fn seen(text: &str, piece: usize) -> Result<Vec<String>, ProfileError> {
        let (mut json, mut sink) = (Json::new(), Seen::default());
        for piece in text.as_bytes().chunks(piece) {
            json.feed(piece, &mut sink)?;
        }
        Ok(sink.0)
    }

    const TEXT: &str = r#"{"a":{"events":[1]}, "events":[{"x":"}\"]"},[2,{"y":3}] , "t"],"n":-1.5e3,"name":"ä\\","b":[[],{}]}"#;

    #[test]
    fn wanted_values_come_whole_however_the_file_is_cut() {
        for piece in 1..TEXT.len() {
            let found = seen(TEXT, piece).unwrap();
            assert_eq!(
                found,
                [r#"{"x":"}\"]"}"#, r#"[2,{"y":3}]"#, r#""t""#, r#""ä\\""#]
            );
        }
    }

    #[test]
    fn what_is_no_json_has_its_place() {
        let e = seen("{\"events\":[\n{\"x\":]}", 3).unwrap_err();
        assert_eq!((e.line, e.column), (2, 6), "{e}");
        for text in ["{]", "[}", "{\"a\" 1}", "{\"a\":1}}", "[,]", "{,}", "x"] {
            assert!(seen(text, 1).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn nothing_breaks_it(text in r#"[\[\]{}:,"\\a1 \n]{0,80}"#) {
            let _ = seen(&text, 7);
        }
    }
}
