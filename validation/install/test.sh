#!/usr/bin/env bash
# Does find_package(pimento) work from an install prefix, and do operators from outside the tree? Installs this build, then
# configures, builds and runs a project that knows nothing but the prefix.
set -eu
source_dir=${PIMENTO_SOURCE_DIR:?}
binary_dir=${PIMENTO_BINARY_DIR:?}
root=$binary_dir/install-test
prefix=$root/prefix
example=$root/example
rm -rf "$root"
unset PIMENTO_CONFIGS
cmake --install "$binary_dir" --prefix "$prefix" >/dev/null
"$prefix/bin/pimento" --version
cmake -G Ninja -S "$source_dir/validation/install/example" -B "$example" -DCMAKE_PREFIX_PATH="$prefix"
cmake --build "$example"
"$example/example" "$example/bump.so" "$root/model.onnx"
# The executable knows the operator with the plug-in, and names the node without it.
"$prefix/bin/pimento" run "$root/model.onnx" --chip tiny-4 --numerics exact --plugin "$example/bump.so" >"$root/report.txt"
refused() {  # STATUS TEXT COMMAND...: the command ends with the status, and its message holds the text
  local expected=$1 text=$2 status=0
  shift 2
  "$@" >"$root/out.txt" 2>&1 || status=$?
  grep -q -- "$text" "$root/out.txt" && [ "$status" -eq "$expected" ] && return
  echo "status $status, expected $expected; '$text' expected in:"
  cat "$root/out.txt"
  exit 1
}
run=("$prefix/bin/pimento" run "$root/model.onnx" --chip tiny-4)
refused 2 "Bump" "${run[@]}"
refused 2 "no such file" "${run[@]}" --plugin "$root/none.so"
refused 2 "model.onnx" "${run[@]}" --plugin "$root/model.onnx"
refused 2 "defined already" "${run[@]}" --plugin "$example/bump.so" --plugin "$example/again.so"
refused 2 "another version" "${run[@]}" --plugin "$example/stale.so"
refused 2 "no operator" "${run[@]}" --plugin "$example/empty.so"
