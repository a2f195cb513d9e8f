"""The counter: a person who stands there, the phone book, what the city offers."""

from balcao.panel.counter.area import AREA

__all__ = ["AREA"]
