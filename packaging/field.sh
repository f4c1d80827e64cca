#!/usr/bin/env bash
# Prints a field of Cargo.toml, so that scripts need no cargo: `version`, `homepage`, `repository`.
set -euo pipefail
sed -n "s/^$1 = \"\([^\"]*\)\"$/\1/p" "$(dirname "$0")/../Cargo.toml" | head -n 1
