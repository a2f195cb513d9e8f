"""The anonymisation in two calls: a dry run that changes nothing, and then the actual anonymisation."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import httpx
import pytest

from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.errors import Conflict
from balcao.core.values.cpf import Cpf
from balcao.registry.mirror import service as mirror
from balcao.registry.mirror.store import read_mirror
from balcao.registry.mirror.writes import Writes
from balcao.registry.person.declared import service as declaring
from balcao.registry.person.declared.schemas import GenderBody
from balcao.registry.rights import anonymisation
from balcao.registry.rights.schemas import Anonymisation, AnonymisationBody
from tests.support.database_dump import what_calls_store
from tests.support.issuer import Issuer, bearer
from tests.support.refusals import refusal

Sql = Callable[..., list[asyncpg.Record]]
Post = Callable[..., httpx.Response]
ANA, BRUNO, CARLA, ADMIN = "90000000175", "90000000256", "90000000337", "90000040126"


@pytest.fixture
def owner(issuer: Issuer) -> dict[str, str]:
    return bearer(issuer.person(ANA))


@pytest.fixture
def post(http: httpx.Client, owner: dict[str, str]) -> Post:
    """Return a function that requests an anonymisation. By default, Ana requests her own."""

    def send(body: Any = None, cpf: str = ANA, headers: dict[str, str] | None = None, **members: Any) -> httpx.Response:
        path = f"/registry/v1/citizen/{cpf}/anonymisation"
        return http.post(path, headers=headers or owner, json=body if body is not None else members)

    return send


@pytest.fixture(autouse=True)
def declared(http: httpx.Client, owner: dict[str, str], sql: Sql) -> None:
    """Create Ana's base record, and declare her gender and a notification choice."""
    record = '{"_id": "a1", "nome": "Ana Beatriz"}'
    sql(
        "INSERT INTO registry.base_record (cpf, record, source) VALUES ($1, $2, 'teste') ON CONFLICT DO NOTHING",
        ANA,
        record,
    )
    preferences = {"channel": "web", "opt_in": False}
    http.put(f"/registry/v1/citizen/{ANA}/notification-preferences", headers=owner, json=preferences).raise_for_status()
    http.put(f"/registry/v1/citizen/{ANA}/gender", headers=owner, json={"valor": "Travesti"}).raise_for_status()


def exported(http: httpx.Client, owner: dict[str, str]) -> Any:
    return http.get(f"/registry/v1/citizen/{ANA}/data-export", headers=owner).raise_for_status().json()


@pytest.mark.cases("registry", "R2")
def test_a_rehearsal_says_what_would_go_and_leaves_the_database_as_it_was(
    post: Post, http: httpx.Client, owner: dict[str, str], sql: Sql
) -> None:
    history = exported(http, owner)["historico_preferencias"]
    assert history
    before = what_calls_store(sql)
    answers = [post(), post({"dry_run": True}), post(content_is="ignored")]
    assert what_calls_store(sql) == before
    for answer in answers:
        assert answer.status_code == 200
        report = answer.json()
        assert (report["cpf"], report["dry_run"]) == (ANA, True)
        cleared = {entry["kind"]: (entry["count"], entry["fields"]) for entry in report["cleared"]}
        assert cleared["mirrored_fields"] == (1, ["genero"])
        assert cleared["wordings"] == (1, ["genero"])
        kept = {entry["kind"]: entry["count"] for entry in report["kept"]}
        assert (kept["base_record"], kept["preferences"], kept["preference_history"]) == (1, 1, len(history))
        assert kept["audit_events"] >= 1
        assert all(entry["basis"] for entry in report["kept"])
        assert report["confirmation"]
        assert report["expires_at"].endswith("Z")


def test_the_consents_that_the_crm_told_would_go_with_all_that_they_hold(post: Post, sql: Sql) -> None:
    sql(
        "INSERT INTO registry.crm_consentimentos (cpf, categoria, canal, status, at, origin)"
        " VALUES ($1, 'saude', 'sms', 'IN', '2026-01-01', 'crm')",
        ANA,
    )
    cleared = {entry["kind"]: (entry["count"], entry["fields"]) for entry in post().json()["cleared"]}
    sql("DELETE FROM registry.crm_consentimentos WHERE cpf = $1", ANA)
    assert cleared["crm_consents"] == (
        1,
        ["categoria", "canal", "status", "acao", "data", "finalidade", "motivo"],
    )


def test_a_body_is_not_needed_to_rehearse(http: httpx.Client, owner: dict[str, str]) -> None:
    answer = http.post(f"/registry/v1/citizen/{ANA}/anonymisation", headers=owner)
    assert (answer.status_code, answer.json()["dry_run"]) == (200, True)


@pytest.mark.cases("registry", "R2")
def test_confirmed_it_erases_once_and_keeps_what_the_city_must_keep(
    post: Post, http: httpx.Client, owner: dict[str, str], sql: Sql
) -> None:
    before = exported(http, owner)
    (own,) = before["autodeclarado"]
    assert (own["name"], own["origin"], own["wording"]) == ("genero", "citizen", {"valor": "Travesti"})
    confirmation = post().json()["confirmation"]
    done = post(dry_run=False, confirmation=confirmation, reason="A pedido")
    assert done.status_code == 200
    report = done.json()
    assert (report["dry_run"], report["confirmation"], report["expires_at"]) == (False, None, None)
    assert [entry["count"] for entry in report["cleared"] if entry["kind"] == "mirrored_fields"] == [1]
    after = exported(http, owner)
    assert after["autodeclarado"] == []
    assert after["cidadao"]["genero"] is None
    assert (after["registro_base"], after["preferencias"]) == (before["registro_base"], before["preferencias"])
    (event,) = sql("SELECT actor_kind, reason, fields FROM platform.audit_event WHERE action = 'anonymise'")
    assert tuple(event) == ("owner", "A pedido", ["mirrored_fields.genero", "outbox.genero", "wordings.genero"])
    again = post(dry_run=False, confirmation=confirmation)
    assert (again.status_code, again.headers["Error-Code"]) == (409, "confirmation-refused")
    # A declaration after the anonymisation is stored as usual.
    http.put(f"/registry/v1/citizen/{ANA}/gender", headers=owner, json={"valor": "Outro"}).raise_for_status()
    assert exported(http, owner)["cidadao"]["genero"] == "Outro"


CHANGES = {
    "a register": "UPDATE registry.register SET at = at + interval '1 second' WHERE cpf = $1",
    "a wording": 'UPDATE registry.wording SET value = \'{"valor": "x"}\' WHERE cpf = $1',
    "a preference": "UPDATE registry.preferences SET opt_in = NOT opt_in WHERE cpf = $1",
    "the base record": 'UPDATE registry.base_record SET record = record || \'{"sexo": "F"}\' WHERE cpf = $1',
    "the tombstone": "UPDATE registry.mirror_head SET anonymised_at = '2001-01-01' WHERE cpf = $1",
    "a mark": "UPDATE registry.outbox SET dirty = dirty || '{\"email\": 1}' WHERE cpf = $1",
    "a cached answer": "INSERT INTO platform.idempotent_answer (caller, key, cpf, request, answer) "
    "VALUES ('c', 'k', $1, 'r', 'a')",
}


@pytest.mark.cases("registry", "R2")
@pytest.mark.parametrize("what", CHANGES)
def test_when_the_data_changed_since_the_rehearsal_nothing_is_erased(post: Post, sql: Sql, what: str) -> None:
    confirmation = post().json()["confirmation"]
    sql(CHANGES[what], ANA)
    before = what_calls_store(sql)
    assert refusal(post(dry_run=False, confirmation=confirmation)) == (409, "confirmation-refused")
    assert what_calls_store(sql) == before
    sql("DELETE FROM platform.idempotent_answer")


def test_no_other_confirmation_fits(post: Post, issuer: Issuer, sql: Sql) -> None:
    confirmation = post().json()["confirmation"]
    bruno = bearer(issuer.person(BRUNO))
    others = post(cpf=BRUNO, headers=bruno).json()["confirmation"]
    for wrong in ("", "x", "ção", "a" * 10_000, others, confirmation[:-2], confirmation[1:], f"A{confirmation}"):
        assert refusal(post(dry_run=False, confirmation=wrong)) == (409, "confirmation-refused")
    anothers = post(dry_run=False, confirmation=confirmation, cpf=BRUNO, headers=bruno)
    assert refusal(anothers) == (409, "confirmation-refused")
    assert sql("SELECT FROM registry.register WHERE cpf = $1", ANA) != []


@pytest.mark.parametrize(
    ("members", "named", "code"),
    [
        ({"dry_run": False}, "confirmation", "confirmation-missing"),
        ({"dry_run": False, "confirmation": None}, "confirmation", "confirmation-missing"),
        ({"dry_run": None}, "dry_run", "body-invalid"),
        ({"dry_run": "não"}, "dry_run", "body-invalid"),
        ({"confirmation": 5}, "confirmation", "body-invalid"),
        ({"reason": "ab"}, "reason", "reason-length"),
        ({"reason": "x" * 501}, "reason", "reason-length"),
        ({"reason": 5}, "reason", "body-invalid"),
    ],
)
def test_what_the_body_may_not_be(post: Post, members: dict[str, Any], named: str, code: str) -> None:
    answer = post(members)
    assert (*refusal(answer), f"`{named}`" in answer.json()["error"]) == (400, code, True)


def test_staff_say_why_and_leave_their_trace_also_for_a_rehearsal(post: Post, issuer: Issuer, sql: Sql) -> None:
    staff = bearer(issuer.admin(ADMIN))
    assert refusal(post(headers=staff)) == (400, "reason-missing")
    confirmation = post(headers=staff, reason="Pedido 12/2026").json()["confirmation"]
    assert post(headers=staff, reason="Pedido 12/2026", dry_run=False, confirmation=confirmation).status_code == 200
    trail = sql(
        "SELECT action, reason FROM platform.audit_event "
        "WHERE operation = 'registry.anonymise_citizen' AND actor_kind = 'staff' ORDER BY at"
    )
    assert [tuple(event) for event in trail] == [("read", "Pedido 12/2026"), ("anonymise", "Pedido 12/2026")]
    assert post(headers=bearer(issuer.person(BRUNO))).status_code == 403
    assert refusal(post(cpf="123", headers=staff, reason="Pedido")) == (400, "cpf-invalid")


async def test_a_confirmation_ends_after_its_time(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    call = operator_call(platform, "test.anonymise")

    async def confirmed(valid: timedelta) -> None:
        monkeypatch.setattr(anonymisation, "VALID", valid)
        said = await anonymisation.anonymise_person(call, Cpf(CARLA), AnonymisationBody(reason="teste"))
        body = AnonymisationBody(False, said.confirmation, "teste")
        await anonymisation.anonymise_person(call, Cpf(CARLA), body)

    await declaring.declare_gender(call, Cpf(CARLA), GenderBody("Outro"))
    with pytest.raises(Conflict) as refused:
        await confirmed(timedelta(seconds=-1))
    assert refused.value.code == "confirmation-refused"
    await confirmed(timedelta(minutes=15))


async def test_what_claims_to_be_of_the_future_is_erased_too(platform: Platform) -> None:
    carla, future = Cpf(CARLA), datetime(2099, 1, 1, tzinfo=UTC)
    async with platform.database.transaction() as connection:
        await mirror.apply_delta(connection, carla, Writes({"email": "c@c.example"}), future)
    call = operator_call(platform, "test.anonymise")
    said = await anonymisation.anonymise_person(call, carla, AnonymisationBody(reason="teste"))
    done = await anonymisation.anonymise_person(call, carla, AnonymisationBody(False, said.confirmation, "teste"))
    assert done.at == said.at == future
    async with platform.database.connection() as connection:
        assert (await read_mirror(connection, carla)).fields == {}


def test_two_confirmations_at_once_erase_once(post: Post) -> None:
    confirmation = post().json()["confirmation"]
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda _: post(dry_run=False, confirmation=confirmation), range(4)))
    assert sorted(map(refusal, answers)) == [(200, None)] + [(409, "confirmation-refused")] * 3


async def test_a_write_while_it_erases_is_either_erased_or_refuses_it(platform: Platform) -> None:
    """A write that commits after the anonymisation remains.

    A write that commits before it makes the anonymisation fail.
    """
    carla, call = Cpf(CARLA), operator_call(platform, "test.anonymise")
    for _ in range(5):
        said = await anonymisation.anonymise_person(call, carla, AnonymisationBody(reason="teste"))
        body = AnonymisationBody(False, said.confirmation, "teste")
        done, _ = await asyncio.gather(
            anonymisation.anonymise_person(call, carla, body),
            declaring.declare_gender(call, carla, GenderBody("Outro")),
            return_exceptions=True,
        )
        async with platform.database.connection() as connection:
            assert "genero" in (await read_mirror(connection, carla)).fields
        assert isinstance(done, (Conflict, Anonymisation))


def test_without_its_audit_event_nothing_is_erased(post: Post, sql: Sql) -> None:
    confirmation = post().json()["confirmation"]
    before = what_calls_store(sql)
    sql("REVOKE INSERT ON platform.audit_event FROM balcao_app")
    try:
        assert refusal(post(dry_run=False, confirmation=confirmation)) == (503, "audit-not-written")
    finally:
        sql("GRANT INSERT ON platform.audit_event TO balcao_app")
    assert what_calls_store(sql) == before
