"""Requests for others' data by address: a job of another department, a unit of another area, another attendance."""

from collections.abc import Callable, Iterator

import pytest

from tests.support.demo_people import CARLA
from tests.support.issuer import bearer
from tests.support.panel import PanelClient
from tests.support.panel_crawler import Crawl
from tests.support.sandbox import ADMIN, Sandbox

JOBS = "/jobs/api/v1/empregabilidade/vagas"


@pytest.fixture
def at_panel(sandbox: Sandbox) -> Iterator[Callable[[str], PanelClient]]:
    opened: list[PanelClient] = []

    def login(name: str) -> PanelClient:
        panel = PanelClient(sandbox.url)
        opened.append(panel)
        panel.login(name)
        return panel

    yield login
    for panel in opened:
        panel.http.close()


def test_a_job_of_another_department_is_neither_listed_nor_opened_nor_decided_on(
    at_panel: Callable[[str], PanelClient], sandbox: Sandbox
) -> None:
    admin = bearer(sandbox.tokens.person(ADMIN))
    jobs = sandbox.http.get(JOBS, params={"pageSize": 100}, headers=admin).json()["data"]
    helio = at_panel("helio")
    owned = {job["id"] for job in jobs if job.get("id_orgao") == "1900" or "1900" in str(job.get("orgaos", ""))}
    mine = sandbox.http.get(JOBS, params={"pageSize": 100}, headers=bearer(sandbox.tokens.person("90000030244"))).json()
    seen = {job["id"] for job in mine["data"]}
    others = [job for job in jobs if job["id"] not in seen]
    assert others, (len(jobs), len(seen), owned)
    shown = {address for seen in Crawl(helio, 1).run().seen for address in seen.addresses}
    faults = [job["id"] for job in others if f"/painel/vagas/{job['id']}" in shown]
    for job in others:
        for tail in ("", "/editar", "/candidaturas", "/candidaturas/planilha", "/excluir", "/mudar/publicar"):
            answer = helio.get(f"/painel/vagas/{job['id']}{tail}")
            if answer.status_code not in {403, 404} or job["titulo"] in answer.text:
                faults.append(f"{tail}: {answer.status_code}")
    assert faults == []


def test_an_operator_of_one_area_acts_in_no_other(at_panel: Callable[[str], PanelClient], sandbox: Sandbox) -> None:
    admin = bearer(sandbox.tokens.person(ADMIN))
    listed = sandbox.http.get("/health-units/unidades", params={"per_page": 100}, headers=admin).json()["data"]
    nilo = at_panel("nilo")
    token = bearer(sandbox.tokens.person("90000040398"))
    held = sandbox.http.get("/access/api/v1/users/me/actions", headers=token).json()["actions"]
    (areas,) = {tuple(each["reach"]["area"]) for each in held if each["reach"].get("area")}
    elsewhere = [unit for unit in listed if unit["area"] not in areas]
    assert elsewhere
    for unit in elsewhere[:5]:
        nilo.get(f"/painel/saude/unidades/{unit['cnes']}")
        posting = [form.action for form in nilo.page.forms if form.method == "post" and "/saude/" in form.action]
        assert posting == []
        assert not [link for link in nilo.page.links if link.endswith(("/mudar", "/encerrar", "/registro", "/dias"))]
        opened = nilo.get(f"/painel/saude/risco/abrir?cnes={unit['cnes']}")
        form = [each for each in nilo.page.forms if each.action == "/painel/saude/risco/abrir"]
        assert opened.status_code in {403, 404} or unit["nome"] not in "".join(form[0].values.values())


@pytest.mark.parametrize("other", ["marina", "debora", "kleber", "luiz"])
def test_an_attendance_is_of_the_session_that_began_it(at_panel: Callable[[str], PanelClient], other: str) -> None:
    luiz = at_panel("luiz")
    begun = luiz.attend(CARLA)
    assert "Carla Nogueira" in begun.text
    path = begun.url.path
    other_panel = at_panel(other)
    for tail in ("", "/crm", "/bens", "/acessos", "/telefone", "/email", "/endereco", "/mensagens"):
        answer = other_panel.get(path + tail)
        assert (tail, answer.status_code in {403, 404}) == (tail, True)
        assert "Carla" not in answer.text
    assert luiz.get(path).status_code == 200


def test_a_citizen_reaches_nobody_elses_record(at_panel: Callable[[str], PanelClient], sandbox: Sandbox) -> None:
    """The citizen's own pages ignore parameters, and always show the record of the citizen who is logged in."""
    ana = at_panel("ana")
    for path in ("", "/quem-viu", "/mensagens", "/telefone", "/email", "/endereco", "/copia", "/apagar"):
        for name in ("cpf", "citizen", "subject", "sub", "pessoa"):
            answer = ana.get(f"/painel/meus-dados{path}?{name}=90000000337")
            assert answer.status_code == 200
            assert "Carla" not in answer.text
