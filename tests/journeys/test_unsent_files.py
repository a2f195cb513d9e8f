"""A form with text and a file loses neither its text nor its stored files while the registry is down.

Rules: site 12 (7, 20), panel 3 (4) and 6 (9).
"""

import re
from collections.abc import Iterator

import httpx
import pytest

from balcao.settings import Settings
from tests.panel.counter.test_request_files import ask_question, find_notes, read_request, resend
from tests.panel.counter.test_requests import ANSWERS, find_base, read_receipt
from tests.site.mine.test_requests import LAMP, OWN, send_file
from tests.support.cuttable_connection import Line
from tests.support.demo_people import ANA
from tests.support.panel import CitizenClient, PanelClient
from tests.support.sample_files import drawing, photo
from tests.support.sandbox import EmbeddedTokens, Sandbox, running
from tests.support.server import UNLIMITED, free_port

TYPED = 'O poste é "cinza" & alto.\r\nFica na esquina <b>.'
STORED = TYPED.replace("\r\n", "\n")
AGAIN = "escolha o arquivo de novo"


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def line(port: int) -> Iterator[Line]:
    with Line(free_port(), port) as opened:
        yield opened


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory, line: Line, port: int, database_url: str) -> Iterator[Sandbox]:
    address = f"http://127.0.0.1:{line.port}"
    settings = Settings(
        data_dir=tmp_path_factory.mktemp("data"),
        port=port,
        panel_api_url=address,
        site_api_url=address,
        refused_rate=UNLIMITED,
    )
    with running(settings, database_url, EmbeddedTokens(settings.issuers[0])) as opened:
        yield opened


@pytest.fixture
def ana(sandbox: Sandbox, line: Line) -> Iterator[CitizenClient]:
    line.mend()
    with CitizenClient(sandbox.url) as client:
        client.login("ana")
        yield client
    line.mend()


@pytest.fixture
def clerk(sandbox: Sandbox, line: Line) -> Iterator[PanelClient]:
    line.mend()
    with PanelClient(sandbox.url) as client:
        client.login("luiz")
        client.attend(ANA)
        yield client
    line.mend()


def list_kept(answer: httpx.Response, name: str = "kept") -> list[str]:
    """Return the notes of stored files that the error page or the form contains."""
    return re.findall(rf'name="{name}"\s+(?:id="[^"]*"\s+)?value="([^"]+)"', answer.text)


def read_answer(sandbox: Sandbox, number: str) -> tuple[str, list[str]]:
    """Return the text and the files of the citizen's only answer."""
    (step,) = [one for one in read_request(sandbox, number)["steps"] if one["author"] == "citizen" and one["text"]]
    return step["text"], step["files"]


@pytest.mark.long
@pytest.mark.parametrize("away", [("GET", ""), ("POST", "/files")], ids=["everything", "upload"])
def test_a_citizen_chooses_only_the_lost_file_again(
    ana: CitizenClient, sandbox: Sandbox, line: Line, away: tuple[str, str]
) -> None:
    number = ask_question(sandbox)
    path = f"{OWN}/{number}/responder"
    (kept,) = list_kept(send_file(ana, path, photo(), outro="1", text=TYPED))
    line.cut_at(*away)
    answer = send_file_of_page(ana, path, drawing(), text=TYPED, kept=kept)
    assert answer.status_code == 503
    assert AGAIN in ana.page.text
    for _ in range(2):
        line.cut()
        form = ana.find_form(path)
        assert ana.post(path, form.values).status_code == 503  # the registry is still down
        assert AGAIN in ana.page.text
    line.mend()
    form = ana.find_form(path)
    answer = ana.post(path, form.values)
    assert (answer.status_code, list_kept(answer)) == (200, [kept])
    assert "Escolha o arquivo de novo." in ana.page.text
    assert ana.find_form(path).values["text"].strip() == STORED
    assert read_request(sandbox, number)["state"] == "needs_information"
    send_file_of_page(ana, path, drawing(), text=TYPED, kept=kept)
    assert "A resposta foi enviada." in ana.page.text
    text, files = read_answer(sandbox, number)
    assert (text, len(files), files[0]) == (STORED, 2, kept.partition(" ")[0])


def send_file_of_page(citizen: CitizenClient, path: str, content: bytes, **values: str) -> httpx.Response:
    """Send the form on the open page with a file."""
    hidden = {name: value for name, value in citizen.find_form(path).values.items() if name != "file"}
    origin = {"Origin": citizen.url, "Sec-Fetch-Site": "same-origin"}
    chosen = {"file": ("foto.png", content, "image/png")}
    answer = citizen.http.post(path, data=hidden | values, files=chosen, headers=origin)
    return citizen.remember(citizen.http.get(answer.headers["location"]) if answer.is_redirect else answer)


def test_a_citizen_sends_an_answer_again_with_its_stored_file(ana: CitizenClient, sandbox: Sandbox, line: Line) -> None:
    number = ask_question(sandbox)
    path = f"{OWN}/{number}/responder"
    ana.get(path)
    line.cut_at("POST", "/answer")
    answer = send_file_of_page(ana, path, photo(), text=TYPED)
    assert answer.status_code == 503
    assert AGAIN not in ana.page.text
    (kept,) = list_kept(answer)
    line.mend()
    form = ana.find_form(path)
    for _ in range(2):  # pressed twice
        ana.post(path, form.values)
        assert "A resposta foi enviada." in ana.page.text
    assert read_answer(sandbox, number) == (STORED, [kept.partition(" ")[0]])


@pytest.mark.long
@pytest.mark.parametrize("away", [("GET", ""), ("POST", "/files")], ids=["everything", "upload"])
def test_a_clerk_chooses_only_the_lost_file_of_an_answer_again(
    clerk: PanelClient, sandbox: Sandbox, line: Line, away: tuple[str, str]
) -> None:
    number = ask_question(sandbox)
    path = f"{find_base(clerk)}/{number}/responder"
    clerk.get(path)
    (kept,) = find_notes(resend(clerk, path, {"f-files": photo()}, text=TYPED, deed="outro"), "files")
    line.cut_at(*away)
    answer = resend(clerk, path, {"f-files": drawing()}, text=TYPED, deed="enviar", **{"k-files": kept})
    assert answer.status_code == 503
    assert AGAIN in clerk.page.text
    line.mend()
    answer = clerk.post(path, clerk.find_form(path).values)
    assert (answer.status_code, find_notes(answer, "files")) == (200, [kept])
    assert "Escolha o arquivo de novo." in clerk.page.text
    assert clerk.find_form(path).values["text"].strip() == TYPED
    assert read_request(sandbox, number)["state"] == "needs_information"
    resend(clerk, path, {"f-files": drawing()}, text=TYPED, deed="enviar", **{"k-files": kept})
    assert "A resposta foi enviada." in clerk.page.text
    text, files = read_answer(sandbox, number)
    assert (text, len(files), files[0]) == (STORED, 2, kept.partition(" ")[0])


def test_a_clerk_sends_an_answer_again_with_its_stored_file(clerk: PanelClient, sandbox: Sandbox, line: Line) -> None:
    number = ask_question(sandbox)
    path = f"{find_base(clerk)}/{number}/responder"
    clerk.get(path)
    line.cut_at("POST", "/answer")
    answer = resend(clerk, path, {"f-files": photo()}, text=TYPED, deed="enviar")
    assert answer.status_code == 503
    assert AGAIN not in clerk.page.text
    (kept,) = list_kept(answer, "k-files")
    line.mend()
    clerk.post(path, clerk.find_form(path).values)
    assert "A resposta foi enviada." in clerk.page.text
    assert read_answer(sandbox, number) == (STORED, [kept.partition(" ")[0]])


def test_a_clerk_keeps_the_answers_of_a_new_request_and_chooses_the_file_again(
    clerk: PanelClient, sandbox: Sandbox, line: Line
) -> None:
    path = f"{find_base(clerk)}/novo/lampada_apagada"
    typed = {name: value for name, value in ANSWERS.items() if name != "r-problema"}
    clerk.get(path)
    line.cut_at("POST", "/files")
    answer = resend(clerk, path, {"f-fotos": photo()}, **ANSWERS, deed="conferir")
    assert answer.status_code == 503
    assert AGAIN in clerk.page.text
    line.mend()
    opened = clerk.post(path, clerk.find_form(path).values)
    assert opened.status_code == 200
    shown = clerk.find_form(path).values
    assert {name: shown[name] for name in typed} == typed
    assert re.search(r'value="piscando"[^>]*\schecked|\schecked[^>]*value="piscando"', opened.text)
    (kept,) = find_notes(resend(clerk, path, {"f-fotos": photo()}, **ANSWERS, deed="conferir"))
    line.cut_at("POST", "/maintenance-request")
    assert clerk.post(path, clerk.find_form(path).values | {"deed": "enviar"}).status_code == 503
    line.mend()
    assert clerk.post(path, clerk.find_form(path).values).status_code == 201
    number, _ = read_receipt(clerk)
    (stored,) = [one for one in read_request(sandbox, number)["answers"] if one["kind"] == "file"]
    assert stored["value"] == [kept.partition(" ")[0]]


def test_a_page_with_only_a_file_opens_again(ana: CitizenClient, line: Line) -> None:
    path = f"{LAMP}/arquivos/5"
    ana.get(path)
    line.cut_at("POST", "/files")
    assert send_file_of_page(ana, path, photo(), outro="1").status_code == 503
    assert AGAIN in ana.page.text
    line.mend()
    opened = ana.post(path, ana.find_form(path).values)
    assert (opened.status_code, "Escolha o arquivo de novo." in ana.page.text) == (200, True)
    send_file_of_page(ana, path, photo(), outro="1")
    assert "O arquivo foi guardado." in ana.page.text


def test_a_form_without_the_secret_of_the_session_is_not_opened(ana: CitizenClient, sandbox: Sandbox) -> None:
    path = f"{OWN}/{ask_question(sandbox)}/responder"
    ana.get(path)
    sent = ana.find_form(path).values | {"_reabrir": "1", "text": TYPED}
    opened, refused = (ana.post(path, sent | secret) for secret in ({}, {"_csrf": "x"}))
    assert (opened.status_code, "esquina" in opened.text) == (200, True)
    assert (refused.status_code, "esquina" in refused.text) == (403, False)
