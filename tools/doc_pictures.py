"""Take the pictures of the README and the tutorial while the trial runs (`make run`): `python -m tools.doc_pictures`.

The tool opens the site as a visitor. Then it follows the tutorial: an editor writes a service, an attendant serves
Carla, and Carla sees who looked at her data.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page

from balcao.settings import Settings
from tools.screenshots import launched, log_in

DOCS = Path(__file__).parents[1] / "docs"
TUTORIAL = DOCS / "tutorial"
README = DOCS / "pictures"  # JPEG, because PNG files would exceed 150 kB
# The width of the tutorial's text, and the sizes that the standard of publiccode.yml suggests.
TEXT = (1000, 640)
DESKTOP = (1280, 800)
PHONE = (360, 640)


@contextmanager
def window(browser: Browser, address: str, size: tuple[int, int]) -> Iterator[Page]:
    """Open a new window and yield its page."""
    options = {"base_url": address, "locale": "pt-BR", "color_scheme": "light"}
    with browser.new_context(viewport={"width": size[0], "height": size[1]}, **options) as context:  # type: ignore[arg-type]
        yield context.new_page()


@contextmanager
def person_at(browser: Browser, username: str, size: tuple[int, int] = TEXT) -> Iterator[Page]:
    """Log a person in, in a new window, and yield the page."""
    with window(browser, Settings.load().panel_address, size) as page:
        log_in(page, username)
        yield page


def take(page: Page, picture: Path) -> None:
    page.wait_for_load_state()
    page.screenshot(path=picture)


def visit_the_site(browser: Browser) -> None:
    address = Settings.load().site_address
    with window(browser, address, DESKTOP) as page:
        page.goto("/")
        take(page, README / "site.jpg")
    with window(browser, address, PHONE) as page:
        page.goto("/busca?q=imposto+predal")
        page.get_by_role("link", name="Segunda via do carnê do imposto predial").click()
        page.get_by_role("heading", name="Segunda via do carnê do imposto predial", level=1).wait_for()
        take(page, README / "servico-no-celular.jpg")


def write_a_service(page: Page) -> None:
    take(page, TUTORIAL / "1-inicio.png")
    page.get_by_role("navigation", name="Áreas").get_by_role("link", name="Serviços", exact=True).click()
    page.get_by_role("link", name="Novo serviço").click()
    page.get_by_label("Nome", exact=True).fill("Plantio de árvore na calçada")
    page.get_by_label("Resumo", exact=True).fill("Planta uma árvore na calçada de quem pede.")
    page.get_by_label("Tema", exact=True).select_option("Cidade")
    page.get_by_label("Órgãos responsáveis: 1º").select_option("Secretaria de Conservação")
    page.get_by_label("Para quem é", exact=True).fill("Público em geral")
    page.get_by_role("button", name="Gravar", exact=True).click()
    take(page, TUTORIAL / "2-servico.png")


def serve_carla(page: Page) -> None:
    page.get_by_role("navigation", name="Áreas").get_by_role("link", name="Atendimento", exact=True).click()
    page.get_by_label("Motivo do acesso").select_option("Andamento de um chamado")
    page.get_by_label("CPF").first.fill("900.000.003-37")
    page.get_by_role("button", name="Começar o atendimento").click()
    take(page, TUTORIAL / "3-atendimento.png")
    page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
    take(page, README / "painel.jpg")


def see_who_looked(page: Page) -> None:
    page.get_by_role("navigation", name="Áreas").get_by_role("link", name="Quem viu os meus dados").click()
    take(page, TUTORIAL / "4-quem-viu.png")


def main() -> int:
    for folder in (TUTORIAL, README):
        folder.mkdir(exist_ok=True)
    with launched() as browser:
        visit_the_site(browser)
        for username, do in (("editora", write_a_service), ("luiz", serve_carla), ("carla", see_who_looked)):
            with person_at(browser, username) as page:
                do(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
