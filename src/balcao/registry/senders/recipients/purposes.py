"""The purposes that a sender may declare (rules: registry 4.17). The person reads our wording, never the sender's."""

from collections.abc import Mapping
from types import MappingProxyType

# What each code means, in the words that the person reads in their list of accesses.
PURPOSES: Mapping[str, str] = MappingProxyType(
    {
        "service_notice": "aviso sobre um serviço da prefeitura",
        "public_campaign": "campanha de interesse público",
        "invitation": "convite para um evento ou curso",
        "opportunity": "oferta de vaga ou de oportunidade",
        "survey": "pesquisa de opinião ou de satisfação",
    }
)


def describe_check(number: int, category: str, purpose: str) -> str:
    """Return the sentence that tells the person about a check. `category` is the name of the category."""
    return f"Envio {number} sobre {category}: {PURPOSES[purpose]}."
