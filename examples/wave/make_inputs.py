"""Write u0.npy, c.npy and target.npy: a hump in the middle of the membrane, a lower one beside it as the target, and a
speed of sound that varies at random between 0.5 and 1.

usage: make_inputs.py [n]     (32 without a number; then run with --set n=N)
"""
import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 32


def noise(key):
    """Numbers in [0, 1) from a hash of 32-bit keys: the same on every machine."""
    h = (key.astype(np.uint64) * 2654435761 + 0x9E3779B9) & 0xFFFFFFFF
    h ^= h >> 16
    h = (h * 0x85EBCA6B) & 0xFFFFFFFF
    h ^= h >> 13
    h = (h * 0xC2B2AE35) & 0xFFFFFFFF
    h ^= h >> 16
    return h / 2.0**32


def hump(at_i, at_j, height):
    i, j = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    width = n / 16
    u = height * np.exp(-((i - at_i * n) ** 2 + (j - at_j * n) ** 2) / (2 * width**2))
    u[0, :] = u[-1, :] = u[:, 0] = u[:, -1] = 0
    return u


cells = np.arange(n * n).reshape(n, n)
np.save("u0.npy", hump(0.5, 0.5, 1.0))
np.save("c.npy", 0.5 + 0.5 * noise(cells))
np.save("target.npy", hump(0.4, 0.6, 0.5))
