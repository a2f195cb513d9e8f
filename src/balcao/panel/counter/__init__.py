"""The counter area: attendances of citizens, the phone book, and the city's reference data."""

from balcao.panel.counter.area import AREA

__all__ = ["AREA"]
