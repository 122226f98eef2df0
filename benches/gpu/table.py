#!/usr/bin/env python3
"""One table: this program's plans and Hugging Face's Llama, in one run.

    python3 benches/gpu/table.py [--program PATH] [--dtype bf16|fp32] [--out FILE] [WORK...]

Every plan runs with kernels of its own and with the library's products, as a
stream of launches and as a replayed graph. Outputs are checked before a clock
starts: the streams against fp64, the graphs by having the very logits of their
streams. Needs torch and transformers for the peers; --no-peers leaves them out.
Progress goes to standard error, the table (markdown) to standard output or FILE.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from works import UNTUNED, WORKS

HERE = Path(__file__).resolve().parent
PLANS = ["v1", "v2", "v3", "v4", "five", "forward"]
# Plans with kernels that are one product and nothing else. The last leaves every
# product alone and merges what lies between them: all that a library can be given.
WITH_PRODUCTS = ["v1", "v2", "v3", "five", "v1+flash+silu_mul+norm_residual"]
# Prefill is judged by the rate of its products, decode by that of its bytes.
BY_BYTES = {name for name, work in WORKS.items() if work.seq == 1}
# The plans whose blocks are one kernel: set against the best of the others.
ONE_KERNEL = ["v4", "forward"]


def say(text):
    print(text, file=sys.stderr, flush=True)


def measured(program, work, dtype, plans, gemm, graph):
    """A report for each plan, or why there is none. One process runs them all, so
    that weights are made once; where one plan stops it, each has its own."""
    command = [program, "compare", *plans, *work.options(), "--dtype", dtype]
    command += ["--run", "--backend", "cuda", "--gemm", gemm, "--json"]
    command += ["--graph", "--no-check"] if graph else []
    done = subprocess.run(command, capture_output=True, text=True)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        if len(plans) > 1:
            return [measured(program, work, dtype, [plan], gemm, graph)[0] for plan in plans]
        try:
            return [{"failed": json.loads(done.stderr.strip().splitlines()[-1])["error"]}]
        except (json.JSONDecodeError, IndexError, KeyError, TypeError):
            return [{"failed": done.stderr.strip()[-200:] or f"exit code {done.returncode}"}]


def cost(program, work, dtype, plan):
    version, *fusions = plan.split("+")
    command = [program, "cost", "--version", version, *work.options(), "--dtype", dtype, "--json"]
    command += ["--fuse", ",".join(fusions)] if fusions else []
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def ours(program, name, dtype):
    """Rows of every plan, products and way of launching."""
    work, rows = WORKS[name], []
    costs = {plan: cost(program, work, dtype, plan)["forward"] for plan in {*PLANS, *WITH_PRODUCTS}}
    for gemm, plans in [("own", PLANS), ("library", WITH_PRODUCTS)]:
        logits = {}
        for graph in [False, True]:
            reports = measured(program, work, dtype, plans, gemm, graph)
            for plan, report in zip(plans, reports):
                row = {"work": name, "plan": plan, "gemm": gemm, "graph": graph}
                row |= {"cost": costs[plan]} | judged(report, graph, logits.get(plan))
                rows.append(row)
                logits[plan] = report.get("output", {}).get("sha256")
                say({key: row.get(key) for key in ("work", "plan", "gemm", "graph", "us", "failed")})
    return rows


def judged(report, graph, logits):
    """Time and launches of a report whose outputs are right."""
    if "failed" in report:
        return {"failed": report["failed"]}
    check = report.get("check")
    if not graph and not (check and check["pass"]):
        wrong = (check or {}).get("first_wrong") or "it was not checked"
        return {"failed": f"wrong: {wrong}"}
    if graph and report["output"]["sha256"] != logits:
        return {"failed": "the graph's logits are not those of the stream"}
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


def table(name, rows, peers, ceilings):
    """The table of one work, and a line on its goal."""
    work = WORKS[name]
    timed = [peer["us"] for peer in peers if "us" in peer]
    best_peer = min(timed, default=None)
    forward = rows[0]["cost"] if rows else None
    lines = [f"### {work.title}", "", "| what | products | as | launches | µs | rate | of ceiling | to best peer | V4 to the best plan |"]
    lines.append("|---|---|---|--:|--:|--:|--:|--:|--:|")
    others = [row["us"] for row in rows if "us" in row and row["gemm"] == "own" and row["plan"] not in ONE_KERNEL]
    best_other = min(others, default=None)

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
        lines.append(line(row["plan"], row["gemm"], "graph" if row["graph"] else "stream", row, row["cost"]))
    for peer in peers:
        lines.append(line(f"transformers, {peer['variant']}", "library", "", peer, forward))
    good = [row for row in rows if "us" in row]
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
    options.add_argument("--no-peers", action="store_true")
    options.add_argument("--only-peer", metavar="NAME", help="part of a peer's name: compiling takes minutes")
    given = options.parse_args()
    works = given.works or [name for name in WORKS if name not in UNTUNED]
    unknown = [name for name in works if name not in WORKS]
    if unknown:
        options.error(f"there is no work {unknown[0]}; use {', '.join(WORKS)}")

    rows = {name: ours(given.program, name, given.dtype) for name in works}
    peers = {"rows": []}
    if not given.no_peers:
        say("peers")
        command = [sys.executable, str(HERE / "peers.py"), "--dtype", given.dtype, *works]
        command += ["--only", given.only_peer] if given.only_peer else []
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        if done.returncode == 0:
            peers = json.loads(done.stdout.strip().splitlines()[-1])
    doctor = subprocess.run([given.program, "--version"], capture_output=True, text=True)
    lines = [f"## {given.dtype}, {peers.get('device', 'one GPU')}", ""]
    lines.append(
        f"{doctor.stdout.strip()}; peers: torch {peers.get('torch', '(not run)')}. Medians of 30"
        " forwards by device events. Made by"
        f" `python3 benches/gpu/table.py --dtype {given.dtype}{''.join(' ' + n for n in given.works)}`."
    )
    if "copy_gbs" in peers:
        lines.append(
            f"Measured ceilings: copy {peers['copy_gbs']:.0f} GB/s, matrix product"
            f" {peers['product_tflops']:.0f} TFLOP/s. Prefill is compared with the second, decode"
            " with the first; more than 100 % means that the data sat in cache."
        )
    lines.append("")
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
