#!/usr/bin/env python3
"""Why a plan takes as long as it does: counters of each kernel of one forward, and, of a
kernel of many phases, what each function of it takes.

On a machine with a GPU and ncu. `run --counters` starts `ncu … dev counted REQUEST`, which
brackets one forward; a stand-in for ncu keeps the request, so that it can be run under the
real one with other counters:

    mkdir bin; printf '#!/bin/bash\\nfor last; do :; done\\ncp "$last" request.json\\n' > bin/ncu; chmod +x bin/ncu
    PATH=$PWD/bin:$PATH tinyllama-tutor run --backend cuda --version v4 … --runs 0 --no-check --counters
    ncu --section SpeedOfLight --section MemoryWorkloadAnalysis --section WarpStateStats --section SourceCounters \\
        --metrics gpu__time_duration.sum,sm__cycles_elapsed.max,lts__t_bytes.sum,dram__bytes_read.sum,\\
    smsp__sass_thread_inst_executed_op_ffma_pred_on.sum,sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed,\\
    sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed \\
        --clock-control none --cache-control none --profile-from-start off -o v4 tinyllama-tutor dev counted request.json
    ncu --import v4.ncu-rep --page raw --csv --print-units base > v4.csv
    ncu --import v4.ncu-rep --page source --csv --kernel-name regex:block > v4.source.csv
    python3 benches/gpu/causes.py v4.csv [v4.source.csv]

One layer is enough. Kernels run one by one there, so that what overlaps does not.
"""

import csv
import re
import sys

# Column: counter, what it is divided by.
COLUMNS = {
    "µs": ("gpu__time_duration.sum", 1e3),
    "kilocycles": ("sm__cycles_elapsed.max", 1e3),
    "FMA %": ("sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed", 1),
    "tensor %": ("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", 1),
    "L2 %": ("lts__throughput.avg.pct_of_peak_sustained_elapsed", 1),
    "L2 MB": ("lts__t_bytes.sum", 1e6),
    "DRAM %": ("dram__throughput.avg.pct_of_peak_sustained_elapsed", 1),
    "DRAM MB read": ("dram__bytes_read.sum", 1e6),
    "multiply-adds, M": ("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 1e6),
    "warps %": ("sm__warps_active.avg.pct_of_peak_sustained_active", 1),
    "registers": ("launch__registers_per_thread", 1),
}
# What tells the functions of a kernel apart.
SIGNS = {"exp": r"MUFU\.EX2", "tensor": "HGMMA|HMMA", "multiply-add": "FFMA", "atomic": r"ATOM|RED\."}


def number(text):
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return 0.0


def lines(path, first):
    """The table that begins with the line which holds `first`."""
    rows = list(csv.reader(open(path, newline="")))
    at = next(i for i, row in enumerate(rows) if first in row)
    return rows[at], [row for row in rows[at + 1 :] if len(row) == len(rows[at])]


def kernels(path):
    head, rows = lines(path, "Kernel Name")
    yield ["kernel", "blocks", "threads", *COLUMNS]
    for row in rows[1:]:  # the first is of units
        cell = dict(zip(head, row))
        names = [cell[name] for name in ("Kernel Name", "Grid Size", "Block Size")]
        yield names + [f"{number(cell.get(counter, '')) / by:,.1f}" for counter, by in COLUMNS.values()]


def functions(rows):
    """Instructions of a kernel, in pieces: one begins where a call goes to, and ends with
    a return that all threads take."""
    base = int(rows[0][0], 16)
    called = {int(to, 16) for row in rows for to in re.findall(r"\bCALL\S*.*?(0x[0-9a-f]+)", row[1])}
    piece = []
    for row in rows:
        at = int(row[0], 16)
        if piece and (at in called or at - base in called):
            yield piece
            piece = []
        piece.append(row)
        if "RET." in row[1] and "@" not in row[1]:
            yield piece
            piece = []
    if piece:
        yield piece


def phases(path):
    head, rows = lines(path, "Address")
    at = {name: i for i, name in enumerate(head)}
    stalls = [name for name in head if name.startswith("stall_") and "(" not in name]
    total = sum(number(row[at["# Samples"]]) for row in rows)
    yield ["at", "instructions", "samples %", "multiply-adds, M", "has", "stalls, % of all samples"]
    for piece in functions(rows):
        sampled = sum(number(row[at["# Samples"]]) for row in piece)
        if sampled < total / 200:
            continue
        adds = sum(number(r[at["Predicated-On Thread Instructions Executed"]]) for r in piece if "FFMA" in r[1])
        signs = [name for name, sign in SIGNS.items() if any(re.search(sign, row[1]) for row in piece)]
        why = sorted(((sum(number(row[at[s]]) for row in piece), s[6:]) for s in stalls), reverse=True)[:4]
        shares = ", ".join(f"{name} {100 * part / total:.1f}" for part, name in why)
        share = f"{100 * sampled / total:.1f}"
        yield [piece[0][0], str(len(piece)), share, f"{adds / 1e6:,.1f}", " ".join(signs), shares]


def table(rows):
    head = next(rows)
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    table(kernels(sys.argv[1]))
    if len(sys.argv) == 3:
        table(phases(sys.argv[2]))


if __name__ == "__main__":
    main()
