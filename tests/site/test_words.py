"""The site's texts about subjects and services fit the demo city."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from balcao.core.values.text import fold_text
from balcao.settings import SettingsError
from balcao.site.city import SITE_FILE, read_city
from balcao.site.wording import Subject
from tests.support.sandbox import Sandbox
from tests.support.site import SiteClient

WORDING = read_city(None).wording


def test_every_category_of_the_city_belongs_to_one_subject(sandbox: Sandbox) -> None:
    found = sandbox.http.get("/search/api/v1/categories").json()["categories"]
    named = [category for subject in WORDING.subject for category in subject.categories]
    assert sorted(named) == sorted({category["name"] for category in found})
    assert len({subject.key for subject in WORDING.subject}) == len(WORDING.subject) == 14


@pytest.mark.parametrize("subject", WORDING.subject, ids=lambda subject: subject.key)
def test_the_page_of_a_subject_has_what_its_description_promises(site: SiteClient, subject: Subject) -> None:
    page = site.get(f"/servicos/assunto/{subject.key}").text
    _, *groups = page.split('aria-labelledby="grupo-')
    services = fold_text(" ".join(groups).partition("</main>")[0])
    promised = [fold_text(part).strip() for part in subject.hint.split(",")]
    assert [part for part in promised if _find_stem(part) not in services] == []


def _find_stem(folded: str) -> str:
    """Return the part of a word or phrase that its plural shares."""
    return re.sub(r"(oes|ao|is|l|s)$", "", folded)


def test_a_subject_counts_the_services_that_it_lists(site: SiteClient) -> None:
    home = site.open("/").text
    for subject in WORDING.subject:
        page = site.open(f"/servicos/assunto/{subject.key}")
        shown = len(re.findall(r"<li>\s*<h3>", page.answer.text))
        assert f" {shown} serviços" in page.text
        assert f"{subject.hint} ({shown})" in home
        headings = re.findall(r'<h2 id="(grupo-\d+)">', page.answer.text)
        jumps = [href.lstrip("#") for href in page.links.values() if href.startswith("#grupo-")]
        assert sorted(jumps) == (sorted(headings) if len(headings) > 3 else [])


def test_every_named_service_exists_and_no_frequent_one_is_sensitive(sandbox: Sandbox, site: SiteClient) -> None:
    token = {"Authorization": f"Bearer {sandbox.tokens.client('site')}"}
    feed = sandbox.http.get("/search/api/v1/catalog/services", params={"limit": 500}, headers=token).json()
    names = {change["service"]["nome_servico"] for change in feed["changes"] if change["service"]}
    assert set(WORDING.home.frequent) | set(WORDING.names) <= names
    assert not [name for name in WORDING.home.frequent if WORDING.is_sensitive(name)]
    assert [name for name in names if WORDING.is_sensitive(name)]
    shown = list(site.open("/").links)
    assert [name for name in shown if name in WORDING.home.frequent] == WORDING.home.frequent


def test_a_category_that_no_subject_names_is_a_subject_of_its_own() -> None:
    found = WORDING.find_subject("Pesca & Maré")
    assert (found.key, found.name, found.categories) == ("pesca-mare", "Pesca & Maré", ["Pesca & Maré"])
    assert WORDING.list_subjects(["Pesca & Maré", "Saúde"])[-1] == found


def test_a_city_changes_some_tables_and_keeps_the_others(open_apart: Callable[..., SiteClient], tmp_path: Path) -> None:
    text = '[contact]\nhours = "sempre"\ncost = "Grátis."\ncounter = "Rua Um, 1."\n'
    (tmp_path / SITE_FILE).write_text(text, "utf-8")
    page = open_apart(site_folder=tmp_path, site_city="Vila Velha Nova", site_phone="(21) 2222-0000").open("/")
    assert "sempre. Grátis." in page.text
    assert "Rua Um, 1." in page.text
    assert page.links["(21) 2222-0000"] == "tel:2122220000"
    assert page.title == "Vila Velha Nova"
    assert "Impostos e taxas" in page.links


def test_a_site_does_not_start_with_files_that_it_cannot_read(
    open_apart: Callable[..., SiteClient], tmp_path: Path
) -> None:
    with pytest.raises(SettingsError, match=r"BALCAO_SITE_FOLDER: site\.toml"):
        open_apart(site_folder=tmp_path)


def test_a_city_that_names_no_frequent_service_shows_highlighted_and_popular_ones(
    open_apart: Callable[..., SiteClient], tmp_path: Path
) -> None:
    texts = '[home]\nquestion = "?"\nplaceholder = ""\nexamples = []\nfrequent = ["Não existe"]\n'
    (tmp_path / SITE_FILE).write_text(texts, "utf-8")
    links = open_apart(site_folder=tmp_path).open("/").links
    shown = [name for name, href in links.items() if href.startswith("/servicos/") and "/assunto/" not in href]
    assert len(shown) == 8
    assert not [name for name in shown if WORDING.is_sensitive(name)]
