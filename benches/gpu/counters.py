#!/usr/bin/env python3
"""The SIMT machine's counts beside those of a GPU's counters: one markdown table.

On a machine with a GPU and ncu:

    M=l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
    M=$M,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum,smsp__inst_executed.sum
    ncu --csv --target-processes all --clock-control none --metrics $M \\
        tinyllama-tutor dev gym --backend cuda > gym.csv
    tinyllama-tutor dev gym --backend cuda --json > gym.json
    ncu … tinyllama-tutor run --backend cuda --version v1 --runs 0 --no-check > v1.csv
    tinyllama-tutor run --backend simt --version v1 --runs 0 --no-check --count-bytes --json > v1.json
    python3 benches/gpu/counters.py gym.csv gym.json v1.csv v1.json

ncu counts what the GPU executes (SASS of its own architecture); the SIMT machine
executes the PTX of sm_80. Launches are paired in order.
"""

import csv
import json
import sys

SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_{}.sum"
# Column: the counters that make it, added up.
COLUMNS = {
    "sectors": [SECTORS.format("ld"), SECTORS.format("st")],
    "bank conflicts": ["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"],
    "warp instructions": ["smsp__inst_executed.sum"],
}
# Kernels of a block in V1.
BLOCK = 17


def launches(path):
    """Name and counters of each launch, in order."""
    head, found = None, {}
    for row in csv.reader(open(path, newline="")):
        if "Kernel Name" in row:
            head = row
        elif head and len(row) == len(head):
            cell = dict(zip(head, row))
            launch = found.setdefault(cell["ID"], {"name": cell["Kernel Name"]})
            launch[cell["Metric Name"]] = float(cell["Metric Value"].replace(",", ""))
    return list(found.values())


def table(pairs):
    """`pairs`: a label, ours by column, the GPU's launch."""
    lines = ["| kernel | " + " | ".join(f"{c}: ours | ncu" for c in COLUMNS) + " |"]
    lines.append("|---|" + "--:|" * (2 * len(COLUMNS)))
    for label, ours, seen in pairs:
        cells = []
        for column, metrics in COLUMNS.items():
            mine = ours.get(column)
            theirs = sum(seen[m] for m in metrics) if all(m in seen for m in metrics) else None
            cells += ["" if mine is None else f"{mine:,.0f}", "" if theirs is None else f"{theirs:,.0f}"]
        lines.append(f"| {label} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def gym(path):
    for row in json.load(open(path))["rows"]:
        counts = row["counts"]["rows"][0]["counts"]
        yield f"{row['kernel']} {row['value']}", {
            "sectors": counts["sectors"] + counts["sectors_written"],
            "bank conflicts": counts["bank_conflicts"],
            "warp instructions": counts["instructions"],
        }


def kernels(path):
    for kernel in json.load(open(path))["kernels"]:
        work = kernel.get("work") or {}
        yield kernel["name"], {
            "sectors": work.get("sectors"),
            "bank conflicts": work.get("conflicts"),
            "warp instructions": work.get("instructions"),
        }


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    for title, reader, ours, seen in [
        ("The gym", gym, sys.argv[2], sys.argv[1]),
        ("V1, workshop B1 S128 fp32: embed and the first block", kernels, sys.argv[4], sys.argv[3]),
    ]:
        mine, theirs = list(reader(ours)), launches(seen)
        if len(mine) != len(theirs):
            print(f"{title}: {len(mine)} launches counted here, {len(theirs)} seen by ncu", file=sys.stderr)
        pairs = [(label, counts, launch) for (label, counts), launch in zip(mine, theirs)]
        shown = pairs if reader is gym else pairs[: 1 + BLOCK]
        print(f"### {title}\n\n{table(shown)}\n")


if __name__ == "__main__":
    main()
