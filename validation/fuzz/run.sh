#!/usr/bin/env bash
# Feeds COUNT inputs to each fuzzer (or to those named): validation/fuzz/run.sh COUNT [NAME...]
# Builds them first (preset fuzz). New inputs gather in build/fuzz/corpus/NAME, faults in build/fuzz/found/.
# Status: 0 nothing found, 1 something found, 2 wrong usage.
set -uo pipefail
source "$(dirname "$0")/../../scripts/common.sh"
count=${1:-}
[[ "$count" =~ ^[0-9]+$ ]] || { echo "usage: validation/fuzz/run.sh COUNT [NAME...]" >&2; exit 2; }
shift
known=$(cd validation/fuzz && ls -- *_fuzz.cpp | sed 's/_fuzz\.cpp$//' | tr '\n' ' ')
for name in "$@"; do
  [[ " $known" == *" $name "* ]] || { echo "run.sh: unknown fuzzer '$name'; known: $known" >&2; exit 2; }
done
[ $# -gt 0 ] || set -- $known
build fuzz "${@/#/fuzz_}" || exit 3
export ASAN_OPTIONS=quarantine_size_mb=4:malloc_context_size=8  # inputs are small: twice the speed
found=build/fuzz/found
mkdir -p "$found"
status=0
for name in "$@"; do
  work=build/fuzz/corpus/$name log=build/fuzz/$name.log
  mkdir -p "$work"
  if "$(find build/fuzz -name "fuzz_$name" -type f)" -runs="$count" -seed=1 -timeout=10 -rss_limit_mb=2048 -max_len=4096 -entropic=0 \
    -print_final_stats=1 -artifact_prefix="$found/$name-" "$work" "validation/fuzz/corpus/$name" >"$log" 2>&1; then
    echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs, nothing found"
  else
    echo "$name: FOUND something after $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs; $log"
    grep -m 3 -E 'ERROR|SUMMARY|what\(\)|runtime error' "$log"
    status=1
  fi
done
exit $status
