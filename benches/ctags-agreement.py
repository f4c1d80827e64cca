#!/usr/bin/env python3
"""How far `repomap tags` and universal-ctags agree on functions and classes.

usage: ctags-agreement.py BINARY [FOLDER...]

Without folders: the sources of this project's own dependencies, as `cargo metadata` names them. A definition agrees when
both name it on the same line of the same file. Whatever either leaves out as a whole file isn't compared.
"""

import collections
import json
import pathlib
import subprocess
import sys

OURS = {
    "function": {"function", "method", "macro"},
    "class": {"class", "struct", "enum", "interface"},
}
THEIRS = {
    "function": {"function", "method", "macro", "func", "singletonMethod"},
    "class": {"class", "struct", "enum", "interface", "trait", "union"},
}
LANGUAGES = {"Rust": "rust", "C": "c", "C++": "cpp", "Python": "python", "JavaScript": "javascript", "Sh": "bash"}


def group(kind, table):
    return next((name for name, kinds in table.items() if kind in kinds), None)


def dependencies():
    metadata = json.loads(subprocess.run(["cargo", "metadata", "--format-version", "1", "--locked"], check=True, capture_output=True).stdout)
    return sorted({str(pathlib.Path(p["manifest_path"]).parent) for p in metadata["packages"] if p["source"]})


def ours(binary, folder):
    out = subprocess.run([binary, "repomap", "tags", folder], capture_output=True).stdout
    files, found = set(), set()
    for line in out.decode().splitlines():
        tag = json.loads(line)
        if tag["tag"] != "definition":
            continue
        files.add((tag["path"], tag["language"]))
        kind = group(tag["kind"], OURS)
        if kind:
            found.add((tag["path"], tag["line"], tag["name"], kind, tag["language"]))
    return files, found


def theirs(folder, files):
    paths = sorted(path for path, _ in files)
    arguments = ["ctags", "--output-format=json", "--fields=+nKl", "--fields-C=-{macrodef}", "-f", "-", "-L", "-"]
    out = subprocess.run(arguments, cwd=folder, input="\n".join(paths).encode(), capture_output=True).stdout
    found = set()
    for line in out.decode(errors="replace").splitlines():
        tag = json.loads(line)
        kind = group(tag.get("kind"), THEIRS)
        language = LANGUAGES.get(tag.get("language"))
        if not kind or not language or tag["name"].startswith("__anon"):
            continue
        # A constant that the preprocessor replaces is no function, though ctags calls both `macro`.
        if tag["kind"] == "macro" and language in ("c", "cpp"):
            continue
        found.add((tag["path"], tag["line"], tag["name"], kind, language))
    return found


def main():
    binary = str(pathlib.Path(sys.argv[1]).resolve())
    both, missing, counts, files_seen = collections.Counter(), collections.Counter(), collections.Counter(), 0
    examples = collections.defaultdict(list)
    for folder in sys.argv[2:] or dependencies():
        files, mine = ours(binary, folder)
        files_seen += len(files)
        languages = dict(files)
        for tag in theirs(folder, files):
            path, line, name, kind, language = tag
            if languages.get(path) != language:
                continue
            counts[language, kind] += 1
            if tag in mine:
                both[language, kind] += 1
            else:
                missing[language, kind] += 1
                examples[language, kind].append(f"{folder}/{path}:{line} {name}")
    print(f"{files_seen} files")
    for key in sorted(counts):
        print(f"{key[0]:<12} {key[1]:<9} {both[key]:>7} of {counts[key]:>7}  {100 * both[key] / counts[key]:.2f} %")
        for example in examples[key][:5]:
            print(f"    only ctags: {example}")
    whole = sum(counts.values())
    if not whole:
        sys.exit("nothing was compared")
    share = 100 * sum(both.values()) / whole
    print(f"all: {sum(both.values())} of {whole}  {share:.2f} %")
    sys.exit(0 if share >= 97 else 1)


main()
