#!/usr/bin/env python3
"""Measure how far `repomap tags` and universal-ctags agree on functions and classes.

usage: ctags-agreement.py BINARY [FOLDER...]

By default, it reads the samples in corpora/repomap/agreement, and the Rust and C sources of this project's dependencies,
as listed by `cargo metadata`. A definition agrees if both tools report it on the same line of the same file with the same
kind. The percentage is of all definitions that either tool finds. Files that maps leave out (generated, vendored, larger
than the limit) are counted separately, and so are Rust's unions, which universal-ctags 5.9 doesn't support.
The exit code is 1 if any language has less than 97 % of its functions or classes in common.
"""

import collections
import json
import pathlib
import re
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
# A member in ctags is a method in Python only; in other languages it is data.
METHODS = {("Python", "member")}
LANGUAGES = {
    "Rust": "rust", "C": "c", "C++": "cpp", "Python": "python", "JavaScript": "javascript", "Sh": "bash", "Go": "go", "Java": "java",
    "C#": "csharp", "PHP": "php", "Ruby": "ruby", "TypeScript": "typescript",
}
ENDS = {
    ".rs": "rust", ".c": "c", ".cpp": "cpp", ".cc": "cpp", ".py": "python", ".js": "javascript", ".sh": "bash", ".go": "go",
    ".java": "java", ".cs": "csharp", ".php": "php", ".rb": "ruby", ".ts": "typescript",
}


# Languages that are compared in the dependencies. They contain hardly any code in the others.
OF_DEPENDENCIES = {"rust", "c"}
UNION = re.compile(r"\bunion\b")
LEAST = 97

SAMPLES = str(pathlib.Path(__file__).resolve().parent.parent / "corpora/repomap/agreement")


def group(kind, table):
    return next((name for name, kinds in table.items() if kind in kinds), None)


def plain(name):
    """Remove spaces that only one of the tools writes, as in `operator ==`."""
    return name.replace(" ", "")


def dependencies():
    metadata = json.loads(subprocess.run(["cargo", "metadata", "--format-version", "1", "--locked"], check=True, capture_output=True).stdout)
    return sorted({str(pathlib.Path(p["manifest_path"]).parent) for p in metadata["packages"] if p["source"]})


def language_of(path):
    return ENDS.get(pathlib.PurePosixPath(path).suffix)


def ours(binary, folder):
    """Return our definitions, the files with tags, definitions by the different names of ctags, and the number of unions."""
    found, read, otherwise, unions = set(), set(), {}, 0
    process = subprocess.Popen([binary, "repomap", "tags", folder], stdout=subprocess.PIPE, encoding="utf-8")
    for line in process.stdout:
        tag = json.loads(line)
        read.add(tag["path"])
        kind = group(tag["kind"], OURS) if tag["tag"] == "definition" else None
        language = tag.get("language")
        if not kind or language_of(tag["path"]) != language or (tag["kind"] == "macro" and language in ("c", "cpp")):
            # Macros of the preprocessor aren't functions.
            continue
        if language == "rust" and kind == "class" and UNION.search(tag["signature"].split("{")[0].split("<")[0]):
            unions += 1
            continue
        name = plain(tag["name"])
        found.add((tag["path"], tag["line"], name, kind, language))
        around = re.search(r"(\w+) ?\( ?" + re.escape(name) + r" ?\) ?\(", tag["signature"]) if language == "c" else None
        if around:
            # For `int PREFIX(name)(void)`, ctags reports `PREFIX`.
            otherwise[tag["path"], tag["line"], around[1], kind, language] = (tag["path"], tag["line"], name, kind, language)
    process.wait()
    return found, read, otherwise, unions


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
    return files, found, types


def main():
    binary = str(pathlib.Path(sys.argv[1]).resolve())
    both, only = collections.Counter(), {"ours": collections.Counter(), "ctags": collections.Counter()}
    examples, left_out, files, unions = collections.defaultdict(list), collections.Counter(), 0, 0
    given = [(folder, set(ENDS.values())) for folder in sys.argv[2:]]
    for folder, languages in given or [(SAMPLES, set(ENDS.values())), *((d, OF_DEPENDENCIES) for d in dependencies())]:
        mine, read, otherwise, more = ours(binary, folder)
        unions += more
        names, other, types = theirs(folder)
        other = {otherwise.get(tag, tag) for tag in other}
        files += sum(language_of(name) in languages for name in names)
        for tag in mine | other:
            path, line, name, kind, language = tag
            key = (language, kind)
            if language not in languages:
                continue
            if path not in read:
                left_out[f"{folder}/{path}"] += 1
                continue
            # `typedef struct {…} name` is a structure for us and a type for ctags.
            is_type = kind == "class" and (path, line, name) in types
            if tag in mine and (tag in other or is_type):
                both[key] += 1
                continue
            side = "ours" if tag in mine else "ctags"
            only[side][key] += 1
            examples[key, side].append(f"{folder}/{path}:{line} {name}")
    keys = sorted(set(both) | set(only["ours"]) | set(only["ctags"]))
    if not keys:
        sys.exit("nothing was compared")
    share = {key: 100 * both[key] / (both[key] + only["ours"][key] + only["ctags"][key]) for key in keys}
    print(f"{files} files; {unions} unions of Rust not compared")
    for key in keys:
        a, b = only["ours"][key], only["ctags"][key]
        print(f"{key[0]:<11} {key[1]:<9} {share[key]:6.2f} %: both {both[key]}, only ours {a}, only ctags {b}")
        for side in ("ours", "ctags"):
            for example in sorted(examples[key, side])[:3]:
                print(f"    only {side}: {example}")
    agreed, whole = sum(both.values()), sum(both.values()) + sum(sum(c.values()) for c in only.values())
    print(f"all: {agreed} of {whole}  {100 * agreed / whole:.2f} %")
    print(f"left out of maps: {len(left_out)} files, in which ctags finds {sum(left_out.values())}; most of it in")
    for path, count in left_out.most_common(5):
        print(f"    {path} {count}")
    sys.exit(0 if min(share.values()) >= LEAST else 1)


main()
