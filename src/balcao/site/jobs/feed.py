"""Writes the newest jobs as an RSS 2.0 feed."""

import re
from collections.abc import Callable, Sequence
from datetime import UTC
from email.utils import format_datetime
from xml.etree.ElementTree import Element, SubElement, register_namespace, tostring

from balcao.site.jobs.client import Job
from balcao.site.jobs.words import describe_contract, summarize_demands
from balcao.web.words import format_money

ATOM = "http://www.w3.org/2005/Atom"
# The control characters that XML 1.0 does not allow, not even as character references.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

register_namespace("atom", ATOM)


def make_feed(jobs: Sequence[Job], *, title: str, address: str, own_address: str, link: Callable[[Job], str]) -> bytes:
    """Return the feed. `address` is the page with the same filters, and `own_address` is the feed's own address."""
    feed = Element("rss", version="2.0")
    channel = SubElement(feed, "channel")
    _add(channel, "title", title)
    _add(channel, "link", address)
    _add(channel, "description", "Vagas conferidas pela prefeitura. Candidatar-se é de graça.")
    _add(channel, "language", "pt-BR")
    _add(channel, "ttl", "15")
    SubElement(channel, f"{{{ATOM}}}link", href=own_address, rel="self", type="application/rss+xml")
    if dates := [job.publicado_em for job in jobs if job.publicado_em]:
        _add(channel, "lastBuildDate", format_datetime(max(dates).astimezone(UTC), usegmt=True))
    for job in jobs:
        item = SubElement(channel, "item")
        _add(item, "title", " · ".join(filter(None, (job.titulo, job.company_name, job.bairro))))
        _add(item, "link", link(job))
        _add(item, "description", describe_job(job))
        SubElement(item, "guid", isPermaLink="false").text = f"urn:uuid:{job.id}"
        if job.publicado_em:
            _add(item, "pubDate", format_datetime(job.publicado_em.astimezone(UTC), usegmt=True))
    body: bytes = tostring(feed, encoding="utf-8", xml_declaration=True)
    return body


def describe_job(job: Job) -> str:
    """Describe a job in one paragraph: salary, contract and requirements."""
    demands = summarize_demands(job)
    parts = [
        format_money(job.valor_vaga) if job.valor_vaga is not None else "",
        describe_contract(job),
        f"Pede: {demands}" if demands else "",
    ]
    return ". ".join(filter(None, parts))


def _add(parent: Element, name: str, text: str) -> None:
    SubElement(parent, name).text = _FORBIDDEN.sub("", text)
