"""The city-wide view for staff, limited to the areas that the caller's right covers."""

from datetime import datetime

from balcao.core.context.call import Call
from balcao.core.values.clock import format_rfc3339_seconds, utc_now
from balcao.health_units.notifications import views
from balcao.health_units.overview import store
from balcao.health_units.overview.schemas import (
    CityEvent,
    CityEvents,
    EventsQuery,
    OpenNotification,
    OpenNotifications,
    OpenQuery,
)
from balcao.health_units.overview.store import StoredEvent, StoredOpen
from balcao.health_units.units.service import AREA


async def list_open_notifications(call: Call, query: OpenQuery) -> OpenNotifications:
    """Return the active notifications of the units that the caller's right covers, highest colour first."""
    now = utc_now()
    async with call.platform.database.connection() as connection:
        found = await store.list_open(connection, _list_areas(call), query.area)
    return OpenNotifications(
        [_show_open(call, each, now) for each in found], len(found), format_rfc3339_seconds(now, call.zone)
    )


async def list_notification_events(call: Call, query: EventsQuery) -> CityEvents:
    """Return the newest events of the units that the caller's right covers, and record the read in the audit trail."""
    async with call.platform.database.transaction() as connection:
        found = await store.list_events_of_units(connection, _list_areas(call), query, query.limit + 1)
        await call.platform.audit.record(connection, call, "read", fields=["eventos"])
    return CityEvents([_show_event(call, each) for each in found[: query.limit]], len(found) > query.limit)


def _list_areas(call: Call) -> list[str] | None:
    """Return the areas to which the caller's right is limited, or None for the whole city.

    Only the whole city includes units without an area.
    """
    limits = call.find_limits(AREA)
    return None if limits is None else sorted(limits)


def _show_open(call: Call, found: StoredOpen, now: datetime) -> OpenNotification:
    notification = found.notification
    return OpenNotification(
        **views.list_staff_members(notification, found.remarks, found.autor_nome, call.zone),
        unidade=found.unit,
        ultimo_evento=found.tipo,
        risco_antes=found.risco_antes,
        minutos_aberta=_count_minutes(notification.aberta_em, now),
        minutos_sem_confirmacao=_count_minutes(notification.ultima_atualizacao, now),
    )


def _show_event(call: Call, found: StoredEvent) -> CityEvent:
    logged = views.show_event(found.recorded, call.zone)
    return CityEvent(
        id=str(found.id),
        notificacao=str(found.notificacao),
        unidade=found.unit,
        engano=found.engano,
        evento=logged,
    )


def _count_minutes(since: datetime, now: datetime) -> int:
    return max(0, int((now - since).total_seconds() // 60))
