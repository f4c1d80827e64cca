"""Jobs on a local Spark, compared with plain runs of the binary."""

import json
import os
import shutil
import subprocess

import pytest
import yuangs_verify_spark
from conftest import TRACES
from yuangs_verify_spark import IncompleteError, verify

DEMO = sorted((TRACES / "demo").glob("*.jsonl"))
BAD = '{"CRASH": 1}\n'


def plain(binary, base, path):
    """Return the JSON report of one plain run, and its rows by kind."""
    command = [binary, "replay", "--max-findings", "0", "-q"]
    reports = [f"--report=json={base}/plain.json", f"--report=jsonl={base}/plain.jsonl"]
    subprocess.run([*command, *reports, path], cwd=base, capture_output=True)
    rows = {"execution": set(), "finding": set()}
    for line in (base / "plain.jsonl").read_text().splitlines():
        row = json.loads(line)
        rows.get(row.pop("kind"), set()).add(key(row))
    return (base / "plain.json").read_bytes(), rows["execution"], rows["finding"]


def key(row):
    """Return a row without its null values, as text that can be compared."""

    def strip(value):
        if isinstance(value, dict):
            return {k: strip(v) for k, v in value.items() if v is not None}
        return [strip(v) for v in value] if isinstance(value, list) else value

    return json.dumps(strip(row), sort_keys=True)


def rows(frame):
    found = [key(row.asDict(recursive=True)) for row in frame.collect()]
    assert len(found) == len(set(found))
    return set(found)


def merged(result, tmp_path):
    result.write_reports({"json": tmp_path / "merged.json"})
    return (tmp_path / "merged.json").read_bytes()


def demo(folder, bad=()):
    folder.mkdir()
    for file in DEMO:
        shutil.copy(file, folder)
    for name in bad:
        (folder / name).write_text(BAD)
    return str(folder)


@pytest.fixture(scope="module")
def whole(binary, corpus):
    return plain(binary, corpus, "traces")


def test_rows_of_one_partition_are_those_of_a_plain_run(spark, binary, corpus, whole, tmp_path):
    path, base = str(corpus / "traces"), str(corpus)
    result = verify(spark, path, binary=binary, base=base, partitions=1, read="content")
    assert (rows(result.executions), rows(result.findings)) == whole[1:]
    assert (result.failed, result.skipped) == (0, 0)
    assert result.files == sum(file.is_file() for file in (corpus / "traces").rglob("*"))
    assert merged(result, tmp_path) == whole[0]
    result.executions.write.parquet(str(tmp_path / "executions"))
    assert rows(spark.read.parquet(str(tmp_path / "executions"))) == whole[1]
    result.unpersist()


@pytest.mark.parametrize("read", ["content", "paths"])
def test_merged_partitions_are_a_plain_run(spark, binary, corpus, whole, read, tmp_path):
    path, base = str(corpus / "traces"), str(corpus)
    result = verify(spark, path, binary=binary, base=base, partitions=3, read=read)
    assert merged(result, tmp_path) == whole[0]
    executions, findings = result.merged(spark)
    assert (rows(executions), rows(findings)) == whole[1:]
    # Only what compares files of two partitions is missing from the rows.
    missing = [json.loads(row) for row in whole[2] - rows(result.findings)]
    assert {f["code"] for f in missing} <= {"YV322", "YV324"}
    assert all(any(r["file"] != f["file"] for r in f["related"]) for f in missing)
    result.unpersist()


def test_the_binary_runs_once_for_each_partition(spark, wrapper, tmp_path):
    binary = wrapper('echo "$1" >> "$state/log"')
    result = verify(spark, demo(tmp_path / "in"), binary=binary, partitions=2)
    result.executions.write.parquet(str(tmp_path / "out"))
    assert result.findings.count() == 0 and result.executions.count() == len(DEMO)
    log = (tmp_path / "log").read_text().split()
    # One more checks the options.
    assert log.count("replay") == 3 and log.count("merge") == 2


@pytest.mark.parametrize("read", ["content", "paths"])
@pytest.mark.parametrize("end", ["kill -9 $$", "echo refused >&2; exit 2"])
def test_a_file_without_a_result_is_a_row(spark, binary, wrapper, tmp_path, end, read):
    # The last argument is a directory; by path, there is one argument for each file.
    scan = 'grep -rqs CRASH -- "$@"'
    fake = wrapper(f'if [ "$1" = replay ] && {{ {scan}; }}; then {end}; fi')
    folder = demo(tmp_path / "in", ["bad.jsonl"])
    result = verify(spark, folder, binary=fake, base=folder, partitions=1, read=read)
    assert (result.files, result.failed) == (len(DEMO) + 1, 1)
    assert result.executions.count() == len(DEMO)
    (row,) = result.findings.collect()
    assert (row.file, row.code, row.severity) == ("bad.jsonl", None, "error")
    assert ("signal 9" if "kill" in end else "ended with 2 and no result: refused") in row.error
    with pytest.raises(IncompleteError, match=f"1 of {result.files} files .*`bad.jsonl`"):
        result.write_reports({"json": tmp_path / "out.json"})
    assert not (tmp_path / "out.json").exists()
    reports = {"json": tmp_path / "out.json", "sarif": tmp_path / "out.sarif"}
    assert result.write_reports(reports, allow_failed=True) == 0
    report = json.loads((tmp_path / "out.json").read_text())
    assert [i["path"] for i in report["inputs"]] == [file.name for file in DEMO]


def test_another_version_fails_the_job(spark, wrapper, tmp_path):
    binary = wrapper(
        'if [ "$1" = --version ]; then\n'
        'if [ -e "$state/seen" ]; then echo "yuangs-verify 0.0.1"; exit; fi\n'
        'touch "$state/seen"\nfi'
    )
    with pytest.raises(Exception, match=r"host .*`yuangs-verify 0.0.1`, but that of the driver is"):
        verify(spark, demo(tmp_path / "in"), binary=binary)


def test_a_missing_binary_fails_the_job(spark, wrapper, tmp_path):
    binary = wrapper('if [ "$1" = replay ]; then rm -- "$0"; fi')
    with pytest.raises(Exception, match=r"host .*can't run `.*wrapper`"):
        verify(spark, demo(tmp_path / "in"), binary=binary)
    with pytest.raises(RuntimeError, match="can't run"):
        verify(spark, demo(tmp_path / "more"), binary="/nowhere/yuangs-verify")


def test_a_retried_task_gives_its_rows_once(spark, wrapper, tmp_path):
    # The first executor to ask gets a wrong version, and Spark repeats its task.
    binary = wrapper(
        'if [ "$1" = --version ]; then\n'
        'if [ -e "$state/two" ]; then :\n'
        'elif [ -e "$state/one" ]; then touch "$state/two"; echo other; exit\n'
        'else touch "$state/one"; fi\nfi'
    )
    result = verify(spark, demo(tmp_path / "in"), binary=binary, partitions=1)
    assert (tmp_path / "two").exists()
    assert result.executions.count() == len(rows(result.executions)) == len(DEMO)
    result.write_reports({"json": tmp_path / "out.json"})


@pytest.mark.parametrize("read", ["content", "paths"])
def test_hostile_names(spark, binary, tmp_path, read):
    folder = tmp_path / "in"
    names = [
        "a b.jsonl", "new\nline.jsonl", "-q.jsonl", "--help/x.jsonl", "ünï😀.jsonl", "a%20b.jsonl",
        "%41.jsonl", "..a/..b.jsonl", "$(touch x);'\".jsonl", "a[1]{2}*?.jsonl", "#x.json",
        "\u202eevil.jsonl", "c.jsonl/d.jsonl", "=.JSONL",
    ]  # fmt: skip
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(DEMO[0], folder / name)
    (folder / "empty.jsonl").touch()
    base = str(folder)
    if read == "content":
        # Spark lists no names that begin with a dot or an underscore.
        names.remove("..a/..b.jsonl")
    result = verify(spark, base, binary=binary, base=base, partitions=2, read=read)
    # A name that begins with `%` is escaped where files are copied.
    escaped = {"%41.jsonl": "%%2541.jsonl"} if read == "content" else {}
    found = {row.file for row in result.executions.collect()}
    assert found == {escaped.get(name, name) for name in names}
    assert result.files == len(names) + 1 and result.failed == 0
    result.write_reports({"json": tmp_path / "out.json"})
    report = json.loads((tmp_path / "out.json").read_text())
    assert len(report["inputs"]) == len(names) + 1


def test_names_that_are_not_utf_8_and_links_by_path(spark, binary, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    shutil.copy(DEMO[0], os.fsencode(folder) + b"/\xff.jsonl")
    (folder / "link.jsonl").symlink_to("/etc/passwd")
    (folder / "more").symlink_to("/etc")
    (folder / "a\\b.jsonl").touch()
    (folder / "README").touch()
    base = str(folder)
    result = verify(spark, base, binary=binary, base=base, read="paths")
    assert [row.file for row in result.executions.collect()] == ["\ufffd.jsonl"]
    errors = {row.file: row.error for row in result.findings.collect()}
    assert sorted(errors) == ["%a%5Cb.jsonl", "link.jsonl", "more"]
    assert "links aren't followed" in errors["link.jsonl"]
    assert (result.files, result.failed, result.skipped) == (4, 3, 1)


@pytest.mark.parametrize("read", ["content", "paths"])
def test_sessions_of_several_files_stay_together(spark, binary, tmp_path, read):
    base = tmp_path / "in"
    (base / "project").mkdir(parents=True)
    claude = TRACES / "sessions" / "claude-code"
    shutil.copy(claude / "legal.jsonl", base / "project")
    shutil.copy(claude / "legal-sub-agent.jsonl", base / "project" / "agent-1.jsonl")
    (base / "hands" / "events").mkdir(parents=True)
    for n in range(12):
        event = {"id": n, "source": "user", "action": "message", "args": {"content": f"{n}"}}
        (base / "hands" / "events" / f"{n}.json").write_text(json.dumps(event))
    (base / "hands" / "other.json").write_text("{}")
    expected = plain(binary, base, ".")
    (base / "plain.json").unlink(), (base / "plain.jsonl").unlink()
    assert any(b'"path": "hands/events"' in line for line in expected[0].splitlines())
    result = verify(spark, str(base), binary=binary, base=str(base), partitions=4, read=read)
    assert (rows(result.executions), rows(result.findings)) == expected[1:]
    assert merged(result, tmp_path) == expected[0]


def test_a_file_that_is_too_large_for_its_content(spark, binary, tmp_path, monkeypatch):
    monkeypatch.setattr(yuangs_verify_spark, "MOST_CONTENT", 100_000)
    folder = demo(tmp_path / "in")
    (tmp_path / "in" / "large.jsonl").write_text(" " * 200_000)
    result = verify(spark, folder, binary=binary, base=folder, read="content")
    (row,) = result.findings.collect()
    assert row.file == "large.jsonl" and 'read="paths"' in row.error and result.failed == 1


def test_local_files_of_a_local_master_are_read_by_path(spark, binary, tmp_path, monkeypatch):
    folder = demo(tmp_path / "in")
    monkeypatch.chdir(tmp_path)

    def read(*paths, **given):
        result = verify(spark, paths, binary=binary, **given)
        names = {row.file for row in result.executions.collect()}
        assert result.failed == 0 and len(names) == result.files
        return result.read, names

    names = {f"{folder}/{file.name}"[1:] for file in DEMO}
    short = {file.name for file in DEMO}
    for path in (folder, f"file:{folder}", f"file://{folder}", "in", "./in/../in"):
        assert read(path) == ("paths", names)
    assert read(f"file://{folder}", read="paths", base=f"file:{folder}") == ("paths", short)
    assert read(folder, base=f"file://{folder}/") == ("paths", short)
    assert read(folder, read="content") == ("content", names)
    # Spark reads this path as a pattern.
    assert read(f"{tmp_path}/i[mn]") == ("content", names)
    assert read(folder, f"{folder}/{DEMO[0].name[:-1]}?") == ("content", names)

    def chosen(path, base=""):
        return yuangs_verify_spark._are_local(spark, [path, base])

    assert chosen(folder) and chosen(f"file:{folder}", "/")
    assert not chosen("s3a://bucket/x") and not chosen("file://host/x") and not chosen("file:")
    assert not chosen(folder, "s3a://bucket")
    context = spark.sparkContext
    for master, local in [
        ("local", True), ("local[*]", True), ("local[2,4]", True), ("yarn", False),
        ("local-cluster[2,1,1024]", False), ("spark://host:7077", False),
    ]:  # fmt: skip
        with monkeypatch.context() as patch:
            patch.setattr(context, "master", master)
            assert chosen(folder) == local, master
    hadoop = context._jsc.hadoopConfiguration()
    before = hadoop.get("fs.defaultFS")
    hadoop.set("fs.defaultFS", "hdfs://host")
    try:
        assert not chosen(folder)
    finally:
        hadoop.set("fs.defaultFS", before)


@pytest.mark.parametrize("read", ["content", "paths"])
def test_nothing_to_verify(spark, binary, tmp_path, read):
    for paths in ([], [str(tmp_path)]):
        result = verify(spark, paths, binary=binary, read=read)
        assert (result.files, result.executions.count(), result.findings.count()) == (0, 0, 0)
        with pytest.raises(IncompleteError, match="nothing to report"):
            result.write_reports({"json": tmp_path / "out.json"})


@pytest.mark.parametrize("read", ["content", "paths"])
def test_paths_that_overlap(spark, binary, tmp_path, read):
    folder = demo(tmp_path / "in")
    paths = [folder, f"{folder}/{DEMO[0].name}", str(tmp_path)]
    result = verify(spark, paths, binary=binary, read=read)
    assert result.files == len(rows(result.executions)) == len(DEMO)
    result.write_reports({"json": tmp_path / "out.json"})


def test_wrong_arguments(spark, binary, tmp_path):
    folder = demo(tmp_path / "in")
    with pytest.raises(ValueError, match="refuses the options"):
        verify(spark, folder, binary=binary, options=["--no-such-option"])
    for options in (["--shard", "1/2"], ["--shard=1/2"]):
        with pytest.raises(ValueError, match="--shard"):
            verify(spark, folder, binary=binary, options=options)
    with pytest.raises(ValueError, match="relative"):
        verify(spark, folder, binary="./yuangs-verify")
    with pytest.raises(ValueError, match="isn't below"):
        verify(spark, folder, binary=binary, base="/nowhere", read="paths")
    with pytest.raises(ValueError, match="""`read='path'`: use "auto","""):
        verify(spark, folder, binary=binary, read="path")
    for given in ({"paths": "s3a://bucket"}, {"paths": folder, "base": "s3a://bucket"}):
        with pytest.raises(ValueError, match="`s3a://bucket` isn't a path of a file system"):
            verify(spark, **given, binary=binary, read="paths")
    result = verify(spark, folder, binary=binary)
    with pytest.raises(RuntimeError, match="no-such-format"):
        result.write_reports({"no-such-format": tmp_path / "out"})
