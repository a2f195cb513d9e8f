"""A person's rights: the export of their data and the list of accesses to it. Auditors can search the whole trail."""

from collections.abc import Iterable, Mapping
from datetime import timedelta

import msgspec
from msgspec import UNSET

from balcao.core.audit.personal_data import DeclaredPersonalData
from balcao.core.context.call import Call
from balcao.core.errors import Invalid, NotFound
from balcao.core.operation_names import OperationNames
from balcao.core.values.cpf import Cpf
from balcao.core.values.flags import parse_flag_parameter
from balcao.core.values.page import Page
from balcao.core.values.period import Period, parse_closed_period, parse_period
from balcao.core.values.text import clean_parameter, split_list
from balcao.registry.mirror.store import read_mirror
from balcao.registry.person.citizens import service as citizens
from balcao.registry.rights import store
from balcao.registry.rights.names import list_descriptions, name_access
from balcao.registry.rights.schemas import (
    ACTOR_KINDS,
    Access,
    AccessPage,
    AuditEvent,
    AuditPage,
    KindCount,
    RetentionReport,
)
from balcao.registry.rights.store import AuditFilters

EXPORTED_ACCESSES = timedelta(days=365)
LONGEST_PERIOD = timedelta(days=31)
LONGEST_WORD = 200
NO_RECORD = "Não há cadastro deste cidadão."


async def export_person(call: Call, cpf: Cpf) -> bytes:
    """Return the export as JSON: one consistent snapshot of all features' data (rules: registry 4.9).

    The export is audited. Raises TooMany if the person's data was exported too often. Raises NotFound if nothing is
    stored, unless the caller is the owner.
    """
    platform, subject = call.platform, call.platform.audit.list_hashes(cpf)
    await platform.limits.spend(platform.rate("export_limit"), "registry.export_data", subject[0].hex())
    async with platform.database.transaction(isolation="repeatable_read") as connection:
        members = await platform.part(DeclaredPersonalData).export(connection, cpf)
        citizen = await citizens.read_formatted_citizen(connection, call, cpf)
        known = members["registro_base"] is not None or (await read_mirror(connection, cpf)).known
        now = await store.fetch_time_before(connection, timedelta(0))
        year = Period(now - EXPORTED_ACCESSES, None)
        accesses = await store.select_accesses(connection, subject, year, None, platform.settings.client_id)
        await platform.audit.record(connection, call, "export", subject=cpf, fields=sorted({*members, "cidadao"}))
    if not known and not call.is_owner:
        raise NotFound(NO_RECORD, code="citizen-unknown")
    file = {"exportado_em": now, "cidadao": citizen, **members, "acessos": accesses}
    return msgspec.json.format(msgspec.json.encode(file))


async def list_accesses(call: Call, cpf: Cpf, query: Mapping[str, str], page: Page) -> AccessPage:
    """Return a page of the accesses to this person's data, newest first.

    Raises Invalid if the period or a filter is not valid, and TooMany if this person's list was read too often.
    """
    platform, subject = call.platform, call.platform.audit.list_hashes(cpf)
    period = parse_period(query, call.zone)
    kinds = _parse_kinds(query)
    is_counted, is_named = (parse_flag_parameter(query, name) is True for name in ("counts", "names"))
    await platform.limits.spend(platform.rate("access_list_limit"), "registry.list_accesses", subject[0].hex())
    async with call.reading(cpf, ["accesses"]) as source:
        counts = await store.count_accesses(source, subject, period)
        data = await store.select_accesses(source, subject, period, page, platform.settings.client_id, kinds)
    if is_named:
        _name_all(call, data)
    total = sum(count for kind, count in counts.items() if kinds is None or kind in kinds)
    listed = [KindCount(kind, counts[kind]) for kind in ACTOR_KINDS if kind in counts]
    return AccessPage(data, page.of(total), listed if is_counted else UNSET)


async def list_events_about_person(call: Call, query: Mapping[str, str], page: Page) -> AuditPage:
    """Return a page of audit events in a period of at most 31 days, newest first.

    The search itself is audited. Raises Invalid if the period or a filter is not valid.
    """
    period = parse_closed_period(query, call.zone, LONGEST_PERIOD)
    subject, actor = (_parse_cpf(query, name) for name in ("cpf", "actor"))
    audit = call.platform.audit
    client, operation, login = (
        clean_parameter(query, name, longest=LONGEST_WORD) for name in ("client", "operation", "sub")
    )
    issuers = call.platform.settings.issuers
    logins = None
    if login is not None:
        logins = [hashed for issuer in issuers for hashed in audit.list_login_hashes(issuer.rstrip("/"), login)]
    filters = AuditFilters(
        subject=audit.list_hashes(subject) if subject else None,
        actor=audit.list_hashes(actor) if actor else None,
        client=client,
        operation=operation,
        logins=logins,
        has_subject=parse_flag_parameter(query, "has_subject"),
    )
    async with call.platform.database.transaction() as connection:
        data, total = await store.list_events_about_person(connection, period, filters, page)
        await audit.record(connection, call, "read", subject=subject, fields=["audit"])
    if parse_flag_parameter(query, "names") is True:
        _name_all(call, data)
    return AuditPage(data, page.of(total))


def _name_all(call: Call, events: Iterable[Access | AuditEvent]) -> None:
    """Add to each event a description that people can understand."""
    operations = call.platform.part(OperationNames)
    descriptions = list_descriptions(call.platform.catalogue.snapshot)
    for event in events:
        event.names = name_access(event, operations, descriptions)


async def read_retention_report(call: Call) -> RetentionReport:
    """Return the last nightly retention run for each kind of data, and the number of anonymised people."""
    async with call.platform.database.connection() as connection:
        return RetentionReport(
            await store.list_retained_kinds(connection), await store.count_anonymised_people(connection)
        )


def _parse_kinds(query: Mapping[str, str]) -> list[str] | None:
    """Return the requested kinds of actors, or None for all kinds. Raises Invalid for an unknown kind."""
    if "actor_kind" not in query:
        return None
    kinds = split_list(query["actor_kind"])
    if not kinds or not set(kinds) <= set(ACTOR_KINDS):
        text = f"O parâmetro `actor_kind` aceita, separados por vírgula: {', '.join(ACTOR_KINDS)}."
        raise Invalid(text, code="actor_kind-invalid")
    return kinds


def _parse_cpf(query: Mapping[str, str], name: str) -> Cpf | None:
    if name not in query:
        return None
    cpf = Cpf.parse_path(query[name])
    if cpf is None:
        raise Invalid(f"O parâmetro `{name}` deve ser um CPF válido, de 11 dígitos.", code=f"{name}-invalid")
    return cpf
