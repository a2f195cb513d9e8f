"""Wire type for the health responses, in the format that the portals expect."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

State = Literal["alive", "ready", "not_ready", "healthy", "unhealthy"]
Result = Literal["ok", "failed"]


class Health(msgspec.Struct, omit_defaults=True):
    """The health of the service. `checks` is absent without checks, and `error` without failures."""

    status: Annotated[
        State,
        Meta(description="Estado: `alive`; `ready` ou `not_ready`; em `/health`, `healthy` ou `unhealthy`."),
    ]
    timestamp: Annotated[
        int, Meta(description="Instante da resposta, em segundos desde 1970.", examples=[1_790_000_000])
    ]
    checks: Annotated[
        dict[str, Result],
        Meta(description="Cada verificação e o seu resultado; ausente quando nada se verificou."),
    ] = {}
    error: Annotated[
        str, Meta(description="As verificações que falharam; ausente quando nenhuma falhou.", examples=["database"])
    ] = ""
