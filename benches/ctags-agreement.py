#!/usr/bin/env python3
"""How far `repomap tags` and universal-ctags agree on functions and classes.

usage: ctags-agreement.py BINARY [FOLDER...]

Without folders: the samples in corpora/repomap/agreement, and the sources of this project's own dependencies, as `cargo
metadata` names them. A definition agrees when
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
    "function": {"function", "method", "macro", "func", "singletonMethod", "generator", "getter", "setter", "methodSpec"},
    "class": {"class", "struct", "enum", "interface", "trait", "union"},
}
# What ctags calls a member is a method in Python alone; elsewhere it is data.
METHODS = {("Python", "member")}
LANGUAGES = {
    "Rust": "rust", "C": "c", "C++": "cpp", "Python": "python", "JavaScript": "javascript", "Sh": "bash", "Go": "go", "Java": "java",
    "C#": "csharp", "PHP": "php", "Ruby": "ruby", "TypeScript": "typescript",
}
ENDS = {
    ".rs": "rust", ".c": "c", ".cpp": "cpp", ".cc": "cpp", ".py": "python", ".js": "javascript", ".sh": "bash", ".go": "go",
    ".java": "java", ".cs": "csharp", ".php": "php", ".rb": "ruby", ".ts": "typescript",
}


SAMPLES = str(pathlib.Path(__file__).resolve().parent.parent / "corpora/repomap/agreement")


def group(kind, table):
    return next((name for name, kinds in table.items() if kind in kinds), None)


def plain(name):
    """A name without the blanks that only one of the two writes: `operator ==`."""
    return name.replace(" ", "")


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
                found.add((tag["path"], tag["line"], plain(tag["name"]), kind, tag["language"]))
    return found


def theirs(folder):
    top = pathlib.Path(folder)
    files = sorted(p.relative_to(top).as_posix() for p in top.rglob("*") if p.is_file() and not p.is_symlink() and p.suffix in ENDS)
    arguments = ["ctags", "--output-format=json", "--fields=+nKl", "-f", "-", "-L", "-"]
    out = subprocess.run(arguments, cwd=folder, input="\n".join(files).encode(), capture_output=True).stdout
    found, types = set(), set()
    for line in out.decode(errors="replace").splitlines():
        tag = json.loads(line)
        if tag.get("kind") == "typedef":
            types.add((tag["path"], tag["line"], plain(tag["name"])))
        kind, language = group(tag.get("kind"), THEIRS), LANGUAGES.get(tag.get("language"))
        if (tag.get("language"), tag.get("kind")) in METHODS:
            kind = "function"
        if not kind or not language or language != language_of(tag["path"]) or tag["name"].startswith(("__anon", "AnonymousFunction")):
            continue
        if not (tag["kind"] == "macro" and language in ("c", "cpp")):
            found.add((tag["path"], tag["line"], plain(tag["name"]), kind, language))
    return len(files), found, types


def main():
    binary = str(pathlib.Path(sys.argv[1]).resolve())
    both, only = collections.Counter(), {"ours": collections.Counter(), "ctags": collections.Counter()}
    examples, unread, files = collections.defaultdict(list), collections.Counter(), 0
    for folder in sys.argv[2:] or [SAMPLES, *dependencies()]:
        mine = ours(binary, folder)
        count, other, types = theirs(folder)
        files += count
        seen = {tag[0] for tag in mine}
        for tag in mine | other:
            path, line, name, kind, language = tag
            key = (language, kind)
            # `typedef struct {…} name` is a structure here, and a type to ctags.
            is_type = kind == "class" and (path, line, name) in types
            if tag in mine and (tag in other or is_type):
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
