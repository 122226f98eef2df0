//! The neutral blocks of [`text`] as HTML. Every character of a text is
//! escaped; a link leads to the web, to this page or to a lesson, nowhere else.

use std::collections::BTreeSet;

use super::mathml;
pub(super) use crate::picture::escape;
use course::slug;
use text::{
    Alignment, Block, Element, Inline, Live, Plain, Resolved, Role, Span, Table, Value, code,
};

/// Turns blocks into HTML.
pub(super) struct Writer<'a> {
    /// Gives values their text.
    pub(super) resolve: &'a dyn Fn(&Value) -> Resolved,
    /// Where a lesson or an exercise is to be read, by its id.
    pub(super) place: &'a dyn Fn(&str) -> Option<String>,
}

/// The ids that are taken on a page.
#[derive(Default)]
pub(super) struct Ids(BTreeSet<String>);

impl Ids {
    /// An id made of `title`, unlike every other on the page.
    pub(super) fn of(&mut self, title: &str) -> String {
        let first = slug(title);
        let mut id = first.clone();
        let mut n = 2;
        while !self.0.insert(id.clone()) {
            id = format!("{first}-{n}");
            n += 1;
        }
        id
    }
}

/// The file of a lesson, as a link names it.
pub(super) fn href(lesson: &str) -> String {
    let mut out = String::new();
    for byte in lesson.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out += &format!("%{byte:02X}");
        }
    }
    // Without the folder, an id such as `a:b` would begin with a scheme.
    format!("./{out}.html")
}

/// Lines as they are, behind a caption.
pub(super) fn figure(class: &str, caption: &str, lines: &[String]) -> String {
    format!(
        "<figure class=\"{class}\">\n<figcaption>{}</figcaption>\n<pre tabindex=\"0\">{}</pre>\n</figure>\n",
        escape(caption),
        escape(&lines.join("\n"))
    )
}

impl Writer<'_> {
    /// Blocks one after another.
    pub(super) fn blocks(&self, blocks: &[Block], ids: &mut Ids) -> String {
        blocks.iter().map(|b| self.block(b, ids)).collect()
    }

    fn block(&self, block: &Block, ids: &mut Ids) -> String {
        match &block.element {
            Element::Heading { level, text } => {
                // The page's title is h1, its sections are h2.
                let level = (*level).clamp(3, 6);
                let id = ids.of(&self.plain(text));
                format!(
                    "<h{level} id=\"{id}\">{}</h{level}>\n",
                    self.inlines(text),
                    id = escape(&id)
                )
            }
            Element::Paragraph(text) => format!("<p>{}</p>\n", self.inlines(text)),
            Element::List { first, items } => {
                let (open, close) = match first {
                    None => ("<ul>".to_owned(), "</ul>"),
                    Some(1) => ("<ol>".to_owned(), "</ol>"),
                    Some(first) => (format!("<ol start=\"{first}\">"), "</ol>"),
                };
                let items: String = items
                    .iter()
                    .map(|item| format!("<li>{}</li>\n", self.item(&item.blocks, ids)))
                    .collect();
                format!("{open}\n{items}{close}\n")
            }
            Element::Aside(blocks) => {
                format!("<aside>\n{}</aside>\n", self.blocks(blocks, ids))
            }
            Element::Table(table) => self.table(table),
            Element::Code { language, text, .. } => {
                let lines: Vec<String> = code::highlight(language, text)
                    .iter()
                    .map(|line| spans(line, Role::Code))
                    .collect();
                format!(
                    "<pre class=\"code\" tabindex=\"0\"><code>{}</code></pre>\n",
                    lines.join("\n")
                )
            }
            Element::Math(formula) => {
                let math = mathml::formula(formula, true, self.resolve);
                format!("<div class=\"math\" tabindex=\"0\">{math}</div>\n")
            }
            Element::Live(live) => as_written(live),
            Element::Rule => "<hr>\n".to_owned(),
        }
    }

    /// What stands in an item: bare words where it begins with a paragraph.
    pub(super) fn item(&self, blocks: &[Block], ids: &mut Ids) -> String {
        match blocks.split_first() {
            Some((
                Block {
                    element: Element::Paragraph(text),
                    ..
                },
                rest,
            )) => self.inlines(text) + &self.blocks(rest, ids),
            _ => self.blocks(blocks, ids),
        }
    }

    fn table(&self, table: &Table) -> String {
        let classes: Vec<&str> = (0..table.head.len())
            .map(|at| match table.alignments.get(at) {
                Some(Alignment::Left) => "",
                Some(Alignment::Centre) => " class=\"centre\"",
                Some(Alignment::Right) => " class=\"right\"",
                _ if self.is_numbers(table, at) => " class=\"right\"",
                _ => "",
            })
            .collect();
        let row = |cells: &[Vec<Inline>], tag: &str, scope: &str| {
            let cells: String = cells
                .iter()
                .enumerate()
                .map(|(at, cell)| {
                    let class = classes.get(at).unwrap_or(&"");
                    format!("<{tag}{scope}{class}>{}</{tag}>", self.inlines(cell))
                })
                .collect();
            format!("<tr>{cells}</tr>\n")
        };
        let head = row(&table.head, "th", " scope=\"col\"");
        let rows: String = table.rows.iter().map(|r| row(r, "td", "")).collect();
        format!(
            "<div class=\"wide\" tabindex=\"0\"><table>\n<thead>\n{head}</thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
        )
    }

    /// Does every cell of the column that says something begin with a number?
    fn is_numbers(&self, table: &Table, at: usize) -> bool {
        let cells = table.rows.iter().filter_map(|row| row.get(at));
        let mut said = cells
            .map(|cell| self.plain(cell))
            .filter(|text| !text.trim().is_empty())
            .peekable();
        said.peek().is_some()
            && said.all(|text| {
                let text = text
                    .trim()
                    .trim_start_matches(['-', '+', '−', '≈', '±', '×', '<']);
                text.trim_start().starts_with(|c: char| c.is_ascii_digit())
            })
    }

    /// Inline elements on one line, as words.
    pub(super) fn plain(&self, text: &[Inline]) -> String {
        let plain = Plain {
            width: usize::MAX,
            ascii: false,
            resolve: self.resolve,
            live: &|_| Vec::new(),
        };
        plain.line(text)
    }

    /// Inline elements.
    pub(super) fn inlines(&self, text: &[Inline]) -> String {
        text.iter().map(|inline| self.inline(inline)).collect()
    }

    fn inline(&self, inline: &Inline) -> String {
        match inline {
            Inline::Words { text, .. } => escape(text),
            Inline::Code { text, .. } => format!("<code>{}</code>", escape(text)),
            Inline::Value(value) => {
                let shown = (self.resolve)(value);
                span(&Span::new(shown.text, shown.role), Role::Text)
            }
            Inline::Math(formula) => mathml::formula(formula, false, self.resolve),
            Inline::Strong(text) => format!("<strong>{}</strong>", self.inlines(text)),
            Inline::Emphasis(text) => format!("<em>{}</em>", self.inlines(text)),
            Inline::Link { text, target, .. } => self.link(text, target),
            Inline::Break => "<br>\n".to_owned(),
        }
    }

    fn link(&self, text: &[Inline], target: &str) -> String {
        let words = self.inlines(text);
        let (path, part) = target.split_once('#').unwrap_or((target, ""));
        let id = path.rsplit('/').next().unwrap_or(path);
        let id = id.strip_suffix(".md").unwrap_or(id);
        let web = ["https://", "http://"]
            .iter()
            .any(|s| target.starts_with(s));
        let to = if web || target.starts_with('#') {
            target.to_owned()
        } else {
            match (self.place)(id) {
                Some(place) if part.is_empty() || place.contains('#') => place,
                Some(place) => format!("{place}#{part}"),
                None => return words,
            }
        };
        format!("<a href=\"{}\">{words}</a>", escape(&to))
    }
}

/// A live block within a list or an aside, where the course knows none.
fn as_written(live: &Live) -> String {
    let lines: Vec<String> = live.body.lines().map(str::to_owned).collect();
    figure("live", &live.kind, &lines)
}

fn spans(line: &[Span], ground: Role) -> String {
    line.iter().map(|s| span(s, ground)).collect()
}

/// A span, its role as a class; `ground` is the role of what stands around it.
pub(super) fn span(span: &Span, ground: Role) -> String {
    let text = escape(&span.text);
    let class = match span.role {
        Role::Value => "value",
        Role::Keyword => "keyword",
        Role::Type => "type",
        Role::Builtin => "builtin",
        Role::Number => "number",
        Role::Comment => "comment",
        Role::String => "string",
        Role::Error => "error",
        Role::Dim => "dim",
        role if role == ground || role == Role::Text => return text,
        _ => return format!("<em>{text}</em>"),
    };
    format!("<span class=\"{class}\">{text}</span>")
}

#[cfg(test)]
mod tests;
