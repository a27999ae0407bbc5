#!/usr/bin/env bash
# Install the Debian packages that the build and the tests need, where they are missing. Nothing to install: a second.
# --tools adds what only developers use: clang-format, clang-tidy, and the compiler of the programs in bench/peers.
set -euo pipefail

packages=(
  g++ cmake ninja-build pkg-config ccache            # build
  llvm-19-dev llvm-19-tools                          # code generation; lit and FileCheck
  antlr4 libantlr4-runtime-dev                       # parser
  libfmt-dev libcli11-dev nlohmann-json3-dev         # command line and its output
  libsleef-dev libnlopt-dev libnlopt-cxx-dev         # elementary functions, optimisers
  libgtest-dev python3 python3-numpy                 # tests
)
case "${1:-}" in
  "") ;;
  --tools) packages+=(clang-format-19 clang-tidy-19 clang-19) ;;
  *) echo "usage: scripts/setup.sh [--tools]" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null; then
  echo "setup.sh: this script knows Debian and its relatives only. Install what these packages hold, then build with cmake:" >&2
  echo "  ${packages[*]}" >&2
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "setup.sh: packages are missing, and this is neither root nor is there sudo. Run as root:" >&2
    echo "  apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "Installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() { ${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" >"$log" 2>&1; }
if ! { apt update && apt install -y --no-install-recommends "${missing[@]}"; }; then
  cat "$log" >&2
  echo "setup.sh: the packages above could not be installed." >&2
  exit 1
fi
