"""The area “Meus dados”: citizens see, change, copy or erase the data that the city stores about them."""

from balcao.panel.citizen.pages import AREA

__all__ = ["AREA"]
