"""Lists of suggested and allowed values: exact strings, in the order in which forms show them (rules: registry 3.8)."""

from collections.abc import Callable
from dataclasses import dataclass

from balcao.registry.mirror.translation import ETHNICITY, to_crm_ethnicity

GENDER = (
    "Homem cisgênero",
    "Homem transgênero",
    "Mulher cisgênero",
    "Mulher transgênero",
    "Não binário",
    "Prefiro não informar",
    "Outro",
)


@dataclass(frozen=True)
class Choice:
    """A field whose value comes from a list.

    - `path`: its path segment.
    - `key`: its name in operation keys.
    - `member`: its member in the merged record.
    - `field`: its field in the mirror.
    - `for_crm`: the function from an option to the mirrored value.
    """

    path: str
    key: str
    title: str
    member: str
    field: str
    options: tuple[str, ...]
    for_crm: Callable[[str], str] = str


CHOICES = (
    Choice("ethnicity", "ethnicity", "raça ou cor", "raca", "raca", ETHNICITY, to_crm_ethnicity),
    Choice(
        "family-income",
        "family_income",
        "renda familiar",
        "renda_familiar",
        "rendaFamiliar",
        (
            "Menos de 1 salário mínimo",
            "1 a 2 salários mínimos",
            "2 a 3 salários mínimos",
            "3 a 5 salários mínimos",
            "Mais de 5 salários mínimos",
        ),
    ),
    Choice(
        "education",
        "education",
        "escolaridade",
        "escolaridade",
        "escolaridade",
        (
            "Fundamental incompleto",
            "Fundamental completo",
            "Médio incompleto",
            "Médio completo",
            "Superior incompleto",
            "Superior completo",
            "Pós Graduação",
            "Mestrado",
            "Doutorado",
        ),
    ),
    Choice(
        "disability",
        "disability",
        "deficiência",
        "deficiencia",
        "deficiencia",
        (
            "Não sou pessoa com deficiência",
            "Física",
            "Auditiva",
            "Visual",
            "Transtorno do Espectro Autista",
            "Intelectual",
            "Mental (psicossocial)",
            "Reabilitado do INSS",
        ),
    ),
)
