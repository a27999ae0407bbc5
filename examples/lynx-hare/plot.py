"""Draw the counted pelts (dots), the fitted model and its forecast (lines) as an SVG picture.

usage: plot.py lynx_hare.csv forecast.npy PICTURE.svg     (the trajectory: one row of hare, lynx a year)
"""
import csv
import sys

import numpy as np

rows = list(csv.DictReader(open(sys.argv[1])))
model = np.load(sys.argv[2]).reshape(-1, 2)
first, last = int(rows[0]["year"]), int(rows[-1]["year"])
years = first + np.arange(len(model))
kinds = [("hare", "hares", 0, "#b8641a"), ("lynx", "lynxes", 1, "#1f5f8b")]

left, right, top, bottom, width, height = 46, 16, 34, 28, 760, 300
x_of = lambda year: left + (year - first) / (len(model) - 1) * (width - left - right)
y_of = lambda value: height - bottom - value / 90 * (height - top - bottom)
text = []


def put(line):
    text.append("  " + line)


def write(x, y, words, anchor="middle", colour="#444"):
    put(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{words}</text>')


def curve(values):
    """A smooth path through the values of each year: cubic pieces with the slopes of a Catmull-Rom spline."""
    slopes = np.gradient(values)
    path = f"M{x_of(first):.1f},{y_of(values[0]):.1f}"
    for i in range(len(values) - 1):
        path += (f" C{x_of(years[i] + 1 / 3):.1f},{y_of(values[i] + slopes[i] / 3):.1f}"
                 f" {x_of(years[i] + 2 / 3):.1f},{y_of(values[i + 1] - slopes[i + 1] / 3):.1f}"
                 f" {x_of(years[i + 1]):.1f},{y_of(values[i + 1]):.1f}")
    return path


text.append(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">')
put(f'<rect width="{width}" height="{height}" fill="white"/>')
put(f'<rect x="{x_of(last):.1f}" y="{top}" width="{x_of(years[-1]) - x_of(last):.1f}" height="{height - top - bottom}" fill="#f2f2f2"/>')
for value in range(0, 81, 20):
    put(f'<line x1="{left}" y1="{y_of(value):.1f}" x2="{width - right}" y2="{y_of(value):.1f}" stroke="#ddd"/>')
    write(left - 6, y_of(value) + 4, value, "end")
for year in range(first, years[-1] + 1, 5):
    write(x_of(year), height - 10, year)
write(left, 18, "pelts, in thousands: dots are counts of the Hudson's Bay Company, lines the fitted model", "start")
write((x_of(last) + x_of(years[-1])) / 2, top + 14, "forecast", colour="#777")
for column, name, k, colour in kinds:
    put(f'<path d="{curve(model[:, k])}" fill="none" stroke="{colour}" stroke-width="2"/>')
    for i, row in enumerate(rows):
        put(f'<circle cx="{x_of(first + i):.1f}" cy="{y_of(float(row[column])):.1f}" r="3.2" fill="{colour}"/>')
write(x_of(1904.2), y_of(76), "hares", "start", kinds[0][3])
write(x_of(1905.6), y_of(52), "lynxes", "start", kinds[1][3])
text.append("</svg>")
open(sys.argv[3], "w").write("\n".join(text) + "\n")
