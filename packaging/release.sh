#!/usr/bin/env bash
# Makes everything that a release publishes, from the built programs.
#
#   packaging/release.sh BINARIES DIRECTORY
#
# BINARIES holds a directory for each target, with the program in it. DIRECTORY gets the archives,
# their SBOMs, and SHA256SUMS; and, beside the sums, `image.tar` where there are static Linux builds.
# One of the programs has to run here. Needs GNU tar, gzip, zip, cargo-cyclonedx and buildah.
set -euo pipefail
binaries=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
here=$(realpath "$(dirname "$0")")
program=${PROGRAM:-$binaries/$(uname -m)-unknown-linux-musl/yuangs-verify}
for folder in "$binaries"/*/; do
  target=$(basename "$folder")
  bash "$here/pack.sh" "$target" "$folder"yuangs-verify* "$out" "$program"
  bash "$here/sbom.sh" "$target" "$out"
done
(cd "$out" && sha256sum -- yuangs-verify-* >SHA256SUMS)

images=()
for pair in amd64:x86_64 arm64:aarch64; do
  binary=$binaries/${pair#*:}-unknown-linux-musl/yuangs-verify
  [ ! -f "$binary" ] || images+=("${pair%%:*}=$binary")
done
[ ${#images[@]} -eq 0 ] || bash "$here/image.sh" "$out/image.tar" "${images[@]}"
