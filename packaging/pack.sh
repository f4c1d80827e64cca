#!/usr/bin/env bash
# Packs a built program as it is released: a .tar.gz, for Windows a .zip.
#
#   packaging/pack.sh TARGET BINARY DIRECTORY [PROGRAM]
#
# PROGRAM is a build of the same version that runs here, and writes the completions and the manual
# pages; without it BINARY does. Equal input gives equal bytes: names are sorted, owners are 0, and
# every time is SOURCE_DATE_EPOCH, or that of the last commit. Needs GNU tar, gzip and zip.
set -euo pipefail
[ $# -ge 3 ] || {
  echo "usage: packaging/pack.sh TARGET BINARY DIRECTORY [PROGRAM]" >&2
  exit 2
}
target=$1 binary=$(realpath "$2") out=$(realpath "$3") program=$(realpath "${4:-$2}")
cd "$(dirname "$0")/.."
export TZ=UTC LC_ALL=C
umask 022
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}

# A fifth of it are the parse tables of the feature languages-extra.
limit=$((64 * 1000 * 1000))
size=$(wc -c <"$binary")
[ "$size" -le "$limit" ] || {
  echo "error: $binary has $size bytes, more than $limit: build it with \`--profile dist\`" >&2
  exit 1
}

version=$(bash packaging/field.sh version)
[ "$("$program" --version)" = "yuangs-verify $version" ] || {
  echo "error: $program is not version $version" >&2
  exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
name=yuangs-verify-v$version-$target
case $target in *windows*) suffix=.exe ;; *) suffix= ;; esac
mkdir -p "$work/$name/completions" "$work/$name/man"
cp "$binary" "$work/$name/yuangs-verify$suffix"
cp README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE "$work/$name/"
for shell in bash:bash zsh fish:fish powershell:ps1 elvish:elv; do
  case $shell in
  zsh) file=_yuangs-verify ;;
  *) file=yuangs-verify.${shell#*:} ;;
  esac
  "$program" completions "${shell%%:*}" >"$work/$name/completions/$file"
done
"$program" man --output "$work/$name/man"
find "$work/$name" -type d -exec chmod 755 {} +
find "$work/$name" -type f -exec chmod 644 {} +
chmod 755 "$work/$name/yuangs-verify$suffix"
find "$work/$name" -exec touch --no-dereference --date="@$epoch" {} +

cd "$work"
if [ -n "$suffix" ]; then
  rm -f "$out/$name.zip"
  find "$name" | sort | zip -q -X -@ "$out/$name.zip"
  echo "$out/$name.zip"
else
  tar --sort=name --owner=0 --group=0 --numeric-owner --format=ustar -cf - "$name" |
    gzip -9n >"$out/$name.tar.gz"
  echo "$out/$name.tar.gz"
fi
