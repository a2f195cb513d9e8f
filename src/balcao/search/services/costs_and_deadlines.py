"""Checks the cost and the deadline of a service, and keeps their texts in agreement with them (rules: search 3.8)."""

import msgspec
from msgspec import UNSET, UnsetType

from balcao.core.errors import Invalid
from balcao.core.values.costs_and_deadlines import FREE, IMMEDIATE, describe_cost, describe_deadline
from balcao.search.document import ServiceContent, ServiceCost, ServiceDeadline
from balcao.search.services.cleaning import clean_prose
from balcao.search.services.schemas import ServiceBody

LONGEST_EXEMPTION = 300
_WITH_AMOUNT = frozenset({"fixo", "a_partir_de", "faixa"})
_RANGE = "faixa"


def clean_cost(name: str, value: ServiceCost) -> ServiceCost:
    """Clean the exemption and check the amounts. Raises Invalid if they do not fit the kind of cost."""
    cents, most, owner = value.valor_centavos, value.valor_maximo_centavos, f"`{name}.tipo` `{value.tipo}`"
    _require_fit(f"{name}.valor_centavos", cents, owner, is_needed=value.tipo in _WITH_AMOUNT)
    _require_fit(f"{name}.valor_maximo_centavos", most, owner, is_needed=value.tipo == _RANGE)
    if most is not None and cents is not None and most <= cents:
        raise _make_invalid(f"{name}.valor_maximo_centavos", f"deve ser maior que `{name}.valor_centavos`")
    if cents == 0 and value.tipo != _RANGE:
        raise _make_invalid(f"{name}.valor_centavos", f"deve ser maior que zero: sem custo, `{name}.tipo` é `{FREE}`")
    exemption = clean_prose(f"{name}.isencao", value.isencao, longest=LONGEST_EXEMPTION, one_line=True)
    if exemption and value.tipo == FREE:
        raise _make_invalid(f"{name}.isencao", f"não se aplica a {owner}: deixe-o de fora")
    return msgspec.structs.replace(value, isencao=exemption)


def check_deadline(name: str, value: ServiceDeadline) -> ServiceDeadline:
    """Return the deadline. Raises Invalid if it has a number without a unit to count, or no number."""
    is_counted = value.unidade != IMMEDIATE
    _require_fit(f"{name}.quantidade", value.quantidade, f"`{name}.unidade` `{value.unidade}`", is_needed=is_counted)
    return value


def _require_fit(name: str, value: object, owner: str, *, is_needed: bool) -> None:
    """Raise Invalid if a part is missing, or if it is set although `owner` excludes it."""
    if value is None and is_needed:
        raise Invalid(f"Falta o campo `{name}`, que {owner} pede.", code=f"{name}-missing")
    if value is not None and not is_needed:
        raise _make_invalid(name, f"não se aplica a {owner}: deixe-o de fora")


def _make_invalid(name: str, rule: str) -> Invalid:
    return Invalid(f"O campo `{name}` {rule}.", code=f"{name}-invalid")


def settle(content: ServiceContent, body: ServiceBody, stored: ServiceContent | None) -> ServiceContent:
    """Return the content with a cost and a deadline that agree with their texts and with `is_free`.

    Raises Invalid if the body contains a cost and an `is_free` that contradict each other.
    """
    return _settle_deadline(_settle_cost(content, body, stored), body, stored)


def _settle_cost(content: ServiceContent, body: ServiceBody, stored: ServiceContent | None) -> ServiceContent:
    described = (content.custo_servico, content.is_free)
    # A client that does not send the cost may not know it. If it changes what the cost also describes, the stored cost
    # is no longer true.
    if body.custo is UNSET and stored is not None and described != (stored.custo_servico, stored.is_free):
        return msgspec.structs.replace(content, custo=UNSET)
    if content.custo is UNSET:
        return content
    is_free = content.custo.tipo == FREE
    if isinstance(body.is_free, bool) and body.is_free != is_free:
        raise _make_invalid("is_free", f"contradiz `custo.tipo` `{content.custo.tipo}`: deixe-o de fora")
    text = content.custo_servico
    if text in ("", _describe_cost(stored.custo) if stored else ""):
        text = _describe_cost(content.custo)
    return msgspec.structs.replace(content, is_free=is_free, custo_servico=text)


def _settle_deadline(content: ServiceContent, body: ServiceBody, stored: ServiceContent | None) -> ServiceContent:
    text = content.tempo_atendimento
    if body.prazo is UNSET and stored is not None and text != stored.tempo_atendimento:
        return msgspec.structs.replace(content, prazo=UNSET)
    if content.prazo is UNSET or text not in ("", _describe_deadline(stored.prazo) if stored else ""):
        return content
    return msgspec.structs.replace(content, tempo_atendimento=_describe_deadline(content.prazo))


def _describe_cost(cost: ServiceCost | UnsetType) -> str:
    return "" if cost is UNSET else describe_cost(cost.tipo, cost.valor_centavos, cost.valor_maximo_centavos)


def _describe_deadline(deadline: ServiceDeadline | UnsetType) -> str:
    return "" if deadline is UNSET else describe_deadline(deadline.unidade, deadline.quantidade)
