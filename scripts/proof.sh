#!/usr/bin/env bash
# The evidence that a change of the compiler must show: builds another revision and the working tree, compiles and runs the
# golden cases with both under the same chips and the same simulator, and prints the comparison, laid out for a commit or review.
#   scripts/proof.sh REVISION [--kind cost|schedule] [--noise PERCENT] [--fast] [--only NAME]... [--out FOLDER]
#   scripts/proof.sh HEAD~1 --kind schedule --fast
# The records stay in the folder of --out (default build/proof): before/ and after/; `pimento golden --accept --before` takes the
# former. The revision is built in a temporary worktree, which is removed however this ends.
# Status: 0 accepted, 1 rejected, 2 the question is wrong, 3 a build failed.
set -euo pipefail
[ $# -gt 0 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
source "$(dirname "$0")/common.sh"
revision=$1 out=build/proof kind=cost noise=10 cases=()
shift
while [ $# -gt 0 ]; do
  case $1 in
    --kind | --noise | --out | --only) [ $# -gt 1 ] || { echo "proof.sh: $1: expected a value" >&2; exit 2; } ;;
  esac
  case $1 in
    --kind) kind=$2; shift 2 ;;
    --noise) noise=$2; shift 2 ;;
    --out) out=$2; shift 2 ;;
    --only) cases+=(--only "$2"); shift 2 ;;
    --fast) cases+=(--fast); shift ;;
    *) echo "proof.sh: unknown option '$1'; known: --kind, --noise, --fast, --only, --out" >&2; exit 2 ;;
  esac
done
awk -v x="$noise" 'BEGIN { exit !(x ~ /^[0-9]+(\.[0-9]+)?$/ && x + 0 <= 100) }' ||
  { echo "proof.sh: --noise: expected a percentage from 0 to 100, got '$noise'" >&2; exit 2; }
case $kind in cost | schedule) ;; *) echo "proof.sh: --kind: unknown value '$kind'; known: cost, schedule" >&2; exit 2 ;; esac
commit=$(git rev-parse --verify --quiet "$revision^{commit}") || { echo "proof.sh: no revision '$revision'" >&2; exit 2; }
out=$(mkdir -p "$out" && cd "$out" && pwd)

tree=$(mktemp -d)
leave() { git worktree remove --force "$tree/source" 2>/dev/null || true; git worktree prune; rm -rf "$tree"; }
trap leave EXIT
trap 'exit 130' INT TERM
git worktree add --quiet --detach "$tree/source" "$commit"
[ -f "$tree/source/cli/commands/golden.cpp" ] ||
  { echo "proof.sh: $revision writes no golden records; expected a revision with 'pimento golden'" >&2; exit 2; }

echo "proof: building the working tree" >&2
build release pimento
new=$source_dir/build/release/pimento
echo "proof: building $revision (${commit:0:12})" >&2
(
  cd "$tree/source"
  export CCACHE_BASEDIR=$PWD
  { cmake --preset release -DPIMENTO_TESTS=OFF && ninja -C build/release -j "$jobs" pimento; } >"$tree/log" 2>&1
) || { tail -n 40 "$tree/log" >&2; echo "proof.sh: $revision does not build" >&2; exit 3; }
old=$tree/source/build/release/pimento

# One zoo, one set of chips, one simulator: what differs is the compiler.
export XDG_CACHE_HOME=${XDG_CACHE_HOME:-$source_dir/build/proof-zoo} PIMENTO_CONFIGS=$source_dir/configs
rm -rf "$out/before" "$out/after"
# The records are what counts here. An older revision also says, with status 1, that golden records differ.
write() {
  local status=0
  "$1" golden --root "$source_dir" --write "$2" ${cases[@]+"${cases[@]}"} >&2 || status=$?
  [ "$status" -le "$3" ] || { echo "proof.sh: $1 ended with status $status" >&2; exit 3; }
}
echo "proof: compiling with both" >&2
write "$new" "$out/after" 0
write "$old" "$out/before" 1
made=$(cd "$out/after" && ls -- *.json)
[ "$made" = "$(cd "$out/before" && ls -- *.json)" ] ||
  { echo "proof.sh: the two revisions made records of different cases" >&2; exit 3; }
for record in "$out"/before/*.json; do
  "$new" simulate "${record%.json}.pim" --timing-only --record "$record" >/dev/null
done

status=0
"$new" compare "$out/before" "$out/after" --kind "$kind" --noise "$noise" >"$tree/table" || status=$?
[ "$status" -le 1 ] || exit "$status"
# rows FIGURE...: the rows of these figures, under their model and chip.
rows() {
  awk -v names="$*" 'BEGIN { n = split(names, all, " "); for (i = 1; i <= n; ++i) wanted[all[i]] = 1 }
    /^[^ ]/ { head = $0; next }
    /^  / && ($1 in wanted) { if (head != "") { print head; head = "" } print; found = 1 }
    END { if (!found) print "unchanged" }' "$tree/table"
}
cat <<TEXT
# Proof: ${commit:0:12} -> $(git describe --always --dirty)

Change of kind '$kind'; $(ls "$out/after"/*.json | wc -l) golden cases, same chips, same simulator.

## Placement
$(rows class_core classes cores_used crossbars_used mapping_attempt graph_lanes scheduled_lanes graph_batches scheduled_batches \
  logical_computes computes schedulable_width largest_core_memory_bytes)

## Correctness
$(rows numerical_check_passed largest_relative_error)

## Performance
$(rows simulated_cycles predicted_cycles critical_path_cycles critical_path_steps message_chain mvms vmms vector_instructions sends \
  send_bytes receives receive_bytes loads load_bytes stores store_bytes emitted_instructions executed_instructions \
  largest_core_executed runtime_copies runtime_copy_bytes host_copies host_copy_bytes energy_known_pj)

## Integration: compile time and memory
$(rows wall_s cpu_s peak_resident_bytes final_resident_bytes)

## Matrix and targets
$(git diff --stat "$commit" -- '*OP_MATRIX.md' '*PASSES.md' 'configs/chips' 'validation/bench/RESULTS.md' | sed '$!b' | grep . ||
  echo 'no operator matrix, pass list, chip or result page changed')

## Verdict
$(sed -n '/^\(won\|worse, to be explained\|objections\):$/,$p; /^\(accepted\|rejected\):/p' "$tree/table" | awk '!seen[$0]++')
TEXT
exit "$status"
