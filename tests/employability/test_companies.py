"""Companies (rules: employability 2.4, 3.2)."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum.br import cnpj as stdnum_cnpj

from balcao import app
from balcao.core.values.cnpj import is_cnpj, strip_cnpj
from balcao.employability import SERVICE
from balcao.registry.city.companies.imports import IMPORTS
from balcao.settings import Settings
from tests.employability.people import citizen, expired, machine, staff
from tests.registry.import_rows import load
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.polling import PATIENCE
from tests.support.refusals import refusal
from tests.support.rules import read_values
from tests.support.server import RunningServer

BASE = "/jobs/api/v1/empregabilidade/empresas"
AURORA, LETTERED, OTHER, UNKNOWN = "90000001000129", "12ABC34501DE35", "90000002000173", "90000003000118"
PRINTED = "90.000.001/0001-29"
MEMBERS = {
    "cnpj",
    "razao_social",
    "nome_fantasia",
    "descricao",
    "url_logo",
    "website",
    "setor",
    "porte",
    "created_at",
    "updated_at",
}
Post = Callable[..., httpx.Response]


@pytest.fixture(autouse=True)
def _no_companies(sql: Sql) -> Iterator[None]:
    sql("DELETE FROM employability.company")
    yield
    sql("DELETE FROM employability.company")


@pytest.fixture
def post(http: httpx.Client, issuer: Issuer) -> Post:
    def create(cnpj: str | None, **members: Any) -> httpx.Response:
        body = {"cnpj": cnpj, "razao_social": "Empresa Ltda."} | members
        return http.post(BASE, json=body, headers=staff(issuer, "go:empregabilidade:editor_com_curadoria"))

    return create


@pytest.mark.cases("employability", "19")
def test_a_company_is_stored_bare_and_read_by_anybody(http: httpx.Client, post: Post) -> None:
    added = post(PRINTED, nome_fantasia=" Padaria Aurora ", website="", url_logo="http://aurora.example/a.png")
    company = added.json()
    assert (added.status_code, set(company)) == (201, MEMBERS)
    assert (company["cnpj"], company["nome_fantasia"], company["website"]) == (AURORA, "Padaria Aurora", None)
    for path in (AURORA, PRINTED.replace("/", "%2F"), PRINTED):
        read = http.get(f"{BASE}/{path}")
        assert (read.status_code, read.json()) == (200, company)
    assert http.get(f"{BASE}/{AURORA}", headers={"If-None-Match": read.headers["ETag"]}).status_code == 304


@pytest.mark.cases("employability", "19")
def test_letters_in_a_cnpj_are_capitals(http: httpx.Client, post: Post) -> None:
    assert post(LETTERED.lower()).json()["cnpj"] == LETTERED
    assert http.get(f"{BASE}/{LETTERED.lower()}").json()["cnpj"] == LETTERED


@pytest.mark.cases("employability", "19")
@pytest.mark.parametrize(("cnpj", "code"), read_values("employability", "19"))
def test_what_is_no_cnpj_is_refused(post: Post, sql: Sql, cnpj: str | None, code: str) -> None:
    answer = post(cnpj)
    assert (refusal(answer), "cnpj" in answer.json()["error"].lower()) == ((400, code), True)
    assert sql("SELECT FROM employability.company") == []


@given(st.from_regex(r"[0-9A-Z]{12}", fullmatch=True).filter(lambda base: len(set(base)) > 1))
def test_a_cnpj_has_its_own_check_digits_whatever_its_marks(base: str) -> None:
    cnpj = base + stdnum_cnpj.calc_check_digits(base)
    printed = f"{cnpj[:2]}.{cnpj[2:5]}.{cnpj[5:8]}/{cnpj[8:12]}-{cnpj[12:]}"
    assert is_cnpj(cnpj)
    assert strip_cnpj(printed.lower()) == cnpj
    assert not is_cnpj(cnpj[:-1] + str((int(cnpj[-1]) + 1) % 10))


@pytest.mark.cases("employability", "19")
def test_the_same_cnpj_again_is_told_as_the_portal_knows_it(post: Post) -> None:
    assert post(AURORA).status_code == 201
    again = post(PRINTED)
    assert refusal(again) == (409, "employer-exists")
    assert again.json()["error"].endswith("(duplicate key 23505)")


@pytest.mark.parametrize(
    ("member", "value", "code"),
    [
        ("razao_social", "", "razao_social-length"),
        ("razao_social", "x" * 501, "razao_social-length"),
        ("razao_social", None, "body-invalid"),
        ("nome_fantasia", "x" * 501, "nome_fantasia-length"),
        ("descricao", "x" * 5001, "descricao-length"),
        ("porte", "x" * 101, "porte-length"),
        ("porte", "Pequena\a", "porte-control"),
        ("setor", "Pães\nBolos", "setor-control"),
        ("porte", 3, "body-invalid"),
        ("website", "javascript:alert(1)", "website-invalid"),
        ("website", "https://", "website-invalid"),
        ("website", "https://u:p@host.example/", "website-invalid"),
        ("url_logo", "//host.example/a.png", "url_logo-invalid"),
        ("url_logo", f"https://host.example/{'x' * 1000}", "url_logo-length"),
    ],
)
def test_a_member_that_is_none_is_named_and_nothing_is_stored(
    post: Post, sql: Sql, member: str, value: Any, code: str
) -> None:
    answer = post(AURORA, **{member: value})
    assert (refusal(answer), member in answer.json()["error"]) == ((400, code), True)
    assert sql("SELECT FROM employability.company") == []


def test_companies_are_listed_by_the_name_people_know_and_found_by_both(http: httpx.Client, post: Post) -> None:
    post(AURORA, razao_social="Zebra Comércio Ltda.", nome_fantasia="Água Viva")
    post(OTHER, razao_social="Construções Horizonte S.A.")
    post(LETTERED, razao_social="Estúdio Digital Ltda.", nome_fantasia="Maré")

    def found(query: str) -> list[str]:
        answer = http.get(f"{BASE}?{query}")
        assert answer.status_code == 200
        return [company["cnpj"] for company in answer.json()["data"]]

    assert found("") == [AURORA, OTHER, LETTERED]
    assert found("search=AGUA") == found("search=zebra") == [AURORA]
    assert found("search=ltda. ma") == []  # a match never spans two of the names
    assert found("search=%25") == []
    assert found("cnpj=90.000.001/0001-29") == found(f"cnpj={AURORA}") == [AURORA]
    assert found("cnpj=1") == []
    assert http.get(f"{BASE}?pageSize=5000").json()["meta"] == {"page": 1, "page_size": 1000, "total": 3}
    assert http.get(f"{BASE}?pageSize=1&page=3").json()["data"][0]["cnpj"] == LETTERED


@pytest.mark.cases("employability", "20")
def test_a_company_is_replaced_and_its_cnpj_stays(http: httpx.Client, issuer: Issuer, post: Post) -> None:
    before = post(AURORA, setor="Alimentação", descricao="Pães").json()
    path, headers = f"{BASE}/{AURORA}", staff(issuer, "go:empregabilidade:editor_com_curadoria")
    etag = http.get(path).headers["ETag"]
    answer = http.put(path, json={"razao_social": "Nova", "cnpj": PRINTED}, headers=headers | {"If-Match": etag})
    after = answer.json()
    assert (answer.status_code, after["razao_social"], after["setor"]) == (200, "Nova", None)
    assert (after["created_at"], after["cnpj"]) == (before["created_at"], AURORA)
    assert http.put(path, json={"razao_social": "N"}, headers=headers | {"If-Match": etag}).status_code == 412
    moved = http.put(path, json={"razao_social": "N", "cnpj": OTHER}, headers=headers)
    assert refusal(moved) == (400, "cnpj-differs")
    unknown = http.put(f"{BASE}/{UNKNOWN}", json={"razao_social": "N"}, headers=headers)
    assert refusal(unknown) == (404, "employer-unknown")
    assert http.get(path).json() == after


def test_only_administrators_delete_and_what_a_job_names_stays(
    http: httpx.Client, issuer: Issuer, post: Post, sql: Sql
) -> None:
    post(AURORA)
    path = f"{BASE}/{AURORA}"
    editor = staff(issuer, "go:empregabilidade:editor_sem_curadoria")
    assert http.delete(path, headers=editor).status_code == 403
    sql("CREATE TABLE employability.user_of_company (cnpj text REFERENCES employability.company ON DELETE RESTRICT)")
    sql("INSERT INTO employability.user_of_company VALUES ($1)", AURORA)
    try:
        refused = http.delete(path, headers=staff(issuer))
        assert refusal(refused) == (409, "employer-in-use")
        assert refused.json()["error"].endswith("(foreign key constraint 23503)")
    finally:
        sql("DROP TABLE employability.user_of_company")
    gone = http.delete(path, headers=staff(issuer))
    assert (gone.status_code, set(gone.json())) == (200, {"message"})
    assert refusal(http.get(path)) == (404, "employer-unknown")
    assert refusal(http.delete(path, headers=staff(issuer))) == (404, "employer-unknown")


def test_only_those_who_may_write_companies_do(http: httpx.Client, issuer: Issuer) -> None:
    for caller, status in (({}, 401), (expired(issuer), 401), (citizen(issuer), 403), (machine(issuer), 403)):
        assert http.post(BASE, json={}, headers=caller).status_code == status
        assert http.put(f"{BASE}/{AURORA}", json={}, headers=caller).status_code == status
        assert http.delete(f"{BASE}/{AURORA}", headers=caller).status_code == status
        assert http.get(f"{BASE}/consulta-cnpj/{AURORA}", headers=caller).status_code == status


@pytest.fixture(scope="module")
def registered(database_url: str) -> None:
    """Store one company in the city registry."""
    record = {
        "cnpj": AURORA,
        "razao_social": "Padaria Aurora Ltda.",
        "cnae_fiscal": "1091102",
        "situacao_cadastral": {"id": "2", "descricao": "Ativa"},
        "porte": {"id": "3", "descricao": "Pequena"},
        "contato": {"telefone": [{"ddd": "21", "telefone": "24000001"}]},
        "endereco": {"tipo_logradouro": "Rua", "logradouro": "do Porto", "uf": "RJ", "cep": "24000011"},
    }
    assert load(database_url, IMPORTS[0], record) == 1


@pytest.fixture(scope="module")
def jobs(settings: Settings, database_url: str) -> Iterator[httpx.Client]:
    """Yield a client of the service. Its registry runs on another server."""
    with RunningServer(app.build_application(settings, database_url, ["registry"])) as registry:
        asking = settings.model_copy(update={"registry_url_override": f"{registry.url}/registry/v1"})
        with (
            RunningServer(app.build_application(asking, database_url, [SERVICE.name])) as running,
            httpx.Client(base_url=running.url, timeout=PATIENCE) as client,
        ):
            yield client


def test_the_registry_fills_the_form_of_a_company(
    jobs: httpx.Client, issuer: Issuer, registered: None, sql: Sql
) -> None:
    path = f"{BASE.removeprefix('/jobs')}/consulta-cnpj"
    answer = jobs.get(f"{path}/{PRINTED.replace('/', '%2F')}", headers=staff(issuer))
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
    assert answer.json() == {
        "cnpj": AURORA,
        "razao_social": "Padaria Aurora Ltda.",
        "nome_fantasia": None,
        "situacao_cadastral": "Ativa",
        "cnae_fiscal": "1091102",
        "porte": "Pequena",
        "contato": {"email": None, "telefone": "2124000001"},
        "endereco": {
            "logradouro": "Rua do Porto",
            "numero": None,
            "complemento": None,
            "bairro": None,
            "municipio": None,
            "uf": "RJ",
            "cep": "24000011",
        },
    }
    # The registry's response is cached for half an hour, so a change is not visible yet.
    sql("UPDATE registry.company SET record = jsonb_set(record, '{razao_social}', '\"Outra\"')")
    assert jobs.get(f"{path}/{AURORA}", headers=staff(issuer)).json() == answer.json()
    unknown = jobs.get(f"{path}/{UNKNOWN}", headers=staff(issuer))
    assert (unknown.status_code, unknown.headers["Error-Code"]) == (404, "legal-entity-unknown")
    answer = jobs.get(f"{path}/123", headers=staff(issuer))
    assert refusal(answer) == (400, "cnpj-invalid")
    assert "`cnpj`" in answer.text


def test_a_registry_that_is_away_is_no_unknown_company(settings: Settings, database_url: str, issuer: Issuer) -> None:
    path = f"{BASE.removeprefix('/jobs')}/consulta-cnpj/{OTHER}"
    for address in ("http://127.0.0.1:1/registry/v1", ""):
        lost = settings.model_copy(update={"registry_url_override": address})
        with (
            RunningServer(app.build_application(lost, database_url, [SERVICE.name])) as running,
            httpx.Client(base_url=running.url, timeout=PATIENCE) as client,
        ):
            answer = client.get(path, headers=staff(issuer))
        assert (answer.status_code, answer.headers["Error-Code"]) == (503, "service-away")
        assert answer.headers["Retry-After"] == "5"
