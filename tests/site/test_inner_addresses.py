"""No text, file or header makes the platform open an address of the city's own network (rules: site 16)."""

import base64
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from balcao import app
from balcao.site.city import CityFault, read_city
from balcao_sandbox.identity.demo import people_by_login
from tests.http.connection import Connection
from tests.support.fixture_types import Sql
from tests.support.http_receiver import Answer, Receiver
from tests.support.inner_server import InnerServer, listening
from tests.support.panel import CitizenClient, PanelClient
from tests.support.polling import PATIENCE
from tests.support.sample_files import document, photo
from tests.support.sandbox import ADMIN, Sandbox
from tests.support.server import RunningServer
from tests.support.site_crawler import ANONYMOUS, PERSONAL, crawl, find_path

ANA = people_by_login()["ana"].cpf
PERSON = f"/registry/v1/citizen/{ANA}"
PET = {
    "animal_nome": "Siri",
    "especie_nome": "Gato",
    "sexo_sigla": "M",
    "nascimento_data": "2022-01-15",
    "indicador_castrado": True,
    "porte_nome": "Pequeno",
    "raca_nome": "",
}
VEHICLE = {
    "display_name": "Bicicleta do mercado",
    "vehicle_type": "bicicleta_eletrica",
    "brand_id": "brand_brisa",
    "model_id": "model_brisa_urbana",
    "color": "Azul",
    "has_invoice": False,
    "self_declaration": True,
    "serial_number": "BRISA-2026-0042",
}
SERVICE = {
    "nome_servico": "Poda de árvore na praça",
    "resumo": "Solicita a poda.",
    "descricao_completa": "A equipe poda árvores.",
    "tema_geral": "Cidade",
    "orgao_gestor": ["Secretaria de Conservação"],
    "publico_especifico": ["Público em geral"],
    "is_free": True,
    "status": 1,
}
DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">{}</svg>'


@pytest.fixture
def inner() -> Iterator[InnerServer]:
    with listening() as server:
        yield server


def call(sandbox: Sandbox, cpf: str, method: str, path: str, body: Any) -> httpx.Response:
    headers = {"Authorization": f"Bearer {sandbox.tokens.person(cpf)}"}
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
    return sandbox.http.request(method, path, content=content, headers={**headers, "Content-Type": kind})


def open_everything(sandbox: Sandbox) -> None:
    """Open all pages of the site as Ana, and some pages of the panel as a member of staff."""
    with CitizenClient(sandbox.url) as ana, PanelClient(sandbox.url) as staff:
        ana.login("ana")
        starts = [find_path(page) for page in (*ANONYMOUS, *PERSONAL) if page.method == "GET" and not page.parameters]
        found = crawl(ana, *starts)
        assert [answer.url for answer in found.pages.values() if answer.status_code >= 500] == []
        staff.login("kleber")
        staff.attend(ANA)


def test_addresses_in_data_of_citizens_and_staff_are_stored_or_refused_but_never_opened(
    sandbox: Sandbox, inner: InnerServer
) -> None:
    address = f"https://{inner.host}/figura.png"
    assert call(sandbox, ANA, "POST", f"{PERSON}/pets", PET | {"foto_url": address}).status_code == 201
    for photo_url in (address, f"https://storage.googleapis.com@{inner.host}/a.jpg"):
        photos = {"serial_number_photo_url": photo_url, "vehicle_photo_url": photo_url}
        refused = call(sandbox, ANA, "POST", f"{PERSON}/vehicles", VEHICLE | photos)
        assert (refused.status_code, refused.headers["Error-Code"]) == (400, "serial_number_photo_url-invalid")
    avatar = call(sandbox, ADMIN, "POST", "/registry/v1/avatars", {"name": "Capivara", "url": address})
    assert avatar.status_code == 201
    chosen = {"avatar_id": avatar.json()["id"]}
    assert call(sandbox, ANA, "PUT", f"{PERSON}/avatar", chosen).status_code == 200
    assert sandbox.http.get(f"/registry/v1/avatars/{chosen['avatar_id']}/image").status_code == 404
    button = {"buttons": [{"titulo": "Pedir agora", "url_service": address, "is_enabled": True}]}
    texts = {"resumo": f"![]({address}) <img src='{address}'>", "canais_digitais": [address]}
    service = call(sandbox, ADMIN, "POST", "/search/api/v1/admin/services", SERVICE | button | texts)
    assert service.status_code == 201, service.text
    company = {"cnpj": "11222333000181", "razao_social": "Oficina", "nome_fantasia": "Oficina", "setor": "Serviços"}
    logo = {"website": address, "url_logo": address}
    answer = call(sandbox, ADMIN, "POST", "/jobs/api/v1/empregabilidade/empresas", company | logo)
    assert answer.status_code == 201, answer.text
    open_everything(sandbox)
    assert sandbox.http.get(f"/servicos/{service.json()['slug']}").status_code == 200
    inner.require_unused()


def test_an_api_description_with_foreign_addresses_is_planned_without_opening_them(
    sandbox: Sandbox, inner: InnerServer
) -> None:
    address = f"http://{inner.host}/parte.json"
    described = {
        "openapi": "3.1.0",
        "servers": [{"url": address}],
        "externalDocs": {"url": address},
        "paths": {"/parcelas": {"$ref": address}, "/guias": {"get": {"responses": {"200": {"$ref": address}}}}},
        "components": {"schemas": {"Guia": {"$ref": f"{address}#/Guia"}}},
    }
    answer = call(sandbox, ADMIN, "POST", "/access/api/v1/catalogue/plan/openapi", described)
    assert answer.status_code < 500
    inner.require_unused()


@pytest.mark.long
def test_a_file_with_addresses_is_stored_or_refused_but_its_addresses_are_never_opened(
    sandbox: Sandbox, inner: InnerServer
) -> None:
    address = f"http://{inner.host}/x"
    drawing = DRAWING.format(f'<image href="{address}"/>').encode()
    hidden = f'<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a SYSTEM "{address}">]>'.encode() + drawing
    for sent in (drawing, hidden):
        refused = call(sandbox, ANA, "POST", f"{PERSON}/files", sent)
        assert refused.status_code == 400, refused.text
    action = f"/OpenAction << /S /URI /URI ({address}) >>".encode()
    for sent in (photo() + hidden, document(catalog=action), document(f"/F << /FS /URL /F ({address}) >>".encode())):
        stored = call(sandbox, ANA, "POST", f"{PERSON}/files", sent)
        assert stored.status_code == 201, stored.text
        read = call(sandbox, ANA, "GET", f"{PERSON}/files/{stored.json()['id']}/content", b"")
        assert read.status_code == 200
        assert read.headers["content-disposition"].startswith("attachment")
        assert address.encode() not in read.content or sent.startswith(b"%PDF-")
    open_everything(sandbox)
    inner.require_unused()


@pytest.mark.long
def test_a_storage_server_that_redirects_to_an_inner_address_gets_no_file_and_leads_nowhere(
    sandbox: Sandbox, inner: InnerServer, sql: Sql
) -> None:
    stored = "SELECT id FROM registry.citizen_file ORDER BY id"
    file, before = call(sandbox, ANA, "POST", f"{PERSON}/files", photo()).json()["id"], sql(stored)
    token = {"Authorization": f"Bearer {sandbox.tokens.person(ANA)}"}
    with Receiver() as bucket:
        changed = {"files_s3_url": bucket.url, "files_s3_key_id": "balcao", "files_s3_secret": SecretStr("segredo")}
        settings = sandbox.settings.model_copy(update=changed)
        with (
            RunningServer(app.build_application(settings, sandbox.database_url)) as server,
            httpx.Client(base_url=server.url, timeout=PATIENCE, headers=token) as http,
        ):
            for status in (301, 302, 303, 307, 308):
                bucket.usual = Answer(status, headers={"Location": f"http://{inner.host}/arquivos"})
                for answer in (
                    http.post(f"{PERSON}/files", content=photo(32, 32)),
                    http.get(f"{PERSON}/files/{file}/content"),
                ):
                    assert (answer.status_code, answer.headers["Error-Code"]) == (503, "file-storage-down")
                    assert answer.json()["error"].startswith("Não foi possível guardar ou ler o arquivo agora.")
                    assert inner.host not in str(answer.headers) + answer.text
    assert {one.method for one in bucket.received} == {"PUT", "GET"}
    assert sql(stored) == before
    inner.require_unused()


def test_no_header_of_a_visitor_chooses_the_address_of_a_call(sandbox: Sandbox, inner: InnerServer) -> None:
    named: list[Mapping[str, str]] = [
        {"Host": inner.host},
        {"X-Forwarded-Host": inner.host, "X-Forwarded-Proto": "http"},
        {"Forwarded": f"host={inner.host};proto=http"},
        {"X-Original-URL": f"http://{inner.host}/", "X-Rewrite-URL": f"http://{inner.host}/"},
        {"Origin": f"http://{inner.host}", "Referer": f"http://{inner.host}/"},
    ]
    for number, headers in enumerate(named):
        for path in ("/", f"/busca?q=creche%20{number}", "/saude/unidades", "/minha-pagina", "/painel"):
            answer = sandbox.http.get(path, headers={**headers, "Accept": "text/html"})
            assert answer.status_code < 500, (path, headers)
            assert f"//{inner.host}" not in answer.headers.get("location", ""), (path, headers)
    with Connection(sandbox.settings.port) as connection:
        connection.send(f"GET http://{inner.host}/busca?q=proxy HTTP/1.1\r\nHost: {inner.host}\r\n\r\n".encode())
        connection.answer()
    with Connection(sandbox.settings.port) as connection:
        connection.send(f"CONNECT {inner.host} HTTP/1.1\r\nHost: {inner.host}\r\n\r\n".encode())
        connection.answer()
    inner.require_unused()


def test_no_token_chooses_where_its_key_is_read(sandbox: Sandbox, inner: InnerServer) -> None:
    address = f"http://{inner.host}/jwks.json"

    def encode(part: Mapping[str, Any]) -> str:
        return base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()

    genuine = sandbox.tokens.person(ANA).split(".")
    claims = json.loads(base64.urlsafe_b64decode(genuine[1] + "=="))
    header = {"alg": "RS256", "typ": "JWT", "kid": address, "jku": address, "x5u": address}
    for changed in (claims, claims | {"iss": f"http://{inner.host}/realms/balcao"}):
        token = f"{encode(header)}.{encode(changed)}.{genuine[2]}"
        answer = sandbox.http.get(PERSON, headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code == 401
    inner.require_unused()


@pytest.mark.parametrize(
    "content",
    [
        DRAWING.format('<image href="http://{host}/a.png"/>'),
        DRAWING.format('<use xlink:href="http://{host}/a.svg#a"/>'),
        DRAWING.format('<rect style="fill:URL(http://{host}/a)"/>'),
        DRAWING.format('<rect style="fill:u\\72l(http://{host}/a)"/>'),
        DRAWING.format("<rect fill=\"image-set('http://{host}/a' 1x)\"/>"),
        DRAWING.format('<rect fill="url(#a) url(http://{host}/a)"/>'),
        DRAWING.format('<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="http://{host}/a"/>'),
        '<?xml-stylesheet href="http://{host}/a.css"?>' + DRAWING.format(""),
        '<!DOCTYPE svg SYSTEM "http://{host}/a.dtd">' + DRAWING.format(""),
    ],
)
def test_a_drawing_of_the_city_that_names_another_address_is_refused(
    tmp_path: Path, inner: InnerServer, content: str
) -> None:
    (tmp_path / "site.toml").write_text(f'[sensitive]\nway_out = "http://{inner.host}/"\nnames = []\n')
    (tmp_path / "marca.svg").write_text(content.replace("{host}", inner.host))
    with pytest.raises(CityFault, match=r"marca\.svg"):
        read_city(tmp_path)
    (tmp_path / "marca.svg").unlink()
    assert inner.host in read_city(tmp_path).wording.sensitive.way_out
    inner.require_unused()
