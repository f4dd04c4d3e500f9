#!/usr/bin/env bash
# One command from a fresh clone to a result: installs what is missing, builds, compiles and simulates a model, prints the
# report. Arguments are those of `pimento run`; without any it runs ResNet-18 on pimsim-nn-64-wide.
#   scripts/run.sh
#   scripts/run.sh zoo:lenet5 --chip configs/chips/tiny-4.yaml
set -euo pipefail
caller=$PWD
source "$(dirname "$0")/common.sh"
bash scripts/setup.sh >&2
echo "run: building (a fresh build takes some minutes; log: build/release.log)" >&2
build release pimento
cd "$caller"
[ $# -gt 0 ] || set -- zoo:resnet18 --chip pimsim-nn-64-wide
exec "$source_dir/build/release/pimento" run "$@"
