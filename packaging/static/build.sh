#!/usr/bin/env bash
# Builds the static driver: build/static/workflows/weft, or build/static-arm64/workflows/weft by a cross compiler.
# Usage: packaging/static/build.sh amd64|arm64 [TARGET [PRESET]]
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
case ${1:-} in
  amd64) preset=static ;;
  arm64) preset=static-arm64 ;;
  *) echo "usage: $0 amd64|arm64 [TARGET [PRESET]]" >&2; exit 2 ;;
esac
preset=${3:-$preset}
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
export WEFT_STATIC_ROOT=${WEFT_STATIC_ROOT:-$PWD/build/static-libraries}
packaging/static/libraries.sh "$1"
mkdir -p build
options=(-DWEFT_STATIC_LIBRARIES="$(readlink -f "$WEFT_STATIC_ROOT")/$1")
! command -v ccache >/dev/null || options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
if [ ! -f build/$preset/build.ninja ]; then
  cmake --preset $preset "${options[@]}" >build/$preset.log 2>&1 || { tail -n 30 build/$preset.log >&2; exit 1; }
fi
cmake --build build/$preset -j "${WEFT_JOBS:-$(nproc)}" --target "${2:-weft_driver}" </dev/null
