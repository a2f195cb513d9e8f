"""Page templates, and the styles and scripts that pages include and their content security policy allows."""

import base64
import hashlib
import re
from collections.abc import Callable
from importlib.resources import files
from types import CodeType
from typing import Any

from jinja2 import BytecodeCache, Environment, PackageLoader, StrictUndefined
from jinja2.bccache import Bucket
from jinja2.ext import Extension
from markupsafe import Markup, escape

from balcao.web.words import (
    Words,
    capitalize_first,
    format_count,
    format_day,
    format_duration,
    format_number,
    format_phone,
    format_weekday,
)

_CODE = re.compile(r"`([^`]+)`")
_INDENTATION = re.compile(r"^[ \t]+", re.MULTILINE)
BASE_STYLE = (files("balcao.web") / "base.css").read_text("utf-8")


def make_environment(package: str, folder: str = ".", *, finalize: Callable[[Any], Any] | None = None) -> Environment:
    """Return the template environment for a folder in a package. It escapes values, and rejects undefined names.

    The filter `marked` shows text between backticks as code. `finalize` is applied to every value that a template
    shows.
    """
    environment = Environment(
        loader=PackageLoader(package, folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        finalize=finalize,
        extensions=[_WithoutIndentation],
        bytecode_cache=_COMPILED,
    )
    environment.filters["marked"] = _mark_code
    return environment


def add_formats(environment: Environment, words: Words) -> None:
    """Add formats for dates and numbers to an environment, as filters and as the globals `words` and `count`."""
    filters: dict[str, Callable[..., Any]] = {
        "moment": words.format_moment,
        "exactly": words.format_exactly,
        "clock": words.format_clock,
        "until": words.format_end,
        "deadline": words.format_deadline,
        "day": format_day,
        "number": format_number,
        "phone": format_phone,
        "duration": format_duration,
        "sentence": capitalize_first,
        "weekday": format_weekday,
    }
    environment.filters.update(filters)
    environment.globals.update(words=words, count=format_count)


class _WithoutIndentation(Extension):
    """Removes the indentation from templates, which would otherwise make up about five per cent of every page."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        return _INDENTATION.sub("", source)


class _CompiledTemplates(BytecodeCache):
    """Stores the code of each template in memory, so that the process compiles it once for all its environments."""

    def __init__(self) -> None:
        self._codes: dict[tuple[str, str], CodeType | None] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._codes[bucket.key, bucket.checksum] = bucket.code


_COMPILED = _CompiledTemplates()


def _mark_code(text: str) -> Markup:
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704 - the text is escaped


def read_style(package: str, name: str) -> str:
    """Return the base style sheet, followed by one of the package's style sheets."""
    return BASE_STYLE + (files(package) / name).read_text("utf-8")


def read_script(package: str, name: str) -> str:
    """Return one of the package's scripts, for inclusion in a page."""
    return (files(package) / name).read_text("utf-8")


def allow_script(script: str) -> str:
    """Return the content security policy directive that allows only this script."""
    return f"script-src 'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
