"""The files in `templates`, filled in. A name that nobody gave is a fault, never an empty place."""

import shlex
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined


def render_template(name: str, **values: Any) -> str:
    """Return the template's text with these values in it."""
    return _environment().get_template(name).render(values)


@cache
def _environment() -> Environment:
    # What is written is no HTML; each language has a filter that quotes.
    environment = Environment(  # noqa: S701
        loader=FunctionLoader(read_template), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.keep_trailing_newline = True
    environment.filters |= {"shell": shlex.quote, "nginx": _quote_for_nginx}
    return environment


def read_template(name: str) -> str:
    """Return the template's text as it is: one that another program fills in."""
    return (files("balcao.operate.deploy") / "templates" / name).read_text("utf-8")


def _quote_for_nginx(text: str) -> str:
    """Quote a text for nginx, which has no way to write a dollar that begins no variable."""
    if "$" in text.rstrip("$"):
        raise ValueError("nginx reads a variable in this text")
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
