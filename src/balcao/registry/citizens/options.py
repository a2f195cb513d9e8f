"""The lists of suggested and allowed answers, exact, in the order in which forms show them (registry document, 3.8)."""

GENDER = (
    "Homem cisgênero",
    "Homem transgênero",
    "Mulher cisgênero",
    "Mulher transgênero",
    "Não binário",
    "Prefiro não informar",
    "Outro",
)

ETHNICITY = ("branca", "preta", "parda", "amarela", "indigena", "outra")
