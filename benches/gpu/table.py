#!/usr/bin/env python3
"""One table: this program's plans and Hugging Face's Llama, in one run.

    python3 benches/gpu/table.py [--program PATH] [--dtype bf16|fp32] [--out FILE] [--rows FILE] [WORK...]

Every plan runs with kernels of its own, as a stream of launches and as a replayed
graph, and with the library's products, as a stream. Outputs are checked before a
clock starts: the streams against fp64, the graphs by having the very logits of
their streams. The plans of one kernel and `five` run once more, as graphs with a rest
before each forward: a card under load lowers its clock, which is told beside.
Needs torch and transformers for the peers; --no-peers leaves them out.
Progress goes to standard error, the table (markdown) to standard output or FILE.
"""

import argparse
import json
import subprocess
import sys
import threading
import time
from pathlib import Path

from works import FEW, UNTUNED, WORKS

HERE = Path(__file__).resolve().parent
PLANS = ["v1", "v2", "v3", "v4", "five", "forward"]
# Plans with kernels that are one product and nothing else. The last leaves every
# product alone and merges what lies between them: all that a library can be given.
WITH_PRODUCTS = ["v1", "v2", "v3", "five", "v1+flash+silu_mul+norm_residual"]
# Prefill is judged by the rate of its products, decode by that of its bytes.
BY_BYTES = {name for name, work in WORKS.items() if work.seq == 1}
# The plans whose blocks are one kernel: set against the best of the others.
ONE_KERNEL = ["v4", "forward"]
# Milliseconds of rest before a forward, and the plans that are measured so.
REST = 10
RESTED = ["five", *ONE_KERNEL]


def say(text):
    print(text, file=sys.stderr, flush=True)


class Clock:
    """Megahertz of the multiprocessors while they work: what the driver says every
    20 ms, where the card draws more than half of the most that it drew."""

    def __enter__(self):
        self.seen, self.over = [], threading.Event()
        self.thread = threading.Thread(target=self.look)
        self.thread.start()
        return self

    def look(self):
        try:
            import pynvml

            pynvml.nvmlInit()
            card = pynvml.nvmlDeviceGetHandleByIndex(0)
            while not self.over.is_set():
                clock = pynvml.nvmlDeviceGetClockInfo(card, pynvml.NVML_CLOCK_SM)
                self.seen.append((pynvml.nvmlDeviceGetPowerUsage(card), clock))
                time.sleep(0.02)
        except Exception as problem:
            say(f"no clock: {problem}")

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()

    def range(self):
        most = max((power for power, _ in self.seen), default=0)
        busy = [clock for power, clock in self.seen if power > most / 2]
        return [min(busy), max(busy)] if busy else None


def runs(work, dtype, plan_cost):
    """30 forwards; 10 where one takes tens of milliseconds."""
    return 10 if plan_cost["flops"] / (500e12 if dtype == "bf16" else 40e12) > 0.02 else 30


def measured(program, work, dtype, plans, gemm, graph, count, rest=0):
    """A report for each plan, or why there is none, and the clock meanwhile. One
    process runs them all, so that weights are made once; where one plan stops it,
    each has its own."""
    command = [program, "compare", *plans, *work.options(), "--dtype", dtype]
    command += ["--run", "--backend", "cuda", "--gemm", gemm, "--json", "--runs", str(count)]
    command += ["--pause", str(rest)] if rest else []
    command += ["--graph"] if graph else []
    command += ["--no-check"] if graph or rest else []
    with Clock() as clock:
        done = subprocess.run(command, capture_output=True, text=True)
    try:
        return json.loads(done.stdout), clock.range()
    except json.JSONDecodeError:
        if len(plans) > 1:
            each = [measured(program, work, dtype, [p], gemm, graph, count, rest) for p in plans]
            return [reports[0] for reports, _ in each], each[0][1]
        try:
            failed = json.loads(done.stderr.strip().splitlines()[-1])["error"]
        except (json.JSONDecodeError, IndexError, KeyError, TypeError):
            failed = done.stderr.strip()[-200:] or f"exit code {done.returncode}"
        return [{"failed": failed}], None


def cost(program, work, dtype, plan):
    version, *fusions = plan.split("+")
    command = [program, "cost", "--version", version, *work.options(), "--dtype", dtype, "--json"]
    command += ["--fuse", ",".join(fusions)] if fusions else []
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def ours(program, name, dtype, library):
    """Rows of every plan, products and way of launching."""
    work, rows, logits = WORKS[name], [], {}
    costs = {plan: cost(program, work, dtype, plan)["forward"] for plan in {*PLANS, *WITH_PRODUCTS}}
    count = runs(work, dtype, costs["v4"])
    ways = [("own", False, 0, PLANS), ("own", True, 0, PLANS), ("own", True, REST, RESTED)]
    ways += [("library", False, 0, WITH_PRODUCTS)] if library else []
    if name in FEW:
        ways = [("own", graph, 0, FEW[name][1]) for graph in (False, True)]
    for gemm, graph, rest, plans in ways:
        reports, clock = measured(program, work, dtype, plans, gemm, graph, count, rest)
        for plan, report in zip(plans, reports):
            row = {"work": name, "plan": plan, "gemm": gemm, "graph": graph, "rest": rest}
            row |= {"cost": costs[plan], "clock": clock, "runs": count}
            row |= judged(report, graph or rest, logits.get((plan, gemm)))
            rows.append(row)
            if "us" in row:
                logits.setdefault((plan, gemm), report["output"]["sha256"])
            say({key: row[key] for key in ("work", "plan", "gemm", "graph", "rest", "us", "clock", "failed") if key in row})
    return rows


def judged(report, again, logits):
    """Time and launches of a report whose outputs are right: checked, or (`again`) the
    very ones that were."""
    if "failed" in report:
        return {"failed": report["failed"]}
    check = report.get("check")
    if not again and not (check and check["pass"]):
        wrong = (check or {}).get("first_wrong") or "it was not checked"
        return {"failed": f"wrong: {wrong}"}
    if again and report["output"]["sha256"] != logits:
        return {"failed": "the logits are not those of the checked stream"}
    if not report.get("time_us"):
        return {"failed": "it was not timed"}
    launches = report["launches"]
    return {
        "us": report["time_us"]["median"],
        "launches": launches["counted"],
        "library": launches["library"],
        "reference": check and check["reference"],
    }


def rate(name, us, forward, ceilings):
    """What a time comes to, and as a part of the measured ceiling."""
    if name in BY_BYTES:
        gbs, most = forward["bytes"] / us / 1e3, ceilings.get("copy_gbs")
        return f"{gbs:.0f} GB/s", gbs / most if most else None
    tflops, most = forward["flops"] / us / 1e6, ceilings.get("product_tflops")
    return f"{tflops:.0f} TFLOP/s", tflops / most if most else None


def percent(part):
    return "" if part is None else f"{100 * part:.0f} %"


def best_of(rows, plans, rest=0):
    """Microseconds of the quickest of some plans, own kernels."""
    fit = [r for r in rows if r["plan"] in plans and r["gemm"] == "own" and r["rest"] == rest]
    return min((r["us"] for r in fit if "us" in r), default=None)


def summary(rows, peers):
    """A line per work: the plans of one kernel against the best of the others."""
    lines = ["| work | best other | µs | V4 | forward | V4 to it | forward to it | V4 rested | forward rested | forward to peer | clock, MHz | rested |"]
    lines.append("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    others = [plan for plan in PLANS if plan not in ONE_KERNEL]

    def text(value, of):
        return f"{value / of:.2f}" if value and of else ""

    def clock(mine, rest):
        seen = [row["clock"] for row in mine if row.get("clock") and row["rest"] == rest]
        return f"{min(s[0] for s in seen)}–{max(s[1] for s in seen)}" if seen else ""

    for name, mine in rows.items():
        other, v4, forward = (best_of(mine, plans) for plans in (others, ["v4"], ["forward"]))
        rested = [best_of(mine, [plan], REST) for plan in RESTED]
        which = next((row["plan"] for row in mine if row.get("us") == other), "")
        peer = min((p["us"] for p in peers if p["work"] == name and "us" in p), default=None)
        lines.append(
            f"| {WORKS[name].title} | {which} | "
            + " | ".join(f"{us:.1f}" if us else "" for us in (other, v4, forward))
            + f" | {text(v4, other)} | {text(forward, other)} | {text(rested[1], rested[0])}"
            f" | {text(rested[2], rested[0])} | {text(forward, peer)} | {clock(mine, 0)} | {clock(mine, REST)} |"
        )
    return lines + [""]


def table(name, rows, peers, ceilings):
    """The table of one work, and a line on its goal."""
    work = WORKS[name]
    timed = [peer["us"] for peer in peers if "us" in peer]
    best_peer = min(timed, default=None)
    forward = rows[0]["cost"] if rows else None
    lines = [f"### {work.title}", "", "| what | products | as | launches | µs | rate | of ceiling | to best peer | V4 to the best plan |"]
    lines.append("|---|---|---|--:|--:|--:|--:|--:|--:|")
    best_other = best_of(rows, [plan for plan in PLANS if plan not in ONE_KERNEL])

    def line(what, products, way, row, price):
        if "failed" in row:
            return f"| {what} | {products} | {way} | | {row['failed'].replace('|', '/')} | | | | |"
        text, part = rate(name, row["us"], price, ceilings) if price else ("", None)
        more = f" + {row['library']}" if row.get("library") else ""
        ratio = f"{row['us'] / best_peer:.2f}" if best_peer else ""
        of_plans = f"{row['us'] / best_other:.2f}" if best_other and what in ONE_KERNEL else ""
        return (
            f"| {what} | {products} | {way} | {row['launches']}{more} | {row['us']:.1f} |"
            f" {text} | {percent(part)} | {ratio} | {of_plans} |"
        )

    for row in rows:
        if row["rest"]:
            continue
        lines.append(line(row["plan"], row["gemm"], "graph" if row["graph"] else "stream", row, row["cost"]))
    for peer in peers:
        lines.append(line(f"transformers, {peer['variant']}", "library", "", peer, forward))
    good = [row for row in rows if "us" in row and not row["rest"]]
    if good and best_peer:
        best = min(good, key=lambda row: row["us"])
        own = min((row["us"] for row in good if row["gemm"] == "own"), default=None)
        ratio = best["us"] / best_peer
        verdict = "reached" if ratio <= work.goal else "MISSED"
        lines += ["", f"Best: {best['plan']} ({best['gemm']}), {ratio:.2f} × the best peer"]
        lines[-1] += f"; goal {work.goal}: {verdict}; reach for {work.reach}." if work.goal else "."
        if own:
            lines[-1] += f" Own kernels alone: {own / best['us']:.2f} × the best (goal 1.25)."
    return lines + [""]


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("works", nargs="*", metavar="WORK", help=", ".join(WORKS))
    options.add_argument("--program", default="target/release/tinyllama-tutor")
    options.add_argument("--dtype", choices=["bf16", "fp32"], default="bf16")
    options.add_argument("--out", type=Path)
    options.add_argument("--rows", type=Path, help="keep what was measured here; what is there already is not measured again")
    options.add_argument("--no-peers", action="store_true")
    options.add_argument("--no-library", action="store_true", help="own kernels only")
    options.add_argument("--only-peer", metavar="NAME", help="part of a peer's name: compiling takes minutes")
    given = options.parse_args()
    works = given.works or [name for name in WORKS if name not in UNTUNED]
    unknown = [name for name in works if name not in WORKS]
    if unknown:
        options.error(f"there is no work {unknown[0]}; use {', '.join(WORKS)}")

    kept = json.loads(given.rows.read_text()) if given.rows and given.rows.exists() else {}

    def keep():
        if given.rows:
            given.rows.write_text(json.dumps(kept))

    rows = kept.setdefault("rows", {})
    for name in works:
        if name not in rows:
            begun = time.monotonic()
            rows[name] = ours(given.program, name, given.dtype, not given.no_library)
            say(f"{name}: {time.monotonic() - begun:.0f} s")
            keep()
    rows = {name: rows[name] for name in works}
    peers = kept.get("peers") or {"rows": []}
    compared = [name for name in works if WORKS[name].goal]
    if compared and not given.no_peers and not kept.get("peers"):
        say("peers")
        command = [sys.executable, str(HERE / "peers.py"), "--dtype", given.dtype, *compared]
        command += ["--only", given.only_peer] if given.only_peer else []
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        if done.returncode == 0:
            kept["peers"] = peers = json.loads(done.stdout.strip().splitlines()[-1])
            keep()
    version = kept.get("version")
    if not version:
        version = subprocess.run([given.program, "--version"], capture_output=True, text=True).stdout.strip()
        kept["version"] = version
        keep()
    lines = [f"## {given.dtype}, {peers.get('device', 'one GPU')}", ""]
    lines.append(
        f"{version}; peers: torch {peers.get('torch', '(not run)')}. Medians of 30"
        " forwards (10 where one takes tens of milliseconds) by device events. Made by"
        f" `python3 benches/gpu/table.py --dtype {given.dtype}{''.join(' ' + n for n in given.works)}`."
    )
    if "copy_gbs" in peers:
        lines.append(
            f"Measured ceilings: copy {peers['copy_gbs']:.0f} GB/s, matrix product"
            f" {peers['product_tflops']:.0f} TFLOP/s. Prefill is compared with the second, decode"
            " with the first; more than 100 % means that the data sat in cache."
        )
    lines.append("")
    lines += summary(rows, peers["rows"])
    for name in works:
        mine = [peer for peer in peers["rows"] if peer["work"] == name]
        lines += table(name, rows[name], mine, peers)
    text = "\n".join(lines)
    if given.out:
        given.out.write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
