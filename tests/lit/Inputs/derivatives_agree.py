"""The printed adjoint of a program of tests/programs is a program: it checks without an error, and run on the same data it
gives the gradients of `adjoule grad`, bit by bit. The printed tangent gives the product of gradient and direction.

derivatives_agree.py adjoint|tangent ADJOULE PROGRAMS INPUTS NAME SCRATCH
"""
import json
import os
import subprocess
import sys

import numpy as np

stage, adjoule, programs, inputs, name, scratch = sys.argv[1:]
os.makedirs(scratch, exist_ok=True)
source, data = f"{programs}/{name}.adj", f"{inputs}/{name}"
printed = f"{scratch}/{stage}.adj"
with open(f"{data}/case.json") as file:
    case = json.load(file)
wrt = sorted({field for gradient in case["gradients"] for field in gradient["wrt"]})
bound = [text for field in case["arrays"] for text in ("--load", f"{field}={data}/{field}.npy")]
bound += [text for size, value in case["sizes"].items() for text in ("--set", f"{size}={value}")]
series = name in ("lynx", "robot")  # their recorded series want all steps
bound += ["--steps", str(case["steps"] if series else min(case["steps"], 5))]


def command(*words):
    result = subprocess.run([adjoule, *words], capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"adjoule {' '.join(words)}: exit status {result.returncode}\n{result.stderr}")


def check_adjoint():
    command("run", printed, *bound, *(t for f in wrt for t in ("--save", f"{f}_bar={scratch}/{f}_bar.npy")))
    for field in wrt:
        gradient, from_source = np.load(f"{scratch}/{field}.npy"), np.load(f"{scratch}/{field}_bar.npy")
        from_source = from_source.ravel()[: gradient.size].reshape(gradient.shape)  # a last row over time may not have been bound
        if not np.array_equal(gradient, from_source):
            sys.exit(f"{name}: {field}_bar differs from the gradient by up to {np.abs(gradient - from_source).max()}")


def check_tangent():
    random = np.random.default_rng(1)
    expected = scale = 0.0
    directions = []
    for field in wrt:
        gradient = np.load(f"{scratch}/{field}.npy")
        direction = random.standard_normal(gradient.shape)
        np.save(f"{scratch}/{field}_dot.npy", direction)
        directions += ["--load", f"{field}_dot={scratch}/{field}_dot.npy"]
        expected += np.sum(gradient * direction)
        scale += np.linalg.norm(gradient) * np.linalg.norm(direction)
    command("run", printed, *bound, *directions, "--save", f"loss_dot={scratch}/loss_dot.npy")
    result = np.load(f"{scratch}/loss_dot.npy")
    if not abs(result - expected) <= 1e-12 * scale:
        sys.exit(f"{name}: loss_dot is {result}, but gradient times direction is {expected}")


command("emit", source, "--stage", stage, "--wrt", ",".join(wrt), "-o", printed)
command("check", printed)
command("grad", source, *bound, "--wrt", ",".join(wrt), *(t for f in wrt for t in ("--save-grad", f"{f}={scratch}/{f}.npy")))
check_adjoint() if stage == "adjoint" else check_tangent()
