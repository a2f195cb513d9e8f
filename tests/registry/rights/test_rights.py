"""A person's rights over HTTP: the data export, the list of accesses, and the audit trail."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import asyncpg
import httpx
import pytest

from balcao import app
from balcao.core.access.limits import Limits
from balcao.core.audit import platform_data
from balcao.core.audit.chain import chain_events
from balcao.core.audit.personal_data import DeclaredPersonalData, ExportMember, PersonalData, list_export_members
from balcao.core.context.audit import Audit, HashKey
from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.errors import TooMany
from balcao.core.operation_names import OperationNames
from balcao.core.values.clock import utc_now
from balcao.core.values.cpf import Cpf
from balcao.core.values.page import Page
from balcao.registry import SERVICE
from balcao.registry.city.staff_departments.jobs import hash_staff
from balcao.registry.person.declared import service as declaring
from balcao.registry.person.declared.schemas import GenderBody
from balcao.registry.rights import service
from balcao.registry.rights.names import name_access, name_grant
from balcao.registry.rights.schemas import Access, AccessNames
from balcao.settings import Settings
from tests.support.issuer import Issuer, bearer
from tests.support.operator_calls import acting
from tests.support.refusals import refusal
from tests.support.rules import read_page

Sql = Callable[..., list[asyncpg.Record]]
ANA, BRUNO, UNKNOWN_PERSON, ADMIN = "90000000175", "90000000256", "90000001147", "90000040126"
# These tables contain CPFs of staff: people with permissions, and the masked CPFs of authors of versions.
OF_STAFF = {"access.person", "search.service_versions"}


def path(cpf: str, right: str) -> str:
    return f"/registry/v1/citizen/{cpf}/{right}"


@pytest.fixture
def owner(issuer: Issuer) -> dict[str, str]:
    return bearer(issuer.person(ANA))


@pytest.fixture
def staff(issuer: Issuer) -> dict[str, str]:
    return bearer(issuer.admin(ADMIN, name="Servidora Secreta"))


@pytest.fixture(autouse=True)
def ana(sql: Sql) -> None:
    """Create Ana's base record, and empty the audit trail."""
    record = '{"_id": "a1", "nome": "Ana Beatriz", "email": {"principal": null, "alternativo": []}}'
    sql(
        "INSERT INTO registry.base_record (cpf, record, source) VALUES ($1, $2, 'teste') ON CONFLICT DO NOTHING",
        ANA,
        record,
    )
    sql("DELETE FROM platform.audit_event")


def trail(sql: Sql) -> list[tuple[Any, ...]]:
    return [
        tuple(row) for row in sql('SELECT action, actor_kind, "grant", reason FROM platform.audit_event ORDER BY at')
    ]


def test_nobody_writes_words_into_somebody_elses_list_but_staff_whom_a_role_let_pass(
    http: httpx.Client, issuer: Issuer, owner: dict[str, str], staff: dict[str, str], sql: Sql
) -> None:
    words = {"X-Access-Reason": "Pague logo o que deve"}
    stranger, machine = bearer(issuer.person(BRUNO)), bearer(issuer.machine("painel-saude", "rmi:pessoa-fisica:read"))
    address = path(ANA, "").rstrip("/")
    assert http.get(address, headers=stranger | words).status_code == 403
    assert http.get(address, headers=machine | words).status_code == 200
    assert http.put(path(ANA, "gender"), headers=owner | words, json={"valor": "Não binário"}).status_code == 200
    assert http.get(address, headers=staff | words).status_code == 200
    kept = sql("SELECT actor_kind, outcome FROM platform.audit_event WHERE reason IS NOT NULL")
    assert sorted(tuple(row) for row in kept) == [("owner", "done"), ("staff", "done")]
    assert sql("SELECT count(*) FROM platform.audit_event")[0][0] == 4


@pytest.mark.cases("registry", "R1")
def test_the_person_sees_who_looked_and_why_but_not_which_servant(
    http: httpx.Client, owner: dict[str, str], staff: dict[str, str]
) -> None:
    http.get(path(ANA, "").rstrip("/"), headers=staff | {"X-Access-Reason": "Atendimento 7"}).raise_for_status()
    answer = http.get(path(ANA, "data-access"), headers=owner)
    found = answer.json()
    assert found["pagination"] == {"page": 1, "per_page": 10, "total": 1, "total_pages": 1}
    (entry,) = found["data"]
    assert entry.pop("at").endswith("Z")
    assert entry == {
        "action": "read",
        "operation": "registry.read_citizen",
        "fields": ["citizen"],
        "actor_kind": "staff",
        "actor": "portal-cidadao",
        "department": None,
        "grant": "citizen:read",
        "reason": "Atendimento 7",
        "outcome": "done",
    }
    assert ADMIN not in answer.text
    assert "Secreta" not in answer.text
    assert answer.headers["Cache-Control"] == "no-store, private"


def test_accesses_are_selected_counted_and_named_on_request(
    http: httpx.Client, owner: dict[str, str], staff: dict[str, str], issuer: Issuer, sql: Sql
) -> None:
    record = path(ANA, "").rstrip("/")
    for _ in range(2):
        http.get(record, headers=staff).raise_for_status()
    http.put(f"{record}/gender", headers=owner, json={"valor": "mulher"}).raise_for_status()
    http.get(record, headers=bearer(issuer.machine("painel-saude", "rmi:pessoa-fisica:read"))).raise_for_status()

    def read(**query: Any) -> dict[str, Any]:
        found: dict[str, Any] = (
            http.get(path(ANA, "data-access"), headers=owner, params=query).raise_for_status().json()
        )
        return found

    usual, everything = read(), read(counts="true", names="true")
    assert set(usual) == {"data", "pagination"}
    assert everything["counts"] == [
        {"actor_kind": "owner", "count": 1}, {"actor_kind": "staff", "count": 2}, {"actor_kind": "client", "count": 1}
    ]  # fmt: skip
    assert [{**entry, "names": ...} for entry in usual["data"]] == [{**one, "names": ...} for one in everything["data"]]
    names = {entry["actor_kind"]: entry["names"] for entry in everything["data"]}
    assert names["staff"] == {
        "action": "Leu",
        "operation": "Cadastro do cidadão, com o que ele declarou",
        "fields": ["o cadastro"],
        "actor": "Servidor da prefeitura",
        "grant": "Consultar o cadastro de qualquer cidadão",
    }
    assert names["client"]["grant"] == "Sistema autorizado a ler dados de cadastro"
    assert (names["owner"]["action"], names["owner"]["actor"]) == ("Mudou", "A própria pessoa")
    others = read(actor_kind="staff, client", counts="true", per_page=2)
    assert others["pagination"] == {"page": 1, "per_page": 2, "total": 3, "total_pages": 2}
    assert others["counts"] == everything["counts"]
    assert {entry["actor_kind"] for entry in others["data"]} <= {"staff", "client"}
    assert read(actor_kind="crm")["data"] == []
    sql("UPDATE platform.audit_event SET at = at - interval '3 days' WHERE actor_kind = 'client'")
    day = sql("SELECT ((now() - interval '3 days') AT TIME ZONE 'America/Sao_Paulo')::date::text AS day")[0]["day"]
    on_day = read(**{"from": day, "to": day}, counts="true")
    assert [entry["actor_kind"] for entry in on_day["data"]] == ["client"]
    assert on_day["counts"] == [{"actor_kind": "client", "count": 1}]
    for wrong in ("", "ninguem", "staff,ninguem"):
        assert refusal(http.get(path(ANA, "data-access"), headers=owner, params={"actor_kind": wrong})) == (
            400, "actor_kind-invalid"
        )  # fmt: skip


def test_every_access_has_names_and_no_codes() -> None:
    operations = OperationNames(one for each in app.SERVICES for one in each.operations())
    for each in app.SERVICES:
        for operation in each.operations():
            access = Access(
                at=utc_now(), action="read", operation=operation.key, fields=["citizen", "unnamed"], actor_kind="staff",
                actor="portal", department="Secretaria", grant="scope:sms:read", reason=None, outcome="done",
            )  # fmt: skip
            named = name_access(access, operations, {})
            assert named == AccessNames(
                "Leu", operation.summary, ["o cadastro"], "Secretaria", "Sistema autorizado a ler dados da saúde"
            )
    assert operations.find("registry.push") is None
    for grant in ("", "unknown:read"):
        assert name_grant(grant, {}) is None


def test_the_person_sees_the_department_and_the_auditor_the_name_besides(
    http: httpx.Client, owner: dict[str, str], staff: dict[str, str], platform_call: Callable[..., Any], sql: Sql
) -> None:
    sql("""
        INSERT INTO registry.department (cd_ua, id, sigla_ua, nome_ua, nivel, ordem_ua_basica, ordem_absoluta,
                                         ordem_relativa)
        VALUES ('77', '77', 'SC', 'Secretaria de Cidadania', 1, '1', '77', '1') ON CONFLICT DO NOTHING""")
    sql("INSERT INTO registry.staff_department (cpf, cd_ua, id) VALUES ($1, '77', gen_random_uuid())", ADMIN)
    platform_call(lambda call: hash_staff(call.platform, {}))
    platform_call(lambda call: hash_staff(call.platform, {}))
    http.get(path(ANA, "").rstrip("/"), headers=staff).raise_for_status()
    (entry,) = http.get(path(ANA, "data-access"), headers=owner).json()["data"]
    assert entry["department"] == "Secretaria de Cidadania"
    today = sql("SELECT (now() AT TIME ZONE 'America/Sao_Paulo')::date::text AS today")[0]["today"]
    trail = http.get(
        "/registry/v1/admin/audit",
        params={"from": today, "to": today, "names": "true"},
        headers=staff | {"X-Access-Reason": "Conferencia"},
    ).raise_for_status()
    event = next(one for one in trail.json()["data"] if one["operation"] == "registry.read_citizen")
    assert (event["actor_name"], event["department"]) == ("Servidora Secreta", "Secretaria de Cidadania")
    named = event["names"]
    assert (named["action"], named["fields"], named["actor"]) == ("Leu", ["o cadastro"], "Secretaria de Cidadania")
    sql("DELETE FROM registry.staff_department WHERE cpf = $1", ADMIN)
    platform_call(lambda call: hash_staff(call.platform, {}))
    assert sql("SELECT count(*) FROM registry.staff_hash")[0][0] == 0
    (entry,) = (one for one in http.get(path(ANA, "data-access"), headers=owner).json()["data"] if one["fields"])
    assert entry["department"] is None


def test_the_chain_covers_the_name_of_staff_and_older_events_keep_their_hash(
    http: httpx.Client, staff: dict[str, str], platform_call: Callable[..., Any], sql: Sql
) -> None:
    http.get(path(ANA, "").rstrip("/"), headers=staff).raise_for_status()
    http.get(path(ANA, "").rstrip("/"), headers=staff).raise_for_status()
    (first, _) = sql("SELECT id FROM platform.audit_event ORDER BY id")
    sql("UPDATE platform.audit_event SET actor_name = NULL WHERE id = $1", first["id"])
    platform_call(lambda call: chain_events(call.platform))
    unnamed = sql("""
        SELECT hash = sha256(prev_hash || convert_to(jsonb_build_array(
            seq, id, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), request_id, operation, action,
            encode(subject_hash, 'hex'), subject, actor_kind, encode(actor_hash, 'hex'), key_number, client, "grant",
            fields, reason, outcome)::text, 'UTF8')) AS is_as_before
        FROM platform.audit_event ORDER BY actor_name IS NOT NULL""")
    assert [row["is_as_before"] for row in unnamed] == [True, False]


def test_the_persons_own_acts_are_by_self_and_the_platforms_by_its_client(
    http: httpx.Client, owner: dict[str, str], platform_call: Callable[..., Any]
) -> None:
    http.put(path(ANA, "gender"), headers=owner, json={"valor": "Outro"}).raise_for_status()
    platform_call(declaring.declare_gender, Cpf(ANA), GenderBody("Outro"))
    found = http.get(path(ANA, "data-access"), headers=owner).json()["data"]
    assert [(entry["actor"], entry["actor_kind"]) for entry in found] == [
        ("balcao-platform", "operator"),
        ("self", "owner"),
    ]


@pytest.fixture
def platform_call(settings: Any, database_url: str) -> Iterator[Callable[..., Any]]:
    with acting(settings, database_url, "test.act") as act:
        yield act


def test_the_list_is_paged_newest_first_and_bounded_by_from_and_to(
    http: httpx.Client, owner: dict[str, str], sql: Sql
) -> None:
    for _ in range(3):
        http.put(path(ANA, "gender"), headers=owner, json={"valor": "Outro"}).raise_for_status()
    days = {0: "2026-03-01T02:59:59.999999Z", 1: "2026-03-01T03:00:00Z", 2: "2026-03-02T02:59:59Z"}
    for number, at in days.items():
        statement = (
            "UPDATE platform.audit_event SET at = $1::text::timestamptz "
            "WHERE id = (SELECT id FROM platform.audit_event ORDER BY id OFFSET $2 LIMIT 1)"
        )
        sql(statement, at, number)

    def listed(**query: Any) -> list[str]:
        found = http.get(path(ANA, "data-access"), headers=owner, params=query).raise_for_status().json()
        return [entry["at"] for entry in found["data"]]

    newest_first = ["2026-03-02T02:59:59Z", "2026-03-01T03:00:00Z", "2026-03-01T02:59:59.999999Z"]
    assert listed() == newest_first
    assert listed(per_page=2, page=2) == newest_first[2:]
    assert listed(page=9) == []
    # A date is a day in the city's time zone, which is three hours behind UTC.
    assert listed(**{"from": "2026-03-01", "to": "2026-03-01"}) == newest_first[:2]
    assert listed(**{"from": "2026-03-01T03:00:00Z", "to": "2026-03-01T00:00:00-03:00"}) == newest_first[1:2]
    assert listed(to="2026-02-28") == newest_first[2:]


BAD_QUERIES = [
    {"page": "0"},
    {"per_page": "101"},
    {"from": "ontem"},
    {"from": "2026-02-30"},
    {"to": "2026-03-01T00:00:00"},
    {"to": "0001-01-01"},
    {"from": "9999-12-31T23:59:59.999999-14:00"},
]


@pytest.mark.parametrize("number", range(len(BAD_QUERIES)))
def test_a_malformed_parameter_is_named_and_never_repeated(
    http: httpx.Client, owner: dict[str, str], number: int
) -> None:
    answer = http.get(path(ANA, "data-access"), headers=owner, params=BAD_QUERIES[number])
    ((name, value),) = BAD_QUERIES[number].items()
    assert refusal(answer) == (400, f"{name}-invalid")
    assert name in answer.json()["error"]
    assert len(value) < 5 or value not in answer.text


def list_promised_members() -> list[str]:
    """Return the export's members that the rules page lists. Members from other services come before the last one."""
    page = read_page("registry")
    *first, last = re.findall(r"`(\w+)`", page[page.index("\nExport: ") :].partition(";")[0])
    beside = [declared for each in app.SERVICES if each is not SERVICE for declared in each.personal_data]
    return [*first, *(member.name for member in list_export_members(beside)), last]


def test_the_file_has_every_member_in_its_order_and_is_audited(
    http: httpx.Client, owner: dict[str, str], sql: Sql
) -> None:
    http.put(path(ANA, "gender"), headers=owner, json={"valor": "Travesti"}).raise_for_status()
    answer = http.get(path(ANA, "data-export"), headers=owner)
    assert answer.status_code == 200
    assert answer.headers["Content-Disposition"] == 'attachment; filename="dados-do-cidadao.json"'
    assert answer.headers["Cache-Control"] == "no-store, private"
    found = answer.json()
    assert list(found) == list_promised_members()
    assert {name for name, value in found.items() if value is None} == {
        "avatar",
        "carteira",
        "termos_vagas",
        "apresentacao_vagas",
    }  # Ana has no data of these kinds
    assert (found["cidadao"]["nome"], found["registro_base"]["source"]) == ("Ana Beatriz", "teste")
    assert found["registro_base"]["loaded_at"].endswith("Z")
    (register,) = found["autodeclarado"]
    assert (register["name"], register["origin"], register["wording"]) == ("genero", "citizen", {"valor": "Travesti"})
    assert register["value"] == "Outro_Prefere_nao_informar"
    assert register["updated_at"].endswith("Z")
    assert set(found["preferencias"]) == {"cpf", "opt_in", "category_opt_ins", "updated_at"}
    assert [entry["action"] for entry in found["acessos"]] == ["update"]
    assert [row[0] for row in trail(sql)] == ["update", "export"]


async def test_what_changes_during_the_export_is_not_in_it(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    call = operator_call(platform, "test.export")
    await declaring.declare_gender(call, Cpf(BRUNO), GenderBody("antes"))

    async def meanwhile(_: Any, cpf: Cpf) -> None:
        await declaring.declare_gender(call, cpf, GenderBody("depois"))

    first, *others = platform.part(DeclaredPersonalData).declarations
    second = PersonalData("meanwhile", [ExportMember("meanwhile", None, "", 0, meanwhile)])
    declared = DeclaredPersonalData([first, second, *others])
    monkeypatch.setitem(platform.parts, DeclaredPersonalData, declared)
    exported = await service.export_person(call, Cpf(BRUNO))
    assert b"antes" in exported
    assert b"depois" not in exported


@pytest.mark.parametrize(
    ("right", "who", "cpf", "status"),
    [
        ("data-export", None, ANA, 401),
        ("data-export", BRUNO, ANA, 403),
        ("data-export", ADMIN, ANA, 200),
        ("data-export", ADMIN, UNKNOWN_PERSON, 404),
        ("data-export", UNKNOWN_PERSON, UNKNOWN_PERSON, 200),
        ("data-export", ADMIN, "123", 400),
        ("data-access", None, ANA, 401),
        ("data-access", BRUNO, ANA, 403),
        ("data-access", ADMIN, UNKNOWN_PERSON, 200),
        ("data-access", ADMIN, "12345678900", 400),
        ("data-access", UNKNOWN_PERSON, UNKNOWN_PERSON, 200),
    ],
)
def test_whose_rights_they_are(
    http: httpx.Client, issuer: Issuer, right: str, who: str | None, cpf: str, status: int
) -> None:
    token = {} if who is None else bearer(issuer.admin(who) if who == ADMIN else issuer.person(who))
    assert http.get(path(cpf, right), headers=token).status_code == status


def test_reading_somebody_elses_list_and_file_is_in_it(http: httpx.Client, staff: dict[str, str], sql: Sql) -> None:
    http.get(path(ANA, "data-access"), headers=staff).raise_for_status()
    http.get(path(ANA, "data-export"), headers=staff).raise_for_status()
    http.get(path(UNKNOWN_PERSON, "data-export"), headers=staff)
    assert trail(sql) == [
        ("read", "staff", "audit:read", None),
        ("export", "staff", "citizen:export", None),
        ("export", "staff", "citizen:export", None),
    ]


async def test_five_files_a_day_and_sixty_lists_an_hour_for_each_person(platform: Platform) -> None:
    platform.settings = Settings(profile="production", hash_key=platform.settings.hash_key)
    call = operator_call(platform, "test.limits")
    for cpf in (ANA, BRUNO):
        await declaring.declare_gender(call, Cpf(cpf), GenderBody("Outro"))
    for _ in range(5):
        await service.export_person(call, Cpf(BRUNO))
    with pytest.raises(TooMany) as refused:
        await service.export_person(call, Cpf(BRUNO))
    assert refused.value.retry_after
    await service.export_person(call, Cpf(ANA))
    platform.limits = Limits("redis://127.0.0.1:1")  # while the cache is down, the limit lets calls pass
    await service.export_person(call, Cpf(BRUNO))
    platform.limits = Limits()
    for _ in range(60):
        await service.list_accesses(call, Cpf(BRUNO), {}, Page())
    with pytest.raises(TooMany):
        await service.list_accesses(call, Cpf(BRUNO), {}, Page())


def audit(http: httpx.Client, headers: dict[str, str], **query: str) -> httpx.Response:
    today = {"from": "2026-01-01", "to": "2026-01-31"}
    return http.get("/registry/v1/admin/audit", headers=headers, params=today | query)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, (200, None)),
        ({"from": "2025-12-31"}, (400, "period-invalid")),
        ({"from": "2026-02-01"}, (400, "period-invalid")),
        ({"to": ""}, (400, "to-invalid")),
        ({"cpf": "123"}, (400, "cpf-invalid")),
        ({"actor": "90000000176"}, (400, "actor-invalid")),
        ({"cpf": "900.000.001-75", "actor": ADMIN, "client": "x", "operation": "y"}, (200, None)),
        ({"per_page": "0"}, (400, "per_page-invalid")),
        ({"client": "\0"}, (400, "client-control")),
        ({"has_subject": "sim"}, (400, "has_subject-invalid")),
        ({"operation": "x" * 201}, (400, "operation-length")),
    ],
)
def test_an_auditor_searches_at_most_31_days(
    http: httpx.Client, staff: dict[str, str], query: dict[str, str], expected: tuple[int, str | None]
) -> None:
    assert refusal(audit(http, staff, **query)) == expected


def test_the_bounds_of_the_trail_are_required_and_the_right_too(
    http: httpx.Client, owner: dict[str, str], staff: dict[str, str]
) -> None:
    for given, missing in (("to", "from-missing"), ("from", "to-missing")):
        answer = http.get("/registry/v1/admin/audit", headers=staff, params={given: "2026-01-31"})
        assert refusal(answer) == (400, missing)
    assert refusal(audit(http, owner)) == (403, "forbidden")


def test_the_trail_is_filtered_and_shows_people_masked(
    http: httpx.Client, owner: dict[str, str], staff: dict[str, str], issuer: Issuer, sql: Sql
) -> None:
    http.put(path(ANA, "gender"), headers=owner, json={"valor": "Outro"}).raise_for_status()
    http.put(path(BRUNO, "gender"), headers=staff, json={"valor": "Outro"}).raise_for_status()
    today = sql("SELECT (now() AT TIME ZONE 'America/Sao_Paulo')::date::text AS today")[0]["today"]
    bounds = {"from": today, "to": today}

    def found(**query: str) -> list[tuple[str, str, str]]:
        answer = audit(http, staff, **bounds, **query).raise_for_status()
        assert not {ANA, BRUNO, ADMIN} & set(answer.text.split('"'))
        events = answer.json()["data"]
        return [(event["action"], event["actor_kind"], event["subject"]) for event in events]

    ana, bruno = ("update", "owner", "***.000.001-**"), ("update", "staff", "***.000.002-**")
    assert found() == [bruno, ana]
    assert found(cpf=ANA)[-1:] == [ana]
    assert bruno not in found(cpf=ANA)
    assert found(actor=ADMIN, operation="registry.declare_gender") == [bruno]
    assert found(client="desconhecido") == []
    of_people, others = found(has_subject="true"), found(has_subject="false")
    assert {subject is None for _, _, subject in of_people} == {False}
    assert {subject for _, _, subject in others} == {None}
    assert {ana, bruno} <= set(of_people)
    # The trail contains each of the auditor's searches, with the person if the search was for one person.
    looks = sql(
        "SELECT subject, fields FROM platform.audit_event WHERE operation = 'registry.list_audit_events' ORDER BY at"
    )
    assert [row["subject"] for row in looks] == [None, "***.000.001-**", "***.000.001-**"] + 4 * [None]
    assert {tuple(row["fields"]) for row in looks} == {("audit",)}


def test_the_trail_of_a_login_without_cpf_is_found_by_its_subject(
    http: httpx.Client, staff: dict[str, str], issuer: Issuer, sql: Sql
) -> None:
    for subject in ("login-um", "login-dois"):
        clerk = bearer(issuer.login(sub=subject, realm_access={"roles": ["rmi:atendimento"]}))
        http.get(path(ANA, ""), headers=clerk).raise_for_status()
    today = sql("SELECT (now() AT TIME ZONE 'America/Sao_Paulo')::date::text AS today")[0]["today"]

    def found(**query: str) -> list[str]:
        answer = audit(http, staff, **{"from": today, "to": today}, **query).raise_for_status()
        return [event["operation"] for event in answer.json()["data"]]

    assert found(sub="login-um") == found(sub="login-dois", cpf=ANA) == ["registry.read_citizen"]
    assert found(sub="login-um", cpf=BRUNO) == found(sub="login-um", actor=ADMIN) == found(sub="login-tres") == []
    assert refusal(audit(http, staff, sub="\0")) == (400, "sub-control")


def test_without_its_audit_event_no_file_is_given(http: httpx.Client, owner: dict[str, str], sql: Sql) -> None:
    sql("REVOKE INSERT ON platform.audit_event FROM balcao_app")
    try:
        assert refusal(http.get(path(ANA, "data-export"), headers=owner)) == (503, "audit-not-written")
    finally:
        sql("GRANT INSERT ON platform.audit_event TO balcao_app")


def test_every_table_with_a_persons_number_is_declared_by_a_feature(sql: Sql) -> None:
    """Every table with a CPF is declared, so the export and the anonymisation include new tables of any service."""
    columns = """
        SELECT DISTINCT table_schema || '.' || table_name AS name FROM information_schema.columns
        WHERE table_schema = ANY($1) AND column_name ~ '(^|_)cpf(_|$)'
    """
    found = {row["name"] for row in sql(columns, ["platform", *(each.name for each in app.SERVICES)])} - OF_STAFF
    declarations = [declared for each in app.SERVICES for declared in each.personal_data]
    declared = {table for each in (*declarations, *platform_data.PERSONAL_DATA) for table in each.tables}
    assert found - declared == set(), "no feature names these tables in its `personal_data` (CONTRIBUTING.md, step 8)"
    assert declared - found == set()


async def test_a_rotated_hash_key_leaves_the_list_of_accesses_whole(platform: Platform) -> None:
    call, cpf = operator_call(platform, "test.rotation"), Cpf(BRUNO)
    old, new = platform.audit.key, HashKey(b"uma chave nova e comprida", 2)

    async def list_operations() -> list[str]:
        found = await service.list_accesses(call, cpf, {}, Page(1, 100))
        return [entry.operation for entry in found.data if entry.operation.startswith("test.")]

    await declaring.declare_gender(call, cpf, GenderBody("Outro"))
    before = await list_operations()
    assert before
    platform.audit = Audit(new, [old])
    await declaring.declare_gender(call, cpf, GenderBody("Mulher cisgênero"))
    both = await list_operations()
    assert len(both) > len(before)
    today = utc_now()
    bounds = {"from": f"{today - timedelta(days=1):%Y-%m-%d}", "to": f"{today + timedelta(days=1):%Y-%m-%d}"}
    found = await service.list_events_about_person(call, {**bounds, "cpf": BRUNO}, Page(1, 100))
    assert {event.key_number for event in found.data} == {1, 2}
    platform.audit = Audit(new)
    alone = await list_operations()
    platform.audit = Audit(new, [old])
    assert len(await list_operations()) == len(before) + len(alone) + 1  # and also the event of the first listing
