"""Converts a service to form fields and back. A list becomes a field with one item on each line.

The cost and the deadline have one field for each part. A text that only repeats their words becomes an empty field, so
that it follows the next change.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from balcao.core.values.costs_and_deadlines import FREE, IMMEDIATE, describe_cost, describe_deadline
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
# The members that the service derives from the cost or the deadline, unless an editor writes a text.
_FOLLOWED = {"custo_servico": "custo", "is_free": "custo", "tempo_atendimento": "prazo"}
FLAGS = ("fixar_destaque", "exclusive_for_agents")
# A service that is not free, and whose cost has no data.
PAID = "pago"
_KINDS = {True: FREE, False: PAID, None: ""}
WITH_AMOUNT, RANGE = frozenset({"fixo", "a_partir_de", "faixa"}), "faixa"
# An amount as people type it: "35,20", "R$ 1.820", "35.2". A point before three digits separates thousands.
_AMOUNT = re.compile(r"(?:R\$)?\s*([0-9]{1,3}(?:\.[0-9]{3})+|[0-9]{1,8})(?:[,.]([0-9]{1,2}))?", re.IGNORECASE)
_QUANTITY = re.compile(r"[0-9]{1,3}")


def to_fields(members: Mapping[str, Any], departments: Mapping[str, str]) -> dict[str, str]:
    """Convert a service to form fields. Departments appear by name."""
    fields = {name: str(members.get(name) or "").replace("\r\n", "\n").strip() for name in TEXTS}
    fields |= {name: "\n".join(_fold_lines(members.get(name) or ())) for name in LISTS}
    fields["orgao_gestor"] = "\n".join(departments.get(one, one) for one in members.get("orgao_gestor") or ())
    fields |= _split_cost(members) | _split_deadline(members)
    fields["custo_servico"] = _omit_words(fields["custo_servico"], _describe_cost(fields))
    fields["tempo_atendimento"] = _omit_words(fields["tempo_atendimento"], _describe_deadline(fields))
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
    body |= _join_cost(fields) | _join_deadline(fields)
    body["fixar_destaque"] = fields["fixar_destaque"] == "y"
    hint, is_exclusive = fields["tool_hint"].strip(), fields["exclusive_for_agents"] == "y"
    body["agents"] = {"tool_hint": hint, "exclusive_for_agents": is_exclusive} if hint or is_exclusive else None
    body["buttons"] = [_read_button(line) for line in split_lines(fields["buttons"])]
    return body


def to_values(fields: Mapping[str, str]) -> dict[str, Any]:
    """Convert the form fields to values that can be compared: lists as lists, checkboxes as booleans, data in words."""
    values: dict[str, Any] = dict(fields)
    values |= {"custo": _describe_cost(fields), "prazo": _describe_deadline(fields)}
    values |= {name: split_lines(fields[name]) for name in (*LISTS, "buttons") if name in fields}
    return values | {name: fields[name] == "y" for name in FLAGS if name in fields}


def show_fields(fields: Mapping[str, str]) -> dict[str, Any]:
    """Return the form fields, and `custo` and `prazo` as the lines that citizens read."""
    cost = [*_describe_cost(fields), fields.get("custo_servico", "")]
    deadline = [*_describe_deadline(fields), fields.get("tempo_atendimento", "")]
    return {**fields, "custo": list(filter(None, dict.fromkeys(cost))), "prazo": list(filter(None, deadline))}


def parse_cents(text: str) -> int | None:
    """Return an amount in cents: 3520 for "35,20" and "R$ 35,20". Return None for any other text."""
    found = _AMOUNT.fullmatch(text.strip())
    return found and int(found[1].replace(".", "")) * 100 + int((found[2] or "").ljust(2, "0"))


def parse_quantity(text: str) -> int | None:
    """Return a number of up to three digits, or None for any other text."""
    return int(text) if _QUANTITY.fullmatch(text.strip()) else None


def _write_cents(cents: int | None) -> str:
    return "" if cents is None else f"{cents // 100},{cents % 100:02}"


def _split_cost(members: Mapping[str, Any]) -> dict[str, str]:
    cost = members.get("custo") or {}
    return {
        "custo_tipo": cost.get("tipo") or _KINDS[members.get("is_free")],
        "custo_valor": _write_cents(cost.get("valor_centavos")),
        "custo_valor_maximo": _write_cents(cost.get("valor_maximo_centavos")),
        "custo_isencao": cost.get("isencao") or "",
    }


def _join_cost(fields: Mapping[str, str]) -> dict[str, Any]:
    """Return the members for the cost. Fields that the chosen kind does not have are ignored."""
    kind = fields["custo_tipo"]
    if kind in ("", PAID):
        return {"custo": None, "is_free": None if kind == "" else False}
    cost: dict[str, Any] = {"tipo": kind}
    if kind in WITH_AMOUNT:
        cost["valor_centavos"] = parse_cents(fields["custo_valor"])
    if kind == RANGE:
        cost["valor_maximo_centavos"] = parse_cents(fields["custo_valor_maximo"])
    if kind != FREE:
        cost["isencao"] = fields["custo_isencao"]
    return {"custo": cost, "is_free": kind == FREE}


def _split_deadline(members: Mapping[str, Any]) -> dict[str, str]:
    deadline = members.get("prazo") or {}
    return {"prazo_unidade": deadline.get("unidade") or "", "prazo_quantidade": str(deadline.get("quantidade") or "")}


def _join_deadline(fields: Mapping[str, str]) -> dict[str, Any]:
    unit = fields["prazo_unidade"]
    if unit == "":
        return {"prazo": None}
    number = {} if unit == IMMEDIATE else {"quantidade": parse_quantity(fields["prazo_quantidade"])}
    return {"prazo": {"unidade": unit, **number}}


def _describe_cost(fields: Mapping[str, str]) -> list[str]:
    """Describe the cost in the form fields as lines: the amount, and who does not pay."""
    kind = fields.get("custo_tipo", "")
    if kind in ("", PAID):
        return ["Pago"] if kind and not fields.get("custo_servico") else []
    amounts = [parse_cents(fields.get(name, "")) for name in ("custo_valor", "custo_valor_maximo")]
    exemption = "" if kind == FREE else fields.get("custo_isencao", "")
    return [line for line in (describe_cost(kind, *amounts), exemption) if line]


def _describe_deadline(fields: Mapping[str, str]) -> list[str]:
    words = describe_deadline(fields.get("prazo_unidade", ""), parse_quantity(fields.get("prazo_quantidade", "")))
    return [words] if words else []


def _omit_words(text: str, lines: list[str]) -> str:
    return "" if text in lines[:1] else text


def show_value(name: str, value: Any) -> Any:
    """Convert a member of a version to a value that can be compared."""
    if name == "buttons":
        return [write_button(one) for one in value or ()]
    if name == "agents":
        return _describe_agents(value or {})
    if name == "custo":
        return _describe_cost(_split_cost({"custo": value}))
    if name == "prazo":
        return _describe_deadline(_split_deadline({"prazo": value}))
    return value


def follows(name: str, values: Mapping[str, tuple[Any, Any]]) -> bool:
    """Return whether the change of a member only follows from the change of the cost or of the deadline."""
    followed = values.get(_FOLLOWED.get(name, ""))
    if followed is None:
        return False
    if name == "is_free":
        return followed[1] is not None
    lines = [show_value(_FOLLOWED[name], value) for value in followed]
    return all((text or "") in (line[:1] or [""]) for text, line in zip(values[name], lines, strict=True))


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
