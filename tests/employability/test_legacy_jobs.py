"""Adding, moving, reading and removing older jobs (rules: employability 4.7)."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

import httpx
import msgspec
import pytest

from balcao.core.context.call import Call, operator_call
from balcao.core.context.platform import Platform
from balcao.core.errors import Conflict, Invalid, NotFound
from balcao.employability.legacy_jobs import service, states
from balcao.employability.legacy_jobs.schemas import LegacyJob, LegacyJobBody
from balcao.employability.legacy_jobs.states import LegacyJobStatus
from tests.employability.people import citizen, expired, machine, staff
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.rules import read_values

PATH = "/jobs/api/v1/empregos/"
OPERATION = "employability.remove_legacy_job"
BODY = LegacyJobBody("Costureira", "CLT", LegacyJobStatus.OPEN)


@pytest.fixture
def job(sql: Sql) -> int:
    [row] = sql(
        "INSERT INTO employability.legacy_job (titulo, tipo_contratacao, status) VALUES ('Costureira', 'CLT', 'ABERTO')"
        " RETURNING id"
    )
    found: int = row["id"]
    return found


@pytest.fixture
def call(platform: Platform) -> Call:
    return operator_call(platform, "test.job")


async def create(call: Call, body: LegacyJobBody) -> int:
    return msgspec.json.decode(await service.create_legacy_job(call, body), type=LegacyJob).id


def is_worded_as_older_jobs(answer: httpx.Response, status: int) -> bool:
    body = answer.json()
    return (
        answer.status_code == status
        and set(body) == {"code", "message"}
        and body["code"] == status
        and isinstance(body["message"], str)
    )


def is_refused(answer: httpx.Response, status: int, code: str) -> bool:
    return is_worded_as_older_jobs(answer, status) and answer.headers["Error-Code"] == code


def is_removed(sql: Sql, id_: int) -> bool:
    [row] = sql("SELECT deleted_at IS NOT NULL AS gone FROM employability.legacy_job WHERE id = $1", id_)
    found: bool = row["gone"]
    return found


@pytest.mark.cases("employability", "14")
def test_a_job_is_removed_once_and_its_row_stays(http: httpx.Client, issuer: Issuer, sql: Sql, job: int) -> None:
    first, second = [http.delete(f"{PATH}{job}", headers=staff(issuer)) for _ in range(2)]
    assert (first.status_code, first.content) == (200, b"{}")
    assert first.headers["Content-Type"].startswith("application/json")
    assert is_refused(second, 404, "legacy-job-unknown")
    assert is_removed(sql, job)


@pytest.mark.cases("employability", "14")
@pytest.mark.parametrize(("id_", "status", "code"), read_values("employability", "14"))
def test_an_unknown_id_is_not_found_and_anything_else_is_no_id(
    http: httpx.Client, issuer: Issuer, id_: str, status: int, code: str
) -> None:
    assert is_refused(http.delete(PATH + id_, headers=staff(issuer)), status, code)


def test_only_those_who_manage_older_jobs_remove_one(http: httpx.Client, issuer: Issuer, sql: Sql, job: int) -> None:
    for caller in ({}, expired(issuer)):
        assert is_worded_as_older_jobs(http.delete(f"{PATH}{job}", headers=caller), 401)
    for caller in (citizen(issuer), machine(issuer), staff(issuer, "go:empregabilidade:editor")):
        assert is_worded_as_older_jobs(http.delete(f"{PATH}{job}", headers=caller), 403)
    assert not is_removed(sql, job)
    assert http.delete(f"{PATH}{job}", headers=machine(issuer, "go:empregabilidade:admin")).status_code == 200


def test_every_fault_under_the_path_is_worded_alike(http: httpx.Client, issuer: Issuer, job: int) -> None:
    assert is_worded_as_older_jobs(http.patch(f"{PATH}{job}", headers=staff(issuer)), 405)
    assert is_worded_as_older_jobs(http.delete(f"{PATH}{job}/etapas", headers=staff(issuer)), 404)
    assert is_worded_as_older_jobs(http.delete(f"{PATH}{job}//", headers=staff(issuer)), 404)
    assert list(http.get("/jobs/api/v1/empregabilidade/nada", headers=staff(issuer)).json()) == ["error"]


def test_a_fault_of_ours_tells_nothing_of_its_cause(http: httpx.Client, issuer: Issuer, sql: Sql, job: int) -> None:
    sql("REVOKE UPDATE ON employability.legacy_job FROM balcao_app")
    answer = http.delete(f"{PATH}{job}", headers=staff(issuer))
    sql("GRANT UPDATE ON employability.legacy_job TO balcao_app")
    assert is_worded_as_older_jobs(answer, 500)
    assert "permission" not in answer.text
    assert not is_removed(sql, job)


def test_a_removal_leaves_one_event(
    http: httpx.Client, issuer: Issuer, job: int, events: Callable[[str], list[dict[str, Any]]]
) -> None:
    before = len(events(OPERATION))
    for _ in range(2):
        http.delete(f"{PATH}{job}", headers=staff(issuer))
    [event] = events(OPERATION)[before:]
    assert (event["action"], event["actor_kind"], event["grant"]) == ("delete", "staff", "legacy_job:manage")


def test_without_an_audit_event_the_job_stays(
    http: httpx.Client, issuer: Issuer, sql: Sql, job: int, unwritable_audit: None
) -> None:
    assert is_worded_as_older_jobs(http.delete(f"{PATH}{job}", headers=staff(issuer)), 503)
    assert not is_removed(sql, job)


def test_another_state_than_the_callers_is_not_removed(http: httpx.Client, issuer: Issuer, sql: Sql, job: int) -> None:
    assert is_worded_as_older_jobs(http.delete(f"{PATH}{job}", headers=staff(issuer) | {"If-Match": '"other"'}), 412)
    assert not is_removed(sql, job)
    assert http.delete(f"{PATH}{job}", headers=staff(issuer) | {"If-Match": "*"}).status_code == 200


def test_only_six_moves_of_status_are_allowed_and_a_repeat_is_none() -> None:
    def allowed(held: LegacyJobStatus, wanted: LegacyJobStatus, limit: datetime | None) -> bool:
        try:
            states.check_move(held, wanted, limit, now)
        except Conflict:
            return False
        return True

    now = datetime(2026, 1, 2, tzinfo=UTC)
    ever = {(held, wanted) for held, wanted in product(LegacyJobStatus, LegacyJobStatus) if allowed(held, wanted, None)}
    late = {(held, wanted) for held, wanted in product(LegacyJobStatus, LegacyJobStatus) if allowed(held, wanted, now)}
    assert ever - {(status, status) for status in LegacyJobStatus} == {
        ("CRIADO", "ABERTO"),
        ("ABERTO", "EM_ANALISE"),
        ("ABERTO", "ENCERRADO"),
        ("EM_ANALISE", "ABERTO"),
        ("EM_ANALISE", "ENCERRADO"),
        ("ENCERRADO", "ABERTO"),
    }
    assert ever - late == {("ENCERRADO", "ABERTO")}
    assert allowed(LegacyJobStatus.CLOSED, LegacyJobStatus.OPEN, now + timedelta(seconds=1))


@pytest.mark.cases("employability", "15")
async def test_a_removed_job_is_in_no_list_and_its_id_is_not_used_again(call: Call) -> None:
    first = await create(call, BODY)
    await service.remove_job(call, first)
    second = await create(call, BODY)
    assert second > first
    assert first not in await service.list_job_ids(call)
    assert second in await service.list_job_ids(call)
    with pytest.raises(NotFound):
        await service.replace_legacy_job(call, first, BODY)


async def test_what_a_job_may_not_be_is_refused(call: Call) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"titulo": " "}, "titulo-length"),
        ({"titulo": "x" * 501}, "titulo-length"),
        ({"titulo": "Costu\nreira"}, "titulo-control"),
        ({"descricao": "x" * 10_001}, "descricao-length"),
        ({"orgao_id": "x" * 51}, "orgao_id-length"),
        ({"salario_min": 2, "salario_max": 1}, "salary-range"),
        ({"escolaridade_id": 11}, "schooling-unknown"),
        ({"status": LegacyJobStatus.CLOSED}, "status-not-first"),
        ({"status": LegacyJobStatus.UNDER_REVIEW}, "status-not-first"),
    ]
    before = await service.list_job_ids(call)
    for fields, code in wrong:
        with pytest.raises(Invalid) as refused:
            await service.create_legacy_job(call, msgspec.structs.replace(BODY, **fields))
        assert refused.value.code == code
    assert await service.list_job_ids(call) == before


async def test_an_instant_without_offset_is_meant_in_the_platforms_zone(call: Call, platform: Platform) -> None:
    id_ = await create(
        call, msgspec.structs.replace(BODY, data_limite_candidatura=datetime(2026, 5, 1, 23, 59), descricao=" ")
    )
    async with platform.database.connection() as connection:
        row = await connection.fetchrow(
            "SELECT data_limite_candidatura, descricao FROM employability.legacy_job WHERE id = $1", id_
        )
    assert row is not None
    assert (row[0], row[1]) == (datetime(2026, 5, 2, 2, 59, tzinfo=UTC), None)


LIST = PATH.rstrip("/")


def describe(**members: Any) -> dict[str, Any]:
    return {"titulo": "Jardineiro", "tipo_contratacao": "CLT", "status": "CRIADO"} | members


def test_a_job_is_made_moved_and_read_by_anybody_once_it_is_open(http: httpx.Client, issuer: Issuer, sql: Sql) -> None:
    [company] = sql(
        "INSERT INTO employability.company (cnpj, razao_social) VALUES ('90000001000129', 'Aurora') RETURNING numero"
    )
    members = describe(empresa_id=company["numero"], escolaridade_id=4, salario_min=1600, jornada_trabalho="INTEGRAL")
    keyed = staff(issuer) | {"Idempotency-Key": "emprego-1"}
    made, again = (http.post(LIST, json=members, headers=keyed) for _ in range(2))
    assert (made.status_code, again.content) == (201, made.content)
    job = made.json()
    assert (job["empresa"], job["escolaridade"]) == (
        {"id": company["numero"], "nome": "Aurora"},
        {"id": 4, "nivel": "Médio completo"},
    )
    path = f"{PATH}{job['id']}"
    assert http.get(path, headers=staff(issuer)).json() == job
    for caller in ({}, citizen(issuer), expired(issuer)):
        assert is_refused(http.get(path, headers=caller), 404, "legacy-job-unknown")
        assert job["id"] not in {each["id"] for each in http.get(LIST, headers=caller).json()["data"]}
    closed = http.put(path, json=members | {"status": "ENCERRADO"}, headers=staff(issuer))
    assert is_refused(closed, 409, "status-move")
    etag = http.get(path, headers=staff(issuer)).headers["ETag"]
    opened = http.put(path, json=members | {"status": "ABERTO"}, headers=staff(issuer) | {"If-Match": etag})
    assert (opened.status_code, opened.json()["status"]) == (200, "ABERTO")
    assert is_worded_as_older_jobs(http.put(path, json=members, headers=staff(issuer) | {"If-Match": etag}), 412)
    assert http.get(path, headers=expired(issuer)).json() == opened.json()
    for query in (f"empresa_id={company['numero']}&escolaridade_id=4", "jornada_trabalho=INTEGRAL&status=ABERTO"):
        assert [each["id"] for each in http.get(f"{LIST}?{query}").json()["data"]] == [job["id"]]
    assert http.get(f"{LIST}?pageSize=5000").json()["meta"]["page_size"] == 1000


@pytest.mark.parametrize(
    "query", ["empresa_id=x", "escolaridade_id=1.5", "status=FECHADO", "tipo_contratacao=clt", "jornada_trabalho=x"]
)
def test_a_filter_that_cannot_be_is_refused(http: httpx.Client, query: str) -> None:
    assert is_refused(http.get(f"{LIST}?{query}"), 400, f"{query.partition('=')[0]}-invalid")


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({"empresa_id": 10**9}, "empresa_id-unknown"),
        ({"escolaridade_id": 99}, "schooling-unknown"),
        ({"status": "ENCERRADO"}, "status-not-first"),
        ({"salario_min": 1601, "salario_max": 1600}, "salary-range"),
        ({"titulo": None}, "body-invalid"),
        ({"latitude": 91}, "body-invalid"),
    ],
)
def test_a_job_that_cannot_be_is_not_made(
    http: httpx.Client, issuer: Issuer, members: dict[str, Any], code: str
) -> None:
    assert is_refused(http.post(LIST, json=describe(**members), headers=staff(issuer)), 400, code)


def test_a_job_keeps_its_company_and_schooling_where_what_is_sent_is_none(
    http: httpx.Client, issuer: Issuer, job: int
) -> None:
    for member, code in (("empresa_id", "empresa_id-unknown"), ("escolaridade_id", "schooling-unknown")):
        changed = describe(status="ABERTO", **{member: 99})
        assert is_refused(http.put(f"{PATH}{job}", json=changed, headers=staff(issuer)), 400, code)
    kept = http.get(f"{PATH}{job}", headers=staff(issuer)).json()
    assert (kept["titulo"], kept["empresa"], kept["escolaridade"]) == ("Costureira", None, None)


def test_only_those_who_manage_older_jobs_write_them(http: httpx.Client, issuer: Issuer, job: int) -> None:
    for caller, status in (({}, 401), (citizen(issuer), 403), (staff(issuer, "go:empregabilidade:editor"), 403)):
        assert is_worded_as_older_jobs(http.post(LIST, json=describe(), headers=caller), status)
        assert is_worded_as_older_jobs(http.put(f"{PATH}{job}", json=describe(), headers=caller), status)
