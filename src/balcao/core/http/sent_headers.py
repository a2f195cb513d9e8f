"""Headers that only some operations send. They are declared where they are set, and described with those operations."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class SentHeader:
    """A response header for the OpenAPI document. The value is an integer if the example is an integer."""

    name: str
    description: str
    example: str | int


ETAG = SentHeader(
    "ETag",
    "O estado atual do registro. Envie-o em `If-None-Match` para receber 304 enquanto nada muda, "
    "e em `If-Match` para que uma mudança só valha sobre este estado.",
    '"9f2c4a7be01d8835c6aa10f4"',
)
LOCATION = SentHeader("Location", "O endereço do que foi criado, relativo ao chamado.", "5f0c2f0e")
CONTENT_DISPOSITION = SentHeader("Content-Disposition", "O nome do arquivo.", 'attachment; filename="dados.json"')
TOTAL_COUNT = SentHeader("X-Total-Count", "Quantos itens a lista toda tem.", 128)


def sending(*headers: SentHeader, also_with_refusals: bool = False) -> Callable[[F], F]:
    """Declare the headers that a function sets: a handler, or a function that builds a handler's response."""

    def declare(function: F) -> F:
        function.__dict__["sent_headers"] = headers
        function.__dict__["sent_with_refusals"] = headers if also_with_refusals else ()
        return function

    return declare


def find_sent_headers(handler: Callable[..., Any], *, with_refusals: bool = False) -> dict[str, SentHeader]:
    """Return the declared headers of a handler and of the global functions that it uses, by header name."""
    kind = "sent_with_refusals" if with_refusals else "sent_headers"
    names = getattr(handler, "__code__").co_names  # noqa: B009 - of a callable that is a function
    makers = [handler, *(handler.__globals__.get(name) for name in names)]
    return {header.name: header for maker in makers for header in getattr(maker, kind, ())}
