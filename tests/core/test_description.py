"""The documentation page of an API, and the page's files."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pydantic
import pytest

from balcao.core.access.rules import public
from balcao.core.http.error_codes import codes_by_status
from balcao.core.http.operations import Routes
from balcao.core.http.pages import document
from balcao.core.http.responses import Response, to_json
from balcao.employability import SERVICE as EMPLOYABILITY
from balcao.registry import SERVICE
from balcao.settings import Settings


@pytest.mark.parametrize("name", ["swagger-ui.css", "page.js"])
def test_a_file_that_the_browser_has_is_not_sent_again(http: httpx.Client, name: str) -> None:
    path = f"/registry/v1/docs/assets/{name}"
    etag = http.get(path).headers["ETag"]
    again = http.get(path, headers={"If-None-Match": etag})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("path", ["openapi.json", "docs/assets/swagger-ui-bundle.js"])
def test_a_large_file_is_compressed_for_clients_that_accept_gzip(http: httpx.Client, path: str) -> None:
    plain = http.get(f"/registry/v1/{path}", headers={"Accept-Encoding": "identity"})
    zipped = http.get(f"/registry/v1/{path}", headers={"Accept-Encoding": "gzip"})
    assert (plain.headers.get("Content-Encoding"), zipped.headers["Content-Encoding"]) == (None, "gzip")
    assert zipped.content == plain.content
    assert int(zipped.headers["Content-Length"]) < len(plain.content) / 3
    assert zipped.headers["ETag"] != plain.headers["ETag"]
    assert "Accept-Encoding" in plain.headers["Vary"]


def test_a_city_names_the_gateways_that_its_descriptions_show(http: httpx.Client, settings: Settings) -> None:
    cities = Settings.load({"BALCAO_SERVER_URLS": "https://api.cidade.example/, https://api.staging.cidade.example"})
    assert [server["url"] for server in json.loads(document(SERVICE, cities.server_urls))["servers"]] == [
        "https://api.cidade.example/registry/v1",
        "https://api.staging.cidade.example/registry/v1",
    ]
    assert http.get("/registry/v1/openapi.json").json()["servers"] == [{"url": f"{settings.base_url}/registry/v1"}]


def test_a_code_of_a_body_does_not_speak_of_the_path() -> None:
    operations = {operation.key: operation for operation in SERVICE.operations()}
    said = codes_by_status(operations["registry.receive_crm_event"], [400])[400]["cpf-invalid"]
    assert said == "Um CPF não tem onze dígitos com dígitos verificadores certos."


def test_a_function_of_the_same_name_elsewhere_is_not_taken_for_the_one_that_is_called() -> None:
    operations = {operation.key: operation for operation in (*SERVICE.operations(), *EMPLOYABILITY.operations())}
    conflicts = codes_by_status(operations["registry.bind_phone"], [409])[409]
    assert "phone-not-free" in conflicts
    assert "phone-not-bound" not in conflicts  # only the `change` of `opt_in_phone` raises this code
    assert "employer-unknown" not in codes_by_status(operations["employability.replace_job"], [404])[404]


class Model(pydantic.BaseModel):
    name: str


async def return_model() -> Model:
    return Model(name="Ana")


async def return_models() -> list[Model]:
    return [Model(name="Ana")]


async def send_models() -> Response[list[Model]]:
    return to_json([Model(name="Ana")])


@pytest.mark.parametrize("handler", [return_model, return_models, send_models])
def test_a_model_that_nothing_can_encode_or_describe_is_refused_as_a_response(handler: Callable[..., Any]) -> None:
    with pytest.raises(TypeError, match=rf"^{handler.__name__}: a response is a msgspec struct"):
        Routes().get("/models", "test.models", public(), "Modelos")(handler)
