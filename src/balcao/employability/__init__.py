"""The employability service: job listings, applications, resumes and their reference values."""

from functools import partial

from balcao.core.http.dialects import CODE_MESSAGE, ERROR_TEXT
from balcao.core.service import Service
from balcao.employability.companies.api import FEATURE as COMPANIES
from balcao.employability.hiring.departments.feature import FEATURE as DEPARTMENTS
from balcao.employability.hiring.listings.api import FEATURE as LISTINGS
from balcao.employability.hiring.parts.api import FEATURE as JOB_PARTS
from balcao.employability.hiring.search.api import FEATURE as JOB_SEARCH
from balcao.employability.hiring.transfer.feature import FEATURE as JOB_TRANSFER
from balcao.employability.legacy_jobs.api import BASE as OLDER_JOBS
from balcao.employability.legacy_jobs.api import FEATURE as LEGACY_JOBS
from balcao.employability.lifespan import run_employability
from balcao.employability.onboarding.api import FEATURE as ONBOARDING
from balcao.employability.reference_values.api import FEATURE as REFERENCE_VALUES
from balcao.employability.resume.bank.api import FEATURE as RESUME_BANK
from balcao.employability.resume.job_search.api import FEATURE as SOUGHT_JOB
from balcao.employability.resume.links.api import FEATURE as LINKS
from balcao.employability.resume.overview.api import FEATURE as OVERVIEW
from balcao.employability.resume.profiles.feature import FEATURE as PROFILES
from balcao.employability.resume.sections.api import FEATURE as SECTIONS
from balcao.employability.rights.api import make_feature as make_rights
from balcao.employability.selection.applications.api import FEATURE as APPLICATIONS
from balcao.employability.selection.blocks.api import FEATURE as BLOCKS
from balcao.employability.selection.candidates.api import FEATURE as CANDIDATES
from balcao.employability.selection.decisions.api import FEATURE as DECISIONS
from balcao.employability.selection.eligibility.api import FEATURE as ELIGIBILITY
from balcao.employability.selection.emails.feature import FEATURE as EMAILS
from balcao.employability.selection.people.feature import FEATURE as PEOPLE
from balcao.employability.selection.submission.api import FEATURE as SUBMISSION
from balcao.employability.skills.api import FEATURE as SKILLS
from balcao.employability.terms.api import FEATURE as TERMS

_FEATURES = [
    REFERENCE_VALUES,
    SKILLS,
    COMPANIES,
    DEPARTMENTS,
    LISTINGS,
    JOB_TRANSFER,
    JOB_PARTS,
    JOB_SEARCH,
    PROFILES,
    SECTIONS,
    LINKS,
    SOUGHT_JOB,
    OVERVIEW,
    RESUME_BANK,
    TERMS,
    PEOPLE,
    APPLICATIONS,
    SUBMISSION,
    DECISIONS,
    CANDIDATES,
    BLOCKS,
    ELIGIBILITY,
    EMAILS,
    ONBOARDING,
    LEGACY_JOBS,
]
_PERSONAL_DATA = [feature.personal_data for feature in _FEATURES if feature.personal_data is not None]

SERVICE = Service(
    name="employability",
    prefix="/jobs",
    title="Balcão: empregabilidade",
    package=__name__,
    features=[*_FEATURES, make_rights(_PERSONAL_DATA)],
    dialects={"": ERROR_TEXT, OLDER_JOBS: CODE_MESSAGE},
    lifespan=partial(run_employability, held=_PERSONAL_DATA),
    description="Empregabilidade: o currículo da pessoa, as tabelas que ele usa e as vagas do sistema antigo.",
    tags={
        "reference-values": "Tabelas de valores, como modelos de trabalho e disponibilidades.",
        "skills": "Comportamentos, habilidades e as áreas de atuação a que pertencem.",
        "companies": "Empresas que anunciam vagas.",
        "jobs": "Vagas, como a equipe as cadastra, publica e encerra.",
        "public-jobs": "Vagas publicadas, para qualquer pessoa.",
        "applications": "Candidaturas, para quem se candidata e para a equipe.",
        "resume": "O currículo da pessoa que chama.",
        "resume-bank": "Currículos que a equipe consulta, de quem aceitou os termos.",
        "rights": "O que as vagas guardam da pessoa: ter tudo em um arquivo, ou apagar.",
        "terms": "Os termos de uso e a apresentação das vagas.",
        "legacy-jobs": "Vagas do sistema antigo.",
    },
)
