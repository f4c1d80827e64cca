#!/usr/bin/env bash
# Plays a stranger who has a Linux machine, a release archive and a repository with sessions of
# Claude Code: installs the program, audits, sets the gate up, and opens a harmless and a dangerous
# change. Each step is one that README.md, docs/install.md or the configuration that `init` writes
# names.
#
#   packaging/first-ten-minutes.sh ARCHIVE
#
# Ends with 0 only if the harmless change is green and the dangerous one red, for the reason that it
# was made for. Needs git and tar, and no network.
set -euo pipefail
[ $# = 1 ] || {
  echo "usage: packaging/first-ten-minutes.sh ARCHIVE" >&2
  exit 2
}
archive=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work/home LC_ALL=C TZ=UTC GIT_CONFIG_NOSYSTEM=1
unset XDG_CONFIG_HOME XDG_DATA_HOME CLAUDE_CONFIG_DIR GIT_DIR GIT_WORK_TREE
mkdir -p "$HOME"

step() { printf '\n== %s\n' "$1"; }

# Runs a command, shows what it says, and keeps it in $said; the exit code must be the expected one.
expect() {
  local code=$1 found=0
  shift
  printf '$ %s\n' "$*"
  said=$("$@" 2>&1) || found=$?
  printf '%s\n' "$said"
  [ "$found" = "$code" ] || {
    echo "error: \`$*\` ends with $found instead of $code" >&2
    exit 1
  }
}

# What was said must hold these words.
says() {
  local words
  for words in "$@"; do
    grep -qF -- "$words" <<<"$said" || {
      echo "error: nothing says \`$words\`" >&2
      exit 1
    }
  done
}

# What was said must not hold these words.
omits() {
  ! grep -qF -- "$1" <<<"$said" || {
    echo "error: \`$1\` is said" >&2
    exit 1
  }
}

# Writes a session of Claude Code of just now: one shell command, and what it printed.
session() {
  local id=$1 command=$2 now
  now=$(date -u +%Y-%m-%dT%H:%M:%S.000Z)
  local head="\"isSidechain\":false,\"cwd\":\"$repository\",\"sessionId\":\"$id\",\"version\":\"2.1.9\",\"timestamp\":\"$now\""
  cat <<EOF
{"parentUuid":null,$head,"type":"user","uuid":"$id-1","message":{"role":"user","content":"Set the machine up."}}
{"parentUuid":"$id-1",$head,"type":"assistant","uuid":"$id-2","message":{"id":"m-$id","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"$id-call","name":"Bash","input":{"command":"$command"}}]}}
{"parentUuid":"$id-2",$head,"type":"user","uuid":"$id-3","message":{"role":"user","content":[{"tool_use_id":"$id-call","type":"tool_result","content":"","is_error":false}]},"toolUseResult":{"stdout":"","stderr":"","interrupted":false,"isImage":false}}
EOF
}

step "Install from the archive (docs/install.md)"
cd "$work"
tar -xzf "$archive"
install -D "$(basename "$archive" .tar.gz)/yuangs-verify" ~/.local/bin/yuangs-verify
export PATH=$HOME/.local/bin:$PATH
expect 0 yuangs-verify --version

step "A repository in which Claude Code worked"
repository=$work/shop
sessions=$HOME/.claude/projects/${repository//[^a-zA-Z0-9]/-}
mkdir -p "$repository" "$sessions"
cd "$repository"
git init --quiet --initial-branch=main
git config user.name Stranger
git config user.email stranger@shop.example
echo "# Shop" >README.md
git add README.md
git commit --quiet --message "Begin"
session harmless "ls src" >"$sessions/harmless.jsonl"

step "Audit the sessions"
expect 0 yuangs-verify audit
says "1 session (claude-code 1), 1 call" "By risk: 1 low"
expect 0 yuangs-verify audit --policy default

step "Set the gate up, on the main branch"
mkdir traces
cp "$sessions/harmless.jsonl" traces/
expect 0 yuangs-verify init --github
says "wrote ./yuangs-verify.toml" "wrote ./.github/workflows/replay-gate.yml"
expect 0 yuangs-verify gate
git add --all
git commit --quiet --message "Add the gate"

step "A harmless change is green"
git switch --quiet --create harmless
session harmless-too "git status" >"$sessions/harmless-too.jsonl"
cp "$sessions/harmless-too.jsonl" traces/
git add --all
git commit --quiet --message "Work"
expect 0 yuangs-verify gate --config-from main
says "2 executions" "0 errors"

step "A dangerous change is red"
git switch --quiet --create dangerous main
# shellcheck disable=SC2088 # the agent's shell expands it
session dangerous "echo ssh-ed25519 AAAA >> ~/.ssh/authorized_keys" >"$sessions/dangerous.jsonl"
cp "$sessions/dangerous.jsonl" traces/
# Its own rules don't help it.
sed -i 's/^fail-on = .*/fail-on = "never"/' yuangs-verify.toml
git add --all
git commit --quiet --message "Work"
expect 1 yuangs-verify gate --config-from main --report html=audit.html
says "FAIL dangerous" "error[YV703]" "authorized_keys" "1 error"
omits "FAIL harmless"
grep -q "YV703" audit.html

step "The audit shows it too"
expect 1 yuangs-verify audit
says "Outside of the work tree: 1" "YV703"

step "Done: green for the harmless change, red for the dangerous one"
