#!/usr/bin/env bash
# Everything from a fresh clone to a verdict: packages, build, all tests. The last line is "N passed, N failed".
# usage: scripts/test.sh [PRESET]     (release, debug or asan; see CMakePresets.json)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${1:-release}
build=build/$preset
jobs=$(nproc)

give_up() {
  echo "test.sh: $1"
  echo "0 passed, 1 failed"
  exit 1
}

scripts/setup.sh || give_up "the packages are not there."
cmake --preset "$preset" || give_up "the build could not be configured."
cmake --build "$build" --parallel "$jobs" || give_up "the build failed."

results=$PWD/$build/ctest-results.xml
rm -f "$results" "$build/lit-results.json"
status=0
ctest --test-dir "$build" --parallel "$jobs" --output-on-failure --output-junit "$results" || status=$?
/usr/bin/python3 scripts/count_tests.py "$results" "$build/lit-results.json" || status=1
exit "$status"
