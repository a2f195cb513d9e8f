"""Forms for agents: a version, the reason for a change, a data set, its examples, and a webhook."""

import re
from collections.abc import Sequence
from typing import Any, ClassVar

from wtforms import BooleanField, StringField, TextAreaField
from wtforms.validators import Optional

from balcao.core.http.forms import FormData
from balcao.panel.agents.client import Version
from balcao.panel.webhooks.forms import WebhookForm
from balcao.web.forms import Form, length, needed

_BLOCK = "bloco-"
# A memory block's label in hexadecimal, at most two UTF-8 bytes for each character. Fields with other names are
# ignored.
_HEX = re.compile(r"(?:[2-7][0-9a-f]|c[2-9a-f][89ab][0-9a-f]|d[0-9a-f][89ab][0-9a-f])+")
# The labels of the version fields that are merged after concurrent changes.
LABELS = {
    "prompt": "Instruções",
    "tools": "Ferramentas",
    "model_name": "Modelo de linguagem",
    "embedding_name": "Modelo de vetores",
}


class VersionForm(Form):
    """The form for a version of an agent. `make_version_form` adds a field for each memory block."""

    members: ClassVar = {"prompt": "prompt_content"}

    prompt = TextAreaField("Instruções", validators=[needed(), length(1, 200_000)])
    tools = TextAreaField("Ferramentas", description="Uma por linha, na ordem em que valem.", validators=[Optional()])
    model_name = StringField("Modelo de linguagem", validators=[Optional(), length(0, 100)])
    embedding_name = StringField("Modelo de vetores", validators=[Optional(), length(0, 100)])
    new_label = StringField("Nome de um bloco novo", validators=[Optional(), length(0, 100)])
    new_value = TextAreaField("Texto do bloco novo", validators=[Optional(), length(0, 20_000)])
    reason = StringField(
        "Por que muda",
        description="Fica no histórico. Sem CPF, telefone ou e-mail de ninguém.",
        validators=[needed("Diga por que a versão muda."), length(1, 2000)],
    )
    activate = BooleanField(
        "Usar esta versão desde já", description="Sem marcar, a versão fica guardada e o agente continua como está."
    )


def make_version_form(blocks: Sequence[str]) -> type[VersionForm]:
    """Return the form class with a field for each of these memory blocks."""
    fields = {
        name_field(label): TextAreaField(
            f"Memória: {label}", description="Vazio: o bloco sai da versão.", validators=[Optional(), length(0, 20_000)]
        )
        for label in blocks
    }
    return type("VersionFormOfBlocks", (VersionForm,), fields)


def name_field(label: str) -> str:
    """Return the form field name for a memory block.

    The name depends only on the block's label, not on the versions that the page shows.
    """
    return _BLOCK + label.encode().hex()


def read_labels(posted: FormData) -> list[str]:
    """Return the labels of the memory blocks in a submitted form."""
    names = (name.removeprefix(_BLOCK) for name in posted if name.startswith(_BLOCK))
    return [bytes.fromhex(name).decode() for name in names if _HEX.fullmatch(name)]


def list_blocks(*versions: Version) -> list[str]:
    """Return the distinct labels of the memory blocks in these versions."""
    labels = [str(block.get("label", "")) for version in versions for block in version.config.memory_blocks]
    return list(dict.fromkeys(labels))


def to_fields(version: Version, blocks: Sequence[str]) -> dict[str, str]:
    """Convert a version to form field values."""
    texts = {str(block.get("label", "")): str(block.get("value", "")) for block in version.config.memory_blocks}
    return {
        "prompt": version.prompt.content,
        "tools": "\n".join(version.config.tools),
        "model_name": version.config.model_name,
        "embedding_name": version.config.embedding_name,
    } | {name_field(label): texts.get(label, "") for label in blocks}


def name_fields(blocks: Sequence[str]) -> dict[str, str]:
    """Return the labels of the fields that are merged after concurrent changes."""
    return LABELS | {name_field(label): f"Memória: {label}" for label in blocks}


def to_content(form: VersionForm, version: Version, blocks: Sequence[str]) -> dict[str, Any]:
    """Return the request body for saving the typed values.

    Members of a memory block that the form does not show stay unchanged.
    """
    known = {str(block.get("label", "")): block for block in version.config.memory_blocks}
    made = [
        {**known.get(label, {}), "label": label, "value": _normalise(form[name_field(label)].data)}
        for label in blocks
        if (form[name_field(label)].data or "").strip()
    ]
    if (form.new_label.data or "").strip():
        made.append({"label": (form.new_label.data or "").strip(), "value": _normalise(form.new_value.data)})
    return {
        "prompt_content": _normalise(form.prompt.data),
        "memory_blocks": made,
        "tools": [line.strip() for line in (form.tools.data or "").splitlines() if line.strip()],
        "model_name": (form.model_name.data or "").strip(),
        "embedding_name": (form.embedding_name.data or "").strip(),
    }


def to_typed(form: VersionForm, blocks: Sequence[str]) -> dict[str, str]:
    """Return the typed values by field, with the same line endings as saved values, so that both can be compared."""
    return {name: _normalise(form[name].data) for name in name_fields(blocks)}


def _normalise(text: str | None) -> str:
    """Return the string with LF line endings, because browsers send CRLF."""
    return (text or "").replace("\r\n", "\n")


class ReasonForm(Form):
    reason = StringField(
        "Motivo",
        description="Fica no histórico. Sem CPF, telefone ou e-mail de ninguém.",
        validators=[needed("Diga por que a versão ativa muda."), length(1, 2000)],
    )


class DatasetForm(Form):
    name = StringField("Nome", validators=[needed(), length(1, 200)])
    description = StringField("Para que serve", validators=[Optional(), length(0, 2000)])


class ExamplesForm(Form):
    examples = TextAreaField(
        "Exemplos",
        description='Um por linha, em JSON: {"input": {...}, "output": {...}, "metadata": {...}}. Sem dados pessoais.',
        validators=[needed("Cole ao menos um exemplo.")],
    )


class AgentsWebhookForm(WebhookForm):
    """The form for a webhook: its address, and the agents whose activations it receives."""

    members: ClassVar = {"topics": "agent_types", "is_active": "active"}

    topics = StringField(
        "Só destes agentes",
        description="Identificadores, como “Instruções” os mostra, separados por vírgula; vazio: todos.",
        validators=[Optional(), length(0, 6000)],
    )
