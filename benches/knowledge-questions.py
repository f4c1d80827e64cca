#!/usr/bin/env python3
"""Measures answers about this repository: benches/knowledge-questions.py BINARY

Indexes the documents, the code and the traces of HEAD in a temporary directory, and asks the
questions of corpora/retrieval/repository.jsonl. A question is answered by a source that begins
with one of its paths; one without paths has no answer. Needs git and Python 3.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

CONFIG = """[knowledge]
documents = [
    'README.md', 'README.zh-CN.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'SECURITY.md', 'CONTRIBUTING.md', 'docs', 'crates'
]
traces = ['corpora/traces/demo', 'corpora/traces/legal', 'corpora/traces/sessions', 'src/rules']
repomap = ['src', 'crates']
"""


def ask(binary, root, question):
    command = [binary, "knowledge", "search", "--query", question, "--format", "json", "--limit", "5"]
    run = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    answer = json.loads(run.stdout)
    if answer.get("answered") is False or run.returncode == 3:
        return None
    return [item["file"] for item in answer["items"]]


def main():
    binary = str(pathlib.Path(sys.argv[1]).resolve())
    here = pathlib.Path(__file__).resolve().parent.parent
    questions = (here / "corpora/retrieval/repository.jsonl").read_text(encoding="utf-8")
    questions = [json.loads(line) for line in questions.splitlines()]
    with tempfile.TemporaryDirectory() as root:
        archive = subprocess.run(["git", "archive", "HEAD"], cwd=here, capture_output=True, check=True)
        subprocess.run(["tar", "-x", "-C", root], input=archive.stdout, check=True)
        (pathlib.Path(root) / "yuangs-verify.toml").write_text(CONFIG, encoding="utf-8")
        indexed = subprocess.run([binary, "knowledge", "reindex", "--fail-on", "never"], cwd=root,
                                 capture_output=True, text=True, check=True)
        print(next(line for line in indexed.stdout.splitlines() if line.startswith("observations")))
        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(lambda q: ask(binary, root, q["question"]), questions))
    for name in ("fit", "held-out"):
        ranks, answered, refused, empty = [], 0, 0, 0
        for question, found in zip(questions, answers):
            if question["set"] != name:
                continue
            if not question["paths"]:
                empty += 1
                answered += found is not None
                continue
            refused += found is None
            right = [n for n, file in enumerate(found or [], 1)
                     if any(file.startswith(path) for path in question["paths"])]
            ranks.append(right[0] if right else 0)
            if "--misses" in sys.argv and ranks[-1] != 1:
                print(ranks[-1], question["question"], found)
        print(f"{name}: of {len(ranks)}, {ranks.count(1)} first, {sum(r > 0 for r in ranks)} among five, "
              f"MRR {sum(1 / r for r in ranks if r) / len(ranks):.2f}, {refused} refused; "
              f"of {empty} unanswerable, {answered} answered")


main()
