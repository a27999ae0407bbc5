"""Write x0.npy, ends.npy and rest.npy: a square lattice of n * n weights, a quarter of a metre apart, joined to their
neighbours along the rows, along the columns and across the squares; its lowest row hangs half a metre above the ground.

usage: make_inputs.py [n]     (4 without a number); the program is then run with --set n=N
"""
import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 4
spacing = 0.25
column, row = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
number = column * n + row
x0 = np.stack([spacing * column, 0.5 + spacing * row], axis=-1).reshape(-1, 2)

pairs = [(number[:-1, :], number[1:, :]), (number[:, :-1], number[:, 1:]),
         (number[:-1, :-1], number[1:, 1:]), (number[1:, :-1], number[:-1, 1:])]
ends = np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in pairs]).astype(np.int32)
rest = np.linalg.norm(x0[ends[:, 1]] - x0[ends[:, 0]], axis=1)

np.save("x0.npy", x0)
np.save("ends.npy", ends)
np.save("rest.npy", rest)
