"""The pages of health units: the list and its filters, the next days of a unit, and pages while the service is down."""

import json
import re
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from balcao.settings import Settings
from balcao.site.faults import NOT_FOUND
from tests.support.issuer import bearer
from tests.support.sandbox import Sandbox
from tests.support.service_relay import ServiceRelay
from tests.support.site import SiteClient

PORT, RED, CANAL = (f"/saude/unidades/99000{number}" for number in ("01", "04", "22"))


def list_units(site: SiteClient, path: str) -> list[str]:
    """Return the names of the units on all pages of a list."""
    names, number = [], 1
    while True:
        separator = "&" if "?" in path else "?"
        text = site.get(f"{path}{separator}pagina={number}").text
        names += re.findall(r'<h3><a href="/saude/unidades/\d{7}">([^<]*)</a></h3>', text)
        if "Próxima página" not in text:
            return names
        number += 1


def test_the_list_has_every_unit_once_and_the_map_shows_all_of_them(site: SiteClient) -> None:
    names = list_units(site, "/saude/unidades")
    assert len(names) == len(set(names)) == 23
    text = site.get("/saude/unidades").text
    assert len(re.findall(r'<use href="#m\d"', text)) == 23
    assert 'aria-label="Mapa da cidade com 23 unidades.' in text
    for chosen, color in {"verde": "Verde: tudo normal", "amarelo": "Amarelo: sem visitas em casa"}.items():
        assert color in site.open(f"/saude/unidades?cor={chosen}").text


def test_each_colour_on_the_first_page_leads_to_its_units(site: SiteClient) -> None:
    links = site.open("/").links
    found = {label: href for label, href in links.items() if href.startswith("/saude/unidades?cor=")}
    assert {"verde", "amarelo"} <= {href.partition("=")[2] for href in found.values()}
    for label, href in found.items():
        assert len(list_units(site, href)) == int(label.split()[0])
    assert re.search(r"E mais \d+ unidades? com mudanças", " ".join(links))


def test_the_nearest_unit_comes_first_and_one_that_is_closed_for_safety_last(site: SiteClient) -> None:
    names = list_units(site, "/saude/unidades?perto=Vila+Nova")
    assert names[-1] == "Centro Municipal de Saúde Vila Nova"
    assert names[0] != names[-1]
    page = site.open("/saude/unidades?perto=Centro")
    assert "Da mais próxima do bairro Centro à mais distante" in page.text
    assert "no bairro Centro" in page.text
    assert "A que não atende agora vem por último" in page.text
    assert "vem por último" not in site.open("/saude/unidades?perto=Centro&tipo=urgencia").text
    assert re.search(r"a uns \d+(,5)? km", page.text)


def test_units_that_are_open_now_come_first(site: SiteClient) -> None:
    are_open = list_units(site, "/saude/unidades?quando=agora")
    assert list_units(site, "/saude/unidades")[: len(are_open)] == are_open != []


def test_the_first_page_says_how_many_units_are_open_now(site: SiteClient) -> None:
    are_open = list_units(site, "/saude/unidades?quando=agora")
    assert are_open  # the demo has units that never close
    expected = "1 aberta agora" if len(are_open) == 1 else f"{len(are_open)} abertas agora"
    assert f"{expected}, de 23 unidades" in site.open("/").text


@pytest.mark.parametrize("query", ["perto=Atlantis", "quando=nunca&tipo=x&cor=roxo", "pagina=999", "perto="])
def test_values_that_are_no_choice_count_as_none(site: SiteClient, query: str) -> None:
    assert site.open(f"/saude/unidades?{query}").text.count("23 unidades") >= 1


def test_a_choice_without_a_unit_says_what_to_try(site: SiteClient) -> None:
    page = site.open("/saude/unidades?cor=vermelho&tipo=urgencia")
    assert "Nenhuma unidade de urgência hoje em vermelho" in page.text
    assert "ver as unidades de urgência abertas agora" in page.text
    assert page.links["ver as unidades hoje em vermelho"] == "/saude/unidades?cor=vermelho"


def test_a_heading_fits_one_unit_and_says_of_which_day_the_color_is(site: SiteClient) -> None:
    page = site.open("/saude/unidades?cor=amarelo&quando=sabado")
    assert " hoje em amarelo com atendimento no sábado, " in page.text


def test_only_units_of_the_chosen_kind_and_colour_are_listed(site: SiteClient) -> None:
    assert list_units(site, "/saude/unidades?cor=vermelho") == ["Centro Municipal de Saúde Vila Nova"]
    emergency = list_units(site, "/saude/unidades?tipo=urgencia&quando=agora")
    assert emergency == ["UPA 24h do Canal", "UPA 24h Estrada Velha"]


@pytest.mark.parametrize(("when", "weekday"), [("amanha", None), ("sabado", 5), ("domingo", 6)])
def test_a_chosen_day_lists_the_units_that_open_on_it(
    site: SiteClient, sandbox: Sandbox, settings: Settings, when: str, weekday: int | None
) -> None:
    today = datetime.now(settings.zone).date()
    day = today + timedelta(days=1 if weekday is None else (weekday - today.weekday()) % 7)
    token = bearer(sandbox.tokens.person("90000000175"))
    found = sandbox.http.get(f"/health-units/unidades?per_page=200&abre_em={day}", headers=token).json()["data"]
    shown = list_units(site, f"/saude/unidades?quando={when}")
    assert sorted(shown) == sorted(unit["nome"] for unit in found)
    assert "UPA 24h do Canal" in shown


def test_a_unit_shows_fourteen_days_its_telephone_and_what_changes(site: SiteClient) -> None:
    page = site.open(PORT)
    assert page.heading == "Clínica da Família do Porto"
    for part in ("(21) 2222-0001", "Avenida do Porto, 310, Porto", "As visitas em casa estão suspensas", "Hoje"):
        assert part in page.text
    assert len(re.findall(r"<strong>(?:Hoje|Amanhã|\w+-feira|Sábado|Domingo)</strong>", page.answer.text)) == 14
    (clinic,) = page.data
    assert clinic["@type"] == "MedicalClinic"
    assert len(clinic["openingHoursSpecification"]) >= 5
    assert "Amarelo" not in json.dumps(clinic)


def test_a_unit_that_is_closed_for_safety_names_the_nearest_open_ones(site: SiteClient) -> None:
    page = site.open(RED)
    assert "Vermelho: não atende agora" in page.text
    assert "Sem atendimento desde" in page.text
    assert "Abertas agora, perto daqui" in page.text
    # Which units are open depends on the hour.
    nearest = page.text.partition("Abertas agora, perto daqui")[2].partition("Próximos 14 dias")[0]
    found = re.findall(r"a uns ([\d,]+) (k?m)\b", nearest)
    metres = [float(number.replace(",", ".")) * (1000 if unit == "km" else 1) for number, unit in found]
    assert len(metres) == 2
    assert metres == sorted(metres)


def test_the_address_of_a_unit_in_the_list_is_a_link_to_its_place_on_the_map(site: SiteClient) -> None:
    listed, own = (site.get(path).text for path in ("/saude/unidades?perto=Canal&tipo=urgencia", CANAL))
    found = re.search(
        r'<a href="(https://www[.]openstreetmap[.]org/[^"]+)"\s+rel="noreferrer">Avenida do Canal, 1800', listed
    )
    assert found
    assert re.fullmatch(r".*[?]mlat=-\d+[.]\d+&amp;mlon=-\d+[.]\d+&amp;zoom=17", found[1])
    assert f'href="{found[1]}"' in own


def test_the_kind_of_an_emergency_unit_is_explained(site: SiteClient) -> None:
    explained = "UPA (pronto atendimento 24 horas)"
    listed = site.open("/saude/unidades?tipo=urgencia").text
    assert listed.count(explained) == 2
    assert "Pronto atendimento (UPA)" in listed  # the choice in the filter
    assert explained in site.open(CANAL).text
    assert "UPA 24h do Canal" in site.open("/busca?q=pronto+atendimento").text


def test_a_unit_for_emergencies_says_that_nobody_needs_an_appointment(site: SiteClient) -> None:
    page = site.open(CANAL)
    assert "Aberta 24 horas" in page.text
    assert "Não precisa marcar" in page.text
    assert "todos os dias, 24 horas" in page.text


@pytest.mark.parametrize("cnes", ["9999999", "123", "99000011", "abcdefg", "９９００００１", "..%2F.."])
def test_a_unit_that_does_not_exist_gets_a_page_that_helps(site: SiteClient, cnes: str) -> None:
    assert site.open(f"/saude/unidades/{cnes}", 404).heading == NOT_FOUND


def test_the_colours_are_explained(site: SiteClient) -> None:
    page = site.open("/saude/cores")
    for word in ("Verde", "Amarelo", "Laranja", "Vermelho", "Ligue antes de ir", "192"):
        assert word in page.text


def test_browsers_use_these_pages_for_a_short_time_only(site: SiteClient) -> None:
    for path in ("/saude/unidades", PORT):
        answer = site.get(path)
        assert answer.headers["cache-control"] == "public, max-age=20"
        assert site.get(path, if_none_match=answer.headers["etag"]).status_code in {200, 304}


COLORS = re.compile(r"(?:Verde|Amarelo|Laranja|Vermelho): |Aberta (?:até|24)|Fechada\.")


def test_without_the_service_no_colour_is_shown_but_addresses_and_telephones_are(
    apart: SiteClient, relay: ServiceRelay, pass_time: Callable[[float], None]
) -> None:
    for path in ("/saude/unidades", PORT, "/"):
        apart.open(path)
    relay.down.add("health-units")
    pass_time(60)
    page = apart.open("/saude/unidades?cor=vermelho&perto=Centro")
    assert "Não sabemos agora quais unidades estão abertas" in page.text
    assert "Agora não dá para escolher por situação ou cor" in page.text
    assert "(21) 2222-0006" in page.text
    assert not COLORS.search(page.text)
    assert 'class="m1' not in page.answer.text
    unit = apart.open(PORT)
    assert "Não sabemos agora. Ligue antes de ir." in unit.text
    assert "(21) 2222-0001" in unit.text
    assert not COLORS.search(unit.text)
    assert "Não sabemos agora quais unidades estão abertas" in apart.open("/").text
    assert page.answer.headers["cache-control"] == "public, max-age=5"
    apart.open("/saude/unidades/9900002", 503)


def test_after_an_hour_without_the_service_the_page_says_so(
    apart: SiteClient, relay: ServiceRelay, pass_time: Callable[[float], None]
) -> None:
    apart.open("/saude/unidades")
    relay.down.add("health-units")
    pass_time(3_700)
    page = apart.open("/saude/unidades", 503)
    assert "unidades de saúde" in page.text
    assert "156" in page.text


def test_a_part_of_a_unit_that_cannot_be_read_leaves_the_others(apart: SiteClient, relay: ServiceRelay) -> None:
    relay.down.add("search")
    page = apart.open("/")
    assert "Unidades de saúde hoje" in page.text
    assert "Não conseguimos ler os serviços agora" in page.text
