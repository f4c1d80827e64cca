#!/usr/bin/env python3
"""How far `repomap tags` and universal-ctags agree on functions and classes.

usage: ctags-agreement.py BINARY [FOLDER...]

Without folders: the sources of this project's own dependencies, as `cargo metadata` names them. A definition agrees when
both name it on the same line of the same file with the same kind. The share is of all that either of them finds, in every
file of these languages, also those in which one of them finds nothing.
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
ENDS = {".rs": "rust", ".c": "c", ".cpp": "cpp", ".cc": "cpp", ".py": "python", ".js": "javascript", ".sh": "bash"}


def group(kind, table):
    return next((name for name, kinds in table.items() if kind in kinds), None)


def dependencies():
    metadata = json.loads(subprocess.run(["cargo", "metadata", "--format-version", "1", "--locked"], check=True, capture_output=True).stdout)
    return sorted({str(pathlib.Path(p["manifest_path"]).parent) for p in metadata["packages"] if p["source"]})


def language_of(path):
    return ENDS.get(pathlib.PurePosixPath(path).suffix)


def ours(binary, folder):
    out = subprocess.run([binary, "repomap", "tags", folder], capture_output=True).stdout
    found = set()
    for line in out.decode().splitlines():
        tag = json.loads(line)
        kind = group(tag["kind"], OURS) if tag["tag"] == "definition" else None
        if kind and language_of(tag["path"]) == tag["language"]:
            # The preprocessor's macros are no functions of C.
            if not (tag["kind"] == "macro" and tag["language"] in ("c", "cpp")):
                found.add((tag["path"], tag["line"], tag["name"], kind, tag["language"]))
    return found


def theirs(folder):
    top = pathlib.Path(folder)
    files = sorted(p.relative_to(top).as_posix() for p in top.rglob("*") if p.is_file() and not p.is_symlink() and p.suffix in ENDS)
    arguments = ["ctags", "--output-format=json", "--fields=+nKl", "-f", "-", "-L", "-"]
    out = subprocess.run(arguments, cwd=folder, input="\n".join(files).encode(), capture_output=True).stdout
    found = set()
    for line in out.decode(errors="replace").splitlines():
        tag = json.loads(line)
        kind, language = group(tag.get("kind"), THEIRS), LANGUAGES.get(tag.get("language"))
        if not kind or not language or language != language_of(tag["path"]) or tag["name"].startswith("__anon"):
            continue
        if not (tag["kind"] == "macro" and language in ("c", "cpp")):
            found.add((tag["path"], tag["line"], tag["name"], kind, language))
    return len(files), found


def main():
    binary = str(pathlib.Path(sys.argv[1]).resolve())
    both, only = collections.Counter(), {"ours": collections.Counter(), "ctags": collections.Counter()}
    examples, unread, files = collections.defaultdict(list), collections.Counter(), 0
    for folder in sys.argv[2:] or dependencies():
        mine = ours(binary, folder)
        count, other = theirs(folder)
        files += count
        seen = {tag[0] for tag in mine}
        for tag in mine | other:
            path, line, name, kind, language = tag
            key = (language, kind)
            if tag in mine and tag in other:
                both[key] += 1
                continue
            side = "ours" if tag in mine else "ctags"
            only[side][key] += 1
            unread[key] += path not in seen
            examples[key, side].append(f"{folder}/{path}:{line} {name}")
    keys = sorted(set(both) | set(only["ours"]) | set(only["ctags"]))
    print(f"{files} files")
    for key in keys:
        a, b = only["ours"][key], only["ctags"][key]
        share = 100 * both[key] / (both[key] + a + b)
        print(f"{key[0]:<11} {key[1]:<9} {share:6.2f} %: both {both[key]}, only ours {a}, only ctags {b} ({unread[key]} in files without a tag of ours)")
        for side in ("ours", "ctags"):
            for example in sorted(examples[key, side])[:3]:
                print(f"    only {side}: {example}")
    agreed, whole = sum(both.values()), sum(both.values()) + sum(sum(c.values()) for c in only.values())
    if not whole:
        sys.exit("nothing was compared")
    print(f"all: {agreed} of {whole}  {100 * agreed / whole:.2f} %")
    sys.exit(0 if 100 * agreed / whole >= 97 else 1)


main()
