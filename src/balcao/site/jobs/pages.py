"""Pages for jobs: the list with its filters and its feed, one job, and one company."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from balcao.core.http.responses import Response
from balcao.core.values.text import fold_text
from balcao.site.declaration import Area, Finder, HomePart, MapAddress, MenuEntry, Pages, Result
from balcao.site.faults import make_not_found
from balcao.site.jobs import client
from balcao.site.jobs.client import Choice, Job
from balcao.site.jobs.feed import make_feed
from balcao.site.jobs.posting import describe_posting
from balcao.site.jobs.words import (
    CLOSED,
    DISABLED_FILTER,
    FOR_DISABLED,
    ORDERS,
    SALARIES,
    describe_contract,
    list_demands,
    name_model,
    summarize_demands,
)
from balcao.site.reading.reader import Moved
from balcao.site.visit import Head, Visit
from balcao.web.api import ValidationFailed
from balcao.web.visit import Crumb
from balcao.web.words import capitalize_first, format_count, format_money

_MAX_AGE = 30
_PAGE_SIZE = 20
_FEED_SIZE = 50
# Show at most this many jobs on the first page and in search results.
_MOST_ON_HOME, _MOST_FOUND = 3, 5
_SLUG = re.compile(r"[a-z0-9-]{1,200}")
_CNPJ = re.compile(r"[0-9A-Za-z]{12}[0-9]{2}")

pages = Pages("jobs", "/vagas")


@dataclass(frozen=True)
class Filters:
    """The filters of the list, as written in the address. `contract` and `model` are keys of `Lists`."""

    text: str
    neighbourhood: str
    contract: str
    model: str
    disabled: str
    salary: str
    order: str

    @property
    def query(self) -> dict[str, str]:
        """Return the query parameters, in the order of the canonical address."""
        return {
            "q": self.text,
            "bairro": self.neighbourhood,
            "regime": self.contract,
            "modelo": self.model,
            "pcd": self.disabled,
            "salario": self.salary,
            "ordem": self.order,
        }

    @property
    def is_empty(self) -> bool:
        return not any(self.query.values())

    def without(self, name: str) -> dict[str, str]:
        """Return the query parameters without one of the filters."""
        return self.query | {name: ""}


class Lists:
    """The choices for the filters. If the service fails, they are empty, and the filters have no effect."""

    def __init__(self, contracts: Sequence[Choice] | None, models: Sequence[Choice] | None) -> None:
        self.contracts = {_key(choice): choice for choice in contracts or ()}
        self.models = {_key(choice): choice for choice in models or ()}


def _key(choice: Choice) -> str:
    """Return the key that represents a choice in an address: `meio-periodo`."""
    return "-".join("".join(sign if sign.isalnum() else " " for sign in fold_text(choice.descricao)).split())


async def _read_lists(visit: Visit) -> Lists:
    contracts, models = await asyncio.gather(
        visit.read_block(client.list_contracts(visit.reader)), visit.read_block(client.list_models(visit.reader))
    )
    return Lists(contracts.value, models.value)


def _read_filters(visit: Visit, lists: Lists) -> Filters:
    contract, model, disabled, salary, order = (
        visit.text(name) for name in ("regime", "modelo", "pcd", "salario", "ordem")
    )
    return Filters(
        visit.text("q"),
        visit.text("bairro"),
        contract if contract in lists.contracts else "",
        model if model in lists.models else "",
        disabled if disabled in DISABLED_FILTER else "",
        salary if salary in SALARIES else "",
        order if order in ORDERS else "",
    )


def _ask(filters: Filters, lists: Lists) -> dict[str, str | int]:
    """Convert the filters, except the text, to query parameters for the service."""
    query: dict[str, str | int] = {}
    if filters.neighbourhood:
        query["bairro"] = filters.neighbourhood.replace(",", " ")
    if filters.contract:
        query["id_regime_contratacao"] = lists.contracts[filters.contract].id
    if filters.model:
        query["id_modelo_trabalho"] = lists.models[filters.model].id
    if filters.disabled:
        query["acessibilidade_pcd"] = DISABLED_FILTER[filters.disabled][1]
    if filters.salary:
        query["salario_minimo"] = SALARIES[filters.salary]
    if filters.order:
        query["ordem"] = ORDERS[filters.order].value
    return query


async def _find_jobs(visit: Visit, filters: Filters, lists: Lists, first: int, most: int) -> tuple[list[Job], int]:
    """Return at most `most` jobs, starting at the index `first`, and the total number of matches."""
    query = _ask(filters, lists)
    if filters.text:
        found = await client.find_jobs(visit.reader, filters.text, query, ORDERS[filters.order].rank)
        return found.data[first : first + most], found.meta.total
    page, start = divmod(first, client.PAGE_SIZE)
    asked = {**query, "page": page + 1, "pageSize": client.PAGE_SIZE}
    found = await client.list_jobs(visit.reader, asked, is_chosen=bool(filters.neighbourhood))
    return found.data[start : start + most], found.meta.total


@pages.get("", "Vagas de emprego", max_age=_MAX_AGE, footer="site")
async def list_jobs(visit: Visit) -> Response[Any]:
    """List the jobs that accept applications, the newest first unless the visitor chooses another order."""
    lists = await _read_lists(visit)
    filters = _read_filters(visit, lists)
    (jobs, total), all_jobs = await asyncio.gather(
        _find_jobs(visit, filters, lists, (visit.number - 1) * _PAGE_SIZE, _PAGE_SIZE),
        visit.read_block(client.list_newest(visit.reader)),
    )
    newest = all_jobs.value.data if all_jobs.value else []
    counted = format_count(total, "vaga aberta", "vagas abertas") if total else "nenhuma vaga aberta"
    title = "Vagas de emprego"
    if filters.neighbourhood:
        title += f" em {filters.neighbourhood}"
    elif filters.text:
        title += f": {filters.text}"
    number = visit.number
    return visit.show(
        "jobs/jobs.html",
        Head(
            title,
            f"{capitalize_first(counted)}, conferidas pela prefeitura: salário, bairro, prazo e o que cada uma pede.",
            visit.address("jobs.list_jobs", filters.query | {"pagina": number if number > 1 else ""}),
            # Do not index searches: any text can be searched, so the number of their addresses is unlimited.
            is_indexed=not (filters.text or filters.neighbourhood),
        ),
        jobs=jobs,
        total=total,
        counted=counted,
        number=number,
        first=(number - 1) * _PAGE_SIZE + 1,
        last=max(1, -(-total // _PAGE_SIZE)),
        filters=filters,
        lists=lists,
        chips=_list_chips(filters, lists),
        disabled=DISABLED_FILTER,
        orders=ORDERS,
        salaries={key: format_money(amount) for key, amount in SALARIES.items()},
        order=ORDERS[filters.order],
        neighbourhoods=sorted({job.bairro for job in newest if job.bairro}, key=fold_text),
        nearby=newest[:5],
        **_WORDS,
    )


_WORDS: Mapping[str, Any] = {
    "describe_contract": describe_contract,
    "summarize_demands": summarize_demands,
    "name_model": name_model,
    "for_disabled": FOR_DISABLED,
}


def _list_chips(filters: Filters, lists: Lists) -> list[tuple[str, str]]:
    """Return the active filters as (parameter name, text) pairs."""
    texts = {
        "q": f"“{filters.text}”" if filters.text else "",
        "bairro": filters.neighbourhood,
        "regime": lists.contracts[filters.contract].descricao if filters.contract else "",
        "modelo": name_model(lists.models[filters.model].descricao) if filters.model else "",
        "pcd": DISABLED_FILTER[filters.disabled][0] if filters.disabled else "",
        "salario": f"A partir de {format_money(SALARIES[filters.salary])}" if filters.salary else "",
    }
    return [(name, text) for name, text in texts.items() if text]


@pages.get("/novas.xml", "Vagas novas (RSS)", max_age=_MAX_AGE)
async def show_feed(visit: Visit) -> Response[Any]:
    """Return the jobs that match the filters as an RSS feed, newest first."""
    lists = await _read_lists(visit)
    filters = _read_filters(visit, lists)
    jobs, _ = await _find_jobs(visit, filters, lists, 0, _FEED_SIZE)
    chosen = ", ".join(text for _, text in _list_chips(filters, lists))
    body = make_feed(
        jobs,
        title=f"Vagas novas em {visit.site.city}" + (f": {chosen}" if chosen else ""),
        address=visit.absolute(visit.address("jobs.list_jobs", filters.query)),
        own_address=visit.absolute(visit.address("jobs.show_feed", filters.query)),
        link=lambda job: visit.absolute(visit.address("jobs.show_job", slug=job.slug)),
    )
    return Response(body, media_type="application/rss+xml; charset=utf-8")


@pages.get("/{slug}", "Vaga", max_age=_MAX_AGE)
async def show_job(visit: Visit, slug: str) -> Response[Any]:
    """Show one job. If it no longer accepts applications, the page says so and shows other jobs."""
    if not _SLUG.fullmatch(slug):
        raise make_not_found()
    try:
        job = await client.read_job(visit.reader, slug)
    except Moved as moved:
        return visit.move(visit.address("jobs.show_job", slug=moved.slug))
    # A stale response may show a closed job as open, so the page then does not invite people to apply.
    is_stale = visit.reader.checked_at is not None
    path = visit.address("jobs.show_job", slug=job.slug)
    site = visit.site
    address = visit.absolute(path)
    posting = describe_posting(job, site.city, site.words.zone, address, applies_here=site.has_login)
    others = await client.find_others(visit.reader, job)
    place = f" em {job.bairro}" if job.bairro else ""
    salary = f"{format_money(job.valor_vaga)}, " if job.valor_vaga is not None else ""
    return visit.show(
        "jobs/job.html",
        Head(
            f"Vaga: {', '.join(filter(None, (job.titulo, job.company_name)))}",
            f"{job.titulo}{place}: {salary}{describe_contract(job)}.",
            path,
            [posting] if posting and not is_stale else [],
            is_indexed=job.is_open,
        ),
        job=job,
        is_stale=is_stale,
        demands=list_demands(job),
        closed=CLOSED.get(job.status, "Esta vaga não recebe mais candidaturas."),
        others=others,
        steps=[Crumb("Vagas de emprego", visit.address("jobs.list_jobs"))],
        **_WORDS,
    )


@pages.get("/empresa/{cnpj}", "Empresa que contrata", max_age=_MAX_AGE)
async def show_company(visit: Visit, cnpj: str) -> Response[Any]:
    """Show a company and its open jobs."""
    if not _CNPJ.fullmatch(cnpj):
        raise make_not_found()
    try:
        company = await client.read_company(visit.reader, cnpj)
    except ValidationFailed:  # the check digits are wrong
        raise make_not_found() from None
    query: dict[str, str | int] = {"contratante": company.cnpj, "page": 1, "pageSize": client.PAGE_SIZE}
    jobs = await visit.read_block(client.list_jobs(visit.reader, query, is_chosen=True))
    count = len(jobs.value.data) if jobs.value else 0
    return visit.show(
        "jobs/company.html",
        Head(
            f"Vagas da empresa {company.name}",
            f"{company.name}: {format_count(count, 'vaga aberta', 'vagas abertas')}.",
            visit.address("jobs.show_company", cnpj=company.cnpj),
            # A page without jobs would be a useless search result.
            is_indexed=count > 0,
        ),
        company=company,
        website=_read_website(company.website),
        jobs=jobs,
        steps=[Crumb("Vagas de emprego", visit.address("jobs.list_jobs"))],
        **_WORDS,
    )


def _read_website(address: str | None) -> tuple[str, str] | None:
    """Return a company's website and its host name. Return None if the address is not an `https` address."""
    parts = urlsplit(address or "")
    if parts.scheme != "https" or not parts.hostname or parts.username is not None:
        return None
    return address or "", parts.hostname


async def list_addresses(visit: Visit) -> Sequence[MapAddress]:
    """Return the addresses of the newest open jobs, for the sitemap."""
    found = await client.list_newest(visit.reader)
    return [
        MapAddress(f"/vagas/{job.slug}", int(job.publicado_em.timestamp()) if job.publicado_em else None)
        for job in found.data
    ]


async def list_newest(visit: Visit) -> Sequence[Job] | None:
    """Return the newest jobs for the first page, or None if there are no jobs."""
    found = await client.list_newest(visit.reader)
    return found.data[:_MOST_ON_HOME] or None


async def find_named(visit: Visit, text: str) -> list[Result]:
    """Return the newest jobs that match the visitor's search text."""
    found = await client.find_jobs(visit.reader, text, {}, ORDERS[""].rank)
    return [
        Result(
            job.titulo,
            visit.address("jobs.show_job", slug=job.slug),
            " · ".join(filter(None, (format_money(job.valor_vaga) if job.valor_vaga is not None else "", job.bairro))),
            " · ".join(filter(None, (job.company_name, describe_contract(job)))),
        )
        for job in found.data[:_MOST_FOUND]
    ]


AREA = Area(
    pages,
    MenuEntry("Vagas", "jobs.list_jobs"),
    home=[HomePart("side", "as vagas de emprego", "jobs/home.html", list_newest)],
    finder=Finder(
        "Vagas de emprego",
        "as vagas de emprego",
        find_named,
        lambda visit, text: visit.address("jobs.list_jobs", {"q": text}),
    ),
    addresses=list_addresses,
)
