"""Run `yuangs-verify` on each partition of a Spark job."""

import fnmatch
import heapq
import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, cast
from urllib.parse import unquote

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from . import _names, _worker
from ._names import report_name

__all__ = ["IncompleteError", "Result", "report_name", "verify"]

# Columns of the schema `report-line`, and `error` for a file without a result.
_STEP = "line BIGINT, event STRING, to STRING"
EXECUTION = (
    "executionId STRING, file STRING, line BIGINT, format STRING, fsmVersion STRING, "
    "verdict STRUCT<legalPath STRING, authorised STRING, governanceComplete STRING>, "
    "turns BIGINT, actions BIGINT, decisions BIGINT, finalState STRING, outcome STRING, "
    "violation STRUCT<line BIGINT, event STRING, state STRING, prefixEvents BIGINT, "
    f"path ARRAY<STRUCT<{_STEP}>>>, findings ARRAY<STRING>"
)
FINDING = (
    "code STRING, name STRING, severity STRING, message STRING, file STRING, line BIGINT, "
    "column BIGINT, pointer STRING, executionId STRING, turnId BIGINT, "
    "related ARRAY<STRUCT<file STRING, line BIGINT, message STRING>>, help STRING, "
    "fingerprint STRING, error STRING"
)
PARTIAL = "id STRING, number INT, data BINARY, files BIGINT"
ROWS = f"execution STRUCT<{EXECUTION}>, finding STRUCT<{FINDING}>, partial STRUCT<{PARTIAL}>"
# Contents pass through the memory of the JVM and of Python. Larger files are for `read="paths"`.
MOST_CONTENT = 256 << 20


class IncompleteError(RuntimeError):
    """Nothing was verified, or the report would lack files."""


@dataclass
class Result:
    """The result of a job. `rows` is cached until `unpersist`."""

    rows: DataFrame
    binary: str
    files: int
    """Number of files that were found."""
    failed: int
    """Number of files that couldn't be verified: findings with an `error`."""
    skipped: int
    """Number of files without the extension of a trace."""
    read: Literal["content", "paths"]
    """How executors got the files."""

    @property
    def executions(self) -> DataFrame:
        """The executions, each with its verdict."""
        return self._of("execution")

    @property
    def findings(self) -> DataFrame:
        """The findings, and a row with an `error` for each file without a result."""
        return self._of("finding")

    def _of(self, kind: str) -> DataFrame:
        return self.rows.where(F.col(kind).isNotNull()).select(f"{kind}.*")

    def unpersist(self) -> None:
        """Free the cached rows."""
        self.rows.unpersist()

    def merged(
        self, spark: SparkSession, allow_failed: bool = False
    ) -> tuple[DataFrame, DataFrame]:
        """Return executions and findings of the merged report, as one run over all files gives."""
        with tempfile.TemporaryDirectory() as folder:
            lines = Path(folder, "lines")
            self.write_reports({"jsonl": lines}, allow_failed=allow_failed)
            by_kind = _worker.read_lines(lines)
        if by_kind is None:
            raise RuntimeError("the merged report is incomplete")
        executions, findings = (
            _frame(spark, by_kind[kind], ddl)
            for kind, ddl in (("execution", EXECUTION), ("finding", FINDING))
        )
        return executions, findings

    def write_reports(
        self,
        reports: Mapping[str, str | os.PathLike[str]],
        *,
        allow_failed: bool = False,
        options: Sequence[str] = (),
    ) -> int:
        """Write reports of all files by their format, and return the exit code of `merge`.

        Raises IncompleteError if nothing was verified, or if files failed and `allow_failed` isn't
        set.
        """
        if self.failed and not allow_failed:
            failed = self.findings.where("error IS NOT NULL").select("file").sort("file").head(20)
            listed = ", ".join(f"`{row.file}`" for row in failed)
            more = f" and {self.failed - len(failed)} more" if self.failed > len(failed) else ""
            raise IncompleteError(
                f"{self.failed} of {self.files} files couldn't be verified: {listed}{more}; "
                "see `findings` where `error` is set, or pass `allow_failed=True`"
            )
        with tempfile.TemporaryDirectory(prefix="yuangs-verify-") as folder:
            names = self._save_partials(Path(folder))
            if not names:
                raise IncompleteError("no file was verified, so there is nothing to report")
            command = [self.binary, "merge", *options]
            for kind in reports:
                command += ["--report", f"{kind}=report.{kind}"]
            done = subprocess.run(
                [*command, "--", *names], cwd=folder, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            )  # fmt: skip
            written = {Path(folder, f"report.{kind}"): path for kind, path in reports.items()}
            if done.returncode not in (0, 1, 2, 3) or not all(map(os.path.isfile, written)):
                text = done.stderr[-2000:].decode(errors="replace").strip()
                raise RuntimeError(f"`merge` ended with {done.returncode}: {text}")
            for file, path in written.items():
                shutil.copyfile(file, path)
        return done.returncode

    def _save_partials(self, folder: Path) -> list[str]:
        names: dict[str, str] = {}
        for row in self._of("partial").sort("id", "number").toLocalIterator():
            name = names.setdefault(row.id, f"{len(names)}.partial")
            with open(folder / name, "ab") as file:
                file.write(row.data)
        return list(names.values())


def verify(
    spark: SparkSession,
    paths: str | Iterable[str],
    *,
    binary: str = "yuangs-verify",
    options: Sequence[str] = (),
    partitions: int | None = None,
    read: Literal["auto", "content", "paths"] = "auto",
    base: str = "",
    glob: str | None = None,
    timeout: float | None = None,
) -> Result:
    """Verify the traces below some paths, and return rows and partial results.

    `options` are options of `yuangs-verify replay`; paths in them are absolute and exist on every
    executor. `read="paths"` sends only the names of files to the executors, which share a file
    system; `"content"` reads the files through Spark, from any storage; `"auto"` chooses paths for
    local files of a local master. Names in reports begin behind `base`. `glob` selects files by
    their names.
    """
    paths = [paths] if isinstance(paths, str) else list(paths)
    if read not in ("auto", "content", "paths"):
        raise ValueError(f'`read={read!r}`: use "auto", "content" or "paths"')
    if os.path.dirname(binary) and not os.path.isabs(binary):
        raise ValueError(f"`{binary}` is a relative path: pass an absolute one or a name in PATH")
    by_path = read == "paths" or (read == "auto" and _are_local(spark, [*paths, base]))
    if by_path:
        paths = [_absolute(path) for path in paths]
        base = _absolute(base) if base else base
    job = _worker.Job(
        binary=binary,
        version=_worker.version_of(binary),
        options=_all_options(binary, options, spark.conf.get("spark.task.cpus", "1") or "1"),
        run_name=str(uuid.uuid4()),
        by_path=by_path,
        base=base,
        timeout=timeout,
        schema=_arrow_schema(ROWS),
    )
    if by_path:
        found = _names_of_files(spark, paths, base, glob, partitions)
    else:
        found = _contents(spark, paths, glob, partitions) if paths else _Found()
    errors = [
        (None, _worker.error_row(report_name(path, base), why), None) for path, why in found.errors
    ]
    rows = spark.createDataFrame(errors, ROWS)
    with _records_per_batch(spark, found.largest):
        if found.inputs is not None:
            verified = found.inputs.mapInArrow(partial(_worker.verify_partition, job=job), ROWS)
            rows = verified.unionByName(rows) if errors else verified
        rows = rows.persist(StorageLevel.MEMORY_AND_DISK)
        counts = rows.agg(
            F.count("finding.error").alias("failed"),
            F.coalesce(F.sum("partial.files"), F.lit(0)).alias("files"),
        ).collect()[0]
    if counts.files + counts.failed != found.files:
        rows.unpersist()
        raise IncompleteError(
            f"{found.files} files were found, and {counts.files + counts.failed} were read: they "
            "changed while the job ran, or Spark is configured to ignore files that it can't read"
        )
    how: Literal["content", "paths"] = "paths" if by_path else "content"
    return Result(rows, binary, found.files, counts.failed, found.skipped, how)


def _are_local(spark: SparkSession, paths: Iterable[str]) -> bool:
    """Return whether executors run on this machine, and all paths name its files."""
    context = spark.sparkContext
    master = context.master or ""
    if master != "local" and not master.startswith("local["):
        return False
    local = [_names.local_path(path) for path in paths]
    if None in local or any(map(_names.is_pattern, paths)):
        return False
    # Spark reads paths without a scheme from its default file system.
    default = context._jsc.hadoopConfiguration().get("fs.defaultFS", "file:///")
    return str(default).lower().startswith("file:")


def _absolute(path: str) -> str:
    local = _names.local_path(path)
    if local is None:
        raise ValueError(f"`{path}` isn't a path of a file system: use `read=\"content\"`")
    return os.path.abspath(local)


@dataclass
class _Found:
    """The files of a job."""

    inputs: DataFrame | None = None
    files: int = 0
    largest: int = 0
    skipped: int = 0
    errors: Sequence[tuple[str, str]] = ()


def _contents(spark: SparkSession, paths: list[str], glob: str | None, n: int | None) -> _Found:
    """Find files through Spark, which reads their contents."""
    reader = spark.read.format("binaryFile").option("recursiveFileLookup", "true")
    everything = (reader.option("pathGlobFilter", glob) if glob else reader).load(paths)
    is_trace = F.col("path").rlike(_names.TRACE)
    files = everything.where(is_trace)
    project = F.regexp_replace("path", _names.BEHIND_PROJECT, "")
    about = everything.agg(
        F.count_if(is_trace).alias("files"),
        F.count_if(~is_trace).alias("skipped"),
        F.count("path").alias("all"),
        F.max(F.when(is_trace, F.col("length"))).alias("largest"),
        F.count_if(is_trace & F.col("path").rlike(_names.PART_OF_SESSION)).alias("of_sessions"),
    ).collect()[0]
    inputs = files.where(F.col("length") <= MOST_CONTENT).select("path", "content")
    # Spark lists empty files, but reads none of them.
    listed = everything.inputFiles()
    empty: set[str] = set()
    if len(listed) != about["all"]:
        full = {report_name(row.path) for row in everything.select("path").toLocalIterator()}
        unquoted = map(unquote, listed)
        empty = {p for p in unquoted if report_name(p) not in full and _names.is_trace(p)}
        nothing = spark.createDataFrame([(p, bytearray()) for p in empty], inputs.schema)
        inputs = inputs.union(nothing)
    if about.of_sessions:
        # The files of a session or project go to one partition.
        sessions = files.where(F.col("path").rlike(_names.PART_OF_SESSION))
        sessions = sessions.select(project.alias("session")).distinct()
        inputs = inputs.join(F.broadcast(sessions), project == F.col("session"), "left")
        n = n or files.rdd.getNumPartitions()
        inputs = inputs.repartition(n, F.coalesce("session", "path")).select("path", "content")
    elif n:
        inputs = inputs.repartition(n)
    large = files.where(F.col("length") > MOST_CONTENT).select("path").collect()
    why = f'larger than {MOST_CONTENT} bytes: read it with `read="paths"`'
    largest = min(about.largest or 0, MOST_CONTENT)
    return _Found(
        inputs, about.files + len(empty), largest, about.skipped, [(row.path, why) for row in large]
    )


def _names_of_files(
    spark: SparkSession, paths: list[str], base: str, glob: str | None, n: int | None
) -> _Found:
    """Find files on a file system that the driver and all executors share."""
    found = _Found()
    sizes: dict[str, int] = {}
    links: list[tuple[str, str]] = []
    for path in paths:
        if not os.path.isdir(path):
            sizes[path] = os.path.getsize(path)
            continue
        for folder, folders, names in os.walk(path, onerror=_raise):
            below = (os.path.join(folder, name) for name in folders)
            links += [(file, "links aren't followed") for file in below if os.path.islink(file)]
            for name in (name for name in names if not glob or fnmatch.fnmatchcase(name, glob)):
                file = os.path.join(folder, name)
                if not _names.is_trace(name):
                    found.skipped += 1
                elif os.path.islink(file) or not os.path.isfile(file):
                    links.append((file, "not a regular file: links aren't followed"))
                elif "\\" in file:
                    links.append((file, "rename it: reports show a backslash as a slash"))
                else:
                    sizes[file] = os.path.getsize(file)
    found.files, found.errors = len(sizes) + len(links), links
    for path in sizes:
        report_name(path, base)  # raises if it isn't below it
    sessions = {_names.project(path) for path in sizes if _names.is_part_of_session(path)}
    units: dict[str, list[str]] = {}
    for path in sorted(sizes):
        project = _names.project(path)
        units.setdefault(project if project in sessions else path, []).append(path)
    # The largest first, each to the partition with the fewest bytes.
    of_unit = {unit: sum(map(sizes.__getitem__, files)) for unit, files in units.items()}
    n = min(n or 4 * spark.sparkContext.defaultParallelism, len(units))
    parts: list[tuple[int, int, list[bytearray]]] = [(0, i, []) for i in range(n)]
    for unit in sorted(units, key=of_unit.__getitem__, reverse=True):
        size, i, files = heapq.heappop(parts)
        files += [bytearray(os.fsencode(path)) for path in units[unit]]
        heapq.heappush(parts, (size + of_unit[unit], i, files))
    if parts:
        rows = spark.sparkContext.parallelize([(files,) for *_, files in parts], n)
        found.inputs = spark.createDataFrame(rows, "paths ARRAY<BINARY>")
    return found


def _raise(error: OSError) -> None:
    raise error


def _all_options(binary: str, options: Sequence[str], threads: str) -> tuple[str, ...]:
    """Add the options of a job, and check that the binary accepts all of them."""
    defaults = {"--max-findings": "0", "--max-executions": "10000000", "--threads": threads}
    given = {option.split("=")[0] for option in options}
    if "--shard" in given:
        raise ValueError("`--shard`: the job itself divides the files")
    added = (
        word for name, value in defaults.items() if name not in given for word in (name, value)
    )
    chosen = (*added, *options)
    with tempfile.TemporaryDirectory(prefix="yuangs-verify-") as folder:
        inputs = Path(folder, "inputs")
        inputs.mkdir()
        command = [binary, "replay", "--partial", str(Path(folder, "partial")), "--run-name", "-"]
        code, text = _worker.run([*command, *chosen, "--quiet", "--", "."], inputs, None)
    if code != 0:
        raise ValueError(f"`{binary} replay` refuses the options: {text}")
    return chosen


@contextmanager
def _records_per_batch(spark: SparkSession, largest: int) -> Iterator[None]:
    """Limit the bytes of an Arrow batch, which Spark limits by the number of its records."""
    name = "spark.sql.execution.arrow.maxRecordsPerBatch"
    before = spark.conf.get(name)
    spark.conf.set(name, str(max(1, min(10_000, (64 << 20) // max(largest, 1)))))
    try:
        yield
    finally:
        spark.conf.set(name, before or "10000")


def _arrow_schema(ddl: str) -> pa.Schema:
    return to_arrow_schema(cast(StructType, StructType.fromDDL(ddl)))


def _frame(spark: SparkSession, lines: list[bytes], ddl: str) -> DataFrame:
    schema = _arrow_schema(ddl)
    rows = _worker.parse(lines, pa.struct(list(schema)))
    table = pa.Table.from_batches([pa.RecordBatch.from_struct_array(r) for r in rows], schema)
    return spark.createDataFrame(table, ddl)
