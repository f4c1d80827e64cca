"""Measure a job: CPU seconds of all its processes, compared with one plain run over the same files.

    measure.py BINARY MEGABYTES [FILE_KILOBYTES]
    measure.py BINARY DIRECTORY

Reads the traces of a directory, or writes some that repeat `corpora/traces/legal` to a
temporary one.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pyspark.sql import SparkSession
from yuangs_verify_spark import verify

ROOT = Path(__file__).parents[3]
BINARY, TRACES = os.path.abspath(sys.argv[1]), sys.argv[2]
FILE = int(sys.argv[3] if len(sys.argv) > 3 else 1024) << 10


def cpu(pid: int) -> float:
    """Return the CPU seconds of a process, its children that ended, and those that run."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
        threads = Path(f"/proc/{pid}/task").iterdir()
        children = [c for t in threads for c in (t / "children").read_text().split()]
    except OSError:
        return 0.0
    ticks = sum(map(int, text[text.rindex(")") + 2 :].split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK") + sum(cpu(int(child)) for child in children)


def write_traces(folder: Path) -> None:
    texts = []
    for file in sorted((ROOT / "corpora/traces/legal").glob("*.jsonl")):
        lines = file.read_text(encoding="utf-8-sig").splitlines()
        try:
            ids = {json.loads(line)["executionId"] for line in lines}
        except (ValueError, KeyError, TypeError):
            continue
        if len(ids) == 1:
            texts.append(("\n".join(lines) + "\n", json.dumps(ids.pop())))
    written = count = files = 0
    while written < int(TRACES) << 20:
        with open(folder / f"{files:06}.jsonl", "w") as file:
            while file.tell() < FILE:
                text, name = texts[count % len(texts)]
                file.write(text.replace(f'"executionId":{name}', f'"executionId":"e{count}"'))
                count += 1
            written += file.tell()
        files += 1
    print(f"{written >> 20} MiB in {files} files, about {count} executions")


with tempfile.TemporaryDirectory() as temporary:
    folder = Path(temporary if TRACES.isdigit() else TRACES).resolve()
    if TRACES.isdigit():
        write_traces(folder)
    start, used = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [BINARY, "replay", "--max-findings=0", "--max-executions=10000000", "-q"]
    subprocess.run([*command, "--report=json=/dev/null", "."], cwd=folder, capture_output=True)
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    plain = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    print(f"plain: {plain:.1f} s CPU, {time.monotonic() - start:.1f} s")
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.files.openCostInBytes", "65536")
        .getOrCreate()
    )
    spark.range(10).mapInArrow(lambda batches: batches, "id BIGINT").count()  # starts the workers
    for read in ("content", "paths"):
        start, before = time.monotonic(), cpu(os.getpid())
        result = verify(spark, str(folder), binary=BINARY, base=str(folder), read=read)
        rows = result.executions.count(), result.findings.count()
        took, job = time.monotonic() - start, cpu(os.getpid()) - before
        result.write_reports({"json": Path(temporary) / "out"})
        report = cpu(os.getpid()) - before - job
        partitions = result.rows.rdd.getNumPartitions()
        print(
            f"{read}: {job:.1f} s CPU, {took:.1f} s, {partitions} partitions, "
            f"{rows[0]} executions, {rows[1]} findings; ratio {job / plain:.2f}; "
            f"report {report:.1f} s CPU, ratio with it {(job + report) / plain:.2f}"
        )
        (Path(temporary) / "out").unlink()
        result.unpersist()
    spark.stop()
