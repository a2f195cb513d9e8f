"""Describes a service as schema.org data (JSON-LD) for search engines."""

from collections.abc import Sequence
from typing import Any

from balcao.site.facts import Cost, is_free, is_safe_button, split_place
from balcao.site.reading.departments import Department
from balcao.site.services.client import Service
from balcao.site.visit import Visit


def describe_for_engines(visit: Visit, service: Service, summary: str, owners: Sequence[Department]) -> dict[str, Any]:
    """Return the `GovernmentService` data for a service."""
    digital = [
        {"@type": "ServiceChannel", "serviceUrl": one.url_service}
        for one in service.buttons
        if one.is_enabled and is_safe_button(one.url_service)
    ]
    places = [split_place(text) for text in service.canais_presenciais if text.strip()]
    in_person = [
        {
            "@type": "ServiceChannel",
            "serviceLocation": {"@type": "Place", "name": place.name, "address": place.address or visit.site.city},
        }
        for place in places
    ]
    names = visit.site.wording.names.get(service.nome_servico, [])
    city = visit.site.city
    return {
        "@context": "https://schema.org",
        "@type": "GovernmentService",
        "name": service.nome_servico,
        **({"alternateName": names} if names else {}),
        "description": summary,
        "url": visit.absolute(visit.address("services.show_service", slug=service.slug)),
        "serviceType": service.sub_categoria or service.tema_geral,
        **({"isAccessibleForFree": True} if is_free(service) else {}),
        **describe_offers(service.custo),
        "provider": {
            "@type": "GovernmentOrganization",
            "name": f"{owners[0].nome_ua} de {city}" if owners else f"Prefeitura de {city}",
        },
        "areaServed": {"@type": "City", "name": city},
        "availableChannel": [*digital, *in_person],
    }


def describe_offers(cost: Cost | None) -> dict[str, Any]:
    """Return the member `offers`, or nothing if the amount is not known."""
    if cost is None:
        return {}
    match cost.tipo, cost.valor_centavos, cost.valor_maximo_centavos:
        case "gratis", _, _:
            amount: dict[str, Any] = {"price": "0.00"}
        case "fixo", int(cents), _:
            amount = {"price": _format_price(cents)}
        case "a_partir_de", int(cents), _:
            amount = {"minPrice": _format_price(cents)}
        case "faixa", int(cents), int(most):
            amount = {"minPrice": _format_price(cents), "maxPrice": _format_price(most)}
        case _:
            return {}
    amount["priceCurrency"] = "BRL"
    offer = amount if "price" in amount else {"priceSpecification": {"@type": "PriceSpecification", **amount}}
    return {"offers": {"@type": "Offer", **offer}}


def _format_price(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02}"
