#!/usr/bin/env bash
# Runs the gate. Everything comes in as variables: CONFIG, CONFIG_FROM, FIRST_RUN, BASE (the base
# commit of a pull request, empty elsewhere), TOOL, FAIL_ON, BASELINE, REPORT_LANG, ANNOTATIONS,
# SUMMARY, and the runner's own. Tested by tests/it/action.rs.
set -euo pipefail
folder=$(mktemp -d "${RUNNER_TEMP:-/tmp}/replay-gate.XXXXXX")
arguments=(--now "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
  --report "json=$folder/report.json" --report "sarif=$folder/report.sarif" --report "html=$folder/audit.html"
  --report "markdown=$folder/summary.md" --report "markdown-comment=$folder/comment.md")

# A change isn't checked by its own rules: those of a pull request come from its base.
config=${CONFIG:-yuangs-verify.toml}
config=${config#"$PWD/"}
config=${config#"${GITHUB_WORKSPACE:-$PWD}/"}
from=${CONFIG_FROM:-${BASE:-}}
case $config in /*) from=work-tree ;; esac # The caller has put it where the change can't write.
if [ -n "$from" ] && [ "$from" != work-tree ]; then
  # The checkout may not have the base. Where it can't be fetched, the gate says what to do.
  if [ "$from" = "${BASE:-}" ] && [[ $from =~ ^[0-9a-f]{40,64}$ ]] && ! git cat-file -e "$from^{commit}" 2>/dev/null; then
    depth=()
    [ "$(git rev-parse --is-shallow-repository)" != true ] || depth=(--depth=1)
    git fetch --quiet --no-tags ${depth[@]+"${depth[@]}"} origin "$from" || true
  fi
  arguments+=("--config-from=$from:$config")
  [ "${FIRST_RUN:-false}" != true ] || arguments+=(--first-run)
else
  arguments+=("--config=$config")
fi
[ -z "${FAIL_ON:-}" ] || arguments+=(--fail-on "$FAIL_ON")
[ -z "${BASELINE:-}" ] || arguments+=(--baseline "$BASELINE")
[ -z "${REPORT_LANG:-}" ] || arguments+=(--lang "$REPORT_LANG")
format=text
[ "${ANNOTATIONS:-true}" != true ] || format=github

code=0
# Neither format lets a word of a trace become a workflow command.
"$TOOL" gate "${arguments[@]}" --format "$format" 2>"$folder/errors.txt" || code=$?
cat "$folder/errors.txt" >&2

# What could not be verified has no findings to annotate, and without a report nothing to summarise.
if [ "$code" -ge 2 ]; then
  reason=$(head -c 1000 "$folder/errors.txt")
  if [ "${ANNOTATIONS:-true}" = true ]; then
    data=${reason:-the gate ended with exit code $code}
    data=${data//'%'/%25} data=${data//$'\r'/%0D} data=${data//$'\n'/%0A}
    echo "::error title=yuangs-verify::$data"
  fi
  # A comment of an earlier run must not go on to say that all is well.
  if [ ! -f "$folder/summary.md" ]; then
    {
      echo "## ⚠️ yuangs-verify could not verify (exit code $code)"
      echo
      # As code, in which nothing is a link, a mention or HTML.
      printf '%s\n' "$reason" | sed 's/^/    /'
    } >"$folder/summary.md"
    { echo '<!-- yuangs-verify -->' && echo && cat "$folder/summary.md"; } >"$folder/comment.md"
  fi
fi

if [ "${SUMMARY:-true}" = true ] && [ -f "$folder/summary.md" ]; then
  cat "$folder/summary.md" >>"$GITHUB_STEP_SUMMARY"
fi
# Counts are digits from our own summary, which stands before anything that a trace says.
count() { sed -n "/\"bySeverity\"/,/}/s/.*\"$1\": \([0-9][0-9]*\).*/\1/p" "$folder/report.json" 2>/dev/null | head -n 1; }
{
  echo "exit-code=$code"
  echo "errors=$(count error)"
  echo "warnings=$(count warning)"
  for name in json:report.json sarif:report.sarif html:audit.html comment:comment.md; do
    [ ! -f "$folder/${name#*:}" ] || echo "${name%%:*}=$folder/${name#*:}"
  done
} >>"$GITHUB_OUTPUT"
exit "$code"
