"""Writes the TypeScript client: its services, schemas and error codes."""

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from balcao import __version__
from balcao.developer_portal.descriptions import HEADERS, Document, Operation, Paging, name_of, to_lower_camel_case
from clients.generator.codes import read_remedies
from clients.generator.documents import ROOT, is_boolean, path_of, read_documents

FOLDER = ROOT / "clients" / "typescript"
TEMPLATES = FOLDER / "templates"

_SIMPLE = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


def write(target: Path, modules: Path) -> None:
    """Write the complete client to a folder. `modules` is the folder of the npm packages."""
    shutil.copytree(FOLDER, target, ignore=shutil.ignore_patterns("templates"), dirs_exist_ok=True)
    source = target / "src"
    (source / "schemas").mkdir(exist_ok=True)
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701  # writes TypeScript
    )
    environment.filters["camel"] = to_lower_camel_case
    environment.globals |= {"HEADERS": HEADERS, "type_of": type_of, "result_of": result_of, "doc_of": doc_of}
    environment.globals |= {"key": key_of, "member": member_of}
    (source / "codes.ts").write_text(environment.get_template("codes.ts.jinja2").render(remedies=read_remedies()))
    (source / "version.ts").write_text(
        f'/** The version of the platform that this client was made with. */\nexport const version = "{__version__}";\n'
    )
    for document in read_documents():
        _write_service(source, document, environment, modules)
    _set_version(target / "package.json")
    if not (target / "node_modules").exists():
        (target / "node_modules").symlink_to(modules)


def pack(source: Path, target: Path) -> Path:
    """Compile and pack a written client, and return the package's path. Nothing is downloaded.

    `npm pack` stores the files' permissions, so they must not depend on the umask.
    """
    subprocess.run([source / "node_modules" / ".bin" / "tsc"], check=True, cwd=source)
    for path in (source / "package.json", source / "README.md", *(source / "lib").rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    subprocess.run(
        ["npm", "pack", "--offline", "--silent", "--pack-destination", target],
        check=True,
        cwd=source,
        stdout=subprocess.DEVNULL,
    )
    return next(target.glob("*.tgz"))


def type_of(schema: Mapping[str, Any]) -> str:
    """Return the TypeScript type of a value."""
    if name := name_of(schema):
        return f'Schemas["{name}"]'
    if variants := schema.get("anyOf"):
        return " | ".join(type_of(one) for one in variants)
    if is_boolean(schema):
        return "boolean"
    if "enum" in schema:
        return " | ".join(json.dumps(value, ensure_ascii=False) for value in schema["enum"])
    if schema.get("type") == "array":
        return f"({type_of(schema['items'])})[]"
    if "contentMediaType" in schema:  # a file's content
        return "Blob | ArrayBuffer | Uint8Array<ArrayBuffer>"
    return _SIMPLE.get(schema.get("type", ""), "Record<string, unknown>")


def result_of(operation: Operation) -> str:
    """Return the TypeScript type of an operation's result."""
    if operation.is_json:
        assert operation.result is not None
        return type_of(operation.result)
    return "void" if operation.content is None else "ArrayBuffer"


def doc_of(operation: Operation) -> str:
    """Return a method's comment, with the summary and the description from the document."""
    return f"{operation.summary}. {operation.description}".strip().replace("*/", "* /")


def key_of(name: str) -> str:
    """Return a name as an object key, quoted if it is not an identifier."""
    return name if _IDENTIFIER.fullmatch(name) else json.dumps(name)


def member_of(paging: Paging) -> str:
    """Return the expression that selects a page's items."""
    return f".{key_of(paging.member)}" if paging.member else ""


def _write_service(source: Path, document: Document, environment: Environment, modules: Path) -> None:
    described = json.loads(path_of(document.service).read_text("utf-8"))
    _let_defaults_be_left_out(described)
    with NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(described, file)
        file.flush()
        command: list[str | Path] = [modules / ".bin" / "openapi-typescript", file.name]
        command += ["-o", source / "schemas" / f"{document.service}.ts"]
        subprocess.run(command, check=True, capture_output=True)
    text = environment.get_template("service.ts.jinja2").render(document=document)
    (source / f"{document.service}.ts").write_text(text, "utf-8")


def _let_defaults_be_left_out(described: dict[str, Any]) -> None:
    """Remove the defaults from request bodies.

    Otherwise the type generator would require members that have a default, as it does in responses.
    """
    schemas = described["components"]["schemas"]
    pending = [operation.get("requestBody") for path in described["paths"].values() for operation in path.values()]
    seen: set[str] = set()
    while pending:
        item = pending.pop()
        if isinstance(item, list):
            pending += item
        elif isinstance(item, dict):
            if (name := name_of(item)) and name not in seen:
                seen.add(name)
                pending.append(schemas[name])
            for member in item.get("properties", {}).values():
                if isinstance(member, dict):  # a member may also be named `properties`
                    member.pop("default", None)
            pending += item.values()


def _set_version(path: Path) -> None:
    package = json.loads(path.read_text("utf-8")) | {"version": __version__}
    path.write_text(json.dumps(package, ensure_ascii=False, indent=2) + "\n", "utf-8")
