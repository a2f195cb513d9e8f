"""Every statement on a hot path reads large tables through an index.

The tests call the running server, so PostgreSQL plans each statement as the server sends it. PostgreSQL writes the
plans to its log (auto_explain).
"""

from collections.abc import Callable, Iterator
from typing import Any

import asyncpg
import httpx
import pytest

from balcao import app
from balcao.core.imports import service
from balcao.core.values.cpf import Cpf
from balcao.registry import SERVICE
from balcao.settings import Settings
from balcao_sandbox.demo.registry import departments, invented
from tests.support.demo_people import ANA, GABRIELA
from tests.support.issuer import Issuer, bearer
from tests.support.operator_calls import acting
from tests.support.proof_sizes import size
from tests.support.query_plans import PlanLog, explain_from_now, list_relations, list_whole_reads
from tests.support.server import RunningServer

CITIZENS = size(5_000, 1_000_000)
# A table with at least this many rows is big. A call for one citizen must not scan a big table.
BIG = CITIZENS // 10
# Enough other people to make a table big. Ana is not among them, because the measured calls are about her.
SOME = f"(SELECT cpf FROM registry.base_record WHERE cpf <> '90000000175' LIMIT {2 * BIG}) AS others"
NEW = Cpf.with_stem("913000001").digits
Sql = Callable[..., list[Any]]
OURS = """
SELECT relname FROM pg_class
WHERE relkind = 'r' AND reltuples >= $1 AND relnamespace IN ('registry'::regnamespace, 'platform'::regnamespace)
"""

# These statements fill tables with at least one row for each person. Add a statement when you add a table.
FILLING = (
    "INSERT INTO registry.preferences (cpf) SELECT cpf FROM registry.base_record ON CONFLICT DO NOTHING",
    """INSERT INTO registry.preference_choice (cpf, category_id, opt_in)
       SELECT cpf, category, false FROM registry.base_record, unnest('{events,health}'::text[]) AS category""",
    "INSERT INTO registry.mirror_head (cpf) SELECT cpf FROM registry.base_record",
    """INSERT INTO registry.register (cpf, field, value, at, origin)
       SELECT cpf, field, '"x"', now() - interval '1 day', 'crm'
       FROM registry.base_record, unnest('{genero,email,telefone1}'::text[]) AS field""",
    """INSERT INTO registry.outbox (cpf, id, dirty, version, first_change_at, job, request_id)
       SELECT cpf, gen_random_uuid(), '{"genero": 1}', 1, now(), -row_number() OVER (), 'x'
       FROM registry.base_record WHERE cpf NOT IN ('90000000175', '90000000760')""",  # the calls write these rows
    """INSERT INTO registry.wording (cpf, kind, value, wire, at)
       SELECT cpf, 'genero', '{"valor": "x"}', 'x', now() - interval '1 day' FROM registry.base_record""",
    """INSERT INTO registry.crm_consentimentos (cpf, categoria, canal, status, at, origin)
       SELECT cpf, 'events', 'email', 'IN', now() - interval '1 day', 'crm' FROM registry.base_record""",
    "INSERT INTO registry.settings (cpf, firstlogin) SELECT cpf, false FROM registry.base_record",
    """INSERT INTO registry.preference_ledger
           (cpf, seq, id, timestamp, action, scope, category, channel, old_value, new_value, actor_kind, azp,
            request_id, prev_hash, hash)
       SELECT cpf, 1, gen_random_uuid(), now(), 'category_update', 'category', 'health', 'web', true, false, 'owner',
              'x', 'x', sha256('x'), sha256('x')
       FROM registry.base_record""",
    """INSERT INTO registry.crm_event
           (id, cpf, evento, event_at, dados_sha256, has_updated_at, azp, request_id, applied_at, result)
       SELECT gen_random_uuid(), cpf, 'atualizacao', now(), sha256(cpf::bytea), true, 'x', 'x', now(), 'applied'
       FROM registry.base_record""",
    """INSERT INTO platform.audit_event
           (id, request_id, operation, action, subject_hash, subject, actor_kind, key_number, client, "grant", fields,
            outcome)
       SELECT gen_random_uuid(), 'x', 'x', 'read', sha256(cpf::bytea), '***.000.000-**', 'staff', 1, 'x', 'x', '{}',
              'done'
       FROM registry.base_record""",
    f"""INSERT INTO registry.own_pet (cpf, record) SELECT cpf, '{{}}' FROM {SOME}""",
    f"""INSERT INTO registry.loaded_pet (cpf, id_animal, record) SELECT cpf, 1, '{{}}' FROM {SOME}""",
    f"""INSERT INTO registry.company (cnpj, record)
        SELECT lpad((row_number() OVER ())::text, 14, '0'), '{{}}' FROM {SOME}""",
    f"""INSERT INTO registry.company_member (cpf, cnpj)
        SELECT cpf, lpad((row_number() OVER ())::text, 14, '0') FROM {SOME}""",
    f"""INSERT INTO registry.vehicle
            (id, owner_cpf, registration_number, display_name, color, serial_number, brand_other, model_other,
             vehicle_type, serial_number_photo_url, vehicle_photo_url, has_invoice, self_declaration)
        SELECT gen_random_uuid(), cpf, 'X-' || cpf, 'x', 'Azul', '1234', 'x', 'x', 'ciclomotor', 'x', 'x', false, true
        FROM {SOME}""",
    """INSERT INTO registry.vehicle_conductor (id, vehicle_id, conductor_cpf, notify_email, invited_by_cpf)
       SELECT gen_random_uuid(), id, owner_cpf, 'x@y.example', owner_cpf FROM registry.vehicle""",
    f"INSERT INTO registry.staff_department (cpf, cd_ua, id) SELECT cpf, '1000', gen_random_uuid() FROM {SOME}",
    """INSERT INTO registry.request_type (id, version) VALUES ('plano', 1)""",
    """INSERT INTO registry.request_type_version (type, version, definition) VALUES ('plano', 1, '{}')""",
    # One request in a hundred is open, as in a city after some years.
    """INSERT INTO registry.request
           (cpf, id, number, type, version, answers, departments, channel, state, created_at, updated_at, deadline,
            closed_at, last_step)
       SELECT cpf, gen_random_uuid(), 'PED-' || cpf, 'plano', 1, '{}', '{1000}', 'web',
              CASE WHEN is_open THEN 'sent' ELSE 'done' END, now(), now(), now(),
              CASE WHEN NOT is_open THEN now() END, 1
       FROM (SELECT cpf, row_number() OVER () % 100 = 0 AS is_open FROM registry.base_record
             WHERE cpf <> '90000000175') AS made""",
    "VACUUM ANALYZE",
)


@pytest.fixture(scope="module")
def plans(settings: Settings, database_url: str) -> PlanLog:
    """Fill a database with a whole city, and return the log of its plans."""

    async def fill(call: Any) -> PlanLog:
        await service.import_rows(call.platform, SERVICE.imports["citizens"], invented.make_citizens(CITIZENS))
        await service.import_rows(call.platform, SERVICE.imports["tickets"], invented.make_tickets(CITIZENS))
        await departments.load_demo_departments(call.platform)
        return await _filled(database_url)

    with acting(settings, database_url, "registry.import") as act:
        log: PlanLog = act(fill)
    return log


async def _filled(database_url: str) -> PlanLog:
    connection = await asyncpg.connect(database_url)
    try:
        for statement in FILLING:
            await connection.execute(statement)
        return await explain_from_now(connection)
    finally:
        await connection.close()


@pytest.fixture(scope="module")
def server(plans: PlanLog, settings: Settings, database_url: str) -> Iterator[RunningServer]:
    """Run the server on the filled database. Its connections then log their plans."""
    with RunningServer(app.build_application(settings, database_url)) as running:
        yield running


def call_everything(http: httpx.Client, issuer: Issuer, drain: Callable[[], None]) -> None:
    """Call every hot path as the owner, as staff or as its client. Then run the resulting jobs."""
    own, staff, crm = (bearer(token) for token in (issuer.person(ANA), issuer.admin(), issuer.machine("crm-sandbox")))
    sender = bearer(issuer.machine("envios", "rmi:consentimento:check"))
    for _ in range(7):  # PostgreSQL makes five custom plans before a generic one
        for what in READS:
            for token in (own, staff):
                assert http.get(f"/registry/v1/citizen/{ANA}{what}", headers=token).status_code == 200
        assert http.get(f"/registry/v1/cpf-secretaria/{ANA}", headers=own).status_code == 200
        claim = {"cpf": ANA, "channel": "web"}
        assert http.post("/registry/v1/phone/5521987654321/bind", json=claim, headers=own).status_code in {200, 409}
        assert http.get("/registry/v1/admin/crm/events?request_id=none", headers=staff).status_code == 200
        answer = http.get("/registry/v1/admin/maintenance-requests?department=1000", headers=staff)
        assert answer.json()["pagination"]["total"] > 0
        for body in SEARCHES:
            why = {"X-Access-Reason": "Atendimento 7"}
            answer = http.post("/registry/v1/admin/citizens/search", json=body, headers=staff | why)
            assert answer.status_code == 200
        for recipients in ({"cpfs": [ANA, NEW, GABRIELA]}, {"phones": ["5521987654321", "5521987654399"]}):
            question = {"purpose": "survey", "campaign": "plans", **recipients}
            answer = http.post(CHECK, json=question, headers=sender)
            assert answer.status_code == 200
        for what, body in WRITES.items():
            assert http.put(f"/registry/v1/citizen/{ANA}/{what}", json=body, headers=own).status_code == 200
        for cpf in (ANA, GABRIELA, NEW):
            for body in (EVENT, {"evento": "anonimizacao"}):
                answer = http.post("/registry/v1/webhooks/crm/cidadao", json={"cpf": cpf, **body}, headers=crm)
                assert answer.status_code == 202
    drain()


CHECK = "/registry/v1/notification-categories/health/recipients/check"
READS = (
    "",
    "/notification-preferences",
    "/notification-preferences/history",
    "/wallet",
    "/maintenance-request?page=2",
    "/firstlogin",
    "/optin",
    "/avatar",
    "/pets",
    "/pets/stats",
    "/legal-entities",
    "/vehicles",
    "/vehicle-invitations",
    "/crm-mirror",
    "/provenance",
    "/data-access",
)
SEARCHES = (
    {"name": "Ana Ninguém", "birth_date": "1997-03-14"},
    {"protocol": "20990000071"},
    {"phone": "+5521987654399"},
)
WRITES: dict[str, dict[str, Any]] = {
    "gender": {"valor": "livre"},
    "exhibition-name": {"valor": "Aninha"},
    "notification-preferences": {"channel": "web", "category_opt_ins": {"health": True, "courses": False}},
    "optin": {"opt_in": False},
    "firstlogin": {},
}
EVENT: dict[str, Any] = {
    "evento": "atualizacao",
    "dados": {
        "email": "a@b.example",
        "endereco": {"cidade": "Maricá"},
        "consentimento": [{"categoria": "events", "canal": "email", "status": "IN"}],
    },
}


@pytest.mark.long
def test_no_call_of_one_citizens_reads_a_big_table_from_end_to_end(
    plans: PlanLog, http: httpx.Client, issuer: Issuer, drain: Callable[[], None], sql: Sql
) -> None:
    big = {row["relname"] for row in sql(OURS, BIG)}
    assert big >= {"base_record", "ticket", "preferences", "register", "crm_event"}
    call_everything(http, issuer, drain)
    found = plans.read()
    unread = big - list_relations(found)
    assert {name for name in unread if not name.startswith("audit_event")} == set()  # plans name the partitions' parent
    assert list_whole_reads(found, big) == []
