#!/usr/bin/env bash
# Refuses what must not be released: addresses that are still placeholders or those of another
# repository, and a tag that differs from the version.
#
#   GITHUB_REF_NAME=v1.2.3 GITHUB_REPOSITORY=OWNER/NAME bash packaging/check.sh
set -euo pipefail
cd "$(dirname "$0")/.."
failed=0
refuse() {
  echo "::error file=Cargo.toml,title=not ready for a release::$1"
  failed=1
}

version=$(bash packaging/field.sh version)
[ "$GITHUB_REF_NAME" = "v$version" ] ||
  refuse "the tag is $GITHUB_REF_NAME, but \`version\` in Cargo.toml is $version"
for field in homepage repository; do
  address=$(bash packaging/field.sh "$field")
  [[ $address/ != *.example/* ]] ||
    refuse "\`$field\` in Cargo.toml is the placeholder $address: set the real address"
done
expected=${GITHUB_SERVER_URL:-https://github.com}/$GITHUB_REPOSITORY
repository=$(bash packaging/field.sh repository)
[ "$repository" = "$expected" ] ||
  refuse "\`repository\` in Cargo.toml is $repository, but this is $expected: downloads would fail"
exit "$failed"
