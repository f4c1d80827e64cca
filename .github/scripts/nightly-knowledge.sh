#!/usr/bin/env bash
# Brings an index of knowledge up to date and says in the summary what had drifted since the last
# night. Reads TOOL, CONFIG, STORE (the directory of the index), FAIL_ON and GITHUB_STEP_SUMMARY.
# Findings about the sources, as a broken line, stop nothing; they decide the exit code at the end.
# Tested by tests/it/action.rs.
set -euo pipefail
summary=${GITHUB_STEP_SUMMARY:-/dev/null}
if [ -f "$STORE/index.db" ]; then
  echo "# Drift since the last index" >>"$summary"
  # What it reports is expected. An index that can't be read fails below, where it is written.
  "$TOOL" knowledge reindex --config "$CONFIG" --check --fail-on never --format markdown >>"$summary" ||
    echo "The drift could not be determined." >>"$summary"
else
  echo "There is no index of an earlier night: everything is new." >>"$summary"
fi
echo "# The new index" >>"$summary"
code=0
"$TOOL" knowledge reindex --config "$CONFIG" --fail-on "${FAIL_ON:-never}" --format markdown \
  >>"$summary" || code=$?
# Only a run that wrote the index is worth checking.
if [ "$code" -lt 2 ]; then
  "$TOOL" knowledge reindex --config "$CONFIG" --check || code=2
fi
[ "$code" = 0 ] || echo "::error title=yuangs-verify::knowledge reindex ended with exit code $code"
exit "$code"
