"""Task 38 in a real browser, done by a person who edits the agents' instructions."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.support.panel_person import Person

pytestmark = pytest.mark.page


@pytest.mark.task(38)
def test_a_key_in_the_instructions_is_found_before_they_are_saved_activated_and_taken_back(
    person_of: Callable[..., Person],
) -> None:
    tereza = person_of("tereza")
    tereza.visit_area("Instruções")
    tereza.follow("Atendimento demo")
    tereza.follow("Editar")
    tereza.fill("Instruções", "Use a chave AKIAIOSFODNN7EXAMPLE para consultar.")
    tereza.fill("Por que muda", "nova consulta")
    tereza.tick("Usar esta versão desde já", checked=False)
    tereza.press("Gravar a versão")
    tereza.expect_text("Linha 1:")
    tereza.expect_text("Gravar mesmo assim")
    tereza.fill("Instruções", "Atenda com calma.")
    tereza.press("Gravar a versão")
    expect(tereza.main.locator(".timeline li").first).not_to_contain_text("em uso")
    tereza.follow("Usar a versão 2")
    tereza.fill("Motivo", "melhorou")
    tereza.press("Usar a versão 2")
    tereza.follow("Voltar à versão anterior")
    tereza.fill("Motivo", "piorou")
    tereza.press("Voltar à versão anterior")
    expect(tereza.main.locator(".timeline li").filter(has_text="em uso")).to_contain_text("Versão 1")
