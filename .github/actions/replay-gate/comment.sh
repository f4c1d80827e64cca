#!/usr/bin/env bash
# Writes the comment of the gate on a pull request, or replaces the one that is there. Reads COMMENT
# (the file), PULL_REQUEST (its number), GH_TOKEN and GITHUB_REPOSITORY. A token that may not comment,
# as that of a pull request from a fork, is a warning: the gate has said what it found.
set -euo pipefail
marker='<!-- yuangs-verify -->'
[[ ${PULL_REQUEST:-} =~ ^[0-9]+$ ]] || {
  echo "There is no pull request to comment on."
  exit 0
}
comment() {
  local own
  # Somebody else could write the marker: only a comment of a bot is replaced.
  own=$(gh api --paginate "repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments?per_page=100" --jq \
    ".[] | select(.user.type == \"Bot\" and (.body | startswith(\"$marker\"))) | .id") || return 1
  own=${own%%$'\n'*}
  if [ -n "$own" ]; then
    gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$own" \
      --field "body=@$COMMENT" && echo "Replaced the comment $own."
  else
    gh api --silent --method POST "repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments" \
      --field "body=@$COMMENT" && echo "Wrote a comment."
  fi
}
comment || echo "::warning title=yuangs-verify::can't comment on the pull request: the job needs \
\`pull-requests: write\`, which a pull request from a fork never has"
