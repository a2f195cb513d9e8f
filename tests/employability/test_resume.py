"""Resumes (rules: employability 2.8, 3.6, 5.2)."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import httpx
import pytest

from balcao.core.context.platform import Platform
from balcao.core.values.cpf import Cpf
from balcao.employability.reference_values.kinds import Kind, seed_value_id
from balcao.employability.resume.overview.api import PERSONAL_DATA
from balcao.employability.resume.sections.records import SECTIONS, Section
from tests.employability.people import citizen, expired, machine, staff
from tests.support.demo_people import BRUNO
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.refusals import refusal

BASE = "/jobs/api/v1/empregabilidade/curriculo"
CARLA, MASKED = "90000000337", "***.000.003-**"
READER = "admin"
ENGLISH, FRENCH = (str(seed_value_id(Kind.LANGUAGE, name)) for name in ("Inglês", "Francês"))
BASIC, FLUENT = (str(seed_value_id(Kind.LANGUAGE_LEVEL, name)) for name in ("Básico", "Nativo/Fluente"))
COLLEGE = str(seed_value_id(Kind.SCHOOLING, "Superior completo"))
PRIZE = str(seed_value_id(Kind.ACHIEVEMENT_TYPE, "Reconhecimento"))
BODIES: dict[str, dict[str, Any]] = {
    "formacoes": {
        "id_escolaridade": COLLEGE,
        "nome_instituicao": "Faculdade do Porto",
        "nome_curso": "Letras",
        "status": "Completo",
        "ano_conclusao": "2019",
    },
    "idiomas": {"id_idioma": ENGLISH, "id_nivel": BASIC},
    "cursos-complementares": {"nome_curso": "Primeiros socorros", "nome_instituicao": None, "ano_conclusao": "2021"},
    "experiencias": {
        "cargo": "Recepcionista",
        "empresa": "Clínica Vila Clara",
        "descricao_atividades": "Agenda.\nTelefone.",
        "eh_trabalho_atual": True,
        "experiencia_comprovada_ct": False,
        "tempo_experiencia_meses": 14,
    },
    "conquistas": {"id_tipo_conquista": PRIZE, "titulo": "Voluntária do ano", "descricao": None},
}
NESTED = {"formacoes": {"escolaridade"}, "idiomas": {"idioma", "nivel"}, "conquistas": {"tipo_conquista"}}
EMPTY: dict[str, Any] = {
    "formacoes": [],
    "idiomas": [],
    "cursos_complementares": [],
    "experiencias": [],
    "conquistas": [],
    "situacao_interesses": None,
    "resumo_profissional": "",
    "comportamento_atitudes": [],
    "area_atuacao_habilidade": [],
}
EACH = pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.path)


@pytest.fixture(autouse=True)
def _no_resumes(sql: Sql) -> Iterator[None]:
    yield
    sql("DELETE FROM employability.resume")


@pytest.fixture
def carla(http: httpx.Client, issuer: Issuer) -> Callable[..., httpx.Response]:
    """Return a function that calls as Carla. Paths are relative to the base path of resumes."""

    def call(method: str, path: str, body: Any = None, **headers: str) -> httpx.Response:
        return http.request(method, f"{BASE}{path}", json=body, headers=citizen(issuer, CARLA) | headers)

    return call


Carla = Callable[..., httpx.Response]


@EACH
def test_a_row_is_added_read_replaced_and_removed_by_its_owner(carla: Carla, section: Section) -> None:
    body = BODIES[section.path]
    added = carla("POST", f"/{section.path}", body | {"id": str(uuid4()), "cpf": BRUNO})
    row = added.json()
    assert (added.status_code, row["cpf"]) == (201, CARLA)
    assert set(row) == {"id", "cpf", "created_at", "updated_at"} | set(body) | NESTED.get(section.path, set())
    assert {name: row[name] for name in body} == body
    path = f"/{section.path}/{row['id']}"
    assert carla("GET", path).json() == row
    listed = carla("GET", f"/{CARLA}/{section.path}")
    assert (listed.status_code, listed.json()["data"]) == (200, [row])
    assert listed.json()["meta"] == {"page": 1, "page_size": section.most, "total": 1}
    replaced = carla("PUT", path, body)
    assert (replaced.status_code, replaced.json()["created_at"]) == (200, row["created_at"])
    gone = carla("DELETE", path)
    assert (gone.status_code, set(gone.json())) == (200, {"message"})
    for method in ("GET", "PUT", "DELETE"):
        assert refusal(carla(method, path, body)) == (404, "section-row-unknown")


def test_reference_values_are_shown_whole(carla: Carla, http: httpx.Client, issuer: Issuer) -> None:
    row = carla("POST", "/idiomas", BODIES["idiomas"]).json()
    for member, kind, id_ in (("idioma", "idiomas", ENGLISH), ("nivel", "niveis-idioma", BASIC)):
        path = f"{BASE.removesuffix('/curriculo')}/{kind}/{id_}"
        assert row[member] == http.get(path, headers=citizen(issuer)).json()
    assert carla("POST", "/formacoes", {}).json()["escolaridade"] is None


@pytest.mark.cases("employability", "63")
@EACH
def test_another_persons_row_does_not_exist_but_for_staff(
    http: httpx.Client, issuer: Issuer, carla: Carla, sql: Sql, section: Section
) -> None:
    row = carla("POST", f"/{section.path}", BODIES[section.path]).json()
    path = f"{BASE}/{section.path}/{row['id']}"
    unknown = http.get(f"{BASE}/{section.path}/{uuid4()}", headers=citizen(issuer, BRUNO))
    for caller in (citizen(issuer, BRUNO), machine(issuer), staff(issuer, "go:empregabilidade:admin")):
        for method in ("GET", "PUT", "DELETE"):
            answer = http.request(method, path, json=BODIES[section.path], headers=caller)
            assert (refusal(answer), answer.content) == ((404, "section-row-unknown"), unknown.content)
    read = http.get(path, headers=staff(issuer, READER))
    assert (read.status_code, read.json()) == (200, row | {"cpf": MASKED})
    changed = http.put(path, json=BODIES[section.path], headers=staff(issuer, READER))
    assert (changed.status_code, changed.json()["cpf"]) == (200, MASKED)
    events = sql(
        """SELECT action, actor_kind, fields FROM platform.audit_event
           WHERE fields = ARRAY[$1] AND actor_kind = 'staff' ORDER BY at DESC LIMIT 2""",
        section.member,
    )
    assert {(event["action"], tuple(event["fields"])) for event in events} == {
        ("read", (section.member,)),
        ("update", (section.member,)),
    }


@pytest.mark.parametrize(
    ("path", "change", "named", "code"),
    [
        ("formacoes", {"id_escolaridade": str(uuid4())}, "id_escolaridade", "reference-not-found"),
        ("formacoes", {"id_escolaridade": ENGLISH}, "id_escolaridade", "reference-not-found"),
        ("formacoes", {"id_escolaridade": "x"}, "id_escolaridade", "body-invalid"),
        ("formacoes", {"status": "completo"}, "status", "body-invalid"),
        ("formacoes", {"ano_conclusao": "1929"}, "ano_conclusao", "ano_conclusao-invalid"),
        ("formacoes", {"ano_conclusao": "99"}, "ano_conclusao", "ano_conclusao-invalid"),
        ("formacoes", {"ano_conclusao": 2019}, "ano_conclusao", "body-invalid"),
        ("formacoes", {"nome_curso": "x" * 121}, "nome_curso", "nome_curso-length"),
        ("idiomas", {"id_idioma": None}, "id_idioma", "body-invalid"),
        ("idiomas", {"id_nivel": ENGLISH}, "id_nivel", "reference-not-found"),
        ("cursos-complementares", {"nome_curso": " "}, "nome_curso", "nome_curso-length"),
        ("cursos-complementares", {"ano_conclusao": "2100"}, "ano_conclusao", "ano_conclusao-invalid"),
        ("experiencias", {"cargo": None}, "cargo", "body-invalid"),
        ("experiencias", {"empresa": "x" * 121}, "empresa", "empresa-length"),
        (
            "experiencias",
            {"tempo_experiencia_meses": 601},
            "tempo_experiencia_meses",
            "tempo_experiencia_meses-invalid",
        ),
        ("experiencias", {"tempo_experiencia_meses": -1}, "tempo_experiencia_meses", "tempo_experiencia_meses-invalid"),
        ("experiencias", {"tempo_experiencia_meses": "3"}, "tempo_experiencia_meses", "body-invalid"),
        ("experiencias", {"eh_trabalho_atual": "sim"}, "eh_trabalho_atual", "body-invalid"),
        ("conquistas", {"titulo": ""}, "titulo", "titulo-length"),
        ("conquistas", {"descricao": "x" * 2001}, "descricao", "descricao-length"),
        ("conquistas", {"id_tipo_conquista": str(uuid4())}, "id_tipo_conquista", "reference-not-found"),
    ],
)
def test_what_a_row_may_not_hold_is_named_and_nothing_is_stored(
    carla: Carla, sql: Sql, path: str, change: dict[str, Any], named: str, code: str
) -> None:
    row = carla("POST", f"/{path}", BODIES[path]).json()
    wrong = BODIES[path] | change
    answers = [carla("POST", f"/{path}", wrong), carla("PUT", f"/{path}/{row['id']}", wrong)]
    answers += [carla("PUT", f"/{CARLA}/{path}", _save(path, [wrong]))]
    for answer in answers:
        assert (refusal(answer), named in answer.json()["error"]) == ((400, code), True)
    assert carla("GET", f"/{CARLA}/{path}").json()["data"] == [row]


def _save(path: str, rows: list[Any]) -> Any:
    """Return the body that saves a section. `formacoes` and `experiencias` are saved together with another list."""
    return {path: rows} if path in ("formacoes", "experiencias") else rows


@pytest.mark.cases("employability", "62")
def test_a_language_is_in_a_resume_once(carla: Carla) -> None:
    assert carla("POST", "/idiomas", BODIES["idiomas"]).status_code == 201
    again = carla("POST", "/idiomas", BODIES["idiomas"] | {"id_nivel": FLUENT})
    assert (again.status_code, again.headers["Error-Code"]) == (409, "language-twice")
    twice = carla("PUT", f"/{CARLA}/idiomas", [BODIES["idiomas"], BODIES["idiomas"] | {"id_nivel": FLUENT}])
    assert refusal(twice) == (400, "section-repeats")
    french = carla("POST", "/idiomas", {"id_idioma": FRENCH, "id_nivel": BASIC}).json()
    assert refusal(carla("PUT", f"/idiomas/{french['id']}", BODIES["idiomas"])) == (409, "language-twice")


@pytest.mark.cases("employability", "60")
def test_a_save_keeps_the_rows_that_did_not_change_with_id_and_instants(carla: Carla) -> None:
    texts = {"experiencias": [BODIES["experiencias"], BODIES["experiencias"] | {"cargo": "Caixa"}]}
    first = carla("PUT", f"/{CARLA}/experiencias", texts | {"resumo_profissional": "Olá"}).json()
    again = carla("PUT", f"/{CARLA}/experiencias", texts | {"resumo_profissional": "Olá"}).json()
    assert first == again
    assert [row["cargo"] for row in first["experiencias"]] == ["Recepcionista", "Caixa"]
    changed = carla("PUT", f"/{CARLA}/experiencias", {"experiencias": [texts["experiencias"][1]]}).json()
    assert changed["experiencias"] == [first["experiencias"][1]]
    assert changed["resumo_profissional"] == ""


def test_an_absent_list_stays_and_an_empty_one_empties(carla: Carla) -> None:
    body = {"formacoes": [BODIES["formacoes"]], "idiomas": [BODIES["idiomas"]]}
    both = carla("PUT", f"/{CARLA}/formacoes", body).json()
    one = carla("PUT", f"/{CARLA}/formacoes", {"formacoes": []}).json()
    assert (one["formacoes"], one["idiomas"]) == ([], both["idiomas"])
    assert carla("PUT", f"/{CARLA}/formacoes", {}).json() == one


@pytest.mark.cases("employability", "61")
def test_a_refused_row_leaves_the_other_list_of_the_save_as_it_was(carla: Carla) -> None:
    before = carla("PUT", f"/{CARLA}/formacoes", {"formacoes": [BODIES["formacoes"]]}).json()
    body = {"formacoes": [], "idiomas": [{"id_idioma": str(uuid4()), "id_nivel": BASIC}]}
    assert refusal(carla("PUT", f"/{CARLA}/formacoes", body)) == (400, "reference-not-found")
    assert carla("GET", f"/{CARLA}/formacoes").json()["data"] == before["formacoes"]


@EACH
def test_a_section_has_its_limit(carla: Carla, section: Section) -> None:
    rows = [BODIES[section.path]] * (section.most + 1)
    answer = carla("PUT", f"/{CARLA}/{section.path}", _save(section.path, rows))
    assert (answer.status_code, answer.headers["Error-Code"]) == (400, "section-size")
    if section.once is None:
        assert carla("PUT", f"/{CARLA}/{section.path}", _save(section.path, rows[1:])).status_code == 200
        more = carla("POST", f"/{section.path}", rows[0])
        assert (more.status_code, more.headers["Error-Code"]) == (409, "section-limit")


def test_schooling_is_shown_by_the_year_it_ended_and_what_has_none_last(carla: Carla) -> None:
    for year in ("2001", None, "2019"):
        carla("POST", "/formacoes", {"ano_conclusao": year})
    rows = carla("GET", f"/{CARLA}/formacoes").json()["data"]
    assert [row["ano_conclusao"] for row in rows] == ["2019", "2001", None]


def test_two_saves_at_once_are_never_mixed(carla: Carla) -> None:
    def save(word: str) -> int:
        rows = [BODIES["experiencias"] | {"cargo": word, "tempo_experiencia_meses": months} for months in range(10)]
        return carla("PUT", f"/{CARLA}/experiencias", {"experiencias": rows}).status_code

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(save, [f"Cargo {number}" for number in range(16)])) == {200}
    rows = carla("GET", f"/{CARLA}/experiencias").json()["data"]
    assert (len({row["cargo"] for row in rows}), len(rows)) == (1, 10)


@pytest.mark.cases("employability", "63")
def test_the_complete_resume_is_empty_for_whom_nobody_has_seen(http: httpx.Client, issuer: Issuer) -> None:
    unknown = "90000000680"
    own = http.get(f"{BASE}/{unknown}", headers=citizen(issuer, unknown))
    assert (own.status_code, own.json()) == (200, EMPTY)
    assert http.get(f"{BASE}/900.000.006-80", headers=citizen(issuer, unknown)).json() == EMPTY
    assert "no-store" in own.headers["Cache-Control"]
    for path in ("", "/formacoes", "/situacao-interesses"):
        assert http.get(f"{BASE}/{unknown}{path}", headers=citizen(issuer, BRUNO)).status_code == 403
        assert http.get(f"{BASE}/{unknown}{path}", headers=machine(issuer)).status_code == 403
        assert http.get(f"{BASE}/{unknown}{path}", headers=expired(issuer)).status_code == 401


def test_staff_see_the_complete_resume_with_the_number_masked_everywhere(
    carla: Carla, http: httpx.Client, issuer: Issuer, sql: Sql
) -> None:
    for section in SECTIONS:
        carla("POST", f"/{section.path}", BODIES[section.path])
    carla("PUT", "", {"comportamento_atitudes_ids": [1, 4], "area_atuacao_habilidade_ids": [37]})
    carla("PUT", "/situacao-interesses", {"tempo_procurando_emprego": "UP_TO_6"})
    own = carla("GET", f"/{CARLA}").json()
    assert set(own) == set(EMPTY)
    assert all(own[member] for member in EMPTY if member != "resumo_profissional")
    seen = http.get(f"{BASE}/{CARLA}", headers=staff(issuer, READER))
    assert seen.status_code == 200
    assert CARLA not in seen.text
    assert seen.text.replace(MASKED, CARLA) == carla("GET", f"/{CARLA}").text
    (event,) = sql(
        """SELECT fields FROM platform.audit_event
           WHERE operation = 'employability.read_resume' AND actor_kind = 'staff' ORDER BY at DESC LIMIT 1"""
    )
    assert event["fields"] == ["curriculo"]


def test_situation_and_interests_are_one_record_that_is_replaced(carla: Carla, http: httpx.Client) -> None:
    path = f"/{CARLA}/situacao-interesses"
    assert refusal(carla("GET", path)) == (404, "job-search-unknown")
    situation = str(seed_value_id(Kind.CURRENT_SITUATION, "Desempregado(a)"))
    contracts = [str(seed_value_id(Kind.CONTRACT_TYPE, name)) for name in ("PJ", "CLT")]
    body = {"cpf": "900.000.003-37", "id_situacao": situation, "ids_tipos_vinculo_preferencia": contracts}
    saved = carla("PUT", "/situacao-interesses", body)
    assert (saved.status_code, saved.json()["ids_tipos_vinculo_preferencia"]) == (200, contracts)
    assert saved.json()["situacao"]["descricao"] == "Desempregado(a)"
    assert saved.json() == carla("GET", path).json()
    cleared = carla("PUT", "/situacao-interesses", {}).json()
    assert (cleared["id_situacao"], cleared["situacao"], cleared["ids_tipos_vinculo_preferencia"]) == (None, None, [])
    assert cleared["created_at"] == saved.json()["created_at"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"cpf": BRUNO}, 403, "cpf-foreign"),
        ({"id_situacao": str(uuid4())}, 400, "reference-not-found"),
        ({"id_disponibilidade": ENGLISH}, 400, "reference-not-found"),
        ({"tempo_procurando_emprego": "MUITO"}, 400, "body-invalid"),
        ({"ids_tipos_vinculo_preferencia": [ENGLISH]}, 400, "reference-not-found"),
        (
            {"ids_tipos_vinculo_preferencia": [str(seed_value_id(Kind.CONTRACT_TYPE, "CLT"))] * 2},
            400,
            "contract-list",
        ),
        ({"ids_tipos_vinculo_preferencia": [str(uuid4()) for _ in range(21)]}, 400, "contract-list"),
    ],
)
def test_a_situation_that_is_none_is_refused(carla: Carla, body: dict[str, Any], status: int, code: str) -> None:
    assert refusal(carla("PUT", "/situacao-interesses", body)) == (status, code)
    assert carla("GET", f"/{CARLA}/situacao-interesses").status_code == 404


@pytest.mark.cases("employability", "64")
def test_a_behaviour_is_linked_once(carla: Carla) -> None:
    first = carla("POST", "/comportamentos-atitudes", {"id_comportamento_atitudes": 4})
    again = carla("POST", "/comportamentos-atitudes", {"id_comportamento_atitudes": 4})
    assert (first.status_code, again.status_code, first.json()) == (201, 200, again.json())
    unknown = carla("POST", "/comportamentos-atitudes", {"id_comportamento_atitudes": 999})
    assert refusal(unknown) == (400, "behaviour-unknown")
    carla("POST", "/comportamentos-atitudes", {"id_comportamento_atitudes": 1})
    listed = carla("GET", "/comportamentos-atitudes").json()["data"]
    assert [link["id_comportamento_atitudes"] for link in listed] == [1, 4]


def test_the_links_of_both_catalogues_are_replaced_and_those_that_stay_keep_their_id(carla: Carla) -> None:
    first = carla("PUT", "", {"comportamento_atitudes_ids": [1, 4], "area_atuacao_habilidade_ids": [37, 1]}).json()
    second = carla("PUT", "", {"comportamento_atitudes_ids": [4, 2]}).json()
    ids = {link["id_comportamento_atitudes"]: link["id"] for link in first["data"]["comportamento_atitudes"]}
    kept = {link["id_comportamento_atitudes"]: link["id"] for link in second["data"]["comportamento_atitudes"]}
    assert (set(kept), kept[4]) == ({2, 4}, ids[4])
    assert second["data"]["area_atuacao_habilidade"] == first["data"]["area_atuacao_habilidade"]
    assert {link["area_atuacao"] for link in second["data"]["area_atuacao_habilidade"]} == {"Logística", "Atendimento"}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"comportamento_atitudes_ids": [1, 1]}, "behaviour-list"),
        ({"comportamento_atitudes_ids": [*range(1, 52)]}, "behaviour-list"),
        ({"comportamento_atitudes_ids": [999]}, "behaviour-unknown"),
        ({"comportamento_atitudes_ids": "1"}, "body-invalid"),
        ({"area_atuacao_habilidade_ids": [999_999]}, "skill-unknown"),
        ({"area_atuacao_habilidade_ids": [1, 1]}, "skill-list"),
        ({"area_atuacao_habilidade_ids": [*range(1, 52)]}, "skill-list"),
        ({"comportamento_atitudes_ids": [2], "area_atuacao_habilidade_ids": [999_999]}, "skill-unknown"),
    ],
)
def test_links_that_are_none_change_nothing(carla: Carla, body: dict[str, Any], code: str) -> None:
    before = carla("PUT", "", {"comportamento_atitudes_ids": [1], "area_atuacao_habilidade_ids": [1]}).json()
    assert refusal(carla("PUT", "", body)) == (400, code)
    assert carla("PUT", "", {}).json() == before


@pytest.mark.cases("employability", "18")
def test_what_a_resume_names_is_not_deleted_from_its_table(http: httpx.Client, issuer: Issuer, carla: Carla) -> None:
    carla("POST", "/idiomas", BODIES["idiomas"])
    carla("PUT", "", {"area_atuacao_habilidade_ids": [37]})
    tables = BASE.removesuffix("/curriculo")
    language = http.delete(f"{tables}/idiomas/{ENGLISH}", headers=staff(issuer))
    assert refusal(language) == (409, "reference-in-use")
    areas = http.put(f"{tables}/habilidades/37/areas-atuacao", json={"areas_ids": []}, headers=staff(issuer))
    assert refusal(areas) == (409, "catalogue-in-use")


async def test_the_resume_goes_whole_when_its_person_is_erased(platform: Platform, carla: Carla, sql: Sql) -> None:
    for section in SECTIONS:
        carla("POST", f"/{section.path}", BODIES[section.path])
    carla("PUT", "", {"comportamento_atitudes_ids": [1], "area_atuacao_habilidade_ids": [1]})
    carla("PUT", "/situacao-interesses", {})
    async with platform.database.transaction() as connection:
        exported = await PERSONAL_DATA.export(connection, Cpf(CARLA))
        assert set(exported["curriculo"]) == set(EMPTY)
        assert PERSONAL_DATA.erase is not None
        now = await connection.fetchval("SELECT now()")
        (cleared,) = await PERSONAL_DATA.erase(connection, Cpf(CARLA), now)
    assert cleared.count == 1
    for table in (*(section.table for section in SECTIONS), "employability.skill_link", "employability.job_search"):
        assert await asyncio.to_thread(sql, f"SELECT FROM {table} WHERE cpf = $1", CARLA) == []
