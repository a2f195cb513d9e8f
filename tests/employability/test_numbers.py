"""The rules and the code state the same numbers (rules: employability 2)."""

import re
from datetime import timedelta

import pytest

from balcao.employability import registry_people
from balcao.employability.companies import lookup
from balcao.employability.companies import schemas as companies
from balcao.employability.companies import service as company_limits
from balcao.employability.hiring.content import merge
from balcao.employability.hiring.departments import scope
from balcao.employability.hiring.listings import schemas as listings
from balcao.employability.hiring.search import api as job_lists
from balcao.employability.hiring.search import schemas as searched
from balcao.employability.legacy_jobs import schemas as legacy_jobs
from balcao.employability.lists import LONGEST_SEARCH, MOST_IN_CSV
from balcao.employability.reference_values import schemas as reference_values
from balcao.employability.resume.bank import schemas as bank_schemas
from balcao.employability.resume.bank import service as bank
from balcao.employability.resume.job_search import service as job_search
from balcao.employability.resume.links.kinds import MAX_LINKS
from balcao.employability.resume.profiles import service as profiles
from balcao.employability.resume.sections import records
from balcao.employability.selection.applications import api as applications
from balcao.employability.selection.applications import schemas as own_applications
from balcao.employability.selection.blocks import schemas as blocks
from balcao.employability.selection.candidates import filters as candidates
from balcao.employability.selection.decisions import schemas as decisions
from balcao.employability.selection.eligibility import advice
from balcao.employability.selection.emails import jobs as email_jobs
from balcao.employability.selection.people import service as people
from balcao.employability.selection.submission import answers
from balcao.employability.selection.submission import service as submission
from balcao.employability.skills import api as skills
from balcao.employability.skills import schemas as skill_pages
from balcao.employability.skills import service as skill_limits
from balcao.employability.texts import LONGEST_SLUG
from balcao.settings import Settings
from tests.support.rules import read_numbers


@pytest.mark.parametrize(
    ("sentence", "numbers"),
    [
        (
            r"`pageSize` default (\d+), max (\d+); `search` \(part of either name\)",
            [companies.DEFAULT_PER_PAGE, companies.MOST_PER_PAGE],
        ),
        (
            r"`pageSize` default (\d+), max (\d+); `E/habilidades` also",
            [skill_pages.DEFAULT_PER_PAGE, skill_pages.MOST_PER_PAGE],
        ),
        (r"`\{areas_ids: \[integer\]\}`, at most (\d+), replaces", [skill_pages.MOST_AREAS]),
        (r"POST on each \| `action:skill:manage` \| `nome` text (\d+)", [skill_limits.MAX_LENGTH]),
        (r"`Cache-Control: public, max-age=(\d+)`\.\n\n### 2\.3", [int(re.findall(r"\d+", skills.LISTED)[0])]),
        (
            r"caches a response for (\d+) min \(a 404 for (\d+) min\)",
            [lookup.CACHED_SECONDS / 60, lookup.UNKNOWN_SECONDS / 60],
        ),
        (r"503 registry down \((\d+) s budget\)", [lookup.BUDGET_SECONDS]),
        (
            r"`page`, `pageSize` default (\d+), max (\d+); `status` \(six values\)",
            [searched.DEFAULT_PER_PAGE, searched.MOST_PER_PAGE],
        ),
        (
            r"`page`, `pageSize` (\d+), max (\d+) \| 200 list `\{de, evento, para, em, por",
            [listings.HISTORY_DEFAULT, listings.HISTORY_MOST],
        ),
        (
            r"Public answers: `ETag`, `Cache-Control: public, max-age=(\d+)`",
            [int(re.findall(r"\d+", job_lists.CACHED)[0])],
        ),
        (r"\| razao_social \| text (\d+), required", [company_limits.LONGEST_NAME]),
        (r"\| descricao \| long (\d+), null", [company_limits.LONGEST_DESCRIPTION]),
        (r"\| url_logo, website \| text (\d+), null", [company_limits.LONGEST_ADDRESS]),
        (r"\| porte \| text (\d+), null", [company_limits.LONGEST_SIZE]),
        (r"\| titulo \| text (\d+) \| 400", [merge.LONGEST_TITLE]),
        (r"\| descricao \| text (\d+) \(Markdown", [merge.LONGEST_DESCRIPTION]),
        (r"responsabilidades, beneficios \| long (\d+)", [merge.LONGEST_PROSE]),
        (r"`titulo`, `descricao` \(long (\d+)\), `ordem` integer", [merge.LONGEST_STEP_TEXT]),
        (
            r"bairros_elegibilidade \(<= (\d+)\), areas_formacao_elegibilidade \(<= (\d+)\) \| arrays of text (\d+)",
            [merge.MOST_NEIGHBOURHOODS, merge.MOST_COURSES, merge.LONGEST_NAME],
        ),
        (
            r"tipos_pcd, zonas \(<= (\d+) each\), idiomas_requisito \(<= (\d+)\), etapas \(<= (\d+)\), "
            r"informacoes_complementares \(<= (\d+)\)",
            [merge.MOST_REFERENCES, merge.MOST_LANGUAGES, merge.MOST_STEPS, merge.MOST_QUESTIONS],
        ),
        (r"`opcoes` 1\.\.(\d+) distinct texts of (\d+)", [merge.MOST_OPTIONS, merge.LONGEST_OPTION]),
        (r"cut at (\d+) characters on a word", [LONGEST_SLUG]),
        (r"cargo text (\d+) required", [records.LONGEST_NAME]),
        (r"descricao_atividades long (\d+), default", [records.LONGEST_PROSE]),
        (r"tempo_experiencia_meses integer 0\.\.(\d+) default", [records.MOST_MONTHS]),
        (r"text of 4 digits, (\d+)\.\.current year \+ (\d+)", [records.FIRST_YEAR, records.YEARS_AHEAD]),
        (r"resumo_profissional long (\d+) \|", [profiles.LONGEST_SUMMARY]),
        (r"again after (\d+) days and whenever the entry is opened", [bank.FRESH / timedelta(days=1)]),
        (r"unknown id; 409 (\d+)st link", [MAX_LINKS + 1]),
        (r"links to departments from the registry at most every (\d+) s", [scope.FRESH_SECONDS]),
        (r"uses the scope from groups and links up to (\d+) min old", [scope.USABLE_SECONDS / 60]),
        (r"writes (\d+) a minute, applications 10 a minute", [int(applications.RATE.partition("/")[0])]),
        (r"at most (\d+) times \(after that 503 `application-changing`", [submission.MOST_TRIES]),
        (r"at most (\d+) withdrawals per pair", [submission.MOST_WITHDRAWALS]),
        (r"`\{cpfs: \[cpf\], vaga_id, status\}`, 1\.\.(\d+) CPFs", [decisions.MOST_PEOPLE]),
        (r"A split that needs more than ([\d,]+) comparisons", [answers.MOST_TRIES]),
        (
            r"Row limits per CPF: (\d+), (\d+), (\d+), (\d+), (\d+)\.",
            [section.most for section in records.SECTIONS],
        ),
        (r"of a long list, it names the first (\d+)", [advice.MOST_NAMES]),
        (
            r"A CSV filter takes at most (\d+) items, a text search at most (\d+) characters",
            [MOST_IN_CSV, LONGEST_SEARCH],
        ),
        (
            r"`criterios_nao_atendidos: \[text (\d+)\]` 1\.\.(\d+);",
            [blocks.LONGEST_CRITERION, blocks.MOST_CRITERIA],
        ),
        (
            r"default (\d+), max (\d+), `cpf`, `id_vaga` \| 200 list, newest first",
            [blocks.DEFAULT_PER_PAGE, blocks.MOST_PER_PAGE],
        ),
        (
            r"default 10, max (\d+), with `vagaId` max (\d+) \(the staff portal exports",
            [candidates.MOST_PER_PAGE, candidates.MOST_OF_JOB],
        ),
        (
            r"`pageSize` default (\d+), max (\d+), `vagaId`, `status`, `etapa_id`",
            [own_applications.DEFAULT_PER_PAGE, own_applications.MOST_PER_PAGE],
        ),
        (
            r"`pageSize` default (\d+), max (\d+), `search` \(name, social name\)",
            [bank_schemas.DEFAULT_PER_PAGE, bank_schemas.MOST_PER_PAGE],
        ),
        (
            r"`pageSize` default (\d+), max (\d+) \| 200 list; order: position",
            [reference_values.DEFAULT_PER_PAGE, reference_values.MOST_PER_PAGE],
        ),
        (r"`ordem` integer 1\.\.(\d+) only for", [reference_values.LAST_POSITION]),
        (
            r"`pageSize` default (\d+), max (\d+); `orgao_id` text",
            [legacy_jobs.DEFAULT_PER_PAGE, legacy_jobs.MOST_PER_PAGE],
        ),
        (r"`resposta` is a string, max (\d+);", [answers.LONGEST_ANSWER]),
        (r"ids_tipos_vinculo_preferencia array \(<= (\d+)\)", [job_search.MOST_CONTRACTS]),
        (r"by a job when older than (\d+) h; a list never", [people.FRESH / timedelta(hours=1)]),
        (r"with a (\d+) s budget; then the local copy", [registry_people.BUDGET_SECONDS]),
        (
            r"an e-mail is tried after 0, (\d+), (\d+), (\d+), (\d+) and (\d+) min",
            [delay / timedelta(minutes=1) for delay in email_jobs.DELAYS],
        ),
        (r"cleared (\d+) months after the job's end", [Settings().jobs_application_months]),
        (r"blocks after (\d+) months;", [Settings().jobs_block_months]),
        (r"a resume after (\d+) years without a write or an application", [Settings().jobs_resume_months / 12]),
        (r"sent mail jobs after (\d+) days", [Settings().jobs_mail_days]),
    ],
)
def test_the_page_tells_the_numbers_of_the_product(sentence: str, numbers: list[float]) -> None:
    assert read_numbers("employability", sentence) == numbers
