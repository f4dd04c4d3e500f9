#!/usr/bin/env bash
# Builds the release preset and runs the fast tests in parallel; further arguments go to ctest.
#   scripts/test.sh
#   scripts/test.sh -R isa/          only the tests of one room
set -euo pipefail
source "$(dirname "$0")/common.sh"
bash scripts/setup.sh
echo "test: building (log: build/release.log)"
build release
status=0
ctest --test-dir build/release -L fast -j "$jobs" --output-on-failure --no-tests=error "$@" | tee build/test.log || status=$?
summary=$(grep -E '^[0-9]+% tests passed' build/test.log || echo "no test was run")
if [ "$status" -eq 0 ]; then echo "test.sh: passed: $summary"; else echo "test.sh: FAILED: $summary"; fi
exit "$status"
