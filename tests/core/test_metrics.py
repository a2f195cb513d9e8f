"""Metrics of several processes: each process shows the sum over all of them, and the sum never decreases."""

import re
from pathlib import Path

import pytest

from balcao.core.context.metrics import Metrics
from balcao.core.context.processes import ProcessGroup, prepare_group
from balcao.core.telemetry import Telemetry


class Process:
    def __init__(self, folder: Path | None, number: int = 0, role: str = "api") -> None:
        self.telemetry = Telemetry()
        self.pushes = self.telemetry.counter("balcao_push", "Pushes", "outcome")
        self.metrics = Metrics(self.telemetry, ProcessGroup(folder, number, 2, role))
        self.metrics.start()

    def answer(self, status: int = 200, seconds: float = 0.002, method: str = "GET") -> None:
        self.telemetry.meter("registry", "registry.read", method).count(status, seconds)

    def series(self, name: str) -> dict[str, float]:
        lines = re.findall(rf"^{name}(?:\{{(.*)\}})? (\S+)$", self.metrics.exposition().decode(), re.MULTILINE)
        return {labels: float(value) for labels, value in lines}


READ = 'method="{}",operation="registry.read",service="registry",status="{}"'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    prepare_group(tmp_path / "run")
    return tmp_path / "run"


async def test_whichever_process_is_asked_shows_the_sum_of_all(folder: Path) -> None:
    processes = [Process(folder, 0), Process(folder, 1), Process(folder, 0, "worker")]
    for process in processes:
        process.answer()
        process.pushes.inc("dead")
    processes[1].answer(404, 3.0)
    for process in (*processes, *processes):  # the first iteration publishes the counts
        seen = process.series("balcao_requests_total")
    assert seen == {READ.format("GET", 200): 3, READ.format("GET", 404): 1}
    for process in processes:
        assert process.series("balcao_push_total") == {'outcome="dead"': 3}
        assert process.series("balcao_request_seconds_sum") == {
            'operation="registry.read",service="registry"': pytest.approx(3.006)
        }
        buckets = process.series("balcao_request_seconds_bucket")
        assert buckets['le="0.0025",operation="registry.read",service="registry"'] == 3
        assert buckets['le="+Inf",operation="registry.read",service="registry"'] == 4
        cpu = process.series("process_cpu_seconds_total")
        assert set(cpu) == {'process="api-0"', 'process="api-1"', 'process="worker-0"'}


async def test_a_killed_process_takes_nothing_back_and_its_replacement_goes_on(folder: Path) -> None:
    killed, other = Process(folder, 0), Process(folder, 1)
    killed.answer()
    assert killed.series("balcao_requests_total") == {READ.format("GET", 200): 1}
    killed.answer()  # this response is not published yet
    del killed
    assert other.series("balcao_requests_total") == {READ.format("GET", 200): 1}
    replacement = Process(folder, 0)
    replacement.answer()
    assert replacement.series("balcao_requests_total") == {READ.format("GET", 200): 2}
    assert other.series("balcao_requests_total") == {READ.format("GET", 200): 2}


async def test_an_api_and_a_worker_in_one_process_are_counted_once(folder: Path) -> None:
    process = Process(folder)
    worker = Metrics(process.telemetry, ProcessGroup(folder, role="worker"))
    worker.start()
    process.answer()
    worker.stop()
    assert process.series("balcao_requests_total") == {READ.format("GET", 200): 1}
    assert b'status="200"} 1.0' in worker.exposition()


async def test_what_was_counted_last_is_published_at_the_end(folder: Path) -> None:
    ending, other = Process(folder, 0), Process(folder, 1)
    ending.answer()
    ending.metrics.stop()
    assert other.series("balcao_requests_total") == {READ.format("GET", 200): 1}


async def test_a_file_that_cannot_be_read_is_left_out(folder: Path) -> None:
    (folder / "metrics" / "api-1.msgpack").write_bytes(b"\xc1")
    process = Process(folder, 0)
    process.answer()
    assert process.series("balcao_requests_total") == {READ.format("GET", 200): 1}


def test_a_new_start_of_the_group_begins_at_zero(folder: Path) -> None:
    (folder / "counts-api").touch()
    (folder / "metrics" / "api-7.msgpack").touch()
    prepare_group(folder)
    assert sorted(path.name for path in folder.rglob("*")) == ["counts-api", "metrics"]


def test_alone_a_process_shows_its_own_and_one_operation_once_for_all_methods() -> None:
    process = Process(None)
    process.answer()
    process.answer(405, method="BREW")
    process.answer(405, method="TEA")
    assert process.series("balcao_requests_total") == {READ.format("GET", 200): 1, READ.format("other", 405): 2}
    assert process.series("balcao_request_seconds_count") == {'operation="registry.read",service="registry"': 3}
    assert process.telemetry.counter("balcao_push", "Pushes", "outcome") is process.pushes
