"""Forms accept pasted values with invisible characters and separators."""

import pytest

from tests.support.panel import PanelClient

PHONE = "/painel/meus-dados/telefone"


@pytest.mark.parametrize("text", ["98888-7766", "amanhã", "+55 98888-7766", "(01) 98888-7766"])
def test_a_text_that_is_no_phone_with_its_area_is_asked_for_again(panel: PanelClient, text: str) -> None:
    panel.login("ana")
    shown = panel.submit(PHONE, number=text)
    assert shown.status_code == 422
    assert "Escreva o telefone com DDD" in shown.text
    assert "maxlength" not in shown.text


@pytest.mark.parametrize(
    ("text", "sent_to"), [("(21) 98712-0001", "+55 21 987120001"), ("+49 30 901820", "+49  30901820")]
)
def test_a_phone_is_pasted_into_one_field(panel: PanelClient, text: str, sent_to: str) -> None:
    panel.login("carla" if text.startswith("+") else "bruno")
    shown = panel.submit(PHONE, number=f"\u200b{text}\u00a0")
    assert f"Um código foi enviado para {sent_to}" in shown.text


def test_an_email_address_is_pasted(panel: PanelClient) -> None:
    panel.login("davi")
    panel.submit("/painel/meus-dados/email", email="\u200bdavi@porto\u2011aurora.example\u00a0")
    assert "davi@porto-aurora.example" in panel.page.text


def test_a_cnpj_is_pasted_into_the_search_for_companies(panel: PanelClient) -> None:
    panel.login("helio")
    panel.get("/painel/empresas?busca=%E2%80%8B90.000.001/0001%E2%80%9129%C2%A0")
    assert "/painel/empresas/90000001000129" in panel.page.links
