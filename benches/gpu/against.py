#!/usr/bin/env python3
"""Whether plans got slower: an older program and this one in turns on one GPU.

    python3 benches/gpu/against.py OLD [--program NEW] [--dtype bf16|fp32] [WORK...]

For every turn, plan and work the older program times one replayed graph (own kernels,
30 forwards after 3, nothing checked: outputs are the business of table.py), then the
newer one; a ratio is that of the two medians of a turn. Device events around a replay do
not hear of the host, so that a debug build serves as the older program.
With fewer than 9 turns there is no interval that misses 1 in 100 times: the least and the
largest ratio stand in its place. --out keeps every line; --budget begins no turn after it.
"""

import argparse
import json
import time
from pathlib import Path
from statistics import median

from device import Clock, asked, say
from timing import ratio
from works import WORKS

PLANS = ["v1", "v2", "v3", "five"]
USUAL = ["workshop", "small", "d768", "ragged", "medium"]
# What a plan may have lost.
ALLOWED = 0.02


def timed(program, work, plan, given):
    command = [program, "run", "--version", plan, *work.options(), "--dtype", given.dtype, "--json"]
    command += ["--backend", given.backend, "--graph", "--no-check", "--runs", given.runs]
    report, failed = asked(command)
    if report is None or not report.get("time_us"):
        raise RuntimeError(f"{program}: {failed or 'no time'}")
    return report["time_us"]["median"]


def row(work, plan, pairs, clock):
    """A line of the table: new over old."""
    ratios = [new / old for old, new in pairs]
    middle, low, high = ratio([new for _, new in pairs], [old for old, _ in pairs])
    words = "least–most" if low is None else "1 in 100"
    low, high = (min(ratios), max(ratios)) if low is None else (low, high)
    slower = middle > 1 + ALLOWED and low > 1
    old, new = (median(pair[at] for pair in pairs) for at in (0, 1))
    seen = f"{clock[0]}–{clock[1]}" if clock else ""
    verdict = "slower" if slower else "no slower than 2 %" if high <= 1 + ALLOWED else "not sure"
    return (
        f"| {WORKS[work].title} | {plan} | {old:.1f} | {new:.1f} | {middle:.3f} | {low:.3f}–{high:.3f} ({words},"
        f" {len(pairs)} turns) | {verdict} | {seen} |"
    )


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("old", help="the older program")
    options.add_argument("works", nargs="*", metavar="WORK")
    options.add_argument("--program", default="target/release/tinyllama-tutor")
    options.add_argument("--dtype", choices=["bf16", "fp32"], default="bf16")
    options.add_argument("--turns", type=int, default=5)
    options.add_argument("--runs", type=int, default=30)
    options.add_argument("--plans", nargs="+", default=PLANS, metavar="PLAN")
    options.add_argument("--budget", type=float, default=float("inf"), metavar="SECONDS")
    options.add_argument("--backend", default="cuda", help="cpu tries this program without a GPU")
    options.add_argument("--out", type=Path)
    given = options.parse_intermixed_args()
    works = given.works or USUAL
    begun, lines = time.monotonic(), []
    print("| work | plan | old, µs | new, µs | new to old | from–to | | clock, MHz |\n|---|---|--:|--:|--:|---|---|--:|")
    for work in works:
        pairs = {plan: [] for plan in given.plans}
        with Clock() as clock:
            for turn in range(given.turns):
                if time.monotonic() - begun > given.budget:
                    say(f"the budget is used up after {turn} turns of {work}")
                    break
                for plan in given.plans:
                    try:
                        pairs[plan].append([timed(p, WORKS[work], plan, given) for p in (given.old, given.program)])
                    except RuntimeError as problem:
                        say(f"{work}, {plan}: {problem}")
        for plan, of in pairs.items():
            lines.append({"work": work, "dtype": given.dtype, "plan": plan, "pairs": of, "clock": clock.range()})
            if of:
                print(row(work, plan, of, clock.range()), flush=True)
            if given.out:
                given.out.write_text("".join(json.dumps(line) + "\n" for line in lines))


if __name__ == "__main__":
    main()
