# Sourced by the scripts beside it: where the source is, how it is built. Not for running.
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1  # one cache serves every checkout
source_dir=$PWD
jobs=$(nproc)

# build PRESET [TARGET...]: configures when needed, builds; quiet unless it fails.
build() {
  local preset=$1 log=build/$1.log
  shift
  mkdir -p build
  { { [ -f "build/$preset/build.ninja" ] || cmake --preset "$preset"; } && ninja -C "build/$preset" -j "$jobs" "$@"; } \
    >"$log" 2>&1 || { tail -n 60 "$log" >&2; echo "build of preset '$preset' failed; the whole log: $log" >&2; return 3; }
}
