#!/usr/bin/env bash
# Gets the program: the release that SHA256SUMS beside this script pins, or else the outputs `build`
# and `key`, by which the action builds it from its own commit. Reads RUNNER_OS, RUNNER_ARCH,
# RUNNER_TEMP, GITHUB_OUTPUT, ATTESTATION and GH_TOKEN. Tested by tests/it/action.rs.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd -P)
source=$(cd "$here/../../.." && pwd -P) # The runner fetches the whole repository of an action.
output() { echo "$1=$2" >>"$GITHUB_OUTPUT"; }
refuse() {
  echo "::error title=yuangs-verify::$1"
  exit 2
}
sha256() { if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi; }

case ${RUNNER_OS:-}-${RUNNER_ARCH:-} in
Linux-X64) target=x86_64-unknown-linux-musl ;;
Linux-ARM64) target=aarch64-unknown-linux-musl ;;
macOS-X64) target=x86_64-apple-darwin ;;
macOS-ARM64) target=aarch64-apple-darwin ;;
Windows-X64) target=x86_64-pc-windows-msvc ;;
*) target=none ;;
esac
pattern="^[0-9a-f]{64}  yuangs-verify-v[0-9]+\.[0-9]+\.[0-9]+-$target\.(tar\.gz|zip)$"
line=$(grep -E "$pattern" "$here/SHA256SUMS" || true)
archive=${line#*  }
name=${archive%.tar.gz}
name=${name%.zip}
field() { sed -n "s/^$1 = \"\(.*\)\"$/\1/p" "$source/Cargo.toml" | head -n 1; }
version=v$(field version)
# A commit between two releases may still pin the older one, which isn't the program of its scripts.
if [ -n "$line" ] && [ "$name" = "yuangs-verify-$version-$target" ]; then
  repository=$(field repository)
  folder=$(mktemp -d "${RUNNER_TEMP:-/tmp}/yuangs-verify.XXXXXX")
  echo "Downloading $archive from $repository"
  if curl --fail --silent --show-error --location --proto '=https' --retry 3 --max-time 300 \
    --output "$folder/$archive" "$repository/releases/download/$version/$archive"; then
    # From here on nothing falls back: what was downloaded is what was released, or the step fails.
    sum=$(sha256 <"$folder/$archive")
    [ "${sum%% *}" = "${line%% *}" ] ||
      refuse "$archive has SHA-256 ${sum%% *}, but this commit of the action pins ${line%% *}"
    if [ "${ATTESTATION:-true}" = true ] && command -v gh >/dev/null && [ -n "${GH_TOKEN:-}" ]; then
      host=${repository#https://}
      GH_HOST=${host%%/*} gh attestation verify "$folder/$archive" --repo "${host#*/}" \
        --signer-workflow "${host#*/}/.github/workflows/release.yml" ||
        refuse "the attestation of $archive doesn't verify"
    else
      echo "The attestation is not checked; the SHA-256 is that which this commit pins."
    fi
    case $archive in
    *.zip) program=$name/yuangs-verify.exe && unzip -q "$folder/$archive" "$program" -d "$folder" ;;
    *) program=$name/yuangs-verify && tar -xzf "$folder/$archive" -C "$folder" "$program" ;;
    esac
    "$folder/$program" --version
    output tool "$folder/$program"
    exit
  fi
  echo "::warning title=yuangs-verify::$archive can't be downloaded; building from source instead"
else
  echo "This commit pins no release for ${RUNNER_OS:-} ${RUNNER_ARCH:-}: building from source."
fi

sum=$(
  cd "$source"
  files=$(find . \( -name target -o -name .git \) -prune -o -type f -print | LC_ALL=C sort)
  { echo "$files" && tr '\n' '\0' <<<"$files" | xargs -0 cat; } | sha256
)
output build true
output key "yuangs-verify-${RUNNER_OS:-}-${RUNNER_ARCH:-}-${sum%% *}"
output root "${RUNNER_TEMP:-/tmp}/yuangs-verify-built"
