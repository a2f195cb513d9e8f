"""Find a citizen who comes to the counter without their CPF (rules: registry 4.14).

Searches are narrow and always audited.
"""

from collections.abc import Awaitable, Callable
from datetime import date
from functools import partial
from typing import NamedTuple, NoReturn

import msgspec
from msgspec import UNSET

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Forbidden, Invalid, NotFound
from balcao.core.values.clock import utc_now
from balcao.core.values.cpf import Cpf
from balcao.core.values.text import clean_text
from balcao.registry.person.phone_book.paths import parse_number
from balcao.registry.person.search import handles, store
from balcao.registry.person.search.schemas import FoundCitizen, FoundCitizens, IdentifiedCitizen, SearchBody
from balcao.registry.person.search.store import Match

MOST = 5
NAME_LENGTH, PROTOCOL_LENGTH = 255, 50
SHORTEST_PROTOCOL = 6
_COMBINATIONS = (frozenset({"name", "birth_date"}), frozenset({"protocol"}), frozenset({"phone"}))


class Search(NamedTuple):
    """A kind of search: its name in the audit trail, and the statement that runs it."""

    by: str
    find: Callable[[Connection], Awaitable[list[Match]]]


async def search_citizens(call: Call, body: SearchBody) -> FoundCitizens:
    """Return at most five people, and record a read of each in the audit trail.

    A search that finds no people, or too many, is audited too. Raises Invalid if the search is not valid or finds too
    many people. Raises Forbidden for machines, and TooMany for a caller who tries one person after another.
    """
    _admit(call)
    search = _parse_search(body)
    async with call.platform.database.transaction() as connection:
        found = await search.find(connection)
        is_narrow = 0 < len(found) <= MOST
        people = [Cpf(each.cpf) for each in found] if is_narrow else []
        if people:
            await call.platform.audit.record_each(connection, call, "read", people, fields=[search.by])
        else:
            await call.platform.audit.record(connection, call, "read", fields=[search.by])
    if not is_narrow:
        await call.platform.enumeration.count(call.identified_caller.key)
    if len(found) > MOST:
        text = f"Há mais de {MOST} pessoas assim: pergunte o nome completo, um protocolo ou o CPF."
        raise Invalid(text, code="search-too-broad")
    now, who = utc_now(), call.identified_caller.key
    shown = [(handles.seal_handle(call.platform.audit, cpf, who, now), cpf.masked) for cpf in people]
    return FoundCitizens([FoundCitizen(*one, each.name) for one, each in zip(shown, found, strict=bool(people))])


async def identify_citizen(call: Call, handle: str) -> IdentifiedCitizen:
    """Return the CPF of a person whom this caller has found. The call is audited as a read.

    Raises NotFound for a handle that has expired or belongs to another caller. Raises Forbidden and TooMany in the same
    cases as `search_citizens`.
    """
    _admit(call)
    who = call.identified_caller.key
    cpf = handles.open_handle(call.platform.audit, handle, who, utc_now())
    if cpf is None:
        await call.platform.enumeration.count(who)
        raise NotFound("Esta pesquisa venceu ou é de outra pessoa: pesquise de novo.", code="handle-unknown")
    async with call.reading(cpf, ["cpf"]):
        return IdentifiedCitizen(cpf.digits)


def _admit(call: Call) -> None:
    """Raise Forbidden for machines, TooMany for callers who try person after person, and Invalid without a reason."""
    if call.identified_caller.is_machine:
        raise Forbidden("Esta pesquisa é para quem atende pessoas, e não para sistemas.", code="people-only")
    call.platform.enumeration.refuse_shut(call.identified_caller.key)
    call.require_reason(always=True)


def _parse_search(body: SearchBody) -> Search:
    given = frozenset(name for name in body.__struct_fields__ if getattr(body, name) is not UNSET)
    if given not in _COMBINATIONS:
        _reject_combination()
    if isinstance(body.phone, str):
        return Search("found_by_phone", partial(store.find_by_phone, number=parse_number(body.phone), most=MOST + 1))
    if isinstance(body.protocol, str):
        protocol = clean_text("protocol", body.protocol, shortest=SHORTEST_PROTOCOL, longest=PROTOCOL_LENGTH)
        return Search("found_by_protocol", partial(store.find_by_protocol, protocol=protocol, most=MOST + 1))
    if not isinstance(body.name, str) or not isinstance(body.birth_date, str):
        _reject_combination()
    words = clean_text("name", body.name, longest=NAME_LENGTH)
    if len(words.split()) < 2:
        raise Invalid("O campo `name` deve ter o primeiro nome e ao menos mais um.", code="name-incomplete")
    born = _parse_birth(body.birth_date).isoformat()
    return Search("found_by_name", partial(store.find_by_name, words=words, born=born, most=MOST + 1))


def _reject_combination() -> NoReturn:
    raise Invalid("Envie `name` com `birth_date`, ou só `protocol`, ou só `phone`.", code="search-way")


def _parse_birth(text: str) -> date:
    try:
        return msgspec.convert(text.strip(), date)
    except msgspec.ValidationError:
        raise Invalid("O campo `birth_date` deve ser uma data `AAAA-MM-DD`.", code="birth_date-invalid") from None
