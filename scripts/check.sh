#!/usr/bin/env bash
# Everything that is too slow for every push. Stages, in this order; without arguments all of them:
#   format   clang-format finds nothing to change
#   asan     build and fast tests with address and undefined-behaviour sanitizers
#   clang    build and fast tests with clang
#   same     g++, clang++ and a debug build make the same programs, cycles and values, bit by bit
#   tidy     clang-tidy over every source
#   slow     the tests with the label slow, release build
#   scripts/check.sh format asan
set -euo pipefail
source "$(dirname "$0")/common.sh"
known="format asan clang same tidy slow"
for stage in "$@"; do
  [[ " $known " == *" $stage "* ]] || { echo "check.sh: unknown stage '$stage'; known: $known" >&2; exit 2; }
done
[ $# -gt 0 ] || set -- $known
bash scripts/setup.sh --check

run_tests() { ctest --test-dir "build/$1" -L "$2" -j "$jobs" --output-on-failure --no-tests=error; }
stage_format() { git ls-files -z '*.cpp' '*.hpp' | xargs -0 clang-format --dry-run --Werror; }
stage_asan() {
  build asan
  ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1 run_tests asan fast
}
stage_clang() { build clang && run_tests clang fast; }
stage_same() {
  for preset in release clang debug; do build "$preset" pimento; done
  bash scripts/same.sh build/release/pimento build/clang/pimento build/debug/pimento
}
stage_tidy() { build tidy -k 0; }
stage_slow() { build release && run_tests release slow; }

failed=""
for stage in "$@"; do
  echo "check: $stage"
  # A subshell with its own -e: a condition around the call would switch -e off inside it.
  set +e
  (set -e; "stage_$stage")
  status=$?
  set -e
  [ "$status" -eq 0 ] || failed+=" $stage"
done
if [ -n "$failed" ]; then echo "check.sh: FAILED:$failed"; exit 1; fi
echo "check.sh: passed: $*"
