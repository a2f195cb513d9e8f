"""If the disk is full, log lines are lost and the operator is informed. Nothing else fails."""

import logging
import os
from pathlib import Path

import pytest

from balcao.core.logs import LOGGER_NAME
from balcao.core.request_log import RequestLog
from balcao_sandbox.postgresql import disk
from balcao_sandbox.postgresql.refusal import explain_refusal


async def test_a_log_that_cannot_be_written_stops_no_request(monkeypatch: pytest.MonkeyPatch) -> None:
    logging.getLogger(LOGGER_NAME).setLevel(logging.INFO)
    with os.fdopen(os.open("/dev/full", os.O_WRONLY), "w", closefd=False) as full:
        monkeypatch.setattr(logging.getLogger(), "handlers", [logging.StreamHandler(full)])
        requests = RequestLog(readable=False)
        for _ in range(100):
            requests.add(("service", "operation", "GET"), 200, 0.1, "id")
            requests.flush()
        monkeypatch.undo()
        with pytest.raises(OSError, match="No space left"):
            full.flush()
        os.dup2(os.open(os.devnull, os.O_WRONLY), full.fileno())


def test_the_operator_reads_that_the_disk_is_full(tmp_path: Path) -> None:
    log = tmp_path / "postgres.log"
    output = 'LOG:  starting\nFATAL:  could not write lock file "postmaster.pid": No space left on device\n'
    said = explain_refusal(output, log)
    assert said.startswith("O disco está cheio")
    assert str(tmp_path) in said
    assert "postgres.log" in explain_refusal("FATAL:  something else\n", log)


def test_a_server_that_could_not_even_write_its_log_ended_for_want_of_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk, "NEEDED_BYTES", 2**62)
    assert explain_refusal("", tmp_path / "postgres.log") == disk.describe_full(tmp_path)
