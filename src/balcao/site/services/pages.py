"""Pages for services: all subjects, one subject and one service, with the feedback pages.

Redirects lead from a service's id and from the older portal's addresses to the service's page.
"""

import asyncio
import re
from collections.abc import Sequence
from typing import Any

from balcao.core.http.responses import Response
from balcao.core.values.text import fold_text
from balcao.site.declaration import Area, MapAddress, MenuEntry, Pages
from balcao.site.facts import (
    describe_service,
    explain_facts,
    is_free,
    is_safe_button,
    read_facts,
    split_place,
    takes_time,
)
from balcao.site.faults import make_not_found
from balcao.site.reading.catalogue import Listed, Snapshot
from balcao.site.reading.departments import read_departments
from balcao.site.reading.reader import Moved
from balcao.site.requests.client import list_types
from balcao.site.services import client, feedback
from balcao.site.services.markup import render_text
from balcao.site.services.structured import describe_for_engines
from balcao.site.services.views import count_subjects, find_subject, group_by_subcategory
from balcao.site.visit import Head, Visit
from balcao.site.wording import Wording
from balcao.web.visit import Crumb

pages = Pages("services", "/servicos", [feedback.pages])
# Show at most this many similar services on the page of a service.
_SIMILAR = 4
_MOST_NAMES = 4
_LONGEST_OLD_NUMBER = 60
# Slugs and ids always have these forms. Any other string is unknown, so no call is needed.
_SLUG, _ID = re.compile(r"[a-z0-9-]{1,250}"), re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@pages.get("", "Todos os serviços", footer="site")
async def list_subjects(visit: Visit) -> Response[Any]:
    """Show the subjects, and the services whose names start with a chosen letter."""
    snapshot = await visit.read_catalogue()
    letters: dict[str, list[Listed]] = {}
    for service in snapshot.services:
        letters.setdefault(_first_letter(service.nome_servico), []).append(service)
    wanted = visit.query.first("letra")[:1].upper()
    letter = wanted if wanted in letters else next(iter(letters), "")
    head = Head(
        "Todos os serviços", f"Os {len(snapshot.services)} serviços da prefeitura, por assunto e de A a Z.", visit.path
    )
    return visit.show(
        "services/list.html",
        head,
        subjects=count_subjects(visit.site.wording, snapshot),
        letters=list(letters),
        letter=letter,
        services=letters.get(letter, []),
        total=len(snapshot.services),
    )


@pages.get("/assunto/{assunto}", "Assunto")
async def show_subject(visit: Visit, assunto: str) -> Response[Any]:
    """Show the services of one subject, grouped by subcategory."""
    snapshot = await visit.read_catalogue()
    subject = find_subject(visit.site.wording, snapshot, assunto)
    if subject is None:
        raise make_not_found()
    services = snapshot.list_categories(subject.categories, subject.subcategories)
    head = Head(
        subject.name,
        f"{subject.name}: {len(services)} serviços da prefeitura, com o custo e o tempo de cada um. {subject.hint}.",
        visit.address("services.show_subject", assunto=subject.key),
    )
    return visit.show(
        "services/subject.html",
        head,
        subject=subject,
        groups=group_by_subcategory(services),
        total=len(services),
        all_free=bool(services) and all(map(is_free, services)),
        steps=[Crumb("Serviços", visit.address("services.list_subjects"))],
    )


@pages.get("/{slug}", "Serviço")
async def show_service(visit: Visit, slug: str) -> Response[Any]:
    """Show one service: the facts, the buttons, the steps, the places, and the responsible department."""
    if not feedback.SLUG.fullmatch(slug):
        raise make_not_found()
    try:
        service = await client.read_service(visit.reader, slug, visit.text("busca"))
    except Moved as moved:
        return visit.move(visit.address("services.show_service", slug=moved.slug))
    catalogue, departments, types = await asyncio.gather(
        visit.read_block(visit.read_catalogue()),
        visit.read_block(read_departments(visit.reader)),
        visit.read_block(list_types(visit.reader)),
    )
    wording, subject = visit.site.wording, visit.site.wording.find_subject(service.tema_geral)
    instructions, result, details, not_covered, *documents = await asyncio.gather(
        *map(
            render_text,
            [
                service.instrucoes_solicitante,
                service.resultado_solicitacao,
                service.descricao_completa,
                service.servico_nao_cobre,
                *service.documentos_necessarios,
            ],
        )
    )
    owners = [departments.value.find(code) for code in service.orgao_gestor] if departments.value else []
    summary = service.resumo_plaintext or service.resumo
    address = visit.address("services.show_service", slug=service.slug)
    facts = read_facts(wording, service, counted=True)
    head = Head(
        service.nome_servico,
        describe_service(wording, service, summary),
        address,
        [describe_for_engines(visit, service, summary, [owner for owner in owners if owner])],
    )
    subject_crumb = Crumb(subject.name, visit.address("services.show_subject", assunto=subject.key))
    own_types = [one for one in types.value or () if one.service_id == service.id]
    return visit.show(
        "services/service.html",
        head,
        service=service,
        summary=summary,
        names=_list_names(wording, service),
        facts=facts,
        notes=explain_facts(service),
        types=own_types,
        has_number=bool(own_types) or takes_time(facts),
        buttons=_list_buttons(service),
        documents=documents,
        instructions=instructions,
        result=result,
        details=details,
        not_covered=not_covered,
        places=[split_place(text) for text in service.canais_presenciais if text.strip()],
        owners=[owner for owner in owners if owner],
        is_free=is_free(service),
        is_sensitive=wording.is_sensitive(service.nome_servico),
        similar=_list_similar(catalogue.value, service) if catalogue.value else [],
        checked_on=visit.site.words.read_day(service.last_update) if service.last_update else None,
        share=visit.absolute(address),
        steps=[Crumb("Serviços", visit.address("services.list_subjects")), subject_crumb],
    )


@pages.get("/antigo/{origem}/{numero}", "Endereço antigo", max_age=300, is_indexed=False)
async def show_old(visit: Visit, origem: str, numero: str) -> Response[Any]:
    """Redirect from an address of the older portal to the current page of the service."""
    if max(len(origem), len(numero)) > _LONGEST_OLD_NUMBER:
        raise make_not_found()
    slug = await client.find_by_old_number(visit.reader, origem, numero)
    if slug is None:
        raise make_not_found()
    return visit.move(visit.address("services.show_service", slug=slug))


@pages.get("/id/{id}", "Endereço pelo número", max_age=300, is_indexed=False)
async def show_by_id(visit: Visit, id: str) -> Response[Any]:
    """Redirect from a service's id to the address with its slug."""
    if not _ID.fullmatch(id):
        raise make_not_found()
    service = await client.read_service_by_id(visit.reader, id)
    return visit.move(visit.address("services.show_service", slug=service.slug))


def _list_names(wording: Wording, service: client.Service) -> list[str]:
    """Return other names for a service: first the city's own names, then those from the search service."""
    names = [*wording.names.get(service.nome_servico, []), *service.tambem_conhecido_como]
    return list({fold_text(name): name for name in reversed(names)}.values())[::-1][:_MOST_NAMES]


def _first_letter(name: str) -> str:
    letter = fold_text(name)[:1].upper()
    return letter if letter.isalpha() else "#"


def _list_buttons(service: client.Service) -> list[client.Button]:
    """Return the enabled buttons that have a safe address, in the order that the editors set."""
    safe = [one for one in service.buttons if one.is_enabled and is_safe_button(one.url_service)]
    return sorted(safe, key=lambda one: one.ordem if one.ordem is not None else len(safe))


def _list_similar(snapshot: Snapshot, service: client.Service) -> list[Listed]:
    """Return services from the same subcategory, then from the same category."""
    others = [one for one in snapshot.list_categories([service.tema_geral]) if one.id != service.id]
    others.sort(key=lambda one: one.sub_categoria != service.sub_categoria)
    return others[:_SIMILAR]


async def _list_addresses(visit: Visit) -> Sequence[MapAddress]:
    """Return the addresses of all services and subjects, for the sitemap."""
    snapshot = await visit.read_catalogue()
    services = [
        MapAddress(visit.address("services.show_service", slug=one.slug), one.last_update or None)
        for one in snapshot.services
    ]
    subjects = [
        MapAddress(visit.address("services.show_subject", assunto=subject.key))
        for subject, _ in count_subjects(visit.site.wording, snapshot)
    ]
    return [*subjects, *services]


AREA = Area(
    pages, MenuEntry("Serviços", "services.list_subjects"), ("search", "departments"), addresses=_list_addresses
)
