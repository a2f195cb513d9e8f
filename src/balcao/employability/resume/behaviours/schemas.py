"""Wire types of behaviours and attitudes, and of their links to a resume."""

from datetime import datetime

import msgspec


class Behaviour(msgspec.Struct):
    """An entry of the catalogue."""

    id: int
    nome: str
    created_at: datetime
    updated_at: datetime


class BehaviourLink(msgspec.Struct):
    """`id` is the link's own, not the entry's."""

    id: int
    cpf: str
    id_comportamento_atitudes: int
    comportamento_atitudes: Behaviour
    created_at: datetime
    updated_at: datetime
