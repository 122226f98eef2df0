#!/usr/bin/env python3
"""The plans of this program on one GPU: a table of works, one run per element type.

    python3 benches/gpu/table.py [--dtype bf16|fp32] [--rows FILE] [--budget SECONDS] [WORK...]

A work's plans are timed in turns, each as a stream of launches and as a replayed graph,
with kernels of its own; --library adds plans with the library's products to prefills, --rested the
plans of one kernel and `five` with a rest before each forward, since a card under load
lowers its clock, which is told beside. Streams are checked against fp64 before a clock
starts; a graph must have the very logits of its stream.

FILE gets a line of JSON per work as soon as it is measured; with --resume what stands
there is not measured again, and no work begins after the budget, so that a second call
goes on where the first stopped. --peers FILE: what peers.py wrote, ceilings among it. The
tables (markdown) go to standard output, progress to standard error.
"""

import argparse
import json
import subprocess
import time
from pathlib import Path

from device import Clock, asked, say
from timing import ratio, rounds, told
from works import FOR_LIBRARY, TABLE, WORKS

# The plans whose blocks are one kernel: set against the best of the others.
ONE_KERNEL = ["v4", "forward"]
OTHERS = ["five", "v1", "v2", "v3"]
PLANS = [*OTHERS[:1], *ONE_KERNEL, *OTHERS[1:]]
# What a library can be given: kernels that are one product and nothing else. In the last
# plan every product is one, and what lies between them is merged.
WITH_PRODUCTS = ["five", "v1+flash+silu_mul+norm_residual"]
# Milliseconds of rest before a forward, and the plans that are measured so.
REST = 10
RESTED = ["five", *ONE_KERNEL]
# Runs of a plan in one round of several.
IN_TURN = 2


def count(work, dtype):
    """30 forwards; 18, nine rounds, where one takes tens of milliseconds or its cache is
    long to fill: fewer rounds say nothing of a difference."""
    rate = 500e12 if dtype == "bf16" else 40e12
    slow = work.flops() / rate > 0.01 or work.batch * work.past > 8000
    return 18 if slow else 30


def measured(given, work, plans, gemm="own", both=True, rest=0):
    """A row for each plan and way of launching."""
    command = [given.program, "compare", *plans, *work.options(), "--dtype", given.dtype]
    command += ["--run", "--backend", given.backend, "--gemm", gemm, "--json"]
    command += ["--runs", given.runs or count(work, given.dtype)]
    command += ["--both"] if both else ["--graph", "--no-check"] if rest else []
    command += ["--pause", rest] if rest else []
    with Clock() as clock:
        reports, failed = asked(command)
    ways = [False, True] if both else [bool(rest)]
    if reports is None and len(plans) > 1:
        # One plan stops all: each for itself then, no longer in turns.
        rows = [row for plan in plans for row in measured(given, work, [plan], gemm, both, rest)]
        return [row | {"apart": True} for row in rows]
    rows = []
    for at, (plan, graph) in enumerate((plan, graph) for plan in plans for graph in ways):
        row = {"plan": plan, "gemm": gemm, "graph": graph, "rest": rest, "clock": clock.range()}
        row |= {"failed": failed} if reports is None else judged(reports[at], rest, len(reports))
        rows.append(row)
    return rows


def judged(report, rest, plans):
    """Times and launches of a report whose outputs are right; rested ones are those of
    plans that were checked before."""
    check = report.get("check")
    if not rest and not (check and check["pass"]):
        return {"failed": f"wrong: {(check or {}).get('first_wrong') or 'it was not checked'}"}
    if not report.get("time_us"):
        return {"failed": "it was not timed"}
    timing, launches = report["time_us"], report["launches"]
    each = IN_TURN if plans > 1 else len(timing["times"])
    forward = report["cost"]["forward"]
    return {
        "us": timing["median"],
        "mad": timing["mad"],
        "rounds": rounds(timing["times"], each),
        "launches": launches["counted"],
        "library": launches["library"],
        "reference": check and check["reference"],
        "flops": forward["flops"],
        "bytes": forward["bytes"],
        "device": report["device"],
    }


def ours(given, name):
    """All rows of a work."""
    work, begun = WORKS[name], time.monotonic()
    rows = measured(given, work, given.plans)
    if given.library and name in FOR_LIBRARY:
        rows += measured(given, work, WITH_PRODUCTS, gemm="library", both=False)
    if given.rested:
        rows += measured(given, work, RESTED, both=False, rest=REST)
    return {"dtype": given.dtype, "work": name, "seconds": round(time.monotonic() - begun, 1), "rows": rows}


def best(rows, plans, gemm="own", rest=0):
    """The row of the quickest of some plans, launched either way."""
    fit = [r for r in rows if "us" in r and r["plan"] in plans and (r["gemm"], r["rest"]) == (gemm, rest)]
    return min(fit, key=lambda row: row["us"], default=None)


def against(row, other):
    """The ratio of two rows; no ends where they were not timed in turns."""
    if not row or not other:
        return None
    if row.get("apart") or other.get("apart"):
        return [row["us"] / other["us"], None, None]
    return ratio(row["rounds"], other["rounds"])


def rate(name, us, bytes_, flops, ceilings):
    """What a time comes to, and as a part of the measured ceiling: decode is judged by its
    bytes, prefill by its products."""
    if WORKS[name].seq == 1:
        gbs, most = bytes_ / us / 1e3, ceilings.get("copy_gbs")
        return f"{gbs:.0f} GB/s", percent(gbs, most)
    tflops, most = flops / us / 1e6, ceilings.get("product_tflops")
    return f"{tflops:.0f} TFLOP/s", percent(tflops, most)


def percent(part, whole):
    return f"{100 * part / whole:.0f} %" if whole else ""


def summary(found, peers, ceilings):
    """A line per work: the plans of one kernel against the best of the others."""
    heads = "work|best other|µs|V4|forward|V4 to it|forward to it|library|peer|forward to peer|forward of ceiling"
    heads += "|V4 rested, to five|forward rested|clock, MHz|s"
    lines = ["| " + heads.replace("|", " | ") + " |", "|---|---|" + "--:|" * (heads.count("|") - 1)]

    def us(row):
        return f"{row['us']:.1f}" if row else ""

    for name, entry in found.items():
        rows = entry["rows"]
        other, v4, forward = (best(rows, plans) for plans in (OTHERS, ["v4"], ["forward"]))
        library, peer = best(rows, WITH_PRODUCTS, "library"), best_peer(name, peers)
        seen = [row["clock"] for row in rows if row.get("clock")]
        mine = forward or v4
        cells = [
            WORKS[name].title,
            f"{other['plan']} {way(other)}" if other else "",
            us(other), us(v4), us(forward),
            told(against(v4, other)), told(against(forward, other)),
            us(library), f"{peer:.0f}" if peer else "",
            f"{forward['us'] / peer:.2f}" if forward and peer else "",
            rate(name, mine["us"], mine["bytes"], mine["flops"], ceilings)[1] if mine else "",
            *(told(against(best(rows, [plan], rest=REST), best(rows, ["five"], rest=REST))) for plan in ONE_KERNEL),
            f"{min(s[0] for s in seen)}–{max(s[1] for s in seen)}" if seen else "",
            f"{entry['seconds']:.0f}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return lines + [""]


def way(row):
    return ("graph" if row["graph"] else "stream") + (f", {row['rest']} ms of rest" if row["rest"] else "")


def best_peer(name, peers):
    return min((p["us"] for p in peers if p["work"] == name and "us" in p), default=None)


def every(found):
    """A line per work: each plan as a stream and as a graph, and with a library's products."""
    heads = ["work", *sorted(OTHERS), *ONE_KERNEL, *(f"{plan}, library" for plan in WITH_PRODUCTS), "± at most"]
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "--:|" * (len(heads) - 1)]
    for name, entry in found.items():
        rows = [row for row in entry["rows"] if not row["rest"]]

        def times(plan, gemm):
            of = [row for row in rows if (row["plan"], row["gemm"]) == (plan, gemm)]
            return " / ".join(f"{row['us']:.1f}" if "us" in row else "–" for row in of)

        cells = [times(plan, "own") for plan in (*sorted(OTHERS), *ONE_KERNEL)]
        cells += [times(plan, "library") for plan in WITH_PRODUCTS]
        spread = max((row["mad"] / row["us"] for row in rows if "us" in row), default=0)
        lines.append(f"| {WORKS[name].title} | " + " | ".join(cells) + f" | {100 * spread:.1f} % |")
    return lines + [""]


def remarks(found, peers):
    """What was not timed, and why; what the outputs were held against; what peers ran."""
    lines = []
    for name, entry in found.items():
        for row in entry["rows"]:
            if "failed" in row:
                lines.append(f"- {WORKS[name].title}, {row['plan']} ({row['gemm']}, {way(row)}): {row['failed']}")
    rows = [row for entry in found.values() for row in entry["rows"] if row.get("reference") and not row["graph"]]
    checks = {"fp64, sampled rows of each kernel" if "sampled" in row["reference"] else row["reference"] for row in rows}
    lines += [f"- streams checked against {check}" for check in sorted(checks)]
    for p in peers:
        told = f"{p['us']:.1f} µs, {p['launches']} launches, off by {p['error']:.1e}" if "us" in p else p["failed"]
        lines.append(f"- {WORKS[p['work']].title}: transformers, {p['variant']}: {told}")
    return lines + [""]


def documents(path):
    """The lines of a file of JSON; none where there is no file."""
    text = path.read_text() if path and path.exists() else ""
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("works", nargs="*", metavar="WORK", help=f"those of the table, or of {', '.join(WORKS)}")
    options.add_argument("--program", default="target/release/tinyllama-tutor")
    options.add_argument("--dtype", choices=["bf16", "fp32"], default="bf16")
    options.add_argument("--rows", type=Path, help="keep what is measured here, a line of JSON per work")
    options.add_argument("--resume", action="store_true", help="do not measure again what stands in --rows")
    options.add_argument("--budget", type=float, metavar="SECONDS", help="begin no work after this time")
    options.add_argument("--library", action="store_true", help="plans with the library's products, too")
    options.add_argument("--rested", action="store_true", help="V4, forward and five with rests, too")
    options.add_argument("--peers", type=Path, metavar="FILE", help="rows that peers.py --out wrote")
    options.add_argument("--plans", nargs="+", default=PLANS, metavar="PLAN")
    options.add_argument("--runs", type=int, help="timed forwards of each plan (30, or 18 where one is long)")
    options.add_argument("--backend", default="cuda", help="cpu tries this program without a GPU")
    given = options.parse_intermixed_args()
    works = given.works or TABLE[given.dtype]
    unknown = [name for name in works if name not in WORKS]
    if unknown:
        options.error(f"there is no work {unknown[0]}; use {', '.join(WORKS)}")
    if given.rows and given.rows.exists() and not given.resume:
        options.error(f"{given.rows} is there already: --resume goes on with it")

    kept = documents(given.rows)
    found = {e["work"]: e for e in kept if e.get("dtype") == given.dtype and e.get("work") in works}
    begun = time.monotonic()
    for name in works:
        if name in found:
            continue
        if given.budget is not None and time.monotonic() - begun > given.budget:
            say(f"the budget is used up: {name} and what follows is not measured")
            break
        found[name] = ours(given, name)
        if given.rows:
            with given.rows.open("a") as file:
                file.write(json.dumps(found[name]) + "\n")
        say("\n".join(summary({name: found[name]}, [], {})[2:-1]) + f" ({found[name]['seconds']} s)")
    found = {name: found[name] for name in works if name in found}

    seen = documents(given.peers)
    peers = [line for line in seen if line.get("dtype") == given.dtype and "work" in line]
    ceilings = {key: value for line in seen if line.get("ceilings") == given.dtype for key, value in line.items()}
    devices = {row["device"] for entry in found.values() for row in entry["rows"] if "device" in row}
    version = subprocess.run([given.program, "--version"], capture_output=True, text=True).stdout.strip()
    lines = [f"## {given.dtype}, {'; '.join(sorted(devices)) or 'nothing was measured'}", ""]
    lines.append(f"{version}; medians ± median deviation by device events, all plans of a work in turns, 30 forwards")
    lines.append("each (18 where one is long). Intervals miss 1 in 100 times (docs/timing.md).")
    if "copy_gbs" in ceilings:
        lines.append(f"Peers: torch {ceilings['torch']}. Measured ceilings: copy {ceilings['copy_gbs']:.0f} GB/s, matrix")
        lines.append(f"product {ceilings['product_tflops']:.0f} TFLOP/s; decode is compared with the first, prefill with the second.")
    lines += ["", *summary(found, peers, ceilings)]
    lines += ["Every plan, µs as a stream / as a graph:", "", *every(found), *remarks(found, peers)]
    print("\n".join(lines))


if __name__ == "__main__":
    main()
