"""Writes to data sets, and paging while other callers write."""

import asyncio
import itertools
from typing import Any

import pydantic
import pytest
from hypothesis import given
from hypothesis import settings as profile
from hypothesis import strategies as st

from balcao.agents.datasets import service
from balcao.agents.datasets.cursors import decode_example_cursor, encode_example_cursor
from balcao.agents.datasets.incoming import DatasetCreation, ExampleCreation, ExamplesCreation
from balcao.agents.datasets.schemas import Dataset, ExamplesQuery
from balcao.core.context.call import Call
from balcao.core.errors import Conflict, NotFound, Unprocessable
from tests.support.operator_calls import Act

_names = (f"conjunto {number}" for number in itertools.count(1))
_questions = (ExampleCreation(input={"pergunta": number}) for number in itertools.count(1))


async def add_dataset(call: Call, count: int = 0) -> Dataset:
    dataset = await service.create_dataset(call, DatasetCreation(name=next(_names)))
    if count:
        await service.add_examples(call, dataset.id, list(itertools.islice(_questions, count)))
    return dataset


async def read_page(call: Call, dataset: Dataset, first: int, after: str = "") -> tuple[list[str], str | None, bool]:
    query = ExamplesQuery(dataset_id=dataset.id, first=str(first), after=after)
    examples = (await service.read_dataset_examples(call, query)).data.dataset.examples
    return [edge.example.id for edge in examples.edges], examples.page_info.end_cursor, examples.page_info.has_next_page


async def count(call: Call, dataset: Dataset) -> int:
    found = await service.find_dataset(call, dataset.name)
    assert found is not None
    return found.example_count


@pytest.mark.cases("agents", "39")
async def test_the_same_example_twice_is_unchanged(call: Call) -> None:
    dataset = await add_dataset(call)
    twice = [ExampleCreation(input={"a": 1, "b": 2}), ExampleCreation(input={"b": 2, "a": 1})]
    added = await service.add_examples(call, dataset.id, twice)
    assert (added.added, added.unchanged, len(set(added.ids))) == (1, 1, 1)
    again = await service.add_examples(call, dataset.id, twice[:1])
    assert (again.added, again.unchanged, again.ids) == (0, 1, added.ids[:1])
    assert await count(call, dataset) == 1


async def test_a_name_is_given_once(call: Call) -> None:
    dataset = await add_dataset(call)
    with pytest.raises(Conflict):
        await service.create_dataset(call, DatasetCreation(name=dataset.name))
    with pytest.raises(NotFound):
        await service.add_examples(call, "unknown", [next(_questions)])


async def test_an_import_with_a_taken_id_stores_nothing(call: Call) -> None:
    dataset = await add_dataset(call)
    await service.add_examples(call, dataset.id, [ExampleCreation(id="mine-1", input={"a": 1})])
    with pytest.raises(Unprocessable):
        await service.add_examples(call, dataset.id, [next(_questions), ExampleCreation(id="mine-1", input={"a": 2})])
    assert await count(call, dataset) == 1


async def test_a_deleted_example_vanishes_and_may_be_added_again(call: Call) -> None:
    dataset = await add_dataset(call)
    example = next(_questions)
    (first,) = (await service.add_examples(call, dataset.id, [example])).ids
    await service.delete_example(call, dataset.id, first)
    assert await count(call, dataset) == 0
    with pytest.raises(NotFound):
        await service.delete_example(call, dataset.id, first)
    (second,) = (await service.add_examples(call, dataset.id, [example])).ids
    assert (await read_page(call, dataset, 10))[0] == [second]


async def test_what_is_added_between_pages_comes_at_the_end(call: Call) -> None:
    dataset = await add_dataset(call, 6)
    ids, after, _ = await read_page(call, dataset, 3)
    await service.delete_example(call, dataset.id, ids[0])
    rest, _, _ = await read_page(call, dataset, 10, after or "")
    await service.delete_example(call, dataset.id, rest[0])
    (new,) = (await service.add_examples(call, dataset.id, [next(_questions)])).ids
    assert (await read_page(call, dataset, 10, after or ""))[0] == [*rest[1:], new]


acts = st.lists(st.sampled_from(["add", "delete", "page"]), max_size=12)


@pytest.mark.cases("agents", "37")
@given(start=st.integers(0, 8), first=st.integers(1, 4), acts=acts, pick=st.randoms(use_true_random=False))
@profile(max_examples=60)
def test_pages_never_repeat_or_skip_a_living_example_whatever_happens_between(
    act: Act, start: int, first: int, acts: list[str], pick: Any
) -> None:
    act(_page_through, start, first, acts, pick)


async def _page_through(call: Call, start: int, first: int, acts: list[str], pick: Any) -> None:
    dataset = await add_dataset(call, start)
    living, _, _ = await read_page(call, dataset, 1000)
    deleted: set[str] = set()
    seen: list[str] = []
    after: str | None = ""
    for act in acts:
        if act == "add":
            living += (await service.add_examples(call, dataset.id, [next(_questions)])).ids
        elif act == "delete" and living:
            gone = living.pop(pick.randrange(len(living)))
            deleted.add(gone)
            await service.delete_example(call, dataset.id, gone)
        elif act == "page":
            ids, end, _ = await read_page(call, dataset, first, after or "")
            seen, after = seen + ids, end or after
    more = True
    while more:
        ids, end, more = await read_page(call, dataset, first, after or "")
        seen, after = seen + ids, end or after
    assert len(seen) == len(set(seen))
    assert [id for id in seen if id not in deleted] == living
    assert await count(call, dataset) == len(living)


async def test_parallel_imports_give_each_example_a_place_of_its_own(call: Call, second_process: Call) -> None:
    dataset = await add_dataset(call)
    batches = [list(itertools.islice(_questions, 5)) for _ in range(10)]
    await asyncio.gather(
        *(service.add_examples((call, second_process)[n % 2], dataset.id, batch) for n, batch in enumerate(batches))
    )
    ids, _, more = await read_page(call, dataset, 1000)
    assert (len(set(ids)), more, await count(call, dataset)) == (50, False, 50)


@pytest.mark.parametrize(
    "text",
    [
        "meu CPF é 900.000.001-75",
        "90000000175",
        "escreva para ana@exemplo.com.br",
        "ligue (21) 98765-4321",
        "+55 21 98765-4321",
    ],
)
@pytest.mark.parametrize("member", ["input", "output", "metadata"])
def test_personal_data_is_refused_without_being_repeated(member: str, text: str) -> None:
    for value in ({"a": {"b": [text]}}, {text: 1}):
        with pytest.raises(pydantic.ValidationError) as refused:
            ExampleCreation.model_validate({"input": {}} | {member: value})
        (fault,) = refused.value.errors()
        assert fault["loc"] == (member,)
        assert text not in str(fault["ctx"]["error"])


def test_ordinary_texts_with_numbers_are_no_personal_data() -> None:
    for text in (
        "900.000.001-76",
        "protocolo 2026/000123",
        "rua 7, nº 1234",
        "telefone 1746",
        "a @ b",
        "2026-10-05T10:00",
    ):
        ExampleCreation(input={"a": text})


def _nested(depth: int) -> dict[str, Any]:
    return {"a": _nested(depth - 1)} if depth > 1 else {}


def test_limits_of_an_example_and_of_an_import() -> None:
    for refused in ({"a": "x" * 65_536}, _nested(11), {"a": "\0"}, {"a": [[[[[[[[[[1]]]]]]]]]]}, [1], "x", None):
        with pytest.raises(pydantic.ValidationError):
            ExampleCreation.model_validate({"input": refused})
    ExampleCreation(input=_nested(10))
    with pytest.raises(pydantic.ValidationError):
        ExamplesCreation.model_validate([{"input": {}}] * 1001)
    with pytest.raises(pydantic.ValidationError):
        ExamplesCreation.model_validate([{"input": {}}] * 999 + [{"output": {}}])


@given(position=st.integers(0, 2**63 - 1), dataset=st.text("abc-_=", min_size=1, max_size=64))
def test_a_cursor_comes_back_as_its_position(position: int, dataset: str) -> None:
    text = encode_example_cursor(dataset, position)
    assert decode_example_cursor(dataset, text) == position
    assert text.replace("-", "a").replace("_", "a").isalnum()
    with pytest.raises(ValueError, match="cursor"):
        decode_example_cursor(dataset + "x", text)


@given(text=st.text(max_size=40))
def test_no_other_text_is_a_cursor(text: str) -> None:
    with pytest.raises(ValueError, match="cursor"):
        decode_example_cursor("a", text)
