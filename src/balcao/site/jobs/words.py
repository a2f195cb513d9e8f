"""Words for the states, choices and requirements of a job that citizens understand."""

from collections.abc import Callable, Mapping
from math import inf
from typing import NamedTuple

from balcao.site.jobs.client import Job
from balcao.web.words import format_count, join_words, lower_first

# Why a published job does not accept applications, by its state.
CLOSED: Mapping[str, str] = {
    "publicado_expirado": "O prazo desta vaga acabou.",
    "vaga_congelada": "Esta vaga está parada por enquanto.",
    "vaga_descontinuada": "Esta vaga foi encerrada.",
}
FOR_DISABLED: Mapping[str, str] = {
    "para_pcd": "Aberta também a pessoas com deficiência",
    "preferencial_pcd": "Preferência para pessoas com deficiência",
    "exclusivo_pcd": "Só para pessoas com deficiência",
}
# The choices in the filter for people with disabilities, each with its label and the values that it selects.
DISABLED_FILTER: Mapping[str, tuple[str, str]] = {
    "so": ("Só para pessoas com deficiência", "exclusivo_pcd"),
    "sim": ("Aceitam pessoas com deficiência", "para_pcd,preferencial_pcd,exclusivo_pcd"),
}


class Order(NamedTuple):
    """An order for the list. `label` is the text of the choice, and `phrase` describes the order in a sentence.

    `value` requests the order from the service, and `rank` sorts merged results in the same order.
    """

    label: str
    phrase: str
    value: str
    rank: Callable[[Job], float]


def _rank_by_age(job: Job) -> float:
    return -job.publicado_em.timestamp() if job.publicado_em else inf


def _rank_by_deadline(job: Job) -> float:
    return job.data_limite.timestamp() if job.data_limite else inf


def _rank_by_salary(job: Job) -> float:
    return -job.valor_vaga if job.valor_vaga is not None else inf


ORDERS: Mapping[str, Order] = {
    "": Order("As mais novas", "as mais novas primeiro", "publicacao", _rank_by_age),
    "prazo": Order("As que terminam antes", "as que terminam antes primeiro", "prazo", _rank_by_deadline),
    "salario": Order("As de maior salário", "as de maior salário primeiro", "salario", _rank_by_salary),
}
SALARIES: Mapping[str, int] = {str(amount): amount for amount in (1_500, 2_000, 3_000, 5_000)}
_MODELS: Mapping[str, str] = {"Remoto": "A distância", "Híbrido": "Parte em casa, parte no local"}
# schema.org defines only a few types of employment. A contract that is missing here is sent as OTHER.
EMPLOYMENT_TYPES: Mapping[str, str] = {
    "CLT": "FULL_TIME",
    "Estágio": "INTERN",
    "Freelancer": "CONTRACTOR",
    "Temporário": "TEMPORARY",
    "PJ": "CONTRACTOR",
    "Voluntário": "VOLUNTEER",
    "Meio período": "PART_TIME",
}


def name_model(name: str) -> str:
    """Return the name of a work model in words that citizens use."""
    return _MODELS.get(name, name)


def name_schooling(name: str) -> str:
    """Return the name of a schooling for use in a sentence: "ensino médio completo"."""
    stage = "ensino " if name.startswith(("Fundamental", "Médio", "Superior")) else ""
    return stage + lower_first(name)


def describe_contract(job: Job) -> str:
    """Describe a job's contract, work model and number of openings: "CLT · A distância · 8 vagas"."""
    parts = [
        job.regime_contratacao.descricao if job.regime_contratacao else "",
        name_model(job.modelo_trabalho.descricao) if job.modelo_trabalho else "",
        format_count(number, "vaga", "vagas") if (number := job.quantidade_estimada_contratacoes or 0) > 1 else "",
    ]
    return " · ".join(filter(None, parts))


def list_demands(job: Job) -> list[str]:
    """List the requirements that the service checks when a person applies.

    The list does not contain a disability, because the company verifies it.
    """
    demands = []
    if job.escolaridade_minima is not None:
        demands.append(f"{name_schooling(job.escolaridade_minima.descricao)} ou mais")
    match job.idade_minima, job.idade_maxima:
        case None, None:
            pass
        case int(lowest), None:
            demands.append(f"{lowest} anos ou mais")
        case None, int(highest):
            demands.append(f"até {highest} anos")
        case lowest, highest:
            demands.append(f"de {lowest} a {highest} anos")
    demands += [
        f"{lower_first(each.idioma.descricao)} {each.nivel_minimo.descricao.lower()} ou mais"
        for each in job.idiomas_requisito
    ]
    if job.bairros_elegibilidade:
        demands.append(f"morar em {join_words(job.bairros_elegibilidade, 'ou')}")
    if job.areas_formacao_elegibilidade:
        demands.append(f"formação em {join_words(job.areas_formacao_elegibilidade, 'ou')}")
    return demands


def summarize_demands(job: Job) -> str:
    """Return the requirements as one phrase.

    Without requirements, return the first sentence of the company's text, or an empty string.
    """
    if demands := list_demands(job):
        return join_words(demands)
    text = " ".join((job.requisitos or "").split())
    sentence = text.split(". ")[0].rstrip(".")
    if not sentence or len(sentence) > 160:
        return ""
    return lower_first(sentence)
