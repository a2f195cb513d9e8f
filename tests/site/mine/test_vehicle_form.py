"""A citizen registers a vehicle over HTTP, question by question and once, and later changes its data and photos."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from balcao.site.mine.declaration import PREFIX
from balcao.web.service_requests.files import LARGEST_FILE
from balcao_sandbox.identity.demo import people_by_login
from tests.site.mine.conftest import Enter
from tests.site.mine.test_requests import fill, send_file
from tests.support.fixture_types import Sql
from tests.support.panel import CitizenClient
from tests.support.sample_files import document, drawing, photo
from tests.support.sandbox import Sandbox

LIST = f"{PREFIX}/veiculos"
NEW = f"{LIST}/novo"
CHECK, SERIAL_PHOTO, PHOTO = f"{NEW}/conferir", f"{NEW}/fotos/foto-da-serie", f"{NEW}/fotos/foto"
STORED = "SELECT id::text, display_name, color, brand_id, brand_other, model_id, model_other, vehicle_type, "
STORED += "serial_number, has_invoice, self_declaration, serial_number_photo_file_id::text AS serial_photo, "
STORED += "vehicle_photo_file_id::text AS photo FROM registry.vehicle WHERE display_name = $1"


@pytest.fixture
def gabi(enter: Enter, sql: Sql) -> CitizenClient:
    """Return a citizen who has not begun the form."""
    sql("DELETE FROM site.draft")
    return enter("gabriela")


def choose_make(citizen: CitizenClient) -> None:
    fill(citizen, f"{NEW}/marca", {"r-brand_id": "brand_brisa"})
    fill(citizen, f"{NEW}/modelo", {"r-model_id": "model_brisa_urbana"})


def answer_all(citizen: CitizenClient, name: str) -> None:
    """Answer every question, until the page that shows all answers."""
    choose_make(citizen)
    fill(citizen, f"{NEW}/cor", {"r-color": "Azul"})
    fill(citizen, f"{NEW}/serie", {"r-serial_number": "BRISA-2026-0042"})
    send_file(citizen, SERIAL_PHOTO, photo())
    send_file(citizen, PHOTO, drawing())
    fill(citizen, f"{NEW}/nome", {"r-display_name": name})
    assert citizen.page.heading == "Confira antes de registrar"


def register(citizen: CitizenClient, name: str) -> str:
    """Register a vehicle. Return the address of its page."""
    answer_all(citizen, name)
    citizen.submit(CHECK, declared="y")
    assert citizen.page.heading == "Veículo registrado"
    return next(link for link in citizen.page.links if re.fullmatch(rf"{LIST}/[0-9a-f-]{{36}}", link))


@contextmanager
def without_writes(sql: Sql) -> Iterator[None]:
    """Let the registry fail whenever it writes a vehicle."""
    sql("ALTER TABLE registry.vehicle ADD CONSTRAINT broken CHECK (false) NOT VALID")
    try:
        yield
    finally:
        sql("ALTER TABLE registry.vehicle DROP CONSTRAINT broken")


# ---- registering ----------------------------------------------------------------------------------------------------


def test_a_citizen_registers_a_vehicle_of_the_list_with_stops(gabi: CitizenClient, sql: Sql) -> None:
    gabi.get(LIST)
    assert NEW in gabi.page.links
    gabi.get(NEW)
    assert f"{NEW}/marca" in gabi.page.links
    fill(gabi, f"{NEW}/marca", {"r-brand_id": "brand_brisa"}, depois="1")
    assert "Continue de onde parou: registro de um veículo" in gabi.page.text
    gabi.get(CHECK)
    assert "Falta esta resposta." in gabi.page.text
    assert gabi.page.forms[1].action == f"{NEW}/modelo"
    gabi.get(NEW)
    assert "Continuar de onde parou" in gabi.page.text
    answer_all(gabi, "Bicicleta da Gabi")
    assert re.search(
        r"Marca Brisa .*Modelo Urbana .*Cor Azul .*BRISA-2026-0042 .*Foto de \d+ kB · Baixar.*Foto de", gabi.page.text
    )
    gabi.submit(CHECK, declared="y")
    assert gabi.page.heading == "Veículo registrado"
    (row,) = sql(STORED, "Bicicleta da Gabi")
    assert (row["brand_id"], row["model_id"], row["color"]) == ("brand_brisa", "model_brisa_urbana", "Azul")
    assert (row["has_invoice"], row["self_declaration"], row["serial_number"]) == (False, True, "BRISA-2026-0042")
    assert row["serial_photo"] != row["photo"]
    gabi.get(LIST)
    assert "Bicicleta da Gabi" in gabi.page.text
    gabi.get(PREFIX)
    assert "Continue de onde parou" not in gabi.page.text


@pytest.mark.long
def test_a_vehicle_outside_the_list_is_described_in_own_words(gabi: CitizenClient, sql: Sql) -> None:
    fill(gabi, f"{NEW}/marca", {"r-brand_id": "outra"})
    assert gabi.page.heading == "Que marca é?"
    fill(gabi, f"{NEW}/outra-marca", {"r-brand_other": " Artesanal "})
    assert gabi.page.heading == "Que modelo é?"
    fill(gabi, f"{NEW}/outro-modelo", {"r-model_other": "Montado em casa"})
    fill(gabi, f"{NEW}/tipo", {"r-vehicle_type": "autopropelido"})
    assert gabi.page.heading == "Qual é a cor principal?"
    fill(gabi, f"{NEW}/cor", {"r-color": "Verde"})
    fill(gabi, f"{NEW}/serie", {"r-serial_number": "0001"})
    send_file(gabi, SERIAL_PHOTO, photo())
    send_file(gabi, PHOTO, photo())
    fill(gabi, f"{NEW}/nome", {"r-display_name": "Patinete da oficina"})
    gabi.submit(CHECK, declared="y")
    (row,) = sql(STORED, "Patinete da oficina")
    assert (row["brand_id"], row["brand_other"], row["model_id"]) == (None, "Artesanal", None)
    assert (row["model_other"], row["vehicle_type"]) == ("Montado em casa", "autopropelido")


@pytest.mark.long
def test_another_brand_asks_for_the_model_again(gabi: CitizenClient) -> None:
    answer_all(gabi, "Bicicleta trocada")
    fill(gabi, f"{NEW}/marca", {"r-brand_id": "brand_corisco"})
    assert gabi.page.heading == "Qual é o modelo?"
    gabi.get(CHECK)
    assert gabi.page.heading == "Qual é o modelo?"
    fill(gabi, f"{NEW}/modelo", {"r-model_id": "outra"})
    fill(gabi, f"{NEW}/outro-modelo", {"r-model_other": "De 2019"})
    fill(gabi, f"{NEW}/tipo", {"r-vehicle_type": "ciclomotor"})
    assert gabi.page.heading == "Confira antes de registrar"
    assert "De 2019" in gabi.page.text
    fill(gabi, f"{NEW}/cor", {"r-color": "Rosa"})  # a change returns to the page with all answers
    assert gabi.page.heading == "Confira antes de registrar"
    assert "Rosa" in gabi.page.text


@pytest.mark.long
def test_a_second_press_and_a_lost_response_register_one_vehicle(gabi: CitizenClient, sql: Sql) -> None:
    answer_all(gabi, "Bicicleta única")
    form, begun = gabi.find_form(CHECK), sql("SELECT content FROM site.draft")[0]["content"]
    addresses = {str(gabi.post(CHECK, form.values | {"declared": "y"}).url) for _ in range(2)}
    assert len(addresses) == 1
    assert gabi.get(CHECK).url.path.endswith("/registrado")  # a step back
    sql("UPDATE site.draft SET content = $1", begun)  # as if the response had been lost
    addresses.add(str(gabi.post(CHECK, form.values | {"declared": "y"}).url))
    assert len(addresses) == len(sql(STORED, "Bicicleta única")) == 1
    sql("UPDATE site.draft SET content = $1", begun)
    fill(gabi, f"{NEW}/cor", {"r-color": "Rosa"})
    assert gabi.submit(CHECK, declared="y").status_code == 409
    assert gabi.page.heading == "Este veículo já foi registrado"
    assert len(sql(STORED, "Bicicleta única")) == 1


def test_a_second_press_after_the_deletion_leads_to_the_list(gabi: CitizenClient) -> None:
    address = f"{register(gabi, 'Para excluir')}/excluir"
    gabi.get(address)
    form = gabi.find_form(address)
    for said in ("“Para excluir” foi excluído.", "Este veículo não está mais na sua lista."):
        assert gabi.post(form.action, form.values).url.path == f"{PREFIX}/veiculos"
        assert said in gabi.page.text


def test_the_last_page_sends_only_what_it_shows(gabi: CitizenClient, sql: Sql) -> None:
    answer_all(gabi, "Bicicleta de duas abas")
    form = gabi.find_form(CHECK)
    fill(gabi, f"{NEW}/cor", {"r-color": "Preto"})  # in another tab
    assert gabi.post(CHECK, form.values | {"declared": "y"}).status_code == 422
    assert "As respostas mudaram desde que você abriu a página." in gabi.page.text
    assert gabi.submit(CHECK).status_code == 422
    assert "Marque a declaração para registrar o veículo." in gabi.page.text
    assert sql(STORED, "Bicicleta de duas abas") == []


def test_what_the_registry_refuses_is_explained_with_the_questions_labels(gabi: CitizenClient, sql: Sql) -> None:
    answer_all(gabi, "Nome\x01estranho")
    assert gabi.submit(CHECK, declared="y").status_code == 422
    assert "O campo “Nome” contém caracteres de controle." in gabi.page.text
    assert "display_name" not in gabi.page.text
    sql("UPDATE registry.vehicle_model SET deleted_at = now() WHERE id = 'model_brisa_urbana'")
    gabi.get(CHECK)
    sql("UPDATE registry.vehicle_model SET deleted_at = NULL WHERE id = 'model_brisa_urbana'")
    assert "A sua resposta saiu da lista. Escolha de novo." in gabi.page.text
    assert gabi.page.heading == "Qual é o modelo?"


def test_a_person_at_the_limit_of_vehicles_keeps_the_answers(gabi: CitizenClient, sandbox: Sandbox, sql: Sql) -> None:
    most = sandbox.settings.mobility_max_vehicles
    answer_all(gabi, "Bicicleta demais")
    sql(
        """
        INSERT INTO registry.vehicle (id, owner_cpf, registration_number, display_name, color, serial_number,
            vehicle_type, brand_other, model_other, serial_number_photo_url, vehicle_photo_url, has_invoice,
            self_declaration, created_at, updated_at)
        SELECT gen_random_uuid(), $1, 'X-' || number, 'de teste', 'Azul', '0001', 'ciclomotor', 'a', 'b',
            'https://storage.googleapis.com/a', 'https://storage.googleapis.com/a', false, true, now(), now()
        FROM generate_series(1, $2::integer) AS number
        """,
        people_by_login()["gabriela"].cpf,
        most,
    )
    assert gabi.submit(CHECK, declared="y").status_code == 422
    sql("DELETE FROM registry.vehicle WHERE display_name = 'de teste'")
    assert f"Cada pessoa pode ter até {most} veículos." in gabi.page.text
    assert gabi.submit(CHECK, declared="y").url.path.endswith("/registrado")


# ---- wrong answers and lost sessions --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "values", "said"),
    [
        ("marca", {}, "Responda a esta pergunta."),
        ("marca", {"r-brand_id": "brand_inventada"}, ""),
        ("serie", {"r-serial_number": "123"}, "De 4 a 40 caracteres."),
        ("serie", {"r-serial_number": "1" * 41}, "De 4 a 40 caracteres."),
        ("nome", {"r-display_name": "x" * 51}, "De 1 a 50 caracteres."),
        ("cor", {"r-color": "Furta-cor"}, ""),
    ],
)
def test_a_wrong_answer_is_explained_and_not_kept(
    gabi: CitizenClient, sql: Sql, step: str, values: dict[str, str], said: str
) -> None:
    path = f"{NEW}/{step}"
    gabi.get(path)
    hidden = {name: value for name, value in gabi.find_form(path).values.items() if name.startswith("_")}
    assert gabi.post(path, hidden | values).status_code == 422
    assert "Falta acertar um campo" in gabi.page.text
    assert said in gabi.page.text
    if step in {"serie", "nome"}:
        (typed,) = values.values()
        assert typed in gabi.find_form(path).values.values()
    assert sql("SELECT id FROM site.draft") == []


@pytest.mark.parametrize(
    "path", ["/carro", "/foto", "/fotos/cor", "/fotos/nada", "/fotos/foto/baixar", "/fotos/cor/baixar", "/nome/x"]
)
def test_an_unknown_question_does_not_exist(gabi: CitizenClient, path: str) -> None:
    assert gabi.get(NEW + path).status_code == 404


@pytest.mark.parametrize("step", ["modelo", "outra-marca", "outro-modelo", "tipo"])
def test_a_question_that_earlier_answers_make_needless_leads_to_the_start(gabi: CitizenClient, step: str) -> None:
    assert gabi.get(f"{NEW}/{step}").url.path == NEW


@pytest.mark.long
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "Este arquivo não é uma foto em JPEG ou PNG."),
        (document(), "Este arquivo não é uma foto em JPEG ou PNG."),
        (b"GIF89a" + b"x" * 100, "Este arquivo não é uma foto em JPEG ou PNG."),
        (b"\xff\xd8\xff" + b"x" * 100, "A imagem está incompleta ou danificada"),
        (b"\xff\xd8\xff" + b"x" * LARGEST_FILE, "O arquivo é grande demais: pode ter até 5 MB."),
        (b"", "Escolha uma foto."),
    ],
    ids=["svg", "pdf", "gif", "damaged", "large", "none"],
)
def test_a_wrong_photo_is_explained_and_the_answers_stay(gabi: CitizenClient, content: bytes, said: str) -> None:
    choose_make(gabi)
    for path in (SERIAL_PHOTO, PHOTO):
        assert send_file(gabi, path, content).status_code == 422
        assert said in gabi.page.text
    send_file(gabi, PHOTO, photo())
    assert send_file(gabi, PHOTO, content or document()).status_code == 422  # the photo before it stays
    assert re.search(r"Guardada: Foto de \d+ kB", gabi.page.text)
    gabi.get(f"{NEW}/modelo")
    assert gabi.page.forms[1].checked == {"r-model_id": "model_brisa_urbana"}


def test_a_photo_beyond_the_limit_is_not_read_and_two_photos_are_refused(gabi: CitizenClient) -> None:
    assert send_file(gabi, PHOTO, b"\xff\xd8\xff" + b"x" * 2 * LARGEST_FILE).status_code == 413
    assert gabi.page.heading == "O arquivo é grande demais"
    assert PHOTO in gabi.page.links
    gabi.get(PHOTO)
    form = {name: value for name, value in gabi.find_form(PHOTO).values.items() if name.startswith("_")}
    several = [("file", ("a.jpg", photo())), ("file", ("b.jpg", drawing()))]
    assert gabi.http.post(PHOTO, data=form, files=several, headers={"Origin": gabi.url}).status_code == 400
    gabi.get(PHOTO)
    assert "Guardada" not in gabi.page.text


def test_a_new_photo_replaces_the_former_one_and_none_keeps_it(gabi: CitizenClient, sql: Sql) -> None:
    answer_all(gabi, "Bicicleta com foto nova")
    link = f"{PHOTO}/baixar"
    assert link in gabi.page.links
    before = gabi.http.get(link)
    assert before.headers["content-type"] == "image/png"
    assert before.headers["content-disposition"].startswith("attachment")
    send_file(gabi, PHOTO, b"")
    assert gabi.http.get(link).content == before.content
    send_file(gabi, PHOTO, photo())
    assert gabi.page.heading == "Confira antes de registrar"
    assert gabi.http.get(link).headers["content-type"] == "image/jpeg"


def test_photos_that_the_registry_has_deleted_are_asked_for_again(gabi: CitizenClient, sql: Sql) -> None:
    answer_all(gabi, "Bicicleta de ontem")
    sql("DELETE FROM registry.citizen_file WHERE media_type = 'image/png' AND unused_since IS NOT NULL")
    gabi.submit(CHECK, declared="y")
    assert (gabi.page.heading, "A foto foi apagada" in gabi.page.text) == ("Foto do veículo", True)
    send_file(gabi, PHOTO, photo())
    gabi.submit(CHECK, declared="y")
    assert gabi.page.heading == "Veículo registrado"


def test_text_survives_the_end_of_the_session(gabi: CitizenClient, sql: Sql) -> None:
    path = f"{NEW}/serie"
    gabi.get(path)
    form = gabi.find_form(path)
    sql("UPDATE site.session SET ended_at = now(), tokens = NULL")
    assert gabi.post(path, form.values | {"r-serial_number": "BR-778"}).status_code == 401
    assert "guardado por 7 dias" in gabi.page.text
    gabi.get(next(link for link in gabi.page.links if "/entrar?para=" in link))
    assert gabi.find_form(path).values["r-serial_number"] == "BR-778"


def test_a_photo_of_another_site_or_an_ended_session_is_not_read(
    gabi: CitizenClient, sandbox: Sandbox, sql: Sql
) -> None:
    gabi.get(PHOTO)
    form = {name: value for name, value in gabi.find_form(PHOTO).values.items() if name.startswith("_")}
    files = {"file": ("a.jpg", photo())}
    foreign = {"Origin": "https://outro.example", "Sec-Fetch-Site": "cross-site"}
    assert gabi.http.post(PHOTO, data=form, files=files, headers=foreign).status_code == 403
    assert gabi.http.post(PHOTO, data=form | {"_csrf": "x" * 43}, files=files).status_code == 403
    with httpx.Client(base_url=sandbox.url) as stranger:
        assert stranger.post(PHOTO, data=form, files=files).status_code == 401
    sql("UPDATE site.session SET ended_at = now(), tokens = NULL")
    over = gabi.http.post(PHOTO, data=form, files=files)
    assert (over.status_code, "Nada foi enviado." in over.text) == (401, True)
    assert sql("SELECT id FROM site.draft") == []


def test_a_failing_registry_loses_no_answer(gabi: CitizenClient, sql: Sql) -> None:
    answer_all(gabi, "Bicicleta da pane")
    with without_writes(sql):
        assert gabi.submit(CHECK, declared="y").status_code >= 500
    again = gabi.find_form(CHECK)
    assert again.values["declared"] == "y"
    gabi.post(CHECK, again.values)
    assert gabi.page.heading == "Veículo registrado"


# ---- changing -------------------------------------------------------------------------------------------------------


def test_an_owner_changes_one_answer_at_a_time(gabi: CitizenClient, sql: Sql) -> None:
    address = register(gabi, "Bicicleta de antes")
    for step, member, value in [
        ("cor", "color", "Vinho"),
        ("serie", "serial_number", "NOVO-77"),
        ("nome", "display_name", "Bicicleta de depois"),
    ]:
        path = f"{address}/mudar/{step}"
        gabi.get(address)
        assert path in gabi.page.links
        fill(gabi, path, {f"r-{member}": value})
        assert "A mudança foi guardada." in gabi.page.text
        assert value in gabi.page.text
    (row,) = sql(STORED, "Bicicleta de depois")
    assert (row["color"], row["serial_number"], row["model_id"]) == ("Vinho", "NOVO-77", "model_brisa_urbana")
    gabi.submit(f"{address}/mudar/serie", **{"r-serial_number": "1"})
    assert "De 4 a 40 caracteres." in gabi.page.text
    gabi.submit(f"{address}/mudar/nome", **{"r-display_name": "a\x01b"})
    assert "“Como você quer chamar o veículo?”" in gabi.page.text


def test_an_owner_changes_brand_and_model_together(gabi: CitizenClient, sql: Sql) -> None:
    address = register(gabi, "Bicicleta de marca")
    gabi.get(f"{address}/mudar/marca")
    assert gabi.page.forms[1].checked == {"r-brand_id": "brand_brisa"}
    fill(gabi, f"{address}/mudar/marca", {"r-brand_id": "outra"})
    assert gabi.page.heading == "Que marca é?"
    assert sql(STORED, "Bicicleta de marca")[0]["brand_id"] == "brand_brisa"  # nothing is stored in between
    for member, value in [("brand_other", "Árvore & Cia"), ("model_other", "Única"), ("vehicle_type", "ciclomotor")]:
        form = gabi.page.forms[1]
        gabi.post(form.action, form.values | {f"r-{member}": value})
    assert "A mudança foi guardada." in gabi.page.text
    (row,) = sql(STORED, "Bicicleta de marca")
    assert (row["brand_id"], row["brand_other"], row["model_id"]) == (None, "Árvore & Cia", None)
    assert (row["model_other"], row["vehicle_type"]) == ("Única", "ciclomotor")
    fill(gabi, f"{address}/mudar/marca", {"r-brand_id": "brand_brisa"})
    form = gabi.page.forms[1]
    gabi.post(form.action, form.values | {"r-model_id": "model_brisa_urbana"})
    (row,) = sql(STORED, "Bicicleta de marca")
    assert (row["brand_id"], row["brand_other"], row["vehicle_type"]) == ("brand_brisa", None, "bicicleta_eletrica")


def test_made_up_answers_in_an_address_change_nothing(gabi: CitizenClient, sql: Sql) -> None:
    address = register(gabi, "Bicicleta alheia a tudo")
    before = sql(STORED, "Bicicleta alheia a tudo")
    path = f"{address}/mudar/modelo?marca=brand_corisco"
    gabi.get(path)
    assert gabi.page.forms[1].checked == {}
    form = gabi.page.forms[1]
    assert gabi.post(form.action, form.values | {"r-model_id": "model_brisa_urbana"}).status_code == 422
    made_up = f"{address}/mudar/tipo?marca=brand_inventada&modelo=outra&outro-modelo={'x' * 600}"
    gabi.get(made_up)
    form = gabi.page.forms[1]
    assert gabi.post(form.action, form.values | {"r-vehicle_type": "ciclomotor"}).status_code == 422
    assert gabi.get(f"{address}/mudar/tipo").status_code == 404
    assert sql(STORED, "Bicicleta alheia a tudo") == before


@pytest.mark.long
def test_the_photos_are_seen_and_changed_only_by_the_owner(gabi: CitizenClient, enter: Enter, sql: Sql) -> None:
    address = register(gabi, "Bicicleta fotografada")
    carla = enter("carla")
    gabi.submit(f"{address}/autorizar", cpf="90000000337", email="carla@pessoa.example")
    gabi.post(f"{address}/autorizar", gabi.find_form(f"{address}/autorizar").values | {"passo": "enviar"})
    carla.get(PREFIX)
    carla.submit(next(link for link in carla.page.links if "/convites/" in link), resposta="aceitar")
    carla.get(address)
    assert carla.page.heading == "Bicicleta fotografada"
    tails = ["/fotos/foto", "/fotos/foto-da-serie", "/mudar/fotos/foto", "/mudar/cor", "/mudar/marca", "/registrado"]
    for tail in tails:
        assert address + tail not in carla.page.links
        for stranger in (carla, enter("fabio")):
            assert stranger.http.get(address + tail).status_code == 404
            if "/mudar/" in tail:
                sent = {"_csrf": stranger.read_secret(), "r-color": "Rosa", "r-brand_id": "outra"}
                assert stranger.post(address + tail, sent).status_code == 404
    gabi.get(address)
    assert address + tails[0] in gabi.page.links
    former = gabi.http.get(address + tails[0])
    assert former.headers["content-type"] == "image/png"
    assert former.headers["content-disposition"].startswith("attachment")
    assert "sandbox" in former.headers["content-security-policy"]
    send_file(gabi, f"{address}/mudar/fotos/foto", photo())
    assert "A mudança foi guardada." in gabi.page.text
    assert gabi.http.get(address + tails[0]).headers["content-type"] == "image/jpeg"
    for content in (document(), b""):
        assert send_file(gabi, f"{address}/mudar/fotos/foto", content).status_code == 422
    assert gabi.get(f"{address}/mudar/fotos/cor").status_code == 404
    assert gabi.get(f"{address}/fotos/cor").status_code == 404


@pytest.mark.long
def test_a_photo_is_not_chosen_again_if_only_the_change_failed(gabi: CitizenClient, enter: Enter, sql: Sql) -> None:
    address = register(gabi, "Bicicleta da foto perdida")
    path = f"{address}/mudar/fotos/foto"
    with without_writes(sql):
        assert send_file(gabi, path, photo()).status_code >= 500
    form = gabi.find_form(path)
    send_file(enter("carla"), PHOTO, photo(), depois="1")
    gabi.post(path, form.values)
    assert "A mudança foi guardada." in gabi.page.text
    assert gabi.http.get(f"{address}/fotos/foto").headers["content-type"] == "image/jpeg"
    carlas = sql("SELECT id::text FROM registry.citizen_file WHERE cpf = $1", people_by_login()["carla"].cpf)
    for note in (*(f"{row['id']} image/jpeg 9" for row in carlas), "<b> image/png 1"):
        gabi.get(path)
        assert gabi.post(path, gabi.find_form(path).values | {"kept": note}).status_code == 422
    assert gabi.http.get(f"{address}/fotos/foto").headers["content-type"] == "image/jpeg"
