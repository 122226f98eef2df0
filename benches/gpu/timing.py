"""Where the ratio of two plans lies, from rounds in which both were timed.

The interval of the signed ranks of docs/timing.md (Wilcoxon; Hodges and Lehmann), by
which the program, too, says whether two plans differ; it adds a bootstrap, so that its
own intervals hold these.
"""

import math
from statistics import median

# How often an interval may miss.
ALARMS = 0.01


def rounds(times, each):
    """One time a round: the median of the `each` runs of every round."""
    return [median(times[at : at + each]) for at in range(0, len(times), each)]


def rank_sum(n, alarms):
    """The largest sum of the ranks on one side for which twice the probability of it or
    less is at most `alarms`; None where there is none."""
    most = n * (n + 1) // 2
    ways = [1.0] + [0.0] * most
    for rank in range(1, n + 1):
        for total in range(most, -1, -1):
            with_it = ways[total - rank] if total >= rank else 0.0
            ways[total] = (ways[total] + with_it) / 2
    tail, found = 0.0, None
    for total, mass in enumerate(ways):
        tail += mass
        if 2 * tail > alarms:
            break
        found = total
    return found


def ratio(of, to, alarms=ALARMS):
    """Middle, low and high of `of[i] / to[i]`; the ends are None for too few pairs."""
    logs = sorted(math.log(a / b) for a, b in zip(of, to) if a > 0 and b > 0)
    if not logs:
        return None
    outer = rank_sum(len(logs), alarms)
    if outer is None:
        return [math.exp(median(logs)), None, None]
    walsh = sorted((a + b) / 2 for at, a in enumerate(logs) for b in logs[at:])
    return [math.exp(x) for x in (median(logs), walsh[outer], walsh[-1 - outer])]


def told(found):
    """`0.95 (0.94–0.96)`; `0.95 (–)` where too few pairs say nothing of its ends."""
    if not found:
        return ""
    middle, low, high = found
    return f"{middle:.3f} (–)" if low is None else f"{middle:.3f} ({low:.3f}–{high:.3f})"
