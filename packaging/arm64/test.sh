#!/usr/bin/env bash
# Cross compiles the tests of the engine's folders, and runs them in qemu. Options go to ctest.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
packaging/static/build.sh arm64 tests/all arm64
# Left out: in qemu vfork is fork, so a child cannot tell its parent why exec has failed.
left_out=": a failed start names the program, the reason and the cure$"
[ $# -gt 0 ] || set -- -C grouped
ctest --test-dir build/arm64 --output-on-failure --no-tests=error -j "${WEFT_JOBS:-$(nproc)}" -E "$left_out" "$@" \
  </dev/null
