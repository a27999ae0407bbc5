#!/usr/bin/env python3
"""Write the initial data of a peer benchmark as .npy files, bit for bit what the C++ programs of bench/peers start from.

usage: make_inputs.py CASE SIZE... OUTDIR
  nbody N | spring n | wave n | heat n | mpm m g | implicit n
Arrays are float64 (int32 for relations), C order; vectors are the last axis: x0 of nbody has shape (N, 3).
"""
import sys
from pathlib import Path

import numpy as np


def hash01(k):
    """The deterministic pseudo-random field of common.h: uint32 keys to float64 in [0, 1)."""
    h = (np.asarray(k, np.uint64) * 2654435761 + 0x9E3779B9) & 0xFFFFFFFF
    h ^= h >> 16
    h = (h * 0x85EBCA6B) & 0xFFFFFFFF
    h ^= h >> 13
    h = (h * 0xC2B2AE35) & 0xFFFFFFFF
    h ^= h >> 16
    return h * (1.0 / 4294967296.0)


def nbody(n):
    i = np.arange(n)
    x0 = np.stack([2 * hash01(6 * i + c) - 1 for c in range(3)], axis=1)
    v0 = np.stack([0.2 * (hash01(6 * i + 3 + c) - 0.5) for c in range(3)], axis=1)
    return dict(x0=x0, v0=v0, mass=(0.5 + hash01(1000003 + i)) / n)


def spring(n):
    h = 1.0 / (n - 1)
    ends, rest = [], []
    for a in range(n):
        for b in range(n):
            p = a * n + b
            if a + 1 < n:
                ends.append((p, p + n)), rest.append(h)
            if b + 1 < n:
                ends.append((p, p + 1)), rest.append(h)
            if a + 1 < n and b + 1 < n:
                ends += [(p, p + n + 1), (p + n, p + 1)]
                rest += [h * np.sqrt(2.0)] * 2
    p = np.arange(n * n)
    a, b = p // n, p % n
    x0 = np.stack([a * h, 0.8 * b * h, 0.05 + 0.6 * b * h], axis=1)
    v0 = np.stack([0.5 + 0.1 * (hash01(3 * p) - 0.5), 0.1 * (hash01(3 * p + 1) - 0.5),
                   -1 + 0.1 * (hash01(3 * p + 2) - 0.5)], axis=1)
    k = 1000 * (0.75 + 0.5 * hash01(7000000 + np.arange(len(ends))))
    return dict(x0=x0, v0=v0, ends=np.array(ends, np.int32), rest=np.array(rest), stiffness=k)


def bump(n, ci, cj, scale):
    i, j = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    s = n / 16.0
    u = scale * np.exp(-((i - ci * n) ** 2 + (j - cj * n) ** 2) / (2 * s * s))
    u[0, :] = u[-1, :] = u[:, 0] = u[:, -1] = 0
    return u


def wave(n):
    p = np.arange(n * n).reshape(n, n)
    return dict(u0=bump(n, 0.5, 0.5, 1.0), target=bump(n, 0.4, 0.6, 0.5), c=0.5 + 0.5 * hash01(p))


def heat(n):
    p = np.arange(n * n).reshape(n, n)
    noise = 0.1 * hash01(500000 + p)
    noise[0, :] = noise[-1, :] = noise[:, 0] = noise[:, -1] = 0
    return dict(u0=bump(n, 0.5, 0.5, 1.0) + noise, target=bump(n, 0.4, 0.6, 0.5), k=0.5 + 0.5 * hash01(p))


def mpm(m, g):
    p = np.arange(m * m)
    a, b = p // m, p % m
    x0 = np.stack([0.3 + 0.25 * (a + 0.5) / m, 0.1 + 0.25 * (b + 0.5) / m], axis=1)
    v0 = np.stack([1 + 0.2 * (hash01(2 * p) - 0.5), -2 + 0.2 * (hash01(2 * p + 1) - 0.5)], axis=1)
    return dict(x0=x0, v0=v0, E=100 * (0.75 + 0.5 * hash01(9000000 + p)))


def implicit(n):
    x = (np.arange(n) + 1) / (n + 1)
    return dict(u0=np.sin(np.pi * x) + 0.3 * np.sin(3 * np.pi * x), target=0.5 * np.sin(2 * np.pi * x))


CASES = dict(nbody=nbody, spring=spring, wave=wave, heat=heat, mpm=mpm, implicit=implicit)

if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] not in CASES:
        sys.exit(__doc__)
    out = Path(sys.argv[-1])
    out.mkdir(parents=True, exist_ok=True)
    for name, array in CASES[sys.argv[1]](*map(int, sys.argv[2:-1])).items():
        np.save(out / f"{name}.npy", array)
