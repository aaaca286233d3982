#!/usr/bin/env bash
# Runs one fuzzer for FUZZ_SECONDS from its corpus. New inputs and failing inputs stay in the build folder.
# usage: run.sh fuzz_NAME
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
target=$1 seeds=tests/fuzz/corpus/${1#fuzz_} out=build/fuzz/found/$1
mkdir -p "$out" "$out.corpus"
[ -d "$seeds" ] || seeds=
started=$SECONDS
if build/fuzz/tests/fuzz/"$target" -max_total_time="${FUZZ_SECONDS:-600}" -timeout=10 -rss_limit_mb=2048 \
  -print_final_stats=1 -artifact_prefix="$out/" "$out.corpus" ${seeds:+"$seeds"} \
  >"build/fuzz/$target.log" 2>&1 </dev/null
then
  echo "$target: clean for $((SECONDS - started)) s"
else
  echo "$target: failed, see build/fuzz/$target.log; the input is in $out"
  exit 1
fi
