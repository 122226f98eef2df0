#!/usr/bin/env python3
"""The GEMM ladder: one product, one kernel after another, each with one change.

    python3 benches/gpu/ladder.py [--size N] [--kernels DIR] [--only NAME] [--compile]

y = x·wᵀ, N × N × N. The rungs are this project's kernels; those between them are the
same kernels with a part taken away: 16-byte copies (elements one by one), copies that
run by themselves (ordinary loads and stores in their place), the swizzle (rows as they
come). Every result is compared with torch's product in fp64 before a clock starts; a
rung that is wrong has no time. Times are medians over replays of a graph, in turns, each
after a pause, with both operands in the caches as the rung before left them.

Needs torch, NVRTC and a GPU of compute capability 9.0; --compile only compiles, and
needs NVRTC alone (NVRTC_LIBRARY names it where it is not found).
"""

import argparse
import ctypes
import datetime
import glob
import json
import os
import re
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROUNDS = 15
PAUSE_S = 0.01
# What a result may be off from fp64, as root mean square over that of fp64.
ALLOWED = {"fp32": 1e-5, "bf16": 4e-3}

LADDER = ["prefix/base.cu", "gemm_ladder.cu"]
PLAIN = ["prefix/base.cu", "prefix/matrix.cu", "tile/columns.cu", "tile/gemm_plain.cu",
         "tile/product.cu", "tile/epilogue.cu", "gemm.cu"]
MMA = [name.replace("gemm_plain", "gemm_mma") for name in PLAIN]
HOPPER = ["prefix/base.cu", "prefix/matrix.cu", "prefix/hopper.cu", "tile/gemm_hopper.cu",
          "tile/items_hopper.cu", "tile/store_hopper.cu"]

# A part taken away: what stands in the source, what stands there without it, how often.
NO_ASYNC = [("#if GPU_SM >= 800\n    asm volatile(\"cp.async", "#if 0\n    asm volatile(\"cp.async", 3)]
NO_SWIZZLE = [("((chunk ^ (row & (TILE_CHUNKS - 1))) << 4)", "(chunk << 4)", 1)]
NO_SWIZZLE_PLAIN = NO_SWIZZLE + [
    ("int mine = chunk ^ row % TILE_CHUNKS;", "int mine = chunk;", 1),
    ("((mine ^ further % TILE_CHUNKS) << 4)", "(mine << 4)", 1),
]


@dataclass
class Rung:
    """A kernel, how it is compiled, and how it is launched at a size."""

    name: str
    dtype: str
    files: list
    entry: str = "gemm"
    defines: dict = field(default_factory=dict)
    without: list = field(default_factory=list)
    tile: tuple = (1, 1)
    threads: int = 256
    shared: int = 0
    persistent: bool = False
    maps: bool = False

    def source(self, folder):
        text = ""
        for name in self.files:
            text += f'#line 1 "{name}"\n' + (folder / name).read_text() + "\n"
        for there, instead, times in self.without:
            found = text.count(there)
            assert found == times, f"{self.name}: {there!r} stands {found} times, not {times}"
            text = text.replace(there, instead)
        return text

    def options(self):
        defines = {"BF16": int(self.dtype == "bf16"), **self.defines}
        given = [f"-D{key}={value}" for key, value in defines.items()]
        return ["--gpu-architecture=sm_90a", "--std=c++17", "-lineinfo", "--ptxas-options=-v", *given]

    def blocks(self, size, sms):
        rows, columns = self.tile
        tiles = -(-size // rows) * -(-size // columns)
        return min(tiles, sms) if self.persistent else tiles


def portable(name, dtype, files, stages, without=(), aligned=1, tile=(128, 128)):
    """A rung of gemm.cu; tile and warps as the program has them for 128 columns."""
    m, n = tile
    defines = {"TILE_M": m, "TILE_N": n, "WARPS_M": 2, "WARPS_N": 2, "SLICES": 1,
               "STAGES": stages, "BLOCKS": 2, "ALIGNED": aligned}
    shared = max(stages * (m + n) * 128, m * (n + 8) * 4) + m * 4 + n * 2
    return Rung(name, dtype, files, defines=defines, without=list(without), tile=tile,
                threads=128, shared=shared)


def hopper(name, file, entry, tile, turns):
    m, n = tile
    stage = (m + n) * 128 + 16
    stages = min((232_448 - 1536) // stage, 8)
    one_role = entry == "gemm_one_role"
    return Rung(name, "bf16", [*HOPPER, file], entry,
                {"TILE_M": m, "TILE_N": n, "STAGES": stages, "GROUPS": 2, "TURNS": turns},
                tile=tile, threads=256 if one_role else 384, shared=1024 + stages * stage,
                persistent=not one_role, maps=True)


def rungs():
    for dtype in ("fp32", "bf16"):
        yield Rung("naive", dtype, LADDER, "gemm_naive", tile=(1, 256))
        yield Rung("coalesced", dtype, LADDER, "gemm_coalesced", tile=(1, 8))
        yield Rung("tiled", dtype, LADDER, "gemm_tiled", tile=(16, 16))
        files, bare = (PLAIN, NO_SWIZZLE_PLAIN) if dtype == "fp32" else (MMA, NO_SWIZZLE)
        # Rows of the result that end on 16 bytes are stored wide in all of them.
        yield portable("elements", dtype, files, 2, [*NO_ASYNC, *bare], aligned=0)
        yield portable("wide", dtype, files, 2, [*NO_ASYNC, *bare])
        yield portable("async", dtype, files, 3, bare)
        yield portable("swizzle", dtype, files, 3)
        # The same steps in another order.
        yield portable("elements, swizzle", dtype, files, 2, NO_ASYNC, aligned=0)
        yield portable("wide, swizzle", dtype, files, 2, NO_ASYNC)
    yield portable("swizzle, tile 128 x 64", "bf16", MMA, 3, tile=(128, 64))
    for tile in [(128, 128), (128, 256)]:
        name = f"{tile[0]} x {tile[1]}"
        yield hopper(f"one role, {name}", "hopper/gemm_one_role.cu", "gemm_one_role", tile, 0)
        yield hopper(f"roles, {name}", "hopper/gemm.cu", "gemm", tile, 0)
    yield hopper("turns, 128 x 128", "hopper/gemm.cu", "gemm", (128, 128), 1)
    yield hopper("turns, 128 x 192", "hopper/gemm.cu", "gemm", (128, 192), 1)


# ---- NVRTC ----------------------------------------------------------------------------


def nvrtc():
    named = os.environ.get("NVRTC_LIBRARY")
    found = [named] if named else []
    for root in [*sys.path, "/usr/local/cuda/lib64", "/usr/local/cuda/targets/x86_64-linux/lib"]:
        for below in ("", "nvidia/*/lib/"):
            found += sorted(glob.glob(f"{root}/{below}libnvrtc.so.1[23]*"))
    for path in found:
        if ".alt." in path:
            continue
        try:
            return ctypes.CDLL(path)
        except OSError:
            continue
    sys.exit("NVRTC was not found; NVRTC_LIBRARY=PATH names it")


def compiled(library, rung, folder):
    """The cubin, and what the assembler said of registers and spills."""
    program = ctypes.c_void_p()
    source = rung.source(folder).encode()
    library.nvrtcCreateProgram(ctypes.byref(program), source, b"ladder.cu", 0, None, None)
    options = [option.encode() for option in rung.options()]
    code = library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    size = ctypes.c_size_t()
    library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(max(size.value, 1))
    library.nvrtcGetProgramLog(program, log)
    if code != 0:
        sys.exit(f"{rung.name} {rung.dtype} does not compile:\n{log.value.decode()}")
    library.nvrtcGetCUBINSize(program, ctypes.byref(size))
    cubin = ctypes.create_string_buffer(size.value)
    library.nvrtcGetCUBIN(program, cubin)
    # One paragraph for each entry of the file; ours is the one that names it.
    said = log.value.decode().split("Compiling entry function")
    said = next((part for part in said if f"'{rung.entry}'" in part), "")
    numbers = re.findall(r"Used \d+ registers|\d+ bytes spill \w+", said)
    return cubin.raw, ", ".join(numbers)


# ---- the driver -----------------------------------------------------------------------


class Driver:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")

    def call(self, name, *arguments):
        code = getattr(self.cuda, name)(*arguments)
        if code != 0:
            said = ctypes.c_char_p()
            self.cuda.cuGetErrorString(code, ctypes.byref(said))
            raise RuntimeError(f"{name}: {(said.value or b'?').decode()} ({code})")

    def function(self, cubin, entry, shared):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), cubin)
        self.call("cuModuleGetFunction", ctypes.byref(function), module, entry.encode())
        if shared > 48 << 10:
            self.call("cuFuncSetAttribute", function, 8, shared)  # the most dynamic shared memory
        return function

    def tensor_map(self, address, rows, columns, box_rows):
        """A map of a bf16 matrix, read in boxes of 64 columns, 128-byte swizzle."""
        memory = (ctypes.c_uint8 * 256)()
        at = -ctypes.addressof(memory) % 64
        encoded = (ctypes.c_uint8 * 128).from_buffer(memory, at)
        self.call(
            "cuTensorMapEncodeTiled", ctypes.byref(encoded), 9, 2, ctypes.c_void_p(address),
            (ctypes.c_uint64 * 2)(columns, rows), (ctypes.c_uint64 * 1)(columns * 2),
            (ctypes.c_uint32 * 2)(64, box_rows), (ctypes.c_uint32 * 2)(1, 1), 0, 3, 3, 0,
        )
        return encoded

    def launch(self, function, blocks, threads, shared, stream, arguments):
        pointers = (ctypes.c_void_p * len(arguments))(*[ctypes.addressof(a) for a in arguments])
        self.call("cuLaunchKernel", function, blocks, 1, 1, threads, 1, 1, shared,
                  ctypes.c_void_p(stream), pointers, None)


# ---- measuring ------------------------------------------------------------------------


def prepared(torch, driver, rung, cubin, x, w, size, sms):
    """A function that launches the rung once, and its result."""
    y = torch.zeros(size, size, dtype=x.dtype, device="cuda")
    function = driver.function(cubin, rung.entry, rung.shared)
    if rung.maps:
        rows = rung.tile
        operands = [driver.tensor_map(t.data_ptr(), size, size, r) for t, r in zip((x, w), rows)]
    else:
        operands = [ctypes.c_uint64(t.data_ptr()) for t in (x, w)]
    arguments = [*operands, ctypes.c_uint64(y.data_ptr()), *[ctypes.c_int(size)] * 3]
    if rung.files is not LADDER:  # the others put their rows where a cache wants them
        arguments += [ctypes.c_int(size), ctypes.c_int(size), ctypes.c_int(0)]
    blocks = rung.blocks(size, sms)

    def launch():
        stream = torch.cuda.current_stream().cuda_stream
        driver.launch(function, blocks, rung.threads, rung.shared, stream, arguments)

    return launch, y


def captured(torch, launch):
    """A graph of so many launches that a replay takes a millisecond or more."""
    launch()
    torch.cuda.synchronize()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    launch()
    end.record()
    torch.cuda.synchronize()
    count = max(1, min(40, round(1.0 / max(begin.elapsed_time(end), 1e-3))))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(count):
            launch()
    return graph, count


def replayed(torch, graph, count):
    time.sleep(PAUSE_S)
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    graph.replay()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) * 1e3 / count


def measure(torch, ladder, cubins, size):
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.manual_seed(1)
    sms = torch.cuda.get_device_properties(0).multi_processor_count
    driver = Driver()
    inputs, wanted = {}, {}
    for dtype, kind in {"fp32": torch.float32, "bf16": torch.bfloat16}.items():
        x, w = (torch.randn(size, size, device="cuda").to(kind) for _ in range(2))
        inputs[dtype], wanted[dtype] = (x, w), x.double() @ w.double().T
    rows, timed = [], []
    for rung, (cubin, said) in zip(ladder, cubins):
        row = {"rung": rung.name, "dtype": rung.dtype, "compiler": said}
        rows.append(row)
        try:
            launch, y = prepared(torch, driver, rung, cubin, *inputs[rung.dtype], size, sms)
            graph, count = captured(torch, launch)
            y.zero_()
            graph.replay()
            torch.cuda.synchronize()
        except RuntimeError as error:
            row["failed"] = str(error)
            continue
        off = (y.double() - wanted[rung.dtype]).norm() / wanted[rung.dtype].norm()
        row["error"] = float(off)
        if not row["error"] < ALLOWED[rung.dtype]:
            row["failed"] = "wrong result"
            continue
        timed.append((row, graph, count, []))
    for dtype, (x, w) in inputs.items():
        row = {"rung": "library", "dtype": dtype, "compiler": ""}
        rows.append(row)
        y = torch.empty(size, size, dtype=x.dtype, device="cuda")
        graph, count = captured(torch, lambda x=x, w=w, y=y: torch.mm(x, w.T, out=y))
        row["error"] = float((y.double() - wanted[dtype]).norm() / wanted[dtype].norm())
        timed.append((row, graph, count, []))
    for _ in range(ROUNDS):
        for _, graph, count, times in timed:
            times.append(replayed(torch, graph, count))
    for row, _, count, times in timed:
        times = times[2:]  # the first rounds warm up
        row |= {"us": statistics.median(times), "least": min(times), "most": max(times), "runs": len(times),
                "launches_per_replay": count}
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=2048)
    parser.add_argument("--kernels", type=Path, default=HERE.parent.parent / "kernels")
    parser.add_argument("--only", help="rungs whose name begins so")
    parser.add_argument("--compile", action="store_true", help="compile, and say what the assembler says")
    asked = parser.parse_args()
    ladder = [r for r in rungs() if not asked.only or r.name.startswith(asked.only)]
    library = nvrtc()
    with ThreadPoolExecutor() as pool:
        cubins = list(pool.map(lambda rung: compiled(library, rung, asked.kernels), ladder))
    if asked.compile:
        for rung, (cubin, said) in zip(ladder, cubins):
            print(f"{rung.dtype} {rung.name}: {len(cubin)} bytes, {said}")
        return
    import torch

    rows = measure(torch, ladder, cubins, asked.size)
    version = [ctypes.c_int(), ctypes.c_int()]
    library.nvrtcVersion(*map(ctypes.byref, version))
    driver = os.popen("nvidia-smi --query-gpu=driver_version --format=csv,noheader").read().strip()
    print(f"{torch.cuda.get_device_name()}, driver {driver}, NVRTC {version[0].value}.{version[1].value}, "
          f"torch {torch.__version__}, {datetime.date.today()}, {asked.size}³")
    for row in rows:
        if "us" in row:
            rate = 2 * asked.size**3 / row["us"] / 1e6
            print(f"{row['dtype']} {row['rung']:28} {row['us']:10.2f} us ({row['least']:.2f} to {row['most']:.2f}, "
                  f"{row['runs']} runs) {rate:7.1f} TFLOP/s  error {row['error']:.1e}  {row['compiler']}")
        else:
            print(f"{row['dtype']} {row['rung']:28} FAILED: {row['failed']}  {row.get('error', '')}")
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
