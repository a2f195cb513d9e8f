"""The steps that staff can take on a request, with Portuguese labels."""

from collections.abc import Mapping
from typing import NamedTuple

from balcao.web.service_requests.labels import CLOSED


class Move(NamedTuple):
    """A step that staff can take: its slug in the address, the new state, and the labels.

    `state` is None for a message that does not change the state. `is_decision` is true if the request no longer waits
    for staff after the step. The next request then opens.
    """

    slug: str
    state: str | None
    button: str
    title: str
    field: str
    hint: str
    explanation: str
    done: str
    needs_text: bool = False
    is_decision: bool = False
    is_final: bool = False


_MOVES = (
    Move(
        "andamento",
        "in_progress",
        "Pôr em andamento",
        "Pôr o pedido em andamento",
        "Recado ao cidadão",
        "Opcional. Por exemplo, quando a equipe vai.",
        "O cidadão vê que a prefeitura trabalha no pedido.",
        "está em andamento.",
    ),
    Move(
        "perguntar",
        "needs_information",
        "Pedir uma informação",
        "Pedir uma informação ao cidadão",
        "Pergunta",
        "Diga o que falta e por quê. O cidadão responde na página do pedido.",
        "O pedido espera a resposta do cidadão; o prazo continua a correr.",
        "espera a resposta do cidadão.",
        needs_text=True,
        is_decision=True,
    ),
    Move(
        "recado",
        None,
        "Escrever um recado",
        "Escrever um recado ao cidadão",
        "Recado",
        "O cidadão lê, mas não precisa responder.",
        "A situação do pedido não muda.",
        "tem um novo recado.",
        needs_text=True,
    ),
    Move(
        "resolver",
        "done",
        "Resolver",
        "Encerrar como resolvido",
        "O que foi feito",
        "Opcional, mas o cidadão quer saber.",
        "O pedido é encerrado. Só o cidadão pode reabri-lo, por 30 dias, e ele pode dar uma nota.",
        "foi resolvido.",
        is_decision=True,
        is_final=True,
    ),
    Move(
        "recusar",
        "refused",
        "Não atender",
        "Encerrar sem atender",
        "Motivo",
        "O cidadão lê este motivo. Diga também o que ele pode fazer.",
        "O pedido é encerrado sem atendimento. Só o cidadão pode reabri-lo, por 30 dias.",
        "foi encerrado sem atendimento.",
        needs_text=True,
        is_decision=True,
        is_final=True,
    ),
)
MOVES: Mapping[str, Move] = {move.slug: move for move in _MOVES}


def list_moves(state: str) -> list[Move]:
    """Return the steps that staff may take from a state, in the order of the buttons.

    The service checks each step again.
    """
    if state in CLOSED:
        return []
    return [move for move in _MOVES if not (move.state == "in_progress" == state)]
