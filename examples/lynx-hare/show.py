"""Print the counted pelts beside the fitted model, year by year, as numbers and as bars.

usage: show.py lynx_hare.csv forecast.npy     (the trajectory: one row of hare, lynx a year)
"""
import csv
import sys

import numpy as np

rows = list(csv.DictReader(open(sys.argv[1])))
fit = np.load(sys.argv[2]).reshape(-1, 2)
first = int(rows[0]["year"])
scale = 28 / fit.max()


def bar(value, mark):
    return (mark * max(1, round(value * scale))).ljust(30)


print("        hares, thousands                                 lynxes, thousands")
print("year   counted    model                                 counted    model")
for i, (hare, lynx) in enumerate(fit):
    counted = [f"{float(rows[i][kind]):7.1f}" if i < len(rows) else "      –" for kind in ("hare", "lynx")]
    print(f"{first + i}   {counted[0]}  {hare:7.1f} {bar(hare, '▒')}{counted[1]}  {lynx:7.1f} {bar(lynx, '█')}".rstrip())
