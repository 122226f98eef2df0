//! Figures that were measured once on another machine and are cited by id.

use std::collections::BTreeMap;

use crate::units::{Quantity, read};

/// Reads the figures of `assets/recorded.toml`; what cannot be read is left
/// out, and an expression that names it says so.
///
/// ```
/// let all = tinyllama_tutor::app::study::recorded(
///     "[[recorded]]\nid = \"launch\"\nvalue = 2.85\nunit = \"us\"\n",
/// );
/// assert_eq!(all["launch"].value(), 2.85e-6);
/// ```
pub fn recorded(text: &str) -> BTreeMap<String, Quantity> {
    let table: toml::Table = text.parse().unwrap_or_default();
    let list = table.get("recorded").and_then(toml::Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(|entry| {
            let id = entry.get("id")?.as_str()?.to_owned();
            let unit = entry
                .get("unit")
                .and_then(toml::Value::as_str)
                .unwrap_or("");
            let value = entry.get("value")?;
            let typed = read(format!("{value} {unit}").trim(), None).ok()?;
            Some((id, typed.quantity))
        })
        .collect()
}
