"""The attacker's strings. Tests store them in the data of every service, and check that they have no effect."""

import copy
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from typing import Any, TypeAlias
from urllib.parse import urlencode, urlsplit

import httpx

from balcao import app
from balcao.core.access.rules import WEBHOOK_CLIENTS
from balcao.core.http.openapi import find_example
from balcao.core.http.operations import Operation
from balcao.core.service import Service
from tests.support.issuer import bearer
from tests.support.operations import CLOSES_A_SERVICE
from tests.support.sandbox import ADMIN, Sandbox

# Every string contains this mark, with which tests find the strings on pages.
MARK = "ataque"
# Markup, ends of attributes, titles and text areas, template syntax, Markdown, and look-alike characters.
LONG = (
    f"{MARK}\"'><script>alert(1)</script><img src=x onerror=alert(1)><svg onload=alert(1)>"
    "</title></textarea></script>[a](javascript:alert(1))<a href=javascript:alert(1)>b</a>{{7*7}}{%print(7)%}"
    "＜script＞\u202e\u2028&lt;script&gt;<!--"
)
SHORT = f"{MARK}\"'><svg onload=alert(1)>"
ADDRESS = "https://mal.example/\"'><svg/onload=alert(1)>"
SCHEME = "javascript:alert(1)//" + MARK
ALL = (LONG, SHORT, SCHEME, ADDRESS)
Place: TypeAlias = tuple[str | int, ...]


def put_everywhere(sandbox: Sandbox) -> Counter[str]:
    """Store the strings wherever a service accepts them. Return how many body members were replaced, by service."""
    taken: Counter[str] = Counter()
    for service in app.SERVICES:
        for operation in service.operations():
            is_write = operation.method in {"POST", "PUT", "PATCH"}
            if operation.key == CLOSES_A_SERVICE:
                continue  # the example puts another service into maintenance
            if operation.in_description and is_write and find_example(operation) is not None:
                taken[service.name] += _put(sandbox, service, operation)
    return taken


def _put(sandbox: Sandbox, service: Service, operation: Operation) -> int:
    """Try our strings in each string of the operation's example, and send the accepted ones together in one call.

    Return how many strings of the example were replaced.
    """
    example = find_example(operation)
    kept: dict[Place, str] = {}
    for place in _list_texts(example, ()):
        for text in ALL:
            answer = _send(sandbox, service, operation, _replace(example, place, text))
            if answer.is_success:
                kept[place] = text
            if answer.status_code not in {400, 413, 422}:
                break
    body = example
    for place, text in kept.items():
        body = _replace(body, place, text)
    _send(sandbox, service, operation, body)
    return len(kept)


def _send(sandbox: Sandbox, service: Service, operation: Operation, body: Any) -> httpx.Response:
    """Make the call as the CRM's webhook client, as the owner of the data, or as an administrator. Give a reason."""
    values = {name: str(marker.example) for name, marker in operation.signature.path.items()}
    if WEBHOOK_CLIENTS in operation.rule.clients:
        token = sandbox.tokens.client("crm-sandbox")
    else:
        token = sandbox.tokens.person(values["cpf"] if "cpf" in values and operation.rule.owner else ADMIN)
    path = service.prefix + service.base + operation.path.format(**values)
    headers = bearer(token) | {"X-Access-Reason": "Atendimento 7", "Content-Type": "application/json"}
    return sandbox.http.request(operation.method, path, content=json.dumps(body), headers=headers)


def _list_texts(value: Any, place: Place) -> Iterator[Place]:
    if isinstance(value, str):
        yield place
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in members:
        yield from _list_texts(inner, (*place, step))


def _replace(value: Any, place: Place, text: str) -> Any:
    if not place:
        return text
    copied = copy.copy(value)
    copied[place[0]] = _replace(value[place[0]], place[1:], text)
    return copied


def search_in_vain(sandbox: Sandbox) -> None:
    """Search for each string, and read a person's data with each string as the reason."""
    for text in ALL:
        sandbox.http.get("/search/api/v1/search", params={"q": text})
        reason = text.encode("ascii", "ignore")
        headers: dict[str, Any] = {**bearer(sandbox.tokens.person(ADMIN)), "X-Access-Reason": reason}
        sandbox.http.get("/registry/v1/citizen/90000000337", headers=headers)


class Markup(HTMLParser):
    """A parser that collects a page's faults: markup that our templates never contain."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in {"iframe", "object", "embed", "base", "foreignobject", "style", "marquee"}:
            self.faults.append(f"<{tag}>")
        if tag == "script" and not given.get("src", "").startswith("/painel/recursos/"):
            self.faults.append("a foreign script")
        if tag == "img" and not given.get("src", "").startswith("/painel/recursos/"):
            self.faults.append("a foreign picture")
        for name, value in given.items():
            if name.startswith("on") or name in {"style", "srcdoc"}:
                self.faults.append(f"<{tag} {name}>")
            if name in {"href", "src", "action", "formaction", "xlink:href", "hx-get", "hx-post"}:
                scheme = urlsplit(value.strip()).scheme if not value.startswith("//") else "//"
                if scheme not in {"", "https", "http", "mailto", "tel"}:
                    self.faults.append(f"<{tag} {name}> leads to {scheme}:")


def with_attack(address: str, names: Iterable[str], text: str) -> str:
    """Return the address with additional parameters of these names, all of which contain the text."""
    return f"{address}{'&' if '?' in address else '?'}{urlencode(dict.fromkeys(names, text))}"
