"""The documentation page about trust and the code state the same numbers."""

import re
from datetime import timedelta
from pathlib import Path

import pytest

from balcao.core.access import fixed_tokens, keys, logout_tokens, refusals, sessions, tokens
from balcao.core.access.keys import (  # as they were before tests.support.raised_deadlines
    FETCH_SECONDS,
    UNKNOWN_KEY_SECONDS,
)
from balcao.settings import Settings
from balcao.settings.fixed_tokens import LONGEST_DAYS

DOCS = Path(__file__).parents[2] / "docs"
TRUST = "explain/trust.md"


@pytest.mark.parametrize(
    ("sentence", "value", "expected"),
    [
        ("`exp` and `nbf` are valid, with ten seconds of leeway", tokens.LEEWAY_SECONDS, 10),
        ("one over 16 kB", tokens.MAX_TOKEN_BYTES, 16 * 1024),
        ("are fetched every five minutes", keys.REFRESH_SECONDS, 300),
        ("within five seconds and 256 KiB", (FETCH_SECONDS, keys.MAX_DOCUMENT_BYTES), (5, 256 * 1024)),
        ("the known keys stay in use, for an hour at most", keys.LONGEST_AGE_SECONDS, 3600),
        ("triggers a fetch, at most once in three seconds", UNKNOWN_KEY_SECONDS, 3),
        ("Each address gets five such 503 a minute", (refusals.PENDING_KEYS, refusals.PENDING_SECONDS), (5, 60)),
        ("`BALCAO_REFUSED_RATE` (300 a minute)", Settings().refused_rate, "300/minute"),
        (
            "In ten seconds, a process logs at most 500 refusals",
            (refusals.MOST_LINES, refusals.SUMMARY_SECONDS),
            (500, 10),
        ),
        ("must be at most ten minutes old", logout_tokens.LONGEST_AGE_SECONDS, 600),
        ("a poll of the table every five seconds", sessions.POLL_SECONDS, 5),
        ("in `platform.ended_session` for 24 hours", sessions.RETENTION_PERIOD, timedelta(hours=24)),
    ],
)
def test_the_page_tells_the_numbers_of_tokens(sentence: str, value: object, expected: object) -> None:
    assert value == expected
    assert sentence in re.sub(r"\s+", " ", (DOCS / TRUST).read_text("utf-8"))


def test_the_rules_tell_those_of_fixed_tokens() -> None:
    assert (LONGEST_DAYS, fixed_tokens.CHECK_SECONDS) == (400, 5)
    page = (DOCS / "reference/rules/health_units.md").read_text("utf-8")
    assert "its last day, at most 400 days ahead" in page
    assert "read again within five seconds of a change" in page
