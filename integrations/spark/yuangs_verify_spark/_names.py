"""Names of files: in reports, and of the sessions that must be verified together."""

import re

# Extensions that `yuangs-verify replay` reads below a directory. Java reads these patterns too.
TRACE = r"(?is)\.(jsonl|ndjson|json|traj|cast|eval)(\.gz|\.zst)?(?!.)"
# Files that belong to a session with several files: sub-agents of Claude Code, events of OpenHands.
PART_OF_SESSION = (
    r"/(agent-[^/]*\.jsonl[^/]*|events/(event-[0-9]+-[^/]*|[0-9]+)\.json|event_cache/[^/]*\.json)$"
)
# The end of a path behind the directory of its session or project.
BEHIND_PROJECT = r"(/[^/]*/subagents|/events|/event_cache)?/[^/]*$"
# Spark reads a path with one of these as a pattern.
_PATTERN = re.compile(r"[*?\[\]{}\\]")
_URI = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?://([^/]*))?(/.*|)", re.DOTALL)


def is_trace(name: str) -> bool:
    """Return whether a file has the extension of a trace."""
    # As Java matches, and the program: without the long s of Unicode.
    return re.search(TRACE, name, re.ASCII) is not None


def project(path: str) -> str:
    """Return the directory of the session or project that a file may belong to."""
    return re.sub(BEHIND_PROJECT, "", path)


def is_part_of_session(path: str) -> bool:
    """Return whether a file must be verified together with its neighbours."""
    return re.search(PART_OF_SESSION, path) is not None


def is_event(path: str) -> bool:
    """Return whether a file is one of the events that are joined to one session."""
    return is_part_of_session(path) and "/agent-" not in path[path.rindex("/") :]


def local_path(path: str) -> str | None:
    """Return the path of a file on the local file system; None for other URIs."""
    match = _URI.fullmatch(path)
    if match is None:
        return path
    # As Spark reads them, `file:` URIs have no percent-encoding.
    return match[3] if match[1].lower() == "file" and not match[2] and match[3] else None


def is_pattern(path: str) -> bool:
    """Return whether Spark reads a path as a pattern that matches files."""
    return _PATTERN.search(path) is not None


def _parts(path: str) -> list[str]:
    match = _URI.fullmatch(path)
    if match and match[1].lower() != "file":
        return [match[1] + ":", match[2] or "", *match[3][1:].split("/")]
    first, *rest = (match[3] if match else path)[1:].split("/")
    # Only the names of remote files begin with a component that ends with a colon.
    return ["%" + first if first.endswith(":") else first, *rest]


def _safe(part: str) -> str:
    # A component that begins with `%` was escaped, so no two names become one.
    if part in ("", ".", "..") or part.startswith("%") or "\\" in part:
        return "%" + part.replace("%", "%25").replace("\\", "%5C")
    return part


def report_name(path: str, base: str = "") -> str:
    """Return the name of a file in reports: a relative path that can't leave its directory.

    `path` is absolute or a URI. The name begins behind `base`, or is the path without the leading
    slash, or `s3a:/bucket/key`.

    Raises ValueError if the file isn't below `base`.
    """
    parts, above = _parts(path), _parts(base.rstrip("/")) if base.rstrip("/") else []
    if parts[: len(above)] != above or len(parts) == len(above):
        raise ValueError(f"`{path}` isn't below `{base}`")
    return "/".join(_safe(part) for part in parts[len(above) :])
