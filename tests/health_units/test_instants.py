"""All times in responses have the city's UTC offset and no fractions of a second (rules: health_units 1)."""

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import httpx
import pytest

from balcao.health_units import SERVICE

_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d.*")
_OF_THE_CITY = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d-03:00")


def list_instants(found: Any) -> Iterator[str]:
    if isinstance(found, dict | list):
        for each in found.values() if isinstance(found, dict) else found:
            yield from list_instants(each)
    elif isinstance(found, str) and _INSTANT.fullmatch(found):
        yield found


def find_foreign(found: Any) -> list[str]:
    return [text for text in list_instants(found) if not _OF_THE_CITY.fullmatch(text)]


@pytest.mark.cases("health_units", "63")
def test_no_example_of_a_response_has_an_instant_of_another_offset() -> None:
    """The examples are real responses of the platform with the demo city, one for each operation."""
    examples = json.loads((files(SERVICE.package) / "response_examples.json").read_bytes())
    assert len(list(list_instants(examples))) > 20
    assert find_foreign(examples) == []


@pytest.mark.cases("health_units", "63")
def test_tickets_and_health_have_instants_of_the_city(http: httpx.Client, citizen: dict[str, str]) -> None:
    answers = [
        http.get("/health-units/liveness"),
        http.get("/health-units/readiness"),
        http.post("/health-units/unidades/eventos/bilhetes", headers=citizen),
    ]
    for answer in answers:
        assert list(list_instants(answer.json())) != []
        assert find_foreign(answer.json()) == []
