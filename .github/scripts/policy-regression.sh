#!/usr/bin/env bash
# Checks a policy and what a change makes of it: runs its cases, searches for actions that break its
# properties, proves the properties that it states itself, and compares it with the policy of the
# base. Reads TOOL, POLICY (a path from here), BASE (a revision, empty for none), FIRST_RUN, STRICT
# and GITHUB_STEP_SUMMARY. Ends with the worst exit code of the four. Tested by tests/it/action.rs.
set -euo pipefail
worst=0
output=$(mktemp)
trap 'rm -f "$output"' EXIT

# Shows a part in the log and in the summary; there as code, in which nothing is a link or a mention.
# With DOUBT=passes a part that proves nothing (exit code 3) fails nothing.
part() {
  local title=$1 code=0 level=error sign="❌ exit code"
  shift
  "$@" >"$output" 2>&1 || code=$?
  if [ "$code" = 3 ] && [ "${DOUBT:-fails}" = passes ]; then
    level=notice sign="⚠️ exit code"
  elif [ "$code" -gt "$worst" ]; then
    worst=$code
  fi
  cat "$output"
  {
    echo "## $title: $([ "$code" = 0 ] && echo ✅ || echo "$sign $code")"
    echo
    head -c 100000 "$output" | sed 's/^/    /'
    echo
  } >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
  [ "$code" = 0 ] || echo "::$level title=yuangs-verify::$title ended with exit code $code"
}

strict=()
[ "${STRICT:-false}" != true ] || strict=(--strict)
part "Cases of the policy" "$TOOL" policy test ${strict[@]+"${strict[@]}"} -- "$POLICY"
part "Properties of the policy" "$TOOL" policy fuzz -- "$POLICY"
# What is inconclusive was searched for above, and the comparison says what the change allows. The
# other properties aren't promises of every policy.
DOUBT=passes part "Proofs of the policy's own properties" "$TOOL" policy prove --own -- "$POLICY"
if [ -z "${BASE:-}" ]; then
  echo "There is no base to compare with."
elif [ "${FIRST_RUN:-false}" = true ] && git rev-parse --quiet --verify "$BASE^{commit}" >/dev/null &&
  ! git cat-file -e "$BASE:./$POLICY" 2>/dev/null; then
  echo "::notice title=yuangs-verify::the base has no such policy: nothing to compare with"
else
  path=$(git rev-parse --show-prefix)$POLICY
  part "Compared with the base" "$TOOL" policy compare -- "$BASE:${path#./}" "$POLICY"
fi
exit "$worst"
