#!/usr/bin/env bash
# Tests the Spark integration on a local Spark. $YUANGS_VERIFY names the binary; the packages come
# from PyPI and are kept in the target directory.
set -euo pipefail
here=$(realpath "$(dirname "$0")")
target=$(realpath --canonicalize-missing "${CARGO_TARGET_DIR:-$here/../../target}")
YUANGS_VERIFY=$(realpath --canonicalize-missing "${YUANGS_VERIFY:-$target/debug/yuangs-verify}")
export YUANGS_VERIFY
[[ -x $YUANGS_VERIFY ]] || { echo "error: no binary \`$YUANGS_VERIFY\`: set YUANGS_VERIFY" >&2; exit 2; }
cd "$here"

skip() {
  echo "SKIPPED: integrations/spark: $1" >&2
  exit 0
}
has_java() {
  local version
  version=$("${JAVA_HOME:+$JAVA_HOME/bin/}java" -version 2>&1 | sed -n 's/^[^"]*version "\([0-9]*\).*/\1/p')
  [[ ${version:-0} -ge 17 ]]
}
if ! has_java && [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
  { apt-get update && apt-get install --yes --no-install-recommends openjdk-17-jre-headless; } >&2 || true
fi
has_java || skip "no Java"
python3 -c 'import venv, ensurepip, sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
  skip "no Python 3.10 with venv"

venv=$target/spark-venv
if [[ ! -e $venv/pyproject.toml ]] || ! cmp --silent pyproject.toml "$venv/pyproject.toml"; then
  python3 -m venv --clear "$venv"
  # Only what the package depends on: it runs from this directory.
  "$venv/bin/python" - <<'PYTHON' >"$venv/requirements"
import re

text = open("pyproject.toml").read()
for name in ("dependencies", "test"):
    print(*re.findall(r'"([^"]+)"', re.search(rf"^{name} = \[(.*)\]$", text, re.M)[1]), sep="\n")
PYTHON
  "$venv/bin/pip" install --quiet --requirement "$venv/requirements" ||
    skip "the packages can't be installed"
  cp pyproject.toml "$venv"
fi
export PYSPARK_PYTHON="$venv/bin/python" PYTHONPATH="$PWD" PYTHONDONTWRITEBYTECODE=1
export SPARK_LOCAL_IP=127.0.0.1
"$venv/bin/mypy" --cache-dir "$venv/mypy" yuangs_verify_spark
"$venv/bin/python" -m pytest --quiet -p no:cacheprovider tests
