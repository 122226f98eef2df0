#!/usr/bin/env python3
"""Checks the ledger's quotations against the documents, and lists those that stand there.

    python3 tests/quotes.py FOLDER

FOLDER holds the documents as text, one file each; in the order of their names they
are S0, S1, S2, … of assets/claims.toml. What a claim's `says` has in “ ” must stand
in one of the claim's documents, white space apart. Where all of it does,
assets/quotes.toml is written, which tests/course/quotes.rs holds the ledger to. Claims of
which no document is in the folder are not looked at. The documents are not part of
this repository.
"""

import hashlib
import re
import sys
import tomllib
from pathlib import Path

ASSETS = Path(__file__).resolve().parent.parent / "assets"
HEAD = """\
# The quotations of claims.toml that stand in a document, white space apart: claim,
# document, SHA-256 of the quotation without white space. Written by tests/quotes.py.

"""


def bare(text):
    return "".join(text.split())


def stands(quote, document):
    """Whether it stands there; a number must not be a piece of a longer one."""
    before = r"(?<![\d.])" if quote[0].isdigit() else ""
    after = r"(?!\d)" if quote[-1].isdigit() else ""
    return re.search(before + re.escape(quote) + after, document) is not None


def main(folder):
    files = sorted(path for path in Path(folder).iterdir() if path.is_file())
    documents = {f"S{i}": bare(path.read_text("utf-8")) for i, path in enumerate(files)}
    rows, missing = [], []
    for claim in tomllib.loads((ASSETS / "claims.toml").read_text("utf-8"))["claim"]:
        sources = [place.split(":")[0] for place in claim["source"]]
        at_hand = sorted({source for source in sources if source in documents})
        for quote in re.findall("“([^”]*)”", claim["says"]) if at_hand else []:
            found = [d for d in at_hand if stands(bare(quote), documents[d])]
            if not found:
                missing.append(f"{claim['id']}: “{quote}” does not stand in {', '.join(at_hand)}")
                continue
            digest = hashlib.sha256(bare(quote).encode()).hexdigest()
            rows.append(f'  {{ claim = "{claim["id"]}", document = "{found[0]}", sha256 = "{digest}" }},\n')
    if missing:
        sys.exit("\n".join(missing))
    listed = ", ".join(f'"{name}"' for name in documents)
    text = f"{HEAD}documents = [{listed}]\nquotes = [\n{''.join(dict.fromkeys(rows))}]\n"
    (ASSETS / "quotes.toml").write_text(text, "utf-8")
    print(f"{len(rows)} quotations stand in {len(documents)} documents")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
