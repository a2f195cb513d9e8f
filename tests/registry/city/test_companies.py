"""Tests for companies (rules: registry 2.6, 3.7)."""

from typing import Any

import httpx
import msgspec
import pytest

from balcao.core.context.platform import Platform
from balcao.core.values.cnpj import is_cnpj
from balcao.core.values.cpf import Cpf
from balcao.registry.city.companies import store
from balcao.registry.city.companies.imports import IMPORTS
from balcao.registry.city.companies.personal_data import PERSONAL_DATA
from tests.registry.import_rows import load
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer
from tests.support.refusals import refusal

IARA, ANA, BRUNO, CARLA = "90000000922", "90000000175", "90000000256", "90000000337"
OURS, LETTERED, OTHERS, WITHOUT_PARTNERS = "90000001000129", "12ABC34501DE35", "90000002000173", "90000003000118"
UNKNOWN = "90000004000162"
ONE = "/registry/v1/legal-entity"
NO_CPF = {"cpf": None}


def of(cpf: str) -> str:
    return f"/registry/v1/citizen/{cpf}/legal-entities"


def partner(cpf: str | None, **members: Any) -> dict[str, Any]:
    return {"tipo": "2", "cpf_socio": cpf, "qualificacao_socio": "49"} | members


def line(cnpj: str, head: str | None, *partners: dict[str, Any], **members: Any) -> dict[str, Any]:
    described = {"cnpj": cnpj, "razao_social": f"Empresa {cnpj}", "responsavel": {"cpf": head}, "socios": partners}
    return described | members


LINES = [
    line(LETTERED, IARA, partner(IARA), natureza_juridica={"id": "2062", "descricao": "Limitada"}),
    line(
        OURS,
        BRUNO,
        partner(IARA),
        partner(CARLA, cpf_representante_legal=ANA),
        _id="abc",
        capital_social=1500.5,
        inicio_atividade_data="2015-03-02",
        situacao_cadastral={"id": "2", "descricao": "Ativa", "data": "2015-03-02T10:00:00-03:00"},
        natureza_juridica={"id": "2054", "descricao": "Anônima"},
        contador={"pf": {"id": ANA, "tipo_crc": "1"}},
        sucessoes=[{"cnpj": OTHERS}],
    ),
    line(OTHERS, BRUNO, partner(None, cnpj_socio=OURS)),
    line(WITHOUT_PARTNERS, None),
]


@pytest.fixture(scope="module", autouse=True)
def _companies(database_url: str) -> None:
    assert load(database_url, IMPORTS[0], *LINES) == len(LINES)


def get(http: httpx.Client, path: str, token: str, **query: Any) -> httpx.Response:
    return http.get(path, params=query, headers=bearer(token))


def cnpjs(answer: httpx.Response) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [company["cnpj"] for company in answer.json()["data"]]


def test_a_person_sees_the_companies_they_belong_to_by_cnpj(http: httpx.Client, issuer: Issuer) -> None:
    iara = issuer.person(IARA)
    assert cnpjs(get(http, of(IARA), iara)) == [LETTERED, OURS]
    assert cnpjs(get(http, of(BRUNO), issuer.person(BRUNO))) == [OURS, OTHERS]
    assert cnpjs(get(http, of(ANA), issuer.person(ANA))) == []
    assert cnpjs(get(http, of(IARA), iara, natureza_juridica_id="2054")) == [OURS]
    assert cnpjs(get(http, of(IARA), iara, natureza_juridica_id="20")) == []
    second = get(http, of(IARA), iara, page=2, per_page=1)
    assert cnpjs(second) == [OURS]
    assert second.json()["pagination"] == {"page": 2, "per_page": 1, "total": 2, "total_pages": 2}
    assert second.headers["Cache-Control"] == "no-store, private"
    assert get(http, of(IARA), iara, per_page=1000).json()["pagination"]["per_page"] == 100
    for query in ({"per_page": 0}, {"page": "x"}, {"natureza_juridica_id": ""}, {"natureza_juridica_id": "a\0"}):
        assert get(http, of(IARA), iara, **query).status_code == 400


def test_an_answer_has_every_member_and_its_days_in_the_citys_zone(http: httpx.Client, issuer: Issuer) -> None:
    company = get(http, f"{ONE}/{OURS}", issuer.person(IARA)).json()
    assert set(company) == {
        "_id", "cnpj", "razao_social", "nome_fantasia", "capital_social", "cnae_fiscal", "cnae_secundarias", "nire",
        "natureza_juridica", "porte", "matriz_filial", "orgao_registro", "inicio_atividade_data", "situacao_cadastral",
        "situacao_especial", "ente_federativo", "contato", "endereco", "contador", "responsavel", "tipos_unidade",
        "formas_atuacao", "socios_quantidade", "socios", "sucessoes", "language",
    }  # fmt: skip
    assert (company["_id"], company["capital_social"]) == ("abc", 1500.5)
    assert company["inicio_atividade_data"] == "2015-03-02T00:00:00-03:00"
    assert company["situacao_cadastral"]["data"] == "2015-03-02T13:00:00Z"
    assert company["situacao_especial"] == {"descricao": None, "data": None}
    assert (company["tipos_unidade"], company["contato"]) == ([], {"telefone": [], "email": None})


@pytest.mark.parametrize(
    ("printed", "cnpj"),
    [
        ("90.000.001/0001-29", OURS),
        ("90.000.001%2F0001-29", OURS),
        ("90.000.001%2f0001-29/", OURS),
        ("12.ABC.345/01DE-35", LETTERED),
    ],
)
def test_a_cnpj_may_be_printed_with_its_punctuation(
    http: httpx.Client, issuer: Issuer, printed: str, cnpj: str
) -> None:
    found = get(http, f"{ONE}/{printed}", issuer.person(IARA))
    assert (found.status_code, found.json()["cnpj"]) == (200, cnpj)


@pytest.mark.parametrize(
    "text",
    [
        "90000001000128",
        "90.000.001/0001-28",
        "90.000.001%2F0001-28",
        "12.ABC.345/01DE-36",
        "12abc34501de35",
        "12.abc.345/01de-35",
        "12.Abc.345%2f01de-35",
        "9000000100012",
        "90.000.001",
        "00000000000000",
        "x",
    ],
)
def test_what_is_no_cnpj_is_refused_by_one_code_however_it_is_written(
    http: httpx.Client, issuer: Issuer, text: str
) -> None:
    for token in (issuer.person(IARA), issuer.admin()):
        answer = get(http, f"{ONE}/{text}", token)
        assert refusal(answer) == (400, "cnpj-invalid")
        assert "`cnpj`" in answer.text


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (f"{ONE}/90.000.001/0001-28", 400),
        (f"{ONE}/90.000.001/0001-2", 404),
        (f"{ONE}/90000001/000129", 404),
        (f"{ONE}/90000001%2F000129", 404),
        ("/registry/v1/departments/90.000.001/0001-29", 404),
    ],
)
def test_only_a_printed_cnpj_may_hold_a_slash(http: httpx.Client, issuer: Issuer, path: str, status: int) -> None:
    assert get(http, path, issuer.admin()).status_code == status


def shown_cpfs(company: dict[str, Any]) -> list[str | None]:
    partners = [cpf for one in company["socios"] for cpf in (one["cpf_socio"], one["cpf_representante_legal"])]
    return [company["responsavel"]["cpf"], *partners, company["contador"]["pf"]["id"]]


MASKED = ["***.000.002-**", "***.000.009-**", None, "***.000.003-**", "***.000.001-**", "***.000.001-**"]


def test_only_the_platforms_own_client_sees_whose_cpfs_they_are(http: httpx.Client, issuer: Issuer) -> None:
    def shown(token: str, path: str = f"{ONE}/{OURS}") -> list[str | None]:
        return shown_cpfs(get(http, path, token).json())

    own = [MASKED[0], IARA, *MASKED[2:]]
    desk = issuer.person(ANA, realm_access={"roles": ["rmi:atendimento"]})
    assert shown(issuer.person(IARA)) == own
    assert shown(issuer.machine("painel-saude", "smf:read")) == MASKED
    assert shown(issuer.admin()) == MASKED
    assert shown(desk) == [*MASKED[:4], ANA, ANA]
    assert shown(issuer.machine("balcao-platform", "smf:read")) == [BRUNO, IARA, None, CARLA, ANA, ANA]
    listed = get(http, of(IARA), issuer.person(IARA)).json()["data"][1]
    assert shown_cpfs(listed) == own


@pytest.mark.parametrize(
    ("who", "cnpj", "status"),
    [
        ("iara", OURS, 200),
        ("iara", LETTERED, 200),
        ("bruno", OTHERS, 200),
        ("iara", OTHERS, 403),
        ("iara", UNKNOWN, 403),
        ("iara", WITHOUT_PARTNERS, 403),
        ("ana", OURS, 403),
        ("scope", OTHERS, 200),
        ("scope", WITHOUT_PARTNERS, 200),
        ("scope", UNKNOWN, 404),
        ("admin", OURS, 200),
        ("admin", UNKNOWN, 404),
        ("desk", OTHERS, 200),
        ("platform", OTHERS, 200),
        ("platform", UNKNOWN, 404),
        ("portal", OURS, 403),
        ("iara", "90000001000128", 400),
        ("iara", "12abc34501de35", 400),
        ("admin", "9000000100012", 400),
        ("admin", "90.000.001-0001-29", 400),
        ("admin", "00000000000000", 400),
        ("nobody", OURS, 401),
    ],
)
def test_who_may_see_a_company(http: httpx.Client, issuer: Issuer, who: str, cnpj: str, status: int) -> None:
    tokens = {
        "iara": issuer.person(IARA),
        "bruno": issuer.person(BRUNO),
        "ana": issuer.token(sub="ana", azp="portal-cidadao", cpf=ANA, scope="openid smf:read"),
        "scope": issuer.machine("painel-saude", "smf:read"),
        "admin": issuer.admin(),
        "desk": issuer.person(ANA, realm_access={"roles": ["rmi:atendimento"]}),
        "platform": issuer.machine("balcao-platform"),
        "portal": issuer.machine("portal-cidadao", "rmi:pessoa-fisica:read"),
        "nobody": "x",
    }
    codes = {400: "cnpj-invalid", 401: "token-invalid", 403: "forbidden", 404: "company-unknown"}
    answer = get(http, f"{ONE}/{cnpj}", tokens[who])
    assert refusal(answer) == (status, codes.get(status))
    assert status == 200 or set(answer.json()) == {"error"}


def test_a_stranger_cannot_tell_an_unknown_company_from_another_persons(http: httpx.Client, issuer: Issuer) -> None:
    answers = [get(http, f"{ONE}/{cnpj}", issuer.person(ANA)) for cnpj in (OURS, UNKNOWN)]
    assert len({(answer.status_code, answer.text) for answer in answers}) == 1


def test_who_may_list_a_persons_companies(http: httpx.Client, issuer: Issuer) -> None:
    tokens = [
        issuer.person(IARA),
        issuer.admin(),
        issuer.machine("painel-saude", "smf:read"),
        issuer.person(ANA),
        issuer.machine("painel-saude", "sms:read"),
    ]
    assert [get(http, of(IARA), token).status_code for token in tokens] == [200, 200, 200, 403, 403]
    assert [get(http, of("123"), token).status_code for token in tokens] == [403, 400, 400, 403, 403]


def test_reads_by_others_and_refusals_leave_a_trace_and_own_reads_none(
    http: httpx.Client, issuer: Issuer, sql: Sql
) -> None:
    sql("DELETE FROM platform.audit_event")
    get(http, f"{ONE}/{OURS}", issuer.person(IARA))
    get(http, of(IARA), issuer.person(IARA))
    assert sql("SELECT FROM platform.audit_event") == []
    for token in (issuer.admin(), issuer.machine("balcao-platform"), issuer.person(ANA)):
        get(http, f"{ONE}/{OURS}", token)
    get(http, of(IARA), issuer.machine("painel-saude", "smf:read"))
    rows = sql('SELECT action, subject, "grant" FROM platform.audit_event ORDER BY at')
    people = ["***.000.002-**", "***.000.003-**", "***.000.009-**"]
    assert [tuple(row) for row in rows] == [
        *(("read", subject, "companies:read") for subject in people),
        *(("read", subject, "client:BALCAO_PLATFORM_CLIENTS") for subject in people),
        ("denied", None, "authenticated"),
        ("read", people[-1], "scope:smf:read"),
    ]


def test_loading_again_changes_only_what_differs_and_who_belongs(
    http: httpx.Client, issuer: Issuer, database_url: str
) -> None:
    carla = issuer.person(CARLA)
    changed = line(WITHOUT_PARTNERS, None, partner(CARLA))
    assert load(database_url, IMPORTS[0], *LINES) == 0
    assert load(database_url, IMPORTS[0], *LINES, changed) == 1
    assert cnpjs(get(http, of(CARLA), carla)) == [OURS, WITHOUT_PARTNERS]
    assert load(database_url, IMPORTS[0], line(WITHOUT_PARTNERS, None)) == 1
    assert cnpjs(get(http, of(CARLA), carla)) == [OURS]


@pytest.mark.parametrize(
    "changes",
    [
        {"cnpj": "90000001000128"},
        {"cnpj": "12abc34501de35"},
        {"razao_social": ""},
        {"responsavel": {"cpf": "900.000.001-75"}},
        {"socios": [partner("900.000.001-75")]},
        {"socios": [partner(None, cpf_representante_legal="900.000.001-75")]},
        {"inicio_atividade_data": "02/03/2015"},
        {"situacao_cadastral": {"data": "2015-02-30"}},
        {"socios": [{"data_situacao_especial": "ontem"}]},
    ],
    ids=str,
)
def test_a_row_that_is_no_company_is_refused_without_its_values(changes: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError) as refusal:
        msgspec.convert(LINES[0] | changes, IMPORTS[0].row)
    assert not any(value in str(refusal.value) for value in ("900.000", "02/03", "ontem", "0100128"))


def test_a_cnpj_is_fourteen_characters_with_official_check_digits() -> None:
    assert all(map(is_cnpj, (OURS, LETTERED, OTHERS)))
    wrong = ("", "12ABC34501DE3A", "12ABC34501DE36", " 12ABC34501DE35", "12.ABC.345/01DE-35", "１２ABC34501DE35")
    assert not any(map(is_cnpj, wrong))


async def test_an_export_has_the_persons_companies_with_nobody_elses_cpf(platform: Platform) -> None:
    async with platform.database.connection() as connection:
        exported = await PERSONAL_DATA.export(connection, Cpf(IARA))
    assert [company["cnpj"] for company in exported["empresas"]] == [LETTERED, OURS]
    assert shown_cpfs(exported["empresas"][1]) == [MASKED[0], IARA, *MASKED[2:]]
    assert PERSONAL_DATA.erase is None


def test_a_persons_companies_are_found_by_index(sql: Sql) -> None:
    numbers = (
        "SELECT lpad(n::text, 14, '0') AS cnpj, lpad((n / 3)::text, 11, '0') AS cpf FROM generate_series(1, 6000) AS n"
    )
    sql(f"INSERT INTO registry.company (cnpj, record) SELECT cnpj, '{{}}' FROM ({numbers}) AS many")
    sql(f"INSERT INTO registry.company_member (cpf, cnpj) SELECT cpf, cnpj FROM ({numbers}) AS many")
    sql("ANALYZE registry.company, registry.company_member")
    plan = "\n".join(row[0] for row in sql(f"EXPLAIN {store.list_companies_of.sql}", IARA, None, 10, 0))
    assert plan.count("company_member_pkey") == 2  # once for the page, once for the total
    assert "Seq Scan" not in plan
