"""Presses the buttons that the panel shows to a person: one of each kind, with minimal values in the button's form."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

import httpx

from balcao.panel.declaration import PREFIX
from tests.support.demo_people import BRUNO
from tests.support.panel import PageForm, PanelClient
from tests.support.panel_crawler import AWAY, FRAME, Seen, find_page

# Values for empty fields by name. Other required fields get `ANYTHING`.
LEAST = {
    "birth_date": "1985-05-02",
    "cep": "20000-001",
    "cnes": "9900099",
    "cnpj": "11222333000181",
    "cpf": BRUNO,
    "data_limite": "2035-06-01",
    "dia": "2035-06-01",
    "ddd": "21",
    "document": "format: 1",
    "email": "prova@balcao.example",
    "examples": '{"input": "Qual o horário?", "expected": "Das 8h às 17h."}',
    "id": "prova",
    "intervalos": "08:00-12:00",
    "name": "prova:botao",
    "orgao_gestor": "Secretaria de Obras",
    "number": "21987654321",
    "path": "/prova/botao",
    "since": "2026-01-02T03:04",
    "motivo": "Falta de médicos",
    "valor": "21987654321",
    "terms": "lixo\nentulho",
    "titulo": "Ajudante de cozinha",
    "url": "https://avisos.balcao.example/prova",
    "word": "APAGAR",
}
ANYTHING = "Prova de um botão"
# Groups of checkboxes. Their button has an effect only if at least one box is checked.
TICKED = {"pessoa"}


class Kind(NamedTuple):
    """Identifies buttons that do the same: they post to the same page, and send the same value and the same fields."""

    page: str
    button: str
    fields: tuple[str, ...]


@dataclass(frozen=True)
class Offer:
    """A button on an open page, with its form."""

    kind: Kind
    address: str
    form: PageForm
    button: tuple[str, str]


@dataclass(frozen=True)
class Pressed:
    """A pressed button. `answers` are the response and, after a redirect, the page to which it leads."""

    offer: Offer
    found_on: str
    answers: Sequence[httpx.Response]

    @property
    def fault(self) -> str:
        """Return why the button should not have been shown, or "" if it works or reports missing input."""
        answer = self.answers[-1]
        is_led_on = len(self.answers) > 1
        if answer.status_code in {401, 403} or answer.status_code >= (400 if is_led_on else 500):
            return f"{self}: {answer.status_code} {Seen('', '', answer).content.heading}"
        return f"{self}: a part is missing" if AWAY in answer.text else ""

    @property
    def is_done(self) -> bool:
        """Return whether the button has led to another page. Otherwise, its form needs more input."""
        return len(self.answers) > 1

    def __str__(self) -> str:
        name, value = self.offer.button
        return f"{self.found_on} → {self.offer.address} {name}={value}"


@dataclass
class Presses:
    """The buttons that a person has pressed, with their results.

    Each kind of button is pressed once, including those on resulting pages.
    """

    person: PanelClient
    pressed: list[Pressed] = field(default_factory=list)
    known: set[Kind] = field(default_factory=set)

    def press_at(self, address: str, kind: Kind) -> None:
        """Open the page again, and press the button if both still exist.

        A button pressed earlier may have removed them.
        """
        opened = Seen(address, "", self.person.http.get(address, follow_redirects=True))
        assert opened.answer.status_code < 500, address
        offer = next((each for each in list_offers(opened) if each.kind == kind), None)
        if opened.answer.status_code == 200 and offer is not None:
            self._press(offer, address)

    def _press(self, offer: Offer, found_on: str) -> None:
        self.known.add(offer.kind)
        here = {"Origin": self.person.url, "Sec-Fetch-Site": "same-origin"}
        answers = [self.person.http.post(offer.address, data=fill(offer), headers=here)]
        leads_to = urljoin(offer.address, answers[0].headers.get("location", ""))
        if answers[0].is_redirect and leads_to.startswith(PREFIX):
            answers.append(self.person.http.get(leads_to, follow_redirects=True))
        self.pressed.append(Pressed(offer, found_on, answers))
        shown = Seen(leads_to, found_on, answers[-1])
        for each in list_offers(shown):
            if each.kind not in self.known:
                if len(answers) > 1:
                    self.press_at(leads_to, each.kind)
                else:  # the button exists only in this response
                    self._press(each, leads_to)


def list_offers(seen: Seen) -> Iterator[Offer]:
    """Yield the buttons on a page that change data."""
    for address, form in seen.buttons:
        page = find_page(address, "POST")
        if page is None or FRAME.fullmatch(urlsplit(address).path):
            continue
        for button in form.buttons:
            name, value = button
            kind = Kind(page.name, f"{name}={value.partition(':')[0]}", tuple(sorted(form.values)))
            yield Offer(kind, address, form, button)


def fill(offer: Offer) -> dict[str, str]:
    """Return the button's value and the form's values. Required fields get minimal values."""
    form = offer.form
    values = form.values | form.checked
    for name, choices in form.choices.items():
        is_wanted = name in form.needed | TICKED or (name not in form.values and len(choices) > 1)
        if not values.get(name) and is_wanted:
            values[name] = next(filter(None, choices), "")
    for name in form.values:
        last = name.rpartition("-")[2]
        if not values[name] and not name.startswith("_") and name not in form.choices:
            values[name] = LEAST.get(last, ANYTHING if name in form.needed else "")
    name, value = offer.button
    return values | ({name: value} if name else {})
