#!/usr/bin/env python3
"""Measure how far `repomap tags` and universal-ctags agree on functions and classes.

usage: ctags-agreement.py [--all] BINARY [FOLDER...]

By default, it reads the samples in corpora/repomap/agreement, and the Rust and C sources of this project's dependencies,
as listed by `cargo metadata`. It prints two measures for files that both tools read:

- agreement, by language: a definition agrees if both tools report it on the same line of the same file with the same
  kind. The percentage is of all definitions that either tool finds. The default sources need 97 %.
- recall, by folder and by the kind of ctags: the share of what ctags finds that `repomap tags` finds too. Tags that
  benches/ctags-faults.toml lists as faults of ctags are counted separately. Classes need 99 %, functions 98 %.

`--all` lists every definition that only ctags finds. Files that maps leave out (generated, vendored, larger than the
limit) are counted separately, and so are Rust's unions, which universal-ctags 5.9 doesn't support. The exit code is 1 if
the recall is too low or, without folders, the agreement of a language is. Rust's types are an exception: universal-ctags
doesn't find those that macros define.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys
import tomllib

OURS = {
    "function": {"function", "method", "macro"},
    "class": {"class", "struct", "enum", "interface"},
}
THEIRS = {
    "function": {"function", "method", "macro", "func", "singletonMethod", "generator", "getter", "setter", "methodSpec", "procedure", "rpc", "guard"},
    "class": {"class", "struct", "enum", "interface", "trait", "union", "message", "service", "table", "view"},
}
# A member in ctags is a method in Python only; in other languages it is data.
METHODS = {("Python", "member")}
# Macros of the preprocessor aren't functions.
PREPROCESSED = {"c", "cpp"}
LANGUAGES = {
    "Rust": "rust", "C": "c", "C++": "cpp", "Python": "python", "JavaScript": "javascript", "Sh": "bash", "Go": "go", "Java": "java",
    "C#": "csharp", "PHP": "php", "Ruby": "ruby", "TypeScript": "typescript", "Elixir": "elixir", "Kotlin": "kotlin", "Lua": "lua",
    "PowerShell": "powershell", "Protobuf": "protobuf", "R": "r", "SQL": "sql",
}
ENDS = {
    ".rs": "rust", ".c": "c", ".h": "c", ".cpp": "cpp", ".cc": "cpp", ".hpp": "cpp", ".py": "python", ".js": "javascript",
    ".mjs": "javascript", ".cjs": "javascript", ".sh": "bash", ".go": "go", ".java": "java", ".cs": "csharp", ".php": "php", ".rb": "ruby",
    ".ts": "typescript", ".ex": "elixir", ".exs": "elixir", ".kt": "kotlin", ".lua": "lua", ".ps1": "powershell", ".psm1": "powershell", ".proto": "protobuf",
    ".r": "r", ".R": "r", ".sql": "sql",
}
# A header is C for one tool and C++ for the other. What both can read is compared.
FAMILIES = {"c": "c", "cpp": "c", "typescript": "ecmascript", "tsx": "ecmascript", "javascript": "ecmascript"}

# Languages that are compared in the dependencies. They contain hardly any code in the others.
OF_DEPENDENCIES = {"rust", "c"}
UNION = re.compile(r"\bunion\b")
LEAST = 97
# universal-ctags 5.9 doesn't look into macros, which define thousands of Rust's types.
IN_MACROS = {("rust", "class")}
LEAST_RECALL = {"class": 99, "function": 98}

TOP = pathlib.Path(__file__).resolve().parent
SAMPLES = str(TOP.parent / "corpora/repomap/agreement")


def group(kind, table):
    return next((name for name, kinds in table.items() if kind in kinds), None)


def plain(name):
    """Remove spaces that only one of the tools writes, as in `operator ==`."""
    return name.replace(" ", "")


def family(language):
    return FAMILIES.get(language, language)


def dependencies():
    metadata = json.loads(subprocess.run(["cargo", "metadata", "--format-version", "1", "--locked"], check=True, capture_output=True).stdout)
    return sorted({str(pathlib.Path(p["manifest_path"]).parent) for p in metadata["packages"] if p["source"]})


def ours(binary, folder):
    """Return our definitions, the language of each file with tags, definitions by the different names of ctags, and the
    number of unions."""
    found, languages, otherwise, unions = set(), {}, {}, 0
    process = subprocess.Popen([binary, "repomap", "tags", folder], stdout=subprocess.PIPE, encoding="utf-8")
    for line in process.stdout:
        tag = json.loads(line)
        path = tag["path"]
        languages.setdefault(path, ENDS.get(pathlib.PurePosixPath(path).suffix))
        if tag["tag"] != "definition":
            continue
        language = languages[path] = tag["language"]
        kind = group(tag["kind"], OURS)
        if not kind or (tag["kind"] == "macro" and language in PREPROCESSED):
            continue
        if language == "rust" and kind == "class" and UNION.search(tag["signature"].split("{")[0].split("<")[0]):
            unions += 1
            continue
        name = plain(tag["name"])
        found.add((path, tag["line"], name, kind))
        around = re.search(r"(\w+) ?\( ?" + re.escape(name) + r" ?\)( ?\(|$)", tag["signature"]) if language in PREPROCESSED else None
        if around:
            # For `int PREFIX(name)(void)` and `TEST(name) {`, ctags reports the name of the macro.
            otherwise[path, tag["line"], around[1], kind] = (path, tag["line"], name, kind)
    process.wait()
    return found, languages, otherwise, unions


def theirs(folder):
    """Return the files that are compared, the definitions of ctags with its kind of each, and its `typedef`s."""
    top = pathlib.Path(folder)
    files = sorted(p.relative_to(top).as_posix() for p in top.rglob("*") if p.is_file() and not p.is_symlink() and p.suffix in ENDS)
    arguments = ["ctags", "--output-format=json", "--fields=+nKl", "-f", "-", "-L", "-"]
    out = subprocess.run(arguments, cwd=folder, input="\n".join(files).encode(), capture_output=True).stdout
    found, types = {}, set()
    for line in out.decode(errors="replace").splitlines():
        tag = json.loads(line)
        path, name = tag["path"], plain(tag["name"])
        if tag.get("kind") == "typedef":
            types.add((path, tag["line"], name))
        kind, language = group(tag.get("kind"), THEIRS), LANGUAGES.get(tag.get("language"))
        if (tag.get("language"), tag.get("kind")) in METHODS:
            kind = "function"
        if not kind or not language or family(language) != family(ENDS[pathlib.PurePosixPath(path).suffix]):
            continue
        if language == "lua":
            # `Stock:add`
            name = re.split("[.:]", name)[-1]
        if name.startswith(("__anon", "AnonymousFunction", "<lambda>")) or (tag["kind"] == "macro" and language in PREPROCESSED):
            continue
        found[path, tag["line"], name, kind] = "method" if (tag["language"], tag["kind"]) in METHODS else tag["kind"]
    return files, found, types


class Faults:
    """Tags of ctags that are wrong, by rules that benches/ctags-faults.toml gives reasons for."""

    def __init__(self):
        self.rules = tomllib.loads((TOP / "ctags-faults.toml").read_text(encoding="utf-8"))["fault"]
        self.texts = {}

    def lines(self, path):
        if path not in self.texts:
            self.texts = {path: path.read_text(encoding="utf-8", errors="replace").split("\n")}
        return self.texts[path]

    def reason(self, folder, tag, kind, language):
        path, line, name, _ = tag
        lines = self.lines(pathlib.Path(folder, path))
        text = lines[line - 1] if line <= len(lines) else ""
        before = "\n".join(lines[max(0, line - 6):line - 1])
        values = {"path": path, "kind": kind, "name": name, "line": text, "before": before}
        for rule in self.rules:
            patterns = ((value, rule.get(key)) for key, value in values.items())
            if language in rule["languages"] and all(re.search(pattern.replace("NAME", re.escape(name)), value) for value, pattern in patterns if pattern):
                return rule["reason"]
        return None


def label_of(folder):
    parts = pathlib.Path(folder).resolve().parts
    return "/".join(parts[-2:] if parts[-1] in ("src", "lib") else parts[-1:])


def main():
    arguments = [a for a in sys.argv[1:] if a != "--all"]
    is_all = len(arguments) < len(sys.argv) - 1
    if not arguments:
        sys.exit(__doc__)
    binary, folders = str(pathlib.Path(arguments[0]).resolve()), arguments[1:]
    both, only = collections.Counter(), {"ours": collections.Counter(), "ctags": collections.Counter()}
    examples, left_out, files, unions = collections.defaultdict(list), collections.Counter(), 0, 0
    found_by, missed_by, too_low = collections.defaultdict(collections.Counter), collections.defaultdict(list), []
    faults, faults_by = Faults(), collections.defaultdict(collections.Counter)
    every = set(ENDS.values())
    given = [(folder, every) for folder in folders] or [(SAMPLES, every), *((d, OF_DEPENDENCIES) for d in dependencies())]
    for folder, languages in given:
        label = label_of(folder) if folders else "samples" if folder == SAMPLES else "dependencies"
        mine, language_by_path, otherwise, more = ours(binary, folder)
        unions += more
        names, other, types = theirs(folder)
        other = {otherwise.get(tag, tag): kind for tag, kind in other.items()}
        files += sum(ENDS[pathlib.PurePosixPath(name).suffix] in languages for name in names)
        compared = set(names)
        for tag in mine | set(other):
            path, line, name, kind = tag
            language = language_by_path.get(path, ENDS.get(pathlib.PurePosixPath(path).suffix))
            key = (language, kind)
            if language not in languages or path not in compared:
                continue
            if path not in language_by_path:
                left_out[f"{folder}/{path}"] += 1
                continue
            # `typedef struct {…} name` is a structure for us and a type for ctags.
            is_type = kind == "class" and (path, line, name) in types
            is_both = tag in mine and (tag in other or is_type)
            if tag in other:
                reason = None if is_both else faults.reason(folder, tag, other[tag], language)
                if is_both:
                    found_by[label, kind][other[tag]] += 1
                elif reason:
                    faults_by[label][reason] += 1
                else:
                    missed_by[label, kind, other[tag]].append(f"{folder}/{path}:{line} {name}")
            if is_both:
                both[key] += 1
                continue
            side = "ours" if tag in mine else "ctags"
            only[side][key] += 1
            examples[key, side].append(f"{folder}/{path}:{line} {name}")
    keys = sorted(set(both) | set(only["ours"]) | set(only["ctags"]))
    if not keys:
        sys.exit("nothing was compared")
    print(f"{files} files; {unions} unions of Rust not compared\n\nagreement")
    for key in keys:
        a, b = only["ours"][key], only["ctags"][key]
        share = 100 * both[key] / (both[key] + a + b)
        if not folders and share < LEAST and key not in IN_MACROS:
            too_low.append(key)
        print(f"{key[0]:<11} {key[1]:<9} {share:6.2f} %: both {both[key]}, only ours {a}, only ctags {b}")
        for side in () if folders else ("ours", "ctags"):
            for example in sorted(examples[key, side])[:3]:
                print(f"    only {side}: {example}")
    agreed, whole = sum(both.values()), sum(both.values()) + sum(sum(c.values()) for c in only.values())
    print(f"all: {agreed} of {whole}  {100 * agreed / whole:.2f} %\n\nrecall")
    rows = sorted(set(found_by) | {(label, kind) for label, kind, _ in missed_by})
    for label, kind in rows:
        kinds = sorted(set(found_by[label, kind]) | {k for l, g, k in missed_by if (l, g) == (label, kind)})
        found, missed = sum(found_by[label, kind].values()), sum(len(missed_by[label, kind, k]) for k in kinds)
        share = 100 * found / (found + missed)
        if share < LEAST_RECALL[kind]:
            too_low.append((label, kind))
        parts = ", ".join(f"{k} {found_by[label, kind][k]}/{found_by[label, kind][k] + len(missed_by[label, kind, k])}" for k in kinds)
        print(f"{label:<14} {kind:<9} {share:6.2f} % of {found + missed}: {parts}")
        missing = sorted(m for k in kinds for m in missed_by[label, kind, k])
        for missed in missing if is_all else missing[:3]:
            print(f"    only ctags: {missed}")
    for label in sorted(faults_by):
        print(f"faults of ctags in {label}: {sum(faults_by[label].values())}")
        for reason, count in faults_by[label].most_common():
            print(f"    {count} {reason}")
    print(f"left out of maps: {len(left_out)} files, in which ctags finds {sum(left_out.values())}; most of it in")
    for path, count in left_out.most_common(5):
        print(f"    {path} {count}")
    sys.exit(1 if too_low else 0)


main()
