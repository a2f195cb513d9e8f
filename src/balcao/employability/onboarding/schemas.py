"""Wire types for the introduction to the job listings."""

from typing import Annotated

import msgspec
from msgspec import Meta


class Onboarding(msgspec.Struct):
    is_first_login: Annotated[
        bool, Meta(description="Verdadeiro até a pessoa concluir a apresentação.", examples=[False])
    ]
