"""A citizen's requests over HTTP: asked question by question, sent once, followed, answered, reopened and rated."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta

import httpx
import pytest

from balcao.site.formats import SiteWords
from balcao.site.mine.declaration import PREFIX
from balcao.web.service_requests.files import LARGEST_FILE
from balcao_sandbox.identity.demo import people_by_login
from tests.site.mine.conftest import Enter
from tests.support.issuer import bearer
from tests.support.panel import CitizenClient, PanelClient
from tests.support.sample_files import document, drawing, photo
from tests.support.sandbox import Sandbox

Sql = Callable[..., list[dict[str, object]]]
ASK, OWN = f"{PREFIX}/pedir", f"{PREFIX}/pedidos"
LAMP = f"{ASK}/lampada_apagada"
PLACE = {"r-local-address": "Rua do Cais, 80", "r-local-district": "Porto"}
SOFA = [
    {"r-objetos": "Um sofá"},
    {"r-quantos": "1"},
    {"r-endereco-address": "Rua do Cais, 80", "r-endereco-district": "Porto"},
    {},
]


def fill(citizen: CitizenClient, path: str, values: dict[str, str], **pressed: str) -> None:
    """Open the page of a question, answer it and continue."""
    citizen.get(path)
    citizen.post(path, citizen.find_form(path).values | values | pressed)


def ask_for_a_lamp(citizen: CitizenClient, **place: str) -> None:
    """Answer the questions about a lamp, until the page that shows all answers."""
    fill(citizen, f"{LAMP}/pergunta/1", {"r-problema": "piscando"})
    fill(citizen, f"{LAMP}/pergunta/2", PLACE | place)
    fill(citizen, f"{LAMP}/pergunta/3", {"r-quantas": "2"})
    fill(citizen, f"{LAMP}/pergunta/4", {"r-detalhes": "Perto do mercado.\r\nDe noite."})
    send_file(citizen, f"{LAMP}/arquivos/5", b"")
    assert citizen.page.heading == "Confira antes de enviar"


def send_file(citizen: CitizenClient, path: str, content: bytes, **pressed: str) -> httpx.Response:
    """Send a file as a browser does, or send the form without choosing a file."""
    citizen.get(path)
    form = next(form for form in citizen.page.forms if form.action == path)
    chosen = ("file", ("foto.jpg" if content else "", content, "application/octet-stream"))
    hidden = {name: value for name, value in form.values.items() if name != "file"}
    origin = {"Origin": citizen.url, "Sec-Fetch-Site": "same-origin"}
    answer = citizen.http.post(path, data=hidden | pressed, files=[chosen], headers=origin)
    return citizen.remember(citizen.http.get(answer.headers["location"]) if answer.is_redirect else answer)


def read_number(citizen: CitizenClient) -> str:
    found = re.search(r"PED-\d+-\d", citizen.page.text)
    assert found is not None, citizen.page.text
    return found[0]


def count_requests(citizen: CitizenClient) -> int:
    citizen.get(PREFIX)
    found = re.search(r"Todos os pedidos \((\d+)\)", citizen.page.text)
    return int(found[1]) if found else 0


def test_a_citizen_asks_with_stops_and_sends_once(enter: Enter) -> None:
    gabi = enter("gabriela")
    before = count_requests(gabi)
    fill(gabi, f"{LAMP}/pergunta/1", {"r-problema": "apagada"}, depois="1")
    assert "Continue de onde parou: Lâmpada apagada" in gabi.page.text
    gabi.get(f"{LAMP}/conferir")
    assert "/pergunta/2" in gabi.page.forms[1].action  # the first required answer that is missing
    ask_for_a_lamp(gabi)
    assert "Rua do Cais, 80, Porto" in gabi.page.text
    assert "Piscando" in gabi.page.text
    form = gabi.find_form(f"{LAMP}/conferir")
    gabi.post(form.action, form.values)
    assert gabi.page.heading == "Pedido feito"
    number, code = read_number(gabi), re.search(r"[A-Z0-9]{4}-[A-Z0-9]{4}-[A-Z0-9]{4}", gabi.page.text)
    gabi.post(form.action, form.values)  # the button is pressed a second time
    assert read_number(gabi) == number
    gabi.get(f"{LAMP}/conferir")  # a step back
    assert read_number(gabi) == number
    assert count_requests(gabi) == before + 1
    assert "Continue de onde parou" not in gabi.page.text
    assert code is not None
    followed = gabi.http.post("/pedidos/acompanhar", data={"number": number, "code": code[0]})
    assert "Recebido" in followed.text


def test_an_answer_can_be_changed_on_the_last_page(enter: Enter) -> None:
    gabi = enter("gabriela")
    ask_for_a_lamp(gabi)
    form = gabi.find_form(f"{LAMP}/conferir")
    fill(gabi, f"{LAMP}/pergunta/3", {"r-quantas": "7"})
    gabi.get(f"{LAMP}/conferir")
    assert " 7 " in gabi.page.text
    gabi.post(form.action, form.values | {"version": "9"})
    assert "Este pedido mudou desde que você abriu a página" in gabi.page.text


def test_a_wrong_answer_is_explained_and_not_kept(enter: Enter) -> None:
    gabi = enter("gabriela")
    fill(gabi, f"{ASK}/coleta_de_volumosos/pergunta/2", {"r-quantos": "muitos"})
    assert "Escreva só um número inteiro." in gabi.page.text
    gabi.get(f"{ASK}/coleta_de_volumosos/conferir")
    assert "/pergunta/1" in gabi.page.forms[1].action


@pytest.mark.parametrize("path", ["/nada", "/lampada_apagada/pergunta/0", "/lampada_apagada/pergunta/6", "/Nada!"])
def test_an_unknown_type_or_question_does_not_exist(enter: Enter, path: str) -> None:
    assert enter("gabriela").get(ASK + path).status_code == 404


def test_text_survives_the_end_of_the_session(enter: Enter, sql: Sql) -> None:
    gabi = enter("gabriela")
    path = f"{LAMP}/pergunta/4"
    gabi.get(path)
    form = gabi.find_form(path)
    sql("UPDATE site.session SET ended_at = now(), tokens = NULL")
    over = gabi.post(path, form.values | {"r-detalhes": "Ao lado da escola."})
    assert over.status_code == 401
    assert "guardado por 7 dias" in gabi.page.text
    gabi.get(next(link for link in gabi.page.links if "/entrar?para=" in link))
    assert gabi.find_form(path).values["r-detalhes"].strip() == "Ao lado da escola."


def test_photos_and_documents_are_sent_shown_and_downloaded_as_attachments(enter: Enter) -> None:
    gabi, base = enter("gabriela"), f"{ASK}/coleta_de_volumosos"
    for position, values in enumerate(SOFA[:3], 1):
        fill(gabi, f"{base}/pergunta/{position}", values)
    gabi.get(f"{base}/arquivos/4")
    assert "Você pode enviar até 3 arquivos, um de cada vez." in gabi.page.text
    send_file(gabi, f"{base}/arquivos/4", photo(), outro="1")
    assert "Você pode enviar mais 2 arquivos, um de cada vez." in gabi.page.text
    send_file(gabi, f"{base}/arquivos/4", drawing(), outro="1")
    send_file(gabi, f"{base}/arquivos/4", document())
    gabi.get(f"{base}/arquivos/4")
    assert re.search(r"1\. Foto de \d+ kB.*2\. Foto de.*3\. Documento de", gabi.page.text)
    assert "Escolha" not in gabi.page.text  # this question accepts at most three
    removal = next(form for form in gabi.page.forms if form.action.endswith("/retirar"))
    gabi.post(removal.action, removal.values)
    assert "3. Documento" not in gabi.page.text
    gabi.get(f"{base}/pergunta/5")
    form = gabi.find_form(f"{base}/pergunta/5")
    day = re.search(r"De (\d\d)/(\d\d)/(\d{4}) a", gabi.page.text)
    assert day is not None
    gabi.post(f"{base}/pergunta/5", form.values | {"r-dia": "-".join(day.groups()[::-1])})
    assert "2 arquivos" in gabi.page.text
    form = gabi.find_form(f"{base}/conferir")
    gabi.post(form.action, form.values)
    gabi.get(f"{OWN}/{read_number(gabi)}")
    first, *_ = [link for link in gabi.page.links if "/arquivos/" in link]
    got = gabi.http.get(first)
    assert got.headers["content-disposition"].startswith("attachment")
    assert got.headers["content-type"] in {"image/png", "application/pdf"}
    assert got.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in got.headers["content-security-policy"]
    assert got.headers["cache-control"] == "no-store"
    assert enter("carla").http.get(first).status_code == 404


def test_a_repeated_answer_with_the_last_possible_file_is_no_error(enter: Enter, sandbox: Sandbox) -> None:
    """A citizen presses the button twice. The first answer already holds the fifth file."""
    gabi = enter("gabriela")
    path = ask(gabi, sandbox)
    number = path.removeprefix(f"{OWN}/").removesuffix("/responder")
    cpf = people_by_login()["gabriela"].cpf
    base, headers = f"{sandbox.url}/registry/v1/citizen/{cpf}", bearer(sandbox.tokens.person(cpf))
    with httpx.Client(base_url=base, headers=headers, timeout=60) as http:
        ids = [http.post("/files", content=document(b"parte %d" % part)).json()["id"] for part in range(4)]
        answer = {"text": "As primeiras.", "files": ids}
        http.post(f"/maintenance-request/{number}/answer", json=answer).raise_for_status()
    handle(sandbox, number, "needs_information", "E a última?")
    gabi.get(path)
    form = next(form for form in gabi.page.forms if form.action == path)
    hidden = {name: value for name, value in form.values.items() if name != "file"} | {"text": "A última."}
    for _ in range(2):
        sent = gabi.http.post(path, data=hidden, files=[("file", ("foto.jpg", photo(), "image/jpeg"))])
        assert sent.status_code == 303
    gabi.get(f"{OWN}/{number}")
    assert gabi.page.text.count("A última.") == 1


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "Envie uma foto (JPEG ou PNG) ou um documento PDF."),
        (b"%PDF-1.4\nquebrado", "O PDF está incompleto ou danificado"),
        (b"\xff\xd8\xff" + b"x" * LARGEST_FILE, "O arquivo é grande demais: pode ter até 5 MB."),
    ],
)
def test_a_wrong_file_is_explained_at_its_field(enter: Enter, content: bytes, text: str) -> None:
    gabi = enter("gabriela")
    assert send_file(gabi, f"{LAMP}/arquivos/5", content).status_code == 422
    assert text in gabi.page.text


def test_a_file_beyond_the_limit_is_not_read_and_the_page_says_why(enter: Enter) -> None:
    gabi = enter("gabriela")
    assert send_file(gabi, f"{LAMP}/arquivos/5", b"\xff\xd8\xff" + b"x" * 2 * LARGEST_FILE).status_code == 413
    assert gabi.page.heading == "O arquivo é grande demais"
    assert f"{LAMP}/arquivos/5" in gabi.page.links


def test_a_form_that_is_not_read_says_that_its_text_is_lost(enter: Enter, sandbox: Sandbox) -> None:
    gabi = enter("gabriela")
    path = ask(gabi, sandbox)
    too_large = b"\xff\xd8\xff" + b"x" * 3 * LARGEST_FILE
    assert send_file(gabi, path, too_large, text="É cinza.").status_code == 413
    assert gabi.page.heading == "O arquivo é grande demais"
    assert "é preciso escrever o texto de novo" in gabi.page.text
    assert "envie primeiro o arquivo e escreva depois" in gabi.page.text
    assert "Abrir o formulário vazio" in gabi.page.text
    assert path in gabi.page.links
    (note,) = find_notes(send_file(gabi, path, photo(), outro="1"))  # as the page advises
    send_file(gabi, path, b"", text="É cinza.", kept=note)
    assert "A resposta foi enviada." in gabi.page.text
    name = f"{PREFIX}/dados/nome"
    gabi.get(name)
    assert gabi.post(name, gabi.find_form(name).values | {"name": "x" * 300_000}).status_code == 413
    assert gabi.page.heading == "O texto é grande demais"


def test_a_file_of_another_site_or_an_ended_session_is_not_read(enter: Enter, sandbox: Sandbox, sql: Sql) -> None:
    gabi, path = enter("gabriela"), f"{LAMP}/arquivos/5"
    gabi.get(path)
    files = {"file": ("a.jpg", photo())}
    form = {name: value for name, value in gabi.find_form(path).values.items() if name != "file"}
    foreign = {"Origin": "https://outro.example", "Sec-Fetch-Site": "cross-site"}
    assert gabi.http.post(path, data=form, files=files, headers=foreign).status_code == 403
    assert gabi.http.post(path, data=form | {"_csrf": "x" * 43}, files=files).status_code == 403
    with httpx.Client(base_url=sandbox.url) as stranger:
        assert stranger.post(path, data=form, files=files).status_code == 401
    sql("UPDATE site.session SET ended_at = now(), tokens = NULL")
    over = gabi.http.post(path, data=form, files=files)
    assert over.status_code == 401
    assert "Nada foi enviado." in over.text
    assert "escolha-o de novo" in over.text
    gabi.remember(over)
    gabi.get(next(link for link in gabi.page.links if "/entrar?para=" in link))
    assert gabi.page.text.count("Escolha o arquivo de novo.") == 1
    gabi.get(path)
    assert "Escolha o arquivo de novo." not in gabi.page.text


def handle(sandbox: Sandbox, number: str, state: str, text: str) -> None:
    """Move the request to `state`, with this text, as a member of staff."""
    token = {"Authorization": f"Bearer {sandbox.tokens.person('90000040126')}"}
    body = {"state": state, "text": text}
    answer = sandbox.http.post(f"/registry/v1/admin/maintenance-requests/{number}/steps", json=body, headers=token)
    assert answer.status_code == 200, answer.text


def open_request(citizen: CitizenClient) -> str:
    ask_for_a_lamp(citizen)
    form = citizen.find_form(f"{LAMP}/conferir")
    citizen.post(form.action, form.values)
    return read_number(citizen)


def test_a_citizen_answers_reopens_and_rates(enter: Enter, sandbox: Sandbox) -> None:
    gabi = enter("gabriela")
    number = open_request(gabi)
    address = f"{OWN}/{number}"
    handle(sandbox, number, "needs_information", "Qual é a cor do poste?")
    gabi.get(PREFIX)
    assert "A prefeitura perguntou sobre o pedido “Lâmpada apagada”" in gabi.page.text
    assert f"{address}/responder" in gabi.page.links
    gabi.get(OWN)
    assert "Precisa da sua resposta" in gabi.page.text
    assert f"{address}/responder" in gabi.page.links
    gabi.submit(f"{address}/responder", text="  ")
    assert "Escreva a resposta." in gabi.page.text
    gabi.submit(f"{address}/responder", text="É cinza.")
    assert "A resposta foi enviada." in gabi.page.text
    assert "Você respondeu É cinza." in gabi.page.text
    gabi.get(OWN)
    assert f"{address}/responder" not in gabi.page.links

    handle(sandbox, number, "done", "Lâmpada trocada.")
    gabi.get(address)
    assert "Resolvido Lâmpada trocada." in gabi.page.text
    gabi.submit(f"{address}/nota", comment="Demorou.")
    assert "Escolha uma nota." in gabi.page.text
    gabi.submit(f"{address}/nota", stars="4", comment="Demorou.")
    assert "Obrigado! A nota foi guardada." in gabi.page.text
    assert "4 de 5" in gabi.page.text
    assert f"{address}/nota" not in gabi.page.links
    gabi.get(f"{address}/nota")
    assert "Você já deu a nota deste pedido." in gabi.page.text
    gabi.submit(f"{address}/reabrir", text="Apagou de novo.")
    assert "O pedido foi reaberto." in gabi.page.text
    assert "Você pediu para reabrir Apagou de novo." in gabi.page.text
    refused = gabi.get(f"{address}/reabrir")
    assert "Este pedido não pode ser reaberto." in gabi.page.text
    assert 'class="nota at mt" role="status"' in refused.text  # not the mark of a success


def test_an_open_request_shows_the_citys_deadline(enter: Enter, sandbox: Sandbox, sql: Sql) -> None:
    gabi, words = enter("gabriela"), SiteWords(sandbox.settings.zone)
    number = open_request(gabi)
    handle(sandbox, number, "needs_information", "Qual é a cor do poste?")
    change = "UPDATE registry.request SET deadline = now() + $2::interval WHERE number = $1 RETURNING deadline"
    for days, on_page, in_list in [
        (9, "Prazo da prefeitura Até {} Faltam 9 dias.", "Prazo da prefeitura: até {}"),
        (-2, "Prazo da prefeitura Era até {} O prazo passou.", "Prazo da prefeitura: era até {}"),
    ]:
        ((deadline,),) = (row.values() for row in sql(change, number, timedelta(days=days)))
        assert isinstance(deadline, datetime)
        day = words.format_last_day(deadline).striptags()
        gabi.get(f"{OWN}/{number}")
        assert on_page.format(day) in gabi.page.text
        assert "Ele continua contando enquanto ela espera uma resposta sua." in gabi.page.text
        for path in (OWN, PREFIX):
            gabi.get(path)
            assert in_list.format(day) in gabi.page.text
    handle(sandbox, number, "done", "Lâmpada trocada.")
    gabi.get(f"{OWN}/{number}")
    assert "Prazo" not in gabi.page.text


def ask(citizen: CitizenClient, sandbox: Sandbox) -> str:
    """Let the citizen make a request and the city ask about it. Return the address of the page for the answer."""
    number = open_request(citizen)
    handle(sandbox, number, "needs_information", "Pode mandar uma foto?")
    return f"{OWN}/{number}/responder"


def find_notes(answer: httpx.Response) -> list[str]:
    """Return the stored files that the form of an answer holds."""
    return re.findall(r'name="kept" value="([^"]+)" checked', answer.text)


@pytest.mark.long
def test_no_question_about_an_old_request_is_missed(enter: Enter, sandbox: Sandbox, sql: Sql) -> None:
    bruno = enter("bruno")
    asked = {ask(bruno, sandbox) for _ in range(4)}
    newer = """
        INSERT INTO registry.ticket (cpf, id, status, data_inicio, indicador)
        SELECT $1, 'novo-' || number, 'Aberto', now() + interval '1 hour', true FROM generate_series(1, 120) AS number
    """
    sql(newer, people_by_login()["bruno"].cpf)
    bruno.get(PREFIX)
    assert asked <= set(bruno.page.links)
    assert bruno.page.text.count("Pode mandar uma foto?") == 3  # the page reads the texts of a few requests
    assert bruno.page.text.count("Abra para ler a pergunta.") == 1
    bruno.submit(min(asked), text="Não tenho.")
    bruno.get(PREFIX)
    assert asked & set(bruno.page.links) == asked - {min(asked)}
    assert bruno.page.text.count("Pode mandar uma foto?") == 3
    sql("DELETE FROM registry.ticket WHERE id LIKE 'novo-%'")


def test_an_answer_takes_photos_and_documents(enter: Enter, sandbox: Sandbox) -> None:
    gabi = enter("gabriela")
    path = ask(gabi, sandbox)
    (note,) = find_notes(send_file(gabi, path, photo(), outro="1", text=""))
    assert "Escreva a resposta." not in gabi.page.text
    assert re.search(r"1\. Foto de \d+ kB", gabi.page.text)
    form = next(form for form in gabi.page.forms if form.action == path)
    hidden = {name: value for name, value in form.values.items() if name != "file"}
    chosen = ("file", ("lista.pdf", document(), "application/pdf"))
    answer = gabi.http.post(path, data=hidden | {"text": " ", "kept": note}, files=[chosen])
    notes = find_notes(answer)
    assert (answer.status_code, len(notes), notes[0]) == (422, 2, note)
    sent = gabi.http.post(path, data=hidden | {"text": "Segue a foto.", "kept": notes})
    gabi.remember(gabi.http.get(sent.headers["location"]))
    assert "A resposta foi enviada." in gabi.page.text
    assert "Você respondeu Segue a foto. Baixar o arquivo 1" in gabi.page.text
    links = [link for link in gabi.page.links if "/arquivos/" in link]
    got = [gabi.http.get(link) for link in links]
    assert [one.headers["content-type"] for one in got] == ["image/jpeg", "application/pdf"]
    assert all(one.headers["content-disposition"].startswith("attachment") for one in got)
    assert enter("carla").http.get(links[0]).status_code == 404


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "Envie uma foto (JPEG ou PNG) ou um documento PDF."),
        (b"\xff\xd8\xff" + b"x" * 2 * LARGEST_FILE, "O arquivo é grande demais: pode ter até 5 MB."),
        (b"", "Escolha um arquivo."),
    ],
)
def test_a_wrong_file_of_an_answer_keeps_the_text(enter: Enter, sandbox: Sandbox, content: bytes, text: str) -> None:
    gabi = enter("gabriela")
    answer = send_file(gabi, ask(gabi, sandbox), content, outro="1", text="É cinza.")
    assert answer.status_code == 422
    assert text in gabi.page.text
    assert "É cinza." in answer.text


@pytest.mark.long
def test_an_answer_cannot_name_foreign_or_deleted_files(enter: Enter, sandbox: Sandbox) -> None:
    gabi, carla = enter("gabriela"), enter("carla")
    path, foreign = ask(gabi, sandbox), ask(carla, sandbox)
    (note,) = find_notes(send_file(carla, foreign, photo(), outro="1"))
    for kept in (note, "00000000-0000-7000-8000-000000000000 image/png 1"):
        answer = send_file(gabi, path, b"", text="Segue.", kept=kept)
        assert (answer.status_code, find_notes(answer)) == (422, [])
        assert "não estão mais guardados. Escolha-os de novo." in gabi.page.text
        assert "Segue." in answer.text
    send_file(gabi, path, b"", text="Sem foto.", kept="<b> image/png 1")
    assert "Você respondeu Sem foto." in gabi.page.text


def test_the_text_of_an_answer_survives_the_end_of_the_session(enter: Enter, sandbox: Sandbox, sql: Sql) -> None:
    gabi = enter("gabriela")
    path = ask(gabi, sandbox)
    gabi.get(path)
    form = gabi.find_form(path)
    hidden = {name: value for name, value in form.values.items() if name != "file"}
    sql("UPDATE site.session SET ended_at = now(), tokens = NULL")
    chosen = ("file", ("foto.jpg", photo(), "image/jpeg"))
    over = gabi.remember(gabi.http.post(path, data=hidden | {"text": "Ao lado da escola."}, files=[chosen]))
    assert over.status_code == 401
    assert "guardado por 7 dias" in gabi.page.text
    assert "escolha-o de novo" in gabi.page.text
    gabi.get(next(link for link in gabi.page.links if "/entrar?para=" in link))
    assert gabi.find_form(path).values["text"].strip() == "Ao lado da escola."
    assert "Escolha o arquivo de novo. O resto está como você deixou" in gabi.page.text


def test_a_request_of_someone_else_does_not_exist(enter: Enter) -> None:
    gabi, carla = enter("gabriela"), enter("carla")
    number = open_request(gabi)
    for tail in ("", "/comprovante", "/responder", "/reabrir", "/nota", "/arquivos/1"):
        assert carla.get(f"{OWN}/{number}{tail}").status_code == 404
    secret = {"_csrf": carla.read_secret(), "text": "Sou eu.", "stars": "1"}
    for tail in ("/responder", "/reabrir", "/nota"):
        assert carla.post(f"{OWN}/{number}{tail}", secret).status_code == 404


def test_the_panels_staff_cannot_open_a_citizens_request(sandbox: Sandbox) -> None:
    with PanelClient(sandbox.url) as kleber:
        kleber.login("kleber")
        assert kleber.http.get(f"{OWN}/PED-00000003-4").status_code == 303
