#!/usr/bin/env bash
# From a fresh Debian 12 to a fitted model: hares and lynxes of Hudson's Bay, 1900 to 1920, and ten years ahead.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=build/release
example=examples/lynx-hare
out=build/demo
adjoule=$build/bin/adjoule
parameters=alpha,beta,gamma,delta,z_init

scripts/setup.sh
mkdir -p "$out"
[ -x "$adjoule" ] || echo "Building the compiler: some minutes, once (log: $out/build.log)"
if ! { cmake --preset release && cmake --build "$build" --parallel "$(nproc)" --target adjoule; } >"$out/build.log" 2>&1; then
  tail -n 30 "$out/build.log" >&2
  echo "demo.sh: the build failed; the whole log is in $out/build.log" >&2
  exit 1
fi

echo "1. Fit $example/lynx-hare.adj to the pelts that were counted. The loss falls:"
"$adjoule" optimize "$example/lynx-hare.adj" --steps 20 --wrt "$parameters" --method lbfgs \
  --load "observed=$example/lynx_hare.csv:hare,lynx" --save-params "$out/fit.json" | awk '
    /^iteration/ { if (n++ == 0 || $4 < 0.99 * best) { print "  " $0; best = $4 }; next }
    { print "  " $0 }'
echo "  (published means: alpha 0.55, beta 0.028, gamma 0.80, delta 0.024, first year 34 and 6)"

echo
echo "2. Run $example/forecast.adj with these numbers, ten years past the data:"
"$adjoule" run "$example/forecast.adj" --steps 30 --params "$out/fit.json" --save-trajectory "z=$out/forecast.npy" >/dev/null
/usr/bin/python3 "$example/show.py" "$example/lynx_hare.csv" "$out/forecast.npy"

/usr/bin/python3 "$example/plot.py" "$example/lynx_hare.csv" "$out/forecast.npy" "$out/lynx-hare.svg"
echo
echo "The same as a picture: $out/lynx-hare.svg"
