"""Basic facts about a service: its cost, its duration, and where people can request it."""

import re
from typing import NamedTuple, Protocol

import msgspec

from balcao.core.values import costs_and_deadlines
from balcao.core.values.addresses import is_link
from balcao.site.wording import Wording

# A telephone number among the places for requests in person, such as "156" or "Telefone 156".
_PHONE = re.compile(r"(?:\D*\b)?(\d{3,4}|\+?[\d() -]{8,})", re.ASCII)
_LONGEST_PHONE = 40
_FREE = "gratuito"


class Cost(msgspec.Struct):
    """What a service costs, as data."""

    tipo: str = ""
    valor_centavos: int | None = None
    valor_maximo_centavos: int | None = None
    isencao: str = ""


class Deadline(msgspec.Struct):
    """The longest time that a service takes, as data."""

    unidade: str = ""
    quantidade: int | None = None


class WithFacts(Protocol):
    """Any representation of a service that has the members from which the facts are read."""

    @property
    def custo_servico(self) -> str: ...
    @property
    def tempo_atendimento(self) -> str: ...
    @property
    def canais_digitais(self) -> list[str]: ...
    @property
    def canais_presenciais(self) -> list[str]: ...
    @property
    def is_free(self) -> bool | None: ...
    @property
    def custo(self) -> Cost | None: ...
    @property
    def prazo(self) -> Deadline | None: ...


class Facts(NamedTuple):
    """The facts that citizens look for first. A fact is empty if the catalogue does not contain it."""

    cost: str
    time: str
    where: str


class PlaceInPerson(NamedTuple):
    """A place where people can request a service in person: its name, and its address if the text contains one."""

    name: str
    address: str


def read_facts(wording: Wording, service: WithFacts, *, counted: bool = False) -> Facts:
    """Return the facts about a service. With `counted`, `where` includes the number of places.

    The data in `custo` and `prazo` take precedence over the texts.
    """
    cost = describe_cost(service.custo) or service.custo_servico.strip() or ("Gratuito" if service.is_free else "")
    time = describe_deadline(service.prazo) or service.tempo_atendimento.strip()
    # No line may end between the currency and the amount.
    cost = wording.say_instead(cost).replace("R$ ", "R$\u00a0")
    return Facts(cost, wording.say_instead(time), _describe_where(service, counted=counted))


def describe_cost(cost: Cost | None) -> str:
    """Describe a cost: "R$ 35,20". Return an empty string if there is none, or if its kind is unknown."""
    if cost is None:
        return ""
    return costs_and_deadlines.describe_cost(cost.tipo, cost.valor_centavos, cost.valor_maximo_centavos)


def describe_deadline(deadline: Deadline | None) -> str:
    """Describe a deadline: "Até 5 dias úteis". Return an empty string if there is none, or if its unit is unknown."""
    return "" if deadline is None else costs_and_deadlines.describe_deadline(deadline.unidade, deadline.quantidade)


def takes_time(facts: Facts) -> bool:
    """Return whether people wait for the result. Return False if the time is unknown."""
    return facts.time not in ("", costs_and_deadlines.describe_deadline(costs_and_deadlines.IMMEDIATE, None))


def explain_facts(service: WithFacts) -> list[tuple[str, str]]:
    """Return what the facts omit, each with a label: who does not pay, and the editors' own texts."""
    cost, deadline = describe_cost(service.custo), describe_deadline(service.prazo)
    price, time = service.custo_servico.strip(), service.tempo_atendimento.strip()
    notes = [
        ("Isenção", service.custo.isencao.strip() if service.custo and cost else ""),
        ("Sobre o custo", price if cost and price != cost else ""),
        ("Sobre o prazo", time if deadline and time != deadline else ""),
    ]
    return [note for note in notes if note[1]]


def _describe_where(service: WithFacts, *, counted: bool) -> str:
    in_person = [text for text in service.canais_presenciais if text.strip()]
    phones = [text.strip() for text in in_person if len(text) <= _LONGEST_PHONE and _PHONE.fullmatch(text.strip())]
    places = len(in_person) - len(phones)
    ways = ["Internet"] if any(text.strip() for text in service.canais_digitais) else []
    if places:
        ways.append("posto" if not counted or places == 1 else f"{places} postos")
    ways += phones[:1]
    if ways == ["posto"]:
        return "Em um posto"
    text = " ou ".join(ways)
    return text[:1].upper() + text[1:]


def split_place(text: str) -> PlaceInPerson:
    """Split "Subprefeitura da Zona Norte, Rua das Gaivotas, 245" into name and address."""
    name, _, address = text.strip().partition(",")
    return PlaceInPerson(name.strip(), address.strip())


def join_facts(facts: Facts) -> str:
    """Join the facts to one line: "Gratuito · Até 10 dias úteis · Internet ou posto"."""
    return " · ".join(filter(None, facts))


def describe_service(wording: Wording, service: WithFacts, summary: str) -> str:
    """Describe a service for search engines: the facts first, then its summary."""
    facts = ", ".join(filter(None, read_facts(wording, service)))
    return f"{facts}. {summary}" if facts else summary


def is_safe_button(address: str) -> bool:
    """Return whether an address from the catalogue may become a button. It must be a full https address."""
    return address.startswith("https://") and is_link(address)


def is_free(service: WithFacts) -> bool:
    """Return whether a service is free of charge."""
    return service.is_free is True or service.custo_servico.strip().lower() == _FREE
