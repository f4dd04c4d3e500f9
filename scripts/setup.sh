#!/usr/bin/env bash
# Installs what building Pimento needs on Debian 12, and only what is missing. Running it again is free.
#   scripts/setup.sh           what the build needs
#   scripts/setup.sh --check   also what scripts/check.sh needs (clang, clang-tidy, clang-format, lld)
# Status 0: everything is there; 2: this system is not supported, or the packages cannot be installed here.
set -euo pipefail

packages=(
  g++ cmake ninja-build pkg-config ccache
  libsystemc-dev libonnx-dev libprotobuf-dev protobuf-compiler libonnx-testdata
  libyaml-cpp-dev libeigen3-dev doctest-dev libfmt-dev zlib1g-dev libxxhash-dev nlohmann-json3-dev
)
case "${1:-}" in
  "") ;;
  --check) packages+=(clang clang-tidy clang-format libclang-rt-14-dev lld) ;;
  *) echo "setup.sh: unknown option '$1'; known: --check" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null; then
  echo "setup.sh: expected Debian 12, got a system without dpkg. Install the equivalents of:" >&2
  printf '  %s\n' "${packages[@]}" >&2
  exit 2
fi

present=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null | sed -n 's/^installed //p' || true)
missing=()
for package in "${packages[@]}"; do
  grep -qxF "$package" <<<"$present" || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "setup: all ${#packages[@]} packages are installed"
  exit 0
fi

echo "setup: to install: ${missing[*]}"
version=$(. /etc/os-release 2>/dev/null && echo "${ID:-unknown} ${VERSION_ID:-}")
if [ "$version" != "debian 12" ]; then
  echo "setup.sh: expected debian 12, got $version. Install the packages above (or their equivalents) and run this again." >&2
  exit 2
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "setup.sh: installing needs root, and there is no sudo" >&2; exit 2; }
  as_root=(sudo)
fi
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=900 -o Acquire::Retries=3 -q "$@"; }
install_missing() { apt install -y --no-install-recommends "${missing[@]}"; }
# The package lists may be absent or old, so they are fetched when the first attempt fails.
install_missing || { apt update && install_missing; } || { echo "setup.sh: the packages could not be installed" >&2; exit 2; }
echo "setup: ${#missing[@]} packages installed"
