//! `assets/claims.toml`, entry by entry.

use super::court::Court;
use super::{Claim, Document, Figure, Group, Ledger, Place, UNLABELLED};
use crate::answer::claim::{Evidence, Ruling};
use crate::fault::Fault;
use crate::fields::{Fields, Phrase, Toml};
use crate::setup::Setup;
use crate::text::Text;

/// The headings of the documents that the course answers one by one.
static HEADINGS: &str = include_str!("../../../assets/headings.txt");

pub(super) fn ledger(file: &str, raw: &str) -> (Ledger, Vec<Fault>) {
    let (text, mut faults) = Text::new(file, raw);
    let toml = Toml {
        text: &text,
        range: 0..text.body().len(),
    };
    let ledger = toml.read(&mut faults, |fields| {
        fields.called("the file");
        let documents = fields.tables("document", |fields| {
            pair(fields, "a document", |fields| fields.texts("places"))
        });
        let groups = fields.tables("group", |fields| {
            pair(fields, "a group", |_| ()).map(|(id, name, ())| Group { id, name })
        });
        let documents = documents.into_iter().flatten().map(|(id, name, places)| {
            let places = places.into_iter().map(|place| place.text);
            Document {
                places: headings(&id).map(str::to_owned).chain(places).collect(),
                id,
                name,
            }
        });
        let mut ledger = Ledger {
            documents: documents.collect(),
            groups: groups.into_iter().flatten().collect(),
            claims: Vec::new(),
        };
        let claims = fields.tables("claim", |fields| claim(fields, &ledger));
        for claim in claims.into_iter().flatten() {
            if ledger.get(&claim.id.text).is_some() {
                let say = format!("there are two claims {}; rename one.", claim.id.text);
                fields.report_at(claim.id.at, say);
            } else {
                ledger.claims.push(claim);
            }
        }
        let missing = ledger.claims.iter().flat_map(|c| &c.by);
        for other in missing.filter(|other| ledger.get(&other.text).is_none()) {
            fields.report_at(other.at, format!("there is no claim {}.", other.text));
        }
        fields.close();
        ledger
    });
    faults.sort();
    (ledger, faults)
}

/// The headings of a document, in its order.
fn headings(document: &str) -> impl Iterator<Item = &'static str> {
    let mark = format!("[{document}]");
    let own = HEADINGS.lines().skip_while(move |line| *line != mark);
    own.skip(1).take_while(|line| !line.starts_with('['))
}

/// Id, name, and what `more` reads beside them.
fn pair<T>(
    fields: &mut Fields<'_, '_>,
    what: &str,
    more: impl Fn(&mut Fields<'_, '_>) -> T,
) -> Option<(String, String, T)> {
    let mut fields = fields.renamed(what);
    let id = fields.need_text("id", "id = \"S0\"");
    let name = fields.need_text("name", "name = \"V4 README\"");
    let more = more(&mut fields);
    fields.close();
    Some((id?.text, name?.text, more))
}

fn claim(fields: &mut Fields<'_, '_>, ledger: &Ledger) -> Option<Claim> {
    let mut fields = fields.renamed("a claim");
    let id = fields.need_text("id", "id = \"K-V1-12\"");
    let title = fields.need_text("title", "title = \"12 launches per block\"");
    let group = fields.need_text("group", "group = \"counts\"");
    if let Some(group) = &group
        && !ledger.groups.iter().any(|g| g.id == group.text)
    {
        fields.report_at(group.at, format!("there is no group {}.", group.text));
    }
    let places = places(&mut fields, ledger);
    let says = fields.need_text("says", "says = \"…\"");
    let printed = fields.text("printed").map(|p| p.text);
    let claimed = fields.text("claimed");
    let ruling = word(&mut fields, "verdict", Ruling::parse, || {
        Ruling::ALL.iter().map(|r| r.word()).collect()
    });
    let by = fields.texts("by");
    let assumption = fields.text("assumption");
    let holds = fields.text("holds");
    let truth = fields.need_text("truth", "truth = \"…\"");
    let figures = figures(&mut fields);
    let by_reading = fields.flag("by_reading").unwrap_or(false);
    let setup = fields.table("config", Setup::read).unwrap_or_default();
    let evidence = word(&mut fields, "demo", Evidence::parse, || {
        Evidence::ALL.iter().map(|e| e.word()).collect()
    });
    let plans = fields.texts("plans");
    let command = fields.text("command").map(|c| c.text);
    let court_at = fields.key_place("court");
    let court = fields.table("court", Court::read).flatten();
    fields.close();
    let claim = Claim {
        id: id?,
        title: title?.text,
        group: group?.text,
        places,
        says: says?,
        printed,
        claimed,
        ruling: ruling?,
        by,
        assumption,
        holds,
        truth: truth?,
        figures,
        by_reading,
        setup,
        evidence: evidence?,
        plans,
        command,
        court,
    };
    if let Some(why) = claim.ill_posed() {
        fields.report_at(court_at, why);
    }
    Some(claim)
}

/// One of the words of a closed list.
fn word<R>(
    fields: &mut Fields<'_, '_>,
    key: &'static str,
    parse: impl Fn(&str) -> Option<R>,
    known: impl Fn() -> Vec<&'static str>,
) -> Option<R> {
    if !fields.has(key) {
        fields.need_text(key, &format!("one of {}", known().join(", ")));
        return None;
    }
    fields
        .one_of(key, &known())
        .and_then(|found| parse(&found.text))
}

/// `"S0: Revolutionary Changes"`, or a document alone.
fn places(fields: &mut Fields<'_, '_>, ledger: &Ledger) -> Vec<Place> {
    let mut found = Vec::new();
    for source in fields.texts("source") {
        let (document, heading) = source.text.split_once(": ").unwrap_or((&source.text, ""));
        if let Some(known) = ledger.documents.iter().find(|d| d.id == document) {
            let listed = known.places.iter().any(|known| known == heading);
            if !listed && !known.places.is_empty() && !heading.is_empty() {
                let say = format!("{document} has no heading “{heading}”; add it to its places.");
                fields.report_at(source.at, say);
            }
            found.push(Place {
                document: document.to_owned(),
                heading: heading.to_owned(),
            });
        } else {
            fields.report_at(source.at, format!("there is no document {document}."));
        }
    }
    if found.is_empty() {
        fields.report("a claim needs its source; add source = \"S0: Heading\".");
    }
    found
}

/// `value` with its `unit` and `label`, then `rows` of label, expression, unit.
fn figures(fields: &mut Fields<'_, '_>) -> Vec<Figure> {
    let value = fields.text("value");
    let unit = fields.text("unit").map(|u| u.text);
    let label = fields.text("label").map(|l| l.text);
    let mut figures: Vec<Figure> = value
        .map(|expr| Figure {
            label: label.unwrap_or_else(|| UNLABELLED.to_owned()),
            expr,
            unit,
        })
        .into_iter()
        .collect();
    for (at, row) in fields.rows("rows") {
        let mut cells = row.into_iter();
        let unit = |cell: Option<Phrase>| cell.map(|u| u.text);
        match (cells.next(), cells.next(), cells.next(), cells.next()) {
            (Some(label), Some(expr), last, None) => figures.push(Figure {
                label: label.text,
                expr,
                unit: unit(last),
            }),
            _ => fields.report_at(
                at,
                "a row is [label, expression] or [label, expression, unit].",
            ),
        }
    }
    figures
}
