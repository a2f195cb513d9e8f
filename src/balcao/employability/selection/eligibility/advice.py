"""Writes advice in Portuguese on the criteria that a person does not meet (rules: employability 4.4)."""

from collections.abc import Sequence

from balcao.employability.selection.eligibility.schemas import Code, Criterion

# A longer list of neighbourhoods or courses would hide the rest of the advice.
MOST_NAMES = 5
_ADVICE = {
    Code.TERMS: "Aceite os termos de uso antes de se candidatar.",
    Code.LOWEST_AGE: "A vaga é para quem tem {} anos ou mais: se a sua idade está errada, corrija o cadastro.",
    Code.HIGHEST_AGE: "A vaga é para quem tem até {} anos: se a sua idade está errada, corrija o cadastro.",
    Code.SCHOOLING: "A vaga pede {}: ponha a sua formação no currículo, ou a escolaridade no cadastro.",
    Code.LANGUAGE: "A vaga pede {}: ponha o idioma, com o nível, no currículo.",
    Code.NEIGHBOURHOOD: "A vaga é para quem mora em {}: confira o endereço do seu cadastro.",
    Code.COURSE: "A vaga pede formação em {}: ponha os seus cursos no currículo.",
    Code.DISABILITY: "A vaga é só para pessoas com deficiência: se é o seu caso, informe-o no cadastro.",
}


def advise_candidate(failed: Sequence[Criterion]) -> str:
    """Return advice on the criteria, in their order. Criteria with the same code share one sentence.

    The advice contains the job's requirements, but never the person's data.
    """
    demanded: dict[Code, list[str]] = {}
    for each in failed:
        demanded.setdefault(each.criterio, []).append(each.exigido)
    return " ".join(_ADVICE[code].format(_join(texts)) for code, texts in demanded.items())


def _join(texts: Sequence[str]) -> str:
    names = [name for text in texts for name in text.split(", ")]
    if len(names) > MOST_NAMES:
        return ", ".join(names[:MOST_NAMES]) + f" ou outro de {len(names)}"
    *others, last = names
    return f"{', '.join(others)} ou {last}" if others else last
