"""Wire types for eligibility (rules: employability 2.6, 4.4)."""

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta


class Code(StrEnum):
    """The codes of the criteria, in the order in which responses list them."""

    TERMS = "termos_uso"
    LOWEST_AGE = "idade_minima"
    HIGHEST_AGE = "idade_maxima"
    SCHOOLING = "escolaridade"
    LANGUAGE = "idioma"
    NEIGHBOURHOOD = "bairro"
    COURSE = "area_formacao"
    DISABILITY = "pcd"


class Criterion(msgspec.Struct):
    """A criterion of a job. It never contains the person's data."""

    criterio: Annotated[
        Code,
        Meta(
            description="O critério; `idioma` vem uma vez para cada idioma exigido.",
            examples=["idade_minima"],
        ),
    ]
    exigido: Annotated[str, Meta(description="O que a vaga exige, em palavras.", examples=["18"])]


class CheckedCriterion(Criterion):
    """A criterion, and whether the person meets it."""

    atendido: Annotated[bool, Meta(description="Se a pessoa atende.", examples=[True])]


class Eligibility(msgspec.Struct):
    """The caller's eligibility for a job."""

    elegivel: Annotated[bool, Meta(description="Se todos os critérios são atendidos.", examples=[True])]
    criterios: Annotated[list[CheckedCriterion], Meta(description="Tudo o que a vaga exige.")]
