//! The form of a sheet: a line per question, a line per row of a table, and the
//! variant that the answers belong to.

use crate::answer::{Env, Key, USUAL_GPU, as_line, as_row, data_sheets, typed_rows};
use crate::exercise::Exercise;
use crate::fields::Phrase;
use crate::number::fill;
use crate::recorded::BuiltIn;
use crate::text::obeyed;
use plan::cost::GpuDatabase;
use toml_edit::{DocumentMut, Item, Table, Value};

/// Width of the comments in a new sheet.
const WIDTH: usize = 76;
/// The line that says which variant is answered; no question may have this name.
pub const VARIANT: &str = "variant";
/// The line that says which GPU the questions ask of, and the setting of the learner's
/// progress that names the device of the course; no question may have this name.
pub const DEVICE: &str = "device";

/// What stands at a key, as a person typed it: `"17"`, `17` and `["a", "b"]`
/// alike. The rows of a table are joined to one text.
pub(super) fn answer(document: &DocumentMut, key: &str, rows: &[String]) -> Option<String> {
    let item = document.get(key)?;
    let Some(table) = item.as_table_like().filter(|_| !rows.is_empty()) else {
        return Some(clean(&plain(item.as_value()?)));
    };
    let typed = |row: &String| table.get(row).and_then(Item::as_value).map(plain);
    let lines: Vec<String> = rows
        .iter()
        .map(|row| typed(row).unwrap_or_default())
        .collect();
    match lines.iter().all(|line| line.trim().is_empty()) {
        true => Some(String::new()),
        false => {
            let rows: Vec<String> = lines.iter().map(|line| as_row(&clean(line))).collect();
            Some(rows.join("; "))
        }
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(string) => string.value().clone(),
        Value::Array(list) => list.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => {
            let mut bare = other.clone();
            bare.decor_mut().clear();
            bare.to_string()
        }
    }
}

fn clean(typed: &str) -> String {
    typed
        .chars()
        .map(|c| if obeyed(c) || c == '\n' { ' ' } else { c })
        .collect()
}

/// Sets a key, comments around it untouched; a key that is missing comes with its question.
pub(super) fn put(
    document: &mut DocumentMut,
    key: &str,
    rows: &[String],
    typed: &str,
    question: &str,
) {
    if !rows.is_empty() {
        put_rows(document, key, rows, typed, question);
        return;
    }
    match document.get_mut(key) {
        Some(Item::Value(old)) => replace(old, typed),
        Some(other) => *other = toml_edit::value(typed),
        None => {
            document.insert(key, toml_edit::value(typed));
            if let Some(mut name) = document.key_mut(key) {
                name.leaf_decor_mut()
                    .set_prefix(format!("\n{}", comment(question)));
            }
        }
    }
}

/// Another value in the same place, its comment kept.
fn replace(old: &mut Value, typed: &str) {
    let decor = old.decor().clone();
    *old = Value::from(typed);
    *old.decor_mut() = decor;
}

/// Sets every row of a table.
fn put_rows(document: &mut DocumentMut, key: &str, rows: &[String], typed: &str, question: &str) {
    let new = document.get(key).is_none_or(|item| !item.is_table_like());
    if new {
        let mut table = Table::new();
        table.set_dotted(true);
        document.insert(key, Item::Table(table));
    }
    let Some(table) = document.get_mut(key).and_then(Item::as_table_like_mut) else {
        return;
    };
    let lines = typed_rows(typed);
    for (index, row) in rows.iter().enumerate() {
        let line = lines
            .get(index)
            .map_or_else(String::new, |row| as_line(row));
        match table.get_mut(row) {
            Some(Item::Value(old)) => replace(old, &line),
            _ => {
                table.insert(row, toml_edit::value(line));
                if let (0, true, Some(mut name)) = (index, new, table.key_mut(row)) {
                    name.leaf_decor_mut()
                        .set_prefix(format!("\n{}", comment(question)));
                }
            }
        }
    }
}

/// The variant that a sheet answers.
pub(super) fn variant(document: &DocumentMut) -> usize {
    document
        .get(VARIANT)
        .and_then(Item::as_integer)
        .and_then(|n| usize::try_from(n).ok())
        .unwrap_or(0)
}

/// Says which variant is answered; the printed one needs no line.
pub(super) fn put_variant(document: &mut DocumentMut, variant: usize) {
    let number = i64::try_from(variant).unwrap_or(0);
    match document.get_mut(VARIANT) {
        Some(item) => *item = toml_edit::value(number),
        None if variant > 0 => {
            document.insert(VARIANT, toml_edit::value(number));
            if let Some(mut name) = document.key_mut(VARIANT) {
                let say = "The answers above are to this variant of the exercise.";
                name.leaf_decor_mut()
                    .set_prefix(format!("\n{}", comment(say)));
            }
        }
        None => {}
    }
}

/// The GPU that a sheet's questions ask of.
pub(super) fn device(document: &DocumentMut) -> Option<&str> {
    document.get(DEVICE).and_then(Item::as_str)
}

/// Says which GPU the questions ask of; the usual one needs no line.
pub(super) fn put_device(document: &mut DocumentMut, gpu: &str) {
    match document.get_mut(DEVICE) {
        Some(item) => *item = toml_edit::value(gpu),
        None if gpu != USUAL_GPU => {
            document.insert(DEVICE, toml_edit::value(gpu));
            if let Some(mut name) = document.key_mut(DEVICE) {
                let say = "The questions above ask of this GPU.";
                name.leaf_decor_mut()
                    .set_prefix(format!("\n{}", comment(say)));
            }
        }
        None => {}
    }
}

pub(super) fn question(exercise: &Exercise, key: &str) -> String {
    let key = exercise.key(key);
    key.map_or(String::new(), |key| asked(key, data_sheets()))
}

/// A new sheet: every question as a comment, every key open.
pub(crate) fn blank(exercise: &Exercise) -> DocumentMut {
    let mut text = comment(&exercise.heading());
    text.push_str(&comment("Type answers as you would write them: \"23\", \"1.234 MB\", \"61.8 %\", \"2*3*100*500^2\". \"\" is open."));
    text.push_str(&comment(&format!("tinyllama-tutor check {}", exercise.id)));
    let gpus = data_sheets();
    for (index, key) in exercise.keys.iter().enumerate() {
        text.push('\n');
        let ask = asked(key, gpus);
        text.push_str(&comment(&format!("{}. {ask}", index + 1)));
        if let Some(kernel) = &key.kernel {
            for line in kernel.listing.excerpt() {
                text.push_str(format!("#{:>4}  {}", line.number, line.text).trim_end());
                text.push('\n');
            }
            if kernel.is_written() {
                let id = &exercise.id;
                text.push_str(&comment(&format!(
                    "(The kernel itself stands in answers/{id}.cu. Letters here answer its gap form.)"
                )));
            }
        } else if !key.options.is_empty() {
            let options: Vec<&str> = key.options.iter().map(Phrase::as_str).collect();
            text.push_str(&comment(&format!("({})", options.join(", "))));
        }
        let name = &key.name.text;
        let Some(table) = &key.table else {
            text.push_str(&format!("{name} = \"\"\n"));
            continue;
        };
        let columns: Vec<&str> = table.columns.iter().map(Phrase::as_str).collect();
        text.push_str(&comment(&format!("Columns: {}", columns.join(" | "))));
        for row in &table.rows {
            text.push_str(&format!("{name}.{} = \"\"\n", bare_or_quoted(&row.text)));
        }
    }
    // Names are checked when the exercise is read, so this is TOML.
    let mut document: DocumentMut = text.parse().unwrap_or_default();
    put_variant(&mut document, exercise.number);
    if let Some(gpu) = exercise.gpu {
        put_device(&mut document, gpu);
    }
    document
}

/// The question with its numbers filled in.
fn asked(key: &Key, gpus: Option<&GpuDatabase>) -> String {
    let (Some(gpus), Ok(setup)) = (gpus, key.setup.answer()) else {
        return key.ask.text.clone();
    };
    let env = Env::new(setup, gpus, &BuiltIn);
    fill(&key.ask.text, |inline| {
        inline
            .show(&env)
            .unwrap_or_else(|_| inline.expr.text.clone())
    })
}

/// A row's name as TOML writes a key.
fn bare_or_quoted(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    match name.chars().all(bare) {
        true => name.to_owned(),
        false => format!("\"{name}\""),
    }
}

/// Wraps a sentence into comment lines.
fn comment(sentence: &str) -> String {
    let mut out = String::new();
    let mut width = 0;
    for word in sentence.split_whitespace() {
        let length = word.chars().count();
        if width == 0 || width + 1 + length > WIDTH {
            if width > 0 {
                out.push('\n');
            }
            out.push_str("# ");
            out.push_str(word);
            width = 2 + length;
        } else {
            out.push(' ');
            out.push_str(word);
            width += 1 + length;
        }
    }
    if width > 0 {
        out.push('\n');
    }
    out
}
