#!/usr/bin/env bash
# Makes a release.
set -euo pipefail

readonly VERSION="1.2.3"
export TARGET_DIR=build
name=app

# Builds everything.
build() {
  local out="$1"
  declare -r inner=1
  compile "$out" && check_size "$out/$name"
}

function check_size {
  [ "$(stat -c %s "$1")" -lt 100 ] || fail "too large"
}

fail() { echo "$*" >&2; exit 1; }

main() {
  for target in linux mac; do
    build "$TARGET_DIR/$target" || fail "no build"
  done
}

main "$@"
