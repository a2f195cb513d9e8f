"""Saving agent versions and changing the active version."""

import asyncio
import itertools
from typing import Any

import asyncpg
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.agents.versions import service
from balcao.agents.versions.content import EMPTY, classify_change, inherit_content
from balcao.agents.versions.schemas import SaveBody
from balcao.core.access.caller import from_claims
from balcao.core.access.rules import Decision, Reason
from balcao.core.context.call import Call
from balcao.core.errors import Conflict, Forbidden, Invalid, NotFound, Unavailable
from tests.support.polling import PATIENCE
from tests.support.proof_sizes import size

_names = (f"agent-{number}" for number in itertools.count(1))


@pytest.fixture
def agent() -> str:
    return next(_names)


def body(agent: str, **content: Any) -> SaveBody:
    return SaveBody.model_validate({"agent_type": agent} | content)


def someone_with(call: Call, action: str) -> Call:
    """Return a call by a person without roles, which the access decision allowed because of this action."""
    caller = from_claims({"sub": "editor", "cpf": "90000000175", "exp": 4e9})
    return Call(call.platform, "agents.test", "", Decision(Reason.GRANTED, action), caller)


async def read_rows(call: Call, statement: str, *args: object) -> list[asyncpg.Record]:
    async with call.platform.database.connection() as connection:
        return list(await connection.fetch(statement, *args))


async def read_active_version(call: Call, agent: str) -> int:
    (row,) = await read_rows(
        call,
        "SELECT version FROM agents.agents JOIN agents.agent_versions ON version_id = active_version_id"
        " WHERE agents.agent_type = $1",
        agent,
    )
    number: int = row["version"]
    return number


async def read_log(call: Call, agent: str) -> list[tuple[int | None, int, str]]:
    found = await read_rows(call, "SELECT * FROM agents.agent_activations WHERE agent_type = $1 ORDER BY id", agent)
    return [(row["from_version"], row["to_version"], row["kind"]) for row in found]


@pytest.mark.cases("agents", "13")
async def test_what_is_absent_is_inherited_and_null_empties(call: Call, agent: str) -> None:
    await service.save_version(call, body(agent, prompt_content="Um", tools=["a"], model_name="m"))
    second = (await service.save_version(call, body(agent, prompt_content="Dois"))).version
    assert (second.version, second.change_type, second.content.tools) == (2, "prompt", ["a"])
    third = (await service.save_version(call, body(agent, tools=None))).version
    assert (third.change_type, third.content.tools, third.content.prompt) == ("config", [], "Dois")
    fourth = (await service.save_version(call, body(agent, prompt_content="Três", model_name="n"))).version
    assert fourth.change_type == "both"
    assert await read_active_version(call, agent) == 4


@pytest.mark.cases("agents", "14")
async def test_equal_content_makes_no_second_version(call: Call, agent: str) -> None:
    first = await service.save_version(
        call, body(agent, prompt_content="Um", memory_blocks=[{"label": "a", "value": "b"}])
    )
    again = await service.save_version(call, body(agent, memory_blocks=[{"value": "b", "label": "a"}]))
    assert (first.new, again.new) == (True, False)
    assert first.version.config_id == again.version.config_id
    assert len(await read_log(call, agent)) == 1


async def test_a_save_without_content_is_invalid_and_makes_no_agent(call: Call, agent: str) -> None:
    with pytest.raises(Invalid):
        await service.save_version(call, body(agent, reason="nada"))
    assert await service.read_last_number(call, agent) == 0


async def test_a_save_without_activation_leaves_pointer_and_log(call: Call, agent: str) -> None:
    await service.save_version(call, body(agent, prompt_content="Um"))
    await service.save_version(call, body(agent, prompt_content="Dois", activate=False))
    assert (await read_active_version(call, agent), await service.read_last_number(call, agent)) == (1, 2)
    assert await read_log(call, agent) == [(None, 1, "save")]


@pytest.mark.cases("agents", "18")
async def test_parallel_saves_in_two_processes_are_numbered_without_gap(
    call: Call, second_process: Call, agent: str
) -> None:
    count = size(30, 40)
    await service.save_version(call, body(agent, prompt_content="0"))
    saves = [
        service.save_version((call, second_process)[number % 2], body(agent, prompt_content=f"texto {number}"))
        for number in range(1, count + 1)
    ]
    numbers = [saved.version.version for saved in await asyncio.gather(*saves)]
    assert sorted(numbers) == list(range(2, count + 2))
    moves = await read_log(call, agent)
    assert len(moves) == count + 1
    assert [before for before, _, _ in moves[1:]] == [after for _, after, _ in moves[:-1]]
    assert await read_active_version(call, agent) == moves[-1][1] == count + 1


async def test_of_two_saves_expecting_the_same_version_one_conflicts(call: Call, agent: str) -> None:
    await service.save_version(call, body(agent, prompt_content="Um"))
    saves = [service.save_version(call, body(agent, prompt_content=text, expected_version=1)) for text in ("A", "B")]
    results = await asyncio.gather(*saves, return_exceptions=True)
    assert sum(isinstance(result, Conflict) for result in results) == 1
    assert await service.read_last_number(call, agent) == 2


async def test_rolling_back_twice_comes_back(call: Call, agent: str) -> None:
    for text in ("Um", "Dois", "Três"):
        await service.save_version(call, body(agent, prompt_content=text))
    await service.activate_version(call, agent, 1, "teste")
    await service.roll_back_agent(call, agent, "teste")
    assert await read_active_version(call, agent) == 3
    await service.roll_back_agent(call, agent, "teste")
    assert await read_active_version(call, agent) == 1
    assert (await read_log(call, agent))[3:] == [(3, 1, "activate"), (1, 3, "rollback"), (3, 1, "rollback")]
    await service.activate_version(call, agent, 1, "de novo")
    assert len(await read_log(call, agent)) == 6


async def test_there_is_no_way_back_before_the_first_or_to_what_was_never_active(call: Call, agent: str) -> None:
    await service.save_version(call, body(agent, prompt_content="Um"))
    with pytest.raises(Conflict):
        await service.roll_back_agent(call, agent, "teste")
    await service.save_version(call, body(agent, prompt_content="Dois", activate=False))
    with pytest.raises(Conflict):
        await service.roll_back_agent(call, agent, "teste", to=2)
    with pytest.raises(NotFound):
        await service.roll_back_agent(call, agent, "teste", to=9)


@pytest.mark.cases("agents", "25")
async def test_hidden_versions_keep_their_number_and_are_never_activated(call: Call, agent: str) -> None:
    await service.save_version(call, body(agent, prompt_content="Um"))
    await service.save_version(call, body(agent, prompt_content="Dois", activate=False))
    with pytest.raises(Conflict):
        await service.hide_version(call, agent, 1, "teste")
    await service.hide_version(call, agent, 2, "teste")
    with pytest.raises(NotFound):
        await service.activate_version(call, agent, 2, "teste")
    third = await service.save_version(call, body(agent, prompt_content="Três"))
    assert third.version.version == 3


@pytest.mark.cases("agents", "48")
async def test_a_rollback_passes_over_hidden_versions(call: Call, agent: str) -> None:
    for text in ("Um", "Dois", "Três", "Quatro"):
        await service.save_version(call, body(agent, prompt_content=text))
    for number in (3, 2):
        await service.hide_version(call, agent, number, "teste")
    await service.roll_back_agent(call, agent, "teste")
    assert await read_active_version(call, agent) == 1
    await service.roll_back_agent(call, agent, "teste")
    assert await read_active_version(call, agent) == 4
    await service.activate_version(call, agent, 1, "teste")
    await service.hide_version(call, agent, 4, "teste")
    with pytest.raises(Conflict):
        await service.roll_back_agent(call, agent, "teste")


async def test_taking_back_hides_and_needs_the_right_to_that_too(call: Call, agent: str) -> None:
    await service.save_version(call, body(agent, prompt_content="Um"))
    await service.save_version(call, body(agent, prompt_content="Dois"))
    with pytest.raises(Forbidden):
        await service.undo_newest_version(someone_with(call, service.ACTIVATE), agent)
    assert await read_active_version(call, agent) == 2


async def test_of_two_who_take_back_the_same_version_one_does(call: Call, second_process: Call, agent: str) -> None:
    for text in ("Um", "Dois", "Três"):
        await service.save_version(call, body(agent, prompt_content=text))
    results = await asyncio.gather(
        *(service.undo_newest_version(each, agent, 3) for each in (call, second_process)), return_exceptions=True
    )
    assert sum(isinstance(result, Conflict) for result in results) == 1
    assert await read_active_version(call, agent) == 2


@pytest.mark.cases("agents", "30")
async def test_a_save_that_dies_before_its_commit_leaves_nothing(call: Call, agent: str, database_url: str) -> None:
    """The connection is killed while the save waits for a lock.

    By then, the save has written the version and the active pointer.
    """
    blocker = await asyncpg.connect(database_url)
    try:
        async with blocker.transaction():
            await blocker.execute("LOCK TABLE agents.agent_activations IN ACCESS EXCLUSIVE MODE")
            save = asyncio.create_task(service.save_version(call, body(agent, prompt_content="Um")))
            async with asyncio.timeout(PATIENCE):
                while not await blocker.fetchval(  # noqa: ASYNC110 - no event reports a lock wait
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_locks"
                    " WHERE NOT granted AND relation = 'agents.agent_activations'::regclass"
                ):
                    await asyncio.sleep(0)
            with pytest.raises(Unavailable):
                await save
    finally:
        await blocker.close()
    assert await read_rows(call, "SELECT FROM agents.agent_versions WHERE agent_type = $1", agent) == []
    assert await service.read_last_number(call, agent) == 0


async def test_activating_needs_its_own_right(call: Call, agent: str) -> None:
    editor = someone_with(call, service.CREATE)
    with pytest.raises(Forbidden):
        await service.save_version(editor, body(agent, prompt_content="Um"))
    assert await service.read_last_number(call, agent) == 0
    saved = await service.save_version(editor, body(agent, prompt_content="Um", activate=False))
    assert saved.version.version == 1


@pytest.mark.cases("agents", "29")
async def test_a_large_prompt_with_markup_is_stored_unchanged(call: Call, agent: str) -> None:
    prompt = ("<script>alert(1)</script>\r\n\t'\"; DROP TABLE x; --é" * 5000)[:200_000]
    saved = await service.save_version(call, body(agent, prompt_content=prompt))
    assert (await service.read_version_content(call, agent, saved.version.version)).content.prompt == prompt


@pytest.mark.parametrize(
    "statement",
    ["UPDATE agents.agent_versions SET prompt = ''", "DELETE FROM agents.agent_versions",
     "UPDATE agents.agent_activations SET reason = ''", "DELETE FROM agents.agent_activations"],
)  # fmt: skip
async def test_the_services_own_role_cannot_rewrite_what_was_written(call: Call, statement: str) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await read_rows(call, statement)


def block(**members: Any) -> dict[str, Any]:
    return {"label": "a", "value": "b"} | members


@pytest.mark.cases("agents", "16")
@pytest.mark.parametrize(
    "content",
    [
        {"memory_blocks": [block(limit=3, value="longo")]},
        {"memory_blocks": [block(), block()]},
        {"memory_blocks": [block(label=str(number)) for number in range(51)]},
        {"memory_blocks": [block(further={"deep": ["\0"]})]},
        {"memory_blocks": [block()], "clickup_cards": []},
        {"tools": ["a", "a"]},
        {"tools": [""]},
        {"tools": [str(number) for number in range(65)]},
        {"prompt_content": ""},
        {"prompt_content": "x" * 200_001},
        {"prompt_content": "a\0"},
        {"model_name": "x" * 101},
        {"agent_type": "a" * 51},
        {"agent_type": ""},
        {"agent_type": "a b"},
    ],
)
def test_content_beyond_the_limits_is_refused(content: dict[str, Any]) -> None:
    with pytest.raises(pydantic.ValidationError):
        body("limits", **content)


def test_the_older_name_of_the_memory_blocks_is_the_same_member() -> None:
    cards = [block(further=1)]
    assert body("cards", clickup_cards=cards).content == {"memory_blocks": cards}
    assert body("cards", clickup_cards=cards, memory_blocks=cards).content == {"memory_blocks": cards}


names = st.sampled_from(["a", "b"])
contents = st.fixed_dictionaries(
    {},
    optional={
        "prompt": st.none() | names,
        "tools": st.none() | st.lists(names, max_size=1),
        "model_name": st.none() | names,
    },
)


@given(first=contents, second=contents)
def test_the_kind_of_change_tells_which_parts_differ(first: dict[str, Any], second: dict[str, Any]) -> None:
    base = inherit_content(EMPTY, first)
    new = inherit_content(base, second)
    prompt = base.prompt != new.prompt
    config = any(getattr(base, name) != getattr(new, name) for name in base.__struct_fields__ if name != "prompt")
    assert (base.hash == new.hash) == (not prompt and not config)
    expected = {(True, False): "prompt", (False, True): "config"}.get((prompt, config), "both")
    assert classify_change(base, new) == expected
    assert all(getattr(new, name) == getattr(base, name) for name in base.__struct_fields__ if name not in second)
