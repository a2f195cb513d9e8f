"""Write `docs/reference/errors.md`: every `Error-Code` that the code can raise, with its cause and fix.

Codes and statuses are read from the source code, causes and remedies from the `errors.toml` of each package.
"""

import ast
import functools
import importlib
import inspect
import pkgutil
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import balcao
import balcao_sandbox
from balcao.core.errors import BalcaoError
from balcao.identity.oauth import Refused
from balcao_sandbox.identity.faults import SentBack

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "errors.md"

_SOURCES = (balcao, balcao_sandbox)

# The packages and their headings, in the order in which the page lists them.
PACKAGES = {
    "core": "Every service",
    "registry": "Citizen registry",
    "crm": "Citizen registry: the CRM",
    "employability": "Employability",
    "search": "Search administration",
    "access": "Access administration",
    "health_units": "Health-unit risk",
    "agents": "Agent configuration",
    "agent_docs": "Agent API description",
    "identity": "Embedded identity provider",
}

_HEAD = """# Error codes

<!-- Written by `make docs` from the code and the errors.toml of each package. Do not edit. -->

This page explains every error code and how to fix the error. Every error response has one of these codes in the header
`Error-Code`. The codes are stable, so compare the codes and not the messages: messages are in Portuguese, for people,
and may change. Each service has its own form of error bodies (spec: errors). Every response has an `X-Request-ID`;
quote it when you report a failure.

`<field>` is the name of the wrong member or parameter, as in `valor-length`. Responses with 429, and many with 503,
have `Retry-After`, in seconds. With 303 the embedded identity provider redirects the browser to the client, with the
OAuth error in the parameter `error`.
"""


class Raised(NamedTuple):
    """An error code, the package that raises it, and its HTTP status."""

    package: str
    code: str
    status: int


class Entry(NamedTuple):
    """A code's entry in the `errors.toml` of a package."""

    status: Sequence[int]
    cause: str
    fix: str
    meaning: str
    remedy: str


@functools.cache
def raised() -> frozenset[Raised]:
    """Return every error code in the source. Raises ValueError if a code cannot be determined."""
    return frozenset(
        found for module in _modules() for found in raised_in(module, Path(str(module.__file__)).read_text("utf-8"))
    )


def raised_in(module: ModuleType, source: str) -> Iterator[Raised]:
    """Yield the error codes in the source of a module. Raises ValueError if a code cannot be determined.

    Names in the source are looked up in the module.
    """
    package = module.__name__.split(".")[1]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef) and (kind := _kind(module, ast.Name(node.name))):
            if kind.__dict__.keys() & {"status", "default_code"} and not issubclass(kind, Refused):
                yield Raised(package, kind.default_code, kind.status)
            calls = [call for call in ast.walk(node) if isinstance(call, ast.Call) and _is_super_init(call)]
            raising = [(kind, call) for call in calls if not _passes_on(call, kind)]
        elif isinstance(node, ast.Call) and (kind := _kind(module, node.func)):
            raising = [(kind, node)]
        else:
            continue
        for kind, call in raising:
            if (expression := _code_expression(kind, call)) is not None:
                code = _text(module, expression)
                yield Raised(package, code.replace("_", "-") if issubclass(kind, Refused) else code, kind.status)


def declared(package: str) -> Mapping[str, Entry]:
    """Return a package's entries by code. Raises ValueError if an entry is incomplete."""
    files = (Path(source.__path__[0]) / package / "errors.toml" for source in _SOURCES)
    found = {}
    for file in filter(Path.exists, files):
        for code, entry in tomllib.loads(file.read_text("utf-8")).items():
            if entry.keys() != set(Entry._fields):
                raise ValueError(f"{package}/errors.toml, [{code}]: it must have exactly {', '.join(Entry._fields)}")
            found[code] = Entry(**entry)
    return found


def page() -> str:
    """Return the content of the page. Raises ValueError for a code without an entry."""
    codes: dict[str, dict[str, set[int]]] = {}
    for package, code, status in raised():
        codes.setdefault(package, {}).setdefault(code, set()).add(status)
    tables = (_table(heading, declared(package), codes[package]) for package, heading in PACKAGES.items())
    return "\n".join([_HEAD, *tables])


def _table(heading: str, entries: Mapping[str, Entry], codes: Mapping[str, set[int]]) -> str:
    if unexplained := sorted(codes.keys() - entries.keys()):
        raise ValueError(f"{heading}: no entry in errors.toml for {', '.join(unexplained)}")
    rows = [
        f"| `{code}` | {', '.join(map(str, sorted(statuses)))} | {entries[code].cause} | {entries[code].fix} |"
        for code, statuses in sorted(codes.items())
    ]
    return "\n".join([f"## {heading}", "", "| Code | Status | Cause | How to fix it |", "|---|---|---|---|", *rows, ""])


def _modules() -> Iterator[ModuleType]:
    for source in _SOURCES:
        for found in pkgutil.walk_packages(source.__path__, f"{source.__name__}."):
            if not found.name.endswith("__main__"):
                yield importlib.import_module(found.name)


def _kind(module: ModuleType, expression: ast.expr) -> type[BalcaoError] | None:
    """Return the exception class that the expression names, or None if it names no BalcaoError."""
    found: object = None
    if isinstance(expression, ast.Name):
        found = vars(module).get(expression.id)
    elif isinstance(expression, ast.Attribute) and isinstance(expression.value, ast.Name):
        found = getattr(vars(module).get(expression.value.id), expression.attr, None)
    return found if isinstance(found, type) and issubclass(found, BalcaoError) else None


def _is_super_init(call: ast.Call) -> bool:
    return ast.unparse(call.func) == "super().__init__"


def _passes_on(call: ast.Call, kind: type[BalcaoError]) -> bool:
    """Return whether the constructor only passes on the code with which it is called.

    If so, the calls of its subclasses determine the codes.
    """
    expression = _code_expression(kind, call)
    return kind is Refused or (isinstance(expression, ast.Name) and expression.id in inspect.signature(kind).parameters)


def _code_expression(kind: type[BalcaoError], call: ast.Call) -> ast.expr | None:
    """Return the expression that contains the code, if any.

    In refusals of the provider, the first argument is the OAuth error.
    """
    if issubclass(kind, Refused):
        takes_word = kind in (Refused, SentBack) or _is_super_init(call)
        return call.args[0] if takes_word and call.args else None
    return next((keyword.value for keyword in call.keywords if keyword.arg == "code"), None)


def _text(module: ModuleType, expression: ast.expr) -> str:
    if isinstance(expression, ast.Constant):
        return str(expression.value)
    if isinstance(expression, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "<field>" for part in expression.values)
    if isinstance(expression, ast.Name) and isinstance(value := vars(module).get(expression.id), str):
        return value
    raise ValueError(
        f"{module.__name__}, line {expression.lineno}: no code can be read from `{ast.unparse(expression)}`"
    )


if __name__ == "__main__":
    try:
        PAGE.write_text(page(), "utf-8")
    except ValueError as fault:
        sys.exit(str(fault))
