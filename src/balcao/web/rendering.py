"""What the gateway's own pages have in common: templates beside the code, and a style that the policy names."""

import base64
import hashlib
import re
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

_CODE = re.compile(r"`([^`]+)`")
BASE_STYLE = (files("balcao.web") / "base.css").read_text("utf-8")


def make_environment(package: str, folder: str = ".") -> Environment:
    """Return templates that lie in a folder of a package and escape what they are given.

    The filter `marked` shows what stands between backticks as code.
    """
    environment = Environment(
        loader=PackageLoader(package, folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters["marked"] = _mark_code
    return environment


def _mark_code(text: str) -> Markup:
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704 - the text is escaped


def read_style(package: str, name: str) -> str:
    """Return a style sheet of a package, behind the one of all pages."""
    return BASE_STYLE + (files(package) / name).read_text("utf-8")


def read_script(package: str, name: str) -> str:
    """Return a script of a package, as a page includes it."""
    return (files(package) / name).read_text("utf-8")


def allow_script(script: str) -> str:
    """Return the directive of a content security policy that allows this script and no other."""
    return f"script-src 'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
