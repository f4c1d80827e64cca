"""Names in reports, without Spark."""

import os
import sys

import pytest
from yuangs_verify_spark import _worker, report_name
from yuangs_verify_spark._names import is_part_of_session, is_trace, project

HOSTILE = [
    "file:/a/b", "/a//b", "/a/./b", "/a/../b", "/a/%/b", "/a/%./b", "/a/%../b", "/a/%%../b",
    "/a\\b", "/a%5Cb", "/%a%5Cb", "/s3a:/bucket/k", "s3a://bucket/k", "s3a:///bucket/k",
    "/%s3a:/bucket/k", "hdfs://bucket/k", "s3a://bucket//k", "s3a://bucket/../../k",
    "s3a://bucket/%252E/k", "s3a://../k", "/..", "/.", "/a\n/b", "/-", "/-x", "/\u202e",
]  # fmt: skip


def test_a_name_shows_the_path():
    assert report_name("file:/a/b c.jsonl") == report_name("/a/b c.jsonl") == "a/b c.jsonl"
    assert report_name("file:///a/b") == "a/b"
    assert report_name("s3a://bucket/key/x.jsonl") == "s3a:/bucket/key/x.jsonl"
    assert report_name("file:/a/b/c", "/a/") == report_name("/a/b/c", "file:///a") == "b/c"
    assert report_name("s3a://bucket/key/x", "s3a://bucket/key") == "x"


def test_no_name_leaves_its_directory_and_no_two_are_one():
    names = [report_name(path) for path in HOSTILE]
    for name in names:
        assert not name.startswith("/") and "\\" not in name
        assert os.path.normpath(name) == name and not name.startswith("..")
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("base", ["/x", "s3a://bucket", "/a/b", "/a/b/c"])
def test_a_file_outside_the_base_is_refused(base):
    with pytest.raises(ValueError, match="isn't below"):
        report_name("file:/a/b", base)


def test_the_directory_of_a_session():
    for path in ("/p/s.jsonl", "/p/agent-1.jsonl", "/p/s/subagents/agent-1.jsonl.gz"):
        assert project(path) == "/p"
        assert is_part_of_session(path) == ("agent" in path)
    for path in ("/p/events/1.json", "/p/events/event-00001-x.json", "/p/event_cache/0-25.json"):
        assert project(path) == "/p" and is_part_of_session(path)
    assert not is_part_of_session("/p/1.json")


def test_the_extension_of_a_trace():
    for name in ("a.jsonl", "b.JSON.GZ", ".cast", "c.eval.zst", "d\n.traj", "e.x.ndjson"):
        assert is_trace(name)
    for name in (
        "a.jsonl.gz.zst",
        "json",
        "a.json\n",
        "a.j\u017fon",
        "a.jsonl.expect",
        "a.jsonl.xz",
    ):
        assert not is_trace(name)


def test_a_timeout_is_a_failure(tmp_path):
    sleep = [sys.executable, "-c", "import time; time.sleep(60)"]
    with pytest.raises(_worker.Failed, match=r"no result after 0.1 seconds"):
        _worker.run(sleep, tmp_path, 0.1)


def test_an_incomplete_report_is_no_result(tmp_path):
    summary = '{"executions":1,"bySeverity":{"error":0,"warning":0,"note":0},"leftOut":0}'
    run, execution = f'{{"kind":"run","summary":{summary}}}\n', '{"kind":"execution"}\n'
    file = tmp_path / "lines"
    for text, is_complete in [
        (run + execution, True), (run, False), (execution, False), ("", False),
        (run + execution[:-1], False), (run + execution * 2, False), ("x\n", False),
        (run + execution + '{"kind":"other"}\n', False),
    ]:  # fmt: skip
        file.write_text(text)
        assert (_worker.read_lines(file) is not None) == is_complete, text


def test_the_binary_gets_no_input(tmp_path):
    out = tmp_path / "out"
    assert _worker.run(["cat"], tmp_path, 5, out) == (0, "")
    assert out.read_bytes() == b""
