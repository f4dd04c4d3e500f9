#!/usr/bin/env bash
# Do several builds make the same programs, cycles and values, bit by bit? Compiles and simulates models with each of the
# executables and compares every file with the first one's.
#   scripts/same.sh build/release/pimento build/clang/pimento build/debug/pimento
# Status: 0 the same, 1 a file differs, 2 wrong arguments or a run that failed.
set -euo pipefail
[ $# -ge 2 ] || { echo "same.sh: expected two executables or more" >&2; exit 2; }
rows=("mlp pimcomp-144 quantised" "mlp pimcomp-144 exact" "lenet5 tiny-4 exact" "lenet5 sram-cim-64 quantised"
  "transformer_block pimsim-nn-64-wide quantised" "resnet18 pimsim-nn-64-wide quantised")
builds=()
for build in "$@"; do
  [ -x "$build" ] || { echo "same.sh: $build: no executable" >&2; exit 2; }
  builds+=("$(realpath "$build")")
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# make EXECUTABLE FOLDER MODEL CHIP NUMERICS
make() {
  mkdir -p "$2"
  (
    cd "$2"
    "$1" compile "zoo:$3" --chip "$4" --numerics "$5" -o program.pim &&
      "$1" simulate program.pim --out values
  ) >"$work/log" 2>&1 || { cat "$work/log" >&2; echo "same.sh: $1: $3 on $4 failed" >&2; exit 2; }
}

status=0
for row in "${rows[@]}"; do
  read -r model chip numerics <<<"$row"
  make "${builds[0]}" "$work/first" "$model" "$chip" "$numerics"
  for build in "${builds[@]:1}"; do
    make "$build" "$work/other" "$model" "$chip" "$numerics"
    if diff -rq "$work/first" "$work/other" >"$work/log"; then
      echo "same: $model on $chip, $numerics: $build"
    else
      sed "s|$work/||g; s|^|same.sh: $build: $model on $chip, $numerics: |" "$work/log" >&2
      status=1
    fi
    rm -rf "$work/other"
  done
  rm -rf "$work/first"
done
exit "$status"
