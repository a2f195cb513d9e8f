"""Convert request types to form values and back, and describe the values for the comparison of two versions."""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

import msgspec

from balcao.core.values.text import fold_text
from balcao.panel.fields import split_lines
from balcao.web.service_requests.client import Field, RequestType
from balcao.web.service_requests.labels import KINDS, describe_limits, show_number

Definition = dict[str, Any]
# The limits for each kind of question, as fields in a form row. `options` has one option on each line.
LIMITS: Mapping[str, Sequence[str]] = {
    "text": ("min_length", "max_length"),
    "choice": ("options",),
    "number": ("minimum", "maximum", "decimals"),
    "date": ("earliest_days", "latest_days"),
    "place": (),
    "file": ("max_files",),
}
# The labels of the members that make up a version, in the order of the form.
LABELS: Mapping[str, str] = {
    "name": "Nome",
    "category": "Assunto",
    "description": "Quando pedir",
    "departments": "Órgãos que atendem",
    "deadline_days": "Prazo em dias",
    "service_id": "Serviço",
    "without_login": "Sem login",
    "fields": "Perguntas",
    "active": "Em uso",
}
_LONGEST_TYPE_ID, _LONGEST_FIELD_ID = 50, 30


def to_definition(kind: RequestType) -> Definition:
    """Return the members of a type that its form sets, and whether the type is in use."""
    return {name: msgspec.to_builtins(getattr(kind, name)) for name in LABELS}


def to_form_values(definition: Definition, departments: Mapping[str, str]) -> Definition:
    """Convert a definition to form values. Departments appear by name."""
    values = {name: value for name, value in definition.items() if name not in ("fields", "departments", "active")}
    values["departments"] = "\n".join(departments.get(code, code) for code in definition["departments"])
    values["questions"] = [_to_row(field) for field in definition["fields"]]
    return values


def _to_row(field: Mapping[str, Any]) -> Definition:
    row = {name: field.get(name) for name in ("id", "kind", "label", "hint", "required", "personal")}
    for name in LIMITS.get(field["kind"], ()):
        value = field.get(name)
        if name == "options":
            row[name] = "\n".join(option["label"] for option in value or ())
        else:
            row[name] = show_number(value) if name in ("minimum", "maximum") and value is not None else value
    return row


def make_definition(data: Definition, departments: Mapping[str, str], stored: Definition | None) -> Definition:
    """Convert form data to a definition. `stored` is the definition from which the form was filled.

    New questions and options get ids derived from their labels. Existing ones keep their ids, so that stored answers
    stay comparable.
    """
    codes = {name.casefold(): code for code, name in departments.items()}
    known = {field["id"]: field for field in stored["fields"]} if stored else {}
    taken = {row["id"] for row in data["questions"] if row["id"]}
    fields = []
    for row in data["questions"]:
        id_ = row["id"] or make_id(row["label"] or "", taken, _LONGEST_FIELD_ID)
        taken.add(id_)
        fields.append(_make_field({**row, "id": id_}, known.get(id_, {}).get("options") or ()))
    return {
        "name": (data["name"] or "").strip(),
        "category": (data["category"] or "").strip(),
        "description": (data["description"] or "").strip(),
        "departments": [codes.get(name.casefold(), name) for name in data["departments"] or ()],
        "deadline_days": data["deadline_days"],
        "service_id": (data["service_id"] or "").strip() or None,
        "without_login": bool(data["without_login"]),
        "fields": fields,
        "active": stored is None or stored["active"],
    }


def _make_field(row: Mapping[str, Any], known: Sequence[Mapping[str, str]]) -> Definition:
    field = {
        "id": row["id"],
        "kind": row["kind"],
        "label": (row["label"] or "").strip(),
        "hint": (row["hint"] or "").strip(),
        "required": bool(row["required"]),
        "personal": bool(row["personal"]),
    }
    for name in LIMITS.get(row["kind"], ()):
        value = row[name]
        if name == "options":
            field[name] = _make_options(value or "", known)
        elif value not in (None, ""):
            field[name] = float(str(value).replace(",", ".")) if name in ("minimum", "maximum") else value
    # Omit members with default values, as the service does, so that equal definitions compare as equal.
    return msgspec.to_builtins(msgspec.convert(field, Field))  # type: ignore[no-any-return]


def _make_options(text: str, known: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    ids = {option["label"]: option["id"] for option in known}
    taken = set(ids.values())
    options = []
    for label in split_lines(text):
        id_ = ids.get(label) or make_id(label, taken, _LONGEST_FIELD_ID)
        taken.add(id_)
        options.append({"id": id_, "label": label})
    return options


def make_id(label: str, taken: Collection[str], longest: int = _LONGEST_TYPE_ID) -> str:
    """Derive an id of letters, digits and `_` from a label. The id differs from all ids in `taken`."""
    plain = re.sub(r"[^a-z0-9]+", "_", fold_text(label)).strip("_")
    start = (plain if plain[:1].isalpha() else f"n_{plain}")[: longest - 3].strip("_") or "n"
    return next(id_ for id_ in (start, *(f"{start}_{n}" for n in range(2, 100))) if id_ not in taken)


def to_shown(definition: Definition, departments: Mapping[str, str], today: date) -> Definition:
    """Return the values of a definition for comparison: departments by name, and each question as one line."""
    shown = dict(definition)
    shown["departments"] = [departments.get(code, code) for code in definition["departments"]]
    shown["fields"] = [describe_question(field, today) for field in msgspec.convert(definition["fields"], list[Field])]
    return shown


def describe_question(field: Field, today: date) -> str:
    """Describe a question in one line of text, with its kind and its limits."""
    parts = [KINDS.get(field.kind, field.kind)]
    parts += ["obrigatória"] if field.required else []
    parts += ["dado pessoal"] if field.personal else []
    parts += [f"ajuda: {field.hint}"] if field.hint else []
    if field.kind == "date":
        parts += [f"de {field.earliest_days} dias"] if field.earliest_days is not None else []
        parts += [f"até {field.latest_days} dias"] if field.latest_days is not None else []
    elif limits := describe_limits(field, today):
        parts.append(limits.rstrip("."))
    if field.max_length is not None:
        parts.append(f"até {field.max_length} letras")
    if field.options:
        parts.append("opções: " + ", ".join(option.label for option in field.options))
    return f"{field.label} ({'; '.join(parts)})"


def to_number(text: str | None) -> Decimal | None:
    """Parse a number with a comma or a point before the decimals. Return None for any other string."""
    plain = (text or "").strip().replace(",", ".")
    return Decimal(plain) if re.fullmatch(r"-?[0-9]{1,10}(\.[0-9]{1,4})?", plain) else None
