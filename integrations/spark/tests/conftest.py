import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

BINARY = os.environ.get("YUANGS_VERIFY", "")
TRACES = Path(__file__).parents[3] / "corpora" / "traces"


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    session = (
        SparkSession.builder.master("local[2,2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        # Small files: few partitions, so that few processes are started.
        .config("spark.sql.files.openCostInBytes", "16384")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def binary() -> str:
    assert os.path.isabs(BINARY) and os.path.isfile(BINARY), "set YUANGS_VERIFY to the binary"
    return BINARY


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The traces of the repository, without the files that aren't traces."""
    base = tmp_path_factory.mktemp("corpus")
    other = shutil.ignore_patterns("*.expect", "*.md", "*.trust")
    shutil.copytree(TRACES, base / "traces", ignore=other)
    return base


@pytest.fixture
def wrapper(tmp_path: Path, binary: str):
    """Make a program that runs shell code before it becomes the binary."""

    def make(code: str) -> str:
        path = tmp_path / "wrapper"
        path.write_text(f'#!/bin/sh\nstate={tmp_path}\n{code}\nexec "{binary}" "$@"\n')
        path.chmod(0o755)
        return str(path)

    return make
