"""Convert a job between the service and the form, and merge concurrent changes to a job.

The form contains digests of the values that it was opened with. They show which fields each person has changed. A field
that only one person has changed gets that person's value. If both have changed a field differently, the person who
submits the form decides.
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from balcao.panel.jobs.client import Job
from balcao.panel.jobs.labels import format_cnpj
from balcao.panel.merge import merge

TEXTS = (
    "titulo", "descricao", "bairro", "requisitos", "responsabilidades", "diferenciais", "beneficios",
    "id_orgao_parceiro", "id_regime_contratacao", "id_modelo_trabalho", "id_escolaridade_minima", "acessibilidade_pcd",
)  # fmt: skip
NUMBERS = ("quantidade_estimada_contratacoes", "idade_minima", "idade_maxima")
NAMES = ("bairros_elegibilidade", "areas_formacao_elegibilidade")
VALUES = ("tipos_pcd", "zonas")
Values = dict[str, Any]


def list_values(job: Job, zone: ZoneInfo) -> Values:
    """Convert a job to form values."""
    values: Values = {name: getattr(job, name) or "" for name in TEXTS}
    values |= {name: getattr(job, name) for name in NUMBERS}
    values |= {name: "\n".join(getattr(job, name)) for name in NAMES}
    values |= {name: [value.id for value in getattr(job, name)] for name in VALUES}
    return values | {
        "id_contratante": format_cnpj(job.id_contratante),
        "valor_vaga": None if job.valor_vaga is None else Decimal(f"{job.valor_vaga:.2f}"),
        "data_limite": _to_day(job.data_limite, zone),
        "idiomas_requisito": [
            {"id_idioma": each.id_idioma, "id_nivel_minimo": each.id_nivel_minimo} for each in job.idiomas_requisito
        ],
        "etapas": [{"id": step.id, "titulo": step.titulo, "descricao": step.descricao} for step in job.etapas],
        "informacoes_complementares": [
            {
                "id": question.id,
                "titulo": question.titulo,
                "tipo_campo": question.tipo_campo,
                "obrigatorio": question.obrigatorio,
                "valor_minimo": question.valor_minimo,
                "valor_maximo": question.valor_maximo,
                "opcoes": "\n".join(question.opcoes or ()),
            }
            for question in job.informacoes_complementares
        ],
    }


def make_body(data: Mapping[str, Any], stored: Job | None, zone: ZoneInfo) -> Values:
    """Convert the form data to a request body that contains all members of the form.

    An omitted member could keep a stored value that the person did not see. If the deadline's day is unchanged, its
    time also stays unchanged.
    """
    body: Values = {name: (data[name] or "").strip() or None for name in (*TEXTS, "id_contratante")}
    body |= {name: data[name] for name in NUMBERS}
    body |= {name: _split_lines(data[name]) for name in NAMES}
    body |= {name: [{"id": id_} for id_ in data[name] or ()] for name in VALUES}
    limit, day = stored.data_limite if stored else None, data["data_limite"]
    if day is None or _to_day(limit, zone) != day:
        body["data_limite"] = None if day is None else day.isoformat()
    else:
        body["data_limite"] = limit
    return body | {
        "valor_vaga": None if data["valor_vaga"] is None else float(data["valor_vaga"]),
        "idiomas_requisito": [row for row in data["idiomas_requisito"] if row["id_idioma"]],
        "etapas": [
            {**_name_new(row), "titulo": row["titulo"], "descricao": row["descricao"] or ""} for row in data["etapas"]
        ],
        "informacoes_complementares": [_make_question(row) for row in data["informacoes_complementares"]],
    }


def _make_question(row: Mapping[str, Any]) -> Values:
    """Return a question with the members for its kind. Values that were typed for another kind are dropped."""
    is_number, is_choice = row["tipo_campo"] == "resposta_numerica", row["tipo_campo"].startswith("selecao")
    return {
        **_name_new(row),
        "titulo": row["titulo"],
        "tipo_campo": row["tipo_campo"],
        "obrigatorio": bool(row["obrigatorio"]),
        "valor_minimo": row["valor_minimo"] if is_number else None,
        "valor_maximo": row["valor_maximo"] if is_number else None,
        "opcoes": _split_lines(row["opcoes"]) if is_choice else None,
    }


def _name_new(row: Mapping[str, Any]) -> Values:
    return {"id": row["id"]} if row.get("id") else {}


def digest(values: Mapping[str, Any]) -> dict[str, str]:
    """Return a short digest of each field's value, so that changes can be detected."""
    return {name: hashlib.sha256(_canonical(value)).hexdigest()[:16] for name, value in values.items()}


def encode_digests(values: Mapping[str, Any]) -> str:
    """Encode the digests of the values for a hidden form field."""
    return msgspec.json.encode(digest(values)).decode()


def decode_digests(text: str) -> dict[str, str]:
    """Decode the digests from a form. Return an empty dict for invalid text."""
    try:
        return msgspec.json.decode(text, type=dict[str, str])
    except msgspec.MsgspecError:
        return {}


def join_changes(
    base: Mapping[str, str], mine: Mapping[str, Any], theirs: Mapping[str, Any]
) -> tuple[Values, list[str]]:
    """Return the merged fields, and the names of the fields that both people changed differently.

    The disputed fields have the values from `mine`. `base` contains the digests of the values with which the form was
    opened.
    """
    merged = merge(base, digest(theirs), digest({name: mine[name] for name in theirs}))
    joined = {name: value if name in merged.joined else mine[name] for name, value in theirs.items()}
    return joined, [each.name for each in merged.disputed]


def describe_value(value: Any, choices: Sequence[tuple[str, str]] = ()) -> str:
    """Format a field's value as text, so that the person can compare it with their own value."""
    named = dict(choices)
    if isinstance(value, list):
        parts = [part.get("titulo", "") if isinstance(part, dict) else named.get(part, part) for part in value]
        return "; ".join(part for part in parts if part) or "nada"
    if isinstance(value, date):
        return f"{value:%d/%m/%Y}"
    return str(named.get(value, value)) if value not in (None, "") else "nada"


def _canonical(value: Any) -> bytes:
    return msgspec.json.encode(_simplify(value))


def _simplify(value: Any) -> Any:
    """Remove differences that browsers introduce: CRLF line endings, surrounding whitespace, and "" instead of None."""
    if isinstance(value, str):
        return value.replace("\r\n", "\n").strip() or None
    if isinstance(value, Mapping):
        return {name: _simplify(part) for name, part in sorted(value.items()) if name != "csrf_token"}
    if isinstance(value, list | tuple):
        return [_simplify(part) for part in value]
    if isinstance(value, Decimal):
        return f"{value:.2f}"
    return value


def _split_lines(text: str | None) -> list[str]:
    return [line.strip() for line in (text or "").splitlines() if line.strip()]


def _to_day(moment: datetime | None, zone: ZoneInfo) -> date | None:
    return None if moment is None else moment.astimezone(zone).date()
