"""`balcao top`: the rates between two readings of the metrics, and the output for a running platform."""

import io
import json
import math
from collections.abc import Sequence

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr
from rich.console import Console, Group

from balcao import app
from balcao.cli import top
from balcao.core.telemetry import BOUNDS, Telemetry
from balcao.operate.faults import OperatorFault
from balcao.operate.readings import MetricsSource, Picture, Reading, compare_readings
from balcao.settings import Settings
from tests.support.fixture_types import Sql
from tests.support.server import RunningServer, free_port

EARLIER, LATER = 1_000.0, 1_010.0
ACCESS = """balcao_requests_total{{service="access",operation="access.check",method="GET",status="{status}"}} {count}
"""


def answering(telemetry: Telemetry, durations: Sequence[float], status: int = 200) -> str:
    """Count one response for each duration, and return the metrics."""
    for seconds in durations:
        telemetry.meter("registry", "registry.read", "GET").count(status, seconds)
    return telemetry.exposition(telemetry.numbers("api-0")).decode()


def seen(before: str, after: str) -> Picture:
    return compare_readings(Reading.parse([before], EARLIER), Reading.parse([after], LATER))


@given(
    earlier=st.lists(st.floats(0.0001, 20), max_size=20),
    durations=st.lists(st.floats(0.0001, 20), min_size=1, max_size=60),
)
def test_times_and_rates_are_those_of_the_answers_between_two_readings(
    earlier: list[float], durations: list[float]
) -> None:
    telemetry = Telemetry()
    [service] = seen(answering(telemetry, [*earlier, 1]), answering(telemetry, durations)).services
    assert service.requests_per_second == pytest.approx(len(durations) / 10, abs=0.01)
    assert service.error_share == 0
    edges = [0.0, *BOUNDS]
    for share, shown in ((0.5, service.p50_ms), (0.95, service.p95_ms), (0.99, service.p99_ms)):
        true = sorted(durations)[math.ceil(share * len(durations)) - 1]
        lower = max((edge for edge in edges if edge < true), default=0.0)
        upper = min((edge for edge in edges if edge >= true), default=edges[-1])
        assert shown is not None
        assert lower * 1000 - 0.1 <= shown <= upper * 1000 + 0.1


def test_a_service_that_nobody_called_has_no_share_and_no_time() -> None:
    telemetry = Telemetry()
    text = answering(telemetry, [0.1])
    [service] = seen(text, text).services
    assert (service.requests_per_second, service.error_share, service.p99_ms) == (0, None, None)


def test_errors_are_5xx_alone_and_counters_that_begin_anew_count_from_nothing() -> None:
    before = (
        ACCESS.format(status=200, count=100) + ACCESS.format(status=404, count=0) + ACCESS.format(status=503, count=5)
    )
    after = ACCESS.format(status=200, count=6) + ACCESS.format(status=404, count=2) + ACCESS.format(status=503, count=7)
    [service] = seen(before, after).services
    assert (service.requests_per_second, service.error_share) == (1.0, 0.2)


def test_what_several_addresses_know_alike_is_not_counted_twice() -> None:
    jobs = 'balcao_jobs{kind="crm_push",state="dead"} 3\nbalcao_jobs_oldest_due_seconds{kind="crm_push"} 75\n'
    api = jobs + 'balcao_process_beat_timestamp_seconds{process="api-0"} 500\n'
    worker = jobs + 'balcao_process_beat_timestamp_seconds{process="worker-0"} 490\n'
    reading = Reading.parse([api, worker], LATER)
    picture = compare_readings(Reading(EARLIER), reading, ["http://127.0.0.1:8092/metrics"])
    assert (picture.dead_jobs, picture.oldest_due_seconds) == (3, 75)
    assert [(process.name, process.beats) for process in picture.processes] == [("api-0", True), ("worker-0", False)]
    drawn = Console(width=120, file=io.StringIO(), record=True)
    drawn.print(top.draw(picture))
    shown = drawn.export_text()
    for words in ("falharam de vez: 3", "1 min 15 s", "sem sinal", "Não responde: http://127.0.0.1:8092/metrics"):
        assert words in shown


@pytest.mark.long
def test_it_shows_the_instance_that_runs(
    settings: Settings,
    server: RunningServer,
    http: httpx.Client,
    sql: Sql,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here = settings.model_copy(update={"port": server.port})
    sql(
        "INSERT INTO queue.pgqueuer (priority, entrypoint, execute_after, status) "
        "VALUES (0, 'crm_push', now() - interval '2 minutes', 'queued'), (0, 'crm_push', now(), 'failed')"
    )
    source = MetricsSource(here)
    with source.http:
        before = source.read()
        assert http.get("/registry/v1/liveness").status_code == 200
        picture = compare_readings(before, source.read())
    assert picture.database_up
    assert {queue.kind: queue.dead for queue in picture.queues}["crm_push"] == 1
    assert picture.oldest_due_seconds >= 120
    assert picture.crm_lag_seconds == {"event": 0, "push": 0, "request": 0}
    assert picture.processes[0].connections_limit > 0
    assert {service.service: service.requests_per_second > 0 for service in picture.services}["registry"]
    monkeypatch.setattr(Settings, "load", lambda: here)
    top.top(as_json=True, interval=0)
    assert json.loads(capsys.readouterr().out)["dead_jobs"] == picture.dead_jobs
    top.top(once=True, interval=0)
    assert "Banco de dados: responde" in capsys.readouterr().out


def test_on_a_terminal_one_picture_follows_the_other_until_ctrl_c(
    settings: Settings, server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = io.StringIO()
    monkeypatch.setattr(top, "console", Console(width=120, file=shown, force_terminal=True))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr(Settings, "load", lambda: settings.model_copy(update={"port": server.port}))
    pictures, draw = [], top.draw

    def draw_two(picture: Picture) -> Group:
        pictures.append(picture)
        if len(pictures) > 2:
            raise KeyboardInterrupt
        return draw(picture)

    monkeypatch.setattr(top, "draw", draw_two)
    top.top(interval=0)
    assert len(pictures) == 3
    assert "Banco de dados: responde" in shown.getvalue()


def read_once(settings: Settings) -> Reading:
    source = MetricsSource(settings)
    with source.http:
        return source.read()


def test_where_nothing_runs_or_somebody_else_does_one_sentence_says_so(settings: Settings, database_url: str) -> None:
    nowhere = settings.model_copy(update={"management_port": free_port(), "worker_management_port": free_port()})
    with pytest.raises(OperatorFault, match=r"Nada responde em .* nem em "):
        read_once(nowhere)
    guarded = settings.model_copy(update={"metrics_token": SecretStr("de-quem-mede")})
    apart = settings.model_copy(update={"management_port": free_port()})
    for served, sentence in ((guarded, "outro BALCAO_METRICS_TOKEN"), (apart, "não mostra métricas")):
        with (
            RunningServer(app.build_application(served, database_url, ["agents"])) as other,
            pytest.raises(OperatorFault, match=sentence),
        ):
            read_once(settings.model_copy(update={"port": other.port}))
