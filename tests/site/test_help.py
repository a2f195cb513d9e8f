"""Help, privacy, and the appearance that visitors can choose without a script."""

from collections.abc import Callable

import pytest

from tests.support.site import SiteClient

PATH = "/acessibilidade"


def test_help_has_the_telephone_emergency_numbers_and_answers(site: SiteClient) -> None:
    page = site.open("/ajuda")
    for part in ("156", "192", "193", "188", "Casa do Cidadão do Centro", "Preciso de uma conta"):
        assert part in page.text


def test_privacy_says_what_the_site_stores(site: SiteClient) -> None:
    page = site.open("/privacidade")
    assert page.heading == "Privacidade"
    assert "Não usa cookies enquanto você só lê" in page.text


def test_privacy_leads_to_the_pages_where_citizens_use_their_rights(site: SiteClient) -> None:
    links = site.open("/privacidade").links
    for label, path in {
        "ver e corrigir os seus dados": "/minha-pagina/dados",
        "levar uma cópia": "/minha-pagina/dados/copia",
        "saber quem olhou": "/minha-pagina/quem-viu",
        "pedir que apaguem": "/minha-pagina/dados/apagar",
    }.items():
        assert links[label] == path
        assert site.get(path).headers["location"].startswith("/minha-pagina/entrar")


@pytest.mark.parametrize("path", ["/", "/vagas", "/saude/unidades", "/ajuda", "/busca?q=iptu", "/nada"])
def test_no_page_sets_a_cookie_before_a_choice(site: SiteClient, path: str) -> None:
    assert "set-cookie" not in site.get(path).headers


def test_a_chosen_appearance_holds_on_every_page_and_can_be_withdrawn(site: SiteClient) -> None:
    answer = site.http.post(PATH, data={"aparencia": "escura", "letra": "grande"})
    assert (answer.status_code, answer.headers["location"]) == (303, f"{PATH}?guardado=sim")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("aparencia=escura.grande;")
    assert {"HttpOnly", "Path=/", "SameSite=lax"} <= {part.strip() for part in cookie.split(";")}
    for path in (f"{PATH}?guardado=sim", "/", "/vagas", "/saude/unidades"):
        text = site.get(path).text
        assert '<html lang="pt-BR" data-aparencia="escura" data-letra="grande">' in text
        site.http.cookies.clear()
        assert '<html lang="pt-BR">' in site.get(path).text
        site.http.cookies.set("aparencia", "escura.grande")
    assert "Max-Age=0" in site.http.post(PATH, data={"aparencia": "", "letra": ""}).headers["set-cookie"]


@pytest.mark.parametrize(
    "value", ["escura", ".enorme", "roxa.grande", "escura.gigante", '"><script>', "a" * 3_000, ".", ""]
)
def test_a_cookie_of_any_content_gives_a_valid_page(site: SiteClient, value: str) -> None:
    answer = site.get("/ajuda", cookie=f"aparencia={value}")
    assert answer.status_code == 200
    assert "<script>" not in answer.text.replace('<script type="application/ld+json">', "")
    assert "gigante" not in answer.text


def test_a_page_with_an_appearance_has_another_etag(site: SiteClient) -> None:
    plain = site.get("/ajuda")
    dark = site.get("/ajuda", cookie="aparencia=escura.")
    assert plain.headers["etag"] != dark.headers["etag"]
    assert "Cookie" in plain.headers["vary"]


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://other.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}]
)
def test_a_form_of_another_site_changes_nothing(site: SiteClient, headers: dict[str, str]) -> None:
    answer = site.http.post(PATH, data={"aparencia": "escura"}, headers=headers)
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers
    assert "Este pedido veio de outro site" in answer.text


def test_only_this_page_takes_a_form_and_only_a_short_one(site: SiteClient) -> None:
    assert site.http.post(PATH, data={"aparencia": "a" * 10_000}).status_code == 413
    for path in ("/", "/vagas", "/ajuda", "/saude/unidades"):
        assert site.http.post(path, data={"a": "b"}).status_code == 405


def test_the_short_address_of_the_login_leads_there(site: SiteClient, open_apart: Callable[..., SiteClient]) -> None:
    answer = site.get("/entrar")
    assert (answer.status_code, answer.headers["location"]) == (303, "/minha-pagina/entrar")
    assert answer.headers["cache-control"] == "no-store"
    assert "/entrar" in site.get("/robots.txt").text
    assert open_apart(site_login=False).get("/entrar").status_code == 404
