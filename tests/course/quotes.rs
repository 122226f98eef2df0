//! What the ledger quotes has been found in the documents: `assets/quotes.toml` is
//! written by `tests/quotes.py`, which reads them; they are not part of this repository.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::path::Path;

fn read(name: &str) -> toml::Table {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("assets")
        .join(name);
    std::fs::read_to_string(path).unwrap().parse().unwrap()
}

fn strings(value: &toml::Value) -> Vec<&str> {
    let items = value.as_array().unwrap().iter();
    items.map(|item| item.as_str().unwrap()).collect()
}

fn digest(quotation: &str) -> String {
    let bare: String = quotation.split_whitespace().collect();
    let bytes = Sha256::digest(bare.as_bytes());
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What stands between “ and ”.
fn quotations(text: &str) -> impl Iterator<Item = &str> {
    text.split('“')
        .skip(1)
        .map(|rest| rest.split_once('”').expect("a quotation ends").0)
}

#[test]
fn every_quotation_stands_in_its_document() {
    let (claims, quotes) = (read("claims.toml"), read("quotes.toml"));
    let documents = strings(&quotes["documents"]);
    let mut listed = BTreeSet::new();
    for row in quotes["quotes"].as_array().unwrap() {
        let field = |name: &str| row[name].as_str().unwrap().to_owned();
        listed.insert((field("claim"), field("document"), field("sha256")));
    }
    let mut wrong = Vec::new();
    let mut met = BTreeSet::new();
    for claim in claims["claim"].as_array().unwrap() {
        let (id, says) = (
            claim["id"].as_str().unwrap(),
            claim["says"].as_str().unwrap(),
        );
        let sources: BTreeSet<&str> = strings(&claim["source"])
            .iter()
            .map(|place| place.split(':').next().unwrap_or_default())
            .filter(|source| documents.contains(source))
            .collect();
        if sources.is_empty() {
            continue;
        }
        for quotation in quotations(says) {
            let hash = digest(quotation);
            let row = |source: &&str| (id.to_owned(), (*source).to_owned(), hash.clone());
            match sources.iter().map(row).find(|row| listed.contains(row)) {
                Some(row) => {
                    met.insert(row);
                }
                None => wrong.push(format!("{id}: “{quotation}” is not in assets/quotes.toml")),
            }
        }
    }
    wrong.extend(
        listed
            .difference(&met)
            .map(|row| format!("{row:?} quotes nothing")),
    );
    assert!(
        wrong.is_empty(),
        "{}\npython3 tests/quotes.py FOLDER, with the documents, lists what stands in them",
        wrong.join("\n")
    );
    assert!(met.len() > 100, "{}", met.len());
}
