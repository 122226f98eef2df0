//! Live blocks on a page: figures as tables, predictions before what came out.

use super::html::{Ids, Writer, escape, figure};
use super::page::form;
use crate::picture;
use course::present::{
    Figure, Grid, Lab, Mark, Piece, Prose, Ribbon, Scene, Square, Sum, Toggle, Trips, Weight,
    caption,
};
use text::{Role, Span, Value, code};

/// A block; what follows a prediction, and what is true of a claim, is folded away until
/// it is asked for. `behind` is what stands behind a claim.
pub(super) fn block(
    live: &course::Live,
    pieces: &[Piece],
    behind: &str,
    page: &mut Page<'_>,
) -> String {
    let open = |piece: &&Piece| match piece {
        Piece::Ask(_) => true,
        Piece::Words(Weight::Place | Weight::Text, _) => live.is_claim(),
        _ => false,
    };
    let (first, rest): (Vec<&Piece>, Vec<&Piece>) = pieces.iter().partition(open);
    let mut shown = |pieces: Vec<&Piece>| -> String {
        pieces.into_iter().map(|piece| page.piece(piece)).collect()
    };
    let summary = match first.is_empty() {
        true => None,
        false if live.is_claim() => Some("Judge it first. What is true of it"),
        false => Some("What comes out"),
    };
    let (first, rest) = (shown(first), shown(rest));
    let rest = match summary {
        Some(summary) => {
            format!("<details>\n<summary>{summary}</summary>\n{rest}{behind}</details>\n")
        }
        None => rest,
    };
    format!(
        "<figure class=\"live\">\n<figcaption>{}</figcaption>\n{first}{rest}</figure>\n",
        escape(&caption(live))
    )
}

/// A block that cannot be shown, and why.
pub(super) fn refused(kind: &str, sentence: &str) -> String {
    figure("live", kind, &[format!("({sentence})")])
}

/// The page that pieces are drawn on: where links lead, and which ids are taken.
pub(super) struct Page<'p> {
    pub(super) place: &'p dyn Fn(&str) -> Option<String>,
    pub(super) ids: &'p mut Ids,
}

impl Page<'_> {
    /// One piece.
    pub(super) fn piece(&mut self, piece: &Piece) -> String {
        match piece {
            Piece::Ask(ask) => format!("<p><strong>Predict:</strong></p>\n{}", self.prose(ask)),
            Piece::Text(text) => self.prose(text),
            Piece::Words(Weight::Title, text) => {
                format!("<p><strong>{}</strong></p>\n", escape(text))
            }
            Piece::Words(Weight::Aside | Weight::Place, text) => {
                format!("<p class=\"dim\">{}</p>\n", escape(text))
            }
            Piece::Words(Weight::Text | Weight::Fault, text) => paragraph(text),
            Piece::Said(label, text) => format!(
                "<p><strong>{}</strong> {}</p>\n",
                escape(label),
                escape(text)
            ),
            Piece::Figures(figures) => cells(&[], figures.iter().map(number)),
            Piece::Table(grid) => table(grid),
            Piece::Roofline(roofline) => drawn(piece, table(&roofline.grid)),
            Piece::Chart(chart) => drawn(piece, table(&chart.grid())),
            Piece::Ribbon(ribbon) => drawn(piece, boxes(ribbon)),
            Piece::Lab(found) => picture::piece(piece).map_or(String::new(), framed) + &lab(found),
            Piece::Trips(found) => drawn(piece, trips(found)),
            Piece::Steps(steps) => {
                let items = steps.iter().map(|step| {
                    let scene = step.scene.as_ref().map_or(String::new(), scene);
                    format!("<li>{}{scene}</li>\n", self.item(&step.text))
                });
                format!("<ol>\n{}</ol>\n", items.collect::<String>())
            }
            Piece::Code(file, lines) => source(file, lines),
            Piece::Lines(lines) => format!(
                "<pre class=\"code\" tabindex=\"0\">{}</pre>\n",
                escape(&lines.join("\n"))
            ),
            Piece::Question(question) => self.prose(&question.ask) + &form(question),
            Piece::Outcome(value, note) => {
                let note = note.as_ref().map_or(String::new(), |note| paragraph(note));
                let came = match value {
                    Ok(value) => format!(
                        "<p>it is <span class=\"value\">{}</span> =</p>\n",
                        escape(value)
                    ),
                    Err(why) => paragraph(&format!("not known here: {why}")),
                };
                came + &note
            }
            Piece::Run(command) => format!(
                "<p class=\"dim\">Command: <code>tinyllama-tutor {}</code></p>\n",
                escape(command)
            ),
        }
    }

    /// Markdown with its numbers.
    pub(super) fn prose(&mut self, prose: &Prose) -> String {
        let resolve = |value: &Value| prose.resolve(value);
        let writer = Writer {
            resolve: &resolve,
            place: self.place,
        };
        writer.blocks(&prose.blocks, self.ids)
    }

    /// The same in an item of a list.
    fn item(&mut self, prose: &Prose) -> String {
        let resolve = |value: &Value| prose.resolve(value);
        let writer = Writer {
            resolve: &resolve,
            place: self.place,
        };
        writer.item(&prose.blocks, self.ids)
    }
}

/// A picture, and what it says in numbers folded away below it; the numbers alone where
/// it cannot be drawn.
fn drawn(piece: &Piece, numbers: String) -> String {
    match picture::piece(piece) {
        None => numbers,
        Some(svg) => pictured(svg, &numbers),
    }
}

/// A picture with its numbers folded away below it.
fn pictured(svg: String, numbers: &str) -> String {
    format!(
        "{}<details class=\"numbers\">\n<summary>The same in numbers</summary>\n{numbers}</details>\n",
        framed(svg)
    )
}

/// A picture that is wider than the page is moved, not shrunk until it cannot be read.
fn framed(svg: String) -> String {
    format!("<div class=\"wide\" tabindex=\"0\">\n{svg}</div>\n")
}

fn paragraph(text: &str) -> String {
    format!("<p>{}</p>\n", coded(text))
}

/// Text in which backticks mark code.
fn coded(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return escape(text);
    }
    let part = |(at, part): (usize, &&str)| match at % 2 {
        0 => escape(part),
        _ => format!("<code>{}</code>", escape(part)),
    };
    parts.iter().enumerate().map(part).collect()
}

fn number(figure: &Figure) -> Vec<String> {
    let value = match &figure.value {
        Ok(value) => value.clone(),
        Err(why) => format!("({why})"),
    };
    vec![figure.label.clone(), value]
}

fn table(grid: &Grid) -> String {
    let foot = match grid.foot.as_str() {
        "" => String::new(),
        foot => format!("<p class=\"dim\">{}</p>\n", escape(foot)),
    };
    cells(&grid.head, grid.rows.iter().cloned()) + &foot
}

/// Boxes side by side, what they move below them.
fn boxes(ribbon: &Ribbon) -> String {
    let boxed = ribbon.boxes.iter();
    let rows = boxed.map(|boxed| vec![boxed.ops().join(" "), boxed.number.clone()]);
    let mut out = cells(&[], rows);
    if !ribbon.walls.is_empty() {
        out += &format!("<p class=\"dim\">{}</p>\n", Ribbon::WALLS);
        let walls = ribbon.walls.iter();
        out += &cells(
            &[],
            walls.map(|wall| vec![format!("{}|{}", wall.left, wall.right), wall.said.clone()]),
        );
    }
    out
}

fn sum(sum: &Sum) -> Vec<String> {
    let cells = sum.cells.iter().map(|(text, _)| text.clone());
    std::iter::once(sum.name.to_owned()).chain(cells).collect()
}

fn lab(lab: &Lab) -> String {
    let mut out = String::new();
    if let Some(strip) = &lab.strip {
        out += &format!("<p class=\"unseen\">{}</p>\n", escape(&strip.to_string()));
    }
    if !lab.title.is_empty() {
        out += &format!("<p><strong>{}</strong></p>\n", escape(&lab.title));
    }
    out += &cells(&[], lab.sums.iter().chain(&lab.ran).map(sum));
    out + &toggles(&lab.toggles)
}

/// Fusions, and what the plan costs with each flipped.
fn toggles(toggles: &[Toggle]) -> String {
    let mut out = String::new();
    for toggle in toggles {
        let fusion = toggle.fusion;
        out += &format!(
            "<p>{} <strong>{}</strong> {}</p>\n",
            toggle.switch.sign(),
            escape(fusion.name()),
            escape(fusion.summary())
        );
        out += &cells(&[], toggle.flipped.iter().map(sum));
    }
    out
}

/// What a step speaks of: its squares as a picture and, folded away, as tables; figures
/// below.
fn scene(scene: &Scene) -> String {
    let mut out = String::new();
    for board in &scene.boards {
        let row = |(label, squares): &(String, Vec<Square>)| {
            let cells = squares.iter().map(|square| {
                let text = escape(&square.shown());
                match square.mark {
                    Mark::Plain => format!("<td class=\"dim\">{text}</td>"),
                    Mark::Past => format!("<td>{text}</td>"),
                    Mark::Now => format!("<td class=\"value\">{text}</td>"),
                    Mark::Waits => format!("<td class=\"error\">{text}</td>"),
                }
            });
            let label = match label.as_str() {
                "" => String::new(),
                label => format!("<th scope=\"row\">{}</th>", escape(label)),
            };
            format!("<tr>{label}{}</tr>\n", cells.collect::<String>())
        };
        let rows: String = board.rows.iter().map(row).collect();
        let name = match board.name.as_str() {
            "" => String::new(),
            name => format!("<caption>{}</caption>\n", escape(name)),
        };
        out += &format!("<div class=\"wide\" tabindex=\"0\"><table>\n{name}{rows}</table></div>\n");
    }
    if !scene.boards.is_empty() {
        out = pictured(picture::scene(scene), &out);
    }
    let figures: Vec<String> = scene
        .figures
        .iter()
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    out + &format!("<p class=\"dim\">{}</p>\n", escape(&figures.join("; ")))
}

fn trips(trips: &Trips) -> String {
    let title = format!("<p><strong>{}</strong></p>\n", escape(&trips.title));
    title
        + &table(&trips.grid())
        + &cells(&[], trips.sums.iter().map(sum))
        + &toggles(&trips.toggles)
}

/// A table; a column of figures stands to the right.
fn cells(head: &[String], rows: impl Iterator<Item = Vec<String>>) -> String {
    let rows: Vec<Vec<String>> = rows.collect();
    let begins = |text: &str| text.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let class = |at: usize| {
        let mut cells = rows.iter().filter_map(|row| row.get(at));
        match cells.all(|cell| begins(cell)) {
            true => " class=\"right\"",
            false => "",
        }
    };
    let row = |cells: &[String], tag: &str, scope: &str| {
        let cells = cells.iter().enumerate();
        let cells =
            cells.map(|(at, cell)| format!("<{tag}{scope}{}>{}</{tag}>", class(at), coded(cell)));
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let head = match head {
        [] => String::new(),
        head => format!("<thead>\n{}</thead>\n", row(head, "th", " scope=\"col\"")),
    };
    let rows: String = rows.iter().map(|cells| row(cells, "td", "")).collect();
    format!(
        "<div class=\"wide\" tabindex=\"0\"><table>\n{head}<tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

/// Lines of a kernel with their numbers and colours.
pub(super) fn source(file: &str, lines: &[(usize, String)]) -> String {
    let text: Vec<&str> = lines.iter().map(|(_, text)| text.as_str()).collect();
    let coloured = code::highlight(code::extension(file), &text.join("\n"));
    let numbered: Vec<String> = lines
        .iter()
        .zip(coloured)
        .map(|((number, _), spans)| {
            let number = Span::new(format!("{number:4}  "), Role::Dim);
            std::iter::once(number)
                .chain(spans)
                .map(|span| super::html::span(&span, Role::Code))
                .collect()
        })
        .collect();
    format!(
        "<pre class=\"code\" tabindex=\"0\"><code>{}</code></pre>\n",
        numbered.join("\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use course::answer::{Env, Setup};
    use course::{Figures, Lesson};
    use plan::cost::GpuDatabase;

    fn drawn(pieces: &[Piece], text: &str) -> String {
        let lesson = Lesson::read("1-x", "1-x.md", &format!("## A\n```{text}\n```\n"));
        let mut ids = Ids::default();
        let mut page = Page {
            place: &|_| None,
            ids: &mut ids,
        };
        block(lesson.live().next().unwrap(), pieces, "", &mut page)
    }

    #[test]
    fn figures_are_a_table_and_numbers_stand_to_the_right() {
        let table = Grid {
            head: vec!["plan".into(), "bytes".into()],
            rows: vec![vec!["<V1>".into(), "9.964 MB".into()]],
            ..Grid::default()
        };
        let pieces = [Piece::Table(table), Piece::Run("run `x`".into())];
        let out = drawn(&pieces, "lab");
        for part in [
            "<th scope=\"col\">plan</th><th scope=\"col\" class=\"right\">bytes</th>",
            "<tr><td>&lt;V1&gt;</td><td class=\"right\">9.964 MB</td></tr>",
            "Command: <code>tinyllama-tutor run `x`</code>",
        ] {
            assert!(out.contains(part), "{part} not in {out}");
        }
        assert!(!out.contains("<details>"), "{out}");
    }

    #[test]
    fn what_is_to_be_predicted_is_folded_away() {
        let gpus = GpuDatabase::embedded().unwrap();
        let env = Env::new(Setup::workshop().unwrap(), &gpus, Figures::built_in());
        let pieces = [
            Piece::Ask(Prose::of("How many of `q`?", &env)),
            Piece::Outcome(Ok("17".into()), None),
        ];
        let out = drawn(&pieces, "lab");
        let (before, after) = out.split_once("<details>").unwrap();
        assert!(before.contains("How many of <code>q</code>?"), "{out}");
        assert_eq!(coded("a ` b"), "a ` b");
        assert!(
            after.contains("it is <span class=\"value\">17</span>"),
            "{out}"
        );
    }
}
