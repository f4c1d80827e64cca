#!/bin/sh
# Build fuzz targets with the stable compiler, and run each of them for SECONDS:
#   fuzz/run.sh SECONDS TARGET...
# Inputs that break something are in fuzz/artifacts; start a target's program with one to repeat it.
set -eu
seconds=${1:?"usage: fuzz/run.sh SECONDS TARGET..."}
shift
cd "$(dirname "$0")"
# The flags of cargo-fuzz without its sanitizers, which are all that needs a nightly compiler.
flags="--cfg fuzzing -Cdebug-assertions -Cpasses=sancov-module"
for flag in sanitizer-coverage-level=4 sanitizer-coverage-inline-8bit-counters \
    sanitizer-coverage-pc-table sanitizer-coverage-trace-compares \
    simplifycfg-branch-fold-threshold=0; do flags="$flags -Cllvm-args=-$flag"; done
host=$(rustc -vV | sed -n 's/^host: //p')
for target; do set -- "$@" --bin "$target"; shift; done
RUSTFLAGS="$flags" cargo build --release --target "$host" "$@"
failed=0
for target; do
    [ "$target" != --bin ] || continue
    mkdir -p "corpus/$target" "artifacts/$target"
    case $target in # Lines that are one seed each. `H` makes a command of its own.
    command) sed 's/^{"cmd": "\(.*\)", "expect".*/H\1/; s/\\"/"/g' ../corpora/commands/*.jsonl ;;
    record_reader | json_*) find ../corpora/traces -name '*.jsonl' -exec cat {} + ;;
    scan) cat ../corpora/secrets/*.jsonl ;;
    esac | LC_ALL=C sort -u | split -a 4 -l 1 - "corpus/$target/line-"
    case $target in # Directories of files that are one seed each.
    policy_load | config) set -- ../policies ../corpora/gates ;;
    policy_vendor) set -- ../crates/agent-policy/src/vendor ;;
    repomap | manifest) set -- "../corpora/$target"* ;;
    knowledge) set -- ../corpora/retrieval ../corpora/traces/sessions ;;
    session_* | verify_bytes | trajectory | redact | scan) set -- ../corpora/traces ;;
    rfc3339) printf 2026-01-02T03:04:05.678+09:00 >"corpus/$target/time" && set -- ;;
    input_file) gzip -c ../README.md >"corpus/$target/gzip" && set -- ;;
    *) set -- ;;
    esac
    nice "target/$host/release/$target" "corpus/$target" "$@" -max_total_time="$seconds" \
        -timeout=10 -rss_limit_mb=2048 -max_len=65536 -artifact_prefix="artifacts/$target/" || failed=1
done
exit $failed
