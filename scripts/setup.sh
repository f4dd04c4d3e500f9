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
# The build does without these: its programs are slower then.
optional=(libtcmalloc-minimal4)
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

present=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${packages[@]}" "${optional[@]}" 2>/dev/null | sed -n 's/^installed //p' || true)
absent() { for package in "$@"; do grep -qxF "$package" <<<"$present" || echo "$package"; done; }
mapfile -t missing < <(absent "${packages[@]}")
mapfile -t wanted < <(absent "${optional[@]}")
if [ ${#missing[@]} -eq 0 ] && [ ${#wanted[@]} -eq 0 ]; then
  echo "setup: all $((${#packages[@]} + ${#optional[@]})) packages are installed"
  exit 0
fi
# Only what the build cannot do without ends this script.
cannot() {
  if [ ${#missing[@]} -gt 0 ]; then echo "setup.sh: $1" >&2; exit 2; fi
  echo "setup: without ${wanted[*]}, which the build does not need: $1" >&2
  exit 0
}

echo "setup: to install: ${missing[*]} ${wanted[*]}"
version=$(. /etc/os-release 2>/dev/null && echo "${ID:-unknown} ${VERSION_ID:-}")
[ "$version" = "debian 12" ] ||
  cannot "expected debian 12, got $version. Install the packages above (or their equivalents) and run this again."
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || cannot "installing needs root, and there is no sudo"
  as_root=(sudo)
fi
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=900 -o Acquire::Retries=3 -q "$@"; }
install() { [ $# -eq 0 ] || apt install -y --no-install-recommends "$@"; }
# The package lists may be absent or old, so they are fetched when the first attempt fails.
if [ ${#missing[@]} -gt 0 ]; then
  install "${missing[@]}" || { apt update && install "${missing[@]}"; } || cannot "the packages could not be installed"
  echo "setup: ${#missing[@]} packages installed"
  missing=()
fi
install "${wanted[@]}" || { apt update && install "${wanted[@]}"; } || cannot "they could not be installed"
