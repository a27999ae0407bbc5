#!/usr/bin/env python3
"""Write the initial data and the reference values of every program in this folder.

usage: generate_inputs.py OUTDIR [PROGRAM...]        (all programs without names)

OUTDIR/<program>/<field>.npy   one array per param and input that has no default or differs from it
OUTDIR/<program>/case.json     how to run the program and what must come out:
  program     file name in this folder
  steps       number of steps
  sizes       value of each `size`
  extents     number of elements of each open space
  arrays      the fields that have a .npy
  loss        {"value", "tolerance"}: relative
  gradients   list of {"wrt": fields taken together, "norm": Euclidean norm over all of them, "tolerance": relative to
              the norm, "region": "all" or "interior" (leave out the outermost ring of the grid)}, for single fields
              also "sum" and "first" (the first three numbers), to the same tolerance times the norm
"""
import json
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import inputs  # noqa: E402
import make_inputs  # noqa: E402


def norm(wrt, value, region="all", tolerance=1e-9):
    return dict(wrt=wrt, norm=value, tolerance=tolerance, region=region)


# Computed by C++ programs with hand-written adjoints, without fast-math (bench/peers); the losses of all but `implicit`
# were reproduced independently in NumPy. Whole-field norms of wave and heat are known to fewer digits than the others.
PEERS = {
    "nbody": dict(
        arguments=[64], steps=200, sizes=dict(n=64), loss=1.2563186160277127,
        gradients=[norm(["x0", "v0"], 2.32742381135171), norm(["mass"], 0.544813199474740)]),
    "spring": dict(
        arguments=[16], steps=200, sizes=dict(n=16), open_space=("Spring", "ends"), loss=0.32367947717966572,
        gradients=[norm(["x0", "v0"], 1.59983426957047), norm(["stiffness"], 1.02448348446963e-05)]),
    "wave": dict(
        arguments=[32], steps=60, sizes=dict(n=32), loss=11.063012076182353,
        gradients=[norm(["u0"], 6.60835306829042, "interior"), norm(["u0"], 6.62283, tolerance=1e-6),
                   norm(["c"], 7.07495562399902, "interior")]),
    "heat": dict(
        arguments=[32], steps=60, sizes=dict(n=32), loss=4.8397196213396345,
        gradients=[norm(["u0"], 3.45091125381035, "interior"), norm(["u0"], 3.450954, tolerance=1e-6),
                   norm(["k"], 0.120994965773902, "interior")]),
    "mpm": dict(
        arguments=[16, 32], steps=300, sizes=dict(m=16, g=32), loss=0.014302696817461002,
        gradients=[norm(["v0"], 8.67497290528776e-4), norm(["E"], 2.99619086776790e-06)]),
    "implicit": dict(
        arguments=[64], steps=50, sizes=dict(n=64), loss=35.416924432766855,
        gradients=[norm(["u0"], 9.15262762131633), norm(["kappa", "r"], 33.757446378705)]),
}


def peer(name):
    given = PEERS[name]
    arrays = make_inputs.CASES[name](*given["arguments"])
    extents = {}
    if "open_space" in given:
        space, field = given["open_space"]
        extents[space] = len(arrays[field])
    case = dict(program=name + ".adj", steps=given["steps"], sizes=given["sizes"], extents=extents,
                arrays=sorted(arrays), loss=dict(value=given["loss"], tolerance=1e-12), gradients=given["gradients"])
    return case, arrays


def other(name, expected):
    steps, sizes, extents, arrays = inputs.inputs(name)
    if (steps, sizes, extents) != (expected["steps"], expected["sizes"], expected["extents"]):
        sys.exit(f"{name}: inputs.py and expected.json are of different runs")
    gradients = [dict(norm([field], g["norm"], tolerance=1e-8), sum=g["sum"], first=g["first"])
                 for field, g in expected["gradient"].items()]
    case = dict(program=name + ".adj", steps=steps, sizes=sizes, extents=extents, arrays=sorted(arrays),
                loss=dict(value=expected["loss"], tolerance=1e-10), gradients=gradients)
    return case, arrays


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    out = Path(sys.argv[1])
    expected = json.loads((HERE / "expected.json").read_text())
    for name in sys.argv[2:] or [*PEERS, *expected]:
        if name not in PEERS and name not in expected:
            sys.exit(f"no inputs for {name}; there are " + " ".join([*PEERS, *expected]))
        case, arrays = peer(name) if name in PEERS else other(name, expected[name])
        folder = out / name
        folder.mkdir(parents=True, exist_ok=True)
        for field, array in arrays.items():
            np.save(folder / f"{field}.npy", array)
        (folder / "case.json").write_text(json.dumps(case, indent=1) + "\n")


if __name__ == "__main__":
    main()
