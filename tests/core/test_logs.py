"""Log lines of the platform and its libraries: each is one JSON object without personal data."""

import io
import json
import logging
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.core import logs
from balcao.core.request_log import RequestLog
from balcao.core.values.cpf import Cpf
from balcao.core.values.text import has_control
from tests import conftest


def line_of(caplog: pytest.LogCaptureFixture) -> dict[str, object]:
    """Return the last log record, formatted by our formatter."""
    line = logs.create_formatter().format(caplog.records[-1])
    assert "\n" not in line
    return dict(json.loads(line))


def test_a_record_of_ours_is_one_json_object_with_the_id_of_its_request(caplog: pytest.LogCaptureFixture) -> None:
    token = logs.request_id.set("request-of-this-test")
    logs.log.warning("something.happened", text="linha\nação", count=3)
    logs.request_id.reset(token)
    line = line_of(caplog)
    assert line.pop("timestamp")
    assert line == {
        "event": "something.happened",
        "level": "warning",
        "text": "linha\nação",
        "count": 3,
        "request_id": "request-of-this-test",
    }


def test_a_record_of_a_library_is_one_json_object_too(caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("some.library").warning("so many: %d", 3)
    line = line_of(caplog)
    assert (line["event"], line["level"]) == ("so many: 3", "warning")


def test_on_a_terminal_a_record_is_a_short_line_without_colours_for_who_wants_none(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    logging.getLogger("some.library").warning("so many: %d", 3)
    formatter = logs.create_formatter(readable=True)
    assert re.fullmatch(
        r"\x1b\[2m\d\d:\d\d:\d\d\x1b\[0m \x1b\[33mwarning\x1b\[0m so many: 3", formatter.format(caplog.records[-1])
    )
    monkeypatch.setenv("NO_COLOR", "1")
    assert re.fullmatch(r"\d\d:\d\d:\d\d warning so many: 3", formatter.format(caplog.records[-1]))
    event = {"event": "x", "level": "info", "timestamp": "t", "count": 3, "text": "linha\n\x1b[31m", "code": "a-b"}
    assert logs.format_for_terminal(event)[9:] == 'info    x count=3 text="linha\\n\\u001b[31m" code=a-b'


@pytest.mark.parametrize(("status", "shown"), [(200, False), (404, False), (503, True)])
async def test_on_a_terminal_a_request_is_a_short_line_with_the_id_of_what_went_wrong(
    monkeypatch: pytest.MonkeyPatch, status: int, shown: bool
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    logging.getLogger().addHandler(handler)
    requests = RequestLog(readable=True)
    try:
        logging.getLogger(logs.LOGGER_NAME).setLevel(logging.INFO)
        requests.add(("registry", "registry.read_pet", "GET"), status, 0.0123, "the-id")
        requests.add(("crm", "query", "GET"), 200, 0, "")
        requests.add(("search", "", "GET"), 404, 0, "")
        requests.flush()
    finally:
        logging.getLogger(logs.LOGGER_NAME).setLevel(logging.NOTSET)
        logging.getLogger().removeHandler(handler)
    lines = [line[9:] for line in written.getvalue().splitlines()]
    assert lines == [
        f"{status} GET registry.read_pet 12 ms{' the-id' if shown else ''}",
        "200 GET crm query 0 ms",
        "404 GET search 0 ms",
    ]


@pytest.mark.parametrize(("level", "logged"), [(logging.INFO, [503]), (logging.DEBUG, [200, 503])])
async def test_a_health_check_that_passes_is_logged_at_the_level_debug_only(level: int, logged: list[int]) -> None:
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    logging.getLogger().addHandler(handler)
    requests = RequestLog(readable=False)
    try:
        logging.getLogger(logs.LOGGER_NAME).setLevel(level)
        for status in (200, 503):
            requests.add(("registry", "registry.readiness", "GET"), status, 0, "the-id")
        requests.flush()
    finally:
        logging.getLogger(logs.LOGGER_NAME).setLevel(logging.NOTSET)
        logging.getLogger().removeHandler(handler)
    lines = [json.loads(line) for line in written.getvalue().splitlines()]
    assert [line["status"] for line in lines] == logged
    assert [line["level"] for line in lines] == ["debug", "info"][-len(logged) :]


@pytest.mark.cases("registry", "A8")
def test_a_cpf_is_masked_when_it_gets_into_a_record(caplog: pytest.LogCaptureFixture) -> None:
    cpf = Cpf.with_stem("900000001")
    logs.log.warning("something.happened", whose=cpf)
    assert line_of(caplog)["whose"] == f"Cpf({cpf.masked})"


def test_of_an_exception_only_the_kind_and_the_place_are_kept(caplog: pytest.LogCaptureFixture) -> None:
    try:
        raise ValueError("a value of somebody")
    except ValueError as failure:
        logs.log.error("something.failed", exc_info=failure)
    line = line_of(caplog)
    assert line["exception"] == "ValueError"
    assert "somebody" not in json.dumps(line)


@given(st.text(), st.characters(categories=["Cc", "Cs"]), st.text())
def test_a_control_character_is_found_wherever_it_stands(before: str, control: str, after: str) -> None:
    assert has_control(before + control + after)


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"])))
def test_text_without_control_characters_passes(text: str) -> None:
    assert not has_control(text)


def test_a_failing_test_shows_what_it_printed_and_where_its_log_is() -> None:
    printed, logged = ("Captured stdout call", "seen"), ("Captured log call", "pages of lines")
    report = pytest.TestReport("x", ("x", 1, "x"), {}, "failed", None, "call", sections=[printed, logged])
    hook = conftest.pytest_runtest_makereport()
    next(hook)
    with pytest.raises(StopIteration):
        hook.send(report)
    assert report.sections[0] == printed
    assert [title for title, _ in report.sections] == ["Captured stdout call", "Log"]
