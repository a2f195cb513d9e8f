"""Changes to single parts of a job (rules: employability 2.5)."""

import httpx

from balcao.employability.reference_values.kinds import Kind
from tests.employability.hiring.callers import ALL_CALLERS, CURATED, EDITOR, FOREIGN, VISITOR, Callers
from tests.employability.hiring.conftest import Create
from tests.employability.hiring.job_bodies import BASE, value
from tests.support.refusals import refusal

UNKNOWN = "00000000-0000-4000-8000-000000000000"


def test_steps_are_added_moved_and_removed(http: httpx.Client, callers: Callers, create: Create) -> None:
    job = create()
    path, headers = f"{BASE}/{job['id']}/etapas", callers[EDITOR]

    def titles() -> list[tuple[str, int]]:
        listed = http.get(path, headers=headers).json()
        assert listed["meta"] == {"page": 1, "page_size": 30, "total": len(listed["data"])}
        return [(step["titulo"], step["ordem"]) for step in listed["data"]]

    keyed = headers | {"Idempotency-Key": "etapa-1"}
    first, again = (http.post(path, json={"titulo": "Teste", "ordem": 2}, headers=keyed) for _ in range(2))
    assert (first.status_code, first.json()["ordem"], again.content) == (201, 2, first.content)
    assert titles() == [("Currículo", 1), ("Teste", 2), ("Entrevista", 3)]
    step = f"{path}/{first.json()['id']}"
    assert http.get(step, headers=headers).json() == first.json()
    moved = http.put(step, json={"titulo": "Prova", "descricao": "x", "ordem": 9}, headers=headers)
    assert (moved.status_code, moved.json()["ordem"], moved.json()["id"]) == (200, 3, first.json()["id"])
    assert http.put(step, json={"titulo": "Prova final"}, headers=headers).json()["ordem"] == 3
    assert http.delete(step, headers=headers).json() == {"message": "Etapa excluída."}
    assert titles() == [("Currículo", 1), ("Entrevista", 2)]
    assert refusal(http.delete(step, headers=headers)) == (404, "step-unknown")
    assert refusal(http.put(step, json={"titulo": "Prova"}, headers=headers)) == (404, "step-unknown")
    other = create()["etapas"][0]["id"]
    for method in ("GET", "DELETE"):
        assert refusal(http.request(method, f"{path}/{other}", headers=headers)) == (404, "step-unknown")


def test_a_job_has_thirty_steps_at_most(http: httpx.Client, callers: Callers, create: Create) -> None:
    job = create(etapas=[{"titulo": f"Etapa {number}"} for number in range(30)])
    answer = http.post(f"{BASE}/{job['id']}/etapas", json={"titulo": "Mais uma"}, headers=callers[EDITOR])
    assert (answer.status_code, answer.headers["Error-Code"]) == (409, "step-limit")


def test_lists_of_links_are_replaced_by_the_rules_of_the_job(
    http: httpx.Client, callers: Callers, create: Create
) -> None:
    job = create(acessibilidade_pcd="para_pcd", acao="publicar")
    path, headers = f"{BASE}/{job['id']}", callers[EDITOR]
    zone, kind = value(Kind.ZONE, "Centro"), value(Kind.DISABILITY_TYPE, "Visual")
    language = {
        "id_idioma": value(Kind.LANGUAGE, "Inglês"),
        "id_nivel_minimo": value(Kind.LANGUAGE_LEVEL, "Básico"),
        "id_vaga": UNKNOWN,
    }
    for name, body in (
        ("zonas", {"zona_ids": [zone, zone]}),
        ("tipos-pcd", {"tipos_pcd_ids": [kind]}),
        ("idiomas-requisito", {"requisitos": [language]}),
    ):
        answer = http.put(f"{path}/{name}", json=body, headers=headers)
        assert (answer.status_code, set(answer.json())) == (200, {"message"}), answer.text
        assert http.put(f"{path}/{name}", json=body, headers=callers[CURATED]).status_code == 403
    stored = http.get(path, headers=headers).json()
    assert [each["descricao"] for each in stored["zonas"] + stored["tipos_pcd"]] == ["Centro", "Visual"]
    assert stored["idiomas_requisito"][0]["nivel_minimo"]["ordem"] == 1
    strange = language | {"id_idioma": UNKNOWN}
    for name, body, refused in (
        ("zonas", {"zona_ids": [kind]}, (400, "zonas-invalid")),
        ("zonas", {"zona_ids": [zone] * 21}, (400, "zona_ids-invalid")),
        ("tipos-pcd", {"tipos_pcd_ids": ["x"]}, (400, "tipos_pcd_ids-invalid")),
        ("idiomas-requisito", {"requisitos": [language, language]}, (409, "language-repeated")),
        ("idiomas-requisito", {"requisitos": [strange]}, (400, "idiomas_requisito.id_idioma-invalid")),
    ):
        assert refusal(http.put(f"{path}/{name}", json=body, headers=headers)) == refused
    assert http.get(path, headers=headers).json() == stored


def test_kinds_of_disability_need_a_job_that_speaks_of_them(
    http: httpx.Client, callers: Callers, create: Create
) -> None:
    body = {"tipos_pcd_ids": [value(Kind.DISABILITY_TYPE, "Visual")]}
    answer = http.put(f"{BASE}/{create()['id']}/tipos-pcd", json=body, headers=callers[EDITOR])
    assert refusal(answer) == (400, "tipos_pcd_ids-invalid")


def test_every_caller_reaches_the_parts_as_the_job(http: httpx.Client, callers: Callers, create: Create) -> None:
    job = create()
    path, step = f"{BASE}/{job['id']}", job["etapas"][0]
    for who in ALL_CALLERS:
        wanted = {VISITOR: 401, FOREIGN: 404}.get(who, 200 if "curadoria" in who or who == "administrator" else 403)
        headers = callers[who]
        assert http.get(f"{path}/etapas", headers=headers).status_code == wanted
        assert http.get(f"{path}/etapas/{step['id']}", headers=headers).status_code == wanted
        changed = http.put(f"{path}/etapas/{step['id']}", json={"titulo": "Currículo"}, headers=headers)
        assert changed.status_code == wanted
        assert http.put(f"{path}/zonas", json={"zona_ids": []}, headers=headers).status_code == wanted
