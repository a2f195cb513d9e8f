"""Render the templates. An undefined name in a template is an error, not an empty string."""

import shlex
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined


def render_template(name: str, **values: Any) -> str:
    """Render the template with these values."""
    return _environment().get_template(name).render(values)


@cache
def _environment() -> Environment:
    # The files are not HTML, so values are not escaped. For languages that need quoting, there are filters.
    environment = Environment(  # noqa: S701
        loader=FunctionLoader(read_template), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.keep_trailing_newline = True
    environment.filters |= {"shell": shlex.quote, "nginx": _quote_for_nginx}
    return environment


def read_template(name: str) -> str:
    """Return the template unrendered, for files that another program renders."""
    return (files("balcao.operate.deploy") / "templates" / name).read_text("utf-8")


def _quote_for_nginx(text: str) -> str:
    """Quote a string for nginx.

    Raises ValueError for a dollar sign, except at the end, because it would start a variable.
    """
    if "$" in text.rstrip("$"):
        raise ValueError("nginx reads a variable in this text")
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
