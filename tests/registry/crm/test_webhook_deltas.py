"""The changes that events make to the record, from tables of events and expected results."""

import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from balcao.core.context.call import Call
from balcao.core.values.cpf import Cpf
from balcao.registry.crm.events import service
from balcao.settings import Settings
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer
from tests.support.operator_calls import acting
from tests.support.rules import read_values

PATH = "/registry/v1/webhooks/crm/cidadao"
LOADED = {"origem": "cadastro", "sistema": "teste"}
BASE = {
    "_id": "base-1",
    "nome": "Nome Carregado",
    "nome_social": None,
    "email": {"principal": LOADED | {"valor": "base@casa.example"}, "alternativo": []},
    "telefone": {"principal": LOADED | {"ddi": "55", "ddd": "21", "valor": "900001111"}, "alternativo": []},
    "endereco": {
        "principal": LOADED | {"cep": "20000000", "estado": "RJ", "municipio": "Porto Aurora", "logradouro": "Base"},
        "alternativo": [],
    },
}
_stems = itertools.count(500)


@pytest.fixture
def cpf(sql: Callable[..., Any]) -> str:
    """Create a citizen who has a base record, and return the CPF."""
    person = Cpf.with_stem(f"900000{next(_stems)}").digits
    record = json.dumps(BASE | {"cpf": person})
    sql("INSERT INTO registry.base_record (cpf, record, source) VALUES ($1, $2::jsonb, 'teste')", person, record)
    return person


@pytest.fixture(scope="module")
def apply(settings: Any, database_url: str) -> Iterator[Callable[[], None]]:
    """Yield a function that applies the waiting events as the worker does."""
    with acting(settings, database_url, "test.apply") as act:
        yield lambda: act(_apply_waiting)


async def _apply_waiting(call: Call) -> None:
    async with call.platform.database.connection() as connection:
        rows = await connection.fetch("SELECT id::text FROM registry.crm_event WHERE applied_at IS NULL ORDER BY id")
    for row in rows:
        await service.apply_crm_event(call.platform, row["id"])


@pytest.fixture
def crm(http: httpx.Client, issuer: Issuer, apply: Callable[[], None]) -> Callable[..., None]:
    """Return a function that sends an event dated at this hour and applies it.

    Without `dados` the event is an anonymisation. Without `hour` it has no time.
    """
    token = bearer(issuer.machine("crm-sandbox"))

    def send(cpf: str, hour: str | None, dados: dict[str, Any] | None = None, **more: Any) -> None:
        kind = {"evento": "anonimizacao"} if dados is None else {"dados": dados}
        at = {"updatedAt": f"2026-07-01T{hour}:00Z"} if hour else {}
        assert http.post(PATH, json={"cpf": cpf} | kind | at | more, headers=token).status_code == 202
        apply()

    return send


@pytest.fixture
def record(http: httpx.Client, issuer: Issuer) -> Callable[[str], dict[str, Any]]:
    return lambda cpf: http.get(f"/registry/v1/citizen/{cpf}", headers=bearer(issuer.person(cpf))).json()


@pytest.fixture
def mirror(http: httpx.Client, issuer: Issuer) -> Callable[[str], dict[str, Any]]:
    def read(cpf: str) -> dict[str, Any]:
        answer = http.get(f"/registry/v1/citizen/{cpf}/crm-mirror", headers=bearer(issuer.person(cpf)))
        found: dict[str, Any] = answer.json()
        return found

    return read


def values(found: dict[str, Any]) -> dict[str, Any]:
    return {field["name"]: field["value"] for field in found["fields"]}


def main(found: dict[str, Any], member: str, part: str = "valor") -> Any:
    return found[member]["principal"] and found[member]["principal"][part]


@pytest.mark.cases("registry", "D1")
def test_an_email_is_set_emptied_and_cleared(
    crm: Callable[..., None], record: Callable[[str], dict[str, Any]], cpf: str
) -> None:
    crm(cpf, "10:00", {"email": "crm@casa.example"})
    assert main(record(cpf), "email") == "crm@casa.example"
    crm(cpf, "11:00", {"genero": "Nao_binario"})
    assert (main(record(cpf), "email"), record(cpf)["genero"]) == ("crm@casa.example", "Não binário")
    crm(cpf, "12:00", {"email": ""})
    assert (main(record(cpf), "email"), record(cpf)["email"]["indicador"]) == ("", False)
    crm(cpf, "13:00", {"email": None})
    assert main(record(cpf), "email") == "base@casa.example"


def list_address(found: dict[str, Any]) -> list[str | None]:
    return [found["endereco"]["principal"][part] for part in ("logradouro", "municipio", "estado", "cep")]


ADDRESS = {"logradouro": "Rua A", "cidade": "Niterói", "estado": "RJ", "cep": "24000000"}


@pytest.mark.cases("registry", "D3", "D4")
@pytest.mark.parametrize(
    ("then", "shown"), [(then, shown) for then, *shown in read_values("registry", "D3, D4")], ids=str
)
def test_an_address_changes_by_parts_and_shows_whole(
    crm: Callable[..., None], record: Callable[[str], dict[str, Any]], cpf: str, then: Any, shown: list[str | None]
) -> None:
    crm(cpf, "10:00", {"endereco": ADDRESS})
    crm(cpf, "11:00", then)
    assert list_address(record(cpf)) == shown


@pytest.mark.cases("registry", "D5")
def test_a_city_alone_makes_no_address(
    crm: Callable[..., None], record: Callable[[str], dict[str, Any]], cpf: str
) -> None:
    crm(cpf, "10:00", {"cidade": "Maricá"})
    assert list_address(record(cpf)) == ["Base", "Porto Aurora", "RJ", "20000000"]


@pytest.mark.cases("registry", "D6")
def test_phones_beside_the_main_one_and_what_is_no_phone(
    crm: Callable[..., None], record: Callable[[str], dict[str, Any]], cpf: str
) -> None:
    crm(cpf, "10:00", {"telefone1": "5521988887777", "telefone2": "5521977776666"})
    found = record(cpf)["telefone"]
    assert (found["principal"]["valor"], [other["valor"] for other in found["alternativo"]]) == (
        "988887777",
        ["977776666"],
    )
    crm(cpf, "11:00", {"telefone1": None})
    assert main(record(cpf), "telefone") == "900001111"
    crm(cpf, "12:00", {"telefone1": "abc"})
    assert main(record(cpf), "telefone") == "900001111"


@pytest.mark.cases("registry", "D7")
def test_names_and_birth_date_are_never_looked_at(
    crm: Callable[..., None],
    record: Callable[[str], dict[str, Any]],
    mirror: Callable[[str], dict[str, Any]],
    sql: Sql,
    cpf: str,
) -> None:
    ignored = {"nome": "Outro", "nomeSocial": 5, "dataNascimento": ["x"]}
    crm(cpf, "10:00", ignored)
    assert sql("SELECT result FROM registry.crm_event WHERE cpf = $1", cpf)[0][0] == "no_effect"
    assert mirror(cpf)["fields"] == []
    crm(cpf, "11:00", ignored | {"email": "crm@casa.example"})
    assert values(mirror(cpf)) == {"email": "crm@casa.example"}
    assert (record(cpf)["nome"], record(cpf)["nome_social"]) == ("Nome Carregado", None)
    stored = sql("SELECT record::text FROM registry.base_record WHERE cpf = $1", cpf)[0][0]
    assert json.loads(stored) == BASE | {"cpf": cpf}


def statuses(found: dict[str, Any]) -> dict[tuple[str, str], str]:
    return {(entry["categoria"], entry["canal"]): entry["status"] for entry in found["crm_consentimentos"]}


@pytest.mark.cases("registry", "D8", "D9")
def test_consents_change_one_by_one_and_are_cleared_together(
    crm: Callable[..., None], mirror: Callable[[str], dict[str, Any]], sql: Sql, cpf: str
) -> None:
    out = {"status": "OUT", "motivo": "m"}
    crm(cpf, "10:00", {"consentimento": [{"categoria": "a.$", "status": "IN"}, {"categoria": "b", "status": "IN"}]})
    crm(cpf, "11:00", {"consentimento": [{"categoria": "a.$"} | out, {"categoria": "a.$", "canal": "x"} | out]})
    known = {("a.$", ""): "OUT", ("a.$", "x"): "OUT", ("b", ""): "IN"}
    assert statuses(mirror(cpf)) == known
    crm(cpf, "12:00", {"consentimento": []})
    assert statuses(mirror(cpf)) == known
    crm(cpf, "13:00", {"consentimento": None})
    assert statuses(mirror(cpf)) == {}
    crm(cpf, "12:30", {"consentimento": [{"categoria": "b", "status": "IN"}]})
    assert statuses(mirror(cpf)) == {}
    crm(cpf, "14:00", {"consentimento": [{"status": "IN"}, {"acao": "optout", "motivo": "n"}]})
    assert statuses(mirror(cpf)) == {("", ""): "OUT"}
    for table in ("preferences", "preference_choice"):
        assert sql(f"SELECT FROM registry.{table} WHERE cpf = $1", cpf) == []


@pytest.mark.cases("registry", "C1", "C3", "T2", "T5")
@pytest.mark.parametrize(
    ("events", "shown"),
    [
        (order, shown)
        for events, shown in read_values("registry", "C1, C3, T2, T5")
        for order in itertools.permutations(events)
    ],
    ids=str,
)
def test_the_order_of_arrival_does_not_matter(
    crm: Callable[..., None], mirror: Callable[[str], dict[str, Any]], cpf: str, events: Any, shown: dict[str, Any]
) -> None:
    for hour, dados in events:
        crm(cpf, hour, dados)
    found = mirror(cpf)
    assert values(found) == shown
    cleared = max((hour for hour, dados in events if dados is None), default=None)
    assert found["anonymised_at"] == (cleared and f"2026-07-01T{cleared}:00Z")


@pytest.mark.cases("registry", "C4")
def test_the_same_event_five_times_is_one_job_and_applied_again_changes_nothing(
    http: httpx.Client,
    issuer: Issuer,
    apply: Callable[[], None],
    settings: Settings,
    database_url: str,
    mirror: Callable[[str], dict[str, Any]],
    sql: Sql,
    cpf: str,
) -> None:
    token = bearer(issuer.machine("crm-sandbox"))
    before = sql("SELECT count(*) FROM queue.pgqueuer")[0][0]
    body = {"cpf": cpf, "updatedAt": "2026-07-01T10:00:00Z", "dados": {"email": "a@casa.example"}}
    assert [http.post(PATH, json=body, headers=token).status_code for _ in range(5)] == [202] * 5
    assert sql("SELECT count(*) FROM queue.pgqueuer")[0][0] == before + 1
    apply()
    found = mirror(cpf)
    [event] = sql("SELECT id::text FROM registry.crm_event WHERE cpf = $1", cpf)

    async def again(call: Call) -> None:
        await service.apply_crm_event(call.platform, event[0])

    with acting(settings, database_url, "test.apply") as act:
        act(again)
    assert mirror(cpf) == found


@pytest.mark.cases("registry", "C5")
def test_without_a_time_the_acceptance_counts(
    crm: Callable[..., None], mirror: Callable[[str], dict[str, Any]], cpf: str
) -> None:
    crm(cpf, None, {"email": "aceito@casa.example"})
    crm(cpf, "10:00", {"email": "antes@casa.example"})
    assert values(mirror(cpf)) == {"email": "aceito@casa.example"}


@pytest.mark.cases("registry", "C6")
def test_a_citizens_word_stays_until_the_crm_says_something_later(
    crm: Callable[..., None], record: Callable[[str], dict[str, Any]], http: httpx.Client, issuer: Issuer, cpf: str
) -> None:
    put: dict[str, Any] = {"json": {"valor": "livre"}, "headers": bearer(issuer.person(cpf))}
    assert http.put(f"/registry/v1/citizen/{cpf}/gender", **put).status_code == 200
    for _ in range(2):
        crm(cpf, "11:59", {"genero": "Homem_cisgenero"})
        assert record(cpf)["genero"] == "livre"
    crm(cpf, None, {"genero": "Homem_cisgenero"})
    assert record(cpf)["genero"] == "Homem cisgênero"


SECRET = "segredo-da-pessoa"  # every value in the mirror contains this text


@pytest.mark.cases("registry", "T1", "T4")
@pytest.mark.parametrize("dados", [None, [], 5, {"email": SECRET}], ids=str)
def test_an_anonymisation_leaves_no_value_of_the_mirror_anywhere(
    crm: Callable[..., None],
    record: Callable[[str], dict[str, Any]],
    mirror: Callable[[str], dict[str, Any]],
    http: httpx.Client,
    issuer: Issuer,
    sql: Sql,
    cpf: str,
    dados: Any,
) -> None:
    consent = {"categoria": SECRET, "canal": SECRET, "status": "OUT", "motivo": SECRET}
    crm(cpf, "10:00", {"email": SECRET, "endereco": {"bairro": SECRET}, "consentimento": [consent]})
    put: dict[str, Any] = {"json": {"valor": SECRET}, "headers": bearer(issuer.person(cpf))}
    assert http.put(f"/registry/v1/citizen/{cpf}/gender", **put).status_code == 200
    assert SECRET in dump(sql)
    crm(cpf, None, evento="anonimizacao", dados=dados)
    assert SECRET not in dump(sql)
    found = mirror(cpf)
    assert (found["fields"], found["crm_consentimentos"]) == ([], [])
    assert (record(cpf)["_id"], main(record(cpf), "email")) == ("base-1", "base@casa.example")
    assert record(cpf)["genero"] is None


def dump(sql: Callable[..., Any]) -> str:
    """Return all rows of all tables as one string."""
    tables = sql(
        "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables"
        " WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
    )
    rows = (sql(f"SELECT t::text FROM {table['name']} AS t") for table in tables)
    return "\n".join(str(row[0]) for table in rows for row in table)


@pytest.mark.cases("registry", "T3")
def test_an_own_word_after_a_clearing_shows(
    crm: Callable[..., None], record: Callable[[str], dict[str, Any]], http: httpx.Client, issuer: Issuer, cpf: str
) -> None:
    crm(cpf, None)
    put: dict[str, Any] = {"json": {"valor": "depois"}, "headers": bearer(issuer.person(cpf))}
    assert http.put(f"/registry/v1/citizen/{cpf}/gender", **put).status_code == 200
    assert record(cpf)["genero"] == "depois"


@pytest.mark.cases("registry", "T6")
def test_a_clearing_of_somebody_unknown_stands_against_what_is_older(
    crm: Callable[..., None], mirror: Callable[[str], dict[str, Any]], sql: Sql
) -> None:
    unknown = Cpf.with_stem(f"900000{next(_stems)}").digits
    crm(unknown, "11:00")
    crm(unknown, "10:00", {"email": "a@casa.example"})
    assert (mirror(unknown)["fields"], mirror(unknown)["anonymised_at"]) == ([], "2026-07-01T11:00:00Z")
    results = sql("SELECT result FROM registry.crm_event WHERE cpf = $1 ORDER BY event_at", unknown)
    assert [row["result"] for row in results] == ["anonymised", "applied"]
