"""Take pictures of the panel's pages for a review: `python -m tools.screenshots kleber /tmp/pictures [--dark]`.

The platform must be running (`balcao serve` with the demo data). The tool follows links from the first page, and opens
each declared page once at 1280 and at 360 pixels. If the person may serve citizens, it starts an attendance of Carla
first, because the pages of an attendance cannot be reached otherwise.
"""

import argparse
import os
import re
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Error, Page, sync_playwright

from balcao.panel import declaration
from balcao.panel.areas import AREAS
from balcao.settings import Settings
from balcao_sandbox.identity.demo import people_by_login

WIDTHS = (1280, 360)
HEIGHT = 900
ATTENDANCES = [
    ("/painel/atendimento", "Andamento de um chamado", "Começar o atendimento"),
    ("/painel/dados/titular", "Pedido do titular dos dados", "Continuar"),
]
_PATTERNS = [
    (page.name, re.compile(re.sub(r"\{\w+\}", "[^/]+", declaration.PREFIX + page.path)))
    for area in AREAS
    for page in area.pages.declared
    if page.method == "GET"
]


def name_page(address: str) -> str | None:
    """Return the name of the page that is declared for an address. If several match, return the most specific one."""
    path = urlsplit(address).path.rstrip("/")
    fitting = [
        (len(re.findall(r"\[\^/\]\+", pattern.pattern)), name) for name, pattern in _PATTERNS if pattern.fullmatch(path)
    ]
    return min(fitting)[1] if fitting else None


def log_in(page: Page, username: str) -> None:
    page.goto("/painel")
    page.get_by_label("CPF ou usuário").fill(username)
    page.get_by_label("Senha").fill(people_by_login()[username].password)
    page.get_by_role("button", name="Entrar").click()
    page.wait_for_url("**/painel")


def opens(page: Page, path: str) -> bool:
    """Open a page. Return False if the address leads to a download."""
    try:
        page.goto(path)
    except Error as fault:
        if "Download is starting" not in str(fault):
            raise
        return False
    return True


def begin_attendances(page: Page) -> list[str]:
    """Start each kind of access to Carla's data that the person may use: an attendance and a privacy inquiry.

    Return the addresses of the resulting pages.
    """
    begun = []
    for path, reason, button in ATTENDANCES:
        page.goto(path)
        if page.get_by_label("Motivo do acesso").count():
            page.get_by_label("Motivo do acesso").select_option(reason)
            page.get_by_label("CPF").first.fill(people_by_login()["carla"].cpf)
            page.get_by_role("button", name=button).click()
            begun.append(urlsplit(page.url).path)
    return begun


def walk(page: Page) -> Iterator[tuple[str, str]]:
    """Open each linked page once. Yield its name and address while it is open."""
    waiting = deque(["/painel", *begin_attendances(page)])
    found = {name_page(path) for path in waiting}
    while waiting:
        path = waiting.popleft()
        if not opens(page, path):
            continue
        yield str(name_page(path)), path
        for link in page.eval_on_selector_all("a[href^='/painel']", "all => all.map(one => one.getAttribute('href'))"):
            name = name_page(link)
            if name is not None and name not in found:
                found.add(name)
                waiting.append(link)


def take_pictures(browser: Browser, address: str, username: str, folder: Path, scheme: str) -> list[str]:
    """Take pictures of all pages, and return their names."""
    seen = set()
    for width in WIDTHS:
        viewport = {"width": width, "height": HEIGHT}
        context = browser.new_context(base_url=address, locale="pt-BR", viewport=viewport, color_scheme=scheme)  # type: ignore[arg-type]
        page = context.new_page()
        log_in(page, username)
        for name, _ in walk(page):
            seen.add(name)
            height = page.evaluate("document.documentElement.scrollHeight")
            page.set_viewport_size({"width": width, "height": max(height, HEIGHT)})  # sticky elements move to the end
            page.screenshot(path=folder / f"{name}-{width}.png")
            page.set_viewport_size({"width": width, "height": HEIGHT})
        context.close()
    return sorted(seen)


@contextmanager
def launched() -> Iterator[Browser]:
    """Start the Chromium in which the tests of pages run."""
    path = (
        os.environ.get("BALCAO_CHROMIUM")
        or subprocess.run(["tools/chromium"], capture_output=True, text=True, check=True).stdout.strip()
    )
    alone = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=path, args=alone) as browser:
        yield browser


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("username")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--dark", action="store_true")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    scheme = "dark" if arguments.dark else "light"
    with launched() as browser:
        seen = take_pictures(browser, Settings.load().panel_address, arguments.username, arguments.folder, scheme)
    print(f"{len(seen)} de {len({name for name, _ in _PATTERNS})} páginas em {arguments.folder}:")
    print("\n".join(f"  {name}" for name in seen))
    return 0


if __name__ == "__main__":
    sys.exit(main())
