#!/usr/bin/env bash
# Keeps seven copies of a folder.

set -euo pipefail

readonly KEEP=7
target=/var/backups

usage() {
  echo "usage: $0 FOLDER" >&2
  exit 2
}

log() {
  printf '%s %s\n' "$(date +%F)" "$1"
}

name_of() {
  basename "$1" | tr -c 'a-z0-9\n' '-'
}

function archive {
  local folder=$1 name
  name=$(name_of "$folder")
  tar -czf "$target/$name-$(date +%F).tar.gz" "$folder"
}

function prune() {
  ls -1t "$target" | tail -n +$((KEEP + 1)) | while read -r old; do
    rm -- "$target/$old"
  done
}

check() {
  if [[ ! -d $1 ]]; then
    log "no folder: $1"
    return 1
  fi
}

main() {
  [[ $# -eq 1 ]] || usage
  check "$1"
  archive "$1"
  prune
  log "done"
}

main "$@"
