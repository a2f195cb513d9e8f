"""Converts a service to form fields and back. A list becomes a field with one item on each line."""

from collections.abc import Iterable, Mapping
from typing import Any

from balcao.panel.catalogue.labels import FIELDS
from balcao.panel.fields import split_lines

TEXTS = (
    "nome_servico",
    "resumo",
    "tempo_atendimento",
    "custo_servico",
    "resultado_solicitacao",
    "descricao_completa",
    "instrucoes_solicitante",
    "servico_nao_cobre",
    "tema_geral",
    "sub_categoria",
)
LISTS = (
    "orgao_gestor",
    "documentos_necessarios",
    "canais_digitais",
    "canais_presenciais",
    "legislacao_relacionada",
    "publico_especifico",
)
# The members of a button, in the order in which the form writes them on one line, and the separator between them.
_BUTTON_PARTS = ("titulo", "url_service", "descricao")
_SEPARATOR = " | "
_OFF = "(desligado) "
FLAGS = ("fixar_destaque", "exclusive_for_agents")
FREE = {"True": True, "False": False, "": None}


def to_fields(members: Mapping[str, Any], departments: Mapping[str, str]) -> dict[str, str]:
    """Convert a service to form fields. Departments appear by name."""
    fields = {name: str(members.get(name) or "").replace("\r\n", "\n").strip() for name in TEXTS}
    fields |= {name: "\n".join(_fold_lines(members.get(name) or ())) for name in LISTS}
    fields["orgao_gestor"] = "\n".join(departments.get(one, one) for one in members.get("orgao_gestor") or ())
    fields["is_free"] = "" if members.get("is_free") is None else str(bool(members["is_free"]))
    fields["fixar_destaque"] = "y" if members.get("fixar_destaque") else ""
    agents = members.get("agents") or {}
    fields["exclusive_for_agents"] = "y" if agents.get("exclusive_for_agents") else ""
    fields["tool_hint"] = agents.get("tool_hint") or ""
    fields["buttons"] = "\n".join(write_button(one) for one in members.get("buttons") or ())
    return fields


def to_body(fields: Mapping[str, str], departments: Mapping[str, str]) -> dict[str, Any]:
    """Convert the form fields to a request body.

    The body omits members that the form does not show, so they stay unchanged.
    """
    codes = {name.casefold(): code for code, name in departments.items()}
    body: dict[str, Any] = {name: fields[name].strip() for name in TEXTS}
    body |= {name: split_lines(fields[name]) for name in LISTS}
    body["orgao_gestor"] = [codes.get(one.casefold(), one) for one in body["orgao_gestor"]]
    body["is_free"] = FREE.get(fields["is_free"])
    body["fixar_destaque"] = fields["fixar_destaque"] == "y"
    hint, is_exclusive = fields["tool_hint"].strip(), fields["exclusive_for_agents"] == "y"
    body["agents"] = {"tool_hint": hint, "exclusive_for_agents": is_exclusive} if hint or is_exclusive else None
    body["buttons"] = [_read_button(line) for line in split_lines(fields["buttons"])]
    return body


def to_values(fields: Mapping[str, str]) -> dict[str, Any]:
    """Convert the form fields to values that can be compared: lists as lists, checkboxes as booleans."""
    values: dict[str, Any] = dict(fields)
    values |= {name: split_lines(fields[name]) for name in (*LISTS, "buttons") if name in fields}
    values |= {name: fields[name] == "y" for name in FLAGS if name in fields}
    return values | {"is_free": FREE.get(fields.get("is_free", ""))}


def show_value(name: str, value: Any) -> Any:
    """Convert a member of a version to a value that can be compared."""
    if name == "buttons":
        return [write_button(one) for one in value or ()]
    if name == "agents":
        return _describe_agents(value or {})
    return value


def _describe_agents(agents: Mapping[str, Any]) -> list[str]:
    """Describe the settings for virtual assistants as lines of text."""
    lines = [FIELDS["exclusive_for_agents"]] if agents.get("exclusive_for_agents") else []
    return [*lines, f"{FIELDS['tool_hint']}: {agents['tool_hint']}"] if agents.get("tool_hint") else lines


def _fold_lines(items: Iterable[str]) -> list[str]:
    """Collapse the whitespace in each item, so that the item fits on one line."""
    return [" ".join(item.split()) for item in items]


def write_button(button: Mapping[str, Any]) -> str:
    """Format a button as one line of the form."""
    parts = [" ".join(str(button.get(name) or "").split()) for name in _BUTTON_PARTS]
    return ("" if button.get("is_enabled", True) else _OFF) + _SEPARATOR.join(part for part in parts if part)


def _read_button(line: str) -> dict[str, Any]:
    parts = [part.strip() for part in line.removeprefix(_OFF).split(_SEPARATOR.strip(), 2)]
    parts += [""] * (len(_BUTTON_PARTS) - len(parts))
    return dict(zip(_BUTTON_PARTS, parts, strict=True)) | {"is_enabled": not line.startswith(_OFF)}
