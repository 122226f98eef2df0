"""The card while it works: its clock, and how a program is asked for JSON."""

import json
import subprocess
import sys
import threading
import time


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
            if not Clock.told:
                Clock.told = True
                say(f"no clock: {problem}")

    told = False

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()

    def range(self):
        most = max((power for power, _ in self.seen), default=0)
        busy = [clock for power, clock in self.seen if power > most / 2]
        return [min(busy), max(busy)] if busy else None


def asked(command):
    """The JSON that a program prints, and why there is none."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    try:
        return json.loads(done.stdout), None
    except json.JSONDecodeError:
        pass
    try:
        return None, json.loads(done.stderr.strip().splitlines()[-1])["error"]
    except (json.JSONDecodeError, IndexError, KeyError, TypeError):
        return None, done.stderr.strip()[-200:] or f"exit code {done.returncode}"
