"""The citizen's own page: what the city knows of me and from whom, who looked, my choices, copy, erasure."""

from balcao.panel.citizen.pages import AREA

__all__ = ["AREA"]
