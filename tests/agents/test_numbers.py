"""The rules and the code state the same numbers (rules: agents 2)."""

import re
from datetime import timedelta
from typing import Any

import pytest

from balcao.agents.datasets import incoming, retention
from balcao.agents.datasets import schemas as datasets
from balcao.agents.experiments import schemas as experiments
from balcao.agents.experiments import service as experiments_service
from balcao.agents.history import service as history
from balcao.agents.prompts import check
from balcao.agents.queries import AGENT_TYPE
from balcao.agents.versions import api, cache
from balcao.agents.versions import schemas as versions
from balcao.core.http.operations import MIB
from tests.support.rules import read_numbers

KIB = 1024


def repetitions(pattern: str) -> list[int]:
    """Return the minimum and maximum repetitions of the pattern's only character class."""
    return [int(number) for number in re.findall(r"\{(\d+),(\d+)\}", pattern)[0]]


@pytest.mark.parametrize(
    ("sentence", "numbers"),
    [
        (r"name of a kind of agent, `\^\[A-Za-z0-9_\.-\]\{(\d+),(\d+)\}\$`", repetitions(AGENT_TYPE)),
        (r"`first` \((\d+)\.\.(\d+), default (\d+)\), `after` \(cursor", [1, datasets.MAX_PAGE, datasets.MAX_PAGE]),
        (r"`first` 1\.\.(\d+) \((\d+)\), `after` \| 200 `\{\"data\":\{\"datasets\"", [datasets.MAX_LIST_PAGE] * 2),
        (r"JSON array or JSON lines, 1\.\.(\d+) of `\{input", [incoming.MAX_IMPORT]),
        (r"come in a body of at most (\d+) MiB", [incoming.MAX_BODY_BYTES / MIB]),
        (
            r"objects, <= (\d+) KiB each, depth <= (\d+)",
            [incoming.MAX_OBJECT_BYTES / KIB, incoming.MAX_OBJECT_DEPTH],
        ),
        (r"Runs are removed (\d+) days after their example", [retention.RETENTION_PERIOD / timedelta(days=1)]),
        (r": the newest (\d+) \|", [experiments_service.MAX_LISTED]),
        (r"at most (\d+) annotations with different names", [experiments.MAX_ANNOTATIONS]),
        (r"`first` 1\.\.(\d+) \((\d+)\), `after` \| 200 `\{\"data\":\{\"experiment\"", [experiments.MAX_PAGE] * 2),
        (r"a page whose memory blocks would exceed (\d+) MiB", [history.MAX_RESPONSE_BYTES / MIB]),
        (r"`content` = first (\d+) characters", [history.PREVIEW]),
        (r"a text of more than (\d+) characters", [versions.LONGEST_PROMPT]),
        (r"It returns at most (\d+) problems", [check.MAX_PROBLEMS]),
        (r"`Cache-Control: private, max-age=(\d+), immutable`", [int(re.findall(r"\d+", api.CACHE)[0])]),
        (r"In-process cache of (\d+) bodies", [cache.SIZE]),
    ],
)
def test_the_page_tells_the_numbers_of_the_product(sentence: str, numbers: list[float]) -> None:
    assert read_numbers("agents", sentence) == numbers


def test_a_version_takes_what_the_page_allows_and_not_one_more() -> None:
    blocks, label, value, limit = read_numbers(
        "agents",
        r"array of objects \| <= (\d+); each `label` 1\.\.(\d+) \(unique\), `value` string <= (\d+), `limit` optional"
        r" 1\.\.(\d+)",
    )
    tools, tool = read_numbers("agents", r"array of string \| <= (\d+), each 1\.\.(\d+), unique")
    at_most: dict[str, Any] = {
        "memory_blocks": [{"label": f"{number}".zfill(int(label)), "value": ""} for number in range(int(blocks))],
        "tools": [f"{number}".zfill(int(tool)) for number in range(int(tools))],
        "model_name": "m" * 100,
    }
    versions.ConfigBody.model_validate(at_most)
    block = {"label": "a", "value": "v" * int(value), "limit": int(limit)}
    versions.ConfigBody.model_validate({"memory_blocks": [block]})
    for beyond in (
        {"memory_blocks": [*at_most["memory_blocks"], {"label": "a", "value": ""}]},
        {"memory_blocks": [{"label": "a" * int(label + 1), "value": ""}]},
        {"memory_blocks": [block | {"value": "v" * int(value + 1)}]},
        {"memory_blocks": [block | {"limit": int(limit + 1)}]},
        {"tools": [*at_most["tools"], "a"]},
        {"tools": ["a" * int(tool + 1)]},
        {"model_name": "m" * 101},
    ):
        with pytest.raises(ValueError, match="1 validation error"):
            versions.ConfigBody.model_validate(beyond)
