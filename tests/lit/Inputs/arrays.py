"""Small .npy and .csv files, good and bad ones, for the program Inputs/relation.adj: arrays.py FOLDER."""
import os
import sys

import numpy as np

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)


def path(name):
    return os.path.join(folder, name)


def save(name, array):
    np.save(path(name), array)


points = np.arange(6.0).reshape(3, 2)
save("points.npy", points)
save("points-f32.npy", points.astype("float32"))
save("points-fortran.npy", np.asfortranarray(points))
save("points-int.npy", points.astype("int64"))
save("points-complex.npy", points.astype("complex"))
save("points-half.npy", points.astype("float16"))
save("points-big-endian.npy", points.astype(">f8"))
save("points-flat.npy", points.ravel())
save("points-wide.npy", np.ones((3, 3)))
save("points-five.npy", np.ones((5, 2)))
save("points-nan.npy", np.array([[0, 1], [2, np.nan], [4, 5]]))
np.save(path("objects.npy"), np.array([{}], dtype=object), allow_pickle=True)
np.save(path("records.npy"), np.zeros(3, dtype=[("a", "f8"), ("b", "f8")]))

save("next.npy", np.array([1, 2, 0], dtype="int64"))
save("next-i32.npy", np.array([1, 2, 0], dtype="int32"))
save("next-real.npy", np.array([1.0, 2.0, 0.0]))
save("next-high.npy", np.array([1, 2, 3]))
save("next-negative.npy", np.array([1, -1, 0]))
save("next-huge.npy", np.array([1, 2, 2**40]))
save("next-five.npy", np.zeros(5, dtype="int64"))

with open(path("points.npy"), "rb") as file:
    whole = file.read()
for name, content in [("cut.npy", whole[:-8]), ("long.npy", whole + bytes(8)), ("empty.npy", b""), ("text.npy", b"1 2 3\n"),
                      ("header.npy", whole[:40]), ("damaged.npy", whole.replace(b"descr", b"dexcr"))]:
    with open(path(name), "wb") as file:
        file.write(content)

for name, text in [("points.csv", "a,b\n0,1\n2,3\n4,5\n"), ("comments.csv", "# a comment\n a , b \n\n0,1\n2,3\n4,5\n"),
                   ("word.csv", "a,b\n0,1\n2,three\n"), ("gap.csv", "a,b\n0,1\n2,\n"), ("ragged.csv", "a,b\n0,1\n2,3,4\n"),
                   ("quote.csv", 'a,b\n0,"1\n'), ("empty.csv", "")]:
    with open(path(name), "w") as file:
        file.write(text)
