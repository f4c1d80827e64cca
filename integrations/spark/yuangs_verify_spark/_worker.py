"""What an executor does with a partition: place its files, run the binary, return rows."""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.json

from ._names import is_event, is_part_of_session, project, report_name

# Bytes of JSON lines, or of a partial result, in one Arrow batch.
CHUNK = 8 << 20
_checked: set[tuple[str, str]] = set()


@dataclass(frozen=True)
class Job:
    """What all partitions of a job have in common."""

    binary: str
    version: str
    options: tuple[str, ...]
    run_name: str
    by_path: bool
    base: str
    timeout: float | None
    schema: pa.Schema


class Failed(Exception):
    """The binary gave no complete result."""


def run(
    command: list[str], cwd: Path | str, timeout: float | None, output: Path | None = None
) -> tuple[int, str]:
    """Run a command without a shell; return its exit code and the end of its standard error."""
    with (
        tempfile.TemporaryFile() as errors,
        open(output or os.devnull, "wb") as standard,
    ):
        try:
            code = subprocess.run(
                command, cwd=cwd, timeout=timeout, stdin=subprocess.DEVNULL, stdout=standard,
                stderr=errors, check=False,
            ).returncode  # fmt: skip
        except subprocess.TimeoutExpired as expired:
            raise Failed(f"no result after {timeout:g} seconds") from expired
        except (OSError, ValueError) as error:
            raise Failed(f"can't run `{command[0]}`: {error}") from error
        errors.seek(max(errors.seek(0, os.SEEK_END) - 2000, 0))
        return code, errors.read().decode(errors="replace").strip()


def version_of(binary: str) -> str:
    """Return what `--version` prints.

    Raises RuntimeError with the name of the host if the binary can't be run.
    """
    try:
        done = subprocess.run([binary, "--version"], stdin=subprocess.DEVNULL, capture_output=True)
    except OSError as error:
        raise RuntimeError(f"host {socket.gethostname()}: can't run `{binary}`: {error}") from error
    if done.returncode != 0:
        host, code = socket.gethostname(), done.returncode
        raise RuntimeError(f"host {host}: `{binary} --version` ended with {code}")
    return done.stdout.decode(errors="replace").strip()


def _check_version(job: Job) -> None:
    if (job.binary, job.version) in _checked:
        return
    found = version_of(job.binary)
    if found != job.version:
        host = socket.gethostname()
        raise RuntimeError(
            f"host {host}: `{job.binary}` is `{found}`, but that of the driver is `{job.version}`"
        )
    _checked.add((job.binary, job.version))


def verify_partition(batches: Iterable[pa.RecordBatch], job: Job) -> Iterator[pa.RecordBatch]:
    """Verify the files of a partition. Yields rows with one of three columns set."""
    _check_version(job)
    local = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0] or None
    with tempfile.TemporaryDirectory(prefix="yuangs-verify-", dir=local) as folder:
        work = Path(folder)
        contents, direct = _by_path(batches, work, job) if job.by_path else (
            dict(_contents(batches, work, job)), {}
        )  # fmt: skip
        for files, is_direct in ((contents, False), (direct, True)):
            if files:
                yield from Partition(job, work, files, is_direct).verify(sorted(files))


def _contents(
    batches: Iterable[pa.RecordBatch], work: Path, job: Job
) -> Iterator[tuple[str, Path]]:
    for batch in batches:
        for path, content in zip(batch.column("path"), batch.column("content"), strict=True):
            with tempfile.NamedTemporaryFile(dir=work, delete=False) as file:
                file.write(content.as_buffer())
            yield report_name(path.as_py(), job.base), Path(file.name)


def _by_path(
    batches: Iterable[pa.RecordBatch], work: Path, job: Job
) -> tuple[dict[str, Path], dict[str, Path]]:
    """Return copies of the files whose directory must be walked, and the other files."""
    rows = (paths for batch in batches for paths in batch.column("paths"))
    files = [os.fsdecode(path) for paths in rows for path in paths.as_py()]
    walked = {project(path) for path in files if is_event(path)}
    copies, direct = {}, {}
    for path in files:
        if project(path) in walked:
            with tempfile.NamedTemporaryFile(dir=work, delete=False) as file:
                shutil.copyfile(path, file.name)
            copies[report_name(path, job.base)] = Path(file.name)
        else:
            direct[os.path.relpath(path, job.base or "/")] = Path(path)
    return copies, direct


class Partition:
    """The files of a partition, by their names in reports."""

    def __init__(self, job: Job, work: Path, files: dict[str, Path], direct: bool) -> None:
        self.job, self.work, self.files, self.direct = job, work, files, direct
        self.sessions = {project("/" + name) for name in files if is_part_of_session("/" + name)}

    def verify(self, names: list[str]) -> Iterator[pa.RecordBatch]:
        """Verify files together; if that fails, each half of them by itself."""
        folder = Path(tempfile.mkdtemp(dir=self.work))
        try:
            result = self._run(names, folder)
        except Failed as failed:
            error = failed
        else:
            yield from result
            return
        finally:
            shutil.rmtree(folder)
        units: dict[str, list[str]] = {}
        for name in names:
            above = project("/" + name)
            units.setdefault(above if above in self.sessions else "/" + name, []).append(name)
        parts = list(units.values())
        if len(parts) == 1:
            yield self._values("finding", [error_row(name, str(error)) for name in names])
            return
        half = len(parts) // 2
        for some in (parts[:half], parts[half:]):
            yield from self.verify([name for unit in some for name in unit])

    def _run(self, names: list[str], folder: Path) -> Iterator[pa.RecordBatch]:
        job, partial, lines = self.job, folder / "partial", folder / "lines"
        inputs, given = job.base or "/", [f"./{name}" for name in names]
        if not self.direct:
            inputs, given = str(folder / "inputs"), ["."]
            try:
                for name in names:
                    to = Path(inputs, name)
                    to.parent.mkdir(parents=True, exist_ok=True)
                    os.link(self.files[name], to)
            except (OSError, ValueError) as error:
                raise Failed(f"can't place the file under its name: {error}") from error
        command = [job.binary, "replay", "--partial", str(partial), "--run-name", job.run_name]
        command += [*job.options, "--quiet", "--", *given]
        code, text = run(command, inputs, job.timeout)
        if code != 0 or not partial.is_file():
            raise Failed(_ended("replay", code, text))
        merge = [job.binary, "merge", "--format", "jsonl", "--quiet", str(partial)]
        code, text = run(merge, inputs, job.timeout, lines)
        by_kind = read_lines(lines)
        if code not in (0, 1, 2, 3) or by_kind is None:
            raise Failed(_ended("merge", code, text))
        batches = []
        for kind in ("execution", "finding"):
            kind_type = job.schema.field(kind).type
            try:
                rows = list(parse(by_kind[kind], kind_type))
            except pa.ArrowInvalid as error:
                raise Failed(f"can't read the rows: {error}") from error
            batches += [self._batch(kind, some) for some in rows]
        batches += self._partial(partial, names)
        return iter(batches)

    def _partial(self, partial: Path, names: list[str]) -> Iterator[pa.RecordBatch]:
        # The same for each attempt at a task.
        name, number = str(uuid.uuid5(uuid.UUID(self.job.run_name), repr(names[0]))), 0
        with open(partial, "rb") as data:
            while chunk := data.read(CHUNK):
                files = len(names) if number == 0 else 0
                row = {"id": name, "number": number, "data": chunk, "files": files}
                yield self._values("partial", [row])
                number += 1

    def _values(self, kind: str, rows: list[dict[str, Any]]) -> pa.RecordBatch:
        return self._batch(kind, pa.array(rows, self.job.schema.field(kind).type))

    def _batch(self, kind: str, rows: pa.StructArray) -> pa.RecordBatch:
        columns = [
            rows if field.name == kind else pa.nulls(len(rows), field.type)
            for field in self.job.schema
        ]
        return pa.RecordBatch.from_arrays(columns, schema=self.job.schema)


def error_row(name: str, error: str) -> dict[str, str]:
    """Return the finding about a file without a result."""
    # The name may contain bytes that aren't valid UTF-8.
    name = os.fsencode(name).decode(errors="replace")
    message = "the file could not be verified"
    return {"severity": "error", "message": message, "file": name, "error": error}


def _ended(command: str, code: int, text: str) -> str:
    how = f"was killed by signal {-code}" if code < 0 else f"ended with {code} and no result"
    return f"`{command}` {how}{': ' + text if text else ''}"


def parse(lines: list[bytes], kind_type: pa.StructType) -> Iterator[pa.StructArray]:
    """Parse JSON lines of one kind. A member that the type lacks is ignored."""
    schema = pa.schema(list(kind_type))
    options = pa.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    start = 0
    while start < len(lines):
        size, end = 0, start
        while end < len(lines) and size < CHUNK:
            size += len(lines[end])
            end += 1
        read = pa.json.ReadOptions(use_threads=False, block_size=size + 1)
        data = pa.BufferReader(b"".join(lines[start:end]))
        table = pa.json.read_json(data, read_options=read, parse_options=options)
        yield table.select(schema.names).to_struct_array().combine_chunks()
        start = end


def read_lines(path: Path) -> dict[str, list[bytes]] | None:
    """Read the lines of a report by their kind; None if it isn't complete."""
    by_kind: dict[str, list[bytes]] = {"run": [], "input": [], "execution": [], "finding": []}
    with open(path, "rb") as lines:
        for line in lines:
            kind = line[9 : line.find(b'"', 9)].decode(errors="replace")
            if not line.startswith(b'{"kind":"') or kind not in by_kind or line[-1:] != b"\n":
                return None
            by_kind[kind].append(line)
    if len(by_kind["run"]) != 1:
        return None
    summary = json.loads(by_kind["run"][0])["summary"]
    found = sum(summary["bySeverity"].values()) - summary["leftOut"]
    is_complete = (len(by_kind["execution"]), len(by_kind["finding"])) == (
        summary["executions"],
        found,
    )
    return by_kind if is_complete else None
