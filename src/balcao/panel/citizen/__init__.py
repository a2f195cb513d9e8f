"""The area “Meus dados”: the citizen's stored data with their sources, accesses, choices, copy and erasure."""

from balcao.panel.citizen.pages import AREA

__all__ = ["AREA"]
