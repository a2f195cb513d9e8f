"""Describes a job as schema.org data for search engines."""

from typing import Any
from zoneinfo import ZoneInfo

from balcao.site.jobs.client import Job
from balcao.site.jobs.words import EMPLOYMENT_TYPES


def describe_posting(job: Job, city: str, zone: ZoneInfo, address: str, *, applies_here: bool) -> dict[str, Any] | None:
    """Return the `JobPosting` data for a job, or None if it no longer accepts applications.

    `applies_here` is True if people can apply on the site.
    """
    if not job.is_open:
        return None
    place: dict[str, Any] = {"@type": "PostalAddress", "addressLocality": city, "addressCountry": "BR"}
    if job.bairro:
        place["streetAddress"] = job.bairro
    posting: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": "JobPosting",
        "title": job.titulo,
        "description": job.descricao or job.titulo,
        "url": address,
        "identifier": {"@type": "PropertyValue", "name": city, "value": job.id},
        "hiringOrganization": {"@type": "Organization", "name": job.company_name or city},
        "jobLocation": {"@type": "Place", "address": place},
        "directApply": applies_here,
    }
    if job.publicado_em:
        posting["datePosted"] = job.publicado_em.astimezone(zone).date().isoformat()
    if job.data_limite:
        posting["validThrough"] = job.data_limite.astimezone(zone).isoformat(timespec="seconds")
    if job.regime_contratacao:
        posting["employmentType"] = EMPLOYMENT_TYPES.get(job.regime_contratacao.descricao, "OTHER")
    if job.modelo_trabalho and job.modelo_trabalho.descricao == "Remoto":
        posting["jobLocationType"] = "TELECOMMUTE"
        posting["applicantLocationRequirements"] = {"@type": "Country", "name": "Brasil"}
    if job.quantidade_estimada_contratacoes:
        posting["totalJobOpenings"] = job.quantidade_estimada_contratacoes
    if job.valor_vaga is not None:
        posting["baseSalary"] = {
            "@type": "MonetaryAmount",
            "currency": "BRL",
            "value": {"@type": "QuantitativeValue", "value": job.valor_vaga, "unitText": "MONTH"},
        }
    return posting
