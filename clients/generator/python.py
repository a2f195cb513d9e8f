"""Writes the Python client: its services, types and error codes."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from balcao import __version__
from balcao.developer_portal.descriptions import HEADERS, Document, Operation, name_of
from clients.generator.codes import read_remedies
from clients.generator.documents import ROOT, find_sent, is_boolean, path_of, read_documents

FOLDER = ROOT / "clients" / "python"
TEMPLATES = FOLDER / "templates"
BIN = Path(sys.executable).parent
# The timestamp of all files in the wheel: 1980, the earliest that a zip archive can store.
EPOCH = "315532800"

_SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
_FORMATS = {"date-time": "datetime", "date": "date"}
_OPTIONS = (
    "--input-file-type=openapi --openapi-scopes=schemas --output-model-type=msgspec.Struct "
    "--target-python-version=3.11 --base-class=balcao_client.model.Model "
    "--additional-imports=balcao_client.model.OpenEnum --keyword-only --use-standard-collections --use-union-operator "
    "--no-use-annotated --collapse-root-models --snake-case-field --use-schema-description --use-field-description "
    "--use-attribute-docstrings --use-single-line-docstring --use-exact-imports --set-default-enum-member "
    "--output-datetime-class=datetime --output-date-class=date --disable-timestamp --formatters=builtin"
)


def write(target: Path, tools: Path) -> None:
    """Write the complete client to a folder: the hand-written files, a package for each service, and `codes.py`.

    `tools` is the folder of the type generator (`tools/sdk`).
    """
    shutil.copytree(FOLDER, target, ignore=shutil.ignore_patterns("templates", "__pycache__"), dirs_exist_ok=True)
    package = target / "src" / "balcao_client"
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701  # writes Python
    )
    environment.globals |= {"HEADERS": HEADERS, "type_of": type_of, "result_of": result_of, "doc_of": doc_of}
    (package / "version.py").write_text(
        f'"""The version of the platform that this client was made with."""\n\n__version__ = "{__version__}"\n'
    )
    (package / "codes.py").write_text(environment.get_template("codes.py.jinja2").render(remedies=read_remedies()))
    for document in read_documents():
        _write_service(package / document.service, document, environment, tools)
    subprocess.run(
        [BIN / "ruff", "check", "--quiet", "--fix", "--isolated", "--select=I,F401,UP037", package], check=True
    )
    subprocess.run([BIN / "ruff", "format", "--quiet", "--isolated", "--line-length=120", package], check=True)


def pack(source: Path, target: Path) -> Path:
    """Build the wheel of a written client, and return its path. The build is reproducible."""
    build: list[str | Path] = [
        sys.executable,
        "-m",
        "build",
        "--quiet",
        "--wheel",
        "--no-isolation",
        "--outdir",
        target,
        source,
    ]
    subprocess.run(build, check=True, env=os.environ | {"SOURCE_DATE_EPOCH": EPOCH})
    return next(target.glob("*.whl"))


def type_of(schema: Mapping[str, Any]) -> str:
    """Return the Python type of a value."""
    if name := name_of(schema):
        return f"types.{name}"
    if variants := schema.get("anyOf"):
        return " | ".join(type_of(one) for one in variants)
    if is_boolean(schema):
        return "bool"
    if "enum" in schema:
        return f"Literal[{', '.join(map(repr, schema['enum']))}]"
    if schema.get("type") == "array":
        return f"list[{type_of(schema['items'])}]"
    if "contentMediaType" in schema:  # a file's content
        return "bytes"
    if schema.get("type") == "null":
        return "None"
    return _FORMATS.get(schema.get("format", "")) or _SIMPLE.get(schema.get("type", ""), "Any")


def result_of(operation: Operation) -> str:
    """Return the Python type of an operation's result."""
    if operation.is_json:
        assert operation.result is not None
        return type_of(operation.result)
    return "None" if operation.content is None else "bytes"


def doc_of(operation: Operation) -> str:
    """Return a method's docstring, with the summary and the description from the document."""
    return f"{operation.summary}.\n\n{operation.description}".strip().replace("\\", "\\\\").replace('"""', "'''")


def _type_sent_values(described: dict[str, Any]) -> None:
    """Give the members of request bodies the same types as query parameters: `Literal`, `datetime`, `date`.

    In responses, enumerations accept unknown values, because a newer platform may send more, and times stay strings.
    """
    sent = find_sent(described)
    for name, schema in described["components"]["schemas"].items():
        for member in schema.get("properties", {}).values():
            for each in (member, *member.get("anyOf", ())):
                if name in sent and "enum" in each:
                    each["x-enum-field-as-literal"] = True
                elif name not in sent and each.get("format") in _FORMATS:
                    del each["format"]


def _write_service(folder: Path, document: Document, environment: Environment, tools: Path) -> None:
    folder.mkdir(exist_ok=True)
    described = json.loads(path_of(document.service).read_text("utf-8"))
    _type_sent_values(described)
    with TemporaryDirectory() as temporary:
        # The type generator writes the name of this file into the types.
        source = Path(temporary) / path_of(document.service).name
        source.write_text(json.dumps(described, ensure_ascii=False), "utf-8")
        generate: list[str | Path] = [
            tools / "venv" / "bin" / "datamodel-codegen",
            *_OPTIONS.split(),
            f"--custom-template-dir={TEMPLATES}",
            f"--input={source}",
            f"--output={folder / 'types.py'}",
        ]
        subprocess.run(generate, check=True, cwd=ROOT)
    for name in ("operations.py", "__init__.py"):
        text = environment.get_template(f"{name}.jinja2").render(document=document)
        (folder / name).write_text(text, "utf-8")
