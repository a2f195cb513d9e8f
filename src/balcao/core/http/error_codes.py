"""Find the `Error-Code` values with which an operation can answer, and their meaning for integrators.

The `errors.toml` of each package explains its codes. The codes of an operation are found by inspecting the compiled
code that its handler reaches: each constant that is a code in the catalogue of its package counts. Methods are
inspected only if they belong to the call or to a declaration. This module lists the codes that any operation can answer
with.
"""

import dis
import functools
import inspect
import itertools
import sys
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from importlib.resources import files
from types import CodeType, FunctionType, ModuleType
from typing import Any, get_args, get_origin

from balcao.core.access.enumeration import NUMBERS
from balcao.core.access.rules import PUBLIC
from balcao.core.context.call import Call
from balcao.core.database.statements import Statement
from balcao.core.errors import BalcaoError
from balcao.core.http.decoding import is_model
from balcao.core.http.operations import Operation

_CORE = "balcao.core"
# The package whose codes the registry's operations also use, because they call the CRM.
_CRM = "balcao.crm"
_FIELD = "<field>"
# The codes that every operation can answer with. They are raised before the handler runs, or by any use of the
# database.
_EVERYWHERE: Mapping[int, tuple[str, ...]] = {
    401: ("token-invalid", "unauthenticated"),
    403: ("forbidden",),
    413: ("too-large",),
    415: ("body-compressed",),
    429: ("too-many", "too-many-at-once"),
    500: ("internal",),
    503: ("store-away",),
}
# The codes of operations that are refused while their service is in maintenance.
_IN_MAINTENANCE = {503: ("maintenance",)}
# The codes of operations that are not public. The check before the call, or the audit of the call, raises them.
_OF_A_CALLER = {
    400: ("access-reason-invalid", "access-reason-personal"),
    503: ("audit-not-written", "identity-away", "stale-snapshot"),
}
# The explanation of this code mentions the path, so it applies only to operations with a CPF in their path.
_CPF_OF_A_PATH = (_CORE, "cpf-invalid")
# The code of operations with parameters in their path, because an ambiguous path is refused before it is matched.
_OF_A_PATH = {404: ("not-found",)}
_OF_A_PERSON = {400: ("access-reason-missing",), 429: ("enumeration",)}
# The code of a list of faults, with which pydantic reports every fault of a body or query.
_OF_LISTED_FAULTS = {422: ("invalid",)}
_OF_A_BODY = (
    "<field>-control",
    "body-invalid",
    "body-malformed",
    "body-missing",
    "body-too-deep",
    "body-too-many-values",
)
# The codes for a query value that cannot be stored, in services that report only the first fault.
_OF_A_QUERY = {400: ("<field>-control", "invalid")}
_OF_AN_OBJECT, _OF_AN_ARRAY = "body-not-object", "body-not-array"
# The code for each status for which no more specific code was found.
_DEFAULTS = {
    400: "invalid",
    404: "not-found",
    409: "conflict",
    412: "precondition-failed",
    422: "invalid",
}


@dataclass(frozen=True)
class Explanation:
    """Explains a code: its statuses, its cause and fix in English, and its meaning and remedy in Portuguese."""

    status: Collection[int]
    cause: str
    fix: str
    meaning: str
    remedy: str


@functools.cache
def catalogue(package: str) -> Mapping[str, Explanation]:
    """Return the codes of a package such as `balcao.registry`. The mapping is empty if the package declares none."""
    file = files(package) / "errors.toml"
    entries = tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}
    return {code: Explanation(**entry) for code, entry in entries.items()}


class Explanations:
    """The explanations of all services' codes. `packages` maps each service to its package."""

    def __init__(self, packages: Mapping[str, str]) -> None:
        self._packages = packages

    def find(self, service: str, code: str) -> Explanation | None:
        """Return the explanation of a code with which this service answered, or None if this release lacks the code."""
        package = self._packages.get(service, _CORE)
        field = f"{_FIELD}-{code.rpartition('-')[2]}"
        known = ((where, name) for name in (code, field) for where in (package, _CORE, _CRM))
        return next((catalogue(where)[name] for where, name in known if name in catalogue(where)), None)


def codes_by_status(operation: Operation, statuses: Collection[int]) -> dict[int, dict[str, str]]:
    """Return, for each status, the codes that the operation can answer with and their meanings."""
    core = catalogue(_CORE)
    reached = set(_find_codes(operation))
    if operation.signature.body is not None:
        form = _OF_AN_ARRAY if get_origin(operation.signature.body) is list else _OF_AN_OBJECT
        reached |= {(_CORE, code) for code in (*_OF_A_BODY, form)}
    if "cpf" not in operation.signature.path:
        reached.discard(_CPF_OF_A_PATH)
    general: list[Mapping[int, tuple[str, ...]]] = [_EVERYWHERE]
    if not operation.in_maintenance:
        general.append(_IN_MAINTENANCE)
    if operation.rule.action != PUBLIC:
        general.append(_OF_A_CALLER)
        if not NUMBERS.isdisjoint(operation.signature.path):
            general.append(_OF_A_PERSON)
    if any(map(is_model, (operation.signature.body, operation.query))):
        general.append(_OF_LISTED_FAULTS)
    if operation.signature.queries and not operation.dialect.lists_faults:
        general.append(_OF_A_QUERY)
    if operation.concerns_people:
        general.append({400: _OF_A_PERSON[400]})
    if operation.signature.path:
        general.append(_OF_A_PATH)
    found: dict[int, dict[str, str]] = {}
    for status in sorted(statuses):
        codes: dict[str, str] = {}
        # Two packages may use the same code for different errors.
        for package, code in sorted(reached):
            said = catalogue(package)[code]
            if status in said.status and said.meaning not in codes.get(code, ""):
                codes[code] = f"{codes[code]} {said.meaning}" if code in codes else said.meaning
        codes |= {code: core[code].meaning for table in general for code in table.get(status, ())}
        if not codes and status in _DEFAULTS:
            codes = {_DEFAULTS[status]: core[_DEFAULTS[status]].meaning}
        found[status] = dict(sorted(codes.items()))
    return found


def _find_codes(operation: Operation) -> Iterator[tuple[str, str]]:
    """Yield the package and code of every error that the handler and the parsers of its arguments can reach."""
    signature = operation.signature
    pending: list[Any] = [signature.handler, operation.ready, operation.too_large]
    pending += [signature.body, operation.described_body, operation.query]
    pending += [marker.parse for marker in signature.path.values()]
    pending += [marker.parse for marker in signature.queries.values()]
    pending += [marker.read for marker in signature.of_call.values()]
    seen: dict[Any, Any] = {}  # keep the objects alive, so that no id is reused
    while pending:
        item = pending.pop()
        known = item if inspect.ismethod(item) else id(item)  # each access creates a new method object
        if known in seen:
            continue
        seen[known] = item
        if isinstance(item, FunctionType):
            if item.__module__.startswith("balcao."):
                yield from _list_codes(item)
                pending += _list_named(item)
        elif isinstance(item, type) and issubclass(item, BalcaoError):
            # A subclass that sets no code of its own has the code of its base class, often of another package.
            owner = next(base for base in item.__mro__ if "default_code" in vars(base))
            # Skip the default codes of the exception classes, which say no more than the status.
            if owner.__module__ != f"{_CORE}.errors" and item.default_code in catalogue(_package_of(owner)):
                yield _package_of(owner), item.default_code
            members = [member for base in item.__mro__ for member in vars(base).values()]
            pending += [member for member in members if isinstance(member, FunctionType)]
        else:
            pending += _list_parts(item)


@functools.cache
def _list_codes(function: FunctionType) -> Collection[tuple[str, str]]:
    """Return those constants of a function that are error codes of its own package or the core."""
    constants = {text for code in _codes_within(function.__code__) for text in _texts(code.co_consts)}
    constants |= {text for name in _names(function) for text in _texts((function.__globals__.get(name),))}
    return [
        (package, code)
        for package in {_package_of(function), _CORE}
        for code in catalogue(package)
        if code in constants or (_FIELD in code and code.replace(_FIELD, "") in constants)
    ]


def _package_of(item: FunctionType | type) -> str:
    """Return the platform's package that contains the item. A module outside these packages uses the core's codes."""
    parts = item.__module__.split(".")
    return ".".join(parts[:2]) if len(parts) > 2 or hasattr(sys.modules[item.__module__], "__path__") else _CORE


def _list_named(function: FunctionType) -> Iterator[Any]:
    """Yield the objects that the function's code uses: globals, members of modules and classes, closure contents."""
    names = _names(function)
    for name in names:
        yield vars(Call).get(name)  # the call's own method, if the use case calls it
    for name, member in _list_globals(function.__code__):
        found = function.__globals__.get(name)
        if _is_declared(found) and inspect.ismethod(method := getattr(found, member, None)):
            yield method  # follow only this method of the declaration
            continue
        yield found
        if isinstance(found, ModuleType):
            yield vars(found).get(member)
        elif isinstance(found, type):
            yield from (vars(found)[other] for other in names if other in vars(found))
    # The closure of a function that several nouns share contains what belongs to one noun: a function, or the noun's
    # declaration.
    held = [cell.cell_contents for cell in function.__closure__ or ()]
    yield from (item for item in held if inspect.isroutine(item) or is_dataclass(item))


def _is_declared(item: Any) -> bool:
    """Return whether the item is a declaration: an instance of a dataclass, not the class."""
    return is_dataclass(item) and not isinstance(item, type)


@functools.cache
def _list_globals(code: CodeType) -> Collection[tuple[str, str]]:
    """Return the names of the globals that the code reads, each with the attribute that is read from it next, or ""."""
    found = set()
    for each in _codes_within(code):
        for one, other in itertools.pairwise(dis.get_instructions(each)):
            if one.opname == "LOAD_GLOBAL":
                found.add((one.argval, other.argval if other.opname in {"LOAD_ATTR", "LOAD_METHOD"} else ""))
    return found


def _list_parts(item: Any) -> Iterator[Any]:
    """Yield the parts of an object: a declared table, a bound method, or a class that belongs to the platform."""
    if isinstance(item, Mapping):
        yield from item.values()
    elif isinstance(item, (tuple, list, frozenset, set)):
        yield from item
    elif isinstance(item, Statement):
        yield item.returns  # the type's `from_row` may raise an error
    elif isinstance(item, (staticmethod, classmethod)) or inspect.ismethod(item):
        yield item.__func__
        owner, function = getattr(item, "__self__", None), item.__func__
        if _is_declared(owner) and isinstance(function, FunctionType):
            yield from (getattr(owner, name) for name in _names(function) if hasattr(owner, name))
    elif isinstance(item, functools.partial):
        yield item.func
        yield from item.args
    elif isinstance(item, property):
        yield item.fget
    elif isinstance(wrapped := getattr(item, "__wrapped__", None), FunctionType):
        yield wrapped
    elif isinstance(item, type):
        if item.__module__.startswith("balcao."):
            yield from (member for name, member in vars(item).items() if not name.startswith("__annotations"))
    elif is_dataclass(item) and type(item).__module__.startswith("balcao."):
        yield from (getattr(item, field.name) for field in fields(item))
    else:
        yield from get_args(item)


@functools.cache
def _names(function: FunctionType) -> Collection[str]:
    return {name for code in _codes_within(function.__code__) for name in code.co_names}


def _codes_within(code: CodeType) -> Iterator[CodeType]:
    """Yield the code object itself and those of the functions defined inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes_within(constant)


def _texts(constants: Collection[Any]) -> Iterator[str]:
    for constant in constants:
        if isinstance(constant, str):
            yield constant
        elif isinstance(constant, (tuple, frozenset)):
            yield from _texts(constant)
