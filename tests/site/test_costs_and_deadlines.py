"""The site shows the cost and the deadline of a service in words (rules: search 3.8)."""

from typing import Any

import pytest

from balcao.site.city import read_city
from balcao.site.facts import Cost, Deadline, explain_facts, read_facts, takes_time
from balcao.site.services.client import Service
from balcao.site.services.structured import describe_offers
from balcao.site.wording import Wording
from tests.support.site import SiteClient, SitePage

BLANK = "\u00a0"


@pytest.fixture
def wording() -> Wording:
    return read_city(None).wording


def make_service(**members: Any) -> Service:
    return Service(id="x", slug="x", nome_servico="x", tema_geral="x", **members)


@pytest.mark.parametrize(
    ("members", "cost", "time", "notes"),
    [
        ({"custo": Cost("gratis"), "prazo": Deadline("imediato")}, "Gratuito", "Na hora", []),
        ({"custo": Cost("fixo", 3520), "prazo": Deadline("dias_uteis", 5)}, "R$ 35,20", "Até 5 dias úteis", []),
        (
            {"custo": Cost("a_partir_de", 182000), "prazo": Deadline("dias_uteis", 1)},
            "A partir de R$ 1.820,00",
            "Até 1 dia útil",
            [],
        ),
        ({"custo": Cost("faixa", 5, 100000000)}, "De R$ 0,05 a R$ 1.000.000,00", "", []),
        ({"custo": Cost("faixa", 0, 5000), "prazo": Deadline("meses", 1)}, "Até R$ 50,00", "Até 1 mês", []),
        ({"custo": Cost("variavel"), "prazo": Deadline("horas", 24)}, "Varia conforme o caso", "Até 24 horas", []),
        # The editors' text explains the data, but the page does not repeat the same words.
        (
            {"custo": Cost("fixo", 3520, isencao="Idosos não pagam."), "custo_servico": "R$ 35,20 por imóvel"},
            "R$ 35,20",
            "",
            [("Isenção", "Idosos não pagam."), ("Sobre o custo", "R$ 35,20 por imóvel")],
        ),
        ({"custo": Cost("fixo", 3520), "custo_servico": " R$ 35,20 "}, "R$ 35,20", "", []),
        (
            {"prazo": Deadline("dias", 60), "tempo_atendimento": "Sem chuva, 30 dias"},
            "",
            "Até 60 dias",
            [("Sobre o prazo", "Sem chuva, 30 dias")],
        ),
        # Without data, the text is shown as it is.
        ({"custo_servico": "Dez reais", "tempo_atendimento": "Imediato"}, "Dez reais", "Na hora", []),
        ({"is_free": True}, "Gratuito", "", []),
        # A later release may have further kinds.
        (
            {
                "custo": Cost("parcelado", 3520),
                "prazo": Deadline("anos", 2),
                "custo_servico": "12 parcelas",
                "tempo_atendimento": "2 anos",
            },
            "12 parcelas",
            "2 anos",
            [],
        ),
    ],
)
def test_data_comes_before_the_text(
    wording: Wording, members: dict[str, Any], cost: str, time: str, notes: list[tuple[str, str]]
) -> None:
    service = make_service(**members)
    facts = read_facts(wording, service)
    assert (facts.cost.replace(BLANK, " "), facts.time) == (cost, time)
    assert facts.cost.count(f"R${BLANK}") == facts.cost.count("R$")
    assert explain_facts(service) == notes


@pytest.mark.parametrize(
    ("cost", "offer"),
    [
        (Cost("gratis"), {"price": "0.00", "priceCurrency": "BRL"}),
        (Cost("fixo", 3505), {"price": "35.05", "priceCurrency": "BRL"}),
        (
            Cost("a_partir_de", 60),
            {"priceSpecification": {"@type": "PriceSpecification", "minPrice": "0.60", "priceCurrency": "BRL"}},
        ),
        (
            Cost("faixa", 0, 41200),
            {
                "priceSpecification": {
                    "@type": "PriceSpecification",
                    "minPrice": "0.00",
                    "maxPrice": "412.00",
                    "priceCurrency": "BRL",
                }
            },
        ),
        (Cost("variavel"), None),
        (Cost("parcelado", 3520), None),
        (None, None),
    ],
)
def test_search_engines_get_a_price_only_if_it_is_known(cost: Cost | None, offer: dict[str, Any] | None) -> None:
    assert describe_offers(cost) == ({} if offer is None else {"offers": {"@type": "Offer", **offer}})


def open_service(site: SiteClient, name: str) -> SitePage:
    found = site.http.get("/search/api/v1/search", params={"q": f'"{name}"'}).json()["results"]
    return site.open(f"/servicos/{found[0]['slug']}")


def test_a_service_page_states_the_price_and_who_does_not_pay(site: SiteClient) -> None:
    page = open_service(site, "Segunda via do cartão de transporte")
    assert f"Quanto custa R${BLANK}35,20".replace(BLANK, " ") in page.text
    assert "Quem foi roubado e traz o boletim de ocorrência não paga." in page.text
    assert "Quanto demora Até 5 dias úteis" in page.text
    assert "Não pague a terceiros" not in page.text
    assert page.metas["description"].replace(BLANK, " ").startswith("R$ 35,20, Até 5 dias úteis")
    (data,) = page.data
    assert data["offers"] == {"@type": "Offer", "price": "35.20", "priceCurrency": "BRL"}
    assert "isAccessibleForFree" not in data


def test_a_free_service_with_data_is_free_everywhere(site: SiteClient) -> None:
    page = open_service(site, "Carteira de identidade")
    assert "Quanto custa Gratuito Não pague a terceiros." in page.text
    (data,) = page.data
    assert (data["isAccessibleForFree"], data["offers"]["price"]) == (True, "0.00")


def test_lists_and_results_show_the_data(site: SiteClient) -> None:
    for path in ("/servicos/assunto/onibus-e-transito", "/busca?q=segunda+via+do+cartão+de+transporte"):
        assert "R$ 35,20" in site.open(path).text.replace(BLANK, " ")


def test_only_a_service_that_takes_time_or_has_a_request_type_has_a_number_to_store(site: SiteClient) -> None:
    at_once = open_service(site, "Segunda via do carnê do imposto predial")
    assert "Quanto demora Na hora" in at_once.text
    for text in ("Guarde o protocolo", "Acompanhar pedido"):
        assert text not in at_once.text
    assert "Guarde o protocolo" in open_service(site, "Isenção do imposto predial").text


@pytest.mark.parametrize(("time", "waits"), [("Imediato", False), ("", False), ("Até 5 dias úteis", True)])
def test_people_wait_for_a_service_unless_it_is_done_at_once(wording: Wording, time: str, waits: bool) -> None:
    assert takes_time(read_facts(wording, make_service(tempo_atendimento=time))) is waits
    assert not takes_time(read_facts(wording, make_service(prazo=Deadline("imediato"))))
