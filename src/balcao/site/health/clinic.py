"""Describes a unit as schema.org data for search engines.

The colour is omitted, because it can change within minutes.
"""

from collections.abc import Sequence
from typing import Any

from balcao.site.health.client import OpenDay, Unit
from balcao.site.health.colors import is_emergency

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def describe_clinic(unit: Unit, days: Sequence[OpenDay], address: str, city: str) -> dict[str, Any]:
    """Return the `MedicalClinic` or `EmergencyService` data for a unit, with its ordinary week and its special days."""
    place: dict[str, Any] = {"@type": "PostalAddress", "addressLocality": city, "addressCountry": "BR"}
    if unit.logradouro:
        place["streetAddress"] = " ".join(filter(None, (unit.logradouro, unit.numero)))
    if unit.cep:
        place["postalCode"] = unit.cep
    clinic: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": ["MedicalClinic", "EmergencyService"] if is_emergency(unit) else "MedicalClinic",
        "name": unit.nome,
        "url": address,
        "address": place,
    }
    if number := unit.telefone or unit.celular:
        clinic["telephone"] = number
    if unit.latitude is not None and unit.longitude is not None:
        clinic["geo"] = {"@type": "GeoCoordinates", "latitude": unit.latitude, "longitude": unit.longitude}
    week: dict[int, OpenDay] = {}
    for day in days:
        if day.motivo is None:
            week.setdefault(day.data.weekday(), day)
    if week:
        clinic["openingHoursSpecification"] = [
            {
                "@type": "OpeningHoursSpecification",
                "dayOfWeek": _DAYS[weekday],
                "opens": interval.inicio,
                "closes": "23:59" if interval.fim == "24:00" else interval.fim,
            }
            for weekday, day in sorted(week.items())
            for interval in day.intervalos
        ]
    return clinic
