"""The rules and the code state the same numbers (rules: health_units 2)."""

from datetime import timedelta

import pytest
from pydantic import BaseModel

from balcao.core.context import tickets
from balcao.core.webhooks import sending as webhooks
from balcao.health_units import opening, operations, situation
from balcao.health_units.counts import periods
from balcao.health_units.directory.schemas import MapQuery, UnitsQuery
from balcao.health_units.feed import api as feed_api
from balcao.health_units.feed import service as feed
from balcao.health_units.feed import streams
from balcao.health_units.intake import service as intake
from balcao.health_units.notifications.schemas import LogQuery
from balcao.health_units.risk import board
from balcao.health_units.routes import ROUTES
from balcao.health_units.timetables import schemas as timetables
from balcao.settings import fixed_tokens
from tests.support.rules import read_numbers

DAY, HOUR, MINUTE = (timedelta(**{unit: 1}) for unit in ("days", "hours", "minutes"))

(TICKETS,) = (each for each in feed_api.routes.declared if each.key == "health_units.issue_stream_ticket")


def bounds_of(model: type[BaseModel], name: str) -> list[float]:
    """Return a parameter's bounds and its default."""
    field = model.model_fields[name]
    limits = {key: getattr(each, key) for each in field.metadata for key in ("ge", "le") if hasattr(each, key)}
    return [limits["ge"], limits["le"], field.default]


@pytest.mark.parametrize(
    ("sentence", "numbers"),
    [
        (r"has not confirmed the state for (\d+) s, risk reads", [board.USABLE_SECONDS]),
        (r"a full comparison every (\d+) s", [board.COMPARE_SECONDS]),
        (r"`Cache-Control: private, max-age=(\d+)`", [int(operations.CACHE.rpartition("=")[2])]),
        (r"Comment line as heartbeat every (\d+) s", [streams.HEARTBEAT_SECONDS]),
        (r"expiry or after (\d+) h", [streams.LONGEST_SECONDS / 3600]),
        (r"a client with (\d+) KiB of unread data", [streams.MOST_WAITING_BYTES / 1024]),
        (
            r"Limits: (\d+) streams per token client and address, (\d+) for configured portals, (\d+) per process",
            [streams.MOST_OF_CLIENT, streams.MOST_OF_PORTAL, streams.MOST_OF_PROCESS],
        ),
        (r"The feed is retained for (\d+) days", [feed.KEPT_FOR / DAY]),
        (r"an open notification without an event for (\d+) h", [situation.OUTDATED_AFTER / HOUR]),
        (r"next start within (\d+) days", [opening.SEARCH_PERIOD / DAY]),
        (r"start < end, at most (\d+) a day", [opening.MOST_INTERVALS]),
        (r"`ate` dates, at most (\d+) days \(default (\d+)\)", [timetables.LONGEST, timetables.DEFAULT_DAYS]),
        (r"`per_page` (\d+)\.\.(\d+) \((\d+)\), `busca`", bounds_of(UnitsQuery, "per_page")),
        (r"`ate` \(RFC 3339\), `limit` (\d+)\.\.(\d+) \((\d+)\)", bounds_of(LogQuery, "limit")),
        (r"`raio` (\d+)\.\.(\d+) m \((\d+)\)", bounds_of(MapQuery, "raio")),
        (r"`limit` (\d+)\.\.(\d+) \((\d+)\) \| 200 `application/geo\+json`", bounds_of(MapQuery, "limit")),
        (r"every minute \((\d+) s, (\d+) MiB,", [intake.PATIENCE_SECONDS, intake.MOST_BYTES / 1024 / 1024]),
        (r"a 2xx within (\d+) s is a delivery", [webhooks.PATIENCE_SECONDS]),
        (
            r"is sent again after (\d+) s, (\d+) min, (\d+) min, (\d+) h, (\d+) h, (\d+) h and (\d+) h",
            [
                delay / unit
                for delay, unit in zip(
                    webhooks.DELAYS, [timedelta(seconds=1), MINUTE, MINUTE, HOUR, HOUR, HOUR, HOUR], strict=True
                )
            ],
        ),
        (r"409 there are (\d+)", [webhooks.MOST_WEBHOOKS]),
        (r"its last day, at most (\d+) days ahead", [fixed_tokens.LONGEST_DAYS]),
        (r"A ticket is valid once, within (\d+) s, in every", [tickets.LIFE / timedelta(seconds=1)]),
        (
            r"the query of the stream, (\d+) a minute for a person, (\d+) for a machine",
            [int(str(each).partition("/")[0]) for each in (TICKETS.rate, TICKETS.machine_rate)],
        ),
        (r"`retry` (\d+)", [int(streams.BEGINNING.split()[1])]),
        (r"The secret, (\d+) random bytes", [webhooks.SECRET_BYTES]),
        (
            r"(\d+)/s per user token, (\d+)/s per service client",
            [
                int(str(rate).partition("/")[0])
                for rate in (ROUTES.options.get("rate"), ROUTES.options.get("machine_rate"))
            ],
        ),
    ],
)
def test_the_page_tells_the_numbers_of_the_product(sentence: str, numbers: list[float]) -> None:
    assert read_numbers("health_units", sentence) == numbers


def test_counts_reach_over_five_years_with_their_leap_day() -> None:
    assert periods.MOST_DAYS == 5 * 366


def test_the_state_is_shown_until_it_is_two_minutes_old(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("balcao.health_units.risk.board.time.monotonic", lambda: now)
    shown = board.UnitBoard()
    for age, fresh in ((120.0, True), (120.1, False)):
        shown.confirmed_at = now - age
        assert shown.fresh is fresh
