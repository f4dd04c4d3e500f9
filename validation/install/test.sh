#!/usr/bin/env bash
# Does find_package(pimento) work from an install prefix? Installs this build, then configures, builds and runs a project
# that knows nothing but the prefix.
set -eu
source_dir=${PIMENTO_SOURCE_DIR:?}
binary_dir=${PIMENTO_BINARY_DIR:?}
prefix=$binary_dir/install-test/prefix
consumer=$binary_dir/install-test/consumer
rm -rf "$binary_dir/install-test"
cmake --install "$binary_dir" --prefix "$prefix" >/dev/null
"$prefix/bin/pimento" --version
cmake -G Ninja -S "$source_dir/validation/install/consumer" -B "$consumer" -DCMAKE_PREFIX_PATH="$prefix"
cmake --build "$consumer"
"$consumer/consumer"
