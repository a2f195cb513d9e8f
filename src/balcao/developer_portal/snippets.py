"""Example calls to an operation with curl and with our clients. Tests run these examples."""

import shlex
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from balcao.developer_portal.descriptions import HEADERS, Document, Operation, Parameter, name_of, to_lower_camel_case
from balcao.developer_portal.literals import JSON, PYTHON, TYPESCRIPT, write_literal

# Optional parameters that the example must set: one of several alternatives, or the position at which a stream starts,
# so that it sends an event immediately.
_FURTHER = {
    "access.explain_decision": {"method", "path"},
    "registry.list_audit_events": {"cpf"},
    "health_units.stream_changes": {"desde"},
}
REASON = "X-Access-Reason"
KEY = "Idempotency-Key"
# The file name that examples use for uploads.
_FILE = "foto.jpg"
# Curl stops after this many seconds, because a stream never ends.
_PATIENCE = 3


class Snippets(NamedTuple):
    """The same call with curl, Python and TypeScript. All examples read the token from the environment."""

    curl: str
    python: str
    typescript: str


class Values(NamedTuple):
    """The values in an operation's example. `path` contains the path parameters in order."""

    path: list[Any]
    query: Mapping[str, Any]
    body: Any
    reason: str | None


def write_snippets(document: Document, operation: Operation, address: str) -> Snippets:
    """Return an example call in each language. `address` is the platform's address."""
    values = find_values(document.service, operation)
    return Snippets(
        _write_curl(document, operation, values, address),
        _write_python(document, operation, values, address),
        _write_typescript(document, operation, values, address),
    )


def find_values(service: str, operation: Operation) -> Values:
    """Collect the example values from the document: path, body, and required query parameters and headers."""
    further = _FURTHER.get(f"{service}.{operation.key}", ())
    return Values(
        [_read_example(one) for one in operation.path_parameters],
        {one.name: one.example for one in operation.query if one.required or one.name in further},
        operation.body_example,
        next((one.example for one in operation.header_parameters if one.name == REASON), None),
    )


def _read_example(parameter: Parameter) -> Any:
    return int(parameter.example) if parameter.schema.get("type") == "integer" else str(parameter.example)


def _sends_file(operation: Operation) -> bool:
    """Return whether the body is the content of a file."""
    return "contentMediaType" in (operation.body or {})


def _write_curl(document: Document, operation: Operation, values: Values, address: str) -> str:
    path = operation.path
    for parameter, value in zip(operation.path_parameters, values.path, strict=True):
        path = path.replace(f"{{{parameter.name}}}", quote(str(value), safe=""))
    query = f"?{urlencode(values.query, doseq=True)}" if values.query else ""
    options = []
    if operation.method != ("GET" if values.body is None else "POST"):
        options.append(f"-X {operation.method}")
    if operation.is_stream:
        options.append(f"-N --max-time {_PATIENCE}")
    if not operation.is_public:
        options.append('-H "Authorization: Bearer $TOKEN"')
    if operation.keyed:
        options.append(f'-H "{KEY}: $(openssl rand -hex 16)"')
    if values.reason is not None:
        options.append("-H " + shlex.quote(f"{REASON}: {values.reason}"))
    if _sends_file(operation):
        options.append(f"--data-binary @{_FILE}")
    if values.body is not None:
        options.append("-H 'Content-Type: application/json'")
        options.append("-d " + shlex.quote(write_literal(values.body, JSON, "  ")))
    options.append(shlex.quote(f"{address}{document.prefix}{path}{query}"))
    return "curl -si " + _break_lines(options)


def _break_lines(options: list[str]) -> str:
    """Join the options of a curl command. Start a new line before an option that does not fit."""
    line, *others = options
    lines = [line]
    for each in others:
        # The 12 characters are `curl -si `, the space between options, and the space and backslash at the end of a
        # line.
        if "\n" not in lines[-1] and len(lines[-1]) + len(each) < JSON.width - 12 and "\n" not in each:
            lines[-1] += f" {each}"
        else:
            lines.append(each)
    return " \\\n  ".join(lines)


def _write_python(document: Document, operation: Operation, values: Values, address: str) -> str:
    names = {one.name: one.identifier for one in operation.query}
    given = {names[name]: value for name, value in values.query.items()}
    if values.reason is not None:
        given[HEADERS[REASON]] = values.reason
    arguments = [write_literal(value, PYTHON, "    ") for value in values.path]
    types: list[str] = []
    body = ""
    if _sends_file(operation):
        arguments.append("body")
        body = f'body = Path("{_FILE}").read_bytes()\n'
    if values.body is not None:
        arguments.append("body")
        types, kind = _find_type(operation.body or {})
        literal = write_literal(values.body, PYTHON)
        body = f"body = msgspec.convert({literal}, {kind})\n" if kind else f"body = {literal}\n"
    arguments += [f"{name}={write_literal(value, PYTHON, '    ')}" for name, value in given.items()]
    call = f"balcao.{document.service}.{operation.key}({', '.join(arguments)})"
    if operation.is_stream:
        call = f"next({call})"
    shown = f"print({call})" if operation.content else call
    token = "" if operation.is_public else ', os.environ["TOKEN"]'
    standard = "import os\n" if token else ""
    standard += "from pathlib import Path\n" if _sends_file(operation) else ""
    standard += "\n" if standard else ""
    packages = ["import msgspec"] if types else []
    packages += ["from balcao_client import Balcao"]
    packages += [f"from balcao_client.{document.service}.types import {name}" for name in types]
    opened = f'with Balcao("{address}"{token}) as balcao:\n    {shown}'
    return standard + "\n".join(packages) + f"\n\n{body}{opened}"


def _find_type(schema: Mapping[str, Any]) -> tuple[list[str], str]:
    """Return the names of the types to import for a body, and the type expression.

    Both are empty if the body has no named type.
    """
    if name := name_of(schema):
        return [name], name
    if name := name_of(schema.get("items", {})):
        return [name], f"list[{name}]"
    return [], ""


def _write_typescript(document: Document, operation: Operation, values: Values, address: str) -> str:
    options = dict(values.query)
    if values.reason is not None:
        options[to_lower_camel_case(HEADERS[REASON])] = values.reason
    arguments = [write_literal(value, TYPESCRIPT) for value in values.path]
    if _sends_file(operation):
        arguments.append(f'await readFile("{_FILE}")')
    if values.body is not None:
        arguments.append(write_literal(values.body, TYPESCRIPT))
    if options:
        arguments.append(write_literal(options, TYPESCRIPT))
    service = to_lower_camel_case(document.service)
    call = f"balcao.{service}.{to_lower_camel_case(operation.key)}({', '.join(arguments)})"
    if operation.is_stream:
        shown = f"for await (const event of {call}) {{\n  console.log(event);\n  break;\n}}"
    else:
        shown = f"console.log(await {call});" if operation.content else f"await {call};"
    token = "" if operation.is_public else ', process.env.TOKEN ?? ""'
    opened = f'const balcao = new Balcao("{address}"{token});'
    files = 'import { readFile } from "node:fs/promises";\n' if _sends_file(operation) else ""
    return f'{files}import {{ Balcao }} from "@balcao/client";\n\n{opened}\n{shown}'
