//! Formulas as MathML, which browsers draw without any script or font of ours.

use super::html::escape;
use text::math::symbols::{Class, Delimiter};
use text::math::{Formula, Node, Row, Style};
use text::{Resolved, Role, Value};

/// A formula as a `math` element, or as it is written where it cannot be read.
/// Its line in characters stands beside it for readers without MathML.
pub(super) fn formula(
    formula: &Formula,
    display: bool,
    resolve: &dyn Fn(&Value) -> Resolved,
) -> String {
    let row = match &formula.tree {
        Ok(row) => row,
        Err(_) => return format!("<code class=\"error\">{}</code>", escape(&formula.source)),
    };
    let style = Style {
        ascii: false,
        spoken: false,
        resolve,
    };
    let line: String = formula
        .line(&style)
        .into_iter()
        .map(|span| span.text)
        .collect();
    let block = if display { " display=\"block\"" } else { "" };
    let writer = Writer { display, resolve };
    format!(
        "<math{block} alttext=\"{}\">{}</math>",
        escape(&line),
        writer.lines(row)
    )
}

struct Writer<'a> {
    display: bool,
    resolve: &'a dyn Fn(&Value) -> Resolved,
}

impl Writer<'_> {
    /// A row, or the rows of an aligned formula.
    fn lines(&self, row: &[Node]) -> String {
        if !row
            .iter()
            .any(|node| matches!(node, Node::Align | Node::Break))
        {
            return self.row(row);
        }
        let lines = row.split(|node| *node == Node::Break);
        let rows: String = lines
            .filter(|line| !line.is_empty())
            .map(|line| {
                let cells = line.split(|node| *node == Node::Align);
                let cells = cells.map(|cell| format!("<mtd>{}</mtd>", self.row(cell)));
                format!("<mtr>{}</mtr>", cells.collect::<String>())
            })
            .collect();
        format!("<mtable>{rows}</mtable>")
    }

    fn row(&self, row: &[Node]) -> String {
        let nodes: String = row.iter().map(|node| self.node(node)).collect();
        format!("<mrow>{nodes}</mrow>")
    }

    fn node(&self, node: &Node) -> String {
        match node {
            Node::Sign { text, class, .. } => sign(text, *class),
            Node::Fraction(above, below) => {
                format!("<mfrac>{}{}</mfrac>", self.row(above), self.row(below))
            }
            Node::Root(row) => format!("<msqrt>{}</msqrt>", self.row(row)),
            Node::Script { base, below, above } => {
                self.script(base, below.as_ref(), above.as_ref())
            }
            Node::Fence(open, row, close) => format!(
                "<mrow>{}{}{}</mrow>",
                bracket(open.pair(false).0, "prefix", *open),
                self.row(row),
                bracket(close.pair(false).1, "postfix", *close)
            ),
            Node::Group(row) => self.row(row),
            Node::Space(columns) => format!("<mspace width=\"{columns}ch\"></mspace>"),
            Node::Value(value) => {
                let shown = (self.resolve)(value);
                let class = match shown.role {
                    Role::Error => "error",
                    _ => "value",
                };
                format!("<mtext class=\"{class}\">{}</mtext>", escape(&shown.text))
            }
            Node::Align | Node::Break => String::new(),
        }
    }

    fn script(&self, base: &Node, below: Option<&Row>, above: Option<&Row>) -> String {
        // A sum carries its limits above and below, in a line beside it.
        let limits = self.display
            && matches!(
                base,
                Node::Sign {
                    class: Class::Big,
                    ..
                }
            );
        let (one, two) = if limits {
            (["munder", "mover"], "munderover")
        } else {
            (["msub", "msup"], "msubsup")
        };
        let base = self.node(base);
        let (tag, parts) = match (below, above) {
            (Some(below), Some(above)) => (two, self.row(below) + &self.row(above)),
            (Some(below), None) => (one[0], self.row(below)),
            (None, Some(above)) => (one[1], self.row(above)),
            (None, None) => return base,
        };
        format!("<{tag}>{base}{parts}</{tag}>")
    }
}

fn bracket(text: &str, form: &str, delimiter: Delimiter) -> String {
    match delimiter {
        Delimiter::None => String::new(),
        _ => format!(
            "<mo form=\"{form}\" stretchy=\"true\">{}</mo>",
            escape(text)
        ),
    }
}

fn sign(text: &str, class: Class) -> String {
    let shown = match text {
        "-" => "−".to_owned(),
        text => escape(text),
    };
    let number = text.starts_with(|c: char| c.is_ascii_digit());
    match class {
        Class::Ordinary if number => format!("<mn>{shown}</mn>"),
        Class::Ordinary if text.chars().all(char::is_alphabetic) => format!("<mi>{shown}</mi>"),
        Class::Ordinary => format!("<mtext>{shown}</mtext>"),
        // Its space is that of an operator without being one.
        Class::Function => format!("<mi>{shown}</mi><mspace width=\"0.17em\"></mspace>"),
        Class::Big => format!("<mo movablelimits=\"false\">{shown}</mo>"),
        Class::Open | Class::Close => format!("<mo stretchy=\"false\">{shown}</mo>"),
        Class::Tight => format!("<mo lspace=\"0.1em\" rspace=\"0.1em\">{shown}</mo>"),
        Class::Binary | Class::Relation | Class::Comma => format!("<mo>{shown}</mo>"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use text::Place;

    fn written(source: &str, display: bool) -> String {
        let resolve = |value: &Value| Resolved::value(format!("<{}>", value.expression));
        formula(
            &Formula::parse(source, Place { line: 1, column: 1 }),
            display,
            &resolve,
        )
    }

    #[test]
    fn a_formula_is_drawn_by_the_browser() {
        assert_eq!(
            written("a_b < \\frac{1}{2}", false),
            "<math alttext=\"a_b &lt; 1/2\"><mrow><msub><mi>a</mi><mrow><mi>b</mi></mrow></msub><mo>&lt;</mo>\
             <mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac></mrow></math>"
        );
        let sum = written("\\sum_{i}^{n} \\sqrt{x}", true);
        assert!(sum.starts_with("<math display=\"block\""), "{sum}");
        assert!(
            sum.contains("<munderover>") && sum.contains("<msqrt>"),
            "{sum}"
        );
        assert!(written("\\sum_{i}^{n} x", false).contains("<msubsup>"));
        assert!(written("`= B*S`", false).contains("<mtext class=\"value\">&lt;B*S&gt;</mtext>"));
        let lines = written("a &= b \\\\ &= c", true);
        assert_eq!(lines.matches("<mtr>").count(), 2, "{lines}");
        assert_eq!(lines.matches("<mtd>").count(), 4, "{lines}");
    }

    #[test]
    fn what_cannot_be_read_stands_as_written() {
        assert_eq!(
            written("\\bogus<x>", true),
            "<code class=\"error\">\\bogus&lt;x&gt;</code>"
        );
    }

    /// Every element that is opened is closed, in order.
    #[test]
    fn elements_are_nested() {
        for source in [
            "\\left( \\frac{a+b}{\\sqrt{c}} \\right)^{2} \\le \\max_i x_i, -1",
            "\\left. x \\right| \\cdot \\text{two words} \\quad y",
        ] {
            let text = written(source, true);
            let mut open = Vec::new();
            for part in text.split('<').skip(1) {
                let tag = part.split(['>', ' ']).next().unwrap();
                match tag.strip_prefix('/') {
                    Some(closed) => assert_eq!(open.pop(), Some(closed), "{text}"),
                    None => open.push(tag),
                }
            }
            assert_eq!(open, Vec::<&str>::new(), "{text}");
        }
    }
}
