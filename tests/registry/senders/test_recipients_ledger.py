"""The answer to a check agrees with the ledger, for random people and choices (rules: registry 4.17)."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from balcao.core.context.call import Call
from balcao.core.values.cpf import Cpf
from balcao.registry.consent.preferences import service as preferences
from balcao.registry.consent.preferences.changes import RequestedChange
from balcao.settings import Settings
from tests.registry.registry_client import new_cpf
from tests.registry.senders.sender_calls import Sender
from tests.support.fixture_types import Sql
from tests.support.operator_calls import Act, acting
from tests.support.proof_sizes import size

DEFAULTS = {"health": True, "courses": False}
PEOPLE = 10  # number of people in each example
EXAMPLES = size(12, 1_000)


class Life(NamedTuple):
    """A person's history: whether the registry imported them, their choices, and perhaps an erasure in between."""

    is_imported: bool
    is_mirrored: bool
    is_dead: bool
    choices: list[tuple[str | None, bool]]
    erased_after: int | None


LIVES = st.builds(
    Life,
    st.booleans(),
    st.booleans(),
    st.integers(0, 9).map(lambda drawn: drawn == 0),
    st.lists(st.tuples(st.sampled_from([None, "health", "courses"]), st.booleans()), max_size=5),
    st.one_of(st.none(), st.none(), st.none(), st.integers(0, 5)),
)


@pytest.fixture(scope="module")
def act(settings: Settings, database_url: str) -> Iterator[Act]:
    with acting(settings, database_url, "registry.tested") as done:
        yield done


async def choose(call: Call, cpf: str, category: str | None, wanted: bool) -> None:
    change = RequestedChange("web", wanted) if category is None else RequestedChange("web", None, {category: wanted})
    await preferences.apply_change(call, Cpf(cpf), change)


def live(cpf: str, life: Life, act: Act, sql: Sql) -> bool:
    """Store the person's history, and return whether the registry knows the person."""
    if life.is_imported:
        record = '{"obito": {"indicador": true}}' if life.is_dead else '{"nome": "Invented"}'
        sql("INSERT INTO registry.base_record (cpf, record, source) VALUES ($1, $2::jsonb, 'test')", cpf, record)
    if life.is_mirrored:
        sql("INSERT INTO registry.mirror_head (cpf) VALUES ($1)", cpf)
    for place, (category, wanted) in enumerate([*life.choices, (None, None)]):
        if place == life.erased_after:
            sql(
                """INSERT INTO registry.mirror_head (cpf, anonymised_at) VALUES ($1, clock_timestamp())
                   ON CONFLICT (cpf) DO UPDATE SET anonymised_at = excluded.anonymised_at""",
                cpf,
            )
        if wanted is not None:
            act(choose, cpf, category, wanted)
    is_erased = life.erased_after is not None and life.erased_after <= len(life.choices)
    return life.is_imported or life.is_mirrored or is_erased


def expect(cpf: str, category: str, life: Life, is_known: bool, sql: Sql) -> dict[str, Any]:
    """Compute the expected answer from the ledger, the choices and the erasure."""
    entries = sql("SELECT * FROM registry.preference_ledger WHERE cpf = $1 ORDER BY seq", cpf)
    erased_at = sql("SELECT max(anonymised_at) AS at FROM registry.mirror_head WHERE cpf = $1", cpf)[0]["at"]
    of_category = [entry for entry in entries if entry["category"] == category]
    of_all = [entry for entry in entries if entry["category"] is None]
    wants_all = of_all[-1]["new_value"] if of_all else True
    # A choice that equals the default is stored without a ledger entry, but it still counts as a choice.
    has_chosen = any(chosen == category for chosen, _ in life.choices)
    wants = of_category[-1]["new_value"] if of_category else DEFAULTS[category] and (is_known or has_chosen)
    if erased_at is not None:
        stored = sql(
            "SELECT updated_at FROM registry.preference_choice WHERE cpf = $1 AND category_id = $2", cpf, category
        )
        wants = wants and bool(stored) and stored[0]["updated_at"] > erased_at
    if not (wants_all and wants) or (life.is_imported and life.is_dead):
        return {"accepts": False, "basis": None, "proof": []}
    proof = [str(entries_of[-1]["id"]) for entries_of in (of_category, of_all) if entries_of]
    return {"accepts": True, "basis": "choice" if has_chosen else "default", "proof": proof}


def test_the_answer_equals_the_ledger(sender: Sender, act: Act, sql: Sql) -> None:
    @hypothesis_settings(max_examples=EXAMPLES, deadline=None)
    @given(st.lists(LIVES, min_size=PEOPLE, max_size=PEOPLE), st.sampled_from(sorted(DEFAULTS)))
    def answers_equal(lives: list[Life], category: str) -> None:
        people = {new_cpf(): life for life in lives}
        known = {cpf: live(cpf, life, act, sql) for cpf, life in people.items()}
        found = sender.check(category, cpfs=list(people))
        assert [each["recipient"] for each in found] == list(people)
        for answer, (cpf, life) in zip(found, people.items(), strict=True):
            expected = expect(cpf, category, life, known[cpf], sql)
            assert {name: answer[name] for name in expected} == expected

    answers_equal()
