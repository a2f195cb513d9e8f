"""Axe finds no violation on the pages that keep the text and the files of a form that could not be sent.

The tests get the pages over HTTP, because most of them need a service that fails at one call. The browser then shows
each response at its own address, with the style sheet of the site or the panel.
"""

from collections.abc import Callable, Sequence
from typing import Any

import httpx
import pytest
from playwright.sync_api import Route

from balcao.web.service_requests.files import LARGEST_FILE
from tests.journeys.test_unsent_files import AGAIN, ana, clerk, line, list_kept, port, sandbox, send_file_of_page
from tests.panel.conftest import beside
from tests.panel.counter.test_request_files import ask_question, resend
from tests.panel.counter.test_requests import ANSWERS, find_base
from tests.site.conftest import address, browser, screen_of
from tests.site.mine.test_requests import LAMP, OWN, send_file
from tests.site.test_request_axe import inspect
from tests.support.cuttable_connection import Line
from tests.support.fixture_types import Sql
from tests.support.panel import CitizenClient, PanelClient
from tests.support.panel_browser import Screen
from tests.support.proof_sizes import choose_looks
from tests.support.sample_files import drawing, photo
from tests.support.sandbox import Sandbox

__all__ = ["address", "ana", "beside", "browser", "clerk", "line", "port", "sandbox", "screen_of"]

OpenScreen = Callable[..., Screen]
Beside = Callable[..., Any]

pytestmark = [pytest.mark.page, pytest.mark.node, pytest.mark.long]


def inspect_all(screen_of: OpenScreen, answers: Sequence[httpx.Response]) -> None:
    """Show each response in a browser, in each look, and check it."""
    for width, scheme in choose_looks(1280, 360):
        screen = screen_of(width, color_scheme=scheme)
        for answer in answers:
            show(screen, answer)
            inspect(screen)


def show(screen: Screen, answer: httpx.Response) -> None:
    """Let the browser show a response that was received without it."""
    url = str(answer.url)

    def fulfill(route: Route) -> None:
        route.fulfill(body=answer.text, content_type="text/html; charset=utf-8")

    screen.page.route(url, fulfill)
    screen.page.goto(url)
    screen.page.unroute(url)


def test_the_pages_of_a_citizens_form_that_was_not_sent(
    ana: CitizenClient, sandbox: Sandbox, line: Line, sql: Sql, beside: Beside, screen_of: OpenScreen
) -> None:
    path = f"{OWN}/{ask_question(sandbox)}/responder"
    (kept,) = list_kept(send_file(ana, path, photo(), outro="1", text="O poste é cinza."))
    line.cut_at("POST", "/files")
    lost_file = send_file_of_page(ana, path, drawing(), text="O poste é cinza.", kept=kept)
    line.cut()
    again = ana.post(path, ana.find_form(path).values)
    line.mend()
    reopened = ana.post(path, ana.find_form(path).values)
    line.cut_at("POST", "/answer")
    unsent = send_file_of_page(ana, path, drawing(), text="O poste é cinza.", kept=kept)
    line.mend()
    large = send_file(ana, path, photo() + bytes(3 * LARGEST_FILE), text="O poste é cinza.")
    line.cut_at("POST", "/files")
    only_file = send_file(ana, f"{LAMP}/arquivos/5", photo())
    line.mend()
    ana.get(path)
    beside(sql, "UPDATE site.session SET ended_at = now(), tokens = NULL")
    over = send_file_of_page(ana, path, drawing(), text="O poste é cinza.")
    restored = ana.get(next(link for link in ana.page.links if "/entrar?para=" in link))
    answers = [lost_file, again, reopened, unsent, large, only_file, over, restored]
    assert [one.status_code for one in answers] == [503, 503, 200, 503, 413, 503, 401, 200]
    assert [AGAIN in one.text for one in (lost_file, again, unsent, only_file)] == [True, True, False, True]
    inspect_all(screen_of, answers)


def test_the_pages_of_a_clerks_form_that_was_not_sent(
    clerk: PanelClient, sandbox: Sandbox, line: Line, sql: Sql, beside: Beside, screen_of: OpenScreen
) -> None:
    path = f"{find_base(clerk)}/novo/lampada_apagada"
    clerk.get(path)
    line.cut_at("POST", "/files")
    lost_file = resend(clerk, path, {"f-fotos": photo()}, **ANSWERS, deed="conferir")
    line.mend()
    reopened = clerk.post(path, clerk.find_form(path).values)
    resend(clerk, path, {"f-fotos": photo()}, **ANSWERS, deed="conferir")
    line.cut_at("POST", "/maintenance-request")
    unsent = clerk.post(path, clerk.find_form(path).values | {"deed": "enviar"})
    line.mend()
    clerk.get(path)
    beside(sql, "UPDATE panel.session SET ended_at = now(), tokens = NULL")
    over = resend(clerk, path, {"f-fotos": photo()}, **ANSWERS, deed="conferir")
    answers = [lost_file, reopened, unsent, over]
    assert [one.status_code for one in answers] == [503, 200, 503, 401]
    assert "escolha-o de novo" in over.text
    inspect_all(screen_of, answers)
