"""What lines of loaded files have in common: bounded texts and CPFs."""

from typing import Annotated

import msgspec

Code = Annotated[str, msgspec.Meta(min_length=1, max_length=50)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
CpfDigits = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{11}$")]
