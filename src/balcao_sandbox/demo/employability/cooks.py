"""Invented applicants for the job V9, with resumes and answers (rules: employability 7).

The data is the same at every start.
"""

import random
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple
from uuid import NAMESPACE_URL, UUID, uuid5

from balcao.core.values.cpf import Cpf
from balcao.employability.reference_values.kinds import Kind, seed_value_id
from balcao.employability.reference_values.schemas import ReferenceValue
from balcao.employability.resume.overview.schemas import Resume
from balcao.employability.resume.sections.schemas import ComplementaryCourse, Education, Experience
from balcao.registry.mirror.translation import strip_accents

NUMBER = 236
# Greater than the CPFs of the registry's invented citizens and of the other invented applicants, so that these are
# different people.
FIRST_STEM = 900_022_000
SEED = 2026
FIRST_NAMES = (
    "Adriana Alexandre Amanda Antônio Bianca Bruna Camila Célia Cláudio Daniela Denise Edson Elaine Felipe Flávia "
    "Gabriela Geraldo Heitor Iara Ivone Jéssica João José Joyce Juliana Kátia Larissa Leandro Luana Luiz "
    "Márcia Marcelo Mariana Mônica Natália Patrícia Pedro Priscila Raimunda Renata Roberto "
    "Rosana Sandra Sérgio Simone Sônia Tatiana Valdir Vanessa Vera Viviane Wagner Wesley"
).split()
LAST_NAMES = (
    "Andrade Antunes Araújo Azevedo Batista Brandão Cardoso Carvalho Castro Correia Costa Cunha Farias Ferreira "
    "Fonseca Lacerda Leite Lopes Macedo Machado Medeiros Melo Mendes Monteiro Moraes Moreira "
    "Nascimento Neves Nogueira Pacheco Pereira Pires Queiroz Reis Ribeiro Rocha Rodrigues Sales Santana Santos "
    "Silveira Soares Vasconcelos Viana Xavier"
).split()
# Schooling levels, with weights that determine how often each level is drawn.
LEVELS = (
    ("Fundamental incompleto", 2),
    ("Fundamental completo", 4),
    ("Médio incompleto", 3),
    ("Médio completo", 8),
    ("Técnico", 2),
    ("Superior incompleto", 1),
)
PLACES = (
    ("Ajudante de cozinha", "Restaurante da Serra", "Pré-preparo de legumes e carnes, montagem de saladas e limpeza."),
    ("Auxiliar de cozinha", "Hotel Farol da Barra", "Café da manhã para 80 hóspedes e apoio ao almoço."),
    ("Merendeira", "Escola Municipal Vila Nova", "Merenda de 240 alunos, conforme o cardápio da nutricionista."),
    ("Salgadeira", "Lanchonete Boa Vista", "Preparo de salgados fritos e assados, por encomenda."),
    ("Copeira", "Clínica Bem-Estar", "Copa e lanches da equipe e dos pacientes."),
    ("Atendente", "Padaria Aurora", "Balcão, chapa e reposição da vitrine."),
    ("Churrasqueiro", "Bar do Porto", "Grelha nas noites de sexta a domingo."),
)
SUMMARIES = (
    "Cozinho desde cedo, em casa e para fora, e quero trabalhar com carteira assinada.",
    "Moro perto do Farol e posso começar já.",
    "Aprendo depressa e gosto de trabalhar em equipe.",
    "Procuro o primeiro emprego na área depois do curso.",
    "",
)


class Cook(NamedTuple):
    cpf: Cpf
    name: str
    email: str
    resume: Resume
    has_course: bool
    years: int


def make_cooks(written_at: datetime) -> Iterator[Cook]:
    """Yield the applicants. `written_at` is when their resumes were written."""
    for number in range(NUMBER):
        chance = random.Random(f"{SEED}:cook:{number}")  # noqa: S311 - the same data on every machine
        cpf = Cpf.with_stem(str(FIRST_STEM + number))
        first, last = chance.choice(FIRST_NAMES), chance.sample(LAST_NAMES, 2)
        months, has_course = chance.choice((0, 0, 6, 12, 18, 24, 36, 60, 96)), chance.random() < 0.45
        yield Cook(
            cpf,
            f"{first} {' '.join(last)}",
            f"{strip_accents(f'{first}.{last[1]}').lower()}{number}@correio.example",
            _make_resume(chance, cpf, written_at, months, has_course=has_course),
            has_course,
            months // 12,
        )


def _make_resume(chance: random.Random, cpf: Cpf, at: datetime, months: int, *, has_course: bool) -> Resume:
    level = chance.choices([name for name, _ in LEVELS], [weight for _, weight in LEVELS])[0]
    is_done = not level.endswith("incompleto")
    schooling = ReferenceValue(seed_value_id(Kind.SCHOOLING, level), level, at, at)
    education = Education(
        _row_id(cpf, "formacao"),
        cpf.digits,
        schooling.id,
        chance.choice(("Escola Estadual do Porto", "Colégio da Serra", "Escola Municipal Vila Nova", None)),
        "Gastronomia" if level == "Técnico" else None,
        "Completo" if is_done else chance.choice(("Incompleto", "Em andamento")),
        str(chance.randint(1995, 2024)) if is_done else None,
        schooling,
        at,
        at,
    )
    course = ComplementaryCourse(
        _row_id(cpf, "curso"), cpf.digits, "Manipulação de alimentos", "Escola de Hotelaria", "2025", at, at
    )
    experiences = []
    if months:
        title, employer, story = chance.choice(PLACES)
        is_current, is_proven = chance.random() < 0.25, chance.random() < 0.6
        experiences = [
            Experience(
                _row_id(cpf, "experiencia"), cpf.digits, title, employer, story, is_current, is_proven, months, at, at
            )
        ]
    return Resume(
        formacoes=[education],
        idiomas=[],
        cursos_complementares=[course] if has_course else [],
        experiencias=experiences,
        conquistas=[],
        situacao_interesses=None,
        resumo_profissional=chance.choice(SUMMARIES),
        comportamento_atitudes=[],
        area_atuacao_habilidade=[],
    )


def _row_id(cpf: Cpf, what: str) -> UUID:
    return uuid5(NAMESPACE_URL, f"balcao:demo:cook:{cpf.digits}:{what}")
