#!/usr/bin/env bash
# From a fresh Debian 12 to a fitted model: hares and lynxes of Hudson's Bay, 1900 to 1920, and a look ahead.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=build/release
example=examples/lynx-hare
out=build/demo
adjoule=$build/bin/adjoule
parameters=alpha,beta,gamma,delta,z_init

scripts/setup.sh
mkdir -p "$out"
if ! { cmake --preset release && cmake --build "$build" --parallel "$(nproc)" --target adjoule; } >"$out/build.log" 2>&1; then
  tail -n 30 "$out/build.log" >&2
  echo "demo.sh: the build failed; the whole log is in $out/build.log" >&2
  exit 1
fi

echo "Fitting $example/lynx-hare.adj to the pelts that were really counted"
"$adjoule" optimize "$example/lynx-hare.adj" --steps 20 --wrt "$parameters" --method lbfgs \
  --load "observed=$example/lynx_hare.csv:hare,lynx" --save-params "$out/fit.json"

echo
echo "The fitted model, run twenty years past the data"
"$adjoule" run "$example/forecast.adj" --steps 40 --params "$out/fit.json" --save-trajectory "z=$out/forecast.npy" --every 1
/usr/bin/python3 "$example/show.py" "$example/lynx_hare.csv" "$out/forecast.npy"
