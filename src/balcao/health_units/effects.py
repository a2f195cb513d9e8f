"""The effects of a colour on a unit's work. A setting can change the defaults (rules: health_units 3.1)."""

from collections.abc import Mapping
from functools import cache

from balcao.health_units.situation import Risco
from balcao.settings.services import ColorEffects, parse_risk_effects

_SHIPPED = {
    Risco.VERDE: ColorEffects("normal", "normal"),
    Risco.AMARELO: ColorEffects("suspensas", "normal"),
    Risco.LARANJA: ColorEffects("suspensas", "restrito"),
    Risco.VERMELHO: ColorEffects("suspensas", "suspenso", fecha=True),
}


@cache
def load_effects(changes: str) -> Mapping[Risco, ColorEffects]:
    """Return the effects of every colour. `changes` is the setting `BALCAO_RISK_EFFECTS`."""
    return _SHIPPED | {Risco(color): effects for color, effects in parse_risk_effects(changes).items()}
