#!/usr/bin/env bash
# Builds the container image as an OCI archive, from the static builds for Linux.
#
#   packaging/image.sh ARCHIVE ARCH=BINARY...      # ARCH is amd64 or arm64
#
# Runs nothing from the image, so every architecture can be built anywhere. Needs buildah.
set -euo pipefail
archive=$(realpath "$1")
shift
root=$(realpath "$(dirname "$0")/..")
context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
epoch=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}
version=$(bash "$root/packaging/field.sh" version)
cp "$root/LICENSE-MIT" "$root/LICENSE-APACHE" "$context/"
list=yuangs-verify-build-$$
buildah manifest create "$list" >/dev/null
for pair in "$@"; do
  arch=${pair%%=*}
  install -D -m 755 "${pair#*=}" "$context/$arch/yuangs-verify"
  buildah build --quiet --platform "linux/$arch" --manifest "$list" --timestamp "$epoch" \
    --build-arg "TARGETARCH=$arch" --build-arg "VERSION=$version" \
    --build-arg "REVISION=$(git -C "$root" rev-parse HEAD)" \
    --build-arg "REPOSITORY=$(bash "$root/packaging/field.sh" repository)" \
    --build-arg "HOMEPAGE=$(bash "$root/packaging/field.sh" homepage)" \
    --file "$root/packaging/Containerfile" "$context" >/dev/null
done
rm -f "$archive"
buildah manifest push --all --quiet "$list" "oci-archive:$archive"
buildah manifest rm "$list" >/dev/null
