#!/usr/bin/env bash
# Writes the SBOM of a target: CycloneDX 1.5 in JSON, with what is linked into the program, without
# time and random number, so that equal input gives equal bytes. Needs cargo-cyclonedx 0.5.9.
#
#   packaging/sbom.sh TARGET DIRECTORY
set -euo pipefail
target=$1 out=$(realpath "$2")
cd "$(dirname "$0")/.."
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
name=yuangs-verify-v$(bash packaging/field.sh version)-$target
cargo cyclonedx --quiet --format json --spec-version 1.5 --features languages-extra,parquet --target "$target" \
  --override-filename "$name.cdx"
# References name the place of the checkout, which differs from machine to machine.
sed "s|path+file://$PWD|path+file:///yuangs-verify|g" "$name.cdx.json" >"$out/$name.cdx.json"
rm "$name.cdx.json"
# The tool writes one for every member of the workspace.
find crates xtask -maxdepth 2 -name "$name.cdx.json" -delete
echo "$out/$name.cdx.json"
