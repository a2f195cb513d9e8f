"""After an anonymisation, no table contains a value from the person's mirror.

The scan searches every column of every row of every table, including jobs, audit, caches and the queue's log. The scan
cannot see rows that are not yet vacuumed, nor the write-ahead log (docs/explain/lgpd.md).
"""

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest

from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.values.cpf import Cpf
from balcao.registry.crm.events import service as crm_sync
from balcao.registry.mirror import service as mirror
from balcao.registry.mirror.fields import ADDRESS_PARTS, TEXT_KEYS
from balcao.registry.mirror.writes import OwnWrite, parse_delta
from balcao.registry.person.declared import service as declaring
from balcao.registry.person.declared.schemas import GenderBody
from balcao.registry.rights import anonymisation
from balcao.registry.rights.schemas import AnonymisationBody
from tests.support.database_dump import everything, find_tables_with

Sql = Callable[..., list[asyncpg.Record]]
MARK = "zqxmarca"
STAYS = "zqxfica"
PET = "zqxbicho"  # erased after a person's request, but not after an event
ANA, BRUNO = Cpf("90000000175"), Cpf("90000000256")


def marked() -> dict[str, Any]:
    """Return a delta with a different value for each mirrored field."""
    return {
        **{key: f"{MARK}-{key}" for key in TEXT_KEYS},
        "idioma": [f"{MARK}-idioma"],
        "isTourist": True,
        "endereco": {part: f"{MARK}-{part}" for part in ADDRESS_PARTS},
        "consentimento": [
            {"categoria": f"{MARK}-c", "canal": f"{MARK}-n", "finalidade": f"{MARK}-f", "data": f"{MARK}-d",
             "status": "OUT", "motivo": f"{MARK}-m"}
        ],
    }  # fmt: skip


async def webhook(platform: Platform, cpf: Cpf, at: datetime, dados: Any, evento: str = "atualizacao") -> str:
    """Accept an event as the webhook does, and return its id."""
    call = operator_call(platform, "test.webhook")
    sent = {"cpf": cpf.digits, "evento": evento, "updatedAt": at.isoformat(), "dados": dados}
    await crm_sync.accept_event(call, json.dumps(sent).encode())
    async with platform.database.connection() as connection:
        newest = "SELECT id::text FROM registry.crm_event WHERE cpf = $1 ORDER BY id DESC LIMIT 1"
        return str(await connection.fetchval(newest, cpf.digits))


async def fill(platform: Platform, sql: Sql, cpf: Cpf) -> datetime:
    """Write marks to every place that may contain mirrored values. Return a time later than all these writes."""
    call = operator_call(platform, "test.scan")
    start = datetime.now(UTC) - timedelta(hours=2)
    await crm_sync.apply_crm_event(platform, await webhook(platform, cpf, start, marked()))
    await declaring.declare_gender(call, cpf, GenderBody(f"{MARK} gênero"))
    async with platform.database.transaction() as connection:
        typed = {"ddi": "", "ddd": "", "valor": f"{MARK}-digitado"}
        for kind, register in (("endereco", "endereco.logradouro"), ("telefone", "telefonePrincipal")):
            write = OwnWrite({register: f"{MARK}-fio"}, (), kind, typed, f"{MARK}-fio")
            await mirror.write_own_fields(connection, call, cpf, write)
        await connection.execute(
            "UPDATE registry.register SET pushed_value = to_jsonb($2::text), pushed_at = now() WHERE cpf = $1",
            cpf.digits,
            f"{MARK}-enviado",
        )
        await connection.execute(
            "INSERT INTO platform.idempotent_answer (caller, key, cpf, request, answer) VALUES ('c', $1, $1, 'r', $2)",
            cpf.digits,
            json.dumps({"owner_email": f"{MARK}-resposta"}).encode(),
        )
        await connection.execute(
            "INSERT INTO registry.phone_verification (cpf, id, ddi, ddd, valor, code_hash, sent_at, "
            "expires_at) VALUES ($1, gen_random_uuid(), '55', '21', $2, '', now() - interval '1 minute', now())",
            cpf.digits,
            f"{MARK}-fone",
        )
        pet = json.dumps({"animal_nome": PET})
        await connection.execute("INSERT INTO registry.own_pet (cpf, record) VALUES ($1, $2)", cpf.digits, pet)
        await connection.execute("INSERT INTO registry.preferences (cpf, opt_in) VALUES ($1, false)", cpf.digits)
    record = json.dumps({"_id": "b", "nome": f"{STAYS} Nome", "email": None})
    await asyncio.to_thread(
        sql, "INSERT INTO registry.base_record (cpf, record, source) VALUES ($1, $2, 'teste')", cpf.digits, record
    )
    # One event is waiting, and one is dead-lettered.
    await webhook(platform, cpf, start + timedelta(minutes=1), {"email": f"{MARK}-espera"})
    dead = await webhook(platform, cpf, start + timedelta(minutes=2), {"email": f"{MARK}-morto"})
    async with platform.database.connection() as connection:
        await connection.execute(
            "UPDATE queue.pgqueuer SET status = 'failed' WHERE convert_from(payload, 'UTF8') LIKE '%' || $1 || '%'",
            dead,
        )
    return datetime.now(UTC) + timedelta(minutes=1)


async def by_event(platform: Platform, cpf: Cpf, at: datetime) -> None:
    event = await webhook(platform, cpf, at, {"email": f"{MARK}-ignorado"}, "anonimizacao")
    await crm_sync.apply_crm_event(platform, event)


async def by_operation(platform: Platform, cpf: Cpf, _: datetime) -> None:
    call = operator_call(platform, "test.anonymise")
    said = await anonymisation.anonymise_person(call, cpf, AnonymisationBody(reason="teste"))
    await anonymisation.anonymise_person(call, cpf, AnonymisationBody(False, said.confirmation, "teste"))


EXPECTED = {
    "registry.register",
    "registry.wording",
    "registry.crm_consentimentos",
    "registry.crm_event",
    "registry.phone_verification",
    "platform.idempotent_answer",
}


@pytest.mark.cases("registry", "T4")
@pytest.mark.parametrize(("way", "cpf"), [(by_event, ANA), (by_operation, BRUNO)], ids=["event", "operation"])
async def test_no_row_holds_a_value_of_the_mirror(platform: Platform, sql: Sql, way: Any, cpf: Cpf) -> None:
    assert not find_tables_with(await dumped(sql), MARK)
    at = await fill(platform, sql, cpf)
    full = await dumped(sql)
    assert set(find_tables_with(full, MARK)) == EXPECTED  # the scan finds the mark in every expected table
    await way(platform, cpf, at)
    empty = await dumped(sql)
    assert find_tables_with(empty, MARK) == []
    assert "registry.base_record" in find_tables_with(empty, STAYS)
    assert find_tables_with(full, PET) == ["registry.own_pet"]
    assert bool([row for row in empty["registry.own_pet"] if cpf.digits in row]) == (way is by_event)
    for kept in ("registry.base_record", "registry.preferences", "registry.preference_choice"):
        assert empty[kept] == full[kept]
    assert [row for row in full["registry.outbox"] if cpf.digits in row]
    assert not [row for row in empty["registry.outbox"] if cpf.digits in row]
    # Apply the events that remain. Their payload has been erased, and the tombstone is set.
    async with platform.database.connection() as connection:
        for row in await connection.fetch("SELECT id::text FROM registry.crm_event WHERE applied_at IS NULL"):
            await crm_sync.apply_crm_event(platform, row["id"])
    assert find_tables_with(await dumped(sql), MARK) == []


async def dumped(sql: Sql) -> dict[str, list[str]]:
    return await asyncio.to_thread(everything, sql)


async def test_a_later_own_write_keeps_its_mark_for_the_crm(platform: Platform, sql: Sql) -> None:
    """An event's tombstone covers only older values. A later value remains, and the platform still pushes it."""
    carla, call = Cpf("90000000337"), operator_call(platform, "test.scan")
    past = datetime.now(UTC) - timedelta(hours=1)
    async with platform.database.transaction() as connection:
        await mirror.apply_delta(connection, carla, parse_delta({"email": MARK}), past)
    await declaring.declare_gender(call, carla, GenderBody("Travesti"))
    mark = "UPDATE registry.outbox SET dirty = dirty || '{\"email\": 1}' WHERE cpf = $1"
    await asyncio.to_thread(sql, mark, carla.digits)
    await by_event(platform, carla, past + timedelta(minutes=1))
    found = await asyncio.to_thread(sql, "SELECT dirty FROM registry.outbox WHERE cpf = $1", carla.digits)
    assert [set(json.loads(row["dirty"])) for row in found] == [{"genero"}]
