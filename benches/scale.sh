#!/bin/sh
# What shares cost: benches/scale.sh GIGABYTES... prints a line for each size. Each share is a file of
# 1 GB that is written before it is read and removed after it, so 1 GB of disk is enough. Memory is
# the most of all shares. Without shares, the same traces come through a pipe.
set -eu
verify=${VERIFY:-target/dist/yuangs-verify}
generate=${GENERATE:-target/dist/examples/generate-trace}
limits='--max-executions 100000000 --max-open-bytes 100000000000 --max-input-bytes 1000000000000'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Numbers of executions of neighbouring files are this far apart.
apart=100000

measured() {
    name=$1
    shift
    # 1 is a verdict.
    /usr/bin/time -a -o "$folder/$name" -f '%U %S %e %M' "$@" || test $? = 1
}
sum() {
    awk '$1 == "Command" { next } { cpu += $1 + $2; s += $3; if ($4 > kb) kb = $4 }
        END { printf "%8.1f s cpu %8.1f s %6.0f MB", cpu, s, kb / 1024 }' "$folder/$1"
}
traces() {
    n=0
    while [ $n -lt "$1" ]; do
        "$generate" 1000 $((n * apart + 1))
        n=$((n + 1))
    done
}

for size in "$@"; do
    rm -f "$folder"/*
    n=0
    while [ $n -lt "$size" ]; do
        file=$folder/$(printf %06d $n)
        "$generate" 1000 $((n * apart + 1)) > "$file.jsonl"
        # shellcheck disable=SC2086 # several words
        measured shares "$verify" replay "$file.jsonl" $limits --run-name scale --partial "$file.partial" 2> "$folder/said"
        rm "$file.jsonl"
        n=$((n + 1))
    done
    measured merge "$verify" merge "$folder"/*.partial > "$folder/merged" 2>&1
    # shellcheck disable=SC2086
    traces "$size" | measured plain "$verify" replay - $limits > "$folder/report" 2>&1
    tail -n 1 "$folder/report"
    tail -n 1 "$folder/merged"
    for name in plain shares merge; do
        printf '%5s GB  %-6s %s\n' "$size" $name "$(sum $name)"
    done
    printf '%5s GB  partial results %s\n' "$size" "$(cat "$folder"/*.partial | wc -c)"
done
