#!/usr/bin/env bash
# Cross compiles the programs that link only the engine, and runs their tests in qemu. Options go to ctest.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
packaging/static/build.sh arm64 weft_engine_tests arm64
[ $# -gt 0 ] || set -- -C grouped
for folder in engine engine/former; do
  ctest --test-dir build/arm64/tests/$folder --output-on-failure --no-tests=error -j "${WEFT_JOBS:-$(nproc)}" "$@" \
    </dev/null
done
