#!/usr/bin/env bash
# Builds the program from the commit of the action into ROOT.
set -euo pipefail
source=$(cd "$(dirname "$0")/../../.." && pwd -P)
rust=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' "$source/Cargo.toml" | head -n 1)
rustup toolchain install "$rust" --profile minimal
export CARGO_TARGET_DIR="$ROOT-target"
cargo "+$rust" install --locked --features languages-extra,parquet --path "$source" --root "$ROOT"
rm -rf "$CARGO_TARGET_DIR"
