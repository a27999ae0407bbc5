"""Inputs for the programs beside this file that `make_inputs.py` does not cover: formulas, no random numbers.

inputs(name) -> (steps, sizes, extents of the open spaces, arrays by field name); `python3 inputs.py NAME DIR` writes the arrays as .npy.
expected.json holds, for these inputs in f64, the loss and for each parameter the gradient's Euclidean norm, its sum and its first three numbers.
"""
import csv, os, sys
import numpy as np

def wavy(count, low, high, k):
    """count numbers between low and high that look irregular: low + (high - low) * (0.5 + 0.5 sin(k (i + 1)^1.3))"""
    i = np.arange(1, count + 1, dtype=np.float64)
    return low + (high - low) * (0.5 + 0.5 * np.sin(k * i ** 1.3))

def pairs(count, n, k):
    """count pairs of different numbers below n"""
    i = np.arange(count)
    a = (i * 7 + k) % n
    b = (a + 1 + (i * 5 + k) % (n - 1)) % n
    return np.stack([a, b], 1).astype(np.int32)

def inputs(name):
    if name == 'newton':
        n = 40; return 4, {}, {'P': n}, dict(a=wavy(n, 0.5, 9, 0.7), y0=wavy(n, 0.3, 6, 1.1))
    if name == 'jumps':
        p, q = 30, 12; c = wavy(q, -0.3, 2.2, 0.9); c[3] = -0.2
        return 3, {}, {'P': p, 'Q': q}, dict(c=c, x0=wavy(p, 0.2, 1.5, 1.3))
    if name == 'shortest':
        n, e = 30, 70; base = wavy(n, 3, 6, 0.8); base[:2] = 0.1
        return 5, {}, {'Node': n, 'Edge': e}, dict(base=base, w=wavy(e, 0.3, 1.2, 1.7), ends=pairs(e, n, 3))
    if name == 'relax':
        n = 24; return 5, {'n': n}, {}, dict(u0=wavy(n, -2, 2, 0.6), k=wavy(n, 0.3, 1.5, 1.9))
    if name == 'sweep':
        x, y = 5, 6; return 4, {'nx': x, 'ny': y}, {}, dict(u0=wavy(x * y, -1, 1, 0.9), q=wavy(x * y, 0.3, 1.5, 1.4))
    if name == 'arrays':
        a, b = 5, 4; return 3, {}, {'A': a, 'B': b}, dict(w=wavy(a * b, -1, 1, 1.2).reshape(a, b), c=wavy(a, -1, 1, 0.5))
    if name == 'lines':
        a, k = 5, 7; return 3, {}, {'A': a, 'K': k}, dict(x0=wavy(a, -1, 1, 1.2), c=wavy(k, -1, 1, 0.5))
    if name == 'smoke':
        n = 16; return 6, {'n': n}, {}, dict(v0=wavy(2 * n * n, -1.2, 1.2, 0.37).reshape(-1, 2), smoke0=wavy(n * n, 0, 1, 0.11), target=wavy(n * n, 0, 1, 0.23))
    if name == 'billiards':
        rack = [(0.1, 0.5)] + [(.06 * i + .5, .06 * j + .5 - .021 * i) for i in range(4) for j in range(i + 1)]
        return 1024, {}, {'Ball': len(rack)}, dict(rack=np.array(rack), shot_x=np.array([0.1, 0.5]), shot_v=np.array([0.31, 0.013]))
    if name == 'lynx':
        rows = list(csv.reader(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../examples/lynx-hare/lynx_hare.csv'))))
        observed = np.array([[float(r[1]), float(r[2])] for r in rows[1:]])      # hare, lynx; 1900 … 1920
        return 20, {}, {}, dict(observed=observed, alpha=np.array(0.55), beta=np.array(0.028), gamma=np.array(0.8), delta=np.array(0.024), z_init=np.array([30., 4.]))
    if name == 'robot':
        x0 = np.array([(.1, .12), (.1, .2), (.2, .12), (.2, .2), (.3, .12), (.3, .2)])
        ends = np.array([(0, 1), (0, 2), (1, 3), (2, 3), (0, 3), (1, 2), (2, 4), (3, 5), (4, 5), (2, 5), (3, 4)], np.int32)
        s, steps = len(ends), 120; rest = np.linalg.norm(x0[ends[:, 0]] - x0[ends[:, 1]], axis=1)
        return steps, {}, {'Particle': 6, 'Spring': s}, dict(x0=x0, ends=ends, rest=rest, k=np.full(s, 300.), actuation=np.full(s, .15),
            w_wave=wavy(320, -.5, .5, 0.3).reshape(32, 10), w_pos=wavy(384, -.5, .5, 0.41).reshape(32, 6, 2), w_vel=wavy(384, -.2, .2, 0.53).reshape(32, 6, 2),
            w_goal=wavy(64, -.5, .5, 0.67).reshape(32, 2), b1=wavy(32, -.2, .2, 0.71), w2=wavy(32 * s, -.5, .5, 0.29).reshape(s, 32), b2=wavy(s, -.2, .2, 0.83),
            nudge=wavy((steps + 1) * s, -.2, .2, 0.19).reshape(steps + 1, s))
    raise SystemExit('no inputs for ' + name)

if __name__ == '__main__':
    steps, sizes, extents, arrays = inputs(sys.argv[1])
    os.makedirs(sys.argv[2], exist_ok=True)
    for field, a in arrays.items(): np.save(os.path.join(sys.argv[2], field + '.npy'), a)
    print('steps', steps, 'sizes', sizes, 'extents', extents)
