"""Wire types of the versions."""

from typing import Annotated, Any, Literal

import msgspec

ValueType = Literal["string", "int", "float", "bool", "array", "object"]
Number = Annotated[int, msgspec.Meta(ge=1, le=2_147_483_647)]


class FieldChange(msgspec.Struct):
    """One member that differs; null on a side stands for no value."""

    field_name: str
    old_value: Any
    new_value: Any
    value_type: ValueType


class Comparison(msgspec.Struct):
    """What changed (spec: service version comparison). Kind, instant and author are the target version's."""

    change_type: str
    changed_at: int
    changed_by: str
    from_version: int
    to_version: int
    changes: list[FieldChange]


class ComparisonQuery(msgspec.Struct):
    """Which two versions; `from_version` above `to_version` swaps old and new."""

    from_version: Number
    to_version: Number
