"""The questions about a vehicle: one on each page of the form that registers it, and of the pages that change it.

An answer is stored under the registry's member. A photo is stored as the note of its file. For a brand or model that is
not in the city's list, the answer is `OTHER`, and the person types its name on the next page.
"""

from collections.abc import Mapping
from typing import Any

from balcao.site.mine import vehicle_client as client
from balcao.site.mine.vehicle_client import Vehicle
from balcao.web.api import Api
from balcao.web.service_requests.client import Field, Option
from balcao.web.service_requests.files import find_id

OTHER = "outra"
_NOT_LISTED = "Não está nesta lista"
_BRAND, _BRAND_TEXT, _MODEL, _MODEL_TEXT, _KIND = "brand_id", "brand_other", "model_id", "model_other", "vehicle_type"
# The page of each question, which is the last segment of its address, and the registry's member. The photos follow.
_TEXTS = {
    "marca": _BRAND,
    "outra-marca": _BRAND_TEXT,
    "modelo": _MODEL,
    "outro-modelo": _MODEL_TEXT,
    "tipo": _KIND,
    "cor": "color",
    "serie": "serial_number",
    "nome": "display_name",
}
PHOTOS = {"foto-da-serie": "serial_number_photo_file_id", "foto": "vehicle_photo_file_id"}
MEMBERS = _TEXTS | PHOTOS
# The names of the answers, where they are shown without their questions.
LABELS = {
    "marca": "Marca",
    "outra-marca": "Nome da marca",
    "modelo": "Modelo",
    "outro-modelo": "Nome do modelo",
    "tipo": "Tipo",
    "cor": "Cor",
    "serie": "Número de série",
    "nome": "Nome",
    "foto-da-serie": "Foto do número de série",
    "foto": "Foto do veículo",
}
_FIXED = {
    "outra-marca": Field(id=_BRAND_TEXT, kind="text", label="Que marca é?", required=True, max_length=50),
    "outro-modelo": Field(
        id=_MODEL_TEXT,
        kind="text",
        label="Que modelo é?",
        hint="Se não souber, escreva “não sei”.",
        required=True,
        max_length=50,
    ),
    "tipo": Field(
        id=_KIND,
        kind="choice",
        label="Que tipo de veículo é?",
        required=True,
        options=[
            Option("bicicleta_eletrica", "Bicicleta elétrica"),
            Option("autopropelido", "Patinete ou outro veículo elétrico leve"),
            Option("ciclomotor", "Ciclomotor"),
        ],
    ),
    "serie": Field(
        id="serial_number",
        kind="text",
        label="Qual é o número de série?",
        hint="Costuma estar gravado no quadro, ou em uma etiqueta embaixo do veículo.",
        required=True,
        min_length=4,
        max_length=40,
    ),
    "nome": Field(
        id="display_name",
        kind="text",
        label="Como você quer chamar o veículo?",
        hint="Um nome para você o reconhecer, como “bicicleta do trabalho”.",
        required=True,
        max_length=50,
    ),
    "foto-da-serie": Field(
        id=PHOTOS["foto-da-serie"],
        kind="file",
        label=LABELS["foto-da-serie"],
        hint="De perto, de modo que se possa ler o número.",
        required=True,
    ),
    "foto": Field(
        id=PHOTOS["foto"], kind="file", label=LABELS["foto"], hint="Do veículo inteiro, de lado.", required=True
    ),
}


def list_make_steps(answers: Mapping[str, Any]) -> list[str]:
    """Return the pages that ask for brand, model and kind. A model of the city's list has a kind."""
    is_free = answers.get(_BRAND) == OTHER
    steps = ["marca", "outra-marca" if is_free else "modelo"]
    return steps + (["outro-modelo", "tipo"] if is_free or answers.get(_MODEL) == OTHER else [])


def list_steps(answers: Mapping[str, Any]) -> list[str]:
    """Return the pages of the form, in order. Earlier answers decide which pages are needed."""
    return [*list_make_steps(answers), "cor", "serie", "foto-da-serie", "foto", "nome"]


def find_missing(answers: Mapping[str, Any]) -> str:
    """Return the first page whose question is not answered, or an empty string."""
    return next((step for step in list_steps(answers) if not answers.get(MEMBERS[step])), "")


def find_next(answers: Mapping[str, Any], step: str) -> str:
    """Return the page after `step`. Return an empty string if all questions are answered."""
    steps, missing = list_steps(answers), find_missing(answers)
    return steps[steps.index(step) + 1] if missing and step != steps[-1] else missing


def list_changes(answers: Mapping[str, Any], step: str, answer: Any) -> dict[str, Any]:
    """Return the answers that change with this one. Another brand has other models."""
    changes = {MEMBERS[step]: answer}
    return changes | {_MODEL: None} if step == "marca" and answer != answers.get(_BRAND) else changes


def read_answers(vehicle: Vehicle) -> dict[str, Any]:
    """Return the answers that describe a registered vehicle, without its photos."""
    found = {member: getattr(vehicle, member) for member in _TEXTS.values()}
    return found | {name: found[name] or OTHER for name in (_BRAND, _MODEL)}


def to_body(answers: Mapping[str, Any], steps: list[str]) -> dict[str, Any]:
    """Return the registry's members for the answers on these pages."""
    body: dict[str, Any] = {MEMBERS[step]: answers.get(MEMBERS[step]) for step in steps}
    for member in PHOTOS.values():
        if member in body:
            body[member] = find_id(body[member])
    if _BRAND in body:
        make = {name: body.get(name) for name in (_BRAND, _BRAND_TEXT, _MODEL, _MODEL_TEXT)}
        body |= {name: None if answer == OTHER else answer for name, answer in make.items()}
    return body


async def read_question(api: Api, step: str, answers: Mapping[str, Any]) -> Field:
    """Return the question on a page. Read the city's list of brands, models or colours if the question needs it."""
    match step:
        case "marca":
            brands = [Option(one.id, one.name) for one in await client.list_brands(api)]
            return _make_choice(_BRAND, "Qual é a marca?", [*brands, Option(OTHER, _NOT_LISTED)])
        case "modelo":
            models = [Option(one.id, one.name) for one in await client.list_models(api, answers[_BRAND])]
            return _make_choice(_MODEL, "Qual é o modelo?", [*models, Option(OTHER, _NOT_LISTED)])
        case "cor":
            colours = [Option(one, one) for one in await client.list_colours(api)]
            return _make_choice("color", "Qual é a cor principal?", colours)
    return _FIXED[step]


def _make_choice(member: str, label: str, options: list[Option]) -> Field:
    return Field(id=member, kind="choice", label=label, required=True, options=options)
