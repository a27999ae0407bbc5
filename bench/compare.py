#!/usr/bin/env python3
"""Adjoule beside the C++ programs in bench/peers: the same work, one thread, in turn; ratios of medians.

usage: bench/compare.py [--build build/release] [--rounds 5] [CASE...]
needs: clang++-19 (scripts/setup.sh --tools), a built `adjoule`, NumPy. Prints a table in Markdown.
"""
import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "programs"))
import make_inputs  # noqa: E402

#        sizes of the peer   sizes of the program  steps  differentiated
CASES = {
    "nbody": ([256], {"n": 256}, 200, "x0,v0,mass"),
    "spring": ([32], {"n": 32}, 1000, "x0,v0,stiffness"),
    "wave": ([256], {"n": 256}, 500, "u0,c"),
    "heat": ([256], {"n": 256}, 500, "u0,k"),
    "mpm": ([64, 64], {"m": 64, "g": 64}, 500, "x0,v0,E"),
}


def pinned(command):
    return subprocess.run(["taskset", "-c", "1", *map(str, command)], check=True, capture_output=True, text=True).stdout


def build_peer(name, folder):
    out = folder / f"peer-{name}"
    subprocess.run(["clang++-19", "-std=c++17", "-O3", "-march=native", "-ffast-math", "-w",
                    str(ROOT / "bench" / "peers" / f"{name}.cpp"), "-o", str(out)], check=True)
    return out


def run_peer(program, sizes, steps):
    text = pinned([program, *sizes, steps, "hand", 3])
    forward = float(re.search(r"fwd_s=([0-9.e+-]+)", text)[1])
    gradient = float(re.search(r"grad_s=([0-9.e+-]+)", text)[1])
    loss = float(re.search(r"loss=([0-9.e+-]+)", text)[1])
    return forward, gradient, loss


def run_ours(adjoule, name, folder, sizes, steps, wrt):
    common = [ROOT / "tests" / "programs" / f"{name}.adj", "--steps", steps, "--json"]
    for key, value in sizes.items():
        common += ["--set", f"{key}={value}"]
    for array in sorted(folder.glob("*.npy")):
        common += ["--load", f"{array.stem}={array}"]
    forward = json.loads(pinned([adjoule, "run", *common]))
    gradient = json.loads(pinned([adjoule, "grad", *common, "--wrt", wrt]))
    return forward, gradient


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("cases", nargs="*", default=list(CASES))
    options = parser.parse_args()
    adjoule = ROOT / options.build / "bin" / "adjoule"
    print("| case | peer forward ms | forward × | peer gradient ms | gradient × | gradient / own forward | compile s cold | cached | loss difference |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as scratch:
        for name in options.cases or list(CASES):
            peer_sizes, sizes, steps, wrt = CASES[name]
            folder = Path(scratch) / name
            folder.mkdir()
            for field, array in make_inputs.CASES[name](*peer_sizes).items():
                np.save(folder / f"{field}.npy", array)
            peer = build_peer(name, Path(scratch))
            rows, compile_seconds = [], []
            for _ in range(options.rounds):
                p = run_peer(peer, peer_sizes, steps)
                f, g = run_ours(adjoule, name, folder, sizes, steps, wrt)
                compile_seconds.append(g["seconds"]["compile"])
                loss = next(iter(f["losses"].values()))
                rows.append((p[0], p[1], f["seconds"]["forward"], g["seconds"]["gradient"], abs(loss / p[2] - 1)))
            median = [statistics.median(column) for column in zip(*rows)]
            print(f"| {name} | {1e3 * median[0]:.1f} | {median[2] / median[0]:.2f} | {1e3 * median[1]:.1f} | "
                  f"{median[3] / median[1]:.2f} | {median[3] / median[2]:.2f} | {compile_seconds[0]:.3f} | "
                  f"{statistics.median(compile_seconds[1:] or compile_seconds):.3f} | {median[4]:.1e} |", flush=True)


if __name__ == "__main__":
    main()
