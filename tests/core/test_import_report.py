"""The report of an import is on the disk before the batch of its lines is committed."""

import os
from pathlib import Path

import pytest

from balcao.core.imports.report import Report
from balcao.core.imports.rows import Refused


def test_entries_are_on_the_disk_when_they_have_been_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    synchronise = os.fsync

    def record(descriptor: int) -> None:
        synchronise(descriptor)
        synced.append(os.fstat(descriptor).st_size)

    monkeypatch.setattr(os, "fsync", record)
    path = tmp_path / "report.jsonl"
    with Report(path).resume_after(0) as report:
        report.add([Refused(1, "wrong"), Refused(2, "wrong")])
        assert synced == [path.stat().st_size]
        report.add([])
        assert len(synced) == 1
    assert len(path.read_text("utf-8").splitlines()) == 2
