//! What the documents should say otherwise: their claims by document and heading, in
//! the order in which one reads them.

use super::{Claim, Document, Ledger};

/// The document that is this course: its own claims are no letter to others.
const OWN: &str = "HERE";

/// The claims of a document that want a correction.
#[derive(Debug, Clone, PartialEq)]
pub struct Errata<'l> {
    /// The document.
    pub document: &'l Document,
    /// Heading and the claims under it; an empty heading is the document as a whole.
    pub headings: Vec<(&'l str, Vec<&'l Claim>)>,
}

impl Ledger {
    /// Those of `claims` that want a correction, by document and heading, of all documents
    /// or of one. A claim that several texts make stands at each of its places.
    pub fn errata<'l>(&'l self, claims: &[&'l Claim], only: Option<&Document>) -> Vec<Errata<'l>> {
        let of = |document: &'l Document| Errata {
            document,
            headings: headings(document, claims),
        };
        let theirs = self.documents.iter().filter(|d| d.id != OWN);
        let asked = theirs.filter(|d| only.is_none_or(|only| only.id == d.id));
        let found = asked.map(of);
        found.filter(|errata| !errata.headings.is_empty()).collect()
    }
}

fn headings<'l>(document: &'l Document, claims: &[&'l Claim]) -> Vec<(&'l str, Vec<&'l Claim>)> {
    let mut found: Vec<(&str, Vec<&Claim>)> = Vec::new();
    for claim in claims.iter().filter(|c| c.ruling.wants_correction()) {
        for place in claim.places.iter().filter(|p| p.document == document.id) {
            match found.iter_mut().find(|(known, _)| *known == place.heading) {
                Some((_, under)) => under.push(claim),
                None => found.push((&place.heading, vec![claim])),
            }
        }
    }
    // None comes first: what the text says as a whole stands before its parts.
    found.sort_by_key(|(heading, _)| document.places.iter().position(|h| h == heading));
    found
}
