"""Take the pictures of the tutorial while the trial runs (`make run`): `python -m tools.tutorial_pictures`.

The tool follows the tutorial: an editor writes a service, an attendant serves Carla, and Carla sees who looked at her
data.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page

from balcao.settings import Settings
from tools.screenshots import launched, log_in

FOLDER = Path(__file__).parents[1] / "docs" / "tutorial"
SIZE = {"width": 1000, "height": 640}


@contextmanager
def person_at(browser: Browser, username: str) -> Iterator[Page]:
    """Log a person in, in a new window, and yield the page."""
    options = {"base_url": Settings.load().panel_address, "locale": "pt-BR", "color_scheme": "light"}
    with browser.new_context(viewport=SIZE, **options) as context:  # type: ignore[arg-type]
        page = context.new_page()
        log_in(page, username)
        yield page


def take(page: Page, name: str) -> None:
    page.wait_for_load_state()
    page.screenshot(path=FOLDER / f"{name}.png")


def write_a_service(page: Page) -> None:
    take(page, "1-inicio")
    page.get_by_role("navigation", name="Áreas").get_by_role("link", name="Serviços", exact=True).click()
    page.get_by_role("link", name="Novo serviço").click()
    page.get_by_label("Nome", exact=True).fill("Plantio de árvore na calçada")
    page.get_by_label("Resumo", exact=True).fill("Planta uma árvore na calçada de quem pede.")
    page.get_by_label("Tema", exact=True).select_option("Cidade")
    page.get_by_label("Órgãos responsáveis", exact=True).fill("Secretaria de Conservação")
    page.get_by_label("Para quem é", exact=True).fill("Público em geral")
    page.get_by_role("button", name="Gravar", exact=True).click()
    take(page, "2-servico")


def serve_carla(page: Page) -> None:
    page.get_by_role("navigation", name="Áreas").get_by_role("link", name="Atendimento", exact=True).click()
    page.get_by_label("Motivo do acesso").select_option("Andamento de um chamado")
    page.get_by_label("CPF").first.fill("900.000.003-37")
    page.get_by_role("button", name="Começar o atendimento").click()
    take(page, "3-atendimento")


def see_who_looked(page: Page) -> None:
    page.get_by_role("navigation", name="Áreas").get_by_role("link", name="Quem viu os meus dados").click()
    take(page, "4-quem-viu")


def main() -> int:
    FOLDER.mkdir(exist_ok=True)
    with launched() as browser:
        for username, do in (("editora", write_a_service), ("luiz", serve_carla), ("carla", see_who_looked)):
            with person_at(browser, username) as page:
                do(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
