"""Photos and documents that a clerk adds to a request on behalf of the attended citizen."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import expect

from balcao.web.api import ServiceUnavailable
from balcao.web.service_requests import client
from balcao.web.service_requests.files import LARGEST_FILE
from tests.panel.counter.test_requests import ANSWERS, REASON, ask, clerk, find_base, read_receipt
from tests.support.demo_people import ANA, BRUNO, KLEBER, MARINA
from tests.support.fixture_types import Sql
from tests.support.issuer import bearer
from tests.support.panel import PanelClient
from tests.support.panel_browser import Screen
from tests.support.sample_files import document, drawing, photo
from tests.support.sandbox import Sandbox
from tests.support.task_modes import TASK_WIDTHS

__all__ = ["clerk"]

BADGE: dict[str, Any] = {
    "id": "cracha_de_ambulante",
    "name": "Crachá de ambulante",
    "category": "Comércio de rua",
    "fields": [
        {"id": "retrato", "kind": "file", "label": "Retrato", "required": True},
        {"id": "papeis", "kind": "file", "label": "Documentos", "max_files": 5},
    ],
    "departments": ["1500"],
    "deadline_days": 5,
}


def find_notes(answer: httpx.Response, question: str = "fotos") -> list[str]:
    """Return the stored files that the form or the page for checking contains."""
    as_boxes = re.findall(rf'name="k-{question}"\s+value="([^"]+)"\s+checked', answer.text)
    return as_boxes or re.findall(rf'name="k-{question}" hidden>\s*([^<]+)<', answer.text)


def send(clerk: PanelClient, path: str, files: dict[str, bytes], /, **values: Any) -> httpx.Response:
    """Open the form, fill it in and send it with files as a browser does."""
    clerk.get(path)
    return resend(clerk, path, files, **values)


def resend(clerk: PanelClient, path: str, files: dict[str, bytes], /, **values: Any) -> httpx.Response:
    """Send the form on the open page with files."""
    form = clerk.find_form(path)
    kept = {name: value for name, value in form.values.items() if not name.startswith("f-")}
    parts = [(name, ("IMG_0001.jpg", content, "text/html")) for name, content in files.items()]
    empty = next((name for name in form.values if name.startswith("f-")), "f-fotos")
    parts = parts or [(empty, ("", b"", "application/octet-stream"))]
    origin = {"Origin": clerk.url, "Sec-Fetch-Site": "same-origin"}
    sent = clerk.http.post(path, data=kept | values, files=parts, headers=origin)
    return clerk.remember(clerk.http.get(sent.headers["location"]) if sent.is_redirect else sent)


def ask_question(sandbox: Sandbox, files: list[str] | None = None) -> str:
    """Make a request that waits for Ana's answer, and return its number. `files` are those of an earlier answer."""
    lamp = {
        "type": "lampada_apagada",
        "version": 1,
        "answers": {"problema": "apagada", "local": {"address": "Rua A, 1"}},
    }
    number: str = ask(sandbox, ANA, "POST", f"/citizen/{ANA}/maintenance-request", json=lamp).json()["number"]
    question = {"state": "needs_information", "text": "Traga a conta de luz."}
    for answer in [{"text": "A primeira parte.", "files": files}] if files else []:
        assert ask(sandbox, KLEBER, "POST", f"/admin/maintenance-requests/{number}/steps", json=question).is_success
        assert ask(sandbox, ANA, "POST", f"/citizen/{ANA}/maintenance-request/{number}/answer", json=answer).is_success
    assert ask(sandbox, KLEBER, "POST", f"/admin/maintenance-requests/{number}/steps", json=question).is_success
    return number


def store_own(sandbox: Sandbox, content: bytes) -> str:
    """Store a file of Ana, and return its id."""
    stored: str = ask(sandbox, ANA, "POST", f"/citizen/{ANA}/files", content=content).json()["id"]
    return stored


def read_request(sandbox: Sandbox, number: str) -> dict[str, Any]:
    found: dict[str, Any] = ask(sandbox, ANA, "GET", f"/citizen/{ANA}/maintenance-request/{number}").json()
    return found


def test_a_clerk_adds_photos_checks_and_sends_once(clerk: PanelClient, sandbox: Sandbox) -> None:
    form = f"{find_base(clerk)}/novo/lampada_apagada"
    answer = send(clerk, form, {"f-fotos": photo()}, **ANSWERS, deed="outro")
    (first,) = find_notes(answer)
    assert answer.status_code == 200
    assert "1. Foto de" in clerk.page.text
    assert clerk.find_form(form).values["r-local-district"] == "Centro"
    again = {"f-fotos": drawing()}
    notes = find_notes(resend(clerk, form, again, **ANSWERS, **{"k-fotos": first}, deed="conferir"))
    assert clerk.page.heading == "Confira com a pessoa"
    assert len(notes) == 2
    assert notes[0] == first
    assert "2. Foto de" in clerk.page.text
    checked = clerk.page
    receipts = set()
    for _ in range(2):
        clerk.page = checked
        assert resend(clerk, form, {}, **{"k-fotos": notes}, deed="enviar").status_code == 201
        receipts.add(read_receipt(clerk))
    ((number, _),) = receipts
    (stored,) = [one for one in read_request(sandbox, number)["answers"] if one["kind"] == "file"]
    assert stored["value"] == [note.partition(" ")[0] for note in notes]
    content = ask(sandbox, ANA, "GET", f"/citizen/{ANA}/files/{stored['value'][0]}/content")
    assert (content.status_code, content.headers["content-type"]) == (200, "image/jpeg")
    trail = ask(sandbox, ANA, "GET", f"/citizen/{ANA}/data-access").json()["data"]
    made = next(event for event in trail if event["operation"] == "registry.store_file")
    assert (made["action"], made["actor_kind"], made["reason"]) == ("create", "staff", REASON)


def test_a_form_that_cannot_be_sent_is_shown_with_the_labels_of_its_questions(
    clerk: PanelClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: Any) -> Any:
        raise ServiceUnavailable("Fora do ar.", status=503)

    form = f"{find_base(clerk)}/novo/lampada_apagada"
    notes = find_notes(send(clerk, form, {"f-fotos": photo()}, **ANSWERS, deed="outro"))
    monkeypatch.setattr(client, "open_request", fail)
    answer = resend(clerk, form, {}, **ANSWERS, **{"k-fotos": notes}, deed="enviar")
    assert answer.status_code == 503
    typed = clerk.page.text.partition("O que você escreveu")[2]
    for part in ("O que há com a lâmpada?", "Piscando", "Rua das Acácias, 45", "Uma foto, se puder", "1. Foto de"):
        assert part in typed, typed
    for raw in ("r-problema", "piscando", "f-fotos", "k-fotos", "deed", "image/jpeg", "Algo mais"):
        assert raw not in typed
    assert clerk.find_form(form).values["r-problema"] == "piscando"


def test_an_unticked_file_is_not_sent(clerk: PanelClient, sandbox: Sandbox) -> None:
    form = f"{find_base(clerk)}/novo/lampada_apagada"
    send(clerk, form, {"f-fotos": photo()}, **ANSWERS, deed="outro")
    assert find_notes(resend(clerk, form, {}, **ANSWERS, deed="conferir")) == []
    assert "sem arquivos" in clerk.page.text
    clerk.post(form, clerk.find_form(form).values | {"deed": "enviar"})
    assert [one["kind"] for one in read_request(sandbox, read_receipt(clerk)[0])["answers"]].count("file") == 0


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"<html><script>alert(1)</script>", "Envie uma foto (JPEG ou PNG) ou um documento PDF."),
        (photo()[:200], ""),
        (photo() + bytes(LARGEST_FILE), "O arquivo é grande demais: pode ter até 5 MB."),
    ],
    ids=["no-picture", "damaged", "large"],
)
@pytest.mark.parametrize("deed", ["outro", "conferir", "enviar"])
def test_a_refused_file_keeps_the_answers(
    clerk: PanelClient, sandbox: Sandbox, content: bytes, said: str, deed: str
) -> None:
    form = f"{find_base(clerk)}/novo/lampada_apagada"
    answer = send(clerk, form, {"f-fotos": content}, **ANSWERS, deed=deed)
    assert answer.status_code == 422
    assert said in clerk.page.text
    assert 'aria-invalid="true"' in answer.text
    assert find_notes(answer) == []
    assert clerk.find_form(form).values["r-local-address"] == "Rua das Acácias, 45"


def test_a_form_beyond_its_limit_is_refused(clerk: PanelClient) -> None:
    form = f"{find_base(clerk)}/novo/lampada_apagada"
    answer = send(clerk, form, {"f-fotos": bytes(3 * LARGEST_FILE)}, **ANSWERS, deed="conferir")
    assert answer.status_code == 413


def test_a_required_file_and_a_number_of_files_are_checked(clerk: PanelClient, sandbox: Sandbox) -> None:
    assert ask(sandbox, KLEBER, "POST", "/admin/request-types", json=BADGE).status_code == 201
    form = f"{find_base(clerk)}/novo/cracha_de_ambulante"
    assert send(clerk, form, {}, deed="conferir").status_code == 422
    assert "Escolha um arquivo." in clerk.page.text
    assert resend(clerk, form, {}, deed="outro").status_code == 422
    portraits = find_notes(resend(clerk, form, {"f-retrato": photo()}, deed="outro"), "retrato")
    kept = {"k-retrato": portraits}
    assert resend(clerk, form, {"f-retrato": drawing()}, **kept, deed="outro").status_code == 422
    assert "Não cabem mais arquivos neste pedido." in clerk.page.text
    for number in range(4):
        answer = resend(clerk, form, {"f-papeis": document(b"papel %d" % number)}, **kept, deed="outro")
        kept = {"k-retrato": portraits, "k-papeis": find_notes(answer, "papeis")}
    assert len(kept["k-papeis"]) == 4
    answer = resend(clerk, form, {"f-papeis": document(b"demais")}, **kept, deed="conferir")  # the sixth of the request
    assert answer.status_code == 422
    assert "Não cabem mais arquivos neste pedido." in clerk.page.text
    assert resend(clerk, form, {}, **kept, deed="conferir").status_code == 200
    assert resend(clerk, form, {}, **kept, deed="enviar").status_code == 201
    assert len(read_request(sandbox, read_receipt(clerk)[0])["answers"]) == 2


def test_a_file_of_another_person_or_a_deleted_file_is_refused(clerk: PanelClient, sandbox: Sandbox, sql: Sql) -> None:
    form = f"{find_base(clerk)}/novo/lampada_apagada"
    headers = bearer(sandbox.tokens.person(BRUNO))
    of_bruno = sandbox.http.post(f"/registry/v1/citizen/{BRUNO}/files", content=photo(), headers=headers).json()
    (own,) = find_notes(send(clerk, form, {"f-fotos": photo(80)}, **ANSWERS, deed="conferir"))
    sql("DELETE FROM registry.citizen_file WHERE id = $1", own.partition(" ")[0])
    foreign = f"{of_bruno['id']} {of_bruno['media_type']} {of_bruno['size']}"
    for note in (own, foreign):
        answer = resend(clerk, form, {}, **ANSWERS, **{"k-fotos": note}, deed="enviar")
        assert answer.status_code == 422
        assert "Os arquivos deste pedido foram apagados" in clerk.page.text
        assert find_notes(answer) == []
        assert clerk.find_form(form).values["r-quantas"] == "2"
    for nonsense in ("../../etc/passwd", f"{own}0000000", '"><script>'):
        answer = resend(clerk, form, {}, **ANSWERS, **{"k-fotos": nonsense}, deed="conferir")
        assert (answer.status_code, find_notes(answer)) == (200, [])


def test_a_clerk_without_the_right_to_files_makes_requests_without_them(panel: PanelClient, sandbox: Sandbox) -> None:
    kind = BADGE | {"id": "licenca_de_feira", "name": "Licença de feira"}
    assert ask(sandbox, KLEBER, "POST", "/admin/request-types", json=kind).status_code == 201
    rights, headers = "/access/api/v1/roles/rmi:balcao/actions", bearer(sandbox.tokens.person(MARINA))
    assert sandbox.http.delete(f"{rights}/files:write", headers=headers).status_code == 204
    try:
        panel.login("luiz")
        panel.attend(ANA)
        base = f"{find_base(panel)}/novo"
        panel.get(base)
        assert "Pede um arquivo, que você não pode enviar" in panel.page.text
        assert f"{base}/licenca_de_feira" not in panel.page.links
        assert panel.get(f"{base}/licenca_de_feira").status_code == 404
        answer = send(panel, f"{base}/lampada_apagada", {"f-fotos": photo()}, **ANSWERS, deed="conferir")
        assert (answer.status_code, find_notes(answer)) == (200, [])
        assert "Foto" not in panel.page.text
        panel.get(f"{base}/lampada_apagada")
        assert "Você não pode enviar arquivos: Uma foto, se puder." in panel.page.text
    finally:
        sandbox.http.post(rights, json={"action_name": "files:write"}, headers=headers)


def test_a_file_is_read_only_from_an_own_form_of_a_clerk(clerk: PanelClient, panel: PanelClient) -> None:
    form = f"{find_base(clerk)}/novo/lampada_apagada"
    parts = [("f-fotos", ("a.jpg", photo(), "image/jpeg"))]
    secret = clerk.read_secret()
    foreign = {"Origin": "https://outro.example", "Sec-Fetch-Site": "cross-site"}
    for headers, posted in ((foreign, secret), ({"Origin": clerk.url}, "x" * 43)):
        answer = clerk.http.post(form, data={"_csrf": posted, "deed": "conferir"}, files=parts, headers=headers)
        assert answer.status_code == 403


def test_a_clerk_answers_once_with_the_files_that_the_person_brings(clerk: PanelClient, sandbox: Sandbox) -> None:
    number = ask_question(sandbox)
    form = f"{find_base(clerk)}/{number}/responder"
    answer = send(clerk, form, {"f-files": photo()}, text="", deed="outro")
    (first,) = find_notes(answer, "files")
    assert answer.status_code == 200
    assert "1. Foto de" in clerk.page.text
    assert "Traga a conta de luz." in clerk.page.text
    opened = clerk.page
    for _ in range(2):  # the second form is a repeated click
        clerk.page = opened
        final = {"f-files": document(b"conta")}
        answer = resend(clerk, form, final, text="Trouxe a conta.", **{"k-files": first}, deed="enviar")
        assert answer.status_code == 200
        assert "A resposta foi enviada." in clerk.page.text
    read = read_request(sandbox, number)
    assert [step["text"] for step in read["steps"]].count("Trouxe a conta.") == 1
    step = next(one for one in read["steps"] if one["text"] == "Trouxe a conta.")
    assert (step["author"], read["state"], len(step["files"])) == ("citizen", "in_progress", 2)
    assert step["files"][0] == first.partition(" ")[0]
    handled = f"/admin/maintenance-requests/{number}/files/{step['files'][1]}"
    content = ask(sandbox, KLEBER, "GET", handled)
    assert (content.status_code, content.headers["content-type"]) == (200, "application/pdf")
    trail = ask(sandbox, ANA, "GET", f"/citizen/{ANA}/data-access").json()["data"]
    for operation in ("registry.store_file", "registry.answer_request"):
        event = next(one for one in trail if one["operation"] == operation)
        assert (event["actor_kind"], event["reason"]) == ("staff", REASON)


def test_a_repeated_answer_with_the_last_possible_file_is_no_error(clerk: PanelClient, sandbox: Sandbox) -> None:
    number = ask_question(sandbox, [store_own(sandbox, document(b"parte %d" % part)) for part in range(4)])
    form = f"{find_base(clerk)}/{number}/responder"
    clerk.get(form)
    assert "Um arquivo JPEG, PNG ou PDF." in clerk.page.text
    opened = clerk.page
    for _ in range(2):
        clerk.page = opened
        assert resend(clerk, form, {"f-files": photo()}, text="A última.", deed="enviar").status_code == 200
        assert "A resposta foi enviada." in clerk.page.text
    assert len(read_request(sandbox, number)["steps"][-1]["files"]) == 1


def test_a_refused_file_keeps_the_answer(clerk: PanelClient, sandbox: Sandbox) -> None:
    number = ask_question(sandbox)
    form = f"{find_base(clerk)}/{number}/responder"
    for content, said in ((b"<html>", "Envie uma foto"), (photo() + bytes(LARGEST_FILE), "O arquivo é grande demais")):
        answer = send(clerk, form, {"f-files": content}, text="Trouxe a conta.", deed="enviar")
        assert answer.status_code == 422
        assert said in clerk.page.text
        assert clerk.find_form(form).values["text"].strip() == "Trouxe a conta."
    answer = send(clerk, form, {"f-files": photo()}, text="", deed="enviar")
    assert answer.status_code == 422
    assert "Escreva o que a pessoa diz." in clerk.page.text
    assert len(find_notes(answer, "files")) == 1
    assert send(clerk, form, {}, text="Depois.", deed="outro").status_code == 422
    assert "Escolha um arquivo." in clerk.page.text
    assert read_request(sandbox, number)["state"] == "needs_information"


def test_a_request_takes_five_files_and_only_own_ones(clerk: PanelClient, sandbox: Sandbox, sql: Sql) -> None:
    held = [store_own(sandbox, document(b"guardado %d" % part)) for part in range(5)]
    full = f"{find_base(clerk)}/{ask_question(sandbox, held)}/responder"
    answer = send(clerk, full, {"f-files": photo()}, text="Mais uma.", deed="enviar")
    assert answer.status_code == 422
    assert "Não cabem mais arquivos neste pedido." in clerk.page.text
    clerk.get(full)
    assert "Este pedido já tem todos os arquivos que pode ter." in clerk.page.text
    assert resend(clerk, full, {}, text="Sem arquivo.", deed="enviar").status_code == 200
    assert "A resposta foi enviada." in clerk.page.text
    number = ask_question(sandbox)
    form = f"{find_base(clerk)}/{number}/responder"
    headers = bearer(sandbox.tokens.person(BRUNO))
    of_bruno = sandbox.http.post(f"/registry/v1/citizen/{BRUNO}/files", content=photo(), headers=headers).json()
    (own,) = find_notes(send(clerk, form, {"f-files": photo(80)}, text="", deed="outro"), "files")
    sql("DELETE FROM registry.citizen_file WHERE id = $1", own.partition(" ")[0])
    for note in (own, f"{of_bruno['id']} {of_bruno['media_type']} {of_bruno['size']}"):
        answer = resend(clerk, form, {}, text="Trouxe.", **{"k-files": note}, deed="enviar")
        assert answer.status_code == 422
        assert "Os arquivos deste pedido foram apagados" in clerk.page.text
        assert find_notes(answer, "files") == []
        assert clerk.find_form(form).values["text"].strip() == "Trouxe."
    assert read_request(sandbox, number)["state"] == "needs_information"


def test_a_clerk_without_the_right_to_files_answers_without_them(panel: PanelClient, sandbox: Sandbox) -> None:
    number = ask_question(sandbox)
    rights, headers = "/access/api/v1/roles/rmi:balcao/actions", bearer(sandbox.tokens.person(MARINA))
    assert sandbox.http.delete(f"{rights}/files:write", headers=headers).status_code == 204
    try:
        panel.login("luiz")
        panel.attend(ANA)
        form = f"{find_base(panel)}/{number}/responder"
        panel.get(form)
        assert "Você não pode enviar arquivos." in panel.page.text
        assert resend(panel, form, {"f-files": photo()}, text="Só o texto.", deed="enviar").status_code == 200
        step = read_request(sandbox, number)["steps"][-1]
        assert (step["text"], "files" in step) == ("Só o texto.", False)
    finally:
        sandbox.http.post(rights, json={"action_name": "files:write"}, headers=headers)


@pytest.mark.long
@pytest.mark.page
@pytest.mark.node
@pytest.mark.parametrize("width", TASK_WIDTHS)
def test_the_counter_answers_with_a_document_in_a_browser(
    screen_of: Any, sandbox: Sandbox, tmp_path: Path, width: int
) -> None:
    number = ask_question(sandbox)
    screen: Screen = screen_of(width)
    bill, meter = tmp_path / "conta de luz.pdf", tmp_path / "relógio.jpg"
    bill.write_bytes(document(b"conta"))
    meter.write_bytes(photo(1600, 1200))
    screen.login("luiz", "/painel/atendimento")
    page = screen.page
    page.get_by_label("Motivo do acesso").select_option("Atendimento no balcão")
    page.get_by_label("CPF", exact=True).fill(ANA)
    page.get_by_role("button", name="Começar o atendimento").click()
    page.get_by_role("link", name="Pedidos", exact=True).click()
    page.get_by_role("row").filter(has_text=number).get_by_role("link").click()
    page.get_by_role("link", name="Responder à prefeitura").click()
    expect(page.get_by_role("main")).to_contain_text("Traga a conta de luz.")
    assert screen.axe() == []
    page.get_by_label("Fotos e documentos da pessoa").set_input_files(meter)
    page.get_by_role("button", name="Guardar o arquivo e escolher outro").click()
    expect(page.get_by_role("checkbox", name="1. Foto de")).to_be_checked()
    assert screen.axe() == []
    assert screen.wider_than_the_screen() == []
    page.get_by_label("Fotos e documentos da pessoa (opcional)").set_input_files(bill)
    page.get_by_role("textbox", name="O que a pessoa diz").fill("Trouxe a conta de luz.")
    page.get_by_role("button", name="Responder à prefeitura").click()
    expect(page.get_by_role("main")).to_contain_text("Trouxe a conta de luz.")
    expect(page.get_by_role("main")).to_contain_text("Arquivo 2")
    assert screen.axe() == []
    assert len(read_request(sandbox, number)["steps"][-1]["files"]) == 2


@pytest.mark.long
@pytest.mark.page
@pytest.mark.node
@pytest.mark.parametrize("width", TASK_WIDTHS)
def test_the_counter_sends_a_photo_in_a_browser(screen_of: Any, sandbox: Sandbox, tmp_path: Path, width: int) -> None:
    screen: Screen = screen_of(width)
    picture = tmp_path / "sofá.jpg"
    picture.write_bytes(photo(1600, 1200))
    screen.login("luiz", "/painel/atendimento")
    page = screen.page
    page.get_by_label("Motivo do acesso").select_option("Atendimento no balcão")
    page.get_by_label("CPF", exact=True).fill(ANA)
    page.get_by_role("button", name="Começar o atendimento").click()
    page.get_by_role("link", name="Pedidos", exact=True).click()
    page.get_by_role("link", name="Fazer um pedido").click()
    page.get_by_role("link", name="Lâmpada apagada").click()
    page.get_by_label("Piscando").check()
    page.get_by_label("Rua e número").fill("Rua do Porto, 8")
    page.get_by_label("Uma foto, se puder").set_input_files(picture)
    page.get_by_role("button", name="Conferir").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Confira com a pessoa")
    expect(page.get_by_role("main")).to_contain_text("1. Foto de")
    assert screen.axe() == []
    page.get_by_role("button", name="Mudar as respostas").click()
    expect(page.get_by_role("checkbox", name="1. Foto de")).to_be_checked()
    assert screen.axe() == []
    assert screen.wider_than_the_screen() == []
    page.get_by_label("Rua e número").press("Enter")  # checks, and does not ask for one more file
    expect(page.get_by_role("heading", level=1)).to_have_text("Confira com a pessoa")
    page.get_by_role("button", name="Enviar o pedido").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Pedido enviado")
    expect(page.get_by_role("main")).to_contain_text("1 arquivo")
    number = re.search(r"PED-\d{8}-\d", page.inner_text(".receipt"))
    assert number is not None
    assert any(one["kind"] == "file" for one in read_request(sandbox, number[0])["answers"])
    assert "PED-" not in urlsplit(page.url).path
